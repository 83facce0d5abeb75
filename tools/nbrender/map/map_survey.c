/* The range of a whole film's map, from small maps of frames that are spread over it. Declared in map.h. */
#include "nbrender/nbrender.h"

/* Fields cost the more the more bodies and pixels there are; they are smooth, and change slowly. */
#define FIELD_FRAMES 5
#define FIELD_HEIGHT 54
#define BODY_HEIGHT  270

struct survey {
    struct render_options small;
    struct panes panes;
    struct aim *aim;
    struct map *map;         /* of the small pictures */
    struct map_range *range; /* the film's */
    bool is_aimed;
};

static void note_map(void *context, const struct nb_bodies *b, const struct nb_bodies *all, int64_t frame)
{
    struct survey *s = context;
    const struct moment moment = {.bodies = b, .frame = (double)frame, .all = all};
    if (!s->is_aimed)
        aim_first(s->aim, &s->panes, b);
    s->is_aimed = true;
    aim_at(s->aim, &s->panes, &moment);
    map_compute(s->map, &s->panes, b, all);
    map_range_note(s->range, s->map, &s->panes);
}

void map_survey(struct map *m, const struct render_options *o)
{
    const bool field = map_is_field(&o->map);
    struct survey s = {.range = &m->range};
    if (m->linear)
        return;
    survey_small(&s.small, o, field ? FIELD_HEIGHT : BODY_HEIGHT);
    panes_open(&s.panes, &s.small, m->device);
    s.aim = aim_create(&s.small);
    s.map = map_create(&s.small, &s.panes, m->device);
    survey_walk(o, field ? FIELD_FRAMES : SURVEY_FRAMES, note_map, &s);
    m->bodies.warned = s.map->bodies.warned;
    map_destroy(s.map);
    aim_destroy(s.aim);
    panes_close(&s.panes);
}
