/* scheme_splitting.c - coefficients of splitting schemes. */
#include "step/scheme.h"

#define SPLITTING(...)                                                    \
    .family = &nb_family_splitting, .table = &(const struct nb_splitting) \
    {                                                                     \
        __VA_ARGS__                                                       \
    }
#define ROW(...) ((const nb_quad[]){__VA_ARGS__})

const struct nb_scheme nb_scheme_symplectic_euler = {
    .name = "symplectic-euler",
    .about = "kick, then drift",
    .reference = "Devogelaere 1956, Univ. Notre Dame report 4",
    .order = 1,
    .evaluations = 1,
    .traits = NB_SYMPLECTIC,
    SPLITTING(1, ROW(1, 0), ROW(1)),
};

const struct nb_scheme nb_scheme_leapfrog = {
    .name = "leapfrog",
    .about = "kick-drift-kick",
    .reference = "Verlet 1967, Phys. Rev. 159, 98",
    .order = 2,
    .evaluations = 1,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE,
    SPLITTING(1, ROW(Q(0.5), Q(0.5)), ROW(1)),
};

const struct nb_scheme nb_scheme_leapfrog_dkd = {
    .name = "leapfrog-dkd",
    .about = "drift-kick-drift",
    .reference = "Hockney & Eastwood 1981, Computer Simulation Using Particles",
    .order = 2,
    .evaluations = 1,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE,
    SPLITTING(2, ROW(0, 1, 0), ROW(Q(0.5), Q(0.5))),
};

/* ---- symmetric compositions of leapfrogs with step factors w1, w2, ..., w2, w1, whose sum is 1 ---- */

#define Y4_1 Q(1.3512071919596576340476878089714608269) /* 1 / (2 - 2^(1/3)) */
#define Y4_0 (1 - 2 * Y4_1)

const struct nb_scheme nb_scheme_yoshida4 = {
    .name = "yoshida4",
    .about = "Forest and Ruth's three leapfrogs",
    .reference = "Forest & Ruth 1990, Physica D 43, 105; Yoshida 1990, Phys. Lett. A 150, 262",
    .order = 4,
    .evaluations = 3,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE,
    SPLITTING(3, ROW(Y4_1 / 2, (Y4_1 + Y4_0) / 2, (Y4_0 + Y4_1) / 2, Y4_1 / 2), ROW(Y4_1, Y4_0, Y4_1)),
};

/* Yoshida's solution A. The 15 published digits were refined by Newton's method on the order conditions. */
#define Y6_1 Q(0.7845136104775572638194976338663498757768)
#define Y6_2 Q(0.2355732133593581336847931829785346016865)
#define Y6_3 (-Q(1.177679984178871006946415680964315734639))
#define Y6_0 (1 - 2 * (Y6_1 + Y6_2 + Y6_3))

const struct nb_scheme nb_scheme_yoshida6 = {
    .name = "yoshida6",
    .about = "seven leapfrogs, solution A",
    .reference = "Yoshida 1990, Phys. Lett. A 150, 262",
    .order = 6,
    .evaluations = 7,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE,
    SPLITTING(7,
              ROW(Y6_1 / 2, (Y6_1 + Y6_2) / 2, (Y6_2 + Y6_3) / 2, (Y6_3 + Y6_0) / 2, (Y6_0 + Y6_3) / 2,
                  (Y6_3 + Y6_2) / 2, (Y6_2 + Y6_1) / 2, Y6_1 / 2),
              ROW(Y6_1, Y6_2, Y6_3, Y6_0, Y6_3, Y6_2, Y6_1)),
};

/* Yoshida's solution D. The published digits were refined by Newton's method, as for solution A. */
#define Y8_1 Q(0.9148442462297915667487934898475096045181)
#define Y8_2 Q(0.2536933365662113541461460206899420760977)
#define Y8_3 (-Q(1.444852236860605157694730657537390354956))
#define Y8_4 (-Q(0.1582406353680501752040667767597542477554))
#define Y8_5 Q(1.938139137622525986579186487443641760954)
#define Y8_6 (-Q(1.960610232975310807607633376399663640792))
#define Y8_7 Q(0.102799849391796440698115131601225862911)
#define Y8_0 (1 - 2 * (Y8_1 + Y8_2 + Y8_3 + Y8_4 + Y8_5 + Y8_6 + Y8_7))

const struct nb_scheme nb_scheme_yoshida8 = {
    .name = "yoshida8",
    .about = "fifteen leapfrogs, solution D",
    .reference = "Yoshida 1990, Phys. Lett. A 150, 262",
    .order = 8,
    .evaluations = 15,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE,
    SPLITTING(15,
              ROW(Y8_1 / 2, (Y8_1 + Y8_2) / 2, (Y8_2 + Y8_3) / 2, (Y8_3 + Y8_4) / 2, (Y8_4 + Y8_5) / 2,
                  (Y8_5 + Y8_6) / 2, (Y8_6 + Y8_7) / 2, (Y8_7 + Y8_0) / 2, (Y8_0 + Y8_7) / 2, (Y8_7 + Y8_6) / 2,
                  (Y8_6 + Y8_5) / 2, (Y8_5 + Y8_4) / 2, (Y8_4 + Y8_3) / 2, (Y8_3 + Y8_2) / 2, (Y8_2 + Y8_1) / 2,
                  Y8_1 / 2),
              ROW(Y8_1, Y8_2, Y8_3, Y8_4, Y8_5, Y8_6, Y8_7, Y8_0, Y8_7, Y8_6, Y8_5, Y8_4, Y8_3, Y8_2, Y8_1)),
};

/* ---- other compositions ---- */

#define SQRT_19 Q(4.3588989435406735522369819838596156592)
#define M4_1    ((14 - SQRT_19) / 108)
#define M4_2    ((20 - 7 * SQRT_19) / 108)
#define M4_3    (Q(0.5) - M4_1 - M4_2)

const struct nb_scheme nb_scheme_mclachlan4 = {
    .name = "mclachlan4",
    .about = "five drifts, small error",
    .reference = "McLachlan 1995, SIAM J. Sci. Comput. 16, 151",
    .order = 4,
    .evaluations = 5,
    .traits = NB_SYMPLECTIC | NB_REVERSIBLE,
    SPLITTING(5, ROW(M4_1, M4_2, M4_3, M4_3, M4_2, M4_1), ROW(Q(0.4), -Q(0.1), Q(0.4), -Q(0.1), Q(0.4))),
};
