/* direct.cl - direct summation. A work-item owns LANES targets, in the lanes of vectors. A work-group reads the sources
 * in tiles of GROUP bodies to local memory, and each work-item adds all sources of a tile to all its targets. Sums of a
 * tile are in the pair's type. Tiles are added in the state's type with Kahan compensation. */
#if defined(IS_CPU)
#define LANES    8
#define RSQRT(x) (1 / sqrt(x)) /* uses vector instructions */
#elif PRECISION == 2
#define LANES 1
#define RSQRT rsqrt
#else
#define LANES 4
#define RSQRT rsqrt
#endif

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
#if PRECISION == 0
#define STATE float
#else
#define STATE double
#endif
#if PRECISION == 2
#define REAL double
typedef long mask;
#else
#define REAL float
typedef int mask;
#endif
#if LANES == 1
typedef state states;
typedef real reals;
#define LOAD(array)          ((array)[0])
#define STORE(lanes, array)  ((array)[0] = (lanes))
#define CONVERT_STATES       (states)
#define SELECT(no, yes, if_) ((if_) ? (yes) : (no))
typedef mask masks;
#else
typedef PASTE(STATE, LANES) states;
typedef PASTE(REAL, LANES) reals;
#define LOAD(array)          PASTE(vload, LANES)(0, array)
#define STORE(lanes, array)  PASTE(vstore, LANES)(lanes, 0, array)
#define CONVERT_STATES       PASTE(PASTE(convert_, STATE), LANES)
#define SELECT(no, yes, if_) select(no, yes, if_)
#if PRECISION == 2
typedef PASTE(long, LANES) masks;
#else
typedef PASTE(int, LANES) masks;
#endif
#endif

#include "reference/opencl/field.clh"

/* In mixed precision a position is x + xl with 48 bits. Differences of both parts are computed in single precision. The
 * relative error of a distance is then a few 2^-24 for pairs at any distance. */
struct body {
    real x, y, z, m;
#if PRECISION == 1
    real xl, yl, zl, unused;
#endif
};

struct targets {
    reals x, y, z;
#if PRECISION == 1
    reals xl, yl, zl;
#endif
};

#if PRECISION == 1
#define OFFSET(s, t, k) (((s).k - (t).k) + ((s).k##l - (t).k##l))
#else
#define OFFSET(s, t, k) ((s).k - (t).k)
#endif

struct sums {
    reals x, y, z, phi;
};

/* Returns body i as a pair operand. */
static struct body body_of(global const state *x, ulong stride, state m, ulong i)
{
    const state p[3] = {x[i], x[i + stride], x[i + 2 * stride]};
    struct body b;
    b.x = (real)p[0], b.y = (real)p[1], b.z = (real)p[2], b.m = (real)m;
#if PRECISION == 1
    b.xl = (real)(p[0] - b.x), b.yl = (real)(p[1] - b.y), b.zl = (real)(p[2] - b.z);
#endif
    return b;
}

/* Adds source s to all lanes. With `check`, lanes in is_self are excluded. */
static void add_pairs(struct sums *sum, struct body s, const struct targets *t, real eps2, int check, masks is_self)
{
    const reals dx = OFFSET(s, *t, x), dy = OFFSET(s, *t, y), dz = OFFSET(s, *t, z);
    const reals rinv = RSQRT(dx * dx + dy * dy + dz * dz + eps2);
    reals p = s.m * rinv, w = p * (rinv * rinv); /* r^6 could overflow */
    if (check) {
        p = SELECT(p, (reals)0, is_self);
        w = SELECT(w, (reals)0, is_self);
    }
    sum->x += w * dx;
    sum->y += w * dy;
    sum->z += w * dz;
    sum->phi -= p;
}

/* Work-item k owns targets [k LANES, (k + 1) LANES) of t_n. Reads n sources, m[n] and x[3][stride], and
 * t_x[3][t_stride]. Writes a[3][out_stride] and phi[out_stride] if not NULL, or adds to them. index: numbers of the
 * targets among the sources. Without index the targets are the sources from `self` on, or no sources if self < 0. */
KERNEL direct(ulong n, ulong stride, PLACE(const state, m), PLACE(const state, x), ulong t_n, ulong t_stride,
              PLACE(const state, t_x), PLACE(const uint, index), long self, real eps2, state G, ulong out_stride,
              PLACE(state, a), PLACE(state, phi), int add)
{
    local struct body tile[GROUP];
    const ulong first = get_global_id(0) * LANES;
    const int here = (int)get_local_id(0);
    struct total total[4];
    struct targets t;
    long own[LANES];
    real at[6][LANES];
    for (int k = 0; k < LANES; k++) { /* lanes beyond the end repeat the last target and store nothing */
        const ulong i = min(first + k, t_n - 1), from = index_buffer ? AT(index)[i] : i;
        const struct body b = body_of(AT(t_x), t_stride, 0, from);
        own[k] = index_buffer ? (long)from : self < 0 ? -1 : self + (long)i;
        at[0][k] = b.x, at[1][k] = b.y, at[2][k] = b.z;
#if PRECISION == 1
        at[3][k] = b.xl, at[4][k] = b.yl, at[5][k] = b.zl;
#endif
    }
    t.x = LOAD(at[0]), t.y = LOAD(at[1]), t.z = LOAD(at[2]);
#if PRECISION == 1
    t.xl = LOAD(at[3]), t.yl = LOAD(at[4]), t.zl = LOAD(at[5]);
#endif
    for (int k = 0; k < 4; k++)
        total[k].sum = total[k].carry = 0;
    for (ulong j0 = 0; j0 < n; j0 += GROUP) {
        const int count = (int)min(n - j0, (ulong)GROUP);
        struct sums sum = {0, 0, 0, 0};
        mask place[LANES]; /* index of the target itself in the tile, or -1 */
        int is_here = 0;
        for (int k = 0; k < LANES; k++) {
            const bool is_in = own[k] >= (long)j0 && own[k] < (long)(j0 + count);
            place[k] = is_in ? (mask)(own[k] - (long)j0) : -1;
            is_here = is_here || is_in;
        }
        const masks places = LOAD(place);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (here < count)
            tile[here] = body_of(AT(x), stride, AT(m)[j0 + here], j0 + here);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_here || count < GROUP)
            for (int q = 0; q < count; q++)
                add_pairs(&sum, tile[q], &t, eps2, 1, places == (masks)q);
        else
#pragma unroll 8
            for (int q = 0; q < GROUP; q++)
                add_pairs(&sum, tile[q], &t, eps2, 0, places);
        add_part(&total[0], sum.x);
        add_part(&total[1], sum.y);
        add_part(&total[2], sum.z);
        add_part(&total[3], sum.phi);
    }
    state result[4][LANES];
    for (int k = 0; k < 4; k++)
        STORE(total[k].sum, result[k]);
    for (int k = 0; k < LANES && first + k < t_n; k++) {
        for (int axis = 0; axis < 3 && a_buffer; axis++)
            put(AT(a) + axis * out_stride, first + k, G * result[axis][k], add);
        if (phi_buffer)
            put(AT(phi), first + k, G * result[3][k], add);
    }
}
