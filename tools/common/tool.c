/* tool.c - prints messages, formats texts, converts the values of options to numbers, and reads the clock. */

#include "common/tool.h"

#include "base/portable.h"
#include "device/choose.h"
#include "device/device.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tool_options tool_options = {.frame = NB_FRAME_LAST};

/* ---- messages ---- */

#define MESSAGE_BYTES 16384 /* maximum bytes of a message; enough for a few names of PATH_MAX bytes */

static void message(const char *label, const char *format, va_list args)
{
    char text[MESSAGE_BYTES], escaped[MESSAGE_BYTES], line[MESSAGE_BYTES + 256];
    vsnprintf(text, sizeof text, format, args);
    snprintf(line, sizeof line, "%.128s: %s%s\n", nb_program_name(), label,
             nb_error_escape(escaped, sizeof escaped, text));
    tool_status_message(line);
}

#define MESSAGE(label, format)        \
    do {                              \
        va_list args;                 \
        va_start(args, format);       \
        message(label, format, args); \
        va_end(args);                 \
    } while (0)

void warn(const char *format, ...)
{
    MESSAGE("warning: ", format);
}

void say(const char *format, ...)
{
    if (!tool_options.quiet)
        MESSAGE("", format);
}

void say_verbose(const char *format, ...)
{
    if (tool_options.verbose)
        MESSAGE("", format);
}

int complain(const char *format, ...)
{
    MESSAGE("", format);
    return -1;
}

void die(const char *format, ...)
{
    MESSAGE("", format);
    exit(TOOL_FAILED);
}

void die_usage(const char *format, ...)
{
    char hint[256];
    MESSAGE("", format);
    snprintf(hint, sizeof hint, "Try `%.128s --help' for more information.\n", tool_name());
    tool_status_message(hint);
    exit(TOOL_USAGE);
}

char *tool_text(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        die("no memory");
    va_end(args);
    return text;
}

char *tool_copy(const char *text)
{
    return claimed(strdup(text), "no memory");
}

const char *tool_many(uint64_t n, const char *one, const char *several)
{
    static _Thread_local char texts[4][64];
    static _Thread_local unsigned next;
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "%" PRIu64 " %s", n, n == 1 ? one : several);
    return text;
}

/* ---- values of options ---- */

/* Converts the whole text with strtod and refuses numbers below `least`. `wanted` describes the valid values in the
 * error message. The decimal point does not depend on the locale, because no tool calls setlocale. */
static double number(const char *option, const char *text, double least, const char *wanted)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value < least)
        die_usage("--%s %s: expected %s", option, text, wanted);
    return value;
}

double tool_number(const char *option, const char *text)
{
    return number(option, text, -INFINITY, "a finite number");
}

double tool_positive(const char *option, const char *text)
{
    return number(option, text, nextafter(0, 1), "a number above 0");
}

double tool_not_negative(const char *option, const char *text)
{
    return number(option, text, 0, "a number of 0 or more");
}

double tool_share(const char *option, const char *text)
{
    char *end;
    double above = strtod(text, &end), below = 1;
    const bool plain = text[strspn(text, "0123456789.eE-/")] == '\0'; /* refuses spaces and 0x, unlike strtod */
    if (end > text && *end == '/' && end[1])
        below = strtod(end + 1, &end);
    const double value = above / below;
    if (!plain || end == text || *end || !(below > 0) || !(value > 0 && value <= 1))
        die_usage("--%s %s: expected a fraction above 0 and at most 1, such as 1/100 or 0.01", option, text);
    return value;
}

uint64_t tool_unsigned(const char *option, const char *text)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno)
        die_usage("--%s %s: expected a whole number of 0 or more", option, text);
    return value;
}

uint64_t tool_count(const char *option, const char *text)
{
    static const struct {
        const char *suffix;
        double factor;
    } suffixes[] = {{"", 1},    {"k", 1e3},   {"K", 1e3},          {"M", 1e6},
                    {"G", 1e9}, {"Ki", 1024}, {"Mi", 1024 * 1024}, {"Gi", 1024.0 * 1024 * 1024}};
    char *end = (char *)text;
    const double value = strpbrk(text, "xX") ? 0 : strtod(text, &end); /* hexadecimal numbers are refused */
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes && end != text; k++) {
        double count = value * suffixes[k].factor;
        if (strcmp(end, suffixes[k].suffix) == 0 && count >= 1 && count <= 1e15 && count == floor(count))
            return (uint64_t)count;
    }
    die_usage("--%s %s: expected a count (1 to 10^15; suffixes k M G, Ki Mi Gi)", option, text);
}

void tool_pair(const char *option, const char *text, double *a, double *b)
{
    char *end;
    *a = strtod(text, &end);
    if (end == text || *end != ',' || !isfinite(*a))
        die_usage("--%s %s: expected two numbers A,B", option, text);
    *b = number(option, end + 1, -INFINITY, "two numbers A,B");
}

enum nb_type tool_real_type(const char *option, const char *text)
{
    const int type = nb_type_parse(text);
    if (!nb_type_is_real(type))
        die_usage("--%s %s: expected f32 or f64", option, text);
    return (enum nb_type)type;
}

const char *tool_device_name(const char *text)
{
    if (!nb_device_is_name(text))
        die_usage("--device %s: expected " NB_DEVICE_NAMES, text);
    return text;
}

/* ---- time ---- */

double tool_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
