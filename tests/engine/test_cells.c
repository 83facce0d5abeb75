/* The cells of trees for pictures (force/cells.h), compared with cells and walks that the test computes. */
#include "force/cells.h"
#include "kdtree_models.h"

#define BODIES 700

static double mass_at(const struct nb_bodies *b, uint64_t i)
{
    return ((const double *)b->columns[0].data)[i];
}

static const double *place_at(const struct nb_bodies *b, uint64_t i)
{
    return (const double *)b->columns[1].data + 3 * i;
}

static struct nb_force_spec spec_of(const char *text)
{
    struct nb_force_spec spec;
    assert_int_equal(nb_force_parse(text, &spec), 0);
    assert_true(nb_force_has_cells(&spec));
    return spec;
}

/* ---- eight bodies, one in each octant ---- */

static void test_octants(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct nb_cells cells = {0};
    const struct nb_force_spec octree = spec_of("octree"), kdtree = spec_of("kdtree");
    make_sphere(&b, 8);
    for (int i = 0; i < 8; i++) {
        ((double *)b.columns[0].data)[i] = i + 1;
        for (int k = 0; k < 3; k++)
            ((double *)b.columns[1].data)[3 * i + k] = 5 + (i >> k & 1 ? 3 : -3);
    }
    assert_int_equal(nb_force_cells(&octree, &b, NB_CELLS_OF_ALL, 0, &cells), 0);
    assert_int_equal(cells.count, 1);
    assert_int_equal(nb_force_cells(&octree, &b, NB_CELLS_OF_ALL, 9, &cells), 0);
    assert_int_equal(cells.count, 9);
    const struct nb_cell *root = &cells.cell[0];
    assert_true(root->level == 0 && root->bodies == 8 && root->m == 36);
    for (int k = 0; k < 3; k++) {
        assert_true(root->low[k] == 2 && root->high[k] == 8);
        assert_true(fabs(root->x[k] - (5 + (double)(3 * (4 << k)) / 36)) < 1e-14);
    }
    for (int i = 0; i < 8; i++) {
        const struct nb_cell *c = &cells.cell[1 + i];
        assert_true(c->level == 1 && c->bodies == 1 && c->m == i + 1);
        for (int k = 0; k < 3; k++)
            assert_true(c->low[k] == (i >> k & 1 ? 5 : 2) && c->high[k] == c->low[k] + 3 &&
                        c->x[k] == (i >> k & 1 ? 8 : 2));
    }
    assert_int_equal(nb_force_cells(&kdtree, &b, NB_CELLS_OF_ALL, 2, &cells), 0);
    assert_int_equal(cells.count, 7); /* halved along x, then along y */
    assert_true(cells.cell[1].low[0] == 2 && cells.cell[1].high[0] == 2 && cells.cell[1].high[1] == 8);
    assert_true(cells.cell[6].low[0] == 8 && cells.cell[6].low[1] == 8 && cells.cell[6].low[2] == 2);
    assert_true(cells.cell[6].bodies == 2 && cells.cell[6].m == 4 + 8);
    nb_cells_free(&cells);
    nb_bodies_free(&b);
}

/* ---- what acts on a body ---- */

struct walk { /* by lists of bodies */
    const struct nb_bodies *b;
    uint64_t of, count;
    double theta, mass;
    bool by_delta;
};

static bool acts_as_one(const struct walk *w, const uint64_t *body, uint64_t n, const double middle[3], double half)
{
    double m = 0, x[3] = {0}, d2 = 0, delta2 = 0, corner2 = 0;
    for (uint64_t i = 0; i < n; i++)
        m += mass_at(w->b, body[i]);
    for (int k = 0; k < 3; k++) {
        for (uint64_t i = 0; i < n; i++)
            x[k] += mass_at(w->b, body[i]) * place_at(w->b, body[i])[k] / m;
        d2 += pow(x[k] - place_at(w->b, w->of)[k], 2);
        delta2 += pow(x[k] - middle[k], 2);
        corner2 += pow(half + fabs(x[k] - middle[k]), 2);
    }
    return sqrt(d2) > fmax(2 * half / w->theta + (w->by_delta ? sqrt(delta2) : 0), sqrt(corner2));
}

static void open_cell(struct walk *w, const uint64_t *body, uint64_t n, const double middle[3], double half)
{
    uint64_t part[BODIES];
    for (int octant = 0; octant < 8; octant++) {
        uint64_t count = 0;
        double inside[3];
        for (int k = 0; k < 3; k++)
            inside[k] = middle[k] + (octant >> k & 1 ? 0.5 : -0.5) * half;
        for (uint64_t i = 0; i < n; i++) {
            bool is_in = true;
            for (int k = 0; k < 3; k++)
                is_in &= (place_at(w->b, body[i])[k] > middle[k]) == (octant >> k & 1);
            if (is_in)
                part[count++] = body[i];
        }
        const bool is_one =
            count == 1 ? part[0] != w->of : count > 0 && acts_as_one(w, part, count, inside, 0.5 * half);
        if (is_one) {
            w->count++;
            for (uint64_t i = 0; i < count; i++)
                w->mass += mass_at(w->b, part[i]);
        } else if (count > 1)
            open_cell(w, part, count, inside, 0.5 * half);
    }
}

static void walk_all(struct walk *w)
{
    uint64_t body[BODIES];
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, middle[3], half = 0;
    for (uint64_t i = 0; i < w->b->n; i++) {
        body[i] = i;
        for (int k = 0; k < 3; k++) {
            const double x = place_at(w->b, i)[k];
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
        }
    }
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (low[k] + high[k]);
        half = fmax(half, 0.5 * (high[k] - low[k]));
    }
    open_cell(w, body, w->b->n, middle, half);
}

static void test_accepted(void **state)
{
    (void)state;
    static const char *const forces[] = {"octree", "octree:opening=size", "octree:theta=0.9", "octree:theta=2",
                                         "kdtree", "kdtree:lambda=0.5"};
    struct nb_bodies b;
    struct nb_cells cells = {0};
    double total = 0;
    make_sphere(&b, BODIES);
    for (uint64_t i = 0; i < BODIES; i++)
        total += mass_at(&b, i);
    for (size_t f = 0; f < sizeof forces / sizeof *forces; f++) {
        const struct nb_force_spec spec = spec_of(forces[f]);
        for (uint64_t of = 3; of < BODIES; of += 99) {
            double mass = 0;
            uint64_t bodies = 0;
            assert_int_equal(nb_force_cells(&spec, &b, of, 0, &cells), 0);
            for (uint64_t k = 0; k < cells.count; k++) {
                mass += cells.cell[k].m;
                bodies += cells.cell[k].bodies;
            }
            assert_true(bodies == BODIES - 1 && fabs(mass - (total - mass_at(&b, of))) < 1e-12 * total);
            struct walk w = {
                .b = &b, .of = of, .theta = nb_force_value(&spec, "theta"), .by_delta = !strstr(forces[f], "size")};
            if (strcmp(spec.method, "octree") != 0)
                continue;
            walk_all(&w);
            assert_int_equal(cells.count, w.count);
            assert_true(cells.count < BODIES - 1 && fabs(mass - w.mass) < 1e-12 * total);
        }
    }
    nb_cells_free(&cells);
    nb_bodies_free(&b);
}

/* Bodies at one place, and one far out: each list has all of them once. */
static void test_hard(void **state)
{
    (void)state;
    static const char *const forces[] = {"octree", "kdtree"};
    for (int f = 0; f < 2; f++) {
        const struct nb_force_spec spec = spec_of(forces[f]);
        struct nb_bodies b;
        struct nb_cells cells = {0};
        uint64_t bodies = 0;
        make_model(&b, CLUSTERS, 300);
        assert_int_equal(nb_force_cells(&spec, &b, 49, 0, &cells), 0);
        for (uint64_t k = 0; k < cells.count; k++)
            bodies += cells.cell[k].bodies;
        assert_int_equal(bodies, 299);
        assert_int_equal(nb_force_cells(&spec, &b, NB_CELLS_OF_ALL, 64, &cells), 0);
        assert_true(cells.count > 300 && cells.cell[0].bodies == 300);
        b.n = 1;
        assert_int_equal(nb_force_cells(&spec, &b, 0, 0, &cells), 0);
        assert_int_equal(cells.count, 0);
        assert_int_equal(nb_force_cells(&spec, &b, NB_CELLS_OF_ALL, 64, &cells), 0);
        assert_true(cells.count >= 1);
        b.n = 300;
        nb_cells_free(&cells);
        nb_bodies_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_octants),
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_hard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
