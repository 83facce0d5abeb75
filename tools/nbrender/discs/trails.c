#include "nbrender/discs/discs.h"

#include "base/memory.h"
#include "nbrender/colour/colour.h"
#include "nbrender/motion/motion.h"

#define PIECE      4.0 /* pixels of a straight piece of a path, about */
#define PIECES_MAX 256
#define BRIGHTEST  0.7 /* of a path where the body is now */

struct place {
    double pos[3], vel[3];
    uint16_t step;
};

struct frame {
    double time;
    uint64_t n;
    struct place *place; /* of each body */
    uint64_t *older;     /* each body's number in the frame before, MATCH_NONE: it was not there */
};

struct trails {
    double length;
    double forwards;       /* 1, -1: where time runs; 0: not known yet */
    struct nb_bodies last; /* the frame noted last, of its columns the identifiers alone */
    struct match match;
    struct period period;
    double inlet;        /* to where, in x, bodies of a flow get new places, and have no path */
    struct frame *frame; /* from the oldest */
    size_t count;
};

struct trails *trails_create(double length)
{
    struct trails *t = claimed(calloc(1, sizeof *t), "no memory for the trails");
    t->length = length;
    nb_bodies_init(&t->last);
    return t;
}

static void free_frame(struct frame *s)
{
    free(s->place);
    free(s->older);
}

void trails_destroy(struct trails *t)
{
    if (!t)
        return;
    for (size_t k = 0; k < t->count; k++)
        free_frame(&t->frame[k]);
    nb_bodies_free(&t->last);
    match_free(&t->match);
    free(t->frame);
    free(t);
}

static struct frame take_frame(const struct nb_bodies *b, const uint16_t *step)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *vel = nb_bodies_find(b, "vel");
    struct frame s = {b->meta.time, b->n, claimed(calloc(b->n + !b->n, sizeof *s.place), "no memory for the trails"),
                      claimed(calloc(b->n + !b->n, sizeof *s.older), "no memory for the trails")};
    for (uint64_t i = 0; i < b->n; i++) {
        struct place *p = &s.place[i];
        p->step = step[i];
        vector_of(pos, i, p->pos);
        vector_of(vel, i, p->vel);
    }
    return s;
}

static void keep_ids(struct nb_bodies *last, const struct nb_bodies *b)
{
    const struct nb_column *id = nb_bodies_find(b, "id");
    nb_bodies_free(last);
    last->n = b->n;
    if (!id)
        return;
    must(nb_bodies_add(last, id->name, id->type, id->width, id->unit) || nb_bodies_alloc(last));
    memcpy(last->columns[0].data, id->data, nb_column_bytes(id, b->n));
}

/* Which body of the frame before each is. */
static void match_older(struct trails *t, const struct nb_bodies *b)
{
    const struct frame *s = &t->frame[t->count - 1];
    must(t->count > 1 && match_fill(&t->match, &t->last, b));
    for (uint64_t i = 0; i < s->n; i++)
        s->older[i] = t->count > 1 ? match_of(&t->match, 1, i) : MATCH_NONE;
    keep_ids(&t->last, b);
}

/* The one older than the length begins the oldest piece, and stays. */
static void forget_old(struct trails *t)
{
    size_t old = 0;
    double now = t->frame[t->count - 1].time;
    while (old + 1 < t->count && fabs(now - t->frame[old + 1].time) >= t->length)
        free_frame(&t->frame[old++]);
    memmove(t->frame, t->frame + old, (t->count - old) * sizeof *t->frame);
    t->count -= old;
}

/* Where time turns round another stream begins, to which no body has come from this one. */
static void forget_other_stream(struct trails *t, double time)
{
    const double step = t->count ? time - t->frame[t->count - 1].time : 0;
    if (t->forwards == 0)
        t->forwards = (step > 0) - (step < 0);
    while (step * t->forwards < 0 && t->count > 0)
        free_frame(&t->frame[--t->count]);
}

void trails_note(struct trails *t, const struct nb_bodies *b, const uint16_t *step)
{
    must(period_read(&t->period, &b->meta));
    t->inlet = about_inlet("speed", &b->meta);
    forget_other_stream(t, b->meta.time);
    t->frame = claimed(nb_memory_grow(t->frame, t->count, sizeof *t->frame), "no memory for the trails");
    t->frame[t->count++] = take_frame(b, step);
    match_older(t, b);
    forget_old(t);
}

/* ---- a body's way between two frames ---- */

struct way {
    const struct place *from, *to;
    double end[3];      /* where `to` is, in the image of a periodic box that the body came to */
    double begin, step; /* times: of the first frame, and from it to the second */
};

static void place_at(const struct way *w, double s, double x[3])
{
    between_place(w->from->pos, w->end, w->from->vel, w->to->vel, w->step, s, x);
}

/* Pieces enough for the curve's control polygon. */
static int count_pieces(const struct way *w, const struct nb_view *view)
{
    double last[2], length = 0;
    for (int k = 0; k <= 4; k++) {
        double x[3], at[2];
        place_at(w, 0.25 * k, x);
        view_project(view, x, at);
        length += k ? hypot(at[0] - last[0], at[1] - last[1]) : 0;
        memcpy(last, at, sizeof last);
    }
    return length > 0 ? (int)fmin(ceil(length / PIECE), PIECES_MAX) : 1;
}

/* A piece that leaves a periodic box is drawn on both sides of it. */
static void draw_piece(const struct trails *t, const struct nb_view *view, const double from[3], const double to[3],
                       double radius, const float colour[3], struct picture *p)
{
    const double *const ends[2] = {from, to};
    double shift[2][2] = {{0}}, x[3], at[2][2];
    for (int k = 0; k < 2; k++) {
        memcpy(x, ends[k], sizeof x);
        period_wrap(&t->period, x, shift[k]);
        if (k && shift[0][0] == shift[1][0] && shift[0][1] == shift[1][1])
            return;
        for (int e = 0; e < 2; e++) {
            for (int d = 0; d < 3; d++)
                x[d] = ends[e][d] + (d < 2 ? shift[k][d] : 0);
            view_project(view, x, at[e]);
        }
        stroke_line(p, at[0], at[1], radius, colour);
    }
}

static void draw_way(const struct trails *t, const struct way *w, const struct nb_view *view, const float (*ramp)[4],
                     double radius, struct picture *p)
{
    int pieces = count_pieces(w, view);
    double now = t->frame[t->count - 1].time, last[3];
    for (int k = 0; k <= pieces; k++) {
        double s = (double)k / pieces, x[3];
        double age = fabs(now - (w->begin + s * w->step)) / t->length, light = BRIGHTEST * fmax(1 - age, 0);
        float colour[3];
        place_at(w, s, x);
        for (int d = 0; d < 3; d++)
            colour[d] = (float)light * ramp[w->to->step][d];
        if (k && light > 0)
            draw_piece(t, view, last, x, radius, colour, p);
        memcpy(last, x, sizeof last);
    }
}

void trails_draw(const struct trails *t, const struct nb_view *view, const float (*ramp)[4], double radius,
                 struct picture *p)
{
    for (size_t k = 0; k + 1 < t->count; k++) {
        const struct frame *a = &t->frame[k], *b = a + 1;
        for (uint64_t j = 0; j < b->n; j++)
            if (b->older[j] != MATCH_NONE) {
                const struct place *from = &a->place[b->older[j]], *to = &b->place[j];
                struct way way = {from, to, {to->pos[0], to->pos[1], to->pos[2]}, a->time, b->time - a->time};
                if (from->pos[0] < t->inlet || to->pos[0] < t->inlet)
                    continue;
                period_follow(&t->period, from->pos, from->vel, to->vel, way.step, way.end);
                draw_way(t, &way, view, ramp, radius, p);
            }
    }
}
