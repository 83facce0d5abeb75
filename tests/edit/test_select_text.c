/* The text of conditions: names, rejected texts, limits of depth and length. */
#include "select_bodies.h"

/* ---- names ---- */

static void a_column_of_that_name_wins(void **state)
{
    (void)state;
    struct nb_bodies b;
    unsigned char mask[4];
    free(make(&b, 4));
    assert_int_equal(apply("x == 100 || star == 100", &b, mask), 0);
    assert_int_equal(nb_bodies_add(&b, "x", NB_U8, 1, "-"), 0);
    assert_int_equal(nb_bodies_add(&b, "star", NB_F32, 1, "-"), 0);
    assert_int_equal(nb_bodies_alloc(&b), 0);
    for (uint64_t i = 0; i < 4; i++) {
        put(&b, "x", i, 0, i == 1 ? 100 : 0);
        put(&b, "star", i, 0, i == 2 ? 100 : 0);
        put(&b, "component", i, 0, i == 3 ? NB_STAR : 0);
    }
    assert_int_equal(apply("x == 100 || star == 100", &b, mask), 2);
    assert_memory_equal(mask, ((unsigned char[]){0, 1, 1, 0}), 4);
    assert_int_equal(apply("star", &b, mask), 1); /* the component */
    assert_int_equal(mask[3], 1);
    nb_bodies_free(&b);
}

static void component_names(void **state)
{
    (void)state;
    static const char *const names[] = {"other", "halo", "disk", "bulge", "star", "hole", "planet", "gas"};
    for (unsigned k = 0; k < 8; k++) {
        assert_string_equal(nb_component_name(k), names[k]);
        assert_int_equal(nb_component_parse(names[k]), k);
    }
    assert_null(nb_component_name(8));
    assert_int_equal(nb_component_parse("stars"), -1);
    assert_int_equal(nb_component_parse(""), -1);
}

/* ---- what is refused ---- */

static void refused_texts(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "character 1: expected a column, a number or (, found the end"},
        {"x <", "character 4: expected a column, a number or (, found the end"},
        {"x < 1 &&", "character 9: expected a column, a number or (, found the end"},
        {"x < 1 y", "character 7: expected an operator or the end, found 'y'"},
        {"(x < 1", "character 7: expected an operator or ), found the end"},
        {"x < 1)", "character 6: expected an operator or the end, found ')'"},
        {"x = 1", "character 3: expected an operator or the end, found '=' (== && and || are of two)"},
        {"x < 1 & y < 2", "character 7: expected an operator or the end, found '&' (== && and || are of two)"},
        {"x", "character 1: expected a condition such as speed < 0.5, found a number"},
        {"x + 1", "character 1: expected a condition such as speed < 0.5, found a number"},
        {"x < 1 && y", "character 10: expected a condition such as speed < 0.5, found a number"},
        {"!x < 1", "character 2: expected a condition such as speed < 0.5, found a number"},
        {"0 < x < 1", "character 1: expected a number, found a condition"},
        {"1 + (x < 1)", "character 5: expected a number, found a condition"},
        {"-(x < 1) < 1", "character 2: expected a number, found a condition"},
        {"(x < 1)^2 < 1", "character 1: expected a number, found a condition"},
        {"abs(x < 1) < 1", "character 5: expected a number, found a condition"},
        {"abs x < 1", "character 5: expected an operator or the end, found 'x'"},
        {"abs(x, y) < 1", "character 6: expected an operator or ), found ','"},
        {"min(x) < 1", "character 6: expected a comma and a second number, found ')'"},
        {"disk,stars", "character 6: expected a component (other halo disk bulge star hole planet gas), found 'stars'"},
        {"disk,", "character 6: expected a component (other halo disk bulge star hole planet gas), found the end"},
        {"disks,star", "character 6: expected an operator or the end, found ','"},
        {"disk,star < 3", "character 1: expected a number, found a condition"},
        {"x < 0x10", "character 5: expected a column, a number or (, found '0x10'"},
        {"x < 1e999", "character 5: expected a column, a number or (, found '1e999'"},
        {"x < 10kpc", "character 5: expected a column, a number or (, found '10kpc'"},
        {"x < 1.2.3", "character 5: expected a column, a number or (, found '1.2.3'"},
        {"pos.w < 1", "character 1: expected a column, a number or (, found 'pos.w'"},
        {"x < \xc3\xa9", "character 5: expected a column, a number or (, found '\xc3\xa9'"},
        {"x < 1;", "character 6: expected an operator or the end, found ';'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct nb_select *s = nb_select_parse(cases[k][0]);
        if (s || strncmp(nb_error(), cases[k][1], strlen(cases[k][1])) != 0)
            fail_msg("%s: %s", cases[k][0], s ? "taken" : nb_error());
    }
}

static void refused_columns(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"x < 1 && galaxies == 2",
         "character 10: unknown column 'galaxies'; columns: mass pos vel id component galaxy age temperature field, and from these x y z vx vy vz ax ay az r speed m"},
        {"Mass < 1", "character 1: unknown column 'Mass'"},
        {"acc.x < 1", "character 1: unknown column 'acc'"},
        {"mass.x < 1", "character 1: column 'mass' is not a vector, so it has no .x"},
    };
    struct nb_bodies b;
    unsigned char mask[2];
    uint64_t count;
    free(make(&b, 2));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct nb_select *s = nb_select_parse(cases[k][0]);
        assert_non_null(s);
        assert_int_equal(nb_select_apply(s, &b, mask, &count), -1);
        if (strncmp(nb_error(), cases[k][1], strlen(cases[k][1])) != 0)
            fail_msg("%s: %s", cases[k][0], nb_error());
        nb_select_free(s);
    }
    nb_bodies_drop(&b, "component");
    struct nb_select *s = nb_select_parse("disk");
    assert_int_equal(nb_select_apply(s, &b, mask, &count), -1);
    assert_non_null(strstr(nb_error(), "unknown column 'component'"));
    nb_select_free(s);
    nb_bodies_free(&b);
}

/* `before` and `after` count times about a condition. */
static char *nested(const char *before, const char *after, int count)
{
    char *text = malloc((size_t)count * (strlen(before) + strlen(after)) + 32), *at = text;
    for (int k = 0; k < count; k++)
        at = stpcpy(at, before);
    at = stpcpy(at, "x < 1");
    for (int k = 0; k < count; k++)
        at = stpcpy(at, after);
    return text;
}

static void depth_and_length(void **state)
{
    (void)state;
    static const char *const forms[][2] = {{"(", ")"}, {"!(", ")"}, {"abs(", ")"},
                                           {"-", ""},  {"1^", ""},  {"x<1||(", ")"}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        for (int count = 1000; count <= 1000000; count *= 1000) {
            char *text = nested(forms[k][0], forms[k][1], count);
            assert_null(nb_select_parse(text));
            assert_non_null(strstr(nb_error(), count == 1000 ? "nested parentheses" : "more than 65536 characters"));
            free(text);
        }
    struct nb_bodies b;
    unsigned char mask[3];
    struct body *bodies = make(&b, 3);
    char *deep = nested("(", ")", 150), *wide = nested("x < 1 || ", "", 6000);
    const uint64_t want = (bodies[0].x < 1) + (bodies[1].x < 1) + (bodies[2].x < 1);
    assert_int_equal(apply(deep, &b, mask), want);
    assert_int_equal(apply(wide, &b, mask), want);
    free(deep);
    free(wide);
    free(bodies);
    nb_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_of_that_name_wins),
        cmocka_unit_test(component_names),
        cmocka_unit_test(refused_texts),
        cmocka_unit_test(refused_columns),
        cmocka_unit_test(depth_and_length),
    };
    return cmocka_run_group_tests_name("select_text", tests, NULL, NULL);
}
