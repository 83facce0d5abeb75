/* contact_cpu_bvh.c - builds a bounding volume hierarchy of disks on the CPU, and finds the partners of a disk (the
 * disks that may touch it) by descent from the root. Declared in contact_bvh.h. */
#include "reference/contact_bvh/cpu/contact_bvh.h"

#include "base/error.h"
#include "force/tree/cpu/tree_cpu.h"

#include <math.h>
#include <stdlib.h>

#define NOWHERE UINT64_MAX
#define AXIS    (1u << (NB_BVH_KEY_BITS / 2))

/* ---- keys ---- */

/* Moves bit k of a 32-bit number to bit 2 k. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits | bits << 16) & 0x0000ffff0000ffffu;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0fu;
    bits = (bits | bits << 2) & 0x3333333333333333u;
    return (bits | bits << 1) & 0x5555555555555555u;
}

static uint64_t cell_of(double x, double low, double size)
{
    const double cell = size > 0 ? (x - low) / size * AXIS : 0;
    return cell >= AXIS ? AXIS - 1 : cell > 0 ? (uint64_t)cell : 0;
}

/* Returns the region that the Morton keys divide into cells. If the scene has a box, the region is this box, enlarged
 * by a factor of 3 around its centre. Disks far outside the box then do not make the cells larger. If the scene has no
 * box, the region is the bounding box of all disks. */
static struct nb_contact_box region_of(const struct nb_scene *s, const struct nb_contact_input *in)
{
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    const double width = s->high[0] - s->low[0], height = s->high[1] - s->low[1];
    if (s->boxed)
        return (struct nb_contact_box){{s->low[0] - width, s->low[1] - height},
                                       {s->high[0] + width, s->high[1] + height}};
#pragma omp parallel for schedule(static) reduction(min : x0, y0) reduction(max : x1, y1) if (in->n > NB_CONTACT_SERIAL)
    for (uint64_t i = 0; i < in->n; i++) {
        const double x = nb_contact_at(in, 0, i), y = nb_contact_at(in, 1, i);
        if (!isfinite(x) || !isfinite(y))
            continue;
        x0 = x < x0 ? x : x0, x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0, y1 = y > y1 ? y : y1;
    }
    return (struct nb_contact_box){{x0, y0}, {x1, y1}};
}

/* Computes the Morton keys of the disks, and sorts the disks by key. Disks whose position is not finite come last and
 * are not counted in b->n. Returns -1 on error. */
static int sort(struct nb_contact_bvh *b, const struct nb_scene *s, const struct nb_contact_input *in)
{
    const struct nb_contact_box region = region_of(s, in);
    const double size = fmax(region.high[0] - region.low[0], region.high[1] - region.low[1]);
    uint64_t nowhere = 0;
#pragma omp parallel for schedule(static) reduction(+ : nowhere) if (in->n > NB_CONTACT_SERIAL)
    for (uint64_t i = 0; i < in->n; i++) {
        const double x = nb_contact_at(in, 0, i), y = nb_contact_at(in, 1, i);
        const bool there = isfinite(x) && isfinite(y);
        b->keys[i] =
            there ? spread(cell_of(x, region.low[0], size)) << 1 | spread(cell_of(y, region.low[1], size)) : NOWHERE;
        b->order[i] = (uint32_t)i;
        nowhere += !there;
    }
    b->n = in->n - nowhere;
    return nb_tree_sort(in->n, b->keys, b->order, b->spare_keys, b->spare_order);
}

/* ---- nodes ---- */

/* The place of a disk is its index in the order of the keys. The code of a disk consists of the bits of its key,
 * followed by the bits of its place. Returns the number of leading bits that the codes of the disks at places i and j
 * have in common, or -1 if there is no place j. */
static int shared(const struct nb_contact_bvh *b, int64_t i, int64_t j)
{
    if (j < 0 || j >= (int64_t)b->n)
        return -1;
    const uint64_t differ = b->keys[i] ^ b->keys[j];
    return differ ? __builtin_clzll(differ) : 64 + __builtin_clz((uint32_t)i ^ (uint32_t)j);
}

/* Inner node i covers a range of disks in Morton order that begins or ends with disk number i. Returns the number of
 * the disk at the other end. Sets *d to 1 if the range begins with disk i, else to -1. */
static int64_t other_end(const struct nb_contact_bvh *b, int64_t i, int *d)
{
    int64_t reach = 2, length = 0;
    *d = shared(b, i, i + 1) > shared(b, i, i - 1) ? 1 : -1;
    const int outside = shared(b, i, i - *d);
    while (shared(b, i, i + *d * reach) > outside)
        reach *= 2;
    for (int64_t step = reach / 2; step > 0; step /= 2)
        if (shared(b, i, i + *d * (length + step)) > outside)
            length += step;
    return i + *d * length;
}

static void make_node(struct nb_contact_bvh *b, int64_t i)
{
    int d;
    const int64_t other = other_end(b, i, &d), length = (other - i) * d;
    const int depth = shared(b, i, other);
    int64_t split = 0;
    for (int64_t step = length; step > 1;) {
        step = (step + 1) / 2;
        if (split + step < length && shared(b, i, i + d * (split + step)) > depth)
            split += step;
    }
    const int64_t first = d > 0 ? i : other, last = d > 0 ? other : i, left = d > 0 ? i + split : i - split - 1;
    b->child[i][0] = (uint32_t)left | (left == first ? NB_BVH_LEAF : 0);
    b->child[i][1] = (uint32_t)(left + 1) | (left + 1 == last ? NB_BVH_LEAF : 0);
    (left == first ? b->leaf_parent : b->parent)[left] = (uint32_t)i;
    (left + 1 == last ? b->leaf_parent : b->parent)[left + 1] = (uint32_t)i;
    b->last[i] = (uint32_t)last;
    b->met[i] = 0;
}

/* ---- boxes ---- */

static void place_at(const struct nb_contact_bvh *b, const struct nb_contact_input *in, uint32_t place, double x[2])
{
    for (int k = 0; k < 2; k++)
        x[k] = b->reorder ? b->place[place][k] : nb_contact_at(in, k, b->order[place]);
}

static struct nb_contact_box box_of(const struct nb_contact_bvh *b, const struct nb_contact_input *in, uint32_t child)
{
    double x[2];
    if (!(child & NB_BVH_LEAF))
        return b->box[child];
    place_at(b, in, child & ~NB_BVH_LEAF, x);
    return (struct nb_contact_box){{x[0], x[1]}, {x[0], x[1]}};
}

/* Computes boxes from a leaf towards the root. Two threads reach each inner node, one from each child. The thread
 * that arrives first stops there. The other thread computes the box of the node, because then the boxes of both
 * children are known. The atomic counter (release and acquire) makes the box of the other child visible. */
static void raise_boxes(struct nb_contact_bvh *b, const struct nb_contact_input *in, uint64_t place)
{
    uint32_t node = b->leaf_parent[place];
    while (__atomic_fetch_add(&b->met[node], 1, __ATOMIC_ACQ_REL) == 1) {
        const struct nb_contact_box left = box_of(b, in, b->child[node][0]), right = box_of(b, in, b->child[node][1]);
        for (int k = 0; k < 2; k++) {
            b->box[node].low[k] = left.low[k] < right.low[k] ? left.low[k] : right.low[k];
            b->box[node].high[k] = left.high[k] > right.high[k] ? left.high[k] : right.high[k];
        }
        if (node == 0)
            return;
        node = b->parent[node];
    }
}

/* ---- construction ---- */

static int reserve(struct nb_contact_bvh *b, uint64_t n)
{
    if (n >= NB_BVH_LEAF)
        return nb_fail("force contact-bvh supports at most 2^31 - 1 disks, not %llu", (unsigned long long)n);
    if (b->capacity >= n)
        return 0;
    nb_contact_bvh_free(b);
    b->keys = malloc(n * sizeof *b->keys), b->spare_keys = malloc(n * sizeof *b->spare_keys);
    b->order = malloc(n * sizeof *b->order), b->spare_order = malloc(n * sizeof *b->spare_order);
    b->place_of = malloc(n * sizeof *b->place_of), b->place = malloc(n * sizeof *b->place);
    b->child = malloc(n * sizeof *b->child), b->last = malloc(n * sizeof *b->last);
    b->parent = malloc(n * sizeof *b->parent), b->leaf_parent = malloc(n * sizeof *b->leaf_parent);
    b->met = malloc(n * sizeof *b->met), b->box = malloc(n * sizeof *b->box);
    if (!b->keys || !b->spare_keys || !b->order || !b->spare_order || !b->place_of || !b->place || !b->child ||
        !b->last || !b->parent || !b->leaf_parent || !b->met || !b->box) {
        nb_contact_bvh_free(b);
        return nb_fail("no memory for boxes of disks");
    }
    b->capacity = n;
    return 0;
}

static void copy_places(struct nb_contact_bvh *b, const struct nb_contact_input *in)
{
#pragma omp parallel for schedule(static) if (in->n > NB_CONTACT_SERIAL)
    for (uint64_t p = 0; p < in->n; p++) {
        b->place_of[b->order[p]] = (uint32_t)p;
        for (int k = 0; k < 2 && b->reorder; k++)
            b->place[p][k] = nb_contact_at(in, k, b->order[p]);
    }
}

int nb_contact_bvh_build(struct nb_contact_bvh *b, const struct nb_contact *contact, const struct nb_contact_input *in)
{
    if (reserve(b, in->n) || sort(b, &contact->scene, in))
        return -1;
    b->law = nb_contact_double_of(&contact->scene, 0);
    b->largest = contact->scene.radius;
    copy_places(b, in);
    if (b->n < 2)
        return 0;
#pragma omp parallel for schedule(static) if (b->n > NB_CONTACT_SERIAL)
    for (int64_t i = 0; i < (int64_t)b->n - 1; i++)
        make_node(b, i);
#pragma omp parallel for schedule(static) if (b->n > NB_CONTACT_SERIAL)
    for (uint64_t p = 0; p < b->n; p++)
        raise_boxes(b, in, p);
    return 0;
}

/* ---- search ---- */

struct query {
    const struct nb_contact_bvh *b;
    /* disks are partners if their centres are closer than `distance` and the gap between their edges is less than
     * `margin` */
    double distance, margin;
    bool once;
};

/* Tests if the centre of a disk in the node's bounding box can be within `distance` of the point x. Takes the periodic
 * image of the bounding box that is nearest to x, and allows for rounding errors. */
static bool meets(const struct query *q, const struct nb_contact_box *box, const double x[2], double distance)
{
    for (int k = 0; k < 2; k++) {
        const double middle = (box->low[k] + box->high[k]) / 2, half = (box->high[k] - box->low[k]) / 2;
        const double reach = half + distance + 1e-15 * (fabs(box->low[k]) + fabs(box->high[k]));
        if (fabs(nb_contact_shortest_double(&q->b->law, k, middle - x[k])) > reach)
            return false;
    }
    return true;
}

static bool take_leaf(const struct query *q, const struct nb_contact_input *in, uint32_t i, uint32_t place,
                      const double x[2], struct nb_contact_part *part)
{
    double y[2];
    place_at(q->b, in, place, y);
    const double dx = nb_contact_shortest_double(&q->b->law, 0, x[0] - y[0]);
    const double dy = nb_contact_shortest_double(&q->b->law, 1, x[1] - y[1]), d2 = dx * dx + dy * dy;
    part->looks++;
    if (!(d2 < q->distance * q->distance) ||
        (in->radius && !nb_contact_in_margin(in, q->margin, i, q->b->order[place], d2)))
        return true;
    if (!nb_contact_part_grow(part, 1))
        return false;
    part->partner[part->count++] = q->b->order[place];
    return true;
}

/* Finds the partners of disk i by descent from the root. If both children of a node must be opened, the right
 * child is opened first. Returns false if there is no memory. */
static bool search(const void *context, const struct nb_contact_input *in, uint32_t i, struct nb_contact_part *part)
{
    const struct query *q = context;
    const struct nb_contact_bvh *b = q->b;
    const uint32_t self = b->place_of[i];
    uint32_t stack[NB_BVH_DEPTH + 1], waiting = 0;
    double x[2], distance = q->distance;
    if (self >= b->n || b->n < 2)
        return true;
    if (in->radius)
        distance += nb_contact_radius_at(in, i) - b->largest;
    place_at(b, in, self, x);
    for (stack[waiting++] = 0; waiting > 0;) {
        const uint32_t node = stack[--waiting];
        for (int side = 0; side < 2; side++) {
            const uint32_t child = b->child[node][side], place = child & ~NB_BVH_LEAF;
            const bool leaf = child & NB_BVH_LEAF;
            if (q->once && (leaf ? place : b->last[place]) <= self)
                continue;
            if (leaf && place != self && !take_leaf(q, in, i, place, x, part))
                return false;
            if (!leaf && meets(q, &b->box[place], x, distance))
                stack[waiting++] = place;
        }
    }
    return true;
}

int nb_contact_bvh_search(struct nb_contact_bvh *b, const struct nb_contact_input *in, double distance, bool once,
                          struct nb_contact_rows *rows)
{
    const struct query q = {b, distance, distance - 2 * b->largest, once};
    return nb_contact_rows_fill(rows, in, search, &q);
}

void nb_contact_bvh_free(struct nb_contact_bvh *b)
{
    free(b->keys), free(b->spare_keys);
    free(b->order), free(b->spare_order), free(b->place_of);
    free(b->place), free(b->child), free(b->last);
    free(b->parent), free(b->leaf_parent), free(b->met), free(b->box);
    *b = (struct nb_contact_bvh){.reorder = b->reorder};
}
