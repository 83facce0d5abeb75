/* sample.c - selects the bodies of a frame that nbstat measures, and finds their fields, centre and orientation. */
#include "nbstat.h"

#include "select/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void stat_sample_init(struct stat_sample *s)
{
    *s = (struct stat_sample){0};
    nb_bodies_init(&s->all);
    nb_bodies_init(&s->selected);
    nb_bodies_init(&s->part);
}

void stat_sample_free(struct stat_sample *s)
{
    nb_bodies_free(&s->all);
    nb_bodies_free(&s->selected);
    nb_bodies_free(&s->part);
}

/* Computes the fields of the entire frame, because unselected bodies also act on selected bodies. Then copies the
 * selected bodies (mask[i] != 0) to s->selected, and keeps the fields at these bodies only. */
static int find_and_keep(struct stat_sample *s, struct stat_fields *fields, const struct stat_options *o,
                         unsigned needs, const unsigned char *mask, uint64_t count)
{
    static const double origin[3] = {0};
    if (o->potential != POTENTIAL_NONE && stat_fields_find(fields, o, &s->all, needs))
        return -1;
    if (needs & NEEDS_MOTION && nb_measure_velocity(&s->all, origin, INFINITY, s->velocity))
        return -1;
    if (!mask)
        return 0;
    stat_fields_keep(fields, mask, s->all.n);
    return nb_select_take(&s->all, mask, count, &s->selected);
}

int stat_sample_take(struct stat_sample *s, struct stat_fields *fields, const struct stat_options *o, unsigned needs)
{
    unsigned char *mask = NULL;
    uint64_t count;
    int status = 0;
    fields->found = (struct nb_fields){0};
    if (nb_bodies_check(&s->all))
        return -1;
    count = s->all.n;
    if (tool_options.select && tool_select_mask(&s->all, &mask, &count))
        return -1;
    s->b = count == 0 ? NULL : mask ? &s->selected : &s->all;
    if (s->b)
        status = find_and_keep(s, fields, o, needs, mask, count);
    free(mask);
    return status;
}

int stat_sample_pose(const struct stat_sample *s, const struct stat_options *o, const struct nb_measures *m,
                     struct nb_pose *pose)
{
    double axis[3];
    memcpy(pose->centre, m->centre, sizeof pose->centre);
    memcpy(pose->velocity, m->com_velocity, sizeof pose->velocity);
    if (o->about == NB_ABOUT_DENSITY && nb_measure_velocity(s->b, m->centre, m->half_mass_radius, pose->velocity))
        return -1;
    memcpy(axis, o->axis, sizeof axis);
    if (o->spin)
        nb_measure_spin(m, pose->centre, pose->velocity, axis);
    nb_pose_turn(pose, axis);
    return 0;
}
