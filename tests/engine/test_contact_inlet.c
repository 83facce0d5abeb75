/* The boundary of a flow of disks, on every device and with every method: positions are wrapped, the inlet admits the
 * flux of the flow, the outlet draws velocities, and the chamber is mixed, as contact.h states. */
#include "contact_rows.h"

#define DISKS 20000

struct inflow { /* disks in a flow, and what of them the device has */
    struct touching *t;
    struct touching_run r;
    double *x, *v, *before;
};

/* 80 of mass where the flow has 40: the chamber is twice as dense as the flow, but for what the tests find. */
static struct inflow open_inflow(const struct row *row, const char *const *lines)
{
    struct inflow f = {.t = make_touching(DISKS, lines)};
    scatter(f.t, 13, -10, 14, -2.5, 2.5);
    for (uint64_t i = 0; i < DISKS; i++)
        f.t->m[i] = (double)(float)(80.0 / DISKS);
    f.r = open_touching(device_of(row->device), row->precision, row->spec, f.t);
    f.x = malloc(24 * DISKS), f.v = malloc(24 * DISKS), f.before = malloc(24 * DISKS);
    return f;
}

static void close_inflow(struct inflow *f)
{
    close_touching(&f->r);
    free_touching(f->t);
    free(f->x), free(f->v), free(f->before);
}

static void step_inflow(struct inflow *f)
{
    struct nb_column x = {.type = NB_F64, .width = 3, .data = f->x}, v = {.type = NB_F64, .width = 3, .data = f->v};
    memcpy(f->before, f->v, 24 * DISKS);
    assert_int_equal(nb_force_set_boundary(&f->r.set, f->r.s, false), 0);
    assert_int_equal(nb_state_fetch(f->r.s, f->r.s->x, &x), 0);
    assert_int_equal(nb_state_fetch(f->r.s, f->r.s->v, &v), 0);
}

struct inflow_rate { /* densities over the flow's: of the chamber, x = -1.92 to -1.52, and of the entry before it */
    double filling, coming;
};

static struct inflow_rate inflow_rate(const struct inflow *f)
{
    double chamber = 0, entry = 0;
    for (uint64_t i = 0; i < DISKS; i++) {
        chamber += f->x[3 * i] >= -1.92 && f->x[3 * i] < -1.52;
        entry += f->x[3 * i] < -1.92;
    }
    return (struct inflow_rate){chamber * f->t->m[0] / (0.4 * 5), entry * f->t->m[0] / (0.08 * 5)};
}

/* The integral of dn/dq from s to 1, n = sqrt(q^2 + (1 - q^2) s), by the middles of intervals. */
static double nozzle_gain(double q, double s)
{
    const int parts = 2000;
    const double h = (1 - s) / parts;
    double sum = 0;
    for (int k = 0; k < parts; k++) {
        const double at = s + (k + 0.5) * h;
        sum += h * q * (1 - at) / sqrt(q * q + (1 - q * q) * at);
    }
    return sum;
}

/* Of all disks before the outlet, x = -1.32: the speed that contact.h states, away from the ends of its parts. */
static void check_inlet_speeds(const struct inflow *f, struct inflow_rate rate)
{
    const double q = fmax(1, rate.filling), gain = (fmin(rate.coming, 2) - 1) / (2 + nozzle_gain(q, 0));
    int seen = 0;
    for (uint64_t i = 0; i < DISKS; i++) {
        const double x = f->x[3 * i], *v = f->v + 3 * i, s = fmax(0, (x + 1.52) / 0.2);
        double due = 1;
        if (x > -1.3201)
            continue;
        if (x > -1.92)
            due = (1 + (q > 1 && i % 8 == 0 ? gain * nozzle_gain(q, s) : 0)) / sqrt(q * q + (1 - q * q) * s);
        assert_true(v[1] == 0 && v[2] == 0);
        if (fabs(x + 1.92) > 1e-4 && (q == 1 || i % 8 == 0) && !(fabs(v[0] - due) < 1e-5))
            fail_msg("disk at %g: speed %.9g, and %.9g is due", x, v[0], due);
        seen++;
    }
    assert_true(seen > 0.07 * DISKS);
}

/* Of the mean density that was let in, and the stock, after one or more steps. */
static void check_report(struct inflow *f, double density, struct inflow_rate rate)
{
    double inflow[3];
    assert_int_equal(nb_force_set_report(&f->r.set, &f->t->meta), 0);
    assert_true(nb_scene_inflow(&f->t->meta, inflow));
    assert_true(fabs(inflow[0] - density) < 1e-9 && fabs(inflow[1] / 2 / rate.filling - 1) < 1e-6);
    assert_true(fabs(inflow[2] / rate.coming - 1) < 1e-6);
}

/* Places are wrapped. The first step counts the chamber; later ones have its rate. */
static void inlet_of_a_flow(void **state)
{
    const char *const lines[] = {"contact 100 0 0.003", "box -2 6 -2.5 2.5", "periodic x", "flow 1 1 2 1", NULL};
    struct inflow f = open_inflow(*state, lines);
    double inflow[3];
    assert_true((nb_force_set_flags(&f.r.set) & (NB_MOVES | NB_OPEN | NB_NEEDS_VELOCITY)) == (NB_MOVES | NB_OPEN));
    assert_int_equal(nb_force_set_report(&f.r.set, &f.t->meta), 0);
    assert_false(nb_scene_inflow(&f.t->meta, inflow));
    step_inflow(&f);
    for (uint64_t i = 0; i < DISKS; i++) {
        const double *x = f.x + 3 * i, *v = f.v + 3 * i, *x0 = f.t->x + 3 * i, *v0 = f.t->v + 3 * i;
        const double d = (x[0] - x0[0]) / 8;
        assert_true(x[0] >= -2 && x[0] < 6 && fabs(d - rint(d)) < 1e-6 && x[1] == x0[1]);
        assert_true((x[0] > -1.3201 && x[0] < -1.1999) || (v[0] == v0[0] && v[1] == v0[1] && v[2] == v0[2]));
    }
    const struct inflow_rate rate = inflow_rate(&f);
    assert_true(fabs(rate.filling - 2) < 0.2 && fabs(rate.coming - 2) < 0.4);
    for (int k = 0; k < 3; k++) {
        step_inflow(&f);
        check_inlet_speeds(&f, rate);
    }
    check_report(&f, 1, rate);
    close_inflow(&f);
}

/* In 16 steps each disk of the outlet gets one velocity, by the formula; nobody beyond it does. */
static void outlet_of_a_flow(void **state)
{
    const char *const lines[] = {"contact 100 0 0.003", "box -2 6 -2.5 2.5", "periodic x", "flow 1 1 2 1", NULL};
    struct inflow f = open_inflow(*state, lines);
    double sum = 0, sum2 = 0, count = 0;
    int *drawn = calloc(DISKS, sizeof *drawn);
    step_inflow(&f);
    for (int k = 0; k < 16; k++) {
        step_inflow(&f);
        for (uint64_t i = 0; i < DISKS; i++) {
            const double *v = f.v + 3 * i, *v0 = f.before + 3 * i;
            if (f.x[3 * i] < -1.3199 || (v[0] == v0[0] && v[1] == v0[1] && v[2] == v0[2]))
                continue;
            drawn[i]++;
            assert_true(f.x[3 * i] < -1.1999 && v[0] != v0[0] && v[1] != v0[1] && v[2] == 0);
            sum += v[0] - 1 + v[1], sum2 += pow(v[0] - 1, 2) + pow(v[1], 2), count += 2;
        }
    }
    for (uint64_t i = 0; i < DISKS; i++)
        assert_true(drawn[i] == 1 || f.x[3 * i] < -1.3199 || f.x[3 * i] > -1.2001);
    /* sigma^2 = (1/2)^2 / (Z + f Z' + Z^2), by a difference of Z */
    const double radius = 0.003 - sqrt(M_PI * f.t->m[0] / 800 * sum2 / count); /* the effective one */
    const double s = M_PI * radius * radius / f.t->m[0], z = (1 + s * s / 8) / pow(1 - s, 2), e = 1e-6;
    const double slope = ((1 + pow(s + e, 2) / 8) / pow(1 - s - e, 2) - z) / e, sigma2 = 0.25 / (z + s * slope + z * z);
    assert_true(count > 500 && fabs(sum / count) < 5 * sqrt(sigma2 / count));
    assert_true(fabs(sum2 / count / sigma2 - 1) < 5 * sqrt(2 / count));
    free(drawn);
    close_inflow(&f);
}

/* A chamber that the header says to be thin lets out what it has; in step 128 of the header's count, and in no other,
 * disks get places in all of the chamber and are counted. */
static void mixing_of_a_flow(void **state)
{
    const char *const lines[] = {"contact 100 0 0.003", "box -2 6 -2.5 2.5",   "periodic x",
                                 "flow 1 1 2 1",        "inflow 0.9 1.5 1.25", NULL};
    const struct inflow_rate before = {0.75, 1.25};
    struct inflow f = open_inflow(*state, lines);
    double mixed = 0, mean[2] = {0}, square[2] = {0};
    double *places = malloc(24 * DISKS);
    for (int k = 1; k < 128; k++) {
        if (k > 3 && k < 126)
            assert_int_equal(nb_force_set_boundary(&f.r.set, f.r.s, false), 0);
        else
            step_inflow(&f);
        if (k == 1)
            memcpy(places, f.x, 24 * DISKS);
    }
    assert_memory_equal(places, f.x, 24 * DISKS);
    check_inlet_speeds(&f, before);
    check_report(&f, 0.75, before);
    const struct inflow_rate after = inflow_rate(&f);
    step_inflow(&f);
    check_inlet_speeds(&f, before);
    assert_true(fabs(after.filling / inflow_rate(&f).filling - 1) < 1e-3);
    for (uint64_t i = 0; i < DISKS; i++) {
        const double *x = f.x + 3 * i, *x0 = places + 3 * i;
        if (x0[0] > -1.9199 && x0[0] < -1.5201) {
            const double at[2] = {(x[0] + 1.72) / 0.2, x[1] / 2.497};
            assert_true(x[0] != x0[0] && x[1] != x0[1] && x[2] == x0[2]);
            assert_true(fabs(at[0]) < 1 + 1e-5 && fabs(at[1]) < 1 + 1e-5);
            mixed++;
            for (int k = 0; k < 2; k++)
                mean[k] += at[k], square[k] += at[k] * at[k];
        } else
            assert_true((x0[0] > -1.9201 && x0[0] < -1.5199) || (x[0] == x0[0] && x[1] == x0[1] && x[2] == x0[2]));
    }
    assert_true(mixed > 0.04 * DISKS);
    for (int k = 0; k < 2; k++)
        assert_true(fabs(mean[k] / mixed) < 5 / sqrt(3 * mixed) &&
                    fabs(3 * square[k] / mixed - 1) < 5 * sqrt(0.8 / mixed));
    step_inflow(&f);
    check_inlet_speeds(&f, after);
    check_report(&f, (0.75 + 1) / 2, after);
    free(places);
    close_inflow(&f);
}

static const struct contact_case cases[] = {
    {inlet_of_a_flow, "the inlet of a flow"},
    {outlet_of_a_flow, "the inlet's outlet"},
    {mixing_of_a_flow, "the inlet's chamber"},
};

int main(void)
{
    return run_contact_cases("inlet", cases, sizeof cases / sizeof *cases);
}
