/* The painter of discs: draws bodies as discs, with trails and labels. */
#include "nbrender/nbrender.h"

#include "scene/scene.h"

#include <inttypes.h>

#define LARGEST     (1.0 / 54)  /* disc radius of the most massive body, as a fraction of the picture height */
#define SMALLEST    (1.0 / 240) /* disc radius of a body with mass 0, as a fraction of the picture height */
#define LABEL       (1.0 / 54)  /* size of a label's text, as a fraction of the picture height */
#define LABELS_MOST 1000        /* maximum number of labels of a picture */
#define LABEL_LEVEL (PICTURE_FULL / 4 * 3)
#define LEAST       1.5  /* minimum radius of a disc, pixels */
#define POINT_LEAST 0.25 /* minimum radius of a disc, pixels, if --point-size is given */
/* by default, colliding bodies are drawn as discs if their radius is at least this number of pixels */
#define SEEN        2.5
#define TRAIL       (1.0 / 900) /* half the width of a trail, as a fraction of the picture height */
#define TRAIL_LEAST 0.5         /* minimum value of half the width of a trail, pixels */

struct discs {
    struct stage *stage;
    const struct disc_options *options;
    const struct nb_bodies *bodies; /* bodies of the last frame passed to `note` */
    /* largest radius of the colliding disks in length units, from the header. 0: the bodies are not colliding disks,
     * and the radius of a drawn disc depends on the body's mass */
    double radius;
    struct trails *trails;
    struct labels *labels; /* created at the first frame */
    struct text *text;     /* font for labels; its size fits pictures of the height text_height */
    int text_height;
    struct drawn *drawn; /* work space */
    uint64_t capacity;
};

struct drawn { /* a body in the picture; x, y and radius in pixels */
    double x, y, radius;
    double key; /* for sorting in ascending order: depth for drawing discs, -radius for drawing labels */
    uint64_t i;
};

double touching_radius(const struct nb_meta *meta)
{
    struct nb_scene scene;
    must(nb_scene_read(meta, &scene));
    const double radius = scene.touching ? scene.radius : 0;
    nb_scene_free(&scene);
    return radius;
}

/* Returns true if bodies are drawn as discs, false if they are drawn as light. `scale` is in pixels per length unit.
 * With --style auto, more than DISCS_FEW colliding disks are drawn as light if --color is density, because discs cannot
 * show the density. */
bool discs_are_drawn(const struct render_options *o, const struct nb_bodies *first, double scale)
{
    if (layout_is_round(o->view.layout))
        return false;
    if (o->output.linear || o->discs.style != STYLE_AUTO)
        return !o->output.linear && o->discs.style == STYLE_DISCS;
    if (first->n <= DISCS_FEW)
        return true;
    return strcmp(o->colour.color, "density") != 0 && touching_radius(&first->meta) * scale >= SEEN;
}

static bool takes_part(const struct render_options *o, const struct nb_bodies *first, double scale)
{
    return stage_has_bodies(o) && (!first || discs_are_drawn(o, first, scale));
}

static void *prepare(struct stage *stage)
{
    struct discs *d = claimed(calloc(1, sizeof *d), "no memory for the picture");
    d->stage = stage;
    d->options = &stage->options->discs;
    d->trails = d->options->trails > 0 ? trails_create(d->options, false) : NULL;
    return d;
}

static void finish(void *state)
{
    struct discs *d = state;
    trails_destroy(d->trails);
    labels_destroy(d->labels);
    text_close(d->text);
    free(d->drawn);
    free(d);
}

static void warn_of_light(const struct render_options *o, uint64_t n)
{
    const char *idle = o->light.smooth != render_defaults.light.smooth     ? "smooth"
                       : o->light.stars != render_defaults.light.stars     ? "stars"
                       : o->light.bloom != render_defaults.light.bloom     ? "bloom"
                       : o->light.dust > 0                                 ? "dust"
                       : o->light.exposure != 1                            ? "exposure"
                       : o->colour.weight != render_defaults.colour.weight ? "weight"
                                                                           : NULL;
    if (idle)
        warn("--%s: %s drawn as discs, where it has no effect (--style light)", idle,
             tool_many(n, "body is", "bodies are"));
}

static void begin(void *state, const struct nb_bodies *first)
{
    struct discs *d = state;
    if (shade_is_density(d->stage->shade))
        die("--color density: %s discs, not light (--style light)", tool_many(first->n, "body is", "bodies are"));
    if (d->stage->options->motion.average > 0)
        die("--average: %s discs, but only light can be averaged (--style light)",
            tool_many(first->n, "body is", "bodies are"));
    warn_of_light(d->stage->options, first->n);
    d->radius = touching_radius(&first->meta);
    if (d->radius > 0 && d->options->point_size > 0)
        warn("--point-size: colliding disks are drawn with their own radii");
}

/* Computes the colours of the bodies of a frame. Stores pointers to the bodies for paint(), and their positions for the
 * trails. */
static void note(void *state, const struct moment *now)
{
    struct discs *d = state;
    const struct nb_bodies *b = now->bodies;
    shade_fill(d->stage->shade, b, &d->stage->light);
    if (d->trails)
        trails_note(d->trails, b, &d->stage->light);
    if (d->options->labels && !d->labels)
        d->labels = labels_create(d->options->labels, b);
    d->bodies = b;
}

/* Prepares the picture of one moment, which paint() draws. Discs have no motion blur, so `m` is not used. */
static void draw(void *state, const struct moment *now, struct motion *m)
{
    (void)m;
    struct discs *d = state;
    aim_at(d->stage->aim, &d->stage->panes, now);
    note(d, now);
}

/* Returns the radius of a disc in pixels. It increases linearly with the cube root of the mass, as the radius of a
 * sphere of constant density does. The radius for mass 0 is not 0, so that planets are visible: their mass is a
 * thousandth to a millionth of the mass of their star. */
static double radius_of(const struct disc_options *o, double mass, double largest, int height)
{
    const double size = largest > 0 ? cbrt(mass / largest) : 1;
    const double share = SMALLEST / LARGEST + (1 - SMALLEST / LARGEST) * size;
    return o->point_size > 0 ? fmax(0.5 * o->point_size * share, POINT_LEAST) : fmax(height * LARGEST * share, LEAST);
}

static double largest_mass(const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    double largest = 0;
    for (uint64_t i = 0; i < b->n; i++) { /* gcc 12 for Arm has an internal compiler error if this uses fmax */
        const double m = value_of(mass, i, 0);
        largest = m > largest ? m : largest;
    }
    return largest;
}

static int by_key(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

/* Returns the radius in pixels of colliding disk i, but at least LEAST. The disk is assumed to be as far from the
 * camera as the view's centre, where `scale` is the number of pixels per length unit. `radius` is the column with the
 * radii in length units. If `radius` is NULL, all disks have the radius d->radius. */
static double size_of(const struct discs *d, const struct nb_column *radius, uint64_t i, double scale)
{
    const double own = radius ? value_of(radius, i, 0) : d->radius;
    return fmax((own > 0 && own < d->radius ? own : d->radius) * scale, LEAST);
}

/* Fills in d->drawn with the bodies that are in front of the camera and inside the slice (the range of depths to be
 * drawn), farthest first. Returns the number of these bodies. */
static uint64_t find_drawn(struct discs *d, const struct nb_bodies *b, const struct nb_view *view, int height)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *mass = nb_bodies_find(b, "mass"),
                           *radius = nb_bodies_find(b, "radius");
    double largest = largest_mass(b);
    uint64_t count = 0;
    d->drawn =
        claimed(remade(d->drawn, &d->capacity, b->n, sizeof *d->drawn), "no memory to draw %" PRIu64 " bodies", b->n);
    for (uint64_t i = 0; i < b->n; i++) {
        struct drawn *o = &d->drawn[count];
        float near;
        nb_view_project(view, pos, i, 1, &o->x, &o->y, &near);
        o->radius = d->radius > 0 ? size_of(d, radius, i, view->scale)
                                  : radius_of(d->options, value_of(mass, i, 0), largest, height);
        o->radius *= (double)near;
        o->key = view_depth(view, pos, i);
        o->i = i;
        count += isfinite(o->x) && isfinite(o->y) && slice_holds(&d->stage->panes.slice, o->key);
    }
    qsort(d->drawn, count, sizeof *d->drawn, by_key);
    return count;
}

/* ---- labels ---- */

/* Opens the font for this picture height, unless it is open already. All panes of a film have the same height. */
static void open_text(struct discs *d, int height)
{
    if (d->text && d->text_height == height)
        return;
    text_close(d->text);
    d->text = text_claim(height * LABEL, "--labels: ");
    d->text_height = height;
}

static bool is_free(const struct canvas_box *taken, int count, const struct canvas_box *box)
{
    for (int k = 0; k < count; k++)
        if (canvas_overlap(&taken[k], box, 0))
            return false;
    return true;
}

/* Draws labels to the right of the discs. If two labels would overlap, only the label of the larger disc is drawn. */
static void draw_labels(struct discs *d, const struct nb_bodies *b, uint64_t count, struct picture *p)
{
    static const uint16_t colour[3] = {LABEL_LEVEL, LABEL_LEVEL, LABEL_LEVEL};
    struct canvas_box taken[LABELS_MOST];
    char text[LABEL_MAX];
    int placed = 0;
    open_text(d, p->height);
    double half = 0.5 * d->text->height;
    for (uint64_t k = 0; k < count; k++) /* largest first */
        d->drawn[k].key = -d->drawn[k].radius;
    qsort(d->drawn, count, sizeof *d->drawn, by_key);
    for (uint64_t k = 0; k < count && placed < LABELS_MOST; k++) {
        const struct drawn *o = &d->drawn[k];
        double x = o->x + o->radius + half;
        labels_text(d->labels, b, o->i, text);
        if (!text[0] || !(x > 0 && x < p->width && o->y > 0 && o->y < p->height))
            continue;
        taken[placed] = (struct canvas_box){x, o->y - half, x + text_width(d->text, text), o->y + half};
        if (is_free(taken, placed, &taken[placed])) {
            text_draw(d->text, p, x, o->y + half, TEXT_LEFT, colour, 1, text);
            placed++;
        }
    }
}

static void paint(void *state, const struct pane *pane, struct picture *p, bool over)
{
    struct discs *d = state;
    const struct stage *s = d->stage;
    const float(*const ramp)[4] = s->shade->ramp.shown;
    const uint64_t count = find_drawn(d, d->bodies, &pane->view, p->height);
    if (!over)
        picture_blacken(p);
    if (d->trails)
        trails_draw(d->trails, &pane->view, ramp, fmax(TRAIL * p->height, TRAIL_LEAST), p);
    for (uint64_t k = 0; k < count; k++) {
        const struct drawn *o = &d->drawn[k];
        stroke_disc(p, o->x, o->y, fmin(o->radius, p->height), ramp[s->light.step[o->i]]);
    }
    if (d->labels)
        draw_labels(d, d->bodies, count, p);
}

const struct painter discs_painter = {.takes_part = takes_part,
                                      .prepare = prepare,
                                      .begin = begin,
                                      .pass = note,
                                      .at_once = true,
                                      .draw = draw,
                                      .paint = paint,
                                      .finish = finish};
