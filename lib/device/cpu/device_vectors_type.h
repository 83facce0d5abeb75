/* device_vectors_type.h - defines vectors_TYPE, the table of operations on vectors on the CPU for one type of element.
 * Included once for each type, after the definition of these macros: TYPE (name of the type, such as single), REAL
 * (type of an element), SCALAR (type of a factor), LANES (number of elements in a SIMD vector), and if LANES > 1 also
 * INTEGER, an integer type as large as REAL. */

static void OF(axpy)(uint64_t count, double a, const void *x, void *y)
{
    const REAL *restrict from = x, factor = (REAL)a;
    REAL *restrict to = y;
#pragma omp parallel for simd schedule(static) if (parallel : count > 20000)
    for (uint64_t i = 0; i < count; i++)
        to[i] += factor * from[i];
}

/* Vectors of LANES elements: 8 elements, or 1 if the element type has no SIMD vectors. */
#if LANES > 1
typedef VECTOR(REAL, LANES) OF(lanes);
typedef VECTOR(INTEGER, LANES) OF(mask);
#else
typedef REAL OF(lanes);
#endif
typedef OF(lanes) OF(unaligned) UNALIGNED(REAL);

struct OF(
    used) { /* inputs of one linear combination with a nonzero factor, in the order of summation (last input first) */
    int count;
    const REAL *in[NB_INPUTS_MAX];
    REAL factor[NB_INPUTS_MAX];
};

static void OF(find_used)(const struct nb_device_combination *w, const REAL *c, uint64_t i0, struct OF(used) * used)
{
    used->count = 0;
    for (int k = w->inputs - 1; k >= 0; k--)
        if (c[k] != 0) {
            used->factor[used->count] = c[k];
            used->in[used->count++] = (const REAL *)w->in[k] + i0;
        }
}

struct OF(row) { /* one linear combination in one block of elements; pointers point to the block's first element */
    struct OF(used) used;
    const REAL *base, *compensation; /* NULL: zeros */
    REAL *y, *left;                  /* y: the sum; left: the rounding error of y, by Knuth's six operations */
};

/* Computes elements i to i + LANES - 1 of y and of its rounding error. `inputs`: sum of factor times input for these
 * elements. Vectors are passed by address, because they can be larger than a register of the instruction set. */
INLINE void OF(finish_lanes)(const struct OF(row) * row, uint64_t i, const OF(lanes) * inputs)
{
    OF(lanes) d = *inputs, b = {0};
    if (row->compensation)
        d += *(const OF(unaligned) *)(row->compensation + i);
    if (row->base)
        b = *(const OF(unaligned) *)(row->base + i);
    const OF(lanes) sum = b + d, added = sum - b;
    *(OF(unaligned) *)(row->y + i) = sum;
    *(OF(unaligned) *)(row->left + i) = (b - (sum - added)) + (d - added);
}

/* Computes elements [i, i + 3 LANES) of y and of its rounding error. d0, d1 and d2: sums of factor times input, for
 * LANES elements each. */
INLINE void OF(sum_three)(const struct OF(row) * row, uint64_t i)
{
    OF(lanes) d0 = {0}, d1 = d0, d2 = d0;
    for (int k = 0; k < row->used.count; k++) {
        const OF(unaligned) *in = (const OF(unaligned) *)(row->used.in[k] + i);
        d0 += row->used.factor[k] * in[0];
        d1 += row->used.factor[k] * in[1];
        d2 += row->used.factor[k] * in[2];
    }
    OF(finish_lanes)(row, i, &d0);
    OF(finish_lanes)(row, i + LANES, &d1);
    OF(finish_lanes)(row, i + 2 * LANES, &d2);
}

static void OF(sum_one)(const struct OF(row) * row, uint64_t i)
{
    REAL d = 0;
    for (int k = 0; k < row->used.count; k++)
        d += row->used.factor[k] * row->used.in[k][i];
    if (row->compensation)
        d += row->compensation[i];
    const REAL b = row->base ? row->base[i] : 0, sum = b + d, added = sum - b;
    row->y[i] = sum;
    row->left[i] = (b - (sum - added)) + (d - added);
}

static void OF(sum_row)(const struct nb_device_combination *w, int r, const REAL *c, uint64_t i0, uint64_t count,
                        REAL *y, REAL *left)
{
    const REAL *base = w->row[r].base, *compensation = w->row[r].compensation;
    struct OF(row) row; /* not initialised, because setting all elements is slow for small systems */
    row.base = base ? base + i0 : NULL;
    row.compensation = compensation ? compensation + i0 : NULL;
    row.y = y;
    row.left = left;
    uint64_t i = 0;
    OF(find_used)(w, c + r * w->inputs, i0, &row.used);
    for (; i + 3 * LANES <= count; i += 3 * LANES)
        OF(sum_three)(&row, i);
    for (; i < count; i++)
        OF(sum_one)(&row, i);
}

/* Returns the maximum of `most` and all |y|; infinite if an element of y is not finite. */
static double OF(largest)(const REAL *y, uint64_t count, double most)
{
    REAL largest = 0;
    bool finite = true;
    uint64_t i = 0;
#if LANES > 1
    const OF(mask) sign = (OF(mask))((REAL)-0.0 - (OF(lanes)){0});
    OF(lanes) lane = {0}, zero = {0};
    for (; i + LANES <= count; i += LANES) {
        const OF(lanes) value = *(const OF(unaligned) *)(y + i), size = (OF(lanes))((OF(mask))value & ~sign);
        const OF(mask) larger = size > lane;
        lane = (OF(lanes))(((OF(mask))size & larger) | ((OF(mask))lane & ~larger));
        zero += value - value;
    }
    for (int k = 0; k < LANES; k++) {
        largest = lane[k] > largest ? lane[k] : largest;
        finite = finite && zero[k] == 0;
    }
#endif
    for (; i < count; i++) {
        const REAL size = y[i] < 0 ? -y[i] : y[i];
        largest = size > largest ? size : largest;
        finite = finite && y[i] - y[i] == 0;
    }
    return !finite ? (double)INFINITY : (double)largest > most ? (double)largest : most;
}

/* Computes elements [i0, i0 + count) of all combinations, count <= NB_DEVICE_BLOCK. Sets norm[r] to the largest
 * absolute value of combination r if this value is larger than norm[r]. c: factors; c[r * inputs + k] is the factor of
 * input k in combination r. Outputs may be inputs: all combinations are computed before any is stored. */
static void OF(block)(const struct nb_device_combination *w, const REAL *c, uint64_t i0, uint64_t count, double *norm)
{
    _Alignas(NB_ALIGN) REAL y[NB_COMBINATIONS_MAX][NB_DEVICE_BLOCK], d[NB_COMBINATIONS_MAX][NB_DEVICE_BLOCK];
    for (int r = 0; r < w->rows; r++)
        OF(sum_row)(w, r, c, i0, count, y[r], d[r]);
    for (int r = 0; r < w->rows; r++) {
        if (w->row[r].out)
            memcpy((REAL *)w->row[r].out + i0, y[r], count * sizeof(REAL));
        if (w->row[r].compensation_out)
            memcpy((REAL *)w->row[r].compensation_out + i0, d[r], count * sizeof(REAL));
        if (norm)
            norm[r] = OF(largest)(y[r], count, norm[r]);
    }
}

static void OF(combine)(const struct nb_device_combination *w, uint64_t count, double *norm)
{
    REAL c[NB_COMBINATIONS_MAX * NB_INPUTS_MAX];
    for (int r = 0; r < w->rows; r++)
        for (int k = 0; k < w->inputs; k++)
            c[r * w->inputs + k] = (REAL)((const SCALAR *)w->row[r].c)[k];
    if (count * (uint64_t)(w->inputs + w->rows) * sizeof(REAL) <= PARALLEL_BYTES) { /* one thread is faster */
        for (uint64_t i0 = 0; i0 < count; i0 += NB_DEVICE_BLOCK)
            OF(block)(w, c, i0, count - i0 < NB_DEVICE_BLOCK ? count - i0 : NB_DEVICE_BLOCK, norm);
        return;
    }
#pragma omp parallel
    {
        double own[NB_COMBINATIONS_MAX] = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t i0 = 0; i0 < count; i0 += NB_DEVICE_BLOCK)
            OF(block)(w, c, i0, count - i0 < NB_DEVICE_BLOCK ? count - i0 : NB_DEVICE_BLOCK, norm ? own : NULL);
        if (norm)
#pragma omp critical(nb_combine_norm)
            for (int r = 0; r < w->rows; r++)
                norm[r] = own[r] > norm[r] ? own[r] : norm[r];
    }
}

/* Returns the largest 1/tau^2 of bodies [i0, i1). tau: time scale on which a body's acceleration changes
 * (nb_device_step_scale). */
static double OF(time_rates)(const struct nb_device_derivatives *w, uint64_t i0, uint64_t i1)
{
    double most = 0;
    for (uint64_t i = i0; i < i1; i++) {
        double size[NB_DERIVATIVES_MAX] = {0};
        for (int k = 0; k < NB_DERIVATIVES_MAX; k++) {
            const REAL *row = (const REAL *)w->derivative[k] + i;
            size[k] = time_scale_length((double)row[0], (double)row[w->stride], (double)row[2 * w->stride]);
        }
        const double rate2 = time_scale_rate2(w->least, size);
        most = rate2 > most ? rate2 : most;
    }
    return most;
}

/* Returns the largest 1/tau^2 of all n bodies. */
static double OF(time_rate2)(const struct nb_device_derivatives *w, uint64_t n)
{
    double most = 0;
    if (n * NB_DERIVATIVES_MAX * 3 * sizeof(REAL) <= PARALLEL_BYTES)
        return OF(time_rates)(w, 0, n);
#pragma omp parallel for schedule(static) reduction(max : most)
    for (uint64_t i0 = 0; i0 < n; i0 += NB_DEVICE_BLOCK)
        most = fmax(most, OF(time_rates)(w, i0, n - i0 < NB_DEVICE_BLOCK ? n : i0 + NB_DEVICE_BLOCK));
    return most;
}

/* Sets range[0] to the maximum of the n values of a row, and range[1] to the maximum of the negated values (range.h).
 * Sets both to infinity if a value is not finite. */
static void OF(row_range)(const REAL *row, uint64_t n, SCALAR range[2])
{
    REAL least = row[0], most = least;
    bool finite = true;
#pragma omp parallel for simd schedule(static) reduction(min : least) reduction(max : most) reduction(&& : finite) \
    if (parallel : n * sizeof(REAL) > PARALLEL_BYTES)
    for (uint64_t i = 0; i < n; i++) {
        least = row[i] < least ? row[i] : least;
        most = row[i] > most ? row[i] : most;
        finite = finite && row[i] - row[i] == 0;
    }
    range[0] = finite ? (SCALAR)most : (SCALAR)INFINITY;
    range[1] = finite ? -(SCALAR)least : (SCALAR)INFINITY;
}

static void OF(range)(uint64_t n, uint64_t stride, int count, const void *const *vector, union nb_range *range)
{
    for (int k = 0; k < 3 * count; k++) {
        const REAL *row = (const REAL *)vector[k / 3] + (uint64_t)(k % 3) * stride;
        OF(row_range)(row, n, (SCALAR *)range + 2 * k);
    }
}

/* `store` copies column[n][width] to rows[width][stride], `fetch` copies rows to a column. Both have one loop for each
 * type of column. */
static void OF(store)(uint64_t n, uint64_t stride, uint64_t width, const void *column, enum nb_type type, void *rows)
{
    const float *restrict single = column;
    const double *restrict wide = column;
    REAL *restrict to = rows;
    if (type == NB_F32) {
#pragma omp parallel for schedule(static) if (n > NB_DEVICE_SERIAL)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < width; k++)
                to[k * stride + i] = (REAL)single[i * width + k];
    } else {
#pragma omp parallel for schedule(static) if (n > NB_DEVICE_SERIAL)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < width; k++)
                to[k * stride + i] = (REAL)wide[i * width + k];
    }
}

static void OF(fetch)(uint64_t n, uint64_t stride, uint64_t width, const void *rows, enum nb_type type, void *column)
{
    float *restrict single = column;
    double *restrict wide = column;
    const REAL *restrict from = rows;
    if (type == NB_F32) {
#pragma omp parallel for schedule(static) if (n > NB_DEVICE_SERIAL)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < width; k++)
                single[i * width + k] = (float)from[k * stride + i];
    } else {
#pragma omp parallel for schedule(static) if (n > NB_DEVICE_SERIAL)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < width; k++)
                wide[i * width + k] = (double)from[k * stride + i];
    }
}

/* Kicks body i, and returns the size of the body's next step (nb_device_kick_own). The new acceleration of the body is
 * in element j of the rows of d_field. */
static inline double OF(kick_one)(const struct nb_own_kick *w, uint64_t i, uint64_t j)
{
    const REAL *field = w->d_field;
    REAL *a = (REAL *)w->d_a + i, *v = (REAL *)w->d_v + i, *step = (REAL *)w->d_step + i;
    const REAL sign = w->backwards ? -1 : 1, ended = *step;
    double a2 = 0, change2 = 0;
    for (uint64_t k = 0; k < 3; k++) {
        REAL *pull = a + k * w->stride;
        const REAL now = field ? field[j + k * w->field_stride] : *pull;
        const double change = (double)now - (double)*pull;
        *pull = now;
        a2 += (double)now * (double)now;
        change2 += change * change;
    }
    double limit = (double)ended;
    if (w->close || ended == 0) {
        const double j2 = w->close ? change2 / ((double)ended * (double)ended) : 0;
        limit = nb_own_limit(w, a2, j2, (double)((const REAL *)w->d_m)[i]);
    }
    *step = (REAL)nb_own_step(w->longest, w->shortest, limit);
    for (uint64_t k = 0; k < 3; k++) {
        REAL speed = v[k * w->stride];
        if (w->close)
            speed += sign * ended / 2 * a[k * w->stride];
        if (w->open)
            speed += sign * *step / 2 * a[k * w->stride];
        v[k * w->stride] = speed;
    }
    return (double)*step;
}

static double OF(kick_own)(const struct nb_own_kick *w)
{
    const uint64_t count = w->d_index ? w->count : w->n;
    double least = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : least) if (count > NB_DEVICE_SERIAL)
    for (uint64_t j = 0; j < count; j++) {
        const uint64_t i = w->d_index ? w->d_index[j] - w->first : j;
        const double step = i < w->n ? OF(kick_one)(w, i, j) : (double)INFINITY;
        least = step < least ? step : least;
    }
    return least;
}

static uint64_t OF(select_due)(uint64_t first, uint64_t n, const void *step, double most, uint32_t *index)
{
    const REAL *of = step;
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        index[count] = (uint32_t)(first + i); /* overwritten by the next index if of[i] > most */
        count += of[i] <= (REAL)most;
    }
    return count;
}

static const struct nb_device_vectors OF(vectors) = {
    OF(axpy), OF(combine), OF(time_rate2), OF(kick_own), OF(select_due), OF(range), OF(store), OF(fetch),
};

#undef REAL
#undef SCALAR
#undef TYPE
#undef LANES
#undef INTEGER
