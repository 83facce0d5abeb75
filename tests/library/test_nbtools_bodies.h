/* test_nbtools_bodies.h - systems for several tests of libnbtools: a pair, and a cluster. */
#pragma once

#include "test_nbtools.h"

#define N 200 /* bodies of the cluster */

static inline const double *column(struct nbt_system *s, const char *name)
{
    struct nbt_frame *f = nbt_system_frame(s);
    enum nbt_type type;
    int width;
    assert_non_null(f);
    const double *values = nbt_column_get(f, name, &type, &width);
    assert_non_null(values);
    assert_true(type == NBT_F64 && width == (strcmp(name, "mass") == 0 ? 1 : 3));
    return values;
}

/* ---- two bodies ---- */

#define E 0.5

/* Masses 0.75 and 0.25 on an orbit of semi-major axis 1, at pericentre. */
static inline struct nbt_system *make_pair(void)
{
    const double u = sqrt((1 + E) / (1 - E)), mass[2] = {0.75, 0.25};
    const double pos[6] = {-0.25 * (1 - E), 0, 0, 0.75 * (1 - E), 0, 0}, vel[6] = {0, -0.25 * u, 0, 0, 0.75 * u, 0};
    struct nbt_system *s = nbt_system_new(2, mass, pos, vel);
    assert_non_null(s);
    return s;
}

static inline void find_place(double t, double place[2])
{
    double anomaly = t;
    for (int k = 0; k < 100; k++)
        anomaly -= (anomaly - E * sin(anomaly) - t) / (1 - E * cos(anomaly));
    place[0] = cos(anomaly) - E;
    place[1] = sqrt(1 - E * E) * sin(anomaly);
}

static inline void check_pair(struct nbt_system *s, double t, double bound)
{
    double place[2], time;
    const double *x = column(s, "pos");
    find_place(t, place);
    for (int k = 0; k < 2; k++)
        assert_true(fabs(x[3 + k] - x[k] - place[k]) < bound);
    good(nbt_value_get(nbt_system_frame(s), "time", &time));
    assert_true(time == t);
}

/* ---- a cluster ---- */

static uint64_t draws;

static inline double draw(void) /* (0, 1) */
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return ((double)(draws >> 11) + 0.5) * 0x1p-53;
}

static inline void put_direction(double length, double *x)
{
    const double z = 2 * draw() - 1, angle = 2 * M_PI * draw();
    x[0] = length * sqrt(1 - z * z) * cos(angle);
    x[1] = length * sqrt(1 - z * z) * sin(angle);
    x[2] = length * z;
}

/* Aarseth, Henon & Wielen 1974: Plummer's sphere with scale length 1, masses that differ. */
static inline void draw_cluster(double *mass, double *pos, double *vel)
{
    for (int i = 0; i < N; i++) {
        const double r = 1 / sqrt(pow(0.99 * draw(), -2.0 / 3) - 1);
        double q, y;
        do {
            q = draw();
            y = 0.1 * draw();
        } while (y > q * q * pow(1 - q * q, 3.5));
        put_direction(r, pos + 3 * i);
        put_direction(q * sqrt(2) * pow(1 + r * r, -0.25), vel + 3 * i);
        mass[i] = (0.5 + draw()) / N;
    }
}

static inline struct nbt_system *make_cluster(uint64_t seed)
{
    double mass[N], pos[3 * N], vel[3 * N];
    draws = seed;
    draw_cluster(mass, pos, vel);
    struct nbt_system *s = nbt_system_new(N, mass, pos, vel);
    assert_non_null(s);
    good(nbt_option_set(s, "softening", "0.05"));
    return s;
}
