/* orbits_carry.c - tables of the smooth field, and integration of orbits in it. */
#include "nbgen/galaxy/orbits.h"

#include "nbgen/nbgen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables with 2^BITS rows per octave of R^2 and r^2 (in scale lengths), and of 1 + |z| (in scale heights) ---- */

/* Tables of the attraction. In the table `disks`, row octaves_row(R^2, DISKS_BITS) - DISKS_FIRST is for the distance R
 * from the axis, 0.004 to 32. In the table `round`, row octaves_row(r^2, ROUND_BITS) - ROUND_FIRST is for the distance
 * r from the centre, 1.5e-5 to 128. R and r are in scale lengths. */
#define DISKS_BITS  3
#define DISKS_FIRST (-16 * 8)
#define ROUND_BITS  5
#define ROUND_FIRST (-32 * 32)

double orbits_table_radius(const struct orbits *o, int k)
{
    return o->layer.scale * sqrt(octaves_value(k + DISKS_FIRST, DISKS_BITS));
}

void orbits_find_pull(struct orbits *o, const struct orbits_field *f, double *mean)
{
    double R[ORBITS_RADII], (*pull)[ORBITS_RADII][LAYER_HEIGHTS] = gen_memory(2 * sizeof *pull);
    for (int k = 0; k < ORBITS_RADII; k++)
        R[k] = orbits_table_radius(o, k);
    for (int k = 0; k < f->layer_count; k++)
        layer_add_pull(&f->layers[k], &o->layer, f->softening, ORBITS_RADII, R, pull[0], pull[1]);
    for (int k = 0; k < ORBITS_RADII; k++) {
        mean[k] = layer_mean(pull[0][k]);
        for (int z = 0; z < LAYER_HEIGHTS; z++) {
            int row = z > 0 ? z : 1;
            o->disks[k][z][0] = (float)(pull[0][k][z] / R[k]);
            o->disks[k][z][1] = (float)(pull[1][k][row] / (layer_height(row) * o->layer.height));
        }
    }
    o->inverse_scale = 1 / o->layer.scale;
    o->inverse_height = 1 / o->layer.height;
    for (int k = 0; k < ORBITS_ROUND; k++) {
        double r = o->layer.scale * sqrt(octaves_value(k + ROUND_FIRST, ROUND_BITS));
        o->round[k] = (float)(f->round(r, f->context) / (r * r * r));
    }
    free(pull);
}

/* Returns `row`, limited to the rows of the table. Avoids calls of fmin and fmax, which take time. */
static double row_within(double row, int rows)
{
    double last = rows - 1.001;
    return row > 0 ? row < last ? row : last : 0;
}

double orbits_pull(const struct orbits *o, const double pos[3], double acc[3])
{
    const double unit2 = o->inverse_scale * o->inverse_scale, least = 1e-30;
    double R2 = pos[0] * pos[0] + pos[1] * pos[1], r2 = R2 + pos[2] * pos[2];
    double away = row_within(octaves_row(r2 * unit2 + least, ROUND_BITS) - ROUND_FIRST, ORBITS_ROUND);
    double out = row_within(octaves_row(R2 * unit2 + least, DISKS_BITS) - DISKS_FIRST, ORBITS_RADII);
    double up = row_within(octaves_row(1 + fabs(pos[2]) * o->inverse_height, LAYER_BITS), LAYER_HEIGHTS);
    int i = (int)away, j = (int)out, k = (int)up;
    double round = mixed(o->round[i], o->round[i + 1], away - i), s = out - j, t = up - k;
    const float(*low)[2] = &o->disks[j][k], (*high)[2] = &o->disks[j + 1][k];
    double in = round + mixed(mixed(low[0][0], low[1][0], t), mixed(high[0][0], high[1][0], t), s);
    double down = round + mixed(mixed(low[0][1], low[1][1], t), mixed(high[0][1], high[1][1], t), s);
    acc[0] = -in * pos[0];
    acc[1] = -in * pos[1];
    acc[2] = -down * pos[2];
    return in > down ? in : down;
}

/* ---- steps: scheme of Omelyan, Mryglod & Folk (2002), fourth order, four evaluations ---- */

#define XI     0.1786178958448091
#define LAMBDA -0.2123418310626054
#define CHI    -0.06626458266981849

static void drift(double time, double pos[3], const double vel[3])
{
    for (int k = 0; k < 3; k++)
        pos[k] += time * vel[k];
}

static double kick(const struct orbits *o, double time, const double pos[3], double vel[3])
{
    double acc[3], frequency2 = orbits_pull(o, pos, acc);
    for (int k = 0; k < 3; k++)
        vel[k] += time * acc[k];
    return frequency2;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#define STEP 0.8 /* maximum of (time step) * (frequency of the motion) */
/* Maximum ratio (radial motion in a step) / (distance to the centre). Near the centre, where the field is smooth, this
 * limit is not needed, and step_at() reduces its effect. */
#define PLUNGE 0.4
#define STEPS  1000

static double step_at(const struct orbits *o, double frequency2, const double pos[3], const double vel[3])
{
    double most = o->round[0] + o->disks[0][0][1], r2 = dot(pos, pos) + 1e-30, inward = dot(pos, vel);
    double radial2 = inward * inward / r2 * (STEP * STEP / (PLUNGE * PLUNGE));
    return STEP / sqrt(frequency2 + radial2 / (r2 + radial2 / most));
}

static double step(const struct orbits *o, double h, double pos[3], double vel[3])
{
    drift(XI * h, pos, vel);
    kick(o, (1 - 2 * LAMBDA) * h / 2, pos, vel);
    drift(CHI * h, pos, vel);
    kick(o, LAMBDA * h, pos, vel);
    drift((1 - 2 * (CHI + XI)) * h, pos, vel);
    kick(o, LAMBDA * h, pos, vel);
    drift(CHI * h, pos, vel);
    double frequency2 = kick(o, (1 - 2 * LAMBDA) * h / 2, pos, vel);
    drift(XI * h, pos, vel);
    return frequency2;
}

void orbits_carry(const struct orbits *o, double time, double pos[3], double vel[3])
{
    double acc[3], frequency2 = orbits_pull(o, pos, acc);
    for (int k = 0; k < STEPS && time > 0; k++) {
        double h = fmin(step_at(o, frequency2, pos, vel), time);
        frequency2 = step(o, h, pos, vel);
        time -= h;
    }
}

/* Integrates an orbit until the radial velocity in the plane changes sign. `usual`: expected duration. Sign changes in
 * the first half of this duration are ignored: a star high above the plane may at first move outwards near its
 * apocentre, because of its vertical motion. */
void orbits_go(const struct orbits *o, double usual, const double pos[3], const double vel[3], struct orbits_way *way)
{
    struct orbits_station at = {0, {pos[0], pos[1], pos[2]}, {vel[0], vel[1], vel[2]}};
    double acc[3], frequency2 = orbits_pull(o, pos, acc), first = 0, last = 0;
    way->stations[0] = at;
    for (way->count = 1; way->count < ORBITS_STATIONS && at.time < 3 * usual; way->count++) {
        double h = fmin(step_at(o, frequency2, at.pos, at.vel), usual / 4);
        frequency2 = step(o, h, at.pos, at.vel);
        at.time += h;
        way->time = at.time;
        double outward = at.pos[0] * at.vel[0] + at.pos[1] * at.vel[1];
        first = way->count == 1 ? outward : first;
        if (at.time > usual / 2 && outward * first < 0) {
            way->time -= outward * last < 0 ? h * outward / (outward - last) : 0;
            return;
        }
        last = outward;
        way->stations[way->count] = at;
    }
}

void orbits_on_way(const struct orbits *o, const struct orbits_way *way, double share, double pos[3], double vel[3])
{
    int k = way->count - 1;
    while (k > 0 && way->stations[k].time > share * way->time)
        k--;
    memcpy(pos, way->stations[k].pos, 3 * sizeof *pos);
    memcpy(vel, way->stations[k].vel, 3 * sizeof *vel);
    step(o, share * way->time - way->stations[k].time, pos, vel);
}
