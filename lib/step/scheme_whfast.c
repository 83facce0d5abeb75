/* scheme_whfast.c - Wisdom-Holman maps. */
#include "step/scheme.h"

#define ROW(...) ((const nb_quad[]){__VA_ARGS__})

#define WHFAST_REFERENCE "Wisdom & Holman 1991, Astron. J. 102, 1528; Duncan, Levison & Lee 1998, Astron. J. 116, 2067"

const struct nb_scheme nb_scheme_whfast = {
    .name = "whfast",
    .about = "Kepler motion about the heaviest body, and kicks by all else",
    .reference = WHFAST_REFERENCE,
    .order = 2,
    .evaluations = 1,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE | NB_PLANETARY,
    .family = &nb_family_whfast,
    .table = &(const struct nb_planetary){0},
};

/* Corrector with eight stages. It removes the errors up to order h^17 that are proportional to the masses of the
 * planets. */
#define STAGES_17                                                                                                     \
    {                                                                                                                 \
        8, ROW(Q(0.0930561037714259585915410590675535471009), -Q(0.06519286357637789365829076080372576202786),        \
               Q(0.03242219886471358029368152302957713083226), -Q(0.01207176082234229106244975172695966425391),       \
               Q(0.003313257706938065565549019683345199408007), -Q(0.0006359998307581765898316688162507854586414),    \
               Q(0.0000764363552279357383632418469794134751068), -Q(0.000004334741547337358019065022349812494489679)) \
    }

const struct nb_scheme nb_scheme_whfast17 = {
    .name = "whfast17",
    .about = "whfast with a symplectic corrector of order 17 before and after",
    .reference = WHFAST_REFERENCE "; Wisdom 2006, Astron. J. 131, 2294",
    .order = 2,
    .evaluations = 1,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE | NB_PLANETARY,
    .family = &nb_family_whfast,
    .table = &(const struct nb_planetary){.corrector = STAGES_17},
};

#define JACOBI_REFERENCE \
    "Wisdom & Holman 1991, Astron. J. 102, 1528; Rein & Tamayo 2015, Mon. Not. R. Astron. Soc. 452, 376"

const struct nb_scheme nb_scheme_whfast_jacobi = {
    .name = "whfast-jacobi",
    .about = "whfast with each planet about the centre of mass of those within its orbit",
    .reference = JACOBI_REFERENCE,
    .order = 2,
    .evaluations = 1,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE | NB_PLANETARY,
    .family = &nb_family_whfast,
    .table = &(const struct nb_planetary){.jacobi = true},
};

const struct nb_scheme nb_scheme_whfast17_jacobi = {
    .name = "whfast17-jacobi",
    .about = "whfast-jacobi with a symplectic corrector of order 17 before and after",
    .reference = JACOBI_REFERENCE "; Wisdom 2006, Astron. J. 131, 2294",
    .order = 2,
    .evaluations = 1,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE | NB_PLANETARY,
    .family = &nb_family_whfast,
    .table = &(const struct nb_planetary){true, STAGES_17},
};
