/* gadget.h - what reading and writing GADGET's HDF5 snapshots share. Its units are kpc, km/s and 10^10 Msun; SWIFT's
 * dialect has other names for columns and units, its attributes are arrays of one, and its time is in 0.97779 Gyr. */
#ifndef NBCONV_GADGET_H
#define NBCONV_GADGET_H

#include "base/units.h"
#include "nbconv.h"

#define GADGET_LENGTH   NB_KPC_CGS
#define GADGET_VELOCITY 1e5
#define GADGET_TIME     (GADGET_LENGTH / GADGET_VELOCITY)
/* SWIFT's reader rounds units to five digits, in Gyr. */
#define SWIFT_TIME  (0.97779e9 * NB_YEAR_CGS)
#define GADGET_MASS (1e10 * NB_SUN_CGS)

/* An attribute of tables that nbconv writes: the XXH3 of the values, real ones as doubles; HDF5's own checksums do not
 * cover the index of a table's pieces. */
#define GADGET_HASH "XXH3"

#define GADGET_NAME_MAX 64 /* bytes of a table's name */

/* The name of a column's table: one of those that the codes have, else PhiExternal for phi_external. */
void gadget_table_name(const char *column, bool swift, char name[GADGET_NAME_MAX]);
/* The column that a table of any code becomes. False: its name is none for a column, or means something else there. */
bool gadget_column_name(const char *table, char column[NB_NAME_MAX]);
/* A product of powers of M, L and T, in this order, as lib/base/bodies.h has units. False: it is none. */
bool gadget_unit_powers(const char *unit, double powers[3]);
/* That product as a unit; "-" where all are 0, the powers are not whole or it has no place. */
void gadget_unit_name(const double powers[3], char unit[NB_NAME_MAX]);

/* The file that a path means: itself, or with the endings that snapshots have; a regular file that can be read. And
 * file k of the set that one is of. To be freed. gadget_files.c */
char *gadget_find_file(const char *path);
char *gadget_file_name(const char *path, int k);

void gadget_from(struct conv_import *import, const char *path);
void gadget_to(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
               struct tool_output *output);
void gadget_to_swift(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
                     struct tool_output *output);

#endif
