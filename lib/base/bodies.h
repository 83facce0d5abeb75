/* bodies.h - one frame in memory: the state of n bodies at one time, as columns, and what its header says.
 *
 * A column is one contiguous array, 64-byte aligned, with width (1 or 3) values a body: a vector column holds
 * x0 y0 z0 x1 y1 z1 ... Its allocation is padded with zeros to a multiple of 64 bytes, as it stands in the stream.
 * What is known of columns by their name stands in one table, nb_known_columns, and for people in nbs(5); everything
 * else is passed on as it is. All values are in the frame's units. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_C_BEGIN

#define NB_NAME_MAX    32 /* bytes of a column's name or unit, with its NUL */
#define NB_COLUMNS_MAX 64 /* columns of a frame */
#define NB_ALIGN       64 /* alignment and padding of columns, bytes */

enum nb_type { NB_F32, NB_F64, NB_U8, NB_U32, NB_U64, NB_TYPES };

enum nb_component { /* the column `component`: what part of a model a body belongs to */
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
    char unit[NB_NAME_MAX]; /* a product of M L T powers such as L/T, or - for none */
    enum nb_type type;
    int width;  /* 1 or 3 */
    void *data; /* n * width values, owned by the frame; NULL where only the layout is known */
};

enum nb_role {
    NB_STATE,     /* where a body is in phase space: what a run changes */
    NB_PARAMETER, /* a property of the body */
    NB_LABEL,     /* says which body it is */
    NB_DERIVED    /* follows from the state and the parameters, and is untrue once they change */
};

struct nb_known { /* what is known of the column of some name */
    const char *name;
    unsigned types; /* bit 1 << type of each that it may have */
    int width;
    const char *unit;
    enum nb_role role;
    bool required; /* in a stream */
};
extern const struct nb_known nb_known_columns[]; /* name NULL at the end */

struct nb_units { /* sizes of the units in cgs; 0 where the unit has no physical size (code units) */
    char name[NB_NAME_MAX];
    double length_cgs, mass_cgs, time_cgs;
};

struct nb_meta {
    double time;
    uint64_t step; /* integration steps since the beginning */
    double G;
    double softening;      /* Plummer softening length suggested or used, >= 0; the column goes before it */
    double dt;             /* size of the time step suggested or used, > 0 in either direction; 0 for none */
    double dt_asked;       /* step that the run was asked for, if `dt` is not that; else 0 */
    double dynamical_time; /* of the model that the bodies were made by, for nbsim --until 3dyn; 0 for none */
    double origin, every;  /* frames are written at times origin + k every, k whole; every 0: at no such times */
    struct nb_units units;
    char **history; /* provenance: a line each, see nb_history_add; owned */
    int history_count;
    char **forces; /* where there are external fields: every force of the bodies, as nb_force_print has it, or "auto"
                      for their own gravity by whatever method; owned. None: their own gravity alone */
    int force_count;
    char **extra; /* header lines that this version does not know, passed on; owned */
    int extra_count;
};

struct nb_bodies {
    uint64_t n;
    struct nb_meta meta;
    struct nb_column columns[NB_COLUMNS_MAX];
    int column_count;
};

/* An empty frame: n = 0, no columns, code units, G = 1. */
void nb_bodies_init(struct nb_bodies *b);
/* Frees everything and leaves an empty frame. */
void nb_bodies_free(struct nb_bodies *b);
/* Exchanges two frames. */
static inline void nb_bodies_swap(struct nb_bodies *a, struct nb_bodies *b)
{
    const struct nb_bodies held = *a;
    *a = *b;
    *b = held;
}
/* Frees the data of all columns but keeps the layout and the header's values. */
void nb_bodies_free_data(struct nb_bodies *b);
/* Copies header values and the column table without data; `to` is freed first. -1: no memory. */
int nb_bodies_copy_layout(struct nb_bodies *to, const struct nb_bodies *from);
/* Copies history and extra lines, and all other header values. -1: no memory. */
int nb_meta_copy(struct nb_meta *to, const struct nb_meta *from);
void nb_meta_free(struct nb_meta *meta);

/* Appends a column without data to the table. -1: name taken or malformed ([a-z][a-z0-9_]*), or too many. */
int nb_bodies_add(struct nb_bodies *b, const char *name, enum nb_type type, int width, const char *unit);
/* The same of a column in the table of known ones, its type `real` where that is one it may have, else the only one. */
int nb_bodies_add_known(struct nb_bodies *b, const char *name, enum nb_type real);
/* Allocates every column that has no data, its values not yet set, its padding zero. -1: no memory or n too large. */
int nb_bodies_alloc(struct nb_bodies *b);
/* Adds a column id with the numbers from 0 on, where there is none. -1: no memory, or too many columns. */
int nb_bodies_number(struct nb_bodies *b);
/* Removes a column and its data; nothing where there is none of that name. */
void nb_bodies_drop(struct nb_bodies *b, const char *name);
/* Removes the known columns that follow from others: due where a state changes. */
void nb_bodies_drop_derived(struct nb_bodies *b);
/* The column of that name, or NULL. */
struct nb_column *nb_bodies_find(const struct nb_bodies *b, const char *name);

/* What is known of columns of that name, or NULL; and the type that one takes: `real` where it may, else its own. */
const struct nb_known *nb_column_known(const char *name);
enum nb_type nb_known_type(const struct nb_known *known, enum nb_type real);

/* The name of a component (halo), or NULL where the number has none; the number of a name, or -1. */
const char *nb_component_name(unsigned component);
int nb_component_parse(const char *name);

/* Bytes of one value; name ("f32", ...); type of a name, or -1. */
size_t nb_type_size(enum nb_type type);
static inline bool nb_type_is_real(enum nb_type type)
{
    return type == NB_F32 || type == NB_F64;
}
const char *nb_type_name(enum nb_type type);
int nb_type_parse(const char *name);
/* Bytes of a column of n bodies, without and with padding to NB_ALIGN; SIZE_MAX when that does not fit size_t. */
size_t nb_column_bytes(const struct nb_column *c, uint64_t n);
size_t nb_column_bytes_padded(const struct nb_column *c, uint64_t n);
/* Value k of body i, as a double (u64 beyond 2^53 is rounded). */
double nb_column_get(const struct nb_column *c, uint64_t i, int k);
/* Sets value k of body i, of a type that is real. */
void nb_column_set(const struct nb_column *c, uint64_t i, int k, double value);
/* Copies bodies [i0, i1) as doubles into out[(i1 - i0) * width]. */
void nb_column_get_f64(const struct nb_column *c, uint64_t i0, uint64_t i1, double *out);

/* The first body in which some value of the column is not finite, or n. */
uint64_t nb_column_first_bad(const struct nb_column *c, uint64_t n);

/* The required columns are there, and every known one has a type and width that it may have. -1 names the first that
 * does not. */
int nb_bodies_check_columns(const struct nb_bodies *b);
/* A frame that physics can use: n >= 1, its columns as above, what is required finite, mass >= 0. -1 names the first
 * bad body. */
int nb_bodies_check(const struct nb_bodies *b);

/* The one softening length of all bodies: that of the column `softening` where there is one, else the header's. -1: the
 * column's lengths differ, or are none. */
int nb_bodies_softening(const struct nb_bodies *b, double *softening);
/* Are some bodies of mass 0 at one place, and none with a mass at another body's? `single`: in single precision. False
 * without memory to look. */
bool nb_bodies_share_places(const struct nb_bodies *b, bool single);

/* Appends a header line as it stands (without its key `history`, or whole for extra). -1: no memory. */
int nb_meta_add_history(struct nb_meta *meta, const char *line);
int nb_meta_add_extra(struct nb_meta *meta, const char *line);
int nb_meta_add_force(struct nb_meta *meta, const char *spec);
void nb_meta_clear_forces(struct nb_meta *meta);
/* Appends a provenance line: "ID PARENTS TOOL VERSION SEED COMMAND", ID counted from 1, PARENTS the ids of the lines
 * that this one came from, comma separated ('-' for none): here the last line, so a pipeline is a chain. `seed` may
 * be NULL ('-' is written). -1: no memory. */
int nb_history_add(struct nb_meta *meta, const char *tool, const char *version, const char *seed, const char *command);
/* The same of a line that came from several others, of which each may be 0 for none, or the same as one before. */
int nb_history_add_joined(struct nb_meta *meta, const int *parents, int count, const char *tool, const char *version,
                          const char *seed, const char *command);
/* Appends the provenance of another frame, ids and parents counted on; a line that is there already, with the same
 * parents, is the same origin and stands once. Returns the id of the other's last line here, 0 where it has none. -1:
 * no memory. A line that is not of the form above is passed on as it stands. bodies_history.c */
int nb_history_join(struct nb_meta *to, const struct nb_meta *from);
/* Appends the extra lines of another frame that are not there yet. -1: no memory. bodies_history.c */
int nb_meta_join_extra(struct nb_meta *to, const struct nb_meta *from);

NB_C_END
