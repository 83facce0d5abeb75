/* Minima and maxima over bodies, on every device in every precision: the minimum time scale of n bodies compared with
 * the formulas of the papers, and the extents of vectors. */
#include "common/devices.h"
#include "device/quad.h"
#include "device/range.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void set(enum nb_precision precision, void *data, uint64_t i, nb_quad value)
{
    if (precision == NB_SINGLE)
        ((float *)data)[i] = (float)value;
    else if (precision == NB_QUAD)
        ((nb_quad *)data)[i] = value;
    else
        ((double *)data)[i] = (double)value;
}

static bool offered(const struct nb_device *device, enum nb_precision precision)
{
    return precision != NB_QUAD || device->kind->quad;
}

/* Derivative k of body i's motion, from the acceleration on, exact in every precision. */
static double any_motion(int k, uint64_t i, int axis)
{
    return ldexp((double)((i * 37 + (uint64_t)k * 101 + (uint64_t)axis * 53) % 199) - 98.5, k - (int)(i % 7));
}

/* Body 0 is on a circle with angular frequency 4, all others are at rest. */
static double circle(int k, uint64_t i, int axis)
{
    return i == 0 && axis == k % 2 ? ldexp(k % 4 < 2 ? 3 : -3, 2 * k) : 0;
}

/* Body 1 has a jerk alone, and body 2 a snap alone. */
static double without_numerator(int k, uint64_t i, int axis)
{
    return axis == 2 && i == (uint64_t)k && i > 0 && i < 3 ? 5 : circle(k, i, axis);
}

static double not_a_number(int k, uint64_t i, int axis)
{
    return k == 1 && i == 3 && axis == 1 ? (double)NAN : circle(k, i, axis);
}

static double infinite(int k, uint64_t i, int axis)
{
    return k == 0 && i == 3 && axis == 1 ? (double)INFINITY : circle(k, i, axis);
}

static double rest(int k, uint64_t i, int axis)
{
    (void)k, (void)i, (void)axis;
    return 0;
}

/* What the device says of a motion; what is behind the n-th body does not matter. */
static double step_scale(struct nb_device *device, enum nb_precision precision, uint64_t n, double least,
                         double (*value)(int k, uint64_t i, int axis))
{
    const uint64_t stride = (n + NB_STRIDE_UNIT) / NB_STRIDE_UNIT * NB_STRIDE_UNIT;
    const size_t size = 3 * stride * nb_precision_size(precision);
    void *host = malloc(size), *d[NB_DERIVATIVES_MAX] = {0};
    double time = -1;
    for (int k = 0; k < NB_DERIVATIVES_MAX; k++) {
        assert_non_null(d[k] = nb_device_alloc(device, size));
        for (int axis = 0; axis < 3; axis++)
            for (uint64_t i = 0; i < stride; i++)
                set(precision, host, (uint64_t)axis * stride + i, i < n ? value(k, i, axis) : 1e9 * (k + 1));
        assert_int_equal(nb_device_to(device, d[k], host, size), 0);
    }
    assert_int_equal(nb_device_step_scale(device, precision, n, stride, (const void *const *)d, least, &time), 0);
    for (int k = 0; k < NB_DERIVATIVES_MAX; k++)
        nb_device_free(device, d[k]);
    free(host);
    return time;
}

/* By the formulas of the papers as they stand there; *kinds: bit 1, some body's longer time is Pham's, bit 2,
 * Aarseth's.
 */
static double true_step_scale(uint64_t n, double (*value)(int k, uint64_t i, int axis), int *kinds)
{
    long double least = INFINITY;
    for (uint64_t i = 0; i < n; i++) {
        long double y[NB_DERIVATIVES_MAX] = {0};
        for (int k = 0; k < NB_DERIVATIVES_MAX; k++) {
            for (int axis = 0; axis < 3; axis++)
                y[k] += (long double)value(k, i, axis) * value(k, i, axis);
            y[k] = sqrtl(y[k]);
        }
        const long double pham = 2 * y[0] * y[0] / (y[1] * y[1] + y[0] * y[2]),
                          aarseth = (y[0] * y[2] + y[1] * y[1]) / (y[1] * y[3] + y[2] * y[2]);
        least = fminl(least, sqrtl(fmaxl(pham, aarseth)));
        *kinds |= pham > aarseth ? 1 : 2;
    }
    return (double)least;
}

static void least_time_scale(void **state)
{
    struct nb_device *device = *state;
    static const uint64_t sizes[] = {1, 2, 64, 1000, 70001};
    int kinds = 0;
    for (int p = 0; p < NB_PRECISIONS; p++) {
        const enum nb_precision precision = (enum nb_precision)p;
        if (!offered(device, precision))
            continue;
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
            const double have = step_scale(device, precision, sizes[z], 0, any_motion),
                         want = true_step_scale(sizes[z], any_motion, &kinds);
            if (!(fabs(have - want) <= 1e-14 * want))
                fail_msg("%d bodies in %s: %.16g, not %.16g", (int)sizes[z], nb_precision_name(precision), have, want);
        }
        assert_true(fabs(step_scale(device, precision, 70, 0, circle) - 0.25) < 1e-15);
        assert_true(step_scale(device, precision, 5, 0, not_a_number) == 0);
        assert_true(step_scale(device, precision, 5, 0, infinite) == 0);
        assert_true(step_scale(device, precision, 70, 0, rest) == (double)INFINITY);
    }
    assert_int_equal(kinds, 3);
    assert_true(fabs(step_scale(device, NB_DOUBLE, 70, 0, without_numerator) - 0.25) < 1e-15);
    assert_true(step_scale(device, NB_DOUBLE, 0, 0, rest) == (double)INFINITY);
}

/* Body 0 passes through the middle of a spring with frequency 4: no acceleration and no snap. */
static double spring(int k, uint64_t i, int axis)
{
    return i == 0 && axis == 1 && k % 2 == 1 ? ldexp(k == 1 ? 3 : -3, 2 * k) : 0;
}

/* Body 1 shakes by less than a millionth of body 0's acceleration. */
static double shaken(int k, uint64_t i, int axis)
{
    return i == 1 && axis == 0 ? ldexp(1, 10 * k - 20) : circle(k, i, axis);
}

static void least_step_scale(void **state)
{
    struct nb_device *device = *state;
    for (int p = 0; p < NB_PRECISIONS; p++)
        if (offered(device, (enum nb_precision)p)) {
            const enum nb_precision precision = (enum nb_precision)p;
            assert_true(fabs(step_scale(device, precision, 70, 1e-6, circle) - 0.25) < 1e-15);
            assert_true(fabs(step_scale(device, precision, 70, 1e-6, spring) - 0.25) < 1e-15);
            assert_true(step_scale(device, precision, 70, 0, shaken) < 2e-3);
            assert_true(fabs(step_scale(device, precision, 70, 1e7, shaken) - 0.25) > 1);
            assert_true(step_scale(device, precision, 5, 1, not_a_number) == 0);
        }
}

/* Body 3 is by 5 above and body 4 by 7 below the others on axis 2, wherever all of them are. */
static double spread(int k, uint64_t i, int axis)
{
    return (axis == 2 && i == 3 ? 5 : axis == 2 && i == 4 ? -7 : axis == 1 ? (double)(i % 2) : 0) + (k == 1 ? 1000 : 0);
}

static void extents(void **state)
{
    struct nb_device *device = *state;
    static const uint64_t sizes[] = {1, 2, 5, 64, 70001};
    static const double want[] = {0, 1, 12, 12, 12};
    for (int p = 0; p < NB_PRECISIONS; p++)
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes && offered(device, (enum nb_precision)p); z++) {
            const uint64_t n = sizes[z], stride = (n + NB_STRIDE_UNIT) / NB_STRIDE_UNIT * NB_STRIDE_UNIT;
            const size_t size = 3 * stride * nb_precision_size((enum nb_precision)p);
            void *host = malloc(size), *d[NB_EXTENTS_MAX];
            double extent[NB_EXTENTS_MAX];
            for (int bad = 0; bad < 3; bad++) { /* none, not a number, infinite: of the second vector alone */
                for (int k = 0; k < NB_EXTENTS_MAX; k++) {
                    assert_non_null(d[k] = nb_device_alloc(device, size));
                    for (int axis = 0; axis < 3; axis++)
                        for (uint64_t i = 0; i < stride; i++)
                            set((enum nb_precision)p, host, (uint64_t)axis * stride + i,
                                i >= n ? 1e9
                                : bad && k == 1 && axis == 1 && i == n / 2
                                    ? (bad == 1 ? (double)NAN : -(double)INFINITY)
                                    : spread(k, i, axis));
                    assert_int_equal(nb_device_to(device, d[k], host, size), 0);
                }
                assert_int_equal(nb_device_extent(device, (enum nb_precision)p, n, stride, NB_EXTENTS_MAX,
                                                  (const void *const *)d, extent),
                                 0);
                assert_true(extent[0] == want[z] && extent[1] == (bad ? (double)INFINITY : want[z]));
                for (int k = 0; k < NB_EXTENTS_MAX; k++)
                    nb_device_free(device, d[k]);
            }
            free(host);
        }
}

int main(void)
{
    static const struct CMUnitTest of_device[] = {
        {"the least time scale", least_time_scale, NULL, NULL, NULL},
        {"the least time scale for steps", least_step_scale, NULL, NULL, NULL},
        {"extents", extents, NULL, NULL, NULL},
    };
    return run_on_devices("time scales", NULL, of_device, sizeof of_device / sizeof *of_device);
}
