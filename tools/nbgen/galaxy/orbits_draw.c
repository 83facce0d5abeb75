/* orbits_draw.c - draws stars from the tables of orbits. */
#include "nbgen/galaxy/orbits.h"
#include "nbgen/nbgen.h"

#include <math.h>
#include <stdbool.h>

/* Sets *x to the guiding radius below which the fraction u of the stars lies. Returns the position of this radius in
 * the tables: 2.5 is halfway between rows 2 and 3. */
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

/* Position in a table that has a row for each guiding radius. */
struct place {
    int row;     /* index of a row, but not of the last row, so that there is a next row */
    double next; /* fraction of the way to the next row */
};

static struct place place_of(double at)
{
    int row = (int)fmin(fmax(floor(at), 0), ORBITS_ROWS - 2);
    return (struct place){row, fmin(fmax(at - row, 0), 1)};
}

static double read_row(const double *table, struct place p)
{
    return mixed(table[p.row], table[p.row + 1], p.next);
}

/* Interpolates in a table with `columns` columns: between rows at position p, and between columns at position `at`. */
static double read_table(const double *table, int columns, struct place p, double at)
{
    const double *cell = table + (size_t)p.row * (size_t)columns + (size_t)at;
    double t = at - floor(at);
    return mixed(mixed(cell[0], cell[1], t), mixed(cell[columns], cell[columns + 1], t), p.next);
}

/* Returns the position in a table over guiding radii (row + fraction of the way to the next row) at which the circular
 * orbit has this energy. */
static double find_energy(const struct orbits *o, double energy)
{
    int low = 0, high = ORBITS_ROWS - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(o->energy[middle] <= energy ? &low : &high) = middle;
    }
    return low + fmin(fmax((energy - o->energy[low]) / (o->energy[low + 1] - o->energy[low]), 0), 1);
}

/* A star at its apocentre. `half_turn` is the time from pericentre to apocentre. */
struct start {
    double pos[3], vel[3], half_turn;
    bool wide; /* (apocentre) / (guiding radius) is above WIDE */
};

/* Ratio (apocentre) / (guiding radius) above which the radial and vertical motions of a star exchange energy. The
 * actions of the star are then not conserved. */
#define WIDE 1.6
/* Maximum number of radial periods for which the orbit of a star with `wide` set is integrated, for phase mixing. */
#define TURNS 3

static struct start begin(const struct orbits *o, const double u[4], const double g[4])
{
    double x, deviation = (fmin(fmax(g[0], -4.799), 4.799) + 4.8) / 9.6 * (ORBITS_PLACES - 1);
    struct place p = place_of(find_row(o, u[0], &x));
    double R = fmax(read_table(o->place[0], ORBITS_PLACES, p, deviation), 1e-6 * o->layer.scale);
    double sigma = read_row(o->sigma, p), momentum = read_row(o->momentum, p);
    double energy = numeric_spline_value(o->potential, R) + (pow(momentum / R, 2) + pow(sigma * g[1], 2)) / 2;
    double swing = sqrt(2 * fmax(energy - read_row(o->energy, p), 0)) / sigma / ORBITS_SWING;
    swing = fmin(swing, ORBITS_SWINGS - 1.001);
    double farthest = read_table(o->farthest[0], ORBITS_SWINGS, p, swing);
    double circle = find_energy(o, energy), rarity = (g[2] * g[2] + g[3] * g[3]) / 2;
    double home = orbits_radius(circle + 0.5, ORBITS_ROWS + 1, ORBITS_CUT * o->layer.scale);
    double action = orbits_action(o, home, rarity) * read_row(o->lift, place_of(circle));
    struct start s = {.pos = {farthest}, .vel = {0, momentum / farthest}, .wide = farthest > WIDE * x};
    s.half_turn = read_table(o->half_turn[0], ORBITS_SWINGS, p, swing);
    orbits_rise(o, farthest, action, u[2], &s.pos[2], &s.vel[2]);
    return s;
}

void orbits_place(const struct orbits *o, const double u[4], const double g[4], int count, double (*pos)[3],
                  double (*vel)[3])
{
    struct start s = begin(o, u, g);
    struct orbits_way way;
    orbits_go(o, s.half_turn, s.pos, s.vel, &way);
    for (int k = 0; k < count; k++) {
        /* The fractional part of `digits` comes from the lower bits of u[3]. It serves as another random number. */
        double share = u[3] + (double)k / count, digits = 4096 * u[3];
        orbits_on_way(o, &way, share - floor(share), pos[k], vel[k]);
        if (s.wide)
            orbits_carry(o, (digits - floor(digits)) * 2 * TURNS * s.half_turn, pos[k], vel[k]);
        /* The computed path goes from apocentre to pericentre. For half of the stars (g[1] above 0), reverses the
         * motion in time, so that they come from a path that goes outwards. The reversal also reverses the rotation
         * about the z axis; the mirror image in y restores it. */
        if (g[1] > 0) {
            pos[k][1] = -pos[k][1];
            vel[k][0] = -vel[k][0];
            vel[k][2] = -vel[k][2];
        }
    }
}

static void turn_about(double c, double s, double v[3])
{
    double x = v[0] * c - v[1] * s;
    v[1] = v[0] * s + v[1] * c;
    v[0] = x;
}

void orbits_draw(const struct orbits *o, const struct nb_rng *rng, uint64_t quiet, uint64_t i, double pos[3],
                 double vel[3])
{
    double u[4], g[4], x[1][3], v[1][3];
    uint64_t drawn = quiet ? i / GEN_FOLD : i, turn = quiet ? i % GEN_FOLD : 0;
    nb_rng_uniforms(rng, drawn, 0, u);
    nb_rng_normals(rng, drawn, 1, g);
    u[0] = quiet ? ((double)drawn + 0.5) / (double)((quiet + GEN_FOLD - 1) / GEN_FOLD) : u[0];
    orbits_place(o, u, g, 1, x, v);
    double angle = 2 * M_PI * (u[1] + (double)turn / GEN_FOLD), c = cos(angle), s = sin(angle);
    turn_about(c, s, x[0]);
    turn_about(c, s, v[0]);
    for (int k = 0; k < 3; k++) {
        double side = k == 2 && turn % 2 ? -1 : 1;
        if (pos)
            pos[k] = side * x[0][k];
        if (vel)
            vel[k] = side * v[0][k];
    }
}
