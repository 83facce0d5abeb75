/* vectors.cl - operations on vectors, one element or body for each work-item: nb_device_axpy, _kick_drift, _combine,
 * _step_scale and _range. Each operation is rounded. */
#pragma OPENCL FP_CONTRACT OFF

#ifndef cl_khr_fp64 /* time scales are computed in the most precise type */
#define double  float
#define DBL_MAX FLT_MAX
#endif
#define TIME_SCALE_CALL static
#include "device/time_scale.h"
#ifndef cl_khr_fp64
#undef double
#endif

#define HERE(name) (AT(name)[i])

/* Work-item i owns element i: y[i] += a x[i], i < count. */
KERNEL axpy(ulong count, state a, PLACE(const state, x), PLACE(state, y))
{
    const ulong i = get_global_id(0);
    if (i < count)
        HERE(y) = HERE(y) + a * HERE(x);
}

/* Work-item i owns element i: v[i] += k1 a[i], v[i] += k2 a[i], x[i] += drift v[i], i < count. A kick of 0 is
 * skipped. */
KERNEL kick_drift(ulong count, state k1, state k2, state drift, PLACE(const state, a), PLACE(state, v),
                  PLACE(state, x))
{
    const ulong i = get_global_id(0);
    if (i >= count)
        return;
    state speed = HERE(v);
    if (k1 != 0)
        speed = speed + k1 * HERE(a);
    if (k2 != 0)
        speed = speed + k2 * HERE(a);
    HERE(v) = speed;
    HERE(x) = HERE(x) + drift * speed;
}

/* ---- maxima, four at a time ---- */

/* Computes the maximum of each of the four components over the work-group. Work-item 0 writes it to largest[4
 * group]. */
static void put_largest(local wide4 *room, wide4 size, global wide *largest)
{
    room[get_local_id(0)] = size;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        for (int k = 1; k < GROUP; k++)
            size = fmax(size, room[k]);
        vstore4(size, get_group_id(0), largest);
    }
}

/* Does the same for `count` fours in sizes[4 count]. Work-items stride over them. */
KERNEL largest_of(ulong count, PLACE(const wide, sizes), PLACE(wide, largest))
{
    local wide4 room[GROUP];
    wide4 size = (wide4)(-INFINITY);
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
        size = fmax(size, vload4(i, AT(sizes)));
    put_largest(room, size, AT(largest));
}

/* ---- linear combinations ---- */

/* Factors of eight inputs, each for the four rows of the combination. */
struct factors {
    state of[8][4];
};

#define ROW(r)    PLACE(const state, base##r), PLACE(const state, carry##r), PLACE(state, out##r), PLACE(state, carry_out##r)
#define OR_0(row) (row##_buffer ? HERE(row) : 0)

/* Adds the input's element times its factors to d. A factor of 0 ignores the input, even if it is NaN. */
#define ADD(k)                                                                                                         \
    if (in##k##_buffer) {                                                                                              \
        const state4 factor = vload4(k, (const state *)c.of);                                                          \
        const state4 product = factor * HERE(in##k);                                                                   \
        d = select(d + product, d, factor == 0);                                                                       \
    }

/* Work-item i owns element i of four rows, i < count. Adds up to eight inputs, the last first, to sums[4 count], or to
 * 0 if is_first. With is_last it finishes the rows: adds carry and base, writes out and carry_out; those with NULL
 * buffers are not wanted. Otherwise it writes sums. largest: maxima of |y| for each group. */
KERNEL combine(ulong count, struct factors c, PLACE(const state, in0), PLACE(const state, in1), PLACE(const state, in2),
               PLACE(const state, in3), PLACE(const state, in4), PLACE(const state, in5), PLACE(const state, in6),
               PLACE(const state, in7), PLACE(state, sums), int is_first, int is_last, ROW(0), ROW(1), ROW(2), ROW(3),
               PLACE(wide, largest))
{
    local wide4 room[GROUP];
    const ulong i = get_global_id(0);
    state4 y = 0;
    if (i < count) {
        state4 d = is_first ? (state4)0 : vload4(i, AT(sums));
        ADD(7)
        ADD(6)
        ADD(5)
        ADD(4)
        ADD(3)
        ADD(2)
        ADD(1)
        ADD(0)
        if (is_last) {
            if (carry0_buffer)
                d.s0 = d.s0 + HERE(carry0);
            if (carry1_buffer)
                d.s1 = d.s1 + HERE(carry1);
            if (carry2_buffer)
                d.s2 = d.s2 + HERE(carry2);
            if (carry3_buffer)
                d.s3 = d.s3 + HERE(carry3);
            /* Kahan compensation with Knuth's six operations; d becomes the rounding error */
            const state4 b = (state4)(OR_0(base0), OR_0(base1), OR_0(base2), OR_0(base3));
            y = b + d;
            const state4 added = y - b;
            d = (b - (y - added)) + (d - added);
            if (out0_buffer)
                HERE(out0) = y.s0;
            if (out1_buffer)
                HERE(out1) = y.s1;
            if (out2_buffer)
                HERE(out2) = y.s2;
            if (out3_buffer)
                HERE(out3) = y.s3;
            if (carry_out0_buffer)
                HERE(carry_out0) = d.s0;
            if (carry_out1_buffer)
                HERE(carry_out1) = d.s1;
            if (carry_out2_buffer)
                HERE(carry_out2) = d.s2;
            if (carry_out3_buffer)
                HERE(carry_out3) = d.s3;
        } else
            vstore4(d, i, AT(sums));
    }
    const state4 size = fabs(y);
    put_largest(room, CONVERT_WIDE4(select((state4)INFINITY, size, isfinite(y))), AT(largest));
}

/* ---- time scale ---- */

#define LENGTH(k) time_scale_length(AT(d##k)[i], AT(d##k)[stride + i], AT(d##k)[2 * stride + i])

/* Work-item i owns body i, i < n. Writes the maximum of 1/tau^2 for each group, in all four components. */
KERNEL step_scale(ulong n, ulong stride, wide least, PLACE(const state, d0), PLACE(const state, d1),
                  PLACE(const state, d2), PLACE(const state, d3), PLACE(wide, largest))
{
    local wide4 room[GROUP];
    const ulong i = get_global_id(0);
    wide rate2 = 0;
    if (i < n) {
        const wide size[4] = {LENGTH(0), LENGTH(1), LENGTH(2), LENGTH(3)};
        rate2 = time_scale_rate2(least, size);
    }
    put_largest(room, (wide4)(rate2), AT(largest));
}

/* ---- range ---- */

/* Work-item i owns element i, i < n. Writes for each group the maximum of the values and of their negatives, each
 * twice; infinite if a value is not finite. */
KERNEL row_range(ulong n, PLACE(const state, row), PLACE(wide, largest))
{
    local wide4 room[GROUP];
    const ulong i = get_global_id(0);
    wide4 size = (wide4)(-INFINITY);
    if (i < n) {
        const wide value = (wide)HERE(row);
        size = isfinite(value) ? (wide4)(value, -value, value, -value) : (wide4)(INFINITY);
    }
    put_largest(room, size, AT(largest));
}
