/* Steps in external fields, on every device in double precision: linear drag compared with exp(-kt); a rotating field,
 * with the order of every scheme that supports it. */
#include "external_rows.h"
#include "kepler.h"

/* ---- drag ---- */

#define RATE 2

/* Moves b, two bodies, for `span` in an external field, in n steps, of which `first` are a call of their own; where
 * they are then. */
static void move_in_calls(struct nb_device *device, const struct nb_scheme *scheme, double span, uint64_t first,
                          uint64_t n, const char *field, const struct nb_bodies *b, double x[6], double v[6])
{
    struct nb_force_set set;
    struct nb_force_spec spec;
    nb_force_set_init(&set, device);
    assert_int_equal(nb_force_parse(field, &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, NB_DOUBLE, NB_WANT_ACC, 2, NULL), 0);
    struct nb_stepper p = {.scheme = scheme,
                           .forces = &set,
                           .G = 1,
                           .softening = 1,
                           .own = NB_OWN_STEPS_USUAL,
                           .state = nb_state_create(device, NB_DOUBLE, b)};
    struct nb_column pos = {.type = NB_F64, .width = 3, .data = x}, vel = {.type = NB_F64, .width = 3, .data = v};
    assert_int_equal(nb_step_begin(&p), 0);
    assert_int_equal(nb_steps(&p, (nb_quad)span / n, first), 0);
    assert_int_equal(nb_steps(&p, (nb_quad)span / n, n - first), 0);
    assert_true(fabs(p.state->time - (b->meta.time + span)) < 1e-15);
    assert_int_equal(nb_state_fetch(p.state, p.state->x, &pos), 0);
    assert_int_equal(nb_state_fetch(p.state, p.state->v, &vel), 0);
    nb_step_end(&p);
    nb_state_destroy(p.state);
    nb_force_set_close(&set);
}

static void move(struct nb_device *device, const struct nb_scheme *scheme, uint64_t n, const char *field,
                 const struct nb_bodies *b, double x[6], double v[6])
{
    move_in_calls(device, scheme, 1, 0, n, field, b, x, v);
}

/* How far position and velocity are off after time 1, in n steps: v = exp(-kt), x = (1 - exp(-kt))/k. */
static double drag_error(struct nb_device *device, const struct nb_scheme *scheme, uint64_t n)
{
    struct nb_bodies b;
    double x[6], v[6], worst = 0;
    make_kepler(&b, 0);
    memset(b.columns[1].data, 0, 48);
    for (int k = 0; k < 6; k++)
        ((double *)b.columns[2].data)[k] = 1 + k;
    move(device, scheme, n, "external:drag,rate=2", &b, x, v);
    for (int k = 0; k < 6; k++) {
        worst = fmax(worst, fabs(v[k] / (1 + k) - exp(-RATE)));
        worst = fmax(worst, fabs(x[k] / (1 + k) + expm1(-RATE) / RATE));
    }
    nb_bodies_free(&b);
    return worst;
}

/* Splitting schemes have the half-kicked velocity, of first order; all others have that of the evaluation, and their
 * own order (or a higher one, as the problem is linear), as far as double precision shows it. */
static void drag_has_the_order_of_the_scheme(void **state)
{
    const struct row *row = *state;
    struct nb_device *device = device_of(row->device);
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        const bool splitting = (*s)->traits & NB_SYMPLECTIC && (*s)->evaluations > 0;
        const int order = splitting ? 1 : (*s)->order;
        const uint64_t n = order < 3 ? 400 : order < 5 ? 100 : order < 7 ? 32 : order < 9 ? 8 : order < 12 ? 2 : 1;
        if ((*s)->want & NB_WANT_JERK)
            continue; /* an external field has none */
        if (nb_scheme_refuse(*s, NB_NEEDS_VELOCITY)) {
            assert_true((*s)->traits & (NB_PLANETARY | NB_OWN_STEPS | NB_SPLIT) || strcmp((*s)->name, "stormer") == 0);
            continue;
        }
        const double coarse = drag_error(device, *s, n), fine = drag_error(device, *s, 2 * n);
        const double measured = log2(coarse / fine);
        print_message("# %-18s order %2d, with drag %6.2f, error %.1e\n", (*s)->name, (*s)->order, measured, fine);
        if (!(measured > order - 0.3 || fine < 1e-14) || !(fine < (splitting || order < 2 ? 1e-2 : 1e-4)))
            fail_msg("%s: order %g, error %g", (*s)->name, measured, fine);
    }
}

/* ---- a field that turns ---- */

#define BEGIN 0.3
#define OMEGA 3.0

/* How far position and velocity are off after time 1 in a uniform field that turns with OMEGA, in n steps from BEGIN.
 */
static double turn_error(struct nb_device *device, const struct nb_scheme *scheme, uint64_t n)
{
    struct nb_bodies b;
    double x[6], v[6], worst = 0;
    make_kepler(&b, 0);
    memset(b.columns[1].data, 0, 48);
    memset(b.columns[2].data, 0, 48);
    b.meta.time = BEGIN;
    move(device, scheme, n, "external:uniform,gx=1,omega=3", &b, x, v);
    const double from = OMEGA * BEGIN, to = from + OMEGA;
    const double want_v[3] = {(sin(to) - sin(from)) / OMEGA, (cos(from) - cos(to)) / OMEGA, 0};
    const double want_x[3] = {(cos(from) - cos(to)) / OMEGA / OMEGA - sin(from) / OMEGA,
                              (sin(from) - sin(to)) / OMEGA / OMEGA + cos(from) / OMEGA, 0};
    for (int k = 0; k < 6; k++) {
        worst = fmax(worst, fabs(v[k] - want_v[k % 3]));
        worst = fmax(worst, fabs(x[k] - want_x[k % 3]));
    }
    nb_bodies_free(&b);
    return worst;
}

/* Every scheme asks for the field of the time to which the positions belong: of another time it would be of order 1. */
static void a_turning_field_has_the_order_of_the_scheme(void **state)
{
    const struct row *row = *state;
    struct nb_device *device = device_of(row->device);
    int tried = 0;
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        const int order = (*s)->order;
        const uint64_t n = order < 3 ? 400 : order < 5 ? 64 : order < 7 ? 16 : order < 9 ? 4 : order < 12 ? 2 : 1;
        if ((*s)->want & NB_WANT_JERK || (*s)->traits & (NB_PLANETARY | NB_SPLIT))
            continue;
        tried++;
        const double coarse = turn_error(device, *s, n), fine = turn_error(device, *s, 2 * n);
        const double measured = log2(coarse / fine);
        print_message("# %-18s order %2d, in the turning field %6.2f, error %.1e\n", (*s)->name, order, measured, fine);
        if (!(measured > order - 0.3 || fine < 1e-13) || !(fine < (order < 2 ? 1e-2 : 1e-5)))
            fail_msg("%s: order %g, error %g", (*s)->name, measured, fine);
    }
    assert_true(tried > 25);
}

/* The middle of the run is the middle of two doubles. Rounded to double, its time depends on the last bit of a sum of
 * steps. The field turns so fast that the result shows this. */
static void a_turning_field_does_not_see_how_steps_are_divided_into_calls(void **state)
{
    const struct row *row = *state;
    struct nb_device *device = device_of(row->device);
    struct nb_bodies b;
    make_kepler(&b, 0);
    b.meta.time = 0.5;
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++) {
        if ((*s)->want & NB_WANT_JERK || nb_scheme_refuse(*s, NB_EXTERNAL | NB_OPEN))
            continue;
        for (uint64_t n = 6; n < 60; n += 2) {
            double x[6], v[6], other_x[6], other_v[6];
            move_in_calls(device, *s, 0.25 + 0x1p-53, 0, n, "external:uniform,gx=1000,omega=1e6", &b, x, v);
            for (uint64_t first = 1; first < n / 2; first++) {
                move_in_calls(device, *s, 0.25 + 0x1p-53, first, n, "external:uniform,gx=1000,omega=1e6", &b, other_x,
                              other_v);
                if (memcmp(x, other_x, sizeof x) || memcmp(v, other_v, sizeof v))
                    fail_msg("%s: %d steps, %d of them in a call of their own", (*s)->name, (int)n, (int)first);
            }
        }
    }
    nb_bodies_free(&b);
}

int main(void)
{
    static const struct CMUnitTest of_row[] = {
        {"drag has the order of the scheme", drag_has_the_order_of_the_scheme, NULL, NULL, NULL},
        {"a turning field has the order of the scheme", a_turning_field_has_the_order_of_the_scheme, NULL, NULL, NULL},
        {"a turning field does not see how steps are divided into calls",
         a_turning_field_does_not_see_how_steps_are_divided_into_calls, NULL, NULL, NULL},
    };
    return run_on_external_rows(NULL, 0, of_row, sizeof of_row / sizeof *of_row, NB_DOUBLE);
}
