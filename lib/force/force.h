/* force.h - what accelerates bodies, as a table of methods, and the forces of a run, whose fields add. Every int
 * function: 0, or -1 after nb_fail. All values are in the frame's units: lengths L, masses M, times T.
 *
 * Gravity has Plummer softening with length eps, in force and potential (Plummer 1911, MNRAS 71, 460; Aarseth 1963,
 * MNRAS 126, 223):
 *     a_i   =  G sum_j m_j (x_j - x_i) / (r2 + eps2)^(3/2)
 *     phi_i = -G sum_j m_j / (r2 + eps2)^(1/2),    r2 = |x_j - x_i|^2
 * over all sources j but the target itself. The jerk is the acceleration's derivative in time, the snap the jerk's
 * (Nitadori & Makino 2008, New Astronomy 13, 498):
 *     j_i   =  G sum_j m_j J_ij / (r2 + eps2)^(3/2),    J_ij = w - 3 alpha d
 *     s_i   =  G sum_j m_j (b - 6 alpha J_ij - 3 beta d) / (r2 + eps2)^(3/2),
 *     alpha = (d w) / (r2 + eps2),  beta = (w w + d b) / (r2 + eps2) + alpha^2,
 * with the differences d of positions, w of velocities, b of accelerations, source less target. The accelerations are
 * given, as positions and velocities are: all that act on a body, found before or predicted.
 * Distinct bodies at one place with eps = 0 give a result that is not finite, which the caller looks for
 * (nb_column_first_bad). External fields (force/external/external.h) act on every target by itself; disks that touch
 * (force/contact/contact.h) have no gravity. */
#pragma once

#include "device/state.h"
#include "force/changeover.h"
#include "force/neighbours.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NB_WANT_ACC = 1, NB_WANT_PHI = 2, NB_WANT_JERK = 4, NB_WANT_SNAP = 8, NB_WANT_PRESSURE = 16, NB_WANT_FAR = 32 };

struct nb_sources { /* device pointers */
    uint64_t n, stride;
    const void *m;       /* one row: n masses */
    const void *x;       /* vector: three rows of stride */
    double G, softening; /* softening: eps >= 0, L */
    const void *v;       /* vector, of the same moment as x; needed for jerk and snap alone */
    const void *a;       /* vector of that moment, none that the field writes; needed for the snap alone */
    const void *radius;  /* one row: n radii; needed by forces with NB_READS_RADIUS alone */
    const void *hole;    /* one row: 1 of black holes, else 0; NULL: there are none */
    double time;         /* of x, T; for forces that depend on it */
    double kick;         /* time of the kick that is made with the acceleration, T: v is then the velocity before it.
                            0: v is of the same moment as x */
    struct nb_changeover far; /* the far part of each pair alone; of forces with NB_FAR_PART, without softening */
};

/* Where a field is wanted. All of the sources: x theirs, self 0. A range of them: x, v and a begin at its first, and
 * self is its number. A list of them: x, v and a theirs, and index[i] the source that target i is, rising. Free points:
 * self -1. */
struct nb_targets {
    uint64_t n, stride;
    const void *x;
    int64_t self;          /* target i is source self + i and does not act on itself; negative: none is a source */
    const void *v;         /* vector, of the same moment as x; for jerk, snap and forces with NB_NEEDS_VELOCITY */
    const void *a;         /* vector of that moment, none that the field writes; for the snap */
    const uint32_t *index; /* n of them, device memory; NULL: no list */
    bool share; /* a range, while other devices compute the rest of all: what counts for all (report) counts */
};

/* Are they all of the sources? */
static inline bool nb_targets_are_all(const struct nb_targets *t, const struct nb_sources *s)
{
    return t->self == 0 && !t->index && t->n == s->n;
}

struct nb_field { /* what is wanted, NULL otherwise; device memory; target i's at place i */
    uint64_t stride;
    void *a;        /* vector */
    void *phi;      /* one row */
    void *jerk;     /* vector; only where NB_WANT_JERK was asked for */
    void *snap;     /* vector; only where NB_WANT_SNAP was */
    void *pressure; /* one row; only where NB_WANT_PRESSURE was; forces that have none leave it as it is */
    bool aside;     /* of an output alone, and not of the motion: forces count nothing of it (report) */
    bool add;       /* to what is there; else it is overwritten, which saves the first of several forces a pass */
    struct nb_close_pairs *close; /* also lists these; only with nb_sources.far, of all of the sources, without phi; the
                                     call waits */
};

struct nb_close_pairs { /* of bodies, nearer to each other than `near`, or soon: */
    double near;        /* >= nb_sources.far.outer */
    double reach;       /* >= near: of those nearer than this, also those that come within far.outer */
    double time;        /* in this time, of either sign, */
    const void *v;      /* on straight ways: vector of nb_field's stride, device memory; NULL where reach is near */
    uint64_t count, room;
    uint32_t (*pair)[2]; /* host memory, of malloc, for `room` pairs, which grows; {i, j}, i < j, rising in i, then j */
};

/* ---- methods ---- */

enum {                         /* flags: what a force is, bits */
       NB_EXACT = 1,           /* up to rounding; else its tolerance is an approximation's */
       NB_ALL_PAIRS = 2,       /* takes n^2 operations */
       NB_NEEDS_VELOCITY = 4,  /* of the same moment as the positions */
       NB_EXTERNAL = 8,        /* not self-gravity: the header names it, and its potential counts once for each body. It
                                  acts on each target by itself, without reaction, unless it has NB_BETWEEN */
       NB_CONTACT = 16,        /* between bodies that touch, by the header's lines (scene.h): in the place of
                                  gravity, which such bodies do not have */
       NB_BOUNDS_STEP = 32,    /* has steps->longest: steps are of a fixed size that it bounds */
       NB_MOVES = 64,          /* has a boundary that changes positions or velocities between steps */
       NB_OPEN = 128,          /* adds or takes energy, so that the bodies' is not kept */
       NB_ALL_BODIES = 256,    /* its targets are all of the sources: neither some of them nor free points */
       NB_PLANAR = 512,        /* accelerations have no z component */
       NB_ONE_SIDED = 1024,    /* approximates what acts on each body by itself: the sum of m a is 0 only as nearly as
                                  its tolerance says, and the total momentum drifts */
       NB_READS_RADIUS = 2048, /* of each body: nb_force_set_read_columns before the first field */
       NB_TAKES_KICK = 4096,   /* with nb_sources.kick it returns the mean over the kick, with NB_NEEDS_VELOCITY */
       NB_BETWEEN = 8192,      /* with NB_EXTERNAL: between pairs of bodies all the same, beside their gravity */
       NB_READS_HOLES = 16384, /* which bodies are black holes: nb_force_set_read_columns before the first field */
       NB_NEAR_AND_FAR = 32768, /* has nb_force.neighbours */
       NB_FAR_PART = 65536,     /* serves nb_sources.far */
       NB_CARRIES_RUN = 131072  /* what `carry` packs belongs to the run: every type of device packs and loads the same */
};

#define NB_PARAMETERS_MAX   12
#define NB_FORCE_FILES      2
#define NB_FORCE_FILE_BYTES 256
#define NB_FORCE_TEXT_BYTES \
    2048 /* of what nb_force_print writes, with the names of files, each byte of which can take 3 */

struct nb_parameter {
    const char *name;
    const char *about;        /* with its unit */
    double usual;             /* the default; NAN: it has to be given */
    double least, most;       /* allowed; */
    bool above, whole;        /* but not `least` itself; whole numbers alone */
    const char *const *words; /* NULL: a number; else its values are these words, NULL at the end, by their place */
    int file;                 /* the name of a file, nb_force_spec.file[file - 1]; 0: it is none */
    bool table;               /* of which columns may be parameters: none has to be given beside it */
    unsigned flags;           /* of a force with such a file, or with another number than the default */
};

/* What a force can be asked to be: NAME[:KIND][,key=value...]. A method without kinds has one, called "". */
struct nb_force_kind {
    const char *name;
    const char *about;
    const struct nb_parameter *parameters; /* NULL: none; else ends with a NULL name */
    unsigned flags;                        /* in addition to the method's */
};

struct nb_force_spec { /* a force as a user asks for it */
    char method[24];   /* "direct", "tree", "external", or "auto" */
    const struct nb_force_kind *kind;
    double value[NB_PARAMETERS_MAX];                /* in the order of kind->parameters */
    unsigned given;                                 /* a bit for each that the user has named */
    char file[NB_FORCE_FILES][NB_FORCE_FILE_BYTES]; /* NAME or NAME@HEX, HEX a checksum of what is read; "": none */
};

/* How the field of all bodies on themselves is computed by several devices, each with all sources, and a share of the
 * targets that the force itself divides: it may do so otherwise than by their index. */
struct nb_force_shares {
    /* Is what is wanted to be computed so? NULL: always. Where not, several devices divide the targets by their index.
     */
    bool (*serves)(const void *work, enum nb_precision precision, uint64_t n, const struct nb_field *out);
    /* The field at share [share[0], share[1]) of them, 0 to 1; the shares of all devices meet. Out's places of all
     * others stay as they are. *seconds: what of the time the size of the share decides; the call waits. */
    int (*field)(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                 const double share[2], const struct nb_field *out, double *seconds);
    /* Of n bodies with masses d_m and accelerations d_own, a vector of own_stride: sums that are to be added over all
     * devices' bodies; the call waits. NULL with `finish`: accelerations are as they are. */
    int (*sum)(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n, uint64_t own_stride,
               const void *d_m, const void *d_own, double sum[4]);
    /* Puts these accelerations, mended by the sums over all, into out->a, or adds them there. */
    int (*finish)(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n, uint64_t own_stride,
                  const void *d_own, const double sum[4], const struct nb_field *out);
    /* NULL, or all of it in the force's own way, where the devices reach one another's memory: s and out are the
     * group's, work[k] of part k (device/group.h); bound[k] to bound[k + 1] is its share of the work, seconds[k] what
     * of the time that decides. 1: not here, or not for what is wanted; the above serves. */
    int (*together)(struct nb_device *group, void *const *work, const double *bound, enum nb_precision precision,
                    const struct nb_sources *s, const struct nb_field *out, double *seconds);
};

struct nb_force_shape {  /* of a tree, for each of its bodies */
    double nodes, lists; /* lists: in the unit of the memory that they take */
};

/* Of a force whose memory depends on how the bodies are distributed. */
struct nb_force_shaping {
    struct nb_force_shape (*get)(const void *work); /* of the last evaluation */
    /* Evaluations to come will be of bodies of this shape: memory is allocated for that. NULL: none depends on it. */
    void (*expect)(void *work, struct nb_force_shape shape);
    /* nb_force.work_bytes of n bodies of this shape. */
    double (*bytes)(enum nb_precision precision, uint64_t n, struct nb_force_shape shape);
};

#define NB_LEAST_MAX 4

enum nb_join {                 /* when several devices put together what each has counted of its bodies */
               NB_JOIN_STEP,   /* behind a boundary: what the next step needs to know of all bodies */
               NB_JOIN_REPORT, /* before a report, and before it is carried: the first has the sums then, the others
                                  have none */
               NB_JOIN_LOADED  /* all have loaded the same: its sums are the first's alone */
};

struct nb_force_counts {
    size_t size_bytes; /* of what a device has counted */
    /* Is there something to be joined behind the last boundary? Of all devices alike. */
    bool (*changed)(const void *work);
    /* Fetches it from the device, or puts it back there; the call waits. */
    int (*fetch)(struct nb_device *device, void *work, void *counts);
    int (*put)(struct nb_device *device, void *work, const void *counts);
    void (*join)(enum nb_join when, int count, void *const *counts);
};

/* Of a force that bounds the steps, or changes positions or velocities between them. */
struct nb_force_steps {
    /* Further flags of what was opened; NULL: none. */
    unsigned (*flags)(const void *work);
    /* With NB_BOUNDS_STEP: the longest step that it can be followed with in this state, T, infinite for any; the call
     * waits. `least` is what it takes the least of among bodies: infinite at first, and then also of the bodies of
     * calls before, so that the bound is of all bodies that several devices have. h NULL: that alone. */
    int (*longest)(struct nb_device *device, void *work, const struct nb_state *s, double least[NB_LEAST_MAX],
                   double *h);
    /* With NB_MOVES: applies the boundary to positions and velocities of a whole step, after the drift and before the
     * next field; need not wait. `first`: the number of the state's first body. `asked`: the next call of field is for
     * all bodies where they are then, so that it may be prepared. */
    int (*boundary)(struct nb_device *device, void *work, struct nb_state *s, uint64_t first, bool asked);
    /* Puts what it has counted since the last report into a frame's header, and begins anew; the call waits. Meta NULL:
     * only begins anew. NULL: it counts nothing. */
    int (*report)(struct nb_device *device, void *work, struct nb_meta *meta);
    /* For several devices, each with some of the bodies. NULL: it counts nothing. */
    const struct nb_force_counts *counts;
};

/* Bodies with steps of their own (device.h), from one time at which some of these end to the next. */
struct nb_own_run {
    uint64_t whole;                        /* parts of a base step, a power of 2: times and steps count in them */
    uint64_t done;                         /* of the base step: the time that the bodies are at */
    uint64_t shortest;                     /* of the steps under way */
    uint64_t most;                         /* times to go through at most, >= 1; fewer where that takes long */
    uint64_t times, steps;                 /* gone through, and steps of single bodies that ended then */
    struct nb_rung rung[NB_RUNGS_MAX + 1]; /* the same */
    bool moved; /* bodies are drifted or predicted to `done`, where steps end, and no more is done there */
};

/* Of a force that takes bodies through many such times in one call, which costs less than a call for each thing that is
 * to be done at each of them. Times at which so many
 * steps end that a call is nothing beside them, and those at which all end, are the caller's. */
struct nb_force_own {
    bool (*serves)(struct nb_device *device, enum nb_precision precision, uint64_t n);
    /* Kicks of all n bodies, d_field, d_index and longest left out; bodies drift by `part` in a part of the base step.
     */
    int (*kick)(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                const struct nb_own_kick *kick, double part, struct nb_own_run *run);
    /* Hermite's steps; s->x and s->v are where bodies are predicted. */
    int (*hermite)(struct nb_device *device, void *work, const struct nb_sources *s, const struct nb_own_hermite *own,
                   struct nb_own_run *run);
};

struct nb_cells;

struct nb_force {       /* an entry of the table of forces: a method on a kind of device */
    const char *method; /* "direct", "tree" */
    const char *device; /* name of the device it runs on */
    const char *about;  /* a few words for --list-forces */
    unsigned flags;
    const struct nb_force_kind *kinds; /* the method's: one table for all devices; ends with a NULL name */
    /* Bound of the median relative error of an acceleration against a sum in double (for quad: in quad), by precision;
     * 0: not offered. */
    double tolerance[NB_PRECISIONS];
    /* A sentence why it cannot serve what is wanted (NB_WANT_ bits), or NULL. An entry that offers no precision is
     * there for its sentence: who asks for the method on this device learns what to take. */
    const char *(*refuse)(enum nb_precision precision, unsigned want);
    /* Puts the computation of the sources' field at the targets on the device; need not wait for it. `work` is what
     * open returned for the same device. 0, or -1 after nb_fail; where it is the state that the force cannot go on
     * from, found here or by a later call that waits, with errno EDOM. */
    int (*field)(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                 const struct nb_targets *t, const struct nb_field *out);
    /* May calls of field be recorded and replayed (nb_device_record_begin) once one such call was made? NULL: never. */
    bool (*recordable)(const void *work, enum nb_precision precision, uint64_t n);
    /* How fast it changes motions at that time at n places (triples, host memory), 1/T, as seen by a circular orbit
     * there: the most; NULL: not known. */
    double (*frequency)(const void *work, uint64_t n, const double *x, double time);
    /* Fails if its files do not tell the force from one time to the other, with errno EDOM; NULL: it has none. */
    int (*covers)(const void *work, double begin, double end);
    /* The shortest time in which what its files say turns, from one time to the other; INFINITY: no row is needed to
     * know the next ones. NULL: it has none. */
    double (*grain)(const void *work, double begin, double end);
    /* Notes in the spec what open reads from files: open fails later if they hold something else. -1 after nb_fail,
     * with errno EDOM if a file is wrong. NULL: there are no files. */
    int (*note_files)(struct nb_force_spec *spec, const struct nb_meta *meta);
    /* Working memory, or NULL after nb_fail, with errno EDOM where the header is wrong; open is NULL where none is
     * needed. `meta`: the frame's G and units. */
    void *(*open)(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta);
    void (*close)(struct nb_device *device, void *work); /* never with NULL */
    /* What the next evaluation of all n bodies takes from earlier ones (pack.h): an order kept, a count, a choice once
     * made; with NB_CARRIES_RUN also what the run has counted. The same bits follow from it on the same device. NULL: an
     * evaluation depends on its arguments alone. */
    int (*carry)(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k);
    /* Estimate of the device memory that `work` takes for n bodies, bytes; NULL: next to none. */
    double (*work_bytes)(enum nb_precision precision, uint64_t n);
    /* Of more bodies work_bytes counts lists of so many, since all bodies are evaluated in pieces that share memory.
     * Some of the bodies, close pairs and a device's share of the bodies are evaluated in one piece. 0: it has no
     * pieces. */
    uint64_t piece;
    const struct nb_force_shaping *shaping; /* NULL: work_bytes tells all */
    /* What it has chosen by itself in ways that change no result, as a line for people; NULL, or it returns NULL:
     * nothing. */
    const char *(*notes)(const void *work);
    const struct nb_force_steps *steps;           /* NULL: it has no say in them */
    const struct nb_force_shares *shares;         /* NULL: several devices divide the targets by their index */
    const struct nb_force_own *own;               /* NULL: one call for each time */
    const struct nb_force_neighbours *neighbours; /* NULL: it computes the acceleration by all bodies only */
    /* Lists the cells of its tree (cells.h); NULL: it has no tree that can be shown. */
    int (*cells)(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                 struct nb_cells *cells);
};

extern const struct nb_force *const nb_forces[]; /* what is compiled in, NULL at the end: backends.c */

/* The first entry of a method on a device, NULL: on any. NULL where there is none. */
const struct nb_force *nb_force_find(const char *method, const char *device);

/* Fills a spec from "NAME[:KIND][,key=value...]" or "NAME[:key=value,...]". In the name of a file %XX is the byte with
 * that number, as in a URL. -1 after nb_fail with what is known. */
int nb_force_parse(const char *text, struct nb_force_spec *spec);
/* Sets one parameter of a parsed spec, as "key" and "value". */
int nb_force_spec_set(struct nb_force_spec *spec, const char *key, const char *value);
/* The spec as text that nb_force_parse reads back, with all its parameters, printable and without a space; "" where it
 * does not fit `size`. */
void nb_force_print(const struct nb_force_spec *spec, char *text, size_t size);
/* Flags of the spec's force; and those that its kind and parameters add to the method's. */
unsigned nb_force_spec_flags(const struct nb_force_spec *spec);
unsigned nb_force_spec_further(const struct nb_force_spec *spec);
/* Does a force with these flags act on each body by itself, so that it needs no sources? */
static inline bool nb_force_is_field(unsigned flags)
{
    return (flags & (NB_EXTERNAL | NB_BETWEEN)) == NB_EXTERNAL;
}
/* Does that force of a header stand in space? A text that names none does. */
bool nb_force_text_is_field(const char *text);
/* Does the header name an external force? */
bool nb_force_has_external(const struct nb_meta *meta);
/* The value of the spec's parameter of that name, NAN where it has none. */
double nb_force_value(const struct nb_force_spec *spec, const char *name);
/* Does the spec's text name that parameter? */
bool nb_force_names(const struct nb_force_spec *spec, const char *name);

#define NB_AUTO_DIRECT_BODIES 65536

/* The method of the row that a name stands for: "contact" for the faster of its rows, else the name itself. */
const char *nb_force_row_name(const char *method);
/* The entry that serves the method on the device: a name; "contact", which is the faster of its rows; or "auto", which
 * is "direct" for up to NB_AUTO_DIRECT_BODIES and where the tree refuses, else "tree", also where the device has none:
 * what is computed does not depend on where. NULL after nb_fail with the refusing sentence. */
const struct nb_force *nb_force_choose(const char *method, const struct nb_device *device, enum nb_precision precision,
                                       unsigned want, uint64_t n);

/* ---- the forces of a run ---- */

#define NB_FORCES_MAX 8

struct nb_opened_force {
    const struct nb_force *entry;
    struct nb_force_spec spec;
    unsigned flags; /* the entry's, the kind's and of what was opened */
    void *work;     /* the entry's own; NULL where it needs none */
    bool kept;      /* owned by nb_kept_fields, which closes it */
    bool sampled;   /* the memory that it needs is estimated by: */
    struct nb_force_shape shape;
};

struct nb_force_set { /* on one device, in the order given; begins with nb_force_set_init */
    struct nb_device *device;
    bool in_one; /* some of the bodies, or close pairs, are asked for: for nb_force_set_bytes, set by who knows the
                    scheme */
    int count;
    struct nb_opened_force force[NB_FORCES_MAX];
};

void nb_force_set_init(struct nb_force_set *set, struct nb_device *device);
/* Chooses the spec's entry and opens it. -1 after nb_fail, with the set as it was. `meta` may be NULL where no unit is
 * known: G is 1 then. */
int nb_force_set_add(struct nb_force_set *set, const struct nb_force_spec *spec, enum nb_precision precision,
                     unsigned want, uint64_t n, const struct nb_meta *meta);
/* Closes all; the set is empty then. */
void nb_force_set_close(struct nb_force_set *set);

#define NB_KEPT_FIELDS (2 * NB_FORCES_MAX) /* so that no field of a set is replaced while the set is filled */

struct nb_kept_field {
    struct nb_device *device; /* NULL: the place is empty */
    enum nb_precision precision;
    unsigned want;
    double G;
    struct nb_units units;
    char text[NB_FORCE_TEXT_BYTES]; /* the spec */
    struct nb_opened_force opened;
    uint64_t used; /* number of the last use */
};

/* Fields in space that stay open, so that a program reads their files once for all frames. Begins with zeros. */
struct nb_kept_fields {
    struct nb_kept_field field[NB_KEPT_FIELDS];
    uint64_t uses;
};

/* As nb_force_set_add, but takes a field that `kept` has open for the same text, device, precision, wants and units,
 * and leaves a field that it opens to `kept`. Other forces, and forces of several devices, are the set's. */
int nb_force_set_add_kept(struct nb_force_set *set, struct nb_kept_fields *kept, const struct nb_force_spec *spec,
                          enum nb_precision precision, unsigned want, uint64_t n, const struct nb_meta *meta);
/* Closes all, before their device. */
void nb_kept_fields_close(struct nb_kept_fields *kept);
/* The largest frequency of its forces at n places (triples) at that time, 1/T; 0 where none is known. */
double nb_force_set_frequency(const struct nb_force_set *set, uint64_t n, const double *x, double time);
/* Fails if the files of one of its forces do not reach from one time to the other (nb_force.covers). */
int nb_force_set_covers(const struct nb_force_set *set, double begin, double end);
/* The shortest time of its forces' files (nb_force.grain); INFINITY without one. */
double nb_force_set_grain(const struct nb_force_set *set, double begin, double end);
/* Does one of them stand in space? */
bool nb_force_set_has_field(const struct nb_force_set *set);
/* Is any of them the bodies' self-gravity, or contact? */
bool nb_force_set_has_own(const struct nb_force_set *set);
/* Flags that any of its forces has. */
unsigned nb_force_set_flags(const struct nb_force_set *set);
bool nb_force_set_recordable(const struct nb_force_set *set, enum nb_precision precision, uint64_t n);
/* The one force of the set, if it takes n bodies through many times of their own steps (entry->own); else NULL. */
const struct nb_opened_force *nb_force_set_own(const struct nb_force_set *set, enum nb_precision precision, uint64_t n);

/* The one force of the set, if it has nb_force.neighbours; else NULL. */
const struct nb_opened_force *nb_force_set_neighbours(const struct nb_force_set *set);

/* The shortest of its forces' longest steps for this state, T; infinite where none bounds it. */
int nb_force_set_longest_step(const struct nb_force_set *set, const struct nb_state *s, double *h);
/* The boundaries of its forces, once a step (nb_force_steps.boundary). */
int nb_force_set_boundary(const struct nb_force_set *set, struct nb_state *s, bool asked);
/* What its forces have counted, into the header of a frame (nb_force_steps.report). */
int nb_force_set_report(const struct nb_force_set *set, struct nb_meta *meta);

/* What the forces carry from one evaluation of n bodies to the next (pack.h). Loaded into the same forces on another
 * type of device, what forces without NB_CARRIES_RUN carry is left out. */
int nb_force_set_pack(const struct nb_force_set *set, uint64_t n, struct nb_pack *k);

/* ---- columns: force_columns.c ---- */

/* What the forces want of the bodies beside what every state has, into the state's rows. With NB_READS_RADIUS their
 * radii, from the column `radius`: -1 after nb_fail, with errno EDOM where there is no such column, or it names the
 * first disk whose radius is none or beyond the header's, which is the bound of all of them; one beyond it by rounding
 * alone counts as the bound. With NB_READS_HOLES which are black holes, from the column `component`: there may be none.
 */
int nb_force_set_read_columns(const struct nb_force_set *set, const struct nb_bodies *b, struct nb_state *s);

/* Are there radii in the column `radius` other than the header's one of disks that touch? */
bool nb_force_radii_differ(const struct nb_bodies *b);
/* Where they are, sets radius=column in the spec of a contact row, which nobody has said more of. */
int nb_force_choose_radius(struct nb_force_spec *spec, const struct nb_bodies *b);

/* A filter, which forces a sum takes: those whose flags & mask are `match`. */
struct nb_force_part {
    unsigned mask, match;
};

extern const struct nb_force_part nb_forces_all, nb_forces_own, nb_forces_external; /* own: the bodies' on each other */

/* All bodies of a state as sources. */
struct nb_sources nb_sources_of(const struct nb_state *s, double G, double softening);
/* The sum of the part's fields; zeros where it has none. On the set's device; need not wait for it. */
int nb_force_set_evaluate(const struct nb_force_set *set, struct nb_force_part part, enum nb_precision precision,
                          const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out);
/* The same for all bodies of a state: a (into any vector) or phi (one row), NULL where it is not wanted. */
int nb_force_set_evaluate_state(const struct nb_force_set *set, struct nb_force_part part, const struct nb_state *s,
                                double G, double softening, void *d_a, void *d_phi);

/* ---- memory: force_memory.c ---- */

/* Estimate of the device memory for a state of n bodies, `rows` further rows of its length, and the forces' work;
 * bytes. And the most bodies for which that is not more than `bytes`. */
double nb_force_set_bytes(const struct nb_force_set *set, enum nb_precision precision, int rows, uint64_t n);
/* Evaluates the forces that have a shape on a sample of the bodies, each 2^k-th and at least `least` of them, so that
 * estimates follow from the nodes and lists of such bodies. Nothing to do for fewer than twice as many bodies, and for
 * groups of devices, whose estimates stay as they are. -1 after nb_fail. */
#define NB_FORCE_SAMPLE ((uint64_t)1 << 21)
int nb_force_set_sample(struct nb_force_set *set, enum nb_precision precision, const struct nb_bodies *b,
                        double softening, uint64_t least);
uint64_t nb_force_set_capacity(const struct nb_force_set *set, enum nb_precision precision, int rows, double bytes);
/* 0 where that fits into what is free on the device; else -1 after nb_fail with what is needed, what is there, and how
 * many bodies would fit. */
int nb_force_set_fits(const struct nb_force_set *set, enum nb_precision precision, int rows, uint64_t n);

#ifdef __cplusplus
}
#endif
