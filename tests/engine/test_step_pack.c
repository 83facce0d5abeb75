/* Checkpoint data of steps: a run that is saved, loaded and resumed is bitwise identical to an uninterrupted one.
 * Every scheme in every precision, with fixed and with adaptive steps, with forces that keep state between
 * evaluations, on every device. Truncated, changed or foreign checkpoint data is rejected, or harmless. */
#include "base/pack.h"
#include "device/device_kind.h"
#include "kepler.h"

#define BODIES 70 /* more than a leaf of a tree */
#define STEPS  12
#define STEP   0.0078125

static const char *const forces[][2] = {
    {"direct", NULL}, {"tree:theta=0.75,rebuild=5", NULL}, {"direct", "external:drag,rate=0.3"}};

struct run {
    struct nb_force_set forces;
    struct nb_stepper p;
    struct nb_control control; /* of adaptive steps */
    nb_quad left;
};

/* Bodies in a cube, moving. */
static void make_bodies(struct nb_bodies *b, uint64_t n)
{
    uint64_t seed = 1;
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add_known(b, "mass", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "pos", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "vel", NB_F64), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (uint64_t k = 0; k < 7 * n; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double random = (double)(seed >> 11) * 0x1p-53;
        if (k < n)
            ((double *)b->columns[0].data)[k] = random / (double)n;
        else
            ((double *)b->columns[k < 4 * n ? 1 : 2].data)[(k - n) % (3 * n)] = random - 0.5;
    }
}

static void close_run(struct run *r)
{
    nb_step_end(&r->p);
    nb_force_set_close(&r->forces);
    nb_state_destroy(r->p.state);
}

/* False where forces or device do not serve the scheme or the precision. Not begun; `b` NULL: without values. */
static bool open_run(struct run *r, struct nb_device *device, int precision, const struct nb_scheme *scheme,
                     const char *const *force, const struct nb_bodies *b, uint64_t n)
{
    struct nb_force_spec spec;
    bool serves = true;
    *r = (struct run){.p = {.scheme = scheme, .G = b ? 1 : 0, .softening = b ? 0.05 : 0}, .left = b ? 0.35 : 0};
    r->control = (struct nb_control){.tolerance = 1e-5, .max_step = (double)INFINITY, .step = 0.1};
    nb_force_set_init(&r->forces, device);
    if (scheme->traits & (NB_PLANETARY | NB_REGULARISED))
        r->p.softening = 0;
    r->p.own = (struct nb_own_steps){0.2, 4};
    if (nb_scheme_refuse_state(scheme, device, (enum nb_precision)precision, b ? r->p.softening : (double)NAN))
        return false;
    for (int k = 0; k < 2 && force[k] && serves; k++) {
        assert_int_equal(nb_force_parse(force[k], &spec), 0);
        serves =
            nb_force_set_add(&r->forces, &spec, (enum nb_precision)precision, NB_WANT_ACC | scheme->want, n, NULL) == 0;
    }
    if (!serves || nb_scheme_refuse(scheme, nb_force_set_flags(&r->forces))) {
        nb_force_set_close(&r->forces);
        return false;
    }
    r->p.forces = &r->forces;
    r->p.state = b ? nb_state_create(device, (enum nb_precision)precision, b)
                   : nb_state_create_zero(device, (enum nb_precision)precision, n);
    assert_non_null(r->p.state);
    return true;
}

static int pack_run(struct run *r, struct nb_pack *k)
{
    return nb_step_pack(&r->p, k) || nb_control_pack(&r->control, k) || nb_pack_bytes(k, &r->left, sizeof r->left) ? -1
                                                                                                                   : 0;
}

/* All that was counted, to be freed. */
static unsigned char *save(struct run *r, size_t *size)
{
    struct nb_pack k = nb_pack_make(NB_PACK_COUNT, NULL, 0);
    assert_int_equal(pack_run(r, &k), 0);
    *size = k.at;
    unsigned char *data = malloc(*size);
    assert_non_null(data);
    k = nb_pack_make(NB_PACK_SAVE, data, *size);
    assert_int_equal(pack_run(r, &k), 0);
    assert_int_equal(k.at, *size);
    return data;
}

/* What a run has come to. Without the forces: the numbers of a tree's nodes differ from run to run on a GPU, and steps
 * that follow show whether its order was kept. */
static unsigned char *save_result(struct run *r, size_t *size)
{
    const int count = r->forces.count;
    r->forces.count = 0;
    unsigned char *data = save(r, size);
    r->forces.count = count;
    return data;
}

/* Saved, closed, opened again and loaded. */
static void replace(struct run *r, struct nb_device *device, const char *const *force)
{
    size_t size;
    const uint64_t n = r->p.state->n;
    const enum nb_precision precision = r->p.state->precision;
    const struct nb_scheme *scheme = r->p.scheme;
    unsigned char *data = save(r, &size);
    struct nb_pack k = nb_pack_make(NB_PACK_LOAD, data, size);
    close_run(r);
    assert_true(open_run(r, device, precision, scheme, force, NULL, n));
    if (pack_run(r, &k))
        fail_msg("%s: %s", scheme->name, nb_error());
    assert_int_equal(k.at, size);
    free(data);
}

static void advance(struct run *r, bool adaptive, uint64_t steps)
{
    if (adaptive ? nb_steps_adaptive(&r->p, &r->control, &r->left, steps) : nb_steps(&r->p, STEP, steps))
        fail_msg("%s: %s", r->p.scheme->name, nb_error());
}

/* All steps at once, and in two parts, after each of `cuts`: what they have come to is equal in every byte. */
static bool compare(struct nb_device *device, int precision, const struct nb_scheme *scheme, const char *const *force,
                    const struct nb_bodies *b, bool adaptive, const uint64_t *cuts)
{
    struct run one, two;
    size_t size[2];
    if (!open_run(&one, device, precision, scheme, force, b, b->n))
        return false;
    assert_int_equal(nb_step_begin(&one.p), 0);
    advance(&one, adaptive, STEPS);
    unsigned char *want = save_result(&one, &size[0]);
    close_run(&one);
    for (; *cuts; cuts++) {
        assert_true(open_run(&two, device, precision, scheme, force, b, b->n));
        assert_int_equal(nb_step_begin(&two.p), 0);
        advance(&two, adaptive, *cuts);
        replace(&two, device, force);
        advance(&two, adaptive, STEPS - *cuts);
        unsigned char *have = save_result(&two, &size[1]);
        close_run(&two);
        if (size[0] != size[1] || memcmp(want, have, size[0]) != 0)
            fail_msg("%s in %s, %s, cut after step %d: not the same", scheme->name,
                     nb_precision_name((enum nb_precision)precision), force[0], (int)*cuts);
        free(have);
    }
    free(want);
    return true;
}

static void compare_all(struct nb_device *device, bool adaptive, size_t least)
{
    /* What is counted depends on the step, the bytes of a number on the precision: all cuts in double, else one. */
    static const uint64_t all_cuts[] = {1, 3, 7, 0}, one_cut[] = {3, 0};
    struct nb_bodies b, few;
    size_t compared = 0;
    make_bodies(&b, BODIES);
    make_bodies(&few, 4); /* for quad, which is slow */
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        for (int precision = 0; precision < NB_PRECISIONS; precision++)
            for (size_t f = 0; f < sizeof forces / sizeof *forces; f++)
                if ((!adaptive || (*s)->traits & NB_ADAPTIVE) && (!starts_slowly(device) || precision == NB_MIXED))
                    compared += compare(device, precision, *s, forces[f], precision == NB_QUAD ? &few : &b, adaptive,
                                        precision == NB_DOUBLE ? all_cuts : one_cut);
    if (compared < least)
        fail_msg("only %d schemes with precisions and forces were compared", (int)compared);
    nb_bodies_free(&b);
    nb_bodies_free(&few);
}

/* Thirty-one schemes; three precisions with three forces, of which a few do not serve, and quad with one. OpenCL: mixed
 * with one force, which has no jerk and keeps nothing from one evaluation to the next. */
static void fixed_steps_go_on(void **state)
{
    struct nb_device *device = *state;
    compare_all(device, false, device->kind->quad ? 306 : starts_slowly(device) ? 29 : 273);
}

static void adaptive_steps_go_on(void **state)
{
    struct nb_device *device = *state;
    compare_all(device, true, device->kind->quad ? 106 : starts_slowly(device) ? 10 : 93);
}

/* On a GPU, direct summation of a large system uses the tensor cores, and the tree keeps an order of the bodies. On a
 * CPU nothing depends on the number of bodies. */
static void large_systems_go_on(void **state)
{
    static const uint64_t cuts[] = {5, 0};
    struct nb_device *device = *state;
    struct nb_bodies b;
    make_bodies(&b, 170000);
    for (int precision = 0; precision < NB_DOUBLE; precision++)
        for (size_t f = 0; f < 2; f++)
            assert_true(compare(device, precision, nb_scheme_find("leapfrog"), forces[f], &b, false, cuts));
    nb_bodies_free(&b);
}

/* What is told beforehand is enough for every scheme, but for some bytes of names and counts. */
static void estimate_is_enough(void **state)
{
    const double few = 2000;
    struct nb_bodies b;
    make_bodies(&b, BODIES);
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        struct run r;
        struct nb_pack k = nb_pack_make(NB_PACK_COUNT, NULL, 0);
        if (!scheme_serves(*s, *state, NB_DOUBLE))
            continue;
        const char *const force[] = {force_for(*s), NULL};
        assert_true(open_run(&r, *state, NB_DOUBLE, *s, force, &b, b.n));
        assert_int_equal(nb_step_begin(&r.p), 0);
        assert_int_equal(nb_step_pack(&r.p, &k), 0);
        const double told = nb_scheme_pack_bytes(*s, NB_DOUBLE, b.n);
        if ((double)k.at > told + few || (!nb_scheme_carries(*s) && (double)k.at < told))
            fail_msg("%s: %.0f bytes told, %zu there", (*s)->name, told, k.at);
        close_run(&r);
    }
    nb_bodies_free(&b);
}

/* Loads what was saved by another scheme, in another precision, of other bodies, by another force. */
static void others_are_refused(void **state)
{
    struct nb_device *device = *state;
    static const struct {
        const char *scheme, *force;
        enum nb_precision precision;
        uint64_t n;
        const char *why;
    } other[] = {
        {"rk4", "tree", NB_DOUBLE, BODIES, "saved with integrator ab5, not rk4"},
        {"ab5", "tree", NB_SINGLE, BODIES, "saved with precision double, not single"},
        {"ab5", "tree", NB_DOUBLE, BODIES + 1, "contains 70 bodies, expected 71"},
        {"ab5", "direct", NB_DOUBLE, BODIES, "saved with force tree, not direct"},
    };
    const char *const tree[] = {"tree", NULL};
    struct nb_bodies b;
    struct run r;
    size_t size;
    make_bodies(&b, BODIES);
    assert_true(open_run(&r, device, NB_DOUBLE, nb_scheme_find("ab5"), tree, &b, b.n));
    assert_int_equal(nb_step_begin(&r.p), 0);
    unsigned char *data = save(&r, &size);
    close_run(&r);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct nb_pack k = nb_pack_make(NB_PACK_LOAD, data, size);
        const char *const force[] = {other[i].force, NULL};
        assert_true(open_run(&r, device, other[i].precision, nb_scheme_find(other[i].scheme), force, NULL, other[i].n));
        assert_int_equal(pack_run(&r, &k), -1);
        assert_string_equal(nb_error(), other[i].why);
        close_run(&r);
    }
    free(data);
    nb_bodies_free(&b);
}

/* Cut anywhere: refused. A number changed anywhere: refused, or a step can be taken without harm. */
static void damage_does_no_harm(void **state)
{
    struct nb_device *device = *state;
    const struct nb_scheme *const schemes[] = {nb_scheme_find("ab5"), nb_scheme_find("bulirsch-stoer"),
                                               nb_scheme_find("p3t")};
    struct nb_bodies b;
    struct run r;
    size_t size;
    int refused = 0;
    make_bodies(&b, BODIES);
    for (int which = 0; which < 3; which++) {
        if (!scheme_serves(schemes[which], device, NB_DOUBLE))
            continue;
        assert_true(open_run(&r, device, NB_DOUBLE, schemes[which], forces[1], &b, b.n));
        assert_int_equal(nb_step_begin(&r.p), 0);
        advance(&r, which == 1, 2);
        unsigned char *data = save(&r, &size);
        close_run(&r);
        for (size_t at = 0; at < size; at += 16) {
            struct nb_pack k = nb_pack_make(NB_PACK_LOAD, data, at);
            assert_true(open_run(&r, device, NB_DOUBLE, schemes[which], forces[1], NULL, BODIES));
            assert_int_equal(pack_run(&r, &k), -1);
            close_run(&r);
        }
        for (size_t at = 0; at < size; at += at < 2000 || at > size - 3000 ? 4 : 1000) {
            data[at] ^= 0x7f;
            struct nb_pack k = nb_pack_make(NB_PACK_LOAD, data, size);
            assert_true(open_run(&r, device, NB_DOUBLE, schemes[which], forces[1], NULL, BODIES));
            if (pack_run(&r, &k))
                refused++;
            else if (which != 1)
                (void)nb_steps(&r.p, STEP, 1);
            close_run(&r);
            data[at] ^= 0x7f;
        }
        free(data);
    }
    assert_true(refused > 200);
    nb_bodies_free(&b);
}

/* ---- the tests, once for each device ---- */

static int enter(void **state)
{
    *state = device_of(*state);
    return *state ? 0 : -1;
}

int main(void)
{
    static struct CMUnitTest tests[64];
    static char names[64][100];
    static const struct {
        const char *name;
        CMUnitTestFunction function;
    } all[] = {
        {"fixed steps go on", fixed_steps_go_on},     {"adaptive steps go on", adaptive_steps_go_on},
        {"large systems go on", large_systems_go_on}, {"others are refused", others_are_refused},
        {"estimate is enough", estimate_is_enough},   {"damage does no harm", damage_does_no_harm},
    };
    size_t count = 0;
    for (const struct nb_device_kind *const *kind = nb_device_kinds; *kind; kind++)
        for (size_t k = 0; k < sizeof all / sizeof *all && device_of((*kind)->name); k++) {
            if (all[k].function == large_systems_go_on && ((*kind)->host || starts_slowly(device_of((*kind)->name))))
                continue;
            if ((all[k].function == others_are_refused || all[k].function == damage_does_no_harm) &&
                !row_on((*kind)->name, "tree"))
                continue;
            snprintf(names[count], sizeof names[count], "%s on %s", all[k].name, (*kind)->name);
            tests[count] = (struct CMUnitTest){names[count], all[k].function, enter, NULL, (void *)(*kind)->name};
            count++;
        }
    return _cmocka_run_group_tests("test_step_pack", tests, count, NULL, NULL);
}
