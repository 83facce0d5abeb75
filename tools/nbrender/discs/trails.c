/* Stores past frames of bodies and computes their trails. */
#include "nbrender/discs/discs.h"

#include "base/memory.h"
#include "nbrender/colour/colour.h"
#include "nbrender/motion/motion.h"

struct frame {
    double time;
    uint64_t n;                /* number of bodies with trails */
    struct trail_place *place; /* n entries, one for each body with a trail */
    /* n entries: index of the body in the array `place` of the previous frame, or MATCH_NONE if it is not in that
     * frame */
    uint64_t *older;
};

struct trails {
    double length;
    const struct nb_select *select; /* condition for bodies with trails; NULL: all bodies, or a sample of them */
    bool sampled;
    double share;            /* fraction of the bodies that are in the sample; 1: all bodies; 0: not known yet */
    unsigned char *mask;     /* 1 for bodies with a trail in the newest frame, otherwise 0; NULL: all have trails */
    struct nb_bodies chosen; /* copy of the bodies with trails if mask is not NULL */
    double forwards;         /* 1: time increases from frame to frame; -1: it decreases; 0: not known yet */
    struct nb_bodies last;   /* ids of the bodies with trails in the newest frame; no other columns */
    struct match match;
    struct period period;
    /* x coordinate of the end of a flow's inlet. Paths in the inlet are not drawn, because the inlet moves bodies to
     * new positions */
    double inlet;
    struct frame *frame; /* the `count` frames that trails still need (forget_old), oldest first */
    size_t count;
};

struct trails *trails_create(const struct disc_options *o, bool sampled)
{
    struct trails *t = claimed(calloc(1, sizeof *t), "no memory for the trails");
    t->length = o->trails;
    t->select = o->trailed;
    t->sampled = sampled;
    nb_bodies_init(&t->chosen);
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
    nb_bodies_free(&t->chosen);
    free(t->mask);
    match_free(&t->match);
    free(t->frame);
    free(t);
}

/* ---- bodies with trails ---- */

/* Selects a random sample of bodies and sets t->mask. The hash of a body's id decides whether this body is in the
 * sample, so the sample is the same in every frame. Returns the number of bodies in the sample. */
static uint64_t sample(const struct trails *t, const struct nb_bodies *b)
{
    const struct nb_column *id = nb_bodies_find(b, "id");
    uint64_t count = 0;
    for (uint64_t i = 0; i < b->n; i++) {
        const uint64_t name = is_id(id) ? id_of(id, i) : i;
        t->mask[i] = (double)id_spread(name) < t->share * 0x1p64;
        count += t->mask[i];
    }
    return count;
}

/* Returns the bodies of a frame that have trails. Fills in t->mask, or sets it to NULL if all bodies have trails. */
static const struct nb_bodies *choose(struct trails *t, const struct nb_bodies *b)
{
    uint64_t count;
    if (t->share == 0)
        t->share = t->sampled && b->n > TRAILS_LIGHT ? (double)TRAILS_LIGHT / (double)b->n : 1;
    free(t->mask);
    t->mask = NULL;
    if (!t->select && t->share == 1)
        return b;
    t->mask = claimed(malloc(b->n + 1), "no memory for the trails");
    if (!t->select)
        count = sample(t, b);
    else if (nb_select_apply(t->select, b, t->mask, &count))
        die("--trails: %s", nb_error());
    must(tool_select_take(b, t->mask, count, &t->chosen));
    return &t->chosen;
}

/* Returns the light of the trail of body i: the light of the body. If this is 0 (a black hole) but the user selected
 * bodies for trails, returns 1, so that the trail is visible. */
static float light_of(const struct trails *t, const struct nb_light_bodies *light, uint64_t i)
{
    const float own = light->light ? light->light[i] : 1;
    return own == 0 && t->select ? 1 : own;
}

/* Returns a frame with copies of the n bodies that have trails (t->mask). `b` and `light` describe all bodies of the
 * frame. */
static struct frame take_frame(const struct trails *t, const struct nb_bodies *b, uint64_t n,
                               const struct nb_light_bodies *light)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *vel = nb_bodies_find(b, "vel");
    struct frame s = {b->meta.time, n, claimed(calloc(n + !n, sizeof *s.place), "no memory for the trails"),
                      claimed(calloc(n + !n, sizeof *s.older), "no memory for the trails")};
    struct trail_place *p = s.place;
    for (uint64_t i = 0; i < b->n; i++) {
        if (t->mask && !t->mask[i])
            continue;
        p->step = light->step ? light->step[i] : NB_LIGHT_STEPS / 2;
        p->light = light_of(t, light, i);
        vector_of(pos, i, p->pos);
        vector_of(vel, i, p->vel);
        p++;
    }
    return s;
}

/* ---- frames ---- */

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

/* For each body of the newest frame, finds the same body in the frame before it. Stores the result in the array `older`
 * of the newest frame. `b` contains the bodies of the newest frame that have trails. Copies their ids to t->last, which
 * the next call reads. */
static void match_older(struct trails *t, const struct nb_bodies *b)
{
    const struct frame *s = &t->frame[t->count - 1];
    must(t->count > 1 && match_fill(&t->match, &t->last, b));
    for (uint64_t i = 0; i < s->n; i++)
        s->older[i] = t->count > 1 ? match_of(&t->match, 1, i) : MATCH_NONE;
    keep_ids(&t->last, b);
}

/* Removes the frames that are older than t->length, except the newest of them: a part of the path from that frame to
 * the next frame is still visible. */
static void forget_old(struct trails *t)
{
    size_t old = 0;
    double now = t->frame[t->count - 1].time;
    while (old + 1 < t->count && fabs(now - t->frame[old + 1].time) >= t->length)
        free_frame(&t->frame[old++]);
    memmove(t->frame, t->frame + old, (t->count - old) * sizeof *t->frame);
    t->count -= old;
}

/* Removes all frames if the next frame belongs to another stream, because no path must connect two streams. `time` is
 * the time of the next frame. If the time step changes its sign, another stream begins. */
static void forget_other_stream(struct trails *t, double time)
{
    const double step = t->count ? time - t->frame[t->count - 1].time : 0;
    if (t->forwards == 0)
        t->forwards = (step > 0) - (step < 0);
    while (step * t->forwards < 0 && t->count > 0)
        free_frame(&t->frame[--t->count]);
}

void trails_note(struct trails *t, const struct nb_bodies *b, const struct nb_light_bodies *light)
{
    const struct nb_bodies *chosen = choose(t, b);
    if (chosen->n > TRAILS_MOST)
        die("--trails: %llu bodies, but paths can be drawn for at most %d (--trails T:COND selects some)",
            (unsigned long long)chosen->n, TRAILS_MOST);
    must(period_read(&t->period, &b->meta));
    t->inlet = about_inlet("speed", &b->meta);
    forget_other_stream(t, b->meta.time);
    t->frame = claimed(nb_memory_grow(t->frame, t->count, sizeof *t->frame), "no memory for the trails");
    t->frame[t->count++] = take_frame(t, b, chosen->n, light);
    match_older(t, chosen);
    forget_old(t);
}

const struct period *trails_period(const struct trails *t)
{
    return &t->period;
}

uint64_t trails_count(const struct trails *t)
{
    return t->count ? t->frame[t->count - 1].n : 0;
}

/* ---- a path between two frames ---- */

double trail_at(const struct trail_way *w, double s, double x[3])
{
    between_place(w->from->pos, w->end, w->from->vel, w->to->vel, w->step, s, x);
    return w->age[0] + s * (w->age[1] - w->age[0]);
}

/* Returns the approximate length of a path in the picture: the sum of the lengths of four straight pieces. */
double trail_length(const struct trail_way *w, const struct nb_view *view)
{
    double last[2], length = 0;
    for (int k = 0; k <= 4; k++) {
        double x[3], at[2];
        trail_at(w, 0.25 * k, x);
        view_project(view, x, at);
        length += k ? hypot(at[0] - last[0], at[1] - last[1]) : 0;
        memcpy(last, at, sizeof last);
    }
    return length > 0 ? length : 0;
}

static void walk_body(const struct trails *t, const struct frame *a, uint64_t j, trail_each *each, void *context)
{
    const struct frame *b = a + 1;
    const struct trail_place *from = &a->place[b->older[j]], *to = &b->place[j];
    const double now = t->frame[t->count - 1].time;
    struct trail_way way = {from,
                            to,
                            {to->pos[0], to->pos[1], to->pos[2]},
                            b->time - a->time,
                            {fabs(now - a->time) / t->length, fabs(now - b->time) / t->length}};
    if (from->pos[0] < t->inlet || to->pos[0] < t->inlet)
        return;
    period_follow(&t->period, from->pos, from->vel, to->vel, way.step, way.end);
    each(context, &way);
}

void trails_walk(const struct trails *t, trail_each *each, void *context)
{
    for (size_t k = 0; k + 1 < t->count; k++)
        for (uint64_t j = 0; j < t->frame[k + 1].n; j++)
            if (t->frame[k + 1].older[j] != MATCH_NONE)
                walk_body(t, &t->frame[k], j, each, context);
}
