/* The sequence of pictures: reads frames from the source and computes moments between them. */

#include "nbrender/nbrender.h"

struct motion {
    struct motion_options options;
    struct source *source;
    /* true: frames are read in pairs, because pictures show moments between two frames; false: each picture shows one
     * frame */
    bool pairwise;
    struct nb_bodies frame[2];
    int64_t number[2]; /* numbers of the two frames in the input; -1: none */
    bool begun;        /* true: a frame that is to be shown (source_wants) was read */
    bool ended;
    /* The picture shows the time t + dt * step / options.interpolate, where t is the time of the first frame. `step` is
     * 0 to options.interpolate - 1. Only in the last picture of the film it is options.interpolate. */
    int step;
    int64_t picture; /* number of earlier pictures */
    /* true: bodies are interpolated between the two frames; false: bodies do not move (see join) */
    bool joined;
    double dt; /* time from the first frame to the second */
    /* direction of time in the input: the sign of dt, 1 or -1. A single time step with the opposite sign does not
     * change it (join). 0: not known yet */
    double forwards;
    /* result of motion_meta: a shallow copy of a frame's header, with the time of the picture */
    struct nb_meta meta;
    struct match match;
    struct between between;
    struct average average;
};

struct motion *motion_create(const struct motion_options *o, struct source *source)
{
    struct motion *m = claimed(calloc(1, sizeof *m), "no memory");
    m->options = *o;
    m->source = source;
    m->average.span = o->average;
    m->number[0] = m->number[1] = -1;
    m->pairwise = (source->wanted == TOOL_FRAME_ALL || source->wanted == TOOL_FRAME_LIST) &&
                  (o->interpolate > 1 || o->shutter > 0);
    for (int k = 0; k < 2; k++)
        nb_bodies_init(&m->frame[k]);
    return m;
}

void motion_destroy(struct motion *m)
{
    for (int k = 0; k < 2; k++)
        nb_bodies_free(&m->frame[k]);
    match_free(&m->match);
    between_free(&m->between);
    average_free(&m->average);
    free(m);
}

/* ---- pairs of frames ---- */

/* Reads the next frame. When a frame to be shown (source_wants) was read before, skips frames that are not to be shown.
 * Earlier frames are not skipped, because they set up the scene and the trails. */
static bool read_on(struct motion *m)
{
    do
        if (!source_next(m->source))
            return false;
    while (m->begun && !source_wants(m->source));
    m->begun |= source_wants(m->source);
    return true;
}

static void take(struct motion *m, int k)
{
    orbits_note(&m->between.orbits, k, source_whole(m->source));
    source_take(m->source, &m->frame[k]);
    m->number[k] = m->source->frame;
}

/* Sets m->joined: true if bodies move from the first frame to the second, false if the second frame begins another
 * stream (streams may be concatenated). Another stream is assumed if the time step m->dt is 0 or does not have the sign
 * m->forwards, the direction of time. At first, m->forwards is the sign of the first time step. After two successive
 * time steps with the opposite sign, m->forwards changes its sign. */
static void join(struct motion *m)
{
    double before = m->dt;
    m->dt = m->frame[1].meta.time - m->frame[0].meta.time;
    if (m->forwards == 0 || before * m->dt > 0)
        m->forwards = (m->dt > 0) - (m->dt < 0);
    m->joined = isfinite(m->dt) && m->dt * m->forwards > 0 && m->frame[0].n > 0 && m->frame[1].n > 0;
    if (!m->joined)
        return;
    must(match_fill(&m->match, &m->frame[0], &m->frame[1]));
    must(period_read(&m->between.period, &m->frame[1].meta));
    must(orbits_fill(&m->between.orbits, m->frame, &m->match, m->dt));
}

/* Advances to the next pair of frames: the second frame becomes the first, and the next frame is read. The memory of
 * the old first frame is reused. */
static bool advance(struct motion *m)
{
    if (!read_on(m))
        return false;
    nb_bodies_swap(&m->frame[0], &m->frame[1]);
    orbits_shift(&m->between.orbits);
    m->number[0] = m->number[1];
    take(m, 1);
    m->step = 0;
    join(m);
    return true;
}

static bool begin(struct motion *m)
{
    if (!read_on(m))
        return false;
    take(m, 0);
    if (m->begun && read_on(m)) {
        take(m, 1);
        join(m);
    }
    return true;
}

static bool next_of_pairs(struct motion *m)
{
    if (m->ended || source_stopped(m->source))
        return false;
    if (!m->begun)
        return begin(m);
    m->picture++;
    if (m->number[1] >= 0 && (++m->step < m->options.interpolate || advance(m)))
        return true;
    m->ended = true;
    return m->number[1] >= 0 && !source_stopped(m->source);
}

bool motion_next(struct motion *m)
{
    if (m->pairwise)
        return next_of_pairs(m);
    if (!source_next(m->source))
        return false;
    if (m->options.average > 0)
        average_note(&m->average, &m->source->bodies);
    return true;
}

int motion_frames(const struct motion *m)
{
    return m->average.count > 0 ? m->average.count : 1;
}

const struct nb_bodies *motion_frame(const struct motion *m, int k)
{
    return m->average.count > 0 ? &m->average.frame[k] : &m->source->bodies;
}

bool motion_wants(const struct motion *m)
{
    return m->pairwise ? m->begun : source_wants(m->source);
}

bool motion_passes(const struct motion *m)
{
    return m->source->wanted != NB_FRAME_LAST && !motion_wants(m);
}

int64_t motion_number(const struct motion *m)
{
    if (!m->pairwise)
        return m->source->frame;
    return m->options.interpolate > 1 ? m->picture : m->number[m->step > 0];
}

const struct nb_meta *motion_meta(struct motion *m)
{
    if (!m->pairwise)
        return &m->source->bodies.meta;
    double s = (double)m->step / m->options.interpolate, time = m->frame[0].meta.time;
    m->meta = m->frame[m->number[1] >= 0 && s >= 0.5].meta;
    m->meta.time = m->joined && s < 1 ? time + s * m->dt : m->meta.time;
    return &m->meta;
}

/* ---- moments ---- */

static struct moment at_frame(const struct motion *m, int k)
{
    return (struct moment){&m->frame[k], (double)m->number[k], &m->frame[k]};
}

struct moment motion_at(struct motion *m, double share)
{
    if (!m->pairwise)
        return (struct moment){&m->source->bodies, (double)m->source->frame, source_whole(m->source)};
    if (!m->joined)
        return at_frame(m, m->number[1] >= 0 && 2 * m->step >= m->options.interpolate);
    const double s = (m->step + m->options.shutter * share) / m->options.interpolate;
    if (s == 0 || s == 1)
        return at_frame(m, s == 1);
    must(between_fill(&m->between, m->frame, &m->match, m->dt, s));
    return (struct moment){&m->between.bodies, (double)m->number[0] + s * (double)(m->number[1] - m->number[0]),
                           &m->between.bodies};
}

double motion_open(const struct motion *m)
{
    return m->joined ? m->options.shutter * m->dt / m->options.interpolate : 0;
}
