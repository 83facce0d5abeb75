/* force.h - the table of force methods (struct nb_force) and the set of forces of a run. The fields of the forces in a
 * set are added. Every int function returns 0, or -1 after nb_fail. All values are in the frame's units: lengths L,
 * masses M, times T.
 *
 * Gravity has Plummer softening of length eps in both force and potential (Plummer 1911, MNRAS 71, 460; Aarseth 1963,
 * MNRAS 126, 223):
 *     a_i   =  G sum_j m_j d / (r2 + eps2)^(3/2)
 *     phi_i = -G sum_j m_j / (r2 + eps2)^(1/2)
 * The jerk is the time derivative of the acceleration, and the snap is the time derivative of the jerk (Nitadori &
 * Makino 2008, New Astronomy 13, 498):
 *     j_i   =  G sum_j m_j J_ij / (r2 + eps2)^(3/2)
 *     s_i   =  G sum_j m_j (b - 6 alpha J_ij - 3 beta d) / (r2 + eps2)^(3/2)
 *     J_ij  =  w - 3 alpha d
 *     alpha =  (d . w) / (r2 + eps2)
 *     beta  =  (w . w + d . b) / (r2 + eps2) + alpha^2
 * The sums are over all sources j except the target itself. d, w and b are the differences of position, velocity and
 * acceleration, source j minus target i; r2 = |d|^2 and eps2 = eps^2. The caller provides the accelerations for b: the
 * total accelerations of the bodies.
 *
 * Two distinct bodies at the same point with eps = 0 give a result that is not finite. The caller checks for this
 * (nb_column_first_bad). External fields (force/external/external.h) act on each target independently of other bodies.
 * Disks that touch (force/contact/contact.h) have no gravity. */
#pragma once

#include "device/state.h"
#include "force/changeover.h"
#include "force/neighbours.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NB_WANT_ACC = 1, NB_WANT_PHI = 2, NB_WANT_JERK = 4, NB_WANT_SNAP = 8, NB_WANT_PRESSURE = 16, NB_WANT_FAR = 32 };

struct nb_sources { /* the bodies that exert the force; device pointers */
    uint64_t n, stride;
    const void *m;       /* one row: n masses */
    const void *x;       /* vector: three rows of `stride` elements */
    double G, softening; /* G: gravitational constant; softening: softening length eps >= 0 */
    const void *v;       /* vector, at the same time as x; needed only for jerk and snap */
    /* vector, at the same time as x; needed only for the snap. Outputs (nb_field) must not be written to this array */
    const void *a;
    const void *radius; /* one row: n radii; needed only by forces with NB_READS_RADIUS */
    const void *hole;   /* one row: 1 for black holes, else 0; NULL: no black holes */
    double time;        /* time of the positions x; for time-dependent forces */
    /* If not 0: the acceleration will be used for a kick of this duration, and v is the velocity before the kick. 0: v
     * is the velocity at the time of x */
    double kick;
    /* If far.outer > 0, only the far part of each pair's force is computed: the force times a function that rises from
     * 0 at small distances to 1 at large distances (changeover.h). The force must have NB_FAR_PART, and the softening
     * must be 0 */
    struct nb_changeover far;
};

/* Targets of a force evaluation. One of four forms:
 *     all sources    x = x of the sources, self = 0
 *     a range        x, v and a: pointers to the first target; self = index of this target among the sources
 *     a list         x, v and a: pointers to the first source; target i is source index[i]; the indices increase
 *     free points    self = -1: the targets are not bodies */
struct nb_targets {
    uint64_t n, stride;
    const void *x;
    /* If >= 0: target i is source self + i, and this source does not act on the target. Negative: no target is a
     * source */
    int64_t self;
    const void *v;         /* vector, at the same time as x; for jerk, snap and forces with NB_NEEDS_VELOCITY */
    const void *a;         /* vector, at the same time as x; for the snap; outputs must not be written to it */
    const uint32_t *index; /* n source indices, device memory; NULL: no list */
    /* true: this call computes the field at some of the sources, and calls on other devices compute it at the other
     * sources. A force that counts its evaluations at all sources (nb_force_steps.report) also counts this call */
    bool share;
};

/* Returns whether the targets are all sources. */
static inline bool nb_targets_are_all(const struct nb_targets *t, const struct nb_sources *s)
{
    return t->self == 0 && !t->index && t->n == s->n;
}

struct nb_field { /* outputs in device memory; element i belongs to target i; NULL: the output is not computed */
    uint64_t stride;
    void *a;        /* vector */
    void *phi;      /* one row */
    void *jerk;     /* vector; only if NB_WANT_JERK was requested when the force was chosen */
    void *snap;     /* vector; only if NB_WANT_SNAP was requested */
    void *pressure; /* one row; only if NB_WANT_PRESSURE was requested; forces without pressure leave it unchanged */
    /* true: the result is for output only; the force does not count this evaluation in its report
     * (nb_force_steps.report) */
    bool aside;
    /* true: the field is added to the outputs. false: the outputs are overwritten, which is faster */
    bool add;
    /* If not NULL, the evaluation also writes a list of close pairs here, and waits for the device. Allowed only if
     * nb_sources.far is set, the targets are all sources, and phi is NULL */
    struct nb_close_pairs *close;
};

/* list of close pairs of bodies */
struct nb_close_pairs {
    double near; /* all pairs closer than this distance are listed; >= nb_sources.far.outer */
    /* A pair with a distance from `near` to `reach` is listed only if the distance is expected to fall below
     * nb_sources.far.outer between now and now + time. reach >= near */
    double reach;
    double time; /* the prediction covers this duration from now on; negative: backwards in time */
    /* velocities, which are assumed to be constant between now and now + time: a vector with nb_field's stride, device
     * memory. NULL if reach == near */
    const void *v;
    uint64_t count, room;
    /* the pairs {i, j}, i < j, sorted by i, then j; host memory from malloc with space for `room` pairs, which is
     * increased if necessary */
    uint32_t (*pair)[2];
};

/* ---- methods ---- */

enum {               /* nb_force.flags, bits */
       NB_EXACT = 1, /* exact up to rounding. Without this flag: an approximation, with an error up to `tolerance` */
       NB_ALL_PAIRS = 2,      /* needs O(n^2) operations */
       NB_NEEDS_VELOCITY = 4, /* needs velocities at the same time as the positions */
       /* a force other than self-gravity and contact forces; the frame's header names it. Its potential energy is sum m
        * phi (the energy of self-gravity is half of this sum). Without NB_BETWEEN, the force on a target does not
        * depend on other bodies */
       NB_EXTERNAL = 8,
       /* contact force between colliding disks, which have no gravity. The frame's header contains the contact law
        * (scene.h) */
       NB_CONTACT = 16,
       NB_BOUNDS_STEP = 32, /* limits the fixed step size: nb_force_steps.longest returns the maximum */
       NB_MOVES = 64,       /* has nb_force_steps.boundary, which changes positions or velocities between steps */
       NB_OPEN = 128,       /* adds or removes energy, so that the energy of the bodies is not conserved */
       NB_ALL_BODIES = 256, /* the targets must be all sources, neither a subset nor free points */
       NB_PLANAR = 512,     /* accelerations have no z component */
       /* approximates the force of body i on j and the force of j on i independently. The sum of m a is then not 0, and
        * the total momentum drifts */
       NB_ONE_SIDED = 1024,
       NB_READS_RADIUS = 2048, /* needs radii: call nb_force_set_read_columns before the first evaluation */
       /* requires NB_NEEDS_VELOCITY. If nb_sources.kick is not 0, the force returns the mean acceleration over the
        * duration of the kick */
       NB_TAKES_KICK = 4096,
       /* requires NB_EXTERNAL. The force acts between pairs of bodies, in addition to their gravity */
       NB_BETWEEN = 8192,
       /* needs to know which bodies are black holes: call nb_force_set_read_columns before the first evaluation */
       NB_READS_HOLES = 16384,
       NB_NEAR_AND_FAR = 32768, /* can compute the forces of neighbours separately (nb_force.neighbours) */
       NB_FAR_PART = 65536,     /* can compute only the far part of each pair's force (nb_sources.far) */
       /* the checkpoint data (nb_force.carry) have the same format on every type of device, so that a run can be
        * resumed on another type */
       NB_CARRIES_RUN = 131072
};

#define NB_PARAMETERS_MAX   12
#define NB_FORCE_FILES      2
#define NB_FORCE_FILE_BYTES 256
/* Size in bytes of the longest text that nb_force_print writes, with its NUL. A byte of a file's name can take three
 * characters. */
#define NB_FORCE_TEXT_BYTES 2048

struct nb_parameter {
    const char *name;
    const char *about;  /* description for the help text, with the parameter's unit */
    double usual;       /* default value; NAN: no default, must be given */
    double least, most; /* allowed range */
    bool above, whole;  /* above: `least` itself is not allowed; whole: integers only */
    /* NULL: the value is a number. Not NULL: the allowed words, ending with NULL; the value is the index of a word */
    const char *const *words;
    /* 1 or more: the value is a file name, nb_force_spec.file[file - 1]; 0: not a file name */
    int file;
    /* true: the file is a table, whose columns can set other parameters. If the user gives the file, the user's text
     * may omit parameters that have no default, because the table can contain them */
    bool table;
    /* flags that the force gets if the user gives this file, or sets this number to a value other than the default */
    unsigned flags;
};

/* A kind is a variant of a method. Users write NAME[:KIND][,key=value...]. A method without variants has one kind,
 * called "". */
struct nb_force_kind {
    const char *name;
    const char *about;
    const struct nb_parameter *parameters; /* array ending with a NULL name; NULL: no parameters */
    unsigned flags;                        /* added to the method's flags */
};

struct nb_force_spec { /* a force as requested by a user */
    char method[24];   /* "direct", "tree", "external", ..., or "auto" */
    const struct nb_force_kind *kind;
    double value[NB_PARAMETERS_MAX]; /* indexed like kind->parameters */
    unsigned given;                  /* bit k: the user's text contains parameter k */
    /* NAME or NAME@HEX, where HEX is a checksum of the contents; "": no file */
    char file[NB_FORCE_FILES][NB_FORCE_FILE_BYTES];
};

enum nb_shares { /* how devices divide the work with nb_force_shares.field */
                 NB_SHARES_NONE,
                 /* Each device computes some of the targets, its share. The bounds between the shares are moved so that
                  * all devices take the same time. Results do not depend on the bounds. */
                 NB_SHARES_OF_TARGETS,
                 /* Each device computes some of the pairs, its share, and the caller adds the fields of all shares. All
                  * shares have the same size. The bounds between the shares do not depend on measured times,
                  * because the bounds affect rounding errors, and repeated runs must give the same results. */
                 NB_SHARES_OF_PAIRS
};

/* Functions for several devices that together compute the forces between all bodies. Each device has all sources and
 * computes a share of the targets or of the pairs. The force decides which targets or pairs belong to a share; the
 * indices of targets need not be consecutive. */
struct nb_force_shares {
    /* Returns how the devices divide the computation of the outputs in `out`. With NB_SHARES_NONE, each device computes
     * a range of target indices without these functions. NULL: always NB_SHARES_OF_TARGETS. */
    enum nb_shares (*serves)(const void *work, enum nb_precision precision, uint64_t n, const struct nb_field *out);
    /* Computes the field of one share: the part of the work from share[0] to share[1], as fractions of the entire work.
     * The shares of all devices together cover 0 to 1. NULL: there is only the function `together`.
     * - Shares of targets: elements of `out` for targets outside the share stay unchanged. Sets *seconds to the time of
     *   the work that depends on the size of the share, and waits for the device.
     * - Shares of pairs: elements of `out` for targets without a pair in the share stay unchanged or are set to 0. Sets
     *   *seconds to 0. */
    int (*field)(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                 const double share[2], const struct nb_field *out, double *seconds);
    /* Computes the sums of m a (three components) and of m |a| over n bodies, with the masses d_m and the accelerations
     * d_own, a vector with stride own_stride. The caller adds the sums of all devices, and passes the totals to
     * `finish`. Waits for the device. `sum` and `finish` are NULL if accelerations need no correction. */
    int (*sum)(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n, uint64_t own_stride,
               const void *d_m, const void *d_own, double sum[4]);
    /* Corrects the accelerations d_own with the sums over all devices, so that the total momentum is conserved. Writes
     * them into out->a, or adds them if out->add is true. */
    int (*finish)(struct nb_device *device, void *work, enum nb_precision precision, uint64_t n, uint64_t own_stride,
                  const void *d_own, const double sum[4], const struct nb_field *out);
    /* Computes the field with one call for all devices of a group. The caller tries this function first. The devices
     * must be able to access each other's memory. s, t and out belong to the group (device/group.h). Part k of the
     * group (one device) uses work[k], computes the share from bound[k] to bound[k + 1], and sets seconds[k]. From
     * these times, the caller chooses the bounds of the next call. A force that ignores `bound` and divides the work by
     * its own rules leaves seconds[k] at 0.
     * - t NULL: the targets are all bodies.
     * - t not NULL: the targets are a list of sources. Only the acceleration is computed, and each part receives the
     *   accelerations of all targets.
     * Returns 1 if the force does not support this call. The caller then computes the field in shares (`field`) or, if
     * the force has no shares, on each device for a range of target indices. The pointer may be NULL. */
    int (*together)(struct nb_device *group, void *const *work, const double *bound, enum nb_precision precision,
                    const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out,
                    double *seconds);
};

struct nb_force_shape { /* size of a tree and its interaction lists, per body */
    /* nodes: number of nodes per body; lists: length of the lists per body, in the force's own unit */
    double nodes, lists;
};

/* Functions of a force whose memory depends on the distribution of the bodies. */
struct nb_force_shaping {
    struct nb_force_shape (*get)(const void *work); /* shape found by the last evaluation */
    /* Tells the force the expected shape (nodes and lists per body) of later evaluations, so that it allocates enough
     * memory for them. NULL: no allocation depends on the shape. */
    void (*expect)(void *work, struct nb_force_shape shape);
    /* Returns the estimate of nb_force.work_bytes for n bodies, if their tree and lists have this shape. */
    double (*bytes)(enum nb_precision precision, uint64_t n, struct nb_force_shape shape);
};

#define NB_LEAST_MAX 4

enum nb_join {               /* when the counts of several devices (nb_force_counts) are combined */
               NB_JOIN_STEP, /* after `boundary`: each device gets the sums over all devices, for its next step */
               /* before a report or a checkpoint: the first device gets the sums over all devices, and the counts of
                * the other devices become 0 */
               NB_JOIN_REPORT,
               /* after all devices have loaded the same counts from a checkpoint: the first device keeps them, and the
                * counts of the other devices become 0 */
               NB_JOIN_LOADED
};

struct nb_force_counts {
    /* size in bytes of the counts of one device. Counts are numbers that a force adds up until the next report */
    size_t size_bytes;
    /* Returns whether the last call of nb_force_steps.boundary changed counts that must be combined with NB_JOIN_STEP.
     * Returns the same value on all devices. */
    bool (*changed)(const void *work);
    /* Copy the counts from the device to host memory, and back. Wait for the device. */
    int (*fetch)(struct nb_device *device, void *work, void *counts);
    int (*put)(struct nb_device *device, void *work, const void *counts);
    void (*join)(enum nb_join when, int count, void *const *counts);
};

/* Functions of a force that limits the step size, or that changes positions or velocities between steps. */
struct nb_force_steps {
    /* Returns flags of the opened force, which are added to the flags of the method and the kind. The pointer may be
     * NULL (no flags). */
    unsigned (*flags)(const void *work);
    /* With NB_BOUNDS_STEP: sets *h to the maximum step size for this state (INFINITY: no limit). Waits for the device.
     * The limit depends on the minima of up to NB_LEAST_MAX quantities over all bodies. The force chooses the
     * quantities.
     * - Before the call, least[] holds the minima over the bodies of other devices (INFINITY: no such bodies). After
     *   the call, the minima also include the bodies of this state.
     * - If h is NULL, the call only updates least[]. With such calls, the caller combines the minima of several
     *   devices before it computes the step size. */
    int (*longest)(struct nb_device *device, void *work, const struct nb_state *s, double least[NB_LEAST_MAX],
                   double *h);
    /* With NB_MOVES: applies the boundary to the positions and velocities of the state. Called at the end of a full
     * step, after the drift and before the next evaluation. Need not wait for the device. The state has all bodies, or
     * the bodies of one of several devices. first: global index of the state's first body. asked: true if the next
     * evaluation (nb_force.field) is for all bodies at the new positions; `boundary` may then prepare this evaluation
     * for the bodies of the state. */
    int (*boundary)(struct nb_device *device, void *work, struct nb_state *s, uint64_t first, bool asked);
    /* Writes the counts since the last report into a frame's header, and resets the counts. If meta is NULL, only
     * resets the counts. Waits for the device. The pointer is NULL if there are no counts. */
    int (*report)(struct nb_device *device, void *work, struct nb_meta *meta);
    /* Functions that combine the counts of devices, if each device has some of the bodies. NULL: there are no
     * counts. */
    const struct nb_force_counts *counts;
};

/* Progress through a base step, the longest step of a run in which bodies have individual time steps (device.h). An
 * "end time" is a time at which steps of one or more bodies end. The bodies advance from one end time to the next. */
struct nb_own_run {
    /* Number of units of time in a base step, a power of 2. Times and steps in this structure are integer numbers of
     * these units. */
    uint64_t whole;
    uint64_t done;     /* time reached within the base step */
    uint64_t shortest; /* shortest step in progress */
    /* Maximum number of end times through which this call advances the bodies, >= 1. A call that takes long may return
     * after fewer end times. */
    uint64_t most;
    /* result. times: number of end times in this call; steps: number of steps of all bodies that ended at these
     * times */
    uint64_t times, steps;
    struct nb_rung rung[NB_RUNGS_MAX + 1]; /* result: `times`, `steps` and wall time for each rung (step size) */
    /* result. true: the call has moved the bodies to the time `done`, and the caller must complete the steps that end
     * at this time */
    bool moved;
};

/* Functions that advance bodies through many end times (nb_own_run) in one call. This is faster than a call for each
 * end time. A call stops at an end time at which the steps of many bodies end, because a separate call for this time is
 * as fast. It also stops when the steps of all bodies end. The caller then completes the steps of these bodies. */
struct nb_force_own {
    bool (*serves)(struct nb_device *device, enum nb_precision precision, uint64_t n);
    /* Advances bodies with leapfrog steps. Does not use kick->d_field, kick->d_index and kick->longest. A base step is
     * divided into run->whole units of time. `part` is the duration of a unit, negative if the bodies go backwards in
     * time. */
    int (*kick)(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                const struct nb_own_kick *kick, double part, struct nb_own_run *run);
    /* Advances bodies with Hermite steps. s->x and s->v are arrays for the predicted positions and velocities. */
    int (*hermite)(struct nb_device *device, void *work, const struct nb_sources *s, const struct nb_own_hermite *own,
                   struct nb_own_run *run);
};

struct nb_cells;

struct nb_force {       /* entry of the table of forces: a method on one type of device */
    const char *method; /* "direct", "tree" */
    const char *device; /* name of the type of device on which it runs, for example "cpu" */
    const char *about;  /* short description for --list-forces */
    unsigned flags;
    /* variants of the method, the same for all devices; array ending with a NULL name */
    const struct nb_force_kind *kinds;
    /* Upper bound of the median relative error of the acceleration, for each precision. The reference is direct
     * summation in double, or in quad for quad precision. 0: the entry does not support this precision. */
    double tolerance[NB_PRECISIONS];
    /* Returns NULL if the wanted outputs (NB_WANT_ bits) are possible. If not, returns a sentence for the user that
     * says why, and what to choose on this device. Some entries support no precision and have only this function. */
    const char *(*refuse)(enum nb_precision precision, unsigned want);
    /* Queues the computation of the field of the sources at the targets. May return before the computation ends.
     * `work`: returned by `open` for this device. Returns 0, or -1 after nb_fail. Fails with errno EDOM if the force
     * cannot be computed for these bodies; a later call that waits for the device may report this error. */
    int (*field)(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                 const struct nb_targets *t, const struct nb_field *out);
    /* Returns whether calls of `field` can be recorded and replayed (nb_device_record_begin) after one normal call.
     * NULL: never. */
    bool (*recordable)(const void *work, enum nb_precision precision, uint64_t n);
    /* Returns the maximum angular frequency of circular orbits at the n points x (triples, host memory) at this time,
     * in 1/T. The pointer is NULL if the frequency is unknown. */
    double (*frequency)(const void *work, uint64_t n, const double *x, double time);
    /* Fails with errno EDOM if the force's files do not cover the times from begin to end. NULL: there are no files. */
    int (*covers)(const void *work, double begin, double end);
    /* Returns the shortest time scale on which a value in the force's files changes between the times begin and end. A
     * much longer time step can miss such a change. INFINITY: no limit. NULL: there are no files. */
    double (*grain)(const void *work, double begin, double end);
    /* Stores checksums of the force's files in the spec, so that a later `open` fails if the contents have changed.
     * Returns -1 after nb_fail, with errno EDOM if a file is wrong. NULL: there are no files. */
    int (*note_files)(struct nb_force_spec *spec, const struct nb_meta *meta);
    /* Opens the force: returns its working memory, or NULL after nb_fail, with errno EDOM if the header is wrong.
     * `meta` gives the frame's G and units. The pointer `open` is NULL if the force needs no working memory. */
    void *(*open)(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta);
    void (*close)(struct nb_device *device, void *work); /* not called if `work` is NULL */
    /* Saves or loads the state that an evaluation inherits from earlier evaluations (pack.h), for example the sorted
     * order of the bodies. A resumed run on the same device is then bitwise identical. NULL: an evaluation depends on
     * its arguments only. */
    int (*carry)(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k);
    /* Returns an estimate of the device memory of `work` for n bodies, in bytes. NULL: negligible. */
    double (*work_bytes)(enum nb_precision precision, uint64_t n);
    /* Number of targets in a piece; 0: no pieces. If one device evaluates the field at all bodies, it processes the
     * targets in pieces, one piece after the other in the same memory. work_bytes therefore includes the interaction
     * lists of one piece only. All other evaluations (of a subset, of close pairs, of a device's share) process all
     * their targets at once. */
    uint64_t piece;
    /* functions for memory that depends on the distribution of the bodies. NULL: work_bytes is accurate enough */
    const struct nb_force_shaping *shaping;
    /* Returns a line for the user about automatic choices that do not change results (such as the kernel), or NULL. The
     * pointer `notes` may be NULL. */
    const char *(*notes)(const void *work);
    const struct nb_force_steps *steps;   /* NULL: no influence on steps */
    const struct nb_force_shares *shares; /* NULL: several devices divide the targets by index */
    /* functions for individual time steps. NULL: the caller makes separate calls for each time at which steps end */
    const struct nb_force_own *own;
    const struct nb_force_neighbours *neighbours; /* NULL: the force cannot separate neighbours from other bodies */
    /* Implements nb_force_cells (cells.h) for this force. NULL: the cells of this force cannot be listed. */
    int (*cells)(const struct nb_force_spec *spec, const struct nb_bodies *b, uint64_t of, int level,
                 struct nb_cells *cells);
};

extern const struct nb_force *const nb_forces[]; /* compiled-in entries, ending with NULL; defined in backends.c */

/* Returns the first entry of the method on the device (NULL: on any device), or NULL if no entry fits. */
const struct nb_force *nb_force_find(const char *method, const char *device);

/* Fills a spec from "NAME[:KIND][,key=value...]" or "NAME[:key=value,...]". Returns -1 after nb_fail, whose message
 * lists the allowed names. */
int nb_force_parse(const char *text, struct nb_force_spec *spec);
/* Sets the parameter `key` of a parsed spec to the value in a text. Does not change spec->given, which marks parameters
 * that the user gave. */
int nb_force_spec_set(struct nb_force_spec *spec, const char *key, const char *value);
/* Writes the spec with all its parameters as text that nb_force_parse reads. Writes "" if `size` is too small. */
void nb_force_print(const struct nb_force_spec *spec, char *text, size_t size);
/* nb_force_spec_flags returns all flags of the spec's force: of the method, the kind and the parameters.
 * nb_force_spec_further returns only the flags that the kind and the parameters add. */
unsigned nb_force_spec_flags(const struct nb_force_spec *spec);
unsigned nb_force_spec_further(const struct nb_force_spec *spec);
/* Returns whether a force with these flags acts on each body independently, so that it needs no sources. */
static inline bool nb_force_is_field(unsigned flags)
{
    return (flags & (NB_EXTERNAL | NB_BETWEEN)) == NB_EXTERNAL;
}
/* Returns true if `text`, a force in a frame's header, acts on each body independently (nb_force_is_field). Also
 * returns true if the text cannot be parsed. */
bool nb_force_text_is_field(const char *text);
/* Returns whether the header names an external force. Also returns true if the header names a force that cannot be
 * parsed. */
bool nb_force_has_external(const struct nb_meta *meta);
/* Returns the value of the named parameter, or NAN if the kind has no such parameter. */
double nb_force_value(const struct nb_force_spec *spec, const char *name);
/* Returns whether the user's text contains this parameter. */
bool nb_force_names(const struct nb_force_spec *spec, const char *name);

#define NB_AUTO_DIRECT_BODIES 16384

/* Returns the method's name in the table of forces: "contact-grid" (the faster contact method) for "contact", otherwise
 * `method` itself. */
const char *nb_force_row_name(const char *method);
/* Returns the entry for a method on a device, or NULL after nb_fail with the reason. "contact" stands for
 * "contact-grid". "auto" selects:
 * - "direct" for up to NB_AUTO_DIRECT_BODIES bodies if `want` does not contain NB_WANT_FAR;
 * - otherwise "tree", or "direct" if the tree of this device cannot provide the wanted outputs. If the device has no
 *   tree, "auto" fails for more than NB_AUTO_DIRECT_BODIES bodies. */
const struct nb_force *nb_force_choose(const char *method, const struct nb_device *device, enum nb_precision precision,
                                       unsigned want, uint64_t n);

/* ---- the forces of a run ---- */

#define NB_FORCES_MAX 8

struct nb_opened_force {
    const struct nb_force *entry;
    struct nb_force_spec spec;
    unsigned flags; /* all flags: those of the entry, of the kind, and of the opened force (nb_force_steps.flags) */
    void *work;     /* working memory, owned by the entry; NULL if the entry needs none */
    bool kept;      /* true: the force belongs to an nb_kept_fields, which closes it */
    bool sampled;   /* true: `shape` is known and used to estimate the memory of the force */
    struct nb_force_shape shape;
};

struct nb_force_set { /* forces on one device, in the order given; begin with nb_force_set_init */
    struct nb_device *device;
    /* true: the integrator evaluates subsets of the bodies or close pairs. Such an evaluation processes all its targets
     * at once (nb_force.piece) and needs more memory. Set by the caller, read by nb_force_set_bytes */
    bool in_one;
    int count;
    struct nb_opened_force force[NB_FORCES_MAX];
};

/* Makes an empty set for a device. */
void nb_force_set_init(struct nb_force_set *set, struct nb_device *device);
/* Adds a force to the set. Chooses the entry of the table of forces (struct nb_force) for the method in the spec, n
 * bodies and the wanted outputs (NB_WANT_ bits), and opens the force. Returns 0, or -1 after nb_fail; the set is then
 * unchanged. `meta` may be NULL if the units are not known; G is then 1. */
int nb_force_set_add(struct nb_force_set *set, const struct nb_force_spec *spec, enum nb_precision precision,
                     unsigned want, uint64_t n, const struct nb_meta *meta);
/* Closes all forces and empties the set. */
void nb_force_set_close(struct nb_force_set *set);

/* Maximum number of open fields in an nb_kept_fields. To open another field, the least recently used field is closed. A
 * set has at most half of this number of forces, so no field of the current set is closed. */
#define NB_KEPT_FIELDS (2 * NB_FORCES_MAX)

struct nb_kept_field {
    struct nb_device *device; /* NULL: this entry is empty */
    enum nb_precision precision;
    unsigned want;
    double G;
    struct nb_units units;
    char text[NB_FORCE_TEXT_BYTES]; /* the spec as text (nb_force_print) */
    struct nb_opened_force opened;
    uint64_t used; /* value of nb_kept_fields.uses at the last use */
};

/* External fields that stay open, so that a program reads their files once for all frames. Initialise with zeros. */
struct nb_kept_fields {
    struct nb_kept_field field[NB_KEPT_FIELDS];
    uint64_t uses;
};

/* Adds a force to the set, as nb_force_set_add does.
 * - External field on one device: if `kept` has an open field with the same text, device, precision, wanted outputs, G
 *   and units, adds that field. If not, opens the field and stores it in `kept`, which owns it.
 * - Any other force: opens the force, which the set owns. */
int nb_force_set_add_kept(struct nb_force_set *set, struct nb_kept_fields *kept, const struct nb_force_spec *spec,
                          enum nb_precision precision, unsigned want, uint64_t n, const struct nb_meta *meta);
/* Closes all fields. Call it before the device is closed. */
void nb_kept_fields_close(struct nb_kept_fields *kept);
/* Calls nb_force.frequency of each force for the n points x (triples, host memory) at this time. Returns the maximum of
 * the results, in 1/T, or 0 if no force has this function. */
double nb_force_set_frequency(const struct nb_force_set *set, uint64_t n, const double *x, double time);
/* Fails if the files of a force do not cover the times from begin to end (nb_force.covers). */
int nb_force_set_covers(const struct nb_force_set *set, double begin, double end);
/* Returns the minimum of nb_force.grain over the forces that read files, or INFINITY if no force reads a file. */
double nb_force_set_grain(const struct nb_force_set *set, double begin, double end);
/* Returns whether one of the forces acts on each body independently (nb_force_is_field). */
bool nb_force_set_has_field(const struct nb_force_set *set);
/* Returns whether one of the forces is self-gravity or contact. */
bool nb_force_set_has_own(const struct nb_force_set *set);
/* Returns the union of the forces' flags. */
unsigned nb_force_set_flags(const struct nb_force_set *set);
/* Returns whether nb_force.recordable is true for all forces of the set. Calls of nb_force_set_evaluate can then be
 * recorded and replayed (nb_device_record_begin). */
bool nb_force_set_recordable(const struct nb_force_set *set, enum nb_precision precision, uint64_t n);
/* If the set has only one force, and this force can advance n bodies with individual time steps (entry->own), returns
 * the force, else NULL. */
const struct nb_opened_force *nb_force_set_own(const struct nb_force_set *set, enum nb_precision precision, uint64_t n);

/* If the set has only one force, and this force has nb_force.neighbours, returns the force, else NULL. */
const struct nb_opened_force *nb_force_set_neighbours(const struct nb_force_set *set);

/* Sets *h to the maximum step size that all forces allow for this state (nb_force_steps.longest); INFINITY if no force
 * limits the step size. */
int nb_force_set_longest_step(const struct nb_force_set *set, const struct nb_state *s, double *h);
/* Applies the boundaries of all forces (nb_force_steps.boundary). Call it once per step. */
int nb_force_set_boundary(const struct nb_force_set *set, struct nb_state *s, bool asked);
/* Writes the counts of all forces into the header of a frame (nb_force_steps.report). */
int nb_force_set_report(const struct nb_force_set *set, struct nb_meta *meta);

/* Saves or loads the state that the forces inherit from one evaluation of n bodies to the next (pack.h). If the state
 * was saved on another type of device, a force loads it only if the force has NB_CARRIES_RUN. */
int nb_force_set_pack(const struct nb_force_set *set, uint64_t n, struct nb_pack *k);

/* ---- columns: force_columns.c ---- */

/* Reads the columns that the forces need into the state's rows.
 * - With NB_READS_RADIUS, reads the radii from the column `radius`. A radius that exceeds the radius in the header by a
 *   rounding error is replaced by the radius in the header.
 * - With NB_READS_HOLES, reads which bodies are black holes from the column `component`, which may be missing.
 * Returns -1 after nb_fail, with errno EDOM, if the column `radius` is missing, or if a radius is not positive or
 * exceeds the radius in the header by more than a rounding error. The message names the first disk with a wrong
 * radius. */
int nb_force_set_read_columns(const struct nb_force_set *set, const struct nb_bodies *b, struct nb_state *s);

/* Returns whether the bodies are colliding disks and the column `radius` has a radius that differs from the radius in
 * the header. */
bool nb_force_radii_differ(const struct nb_bodies *b);
/* Sets radius=column in the spec of a contact force if the radii differ (nb_force_radii_differ). Call it only if the
 * user gave no parameters. */
int nb_force_choose_radius(struct nb_force_spec *spec, const struct nb_bodies *b);

/* A filter: selects the forces with (flags & mask) == match. */
struct nb_force_part {
    unsigned mask, match;
};

/* nb_forces_own: self-gravity and contact forces */
extern const struct nb_force_part nb_forces_all, nb_forces_own, nb_forces_external;

/* Returns all bodies of a state as sources. Their softening length is the larger of `softening` and s->least. */
struct nb_sources nb_sources_of(const struct nb_state *s, double G, double softening);
/* Computes the sum of the fields of the forces selected by `part`, or zeros if `part` selects no force. Uses the set's
 * device. May return before the computation ends. */
int nb_force_set_evaluate(const struct nb_force_set *set, struct nb_force_part part, enum nb_precision precision,
                          const struct nb_sources *s, const struct nb_targets *t, const struct nb_field *out);
/* Calls nb_force_set_evaluate with all bodies of a state as sources and as targets. Outputs: d_a, a vector with the
 * state's stride, and d_phi, one row. Each may be NULL. */
int nb_force_set_evaluate_state(const struct nb_force_set *set, struct nb_force_part part, const struct nb_state *s,
                                double G, double softening, void *d_a, void *d_phi);

/* ---- memory: force_memory.c ---- */

/* Returns the estimated device memory in bytes for a state of n bodies, `rows` additional rows of n elements, and the
 * working memory of the forces. */
double nb_force_set_bytes(const struct nb_force_set *set, enum nb_precision precision, int rows, uint64_t n);
/* Evaluates the forces that have `shaping` on a sample of the bodies. Later memory estimates use the number of nodes
 * and the length of the lists in this evaluation. The sample is every 2^k-th body, with the largest k for which the
 * sample has at least `least` bodies. nbsim passes NB_FORCE_SAMPLE as `least`. Does nothing if k is 0, or for groups of
 * devices. Returns -1 after nb_fail. */
#define NB_FORCE_SAMPLE ((uint64_t)1 << 21)
int nb_force_set_sample(struct nb_force_set *set, enum nb_precision precision, const struct nb_bodies *b,
                        double softening, uint64_t least);
/* Returns the largest n for which nb_force_set_bytes returns at most `bytes`. */
uint64_t nb_force_set_capacity(const struct nb_force_set *set, enum nb_precision precision, int rows, double bytes);
/* Checks that the memory estimated by nb_force_set_bytes is free on the device. Returns 0, or -1 after nb_fail with the
 * memory needed, the free memory, and the number of bodies that would fit. */
int nb_force_set_fits(const struct nb_force_set *set, enum nb_precision precision, int rows, uint64_t n);

#ifdef __cplusplus
}
#endif
