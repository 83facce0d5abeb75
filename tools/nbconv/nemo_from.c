/* Reading NEMO's snapshots. */
#include "base/error.h"
#include "nemo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_MAX  1000 /* lines that are kept */
#define HISTORY_LINE 4096 /* bytes of one */

struct source {
    struct bytes in;
    struct conv_import *import;
    struct nb_meta head;   /* of every frame: what the options say, and the file's history */
    struct nb_bodies last; /* masses and ids of the snapshot before, for one that has none */
    struct nb_bodies b;    /* the snapshot under way; n = 0: not known yet */
    int64_t number;        /* of that snapshot */
};

static const struct {
    const char *tag, *column, *unit;
    int width;
} arrays[] = {
    {"Mass", "mass", "M", 1},
    {"Position", "pos", "L", 3},
    {"Velocity", "vel", "L/T", 3},
    {"Potential", "phi", "L^2/T^2", 1},
    {"Acceleration", "acc", "L/T^2", 3},
    {"Eps", "softening", "L", 1},
    {"Density", "density", "M/L^3", 1},
    {"Aux", "aux", "-", 1},
};

/* A column of the snapshot under way, its values not yet set. */
static struct nb_column *add_column(struct source *s, const char *name, enum nb_type type, int width, const char *unit)
{
    if (nb_bodies_add(&s->b, name, type, width, unit) || nb_bodies_alloc(&s->b))
        die("%s: snapshot %" PRId64 ": %s", s->in.name, s->number, nb_error());
    return nb_bodies_find(&s->b, name);
}

/* ---- what a snapshot holds ---- */

static void take_count(struct source *s, const struct nemo_item *item)
{
    const int64_t n = nemo_item_integer(&s->in, item);
    if (n < 1 || s->b.column_count > 0)
        die("%s: snapshot %" PRId64 ": %s %" PRId64 ", wanted: a number of bodies, before they come", s->in.name,
            s->number, item->tag, n);
    s->b.n = (uint64_t)n;
}

static void take_key(struct source *s, const struct nemo_item *item)
{
    nemo_item_check(&s->in, item, s->b.n, 1);
    struct nb_column *id = add_column(s, "id", NB_U64, 1, "-");
    if (nemo_item_unsigned(&s->in, item, s->b.n, id->data))
        return;
    nb_bodies_drop(&s->b, "id");
    say("snapshot %" PRId64 ": a Key is negative: none is kept", s->number);
}

static void take_phase_space(struct source *s, const struct nemo_item *item)
{
    nemo_item_check(&s->in, item, s->b.n, 6);
    add_column(s, "pos", NB_F64, 3, "L");
    double *vel = add_column(s, "vel", NB_F64, 3, "L/T")->data;
    nemo_item_reals(&s->in, item, s->b.n, 3, nb_bodies_find(&s->b, "pos")->data, vel);
}

static void check_coordinates(struct source *s, const struct nemo_item *item)
{
    const int64_t code = nemo_item_integer(&s->in, item);
    if (code != NEMO_COORDINATE)
        die("%s: snapshot %" PRId64 ": CoordSystem %#" PRIo64 " is not %#o: Cartesian, three dimensions", s->in.name,
            s->number, (uint64_t)code, NEMO_COORDINATE);
}

/* An array of bodies, where it is one that a stream has a place for. */
static bool take_array(struct source *s, const struct nemo_item *item)
{
    if (s->b.n == 0 && item->dim_count > 0)
        s->b.n = item->dims[0]; /* a snapshot without parameters */
    if (nemo_item_is(item, "PhaseSpace")) {
        take_phase_space(s, item);
        return true;
    }
    if (nemo_item_is(item, "Key")) {
        take_key(s, item);
        return true;
    }
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (nemo_item_is(item, arrays[k].tag)) {
            nemo_item_check(&s->in, item, s->b.n, (uint64_t)arrays[k].width);
            double *to = add_column(s, arrays[k].column, NB_F64, arrays[k].width, arrays[k].unit)->data;
            nemo_item_reals(&s->in, item, s->b.n, arrays[k].width, to, NULL);
            return true;
        }
    return false;
}

static void pass_over(struct source *s, const struct nemo_item *item)
{
    static bool said;
    if (item->dim_count > 0 && !said)
        say("snapshot %" PRId64 ": a stream has no place for %s: left out", s->number, item->tag);
    said = said || item->dim_count > 0;
    nemo_item_skip(&s->in, item);
}

/* The items of a set, up to its end, each to be taken by `take`. */
static void each_item(struct source *s, const char *set, void (*take)(struct source *s, const struct nemo_item *item))
{
    struct nemo_item item;
    for (;;) {
        if (!nemo_item_next(&s->in, &item))
            die("%s: cut in set %s of snapshot %" PRId64, s->in.name, set, s->number);
        if (item.type == ')')
            return;
        take(s, &item);
    }
}

static void take_parameter(struct source *s, const struct nemo_item *item)
{
    if (nemo_item_is(item, "Nobj") || nemo_item_is(item, "NBody"))
        take_count(s, item);
    else if (nemo_item_is(item, "Time"))
        s->b.meta.time = nemo_item_real(&s->in, item);
    else
        nemo_item_skip(&s->in, item);
}

static void take_particles(struct source *s, const struct nemo_item *item)
{
    if (nemo_item_is(item, "CoordSystem"))
        check_coordinates(s, item);
    else if (!take_array(s, item))
        pass_over(s, item);
}

static void take_part(struct source *s, const struct nemo_item *item)
{
    if (nemo_item_is_set(item, "Parameters"))
        each_item(s, item->tag, take_parameter);
    else if (nemo_item_is_set(item, "Particles"))
        each_item(s, item->tag, take_particles);
    else
        nemo_item_skip(&s->in, item); /* Diagnostics, and whatever else */
}

/* ---- from a snapshot to a frame ---- */

/* Masses and ids that do not change may stand in the first snapshot alone. */
static void inherit(struct source *s, const char *name)
{
    const struct nb_column *from = nb_bodies_find(&s->last, name);
    if (nb_bodies_find(&s->b, name) || !from || s->last.n != s->b.n)
        return;
    struct nb_column *to = add_column(s, name, from->type == NB_U64 ? NB_U64 : NB_F64, 1, from->unit);
    if (from->type == NB_U64)
        memcpy(to->data, from->data, nb_column_bytes(from, s->b.n));
    else
        nb_column_get_f64(from, 0, s->b.n, to->data);
}

static void keep_for_next(struct source *s)
{
    nb_bodies_free(&s->last);
    s->last = s->b;
    nb_bodies_init(&s->b);
    for (int k = s->last.column_count - 1; k >= 0; k--)
        if (strcmp(s->last.columns[k].name, "mass") != 0 && strcmp(s->last.columns[k].name, "id") != 0)
            nb_bodies_drop(&s->last, s->last.columns[k].name);
}

/* NEMO's G is 1: with another one masses have another unit, and lengths and times keep theirs. */
static void scale_masses(struct nb_bodies *b)
{
    static const char *const names[] = {"mass", "density"};
    for (int k = 0; k < 2 && b->meta.G != 1; k++) {
        const struct nb_column *c = nb_bodies_find(b, names[k]);
        for (uint64_t i = 0; c && i < b->n; i++)
            ((double *)c->data)[i] /= b->meta.G;
    }
}

/* One length of all goes into the header. */
static void one_softening(struct nb_bodies *b)
{
    double length;
    if (nb_bodies_find(b, "softening") && nb_bodies_softening(b, &length) == 0) {
        b->meta.softening = length;
        nb_bodies_drop(b, "softening");
    }
}

static void end_snapshot(struct source *s)
{
    char where[256];
    snprintf(where, sizeof where, "%.200s: snapshot %" PRId64, s->in.name, s->number);
    inherit(s, "mass");
    inherit(s, "id");
    scale_masses(&s->b);
    one_softening(&s->b);
    conv_import_frame(s->import, &s->b, where);
    keep_for_next(s);
}

static void take_snapshot(struct source *s)
{
    nb_bodies_init(&s->b);
    if (nb_meta_copy(&s->b.meta, &s->head))
        die("%s", nb_error());
    each_item(s, "SnapShot", take_part);
    if (s->b.column_count == 0) { /* of diagnostics alone */
        nb_bodies_free(&s->b);
        return;
    }
    end_snapshot(s);
    s->number++;
}

static void take_history(struct source *s, const struct nemo_item *item)
{
    char line[HISTORY_LINE];
    nemo_item_text(&s->in, item, line, sizeof line);
    if (s->head.history_count < HISTORY_MAX && nb_meta_add_history(&s->head, line))
        die("%s", nb_error());
}

void nemo_from(struct conv_import *import, const char *path)
{
    static struct source s;
    struct nemo_item item;
    s = (struct source){.import = import};
    if (import->options->quad)
        die_usage("--store quad goes with --from text");
    nb_bodies_init(&s.last);
    conv_import_meta(import, &s.head);
    bytes_open(&s.in, path);
    while (nemo_item_next(&s.in, &item)) {
        if (nemo_item_is_set(&item, "SnapShot"))
            take_snapshot(&s);
        else if (nemo_item_is(&item, "History") && item.type == 'c')
            take_history(&s, &item);
        else
            nemo_item_skip(&s.in, &item);
    }
    if (s.number == 0)
        die("%s: no snapshot with particles in it", s.in.name);
    nb_bodies_free(&s.last);
    nb_meta_free(&s.head);
    bytes_close(&s.in);
}
