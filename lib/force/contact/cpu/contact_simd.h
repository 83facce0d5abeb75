/* contact_simd.h - the sums of contact.h on the CPU over rows of partners, as one source compiled for several
 * instruction sets. */
#ifndef NB_CONTACT_SIMD_H
#define NB_CONTACT_SIMD_H

#include "force/contact/cpu/contact_cpu.h"
#include "simd/simd.h"

/* Targets [i0, i1): their sums into t->out; what walls feel of them is added to *felt. */
typedef void nb_contact_kernel(const struct nb_contact_task *t, uint64_t i0, uint64_t i1, struct nb_contact_felt *felt);

struct nb_contact_set {
    nb_contact_kernel *sum[2]; /* in float, in double */
};

extern const struct nb_contact_set *const nb_contact_sets[NB_SIMD_SETS];

#endif
