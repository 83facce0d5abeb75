/* Contours against the geometry of lines and circles. The part of the tool is compiled into this test. */
#include "common/dies.h"
#include "nbrender/map/contours.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WIDTH  101
#define HEIGHT 80

static float value[WIDTH * HEIGHT];

static void fill(double (*f)(double x, double y))
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            value[y * WIDTH + x] = (float)f(x + 0.5, y + 0.5);
}

static double slope(double x, double y)
{
    return 0.1 * x + 0.02 * y;
}

static double cone(double x, double y)
{
    return 1000 - hypot(x - 50, y - 40);
}

static double bowl(double x, double y)
{
    return 7 + 1e-9 * hypot(x - 50, y - 40);
}

static struct contours lines(int count, const double *level, double width)
{
    return (struct contours){.count = count, .level = level, .width = width, .opacity = 1};
}

static double cover(const struct contours *c, int x, int y)
{
    return contours_cover(c, &(struct contour_field){value, WIDTH, HEIGHT}, x, y);
}

/* A line is as wide as it is said to be, wherever it lies between pixels, and lies about its middle. */
static void width_and_place(void **state)
{
    (void)state;
    const double level[] = {3.1, 6.2}, width[] = {0.5, 1, 1.7, 3};
    fill(slope);
    for (int k = 0; k < 4; k++) {
        const struct contours c = lines(2, level, width[k]);
        double all = 0;
        for (int y = 5; y < HEIGHT - 5; y++) {
            double sum = 0, moment = 0;
            for (int x = 0; x < WIDTH; x++)
                if (slope(x + 0.5, y + 0.5) < 4.5) {
                    sum += cover(&c, x, y);
                    moment += cover(&c, x, y) * (x + 0.5);
                }
            const double expected = width[k] * hypot(0.1, 0.02) / 0.1; /* along a row: the line is a little aslant */
            assert_true(width[k] < 1 || fabs(sum - expected) < 0.05 * expected);
            all += sum / expected / (HEIGHT - 10);
            assert_true(width[k] < 1 || fabs(moment / sum - (3.1 - 0.02 * (y + 0.5)) / 0.1) < 0.15);
        }
        assert_true(fabs(all - 1) < 0.03);
    }
}

static void circles(void **state)
{
    (void)state;
    const double level[] = {970, 980, 990};
    const struct contours c = lines(3, level, 1);
    fill(cone);
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            const double r = hypot(x + 0.5 - 50, y + 0.5 - 40);
            const double off = fmin(fabs(r - 10), fmin(fabs(r - 20), fabs(r - 30)));
            assert_true(off > 1.1 ? cover(&c, x, y) == 0 : off > 0.3 || cover(&c, x, y) > 0.5);
        }
}

/* The bowl's bottom is flat, and nearly at the level all over: no line crosses there. */
static void nothing_where_nothing_crosses(void **state)
{
    (void)state;
    const double below[] = {7 - 1e-6}, beside[] = {-INFINITY, 0.001, 2000};
    const struct contours c = lines(1, below, 1), far = lines(3, beside, 1);
    fill(bowl);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            assert_true(cover(&c, x, y) == 0 && cover(&far, x, y) == 0);
}

/* What is not a number, or infinite, has no line and disturbs none elsewhere. */
static void places_without_a_value(void **state)
{
    (void)state;
    const double level[] = {980};
    const struct contours c = lines(1, level, 1);
    fill(cone);
    value[40 * WIDTH + 30] = NAN;
    value[20 * WIDTH + 50] = -INFINITY;
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            const double r = hypot(x + 0.5 - 50, y + 0.5 - 40), got = cover(&c, x, y);
            const double bad = fmin(hypot(x - 30, y - 40), hypot(x - 50, y - 20));
            assert_true(got >= 0 && got <= 1);
            assert_true(bad < 3 || (fabs(r - 20) > 1.1 ? got == 0 : fabs(r - 20) > 0.3 || got > 0.5));
        }
    assert_true(cover(&c, 30, 40) == 0);
}

/* Every pixel up to the edges goes from what it was towards white, where it is bright towards black, by the share that
 * a line covers. */
static void drawn_over_a_picture(void **state)
{
    (void)state;
    static uint16_t plane[3][WIDTH * HEIGHT];
    const double level[] = {1, 3, 5, 7, 9};
    struct contours c = lines(5, level, 2);
    struct picture p = {.width = WIDTH, .height = HEIGHT, .plane = {plane[0], plane[1], plane[2]}};
    c.opacity = 0.5;
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < WIDTH * HEIGHT; k++)
            plane[d][k] = (uint16_t)(1000 * d + 5 * k);
    }
    fill(slope);
    contours_draw(&c, &(struct contour_field){value, WIDTH, HEIGHT}, &p);
    int at_edges = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const double share = 0.5 * cover(&c, x, y);
            at_edges += share > 0.1 && (x == 0 || x == WIDTH - 1 || y == 0 || y == HEIGHT - 1);
            for (int d = 0; d < 3; d++) {
                const int k = y * WIDTH + x;
                const double ground = 5 * k + 1000 * (0.7152 + 2 * 0.0722), line = ground > 0.6 * 65535 ? 0 : 65535;
                const double before = 1000 * d + 5 * k, want = before + share * (line - before);
                assert_true(fabs(plane[d][y * WIDTH + x] - want) <= 0.5001);
            }
        }
    assert_true(at_edges > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width_and_place),
        cmocka_unit_test(circles),
        cmocka_unit_test(nothing_where_nothing_crosses),
        cmocka_unit_test(places_without_a_value),
        cmocka_unit_test(drawn_over_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
