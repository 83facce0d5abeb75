/* Radii that hold shares, profiles, modes and escape: against plain sums in long double and formulas. */
#include "made_bodies.h"
#include "measure_structure.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double *mass(const struct nb_bodies *b)
{
    return b->columns[0].data;
}

static double *pos(const struct nb_bodies *b)
{
    return b->columns[1].data;
}

static double *vel(const struct nb_bodies *b)
{
    return b->columns[2].data;
}

/* Bodies of mass 1 at 0. */
static void make(struct nb_bodies *b, uint64_t n)
{
    make_bodies(b, n, 1);
}

/* Random bodies, denser in the middle; masses over three decades, and some of none. */
static void make_cloud(struct nb_bodies *b, uint64_t n, uint64_t seed)
{
    make(b, n);
    for (uint64_t i = 0; i < n; i++) {
        mass(b)[i] = i % 17 ? pow(10, -3 * uniform01(&seed)) : 0;
        for (uint64_t k = 0; k < 3; k++) {
            pos(b)[3 * i + k] = 5 + (double)k + pow(2 * uniform01(&seed) - 1, 3);
            vel(b)[3 * i + k] = 2 * uniform01(&seed) - 3;
        }
    }
}

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", a, tolerance, b);
}

static struct nb_pose tilted(void)
{
    struct nb_pose pose = {.centre = {5.1, 5.9, 7.2}, .velocity = {-2, -2.1, -1.8}};
    nb_pose_turn(&pose, (const double[3]){1, -2, 0.5});
    return pose;
}

/* ---- the pose ---- */

static void axes_are_orthonormal(void **state)
{
    (void)state;
    static const double directions[][3] = {{0, 0, 1},         {0, 0, -3},   {1, 0, 0}, {0, 2, 0},
                                           {1, 1e-9, 0},      {1, 2, -3},   {0, 0, 0}, {1e-200, 0, 1e-200},
                                           {1e200, 1e200, 0}, {-1, 0, 1e-3}};
    for (size_t q = 0; q < sizeof directions / sizeof *directions; q++) {
        const double *w = directions[q];
        struct nb_pose p;
        nb_pose_turn(&p, w);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double dot = 0;
                for (int k = 0; k < 3; k++)
                    dot += p.axis[i][k] * p.axis[j][k];
                assert_close(dot, i == j, 4e-16);
            }
        for (int k = 0; k < 3; k++) { /* right-handed, and along the direction */
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            assert_close(p.axis[0][k1] * p.axis[1][k2] - p.axis[0][k2] * p.axis[1][k1], p.axis[2][k], 4e-16);
            const double length = hypot(hypot(w[0], w[1]), w[2]);
            assert_close(p.axis[2][k], length > 0 ? w[k] / length : k == 2, 3e-16);
        }
    }
    struct nb_pose p;
    nb_pose_turn(&p, directions[0]);
    for (int k = 0; k < 9; k++)
        assert_true(p.axis[k / 3][k % 3] == (k % 4 == 0));
}

/* ---- radii ---- */

struct shell {
    double r, m;
};

static int by_distance(const void *a, const void *b)
{
    const struct shell *p = a, *q = b;
    return (p->r > q->r) - (p->r < q->r);
}

static double brute_distance(const struct nb_bodies *b, const struct nb_pose *p, enum nb_geometry geometry, uint64_t i)
{
    long double d[3], along = 0, square = 0;
    for (uint64_t k = 0; k < 3; k++) {
        d[k] = (long double)pos(b)[3 * i + k] - p->centre[k];
        along += d[k] * p->axis[2][k];
    }
    for (int k = 0; k < 3; k++) {
        d[k] -= geometry == NB_CYLINDRICAL ? along * p->axis[2][k] : 0;
        square += d[k] * d[k];
    }
    return (double)sqrtl(square);
}

static void radii_against_a_sort(void **state)
{
    (void)state;
    enum { N = 20011, SHARES = 7 };
    static const double shares[SHARES] = {0.9, 0.001, 0.1, 0.25, 0.5, 0.75, 1};
    static struct shell order[N];
    struct nb_bodies b;
    const struct nb_pose pose = tilted();
    make_cloud(&b, N, 1);
    for (int geometry = 0; geometry < 2; geometry++)
        for (int weight = 0; weight < 2; weight++) {
            double radii[SHARES];
            long double total = 0;
            for (uint64_t i = 0; i < N; i++) {
                order[i] =
                    (struct shell){brute_distance(&b, &pose, geometry, i), weight == NB_BY_MASS ? mass(&b)[i] : 1};
                total += order[i].m;
            }
            qsort(order, N, sizeof *order, by_distance);
            assert_int_equal(nb_measure_radii(&b, &pose, geometry, weight, shares, SHARES, radii), 0);
            for (int k = 0; k < SHARES; k++) {
                long double within = 0;
                int i = 0;
                while (i < N && (within += order[i].m) < shares[k] * total * (1 - 1e-15))
                    i++;
                assert_close(radii[k] / order[i].r, 1, 1e-13);
            }
        }
    nb_bodies_free(&b);
}

/* Quantiles of a Plummer sphere of scale 1: M(r) = r^3 / (1 + r^2)^(3/2). */
static void lagrangian_radii_of_a_plummer_sphere(void **state)
{
    (void)state;
    enum { N = 100000 };
    static const double shares[] = {0.01, 0.1, 0.5, 0.9, 0.99};
    struct nb_bodies b;
    struct nb_pose pose = {0};
    double radii[5];
    uint64_t seed = 3;
    make(&b, N);
    for (int i = 0; i < N; i++) {
        const double r = 1 / sqrt(pow((i + 0.5) / N, -2. / 3) - 1), z = 2 * uniform01(&seed) - 1;
        const double phi = 2 * M_PI * uniform01(&seed), s = sqrt(1 - z * z);
        memcpy(pos(&b) + 3 * i, (double[]){r * s * cos(phi), r * s * sin(phi), r * z}, 24);
    }
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, shares, 5, radii), 0);
    for (int k = 0; k < 5; k++)
        assert_close(radii[k] * sqrt(pow(shares[k], -2. / 3) - 1), 1, 1e-3); /* a body's share at the ends */
    nb_bodies_free(&b);
}

static void radii_that_there_are_not(void **state)
{
    (void)state;
    const double half = 0.5;
    struct nb_bodies b;
    struct nb_pose pose = {0};
    double r;
    make(&b, 3);
    pos(&b)[0] = 1e300;
    pos(&b)[3] = -1e300;
    pos(&b)[6] = 5e-324;
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, &half, 1, &r), 0);
    assert_true(r == 1e300);
    pose.centre[1] = NAN;
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, &half, 1, &r), 0);
    assert_true(isnan(r));
    pose.centre[1] = 0;
    memset(mass(&b), 0, 24);
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, &half, 1, &r), 0);
    assert_true(isnan(r));
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_NUMBER, &half, 1, &r), 0);
    assert_true(r == 1e300);
    nb_bodies_free(&b);
}

/* ---- motion ---- */

static void motion_against_plain_sums(void **state)
{
    (void)state;
    enum { N = 5003 };
    struct nb_bodies b;
    struct nb_measures m;
    struct nb_pose pose = tilted();
    long double sum[4] = {0}, spin[3] = {0};
    double got[3];
    make_cloud(&b, N, 5);
    for (uint64_t i = 0; i < N; i++) {
        long double d[3], u[3];
        for (uint64_t k = 0; k < 3; k++) {
            d[k] = (long double)pos(&b)[3 * i + k] - pose.centre[k];
            u[k] = (long double)vel(&b)[3 * i + k] - pose.velocity[k];
        }
        for (int k = 0; k < 3; k++)
            spin[k] += mass(&b)[i] * (d[(k + 1) % 3] * u[(k + 2) % 3] - d[(k + 2) % 3] * u[(k + 1) % 3]);
        if (brute_distance(&b, &pose, NB_SPHERICAL, i) > 0.4)
            continue;
        sum[3] += mass(&b)[i];
        for (uint64_t k = 0; k < 3; k++)
            sum[k] += mass(&b)[i] * (long double)vel(&b)[3 * i + k];
    }
    assert_int_equal(nb_measure_velocity(&b, pose.centre, 0.4, got), 0);
    for (int k = 0; k < 3; k++)
        assert_close(got[k], (double)(sum[k] / sum[3]), 1e-14);
    assert_true(sum[3] > 50);
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_NOTHING, &m), 0);
    assert_true(isnan(m.half_mass_radius) && isnan(m.centre[0]));
    nb_measure_spin(&m, pose.centre, pose.velocity, got);
    for (int k = 0; k < 3; k++)
        assert_close(got[k], (double)spin[k], 1e-9);
    assert_int_equal(nb_measure(&b, &(struct nb_fields){0}, NB_ABOUT_COM, &m), 0);
    memcpy(pose.centre, m.com, sizeof pose.centre);
    assert_true(memcmp(m.centre, m.com, sizeof m.com) == 0);
    const double half = 0.5;
    assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, &half, 1, got), 0);
    assert_true(m.half_mass_radius == got[0]);
    nb_bodies_free(&b);
}

/* ---- profiles ---- */

enum { BINS = 5, SAMPLES = 9973 };

struct brute {
    uint64_t n;
    long double m, r, v[3], v2[3], z, z2, pull;
};

/* The unit vectors by the place of a body: (x, y, z) / r, and the derivatives of it by the angles. */
static void brute_body(struct brute *s, enum nb_geometry geometry, double m, const long double d[3],
                       const long double u[3], const long double a[3])
{
    const long double R = sqrtl(d[0] * d[0] + d[1] * d[1]), r = sqrtl(R * R + d[2] * d[2]);
    const long double radial[3] = {d[0] / R, d[1] / R, 0}, outward[3] = {d[0] / r, d[1] / r, d[2] / r};
    const long double around[3] = {-d[1] / R, d[0] / R, 0}, up[3] = {0, 0, 1};
    const long double polar[3] = {d[0] * d[2] / (R * r), d[1] * d[2] / (R * r), -R / r};
    const bool sphere = geometry == NB_SPHERICAL;
    const long double *e[3] = {sphere ? outward : radial, around, sphere ? polar : up};
    s->n++;
    s->m += m;
    s->r += m * (sphere ? r : R);
    s->z += m * d[2];
    s->z2 += m * d[2] * d[2];
    for (int k = 0; k < 3; k++) {
        const long double w = e[k][0] * u[0] + e[k][1] * u[1] + e[k][2] * u[2];
        s->v[k] += m * w;
        s->v2[k] += m * w * w;
    }
    s->pull -= m * (a[0] * d[0] + a[1] * d[1] + (sphere ? a[2] * d[2] : 0));
}

static void brute_profile(const struct nb_bodies *b, const double *acc, const struct nb_pose *p,
                          enum nb_geometry geometry, const double *edges, struct brute bins[BINS + 1])
{
    for (uint64_t i = 0; i < b->n; i++) {
        long double d[3] = {0}, u[3] = {0}, a[3] = {0};
        const double r = brute_distance(b, p, geometry, i);
        int bin = BINS + 1;
        while (bin > 0 && !(edges[bin - 1] < r))
            bin--;
        if (bin > BINS)
            continue;
        for (int q = 0; q < 3; q++)
            for (uint64_t k = 0; k < 3; k++) {
                d[q] += p->axis[q][k] * ((long double)pos(b)[3 * i + k] - p->centre[k]);
                u[q] += p->axis[q][k] * ((long double)vel(b)[3 * i + k] - p->velocity[k]);
                a[q] += p->axis[q][k] * (long double)acc[3 * i + k];
            }
        brute_body(&bins[bin], geometry, mass(b)[i], d, u, a);
    }
}

static void check_bin(const struct nb_profile_bin *bin, const struct brute *s, enum nb_geometry geometry)
{
    const long double a = bin->inner, c = bin->outer,
                      size =
                          geometry == NB_SPHERICAL ? 4 * M_PIl / 3 * (c * c * c - a * a * a) : M_PIl * (c * c - a * a);
    long double sigma2[3];
    assert_true(bin->n == s->n && s->n > 100);
    assert_close(bin->mass, (double)s->m, 1e-11);
    assert_close(bin->radius, (double)(s->r / s->m), 1e-13);
    assert_close(bin->density / (double)(s->m / size), 1, 1e-12);
    assert_close(bin->z, (double)(s->z / s->m), 1e-13);
    assert_close(bin->height, (double)sqrtl(s->z2 / s->m - s->z / s->m * s->z / s->m), 1e-13);
    for (int k = 0; k < 3; k++) {
        sigma2[k] = s->v2[k] / s->m - s->v[k] / s->m * s->v[k] / s->m;
        assert_close(bin->mean[k], (double)(s->v[k] / s->m), 1e-13);
        assert_close(bin->sigma[k], (double)sqrtl(sigma2[k]), 1e-13);
    }
    const long double across = geometry == NB_SPHERICAL ? (sigma2[1] + sigma2[2]) / 2 : sigma2[1];
    assert_close(bin->beta, (double)(1 - across / sigma2[0]), 1e-12);
    assert_close(bin->circular, (double)sqrtl(s->pull / s->m), 1e-12);
}

static void profiles_against_plain_sums(void **state)
{
    (void)state;
    static const double edges[BINS + 1] = {0.1, 0.2, 0.4, 0.5, 0.8, 1.1};
    static double acc[3 * SAMPLES];
    struct nb_bodies b;
    const struct nb_pose pose = tilted();
    uint64_t seed = 9;
    make_cloud(&b, SAMPLES, 2);
    for (int k = 0; k < 3 * SAMPLES; k++)
        acc[k] = pose.centre[k % 3] - pos(&b)[k] + 0.1 * uniform01(&seed);
    for (int geometry = 0; geometry < 2; geometry++) {
        struct nb_profile_bin bins[BINS];
        struct brute want[BINS + 1] = {{0}};
        long double within;
        brute_profile(&b, acc, &pose, geometry, edges, want);
        within = want[0].m;
        assert_int_equal(nb_measure_profile(&b, acc, &pose, geometry, edges, BINS, bins), 0);
        for (int k = 0; k < BINS; k++) {
            check_bin(&bins[k], &want[k + 1], geometry);
            within += want[k + 1].m;
            assert_close(bins[k].within, (double)within, 1e-11);
        }
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, edges, BINS, bins), 0);
        assert_true(isnan(bins[0].circular) && bins[0].n == want[1].n);
    }
    nb_bodies_free(&b);
}

static void edges_hold_equal_numbers(void **state)
{
    (void)state;
    struct nb_bodies b;
    const struct nb_pose pose = tilted();
    struct nb_profile_bin bins[BINS];
    double edges[BINS + 1];
    make_cloud(&b, SAMPLES, 4);
    for (int geometry = 0; geometry < 2; geometry++) {
        uint64_t all = 0;
        assert_int_equal(nb_measure_edges(&b, &pose, geometry, BINS, edges), 0);
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, edges, BINS, bins), 0);
        for (int k = 0; k < BINS; k++) {
            assert_true(bins[k].n == SAMPLES / BINS || bins[k].n == SAMPLES / BINS + 1);
            all += bins[k].n;
        }
        assert_true(all == SAMPLES && edges[0] == 0);
    }
    nb_bodies_free(&b);
}

/* Bodies at the centre, on the axis and at an edge; bins of nothing. */
static void profiles_at_the_ends(void **state)
{
    (void)state;
    static const double edges[] = {0, 1, 2, 3};
    struct nb_pose pose = {0};
    struct nb_profile_bin bins[3];
    struct nb_bodies b;
    nb_pose_turn(&pose, (const double[3]){0, 0, 1});
    make(&b, 4);
    pos(&b)[5] = 1;  /* on the axis: along r */
    vel(&b)[5] = -2; /* falling */
    pos(&b)[6] = 1;
    vel(&b)[7] = 3; /* around */
    pos(&b)[9] = 3.5;
    for (int geometry = 0; geometry < 2; geometry++) {
        assert_int_equal(nb_measure_profile(&b, NULL, &pose, geometry, edges, 3, bins), 0);
        assert_true(bins[0].n == 3 && bins[0].mass == 3 && bins[1].n == 0 && bins[2].within == 3);
        assert_close(bins[0].mean[1], 1, 1e-15);
        assert_close(bins[0].mean[geometry == NB_SPHERICAL ? 0 : 2], -2. / 3, 1e-15);
        assert_close(bins[0].z, 1. / 3, 1e-15);
        assert_true(isnan(bins[1].radius) && isnan(bins[1].sigma[0]) && isnan(bins[1].height) && bins[1].density == 0);
    }
    nb_bodies_free(&b);
}

/* ---- modes ---- */

static void modes_against_plain_sums(void **state)
{
    (void)state;
    enum { N = 7001 };
    struct nb_bodies b;
    struct nb_modes got;
    const struct nb_pose pose = tilted();
    for (int q = 0; q < 2; q++) {
        const double within = q ? 0.7 : INFINITY;
        long double re[NB_MODES] = {0}, im[NB_MODES] = {0}, all = 0;
        make_cloud(&b, N, 6);
        for (uint64_t i = 0; i < N; i++) {
            long double u[2] = {0};
            for (int e = 0; e < 2; e++)
                for (uint64_t k = 0; k < 3; k++)
                    u[e] += pose.axis[e][k] * ((long double)pos(&b)[3 * i + k] - pose.centre[k]);
            if (!(hypotl(u[0], u[1]) < within))
                continue;
            all += mass(&b)[i];
            for (int k = 0; k < NB_MODES; k++) {
                re[k] += mass(&b)[i] * cosl((k + 1) * atan2l(u[1], u[0]));
                im[k] += mass(&b)[i] * sinl((k + 1) * atan2l(u[1], u[0]));
            }
        }
        assert_int_equal(nb_measure_modes(&b, &pose, within, &got), 0);
        for (int k = 0; k < NB_MODES; k++) {
            assert_close(got.amplitude[k], (double)(hypotl(re[k], im[k]) / all), 1e-14);
            assert_close(got.phase[k], (double)(atan2l(im[k], re[k]) / (k + 1)), 1e-10);
            assert_true(got.amplitude[k] > 1e-3);
        }
        nb_bodies_free(&b);
    }
}

/* k bodies at the corners of a polygon: A_k = 1, the others 0, and the phase is that of the corner next to phi = 0. */
static void modes_of_polygons(void **state)
{
    (void)state;
    for (int corners = 1; corners <= NB_MODES; corners++) {
        struct nb_bodies b;
        struct nb_modes got;
        struct nb_pose pose = {0};
        nb_pose_turn(&pose, (const double[3]){0, 0, 1});
        make(&b, (uint64_t)corners + 1); /* and one on the axis, of the same mass */
        for (int i = 0; i < corners; i++) {
            const double phi = 0.3 + 2 * M_PI * i / corners;
            memcpy(pos(&b) + 3 * i, (double[]){cos(phi) * (i + 1), sin(phi) * (i + 1), i}, 24);
        }
        pos(&b)[3 * corners + 2] = 9;
        assert_int_equal(nb_measure_modes(&b, &pose, INFINITY, &got), 0);
        for (int k = 0; k < NB_MODES; k++)
            assert_close(got.amplitude[k], (k + 1) % corners == 0 ? corners / (corners + 1.) : 0, 1e-15);
        assert_close(got.phase[corners - 1], 0.3, 1e-15);
        nb_bodies_free(&b);
    }
    struct nb_bodies b;
    struct nb_modes got;
    struct nb_pose pose = {0};
    nb_pose_turn(&pose, (const double[3]){0, 0, 1});
    make(&b, 1);
    assert_int_equal(nb_measure_modes(&b, &pose, 1, &got), 0); /* on the axis */
    assert_true(got.amplitude[1] == 0 && got.phase[1] == 0);
    pos(&b)[0] = 2;
    assert_int_equal(nb_measure_modes(&b, &pose, 1, &got), 0); /* none within */
    assert_true(isnan(got.amplitude[1]) && isnan(got.phase[1]));
    nb_bodies_free(&b);
}

/* ---- escape ---- */

static void what_escapes(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_escaped got;
    double phi[4] = {-1, -1, -0.5, -0.5}, external[4] = {0, 0, -1, 1};
    const double u[3] = {10, 0, 0};
    make(&b, 4);
    for (int i = 0; i < 4; i++) {
        mass(&b)[i] = i + 1;
        vel(&b)[3 * i] = 10;
    }
    vel(&b)[4] = 1.4142135623730951; /* the least above sqrt(2): its square is above 2 */
    vel(&b)[7] = -1.5;
    assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi}, u, &got), 0);
    assert_true(got.mass == 0.5 && got.number == 0.5);
    assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi, .external = external}, u, &got), 0);
    assert_true(got.mass == 0.6 && got.number == 0.5);
    vel(&b)[4] = 1.414213562373095; /* and the last below */
    assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi, .external = external}, u, &got), 0);
    assert_true(got.mass == 0.4 && got.number == 0.25);
    phi[0] = 0; /* at rest at infinity: not beyond it */
    assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi, .external = external}, u, &got), 0);
    assert_true(got.number == 0.25);
    nb_bodies_free(&b);
}

/* ---- threads ---- */

static void any_number_of_threads(void **state)
{
    (void)state;
    enum { N = 100003 };
    static double phi[N], acc[3 * N];
    struct nb_bodies b;
    const struct nb_pose pose = tilted();
    const int usual = omp_get_max_threads();
    const double shares[2] = {0.1, 0.5};
    struct {
        double edges[BINS + 1], radii[2], velocity[3];
        struct nb_profile_bin bins[BINS];
        struct nb_modes modes;
        struct nb_escaped escaped;
    } got[2];
    memset(got, 0, sizeof got);
    make_cloud(&b, N, 8);
    for (int i = 0; i < N; i++)
        phi[i] = -4;
    memcpy(acc, pos(&b), sizeof acc);
    for (int threads = 1; threads < 6; threads++) {
        omp_set_num_threads(threads);
        const int q = threads > 1;
        assert_int_equal(nb_measure_radii(&b, &pose, NB_SPHERICAL, NB_BY_MASS, shares, 2, got[q].radii), 0);
        assert_int_equal(nb_measure_edges(&b, &pose, NB_CYLINDRICAL, BINS, got[q].edges), 0);
        assert_int_equal(nb_measure_profile(&b, acc, &pose, NB_CYLINDRICAL, got[q].edges, BINS, got[q].bins), 0);
        assert_int_equal(nb_measure_velocity(&b, pose.centre, 1, got[q].velocity), 0);
        assert_int_equal(nb_measure_modes(&b, &pose, 1, &got[q].modes), 0);
        assert_int_equal(nb_measure_escaped(&b, &(struct nb_fields){.phi = phi}, pose.velocity, &got[q].escaped), 0);
        assert_true(threads == 1 || memcmp(&got[0], &got[1], sizeof got[0]) == 0);
    }
    omp_set_num_threads(usual);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_orthonormal),
        cmocka_unit_test(radii_against_a_sort),
        cmocka_unit_test(lagrangian_radii_of_a_plummer_sphere),
        cmocka_unit_test(radii_that_there_are_not),
        cmocka_unit_test(motion_against_plain_sums),
        cmocka_unit_test(profiles_against_plain_sums),
        cmocka_unit_test(edges_hold_equal_numbers),
        cmocka_unit_test(profiles_at_the_ends),
        cmocka_unit_test(modes_against_plain_sums),
        cmocka_unit_test(modes_of_polygons),
        cmocka_unit_test(what_escapes),
        cmocka_unit_test(any_number_of_threads),
    };
    return cmocka_run_group_tests_name("structure", tests, NULL, NULL);
}
