/* Text over a picture: properties that hold in any font. Without FreeType or a font the tests are skipped. */
#include "render_ground.h"

#include "base/error.h"
#include "common/tool_utf8.h"
#include "nbrender/overlay/overlay.h"

atomic_int tool_signal;

void warn(const char *format, ...)
{
    (void)format;
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
        assert_true(fabs(b.bottom - 60.6) < 1.7 && fabs(b.top - (60.6 - t->height)) < 1.7);
        free_picture(&p);
    }
    assert_true(t->height > 0.5 * 24 && t->height < 24 && t->depth < 12 && t->line >= 24);
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
            least = level(&p, x, y) < least ? level(&p, x, y) : least; /* fmin would break gcc 12 for Arm */
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
        cmocka_unit_test(every_sign_is_decoded),          cmocka_unit_test(other_bytes_are_replaced_one_by_one),
        cmocka_unit_test(text_stands_where_it_should),    cmocka_unit_test(text_moves_smoothly),
        cmocka_unit_test(digits_are_equally_wide),        cmocka_unit_test(text_has_a_dark_rim),
        cmocka_unit_test(text_is_cut_off_at_the_borders), cmocka_unit_test(hostile_text_is_harmless),
    };
    return cmocka_run_group_tests_name("render_text", tests, NULL, NULL);
}
