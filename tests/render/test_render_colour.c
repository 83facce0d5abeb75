/* The colour of a value: ramps and scales, and their histogram, compared with formulas and counts that the test
 * computes. The parts of the tool are compiled into this test. */
#include "nbrender/basis/galaxies.c"
#include "nbrender/basis/numbers.c"
#include "nbrender/basis/quantity.c"
#include "nbrender/colour/about.c"
#include "nbrender/colour/planck.c"
#include "nbrender/colour/ramp.c"
#include "nbrender/colour/scale.c"
#include "nbrender/colour/shade.c"
#include "nbrender/colour/stars.c"
#include "nbrender/colour/tables.c"
#include "nbrender/colour/weight.c"
#include "render_colours.h"

/* ---- scales ---- */

static int step_of(const struct colour_scale *scale, double x)
{
    uint16_t step;
    assert_int_equal(scale_steps(scale, &x, 1, &step), isfinite(x) ? 0 : 1);
    return step;
}

static struct colour_scale *scale_among(enum scaling scaling, const double *value, size_t count)
{
    struct sample sample = {0};
    for (size_t k = 0; k < count; k++)
        sample_add(&sample, value[k]);
    sample_sort(&sample);
    struct colour_scale *scale = scale_of_sample(scaling, &sample);
    sample_free(&sample);
    return scale;
}

/* Each scaling takes equal distances of its formula to equal distances of the ramp, and back. */
static void check_formula(struct colour_scale *scale, double low, double high, double (*formula)(double))
{
    assert_non_null(scale);
    for (int k = 0; k <= 1000; k++) {
        double x = low + k * (high - low) / 1000;
        double place = (formula(x) - formula(low)) / (formula(high) - formula(low));
        assert_true(fabs(step_of(scale, x) - RAMP_TOP * place) <= 0.5001);
        double back = scale_value(scale, place);
        assert_true(fabs(back - x) < 1e-9 * fmax(fabs(low), fabs(high)));
    }
    assert_int_equal(step_of(scale, low - 1), 0);
    assert_int_equal(step_of(scale, high + 1), RAMP_TOP);
    assert_int_equal(step_of(scale, 1e300), RAMP_TOP);
    assert_int_equal(step_of(scale, -1e300), 0);
    assert_int_equal(step_of(scale, NAN), RAMP_NEUTRAL);
    assert_int_equal(step_of(scale, INFINITY), RAMP_NEUTRAL);
    free(scale);
}

static double same(double x)
{
    return x;
}

static double minus_log(double x)
{
    return -log(-x);
}

static double asinh_of(double x)
{
    return asinh(x / 0.5);
}

static void test_formulas(void **state)
{
    (void)state;
    check_formula(scale_create(SCALE_LINEAR, 0.5, 2.5, 1), 0.5, 2.5, same);
    check_formula(scale_create(SCALE_LINEAR, -30, 2.5, 1), -30, 2.5, same);
    check_formula(scale_create(SCALE_LOG, 1e-3, 1e5, 1), 1e-3, 1e5, log);
    check_formula(scale_create(SCALE_LOG, -1e5, -1e-3, 1), -1e5, -1e-3, minus_log);
    check_formula(scale_create(SCALE_ASINH, -40, 70, 0.5), -40, 70, asinh_of);
    assert_null(scale_create(SCALE_LOG, -1, 1, 1));
    assert_null(scale_create(SCALE_LOG, 0, 1, 1));
    assert_null(scale_create(SCALE_LOG, -1, 0, 1));
}

/* What there is lies between the ends, in all scalings; zeros among positive numbers do not hinder a logarithm. */
static void test_ends_of_sample(void **state)
{
    (void)state;
    double value[10000], negative[10000];
    for (int k = 0; k < 10000; k++) {
        value[k] = k < 100 ? 0 : exp(k / 1000.0);
        negative[k] = -value[k];
    }
    struct colour_scale *scale = scale_among(SCALE_LOG, value, 10000);
    assert_int_equal(step_of(scale, 0), 0);
    assert_true(abs(step_of(scale, exp(5.05)) - RAMP_TOP / 2) <= 6);
    assert_true(step_of(scale, exp(9.96)) == RAMP_TOP && step_of(scale, exp(9.9)) < RAMP_TOP);
    assert_true(fabs(log(scale_value(scale, 0)) - 0.1495) < 1e-4); /* half a percent of those that are not 0 */
    assert_true(fabs(log(scale_value(scale, 1)) - 9.9495) < 1e-4);
    free(scale);
    scale = scale_among(SCALE_LOG, negative, 10000);
    assert_int_equal(step_of(scale, 0), RAMP_TOP);
    assert_true(abs(step_of(scale, -exp(5.05)) - RAMP_TOP / 2) <= 6);
    free(scale);
    scale = scale_among(SCALE_LINEAR, (double[]){7, 7, 7}, 3);
    assert_true(abs(step_of(scale, 7) - RAMP_TOP / 2) <= 1);
    free(scale);
    scale = scale_among(SCALE_LINEAR, NULL, 0); /* no number at all */
    assert_true(step_of(scale, 7) == RAMP_TOP);
    free(scale);
    assert_null(scale_among(SCALE_LOG, (double[]){-1, -0.5, 1, 2}, 4));
}

/* The ramp of asinh is linear up to the median of the sizes: of 1, -2, 3, -4 ... not 0, which is the middle of the
 * numbers. If most are 0, up to a thousandth of the largest. */
static void test_softness_of_sample(void **state)
{
    (void)state;
    double value[1001];
    for (int most_are_zero = 0; most_are_zero < 2; most_are_zero++) {
        for (int k = 0; k <= 1000; k++)
            value[k] = most_are_zero && k < 600 ? 0 : k % 2 ? -(k + 1) : k + 1;
        struct colour_scale *scale = scale_among(SCALE_ASINH, value, 1001);
        const double soft = most_are_zero ? 1.001 : 501, low = scale_value(scale, 0), high = scale_value(scale, 1);
        assert_true(low < -900 && high > 900);
        for (double place = 0; place <= 1; place += 0.1) {
            const double image = (1 - place) * asinh(low / soft) + place * asinh(high / soft);
            assert_true(fabs(scale_value(scale, place) - soft * sinh(image)) < 1e-6);
        }
        free(scale);
    }
    struct colour_scale *scale = scale_among(SCALE_ASINH, (double[]){0, 0}, 2);
    assert_true(fabs(scale_value(scale, 0.75) - sinh(0.5 * asinh(1))) < 1e-12); /* from -1 to 1 */
    free(scale);
}

/* The share of smaller numbers, in any unit, of either sign. Here the distribution is known: squares uniform. */
static void test_rank(void **state)
{
    (void)state;
    static double value[100000];
    for (int k = -2; k <= 2; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double unit = sign * pow(10, 40 * k);
            uint64_t seed = 1;
            for (int i = 0; i < 100000; i++)
                value[i] = unit * sqrt(uniform01(&seed));
            struct colour_scale *scale = scale_among(SCALE_RANK, value, 100000);
            for (double share = 0; share <= 1; share += 0.01) {
                double rank = sign > 0 ? share : 1 - share;
                assert_true(fabs(step_of(scale, unit * sqrt(share)) - RAMP_TOP * rank) <= RAMP_TOP / 100.0);
                assert_true(fabs(scale_value(scale, rank) / unit - sqrt(share)) < 0.01);
            }
            assert_int_equal(step_of(scale, 2 * unit), sign > 0 ? RAMP_TOP : 0);
            free(scale);
        }
}

/* Numbers close to each other far from 0 are told apart, equal ones are not. */
static void test_rank_of_close_numbers(void **state)
{
    (void)state;
    static double value[5000];
    for (int k = 0; k < 5000; k++)
        value[k] = 1e6 + 0.01 * k;
    struct colour_scale *scale = scale_among(SCALE_RANK, value, 5000);
    for (int k = 0; k < 5000; k++)
        assert_true(abs(step_of(scale, value[k]) - RAMP_TOP * k / 4999) <= 1);
    free(scale);
    for (int k = 0; k < 5000; k++)
        value[k] = 1.1 + 1e-15 * k;
    scale = scale_among(SCALE_RANK, value, 5000);
    for (int k = 0; k < 5000; k++)
        assert_true(abs(step_of(scale, value[k]) - RAMP_TOP / 2) <= 1);
    free(scale);
    for (int k = 0; k < 5000; k++)
        value[k] = k < 1000 ? 3 : k < 4000 ? 4 : 5;
    scale = scale_among(SCALE_RANK, value, 5000);
    assert_int_equal(step_of(scale, 3), 0);
    assert_int_equal(step_of(scale, 4), RAMP_TOP / 2);
    assert_int_equal(step_of(scale, 5), RAMP_TOP);
    free(scale);
}

/* Three speeds are blue, green, red; and between and beyond them the colour never runs backwards. */
static void test_rank_of_few(void **state)
{
    (void)state;
    struct colour_scale *scale = scale_among(SCALE_RANK, (double[]){4, 1, 7}, 3);
    assert_true(step_of(scale, 1) < RAMP_TOP / 10 && step_of(scale, 7) > 0.9 * RAMP_TOP);
    assert_true(abs(step_of(scale, 4) - RAMP_TOP / 2) < RAMP_TOP / 10);
    for (double speed = 0.1; speed < 20; speed *= 1.05)
        assert_true(step_of(scale, speed) <= step_of(scale, 1.05 * speed));
    free(scale);
    scale = scale_among(SCALE_RANK, (double[]){3}, 1);
    assert_true(abs(step_of(scale, 3) - RAMP_TOP / 2) < RAMP_TOP / 40);
    assert_true(step_of(scale, 1.4) == 0 && step_of(scale, 6.2) == RAMP_TOP);
    free(scale);
}

static void test_moving(void **state)
{
    (void)state;
    double slow[1000], fast[1000];
    for (int k = 0; k < 1000; k++) {
        slow[k] = k;
        fast[k] = 3000 + 2 * k;
    }
    for (enum scaling scaling = SCALE_LINEAR; scaling <= SCALE_RANK; scaling++) {
        struct colour_scale *a = scale_among(scaling, slow + 1, 999), *b = scale_among(scaling, fast, 1000);
        double before = scale_value(a, 0.5), aim = scale_value(b, 0.5);
        scale_move(a, b, 0.25);
        if (scaling == SCALE_LINEAR || scaling == SCALE_RANK)
            assert_true(fabs(scale_value(a, 0.5) - (0.75 * before + 0.25 * aim)) < 1e-9);
        scale_move(a, b, 1);
        assert_true(fabs(scale_value(a, 0.5) - aim) < 1e-9 && abs(step_of(a, aim) - RAMP_TOP / 2) <= 1);
        free(a);
        free(b);
    }
}

/* ---- ramps ---- */

static void check_light(const struct colour_ramp *ramp)
{
    for (int k = 0; k < RAMP_STEPS; k++) {
        float most = 0, plain = 0;
        for (int d = 0; d < 3; d++) {
            most = fmaxf(most, ramp->step[k][d]);
            plain = fmaxf(plain, ramp->plain[k][d]);
            assert_true(fabsf(ramp->shown[k][d] - sqrtf(ramp->step[k][d])) < 1e-6f);
        }
        const float light = ramp->step[k][3];
        assert_true(fabsf(most - light) < 1e-6f || plain == 0);
        for (int d = 0; d < 3; d++) /* the same hue */
            assert_true(fabsf(ramp->shown[k][d] * plain - sqrtf(light) * ramp->plain[k][d]) < 1e-6f);
        assert_true(light <= 1 && light > 0.7f && ramp->plain[k][3] == 1 && ramp->shown[k][3] == 1);
    }
}

static void test_ramp(void **state)
{
    (void)state;
    static struct colour_ramp ramp;
    const char *const names[] = {"dusk", "spectrum", "viridis", "inferno", "magma", "cividis", "coolwarm", "stars"};
    for (int i = 0; i < 8; i++) {
        ramp_fill(&ramp, names[i]);
        check_light(&ramp);
        for (int k = 1; k <= RAMP_TOP; k++)
            for (int d = 0; d < 3; d++) /* without jumps */
                assert_true(fabsf(ramp.plain[k][d] - ramp.plain[k - 1][d]) < 0.01f);
        assert_true(ramp.step[RAMP_NEUTRAL][0] == ramp.step[RAMP_NEUTRAL][2]);
        assert_non_null(strstr(ramp_names(), names[i]));
    }
    ramp_fill(&ramp, "spectrum");
    const float *blue = ramp.step[0], *green = ramp.step[RAMP_TOP / 2], *red = ramp.step[RAMP_TOP];
    assert_true(blue[2] == 1 && blue[2] > 4 * blue[0] && blue[2] > 4 * blue[1]);
    assert_true(green[1] > 2 * green[0] && green[1] > 2 * green[2]);
    assert_true(red[0] == 1 && red[0] > 4 * red[1] && red[0] > 4 * red[2]);
}

/* Luminance (BT.709, of display values) grows from end to end in the maps that are made to. */
static void test_luminance(void **state)
{
    (void)state;
    static struct colour_ramp ramp;
    const char *const names[] = {"dusk", "viridis", "inferno", "magma", "cividis"};
    for (int i = 0; i < 5; i++) {
        float before = -1, light = 0;
        ramp_fill(&ramp, names[i]);
        for (int k = 0; k <= RAMP_TOP; k++) {
            const float *c = ramp.plain[k];
            float luminance = 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2];
            assert_true(luminance > before - (i == 0 ? 1e-4f : 0)); /* dusk is of 8 bits */
            before = luminance;
            const float *s = ramp.step[k]; /* and so does that of light */
            luminance = 0.2126f * s[0] + 0.7152f * s[1] + 0.0722f * s[2];
            assert_true(luminance >= light - 1e-4f);
            light = luminance;
        }
    }
}

static float lightness(const float *c) /* L* of CIE 1976, from 0 to 100, of sRGB */
{
    float linear[3];
    for (int d = 0; d < 3; d++)
        linear[d] = c[d] <= 0.04045f ? c[d] / 12.92f : powf((c[d] + 0.055f) / 1.055f, 2.4f);
    const float y = 0.2126f * linear[0] + 0.7152f * linear[1] + 0.0722f * linear[2];
    return y > 216.0f / 24389 ? 116 * cbrtf(y) - 16 : y * 24389 / 27;
}

/* matplotlib's own: entries 0, 64, 128, 192 and 255 of _cm_listed.py, to six digits. Lightness rises from each step to
 * the next by as much as from any other, within what the published maps have: least and most of a step. */
static void test_tables(void **state)
{
    (void)state;
    static struct colour_ramp ramp;
    static const struct {
        const char *name;
        float colour[5][3], least, most; /* of lightness, of 1/255 of the map */
    } published[] = {
        {"viridis",
         {{0.267004f, 0.004874f, 0.329415f},
          {0.229739f, 0.322361f, 0.545706f},
          {0.127568f, 0.566949f, 0.550556f},
          {0.369214f, 0.788888f, 0.382914f},
          {0.993248f, 0.906157f, 0.143936f}},
         0.27f,
         0.36f},
        {"inferno",
         {{0.001462f, 0.000466f, 0.013866f},
          {0.341500f, 0.062325f, 0.429425f},
          {0.735683f, 0.215906f, 0.330245f},
          {0.978422f, 0.557937f, 0.034931f},
          {0.988362f, 0.998364f, 0.644924f}},
         0.07f,
         0.48f},
        {"magma",
         {{0.001462f, 0.000466f, 0.013866f},
          {0.316654f, 0.071690f, 0.485380f},
          {0.716387f, 0.214982f, 0.475290f},
          {0.986700f, 0.535582f, 0.382210f},
          {0.987053f, 0.991438f, 0.749504f}},
         0.07f,
         0.5f},
        {"cividis",
         {{0.000000f, 0.135112f, 0.304751f},
          {0.263738f, 0.307831f, 0.422789f},
          {0.488697f, 0.485318f, 0.471008f},
          {0.736488f, 0.680629f, 0.424028f},
          {0.995737f, 0.909344f, 0.217772f}},
         0.19f,
         0.4f},
    };
    for (size_t m = 0; m < sizeof published / sizeof published[0]; m++) {
        ramp_fill(&ramp, published[m].name);
        for (int i = 0; i < 5; i++) {
            const float at = (float)(i == 4 ? 255 : 64 * i) / 255 * RAMP_TOP;
            const int k = (int)at < RAMP_TOP ? (int)at : RAMP_TOP - 1; /* between two steps */
            for (int d = 0; d < 3; d++) {
                const float a = ramp.plain[k][d], b = ramp.plain[k + 1][d];
                assert_true(fabsf(a + (at - (float)k) * (b - a) - published[m].colour[i][d]) < 0.001f);
            }
        }
        for (int k = 1; k <= RAMP_TOP; k++) {
            const float rise = (lightness(ramp.plain[k]) - lightness(ramp.plain[k - 1])) * RAMP_TOP / 255;
            assert_true(rise > published[m].least && rise < published[m].most);
        }
    }
}

/* sRGB in CIELAB, D65. `cones` is what is seen of linear red, green and blue. */
static void lab_of(const float *c, const double cones[3][3], double lab[3])
{
    static const double to_xyz[3][3] = {
        {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
    double linear[3], seen[3], f[3];
    for (int d = 0; d < 3; d++)
        linear[d] = c[d] <= 0.04045f ? (double)c[d] / 12.92 : pow(((double)c[d] + 0.055) / 1.055, 2.4);
    for (int d = 0; d < 3; d++)
        seen[d] = fmin(fmax(vector_dot(cones[d], linear), 0), 1);
    for (int d = 0; d < 3; d++) {
        const double x = vector_dot(to_xyz[d], seen) / (to_xyz[d][0] + to_xyz[d][1] + to_xyz[d][2]);
        f[d] = x > 216.0 / 24389 ? cbrt(x) : (x * 24389 / 27 + 16) / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

/* The least difference of colours of light that are a quarter of the ramp apart. */
static double least_difference(const struct colour_ramp *ramp, const double cones[3][3])
{
    double least = INFINITY;
    for (int k = 0; k <= RAMP_TOP - RAMP_TOP / 4; k++) {
        double a[3], b[3];
        lab_of(ramp->shown[k], cones, a);
        lab_of(ramp->shown[k + RAMP_TOP / 4], cones, b);
        for (int d = 0; d < 3; d++)
            a[d] -= b[d];
        least = fmin(least, vector_length(a));
    }
    return least;
}

/* The default map, as light: lightness rises by as much in each part of it, and its colours are told apart by people
 * who see all colours and by those who lack red, green or blue cones (Machado, Oliveira & Fernandes 2009). */
static void test_dusk(void **state)
{
    (void)state;
    static const struct {
        double cones[3][3], least, spectrum;
    } eyes[] = {
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 23, 50},
        {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}, 16, 5},
        {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}, 16, 12},
        {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}, 12, 14}};
    static struct colour_ramp ramp, spectrum;
    ramp_fill(&ramp, RAMP_DEFAULT);
    ramp_fill(&spectrum, "spectrum");
    for (int part = 0; part < 14; part++) {
        const int k = part * RAMP_TOP / 14, to = (part + 1) * RAMP_TOP / 14;
        const float rise = lightness(ramp.shown[to]) - lightness(ramp.shown[k]);
        assert_true(rise > 0.93f * (97 - 46) / 14 && rise < 1.07f * (97 - 46) / 14);
    }
    assert_true(lightness(ramp.shown[0]) > 45); /* seen on a dark sky */
    for (size_t e = 0; e < sizeof eyes / sizeof eyes[0]; e++) {
        assert_true(least_difference(&ramp, eyes[e].cones) > eyes[e].least);
        assert_true(least_difference(&spectrum, eyes[e].cones) > eyes[e].spectrum);
        assert_true(e == 0 || least_difference(&spectrum, eyes[e].cones) < 17);
    }
}

/* Chromaticities x, y of black bodies by the tables of CIE 1931: 2855.5 K is illuminant A (CIE 015), the others are
 * from Wyszecki & Stiles, Color Science. Colours of the display: white near 6500 K, orange below, bluish above. */
static void test_planck(void **state)
{
    (void)state;
    static const double published[][4] = {{1000, 0.6528, 0.3444, 0.012},    {2000, 0.5267, 0.4133, 0.004},
                                          {2855.5, 0.4476, 0.4074, 0.0015}, {4000, 0.3805, 0.3768, 0.0015},
                                          {5000, 0.3451, 0.3516, 0.0015},   {6500, 0.3135, 0.3237, 0.0015},
                                          {10000, 0.2807, 0.2884, 0.0015},  {20000, 0.2565, 0.2577, 0.0015}};
    float c[3], before = 0;
    for (size_t k = 0; k < sizeof published / sizeof published[0]; k++) {
        const double *p = published[k];
        double xyz[3];
        planck_xyz(p[0], xyz);
        const double sum = xyz[0] + xyz[1] + xyz[2];
        assert_true(fabs(xyz[0] / sum - p[1]) < p[3] && fabs(xyz[1] / sum - p[2]) < p[3]);
    }
    planck_colour(6504, c);
    assert_true(c[0] > 0.97f && c[1] > 0.97f && c[2] > 0.97f);
    planck_colour(3000, c);
    assert_true(c[0] == 1 && fabsf(c[1] - 0.71f) < 0.03f && fabsf(c[2] - 0.43f) < 0.03f); /* #ffb46e or so */
    planck_colour(10000, c);
    assert_true(c[2] == 1 && fabsf(c[0] - 0.80f) < 0.03f && fabsf(c[1] - 0.85f) < 0.03f); /* #cddaff or so */
    for (double kelvin = 100; kelvin < 1e6; kelvin *= 1.1) { /* blue over red rises, and no channel is out of range */
        planck_colour(kelvin, c);
        assert_true(fmaxf(fmaxf(c[0], c[1]), c[2]) == 1 && fminf(fminf(c[0], c[1]), c[2]) >= 0);
        assert_true(c[2] / c[0] >= before);
        before = c[2] / c[0];
    }
}

static void test_palette(void **state)
{
    (void)state;
    static struct colour_ramp ramp;
    ramp_fill_palette(&ramp);
    check_light(&ramp);
    for (int a = 0; a < RAMP_PALETTE; a++)
        for (int b = 0; b < a; b++) {
            float distance = 0;
            for (int d = 0; d < 3; d++)
                distance += fabsf(ramp.shown[a][d] - ramp.shown[b][d]);
            assert_true(distance > 0.08f);
        }
}

/* ---- histograms ---- */

static void test_quantiles(void **state)
{
    (void)state;
    struct histogram *h = calloc(1, sizeof *h);
    assert_true(histogram_quantile(h, 0.5) == 0);
    for (int k = 1; k <= 100000; k++)
        histogram_add(h, k);
    for (double q = 0.01; q < 1; q += 0.01)
        assert_true(fabs(histogram_quantile(h, q) / (q * 100000) - 1) < 0.01);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_ends_of_sample),
        cmocka_unit_test(test_softness_of_sample),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_rank_of_close_numbers),
        cmocka_unit_test(test_rank_of_few),
        cmocka_unit_test(test_moving),
        cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_luminance),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_dusk),
        cmocka_unit_test(test_planck),
        cmocka_unit_test(test_palette),
        cmocka_unit_test(test_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
