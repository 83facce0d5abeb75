/* Where bodies land in the picture, against formulas written here. The parts of the tool are compiled into this test.
 */
#include "light/view.h"
#include "nbrender/view/camera.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Bodies of the type asked for, at rest in the origin. */
static void make_bodies(struct nb_bodies *b, uint64_t n, enum nb_type type)
{
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", type, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", type, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", type, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (int k = 0; k < 3; k++)
        memset(b->columns[k].data, 0, nb_column_bytes(&b->columns[k], n));
}

static void put(struct nb_bodies *b, int column, uint64_t i, int d, double value)
{
    struct nb_column *c = &b->columns[column];
    size_t at = (size_t)i * (size_t)c->width + (size_t)d;
    if (c->type == NB_F32)
        ((float *)c->data)[at] = (float)value;
    else
        ((double *)c->data)[at] = value;
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
