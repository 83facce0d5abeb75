/* The field on the plane of a picture, compared with sums in double that the test computes: every pixel, for bodies
 * at any distance. The parts of the tool are compiled into this test. */
#include "common/dies.h"
#include "common/tool_forces.c"
#include "common/uniform.h"
#include "device/choose.h"
#include "nbrender/map/near.c"
#include "nbrender/map/plane.c"
#include "nbrender/map/plane_grid.c"
#include "nbrender/map/plane_points.c"
#include "nbrender/map/spline.c"
#include "nbrender/view/camera.c"
#include "no_offers.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define WIDTH  161
#define HEIGHT 90

void die_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    abort();
}

static void make_bodies(struct nb_bodies *b, uint64_t n)
{
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    memset(b->columns[2].data, 0, nb_column_bytes(&b->columns[2], n));
    b->meta.G = 2.5;
}

static double *mass_of(struct nb_bodies *b)
{
    return b->columns[0].data;
}

static double *place_of_body(struct nb_bodies *b, uint64_t i)
{
    return (double *)b->columns[1].data + 3 * i;
}

/* The plane's point at pixel coordinates: written without plane_points.c. */
static void point_at(const struct nb_view *v, double x, double y, double point[3])
{
    for (int d = 0; d < 3; d++)
        point[d] = v->centre[d] + (x - 0.5 * WIDTH) / v->scale * v->right[d] + (0.5 * HEIGHT - y) / v->scale * v->up[d];
}

/* A third in a thin disk in the plane of the view, a third in a clump of a pixel or two, a third anywhere; one has as
 * much mass as all others. */
static void make_system(struct nb_bodies *b, uint64_t n, const struct nb_view *v)
{
    uint64_t seed = 5;
    make_bodies(b, n);
    for (uint64_t i = 0; i < n; i++) {
        double *x = place_of_body(b, i), offset = (uniform01(&seed) - 0.5) * (i % 3 == 1 ? 2 : WIDTH) / v->scale;
        if (i % 3 < 2)
            point_at(v, i % 3 == 1 ? 40 + 2 * uniform01(&seed) : WIDTH * uniform01(&seed),
                     i % 3 == 1 ? 30 + 2 * uniform01(&seed) : HEIGHT * uniform01(&seed), x);
        else
            point_at(v, WIDTH * (2 * uniform01(&seed) - 0.5), HEIGHT * (2 * uniform01(&seed) - 0.5), x);
        for (int d = 0; d < 3 && i % 3 > 0; d++)
            x[d] += offset * v->back[d];
        mass_of(b)[i] = 0.1 + uniform01(&seed);
    }
    mass_of(b)[0] = 0.6 * (double)n;
}

static void set_view(struct nb_view *v, double azimuth, double elevation)
{
    *v = (struct nb_view){.centre = {1, -2, 0.5}};
    camera_turn(v, azimuth, elevation);
    camera_zoom(v, WIDTH, HEIGHT, 3, 0);
}

static double truth(const struct nb_bodies *b, double softening, const double p[3], enum plane_what what)
{
    double phi = 0, a[3] = {0};
    for (uint64_t i = 0; i < b->n; i++) {
        const double *x = (const double *)b->columns[1].data + 3 * i, m = ((const double *)b->columns[0].data)[i];
        const double d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        const double s = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening);
        phi -= b->meta.G * m / s;
        for (int k = 0; k < 3; k++)
            a[k] += b->meta.G * m * d[k] / (s * s * s);
    }
    return what == PLANE_POTENTIAL ? phi : sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static struct plane plane_of(enum plane_what what, double softening, struct nb_force_request *forces)
{
    static struct nb_device *device;
    static struct nb_kept_fields kept;
    if (!device)
        device = nb_device_choose("cpu");
    return (struct plane){device, forces, &kept, softening, what};
}

/* The largest relative error of all pixels. */
static double worst_error(const struct plane *p, const struct nb_bodies *b, const struct nb_view *v)
{
    static float value[WIDTH * HEIGHT];
    double worst = 0;
    assert_int_equal(plane_compute(p, b, v, WIDTH, HEIGHT, value), 0);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double point[3], expected;
            point_at(v, x + 0.5, y + 0.5, point);
            expected = truth(b, p->softening, point, p->what);
            assert_true(isfinite(value[y * WIDTH + x]));
            worst = fmax(worst, fabs(((double)value[y * WIDTH + x] - expected) / expected));
        }
    return worst;
}

/* ---- the splines ---- */

/* A natural spline repeats straight lines exactly; of others its error falls with the fourth power of the step. */
static void spline_converges(void **state)
{
    (void)state;
    double error[2] = {0};
    for (int k = 0; k < 2; k++) {
        const struct spline_grid g = {.columns = 40, .rows = 30, .x0 = -20, .y0 = -19.7, .step = k ? 4 : 8};
        double v[40 * 30], line[40 * 30], work[40];
        for (int j = 0; j < g.rows; j++)
            for (int i = 0; i < g.columns; i++) {
                const double x = g.x0 + i * g.step, y = g.y0 + j * g.step;
                v[j * g.columns + i] = sin(0.1 * x + 0.2) * cos(0.15 * y);
                line[j * g.columns + i] = 2 * x - 3 * y + 0.5 * x * y + 1;
            }
        spline_fit(&g, v);
        spline_fit(&g, line);
        for (int y = 30; y < 50; y++) {
            double got[60] = {0}, straight[60] = {0};
            spline_add_row(&g, v, y, 60, work, got);
            spline_add_row(&g, line, y, 60, work, straight);
            for (int x = 30; x < 60; x++) {
                const double p = x + 0.5, q = y + 0.5;
                assert_true(fabs(straight[x] - (2 * p - 3 * q + 0.5 * p * q + 1)) < 1e-9);
                error[k] = fmax(error[k], fabs(got[x] - sin(0.1 * p + 0.2) * cos(0.15 * q)));
            }
        }
    }
    assert_true(error[0] < 0.02 && error[1] < error[0] / 10);
}

/* ---- the field ---- */

static const double views[][2] = {{-90, 90}, {30, 20}};

static void potential_of_many_bodies(void **state)
{
    (void)state;
    struct nb_force_request forces = {.count = 0};
    for (int k = 0; k < 2; k++)
        for (int soft = 0; soft < 2; soft++) {
            const struct plane p = plane_of(PLANE_POTENTIAL, soft ? 0.02 : 0, &forces);
            struct nb_bodies b;
            struct nb_view v;
            set_view(&v, views[k][0], views[k][1]);
            make_system(&b, 900, &v);
            assert_true(worst_error(&p, &b, &v) < 5e-5);
            nb_bodies_free(&b);
        }
}

static void acceleration_of_one_body(void **state)
{
    (void)state;
    struct nb_force_request forces = {.count = 0};
    const double depths[] = {0, 0.03, 0.2};
    for (int k = 0; k < 3; k++)
        for (int what = 0; what < 2; what++) {
            const struct plane p = plane_of(what ? PLANE_ACCELERATION : PLANE_POTENTIAL, 0, &forces);
            struct nb_bodies b;
            struct nb_view v;
            set_view(&v, 30, 20);
            make_bodies(&b, 1);
            mass_of(&b)[0] = 3;
            point_at(&v, 50.77, 41.3, place_of_body(&b, 0));
            for (int d = 0; d < 3; d++)
                place_of_body(&b, 0)[d] += depths[k] * v.back[d];
            assert_true(worst_error(&p, &b, &v) < (what ? 2e-4 : 5e-5));
            nb_bodies_free(&b);
        }
}

/* With a grid: of one body, all pixels themselves are the least work. */
static void grid_of_one_body(void **state)
{
    (void)state;
    struct nb_force_request forces = {.count = 0};
    for (int what = 0; what < 2; what++) {
        struct nb_bodies b;
        struct nb_view v;
        set_view(&v, 30, 20);
        make_bodies(&b, 2000); /* all but one far away, so that a grid is worth it, and without effect */
        for (uint64_t i = 0; i < b.n; i++) {
            mass_of(&b)[i] = i == 0 ? 3 : 1e-20;
            point_at(&v, i == 0 ? 50.77 : 1e5, 41.3, place_of_body(&b, i));
        }
        const struct plane p = plane_of(what ? PLANE_ACCELERATION : PLANE_POTENTIAL, 0, &forces);
        struct plane_work w = {
            .plane = &p, .b = &b, .view = &v, .width = WIDTH, .height = HEIGHT, .rows = what ? 3 : 1};
        open_forces(&w);
        assert_int_equal(plane_grid_step(&w), 8);
        nb_force_set_close(&w.set);
        assert_true(worst_error(&p, &b, &v) < (what ? 2e-4 : 5e-5));
        nb_bodies_free(&b);
    }
}

static void field_by_a_tree(void **state)
{
    (void)state;
    for (int what = 0; what < 2; what++) {
        struct nb_force_request forces = {.count = 0};
        assert_int_equal(nb_force_parse("tree", &forces.spec[forces.count++]), 0);
        const struct plane p = plane_of(what ? PLANE_ACCELERATION : PLANE_POTENTIAL, 0.02, &forces);
        struct nb_bodies b;
        struct nb_view v;
        set_view(&v, 30, 20);
        make_system(&b, 1500, &v);
        assert_true(worst_error(&p, &b, &v) < (what ? 1e-2 : 1e-4)); /* accelerations cancel somewhere */
        nb_bodies_free(&b);
    }
}

/* A body at a node of every grid: its field is computed at each pixel. */
static void body_at_a_node(void **state)
{
    (void)state;
    struct nb_force_request forces = {.count = 0};
    const struct plane p = plane_of(PLANE_POTENTIAL, 0, &forces);
    struct nb_bodies b;
    struct nb_view v;
    set_view(&v, -90, 90);
    make_system(&b, 900, &v);
    struct plane_points points;
    assert_int_equal(plane_points_alloc(&points, 1, 1), 0);
    plane_points_set(&points, 0, &v, NODE_X + 64, NODE_Y + 32);
    memcpy(place_of_body(&b, 0), points.place, 3 * sizeof(double));
    plane_points_free(&points);
    assert_true(worst_error(&p, &b, &v) < 5e-5);
    nb_bodies_free(&b);
}

/* The header's forces: with "auto" they add to the bodies', alone they are all there is. */
static void external_fields(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        struct nb_force_request forces = {.count = 0};
        const struct plane p = plane_of(PLANE_POTENTIAL, 0.02, &forces);
        struct nb_bodies b;
        struct nb_view v;
        static float value[WIDTH * HEIGHT];
        set_view(&v, 30, 20);
        make_system(&b, 900, &v);
        assert_int_equal(nb_meta_add_force(&b.meta, "external:plummer,mass=700,scale=0.4"), 0);
        if (own)
            assert_int_equal(nb_meta_add_force(&b.meta, "auto"), 0);
        assert_int_equal(plane_compute(&p, &b, &v, WIDTH, HEIGHT, value), 0);
        for (int y = 0; y < HEIGHT; y += 7)
            for (int x = 0; x < WIDTH; x += 11) {
                double q[3];
                point_at(&v, x + 0.5, y + 0.5, q);
                const double r2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
                const double expected =
                    -b.meta.G * 700 / sqrt(r2 + 0.16) + (own ? truth(&b, 0.02, q, PLANE_POTENTIAL) : 0);
                assert_true(fabs((double)value[y * WIDTH + x] / expected - 1) < 5e-5);
            }
        nb_bodies_free(&b);
    }
}

static void softenings_that_differ(void **state)
{
    (void)state;
    struct nb_force_request forces = {.count = 0};
    struct nb_bodies b;
    struct nb_view v;
    float value[1];
    set_view(&v, 30, 20);
    make_bodies(&b, 2);
    assert_int_equal(nb_bodies_add(&b, "softening", NB_F64, 1, "L"), 0);
    assert_int_equal(nb_bodies_alloc(&b), 0);
    for (uint64_t i = 0; i < 2; i++) {
        mass_of(&b)[i] = 1;
        point_at(&v, 10.0 + (double)i, 5, place_of_body(&b, i));
        ((double *)b.columns[3].data)[i] = 0.1 * (double)(i + 1);
    }
    const struct plane p = plane_of(PLANE_POTENTIAL, NAN, &forces), given = plane_of(PLANE_POTENTIAL, 0.3, &forces);
    assert_int_equal(plane_compute(&p, &b, &v, 1, 1, value), -1);
    assert_non_null(strstr(nb_error(), "--softening"));
    assert_int_equal(plane_compute(&given, &b, &v, 1, 1, value), 0);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spline_converges),         cmocka_unit_test(potential_of_many_bodies),
        cmocka_unit_test(acceleration_of_one_body), cmocka_unit_test(grid_of_one_body),
        cmocka_unit_test(field_by_a_tree),          cmocka_unit_test(body_at_a_node),
        cmocka_unit_test(external_fields),          cmocka_unit_test(softenings_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
