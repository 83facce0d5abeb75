/* info_json.c - --info --json: prints the header of each frame as one JSON object. */
#include "nbstat.h"

#include "common/tool_json.h"

#include <inttypes.h>

static void key(FILE *f, const char *name)
{
    fprintf(f, ", \"%s\": ", name);
}

static void number(FILE *f, const char *name, double value)
{
    key(f, name);
    tool_json_number(f, value);
}

static void lines(FILE *f, const char *name, char *const *of, int count)
{
    key(f, name);
    for (int k = 0; k < count; k++) {
        fputs(k ? ", " : "[", f);
        tool_json_string(f, of[k]);
    }
    fputs(count ? "]" : "[]", f);
}

static void units(FILE *f, const struct nb_units *u)
{
    fputs(", \"units\": {\"name\": ", f);
    tool_json_string(f, u->name);
    number(f, "length_cgs", u->length_cgs);
    number(f, "mass_cgs", u->mass_cgs);
    number(f, "time_cgs", u->time_cgs);
    putc('}', f);
}

static void columns(FILE *f, const struct nb_bodies *b)
{
    key(f, "columns");
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        fprintf(f, "%s{\"name\": \"%s\", \"type\": \"%s\", \"width\": %d, \"unit\": ", k ? ", " : "[", c->name,
                nb_type_name(c->type), c->width);
        tool_json_string(f, c->unit);
        putc('}', f);
    }
    fputs(b->column_count ? "]" : "[]", f);
}

static void tally(FILE *f, const uint64_t count[256])
{
    bool any = false;
    key(f, "components");
    putc('{', f);
    for (unsigned k = 0; k < 256; k++) {
        if (!count[k])
            continue;
        fputs(any ? ", " : "", f);
        if (nb_component_name(k))
            fprintf(f, "\"%s\": %" PRIu64, nb_component_name(k), count[k]);
        else
            fprintf(f, "\"%u\": %" PRIu64, k, count[k]);
        any = true;
    }
    putc('}', f);
}

void stat_info_json(FILE *f, const struct nb_snap_reader *r, const struct nb_bodies *b, const uint64_t components[256])
{
    fputs("{\"file\": ", f);
    tool_json_string(f, nb_snap_name(r));
    fprintf(f, ", \"frame\": %" PRId64, nb_snap_frame(r));
    number(f, "time", b->meta.time);
    fprintf(f, ", \"step\": %" PRIu64 ", \"n\": %" PRIu64, b->meta.step, b->n);
    number(f, "G", b->meta.G);
    number(f, "softening", b->meta.softening);
    number(f, "dt", b->meta.dt);
    if (b->meta.dt_asked > 0)
        number(f, "dt_asked", b->meta.dt_asked);
    if (b->meta.dynamical_time > 0)
        number(f, "dynamical_time", b->meta.dynamical_time);
    number(f, "origin", b->meta.origin);
    number(f, "every", b->meta.every);
    units(f, &b->meta.units);
    columns(f, b);
    tally(f, components);
    lines(f, "forces", b->meta.forces, b->meta.force_count);
    lines(f, "history", b->meta.history, b->meta.history_count);
    lines(f, "other", b->meta.extra, b->meta.extra_count);
    fputs("}\n", f);
}
