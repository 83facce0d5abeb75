/* Files of one picture each: their names, with the frame's number where the name has a place for it. */
#include "nbrender/output/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a conversion %d, %5d or %05d behind the percent sign; its length, or 0. */
static size_t parse_conversion(const char *text, struct series *s)
{
    const char *c = text;
    s->zeros = *c == '0';
    for (s->digits = 0; isdigit((unsigned char)*c) && c < text + 3; c++)
        s->digits = 10 * s->digits + (*c - '0');
    return *c == 'd' && s->digits <= 20 ? (size_t)(c - text) + 1 : 0;
}

static void free_series(struct series *s)
{
    free(s->prefix);
    free(s->suffix);
    free(s);
}

/* Splits the name at the frame's number. False: a percent sign that is neither %% nor the one %d. */
static bool parse_name(const char *path, struct series *s)
{
    size_t size = strlen(path) + 1;
    char *to = s->prefix = calloc(size, 1);
    s->suffix = calloc(size, 1);
    if (!to || !s->suffix)
        die("no memory");
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

bool series_is_single(const char *path)
{
    struct series *s = calloc(1, sizeof *s);
    if (!s)
        die("no memory");
    bool good = parse_name(path, s), numbered = s->numbered;
    free_series(s);
    if (!good)
        die_usage("-o %s: a name has one place for the frame's number, such as %%05d, and no other %% but %%%%", path);
    return !numbered;
}

void *series_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                  const struct render_options *o)
{
    (void)kind, (void)file;
    struct series *s = calloc(1, sizeof *s);
    if (!s)
        die("no memory");
    s->options = &o->output;
    parse_name(path, s);
    if (!s->numbered)
        tool_output_check(s->prefix, true);
    return s;
}

/* The number stands in the name of a folder. */
static bool has_folders(const struct series *s)
{
    return strchr(s->suffix, '/') != NULL;
}

void series_give(void *state, struct job *job)
{
    const struct series *s = state;
    const long long frame = (long long)job->picture.info.frame;
    char *name;
    int length = !s->numbered ? asprintf(&name, "%s", s->prefix)
                 : s->zeros   ? asprintf(&name, "%s%0*lld%s", s->prefix, s->digits, frame, s->suffix)
                              : asprintf(&name, "%s%*lld%s", s->prefix, s->digits, frame, s->suffix);
    if (length < 0)
        die("no memory");
    job->file = tool_output_open(name, true);
    if (!has_folders(s))
        tool_output_folder_later(job->file);
    free(name);
}

void series_take(void *state, struct job *job)
{
    (void)state;
    tool_output_close(job->file);
}

/* The names of all files are synced at once: what has one is whole already. */
void series_close(void *state)
{
    struct series *s = state;
    if (!has_folders(s) && tool_sync_folder(s->prefix))
        die("%s: the folder of the pictures cannot be synced: %s", s->prefix, strerror(errno));
    free_series(s);
}
