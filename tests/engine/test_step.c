/* Steps on every device: bitwise identical results for any division of the steps into calls, the same orbit as in
 * quad on the CPU, numbers of steps and of evaluations, reversal, the suggested step. */
#include "device/device_kind.h"
#include "kepler.h"

static void finish(struct nb_stepper *p, double *x, double *v)
{
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = x}, vel = {.type = NB_F64, .width = 3, .data = v};
    assert_int_equal(nb_state_fetch(p->state, p->state->x, &pos), 0);
    assert_int_equal(nb_state_fetch(p->state, p->state->v, &vel), 0);
    end_stepper(p);
}

static bool offered(const struct nb_device *device, int precision)
{
    return nb_force_choose("direct", device, (enum nb_precision)precision, NB_WANT_ACC, 2) != NULL;
}

/* 28 steps of an orbit; in pieces of 1, 2, ... 7 steps with the acceleration asked for between them, or at once. */
static void run_orbit(struct nb_device *device, enum nb_precision precision, const struct nb_scheme *scheme,
                      bool pieces, double out[2][6])
{
    struct nb_bodies b;
    make_kepler(&b, 0.3);
    struct nb_stepper p = start_stepper(device, precision, scheme, &b);
    if (!pieces)
        assert_int_equal(nb_steps(&p, 0.01, 28), 0);
    for (uint64_t done = 0, now = 1; pieces && done < 28; done += now, now = now % 7 + 1) {
        now = now < 28 - done ? now : 28 - done;
        assert_int_equal(nb_steps(&p, 0.01, now), 0);
        assert_int_equal(nb_step_acceleration(&p), 0);
    }
    finish(&p, out[0], out[1]);
    nb_bodies_free(&b);
}

static void equal_bits_however_divided(void **state)
{
    struct nb_device *device = *state;
    for (int precision = 0; precision < NB_PRECISIONS; precision++)
        for (const struct nb_scheme *const *s = nb_schemes; *s && offered(device, precision); s++) {
            double one[2][6], many[2][6];
            if (!scheme_serves(*s, device, precision) || (starts_slowly(device) && precision != NB_MIXED))
                continue;
            run_orbit(device, (enum nb_precision)precision, *s, false, one);
            run_orbit(device, (enum nb_precision)precision, *s, true, many);
            if (memcmp(one, many, sizeof one) != 0)
                fail_msg("%s in %s", (*s)->name, nb_precision_name((enum nb_precision)precision));
        }
}

/* Every scheme on every device agrees with quad on the CPU, but for the rounding of 28 steps. */
static void same_orbit_as_in_quad(void **state)
{
    struct nb_device *device = *state;
    static const double bound[NB_PRECISIONS] = {2e-5, 2e-5, 3e-14, 0};
    struct nb_device *cpu = device_of("cpu");
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        double want[2][6], have[2][6];
        if (!scheme_serves(*s, cpu, NB_QUAD))
            continue; /* test_whfast.c */
        run_orbit(cpu, NB_QUAD, *s, false, want);
        for (int precision = 0; precision < NB_PRECISIONS && offered(device, precision); precision++) {
            double worst = 0;
            if (!scheme_serves(*s, device, precision) || (starts_slowly(device) && precision == NB_MIXED))
                continue;
            run_orbit(device, (enum nb_precision)precision, *s, false, have);
            for (int k = 0; k < 12; k++)
                worst = fmax(worst, fabs(have[k / 6][k % 6] - want[k / 6][k % 6]));
            if (!(worst <= bound[precision]))
                fail_msg("%s in %s: %g", (*s)->name, nb_precision_name((enum nb_precision)precision), worst);
        }
    }
}

/* As many evaluations as the table states, once a scheme has started; and the state's acceleration is that of its place
 * when it is asked for. */
static void evaluations_as_stated(void **state)
{
    struct nb_device *device = *state;
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        struct nb_bodies b;
        double a[2][6];
        struct nb_column acc = {.type = NB_F64, .width = 3, .data = a[0]};
        if (!scheme_serves(*s, device, NB_DOUBLE))
            continue;
        make_kepler(&b, 0.3);
        struct nb_stepper p = start_stepper(device, NB_DOUBLE, *s, &b);
        assert_int_equal(nb_steps(&p, 0.01, 10), 0);
        int kept = 0;
        for (int k = 0; k < NB_STEP_VECTORS; k++)
            kept += p.vectors[k] != NULL;
        const bool own = (*s)->traits & NB_OWN_STEPS; /* with lists beside, and more than one evaluation a base step */
        if (own || strncmp((*s)->name, "ab", 2) == 0) /* a second stepper starts it */
            assert_true(kept < nb_scheme_vectors(*s, false, false));
        else
            assert_int_equal(kept, nb_scheme_vectors(*s, false, false));
        const uint64_t before = p.evaluations;
        assert_int_equal(nb_steps(&p, 0.01, 15), 0);
        if (!own && (*s)->evaluations > 0 && p.evaluations - before != 15 * (uint64_t)(*s)->evaluations)
            fail_msg("%s: %d evaluations", (*s)->name, (int)(p.evaluations - before));
        assert_int_equal(nb_step_acceleration(&p), 0);
        assert_int_equal(nb_state_fetch(p.state, p.state->a, &acc), 0);
        assert_int_equal(nb_force_set_evaluate_state(p.forces, nb_forces_all, p.state, 1, 0, p.state->a, NULL), 0);
        acc.data = a[1];
        assert_int_equal(nb_state_fetch(p.state, p.state->a, &acc), 0);
        for (int k = 0; k < 6; k++)
            if (fabs(a[0][k] - a[1][k]) > 1e-14)
                fail_msg("%s: the acceleration is not that of its place", (*s)->name);
        end_stepper(&p);
        nb_bodies_free(&b);
    }
}

/* How far from the beginning 2000 steps of h forwards and as many backwards end. */
static double way_back(struct nb_device *device, const char *name)
{
    struct nb_bodies b;
    double x[6], v[6], worst = 0;
    make_kepler(&b, 0.5);
    struct nb_stepper p = start_stepper(device, NB_DOUBLE, nb_scheme_find(name), &b);
    assert_int_equal(nb_steps(&p, 2 * PI_Q / 200, 2000), 0);
    assert_int_equal(nb_steps(&p, -2 * PI_Q / 200, 2000), 0);
    finish(&p, x, v);
    for (int k = 0; k < 6; k++)
        worst = fmax(
            worst, fmax(fabs(x[k] - ((double *)b.columns[1].data)[k]), fabs(v[k] - ((double *)b.columns[2].data)[k])));
    nb_bodies_free(&b);
    return worst;
}

static void reversible_schemes_return(void **state)
{
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        if ((*s)->traits & NB_REVERSIBLE && scheme_serves_long(*s, *state)) {
            const double off = way_back(*state, (*s)->name);
            print_message("# %s returns to %.1e\n", (*s)->name, off);
            if (!(off <= 1e-10))
                fail_msg("%s returns to %g", (*s)->name, off);
        }
    const double off = way_back(*state, "rk4"); /* 3.5e-3 for the relative orbit, whose halves these are */
    print_message("# rk4 returns to %.1e\n", off);
    assert_true(off > 1e-3 && off < 4e-3);
}

/* Bodies that move by much and not far: on a lattice of unit cells, of unit mass together. */
static void make_lattice(struct nb_bodies *b, uint64_t n)
{
    make_kepler(b, 0);
    nb_bodies_free_data(b);
    b->n = n;
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data, *v = b->columns[2].data;
    for (uint64_t i = 0; i < n; i++) {
        m[i] = 1 / (double)n;
        for (uint64_t k = 0; k < 3; k++) {
            x[3 * i + k] = (double)(i / (k == 0 ? 1 : k == 1 ? 17 : 289) % 17) + 0.01 * (double)((7 * i + k) % 31);
            v[3 * i + k] = 0.1 * (double)((11 * i + 5 * k) % 13) - 0.6;
        }
    }
}

static const struct {
    double h;
    uint64_t count;
} stretches[] = {{0.01, 100}, {0.02, 70}, {0.01, 33}, {-0.01, 150}, {-0.01, 32}};

/* The state after all stretches, each in one call, or in calls of one step, which nothing records. */
static void run_stretches(struct nb_device *device, enum nb_precision precision, const struct nb_bodies *b,
                          bool one_by_one, double *x, double *v)
{
    uint64_t total = 1; /* nb_step_begin's */
    struct nb_stepper p = start_stepper(device, precision, nb_scheme_find("leapfrog"), b);
    void *d_phi = nb_state_vector(p.state);
    p.softening = 0.01;
    for (size_t k = 0; k < sizeof stretches / sizeof *stretches; k++) {
        total += stretches[k].count;
        for (uint64_t i = 0; i < (one_by_one ? stretches[k].count : 1); i++)
            assert_int_equal(nb_steps(&p, stretches[k].h, one_by_one ? 1 : stretches[k].count), 0);
        /* As for an output: it must leave a recording as it is. */
        assert_int_equal(nb_force_set_evaluate_state(p.forces, nb_forces_all, p.state, p.G, p.softening, NULL, d_phi),
                         0);
    }
    assert_int_equal(p.evaluations, total);
    nb_device_free(device, d_phi);
    finish(&p, x, v);
}

static void equal_bits_in_long_calls(void **state)
{
    struct nb_device *device = *state;
    static const uint64_t sizes[] = {1, 33, 300, 5000}; /* beyond 4096, sources are split on a GPU */
    for (size_t k = 0; k < (nb_device_records(device) ? 4 : starts_slowly(device) ? 2 : 3); k++)
        for (int precision = 0; precision <= NB_DOUBLE; precision++) { /* nothing is recorded in quad */
            struct nb_bodies b;
            make_lattice(&b, sizes[k]);
            size_t size = 3 * sizes[k] * sizeof(double);
            double *one[2] = {malloc(size), malloc(size)}, *all[2] = {malloc(size), malloc(size)};
            run_stretches(device, (enum nb_precision)precision, &b, true, one[0], one[1]);
            run_stretches(device, (enum nb_precision)precision, &b, false, all[0], all[1]);
            for (int which = 0; which < 2; which++) {
                assert_memory_equal(one[which], all[which], size);
                free(one[which]);
                free(all[which]);
            }
            nb_bodies_free(&b);
        }
}

/* v += k1 a, v += k2 a, x += d v with a rounding after each operation, whatever the device fuses; and a first kick of
 * nothing leaves even an infinite acceleration out. */
static void leap_rounds_each(void **state)
{
    struct nb_device *device = *state;
    enum { N = 64 };
    for (int precision = 0; precision <= NB_DOUBLE; precision++) {
        const bool single = precision == NB_SINGLE;
        const size_t size = N * nb_precision_size((enum nb_precision)precision);
        double a[N], v[N], x[N], have[2][N];
        float af[N], vf[N], xf[N], havef[2][N];
        void *d[3] = {nb_device_alloc(device, size), nb_device_alloc(device, size), nb_device_alloc(device, size)};
        for (int i = 0; i < N; i++) {
            a[i] = af[i] = 1.0f / (float)(i + 3), v[i] = vf[i] = 0.7f * (float)i - 20,
            x[i] = xf[i] = 1e3f / (float)(i + 1);
        }
        assert_true(d[0] && d[1] && d[2]);
        assert_int_equal(nb_device_to(device, d[0], single ? (void *)af : a, size), 0);
        assert_int_equal(nb_device_to(device, d[1], single ? (void *)vf : v, size), 0);
        assert_int_equal(nb_device_to(device, d[2], single ? (void *)xf : x, size), 0);
        assert_int_equal(nb_device_kick_drift(device, (enum nb_precision)precision, N, 0.3, 0.3, 0.1, d[0], d[1], d[2]),
                         0);
        assert_int_equal(nb_device_from(device, single ? (void *)havef[0] : have[0], d[1], size), 0);
        assert_int_equal(nb_device_from(device, single ? (void *)havef[1] : have[1], d[2], size), 0);
        for (int i = 0; i < N; i++) {
            volatile double p = 0.3 * a[i], w = v[i] + p, u = w + p, q = 0.1 * u, y = x[i] + q;
            volatile float pf = 0.3f * af[i], wf = vf[i] + pf, uf = wf + pf, qf = 0.1f * uf, yf = xf[i] + qf;
            assert_true(single ? havef[0][i] == uf && havef[1][i] == yf : have[0][i] == u && have[1][i] == y);
        }
        a[0] = INFINITY, af[0] = INFINITY;
        assert_int_equal(nb_device_to(device, d[0], single ? (void *)af : a, size), 0);
        assert_int_equal(nb_device_kick_drift(device, (enum nb_precision)precision, N, 0, 0.3, 0.1, d[0], d[1], d[2]),
                         0);
        assert_int_equal(nb_device_from(device, single ? (void *)havef[0] : have[0], d[1], size), 0);
        assert_true(single ? havef[0][0] == INFINITY : have[0][0] == INFINITY);
        for (int k = 0; k < 3; k++)
            nb_device_free(device, d[k]);
    }
}

static void suggested_step(void **state)
{
    struct nb_bodies b;
    double x[6], v[6];
    make_kepler(&b, 0); /* |phi| = 1/2, |a| = 1/2 */
    struct nb_stepper p = start_stepper(*state, NB_DOUBLE, nb_scheme_find("leapfrog"), &b);
    assert_true(fabs(nb_step_suggest(&p) - 0.02 * sqrt(0.5) / 0.5) < 1e-15);
    finish(&p, x, v);
    nb_bodies_free(&b);
}

static void counts(void **state)
{
    (void)state;
    assert_int_equal(nb_step_count(1, 0.1), 10);
    assert_int_equal(nb_step_count(0.3, 0.1), 3);
    assert_int_equal(nb_step_count(1, 0.3), 4);
    assert_int_equal(nb_step_count(1e-9, 1), 1);
    assert_null(nb_scheme_find("magic"));
}

int main(void)
{
    static const struct CMUnitTest first = {"counts of steps", counts, NULL, NULL, NULL};
    static const struct CMUnitTest of_device[] = {
        {"equal bits however divided", equal_bits_however_divided, NULL, NULL, NULL},
        {"equal bits in long calls", equal_bits_in_long_calls, NULL, NULL, NULL},
        {"a leap rounds each operation", leap_rounds_each, NULL, NULL, NULL},
        {"the same orbit as in quad", same_orbit_as_in_quad, NULL, NULL, NULL},
        {"evaluations as stated", evaluations_as_stated, NULL, NULL, NULL},
        {"reversible schemes return", reversible_schemes_return, NULL, NULL, NULL},
        {"suggested step", suggested_step, NULL, NULL, NULL},
    };
    return run_on_devices("step", &first, of_device, sizeof of_device / sizeof *of_device);
}
