/* contact_simd.h - sums of contact forces (contact.h) over lists of pairs on the CPU, compiled for several instruction
 * sets. */
#pragma once

#include "force/contact/cpu/contact_cpu.h"
#include "simd/simd.h"

/* Writes the accelerations and potentials of targets [i0, i1) into t->out, and adds the forces of these disks on walls
 * to *felt. */
typedef void nb_contact_kernel(const struct nb_contact_task *t, uint64_t i0, uint64_t i1, struct nb_contact_felt *felt);

/* Adds the forces of the pairs in the lists of disks [i0, i1) to t->sums, for both disks of a pair. Each pair must be
 * in one list only. */
typedef void nb_contact_reflect(const struct nb_contact_task *t, uint64_t i0, uint64_t i1);

/* Computes the displacements of disks [i0, i1): their positions in *t minus their positions in `from`. Sets `box` to
 * the bounding box of the displacements. `from` has n values of x, then n values of y. Returns 0, or NAN if a
 * displacement is not finite. */
typedef double nb_contact_spread(const struct nb_contact_task *t, const void *from, uint64_t n, uint64_t i0,
                                 uint64_t i1, double box[2][2]);

struct nb_contact_set { /* functions for float (index 0) and double (index 1) */
    nb_contact_kernel *sum[2];
    nb_contact_reflect *reflect[2];
    nb_contact_spread *spread[2];
};

extern const struct nb_contact_set *const nb_contact_sets[NB_SIMD_SETS];
