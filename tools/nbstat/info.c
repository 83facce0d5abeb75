/* info.c - --info: prints the headers, and the number of bodies of each component. Values common to all frames are
 * printed once, and again only when they change. */
#include "nbstat.h"

#include "base/portable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_number(FILE *f, const char *before, double value)
{
    char text[32];
    stat_shortest(text, value);
    fprintf(f, "%s%s", before, text);
}

static void print_units(FILE *f, const struct nb_units *u)
{
    fprintf(f, "  units %s", u->name);
    if (u->length_cgs > 0)
        print_number(f, " length_cgs ", u->length_cgs);
    if (u->mass_cgs > 0)
        print_number(f, " mass_cgs ", u->mass_cgs);
    if (u->time_cgs > 0)
        print_number(f, " time_cgs ", u->time_cgs);
    putc('\n', f);
}

struct text { /* terminated by NUL */
    char *data;
    size_t size;
    bool failed;
};

/* Appends to the text. open_memstream is not used, because in glibc it reports success after some failures and leaks
 * memory. */
static ssize_t append(void *cookie, const char *bytes, size_t count)
{
    struct text *t = cookie;
    char *longer = realloc(t->data, t->size + count + 1);
    if (!longer) {
        t->failed = true;
        return 0;
    }
    memcpy(longer + t->size, bytes, count);
    t->data = longer;
    t->size += count;
    longer[t->size] = '\0';
    return (ssize_t)count;
}

static void print_components(FILE *f, const uint64_t count[256])
{
    for (unsigned k = 0; k < 256; k++)
        if (count[k] && nb_component_name(k))
            fprintf(f, "  component %s %" PRIu64 "\n", nb_component_name(k), count[k]);
        else if (count[k])
            fprintf(f, "  component %u %" PRIu64 "\n", k, count[k]);
}

/* Describes a frame as text: the header (except n, time and step), then the number of bodies of each component. The
 * caller frees the text. Returns NULL if there is no memory. */
static char *describe(const struct nb_bodies *b, const uint64_t components[256])
{
    struct text text = {0};
    FILE *f = nb_text_writer(&text, append);
    if (!f)
        return NULL;
    print_number(f, "  G ", b->meta.G);
    print_number(f, "\n  softening ", b->meta.softening);
    print_number(f, "\n  dt ", b->meta.dt);
    fputs(b->meta.dt == 0 ? " (none)" : "", f);
    if (b->meta.dt_asked > 0)
        print_number(f, "\n  dt_asked ", b->meta.dt_asked);
    if (b->meta.dynamical_time > 0)
        print_number(f, "\n  dynamical_time ", b->meta.dynamical_time);
    putc('\n', f);
    if (b->meta.every > 0) {
        print_number(f, "  origin ", b->meta.origin);
        print_number(f, " every ", b->meta.every);
        putc('\n', f);
    }
    print_units(f, &b->meta.units);
    for (int k = 0; k < b->column_count; k++)
        fprintf(f, "  column %s %s %d %s\n", b->columns[k].name, nb_type_name(b->columns[k].type), b->columns[k].width,
                b->columns[k].unit);
    print_components(f, components);
    for (int k = 0; k < b->meta.force_count; k++)
        fprintf(f, "  force %s\n", b->meta.forces[k]);
    for (int k = 0; k < b->meta.history_count; k++)
        fprintf(f, "  history %s\n", b->meta.history[k]);
    for (int k = 0; k < b->meta.extra_count; k++)
        fprintf(f, "  other %s\n", b->meta.extra[k]);
    fclose(f);
    if (!text.failed)
        return text.data;
    free(text.data);
    return NULL;
}

/* Prints the description of a frame if it differs from *last, the description of the previous frame. Then replaces
 * *last by the new description. */
static void print_change(FILE *f, const struct nb_snap_reader *r, const struct nb_bodies *b,
                         const uint64_t components[256], char **last)
{
    char *now = claimed(describe(b, components), "no memory");
    char *name = stat_input_name(r);
    if (!*last)
        fprintf(f, "%s\n%s", name, now);
    else if (strcmp(*last, now) != 0)
        fprintf(f, "  from frame %" PRId64 " on\n%s", nb_snap_frame(r), now);
    free(name);
    free(*last);
    *last = now;
}

static void print_frame(FILE *f, const struct nb_snap_reader *r, const struct nb_bodies *b)
{
    fprintf(f, "  frame %" PRId64, nb_snap_frame(r));
    print_number(f, " time ", b->meta.time);
    fprintf(f, " step %" PRIu64 " n %" PRIu64 "\n", b->meta.step, b->n);
}

static int list(const struct stat_options *o, struct stat_output *out, const char *path)
{
    struct nb_snap_reader *r = stat_input_open(path);
    struct nb_bodies b;
    uint64_t components[256];
    char *last = NULL;
    int status;
    if (!r)
        return -1;
    nb_bodies_init(&b);
    while ((status = stat_input_skip(r, &b, components)) > 0) {
        if (o->form == STAT_JSON)
            stat_info_json(out->text, r, &b, components);
        else {
            print_change(out->text, r, &b, components, &last);
            print_frame(out->text, r, &b);
        }
        stat_output_flush(out);
    }
    free(last);
    nb_bodies_free(&b);
    nb_snap_close(r);
    return status;
}

int stat_info(const struct stat_options *o)
{
    struct stat_output out;
    int failures = 0;
    stat_output_open(&out);
    for (int k = 0; k < o->input_count; k++)
        failures += list(o, &out, o->inputs[k]) != 0;
    stat_output_close(&out, failures == 0);
    return failures ? TOOL_FAILED : TOOL_OK;
}
