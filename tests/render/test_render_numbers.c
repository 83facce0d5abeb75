/* The lines of numbers below the time, for frames with known momenta. A dummy canvas stores the text. */
#include "common/dies.h"
#include "nbrender/overlay/part_numbers.c"
#include "nbrender/overlay/rounding.c"
#include "render/render_bodies.h"

static char written[4][LINE];
static int lines;

bool canvas_take(struct canvas *c, struct canvas_box box)
{
    (void)c;
    return box.x1 > box.x0 && box.y1 > box.y0;
}

double canvas_first_line(const struct canvas *c)
{
    return c->margin;
}

void canvas_write(struct canvas *c, struct text *size, double x, double y, enum text_align align, const char *utf8)
{
    (void)c, (void)size, (void)x, (void)y, (void)align;
    snprintf(written[lines++], LINE, "%.63s", utf8);
}

double text_width(struct text *t, const char *utf8)
{
    (void)t;
    return (double)strlen(utf8);
}

static void write_lines(const struct numbers *n, double time, unsigned shown)
{
    struct text text = {.height = 1};
    struct canvas c = {.text = &text, .small = &text, .em = 10, .margin = 5};
    lines = 0;
    part_numbers(&c, numbers_at(n, time), shown);
}

/* Two bodies of mass 1 at 1 and 2 on the x axis; the second one has the velocity v along y. */
static void note(struct numbers *n, double time, uint64_t step, double v)
{
    struct nb_bodies b;
    make_bodies(&b, 2, NB_F64);
    b.meta.time = time;
    b.meta.step = step;
    for (int i = 0; i < 2; i++) {
        put(&b, 0, (uint64_t)i, 0, 1);
        put(&b, 1, (uint64_t)i, 0, 1 + i);
        put(&b, 2, (uint64_t)i, 1, i ? v : -3);
    }
    numbers_note(n, &b, true);
    nb_bodies_free(&b);
}

/* P goes from 0 to 1 of sum m |v| = 7; L from 3 to 5 of sum m |r| |v| = 11. */
static void errors_are_those_of_momenta(void **state)
{
    (void)state;
    struct numbers n = {0};
    note(&n, 0, 0, 3);
    note(&n, 1, 64, 4);
    note(&n, 1, 65, 9); /* of one time the first one counts */
    assert_int_equal(n.count, 2);
    write_lines(&n, 0.9, OVERLAY_TIME | OVERLAY_BODIES | OVERLAY_STEP | OVERLAY_MOMENTUM | OVERLAY_ANGULAR);
    assert_int_equal(lines, 4);
    assert_string_equal(written[0], "n = 2");
    assert_string_equal(written[1], "step 64");
    assert_string_equal(written[2], "\xce\x94P/\xce\xa3m|v| = 1.4e-01");
    assert_string_equal(written[3], "\xce\x94L/\xce\xa3m|r||v| = 1.8e-01");
    write_lines(&n, 0.4, OVERLAY_MOMENTUM);
    assert_int_equal(lines, 1);
    assert_string_equal(written[0], "\xce\x94P/\xce\xa3m|v| = 0.0e+00");
    free(n.of);
}

/* Streams one after the other: a time is one of the last stream. */
static void times_may_turn_back(void **state)
{
    (void)state;
    struct numbers n = {0};
    for (uint64_t k = 0; k < 6; k++)
        note(&n, (double)(k % 3), k, 3);
    for (double time = -0.4; time < 2.5; time += 0.2) {
        write_lines(&n, time, OVERLAY_STEP);
        assert_int_equal(atoi(written[0] + 5), 3 + (int)fmax(round(time), 0));
    }
    free(n.of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_of_momenta),
        cmocka_unit_test(times_may_turn_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
