#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];

int nb_fail(const char *format, ...)
{
    char text[sizeof message]; /* an argument may be nb_error(): format into another place first */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(message, text, sizeof message);
    return -1;
}

const char *nb_error(void)
{
    return message;
}
