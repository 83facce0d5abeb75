/* Stable pictures: for any number of threads, any size, in time, and with extreme numbers that no simulation should
 * write. */
#include "light_scene.h"

#include <omp.h>

/* ---- threads and sizes ---- */

static void test_threads(void **state)
{
    (void)state;
    const uint64_t n = 30000;
    for (int way = 0; way < 4; way++) {
        struct scene *s = scene_open(300, 200, n);
        const size_t size = 300 * 200 * 16;
        float *one = malloc(size);
        struct nb_light_sums sums;
        fill_clusters(s, 5, 120);
        s->style.smooth = way & 1 ? 12 : 0;
        s->style.bloom = 0.15;
        s->style.stars = 0.02;
        s->view.inverse_distance = way & 2 ? 1 / 400. : 0;
        for (int threads = 1; threads <= 5; threads += 2) {
            omp_set_num_threads(threads);
            scene_draw(s);
            if (threads == 1) {
                memcpy(one, s->pixels, size);
                sums = s->sums;
            }
            assert_memory_equal(one, s->pixels, size);
            assert_memory_equal(&sums, &s->sums, sizeof sums);
        }
        omp_set_num_threads(omp_get_num_procs());
        free(one);
        scene_close(s);
    }
}

/* Light in blocks of `size` pixels each way. */
static double *blocks_of(const struct scene *s, int size)
{
    const int columns = s->style.width / size, rows = s->style.height / size;
    double *sum = calloc((size_t)(columns * rows), sizeof *sum);
    for (int y = 0; y < rows * size; y++)
        for (int x = 0; x < columns * size; x++)
            sum[y / size * columns + x / size] += pixel(s, x, y, 3);
    return sum;
}

/* Four times as many pixels show the same, in blocks of 16 x 16 of the smaller picture's pixels: within 3 % where there
 * is a hundredth of the brightest block's light; in fainter ones, some with less than one body, within 7 %. */
static void test_sizes(void **state)
{
    (void)state;
    const uint64_t n = 20000;
    struct scene *small = scene_open(480, 272, n), *large = scene_open(960, 544, n);
    fill_clusters(small, 3, 110);
    for (uint64_t i = 0; i < 3 * n; i++)
        ((double *)large->pos.data)[i] = ((double *)small->pos.data)[i];
    large->view.scale = 2;
    small->style.smooth = large->style.smooth = 12;
    small->style.bloom = large->style.bloom = 0.15;
    scene_draw(small);
    scene_draw(large);
    double *a = blocks_of(small, 16), *b = blocks_of(large, 32), most = 0;
    for (int k = 0; k < 30 * 17; k++)
        most = fmax(most, a[k]);
    int lit = 0;
    for (int k = 0; k < 30 * 17; k++)
        if (a[k] > 2e-3 * most) {
            assert_true(fabs(a[k] - b[k]) < (a[k] > 1e-2 * most ? 0.03 : 0.07) * a[k]);
            lit++;
        }
    assert_true(lit > 100);
    free(a);
    free(b);
    scene_close(small);
    scene_close(large);
}

/* ---- in time ---- */

/* The largest change of a pixel while a body moves by less than a place's resolution asks for, over many pixels. */
static void test_no_jump(void **state)
{
    (void)state;
    const double levels[] = {0, 0.5, 1.25, 3};
    for (size_t m = 0; m < sizeof levels / sizeof *levels; m++) {
        struct scene *s = scene_open(64, 64, 1);
        float *before = malloc(64 * 64 * 16);
        const double step = 1. / 32, cell = exp2(floor(levels[m]));
        s->style.radius = 1.5 * exp2(levels[m]);
        s->style.bloom = 0.2;
        for (int k = 0; k < 200; k++) {
            memcpy(before, s->pixels, 64 * 64 * 16);
            place_of(s, 0)[0] = -3 + k * step; /* from outside into the picture, over many pixels' borders */
            place_of(s, 0)[1] = 30 + 0.3 * k * step;
            scene_draw(s);
            /* a spline's steepest slope is 1 a cell, that of a product of two at most 0.75 times it */
            const double slope = 0.75 / cell / cell / cell * 1.35;
            for (int i = 0; k > 0 && i < 64 * 64; i++)
                assert_true(fabs((double)s->pixels[4 * i + 3] - (double)before[4 * i + 3]) < slope * step + 1e-4);
        }
        free(before);
        scene_close(s);
    }
}

/* Two clusters that turn, drawn at three moments: the second difference of the levels shown, over their mean. */
static void test_no_flicker(void **state)
{
    (void)state;
    const uint64_t n = 5000;
    const int width = 480, height = 270;
    struct scene *s = scene_open(width, height, n);
    fill_clusters(s, 2, 60);
    uint16_t *levels[3], *planes[3];
    struct nb_tone tone;
    struct nb_light_histogram *h = calloc(1, sizeof *h);
    const size_t pixels = (size_t)width * (size_t)height;
    s->style.smooth = 12;
    s->style.bloom = 0.15;
    struct nb_light *l = nb_light_open(s->device, &s->style);
    assert_non_null(l);
    for (int frame = 0; frame < 3; frame++) {
        levels[frame] = malloc(3 * pixels * sizeof(uint16_t));
        for (int d = 0; d < 3; d++)
            planes[d] = levels[frame] + (size_t)d * pixels;
        assert_int_equal(nb_light_clear(l), 0);
        assert_int_equal(nb_light_put(l, &s->view, &s->bodies), 0);
        assert_int_equal(nb_light_finish(l), 0);
        if (frame == 0) {
            assert_int_equal(nb_light_measure(l, h), 0);
            nb_tone_expose(&tone, h, 1);
        }
        assert_int_equal(nb_light_tone(l, &tone, planes), 0);
        for (uint64_t i = 0; i < n; i++) { /* up to 0.8 pixels, and some in another direction */
            double x = place_of(s, i)[0] - width / 2., y = place_of(s, i)[1] - height / 2.;
            place_of(s, i)[0] += -0.006 * y + (i % 7 == 0 ? 0.3 : 0);
            place_of(s, i)[1] += 0.006 * x;
        }
    }
    double square = 0, mean = 0;
    for (size_t i = 0; i < pixels; i++) {
        double second = (double)levels[0][i] - 2.0 * levels[1][i] + levels[2][i];
        square += second * second / (double)pixels;
        mean += (levels[0][i] + levels[1][i] + levels[2][i]) / 3. / (double)pixels;
    }
    assert_true(mean > 0.01 * NB_TONE_FULL);
    assert_true(sqrt(square) < 0.05 * mean);
    for (int frame = 0; frame < 3; frame++)
        free(levels[frame]);
    free(h);
    nb_light_close(l);
    scene_close(s);
}

/* ---- what should not be drawn ---- */

static void test_behind_the_camera(void **state)
{
    (void)state;
    struct scene *s = scene_open(100, 100, 3);
    s->view.inverse_distance = 1 / 50.;
    s->view.middle_x = s->view.middle_y = 50;
    place_of(s, 1)[2] = 60; /* behind */
    place_of(s, 2)[2] = 25; /* twice as large */
    for (int adapts = 0; adapts < 2; adapts++) {
        s->style.smooth = adapts ? 1 : 0;
        scene_draw(s);
        assert_true(fabs(s->sums.put - 5) < 1e-5);
    }
    scene_close(s);
}

static void test_hostile(void **state)
{
    (void)state;
    const double places[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e18, 3e9, -3e9, 2147483648.0};
    const float lights[] = {NAN, INFINITY, -1, 0, 2e30f, 3e38f, -INFINITY};
    const uint64_t bad = sizeof places / sizeof *places, dark = sizeof lights / sizeof *lights, n = 2 * bad + dark + 2;
    for (int way = 0; way < 4; way++) {
        struct scene *s = scene_open(64, 40, n);
        float *light = malloc(n * sizeof *light), *value = malloc(n * sizeof *value);
        s->style.smooth = way & 1 ? 1 : 0;
        s->style.bloom = 0.1;
        s->view.inverse_distance = way & 2 ? 1 / 50. : 0;
        for (uint64_t i = 0; i < n; i++) {
            double *p = place_of(s, i);
            p[0] = i < bad ? places[i] : 20;
            p[1] = i >= bad && i < 2 * bad ? places[i - bad] : 20;
            light[i] = i >= 2 * bad && i < 2 * bad + dark ? lights[i - 2 * bad] : 1;
            value[i] = i == n - 1 ? NAN : 2; /* the last one is not drawn where values are */
        }
        s->bodies.light = light;
        scene_draw(s);
        assert_true(fabs(s->sums.put - 2) < 1e-5);
        s->bodies.value = value;
        scene_draw(s);
        assert_true(fabs(s->sums.put - 1) < 1e-5);
        for (int i = 0; i < 64 * 40 * 4; i++)
            assert_true(isfinite(s->pixels[i]));
        s->bodies.n = 0;
        scene_draw(s);
        assert_true(s->sums.put == 0 && s->sums.picture == 0 && s->sums.margins == 0);
        free(light);
        free(value);
        scene_close(s);
    }
}

/* Of the largest picture there is a renderer or a sentence. */
static void test_largest(void **state)
{
    (void)state;
    struct scene *s = scene_open(1, 1, 1);
    s->style.width = s->style.height = 16384;
    s->style.smooth = 12;
    struct nb_light *l = nb_light_open(s->device, &s->style);
    assert_true(l || strstr(nb_error(), "GB") || strstr(nb_error(), "no memory"));
    nb_light_close(l);
    scene_close(s);
}

/* ---- tiles without light ---- */

/* Bodies in the left part of the picture, at its edge and in eight places to the right, which stand otherwise in their
 * tiles each; behind them faint ones everywhere, whose light is lost in the sums: with share 0 they are not there. */
#define CLUSTERED 6000
#define SPREAD    4000

static void place_sparse(struct scene *s)
{
    uint64_t state = 3;
    for (uint64_t i = 0; i < CLUSTERED + SPREAD; i++) {
        const double u = random_number(&state), v = random_number(&state);
        double *p = place_of(s, i);
        const double k = (double)(i / 8 % 8), row = k < 4 ? 0 : 1;
        p[0] = i >= CLUSTERED ? 640 * u : i % 8 == 0 ? 330 + 85 * (k - 4 * row) + 4 * k + u : 160 + 60 * u;
        p[1] = i >= CLUSTERED ? 400 * v
               : i % 8 == 0   ? 110 + 160 * row + 4 * k + v
               : i % 8 < 4    ? 120 + 50 * v
                              : 6 * v - 4;
    }
}

static void light_sparse(float *light, float share)
{
    for (uint64_t i = 0; i < CLUSTERED + SPREAD; i++)
        light[i] = i < CLUSTERED ? 1 : share * 1e-37f;
}

/* What is left out where there is no light changes nothing of the light that there is, but that a sum which lies
 * between two floats are rounded. */
static void test_dark_tiles(void **state)
{
    (void)state;
    struct scene *s = scene_open(640, 400, CLUSTERED + SPREAD);
    const size_t count = 4 * 640 * 400;
    float *sparse = malloc(count * sizeof *sparse), *light = malloc((CLUSTERED + SPREAD) * sizeof *light);
    place_sparse(s);
    s->bodies.light = light;
    for (int way = 0; way < 16; way++) {
        const double level[] = {0.4, 1.3, 2.6, 3.3};
        size_t dark = 0, wrong = 0;
        s->style.radius = 1.5 * exp2(level[way & 3]);
        s->style.bloom = way & 4 ? 0.2 : 0;
        s->style.stars = way & 8 ? 0.1 : 0;
        light_sparse(light, 0);
        scene_draw(s);
        memcpy(sparse, s->pixels, count * sizeof *sparse);
        light_sparse(light, 1);
        scene_draw(s);
        for (size_t k = 0; k < count; k++) {
            const float a = sparse[k], b = s->pixels[k];
            dark += a == 0;
            wrong += !(fabsf(a - b) <= 1e-6f * a + 1e-33f);
        }
        assert_int_equal(wrong, 0);
        assert_true(dark > count / 8);
    }
    free(sparse);
    free(light);
    scene_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads),    cmocka_unit_test(test_dark_tiles),
                                       cmocka_unit_test(test_sizes),      cmocka_unit_test(test_no_jump),
                                       cmocka_unit_test(test_no_flicker), cmocka_unit_test(test_hostile),
                                       cmocka_unit_test(test_largest),    cmocka_unit_test(test_behind_the_camera)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
