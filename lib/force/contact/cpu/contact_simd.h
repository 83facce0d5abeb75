/* contact_simd.h - the sums of contact.h on the CPU over rows of partners, as one source compiled for several
 * instruction sets. */
#pragma once

#include "force/contact/cpu/contact_cpu.h"
#include "simd/simd.h"

/* Targets [i0, i1): their sums into t->out; what walls feel of them is added to *felt. */
typedef void nb_contact_kernel(const struct nb_contact_task *t, uint64_t i0, uint64_t i1, struct nb_contact_felt *felt);

/* The pairs in the rows of disks [i0, i1), each of which is in one row alone, are added to t->sums of both. */
typedef void nb_contact_reflect(const struct nb_contact_task *t, uint64_t i0, uint64_t i1);

/* The box around the displacements of disks [i0, i1) from the places `from`, n x and then n y; returns 0, NAN where a
 * displacement is not finite. */
typedef double nb_contact_spread(const struct nb_contact_task *t, const void *from, uint64_t n, uint64_t i0,
                                 uint64_t i1, double box[2][2]);

struct nb_contact_set { /* in float, in double */
    nb_contact_kernel *sum[2];
    nb_contact_reflect *reflect[2];
    nb_contact_spread *spread[2];
};

extern const struct nb_contact_set *const nb_contact_sets[NB_SIMD_SETS];
