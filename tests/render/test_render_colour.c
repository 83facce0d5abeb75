/* Colour maps: ramps without jumps, published colours and lightness, the colours of black bodies, the palette. The
 * parts of the tool are compiled into this test. */
#include "nbrender/basis/numbers.c"
#include "nbrender/colour/planck.c"
#include "nbrender/colour/ramp.c"
#include "nbrender/colour/scale.c"
#include "nbrender/colour/tables.c"
#include "render_colours.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ramp), cmocka_unit_test(test_luminance), cmocka_unit_test(test_tables),
        cmocka_unit_test(test_dusk), cmocka_unit_test(test_planck),    cmocka_unit_test(test_palette),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
