/* Collects the data that overlays show, and draws the overlays over each picture. */
#include "nbrender/nbrender.h"

#include "base/memory.h"
#include "force/force.h"
#include "measure/measure.h"

#include <inttypes.h>

#define MARGINS 40 /* the margin between overlays and the picture's edge is 1/MARGINS of the picture's shorter side */
#define ERRORS  (OVERLAY_MOMENTUM | OVERLAY_ANGULAR)
#define NUMBERS (OVERLAY_BODIES | OVERLAY_STEP | ERRORS)

struct overlay {
    const struct overlay_options *options;
    struct text *text, *small, *large;
    int per_frame;     /* number of pictures drawn for each frame of the input (--interpolate) */
    double pictures_s; /* pictures per second of a film */
    double em, margin;
    double apart; /* smallest time between pictures so far, in time units of the stream; 0: not known */
    bool is_begun;
    struct overlay_moment moment; /* data for the next picture, stored by overlay_catch */
    /* components (disk, halo, ...) of the frames so far: bit i % RAMP_PALETTE is 1 if a body had component i */
    unsigned components;
    struct energies energies;
    struct arrows arrows;
    struct numbers numbers;
    /* work space of overlay_note: potentials of the bodies by self-gravity (phi) and by external fields (external) */
    double *phi, *external;
    uint64_t phi_room, external_room;
};

struct text *text_claim(double size_px, const char *before)
{
    struct text *t = text_open(size_px);
    if (!t && tool_signal)
        exit(128 + tool_signal);
    if (!t)
        die("%s%s", before, nb_error());
    return t;
}

/* Returns whether to draw overlays. If there is no font and the user did not ask for text, warns and returns false. If
 * there is no font but the user asked for text, returns true; overlay_create then exits with an error. */
static bool can_write(const struct overlay_options *o)
{
    struct text *t = text_open(TEXT_LEAST);
    bool asked = o->given || titles_have_text(&o->titles) || o->arrows;
    if (!t && tool_signal)
        exit(128 + tool_signal);
    if (!t && !asked)
        warn("%s: there is no colour bar (--overlay none)", nb_error());
    text_close(t);
    return t || asked;
}

struct overlay *overlay_create(const struct render_options *o)
{
    if (!o->overlay.shown || !can_write(&o->overlay))
        return NULL;
    struct overlay *v = claimed(calloc(1, sizeof *v), "no memory for what is written over the picture");
    v->options = &o->overlay;
    v->per_frame = o->motion.interpolate;
    v->pictures_s = (double)o->output.fps_num / o->output.fps_den;
    v->arrows.columns = o->overlay.arrows;
    v->em = overlay_em(o->width, o->height);
    v->margin = fmin(o->width, o->height) / (double)MARGINS;
    v->text = text_claim(v->em, "");
    v->small = text_claim(0.8 * v->em, "");
    v->large = text_claim(1.3 * v->em, "");
    return v;
}

void overlay_destroy(struct overlay *v)
{
    if (!v)
        return;
    text_close(v->text);
    text_close(v->small);
    text_close(v->large);
    arrows_free(&v->arrows);
    free(v->energies.time);
    free(v->energies.error);
    free(v->numbers.of);
    free(v->phi);
    free(v->external);
    free(v);
}

/* ---- energy ---- */

static void take_column(const struct nb_bodies *b, const char *name, double **values, uint64_t *room)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    if (!c)
        die("--overlay energy: the frame of time %g has no column %s (nbsim --write phi)", b->meta.time, name);
    *values = claimed(remade(*values, room, b->n, sizeof **values), "no memory for %" PRIu64 " energies", b->n);
    nb_column_get_f64(c, 0, b->n, *values);
}

static struct nb_energies energies_of(struct overlay *v, const struct nb_bodies *b)
{
    struct nb_measures m;
    bool fields = nb_force_has_external(&b->meta);
    take_column(b, "phi", &v->phi, &v->phi_room);
    if (fields)
        take_column(b, "phi_external", &v->external, &v->external_room);
    const struct nb_fields known = {.phi = v->phi, .external = fields ? v->external : NULL};
    must(nb_measure(b, &known, NB_ABOUT_NOTHING, &m));
    must(nb_measure_book(&b->meta, &m));
    return m.energies;
}

static void note_components(struct overlay *v, const struct nb_bodies *b)
{
    const struct nb_column *c = nb_bodies_find(b, "component");
    if (!c || c->type != NB_U8)
        return;
    for (uint64_t i = 0; i < b->n; i++)
        v->components |= 1u << (((const uint8_t *)c->data)[i] & (RAMP_PALETTE - 1));
}

void overlay_note(struct overlay *v, const struct nb_bodies *b)
{
    if (v && v->options->shown & OVERLAY_COLORBAR)
        note_components(v, b);
    if (v && v->options->shown & NUMBERS)
        numbers_note(&v->numbers, b, v->options->shown & ERRORS);
    if (!v || !(v->options->shown & OVERLAY_ENERGY))
        return;
    struct energies *e = &v->energies;
    if (e->count > 0 && e->time[e->count - 1] == b->meta.time)
        return;
    const struct nb_energies now = energies_of(v, b);
    e->time = claimed(nb_memory_grow(e->time, e->count, sizeof *e->time), "no memory for the energies");
    e->error = claimed(nb_memory_grow(e->error, e->count, sizeof *e->error), "no memory for the energies");
    if (e->count == 0)
        e->first = now;
    e->time[e->count] = b->meta.time;
    e->error[e->count++] = nb_measure_energy_error(&now, &e->first);
}

/* ---- the data of a picture ---- */

/* Returns the new value of v->apart: about the smallest time between two successive pictures so far, in time units of
 * the stream. The value changes only if the time is more than 10 % smaller than before. For the first picture, returns
 * the expected time: (output interval in the frame's header) / (number of pictures for each frame). */
static double apart(const struct overlay *v, const struct nb_meta *meta)
{
    double step = v->is_begun ? fabs(meta->time - v->moment.time) : fabs(meta->every) / v->per_frame;
    if (v->apart > 0 && !(step > 0 && step < 0.9 * v->apart))
        return v->apart;
    return step;
}

/* Returns the number of stored energy errors up to `time`. Energy errors of later frames may be stored already. */
static size_t energies_until(const struct energies *e, double time)
{
    size_t count = e->count;
    double direction = count > 1 ? e->time[count - 1] - e->time[count - 2] : 0;
    while (count > 1 && (e->time[count - 1] - time) * direction > 0)
        count--;
    return count;
}

void overlay_catch(struct overlay *v, const struct nb_meta *meta, const struct panes *panes, const struct nb_bodies *b)
{
    if (!v)
        return;
    if (v->options->shown & OVERLAY_ARROWS)
        arrows_catch(&v->arrows, panes, b);
    struct overlay_moment *m = &v->moment;
    if (!v->is_begun)
        part_box_set(&m->box, panes->main);
    v->apart = apart(v, meta);
    m->fade = TITLE_FADE_S * v->pictures_s * v->apart;
    v->is_begun = true;
    m->time = meta->time;
    m->units = meta->units;
    /* For a single picture the time between pictures is not known. The value chosen here makes part_time write at least
     * four significant digits of the time. For the time 0, the value is 1. */
    m->apart = v->apart > 0 ? v->apart : meta->time != 0 ? 1e-3 * pow(10, floor(log10(fabs(meta->time)))) : 1;
    m->components = v->components;
    m->energies = energies_until(&v->energies, meta->time);
    m->numbers = v->numbers.count > 0 ? numbers_at(&v->numbers, meta->time) : NULL;
}

static void draw_titles(struct canvas *c, const struct titles *t, const struct overlay_moment *m)
{
    for (int k = 0; k < t->count; k++) {
        const double opacity = title_opacity(&t->one[k], m->time, m->fade);
        if (opacity > 0)
            part_title(c, t->one[k].text, opacity);
    }
}

void overlay_draw(struct overlay *v, const struct panes *panes, const struct legend *legend, struct picture *p)
{
    if (!v)
        return;
    const unsigned shown = v->options->shown;
    struct overlay_moment *m = &v->moment;
    struct canvas c = {
        .picture = p, .text = v->text, .small = v->small, .large = v->large, .em = v->em, .margin = v->margin};
    m->legend = legend;
    for (int k = 0; k < panes->count && shown & OVERLAY_BOX; k++)
        part_box(&c, &m->box, &panes->pane[k]);
    if (shown & OVERLAY_TIME)
        part_time(&c, m);
    if (shown & NUMBERS && m->numbers)
        part_numbers(&c, m->numbers, shown);
    if (shown & OVERLAY_ARROWS)
        part_arrow_reference(&c, &v->arrows, &m->units);
    for (int k = 0; k < panes->count && shown & OVERLAY_SCALE; k++)
        part_scale(&c, m, &panes->pane[k]);
    if (shown & OVERLAY_COLORBAR && legend->colour)
        part_colorbar(&c, m);
    if (shown & OVERLAY_ENERGY)
        part_energy(&c, &v->energies, m->energies);
    if (shown & OVERLAY_TITLE)
        draw_titles(&c, &v->options->titles, m);
    for (int k = 0; k < panes->count && shown & OVERLAY_ARROWS; k++)
        part_arrows(&c, &v->arrows, panes, k);
}
