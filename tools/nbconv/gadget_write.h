/* gadget_write.h - a frame on its way into a file: gadget_to.c writes its columns, gadget_head.c all that is about
 * them. */
#ifndef NBCONV_GADGET_WRITE_H
#define NBCONV_GADGET_WRITE_H

#include "gadget.h"
#include "hdf.h"
#include "physical.h"
#include "type_map.h"

struct gadget_file {
    const struct nb_bodies *b;
    bool swift;
    struct hdf *h;
    struct physical unit; /* of the stream */
    double time_cgs;      /* the file's unit of time */
    double factor[3];     /* of the stream's mass, length and time, in the file's units */
    double box, shift;    /* SWIFT's, in the file's unit of length: positions are from 0 to box */
    int types[NB_COMPONENTS];
    uint64_t count[TYPE_MAP_TYPES]; /* bodies of each type */
    bool mixed[TYPE_MAP_TYPES];     /* of several components */
    const uint8_t *component;       /* of each body, or NULL */
};

/* A value in these units, powers of M, L and T, times this is one in the file's. */
double gadget_factor_of(const struct gadget_file *f, const double powers[3]);
/* The same of a unit as lib/base/bodies.h has them; 1 where it is none. */
double gadget_factor_of_unit(const struct gadget_file *f, const char *unit);

/* A scalar in GADGET's dialect, an array of one in SWIFT's. */
void gadget_put_f64(const struct gadget_file *f, const char *object, const char *name, double value);
/* Header, Units, and the further groups that readers of SWIFT's files look into. */
void gadget_put_header(const struct gadget_file *f);
/* What these have no place for: where the frame comes from. */
void gadget_put_provenance(const struct gadget_file *f);

#endif
