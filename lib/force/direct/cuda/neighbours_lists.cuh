/* neighbours_lists.cuh - finds the neighbours of each body on the GPU, as neighbours_regular.c does on the CPU. The
 * reach of a body is the distance up to which other bodies are its neighbours. */
#pragma once

#include "force/direct/cuda/neighbours_run.cuh"

#define FEW     0.75 /* if (number of neighbours) / (wanted number) is below this ratio, the reach is increased */
#define MANY_OF 1.33 /* if (number of neighbours) / (wanted number) is above this ratio, the reach is reduced */
#define CHANGE  1.2  /* factor by which one change multiplies or divides the squared reach */
#define TRIES   40

static __device__ __forceinline__ double *reach2_of(const near_run &r, uint32_t i)
{
    return (double *)r.w.d_reach2 + i;
}

/* Returns a factor for the squared reach of a body with `count` neighbours. With the new reach, the body has the wanted
 * number of neighbours if the density is uniform. */
static __device__ double toward_wanted(const near_run &r, uint32_t count)
{
    const double q = cbrt((double)r.w.wanted / count);
    return q * q;
}

/* Returns the maximum number of neighbours of body i: the number of other bodies with mass, because bodies without mass
 * are not neighbours. */
static __device__ uint64_t possible(const near_run &r, uint32_t i)
{
    return r.state->massive - (mass_of(r, i) > 0);
}

/* Called by a warp. Body i has `count` neighbours, and `list` has room for r.w.most indices. If the neighbours fit,
 * does nothing and returns `count`. Otherwise reduces the reach of the body until they fit, and writes them to `list`.
 * Returns their number, or 0 if they do not fit after TRIES reductions. */
static __device__ uint32_t shrink(const near_run &r, uint32_t i, uint32_t count, uint32_t *list)
{
    double reach2 = *reach2_of(r, i);
    if (count <= r.w.most)
        return count;
    for (int k = 0; k < TRIES && count > r.w.most; k++) {
        reach2 *= toward_wanted(r, count);
        count = find(r, i, reach2, list);
    }
    if (lane_of() == 0)
        *reach2_of(r, i) = reach2;
    __syncwarp();
    return count <= r.w.most ? count : 0;
}

/* Adapts the reach of body i, which has `count` neighbours, so that the next list has about the wanted number of
 * neighbours. */
static __device__ void follow_number(const near_run &r, uint32_t i, uint32_t count)
{
    double *reach2 = reach2_of(r, i);
    if (count < FEW * r.w.wanted && count < possible(r, i))
        *reach2 *= CHANGE;
    else if (count > MANY_OF * r.w.wanted)
        *reach2 /= CHANGE;
}

/* Called by a warp: finds a reach within which body i has about the wanted number of neighbours, and writes the list of
 * these neighbours. The first guess assumes uniform density. If the number of possible neighbours does not exceed the
 * wanted number, the reach is infinite. */
static __device__ void first_list(const near_run &r, uint32_t i)
{
    const double spread2 = r.state->spread2 > 0 ? r.state->spread2 : 1;
    const double q = cbrt((double)r.w.wanted / (double)r.s.n);
    uint32_t *list = r.w.d_list + (uint64_t)i * r.w.most, count = 0;
    double reach2 = possible(r, i) > r.w.wanted ? spread2 * q * q : INFINITY;
    for (int k = 0; k < TRIES && reach2 < INFINITY; k++) {
        count = find(r, i, reach2, list);
        if (count >= FEW * r.w.wanted && count <= MANY_OF * r.w.wanted)
            break;
        reach2 *= fmin(fmax(count > 0 ? toward_wanted(r, count) : 4, 1.0 / 16), 4.0);
    }
    if (lane_of() == 0)
        *reach2_of(r, i) = reach2;
    __syncwarp();
    count = shrink(r, i, find(r, i, reach2, list), list);
    if (lane_of() == 0)
        r.w.d_count[i] = count;
    __syncwarp();
}

/* Adds to `out`: `sign` times the acceleration, jerk and snap that body j causes at body i. */
static __device__ void add_change(const near_run &r, const nb_own_hermite &own, uint32_t i, uint32_t j, double sign,
                                  near_change &out)
{
    const double *begun = (const double *)own.d_begun, *x = (const double *)r.s.x, *v = (const double *)r.s.v;
    const double *a = (const double *)own.d_a, *jerk = (const double *)own.d_j;
    const double h_of = own.base * (own.now - begun[i]), h_by = own.base * (own.now - begun[j]);
    double d[3], w[3], b[3], r2 = r.s.softening * r.s.softening, dw = 0, ww = 0, db = 0;
    for (int k = 0; k < 3; k++) {
        const uint64_t row = k * own.stride;
        d[k] = x[j + row] - x[i + row];
        w[k] = v[j + row] - v[i + row];
        b[k] = a[j + row] + h_by * jerk[j + row] - a[i + row] - h_of * jerk[i + row];
        r2 += d[k] * d[k];
        dw += d[k] * w[k];
        ww += w[k] * w[k];
        db += d[k] * b[k];
    }
    const double weight = sign * r.s.G * mass_of(r, j) / (r2 * sqrt(r2)), alpha = dw / r2,
                 beta = (ww + db) / r2 + alpha * alpha;
    for (int k = 0; k < 3; k++) {
        const double bend = w[k] - 3 * alpha * d[k];
        out.a[k] += weight * d[k];
        out.j[k] += weight * bend;
        out.s[k] += weight * (b[k] - 6 * alpha * bend - 3 * beta * d[k]);
    }
}

/* Called by a warp for body t of a batch of `count` bodies. The sources were divided into parts, and the neighbours of
 * the body in each part are in a separate list. Joins these lists to one, `list`, and returns the number of neighbours.
 * If this number exceeds the capacity r.w.most, `list` is incomplete. */
static __device__ uint32_t join(const near_run &r, uint32_t t, uint32_t count, uint32_t parts, uint32_t *list)
{
    uint32_t found = 0;
    for (uint32_t p0 = 0; p0 < parts; p0 += 32) {
        const uint32_t p = p0 + lane_of();
        const uint32_t mine = p < parts ? r.found_count[(uint64_t)p * count + t] : 0;
        uint32_t end = mine;
        for (unsigned k = 1; k < 32; k *= 2) {
            const uint32_t left = __shfl_up_sync(ALL, end, k);
            end += lane_of() >= k ? left : 0;
        }
        const uint32_t before = found + end - mine;
        found += __shfl_sync(ALL, end, 31);
        /* if there are many parts, each has few neighbours: each lane copies the neighbours of one part */
        if (parts > 32) {
            const uint32_t *from = r.found + ((uint64_t)p * count + t) * r.w.most;
            for (uint32_t k = 0; k < mine && before + k < r.w.most; k++)
                list[before + k] = from[k];
            continue;
        }
        for (uint32_t q = 0; q < parts; q++) {
            const uint32_t *from = r.found + ((uint64_t)q * count + t) * r.w.most;
            const uint32_t of_part = __shfl_sync(ALL, mine, q), first = __shfl_sync(ALL, before, q);
            for (uint32_t k = lane_of(); k < of_part && first + k < r.w.most; k += 32)
                list[first + k] = from[k];
        }
    }
    __syncwarp();
    return found;
}

/* Called by a warp at the end of the regular step of body i (the step for the force of bodies that are not neighbours).
 * Body i is body t of a batch of `count` bodies. Replaces the body's neighbour list by a new list, and adapts its
 * reach. Sets r.regular[i].sum to the acceleration and jerk caused by the bodies outside the old list. Sets
 * r.regular[i].change to the change of the regular acceleration, jerk and snap that the new list causes. */
static __device__ void renew(const near_run &r, const nb_own_hermite &own, uint32_t i, uint32_t t, uint32_t count,
                             uint32_t parts)
{
    uint32_t *list = r.w.d_list + (uint64_t)i * r.w.most, *fresh = r.fresh + (uint64_t)t * r.w.most;
    const uint32_t before = r.w.d_count[i];
    near_regular out = {};
    for (uint32_t p = lane_of(); p < parts; p += 32)
        for (int k = 0; k < 3; k++) {
            out.sum.a[k] += r.partial[(uint64_t)p * count + t].a[k];
            out.sum.j[k] += r.partial[(uint64_t)p * count + t].j[k];
        }
    const uint32_t found = shrink(r, i, join(r, t, count, parts, fresh), fresh);
    for (uint32_t k = lane_of(); k < before; k += 32)
        if (!is_in(fresh, found, list[k]))
            add_change(r, own, i, list[k], 1, out.change);
    for (uint32_t k = lane_of(); k < found; k += 32)
        if (!is_in(list, before, fresh[k]))
            add_change(r, own, i, fresh[k], -1, out.change);
    sum_lanes(out);
    for (uint32_t k = lane_of(); k < found; k += 32)
        list[k] = fresh[k];
    if (lane_of() == 0) {
        r.regular[i] = out;
        r.w.d_count[i] = found;
        follow_number(r, i, found);
    }
    __syncwarp();
}
