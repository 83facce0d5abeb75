/* methods.c - parameters and checks that several textbook methods share. Declared in methods.h. */
#include "reference/methods/methods.h"

#include "force/pairs.h"

#include <stdlib.h>
#include <string.h>

const char *nb_methods_refuse(enum nb_precision precision, unsigned want)
{
    (void)precision;
    return want & (NB_WANT_JERK | NB_WANT_SNAP)
               ? "it computes acceleration and potential only (--force direct computes more)"
               : NULL;
}

const char *const nb_block_words[] = {"8",   "16",  "32",  "64",  "96",   "128",      "192",
                                      "256", "384", "512", "768", "1024", "autotune", NULL};

int nb_block_threads(const struct nb_force_spec *spec)
{
    for (const struct nb_parameter *p = spec->kind->parameters; p && p->name; p++)
        if (strcmp(p->name, "block") == 0)
            return atoi(p->words[(int)spec->value[p - spec->kind->parameters]]); /* 0 for "autotune" */
    return 0;
}

#define ABOUT_BLOCK(from) "threads of a block on a GPU, " from " to 1024; autotune tries them"

static const char *const orders[] = {"rowmajor", "tiles", "hilbert", NULL};

static const struct nb_parameter tiles[] = {{"block", ABOUT_BLOCK("8"), NB_BLOCK_256, .words = nb_block_words}, {0}};

static const struct nb_parameter matrix[] = {
    {"block", ABOUT_BLOCK("32"), NB_BLOCK_256_OF_WARPS, .words = NB_BLOCK_WORDS_OF_WARPS}, {0}};

static const struct nb_parameter symmetric[] = {
    {"block", ABOUT_BLOCK("32"), NB_BLOCK_256_OF_WARPS, .words = NB_BLOCK_WORDS_OF_WARPS},
    {"order", "of the tiles of pairs: rowmajor, tiles (in squares), hilbert", NB_PAIR_TILES, .words = orders},
    {0}};

const struct nb_force_kind nb_shared_tiles_kinds[] = {{"", "", tiles, 0}, {0}},
                           nb_pairs_matrix_kinds[] = {{"", "", matrix, 0}, {0}},
                           nb_pairs_symmetric_kinds[] = {{"", "", symmetric, 0}, {0}};
