/* Where nbrender draws: where bodies land and how their light spreads, against formulas and sums written here. The
 * parts of the tool are compiled into this test. */
#include "nbrender/camera.c"
#include "nbrender/colour.c"
#include "nbrender/histogram.c"
#include "nbrender/splat.c"

#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    abort();
}

static double uniform01(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

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

/* Pixel coordinates are (x, -y) of a body plus the picture's middle. */
static struct camera pixel_camera(int width, int height)
{
    struct camera c = {0};
    camera_turn(&c, -90, 90);
    camera_zoom(&c, width, height, 0.5 * width, 0);
    return c;
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
            struct camera c;
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
            struct camera c = {.centre = {7, 7, 7}};
            camera_turn(&c, -90, 90);
            camera_zoom(&c, 600, 400, 3, perspective ? fov_deg : 0);
            double x[4], y[4], larger = perspective ? distance / (distance - 2) : 1;
            camera_project(&c, nb_bodies_find(&b, "pos"), 0, 4, x, y);
            assert_true(fabs(x[0] - 600) < 1e-4 && fabs(y[0] - 200) < 1e-4);
            assert_true(fabs(x[1] - 300) < 1e-4 && fabs(y[1] - 50) < 1e-4);
            assert_true(fabs(x[2] - (300 + 100 * larger)) < 1e-3 && fabs(y[2] - (200 - 100 * larger)) < 1e-3);
            assert_true(perspective ? isnan(x[3]) : fabs(x[3] - 300) < 1e-4);
            nb_bodies_free(&b);
        }
}

/* ---- spots ---- */

struct moments {
    double light, x, y; /* of the red channel: sum, and mean place in the picture's pixel coordinates */
    double blue;
};

static struct moments measure(const struct canvas *c)
{
    struct moments m = {0};
    for (int row = 0; row < c->rows; row++)
        for (size_t column = 0; column < c->stride; column++) {
            const float *pixel = c->light + 4 * ((size_t)row * c->stride + column);
            m.light += (double)pixel[0];
            m.blue += (double)pixel[2];
            m.x += (double)pixel[0] * ((double)column - c->border + 0.5);
            m.y += (double)pixel[0] * (row - c->border + 0.5);
        }
    m.x /= m.light;
    m.y /= m.light;
    return m;
}

/* One body's light is its colour, wherever in a pixel it stands, and its middle is where it stands: exact for the
 * spline, which reproduces linear functions, and close for disks. Both as one body alone (a disk) and as one of very
 * many that are out of the picture (the spline). */
static void test_light_of_one(void **state)
{
    (void)state;
    struct canvas *c = canvas_create(160, 1080);
    struct splat *s = splat_create(c);
    struct camera camera = pixel_camera(160, 1080);
    struct colour_scale *scale = colour_scale_linear(0, 1);
    for (int many = 0; many < 2; many++) {
        struct nb_bodies b;
        make_bodies(&b, many ? 3000000 : 1, NB_F32);
        for (uint64_t i = 1; i < b.n; i++)
            put(&b, 1, i, 0, 1e9);
        assert_true(many == (splat_radius(c, b.n) == 1.5));
        for (int k = 0; k < (many ? 5 : 60); k++) {
            double x = 0.37 * k * 0.1, y = 30 + 0.173 * k;
            put(&b, 1, 0, 0, x);
            put(&b, 1, 0, 1, y);
            canvas_clear(c);
            splat_bodies(s, c, &b, &camera, scale);
            struct moments m = measure(c);
            assert_true(fabs(m.light - (double)s->ramp.step[0][0]) < 2e-6);
            assert_true(fabs(m.blue - (double)s->ramp.step[0][2]) < 2e-6);
            assert_true(fabs(m.x - (80 + x)) < 2e-3 && fabs(m.y - (540 - y)) < 2e-3);
        }
        nb_bodies_free(&b);
    }
    colour_scale_free(scale);
    splat_destroy(s);
    canvas_destroy(c);
}

static void scatter(struct nb_bodies *b, int width, int height)
{
    uint64_t seed = b->n;
    for (uint64_t i = 0; i < b->n; i++) {
        /* half of them in a small clump, some outside the picture */
        double spread = i % 2 ? 1.1 : 0.05;
        put(b, 1, i, 0, spread * width * (uniform01(&seed) - 0.5));
        put(b, 1, i, 1, spread * height * (uniform01(&seed) - 0.5));
        put(b, 2, i, 0, uniform01(&seed));
    }
}

static double spline(double t)
{
    t = fabs(t);
    return t < 0.5 ? 0.75 - t * t : t < 1.5 ? 0.5 * (1.5 - t) * (1.5 - t) : 0;
}

/* Many bodies against the plainest double sum over bodies and pixels. */
static void test_many_against_sum(void **state)
{
    (void)state;
    enum { W = 70, H = 90, N = 50000 };
    static double expected[H][W];
    struct nb_bodies b;
    make_bodies(&b, N, NB_F64);
    scatter(&b, W, H);
    struct canvas *c = canvas_create(W, H);
    struct splat *s = splat_create(c);
    struct camera camera = pixel_camera(W, H);
    struct colour_scale *scale = colour_scale_linear(0, 1e9); /* all of one colour */
    canvas_clear(c);
    splat_bodies(s, c, &b, &camera, scale);
    for (uint64_t i = 0; i < N; i++) {
        double x = W / 2. + nb_column_get(&b.columns[1], i, 0), y = H / 2. - nb_column_get(&b.columns[1], i, 1);
        for (int row = (int)y - 2; row <= (int)y + 2; row++)
            for (int column = (int)x - 2; column <= (int)x + 2; column++)
                if (row >= 0 && row < H && column >= 0 && column < W)
                    expected[row][column] += spline(x - column - 0.5) * spline(y - row - 0.5);
    }
    for (int row = 0; row < H; row++)
        for (int column = 0; column < W; column++) {
            double light = (double)c->light[4 * ((size_t)(row + c->border) * c->stride + (size_t)(column + c->border))];
            assert_true(fabs(light / (double)s->ramp.step[0][0] - expected[row][column]) <
                        2e-3 * (1 + sqrt(expected[row][column]))); /* places are rounded to 1/1024 pixel */
        }
    colour_scale_free(scale);
    splat_destroy(s);
    canvas_destroy(c);
    nb_bodies_free(&b);
}

static void test_any_number_of_threads(void **state)
{
    (void)state;
    const uint64_t counts[] = {5, 40000, 2500000}; /* disks, disks in many strips, splines in two batches */
    for (int k = 0; k < 3; k++) {
        struct nb_bodies b;
        make_bodies(&b, counts[k], NB_F32);
        scatter(&b, 640, 700);
        struct canvas *c = canvas_create(640, 700);
        struct splat *s = splat_create(c);
        struct camera camera = pixel_camera(640, 700);
        struct colour_scale *scale = colour_scale_rank(&b);
        size_t size = 16 * c->stride * (size_t)c->rows;
        float *first = malloc(size);
        for (int threads = 1; threads <= 5; threads += 2) {
            omp_set_num_threads(threads);
            canvas_clear(c);
            splat_bodies(s, c, &b, &camera, scale);
            if (threads == 1)
                memcpy(first, c->light, size);
            assert_memory_equal(first, c->light, size);
        }
        free(first);
        colour_scale_free(scale);
        splat_destroy(s);
        canvas_destroy(c);
        nb_bodies_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_light_of_one),
        cmocka_unit_test(test_many_against_sum),
        cmocka_unit_test(test_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
