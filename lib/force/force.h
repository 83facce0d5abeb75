/* force.h - gravity as a table of methods.
 *
 * Plummer softening with length eps, in force and potential (Plummer 1911; Aarseth 1963):
 *     a_i   =  G sum_j m_j (x_j - x_i) / (r2 + eps2)^(3/2)
 *     phi_i = -G sum_j m_j / (r2 + eps2)^(1/2),    r2 = |x_j - x_i|^2
 * over all sources j but the target itself. The jerk is the acceleration's derivative in time:
 *     j_i   =  G sum_j m_j (w - 3 (d w) d / (r2 + eps2)) / (r2 + eps2)^(3/2),    d = x_j - x_i,  w = v_j - v_i.
 * Distinct bodies at one place with eps = 0 give a result that is not finite, which the caller looks for
 * (nb_column_first_bad). */
#ifndef NB_FORCE_H
#define NB_FORCE_H

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NB_WANT_ACC = 1, NB_WANT_PHI = 2, NB_WANT_JERK = 4 };

struct nb_sources { /* device pointers */
    uint64_t n, stride;
    const void *m; /* n masses */
    const void *x; /* vector: three rows of stride */
    double G, softening;
    const void *v; /* vector; needed for the jerk alone */
};

struct nb_targets {
    uint64_t n, stride;
    const void *x;
    int64_t self;  /* target i is source self + i and does not act on itself; negative: none is a source */
    const void *v; /* vector; needed for the jerk alone */
};

struct nb_field { /* what is wanted, NULL otherwise; device memory */
    uint64_t stride;
    void *a;    /* vector */
    void *phi;  /* one row */
    void *jerk; /* vector; only where NB_WANT_JERK was asked for */
};

/* What a user may set of a method; each takes what it knows. */
struct nb_force_options {
    double theta;     /* opening parameter of a tree: smaller is nearer to the direct sum, and slower */
    unsigned rebuild; /* evaluations that keep one order of a tree's bodies, at least 1 */
};

#define NB_THETA_USUAL 0.75
extern const struct nb_force_options nb_force_usual; /* theta 0.75, a new tree each time */

struct nb_force {
    const char *method; /* "direct", "tree" */
    const char *device; /* name of the device it runs on */
    const char *about;  /* a few words for --list-forces */
    /* Bound of the median relative error of an acceleration against a sum in double (for quad: in quad), by precision;
     * 0: not offered. */
    double tolerance[NB_PRECISIONS];
    /* A sentence why it cannot serve what is wanted (NB_WANT_ bits), or NULL. */
    const char *(*refuse)(enum nb_precision precision, unsigned want);
    /* Computes the field of the sources at the targets. `work` is nb_force_open's. */
    int (*field)(void *work, enum nb_precision precision, const struct nb_sources *s, const struct nb_targets *t,
                 const struct nb_field *out);
    /* May calls of field be recorded and replayed (nb_device.record) once one such call was made? NULL: never. */
    bool (*recordable)(const void *work, enum nb_precision precision, uint64_t n);
    /* Working memory, or NULL after nb_fail; open is NULL where none is needed. */
    void *(*open)(const struct nb_force_options *options);
    void (*close)(void *work);
    /* Estimate of the device memory that `work` takes for n bodies, bytes; NULL: next to none. */
    double (*work_bytes)(enum nb_precision precision, uint64_t n);
};

extern const struct nb_force *const nb_forces[]; /* what is compiled in, NULL at the end: backends.c */

/* The row that serves the method on the device: a name, or "auto", which is "direct" for up to 65536 bodies and where
 * the tree refuses, else "tree". NULL after nb_fail with the refusing sentence. */
const struct nb_force *nb_force_choose(const char *method, const struct nb_device *device, enum nb_precision precision,
                                       unsigned want, uint64_t n);

/* The force's working memory: 0 with *work NULL where it needs none, -1 after nb_fail. Close with nb_force_close,
 * which takes NULL too. */
int nb_force_open(const struct nb_force *force, const struct nb_force_options *options, void **work);
void nb_force_close(const struct nb_force *force, void *work);

/* All bodies of a state act on all: a into the state's own a, or a and phi (one row each NULL if not wanted). */
int nb_force_state(const struct nb_force *force, void *work, const struct nb_state *s, double G, double softening,
                   void *d_a, void *d_phi);

/* Estimate of the device memory for a state of n bodies, `vectors` further ones of its vectors, and the force's work;
 * bytes. And the most bodies for which that is not more than `bytes`. */
double nb_force_bytes(const struct nb_force *force, enum nb_precision precision, int vectors, uint64_t n);
uint64_t nb_force_capacity(const struct nb_force *force, enum nb_precision precision, int vectors, double bytes);
/* 0 where that fits into what is free on the device; else -1 after nb_fail with what is needed, what is there, and how
 * many bodies would fit. `where` names the device for people. */
int nb_force_fits(const struct nb_force *force, const struct nb_device *device, const char *where,
                  enum nb_precision precision, int vectors, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
