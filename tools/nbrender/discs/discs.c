#include "nbrender/discs/discs.h"

#include "nbrender/overlay/overlay.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>

#define LARGEST     (1.0 / 54)  /* radius of the most massive body, picture heights */
#define SMALLEST    (1.0 / 240) /* and of one of next to no mass */
#define LABEL       (1.0 / 54)  /* size of a label, picture heights */
#define LABELS_MOST 1000        /* of a picture */
#define LABEL_LEVEL (PICTURE_FULL / 4 * 3)
#define LEAST       1.5         /* pixels */
#define SEEN        2.5         /* radius in pixels from which bodies that touch are discs, however many */
#define TRAIL       (1.0 / 900) /* half a path's width, picture heights */
#define TRAIL_LEAST 0.5

struct discs {
    const struct disc_options *options;
    double radius; /* of all that touch, or the bound of their column's, length units; 0: sizes go by mass */
    struct trails *trails;
    struct labels *labels; /* from the first frame on */
    struct text *text;     /* of the last picture's height */
    int text_height;
    struct drawn *drawn; /* work space */
    uint64_t capacity;
};

struct drawn { /* a body on the picture */
    double x, y, radius, nearer;
    uint64_t i;
};

/* Of bodies that touch; 0 of others. */
static double touching_radius(const struct nb_meta *meta)
{
    struct nb_scene scene;
    must(nb_scene_read(meta, &scene));
    const double radius = scene.touching ? scene.radius : 0;
    nb_scene_free(&scene);
    return radius;
}

bool discs_wanted(const struct disc_options *o, const struct nb_bodies *first, double scale)
{
    if (o->style != STYLE_AUTO)
        return o->style == STYLE_DISCS;
    return first->n <= DISCS_FEW || touching_radius(&first->meta) * scale >= SEEN;
}

struct discs *discs_create(const struct disc_options *o, const struct nb_meta *first)
{
    struct discs *d = claimed(calloc(1, sizeof *d), "no memory for the picture");
    d->options = o;
    d->radius = touching_radius(first);
    d->trails = o->trails > 0 ? trails_create(o->trails) : NULL;
    return d;
}

void discs_destroy(struct discs *d)
{
    if (d) {
        trails_destroy(d->trails);
        labels_destroy(d->labels);
        text_close(d->text);
        free(d->drawn);
    }
    free(d);
}

void discs_note(struct discs *d, const struct nb_bodies *b, const uint16_t *step)
{
    if (d->trails && b->n > TRAILS_MOST)
        die("--trails: %llu bodies, and paths are drawn of at most %d (--select takes some of them)",
            (unsigned long long)b->n, TRAILS_MOST);
    if (d->trails)
        trails_note(d->trails, b, step);
    if (d->options->labels && !d->labels)
        d->labels = labels_create(d->options->labels, b);
}

/* A disc's radius goes as the cube root of the mass, as that of balls of one density does, between two bounds: a
 * planet's is a thousandth of its sun's mass, or a millionth. */
static double radius_of(double mass, double largest, int height)
{
    double size = largest > 0 ? cbrt(mass / largest) : 1;
    return fmax(height * (SMALLEST + (LARGEST - SMALLEST) * size), LEAST);
}

static double largest_mass(const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    double largest = 0;
    for (uint64_t i = 0; i < b->n; i++) { /* gcc 12 for Arm ends with an internal error if fmax is here */
        const double m = value_of(mass, i, 0);
        largest = m > largest ? m : largest;
    }
    return largest;
}

/* Farthest first; bodies as far as each other in the frame's order. */
static int by_depth(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    if (x->nearer != y->nearer)
        return x->nearer < y->nearer ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static double depth_of(const struct nb_view *view, const struct nb_column *pos, uint64_t i)
{
    double w = 0;
    for (int d = 0; d < 3; d++)
        w += view->back[d] * (value_of(pos, i, d) - view->centre[d]);
    return w;
}

/* On the picture, before perspective: of bodies that touch their column's radius, or the header's where they have none.
 */
static double size_of(const struct discs *d, const struct nb_column *radius, uint64_t i, double scale)
{
    const double own = radius ? value_of(radius, i, 0) : d->radius;
    return fmax((own > 0 && own < d->radius ? own : d->radius) * scale, LEAST);
}

/* Those in front of the camera, sorted; returns how many. */
static uint64_t find_drawn(struct discs *d, const struct nb_bodies *b, const struct nb_view *view, int height)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *mass = nb_bodies_find(b, "mass"),
                           *radius = nb_bodies_find(b, "radius");
    double largest = largest_mass(b);
    uint64_t count = 0;
    if (d->capacity < b->n) {
        free(d->drawn);
        d->drawn = calloc(b->n, sizeof *d->drawn);
        d->capacity = b->n;
    }
    if (!d->drawn && b->n)
        die("no memory to draw %llu bodies", (unsigned long long)b->n);
    for (uint64_t i = 0; i < b->n; i++) {
        struct drawn *o = &d->drawn[count];
        float near;
        nb_view_project(view, pos, i, 1, &o->x, &o->y, &near);
        o->radius =
            d->radius > 0 ? size_of(d, radius, i, view->scale) : radius_of(value_of(mass, i, 0), largest, height);
        o->radius *= (double)near;
        o->nearer = depth_of(view, pos, i);
        o->i = i;
        count += isfinite(o->x) && isfinite(o->y);
    }
    qsort(d->drawn, count, sizeof *d->drawn, by_depth);
    return count;
}

/* ---- labels ---- */

/* Panes of a film are of one size. */
static void open_text(struct discs *d, int height)
{
    if (d->text && d->text_height == height)
        return;
    text_close(d->text);
    d->text = text_open(height * LABEL);
    d->text_height = height;
    if (!d->text && tool_signal)
        exit(128 + tool_signal);
    if (!d->text)
        die("--labels: %s", nb_error());
}

/* Largest first; of equal ones the first in the frame. */
static int by_size(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    if (x->radius != y->radius)
        return x->radius > y->radius ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

struct box {
    double x0, y0, x1, y1;
};

static bool is_free(const struct box *taken, int count, const struct box *box)
{
    for (int k = 0; k < count; k++)
        if (box->x0 < taken[k].x1 && taken[k].x0 < box->x1 && box->y0 < taken[k].y1 && taken[k].y0 < box->y1)
            return false;
    return true;
}

/* To the right of the discs; of labels that would cover each other that of the larger disc stays. */
static void draw_labels(struct discs *d, const struct nb_bodies *b, uint64_t count, struct picture *p)
{
    static const uint16_t colour[3] = {LABEL_LEVEL, LABEL_LEVEL, LABEL_LEVEL};
    struct box taken[LABELS_MOST];
    char text[LABEL_MAX];
    int placed = 0;
    open_text(d, p->height);
    double half = 0.5 * text_height(d->text);
    qsort(d->drawn, count, sizeof *d->drawn, by_size);
    for (uint64_t k = 0; k < count && placed < LABELS_MOST; k++) {
        const struct drawn *o = &d->drawn[k];
        double x = o->x + o->radius + half;
        labels_text(d->labels, b, o->i, text);
        if (!text[0] || !(x > 0 && x < p->width && o->y > 0 && o->y < p->height))
            continue;
        taken[placed] = (struct box){x, o->y - half, x + text_width(d->text, text), o->y + half};
        if (is_free(taken, placed, &taken[placed])) {
            text_draw(d->text, p, x, o->y + half, TEXT_LEFT, colour, 1, text);
            placed++;
        }
    }
}

void discs_draw(struct discs *d, const struct nb_bodies *b, const struct nb_view *view, const uint16_t *step,
                const float (*ramp)[4], struct picture *p)
{
    uint64_t count = find_drawn(d, b, view, p->height);
    if (d->trails)
        trails_draw(d->trails, view, ramp, fmax(TRAIL * p->height, TRAIL_LEAST), p);
    for (uint64_t k = 0; k < count; k++) {
        const struct drawn *o = &d->drawn[k];
        stroke_disc(p, o->x, o->y, fmin(o->radius, p->height), ramp[step[o->i]]);
    }
    if (d->labels)
        draw_labels(d, b, count, p);
}
