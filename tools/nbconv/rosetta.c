/* The three-line form: `G n steps`, then for each body its mass, its position and its velocity, numbers separated by
 * white space of any kind. */
#include "base/error.h"
#include "base/portable.h"
#include "formats.h"
#include "header.h"
#include "lines.h"
#include "number.h"
#include "triples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY_NUMBERS 7 /* mass, position, velocity */

static const char *head_word(struct lines *in)
{
    const char *word = lines_next_word(in);
    if (!word)
        die("%s: ends within its first three numbers, G n steps", in->name);
    return word;
}

/* Reads all bodies into a list that grows as they come: n is only a claim. */
static double *read_numbers(struct lines *in, uint64_t n)
{
    double *numbers = NULL;
    uint64_t capacity = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (i == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            double *longer = nb_realloc_array(numbers, capacity, BODY_NUMBERS * sizeof *numbers);
            if (!longer)
                die("%s: no memory for %" PRIu64 " bodies", in->name, capacity);
            numbers = longer;
        }
        for (int k = 0; k < BODY_NUMBERS; k++) {
            const char *word = lines_next_word(in);
            if (!word)
                die("%s: ends in body %" PRIu64 " of the %" PRIu64 " that it promises", in->name, i + 1, n);
            numbers[i * BODY_NUMBERS + (uint64_t)k] = lines_number(in, word);
        }
    }
    if (lines_next_word(in))
        die("%s: line %" PRIu64 ": more numbers than %" PRIu64 " bodies have", in->name, in->number, n);
    return numbers;
}

static void add_columns(struct nb_bodies *b)
{
    if (nb_bodies_add_known(b, "mass", NB_F64) || nb_bodies_add_known(b, "pos", NB_F64) ||
        nb_bodies_add_known(b, "vel", NB_F64) || nb_bodies_alloc(b))
        die("%s", nb_error());
}

static void fill(struct nb_bodies *b, const double *numbers)
{
    for (uint64_t i = 0; i < b->n; i++, numbers += BODY_NUMBERS)
        for (int k = 0; k < BODY_NUMBERS; k++) {
            const struct nb_column *c = &b->columns[k == 0 ? 0 : k < 4 ? 1 : 2];
            uint64_t at = c->width == 1 ? i : 3 * i + (uint64_t)(k - 1) % 3;
            ((double *)c->data)[at] = numbers[k];
        }
}

/* The steps of that form have unit length; the number of them has no place in a header of ours, so it is passed on. */
static void note_steps(struct nb_meta *meta, uint64_t steps)
{
    char line[32];
    snprintf(line, sizeof line, "steps %" PRIu64, steps);
    if (nb_meta_add_extra(meta, line))
        die("%s", nb_error());
    say("the file asks for %s of unit time: nbsim --integrator rosetta --dt 1 --until %" PRIu64
        " --max-de inf takes them (they do not keep the energy)",
        tool_many(steps, "step", "steps"), steps);
}

static void from_rosetta(struct conv_import *import, const char *path)
{
    static struct lines in;
    struct nb_bodies b;
    if (import->options->G_given)
        die_usage("--G goes with a text that has none; this one has its own");
    if (import->options->quad)
        die_usage("--store quad goes with --from text");
    nb_bodies_init(&b);
    conv_import_meta(import, &b.meta);
    lines_open(&in, path);
    b.meta.G = lines_number(&in, head_word(&in));
    b.n = lines_unsigned(&in, head_word(&in), UINT64_MAX);
    uint64_t steps = lines_unsigned(&in, head_word(&in), UINT64_MAX);
    double *numbers = read_numbers(&in, b.n);
    note_steps(&b.meta, steps);
    add_columns(&b);
    fill(&b, numbers);
    conv_import_frame(import, &b, in.name);
    free(numbers);
    nb_bodies_free(&b);
    lines_close(&in);
}

/* ---- writing ---- */

enum { KEY_STEPS = 0x100 + 96 };

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    if (key != KEY_STEPS)
        return false;
    o->steps = tool_unsigned("--steps", arg);
    o->steps_given = true;
    return true;
}

static const struct tool_option steps_table[] = {
    {.about = "Writing rosetta:"},
    {"steps", KEY_STEPS, "N", 0, "the number of steps that it asks for (default: that of the header's line `steps')"},
    {0},
};

static const struct tool_table steps_options = {steps_table, parse};

static uint64_t find_steps(const struct conv_options *o, const struct nb_meta *meta)
{
    uint64_t steps;
    for (int k = 0; k < meta->extra_count && !o->steps_given; k++)
        if (sscanf(meta->extra[k], "steps %" SCNu64, &steps) == 1)
            return steps;
    if (!o->steps_given)
        die_usage("rosetta says how many steps are to be taken: --steps N is needed");
    return o->steps;
}

static void to_rosetta(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
                       struct tool_output *output)
{
    (void)frame;
    struct triples t;
    char G[NUMBER_BYTES];
    const uint64_t steps = find_steps(o, &b->meta);
    if (!first)
        die_usage("rosetta holds one frame: several need a name with %%d");
    triples_begin(&t, output);
    number_print_f64(G, b->meta.G);
    triples_add(&t, "%s %" PRIu64 " %" PRIu64 "\n", G, b->n, steps);
    triples_say_left(b, "rosetta");
    if (b->meta.time != 0)
        say("rosetta has no place for the time, which is %g", b->meta.time);
    for (uint64_t i = 0; i < b->n; i++) {
        triples_add_body(&t, nb_bodies_find(b, "mass"), i);
        triples_add_body(&t, nb_bodies_find(b, "pos"), i);
        triples_add_body(&t, nb_bodies_find(b, "vel"), i);
    }
    triples_end(&t);
}

const struct conv_format conv_rosetta = {.name = "rosetta",
                                         .about = "G n steps, then mass / position / velocity lines",
                                         .from_options = {&header_options},
                                         .to_options = {&steps_options},
                                         .from = from_rosetta,
                                         .to = to_rosetta};
