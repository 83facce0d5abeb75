/* nemo_from.c - reads NEMO's snapshots. */
#include "nbconv/nemo/nemo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_MAX  1000 /* maximum number of history lines that are kept */
#define HISTORY_LINE 4096 /* maximum bytes of a history line */

struct source {
    struct bytes in;
    struct conv_import *import;
    struct nb_meta head;   /* the user's options and the file's history; copied to the header of every frame */
    struct nb_bodies last; /* masses and ids of the previous snapshot, used if the current one has none */
    struct nb_bodies b;    /* the current snapshot; n = 0: the number of bodies is not known yet */
    int64_t number;        /* index of the current snapshot in the file, from 0 */
};

const struct nemo_array nemo_arrays[] = {
    {"Mass", "mass", "M", 1, true},
    {"Position", "pos", "L", 3, false},
    {"Velocity", "vel", "L/T", 3, false},
    {"Potential", "phi", "L^2/T^2", 1, false},
    {"Acceleration", "acc", "L/T^2", 3, false},
    {"Aux", "aux", "-", 1, false},
    {"Density", "density", "M/L^3", 1, true},
    {"Eps", "softening", "L", 1, false},
    {0},
};

/* Adds a column to the current snapshot. The caller sets its values. Returns NULL after nb_fail. */
static struct nb_column *add_column(struct source *s, const char *name, enum nb_type type, int width, const char *unit)
{
    if (nb_bodies_add(&s->b, name, type, width, unit) == 0 && nb_bodies_alloc(&s->b) == 0)
        return nb_bodies_find(&s->b, name);
    return nb_null(nb_fail("%s: snapshot %" PRId64 ": %s", s->in.name, s->number, nb_error()));
}

/* ---- contents of a snapshot ---- */

static int take_count(struct source *s, const struct nemo_item *item)
{
    int64_t n;
    if (nemo_item_integer(&s->in, item, &n))
        return -1;
    if (n < 1)
        return nb_fail("%s: snapshot %" PRId64 ": %s is %" PRId64 ", expected at least 1", s->in.name, s->number,
                       item->tag, n);
    if (s->b.column_count > 0)
        return nb_fail("%s: snapshot %" PRId64 ": %s comes after the data of bodies, expected before them", s->in.name,
                       s->number, item->tag);
    s->b.n = (uint64_t)n;
    return 0;
}

static int take_key(struct source *s, const struct nemo_item *item)
{
    bool negative;
    if (nemo_item_check(&s->in, item, s->b.n, 1))
        return -1;
    struct nb_column *id = add_column(s, "id", NB_U64, 1, "-");
    if (!id || nemo_item_unsigned(&s->in, item, s->b.n, id->data, &negative))
        return -1;
    if (negative) {
        nb_bodies_drop(&s->b, "id");
        say("snapshot %" PRId64 ": a Key is negative: the Keys are not used", s->number);
    }
    return 0;
}

static int take_phase_space(struct source *s, const struct nemo_item *item)
{
    if (nemo_item_check(&s->in, item, s->b.n, 6) || !add_column(s, "pos", NB_F64, 3, "L") ||
        !add_column(s, "vel", NB_F64, 3, "L/T"))
        return -1;
    return nemo_item_reals(&s->in, item, s->b.n, 3, nb_bodies_find(&s->b, "pos")->data,
                           nb_bodies_find(&s->b, "vel")->data);
}

static int check_coordinates(struct source *s, const struct nemo_item *item)
{
    int64_t code;
    if (nemo_item_integer(&s->in, item, &code))
        return -1;
    if (code != NEMO_COORDINATE)
        return nb_fail("%s: snapshot %" PRId64 ": CoordSystem is %#" PRIo64
                       ", but only %#o can be read: Cartesian, three dimensions (convert the snapshot with NEMO)",
                       s->in.name, s->number, (uint64_t)code, NEMO_COORDINATE);
    return 0;
}

static int take_array(struct source *s, const struct nemo_item *item, const struct nemo_array *a)
{
    if (nemo_item_check(&s->in, item, s->b.n, (uint64_t)a->width))
        return -1;
    const struct nb_column *c = add_column(s, a->column, NB_F64, a->width, a->unit);
    return c ? nemo_item_reals(&s->in, item, s->b.n, a->width, c->data, NULL) : -1;
}

static int pass_over(struct source *s, const struct nemo_item *item)
{
    static bool said;
    if (item->dim_count > 0 && !said)
        say("snapshot %" PRId64 ": %s is lost, because a stream cannot contain it", s->number, item->tag);
    said = said || item->dim_count > 0;
    return nemo_item_skip(&s->in, item);
}

static int take_particles(struct source *s, const struct nemo_item *item)
{
    if (nemo_item_is(item, "CoordSystem"))
        return check_coordinates(s, item);
    /* If the set "Parameters" does not contain the number of bodies, the length of the first array gives it. */
    if (s->b.n == 0 && item->dim_count > 0)
        s->b.n = item->dims[0];
    if (nemo_item_is(item, "PhaseSpace"))
        return take_phase_space(s, item);
    if (nemo_item_is(item, "Key"))
        return take_key(s, item);
    for (const struct nemo_array *a = nemo_arrays; a->tag; a++)
        if (nemo_item_is(item, a->tag))
            return take_array(s, item, a);
    return pass_over(s, item);
}

static int take_parameter(struct source *s, const struct nemo_item *item)
{
    if (nemo_item_is(item, "Nobj") || nemo_item_is(item, "NBody"))
        return take_count(s, item);
    if (nemo_item_is(item, "Time"))
        return nemo_item_real(&s->in, item, &s->b.meta.time);
    return nemo_item_skip(&s->in, item);
}

/* Calls `take` for each item of a set, up to the end of the set. */
static int each_item(struct source *s, const char *set, int (*take)(struct source *s, const struct nemo_item *item))
{
    struct nemo_item item;
    int status;
    while ((status = nemo_item_next(&s->in, &item)) > 0 && item.type != ')')
        if (take(s, &item))
            return -1;
    return status ? (status < 0 ? -1 : 0)
                  : nb_fail("%s: truncated in set %s of snapshot %" PRId64, s->in.name, set, s->number);
}

static int take_part(struct source *s, const struct nemo_item *item)
{
    if (nemo_item_is_set(item, "Parameters"))
        return each_item(s, item->tag, take_parameter);
    if (nemo_item_is_set(item, "Particles"))
        return each_item(s, item->tag, take_particles);
    return nemo_item_skip(&s->in, item); /* for example the set "Diagnostics" */
}

/* ---- a snapshot becomes a frame ---- */

/* If this snapshot lacks the column `name` (mass or id), copies it from the previous snapshot: a file may contain
 * constant masses and ids only in its first snapshot. */
static int inherit(struct source *s, const char *name)
{
    const struct nb_column *from = nb_bodies_find(&s->last, name);
    if (nb_bodies_find(&s->b, name) || !from || s->last.n != s->b.n)
        return 0;
    struct nb_column *to = add_column(s, name, from->type == NB_U64 ? NB_U64 : NB_F64, 1, from->unit);
    if (!to)
        return -1;
    if (from->type == NB_U64)
        memcpy(to->data, from->data, nb_column_bytes(from, s->b.n));
    else
        nb_column_get_f64(from, 0, s->b.n, to->data);
    return 0;
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

/* Divides masses and densities by the stream's G, because the file contains them multiplied by G. */
static void scale_masses(struct nb_bodies *b)
{
    for (const struct nemo_array *a = nemo_arrays; a->tag && b->meta.G != 1; a++) {
        const struct nb_column *c = a->mass ? nb_bodies_find(b, a->column) : NULL;
        for (uint64_t i = 0; c && i < b->n; i++)
            ((double *)c->data)[i] /= b->meta.G;
    }
}

static int end_snapshot(struct source *s)
{
    char where[256];
    snprintf(where, sizeof where, "%.200s: snapshot %" PRId64, s->in.name, s->number);
    if (inherit(s, "mass") || inherit(s, "id"))
        return -1;
    scale_masses(&s->b);
    conv_one_softening(&s->b);
    if (conv_import_frame(s->import, &s->b, where))
        return -1;
    keep_for_next(s);
    s->number++;
    return 0;
}

static int take_snapshot(struct source *s)
{
    nb_bodies_free(&s->b);
    if (nb_meta_copy(&s->b.meta, &s->head) || each_item(s, "SnapShot", take_part))
        return -1;
    return s->b.column_count > 0 ? end_snapshot(s) : 0; /* a snapshot that contains only diagnostics is not a frame */
}

static int take_history(struct source *s, const struct nemo_item *item)
{
    char line[HISTORY_LINE];
    if (nemo_item_text(&s->in, item, line, sizeof line))
        return -1;
    return s->head.history_count < HISTORY_MAX ? nb_meta_add_history(&s->head, line) : 0;
}

static int take_item(struct source *s, const struct nemo_item *item)
{
    if (nemo_item_is_set(item, "SnapShot"))
        return take_snapshot(s);
    if (nemo_item_is(item, "History") && item->type == 'c')
        return take_history(s, item);
    return nemo_item_skip(&s->in, item);
}

int nemo_from(struct conv_import *import, const char *path)
{
    static struct source s;
    struct nemo_item item;
    s = (struct source){.import = import};
    nb_bodies_init(&s.last);
    nb_bodies_init(&s.b);
    int status = nb_meta_copy(&s.head, &import->options->meta) || bytes_open(&s.in, path) ? -1 : 1;
    while (status > 0 && (status = nemo_item_next(&s.in, &item)) > 0)
        status = take_item(&s, &item) ? -1 : 1;
    if (status == 0 && s.number == 0)
        status = nb_fail("%s: contains no snapshot with particles", s.in.name);
    nb_bodies_free(&s.b);
    nb_bodies_free(&s.last);
    nb_meta_free(&s.head);
    bytes_close(&s.in);
    return status;
}
