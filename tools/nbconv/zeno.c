/* The text of J. Barnes's treecode: the number of bodies, 3, the time, all masses, all positions, all velocities,
 * numbers separated by white space of any kind; snapshots one behind the other. */
#include "base/error.h"
#include "base/portable.h"
#include "formats.h"
#include "header.h"
#include "lines.h"
#include "number.h"
#include "triples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *need_word(struct lines *in, const char *what)
{
    const char *word = lines_next_word(in);
    if (!word)
        die("%s: ends before %s", in->name, what);
    return word;
}

/* Reads n numbers into a list that grows as they come: n is only a claim. */
static double *read_numbers(struct lines *in, uint64_t n, const char *what)
{
    double *numbers = NULL;
    uint64_t capacity = 0;
    for (uint64_t k = 0; k < n; k++) {
        if (k == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            double *longer = nb_realloc_array(numbers, capacity, sizeof *numbers);
            if (!longer)
                die("%s: no memory for %" PRIu64 " numbers", in->name, capacity);
            numbers = longer;
        }
        numbers[k] = lines_number(in, need_word(in, what));
    }
    return numbers;
}

static void read_column(struct lines *in, struct nb_bodies *b, const char *name, const char *what)
{
    if (nb_bodies_add_known(b, name, NB_F64))
        die("%s", nb_error());
    struct nb_column *c = nb_bodies_find(b, name);
    const uint64_t count = b->n * (uint64_t)c->width;
    double *numbers = read_numbers(in, count, what);
    if (nb_bodies_alloc(b))
        die("%s: %s", in->name, nb_error());
    memcpy(c->data, numbers, count * sizeof *numbers);
    free(numbers);
}

static void read_snapshot(struct conv_import *import, struct lines *in, const char *first)
{
    struct nb_bodies b;
    nb_bodies_init(&b);
    conv_import_meta(import, &b.meta);
    b.n = lines_unsigned(in, first, UINT64_MAX / 32);
    if (b.n == 0)
        die("%s: line %" PRIu64 ": no bodies", in->name, in->number);
    if (lines_unsigned(in, need_word(in, "the number of dimensions"), UINT64_MAX) != 3)
        die("%s: line %" PRIu64 ": not of 3 dimensions", in->name, in->number);
    const double time = lines_number(in, need_word(in, "the time"));
    if (!import->options->time_given)
        b.meta.time = time;
    read_column(in, &b, "mass", "the end of the masses");
    read_column(in, &b, "pos", "the end of the positions");
    read_column(in, &b, "vel", "the end of the velocities");
    conv_import_frame(import, &b, in->name);
    nb_bodies_free(&b);
}

static void from_zeno(struct conv_import *import, const char *path)
{
    static struct lines in;
    if (import->options->quad)
        die_usage("--store quad goes with --from text");
    lines_open(&in, path);
    const char *word = need_word(&in, "the number of bodies");
    for (bool several = false; word; several = true) {
        if (several && import->options->time_given)
            die_usage("--time goes with one frame; %s has several", in.name);
        read_snapshot(import, &in, word);
        word = lines_next_word(&in);
    }
    lines_close(&in);
}

static void to_zeno(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
                    struct tool_output *output)
{
    static const char *const names[] = {"mass", "pos", "vel"};
    (void)frame, (void)o;
    struct triples t;
    char time[NUMBER_BYTES];
    if (first)
        triples_say_left(b, "zeno");
    if (first && b->meta.G != 1)
        say("zeno has no place for G, which is %g: it is 1 there", b->meta.G);
    number_print_f64(time, b->meta.time);
    triples_begin(&t, output);
    triples_add(&t, "%" PRIu64 "\n3\n%s\n", b->n, time);
    for (int k = 0; k < 3; k++)
        for (uint64_t i = 0; i < b->n; i++)
            triples_add_body(&t, nb_bodies_find(b, names[k]), i);
    triples_end(&t);
}

const struct conv_format conv_zeno = {.name = "zeno",
                                      .about = "n, 3, time, masses, positions, velocities (Barnes's treecode)",
                                      .from_options = {&header_options},
                                      .from = from_zeno,
                                      .to = to_zeno};
