/* Lines and rectangles over a picture: positions and amount of light, compared with areas that the test computes;
 * numbers and units in texts. */
#include "render_ground.h"

#include "nbrender/overlay/rounding.c"
#include "nbrender/overlay/shown_unit.c"

/* ---- rectangles and lines ---- */

static void rectangles_cover_their_area(void **state)
{
    (void)state;
    struct picture p = black(16, 12);
    draw_rectangle(&p, 2.25, 3, 7.5, 8.125, white, 1);
    double middle[2], sum = light(&p, middle);
    assert_true(fabs(sum - 5.25 * 5.125) < 1e-3);
    assert_true(fabs(level(&p, 2, 4) - 0.75) < 1e-4 && level(&p, 3, 4) == 1 && fabs(level(&p, 7, 8) - 0.0625) < 1e-4);
    fill(&p, 0);
    draw_rectangle(&p, -1e300, -5, 3, INFINITY, white, 0.5);
    assert_true(fabs(light(&p, middle) - 0.5 * 3 * 12) < 1e-3);
    fill(&p, 0);
    draw_rectangle(&p, NAN, 0, 3, 3, white, 1);
    draw_rectangle(&p, 0, 0, 3, NAN, white, 1);
    draw_rectangle(&p, 3, 3, 3, 9, white, 1);
    assert_int_equal(box_of(&p).right, 0);
    free_picture(&p);
}

/* With round ends. */
static void draw_line(struct picture *p, double x0, double y0, double x1, double y1, double width,
                      const uint16_t colour[3], double opacity)
{
    const double at[2][2] = {{x0, y0}, {x1, y1}};
    const float both[2] = {(float)opacity, (float)opacity};
    draw_polyline(p, at, both, 2, width, colour);
}

/* Whatever its direction and width, a line covers length times width, and two half circles. */
static void lines_cover_their_area(void **state)
{
    (void)state;
    struct picture p = black(80, 60);
    for (int k = 0; k < 24; k++) {
        double width = (double[]){0.3, 1, 2.5, 6}[k % 4], angle = 0.27 * k, dx = 17 * cos(angle), dy = 17 * sin(angle);
        fill(&p, 0);
        draw_line(&p, 40.3 - dx, 30.6 - dy, 40.3 + dx, 30.6 + dy, width, white, 0.8);
        double middle[2], sum = light(&p, middle), area = 34 * width;
        double ends = width >= 1 ? M_PI * width * width / 4 : width;
        assert_true(fabs(sum / 0.8 - area - ends) < 0.03 * area + 0.6);
        double off = width < 1 ? 0.35 : 0.15; /* what is within one pixel cannot be told */
        assert_true(fabs(middle[0] - 40.3) < off && fabs(middle[1] - 30.6) < off);
    }
    free_picture(&p);
}

static void lines_are_cut_off_at_the_borders(void **state)
{
    (void)state;
    struct picture p = black(40, 30), whole = black(120, 90);
    draw_line(&p, -25, -7, 61, 47, 3, white, 1);
    draw_line(&whole, 15, 23, 101, 77, 3, white, 1);
    for (int y = 0; y < 30; y++)
        for (int x = 0; x < 40; x++)
            assert_true(fabs(level(&p, x, y) - level(&whole, x + 40, y + 30)) < 1e-4);
    fill(&p, 0);
    draw_line(&p, -1e7, 10, 1e7, 10, 2, white, 1);
    double middle[2];
    assert_true(fabs(light(&p, middle) - 80) < 0.01);
    fill(&p, 0);
    draw_line(&p, -1e300, 90, 1e300, 90, 2, white, 1);
    draw_line(&p, NAN, 1, 5, 5, 2, white, 1);
    draw_line(&p, 1, 1, INFINITY, 5, 2, white, 1);
    draw_line(&p, 100, -50, 300, 80, 2, white, 1);
    draw_line(&p, 1, 1, 5, 5, 0, white, 1);
    draw_line(&p, 1, 1, 5, 5, NAN, white, 1);
    assert_int_equal(box_of(&p).right, 0);
    free_picture(&p);
    free_picture(&whole);
}

static void paths_fade_and_do_not_add_up(void **state)
{
    (void)state;
    const double at[][2] = {{10, 20}, {110, 20}, {10, 20}, {NAN, 0}, {10, 40}, {110, 40}};
    const float opacity[] = {0, 1, 0, 1, 0.5f, 0.5f};
    struct picture p = black(120, 60);
    draw_polyline(&p, at, opacity, 6, 4, white);
    for (int x = 15; x < 105; x += 10) {
        assert_true(fabs(level(&p, x, 19) - (x + 0.5 - 10) / 100) < 0.01);
        assert_true(fabs(level(&p, x, 40) - 0.5) < 0.01);
        assert_true(level(&p, x, 30) == 0);
    }
    free_picture(&p);
}

/* ---- round numbers and units ---- */

static void round_numbers_are_the_next_ones(void **state)
{
    (void)state;
    for (int k = 0; k < 3000; k++) {
        double x = pow(10, -30 + 0.02 * k), down = rounding_down(x), up = rounding_up(x);
        assert_true(down <= x * (1 + 1e-8) && up >= x * (1 - 1e-8) && x / down < 2.5 + 1e-8 && up / x < 2.5 + 1e-8);
        for (int i = 0; i < 2; i++) {
            double round = i ? up : down, mantissa = round / pow(10, floor(log10(round) + 1e-9));
            assert_true(fabs(mantissa - 1) < 1e-9 || fabs(mantissa - 2) < 1e-9 || fabs(mantissa - 5) < 1e-9);
        }
    }
    assert_true(fabs(rounding_down(0.5) - 0.5) < 1e-12 && fabs(rounding_up(0.3 - 0.1) - 0.2) < 1e-12);
}

static void numbers_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        double step;
        int decimals;
    } cases[] = {{1, 0},    {10, 0},      {0.1, 1}, {0.2, 1},      {0.5, 1}, {0.25, 2},   {0.05, 2}, {0.01, 2},
                 {1e-6, 6}, {1.0 / 3, 1}, {0, 0},   {INFINITY, 0}, {NAN, 0}, {0.0625, 2}, {2.5, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(rounding_decimals(cases[k].step), cases[k].decimals);
    char text[ROUNDING_TEXT];
    static const double odd[] = {1.7e308, -1.7e308, 5e-324, INFINITY, -INFINITY, NAN, 123456789.123};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        rounding_print(text, odd[k], 15);
        rounding_print_short(text, odd[k]);
        rounding_print_error(text, odd[k]);
    }
    rounding_print(text, -0.001, 2);
    assert_string_equal(text, "0.00");
    rounding_print(text, -0.05, 2);
    assert_string_equal(text, "\xe2\x88\x92"
                              "0.05");
    rounding_print_short(text, 0.02);
    assert_string_equal(text, "0.02");
    rounding_print_short(text, 50000);
    assert_string_equal(text, "50000");
    rounding_print_short(text, 2e-7);
    assert_string_equal(text, "2e-07");
    rounding_print_error(text, 3.21e-6);
    assert_string_equal(text, "+3.2e-06");
}

static void units_fit_what_is_told(void **state)
{
    (void)state;
    const struct nb_units galactic = {"galactic", 3.0856775814913673e21, 2e43, 3.0856775814913673e16};
    const struct nb_units solar = {"solar", 1.495978707e13, 2e33, 31557600}, code = {"code", 0, 0, 0};
    static const struct {
        double value;
        const char *length, *time;
    } cases[] = {{20, "kpc", "Gyr"}, {0.05, "pc", "Gyr"}, {1e-3, "pc", "Myr"}, {3000, "Mpc", "Gyr"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct shown_unit length = shown_unit_of_length(&galactic, cases[k].value);
        assert_string_equal(length.name, cases[k].length);
        assert_string_equal(shown_unit_of_time(&galactic, cases[k].value).name, cases[k].time);
    }
    assert_string_equal(shown_unit_of(&(struct nb_units){.name = "code"}, "K", 5000).name, "K");
    assert_true(fabs(shown_unit_of_time(&galactic, 1).factor - 0.97779) < 1e-5);
    assert_true(fabs(shown_unit_of_time(&galactic, 0.01).factor - 977.79) < 1e-2);
    assert_string_equal(shown_unit_of_time(&solar, 0.1).name, "yr");
    assert_string_equal(shown_unit_of_time(&solar, 0.01).name, "d");
    assert_true(fabs(shown_unit_of_time(&solar, 0.01).factor - 365.25) < 1e-9);
    assert_string_equal(shown_unit_of_length(&solar, 10).name, "AU");
    assert_true(fabs(shown_unit_of_length(&solar, 10).factor - 1) < 1e-12);
    assert_string_equal(shown_unit_of_length(&solar, 0.01).name, "km");
    assert_string_equal(shown_unit_of_length(&code, 10).name, "");
    struct shown_unit speed = shown_unit_of(&galactic, "L/T", 200), area = shown_unit_of(&solar, "M/L^2", 1);
    assert_string_equal(speed.name, "km/s");
    assert_true(fabs(speed.factor - 1) < 1e-9 && fabs(shown_unit_of(&solar, "L/T", 1).factor - 4.7405) < 1e-3);
    assert_string_equal(area.name, "Msun/pc\xc2\xb2");
    assert_true(fabs(area.factor / (206264.806 * 206264.806) * 1.98841e33 / solar.mass_cgs - 1) < 1e-4);
    assert_true(fabs(shown_unit_of(&galactic, "L^2/T^2", 1).factor - 1) < 1e-9);
    assert_string_equal(shown_unit_of(&galactic, "L^3", 1).name, "L^3");
    assert_string_equal(shown_unit_of(&code, "L/T", 1).name, "");
    assert_string_equal(shown_unit_of(&galactic, "-", 1).name, "");
    assert_true(shown_unit_of_length(&code, 10).factor == 1 && shown_unit_of_time(&code, 0).factor == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_cover_their_area),      cmocka_unit_test(lines_cover_their_area),
        cmocka_unit_test(lines_are_cut_off_at_the_borders), cmocka_unit_test(paths_fade_and_do_not_add_up),
        cmocka_unit_test(round_numbers_are_the_next_ones),  cmocka_unit_test(numbers_are_told_apart),
        cmocka_unit_test(units_fit_what_is_told),
    };
    return cmocka_run_group_tests_name("render_overlay", tests, NULL, NULL);
}
