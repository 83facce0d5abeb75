#include "reference/methods/block.h"

#include <stdlib.h>
#include <string.h>

const char *const nb_block_words[] = {"8",   "16",  "32",  "64",  "96",   "128",      "192",
                                      "256", "384", "512", "768", "1024", "autotune", NULL};

int nb_block_threads(const struct nb_force_spec *spec)
{
    for (const struct nb_parameter *p = spec->kind->parameters; p && p->name; p++)
        if (strcmp(p->name, "block") == 0)
            return atoi(p->words[(int)spec->value[p - spec->kind->parameters]]); /* 0 of "autotune" */
    return 0;
}
