/* contact.c - functions of contact forces for all types of device: parameters, the sums of the inflow and of the
 * forces on walls, and the limit of the step size. Declared in contact.h. */
#include "force/contact/contact.h"

#include "base/error.h"
#include "base/pack.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define STEPS_A_CONTACT 25
/* Minimum number of steps in the time m / (2 c). In this time, the damping c stops a disk of mass m. If the damping is
 * so weak that disks rebound, another condition requires shorter steps: STEPS_A_CONTACT, the minimum number of steps in
 * a contact. */
#define STEPS_A_DECAY 3
#define RADIUS_SHARE  0.1 /* maximum of (distance by which the fastest disk moves in a step) / (smallest radius) */

const char *const nb_contact_radii[] = {"header", "column", NULL};

static const struct nb_parameter grid[] = {
    NB_CONTACT_SEED,
    NB_CONTACT_RADIUS,
    {"skin", "how far beyond touching partners are listed, radii; 0: anew for each force", 2, .least = 0, .most = 10},
    {0}};

const struct nb_force_kind nb_contact_grid_kinds[] = {{"", "", grid, 0}, {0}};

/* ---- counts ---- */

static int report_walls(const struct nb_contact *contact, const struct nb_contact_tally *tally, struct nb_meta *meta)
{
    const struct nb_scene *s = &contact->scene;
    const double share = NB_CONTACT_UNIT * s->stiffness * s->radius / (double)tally->evaluations;
    for (int k = 0; tally->evaluations > 0 && k < 2 * s->wall_count; k += 2) {
        double force[2];
        for (int axis = 0; axis < 2; axis++) {
            const struct nb_contact_units *sum = &tally->walls[k + axis];
            /* Equal sums can have different `high` and `low`, because `low` can exceed 32 bits. Its upper 32 bits are
             * therefore added to `high`: equal sums then give bitwise identical forces. */
            const int64_t high = sum->high + (int64_t)(sum->low >> 32);
            force[axis] = share * ((double)high * 0x1p32 + (double)(sum->low & UINT32_MAX));
        }
        if (nb_scene_put_wall_force(meta, s->walls[k / 2].name, force))
            return -1;
    }
    return 0;
}

int nb_contact_report(const struct nb_contact *contact, struct nb_contact_tally *tally, struct nb_meta *meta)
{
    if (meta && (report_walls(contact, tally, meta) ||
                 nb_contact_put_inflow(&contact->scene, &contact->inlet, &tally->stock, &tally->let, meta)))
        return -1;
    *tally = (struct nb_contact_tally){.stock = tally->stock};
    return 0;
}

static void join_stock(int count, void *const *tally)
{
    struct nb_contact_stock all = {0};
    for (int k = 0; k < count; k++) {
        all.chamber += ((const struct nb_contact_tally *)tally[k])->stock.chamber;
        all.entry += ((const struct nb_contact_tally *)tally[k])->stock.entry;
    }
    for (int k = 0; k < count; k++)
        ((struct nb_contact_tally *)tally[k])->stock = all;
}

/* The number of evaluations in the joined tally is the maximum of the devices' numbers, not their sum: every device
 * that has disks takes part in each evaluation and counts it. */
void nb_contact_join(enum nb_join when, int count, void *const *tally)
{
    struct nb_contact_tally *first = tally[0];
    if (when == NB_JOIN_STEP) {
        join_stock(count, tally);
        return;
    }
    for (int k = 1; k < count; k++) {
        struct nb_contact_tally *other = tally[k];
        for (int q = 0; q < 2 * NB_WALLS_MAX && when == NB_JOIN_REPORT; q++) {
            first->walls[q].high += other->walls[q].high;
            first->walls[q].low += other->walls[q].low;
        }
        memset(other->walls, 0, sizeof other->walls);
        if (first->evaluations < other->evaluations)
            first->evaluations = other->evaluations;
    }
    for (int k = 1; k < count; k++)
        ((struct nb_contact_tally *)tally[k])->evaluations = first->evaluations;
}

int nb_contact_pack(struct nb_pack *k, uint64_t *number, struct nb_contact_tally *tally)
{
    return nb_status(nb_pack_unsigned(k, number, UINT64_MAX - 1) || nb_pack_bytes(k, tally, sizeof *tally));
}

/* ---- the entry ---- */

int nb_contact_make(const struct nb_force_spec *spec, const struct nb_meta *meta, struct nb_contact *contact)
{
    *contact = (struct nb_contact){.seed = (uint64_t)nb_force_value(spec, "seed"),
                                   .first_step = meta->step,
                                   .first_stock.chamber = NB_CONTACT_UNKNOWN,
                                   .own_radii = nb_force_value(spec, "radius") > 0};
    errno = 0;
    int status = nb_scene_read(meta, &contact->scene);
    if (status == 0 && (nb_scene_check(&contact->scene) || nb_contact_inlet_check(&contact->scene))) {
        nb_scene_free(&contact->scene);
        status = -1;
    }
    if (status == 0 && contact->scene.flowing) {
        nb_contact_inlet_make(&contact->scene, &contact->inlet);
        contact->first_stock = nb_contact_stock_before(&contact->scene, &contact->inlet, meta);
    }
    if (status && errno != ENOMEM)
        errno = EDOM;
    return status;
}

void nb_contact_free(struct nb_contact *contact)
{
    nb_scene_free(&contact->scene);
}

int nb_contact_check(const struct nb_contact *contact, const struct nb_sources *s, const struct nb_targets *t)
{
    if (!t->index && t->self < 0)
        return nb_fail("contact forces act between disks only, not at other points");
    if (contact->own_radii && !s->radius)
        return nb_fail("contact forces with radius=column need the radii of all disks");
    if (contact->scene.damping > 0 && !s->v && !(nb_targets_are_all(t, s) && t->v))
        return nb_fail("contact forces with damping need the velocities of all disks");
    return 0;
}

unsigned nb_contact_flags(const void *work)
{
    const struct nb_contact *contact = work;
    const struct nb_scene *s = &contact->scene;
    return (contact->own_radii ? NB_READS_RADIUS : 0) |
           (s->damping > 0 ? NB_NEEDS_VELOCITY | NB_TAKES_KICK | NB_OPEN : 0) | (s->flowing ? NB_OPEN | NB_MOVES : 0) |
           (s->periodic[0] || s->periodic[1] ? NB_MOVES : 0);
}

double nb_contact_longest_step(const struct nb_contact *contact, double least_radius, double least_mass, double fastest)
{
    const struct nb_scene *s = &contact->scene;
    const double contact_time = M_PI * sqrt(least_mass / 2 / s->stiffness);
    const double decay_time = s->damping > 0 ? least_mass / 2 / s->damping : INFINITY;
    return fmin(fmin(contact_time / STEPS_A_CONTACT, decay_time / STEPS_A_DECAY),
                fastest > 0 ? RADIUS_SHARE * least_radius / fastest : INFINITY);
}

int nb_contact_bound_step(const struct nb_contact *contact, const double least[NB_LEAST_MAX], double *h)
{
    const struct nb_scene *scene = &contact->scene;
    const double least_radius = least[NB_CONTACT_LEAST_RADIUS], least_mass = least[NB_CONTACT_LEAST_MASS],
                 fastest = -least[NB_CONTACT_FASTEST];
    const double share = scene->density / least_mass * M_PI * least_radius * least_radius;
    if (!h)
        return 0;
    if (!(least_mass > 0))
        return nb_fail("contact forces: a disk has no mass");
    if (scene->flowing && !(share < 1)) {
        nb_fail("the flow's density of %g is too high: disks of mass %g and radius %g would cover %.3g times the area",
                scene->density, least_mass, least_radius, share);
        errno = EDOM;
        return -1;
    }
    *h = nb_contact_longest_step(contact, least_radius, least_mass, fastest);
    if (*h > 0)
        return 0;
    nb_fail("contact forces: no step size works for a stiffness of %g, a damping of %g and a speed of %g",
            contact->scene.stiffness, contact->scene.damping, fastest);
    errno = EDOM;
    return -1;
}

double nb_contact_wrapped(const struct nb_scene *scene, int axis, double x, bool single)
{
    const double low = scene->low[axis], high = scene->high[axis], length = high - low;
    const double y = x - length * floor((x - low) / length);
    if (!isfinite(x))
        return x;
    const double rounded = single ? (double)(float)y : y;
    return rounded < high && rounded >= low ? rounded : low;
}

/* Returns whether the point is on the solid side of a closed wall. This is the inside of the wall's loop if wall->area
 * is positive, otherwise the outside. The point is inside if a ray from it along x crosses the wall an odd number of
 * times. */
static bool is_in_solid(const struct nb_wall *wall, double x, double y)
{
    bool odd = false;
    for (int k = 0; wall->closed && k + 1 < wall->count; k++) {
        const double *p = wall->xy + 2 * (ptrdiff_t)k;
        if ((p[1] > y) != (p[3] > y) && x < p[0] + (y - p[1]) * (p[2] - p[0]) / (p[3] - p[1]))
            odd = !odd;
    }
    return wall->closed && odd == (wall->area > 0);
}

int nb_contact_fail_deep(const struct nb_scene *scene, uint64_t disk, double x, double y)
{
    const char *name = NULL;
    for (int k = 0; k < scene->wall_count; k++)
        if (is_in_solid(&scene->walls[k], x, y))
            name = scene->walls[k].name;
    nb_fail("the centre of disk %llu at (%g, %g) is inside %s%s, deeper than the disk's radius (move the disk, "
            "or use a shorter --dt or stiffer disks)",
            (unsigned long long)disk, x, y, name ? "wall " : "a wall", name ? name : "");
    errno = EDOM;
    return -1;
}

int nb_contact_fail_crowded(void)
{
    nb_fail("contact forces: too many disks overlap");
    errno = EDOM;
    return -1;
}

const char *nb_contact_refuse(enum nb_precision precision, unsigned want)
{
    (void)precision;
    return want & (NB_WANT_JERK | NB_WANT_SNAP) ? "contact forces jump, and have neither jerk nor snap" : NULL;
}
