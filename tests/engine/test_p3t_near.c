/* p3t: connected components of the graph of close pairs, compared with labels by brute force; and the motion under
 * the near parts of forces (step/p3t/close.h), compared with Runge-Kutta steps in long double with forces that the
 * test computes. */
#include "common/made_bodies.h"
#include "kepler.h"
#include "step/p3t/close.h"

#define MOST  64 /* bodies */
#define PAIRS 4096

/* ---- components ---- */

/* The smallest number in each body's component: each pair takes the smaller one of its two, until nothing changes. */
static void label(uint32_t n, uint32_t pairs, const uint32_t (*pair)[2], uint32_t *first)
{
    bool changed = true;
    for (uint32_t i = 0; i < n; i++)
        first[i] = i;
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < pairs; k++) {
            uint32_t *a = &first[pair[k][0]], *b = &first[pair[k][1]];
            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
}

static void check_components(struct nb_components *o, uint32_t n, uint32_t pairs, const uint32_t (*pair)[2])
{
    uint32_t first[MOST], members[MOST] = {0}, k = 0, place = 0;
    assert_int_equal(nb_components_find(o, n, pairs, pair), 0);
    label(n, pairs, pair, first);
    for (uint32_t i = 0; i < n; i++)
        members[first[i]]++;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(o->root[i], first[i]);
        assert_true((o->size[first[i]] == 0) == (members[first[i]] == 1));
        if (first[i] != i || members[i] == 1)
            continue;
        assert_int_equal(o->begin[k++], place);
        for (uint32_t j = i; j < n; j++)
            if (first[j] == i)
                assert_int_equal(o->body[place++], j);
    }
    assert_int_equal(o->count, k);
    assert_int_equal(o->begin[k], place);
}

static uint32_t pick(uint64_t *seed, uint32_t below)
{
    return (uint32_t)(uniform01(seed) * below);
}

static void shuffle(uint64_t *seed, uint32_t pairs, uint32_t (*pair)[2])
{
    for (uint32_t k = pairs; k > 1; k--) {
        const uint32_t other = pick(seed, k);
        uint32_t kept[2];
        memcpy(kept, pair[k - 1], sizeof kept);
        memcpy(pair[k - 1], pair[other], sizeof kept);
        memcpy(pair[other], kept, sizeof kept);
    }
}

/* The same room serves systems of all sizes, one after the other. Any order of the pairs gives the same. */
static void components_of_random_pairs(void **state)
{
    (void)state;
    static uint32_t pair[PAIRS][2];
    struct nb_components o = {0};
    uint64_t seed = 1;
    for (int trial = 0; trial < 2000; trial++) {
        const uint32_t n = 2 + pick(&seed, MOST - 1), pairs = pick(&seed, 1 + pick(&seed, 2 * n));
        for (uint32_t k = 0; k < pairs; k++) {
            const uint32_t i = pick(&seed, n - 1), j = i + 1 + pick(&seed, n - 1 - i);
            pair[k][0] = i, pair[k][1] = j;
        }
        check_components(&o, n, pairs, (const uint32_t(*)[2])pair);
        shuffle(&seed, pairs, pair);
        check_components(&o, n, pairs, (const uint32_t(*)[2])pair);
    }
    nb_components_free(&o);
}

static void components_of_none_all_and_chains(void **state)
{
    (void)state;
    static uint32_t pair[PAIRS][2];
    struct nb_components o = {0};
    uint64_t seed = 2;
    uint32_t pairs = 0;
    check_components(&o, 1, 0, NULL);
    check_components(&o, MOST, 0, NULL);
    for (uint32_t i = 0; i < MOST; i++)
        for (uint32_t j = i + 1; j < MOST; j++)
            pair[pairs][0] = i, pair[pairs++][1] = j;
    check_components(&o, MOST, pairs, (const uint32_t(*)[2])pair);
    for (uint32_t step = 1; step < 4; step++) { /* one chain; two; three */
        for (pairs = 0; pairs + step < MOST; pairs++)
            pair[pairs][0] = pairs, pair[pairs][1] = pairs + step;
        check_components(&o, MOST, pairs, (const uint32_t(*)[2])pair);
        shuffle(&seed, pairs, pair);
        check_components(&o, MOST, pairs, (const uint32_t(*)[2])pair);
    }
    nb_components_free(&o);
}

/* ---- near motion ---- */

#define STARS 40
#define INNER 0.1
#define OUTER 1.0

struct stars {
    uint64_t n;
    double gm[STARS], x[3][STARS], v[3][STARS];
};

typedef long double real;
typedef real rows[6][STARS]; /* positions, velocities */

/* The rates of change under the near parts: 1 - K of each pair's force. */
static void rates(const struct stars *s, rows at, rows rate)
{
    for (uint64_t i = 0; i < s->n; i++)
        for (int d = 0; d < 3; d++)
            rate[d][i] = at[3 + d][i], rate[3 + d][i] = 0;
    for (uint64_t i = 0; i < s->n; i++)
        for (uint64_t j = i + 1; j < s->n; j++) {
            const real d[3] = {at[0][j] - at[0][i], at[1][j] - at[1][i], at[2][j] - at[2][i]};
            const real r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            const real q = (r2 - (real)INNER * INNER) / ((real)OUTER * OUTER - (real)INNER * INNER);
            const real y = q < 0 ? 0 : q > 1 ? 1 : q, y4 = y * y * y * y;
            const real near = (1 - 35 * y4 + 84 * y4 * y - 70 * y4 * y * y + 20 * y4 * y * y * y) / (r2 * sqrtl(r2));
            for (int k = 0; k < 3; k++) {
                rate[3 + k][i] += (real)s->gm[j] * near * d[k];
                rate[3 + k][j] -= (real)s->gm[i] * near * d[k];
            }
        }
}

static void add(uint64_t n, const rows a, real h, const rows b, rows sum)
{
    for (int k = 0; k < 6; k++)
        for (uint64_t i = 0; i < n; i++)
            sum[k][i] = a[k][i] + h * b[k][i];
}

/* The classical scheme of order 4. */
static void go_in_truth(struct stars *s, double time, int steps)
{
    rows at = {{0}}, k[4] = {{{0}}}, between;
    const real h = (real)time / steps;
    for (int d = 0; d < 3; d++)
        for (uint64_t i = 0; i < s->n; i++)
            at[d][i] = s->x[d][i], at[3 + d][i] = s->v[d][i];
    for (int step = 0; step < steps; step++) {
        rates(s, at, k[0]);
        for (int stage = 1; stage < 4; stage++) {
            add(s->n, (const real(*)[STARS])at, stage < 3 ? h / 2 : h, (const real(*)[STARS])k[stage - 1], between);
            rates(s, between, k[stage]);
        }
        for (int stage = 0; stage < 4; stage++)
            add(s->n, (const real(*)[STARS])at, stage % 3 ? h / 3 : h / 6, (const real(*)[STARS])k[stage], at);
    }
    for (int d = 0; d < 3; d++)
        for (uint64_t i = 0; i < s->n; i++)
            s->x[d][i] = (double)at[d][i], s->v[d][i] = (double)at[3 + d][i];
}

/* All as one component, of which each star is connected with the next. */
static void go(struct stars *s, double h, double eta)
{
    uint32_t pair[STARS][2];
    struct nb_components parts = {0};
    struct nb_p3t w = {.n = s->n,
                       .stride = STARS,
                       .x = s->x[0],
                       .v = s->v[0],
                       .gm = s->gm,
                       .split = {INNER, OUTER},
                       .energy = 0.25,
                       .least = 1e-4,
                       .eta = eta,
                       .chain_tolerance = 1e-12,
                       .share = 1e-9};
    for (uint32_t i = 0; i + 1 < s->n; i++)
        pair[i][0] = i, pair[i][1] = i + 1;
    assert_int_equal(nb_components_find(&parts, s->n, s->n - 1, (const uint32_t(*)[2])pair), 0);
    assert_int_equal(nb_p3t_drift(&w, &parts, h), 0);
    nb_components_free(&parts);
    nb_p3t_free(&w);
}

static double off(const struct stars *a, const struct stars *b)
{
    double worst = 0;
    for (int d = 0; d < 3; d++)
        for (uint64_t i = 0; i < a->n; i++)
            worst = fmax(worst, fmax(fabs(a->x[d][i] - b->x[d][i]), fabs(a->v[d][i] - b->v[d][i])));
    return worst;
}

/* Stars in a box of the size of the outer end, none nearer than `least` to another. */
static struct stars random_stars(uint64_t *seed, uint64_t n, double least)
{
    struct stars s = {.n = n};
    for (uint64_t i = 0; i < n;) {
        bool apart = true;
        s.gm[i] = 0.1 + 0.2 * uniform01(seed);
        for (int d = 0; d < 3; d++)
            s.x[d][i] = 1.2 * uniform01(seed) - 0.6, s.v[d][i] = uniform01(seed) - 0.5;
        for (uint64_t j = 0; j < i; j++)
            apart = apart && hypot(hypot(s.x[0][i] - s.x[0][j], s.x[1][i] - s.x[1][j]), s.x[2][i] - s.x[2][j]) > least;
        i += apart;
    }
    return s;
}

/* The largest error of some systems, in units of the outer end. */
static double worst_of(int trials, uint64_t least, uint64_t kinds, double apart, double h, double eta)
{
    double worst = 0;
    uint64_t seed = 3;
    for (int trial = 0; trial < trials; trial++) {
        struct stars s = random_stars(&seed, least + (uint64_t)trial % kinds, apart), truth = s;
        go_in_truth(&truth, h, 1000);
        go(&s, h, eta);
        worst = fmax(worst, off(&s, &truth));
    }
    return worst;
}

/* Without Hermite's steps (smooth.h): in one step, or where stars come nearer in some. */
static void few_stars_between_the_ends(void **state)
{
    (void)state;
    const double easy = worst_of(15, 3, 4, 0.3, 0.2, 1), harder = worst_of(15, 3, 4, 0.2, -0.1, 1),
                 many = worst_of(4, 25, 8, 0.15, 0.05, 1);
    print_message("# near motion of 3 to 6 stars: off by %.1e, nearer and backwards %.1e; of 25 to 32 %.1e\n", easy,
                  harder, many);
    assert_true(easy < 1e-9 && harder < 1e-9 && many < 1e-9);
}

/* More stars. The error falls with the fourth power of the step. */
static void many_stars_between_the_ends(void **state)
{
    (void)state;
    double worst[3];
    for (int k = 0; k < 3; k++)
        worst[k] = worst_of(2, 39, 2, 0.2, 0.05, ldexp(0.1, -2 * k));
    print_message("# near motion of 39 and 40 stars, steps to a quarter each: off by %.1e, %.1e, %.1e\n", worst[0],
                  worst[1], worst[2]);
    assert_true(worst[0] < 1e-5 && worst[1] < worst[0] / 100 && worst[2] < 1e-9);
}

/* Two stars of 2/3 and 1/3 about each other, from the apocentre or the pericentre on, and their centre moves. */
static struct stars two(double far, double near, bool outwards)
{
    const double mu = 0.3, from = outwards ? near : far, to = outwards ? far : near;
    const double speed = sqrt(2 * mu * to / (from * (from + to)));
    return (struct stars){.n = 2,
                          .gm = {2 * mu / 3, mu / 3},
                          .x = {{0.3 - from / 3, 0.3 + 2 * from / 3}, {0.2, 0.2}, {0.1, 0.1}},
                          .v = {{0.4, 0.4}, {-0.1, -0.1}, {0.2 - speed / 3, 0.2 + 2 * speed / 3}}};
}

static void check_two(struct stars s, double h, int steps, double bound, const char *what)
{
    struct stars truth = s, half = s;
    go_in_truth(&truth, h * steps, 40000);
    go_in_truth(&half, h * steps, 20000);
    for (int k = 0; k < steps; k++)
        go(&s, h, 0.01);
    print_message("# two stars %s: off by %.1e, the reference by %.1e\n", what, off(&s, &truth), off(&half, &truth));
    assert_true(off(&half, &truth) < bound && off(&s, &truth) < bound);
}

static void two_stars(void **state)
{
    (void)state;
    struct stars coming = two(1.5, 0.5, false), unbound = two(0.08, 0.05, true);
    coming.v[0][1] -= 1;
    unbound.v[0][1] += 5;
    check_two(two(0.06, 0.03, false), 0.2, 1, 1e-12, "within the inner end");
    check_two(two(0.075, 0.015, true), -0.2, 1, 1e-10, "within the inner end, eccentric, backwards");
    check_two(two(0.4, 0.05, true), 0.2, 1, 1e-9, "that cross the inner end");
    check_two(two(0.12, 0.05, true), 0.2843, 1, 1e-8, "that cross it and are back at the pericentre");
    check_two(unbound, 0.1, 1, 1e-9, "that leave it unbound");
    check_two(two(2, 0.05, true), 0.5, 1, 1e-9, "that leave it");
    check_two(coming, 0.1, 16, 1e-8, "that come from beyond the outer end");
    struct stars flying = two(0.09, 0.01, false), falling = two(0.3, 0.01, false);
    for (int d = 0; d < 3; d++)
        flying.v[d][1] -= 4 * (flying.x[d][1] - flying.x[d][0]) / 0.09;
    check_two(flying, 0.2, 1, 1e-8, "that fly past each other");
    check_two(falling, 0.25, 2, 1e-8, "that fall from within the changeover");
}

/* A binary with a period of a tenth of the step, which is a group, a star at a distance from it, and one farther away.
 */
static void check_binary(double at, double bound)
{
    struct stars s = two(0.012, 0.008, false), truth, half;
    const double way[3] = {at * 0.8, at * -0.36, at * 0.48};
    s.n = 4;
    s.gm[2] = 0.2, s.gm[3] = 0.1;
    for (int d = 0; d < 3; d++) {
        s.x[d][2] = s.x[d][0] + way[d], s.v[d][2] = s.v[d][0] - way[d] * 0.1 / at;
        s.x[d][3] = s.x[d][0] - 0.6, s.v[d][3] = d == 0 ? 0.5 : -0.3;
    }
    truth = half = s;
    go_in_truth(&truth, 0.1, 24000);
    go_in_truth(&half, 0.1, 12000);
    go(&s, 0.1, 0.01);
    print_message("# a binary and a star at %g: off by %.1e, the reference by %.1e\n", at, off(&s, &truth),
                  off(&half, &truth));
    assert_true(off(&half, &truth) < 1e-8 && off(&s, &truth) < bound);
}

/* A binary and a third star without others near, within the inner end: they are a group, and the third star leaves it.
 */
static void check_third(double at, double speed, double h, double bound)
{
    struct stars s = two(0.012, 0.008, false), truth, half;
    const double way[3] = {0.8, -0.36, 0.48};
    s.n = 3;
    s.gm[2] = 0.2;
    for (int d = 0; d < 3; d++)
        s.x[d][2] = s.x[d][0] + at * way[d], s.v[d][2] = s.v[d][0] + speed * way[d];
    s.v[1][2] += 2;
    truth = half = s;
    go_in_truth(&truth, h, 24000);
    go_in_truth(&half, h, 12000);
    go(&s, h, 0.01);
    print_message("# a third star at %g leaves a binary at %g: off by %.1e, the reference by %.1e\n", at, speed,
                  off(&s, &truth), off(&half, &truth));
    assert_true(off(&half, &truth) < bound / 3 && off(&s, &truth) < bound);
}

static void a_third_star_leaves(void **state)
{
    (void)state;
    check_third(0.05, 6, 0.1, 3e-8);
    check_third(0.08, -6, 0.1, 3e-8);
    check_third(0.07, -4.5, 0.1, 3e-8);
    check_third(0.08, 6, -0.1, 3e-8);
    check_third(0.07, 4.5, -0.1, 3e-8);
}

static void a_binary_and_others(void **state)
{
    (void)state;
    check_binary(0.09, 3e-8);
    check_binary(0.2, 3e-8);
    check_binary(0.4, 1e-8);
    check_binary(1.2, 1e-8);
}

/* Without near parts bodies go straight. */
static void bodies_alone_go_straight(void **state)
{
    (void)state;
    uint64_t seed = 5;
    struct stars s = random_stars(&seed, STARS, 0), want = s;
    struct nb_components parts = {0};
    struct nb_p3t w = {.n = s.n, .stride = STARS, .x = s.x[0], .v = s.v[0], .gm = s.gm, .split = {INNER, OUTER}};
    assert_int_equal(nb_components_find(&parts, s.n, 0, NULL), 0);
    assert_int_equal(nb_p3t_drift(&w, &parts, 0.5), 0);
    for (int d = 0; d < 3; d++)
        for (uint64_t i = 0; i < s.n; i++)
            want.x[d][i] += 0.5 * want.v[d][i];
    assert_true(off(&s, &want) < 1e-15);
    nb_components_free(&parts);
    nb_p3t_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_of_random_pairs),  cmocka_unit_test(components_of_none_all_and_chains),
        cmocka_unit_test(bodies_alone_go_straight),    cmocka_unit_test(few_stars_between_the_ends),
        cmocka_unit_test(many_stars_between_the_ends), cmocka_unit_test(two_stars),
        cmocka_unit_test(a_binary_and_others),         cmocka_unit_test(a_third_star_leaves),
    };
    return cmocka_run_group_tests_name("p3t near", tests, NULL, NULL);
}
