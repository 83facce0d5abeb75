/* contact_simd_kernel.h - sums of contact forces for one precision. Included once for each precision, with PRECISION
 * (its name) and STATE (its floating-point type) defined. */

/* Adds the forces of the walls on disk i to *sum, and the forces of disk i on the walls to *felt. radius: radius of
 * disk i. */
INLINE void NAME(walls)(const struct nb_contact_task *t, uint64_t i, double radius, const STATE *x, const STATE *v,
                        struct NAME(nb_contact_sum) * sum, struct nb_contact_felt *felt)
{
    uint32_t at, end;
    struct nb_contact_hit hit;
    const double place[2] = {(double)x[i], (double)x[t->stride + i]};
    bool deep = contact_cell(t->walls, place[0], place[1], &at, &end);
    while (at < end) {
        contact_nearest(t->walls, &at, end, place[0], place[1], &hit);
        deep = deep || hit.s < -radius;
        if (!(hit.s < radius))
            continue;
        const double overlap = radius - hit.s;
        double f = t->law_double.stiffness * overlap;
        if (t->law_double.damping > 0)
            f -= nb_contact_pull_double(&t->law_double, 1 / (double)((const STATE *)t->m)[i], overlap,
                                        (double)v[i] * hit.n[0] + (double)v[t->stride + i] * hit.n[1]);
        sum->energy += (STATE)(t->law_double.stiffness * overlap * overlap);
        sum->push += (STATE)fabs(f);
        for (int k = 0; k < 2; k++) {
            sum->force[k] += (STATE)(f * hit.n[k]);
            felt->units[hit.wall][k] -= contact_units(f * hit.n[k], t->unit);
        }
    }
    if (deep && i < felt->deep)
        felt->deep = i;
}

/* Adds the force of disk j on disk i to *sum. Returns false if the disks do not touch. own, in all functions of this
 * file: whether each disk has its own radius. */
INLINE bool NAME(pair)(const struct nb_contact_task *t, bool own, uint64_t i, uint64_t j, const STATE *x,
                       const STATE *v, struct NAME(nb_contact_sum) * sum)
{
    const STATE *r = t->own_radius, *m = t->m;
    const struct NAME(nb_contact_law) *law = &t->NAME(law);
    const STATE *y = x + t->stride;
    const STATE dx = NAME(nb_contact_shortest)(law, 0, x[i] - x[j]);
    const STATE dy = NAME(nb_contact_shortest)(law, 1, y[i] - y[j]), d2 = dx * dx + dy * dy;
    const STATE reach = own ? r[i] + r[j] : law->reach;
    const bool damped = law->damping > 0;
    STATE dvx = 0, dvy = 0, inverse_mass = 0;
    if (!NAME(nb_contact_touch)(reach, d2))
        return false;
    if (damped) {
        dvx = v[i] - v[j], dvy = v[t->stride + i] - v[t->stride + j];
        inverse_mass = 1 / m[i] + 1 / m[j];
    }
    NAME(nb_contact_add)(law, reach, dx, dy, d2, damped, dvx, dvy, inverse_mass, i < j, sum);
    return true;
}

INLINE void NAME(add_shared)(STATE *to, STATE value)
{
#pragma omp atomic
    *to += value;
}

/* Adds *sum to the sum of disk i in t->sums, with the force multiplied by `sign`. Uses atomic additions, because
 * threads share t->sums. */
INLINE void NAME(give)(const struct nb_contact_task *t, uint64_t i, const struct NAME(nb_contact_sum) * sum, STATE sign)
{
    struct NAME(nb_contact_sum) *to = (struct NAME(nb_contact_sum) *)t->sums + i;
    NAME(add_shared)(&to->force[0], sign * sum->force[0]);
    NAME(add_shared)(&to->force[1], sign * sum->force[1]);
    NAME(add_shared)(&to->energy, sum->energy);
    NAME(add_shared)(&to->push, sum->push);
}

INLINE void NAME(reflect_rows)(const struct nb_contact_task *t, bool own, uint64_t i0, uint64_t i1)
{
    for (uint64_t i = i0; i < i1; i++)
        for (uint64_t k = t->begin[i]; k < t->begin[i + 1]; k++) {
            struct NAME(nb_contact_sum) sum = {{0}, 0, 0};
            if (!NAME(pair)(t, own, i, t->partner[k], t->x, t->v, &sum))
                continue;
            NAME(give)(t, i, &sum, 1);
            NAME(give)(t, t->partner[k], &sum, -1);
        }
}

static void NAME(reflect)(const struct nb_contact_task *t, uint64_t i0, uint64_t i1)
{
    if (t->own_radius)
        NAME(reflect_rows)(t, true, i0, i1);
    else
        NAME(reflect_rows)(t, false, i0, i1);
}

INLINE void NAME(put)(void *row, bool add, uint64_t i, STATE value)
{
    STATE *at = (STATE *)row + i;
    *at = add ? *at + value : value;
}

INLINE void NAME(sum_rows)(const struct nb_contact_task *t, bool own, uint64_t i0, uint64_t i1,
                           struct nb_contact_felt *felt)
{
    const STATE *m = t->m, *x = t->x, *v = t->v, *r = t->own_radius;
    const struct nb_field *out = t->out;
    const STATE around = (STATE)(1 / (2 * M_PI * t->radius));
    for (uint64_t k = i0; k < i1; k++) {
        const uint64_t i = t->index ? t->index[k] : t->first + k;
        struct NAME(nb_contact_sum) sum = {{0}, 0, 0};
        if (t->sums)
            sum = ((const struct NAME(nb_contact_sum) *)t->sums)[i];
        for (uint64_t p = t->begin[i]; !t->sums && p < t->begin[i + 1]; p++)
            NAME(pair)(t, own, i, t->partner[p], x, v, &sum);
        NAME(walls)(t, i, own ? (double)r[i] : t->radius, x, v, &sum, felt);
        const STATE inverse = 1 / m[i];
        if (out->a) {
            NAME(put)(out->a, out->add, k, sum.force[0] * inverse);
            NAME(put)(out->a, out->add, out->stride + k, sum.force[1] * inverse);
            NAME(put)(out->a, out->add, 2 * out->stride + k, 0);
        }
        if (out->phi)
            NAME(put)(out->phi, out->add, k, sum.energy * inverse);
        if (out->pressure)
            NAME(put)(out->pressure, out->add, k, sum.push * (own ? (STATE)(1 / (2 * M_PI * (double)r[i])) : around));
    }
}

static void NAME(sum)(const struct nb_contact_task *t, uint64_t i0, uint64_t i1, struct nb_contact_felt *felt)
{
    if (t->own_radius)
        NAME(sum_rows)(t, true, i0, i1, felt);
    else
        NAME(sum_rows)(t, false, i0, i1, felt);
}

/* d: change of a disk's coordinate along an axis. If the disk has meanwhile been moved to the other side of the
 * periodic box, the change contains a jump by `length`, the size of the box along the axis. Returns the change without
 * this jump. Returns d if `length` is 0 (not periodic). */
INLINE STATE NAME(displacement)(STATE d, STATE length)
{
    const STATE half = length / 2;
    return d > half && length > 0 ? d - length : d < -half && length > 0 ? d + length : d;
}

static double NAME(spread)(const struct nb_contact_task *t, const void *from, uint64_t n, uint64_t i0, uint64_t i1,
                           double box[2][2])
{
    STATE bad = 0;
    for (int k = 0; k < 2; k++) {
        const STATE *x = (const STATE *)t->x + (uint64_t)k * t->stride, *x0 = (const STATE *)from + (uint64_t)k * n;
        const STATE length = t->NAME(law).length[k];
        STATE low = (STATE)INFINITY, high = -(STATE)INFINITY;
#pragma omp simd reduction(min : low) reduction(max : high) reduction(+ : bad)
        for (uint64_t i = i0; i < i1; i++) {
            const STATE d = NAME(displacement)(x[i] - x0[i], length);
            low = d < low ? d : low;
            high = d > high ? d : high;
            bad += d - d;
        }
        box[k][0] = (double)low, box[k][1] = (double)high;
    }
    return (double)bad;
}

#undef PRECISION
#undef STATE
