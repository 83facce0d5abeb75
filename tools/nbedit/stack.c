/* stack.c - --stack: makes one frame that contains the bodies of several frames. */
#include "nbedit.h"

#include "base/sum.h"
#include "base/units.h"
#include "common/tool_words.h"
#include "scene/events.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct edit_op said = {.name = "stack"}; /* argument of edit_say, which prints each message once only */

struct stack {
    struct nb_bodies *in, *out;
    const char *const *names;
    int count;
};

/* ---- checks ---- */

/* Returns the index of the first header line, from index k on, that begins with one of `keys`. Returns the number of
 * lines if there is no such line. */
static int next_scene_line(const struct nb_meta *meta, int k)
{
    static const char *const keys[] = {"contact ", "wall ", "box ", "periodic ", "flow "};
    for (; k < meta->extra_count; k++)
        for (size_t j = 0; j < sizeof keys / sizeof *keys; j++)
            if (strncmp(meta->extra[k], keys[j], strlen(keys[j])) == 0)
                return k;
    return k;
}

static bool same_scene(const struct nb_meta *a, const struct nb_meta *b)
{
    int i = next_scene_line(a, 0), j = next_scene_line(b, 0);
    while (i < a->extra_count && j < b->extra_count && strcmp(a->extra[i], b->extra[j]) == 0) {
        i = next_scene_line(a, i + 1);
        j = next_scene_line(b, j + 1);
    }
    return i == a->extra_count && j == b->extra_count;
}

static bool same_forces(const struct nb_meta *a, const struct nb_meta *b)
{
    bool same = a->force_count == b->force_count;
    for (int k = 0; same && k < a->force_count; k++)
        same = strcmp(a->forces[k], b->forces[k]) == 0;
    return same;
}

static int match(const struct stack *s, int k)
{
    const struct nb_meta *a = &s->in[0].meta, *b = &s->in[k].meta;
    const char *first = s->names[0], *name = s->names[k];
    if (!nb_units_same(&a->units, &b->units))
        return nb_fail("%s has units '%s' and %s '%s'", first, a->units.name, name, b->units.name);
    if (a->G != b->G)
        return nb_fail("%s has G = %.17g and %s %.17g", first, a->G, name, b->G);
    if (!(fabs(a->time - b->time) <= 1e-9 * fmax(fabs(a->time), fabs(b->time))))
        return nb_fail("%s has the time %.9g and %s %.9g (--time 0 before --stack sets both)", first, a->time, name,
                       b->time);
    if (!same_forces(a, b))
        return nb_fail("%s and %s have different forces or external fields (--isolate before --stack removes them)",
                       first, name);
    if (!same_scene(a, b))
        return nb_fail("%s and %s have different walls, boxes or properties of disks in their headers", first, name);
    return 0;
}

/* ---- columns ---- */

/* Sets *value to the default value of a column, for bodies of an input that lacks the column. Returns false if the
 * column has no default value. */
static bool find_default(const char *name, const struct nb_bodies *b, double *value)
{
    *value = strcmp(name, "softening") == 0 ? b->meta.softening : 0;
    return tool_words_find("softening|component|galaxy|pos_lo|vel_lo", name) >= 0;
}

static const char *unit_of(const struct nb_column *c)
{
    const struct nb_known *known = nb_column_known(c->name);
    return known ? known->unit : c->unit;
}

/* Adds column c of input number `which` to the columns of the output. If the output already has a column with this
 * name, fails unless the two columns have the same type, width and unit. Types f32 and f64 may be combined to f64. Also
 * fails if an earlier input lacks the column and the column has no default value. */
static int add_column(const struct stack *s, int which, const struct nb_column *c)
{
    struct nb_column *out = nb_bodies_find(s->out, c->name);
    double value;
    for (int k = 0; k < which && !out; k++)
        if (!find_default(c->name, &s->in[k], &value))
            return nb_fail("%s has a column '%s', but %s has not (--set on %s adds the column, or --columns on %s "
                           "removes it)",
                           s->names[which], c->name, s->names[k], s->names[k], s->names[which]);
    if (!out)
        return nb_bodies_add(s->out, c->name, c->type, c->width, unit_of(c));
    const bool types = out->type == c->type || (nb_type_is_real(out->type) && nb_type_is_real(c->type));
    if (!types || out->width != c->width || strcmp(unit_of(out), unit_of(c)) != 0)
        return nb_fail("column '%s' of %s has another type, width or unit than before", c->name, s->names[which]);
    if (c->type == NB_F64)
        out->type = NB_F64;
    return 0;
}

/* If some inputs lack the column `name`, drops it from all other inputs. */
static void drop_partial(const struct stack *s, const char *name)
{
    int there = 0;
    for (int k = 0; k < s->count; k++)
        there += nb_bodies_find(&s->in[k], name) != NULL;
    for (int k = 0; k < s->count && there < s->count; k++)
        nb_bodies_drop(&s->in[k], name);
}

static int lay_out(const struct stack *s)
{
    drop_partial(s, "phi_external");
    for (int k = 0; k < s->count; k++) {
        struct nb_bodies *b = &s->in[k];
        edit_spoil(&said, b, EDIT_BODIES);
        if (nb_bodies_number(b))
            return -1;
        for (int j = 0; j < b->column_count; j++)
            if (add_column(s, k, &b->columns[j]))
                return -1;
        s->out->n += b->n;
    }
    for (int k = 1; k < s->count; k++)
        for (int j = 0; j < s->out->column_count; j++) {
            const char *name = s->out->columns[j].name;
            double value;
            if (!nb_bodies_find(&s->in[k], name) && !find_default(name, &s->in[k], &value))
                return nb_fail("%s has no column '%s'", s->names[k], name);
        }
    return 0;
}

/* Fills column `out` of the output, from body `at` on, with the values of the bodies of input b. If b lacks the column,
 * fills in the column's default value. */
static void fill(const struct nb_bodies *b, struct nb_column *out, uint64_t at)
{
    const struct nb_column *c = nb_bodies_find(b, out->name);
    const size_t size = nb_column_bytes(out, 1), count = (size_t)b->n * (size_t)out->width;
    char *to = (char *)out->data + at * size;
    double value;
    if (c && c->type == out->type)
        memcpy(to, c->data, b->n * size);
    else if (c)
        nb_column_get_f64(c, 0, b->n, (double *)to);
    else if (find_default(out->name, b, &value), value == 0)
        memset(to, 0, b->n * size);
    else
        for (size_t k = 0; k < count; k++)
            if (out->type == NB_F32)
                ((float *)to)[k] = (float)value;
            else
                ((double *)to)[k] = value;
}

/* Fills the columns of the output one by one, and frees each column of the inputs as soon as it was copied. So there is
 * never a second copy of all bodies. */
static int fill_all(const struct stack *s)
{
    for (int j = 0; j < s->out->column_count; j++) {
        struct nb_column *out = &s->out->columns[j];
        const struct nb_column others = *out;
        uint64_t at = 0;
        const size_t size = nb_column_bytes_padded(out, s->out->n);
        out->data = size < SIZE_MAX ? aligned_alloc(NB_ALIGN, size ? size : NB_ALIGN) : NULL;
        if (!out->data)
            return nb_fail("no memory for column '%s' of %" PRIu64 " bodies", others.name, s->out->n);
        memset((char *)out->data + nb_column_bytes(out, s->out->n), 0, size - nb_column_bytes(out, s->out->n));
        for (int k = 0; k < s->count; k++) {
            fill(&s->in[k], out, at);
            at += s->in[k].n;
            nb_bodies_drop(&s->in[k], out->name);
        }
    }
    return 0;
}

/* ---- ids ---- */

struct range {
    uint64_t least, most;
};

static struct range range_of(const struct nb_bodies *b)
{
    const uint64_t *id = nb_bodies_find(b, "id")->data;
    uint64_t least = UINT64_MAX, most = 0;
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most) if (b->n > 65536)
    for (uint64_t i = 0; i < b->n; i++) {
        least = id[i] < least ? id[i] : least;
        most = id[i] > most ? id[i] : most;
    }
    return (struct range){least, most};
}

static int add_to_ids(const struct nb_bodies *b, uint64_t offset)
{
    uint64_t *id = nb_bodies_find(b, "id")->data;
    if (offset > 0 && b->n > 0 && range_of(b).most > UINT64_MAX - offset)
        return nb_fail("the inputs have ids in common, and new ids would exceed 2^64 - 1");
    for (uint64_t i = 0; i < b->n && offset > 0; i++)
        id[i] += offset;
    return 0;
}

static bool ranges_overlap(const struct stack *s)
{
    uint64_t done = 0;
    bool overlap = false;
    struct range all = {UINT64_MAX, 0};
    for (int k = 0; k < s->count; k++) {
        const struct range own = range_of(&s->in[k]);
        if (s->in[k].n == 0)
            continue;
        overlap |= done > 0 && own.least <= all.most && own.most >= all.least;
        all.least = own.least < all.least ? own.least : all.least;
        all.most = own.most > all.most ? own.most : all.most;
        done++;
    }
    return overlap;
}

/* Body number `place` of the output comes from one of the inputs. Returns the index of this input. */
static int input_of(const struct stack *s, uint64_t place)
{
    int k = 0;
    for (; place >= s->in[k].n; k++)
        place -= s->in[k].n;
    return k;
}

/* If bodies of two inputs have the same id, sets *id to this id and returns 1. Otherwise returns 0, or -1 after nb_fail
 * if there is no memory. */
static int find_collision(const struct stack *s, uint64_t *id)
{
    struct edit_key *keys;
    uint64_t n = 0, at = s->out->n;
    if (!ranges_overlap(s))
        return 0;
    keys = malloc((size_t)s->out->n * sizeof *keys);
    if (!keys)
        return nb_fail("no memory to compare ids");
    for (int k = 0; k < s->count; k++)
        for (uint64_t i = 0; i < s->in[k].n; i++, n++)
            keys[n] = (struct edit_key){((const uint64_t *)nb_bodies_find(&s->in[k], "id")->data)[i], n};
    const int status = edit_sort_keys(n, &keys);
    for (uint64_t i = 1; i < n && status == 0 && at == s->out->n; i++)
        if (keys[i].key == keys[i - 1].key && input_of(s, keys[i].place) != input_of(s, keys[i - 1].place))
            at = i;
    *id = at < s->out->n ? keys[at].key : 0;
    free(keys);
    return status ? -1 : at < s->out->n;
}

/* Adds an offset to all ids of each input, so that no two inputs have ids in common. Called for the first frame. Later
 * frames use the same offsets. */
static int renumber(const struct stack *s, uint64_t *offsets)
{
    uint64_t next = 0;
    for (int k = 0; k < s->count; k++) {
        const struct range own = range_of(&s->in[k]);
        offsets[k] = next;
        if (s->in[k].n > 0 && (own.most == UINT64_MAX || __builtin_add_overflow(own.most + 1, next, &next)))
            return nb_fail("the inputs have ids in common, and new ids would exceed 2^64 - 1");
        if (add_to_ids(&s->in[k], offsets[k]))
            return -1;
    }
    edit_say(&said, EDIT_SAID_OTHER, "ids collide: ids of %s now begin at %" PRIu64 ", and so on", s->names[1],
             offsets[1]);
    return 0;
}

static int make_ids(const struct stack *s)
{
    static uint64_t *offsets;
    uint64_t id = 0;
    const bool first = !offsets;
    if (first && !(offsets = calloc((unsigned)s->count, sizeof *offsets)))
        return nb_fail("no memory");
    for (int k = 0; k < s->count; k++)
        if (add_to_ids(&s->in[k], offsets[k]))
            return -1;
    const int collide = find_collision(s, &id);
    if (collide > 0 && first)
        return renumber(s, offsets);
    return collide > 0 ? nb_fail("two inputs have a body with id %" PRIu64
                                 ", but in the first frame no ids were equal: ids must not change during a stream",
                                 id)
                       : collide;
}

/* ---- the header ---- */

static double mass_of(const struct nb_bodies *b)
{
    const struct nb_column *c = nb_bodies_find(b, "mass");
    struct nb_sum sum = {0};
    for (uint64_t i = 0; i < b->n; i++)
        nb_sum_add(&sum, nb_column_get(c, i, 0));
    return nb_sum_value(&sum);
}

/* Returns the dynamical time of the input with the largest total mass. */
static double dynamical_time(const struct stack *s)
{
    int heaviest = 0;
    double most = -INFINITY;
    for (int k = 0; k < s->count; k++) {
        const double mass = mass_of(&s->in[k]);
        heaviest = mass > most ? k : heaviest;
        most = fmax(mass, most);
    }
    return s->in[heaviest].meta.dynamical_time;
}

static int make_header(const struct stack *s, int *parents)
{
    struct nb_meta *meta = &s->out->meta;
    bool steps = true;
    if (nb_meta_copy(meta, &s->in[0].meta))
        return -1;
    parents[0] = meta->history_count;
    for (int k = 0; k < s->count; k++) {
        const struct nb_meta *own = &s->in[k].meta;
        if (own->softening != meta->softening)
            edit_say(&said, EDIT_SAID_THIRD, "softening %g of %s and %g of %s: the smaller one is used",
                     meta->softening, s->names[0], own->softening, s->names[k]);
        meta->softening = fmin(meta->softening, own->softening);
        steps = steps && (own->dt > 0 || s->in[k].n < 2);
        meta->dt = own->dt > 0 && (own->dt < meta->dt || !(meta->dt > 0)) ? own->dt : meta->dt;
        if (own->every != meta->every || own->origin != meta->origin)
            meta->origin = meta->every = 0;
        if (k > 0 && ((parents[k] = nb_history_join(meta, own)) < 0 || nb_meta_join_extra(meta, own)))
            return -1;
    }
    if (nb_events_drop(meta, true))
        edit_say(&said, EDIT_SAID_EVENTS, "removed: the header lines of merged and escaped stars");
    meta->dt = steps ? meta->dt : 0;
    meta->dt_asked = 0;
    meta->dynamical_time = dynamical_time(s);
    return 0;
}

int edit_stack(struct nb_bodies *in, const char *const *names, int count, struct nb_bodies *out, int *parents)
{
    const struct stack s = {in, out, names, count};
    nb_bodies_free(out);
    for (int k = 1; k < count; k++)
        if (match(&s, k))
            return -1;
    if (lay_out(&s) || make_ids(&s) || make_header(&s, parents) || fill_all(&s))
        return -1;
    for (int k = 0; k < count; k++)
        nb_bodies_free(&in[k]);
    return 0;
}
