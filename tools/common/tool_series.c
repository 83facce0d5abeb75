/* tool_series.c - parses a name with %d, which stands for the number of the frame, and makes the name of each file. */

#include "common/tool_series.h"

#include "common/tool.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Parses the text after a percent sign: "d", "5d" or "05d" (of %d, %5d, %05d). Returns the length of this text, or
 * 0 if the text has another form. */
static size_t parse_conversion(const char *text, struct tool_series *s)
{
    const char *c = text;
    s->zeros = *c == '0';
    for (s->digits = 0; isdigit((unsigned char)*c) && c < text + 3; c++)
        s->digits = 10 * s->digits + (*c - '0');
    return *c == 'd' && s->digits <= 20 ? (size_t)(c - text) + 1 : 0;
}

/* Splits the name of the files into the texts before and after %d, which stands for the number of the frame. Returns
 * false if the name contains two %d, or a percent sign that belongs to neither %% nor %d. */
static bool split(const char *path, struct tool_series *s)
{
    size_t size = strlen(path) + 1;
    char *to = s->prefix = claimed(calloc(size, 1), "no memory");
    s->suffix = claimed(calloc(size, 1), "no memory");
    for (const char *c = path; *c; c++) {
        if (*c == '%' && c[1] == '%')
            *to++ = *c++;
        else if (*c != '%')
            *to++ = *c;
        else {
            size_t length = s->numbered ? 0 : parse_conversion(c + 1, s);
            if (!length)
                return false;
            s->numbered = true;
            to = s->suffix;
            c += length;
        }
    }
    return true;
}

void tool_series_free(struct tool_series *s)
{
    free(s->prefix);
    free(s->suffix);
    *s = (struct tool_series){0};
}

void tool_series_parse(const char *path, struct tool_series *s)
{
    *s = (struct tool_series){0};
    if (!split(path, s))
        die_usage("-o %s: a name can contain one frame number such as %%05d, and other %% only as %%%%", path);
}

bool tool_series_is_single(const char *path)
{
    struct tool_series s;
    tool_series_parse(path, &s);
    const bool single = !s.numbered;
    tool_series_free(&s);
    return single;
}

bool tool_series_has_folders(const struct tool_series *s)
{
    return strchr(s->suffix, '/') != NULL;
}

char *tool_series_name(const struct tool_series *s, long long k)
{
    return !s->numbered ? tool_copy(s->prefix)
           : s->zeros   ? tool_text("%s%0*lld%s", s->prefix, s->digits, k, s->suffix)
                        : tool_text("%s%*lld%s", s->prefix, s->digits, k, s->suffix);
}
