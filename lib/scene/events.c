/* events.c - reads and writes header lines of events. Declared in events.h. */
#include "scene/events.h"

#include "base/error.h"
#include "base/memory.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDS_MAX     3
#define NUMBERS_MAX 10

/* Format of a header line: key, time (if `timed` is true), `wholes` integers, `numbers` real numbers */
static const struct layout {
    const char *key;
    bool timed;
    int wholes, numbers;
} layouts[] = {[NB_EVENT_MERGE] = {"merge", true, 2, 9},
               [NB_EVENT_ESCAPE] = {"escape", true, 1, 8},
               [NB_EVENT_FORM] = {"form", true, 2, 9},
               [NB_EVENT_DISSOLVE] = {"dissolve", true, 2, 9},
               [NB_EVENT_EXCHANGE] = {"exchange", true, 3, 9},
               [NB_EVENT_MERGES] = {"merges", false, 1, 1},
               [NB_EVENT_ESCAPES] = {"escapes", false, 1, 1},
               [NB_EVENT_FORMS] = {"forms", false, 1, 1},
               [NB_EVENT_DISSOLVES] = {"dissolves", false, 1, 1},
               [NB_EVENT_EXCHANGES] = {"exchanges", false, 1, 1}};
#define KINDS ((int)(sizeof layouts / sizeof *layouts))

static const struct layout of_booked = {"booked", false, 2, 8};

const char *nb_event_name(enum nb_event_kind kind)
{
    return layouts[kind].key;
}

int nb_event_stars(enum nb_event_kind kind)
{
    return kind < NB_EVENT_KINDS ? layouts[kind].wholes : 0;
}

/* ---- reading ---- */

/* Returns the text after the word and a space, or NULL if the line begins with another word. */
static const char *after(const char *line, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static bool is_event(const char *line)
{
    return after(line, "event") || strcmp(line, "event") == 0;
}

static bool is_booked(const char *line)
{
    return after(line, "booked") || strcmp(line, "booked") == 0;
}

/* take_whole parses an unsigned integer at *at, take_number parses a finite number. Both move *at after the number and
 * the space that follows it. Both return false if the number is invalid. */
static bool take_whole(const char **at, uint64_t *value)
{
    const size_t length = strspn(*at, "0123456789");
    *value = 0;
    for (size_t k = 0; k < length; k++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)((*at)[k] - '0'), value))
            return false;
    *at += length;
    if (length == 0 || (**at != ' ' && **at != '\0'))
        return false;
    *at += **at == ' ';
    return true;
}

static bool take_number(const char **at, double *value)
{
    const size_t length = strspn(*at, "+-.0123456789eE");
    char *end;
    *value = strtod(*at, &end);
    if (length == 0 || end != *at + length || !isfinite(*value) || (*end != ' ' && *end != '\0'))
        return false;
    *at = end + (*end == ' ');
    return true;
}

static int take(const char *line, const char *at, const struct layout *l, double *time, uint64_t *whole, double *number)
{
    bool good = (!l->timed || take_number(&at, time));
    for (int k = 0; k < l->wholes; k++)
        good = good && take_whole(&at, &whole[k]);
    for (int k = 0; k < l->numbers; k++)
        good = good && take_number(&at, &number[k]);
    if (!good || *at || at[-1] == ' ')
        return nb_fail("the header line '%.60s' does not have the numbers of %s (see nbs(5))", line, l->key);
    return 0;
}

int nb_event_parse(const char *line, struct nb_event *e)
{
    const char *rest = after(line, "event"), *at = NULL;
    int k = 0;
    while (rest && k < KINDS && !(at = after(rest, layouts[k].key)))
        k++;
    if (!at)
        return nb_fail("the header line '%.60s' has no known kind of event: merge, escape, form, dissolve or exchange, "
                       "or a total (merges, escapes, ...; see nbs(5))",
                       line);
    uint64_t whole[IDS_MAX] = {0};
    double v[NUMBERS_MAX] = {0};
    *e = (struct nb_event){.kind = (enum nb_event_kind)k, .count = 1};
    if (take(line, at, &layouts[k], &e->time, whole, v))
        return -1;
    if (!layouts[k].timed) {
        e->count = whole[0];
        e->energy = v[0];
        return 0;
    }
    const double *number = v;
    e->id = whole[0], e->other = whole[1], e->former = whole[2];
    e->mass = *number++;
    if (layouts[k].wholes > 1)
        e->other_mass = *number++;
    e->energy = *number++;
    memcpy(e->x, number, sizeof e->x);
    memcpy(e->v, number + 3, sizeof e->v);
    return e->mass >= 0 && e->other_mass >= 0 ? 0 : nb_fail("the header line '%.60s' has a negative mass", line);
}

int nb_events_read(const struct nb_meta *meta, struct nb_event **events, size_t *count)
{
    for (int k = 0; k < meta->extra_count; k++) {
        if (!is_event(meta->extra[k]))
            continue;
        struct nb_event *more = nb_memory_grow(*events, *count, sizeof **events);
        if (!more)
            return nb_fail("no memory for an event");
        *events = more;
        if (nb_event_parse(meta->extra[k], &more[*count]))
            return -1;
        ++*count;
    }
    return 0;
}

int nb_booked_read(const struct nb_meta *meta, struct nb_booked *b)
{
    bool there = false;
    *b = (struct nb_booked){0};
    for (int k = 0; k < meta->extra_count; k++) {
        const char *line = meta->extra[k];
        uint64_t whole[IDS_MAX] = {0};
        double v[NUMBERS_MAX] = {0};
        if (!is_booked(line))
            continue;
        if (there)
            return nb_fail("the header has two lines 'booked'");
        there = true;
        if (take(line, line + strlen("booked") + (line[strlen("booked")] == ' '), &of_booked, NULL, whole, v))
            return -1;
        *b = (struct nb_booked){whole[0], whole[1], v[0], v[1], {v[2], v[3], v[4]}, {v[5], v[6], v[7]}};
    }
    return 0;
}

/* ---- writing ---- */

static void print_numbers(char *line, size_t size, const double *v, int count)
{
    size_t used = strlen(line);
    for (int k = 0; k < count; k++)
        used += (size_t)snprintf(line + used, size - used, " %.17g", v[k]);
}

void nb_event_print(const struct nb_event *e, char line[NB_EVENT_LINE])
{
    const char *name = layouts[e->kind].key;
    const double masses[] = {e->mass, e->other_mass};
    if (!layouts[e->kind].timed) {
        snprintf(line, NB_EVENT_LINE, "event %s %" PRIu64, name, e->count);
        print_numbers(line, NB_EVENT_LINE, &e->energy, 1);
        return;
    }
    snprintf(line, NB_EVENT_LINE, "event %s %.17g %" PRIu64, name, e->time, e->id);
    if (layouts[e->kind].wholes > 1)
        snprintf(line + strlen(line), 32, " %" PRIu64, e->other);
    if (layouts[e->kind].wholes > 2)
        snprintf(line + strlen(line), 32, " %" PRIu64, e->former);
    print_numbers(line, NB_EVENT_LINE, masses, layouts[e->kind].wholes > 1 ? 2 : 1);
    print_numbers(line, NB_EVENT_LINE, &e->energy, 1);
    print_numbers(line, NB_EVENT_LINE, e->x, 3);
    print_numbers(line, NB_EVENT_LINE, e->v, 3);
}

bool nb_events_drop(struct nb_meta *meta, bool booked)
{
    static const char *const keys[] = {"event", "booked", NULL}, *const events[] = {"event", NULL};
    return nb_scene_drop(meta, booked ? keys : events);
}

bool nb_booked_drop(struct nb_meta *meta)
{
    static const char *const keys[] = {"booked", NULL};
    return nb_scene_drop(meta, keys);
}

static int add_lines(struct nb_meta *meta, const struct nb_event *events, size_t count)
{
    char line[NB_EVENT_LINE];
    for (size_t k = 0; k < count; k++) {
        nb_event_print(&events[k], line);
        if (nb_meta_add_extra(meta, line))
            return -1;
    }
    return 0;
}

/* Appends a header line for each type of event that occurred: the number of such events and their total energy. */
static int add_sums(struct nb_meta *meta, const struct nb_event *events, size_t count)
{
    struct nb_event sums[NB_EVENT_KINDS] = {{0}};
    for (size_t k = 0; k < count; k++) {
        struct nb_event *sum = &sums[events[k].kind % NB_EVENT_KINDS];
        sum->count += events[k].count;
        sum->energy += events[k].energy;
    }
    for (int k = 0; k < NB_EVENT_KINDS; k++) {
        sums[k].kind = (enum nb_event_kind)(NB_EVENT_KINDS + k);
        if (sums[k].count > 0 && add_lines(meta, &sums[k], 1))
            return -1;
    }
    return 0;
}

int nb_events_write(struct nb_meta *meta, const struct nb_event *events, size_t count)
{
    char line[NB_EVENT_LINE];
    size_t bytes = 0;
    nb_events_drop(meta, false);
    for (size_t k = 0; k < count && bytes <= NB_EVENT_LINES_MAX; k++) {
        nb_event_print(&events[k], line);
        bytes += strlen(line) + 1;
    }
    return bytes > NB_EVENT_LINES_MAX ? add_sums(meta, events, count) : add_lines(meta, events, count);
}

int nb_booked_write(struct nb_meta *meta, const struct nb_booked *b)
{
    const double sums[] = {b->mass, b->energy};
    char line[NB_EVENT_LINE];
    nb_booked_drop(meta);
    snprintf(line, sizeof line, "booked %" PRIu64 " %" PRIu64, b->merged, b->escaped);
    print_numbers(line, sizeof line, sums, 2);
    print_numbers(line, sizeof line, b->momentum, 3);
    print_numbers(line, sizeof line, b->angular_momentum, 3);
    return nb_meta_add_extra(meta, line);
}
