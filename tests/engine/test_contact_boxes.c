/* The boxes of contact-bvh on a GPU, after each of many builds: each leaf is in the tree once, each box is the union
 * of its children's boxes, the depth is at most the length of the keys, and the pairs are those of the grid. */
#include "contact_cuda_boxes.h"
#include "touching.h"

#pragma weak nb_contact_cuda_boxes /* where there is no CUDA */

#define BUILDS  1000
#define N       400
#define DEEPEST 72 /* bits of a key and of a place */

struct boxes {
    uint64_t n;
    uint32_t order[N], children[N][2];
    double box[N][4];
    int met[N]; /* leaves */
};

/* The box of a child, from the places of its disks; counts its leaves. */
static void check_child(struct boxes *b, const struct touching *t, uint32_t child, int depth, double box[4])
{
    double left[4], right[4];
    assert_true(depth <= DEEPEST);
    if (child & NB_CONTACT_LEAF) {
        const uint32_t place = child & ~NB_CONTACT_LEAF;
        assert_true(place < b->n && b->order[place] < b->n);
        b->met[place]++;
        for (int k = 0; k < 4; k++)
            box[k] = t->x[3 * b->order[place] + (uint64_t)(k % 2)];
        return;
    }
    assert_true(child < b->n - 1);
    check_child(b, t, b->children[child][0], depth + 1, left);
    check_child(b, t, b->children[child][1], depth + 1, right);
    for (int k = 0; k < 4; k++)
        box[k] = k < 2 ? fmin(left[k], right[k]) : fmax(left[k], right[k]);
    assert_memory_equal(box, b->box[child], sizeof left);
}

static void check_boxes(const struct touching_run *r, const struct touching *t)
{
    static struct boxes b;
    double box[4];
    memset(&b, 0, sizeof b);
    b.n = t->b.n;
    assert_int_equal(nb_contact_cuda_boxes(r->set.force[0].work, b.order, b.children, b.box[0]), 0);
    check_child(&b, t, 0, 0, box);
    for (uint64_t k = 0; k < b.n; k++)
        assert_int_equal(b.met[k], 1);
}

/* Sums in ascending number: equal pairs give equal bits. */
static void check_pairs(const struct touching_run *bvh, const struct touching_run *grid, struct touching *t)
{
    static double a[3 * N];
    fetch_touching(bvh, t);
    memcpy(a, t->a, 24 * t->b.n);
    assert_int_equal(touching_field((struct touching_run *)grid), 0);
    fetch_touching(grid, t);
    assert_memory_equal(a, t->a, 24 * t->b.n);
}

static void builds(void **state)
{
    struct nb_device *device = *state;
    static const char *const lines[] = {"contact 100 0 0.03", "box -1 1 -1 1", "periodic x", NULL};
    for (uint64_t build = 0; build < BUILDS; build++) {
        const uint64_t n = 2 + build * 37 % (N - 1);
        struct touching *t = make_touching(n, lines);
        scatter(t, build, -1, 1, -1, 1);
        for (uint64_t i = 0; build % 3 == 1 && i < n; i++) /* many at one place, or in rows */
            t->x[3 * i] = i % 5 ? 0.5 : t->x[3 * i], t->x[3 * i + 1] = i % 7 ? 0.25 : t->x[3 * i + 1];
        struct touching_run bvh = open_touching(device, build % 2 ? NB_DOUBLE : NB_SINGLE, "contact-bvh", t);
        struct touching_run grid = open_touching(device, build % 2 ? NB_DOUBLE : NB_SINGLE, "contact-grid", t);
        assert_int_equal(touching_field(&bvh), 0);
        check_boxes(&bvh, t);
        check_pairs(&bvh, &grid, t);
        close_touching(&bvh);
        close_touching(&grid);
        free_touching(t);
    }
}

int main(void)
{
    struct nb_device *device = nb_contact_cuda_boxes ? device_of("cuda") : NULL;
    const struct CMUnitTest tests[] = {
        {device ? "boxes after a thousand builds" : "boxes on a GPU # SKIP there is none here",
         device ? builds : run_nothing, NULL, NULL, device},
    };
    return _cmocka_run_group_tests("contact_boxes", tests, 1, NULL, NULL);
}
