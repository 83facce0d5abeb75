/* Order of points along curves, on a GPU. The points are a lattice of SIDE^3 points, shuffled. Along a Morton curve,
 * their keys are the interleaved bits of their coordinates. Along a Hilbert curve, each point is one lattice constant
 * from the next. Two more points at opposite corners decide the size of the cells. The lattice is either as large as
 * possible, or each of its points is in one of the smallest cells. */
#include "common/devices.h"
#include "curve_cuda.h"

#pragma weak nb_curve_order /* not defined in a build without CUDA */

#define SIDE  32
#define COUNT (SIDE * SIDE * SIDE)
#define CELLS 2097152 /* number of the smallest cells along an axis */

/* Returns a coordinate of point i of the lattice, in lattice constants. The odd factor shuffles the points. */
static int place(unsigned i, int axis)
{
    return (int)(i * 20021 % COUNT >> 5 * axis) % SIDE;
}

/* Returns the points of the lattice in their order along the curve. */
static const uint32_t *order_of(struct nb_device *device, bool hilbert, bool small)
{
    enum { N = COUNT + 2 };
    static double x[3 * N];
    static uint32_t order[N];
    const double constant = small ? 1 : CELLS / SIDE, first = small ? 3 * SIDE : 0;
    uint32_t count = 0;
    for (unsigned i = 0; i < N; i++)
        for (int axis = 0; axis < 3; axis++)
            x[axis * N + (int)i] = i == COUNT       ? 0
                                   : i == COUNT + 1 ? CELLS - 1
                                                    : first + constant * (place(i, axis) + 0.5);
    assert_int_equal(nb_curve_order(device, N, x, hilbert, order), 0);
    for (unsigned k = 0; k < N; k++)
        if (order[k] < COUNT)
            order[count++] = order[k];
    assert_int_equal(count, COUNT);
    return order;
}

static unsigned interleaved(unsigned i)
{
    unsigned key = 0;
    for (int bit = 0; bit < 5; bit++)
        for (int axis = 0; axis < 3; axis++)
            key |= ((unsigned)place(i, axis) >> bit & 1) << (3 * bit + axis);
    return key;
}

static void along_morton(void **state)
{
    for (int small = 0; small < 2; small++) {
        const uint32_t *order = order_of(*state, false, small);
        for (unsigned k = 0; k < COUNT; k++)
            assert_int_equal(interleaved(order[k]), k);
    }
}

static void along_hilbert(void **state)
{
    for (int small = 0; small < 2; small++) {
        bool seen[COUNT] = {false};
        const uint32_t *order = order_of(*state, true, small);
        for (unsigned k = 0; k < COUNT; k++) {
            int distance = 0;
            for (int axis = 0; axis < 3 && k > 0; axis++)
                distance += abs(place(order[k], axis) - place(order[k - 1], axis));
            assert_int_equal(distance, k > 0);
            assert_false(seen[order[k]]);
            seen[order[k]] = true;
        }
    }
}

int main(void)
{
    struct nb_device *device = nb_curve_order ? device_of("cuda") : NULL;
    const struct CMUnitTest tests[] = {
        {device ? "along a Morton curve" : "along a Morton curve # SKIP no GPU", device ? along_morton : run_nothing,
         NULL, NULL, device},
        {device ? "along a Hilbert curve" : "along a Hilbert curve # SKIP no GPU", device ? along_hilbert : run_nothing,
         NULL, NULL, device},
    };
    return _cmocka_run_group_tests("curve", tests, 2, NULL, NULL);
}
