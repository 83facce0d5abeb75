/* The painter of light: finds exposure and tone, draws bodies with motion blur, and draws light over maps. */
#include "nbrender/light/dust.h"
#include "nbrender/nbrender.h"

/* The colour of a colliding disk shows the mean value of its neighbours, to reduce noise. The number of these
 * neighbours is BLEND times the number that defines the smoothing length. */
#define BLEND 10
/* if there are several panes and at most STORED bodies, the light and the colour of each body are computed once and
 * stored in arrays */
#define STORED ((uint64_t)1 << 24)
/* number of neighbours that defines the smoothing length of the points of a trail; small, so that trails are narrow */
#define LINE 0.5

struct light {
    struct stage *stage;
    struct light_options options; /* options with defaults filled in (light_for) */
    struct trails *trails;        /* NULL: none */
    struct exposure exposure;
    struct flight flight;
    struct dust *dust;                   /* NULL: none */
    struct nb_light_histogram histogram; /* work space */
    struct nb_tone tone;
    struct picture over; /* light of one pane before it is laid over a map; allocated at first use */
};

static void *prepare(struct stage *stage)
{
    struct light *l = claimed(calloc(1, sizeof *l), "no memory for the picture");
    l->stage = stage;
    l->trails = stage->options->discs.trails > 0 ? trails_create(&stage->options->discs, true) : NULL;
    return l;
}

static void finish(void *state)
{
    struct light *l = state;
    trails_destroy(l->trails);
    if (l->over.width > 0)
        picture_free(&l->over);
    flight_free(&l->flight);
    dust_destroy(l->dust);
    free(l);
}

static bool takes_part(const struct render_options *o, const struct nb_bodies *first, double scale)
{
    return stage_has_bodies(o) && !(first && discs_are_drawn(o, first, scale));
}

static double blend(const struct render_options *o, const struct nb_bodies *first)
{
    return BLEND * light_for(&o->light, first, false).smooth;
}

static void measure(struct light *l, const struct panes *panes)
{
    memset(&l->histogram, 0, sizeof l->histogram);
    panes_measure(panes, &l->histogram);
}

/* Returns whether light and colours are computed while bodies are drawn. Otherwise they are stored in arrays before the
 * drawing. Arrays are needed if there is dust, which changes the light and the colour of each body. They are faster if
 * there are several panes and at most STORED bodies. */
static bool shades_in_pieces(const struct panes *p, const struct dust *dust, const struct nb_bodies *b)
{
    return !dust && panes_take_fill(p) && (p->count == 1 || b->n > STORED);
}

/* Draws the bodies into all panes, dimmed by dust if there is any. */
static void put_bodies(struct panes *p, struct dust *dust, struct shade *shade, const struct nb_bodies *b,
                       struct nb_light_bodies *light)
{
    if (shades_in_pieces(p, dust, b)) {
        shade_lend(shade, b, light);
        panes_put(p, light, true);
        shade_warn(shade);
        return;
    }
    shade_fill(shade, b, light);
    if (!dust) {
        panes_put(p, light, true);
        return;
    }
    dust_take(dust, b);
    for (int k = 0; k < p->count; k++) {
        struct nb_light_bodies seen = *light;
        dust_dim(dust, k, &p->pane[k].view, &seen);
        pane_put(p, k, &seen, true);
    }
}

/* ---- before the first frame ---- */

struct notes {
    struct light *light; /* the painter of light; the survey finds its exposure */
    double enlarged;     /* height of the film's pictures, divided by the height of the survey's pictures */
    double exposure;     /* exposure that light_for returned */
    struct dust *dust;   /* dust in the survey's panes; NULL: none */
    bool is_begun, has_discs, moves;
};

static void survey_one(void *context, struct stage *small, const struct moment *now)
{
    struct notes *n = context;
    struct nb_light_bodies light = {.share = 1};
    if (!n->is_begun) {
        n->has_discs = discs_are_drawn(small->options, now->bodies, n->enlarged * small->panes.main->view.scale);
        shade_blend(small->shade, n->has_discs ? 0 : blend(small->options, now->bodies));
        panes_restyle(&small->panes, small->options, now->bodies);
        n->exposure = light_for(&small->options->light, now->bodies, false).exposure;
        if (!n->has_discs)
            n->dust = dust_create(small->options, small->device, &small->panes, now->bodies);
    }
    n->is_begun = true;
    shade_survey(small->shade, now->bodies);
    if (n->has_discs)
        return;
    aim_at(small->aim, &small->panes, now);
    panes_clear(&small->panes);
    put_bodies(&small->panes, n->dust, small->shade, now->bodies, &light);
    panes_finish(&small->panes);
    measure(n->light, &small->panes);
    exposure_note(&n->light->exposure, &n->light->histogram);
    if (n->moves)
        flight_note(&n->light->flight, now->frame, &n->light->histogram);
}

/* Finds the range of colours and the exposure before the first picture, from sampled frames of a file. With --exposure
 * adapt, or if frames cannot be sampled, sets s->share instead: range and exposure then adapt to each new picture. Does
 * nothing if frames cannot be sampled and the user gave --exposure fixed. */
static void survey(void *state, bool is_single)
{
    struct light *l = state;
    struct stage *s = l->stage;
    const struct render_options *o = s->options;
    const enum exposure_mode mode = o->light.exposure_mode;
    const int height = o->height < SURVEY_HEIGHT ? o->height : SURVEY_HEIGHT;
    struct notes notes = {
        .light = l, .enlarged = (double)o->height / height, .moves = mode == EXPOSURE_AUTO && aim_moves(s->aim)};
    if (mode != EXPOSURE_ADAPT &&
        survey_walk(s, height, notes.moves ? SURVEY_MOVING : SURVEY_FRAMES, survey_one, &notes) > 0) {
        s->is_surveyed = true;
        nb_tone_set(&l->tone, &l->exposure.range, notes.exposure);
        flight_settle(&l->flight, &l->tone);
    } else if (mode != EXPOSURE_FIXED)
        s->share = is_single ? 1 : exposure_share(render_rate(o));
    dust_destroy(notes.dust);
}

/* ---- drawing ---- */

static void set_tone(struct light *l, double frame)
{
    struct stage *s = l->stage;
    const struct pane *pane = s->panes.main;
    const double height = pane->place.height;
    const struct shade_picture picture = {l->options.smooth, height, height / pane->view.scale};
    nb_tone_set(&l->tone, &l->exposure.range, l->options.exposure * flight_factor(&l->flight, frame));
    shade_set_density(s->shade, &l->exposure.h, &picture);
}

static void begin(void *state, const struct nb_bodies *first)
{
    struct light *l = state;
    const struct disc_options *o = &l->stage->options->discs;
    if (o->labels || o->point_size > 0)
        die("--%s: %s drawn as light, without %s (--style discs draws %s)", o->labels ? "labels" : "point-size",
            tool_many(first->n, "body is", "bodies are"), o->labels ? "them" : "it", o->labels ? "them" : "it");
    l->options = light_for(&l->stage->options->light, first, false);
    l->dust = dust_create(l->stage->options, l->stage->device, &l->stage->panes, first);
    set_tone(l, 0);
}

/* Returns the number of moments that are averaged in one picture (motion blur). It is the maximum over the panes,
 * because panes with faster motion need more moments. */
static int count_moments(struct stage *s, struct motion *m)
{
    struct nb_view closes[LAYOUT_PANES_MAX];
    int most = 1;
    if (motion_open(m) == 0)
        return 1;
    struct moment now = motion_at(m, 1);
    aim_at(s->aim, &s->panes, &now);
    for (int k = 0; k < s->panes.count; k++)
        closes[k] = s->panes.pane[k].view;
    now = motion_at(m, 0);
    aim_at(s->aim, &s->panes, &now);
    for (int k = 0; k < s->panes.count; k++) {
        int moments = shutter_moments(&s->panes.pane[k].view, &closes[k], now.bodies, motion_open(m));
        most = moments > most ? moments : most;
    }
    return most;
}

/* Stores the positions of the bodies for the trails of this and later pictures. */
static void note(void *state, const struct moment *now)
{
    struct light *l = state;
    struct stage *s = l->stage;
    if (!l->trails)
        return;
    shade_fill(s->shade, now->bodies, &s->light);
    trails_note(l->trails, now->bodies, &s->light);
}

/* Draws the trails in the view of moment `now`. The exposure of a picture is the user's factor (--exposure) times
 * factors that are chosen for the bodies, such as STAR_EXPOSURE for single stars. These chosen factors would make
 * trails too bright. Therefore the light of trails is divided by them. */
static void put_trails(struct light *l, const struct moment *now)
{
    struct stage *s = l->stage;
    const double own = l->options.exposure / s->options->light.exposure * flight_factor(&l->flight, now->frame);
    aim_at(s->aim, &s->panes, now);
    panes_set_style(&s->panes, l->options.smooth > 0 ? LINE : 0, 0);
    trails_shine(l->trails, l->exposure.range.white / own, &s->panes, &s->light);
    panes_set_style(&s->panes, l->options.smooth, s->panes.style.stars);
}

/* Draws the average of several frames, all in the view of the last frame. */
static void put_frames(struct light *l, struct motion *m)
{
    struct stage *s = l->stage;
    const struct moment now = motion_at(m, 0);
    const int frames = motion_frames(m);
    l->options.smooth = panes_average(&s->panes, frames);
    shade_blend(s->shade, BLEND * l->options.smooth);
    aim_at(s->aim, &s->panes, &now);
    panes_clear(&s->panes);
    if (l->trails)
        put_trails(l, &now);
    for (int k = 0; k < frames; k++) {
        s->light.share = 1.0 / frames;
        put_bodies(&s->panes, l->dust, s->shade, motion_frame(m, k), &s->light);
    }
    panes_finish(&s->panes);
}

static void put(struct light *l, struct motion *m)
{
    struct stage *s = l->stage;
    if (s->options->motion.average > 0) {
        put_frames(l, m);
        return;
    }
    const int moments = count_moments(s, m);
    panes_clear(&s->panes);
    if (l->trails) {
        const struct moment middle = motion_at(m, moments > 1 ? 0.5 : 0);
        put_trails(l, &middle);
    }
    for (int k = 0; k < moments; k++) {
        const struct moment now = motion_at(m, moments > 1 ? (k + 0.5) / moments : 0);
        aim_at(s->aim, &s->panes, &now);
        s->light.share = 1.0 / moments;
        put_bodies(&s->panes, l->dust, s->shade, now.bodies, &s->light);
    }
    panes_finish(&s->panes);
}

static void draw(void *state, const struct moment *now, struct motion *m)
{
    struct light *l = state;
    struct stage *s = l->stage;
    const bool is_first = l->exposure.frames == 0;
    note(l, now);
    put(l, m);
    if (is_first || s->share > 0) {
        measure(l, &s->panes);
        exposure_adapt(&l->exposure, &l->histogram, s->share);
        set_tone(l, now->frame);
    } else if (l->flight.factor.count) {
        set_tone(l, now->frame);
    }
    if (is_first && shade_is_density(s->shade))
        /* Colours that show densities are chosen from the light of the first picture, so they are known only after it
         * was drawn (set_tone). The first picture is drawn again with these colours. */
        put(l, m);
}

/* Draws the light in white over `picture`. The opacity in each pixel is the brightness of the light times `opacity`. */
static void lay(double opacity, const struct picture *light, struct picture *picture)
{
    const float factor = (float)opacity / PICTURE_FULL;
    const size_t pixels = (size_t)picture->width * (size_t)picture->height;
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < pixels; k++) {
        uint16_t most = 0;
        for (int d = 0; d < 3; d++)
            most = light->plane[d][k] > most ? light->plane[d][k] : most;
        for (int d = 0; d < 3; d++) {
            const float level = picture->plane[d][k];
            picture->plane[d][k] = (uint16_t)(level + factor * most * (PICTURE_FULL - level) + 0.5f);
        }
    }
}

static void paint(void *state, const struct pane *pane, struct picture *picture, bool over)
{
    struct light *l = state;
    if (over && l->over.width == 0)
        picture_init(&l->over, pane->place.width, pane->place.height, false);
    must(nb_light_tone(pane->light, &l->tone, over ? l->over.plane : picture->plane));
    if (over)
        lay(l->stage->options->map.bodies, &l->over, picture);
}

/* For pictures whose levels are linear in light: returns the light of a pixel that has the level 1 (white). The value
 * is chosen so that faint light gets the same level as with the tone curve. Bright light gets levels above 1. Returns 0
 * if there is no light. */
static double white_of(const struct nb_tone *tone, int height)
{
    const double share = (double)tone->factor / M_LN2 * tone->inverse_soft * height * height;
    return share > 0 ? 1 / share : 0;
}

static void fetch(void *state, struct picture *picture)
{
    const struct light *l = state;
    const struct panes *panes = &l->stage->panes;
    picture->info.white = white_of(&l->tone, panes->main->place.height);
    panes_fetch(panes, picture);
    panes_note_axes(panes, &picture->info);
    snprintf(picture->info.quantity, sizeof picture->info.quantity, "light");
}

const struct painter light_painter = {.takes_part = takes_part,
                                      .prepare = prepare,
                                      .blend = blend,
                                      .survey = survey,
                                      .begin = begin,
                                      .pass = note,
                                      .draw = draw,
                                      .paint = paint,
                                      .fetch = fetch,
                                      .finish = finish};
