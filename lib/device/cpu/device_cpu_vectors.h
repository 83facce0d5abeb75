/* device_cpu_vectors.h - operations on vectors on the CPU for one type of element: operations_NAME. Define REAL, SCALAR
 * and NAME, then include; no guard, since each type includes it. */

static void PASTE(axpy, NAME)(uint64_t count, double a, const void *x, void *y)
{
    const REAL *restrict from = x, factor = (REAL)a;
    REAL *restrict to = y;
#pragma omp parallel for simd schedule(static) if (parallel : count > 20000)
    for (uint64_t i = 0; i < count; i++)
        to[i] += factor * from[i];
}

/* sum[i] = the inputs' elements i0 + i times the row's factors, the last input first. A few sums at a time stay in
 * registers while the inputs go by. */
static void PASTE(sum_inputs, NAME)(const struct combination *w, const REAL *c, uint64_t i0, uint64_t count, REAL *sum)
{
    const REAL *in[NB_INPUTS_MAX];
    REAL factor[NB_INPUTS_MAX];
    uint64_t i = 0;
    int used = 0;
    for (int k = w->inputs - 1; k >= 0; k--)
        if (c[k] != 0) {
            factor[used] = c[k];
            in[used++] = (const REAL *)w->in[k] + i0;
        }
    for (; i + 8 <= count; i += 8) {
        REAL s[8] = {0};
        for (int k = 0; k < used; k++)
            for (int l = 0; l < 8; l++)
                s[l] += factor[k] * in[k][i + (uint64_t)l];
        memcpy(sum + i, s, sizeof s);
    }
    for (; i < count; i++) {
        sum[i] = 0;
        for (int k = 0; k < used; k++)
            sum[i] += factor[k] * in[k][i];
    }
}

/* Elements [i0, i1), at most BLOCK, of all rows; raises norm[] to their largest sizes. `c` has the rows' factors, one
 * row after the other. */
static void PASTE(block, NAME)(const struct combination *w, const REAL *c, uint64_t i0, uint64_t i1, double *norm)
{
    REAL y[NB_COMBINATIONS_MAX][BLOCK], d[NB_COMBINATIONS_MAX][BLOCK];
    const uint64_t count = i1 - i0;
    for (int r = 0; r < w->rows; r++) {
        const REAL *base = w->row[r].base, *compensation = w->row[r].compensation;
        PASTE(sum_inputs, NAME)(w, c + r * w->inputs, i0, count, d[r]);
        for (uint64_t i = 0; compensation && i < count; i++)
            d[r][i] += compensation[i0 + i];
        for (uint64_t i = 0; i < count;
             i++) { /* Kahan compensation, by Knuth's six operations: d becomes the rounding error */
            const REAL b = base ? base[i0 + i] : 0, sum = b + d[r][i], added = sum - b;
            d[r][i] = (b - (sum - added)) + (d[r][i] - added);
            y[r][i] = sum;
        }
    }
    for (int r = 0; r < w->rows; r++) {
        if (w->row[r].out)
            memcpy((REAL *)w->row[r].out + i0, y[r], count * sizeof(REAL));
        if (w->row[r].compensation_out)
            memcpy((REAL *)w->row[r].compensation_out + i0, d[r], count * sizeof(REAL));
        for (uint64_t i = 0; norm && i < count; i++) {
            double size = (double)(y[r][i] < 0 ? -y[r][i] : y[r][i]);
            if (!(size <= norm[r]))
                norm[r] = size <= DBL_MAX ? size : INFINITY;
        }
    }
}

static void PASTE(combine, NAME)(const struct combination *w, uint64_t count, double *norm)
{
    REAL c[NB_COMBINATIONS_MAX * NB_INPUTS_MAX];
    for (int r = 0; r < w->rows; r++)
        for (int k = 0; k < w->inputs; k++)
            c[r * w->inputs + k] = (REAL)((const SCALAR *)w->row[r].c)[k];
    if (count * (uint64_t)(w->inputs + w->rows) * sizeof(REAL) <= PARALLEL_BYTES) { /* not even a team of one */
        for (uint64_t i0 = 0; i0 < count; i0 += BLOCK)
            PASTE(block, NAME)(w, c, i0, count - i0 < BLOCK ? count : i0 + BLOCK, norm);
        return;
    }
#pragma omp parallel
    {
        double own[NB_COMBINATIONS_MAX] = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t i0 = 0; i0 < count; i0 += BLOCK)
            PASTE(block, NAME)(w, c, i0, count - i0 < BLOCK ? count : i0 + BLOCK, norm ? own : NULL);
        if (norm)
#pragma omp critical(nb_combine_norm)
            for (int r = 0; r < w->rows; r++)
                norm[r] = own[r] > norm[r] ? own[r] : norm[r];
    }
}

/* The largest 1/tau^2 of bodies [i0, i1). */
static double PASTE(time_rates, NAME)(const struct derivatives *w, uint64_t i0, uint64_t i1)
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

/* The same of n bodies. */
static double PASTE(time_rate2, NAME)(const struct derivatives *w, uint64_t n)
{
    double most = 0;
    if (n * NB_DERIVATIVES_MAX * 3 * sizeof(REAL) <= PARALLEL_BYTES)
        return PASTE(time_rates, NAME)(w, 0, n);
#pragma omp parallel for schedule(static) reduction(max : most)
    for (uint64_t i0 = 0; i0 < n; i0 += BLOCK)
        most = fmax(most, PASTE(time_rates, NAME)(w, i0, n - i0 < BLOCK ? n : i0 + BLOCK));
    return most;
}

/* The range of the values of a row, as range.h describes it. */
static void PASTE(row_range, NAME)(const REAL *row, uint64_t n, SCALAR range[2])
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

static void PASTE(range, NAME)(uint64_t n, uint64_t stride, int count, const void *const *vector, union nb_range *range)
{
    for (int k = 0; k < 3 * count; k++) {
        const REAL *row = (const REAL *)vector[k / 3] + (uint64_t)(k % 3) * stride;
        PASTE(row_range, NAME)(row, n, (SCALAR *)range + 2 * k);
    }
}

/* Between columns and rows: transposed, in a loop for each type of column. */
static void PASTE(store, NAME)(uint64_t n, uint64_t stride, uint64_t width, const void *column, enum nb_type type,
                               void *rows)
{
    const float *restrict single = column;
    const double *restrict wide = column;
    REAL *restrict to = rows;
    if (type == NB_F32) {
#pragma omp parallel for schedule(static) if (n > SERIAL_BODIES)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < width; k++)
                to[k * stride + i] = (REAL)single[i * width + k];
    } else {
#pragma omp parallel for schedule(static) if (n > SERIAL_BODIES)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < width; k++)
                to[k * stride + i] = (REAL)wide[i * width + k];
    }
}

static void PASTE(fetch, NAME)(uint64_t n, uint64_t stride, uint64_t width, const void *rows, enum nb_type type,
                               void *column)
{
    float *restrict single = column;
    double *restrict wide = column;
    const REAL *restrict from = rows;
    if (type == NB_F32) {
#pragma omp parallel for schedule(static) if (n > SERIAL_BODIES)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < width; k++)
                single[i * width + k] = (float)from[k * stride + i];
    } else {
#pragma omp parallel for schedule(static) if (n > SERIAL_BODIES)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < width; k++)
                wide[i * width + k] = (double)from[k * stride + i];
    }
}

/* One body's kick (nb_device_kick_own): at place i of the rows, with the acceleration at place j of the field. Returns
 * the next step. */
static inline double PASTE(kick_one, NAME)(const struct nb_own_kick *w, uint64_t i, uint64_t j)
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

static double PASTE(kick_own, NAME)(const struct nb_own_kick *w)
{
    const uint64_t count = w->d_index ? w->count : w->n;
    double least = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : least) if (count > SERIAL_BODIES)
    for (uint64_t j = 0; j < count; j++) {
        const uint64_t i = w->d_index ? w->d_index[j] - w->first : j;
        const double step = i < w->n ? PASTE(kick_one, NAME)(w, i, j) : (double)INFINITY;
        least = step < least ? step : least;
    }
    return least;
}

static uint64_t PASTE(select_due, NAME)(uint64_t first, uint64_t n, const void *step, double most, uint32_t *index)
{
    const REAL *of = step;
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        index[count] = (uint32_t)(first + i); /* stays if the next does not take its place */
        count += of[i] <= (REAL)most;
    }
    return count;
}

static const struct operations PASTE(operations, NAME) = {
    PASTE(axpy, NAME),       PASTE(combine, NAME), PASTE(time_rate2, NAME), PASTE(kick_own, NAME),
    PASTE(select_due, NAME), PASTE(range, NAME),   PASTE(store, NAME),      PASTE(fetch, NAME),
};

#undef REAL
#undef SCALAR
#undef NAME
