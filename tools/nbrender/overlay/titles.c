/* Parses titles with their times, and computes their opacity. */
#include "nbrender/nbrender.h"

#include "base/memory.h"

/* Reads a time and a colon at *text, and moves *text past the colon. The time may be missing; *time is then unchanged.
 * Returns false if no colon follows, or if the time is not finite. */
static bool read_time(const char **text, double *time)
{
    char *end;
    const double read = strtod(*text, &end);
    if (*end != ':' || !isfinite(read))
        return false;
    if (end > *text)
        *time = read;
    *text = end + 1;
    return true;
}

/* Parses T0:T1:TEXT. If the text does not have this form, the entire text is the title. `name` is the name of the
 * option, for messages. */
static struct title parse(const char *name, const char *text)
{
    struct title t = {-INFINITY, INFINITY, text};
    const char *at = text;
    if (!read_time(&at, &t.from) || !read_time(&at, &t.to))
        return (struct title){-INFINITY, INFINITY, text};
    if (!(t.from < t.to))
        die_usage("--%s %.60s: T1 is not after T0 (T0:T1:TEXT)", name, text);
    t.text = at;
    return t;
}

void titles_take(const struct tool_option *o, const char *text)
{
    struct titles *to = o->to;
    const struct title one = parse(o->name, text);
    int at = to->count;
    for (int k = 0; k < to->count; k++)
        if (to->one[k].from == one.from && to->one[k].to == one.to) /* the new title replaces title k */
            at = k;
    if (at == to->count) {
        to->one = claimed(nb_memory_grow(to->one, (size_t)to->count, sizeof *to->one), "no memory for the titles");
        to->count++;
    }
    to->one[at] = one;
}

bool titles_have_text(const struct titles *t)
{
    for (int k = 0; k < t->count; k++)
        if (t->one[k].text[0])
            return true;
    return false;
}

double title_opacity(const struct title *t, double time, double fade)
{
    const double since = time - t->from, left = t->to - time, least = fmin(since, left);
    fade = fmin(fade, (t->to - t->from) / 3);
    if (least < 0)
        return 0;
    return least < fade ? least / fade : 1;
}
