/* triples.c - formats that have on each line one mass or one vector (position, velocity) of a body. Numbers are
 * separated by any white space. */
#include "base/memory.h"
#include "nbconv/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY_NUMBERS 7 /* count of numbers for one body: mass, position, velocity */

static const char *const columns[] = {"mass", "pos", "vel"};

/* ---- reading ---- */

static int need_number(struct lines *in, const char *where, double *value)
{
    const char *word = lines_next_word(in);
    return word ? lines_number(in, word, value) : lines_ended(in, where);
}

static int need_unsigned(struct lines *in, const char *where, uint64_t *value)
{
    const char *word = lines_next_word(in);
    return word ? lines_unsigned(in, word, UINT64_MAX, value) : lines_ended(in, where);
}

/* Reads `count` numbers into the array *numbers, which the caller frees. The array grows as numbers are read, because
 * `count` may be wrong. Sets *taken to the count of numbers read, which is below `count` if the file ends early. */
static int take_numbers(struct lines *in, uint64_t count, double **numbers, uint64_t *taken)
{
    const char *word;
    *numbers = NULL;
    for (*taken = 0; *taken < count && (word = lines_next_word(in)); ++*taken) {
        double *longer = nb_memory_grow(*numbers, *taken, sizeof *longer);
        if (!longer)
            return nb_fail("%s: no memory for %" PRIu64 " numbers", in->file.name, *taken + 1);
        *numbers = longer;
        if (lines_number(in, word, &(*numbers)[*taken]))
            return -1;
    }
    return 0;
}

/* Adds a column. The value of body i begins at numbers[first + i * stride]. */
static int add_column(struct nb_bodies *b, const char *name, const double *numbers, size_t first, size_t stride)
{
    if (nb_bodies_add_known(b, name, NB_F64) || nb_bodies_alloc(b))
        return -1;
    const struct nb_column *c = nb_bodies_find(b, name);
    double *to = c->data;
    for (size_t i = 0; i < b->n; i++)
        for (int k = 0; k < c->width; k++)
            *to++ = numbers[first + i * stride + (size_t)k];
    return 0;
}

/* ---- rosetta ---- */

/* Adds the header line `steps N`. N is the number of time steps that the file asks for. Prints an nbsim command that
 * takes these steps. In this format the size of a time step is always 1. */
static int note_steps(struct nb_meta *meta, uint64_t steps)
{
    char line[32];
    snprintf(line, sizeof line, "steps %" PRIu64, steps);
    if (nb_meta_add_extra(meta, line))
        return -1;
    say("the file asks for %s of unit time: take them with nbsim --integrator rosetta --dt 1 --until %" PRIu64
        " --max-de inf (they do not conserve the energy)",
        tool_many(steps, "step", "steps"), steps);
    return 0;
}

static int take_rosetta(struct lines *in, struct nb_bodies *b, double **numbers)
{
    static const char where[] = "within its first three numbers, G n steps";
    uint64_t steps, taken;
    if (need_number(in, where, &b->meta.G) || need_unsigned(in, where, &b->n) || need_unsigned(in, where, &steps))
        return -1;
    const uint64_t n = b->n, count = n < UINT64_MAX / BODY_NUMBERS ? n * BODY_NUMBERS : UINT64_MAX;
    if (take_numbers(in, count, numbers, &taken))
        return -1;
    if (taken < count)
        return in->failed ? -1
                          : nb_fail("%s: ends in body %" PRIu64 " of the %" PRIu64 " that it announces", in->file.name,
                                    taken / BODY_NUMBERS + 1, n);
    if (lines_next_word(in))
        return lines_fail(in, "too many numbers for %" PRIu64 " bodies", n);
    return in->failed ? -1 : note_steps(&b->meta, steps);
}

int rosetta_from(struct conv_import *import, const char *path)
{
    static struct lines in;
    struct nb_bodies b;
    double *numbers = NULL;
    if (tool_given("G"))
        return conv_misused(nb_fail("--G works only for a text without G; this text contains its own"));
    nb_bodies_init(&b);
    int status = lines_open(&in, path) || nb_meta_copy(&b.meta, &import->options->meta) ||
                 take_rosetta(&in, &b, &numbers) || add_column(&b, "mass", numbers, 0, BODY_NUMBERS) ||
                 add_column(&b, "pos", numbers, 1, BODY_NUMBERS) || add_column(&b, "vel", numbers, 4, BODY_NUMBERS) ||
                 conv_import_frame(import, &b, in.file.name);
    free(numbers);
    nb_bodies_free(&b);
    return lines_close(&in, -status);
}

static int find_steps(const struct conv_options *o, const struct nb_meta *meta, uint64_t *steps)
{
    *steps = o->steps;
    for (int k = 0; k < meta->extra_count && !tool_given("steps"); k++)
        if (sscanf(meta->extra[k], "steps %" SCNu64, steps) == 1)
            return 0;
    return tool_given("steps") ? 0 : conv_misused(nb_fail("rosetta files contain the number of steps: give --steps N"));
}

/* ---- zeno ---- */

static int take_column(struct lines *in, struct nb_bodies *b, const char *name, int width, const char *what)
{
    double *numbers;
    uint64_t taken;
    const uint64_t count = b->n * (uint64_t)width;
    int status = take_numbers(in, count, &numbers, &taken);
    if (status == 0 && taken < count)
        status = lines_ended(in, what);
    if (status == 0)
        status = add_column(b, name, numbers, 0, (size_t)width);
    free(numbers);
    return status;
}

static int take_zeno(struct conv_import *import, struct lines *in, const char *first, struct nb_bodies *b)
{
    uint64_t dimensions;
    double time;
    if (nb_meta_copy(&b->meta, &import->options->meta) || lines_unsigned(in, first, UINT64_MAX / 32, &b->n))
        return -1;
    if (b->n == 0)
        return lines_fail(in, "no bodies");
    if (need_unsigned(in, "before the number of dimensions", &dimensions))
        return -1;
    if (dimensions != 3)
        return lines_fail(in, "the number of dimensions is not 3");
    if (need_number(in, "before the time", &time) || take_column(in, b, "mass", 1, "before the end of the masses") ||
        take_column(in, b, "pos", 3, "before the end of the positions") ||
        take_column(in, b, "vel", 3, "before the end of the velocities"))
        return -1;
    if (!tool_given("time"))
        b->meta.time = time;
    return conv_import_frame(import, b, in->file.name);
}

static int take_snapshots(struct conv_import *import, struct lines *in)
{
    const char *word = lines_next_word(in);
    if (!word)
        return lines_ended(in, "before the number of bodies");
    for (bool several = false; word; several = true) {
        struct nb_bodies b;
        if (several && tool_given("time"))
            return conv_misused(nb_fail("--time works for one frame only; %s has several", in->file.name));
        nb_bodies_init(&b);
        const int status = take_zeno(import, in, word, &b);
        nb_bodies_free(&b);
        if (status)
            return -1;
        word = lines_next_word(in);
    }
    return in->failed ? -1 : 0;
}

int zeno_from(struct conv_import *import, const char *path)
{
    static struct lines in;
    return lines_close(&in, lines_open(&in, path) || take_snapshots(import, &in) ? -1 : 0);
}

/* ---- writing ---- */

static void put_value(struct bytes_out *out, const struct nb_column *c, uint64_t i)
{
    char line[3 * NUMBER_BYTES], *at = line;
    for (int k = 0; k < c->width; k++) {
        at += number_print_value(at, c, i * (uint64_t)c->width + (uint64_t)k, 1);
        *at++ = k + 1 < c->width ? ' ' : '\n';
    }
    bytes_put(out, line, 1, (size_t)(at - line));
}

static bool has_special(const struct nb_meta *m)
{
    bool special = m->force_count > 0;
    for (int k = 0; k < m->extra_count; k++)
        special = special || strncmp(m->extra[k], "steps ", 6) != 0;
    return special;
}

/* Tells the user which values of the header the format cannot store. G and time are left out, because rosetta_to
 * and zeno_to print messages about them. */
static void say_left_of_header(const struct nb_meta *m, const char *format)
{
    char list[NB_NAME_MAX + 3 * NUMBER_BYTES + 64] = "", *at = list;
    if (strcmp(m->units.name, "code") != 0)
        at += sprintf(at, ", units %s", m->units.name);
    if (m->softening > 0)
        at += sprintf(at, ", softening %g", m->softening);
    if (has_special(m))
        at += sprintf(at, ", forces and properties of disks");
    if (at > list)
        say("%s has no header: left out: %s", format, list + 2);
}

static void say_left(const struct nb_bodies *b, const char *format)
{
    say_left_of_header(&b->meta, format);
    char list[NB_COLUMNS_MAX * (NB_NAME_MAX + 2)] = "", *at = list;
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_known *known = nb_column_known(b->columns[k].name);
        if (!known || !known->required)
            at += sprintf(at, "%s%s", at > list ? ", " : "", b->columns[k].name);
    }
    if (*list)
        say("columns left out: %s", list);
}

int rosetta_to(const struct conv_export *e, const struct nb_bodies *b)
{
    static struct bytes_out out;
    char G[NUMBER_BYTES];
    uint64_t steps;
    if (find_steps(e->options, &b->meta, &steps))
        return -1;
    if (!e->first)
        return conv_misused(nb_fail("rosetta files contain one frame: for several use a name with %%d"));
    bytes_begin(&out, e, 'n');
    number_print_f64(G, b->meta.G);
    bytes_print(&out, "%s %" PRIu64 " %" PRIu64 "\n", G, b->n, steps);
    say_left(b, "rosetta");
    if (b->meta.time != 0)
        say("rosetta files cannot contain the time: %g is lost", b->meta.time);
    for (uint64_t i = 0; i < b->n; i++)
        for (int k = 0; k < 3; k++)
            put_value(&out, nb_bodies_find(b, columns[k]), i);
    bytes_flush(&out);
    return 0;
}

int zeno_to(const struct conv_export *e, const struct nb_bodies *b)
{
    static struct bytes_out out;
    char time[NUMBER_BYTES];
    if (e->first)
        say_left(b, "zeno");
    if (e->first && b->meta.G != 1)
        say("zeno files cannot contain G = %g: it is 1 there", b->meta.G);
    number_print_f64(time, b->meta.time);
    bytes_begin(&out, e, 'n');
    bytes_print(&out, "%" PRIu64 "\n3\n%s\n", b->n, time);
    for (int k = 0; k < 3; k++)
        for (uint64_t i = 0; i < b->n; i++)
            put_value(&out, nb_bodies_find(b, columns[k]), i);
    bytes_flush(&out);
    return 0;
}
