/* Order of points along curves, on a GPU. The points are a lattice of SIDE^3 points, in a mixed order. Along a Morton
 * curve, their keys are the interleaved bits of their coordinates. Along a Hilbert curve, each point is one lattice
 * constant away from the next. */
#include "common/devices.h"
#include "curve_cuda.h"

#pragma weak nb_curve_order /* where there is no CUDA */

#define SIDE 32
#define N    (SIDE * SIDE * SIDE)

/* The number of the lattice point with index i: an odd factor visits each number once. */
static unsigned number_of(unsigned i)
{
    return i * 20021 % N;
}

static int place(unsigned i, int axis)
{
    return (int)(number_of(i) >> 5 * axis) % SIDE;
}

static const uint32_t *order_of(struct nb_device *device, bool hilbert)
{
    static double x[3 * N];
    static uint32_t order[N];
    for (unsigned i = 0; i < N; i++)
        for (int axis = 0; axis < 3; axis++)
            x[axis * N + (int)i] = 0.1 * place(i, axis) - 1;
    assert_int_equal(nb_curve_order(device, N, x, hilbert, order), 0);
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
    const uint32_t *order = order_of(*state, false);
    for (unsigned k = 0; k < N; k++)
        assert_int_equal(interleaved(order[k]), k);
}

static void along_hilbert(void **state)
{
    static bool seen[N];
    const uint32_t *order = order_of(*state, true);
    for (unsigned k = 0; k < N; k++) {
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
        int distance = 0;
        for (int axis = 0; axis < 3 && k > 0; axis++)
            distance += abs(place(order[k], axis) - place(order[k - 1], axis));
        assert_int_equal(distance, k > 0);
    }
}

static void nothing(void **state)
{
    (void)state;
}

int main(void)
{
    struct nb_device *device = nb_curve_order ? device_of("cuda") : NULL;
    const struct CMUnitTest tests[] = {
        {device ? "Morton" : "Morton's curve # SKIP no GPU", device ? along_morton : nothing, NULL, NULL, device},
        {device ? "Hilbert" : "Hilbert's curve # SKIP no GPU", device ? along_hilbert : nothing, NULL, NULL, device},
    };
    return _cmocka_run_group_tests("curve", tests, 2, NULL, NULL);
}
