/* External fields at rest, on every device in every precision: compared with formulas that the test computes in
 * extended precision; accelerations compared with differences of the potential; lists of targets and fields that are
 * added; specifications as text. */
#include "base/units.h"
#include "external_rows.h"
#include "kepler.h"

#define N 200

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

int main(void)
{
    static const struct CMUnitTest first[] = {
        {"specs are read back", specs_are_read_back, NULL, NULL, NULL},
        {"the milky way has units", the_milky_way_has_units, NULL, NULL, NULL},
    };
    static const struct CMUnitTest of_row[] = {
        {"fields are their formulas", fields_are_their_formulas, NULL, NULL, NULL},
        {"fields add", fields_add, NULL, NULL, NULL},
    };
    return run_on_external_rows(first, sizeof first / sizeof *first, of_row, sizeof of_row / sizeof *of_row, NB_SINGLE);
}
