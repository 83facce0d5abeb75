/* External fields on every device in every precision: compared with formulas that the test computes in extended
 * precision; accelerations compared with differences of the potential; lists of targets and fields that are added;
 * specifications as text; linear drag compared with exp(-kt); a rotating field, with the order of every scheme that
 * supports it. */
#include "base/units.h"
#include "device/device_kind.h"
#include "force/external/external.h"
#include "kepler.h"

#include <unistd.h>

#define N 200

struct row {
    const char *device;
    enum nb_precision precision;
};

/* ---- the formulas, once more ---- */

typedef long double real;

static real length(const real *d)
{
    return sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static real point(const real *x)
{
    const real d[3] = {x[0] - 0.25L, x[1], x[2]};
    return -2 * 3 / sqrtl(length(d) * length(d) + 0.01L);
}

static real plummer(const real *x)
{
    return -2 * 3 / sqrtl(length(x) * length(x) + 0.25L);
}

static real hernquist(const real *x)
{
    return -2 * 3 / (length(x) + 0.5L);
}

static real nfw(const real *x)
{
    return -2 * 3 * log1pl(length(x) / 0.5L) / length(x);
}

static real logarithmic(const real *x)
{
    return 1.5L * 1.5L / 2 * logl(0.04L + x[0] * x[0] + x[1] * x[1] + x[2] * x[2] / 0.64L);
}

static real disk(const real *x)
{
    const real reach = 0.7L + sqrtl(x[2] * x[2] + 0.01L);
    return -2 * 3 / sqrtl(x[0] * x[0] + x[1] * x[1] + reach * reach);
}

static real triaxial(const real *x)
{
    return 1.5L * 1.5L / 2 * logl(0.04L + x[0] * x[0] + x[1] * x[1] / 0.81L + x[2] * x[2] / 0.64L);
}

/* The potential of a rod, as the paper has it, is a logarithm that loses digits. */
static real bar(const real *x)
{
    const real reach = 0.1L + sqrtl(x[2] * x[2] + 0.04L), w2 = x[1] * x[1] + reach * reach;
    const real plus = sqrtl((1.5L + x[0]) * (1.5L + x[0]) + w2), minus = sqrtl((1.5L - x[0]) * (1.5L - x[0]) + w2);
    return -2 * 3 / 3.0L * (log1pl(3 / (plus + minus)) - log1pl(-3 / (plus + minus)));
}

/* The bar along the direction (0.8, 0.6). */
static real turned_bar(const real *x)
{
    return bar((real[]){0.8L * x[0] + 0.6L * x[1], 0.8L * x[1] - 0.6L * x[0], x[2]});
}

static real uniform(const real *x)
{
    return -(0.5L * x[0] - 2 * x[2]);
}

/* kpc, 10^10 Msun, km/s; numbers from the paper. */
static real milky_way(const real *x)
{
    const real G = nb_units_find("galactic")->G, reach = 6.5L + sqrtl(x[2] * x[2] + 0.26L * 0.26L), r = length(x);
    return -G * 10 / sqrtl(x[0] * x[0] + x[1] * x[1] + reach * reach) - G * 3.4L / (r + 0.7L) +
           128 * 128 * logl(r * r + 144);
}

static const struct {
    const char *spec;
    real (*phi)(const real *x);
    bool galactic;
} fields[] = {
    {"external:point,mass=3,eps=0.1,x=0.25", point, false},
    {"external:plummer,mass=3,scale=0.5", plummer, false},
    {"external:hernquist,mass=3,scale=0.5", hernquist, false},
    {"external:nfw,mass=3,scale=0.5", nfw, false},
    {"external:logarithmic,speed=1.5,core=0.2,q=0.8", logarithmic, false},
    {"external:miyamoto-nagai,mass=3,a=0.7,b=0.1", disk, false},
    {"external:logarithmic,speed=1.5,core=0.2,q=0.8,p=0.9", triaxial, false},
    {"external:bar,mass=3,a=1.5,b=0.1,c=0.2", bar, false},
    {"external:bar,mass=3,a=1.5,b=0.1,c=0.2,angle=36.86989764584402", turned_bar, false},
    {"external:uniform,gx=0.5,gz=-2", uniform, false},
    {"external:milky-way", milky_way, true},
};
#define FIELDS (sizeof fields / sizeof *fields)

/* ---- evaluations ---- */

/* From 1e-4 to 100 from the centre, in all directions; float values, so that every precision has the same. */
static void make_points(struct nb_bodies *b)
{
    make_kepler(b, 0);
    nb_bodies_free_data(b);
    b->n = N;
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data, *v = b->columns[2].data;
    for (uint64_t i = 0; i < N; i++) {
        const double r = pow(10, -4 + 6 * (double)i / N), z = cos((double)(7 * i)), s = sqrt(1 - z * z);
        m[i] = i % 3 ? 1 : 0; /* bodies without a mass feel a field like the others */
        /* volatile: gcc 12 leaves the rounding of a product with a sine and a cosine out at -O3 */
        const volatile float at[3] = {(float)(r * s * cos((double)i)), (float)(r * s * sin((double)i)), (float)(r * z)};
        for (uint64_t k = 0; k < 3; k++)
            x[3 * i + k] = (double)at[k];
        v[3 * i] = v[3 * i + 1] = v[3 * i + 2] = 0;
    }
}

static struct nb_meta meta_of(size_t k)
{
    struct nb_meta meta = {.G = 2};
    if (fields[k].galactic) {
        const struct nb_unit_system *u = nb_units_find("galactic");
        assert_non_null(u);
        meta = (struct nb_meta){.G = u->G, .units = u->units};
    }
    return meta;
}

static struct nb_force_set open_field(const struct row *row, const char *text, const struct nb_meta *meta)
{
    struct nb_force_set set;
    struct nb_force_spec spec;
    nb_force_set_init(&set, device_of(row->device));
    assert_int_equal(nb_force_parse(text, &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, row->precision, NB_WANT_ACC | NB_WANT_PHI, N, meta), 0);
    return set;
}

static void gradient(size_t k, const double *at, real *a)
{
    const real scale = 1e-6L * (length((real[]){at[0], at[1], at[2]}) + 0.01L);
    for (int c = 0; c < 3; c++) {
        real x[3] = {at[0], at[1], at[2]}, up, down;
        x[c] = at[c] + scale, up = fields[k].phi(x);
        x[c] = at[c] - scale, down = fields[k].phi(x);
        a[c] = -(up - down) / (2 * scale);
    }
}

static void fields_are_their_formulas(void **state)
{
    const struct row *row = *state;
    const double digits = row->precision == NB_SINGLE ? 3e-7 : 1e-13;
    for (size_t k = 0; k < FIELDS; k++) {
        struct nb_bodies b;
        make_points(&b);
        const struct nb_meta meta = meta_of(k);
        struct nb_force_set set = open_field(row, fields[k].spec, &meta);
        struct nb_state *s = nb_state_create(set.device, row->precision, &b);
        void *d_phi = nb_state_vector(s);
        double got_a[3 * N], got_phi[N];
        struct nb_column a = {.type = NB_F64, .width = 3, .data = got_a};
        struct nb_column phi = {.type = NB_F64, .width = 1, .data = got_phi};
        assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_external, s, meta.G, 0, s->a, d_phi), 0);
        assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
        assert_int_equal(nb_state_fetch(s, d_phi, &phi), 0);
        for (uint64_t i = 0; i < N; i++) {
            const double *x = (double *)b.columns[1].data + 3 * i;
            const real want = fields[k].phi((real[]){x[0], x[1], x[2]});
            real g[3];
            gradient(k, x, g);
            if (!(fabsl(got_phi[i] - want) <= digits * (fabsl(want) + 1)))
                fail_msg("%s: phi of point %d is %.12g, not %.12g", fields[k].spec, (int)i, got_phi[i], (double)want);
            for (int c = 0; c < 3;
                 c++) /* the differences have some nine digits, of what the field is near the centre */
                if (!(fabsl(got_a[3 * i + (uint64_t)c] - g[c]) <= (1e-8 + 10 * digits) * (length(g) + fabsl(want))))
                    fail_msg("%s: a%c of point %d is %.12g, not %.12g", fields[k].spec, 'x' + c, (int)i,
                             got_a[3 * i + (uint64_t)c], (double)g[c]);
        }
        nb_device_free(s->device, d_phi);
        nb_state_destroy(s);
        nb_force_set_close(&set);
        nb_bodies_free(&b);
    }
}

/* Two fields add, to each other and on a list of bodies; a set without any is zero. */
static void fields_add(void **state)
{
    const struct row *row = *state;
    const double digits = row->precision == NB_SINGLE ? 1e-6 : 1e-14;
    struct nb_bodies b;
    make_points(&b);
    struct nb_meta meta = {.G = 2};
    struct nb_force_set set = open_field(row, "external:uniform,gx=1,gy=2", &meta);
    struct nb_force_spec spec;
    assert_int_equal(nb_force_parse("external:uniform,gy=3,gz=4", &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, row->precision, NB_WANT_ACC, N, &meta), 0);
    struct nb_state *s = nb_state_create(set.device, row->precision, &b);
    static const uint32_t index[] = {3, 7, 150};
    void *d_index = nb_device_alloc(set.device, sizeof index), *d_phi = nb_state_vector(s);
    assert_int_equal(nb_device_to(set.device, d_index, index, sizeof index), 0);
    const struct nb_targets targets = {.n = 3, .stride = s->stride, .x = s->x, .v = s->v, .index = d_index};
    const struct nb_field out = {.stride = s->stride, .a = s->a, .phi = d_phi};
    double got_a[3 * N], got_phi[N];
    struct nb_column a = {.type = NB_F64, .width = 3, .data = got_a},
                     phi = {.type = NB_F64, .width = 1, .data = got_phi};
    assert_int_equal(nb_force_set_evaluate(&set, nb_forces_all, row->precision, NULL, &targets, &out), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
    assert_int_equal(nb_state_fetch(s, d_phi, &phi), 0);
    for (int k = 0; k < 3; k++) {
        const double *x = (double *)b.columns[1].data + 3 * index[k], want = -(x[0] + 5 * x[1] + 4 * x[2]);
        assert_true(got_a[3 * k] == 1 && got_a[3 * k + 1] == 5 && got_a[3 * k + 2] == 4);
        assert_true(fabs(got_phi[k] - want) <= digits * (1 + fabs(want)));
    }
    assert_int_equal(nb_force_set_evaluate_state(&set, nb_forces_own, s, 1, 0, s->a, d_phi), 0);
    assert_int_equal(nb_state_fetch(s, s->a, &a), 0);
    for (int k = 0; k < 3 * N; k++)
        assert_true(got_a[k] == 0);
    nb_device_free(set.device, d_index);
    nb_device_free(set.device, d_phi);
    nb_state_destroy(s);
    nb_force_set_close(&set);
    nb_bodies_free(&b);
}

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

/* ---- specs ---- */

static void specs_are_read_back(void **state)
{
    (void)state;
    for (size_t k = 0; k < FIELDS; k++) {
        struct nb_force_spec spec, again;
        char text[512], twice[512];
        assert_int_equal(nb_force_parse(fields[k].spec, &spec), 0);
        nb_force_print(&spec, text, sizeof text);
        assert_int_equal(nb_force_parse(text, &again), 0);
        nb_force_print(&again, twice, sizeof twice);
        assert_string_equal(text, twice);
        assert_memory_equal(spec.value, again.value, sizeof spec.value);
        nb_force_print(&spec, text, 8);
        assert_string_equal(text, "");
    }
}

/* What a list of parameters or a header's line cannot hold is written as in a URL, and nothing else. */
static void names_of_files_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *printed;
    } names[] = {
        {"orbit.txt", "orbit.txt", "orbit.txt"},
        {"a b.txt", "a b.txt", "a%20b.txt"},
        {"a%2Cb=c%2c", "a,b=c,", "a%2Cb=c%2C"},
        {"\xc3\xb6%41",
         "\xc3\xb6"
         "A",
         "%C3%B6A"},
        {"50%.txt%4", "50%.txt%4", "50%25.txt%254"},
        {"%2541", "%41", "%2541"},
        {"%%41%", "%A%", "%25A%25"},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct nb_force_spec spec;
        char text[NB_FORCE_TEXT_BYTES], printed[NB_FORCE_TEXT_BYTES];
        snprintf(text, sizeof text, "external:drag,rate=1,table=%s", names[k].text);
        assert_int_equal(nb_force_parse(text, &spec), 0);
        assert_string_equal(spec.file[1], names[k].name);
        nb_force_print(&spec, printed, sizeof printed);
        snprintf(text, sizeof text, "external:drag,rate=1,table=%s", names[k].printed);
        assert_string_equal(printed, text);
    }
}

static void specs_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        const char *text, *because;
    } wrong[] = {
        {"", "unknown force ''"},
        {"gravitons", "unknown force 'gravitons'"},
        {"external", "unknown kind '' (known: point, plummer"},
        {"external:", "unknown kind ''"},
        {"external:mass=1", "unknown kind 'mass=1'"},
        {"external:point", "mass is missing"},
        {"external:point,mass", "'mass': expected key=value"},
        {"external:point,mass=", "mass=: expected a number"},
        {"external:point,mass=nan", "mass=nan: expected a number"},
        {"external:point,mass=inf", "mass=inf: expected a number"},
        {"external:point,mass=1e999", ": expected a number"},
        {"external:point,mass=1x", "mass=1x: expected a number"},
        {"external:point,mass=-1", "mass=-1 is not from 0"},
        {"external:plummer,mass=1,scale=0", "scale=0 is not above 0"},
        {"external:point,mass=0x10", "mass=0x10: expected a number"},
        {"external:point,mass=1,mass=2", "mass is given twice"},
        {"external:point,mass=1,,", "'': expected key=value"},
        {"external:point,mass=1,weight=2", "unknown parameter 'weight' (known: mass, eps, x, y, z, center, table)"},
        {"external:point,mass=1,omega=2", "unknown parameter 'omega'"},
        {"external:point,mass=1,center=", "center= takes the name of a file"},
        {"external:point,mass=1,center=a%0ab", "center= takes the name of a file"},
        {"external:point,mass=1,center=a%00b", "center= takes the name of a file"},
        {"external:point,mass=1,center=a, b", "' b': expected key=value (in the name of a file write a comma as %2C)"},
        {"external:drag,rate=1,center=a", "unknown parameter 'center'"},
        {"external:milky-way,table=a", "unknown parameter 'table'"},
        {"tree:theta=3", "theta=3 is not from 0.05 to 2"},
        {"tree:rebuild=1.5", "rebuild=1.5: expected a whole number"},
        {"tree:rebuild=0", "rebuild=0 is not from 1"},
        {"direct:theta=1", "unknown parameter 'theta' (known: none)"},
        {"auto:x=1", "unknown parameter 'x' (known: theta, rebuild)"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct nb_force_spec spec;
        assert_int_equal(nb_force_parse(wrong[k].text, &spec), -1);
        if (!strstr(nb_error(), wrong[k].because))
            fail_msg("%s: %s", wrong[k].text, nb_error());
    }
}

static void the_milky_way_has_units(void **state)
{
    (void)state;
    struct nb_force_set set;
    struct nb_force_spec spec;
    const struct nb_meta meta = {.G = 1, .units = {.name = "code"}};
    nb_force_set_init(&set, device_of("cpu"));
    assert_int_equal(nb_force_parse("external:milky-way", &spec), 0);
    assert_int_equal(nb_force_set_add(&set, &spec, NB_DOUBLE, NB_WANT_ACC, 1, &meta), -1);
    assert_non_null(strstr(nb_error(), "(code) have no physical size"));
    assert_int_equal(set.count, 0);
}

/* Writes the table of a uniform field whose gx is g at all times. */
static void write_table(const char *name, double g)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "# t gx\n-9 %g\n9 %g\n", g, g);
    assert_int_equal(fclose(file), 0);
}

/* The acceleration along x in that field, which is opened or kept. */
static double kept_acceleration(struct nb_kept_fields *kept, const char *text, enum nb_precision precision, double G)
{
    struct nb_force_set set;
    struct nb_force_spec spec;
    const struct nb_meta meta = {.G = G};
    nb_force_set_init(&set, device_of("cpu"));
    assert_int_equal(nb_force_parse(text, &spec), 0);
    assert_int_equal(nb_force_set_add_kept(&set, kept, &spec, precision, NB_WANT_ACC, N, &meta), 0);
    const struct nb_external field = nb_external_at(set.force[0].work, 0);
    nb_force_set_close(&set);
    return field.term[0].centre[0];
}

/* A file that has changed shows whether it was read again. */
static void kept_fields_are_opened_once(void **state)
{
    (void)state;
    static struct nb_kept_fields kept;
    char name[] = "/tmp/nb-kept-XXXXXX", text[2][128];
    const int file = mkstemp(name);
    assert_true(file >= 0 && close(file) == 0);
    snprintf(text[0], sizeof text[0], "external:uniform,table=%s", name);
    write_table(name, 1);
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 1) == 1);
    write_table(name, 2);
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 1) == 1);
    assert_true(kept_acceleration(&kept, text[0], NB_SINGLE, 1) == 2);
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 3) == 2);
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 1) == 1);
    for (int k = 1; k < 3 * NB_FORCES_MAX; k++) { /* more than are kept */
        snprintf(text[1], sizeof text[1], "external:uniform,gy=%d,table=%s", k, name);
        assert_true(kept_acceleration(&kept, text[1], NB_DOUBLE, 1) == 2);
    }
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 1) == 2);
    nb_kept_fields_close(&kept);
    unlink(name);
}

static void nothing(void **state)
{
    (void)state;
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
    static struct row rows[16];
    static struct CMUnitTest tests[64] = {
        {"specs are read back", specs_are_read_back, NULL, NULL, NULL},
        {"specs that cannot be", specs_that_cannot_be, NULL, NULL, NULL},
        {"names of files are escaped", names_of_files_are_escaped, NULL, NULL, NULL},
        {"the milky way has units", the_milky_way_has_units, NULL, NULL, NULL},
        {"kept fields are opened once", kept_fields_are_opened_once, NULL, NULL, NULL},
    };
    static const struct CMUnitTest of_row[] = {
        {"fields are their formulas", fields_are_their_formulas, NULL, NULL, NULL},
        {"fields add", fields_add, NULL, NULL, NULL},
        {"drag has the order of the scheme", drag_has_the_order_of_the_scheme, NULL, NULL, NULL},
        {"a turning field has the order of the scheme", a_turning_field_has_the_order_of_the_scheme, NULL, NULL, NULL},
        {"a turning field does not see how steps are divided into calls",
         a_turning_field_does_not_see_how_steps_are_divided_into_calls, NULL, NULL, NULL},
    };
    const size_t of_rows = sizeof of_row / sizeof *of_row;
    size_t count = 5, row_count = 0;
    for (const struct nb_device_kind *const *kind = nb_device_kinds; *kind; kind++) {
        const bool here = device_of((*kind)->name);
        if (here && !row_on((*kind)->name, "external"))
            continue;
        for (int p = NB_SINGLE; p <= NB_DOUBLE; p++)
            for (size_t k = 0; k < (here ? of_rows : p == NB_SINGLE); k++) {
                struct row *row = &rows[row_count];
                char *name;
                *row = (struct row){(*kind)->name, (enum nb_precision)p};
                row_count += k + 1 == of_rows;
                if (k >= 2 && p != NB_DOUBLE)
                    continue;
                if (asprintf(&name, here ? "external %s %s: %s" : "external on %s # SKIP %s", (*kind)->name,
                             here ? nb_precision_name((enum nb_precision)p) : nb_error(), of_row[k].name) < 0)
                    return 1;
                tests[count] = here ? of_row[k] : (struct CMUnitTest){NULL, nothing, NULL, NULL, NULL};
                tests[count].name = name;
                tests[count++].initial_state = row;
            }
    }
    return _cmocka_run_group_tests("external", tests, count, NULL, NULL);
}
