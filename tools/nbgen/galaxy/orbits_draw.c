/* Stars from the tables of their orbits. */
#include "nbgen/galaxy/orbits_across.h"
#include "nbgen/nbgen.h"

#include <math.h>

/* The guiding radius that the share u of stars is within, in rows. */
static double find_row(const struct orbits *o, double u, double *x)
{
    int low = 0, high = ORBITS_ROWS;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(o->below[middle] <= u ? &low : &high) = middle;
    }
    double t = (u - o->below[low]) / (o->below[low + 1] - o->below[low]);
    *x = o->edge[low] + t * (o->edge[low + 1] - o->edge[low]);
    return low + t - 0.5;
}

static double mixed(double a, double b, double t)
{
    return a + t * (b - a);
}

void orbits_draw(const struct orbits *o, const struct nb_rng *rng, uint64_t quiet, uint64_t i, double pos[3],
                 double vel[3])
{
    double u[4], g[4], x;
    uint64_t drawn = quiet ? i / GEN_FOLD : i, turn = quiet ? i % GEN_FOLD : 0;
    nb_rng_uniforms(rng, drawn, 0, u);
    nb_rng_normals(rng, drawn, 1, g);
    u[0] = quiet ? ((double)drawn + 0.5) / (double)((quiet + GEN_FOLD - 1) / GEN_FOLD) : u[0];
    double at = find_row(o, u[0], &x), deviation = (fmin(fmax(g[0], -4.799), 4.799) + 4.8) / 9.6 * (ORBITS_PLACES - 1);
    int j = (int)fmin(fmax(floor(at), 0), ORBITS_ROWS - 2), p = (int)deviation;
    double t = fmin(fmax(at - j, 0), 1), s = deviation - p;
    double R =
        mixed(mixed(o->place[j][p], o->place[j][p + 1], s), mixed(o->place[j + 1][p], o->place[j + 1][p + 1], s), t);
    double angle = 2 * M_PI * (u[1] + (double)turn / GEN_FOLD), c = cos(angle), sine = sin(angle);
    double side = turn % 2 ? -1 : 1, level = atanh(2 * u[2] - 1), up = fmin(4 * fabs(level), LAYER_HEIGHTS - 1.001);
    int k = (int)up;
    R = fmax(R, 1e-6 * o->layer.scale);
    double tilt, flare = orbits_flare(o, R, x, &tilt);
    double z = side * level * flare * mixed(o->height[j], o->height[j + 1], t);
    if (pos) {
        pos[0] = R * c;
        pos[1] = R * sine;
        pos[2] = z;
    }
    if (vel) {
        double outward = mixed(o->sigma[j], o->sigma[j + 1], t) * g[1];
        double along = mixed(o->momentum[j], o->momentum[j + 1], t) / R;
        double across = mixed(mixed(o->vertical[j][k], o->vertical[j][k + 1], up - k),
                              mixed(o->vertical[j + 1][k], o->vertical[j + 1][k + 1], up - k), t);
        vel[0] = outward * c - along * sine;
        vel[1] = outward * sine + along * c;
        vel[2] = side * across / flare * g[2] + z * tilt * outward;
    }
}
