/* Conditions on bodies: against plain C, one body at a time, and against a tree of random expressions. */
#include "error.h"
#include "select/select.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BIG ((uint64_t)1 << 53)

static uint64_t next_random(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct body { /* what a frame has, as C sees it */
    double mass, x, y, z, vx, vy, vz, temperature;
    float fx, fy, fz;
    uint64_t id, galaxy;
    unsigned component;
    uint32_t age;
};

static void put(struct nb_bodies *b, const char *name, uint64_t i, int k, double value)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    const size_t at = (size_t)i * (size_t)c->width + (size_t)k;
    switch (c->type) {
    case NB_F32: ((float *)c->data)[at] = (float)value; break;
    case NB_F64: ((double *)c->data)[at] = value; break;
    case NB_U8: ((uint8_t *)c->data)[at] = (uint8_t)value; break;
    case NB_U32: ((uint32_t *)c->data)[at] = (uint32_t)value; break;
    default: fail();
    }
}

static double some_number(uint64_t *seed)
{
    static const double special[] = {0, 1, -1, 2, 0.5, 1e200, -1e-200, 3};
    const uint64_t z = next_random(seed);
    return z % 4 == 0 ? special[z / 4 % 8] : (double)(z >> 11) * 0x1p-51 - 2;
}

static struct body some_body(uint64_t *seed, uint64_t i)
{
    struct body b = {some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0};
    if (i % 7 == 3)
        b.temperature = i % 2 ? NAN : INFINITY;
    b.fx = (float)i, b.fy = (float)some_number(seed), b.fz = 1;
    b.id = i % 3 == 0 ? BIG + i : i;
    b.galaxy = i % 5 == 0 ? b.id + 1 : i % 5 == 1 ? UINT64_MAX - i : b.id;
    b.component = (unsigned)(next_random(seed) % 8);
    b.age = (uint32_t)next_random(seed);
    return b;
}

/* A frame of n such bodies, and the same as an array. */
static struct body *make(struct nb_bodies *b, uint64_t n)
{
    struct body *bodies = malloc((n + 1) * sizeof *bodies);
    uint64_t seed = n;
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add_known(b, "mass", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "pos", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "vel", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "id", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "component", NB_F64), 0);
    assert_int_equal(nb_bodies_add(b, "galaxy", NB_U64, 1, "-"), 0);
    assert_int_equal(nb_bodies_add(b, "age", NB_U32, 1, "T"), 0);
    assert_int_equal(nb_bodies_add(b, "temperature", NB_F64, 1, "-"), 0);
    assert_int_equal(nb_bodies_add(b, "field", NB_F32, 3, "-"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (uint64_t i = 0; i < n; i++) {
        const struct body o = bodies[i] = some_body(&seed, i);
        const double pos[3] = {o.x, o.y, o.z}, vel[3] = {o.vx, o.vy, o.vz}, field[3] = {o.fx, o.fy, o.fz};
        for (int k = 0; k < 3; k++) {
            put(b, "pos", i, k, pos[k]);
            put(b, "vel", i, k, vel[k]);
            put(b, "field", i, k, field[k]);
        }
        put(b, "mass", i, 0, o.mass);
        put(b, "component", i, 0, o.component);
        put(b, "age", i, 0, o.age);
        put(b, "temperature", i, 0, o.temperature);
        ((uint64_t *)nb_bodies_find(b, "id")->data)[i] = o.id;
        ((uint64_t *)nb_bodies_find(b, "galaxy")->data)[i] = o.galaxy;
    }
    return bodies;
}

static double length(double x, double y, double z)
{
    return hypot(hypot(x, y), z);
}

/* ---- conditions with their meaning in C ---- */

#define CASE(name, text, meaning)                   \
    static bool name(const struct body *restrict b) \
    {                                               \
        (void)b;                                    \
        return meaning;                             \
    }
#define CASES(DO)                                                                                                    \
    DO(c1, "component == disk && speed < 0.5", b->component == 2 && length(b->vx, b->vy, b->vz) < 0.5)               \
    DO(c2, "id < 1000", b->id < 1000)                                                                                \
    DO(c3, "mass < 2 || !(x > 0.1)", b->mass < 2 || !(b->x > 0.1))                                                   \
    DO(c4, "disk,star", b->component == 2 || b->component == 4)                                                      \
    DO(c5, "hole", b->component == 5)                                                                                \
    DO(c6, "!halo && (gas,planet, bulge || other)",                                                                  \
       b->component != 1 && (b->component == 7 || b->component == 6 || b->component == 3 || b->component == 0))      \
    DO(c7, "component >= bulge", b->component >= 3)                                                                  \
    DO(c8, "id == 9007199254740993", b->id == BIG + 1)                                                               \
    DO(c9, "id != 9007199254740993", b->id != BIG + 1)                                                               \
    DO(d1, "9007199254740995>id", BIG + 3 > b->id)                                                                   \
    DO(d2, "id<=9007199254740997", b->id <= BIG + 5)                                                                 \
    DO(d3, "id > 9007199254740995 && id >= 9007199254741001", b->id > BIG + 3 && b->id >= BIG + 9)                   \
    DO(d4, "galaxy == id", b->galaxy == b->id)                                                                       \
    DO(d5, "id < galaxy", b->id < b->galaxy)                                                                         \
    DO(d6, "id % 10 == 3", b->id % 10 == 3)                                                                          \
    DO(d7, "galaxy % 1k >= 17 && galaxy % 7 != 1", b->galaxy % 1000 >= 17 && b->galaxy % 7 != 1)                     \
    DO(d8, "id > -1 && id > 99.5 && 1e3 >= id", b->id > 99 && b->id <= 1000)                                         \
    DO(d9, "id != 2.5 && !(id == 2.5) && id < 1e30 && id < 18446744073709551616", true)                              \
    DO(e1, "id < -0.5 || id >= 1e19k || galaxy > 18446744073709551615", false)                                       \
    DO(e2, "galaxy >= 18446744073709551600", b->galaxy >= UINT64_MAX - 15)                                           \
    DO(e3, "x*x + y^2 < 1 && -2^2 == -4 && 2^3^2 == 512 && 2^-1 == 0.5", b->x * b->x + pow(b->y, 2) < 1)             \
    DO(e4, "x - y - z < x / y / z", b->x - b->y - b->z < b->x / b->y / b->z)                                         \
    DO(e5, "1 + 2*3 == 7 && (1 + 2)*3 == 9 && 7 % 4 == 3 && -7 % 4 == -3 && 6/4 == 1.5", true)                       \
    DO(e6, "x < 0 || y < 0 && z < 0", b->x < 0 || (b->y < 0 && b->z < 0))                                            \
    DO(e7, "abs(x) < abs(-y) && sqrt(abs(z)) < 1", fabs(b->x) < fabs(b->y) && sqrt(fabs(b->z)) < 1)                  \
    DO(e8, "min(x, y) < 0 && max(x, vz) > 0.5", fmin(b->x, b->y) < 0 && fmax(b->x, b->vz) > 0.5)                     \
    DO(e9, "log10(r) < 0", log10(length(b->x, b->y, b->z)) < 0)                                                      \
    DO(f1, "r < 1.5 && pos < 1.5 && m == mass", length(b->x, b->y, b->z) < 1.5)                                      \
    DO(f2, "pos.x < vel.y && vx < vel.z + vy", b->x < b->vy && b->vx < b->vz + b->vy)                                \
    DO(f3, "field < 7.5 || field.y > 1", length(b->fx, b->fy, b->fz) < 7.5 || b->fy > 1)                             \
    DO(f4, "vel > 1e199", length(b->vx, b->vy, b->vz) > 1e199)                                                       \
    DO(f5, "temperature != 1", b->temperature<1 || b->temperature> 1)                                                \
    DO(f6, "!(temperature == temperature)", isnan(b->temperature))                                                   \
    DO(f7, "temperature > 0 || temperature <= 0 || min(temperature,1) < 9", !isnan(b->temperature))                  \
    DO(f8, "sqrt(x) >= 0", b->x >= 0)                                                                                \
    DO(f9, "age < 1.5G && age >= 2Mi || age<4k", (b->age < 1500000000u && b->age >= 2u << 20) || b->age < 4000)      \
    DO(g1, "+x>- - -.5e0\t\n&&0.25e+1>1.E-3", b->x > -0.5)                                                           \
    DO(g2, "2 * component == 4", b->component == 2)                                                                  \
    DO(g4, "id < 100.5", b->id <= 100)                                                                               \
    DO(g5, "id <= 100.5 && 1.5 <= id", b->id <= 100 && b->id >= 2)                                                   \
    DO(g6, "9007199254740995<id", BIG + 3 < b->id)                                                                   \
    DO(g7, "4<=id && 1000>=id", 4 <= b->id && 1000 >= b->id)                                                         \
    DO(g8, "id > -1 && -1 <= id && id != -1 && !(id == -1)", true)                                                   \
    DO(g9, "vel < 1e201 && vel > 1e199", length(b->vx, b->vy, b->vz) < 1e201 && length(b->vx, b->vy, b->vz) > 1e199) \
    DO(h1, "r == 0", b->x == 0 && b->y == 0 && b->z == 0)                                                            \
    DO(h2, "r < 1e-199", length(b->x, b->y, b->z) < 1e-199)                                                          \
    DO(g3, "((((x)))<(1))", b->x < 1)
CASES(CASE)
#define ENTRY(name, text, meaning) {text, name},

static uint64_t apply(const char *text, const struct nb_bodies *b, unsigned char *mask)
{
    uint64_t count = 0;
    struct nb_select *s = nb_select_parse(text);
    if (!s)
        fail_msg("%s: %s", text, nb_error());
    if (nb_select_apply(s, b, mask, &count))
        fail_msg("%s: %s", text, nb_error());
    nb_select_free(s);
    return count;
}

static void check_as_in_c(uint64_t n)
{
    static const struct {
        const char *text;
        bool (*meaning)(const struct body *);
    } cases[] = {CASES(ENTRY)};
    struct nb_bodies b;
    struct body *bodies = make(&b, n);
    unsigned char *mask = malloc(n + 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint64_t count = 0;
        memset(mask, 7, n + 1);
        const uint64_t found = apply(cases[k].text, &b, mask);
        for (uint64_t i = 0; i < n; i++) {
            if (mask[i] != cases[k].meaning(&bodies[i]))
                fail_msg("%s: body %" PRIu64 " of %" PRIu64 ": %d", cases[k].text, i, n, mask[i]);
            count += mask[i];
        }
        assert_int_equal(found, count);
        assert_int_equal(mask[n], 7);
    }
    free(mask);
    free(bodies);
    nb_bodies_free(&b);
}

static void as_in_c(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 2, 1023, 1024, 1025, 50000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        check_as_in_c(sizes[k]);
}

/* ---- random expressions, with a value of their own ---- */

struct random_text {
    char text[1 << 14];
    size_t at;
    uint64_t seed;
    const struct body *b;
};

static void add(struct random_text *t, const char *text)
{
    t->at += (size_t)snprintf(t->text + t->at, sizeof t->text - t->at, "%s", text);
}

/* Writes a number and returns its value for the body; every operation is in parentheses, so that order is explicit. */
static double random_number(struct random_text *t, int depth)
{
    const uint64_t z = next_random(&t->seed) >> 8;
    const struct body *b = t->b;
    if (depth == 0 || z % 4 == 0) {
        static const char *const names[] = {"mass", "x", "vel.z", "temperature", "component", "0.75", "disk", "age"};
        const double values[] = {b->mass, b->x, b->vz, b->temperature, b->component, 0.75, 2, b->age};
        add(t, names[z / 4 % 8]);
        return values[z / 4 % 8];
    }
    if (z % 4 == 1) {
        add(t, "-(");
        const double a = random_number(t, depth - 1);
        add(t, ")");
        return -a;
    }
    static const char *const signs[] = {" + ", "-", "* ", "/"};
    add(t, "(");
    const double a = random_number(t, depth - 1);
    add(t, signs[z / 4 % 4]);
    const double c = random_number(t, depth - 1);
    add(t, ")");
    return z / 4 % 4 == 0 ? a + c : z / 4 % 4 == 1 ? a - c : z / 4 % 4 == 2 ? a * c : a / c;
}

static bool random_comparison(struct random_text *t, uint64_t z)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    const double a = random_number(t, 3);
    add(t, signs[z % 6]);
    const double c = random_number(t, 3);
    const bool values[] = {a<c, a <= c, a> c, a >= c, a == c, a < c || a > c};
    return values[z % 6];
}

static bool random_condition(struct random_text *t, int depth)
{
    const uint64_t z = next_random(&t->seed) >> 8;
    if (depth == 0 || z % 4 == 0)
        return random_comparison(t, z / 4);
    add(t, z % 4 == 1 ? "!(" : "(");
    const bool a = random_condition(t, depth - 1);
    bool result = !a;
    if (z % 4 > 1) {
        add(t, z % 4 == 2 ? " && " : "||");
        const bool c = random_condition(t, depth - 1);
        result = z % 4 == 2 ? a && c : a || c;
    }
    add(t, ")");
    return result;
}

static void random_expressions(void **state)
{
    (void)state;
    enum { N = 40 };
    struct nb_bodies b;
    struct body *bodies = make(&b, N);
    unsigned char mask[N];
    static struct random_text t;
    int held = 0;
    for (uint64_t k = 0; k < 500; k++)
        for (int i = 0; i < N; i++) {
            t.seed = k << 20;
            t.at = 0;
            t.b = &bodies[i];
            const bool holds = random_condition(&t, 4);
            if (i == 0)
                apply(t.text, &b, mask);
            if (mask[i] != holds)
                fail_msg("body %d: %s", i, t.text);
            held += holds;
        }
    assert_in_range(held, 500 * N / 5, 500 * N * 4 / 5);
    free(bodies);
    nb_bodies_free(&b);
}

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
        {"", "character 1: a column, a number or ( is wanted, not the end"},
        {"x <", "character 4: a column, a number or ( is wanted, not the end"},
        {"x < 1 &&", "character 9: a column, a number or ( is wanted, not the end"},
        {"x < 1 y", "character 7: an operator or the end is wanted, not 'y'"},
        {"(x < 1", "character 7: an operator or ) is wanted, not the end"},
        {"x < 1)", "character 6: an operator or the end is wanted, not ')'"},
        {"x = 1", "character 3: an operator or the end is wanted, not '=' (== && and || are of two)"},
        {"x < 1 & y < 2", "character 7: an operator or the end is wanted, not '&' (== && and || are of two)"},
        {"x", "character 1: a condition is wanted, not a number"},
        {"x + 1", "character 1: a condition is wanted, not a number"},
        {"x < 1 && y", "character 10: a condition is wanted, not a number"},
        {"!x < 1", "character 2: a condition is wanted, not a number"},
        {"0 < x < 1", "character 1: a number is wanted, not a condition"},
        {"1 + (x < 1)", "character 5: a number is wanted, not a condition"},
        {"-(x < 1) < 1", "character 2: a number is wanted, not a condition"},
        {"(x < 1)^2 < 1", "character 1: a number is wanted, not a condition"},
        {"abs(x < 1) < 1", "character 5: a number is wanted, not a condition"},
        {"abs x < 1", "character 5: an operator or the end is wanted, not 'x'"},
        {"abs(x, y) < 1", "character 6: an operator or ) is wanted, not ','"},
        {"min(x) < 1", "character 6: a comma and a second number is wanted, not ')'"},
        {"disk,stars", "character 6: a component (other halo disk bulge star hole planet gas) is wanted, not 'stars'"},
        {"disk,", "character 6: a component (other halo disk bulge star hole planet gas) is wanted, not the end"},
        {"disks,star", "character 6: an operator or the end is wanted, not ','"},
        {"disk,star < 3", "character 1: a number is wanted, not a condition"},
        {"x < 0x10", "character 5: a column, a number or ( is wanted, not '0x10'"},
        {"x < 1e999", "character 5: a column, a number or ( is wanted, not '1e999'"},
        {"x < 10kpc", "character 5: a column, a number or ( is wanted, not '10kpc'"},
        {"x < 1.2.3", "character 5: a column, a number or ( is wanted, not '1.2.3'"},
        {"pos.w < 1", "character 1: a column, a number or ( is wanted, not 'pos.w'"},
        {"x < \xc3\xa9", "character 5: a column, a number or ( is wanted, not '\xc3\xa9'"},
        {"x < 1;", "character 6: an operator or the end is wanted, not ';'"},
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
        {"x < 1 && galaxies == 2", "character 10: there is no column 'galaxies', only mass pos vel id component galaxy "
                                   "age temperature field, and of these x y z vx vy vz r speed m"},
        {"Mass < 1", "character 1: there is no column 'Mass'"},
        {"acc.x < 1", "character 1: there is no column 'acc'"},
        {"mass.x < 1", "character 1: column 'mass' is no vector, so that it has no .x"},
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
    assert_non_null(strstr(nb_error(), "there is no column 'component'"));
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
            assert_non_null(strstr(nb_error(), count == 1000 ? "within one another" : "more than 65536 characters"));
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

/* ---- taking the bodies ---- */

static void check_taken(const struct nb_bodies *from, const unsigned char *mask, const struct nb_bodies *to)
{
    assert_int_equal(to->column_count, from->column_count);
    assert_true(to->meta.time == from->meta.time);
    assert_int_equal(to->meta.history_count, from->meta.history_count);
    for (int c = 0; c < from->column_count; c++) {
        const struct nb_column *a = &from->columns[c], *t = &to->columns[c];
        const size_t size = nb_type_size(a->type) * (size_t)a->width;
        uint64_t at = 0;
        assert_string_equal(t->name, a->name);
        for (uint64_t i = 0; i < from->n; i++)
            if (mask[i])
                assert_memory_equal((char *)t->data + size * at++, (char *)a->data + size * i, size);
        assert_int_equal(at, to->n);
    }
}

static void taking(void **state)
{
    (void)state;
    static const char *const texts[] = {"id >= 0", "x < 0", "id % 3 == 1", "x < 0", "id < 0", "star", "star"};
    struct nb_bodies b, taken;
    const uint64_t n = 200000;
    unsigned char *mask = malloc(n);
    free(make(&b, n));
    b.meta.time = 7;
    assert_int_equal(nb_meta_add_history(&b.meta, "1 - a b c d"), 0);
    nb_bodies_init(&taken);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const uint64_t count = apply(texts[k], &b, mask);
        const void *before = taken.column_count ? taken.columns[0].data : NULL;
        assert_int_equal(nb_select_take(&b, mask, count, &taken), 0);
        assert_int_equal(taken.n, count);
        check_taken(&b, mask, &taken);
        if (k == 6)
            assert_ptr_equal(taken.columns[0].data, before);
    }
    nb_bodies_free(&taken);
    nb_bodies_free(&b);
    free(mask);
}

static void equal_for_any_number_of_threads(void **state)
{
    (void)state;
    const uint64_t n = 100000;
    struct nb_bodies b;
    unsigned char *one = malloc(n), *many = malloc(n);
    free(make(&b, n));
    const char *text = "log10(r) * sin < 0.1 || min(speed, 1) < 0.7";
    assert_int_equal(nb_bodies_add(&b, "sin", NB_F64, 1, "-"), 0);
    assert_int_equal(nb_bodies_alloc(&b), 0);
    for (uint64_t i = 0; i < n; i++)
        put(&b, "sin", i, 0, sin((double)i));
    omp_set_num_threads(1);
    const uint64_t count = apply(text, &b, one);
    for (int threads = 2; threads < 8; threads++) {
        omp_set_num_threads(threads);
        assert_int_equal(apply(text, &b, many), count);
        assert_memory_equal(one, many, n);
    }
    assert_in_range(count, n / 10, n - n / 10);
    nb_bodies_free(&b);
    free(one);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_in_c),
        cmocka_unit_test(random_expressions),
        cmocka_unit_test(component_names),
        cmocka_unit_test(a_column_of_that_name_wins),
        cmocka_unit_test(refused_texts),
        cmocka_unit_test(refused_columns),
        cmocka_unit_test(taking),
        cmocka_unit_test(depth_and_length),
        cmocka_unit_test(equal_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
