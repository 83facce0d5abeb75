/* nemo_to.c - writes NEMO's snapshots. */
#include "nbconv/nemo/nemo.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PART 4096 /* number of bodies converted at a time */

/* ---- items ---- */

/* Writes the head of an item. dims: dimensions of the array, ended by 0; NULL for a single value. */
static void put_head(struct bytes_out *out, char type, const char *tag, const int32_t *dims)
{
    const uint16_t magic = dims ? NEMO_ARRAY : NEMO_SINGLE;
    const char name[2] = {type, '\0'};
    bytes_put(out, &magic, sizeof magic, 1);
    bytes_put(out, name, 1, sizeof name);
    if (tag)
        bytes_put(out, tag, 1, strlen(tag) + 1);
    size_t count = 0;
    while (dims && dims[count])
        count++;
    if (dims)
        bytes_put(out, dims, sizeof *dims, count + 1);
}

static void put_set(struct bytes_out *out, const char *tag)
{
    put_head(out, '(', tag, NULL);
}

static void put_end(struct bytes_out *out)
{
    put_head(out, ')', NULL, NULL);
}

static void put_integer(struct bytes_out *out, const char *tag, int32_t value)
{
    put_head(out, 'i', tag, NULL);
    bytes_put(out, &value, sizeof value, 1);
}

static void put_text(struct bytes_out *out, const char *tag, const char *text)
{
    const int32_t dims[] = {(int32_t)strlen(text) + 1, 0};
    put_head(out, 'c', tag, dims);
    bytes_put(out, text, 1, strlen(text) + 1);
}

/* ---- contents of a snapshot ---- */

/* Writes column `first` as an array. If `second` is not NULL, the array contains for each body its values from `first`,
 * then its values from `second` (position, then velocity). All values are multiplied by `factor`. The array has single
 * precision if all of its columns are f32 and `factor` is 1. */
static void put_array(struct bytes_out *out, const struct nb_bodies *b, const char *tag, const struct nb_column *first,
                      const struct nb_column *second, double factor)
{
    static double values[PART * 6], one[PART * 3];
    static float singles[PART * 6];
    const bool single = first->type == NB_F32 && (!second || second->type == NB_F32) && factor == 1;
    const int32_t width = first->width;
    const int32_t plain[] = {(int32_t)b->n, width > 1 ? width : 0, 0}, both[] = {(int32_t)b->n, 2, width, 0};
    put_head(out, single ? 'f' : 'd', tag, second ? both : plain);
    for (uint64_t i0 = 0; i0 < b->n; i0 += PART) {
        const uint64_t i1 = b->n - i0 < PART ? b->n : i0 + PART;
        const size_t each = (size_t)width, all = second ? 2 * each : each, count = (size_t)(i1 - i0) * all;
        for (const struct nb_column *c = first; c; c = c == first ? second : NULL) {
            nb_column_get_f64(c, i0, i1, one);
            for (size_t k = 0; k < (size_t)(i1 - i0) * each; k++)
                values[k / each * all + k % each + (c == first ? 0 : each)] = one[k] * factor;
        }
        for (size_t k = 0; single && k < count; k++)
            singles[k] = (float)values[k];
        bytes_put(out, single ? (const void *)singles : values, single ? sizeof(float) : sizeof(double), count);
    }
}

/* Writes the softening length as the array Eps, with the same value for each body. */
static void put_softening(struct bytes_out *out, const struct nb_bodies *b)
{
    const int32_t dims[] = {(int32_t)b->n, 0};
    put_head(out, 'd', "Eps", dims);
    for (uint64_t i = 0; i < b->n; i++)
        bytes_put(out, &b->meta.softening, sizeof(double), 1);
}

/* Writes ids as whole numbers of four bytes, the type that NEMO's programs expect. If any id does not fit, warns and
 * writes no ids. */
static void put_key(struct bytes_out *out, const struct nb_bodies *b, const struct nb_column *id)
{
    const int32_t dims[] = {(int32_t)b->n, 0};
    const uint64_t *ids = id->data;
    for (uint64_t i = 0; i < b->n; i++)
        if (ids[i] > INT32_MAX) {
            static bool said;
            if (!said)
                say("ids of 2^31 and above do not fit a Key of NEMO: lost");
            said = true;
            return;
        }
    put_head(out, 'i', "Key", dims);
    for (uint64_t i = 0; i < b->n; i++)
        bytes_put(out, &(int32_t){(int32_t)ids[i]}, sizeof(int32_t), 1);
}

static const struct nb_column *find_real(const struct nb_bodies *b, const char *name, int width)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    return c && c->width == width && nb_type_is_real(c->type) ? c : NULL;
}

static void put_particles(struct bytes_out *out, const struct nb_bodies *b)
{
    const double G = b->meta.G != 0 ? b->meta.G : 1; /* G = 0: no gravity, so masses are not scaled */
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *vel = nb_bodies_find(b, "vel");
    put_set(out, "Particles");
    put_integer(out, "CoordSystem", NEMO_COORDINATE);
    for (const struct nemo_array *a = nemo_arrays; a->tag; a++) {
        const struct nb_column *c = find_real(b, a->column, a->width);
        if (c == pos && c)
            put_array(out, b, "PhaseSpace", pos, vel, 1);
        else if (c && c != vel)
            put_array(out, b, a->tag, c, NULL, a->mass ? G : 1);
    }
    if (!nb_bodies_find(b, "softening") && b->meta.softening > 0)
        put_softening(out, b);
    const struct nb_column *id = nb_bodies_find(b, "id");
    if (id)
        put_key(out, b, id);
    put_end(out);
}

static void say_scaled(const struct nb_bodies *b)
{
    static bool said;
    if (b->meta.G == 0 && !said)
        say("NEMO has G = 1, the stream 0: masses are written unchanged, and would attract each other in NEMO");
    else if (b->meta.G != 1 && !said)
        say("NEMO has G = 1: masses are multiplied by G = %.10g (--from nemo --G or --units reverses this)", b->meta.G);
    said = true;
}

/* Writes the history lines of the stream, and one more with the command of this run. */
static int put_history(struct bytes_out *out, const struct nb_meta *meta)
{
    struct nb_meta with = {0};
    if (nb_meta_copy(&with, meta))
        return -1;
    tool_record(&with, NULL);
    for (int k = 0; k < with.history_count; k++)
        put_text(out, "History", with.history[k]);
    nb_meta_free(&with);
    return 0;
}

int nemo_to(const struct conv_export *e, const struct nb_bodies *b)
{
    static struct bytes_out out;
    if (b->n > INT32_MAX)
        return nb_fail("%" PRIu64 " bodies: NEMO's format can have at most %d", b->n, INT32_MAX);
    bytes_begin(&out, e, 'n');
    conv_say_lost(b, "mass|pos|vel|phi|acc|aux|density|softening|id", "NEMO's format");
    say_scaled(b);
    if (e->first && put_history(&out, &b->meta))
        return -1;
    put_set(&out, "SnapShot");
    put_set(&out, "Parameters");
    put_integer(&out, "Nobj", (int32_t)b->n);
    put_head(&out, 'd', "Time", NULL);
    bytes_put(&out, &b->meta.time, sizeof(double), 1);
    put_end(&out);
    put_particles(&out, b);
    put_end(&out);
    bytes_flush(&out);
    return 0;
}
