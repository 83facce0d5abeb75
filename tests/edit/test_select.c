/* Conditions on bodies: compared with plain C, one body at a time, and with a tree of random expressions; extraction
 * of the selected bodies. */
#include "select_bodies.h"

#include <omp.h>

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
        cmocka_unit_test(taking),
        cmocka_unit_test(equal_for_any_number_of_threads),
    };
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
