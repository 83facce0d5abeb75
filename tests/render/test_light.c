/* Bodies as light, compared with double sums of splines that the test computes: shape, sum and position of
 * footprints, many bodies, the level map, sums over picture and margins in all projections. */
#include "light_scene.h"

#define SIDE 256

/* ---- the truth ---- */

/* The weight of the quadratic B-spline for a cell whose middle is `away` cells from the body. */
static double spline(double away)
{
    double a = fabs(away);
    return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0;
}

/* One dimension of a footprint of level k at x, in pixels [-PAD, SIDE + PAD): each cell of level k, refined k times, is
 * three boxes of n = 2^k pixels, convolved (the generating function of Chaikin's weights is (1 + z)^3 / 8 a step),
 * which begin n - 1 pixels before the cell. */
#define PAD 1024
static void footprint(int k, double x, double out[SIDE + 2 * PAD])
{
    static double boxes[3 * PAD];
    const int n = 1 << k, cell = (int)floor(x / n);
    memset(out, 0, sizeof(double) * (SIDE + 2 * PAD));
    memset(boxes, 0, sizeof boxes);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            for (int c = 0; c < n; c++)
                boxes[a + b + c] += 1.0 / n / n / n;
    for (int c = cell - 1; c <= cell + 1; c++)
        for (int i = 0; i < 3 * n - 2; i++) {
            int at = c * n - (n - 1) + i + PAD;
            assert_in_range(at, 0, SIDE + 2 * PAD - 1);
            out[at] += spline((double)c + 0.5 - x / n) * boxes[i];
        }
}

/* All pixels of one body of real level m. */
static void add_truth(double *sum, double m, double x, double y, double light)
{
    static double fx[SIDE + 2 * PAD], fy[SIDE + 2 * PAD];
    for (int k = (int)m; k <= (int)m + 1; k++) {
        double share = (k == (int)m ? 1 - (m - k) : m - (k - 1)) * light;
        if (share == 0)
            continue;
        footprint(k, x, fx);
        footprint(k, y, fy);
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++)
                sum[j * SIDE + i] += share * fx[i + PAD] * fy[j + PAD];
    }
}

static void assert_is_truth(const struct scene *s, const double *sum, double tolerance)
{
    double most = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        most = fmax(most, sum[i]);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            assert_true(fabs(pixel(s, x, y, 3) - sum[y * SIDE + x]) <= tolerance * most);
}

/* ---- one body ---- */

static void test_one_body(void **state)
{
    (void)state;
    struct scene *s = scene_open(SIDE, SIDE, 1);
    double *sum = malloc(sizeof *sum * SIDE * SIDE);
    const double levels[] = {0, 0.25, 1.5, 3, 4.5};
    const double places[][2] = {{100, 130},     {64, 128},  {63.99, 64.01}, {120.3, 90.77}, {0.2, 200},
                                {255.9, 255.9}, {-0.7, 30}, {-20, 128},     {270, 260}};
    for (size_t m = 0; m < sizeof levels / sizeof *levels; m++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            double *at = place_of(s, 0), light = 0, x = 0, y = 0;
            at[0] = exact_place(places[p][0]);
            at[1] = exact_place(places[p][1]);
            s->style.radius = 1.5 * exp2(levels[m]);
            scene_draw(s);
            memset(sum, 0, sizeof *sum * SIDE * SIDE);
            add_truth(sum, levels[m], at[0], at[1], 1);
            double most = 0;
            for (int i = 0; i < SIDE * SIDE; i++)
                most = fmax(most, sum[i]);
            if (most > 1e-9)
                assert_is_truth(s, sum, 2e-6);
            else
                assert_true(s->sums.picture < 1e-9);
            if (p > 3)
                continue;
            for (int j = 0; j < SIDE; j++)
                for (int i = 0; i < SIDE; i++) {
                    light += pixel(s, i, j, 3);
                    x += (i + 0.5) * pixel(s, i, j, 3);
                    y += (j + 0.5) * pixel(s, i, j, 3);
                }
            assert_true(fabs(light - 1) < 1e-5 && fabs(s->sums.picture - 1) < 1e-5);
            assert_true(fabs(x - at[0]) < 1e-3 && fabs(y - at[1]) < 1e-3);
        }
    free(sum);
    scene_close(s);
}

/* Bloom and stars keep sum and place, and stars are sharp. */
static void test_bloom_and_stars(void **state)
{
    (void)state;
    struct scene *s = scene_open(SIDE, SIDE, 1);
    s->style.radius = 1.5 * 4;
    s->style.stars = 0.1;
    s->style.bloom = 0.3;
    place_of(s, 0)[0] = exact_place(128.5);
    place_of(s, 0)[1] = exact_place(100.5);
    scene_draw(s);
    double light = 0, x = 0, far = 0;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            light += pixel(s, i, j, 3);
            x += (i + 0.5) * pixel(s, i, j, 3);
            far += hypot(i - 128, j - 100) > 12 ? pixel(s, i, j, 3) : 0;
        }
    assert_true(fabs(light - 1) < 1e-5 && fabs(x - 128.5) < 2e-3);
    assert_true(far > 0.03 && far < 0.3); /* bloom is farther than the footprint, and no more than its share */
    double below = pixel(s, 127, 100, 3) - pixel(s, 125, 100, 3);
    assert_true(pixel(s, 128, 100, 3) - pixel(s, 127, 100, 3) > 0.7 * 0.1 * 0.5625 * 0.5 && below > 0);
    scene_close(s);
}

/* ---- many bodies ---- */

static void test_many_bodies(void **state)
{
    (void)state;
    const uint64_t n = 3000;
    struct scene *s = scene_open(SIDE, SIDE, n);
    float *light = malloc(n * sizeof *light);
    double *sum = calloc(SIDE * SIDE, sizeof *sum), *red = calloc(SIDE * SIDE, sizeof *red);
    uint64_t seed = 1;
    for (int k = 0; k < NB_LIGHT_STEPS; k++)
        s->ramp[k][0] = (float)k / NB_LIGHT_STEPS;
    for (uint64_t i = 0; i < n; i++) {
        double *p = place_of(s, i), r = pow(random_number(&seed), 3); /* many in one tile, few in others */
        p[0] = exact_place(100 + 170 * r * (2 * random_number(&seed) - 1));
        p[1] = exact_place(120 + 170 * r * (2 * random_number(&seed) - 1));
        light[i] = (float)random_number(&seed);
        ((uint16_t *)s->bodies.step)[i] = (uint16_t)(NB_LIGHT_STEPS * random_number(&seed));
        const int x = (int)floor(p[0]), y = (int)floor(p[1]);
        for (int b = y - 1; b <= y + 1; b++)
            for (int a = x - 1; a <= x + 1; a++)
                if (a >= 0 && b >= 0 && a < SIDE && b < SIDE) {
                    double part = light[i] * spline(a + 0.5 - p[0]) * spline(b + 0.5 - p[1]);
                    sum[b * SIDE + a] += part;
                    red[b * SIDE + a] += part * (double)s->ramp[s->bodies.step[i]][0];
                }
    }
    s->bodies.light = light;
    scene_draw(s);
    assert_is_truth(s, sum, 2e-6);
    for (int i = 0; i < SIDE * SIDE; i++)
        assert_true(fabs((double)s->pixels[4 * i] - red[i]) < 2e-6 * light[0] + 1e-5);
    free(light);
    free(sum);
    free(red);
    scene_close(s);
}

/* Footprints between two levels, of many bodies in a tile, of few, and about the edges: put into both levels at once,
 * or, where there are stars (be they nothing), into the finest and on upwards. */
static void test_between_levels(void **state)
{
    (void)state;
    const uint64_t n = 600;
    struct scene *s = scene_open(SIDE, SIDE, n);
    double *sum = calloc(SIDE * SIDE, sizeof *sum), put[2];
    uint64_t seed = 3;
    for (uint64_t i = 0; i < n; i++) {
        const double middle = i < n / 2 ? 80 : SIDE / 2, size = i < n / 2 ? 30 : SIDE + 12;
        for (int d = 0; d < 2; d++)
            place_of(s, i)[d] = exact_place(middle + size * (random_number(&seed) - 0.5));
        add_truth(sum, 1.3, place_of(s, i)[0], place_of(s, i)[1], 1);
    }
    s->style.radius = 1.5 * exp2(1.3);
    for (int way = 0; way < 2; way++) {
        s->style.stars = way ? 1e-9 : 0;
        scene_draw(s);
        assert_is_truth(s, sum, 2e-6);
        assert_true(fabs(s->sums.picture + s->sums.margins - s->sums.put) < 1e-5 * s->sums.put);
        put[way] = s->sums.put;
    }
    assert_true(fabs(put[1] - put[0]) < 1e-5 * put[0]);
    free(sum);
    scene_close(s);
}

/* A number of each body instead of a colour: its mean over a pixel is first channel over last. */
static void test_values(void **state)
{
    (void)state;
    struct scene *s = scene_open(64, 64, 2);
    const float value[] = {-3, 5}, light[] = {1, 3};
    for (int i = 0; i < 2; i++)
        place_of(s, (uint64_t)i)[0] = place_of(s, (uint64_t)i)[1] = 30.5;
    s->bodies.value = value;
    s->bodies.light = light;
    scene_draw(s);
    assert_true(fabs(pixel(s, 30, 30, 0) / pixel(s, 30, 30, 3) - 3) < 1e-5);
    scene_close(s);
}

/* Two puts add up, each with its share. */
static void test_two_puts(void **state)
{
    (void)state;
    struct scene *s = scene_open(SIDE, SIDE, 1);
    double *sum = calloc(SIDE * SIDE, sizeof *sum);
    s->style.radius = 1.5 * exp2(2.5);
    s->bodies.share = 0.25;
    struct nb_light *l = nb_light_open(s->device, &s->style);
    assert_non_null(l);
    assert_int_equal(nb_light_clear(l), 0);
    for (int i = 0; i < 4; i++) {
        double *p = place_of(s, 0);
        p[0] = exact_place(90 + 10.3 * i);
        p[1] = exact_place(100 - 5.7 * i);
        add_truth(sum, 2.5, p[0], p[1], 0.25);
        assert_int_equal(nb_light_put(l, &s->view, &s->bodies), 0);
    }
    scene_fetch(s, l);
    assert_is_truth(s, sum, 2e-6);
    assert_true(fabs(s->sums.put - 1) < 1e-5);
    nb_light_close(l);
    free(sum);
    scene_close(s);
}

/* Nothing of a put with lights, values and a perspective is left in the next one. */
static void test_plain_after_others(void **state)
{
    (void)state;
    struct scene *s = scene_open(64, 64, 1);
    const float value = 7, light = 5;
    place_of(s, 0)[2] = 25;
    s->view.inverse_distance = 1 / 50.;
    s->view.middle_x = s->view.middle_y = 32;
    struct nb_light *l = nb_light_open(s->device, &s->style);
    assert_non_null(l);
    for (int plain = 0; plain < 2; plain++) {
        s->bodies.light = plain ? NULL : &light;
        s->bodies.value = plain ? NULL : &value;
        s->view.inverse_distance *= 1 - plain;
        assert_int_equal(nb_light_clear(l), 0);
        assert_int_equal(nb_light_put(l, &s->view, &s->bodies), 0);
        scene_fetch(s, l);
        assert_true(fabs(s->sums.picture - (plain ? 1 : 20)) < 1e-4);
    }
    assert_true(fabs(pixel(s, 32, 32, 3) - spline(0.5) * spline(0.5)) < 1e-3 && pixel(s, 34, 32, 3) == 0);
    nb_light_close(l);
    scene_close(s);
}

/* ---- the level map ---- */

/* A lattice of bodies 4 pixels apart has 4^(k - 2) in a cell of level k. The colour by level tells the level. */
static void test_levels(void **state)
{
    (void)state;
    struct scene *s = scene_open(SIDE, SIDE, 128 * 128);
    static uint16_t step[NB_LIGHT_LEVEL_STEPS];
    free((void *)s->bodies.step);
    s->bodies.step = NULL;
    s->bodies.level_step = step;
    for (int k = 0; k < NB_LIGHT_LEVEL_STEPS; k++) {
        step[k] = (uint16_t)k;
        s->ramp[k][0] = (float)k / 16 - NB_LIGHT_LEVEL_LEAST;
    }
    for (uint64_t i = 0; i < s->bodies.n; i++) {
        place_of(s, i)[0] = 4 * (double)(i % 128) + 1.5 - 128;
        place_of(s, i)[1] = 4 * (double)(i / 128) + 2.5 - 128;
    }
    const double K[] = {4, 6, 8, 12, 16, 30, 64, 200, 1e5};
    for (size_t k = 0; k < sizeof K / sizeof *K; k++) {
        s->style.smooth = K[k];
        scene_draw(s);
        double level = fmin(2 + log2(K[k]) / 2, log2(SIDE / 8)); /* largest footprints: an eighth of the height */
        for (int i = 20; i < SIDE; i += 27) {
            double found = pixel(s, i, 200 - i / 2, 0) / pixel(s, i, 200 - i / 2, 3);
            assert_true(found > level - 1. / 16 - 1e-4 && found < level + 1e-4);
            assert_true(fabs(pixel(s, i, 200 - i / 2, 3) - 1. / 16) < (K[k] < 8 ? 0.02 : 4e-3)); /* smooth */
        }
    }
    /* 4 in each pixel: below level 0 */
    for (uint64_t i = 0; i < s->bodies.n; i++) {
        place_of(s, i)[0] = 0.5 * (double)(i % 128) + 0.25 + SIDE / 2 - 32;
        place_of(s, i)[1] = 0.5 * (double)(i / 128) + 0.25 + SIDE / 2 - 32;
    }
    for (double few = 1. / 64; few < 4; few *= 3) {
        s->style.smooth = few;
        scene_draw(s);
        double level = -0.5 * log2(4 / few), found = pixel(s, SIDE / 2, SIDE / 2, 0) / pixel(s, SIDE / 2, SIDE / 2, 3);
        assert_true(found > level - 1. / 16 - 1e-4 && found < level + 1e-4);
    }
    scene_close(s);
}

/* Light of a dense square whose edges are those of cells of every level stays near it. */
static void test_edge(void **state)
{
    (void)state;
    const int side = 64, corner = 256;
    struct scene *s = scene_open(512, 512, 128 * 128);
    for (uint64_t i = 0; i < s->bodies.n; i++) {
        place_of(s, i)[0] = corner + 0.5 * (double)(i % 128) + 0.25;
        place_of(s, i)[1] = corner + 0.5 * (double)(i / 128) + 0.25;
    }
    for (double K = 10; K < 100; K *= 4) {
        double far = 0;
        s->style.smooth = K;
        scene_draw(s);
        for (int y = 0; y < 512; y++)
            for (int x = 0; x < 512; x++)
                if (abs(2 * x + 1 - 2 * corner - side) > 3 * side || abs(2 * y + 1 - 2 * corner - side) > 3 * side)
                    far += pixel(s, x, y, 3);
        assert_true(far < 1e-4 * s->sums.put); /* farther away than it is wide */
    }
    scene_close(s);
}

/* ---- sums ---- */

static void check_sums(struct scene *s)
{
    double sum = 0;
    scene_draw(s);
    for (int y = 0; y < s->style.height; y++)
        for (int x = 0; x < s->style.width; x++)
            sum += pixel(s, x, y, 3);
    assert_true(fabs(s->sums.picture - sum) <= 1e-6 * sum);
    assert_true(fabs(s->sums.picture + s->sums.margins - s->sums.put) <= 1e-5 * s->sums.put);
    assert_true(s->sums.margins >= 0 && s->sums.put > 0);
}

static void test_sums(void **state)
{
    (void)state;
    const int sizes[][2] = {{64, 48}, {1, 1}, {17, 131}, {333, 217}, {400, 33}};
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
        for (int way = 0; way < 16; way++) {
            struct scene *s = scene_open(sizes[z][0], sizes[z][1], 5000);
            fill_clusters(s, 5, 0.9 * s->style.height); /* many are beside the picture */
            s->style.smooth = way & 1 ? 12 : 0;
            s->style.radius = way & 2 ? 4.1 : 1.5;
            s->style.bloom = way & 4 ? 0.2 : 0;
            s->style.stars = way & 1 && way & 2 ? 0.1 : 0;
            s->view.inverse_distance = way & 8 ? 0.7 / s->style.height : 0;
            check_sums(s);
            scene_close(s);
        }
}

/* What is put is what the bodies have: their number; in perspective the sum of 1/depth^2. */
static void test_light_put(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct scene *s = scene_open(300, 200, 4000);
        double light = 0;
        fill_clusters(s, 3, 40);
        s->style.smooth = way & 1 ? 12 : 0;
        s->style.bloom = 0.15;
        s->view.inverse_distance = way & 2 ? 1 / 150. : 0;
        if (way & 2) { /* about the point looked at */
            s->view.middle_x = s->view.centre[0] = 150;
            s->view.middle_y = s->view.centre[1] = 100;
        }
        for (uint64_t i = 0; i < s->bodies.n; i++)
            light += pow(1 - place_of(s, i)[2] * s->view.inverse_distance, -2);
        scene_draw(s);
        assert_true(fabs(s->sums.put - light) < 1e-5 * light);
        assert_true(s->sums.picture > 0.97 * light);
        scene_close(s);
    }
}

/* A sum of 2^24 in single precision does not grow by less than 1. */
static void test_no_stagnation(void **state)
{
    (void)state;
    const uint64_t n = 1000000;
    for (int adapts = 0; adapts < 2; adapts++) {
        struct scene *s = scene_open(64, 64, n);
        float *light = malloc(n * sizeof *light);
        for (uint64_t i = 0; i < n; i++) {
            place_of(s, i)[0] = place_of(s, i)[1] = 20 + 0.5 / 2048;
            light[i] = i == 0 ? 0x1p24f : 0.9f;
        }
        s->bodies.light = light;
        s->style.smooth = adapts ? 12 : 0;
        scene_draw(s);
        const double sum = 0x1p24 + 0.9 * (double)(n - 1);
        assert_true(fabs(s->sums.picture - sum) < 1e-5 * sum);
        const double part = spline(0.5 - 0.5 / 2048) * spline(0.5 - 0.5 / 2048);
        assert_true(adapts || fabs(pixel(s, 20, 20, 3) - sum * part) < 1e-5 * sum);
        free(light);
        scene_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_body),      cmocka_unit_test(test_bloom_and_stars),
        cmocka_unit_test(test_many_bodies),   cmocka_unit_test(test_values),
        cmocka_unit_test(test_two_puts),      cmocka_unit_test(test_levels),
        cmocka_unit_test(test_edge),          cmocka_unit_test(test_plain_after_others),
        cmocka_unit_test(test_sums),          cmocka_unit_test(test_light_put),
        cmocka_unit_test(test_no_stagnation), cmocka_unit_test(test_between_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
