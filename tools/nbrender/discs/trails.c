#include "nbrender/discs/trails.h"

#include "nbrender/colour/value.h"
#include "nbrender/discs/stroke.h"
#include "nbrender/motion/between.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECE      4.0 /* pixels of a straight piece of a path, about */
#define PIECES_MAX 256
#define BRIGHTEST  0.7 /* of a path where the body is now */

struct place {
    uint64_t id;
    double pos[3], vel[3];
    uint16_t step;
};

struct sample { /* a frame, by increasing id */
    double time;
    uint64_t n;
    struct place *place;
};

struct trails {
    double length;
    double forwards;       /* 1, -1: where time runs; 0: not known yet */
    struct sample *sample; /* from the oldest */
    size_t count, capacity;
};

struct trails *trails_create(double length)
{
    struct trails *t = calloc(1, sizeof *t);
    if (!t)
        die("no memory for the trails");
    t->length = length;
    return t;
}

void trails_destroy(struct trails *t)
{
    for (size_t k = 0; t && k < t->count; k++)
        free(t->sample[k].place);
    if (t)
        free(t->sample);
    free(t);
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const struct place *)a)->id, y = ((const struct place *)b)->id;
    return (x > y) - (x < y);
}

static struct sample take_sample(const struct nb_bodies *b, const uint16_t *step)
{
    const struct nb_column *id = nb_bodies_find(b, "id"), *pos = nb_bodies_find(b, "pos");
    const struct nb_column *vel = nb_bodies_find(b, "vel");
    struct sample s = {b->meta.time, b->n, calloc(b->n + !b->n, sizeof *s.place)};
    if (!s.place)
        die("no memory for the trails");
    for (uint64_t i = 0; i < b->n; i++) {
        struct place *p = &s.place[i];
        p->id = id ? ((const uint64_t *)id->data)[i] : i;
        p->step = step[i];
        for (int d = 0; d < 3; d++) {
            p->pos[d] = value_of(pos, i, d);
            p->vel[d] = value_of(vel, i, d);
        }
    }
    qsort(s.place, s.n, sizeof *s.place, by_id);
    return s;
}

/* The one older than the length begins the oldest piece, and stays. */
static void forget_old(struct trails *t)
{
    size_t old = 0;
    double now = t->sample[t->count - 1].time;
    while (old + 1 < t->count && fabs(now - t->sample[old + 1].time) >= t->length)
        free(t->sample[old++].place);
    memmove(t->sample, t->sample + old, (t->count - old) * sizeof *t->sample);
    t->count -= old;
}

/* Where time turns round another stream begins, to which no body has come from this one. */
static void forget_other_stream(struct trails *t, double time)
{
    const double step = t->count ? time - t->sample[t->count - 1].time : 0;
    if (t->forwards == 0)
        t->forwards = (step > 0) - (step < 0);
    while (step * t->forwards < 0 && t->count > 0)
        free(t->sample[--t->count].place);
}

void trails_note(struct trails *t, const struct nb_bodies *b, const uint16_t *step)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        t->sample = reallocarray(t->sample, t->capacity, sizeof *t->sample);
        if (!t->sample)
            die("no memory for the trails");
    }
    forget_other_stream(t, b->meta.time);
    t->sample[t->count++] = take_sample(b, step);
    forget_old(t);
}

/* ---- a body's way between two frames ---- */

struct way {
    const struct place *from, *to;
    double begin, step; /* times: of the first frame, and from it to the second */
};

static void place_at(const struct way *w, double s, double x[3])
{
    between_place(w->from->pos, w->to->pos, w->from->vel, w->to->vel, w->step, s, x);
}

static void project(const struct nb_view *view, double x[3], double at[2])
{
    const struct nb_column one = {.type = NB_F64, .width = 3, .data = x};
    nb_view_project(view, &one, 0, 1, &at[0], &at[1], NULL);
}

/* Pieces enough for the curve's control polygon. */
static int count_pieces(const struct way *w, const struct nb_view *view)
{
    double last[2], length = 0;
    for (int k = 0; k <= 4; k++) {
        double x[3], at[2];
        place_at(w, 0.25 * k, x);
        project(view, x, at);
        length += k ? hypot(at[0] - last[0], at[1] - last[1]) : 0;
        memcpy(last, at, sizeof last);
    }
    return length > 0 ? (int)fmin(ceil(length / PIECE), PIECES_MAX) : 1;
}

static void draw_way(const struct trails *t, const struct way *w, const struct nb_view *view, const float (*ramp)[4],
                     double radius, struct picture *p)
{
    int pieces = count_pieces(w, view);
    double now = t->sample[t->count - 1].time, last[2] = {NAN, NAN};
    for (int k = 0; k <= pieces; k++) {
        double s = (double)k / pieces, x[3], at[2];
        double age = fabs(now - (w->begin + s * w->step)) / t->length, light = BRIGHTEST * fmax(1 - age, 0);
        float colour[3];
        place_at(w, s, x);
        project(view, x, at);
        for (int d = 0; d < 3; d++)
            colour[d] = (float)light * ramp[w->to->step][d];
        if (k && light > 0)
            stroke_line(p, last, at, radius, colour);
        memcpy(last, at, sizeof last);
    }
}

void trails_draw(const struct trails *t, const struct nb_view *view, const float (*ramp)[4], double radius,
                 struct picture *p)
{
    for (size_t k = 0; k + 1 < t->count; k++) {
        const struct sample *a = &t->sample[k], *b = a + 1;
        for (uint64_t i = 0, j = 0; i < a->n && j < b->n;) {
            const struct place *from = &a->place[i], *to = &b->place[j];
            struct way way = {from, to, a->time, b->time - a->time};
            if (from->id == to->id)
                draw_way(t, &way, view, ramp, radius, p);
            i += from->id <= to->id;
            j += to->id <= from->id;
        }
    }
}
