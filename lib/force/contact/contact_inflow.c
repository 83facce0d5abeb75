/* contact_inflow.c - the inlet of a flow of disks. Computes the limits of its zones, the masses of the disks in the
 * zones, and the properties of the gas that flows in. Declared in contact_inlet.h. */
#include "force/contact/contact_inlet.h"

#include "base/error.h"

#define CONTACT_CALL static inline
#include "force/contact/contact_flow.h"

#include <math.h>
#include <stddef.h>

double nb_contact_fringe(const struct nb_scene *scene)
{
    return scene->low[0] + NB_CONTACT_FRINGE * (scene->high[0] - scene->low[0]);
}

/* The fringe is the region at the left side of the box in which velocities are prescribed (contact_inlet.h). Its zones
 * chamber, nozzle and outlet begin at these positions, in tenths of the length of the fringe. */
#define CHAMBER 1
#define NOZZLE  6
#define OUTLET  8.5

static double chamber_mass(const struct nb_scene *scene, const struct nb_contact_inlet *inlet)
{
    return scene->density * (inlet->nozzle - inlet->chamber) * (scene->high[1] - scene->low[1]);
}

void nb_contact_inlet_make(const struct nb_scene *scene, struct nb_contact_inlet *inlet)
{
    const double low = scene->low[0], end = nb_contact_fringe(scene), tenth = (end - low) / 10;
    const double margin = scene->periodic[1] ? 0 : scene->radius;
    *inlet = (struct nb_contact_inlet){.chamber = low + CHAMBER * tenth,
                                       .nozzle = low + NOZZLE * tenth,
                                       .outlet = low + OUTLET * tenth,
                                       .end = end,
                                       .low = {low, scene->low[1] + margin},
                                       .high = scene->high[1] - margin,
                                       .speed = scene->speed};
    inlet->units_per_mass = NB_CONTACT_STOCK / chamber_mass(scene, inlet);
}

struct nb_contact_stock nb_contact_stock_before(const struct nb_scene *scene, const struct nb_contact_inlet *in,
                                                const struct nb_meta *meta)
{
    const double entry_area = (in->chamber - in->low[0]) * (scene->high[1] - scene->low[1]);
    double inflow[3];
    if (!nb_scene_inflow(meta, inflow))
        return (struct nb_contact_stock){.chamber = NB_CONTACT_UNKNOWN};
    return (struct nb_contact_stock){contact_stock(in, inflow[1]), contact_stock(in, inflow[2] * entry_area)};
}

/* Returns -1 if a part of a wall is both in the fringe and inside the box. Disks in the chamber (a zone of the fringe)
 * get random positions over the box's height. A wall there could overlap disks or separate them from the flow. */
int nb_contact_inlet_check(const struct nb_scene *s)
{
    const double end = nb_contact_fringe(s), slack = 1e-9 * (s->high[1] - s->low[1]);
    for (int w = 0; s->flowing && w < s->wall_count; w++)
        for (int k = 0; k + 1 < s->walls[w].count; k++) {
            const double *p = s->walls[w].xy + 2 * (ptrdiff_t)k, dx = p[2] - p[0], dy = p[3] - p[1];
            const double from = fmax(fmin(p[0], p[2]), s->low[0]), to = fmin(fmax(p[0], p[2]), end);
            const double y0 = dx != 0 ? p[1] + dy * (from - p[0]) / dx : p[1];
            const double y1 = dx != 0 ? p[1] + dy * (to - p[0]) / dx : p[3];
            if (from <= to && fmax(y0, y1) > s->low[1] + slack && fmin(y0, y1) < s->high[1] - slack)
                return nb_fail("wall %s stands in the flow's inlet, x from %g to %g", s->walls[w].name, s->low[0], end);
        }
    return 0;
}

int nb_contact_put_inflow(const struct nb_scene *scene, const struct nb_contact_inlet *in,
                          const struct nb_contact_stock *stock, const struct nb_contact_let *let, struct nb_meta *meta)
{
    if (!scene->flowing || stock->chamber == NB_CONTACT_UNKNOWN)
        return 0;
    const double density = scene->density, filling = contact_filling(stock), now = fmin(filling, 1);
    const double mean = let->steps > 0 ? let->filling / (double)let->steps : now;
    return nb_scene_put_inflow(
        meta, (const double[]){density * mean, filling * chamber_mass(scene, in), density * contact_coming(in, stock)});
}

double nb_contact_effective(const struct nb_scene *scene, double radius, double mass, double sigma)
{
    return contact_effective(radius, mass, scene->stiffness, sigma);
}

double nb_contact_sigma(const struct nb_scene *scene, double radius, double mass)
{
    return contact_sigma(scene->speed / scene->mach, scene->density, radius, mass, scene->stiffness);
}
