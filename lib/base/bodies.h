/* bodies.h - one frame in memory: the state of n bodies at one time, as columns, and the values of its header.
 *
 * A column is one contiguous array with `width` (1 or 3) values for each body: x0 y0 z0 x1 y1 z1 ... for vectors. The
 * array is aligned to 64 bytes and padded with zeros to a multiple of 64 bytes. nb_snap_map can map the columns from
 * the file into memory without a copy. The table nb_known_columns and nbs(5) describe the columns with known names.
 * Tools copy columns with other names unchanged. All values are in the frame's units. Functions call nb_fail before
 * they return -1. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_C_BEGIN

#define NB_NAME_MAX    32 /* maximum size of a column's name or unit in bytes, including NUL */
#define NB_COLUMNS_MAX 64 /* maximum number of columns of a frame */
#define NB_ALIGN       64 /* columns begin and end (with padding) at multiples of this number of bytes */

enum nb_type { NB_F32, NB_F64, NB_U8, NB_U32, NB_U64, NB_TYPES };

enum nb_component { /* values of the column `component`: the part of a model to which a body belongs */
                    NB_OTHER = 0,
                    NB_HALO = 1,
                    NB_DISK = 2,
                    NB_BULGE = 3,
                    NB_STAR = 4,
                    NB_BLACK_HOLE = 5,
                    NB_PLANET = 6,
                    NB_GAS = 7,
                    NB_COMPONENTS
};

struct nb_column {
    char name[NB_NAME_MAX];
    char unit[NB_NAME_MAX]; /* a product of powers of M (mass), L (length) and T (time), such as L/T; `-` if the values
                               have no unit */
    enum nb_type type;
    int width;     /* 1 or 3 */
    void *data;    /* n * width values, owned by the frame; NULL: the column has no values yet */
    size_t mapped; /* 0: `data` is allocated memory; otherwise `data` is a read-only mapping of a file, and `mapped` is
                      the size of the mapping in bytes */
};

enum nb_role {
    NB_STATE,     /* phase-space coordinates, which integration changes */
    NB_PARAMETER, /* a property of the body */
    NB_LABEL,     /* identifies the body */
    NB_DERIVED    /* computed from columns of state and parameters; invalid after a change of those columns */
};

struct nb_known { /* properties of a column with a known name */
    const char *name;
    unsigned types; /* bit t is set if values of type t (enum nb_type) are allowed */
    int width;
    const char *unit;
    enum nb_role role;
    bool required; /* every stream must have this column */
};
extern const struct nb_known nb_known_columns[]; /* the last entry has the name NULL */

struct nb_units { /* sizes of the units in cgs; 0 if the unit has no physical size (code units) */
    char name[NB_NAME_MAX];
    double length_cgs, mass_cgs, time_cgs;
};

struct nb_meta {
    double time;
    uint64_t step; /* number of integration steps since the beginning of the run */
    double G;
    double softening;      /* Plummer softening length of the model or the run, >= 0. If the frame has a column
                              `softening`, the column is used instead */
    double dt;             /* time step of the model or the run, positive even if the run goes backwards in time; 0:
                              none */
    double dt_asked;       /* time step that the user asked for, if it differs from `dt`; else 0 */
    double dynamical_time; /* dynamical time of the model, the unit of time that nbsim's options call `dyn`; 0:
                              unknown */
    double origin, every;  /* frames are written at the times origin + k * every, k integer. `every` 0: not at regular
                              times */
    struct nb_units units;
    char **history; /* provenance: one line (nb_history_add) for each program that changed the data; owned */
    int history_count;
    char **forces; /* forces on the bodies, one line for each force, in the format of nb_force_print; owned. "auto"
                      stands for self-gravity, or for contact forces if disks collide. 0 lines mean "auto" */
    int force_count;
    char **extra; /* header lines that this version does not know and passes on unchanged; owned */
    int extra_count;
};

struct nb_bodies {
    uint64_t n;
    struct nb_meta meta;
    struct nb_column columns[NB_COLUMNS_MAX];
    int column_count;
};

/* Sets *b to an empty frame: n = 0, no columns, code units, G = 1. */
void nb_bodies_init(struct nb_bodies *b);
/* Frees the columns and the header's lines. The frame is then empty. */
void nb_bodies_free(struct nb_bodies *b);
static inline void nb_bodies_swap(struct nb_bodies *a, struct nb_bodies *b)
{
    const struct nb_bodies held = *a;
    *a = *b;
    *b = held;
}
/* Frees the data of a column, or removes the mapping of its file. */
void nb_column_free(struct nb_column *c);
/* Frees the data of all columns. Keeps the layout and the header's values. */
void nb_bodies_free_data(struct nb_bodies *b);
/* Copies header values and the column table without data. Frees `to` first. Returns -1 if there is no memory. */
int nb_bodies_copy_layout(struct nb_bodies *to, const struct nb_bodies *from);
/* Copies all header values including history, forces and extra lines. Frees the old lines of `to` first. Returns -1 if
 * there is no memory. */
int nb_meta_copy(struct nb_meta *to, const struct nb_meta *from);
/* Frees history, forces and extra lines. */
void nb_meta_free(struct nb_meta *meta);

/* Appends a column without data to the table. Returns -1 if the name is in use or does not match [a-z][a-z0-9_]*, or
 * if there are too many columns. */
int nb_bodies_add(struct nb_bodies *b, const char *name, enum nb_type type, int width, const char *unit);
/* Appends a column with a known name. Its type is the result of nb_known_type for `real`. */
int nb_bodies_add_known(struct nb_bodies *b, const char *name, enum nb_type real);
/* Allocates the data of every column that has none. Values are undefined, padding is zero. Returns -1 if there is no
 * memory or n is too large. */
int nb_bodies_alloc(struct nb_bodies *b);
/* Adds the column `id` with the numbers 0 to n - 1 if the frame has no such column. Returns -1 if there is no memory or
 * if there are too many columns. */
int nb_bodies_number(struct nb_bodies *b);
/* Removes a column and its data. Does nothing if there is no such column. */
void nb_bodies_drop(struct nb_bodies *b, const char *name);
/* Removes the known columns with the role NB_DERIVED. Call it when the state changes. */
void nb_bodies_drop_derived(struct nb_bodies *b);
/* Returns the column with that name, or NULL. */
struct nb_column *nb_bodies_find(const struct nb_bodies *b, const char *name);

/* nb_column_known returns the properties of columns called `name`, or NULL if the name is unknown. nb_known_type
 * returns the type that a new column of this name gets: `real` (NB_F32 or NB_F64) if this type is allowed, otherwise
 * the first allowed type in the order of enum nb_type. */
const struct nb_known *nb_column_known(const char *name);
enum nb_type nb_known_type(const struct nb_known *known, enum nb_type real);

/* nb_component_name returns the name of a component ("halo"), or NULL for an unknown number. nb_component_parse returns
 * the number of the component with this name, or -1. */
const char *nb_component_name(unsigned component);
int nb_component_parse(const char *name);

/* nb_type_size returns the size of a value in bytes. nb_type_is_real returns whether the type is f32 or f64.
 * nb_type_name returns the name of the type, such as "f32". nb_type_parse returns the type with a given name, or -1. */
size_t nb_type_size(enum nb_type type);
static inline bool nb_type_is_real(enum nb_type type)
{
    return type == NB_F32 || type == NB_F64;
}
const char *nb_type_name(enum nb_type type);
int nb_type_parse(const char *name);
/* Return the size in bytes of a column of n bodies, without and with padding to NB_ALIGN. Both return SIZE_MAX if the
 * size does not fit size_t. */
size_t nb_column_bytes(const struct nb_column *c, uint64_t n);
size_t nb_column_bytes_padded(const struct nb_column *c, uint64_t n);
/* Returns value k of body i as a double. u64 values above 2^53 are rounded. */
double nb_column_get(const struct nb_column *c, uint64_t i, int k);
/* Sets value k of body i. The column's type must be f32 or f64. */
void nb_column_set(const struct nb_column *c, uint64_t i, int k, double value);
/* Copies the values of bodies [i0, i1) to out, an array of (i1 - i0) * width doubles. */
void nb_column_get_f64(const struct nb_column *c, uint64_t i0, uint64_t i1, double *out);

/* Returns the index of the first body with a value that is not finite; n if all values are finite. */
uint64_t nb_column_first_bad(const struct nb_column *c, uint64_t n);

/* Checks that the required columns exist and that every known column has an allowed type and width. Returns -1 with a
 * message that names the first bad column. */
int nb_bodies_check_columns(const struct nb_bodies *b);
/* Checks that a frame can be used for physics: n >= 1, nb_bodies_check_columns succeeds, all values of the required
 * columns are finite, mass >= 0. Returns -1 with a message that names the first bad body. */
int nb_bodies_check(const struct nb_bodies *b);

/* Sets *softening to the common softening length of all bodies: from the column `softening` if there is one, otherwise
 * from the header. Returns -1 if the lengths differ or are invalid. */
int nb_bodies_softening(const struct nb_bodies *b, double *softening);
/* Returns true if two bodies of mass 0 have the same position, and every body with mass is alone at its position. Used
 * because the force between such massless bodies would be 0/0 without softening. If `single` is true, compares
 * positions in single precision. Returns false if there is no memory. */
bool nb_bodies_share_places(const struct nb_bodies *b, bool single);

/* nb_meta_add_history appends a line of the history, without the keyword `history`. nb_meta_add_extra appends an
 * unknown header line. nb_meta_add_force appends a force. All return -1 if there is no memory. nb_meta_clear_forces
 * removes all forces. */
int nb_meta_add_history(struct nb_meta *meta, const char *line);
int nb_meta_add_extra(struct nb_meta *meta, const char *line);
int nb_meta_add_force(struct nb_meta *meta, const char *spec);
void nb_meta_clear_forces(struct nb_meta *meta);
/* Appends a provenance line "ID PARENTS TOOL VERSION SEED COMMAND". ID is 1 for the first line. PARENTS are the ids of
 * parent lines, separated by commas, or '-' if there are none. This function makes the previous line the only parent;
 * the first line has no parent. If `seed` is NULL, SEED is '-'. Returns -1 if there is no memory. */
int nb_history_add(struct nb_meta *meta, const char *tool, const char *version, const char *seed, const char *command);
/* Appends a provenance line whose parents have the ids parents[0 .. count). Ids that are 0 or repeated are ignored. */
int nb_history_add_joined(struct nb_meta *meta, const int *parents, int count, const char *tool, const char *version,
                          const char *seed, const char *command);
/* Appends the provenance lines of `from` to `to`. The lines get new ids, and their parents are renumbered. Skips lines
 * that `to` already contains with the same parents. Lines that do not have the format of nb_history_add are copied
 * unchanged. Returns the id in `to` of the last line of `from`, 0 if `from` has no lines, or -1 if there is no
 * memory. */
int nb_history_join(struct nb_meta *to, const struct nb_meta *from);
/* Appends the `extra` header lines of `from` that `to` does not have. Returns -1 if there is no memory. */
int nb_meta_join_extra(struct nb_meta *to, const struct nb_meta *from);

NB_C_END
