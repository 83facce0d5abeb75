/* Lines, rectangles and text over a picture: where light is and how much, against areas written here. Text is held to
 * what must be so in any font; without FreeType or a font its tests are skipped. */
#include "error.h"
#include "nbrender/overlay/draw.h"
#include "nbrender/overlay/rounding.c"
#include "nbrender/overlay/shown_unit.c"
#include "nbrender/overlay/text.h"
#include "nbrender/overlay/utf8.h"
#include "tool.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    abort();
}

static const uint16_t white[3] = {PICTURE_FULL, PICTURE_FULL, PICTURE_FULL};

static struct picture black(int width, int height)
{
    struct picture p = {.width = width, .height = height};
    for (int k = 0; k < 3; k++)
        assert_non_null(p.plane[k] = calloc((size_t)width * (size_t)height, sizeof *p.plane[k]));
    return p;
}

static void free_picture(struct picture *p)
{
    for (int k = 0; k < 3; k++)
        free(p->plane[k]);
}

static void fill(struct picture *p, uint16_t level)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < p->width * p->height; i++)
            p->plane[k][i] = level;
}

static double level(const struct picture *p, int x, int y)
{
    return p->plane[0][y * p->width + x] / (double)PICTURE_FULL;
}

/* Of all levels, and the mean place of the light. */
static double light(const struct picture *p, double middle[2])
{
    double sum = 0;
    middle[0] = middle[1] = 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            sum += level(p, x, y);
            middle[0] += (x + 0.5) * level(p, x, y);
            middle[1] += (y + 0.5) * level(p, x, y);
        }
    middle[0] /= sum;
    middle[1] /= sum;
    return sum;
}

struct box {
    int left, top, right, bottom; /* of what is lit; right and bottom are beside it */
};

static struct box box_of(const struct picture *p)
{
    struct box b = {p->width, p->height, 0, 0};
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            if (level(p, x, y) > 0) {
                b.left = x < b.left ? x : b.left;
                b.top = y < b.top ? y : b.top;
                b.right = x >= b.right ? x + 1 : b.right;
                b.bottom = y + 1;
            }
    return b;
}

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

/* ---- UTF-8 ---- */

static int encode(uint32_t sign, char *to)
{
    if (sign < 0x80)
        return sprintf(to, "%c", (int)sign);
    if (sign < 0x800)
        return sprintf(to, "%c%c", (int)(0xc0 | sign >> 6), (int)(0x80 | (sign & 63)));
    if (sign < 0x10000)
        return sprintf(to, "%c%c%c", (int)(0xe0 | sign >> 12), (int)(0x80 | (sign >> 6 & 63)),
                       (int)(0x80 | (sign & 63)));
    return sprintf(to, "%c%c%c%c", (int)(0xf0 | sign >> 18), (int)(0x80 | (sign >> 12 & 63)),
                   (int)(0x80 | (sign >> 6 & 63)), (int)(0x80 | (sign & 63)));
}

static void every_sign_is_decoded(void **state)
{
    (void)state;
    for (uint32_t sign = 1; sign < 0x120000; sign++) {
        char text[8];
        const char *next = text;
        bool good = sign <= 0x10ffff && !(sign >= 0xd800 && sign < 0xe000);
        text[encode(sign, text)] = 0;
        assert_int_equal(utf8_next(&next), good ? sign : UTF8_BAD);
        if (good)
            assert_int_equal(utf8_next(&next), 0);
    }
}

static void other_bytes_are_replaced_one_by_one(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int bad; /* before the x */
    } cases[] = {{"\x80x", 1},
                 {"\xffx", 1},
                 {"\xc3x", 1},
                 {"\xe2\x82x", 2},
                 {"\xc0\xafx", 2},
                 {"\xe0\x80\xafx", 3},
                 {"\xed\xa0\x80x", 3},
                 {"\xf0\x80\x80\xafx", 4},
                 {"\xf4\x90\x80\x80x", 4},
                 {"\xf5\x80\x80\x80x", 4},
                 {"\xfe\xffx", 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *next = cases[k].bytes;
        for (int i = 0; i < cases[k].bad; i++)
            assert_int_equal(utf8_next(&next), UTF8_BAD);
        assert_int_equal(utf8_next(&next), 'x');
        assert_int_equal(utf8_next(&next), 0);
    }
    const char *cut = "\xf0\x9f\x98"; /* does not read behind the end */
    for (int i = 0; i < 3; i++)
        assert_int_equal(utf8_next(&cut), UTF8_BAD);
    assert_int_equal(utf8_next(&cut), 0);
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

/* ---- text ---- */

static struct text *open_or_skip(double size_px)
{
    struct text *t = text_open(size_px);
    if (!t) {
        print_message("# skipped: %s\n", nb_error());
        skip();
    }
    return t;
}

static void text_stands_where_it_should(void **state)
{
    (void)state;
    struct text *t = open_or_skip(24);
    for (int align = TEXT_LEFT; align <= TEXT_RIGHT; align++) {
        struct picture p = black(400, 100);
        double width = text_width(t, "H0H8H"), left = 200.3 - width * align / 2;
        text_draw(t, &p, 200.3, 60.6, (enum text_align)align, white, 1, "H0H8H");
        struct box b = box_of(&p);
        assert_true(b.left >= left - 1 && b.left < left + 6 && b.right <= left + width + 1 &&
                    b.right > left + width - 6);
        assert_true(fabs(b.bottom - 60.6) < 1.7 && fabs(b.top - (60.6 - text_height(t))) < 1.7);
        free_picture(&p);
    }
    assert_true(text_height(t) > 0.5 * 24 && text_height(t) < 24 && text_depth(t) < 12 && text_line(t) >= 24);
    text_close(t);
}

/* Half a pixel to the right is half a pixel in the picture, in both directions. */
static void text_moves_smoothly(void **state)
{
    (void)state;
    struct text *t = open_or_skip(20);
    struct picture p = black(200, 60);
    double first[2], sum = 0;
    for (int k = 0; k < 5; k++) {
        double middle[2];
        fill(&p, 0);
        text_draw(t, &p, 20 + 0.25 * k, 30 + 0.25 * k, TEXT_LEFT, white, 0.7, "t = 12.5");
        double all = light(&p, middle);
        if (k == 0)
            memcpy(first, middle, sizeof first), sum = all;
        assert_true(fabs(middle[0] - first[0] - 0.25 * k) < 0.05 && fabs(middle[1] - first[1] - 0.25 * k) < 0.05);
        assert_true(fabs(all / sum - 1) < 0.01);
    }
    free_picture(&p);
    text_close(t);
}

static void digits_are_equally_wide(void **state)
{
    (void)state;
    struct text *t = open_or_skip(17);
    double zero = text_width(t, "000.00");
    for (char c = '1'; c <= '9'; c++) {
        const char number[] = {c, c, c, '.', c, c, 0};
        assert_true(text_width(t, number) == zero ||
                    fabs(text_width(t, number) - zero) < 0.7); /* kerning of the point */
        const char whole[] = {c, '0', c, '1', 0};
        assert_true(text_width(t, whole) == text_width(t, "0000"));
    }
    assert_true(text_width(t, "abc") > 0 && text_width(t, "abcabc") > 1.8 * text_width(t, "abc"));
    assert_true(text_width(t, "") == 0);
    text_close(t);
}

/* Bright ground gets darker about the letters, and stays as it is further away. */
static void text_has_a_dark_rim(void **state)
{
    (void)state;
    struct text *t = open_or_skip(24);
    struct picture p = black(120, 60);
    fill(&p, PICTURE_FULL);
    text_draw(t, &p, 20, 40, TEXT_LEFT, white, 1, "H8");
    double least = 1;
    for (int y = 0; y < 60; y++)
        for (int x = 0; x < 120; x++)
            least = fmin(least, level(&p, x, y));
    assert_true(least < 0.5 && level(&p, 5, 5) == 1 && level(&p, 110, 50) == 1);
    free_picture(&p);
    text_close(t);
}

static void text_is_cut_off_at_the_borders(void **state)
{
    (void)state;
    struct text *t = open_or_skip(24);
    struct picture p = black(60, 30), whole = black(180, 90);
    text_draw(t, &p, -20, 8, TEXT_LEFT, white, 1, "HHHHHHHHH");
    text_draw(t, &whole, 40, 38, TEXT_LEFT, white, 1, "HHHHHHHHH");
    for (int y = 0; y < 30; y++)
        for (int x = 0; x < 60; x++)
            assert_true(level(&p, x, y) == level(&whole, x + 60, y + 30));
    fill(&p, 0);
    const double far[] = {1e300, -1e300, INFINITY, NAN, 1e9, -1e9};
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        text_draw(t, &p, far[k], 10, TEXT_RIGHT, white, 1, "H");
        text_draw(t, &p, 10, far[k], TEXT_CENTRE, white, 1, "H");
    }
    assert_int_equal(box_of(&p).right, 0);
    free_picture(&p);
    free_picture(&whole);
    text_close(t);
}

/* Any bytes: none crashes, all stay where the width says; control characters take no place. */
static void hostile_text_is_harmless(void **state)
{
    (void)state;
    struct text *t = open_or_skip(12);
    struct picture p = black(64, 32);
    uint64_t seed = 1;
    char bytes[200];
    for (int k = 0; k < 300; k++) {
        size_t size = (size_t)k % 40 + 1;
        for (size_t i = 0; i < size; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (char)(seed >> 56);
        }
        bytes[size] = 0;
        double width = text_width(t, bytes);
        assert_true(width >= 0 && width < 40 * 12 * 4);
        text_draw(t, &p, 2, 20, TEXT_LEFT, white, 1, bytes);
    }
    assert_true(text_width(t, "a\x1b\x07\n\r\t\x7f"
                              "b") == text_width(t, "ab"));
    assert_true(text_width(t, "\xff") > 0);
    static char endless[1000000];
    memset(endless, '8', sizeof endless - 1);
    assert_true(text_width(t, endless) < 1.01 * TEXT_LONGEST * text_width(t, "8"));
    free_picture(&p);
    text_close(t);
    for (size_t k = 0; k < 5; k++) {
        struct text *odd = text_open((double[]){0, -1, NAN, 1e300, 4}[k]);
        assert_non_null(odd);
        text_close(odd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_cover_their_area),
        cmocka_unit_test(lines_cover_their_area),
        cmocka_unit_test(lines_are_cut_off_at_the_borders),
        cmocka_unit_test(paths_fade_and_do_not_add_up),
        cmocka_unit_test(every_sign_is_decoded),
        cmocka_unit_test(other_bytes_are_replaced_one_by_one),
        cmocka_unit_test(round_numbers_are_the_next_ones),
        cmocka_unit_test(numbers_are_told_apart),
        cmocka_unit_test(units_fit_what_is_told),
        cmocka_unit_test(text_stands_where_it_should),
        cmocka_unit_test(text_moves_smoothly),
        cmocka_unit_test(digits_are_equally_wide),
        cmocka_unit_test(text_has_a_dark_rim),
        cmocka_unit_test(text_is_cut_off_at_the_borders),
        cmocka_unit_test(hostile_text_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
