/* The tree on several GPUs by domains (lib/force/tree/cuda/tree_together.cu): equal to the field of one GPU, bitwise
 * if no sum has another order, for any domain boundaries. Parts may lie on one GPU, so one GPU is enough. */
#include "common/devices.h"
#include "common/made_bodies.h"
#include "device/choose.h"
#include "gpu_parts.h"

#define BODIES 1100000 /* the tree has domains from 2^20 on */

/* ---- bodies ---- */

enum system { CLUSTER, CUBE, LUMPS, DISK, SYSTEMS };

static const char *const system_names[] = {"cluster", "cube", "lumps", "disk"};

/* A Plummer sphere's positions, and some far outside; a cube; the same with every third body at one of 50 places; a
 * thin disk beside the middle. */
static void place(enum system system, uint64_t i, uint64_t *seed, double x[3])
{
    const double u = uniform01(seed), c = 2 * uniform01(seed) - 1, angle = 6.283185307179586 * uniform01(seed);
    const double s = sqrt(1 - c * c), r = 1 / sqrt(pow(u + 1e-9, -2.0 / 3) - 1 + 1e-9);
    if (system == CLUSTER) {
        const double far = i % 9999 == 0 ? 300 : 1;
        x[0] = far * r * s * cos(angle), x[1] = far * r * s * sin(angle), x[2] = far * r * c;
        return;
    }
    x[0] = u, x[1] = c, x[2] = angle;
    if (system == LUMPS && i % 3 == 0)
        for (int k = 0; k < 3; k++)
            x[k] = 0.1 * (double)((i / 3 * (uint64_t)(k + 7)) % 50);
    if (system == DISK)
        x[0] = 10 + sqrt(u) * cos(angle), x[1] = sqrt(u) * sin(angle), x[2] = 1e-3 * c;
}

static void make_system(struct nb_bodies *b, enum system system)
{
    uint64_t seed = 5;
    make_bodies(b, BODIES, 0);
    for (uint64_t i = 0; i < BODIES; i++) {
        place(system, i, &seed, (double *)b->columns[1].data + 3 * i);
        ((double *)b->columns[0].data)[i] = i % 5 ? uniform01(&seed) / BODIES : 0;
    }
}

/* ---- fields ---- */

struct fields { /* of all bodies, as they come from the device */
    double *a, *phi;
};

static void fetch_fields(const struct nb_state *s, void *d_phi, struct fields *f)
{
    struct nb_column a = {.type = NB_F64, .width = 3, .data = f->a}, phi = {.type = NB_F64, .width = 1, .data = f->phi};
    assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
    assert_int_equal(nb_state_fetch(s, d_phi, &phi), 0);
}

static struct fields new_fields(void)
{
    return (struct fields){malloc(BODIES * 3 * sizeof(double)), malloc(BODIES * sizeof(double))};
}

static void free_fields(struct fields *f)
{
    free(f->a);
    free(f->phi);
}

static struct nb_force_set open_tree(struct nb_device *d, enum nb_precision precision)
{
    return open_force(d, precision, NB_WANT_ACC | NB_WANT_PHI, "tree", NAN);
}

/* The tree's fields, computed `times` times, the last of them fetched; `domains`: whether it is to have had some. */
static void compute_with(const struct nb_force_set *set, const struct nb_bodies *b, enum nb_precision precision,
                         int times, bool domains, struct fields *f)
{
    struct nb_device *d = set->device;
    struct nb_state *s = nb_state_create(d, precision, b);
    assert_non_null(s);
    void *phi = nb_state_vector(s);
    assert_int_equal(nb_timing_begin(d), 0);
    for (int again = 0; again < times; again++)
        if (nb_force_set_evaluate_state(set, nb_forces_all, s, 1, 0.01, s->a, phi))
            fail_msg("%s", nb_error());
    assert_int_equal(has_stage(d, "exchange trees"), domains);
    nb_timing_end(d);
    fetch_fields(s, phi, f);
    nb_device_free(d, phi);
    nb_state_destroy(s);
}

static void compute(struct nb_device *d, const struct nb_bodies *b, enum nb_precision precision, int times,
                    bool domains, struct fields *f)
{
    struct nb_force_set set = open_tree(d, precision);
    compute_with(&set, b, precision, times, domains, f);
    nb_force_set_close(&set);
}

/* The sum that conserves momentum has another order: the last bit. */
static void compare(const struct fields *many, const struct fields *one, enum nb_precision precision, int parts)
{
    double largest = 0, most = 0;
    for (uint64_t i = 0; i < 3 * BODIES; i++) {
        largest = fmax(largest, fabs(one->a[i]));
        most = fmax(most, fabs(one->a[i] - many->a[i]));
        if (i < BODIES && one->phi[i] != many->phi[i])
            fail_msg("potential of body %d in %d parts: %.17g is not %.17g", (int)i, parts, many->phi[i], one->phi[i]);
    }
    if (!(largest > 0 && most <= largest * (precision == NB_SINGLE ? 1.2e-7 : 1e-15)))
        fail_msg("%d parts: accelerations differ by %g of %g", parts, most, largest);
}

static void check_parts(const struct nb_bodies *b, enum nb_precision precision, int parts, const struct fields *one)
{
    struct nb_device *group = open_parts(parts);
    struct fields many[2] = {new_fields(), new_fields()};
    compute(group, b, precision, 1, true, &many[0]);
    compute(group, b, precision, 4, true, &many[1]); /* the domains have moved */
    compare(&many[0], one, precision, parts);
    assert_memory_equal(many[0].a, many[1].a, 3 * BODIES * sizeof(double));
    assert_memory_equal(many[0].phi, many[1].phi, BODIES * sizeof(double));
    free_fields(&many[0]);
    free_fields(&many[1]);
    nb_device_close(group);
}

static void fields_are_those_of_one(void **state)
{
    const enum system system = (enum system)(intptr_t)*state;
    struct nb_bodies b;
    struct nb_device *device = nb_device_choose("cuda");
    struct fields one = new_fields();
    make_system(&b, system);
    for (int precision = NB_SINGLE; precision <= NB_DOUBLE; precision++) {
        compute(device, &b, (enum nb_precision)precision, 1, false, &one);
        for (int parts = 2; parts <= 7; parts += precision == NB_SINGLE ? parts - 1 : 3) /* 2, 3, 5; 2, 5 */
            check_parts(&b, (enum nb_precision)precision, parts, &one);
    }
    compute(device, &b, NB_SINGLE, 1, false, &one);
    check_parts(&b, NB_SINGLE, 7, &one);
    free_fields(&one);
    nb_device_close(device);
    nb_bodies_free(&b);
}

/* ---- lists of targets ---- */

static const uint64_t list_lengths[] = {BODIES / 3, BODIES - 1, 1000, 1};

static uint32_t *make_list(void)
{
    uint32_t *list = malloc(BODIES * sizeof *list);
    for (uint64_t k = 0; k < BODIES; k++)
        list[k] = (uint32_t)(k * 7 % BODIES); /* neither sorted nor divided as the bodies are */
    return list;
}

/* Fetches a vector that each part has whole, and compares the parts. */
static void fetch_whole(struct nb_device *d, const void *d_a, size_t bytes, void *a, void *other)
{
    assert_int_equal(nb_device_from(d, a, d_a, bytes), 0);
    for (int k = 1; nb_device_is_group(d) && k < nb_group_count(d); k++) {
        assert_int_equal(nb_device_from(nb_group_part(d, k), other, nb_group_at(d, d_a, k), bytes), 0);
        assert_memory_equal(other, a, bytes);
    }
}

/* Computes the accelerations of the list's first `count` bodies, in the device's precision; a: with the state's stride.
 */
static void compute_list(struct nb_device *d, const struct nb_bodies *b, enum nb_precision precision, uint64_t count,
                         bool domains, void *a, void *other)
{
    struct nb_force_set set = open_tree(d, precision);
    struct nb_state *s = nb_state_create(d, precision, b);
    uint32_t *list = make_list(), *d_list = nb_device_alloc(d, BODIES * sizeof *list);
    const size_t bytes = 3 * s->stride * nb_precision_size(precision);
    void *d_a = nb_device_alloc(d, bytes);
    const struct nb_sources from = nb_sources_of(s, 1, 0.01);
    const struct nb_targets t = {.n = count, .stride = s->stride, .x = s->x, .index = d_list};
    const struct nb_field out = {.stride = s->stride, .a = d_a};
    memset(a, 0, bytes);
    assert_int_equal(nb_device_to(d, d_a, a, bytes) || nb_device_to(d, d_list, list, BODIES * sizeof *list), 0);
    assert_int_equal(nb_timing_begin(d), 0);
    for (int again = 0; again < 2; again++) /* with other domains */
        if (nb_force_set_evaluate(&set, nb_forces_all, precision, &from, &t, &out))
            fail_msg("%s", nb_error());
    assert_int_equal(has_stage(d, "exchange trees"), domains);
    nb_timing_end(d);
    fetch_whole(d, d_a, bytes, a, other);
    nb_device_free(d, d_a);
    nb_device_free(d, d_list);
    free(list);
    nb_state_destroy(s);
    nb_force_set_close(&set);
}

static void lists_are_those_of_one(void **state)
{
    const size_t room = 3 * (BODIES + 1024) * sizeof(double);
    void *one = malloc(room), *many = malloc(room), *other = malloc(room);
    struct nb_device *device = nb_device_choose("cuda");
    struct nb_bodies b;
    (void)state;
    make_system(&b, CLUSTER);
    for (int precision = NB_SINGLE; precision <= NB_DOUBLE; precision++)
        for (size_t k = 0; k < sizeof list_lengths / sizeof *list_lengths; k++) {
            compute_list(device, &b, (enum nb_precision)precision, list_lengths[k], false, one, other);
            for (int parts = 2; parts <= 5; parts += 3) {
                struct nb_device *group = open_parts(parts);
                memset(many, 0, room);
                compute_list(group, &b, (enum nb_precision)precision, list_lengths[k], true, many, other);
                const size_t element = nb_precision_size((enum nb_precision)precision);
                assert_memory_equal(many, one, 3 * (size_t)BODIES * element);
                nb_device_close(group);
            }
        }
    free(one);
    free(many);
    free(other);
    nb_device_close(device);
    nb_bodies_free(&b);
}

/* All at one place, but for a few: no domain can be cut, and shares serve. */
static void make_lump(struct nb_bodies *b)
{
    make_system(b, CUBE);
    for (uint64_t i = 0; i < 3 * (BODIES - 100); i++)
        ((double *)b->columns[1].data)[i] = 0.5;
}

static void check_nowhere(struct nb_device *group, const struct nb_bodies *b, enum nb_precision precision,
                          struct fields *f)
{
    compute(group, b, precision, 1, false, f);
    for (uint64_t i = 0; i < BODIES; i++)
        assert_true(isnan(f->a[3 * i]) && isnan(f->phi[i]));
}

/* A body that is nowhere, or where single precision has no numbers: no field is. */
static void what_has_no_domains(void **state)
{
    struct nb_bodies b;
    struct nb_device *group = open_parts(3);
    struct fields f = new_fields();
    (void)state;
    make_lump(&b);
    double *x = b.columns[1].data;
    compute(group, &b, NB_SINGLE, 2, false, &f);
    for (uint64_t i = 0; i < 3 * BODIES; i++)
        assert_true(isfinite(f.a[i]));
    x[3 * 1234 + 1] = NAN;
    check_nowhere(group, &b, NB_SINGLE, &f);
    nb_bodies_free(&b);
    make_system(&b, CUBE);
    ((double *)b.columns[1].data)[3 * 1234 + 1] = 1e39;
    check_nowhere(group, &b, NB_MIXED, &f);
    free_fields(&f);
    nb_device_close(group);
    nb_bodies_free(&b);
}

/* In one run, whatever shares there were, and where the bodies were before. */
static void domains_follow_shares(void **state)
{
    struct nb_bodies lump, cube, disk;
    struct nb_device *device = nb_device_choose("cuda"), *group = open_parts(3);
    struct fields one = new_fields(), many = new_fields();
    struct nb_force_set set = open_tree(group, NB_SINGLE);
    (void)state;
    make_lump(&lump);
    make_system(&cube, CUBE);
    make_system(&disk, DISK);
    compute(device, &cube, NB_SINGLE, 1, false, &one);
    for (int again = 0; again < 2; again++) {
        compute_with(&set, &lump, NB_SINGLE, 1, false, &many);
        compute_with(&set, &disk, NB_SINGLE, 2, true, &many);
        compute_with(&set, &cube, NB_SINGLE, 1, true, &many);
        compare(&many, &one, NB_SINGLE, 3);
    }
    nb_force_set_close(&set);
    free_fields(&one);
    free_fields(&many);
    nb_device_close(group);
    nb_device_close(device);
    nb_bodies_free(&lump);
    nb_bodies_free(&cube);
    nb_bodies_free(&disk);
}

int main(void)
{
    struct CMUnitTest tests[SYSTEMS + 3] = {cmocka_unit_test(what_has_no_domains),
                                            cmocka_unit_test(domains_follow_shares),
                                            cmocka_unit_test(lists_are_those_of_one)};
    for (int k = 0; k < SYSTEMS; k++)
        tests[k + 3] = (struct CMUnitTest){system_names[k], fields_are_those_of_one, NULL, NULL, (void *)(intptr_t)k};
    return run_gpu_tests("domains", tests, SYSTEMS + 3);
}
