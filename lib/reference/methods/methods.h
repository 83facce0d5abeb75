/* methods.h - textbook methods beside the product's own, each a row of the table of forces, so that a reader can see
 * what an idea is worth: `--force naive`, `openmp`, `tiled`, `pairs-matrix`, `shared-tiles`, `pairs-symmetric`. They
 * are held to the same tests as the others, serve all bodies at once, and give acceleration and potential. */
#ifndef NB_METHODS_H
#define NB_METHODS_H

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a method cannot serve what is wanted, as nb_force.refuse: a sentence, or NULL. */
const char *nb_methods_refuse(enum nb_precision precision, unsigned want);

#ifdef __cplusplus
}
#endif
#endif
