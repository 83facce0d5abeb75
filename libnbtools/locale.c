/* locale.c - switches the locale, so that numbers in streams and options have a decimal point. Declared in frame.h. */
#include "frame.h"

#include <pthread.h>

static locale_t plain;

static void make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t plain_numbers(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_plain);
    return plain ? uselocale(plain) : (locale_t)0;
}

void restore_numbers(locale_t before)
{
    if (before)
        uselocale(before);
}
