/* Positions of bodies in the picture, compared with formulas that the test computes. The parts of the tool are
 * compiled into this test. */
#include "common/dies.h"
#include "common/temporary.h"
#include "common/uniform.h"
#include "light/view.h"
#include "nbrender/view/camera.c"
#include "nbrender/view/densest.c"
#include "nbrender/view/path.c"
#include "nbrender/view/view.h"
#include "render_bodies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the camera ---- */

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void test_axes(void **state)
{
    (void)state;
    for (int azimuth = -400; azimuth < 400; azimuth += 37)
        for (int elevation = -90; elevation <= 90; elevation += 15) {
            struct nb_view c;
            camera_turn(&c, azimuth, elevation);
            const double *axes[3] = {c.right, c.up, c.back};
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    assert_true(fabs(dot3(axes[i], axes[j]) - (i == j)) < 1e-14);
            /* right x up = back: no mirror image */
            assert_true(fabs(c.right[0] * c.up[1] - c.right[1] * c.up[0] - c.back[2]) < 1e-14);
            assert_true(fabs(c.back[2] - sin(elevation * M_PI / 180)) < 1e-14);
            assert_true(c.up[2] >= -1e-14 && c.right[2] == 0);
        }
}

/* A rectangle of half width 3 at the centre fills the picture in both projections; nearer things look larger by
 * D / (D - w), and nothing behind the camera is seen. */
static void test_projection(void **state)
{
    (void)state;
    const double fov_deg = 50, distance = 3 / tan(25 * M_PI / 180);
    for (int perspective = 0; perspective < 2; perspective++)
        for (int type = NB_F32; type <= NB_F64; type++) {
            struct nb_bodies b;
            make_bodies(&b, 4, (enum nb_type)type);
            const double places[4][3] = {{3, 0, 0}, {0, 1.5, 0}, {1, 1, 2}, {0, 0, 100}};
            for (int i = 0; i < 4; i++)
                for (int d = 0; d < 3; d++)
                    put(&b, 1, (uint64_t)i, d, places[i][d] + 7);
            struct nb_view c = {.centre = {7, 7, 7}};
            camera_turn(&c, -90, 90);
            camera_zoom(&c, 600, 400, 3, perspective ? fov_deg : 0);
            float near[4];
            double x[4], y[4], larger = perspective ? distance / (distance - 2) : 1;
            nb_view_project(&c, nb_bodies_find(&b, "pos"), 0, 4, x, y, near);
            assert_true(fabs(x[0] - 600) < 1e-4 && fabs(y[0] - 200) < 1e-4);
            assert_true(fabs(x[1] - 300) < 1e-4 && fabs(y[1] - 50) < 1e-4);
            assert_true(fabs(x[2] - (300 + 100 * larger)) < 1e-3 && fabs(y[2] - (200 - 100 * larger)) < 1e-3);
            assert_true(fabs((double)near[2] - larger) < 1e-6);
            assert_true(perspective ? isnan(x[3]) : fabs(x[3] - 300) < 1e-4);
            nb_bodies_free(&b);
        }
}

/* ---- a camera that stands somewhere ---- */

/* Where a place lands, by a camera at `position` that looks to `target`: worked out with no matrix but the angles at
 * which it is seen to the right and above the line of sight. */
static void test_stand(void **state)
{
    (void)state;
    const struct pose pose = {.position = {1, -7, 4}, .target = {-2, 3, 1}, .up = {0.3, 0, 2}, .fov_deg = 70};
    const double origin[3] = {10, 20, 30}, place[3] = {9.1, 18.2, 33.3};
    struct nb_view c;
    double seen[3], sight[3], right[3], up[3], x, y;
    camera_stand(&c, 640, 360, &pose, origin);
    for (int d = 0; d < 3; d++) {
        sight[d] = pose.target[d] - pose.position[d];
        seen[d] = place[d] - origin[d] - pose.position[d];
    }
    vector_cross(sight, pose.up, right);
    vector_cross(right, sight, up);
    double ahead = dot3(seen, sight) / sqrt(dot3(sight, sight));
    double to_right = dot3(seen, right) / sqrt(dot3(right, right)) / ahead;
    double upwards = dot3(seen, up) / sqrt(dot3(up, up)) / ahead;
    const struct nb_column at = {.type = NB_F64, .width = 3, .data = (void *)place};
    nb_view_project(&c, &at, 0, 1, &x, &y, NULL);
    double focal = 320 / tan(35 * M_PI / 180); /* pixels */
    assert_true(fabs(x - (320 + focal * to_right)) < 1e-9 && fabs(y - (180 - focal * upwards)) < 1e-9);
}

/* An eye aside sees a nearer place shifted to the other side, by the triangle's sides, and the centre's plane as it is.
 */
static void test_step_aside(void **state)
{
    (void)state;
    const double fov_deg = 40, extent = 3, distance = extent / tan(20 * M_PI / 180), aside = 0.02;
    for (int eye = -1; eye <= 1; eye += 2)
        for (double w = -4; w <= 4; w += 2) {
            struct nb_view c = {.centre = {0, 0, 0}};
            double place[3] = {0.7, -0.4, w}, x, y, mine[2];
            const struct nb_column at = {.type = NB_F64, .width = 3, .data = place};
            camera_turn(&c, -90, 90);
            camera_zoom(&c, 600, 400, extent, fov_deg);
            nb_view_project(&c, &at, 0, 1, &mine[0], &mine[1], NULL);
            camera_step_aside(&c, eye * aside);
            nb_view_project(&c, &at, 0, 1, &x, &y, NULL);
            double shift = -eye * aside * distance * w / (distance - w) * 300 / extent;
            assert_true(fabs(x - mine[0] - shift) < 1e-9 && fabs(y - mine[1]) < 1e-9);
        }
}

/* ---- what part of space is seen ---- */

static struct nb_view from_above(void)
{
    struct nb_view c = {.centre = {0}};
    camera_turn(&c, -90, 90);
    return c;
}

/* Two equal masses at pericentre, one from another at the distance 1, on a Kepler ellipse of this eccentricity, moving
 * together. */
static void make_pair(struct nb_bodies *b, double eccentricity)
{
    const double a = 1 / (1 - eccentricity), speed = sqrt((1 + eccentricity) / (1 - eccentricity) / a);
    make_bodies(b, 2, NB_F64);
    for (uint64_t i = 0; i < 2; i++) {
        const double side = i ? 0.5 : -0.5;
        put(b, 0, i, 0, 0.5);
        put(b, 1, i, 0, side);
        put(b, 2, i, 1, side * speed + 70);
        put(b, 2, i, 2, -3);
    }
}

/* Few bodies: out to the apocentre, 0.5 (1 + e)/(1 - e) from the centre of mass, unless that is more than 50 times as
 * far away as they are. On y, the ellipse's half width. With the margin of 12 %. */
static void test_framing_orbits(void **state)
{
    (void)state;
    static const double eccentricities[] = {0, 0.3, 0.9, 48.0 / 50, 50.0 / 52, 0.99, 1.5};
    for (size_t k = 0; k < sizeof eccentricities / sizeof *eccentricities; k++)
        for (int turning = 0; turning < 2; turning++) {
            const double e = eccentricities[k], times = (1 + e) / (1 - e), seen = e < 1 && times < 50 ? times : 1;
            const struct framing_frame frame = {.aspect = 1, .turning = turning};
            const struct nb_view above = from_above();
            struct nb_bodies b;
            double centre[3];
            make_pair(&b, e);
            assert_int_equal(framing_centre(&b, NULL, centre), 0);
            assert_true(centre[0] == 0 && centre[1] == 0 && centre[2] == 0);
            assert_true(fabs(framing_extent(&b, &above, frame) / (1.12 * 0.5 * seen) - 1) < 1e-9);
            const double across = 0.5 * sqrt(times) * 7; /* the semi-minor axis, in a picture as high as wide / 7 */
            const struct framing_frame low = {.aspect = 7};
            if (seen > 1 && !turning)
                assert_true(fabs(framing_extent(&b, &above, low) / (1.12 * fmax(across, 0.5 * seen)) - 1) < 1e-9);
            nb_bodies_free(&b);
        }
}

/* Up to 100 bodies: all. More: all, unless 95 % of them are within a picture that is much smaller. */
static void test_framing_outliers(void **state)
{
    (void)state;
    static const struct {
        uint64_t n, far;
        double distance, extent;
    } cases[] = {{100, 1, 1000, 1120},
                 {101, 1, 1000, 1.45},
                 {1000, 45, 1000, 1.45},
                 {1000, 55, 1000, 1120},
                 {101, 1, 1.2, 1.2 * 1.12}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct framing_frame frame = {.aspect = 1};
        const struct nb_view above = from_above();
        struct nb_bodies b;
        make_bodies(&b, cases[k].n, NB_F32);
        for (uint64_t i = 0; i < b.n; i++)
            put(&b, 1, i, (int)(i % 2), (i < cases[k].far ? cases[k].distance : 1) * (i % 4 < 2 ? 1 : -1));
        const double extent = framing_extent(&b, &above, frame);
        assert_true(fabs(extent / cases[k].extent - 1) < (cases[k].extent == 1.45 ? 1.0 / 32 : 1e-6)); /* a bucket */
        nb_bodies_free(&b);
    }
}

/* The centre is that of the masses, of places if there are none, of the bodies of a mask. */
static void test_framing_centre(void **state)
{
    (void)state;
    static const unsigned char mask[] = {0, 1, 1};
    struct nb_bodies b;
    double centre[3];
    make_bodies(&b, 3, NB_F64);
    for (uint64_t i = 0; i < 3; i++)
        put(&b, 1, i, 1, (double)(i * i));
    assert_int_equal(framing_centre(&b, NULL, centre), 0);
    assert_true(centre[0] == 0 && fabs(centre[1] - 5.0 / 3) < 1e-15);
    for (uint64_t i = 0; i < 3; i++)
        put(&b, 0, i, 0, (double)(i + 1));
    assert_int_equal(framing_centre(&b, NULL, centre), 0);
    assert_true(fabs(centre[1] - 14.0 / 6) < 1e-15);
    assert_int_equal(framing_centre(&b, mask, centre), 0);
    assert_true(fabs(centre[1] - 14.0 / 5) < 1e-15);
    put(&b, 1, 1, 2, INFINITY);
    assert_int_equal(framing_centre(&b, NULL, centre), -1);
    nb_bodies_free(&b);
}

/* One corner of a region is on the picture's edge and none beyond, from all sides, also in a perspective. */
static void test_framing_region(void **state)
{
    (void)state;
    const double low[2] = {-3, -1}, high[2] = {5, 2}, fovs[] = {0, 40, 90};
    for (int azimuth = 0; azimuth < 360; azimuth += 35)
        for (int k = 0; k < 3; k++) {
            const struct framing_frame frame = {.aspect = 1.5, .tan_half_fov = tan(fovs[k] / 2 * M_PI / 180)};
            struct nb_view c = {.centre = {1, 0.5, 0}};
            camera_turn(&c, azimuth, 50);
            camera_zoom(&c, 600, 400, framing_extent_of_region(low, high, &c, frame), fovs[k]);
            double largest = 0;
            for (int corner = 0; corner < 4; corner++) {
                double place[3] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1], 0}, x, y;
                const struct nb_column at = {.type = NB_F64, .width = 3, .data = place};
                nb_view_project(&c, &at, 0, 1, &x, &y, NULL);
                largest = fmax(largest, fmax(fabs(x / 300 - 1), fabs(y / 200 - 1)));
            }
            assert_true(fabs(largest - 1) < 1e-12);
        }
}

/* ---- keyframes ---- */

static struct path *path_of(const char *text)
{
    char name[4096];
    temporary_name(name, sizeof name, "nbrender-path");
    int fd = mkstemp(name);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    struct path *p = path_read(name);
    unlink(name);
    return p;
}

/* Places that are quadratic in time, at times that are not evenly spaced, forwards or backwards. */
static struct path *parabola(double sign)
{
    static const double times[] = {0, 1, 1.5, 4, 6};
    char text[1000] = "# time position target up fov\n\n";
    for (int k = 0; k < 5; k++) {
        double t = times[k];
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%g %g %g 5  %g 0 0\t0 1 0 %g # key\r\n", sign * t, t * t - 3 * t, 2 * t,
                 -t * t, 20 + t * t);
    }
    return path_of(text);
}

static void test_path(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct path *p = parabola(sign);
        for (double t = 1; t <= 4; t += 0.125) { /* between the inner ones the parabola itself */
            struct pose at = path_at(p, sign * t);
            assert_true(fabs(at.position[0] - (t * t - 3 * t)) < 1e-12 && fabs(at.position[1] - 2 * t) < 1e-12);
            assert_true(at.position[2] == 5 && fabs(at.target[0] + t * t) < 1e-12);
            assert_true(fabs(at.fov_deg - (20 + t * t)) < 1e-12);
        }
        const double ends[2][2] = {{0, -100}, {6, 100}};
        for (int k = 0; k < 2; k++) /* held before and after */
            for (int i = 0; i < 2; i++)
                assert_true(path_at(p, sign * ends[k][i]).position[1] == 2 * ends[k][0]);
        const double h = 1e-5; /* no jump of the place nor of the velocity, anywhere, ends and keyframes included */
        for (double t = -0.5; t < 6.5; t += h) {
            double a = path_at(p, sign * (t - h)).position[0], b = path_at(p, sign * t).position[0];
            double c = path_at(p, sign * (t + h)).position[0];
            assert_true(fabs(c - b) < 20 * h && fabs(a - 2 * b + c) < 100 * h * h);
        }
        path_free(p);
    }
}

static void test_path_rests(void **state)
{
    (void)state;
    struct path *p = path_of("0 0 0 9 0 0 0 0 1 0 40\n1 4 0 9 0 0 0 0 1 0 40\n2 4 0 9 0 0 0 0 1 0 40\n"
                             "3 9 0 9 0 0 0 0 1 0 40\n");
    for (double t = 1; t <= 2; t += 0.1)
        assert_true(path_at(p, t).position[0] == 4);
    path_free(p);
    p = path_of("7 1 2 3 0 0 0 0 0 1 33"); /* one keyframe, no newline */
    assert_true(path_at(p, -1e9).position[2] == 3 && path_at(p, 1e300).fov_deg == 33 && path_at(p, 7).up[2] == 1);
    path_free(p);
}

/* ---- the densest place ---- */

/* A dense ball about (x, 0, 0) with a third of the bodies, one less dense about (-x, 0, 0), the rest all over a box. */
static void make_balls(struct nb_bodies *b, uint64_t n, double x)
{
    uint64_t seed = 5;
    make_bodies(b, n, NB_F64);
    for (uint64_t i = 0; i < n; i++) {
        double p[3], r2 = 2;
        while (r2 > 1) {
            r2 = 0;
            for (int d = 0; d < 3; d++) {
                p[d] = 2 * uniform01(&seed) - 1;
                r2 += p[d] * p[d];
            }
        }
        double size = i % 3 == 0 ? 0.5 : i % 3 == 1 ? 1 : 20, middle = i % 3 == 0 ? x : i % 3 == 1 ? -x : 3;
        for (int d = 0; d < 3; d++)
            put(b, 1, i, d, size * p[d] * (i % 3 == 2 ? 1 : sqrt(r2)) + (d == 0 ? middle : 0)); /* densest inside */
        put(b, 0, i, 0, 1);
    }
}

static void test_densest(void **state)
{
    (void)state;
    struct nb_bodies b;
    double kept[3] = {-5, 0, 0}, before = 0;
    for (int k = 0; k < 40; k++) { /* they come nearer; the one that was followed stays */
        double x = 5 - 0.05 * k, found[3] = {NAN, NAN, NAN};
        make_balls(&b, 20000, x);
        assert_int_equal(densest_find(&b, found), 0);
        assert_true(fabs(found[0] - x) < 0.05 && fabs(found[1]) < 0.05 && fabs(found[2]) < 0.05);
        assert_int_equal(densest_find(&b, kept), 0);
        assert_true(fabs(kept[0] + x) < 0.1 && fabs(kept[1]) < 0.1 && fabs(kept[2]) < 0.1);
        assert_true(k == 0 || fabs(kept[0] - before - 0.05) < 0.001); /* steadily */
        before = kept[0];
        nb_bodies_free(&b);
    }
    for (uint64_t n = 1; n < 70; n += 4) { /* few bodies; without mass; all in one place */
        double found[3] = {NAN, NAN, NAN};
        make_bodies(&b, n, NB_F32);
        for (uint64_t i = 0; i < n; i++)
            put(&b, 1, i, 1, 8);
        assert_int_equal(densest_find(&b, found), 0);
        assert_true(found[0] == 0 && fabs(found[1] - 8) < 1e-12 && found[2] == 0);
        nb_bodies_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes),           cmocka_unit_test(test_projection),
        cmocka_unit_test(test_stand),          cmocka_unit_test(test_step_aside),
        cmocka_unit_test(test_framing_orbits), cmocka_unit_test(test_framing_outliers),
        cmocka_unit_test(test_framing_centre), cmocka_unit_test(test_framing_region),
        cmocka_unit_test(test_path),           cmocka_unit_test(test_path_rests),
        cmocka_unit_test(test_densest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
