/* pairs_matrix_kernel.h - functions that fill the matrix of pairs and sum its rows and columns, in one precision.
 * Define before including: STATE, the type of positions and masses; REAL, the type in which pairs are computed; ROOT,
 * the square root function of REAL; KERNEL(name), the names of the functions. There is no include guard, because the
 * file is included once for each precision. */

/* Computes one value for each pair of body i with a body j < i. If phi is false, the value is the force on i by a unit
 * mass at j, and `value` has three arrays of `pairs` elements, one for each component. If phi is true, the value is
 * 1/r, and `value` has one array. r^-3 is never computed, because it may exceed the range of single precision. */
static void KERNEL(fill)(const struct nb_sources *s, REAL *value, uint64_t pairs, bool phi, uint64_t i)
{
    const STATE *x = s->x, *y = x + s->stride, *z = y + s->stride;
    const REAL eps2 = (REAL)(s->softening * s->softening);
    REAL *vx = value + pairs_before(i), *vy = vx + pairs, *vz = vy + pairs;
    for (uint64_t j = 0; j < i; j++) {
        const REAL dx = (REAL)(x[j] - x[i]), dy = (REAL)(y[j] - y[i]), dz = (REAL)(z[j] - z[i]);
        const REAL rinv = 1 / ROOT(dx * dx + dy * dy + dz * dz + eps2), rinv2 = rinv * rinv;
        vx[j] = phi ? rinv : dx * rinv * rinv2;
        if (phi)
            continue;
        vy[j] = dy * rinv * rinv2;
        vz[j] = dz * rinv * rinv2;
    }
}

/* For each body i in [i0, i1), adds m[j] times the value of the pair (i, j) to total[i - i0], for all j < i. */
static void KERNEL(add_rows)(const STATE *m, const REAL *value, uint64_t i0, uint64_t i1, double *total)
{
    for (uint64_t i = i0; i < i1; i++)
        for (uint64_t j0 = 0; j0 < i; j0 += TERMS) {
            const REAL *v = value + pairs_before(i);
            const uint64_t j1 = j0 + TERMS < i ? j0 + TERMS : i;
            REAL sum = 0;
            for (uint64_t j = j0; j < j1; j++)
                sum += (REAL)m[j] * v[j];
            total[i - i0] += (double)sum;
        }
}

/* For each body i in [i0, i1), adds sign * m[j] times the value of the pair (j, i) to total[i - i0], for all j > i.
 * i1 - i0 must be at most COLUMNS. */
static void KERNEL(add_columns)(const STATE *m, const REAL *value, uint64_t n, REAL sign, uint64_t i0, uint64_t i1,
                                double *total)
{
    for (uint64_t j0 = i0 + 1; j0 < n; j0 += TERMS) {
        REAL sum[COLUMNS] = {0};
        for (uint64_t j = j0; j < n && j < j0 + TERMS; j++) {
            const REAL *v = value + pairs_before(j) + i0, weight = sign * (REAL)m[j];
            const uint64_t count = (j < i1 ? j : i1) - i0;
            for (uint64_t i = 0; i < count; i++)
                sum[i] += weight * v[i];
        }
        for (uint64_t i = 0; i < i1 - i0; i++)
            total[i] += (double)sum[i];
    }
}

/* Fills the matrix of pairs in `value`. Then sums the row and the column of each body. phi = false: writes
 * accelerations to out->a; true: writes potentials to out->phi. */
static void KERNEL(run)(const struct nb_sources *s, REAL *value, bool phi, const struct nb_field *out)
{
    const uint64_t pairs = pairs_before(s->n);
    const STATE *m = s->m;
#pragma omp parallel for schedule(dynamic, 16)
    for (uint64_t i = 0; i < s->n; i++)
        KERNEL(fill)(s, value, pairs, phi, i);
#pragma omp parallel for schedule(dynamic)
    for (uint64_t i0 = 0; i0 < s->n; i0 += COLUMNS) {
        const uint64_t i1 = i0 + COLUMNS < s->n ? i0 + COLUMNS : s->n;
        for (uint64_t c = 0; c < (phi ? 1 : 3); c++) {
            double total[COLUMNS] = {0};
            KERNEL(add_rows)(m, value + c * pairs, i0, i1, total);
            KERNEL(add_columns)(m, value + c * pairs, s->n, phi ? 1 : -1, i0, i1, total);
            for (uint64_t i = i0; i < i1; i++)
                nb_field_put(phi ? out->phi : out->a, sizeof(STATE) == sizeof(float), out->add, c * out->stride + i,
                             (phi ? -s->G : s->G) * total[i - i0]);
        }
    }
}

#undef STATE
#undef REAL
#undef ROOT
#undef KERNEL
