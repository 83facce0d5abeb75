/* The force of post-Newtonian terms on lists, ranges, several devices and a device with separate memory, compared with
 * a sum over pairs. */
#include "base/units.h"
#include "force/pn/pn.h"
#include "group_pair.h"
#include "step/step.h"

#define HOLES 3

static const uint64_t holes[HOLES] = {0, 7, 4321};

static struct nb_meta units(void)
{
    return (struct nb_meta){.G = 1, .units = {"test", NB_LIGHT_CGS, 1, 10}}; /* c = 10 */
}

static void make_holes(struct nb_bodies *b)
{
    assert_int_equal(nb_bodies_add_known(b, "component", NB_U8), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    uint8_t *component = nb_bodies_find(b, "component")->data;
    memset(component, NB_STAR, b->n);
    for (int k = 0; k < HOLES; k++)
        component[holes[k] % b->n] = NB_BLACK_HOLE;
}

static struct nb_force_set open_pn(struct nb_device *device, enum nb_precision precision, const char *order)
{
    const struct nb_meta meta = units();
    struct nb_force_set set;
    struct nb_force_spec spec;
    nb_force_set_init(&set, device);
    assert_int_equal(nb_force_parse(order, &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, precision, NB_WANT_ACC | NB_WANT_PHI, 1, &meta), 0);
    return set;
}

/* Accelerations and potentials of `count` targets, added to 1 if `add`. */
static void field_of(struct nb_state *s, const struct nb_force_set *set, struct nb_targets t, bool add, double *a,
                     double *phi)
{
    void *d_a = nb_state_vector(s), *d_phi = nb_state_row(s);
    const struct nb_sources sources = nb_sources_of(s, 1, 0);
    const struct nb_field out = {.stride = s->stride, .a = d_a, .phi = d_phi, .add = add};
    double *ones = malloc(s->n * sizeof *ones);
    for (uint64_t i = 0; i < s->n; i++)
        ones[i] = 1;
    assert_int_equal(nb_device_store(s->device, s->precision, s->n, s->stride, 1, ones, NB_F64, d_phi), 0);
    t.stride = s->stride, t.x = t.x ? t.x : s->x, t.v = t.v ? t.v : s->v;
    assert_int_equal(nb_force_set_evaluate(set, nb_forces_external, s->precision, &sources, &t, &out), 0);
    assert_int_equal(nb_device_fetch(s->device, s->precision, t.n, s->stride, 3, d_a, NB_F64, a), 0);
    assert_int_equal(nb_device_fetch(s->device, s->precision, t.n, s->stride, 1, d_phi, NB_F64, phi), 0);
    nb_device_free(s->device, d_a);
    nb_device_free(s->device, d_phi);
    free(ones);
}

static bool is_hole(uint64_t i, uint64_t n)
{
    for (int k = 0; k < HOLES; k++)
        if (holes[k] % n == i)
            return true;
    return false;
}

static void add_to(const struct nb_bodies *b, uint64_t i, uint64_t j, const struct nb_pn *pn, double a[3], double *phi)
{
    const double *m = b->columns[0].data, *x = b->columns[1].data, *v = b->columns[2].data;
    const struct nb_pn_body self = {m[i], {v[3 * i], v[3 * i + 1], v[3 * i + 2]}},
                            other = {m[j], {v[3 * j], v[3 * j + 1], v[3 * j + 2]}};
    const double d[3] = {x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1], x[3 * i + 2] - x[3 * j + 2]};
    nb_pn_add(pn, &self, &other, d, a);
    *phi += nb_pn_energy(pn, &self, &other, d);
}

/* Every pair with a black hole, and no other. */
static void reference(const struct nb_bodies *b, const struct nb_pn *pn, double *a, double *phi)
{
    const double *v = b->columns[2].data;
    for (uint64_t i = 0; i < b->n; i++) {
        a[3 * i] = a[3 * i + 1] = a[3 * i + 2] = 0;
        phi[i] = nb_pn_kinetic(pn, v + 3 * i);
        for (uint64_t j = 0; j < b->n; j++)
            if (j != i && (is_hole(i, b->n) || is_hole(j, b->n)))
                add_to(b, i, j, pn, a + 3 * i, phi + i);
    }
}

static void compare(const double *got, const double *want, uint64_t count, double tolerance)
{
    for (uint64_t k = 0; k < count; k++)
        if (!(fabs(got[k] - want[k]) <= tolerance * (1e-2 + fabs(want[k]))))
            fail_msg("value %d is %.17g, not %.17g", (int)k, got[k], want[k]);
}

#define MANY 2500 /* more than two blocks of a sum */

static void check_targets(struct nb_device *device)
{
    struct nb_bodies b;
    double *want = malloc(32 * MANY), *got = malloc(32 * MANY), *phi = want + 3 * MANY, *got_phi = got + 3 * MANY;
    uint32_t list[100];
    make_cloud(&b, MANY);
    make_holes(&b);
    reference(&b, &(struct nb_pn){1, 10, 4}, want, phi);
    for (int precision = NB_SINGLE; precision <= NB_DOUBLE; precision++) {
        const double digits = precision == NB_SINGLE ? 2e-3 : 1e-10; /* of sums over close pairs */
        struct nb_force_set set = open_pn(device, (enum nb_precision)precision, "pn:2");
        struct nb_state *s = nb_state_create(device, (enum nb_precision)precision, &b);
        assert_int_equal(nb_force_set_read_columns(&set, &b, s), 0);
        field_of(s, &set, (struct nb_targets){.n = MANY}, false, got, got_phi);
        compare(got, want, 3 * MANY, digits);
        compare(got_phi, phi, MANY, digits);
        double *all = malloc(32 * MANY);
        memcpy(all, got, 32 * MANY);
        for (uint32_t k = 0; k < 100; k++)
            list[k] = 7 * k;
        void *d_list = nb_device_alloc(device, sizeof list);
        assert_int_equal(nb_device_to(device, d_list, list, sizeof list), 0);
        field_of(s, &set, (struct nb_targets){.n = 100, .index = d_list}, false, got, got_phi);
        for (uint32_t k = 0; k < 100; k++)
            assert_true(got[3 * k + 1] == all[3 * list[k] + 1] && got_phi[k] == all[3 * MANY + list[k]]);
        field_of(s, &set, (struct nb_targets){.n = 100, .self = 64}, true, got, got_phi);
        for (uint32_t k = 0; k < 100; k++) { /* the potential is added to 1 */
            assert_true(got[3 * k + 2] == all[3 * (k + 64) + 2]);
            assert_true(fabs(got_phi[k] - 1 - all[3 * MANY + k + 64]) < 1e-6);
        }
        field_of(s, &set, (struct nb_targets){.n = 100, .self = -1}, false, got, got_phi);
        for (int k = 0; k < 100; k++)
            assert_true(got[3 * k] == 0 && got_phi[k] == 0);
        free(all);
        nb_device_free(device, d_list);
        nb_state_destroy(s);
        nb_force_set_close(&set);
    }
    nb_bodies_free(&b);
    free(want);
    free(got);
}

static void all_lists_ranges_and_free_points(void **state)
{
    struct nb_device *device = device_of(*state);
    if (!device)
        skip();
    check_targets(device);
}

/* Bits of one device, whatever others there are. */
static void fields_are_those_of_one_device(void **state)
{
    struct pair p = make_pair(*state, NB_DOUBLE, BODIES);
    struct nb_state *const states[] = {p.on_one, p.on_many};
    double *values[2];
    make_holes(&p.bodies);
    for (int k = 0; k < 2; k++) {
        struct nb_force_set set = open_pn(states[k]->device, NB_DOUBLE, "pn:2.5");
        values[k] = calloc(4 * BODIES, sizeof(double));
        assert_true(nb_force_set_flags(&set) & NB_OPEN);
        assert_int_equal(nb_force_set_read_columns(&set, &p.bodies, states[k]), 0);
        field_of(states[k], &set, (struct nb_targets){.n = BODIES}, false, values[k], values[k] + 3 * BODIES);
        nb_force_set_close(&set);
    }
    assert_memory_equal(values[0], values[1], 32 * BODIES);
    assert_true(values[0][0] != 0);
    free(values[0]);
    free(values[1]);
    free_pair(&p);
}

/* The CPU under another name: rows are copied as those of a GPU are. */
static void rows_of_a_device_are_copied(void **state)
{
    struct nb_device_kind *kind = malloc(sizeof *kind), here = *cpu_alone()->kind;
    struct nb_device *device = cpu_alone();
    const struct nb_device_kind *const own = device->kind;
    (void)state;
    memcpy(kind, &here, sizeof here);
    kind->host = false;
    device->kind = kind;
    check_targets(device);
    device->kind = own;
    free(kind);
}

static void what_cannot_be_is_refused(void **state)
{
    struct nb_meta meta = units();
    struct nb_force_set set;
    struct nb_force_spec spec;
    (void)state;
    nb_force_set_init(&set, cpu_alone());
    assert_int_equal(nb_force_parse("pn:3", &spec), -1);
    assert_int_equal(nb_force_parse("pn", &spec), -1);
    assert_int_equal(nb_force_parse("pn:1", &spec), 0);
    const unsigned flags = nb_force_spec_flags(&spec);
    assert_non_null(strstr(nb_scheme_refuse(nb_scheme_find("hermite4"), flags), "no jerk"));
    assert_null(nb_scheme_refuse(nb_scheme_find("hermite4-groups"), flags));
    meta.units = nb_unit_systems[0].units;
    assert_int_equal(nb_force_set_add(&set, &spec, NB_DOUBLE, NB_WANT_ACC, 1, &meta), -1);
    assert_non_null(strstr(nb_error(), "(code) have no physical size"));
    meta.units = nb_units_find("solar")->units;
    assert_true(fabs(nb_pn_light(&meta) / 63241.077 - 1) < 1e-8); /* AU in a Julian year */
}

int main(void)
{
    static struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_is_refused),
        GROUP_TEST(all_lists_ranges_and_free_points, "cpu"),
        GROUP_TEST(all_lists_ranges_and_free_points, "cuda"),
        cmocka_unit_test(rows_of_a_device_are_copied),
        GROUP_TEST(fields_are_those_of_one_device, "cpu:0-2"),
        GROUP_TEST(fields_are_those_of_one_device, "ranks:3"),
        GROUP_TEST(fields_are_those_of_one_device, "cuda:0-1"),
    };
    return run_on_groups("pn force", tests, sizeof tests / sizeof *tests, 1);
}
