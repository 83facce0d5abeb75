/* The three-line form: `G n steps`, then for each body its mass, its position and its velocity, numbers separated by
 * white space of any kind. It is read only. */
#include "error.h"
#include "formats.h"
#include "header.h"
#include "lines.h"
#include "portable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY_NUMBERS 7 /* mass, position, velocity */

/* The next word, over as many lines as it takes; NULL at the end of the file. */
static char *next_word(struct lines *in)
{
    char *word;
    while (!(word = lines_word(in)))
        if (!lines_next(in))
            return NULL;
    return word;
}

static const char *head_word(struct lines *in)
{
    const char *word = next_word(in);
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
            const char *word = next_word(in);
            if (!word)
                die("%s: ends in body %" PRIu64 " of the %" PRIu64 " that it promises", in->name, i + 1, n);
            numbers[i * BODY_NUMBERS + (uint64_t)k] = lines_number(in, word);
        }
    }
    if (next_word(in))
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
    say("the file asks for %" PRIu64 " steps of unit time: nbsim --integrator rosetta --dt 1 --until %" PRIu64
        " --max-de inf takes them (they do not keep the energy)",
        steps, steps);
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

const struct conv_format conv_rosetta = {.name = "rosetta",
                                         .about = "G n steps, then mass / position / velocity lines",
                                         .from_options = {&header_options},
                                         .from = from_rosetta};
