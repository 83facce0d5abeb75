/* nbsim.h - the parts of nbsim: what was asked for, when to write, the run. */
#pragma once

#include "common/tool.h"
#include "common/tool_forces.h"
#include "prepare/prepare.h"
#include "watch.h"

enum sim_time { SIM_UNTIL, SIM_EVERY, SIM_DT, SIM_TIMES };

struct sim_options {
    const char *input;
    struct nb_prepare_options run;
    double every;              /* 0: only the first and the last frame, or: */
    bool dynamical[SIM_TIMES]; /* these are in dynamical times, until sim_options_convert */
    uint64_t every_steps;      /* a frame each so many steps; 0: not given */
    int store;                 /* enum nb_type, or -1: f32 for single, else f64 */
    double sample;             /* share of the bodies that are written */
    const char *kernel;        /* NULL: the best */
    bool write_acc, write_phi, write_pressure, write_step, timings;
    double merge_radius;  /* of every star: two that touch become one; 0: none do */
    bool merge_column;    /* each has that of the column */
    double escape_radius; /* beyond which unbound stars leave; 0: none do */
    bool binary_events;   /* frames have those of hard binaries */
    double max_de;        /* of the energy's error; infinite: none */
    bool max_de_given;
    const char *log;                          /* where the energy is written to; NULL: nowhere */
    const char *events;                       /* the same of stars that merged or left */
    const char *checkpoint;                   /* name of the files; NULL: none */
    double checkpoint_s;                      /* seconds from one to the next; NAN: not given */
    bool list_forces, list_integrators, json; /* what to print in place of a run */
    bool dry_run;                             /* nothing is written */
    bool append;                              /* the stream goes behind what is in the output */
    const char *resume;                       /* name of a checkpoint to go on from; NULL: none */
};

void sim_options_parse(struct sim_options *o, int argc, char **argv);
/* Makes dynamical times times of the stream; dies (usage) where the header has none. */
void sim_options_convert(struct sim_options *o, const struct nb_meta *meta);

/* When to write: at the beginning; `count` outputs on the grid origin + k every, `steps` steps of `h` from each to the
 * next; then one more after `last_steps` steps of `last_h`, a distance `last` on, where the end is not an output
 * already. Where the beginning lies off the grid, the first output is `first_steps` steps of `first_h` away, a distance
 * `first`; else that is 0. Times are absolute; every h and distance has the direction's sign. Steps that are not fixed
 * have neither steps nor h. */
struct sim_schedule {
    double begin, first, every, last, end;
    double origin, index; /* point `index` of the grid, a whole number, is the beginning or the last before it */
    nb_quad first_h, h, last_h;
    uint64_t count, first_steps, steps, last_steps;
};

/* From the options, the input's time and grid, and a positive dt; dies (usage) on what cannot be. */
struct sim_schedule sim_schedule_make(const struct sim_options *o, const struct nb_meta *meta, double dt);
/* Time of output k = 0 (the beginning) .. count, exactly origin + (index + k) every. */
double sim_schedule_time(const struct sim_schedule *s, uint64_t k);
/* An interval between two outputs, or from the last one to the end: k = 0 .. sim_schedule_intervals - 1. Steps that are
 * not fixed have neither steps nor h. */
struct sim_interval {
    double begin, end;
    double span; /* of the direction's sign; begin and end are rounded */
    uint64_t steps;
    nb_quad h;
};
struct sim_interval sim_schedule_interval(const struct sim_schedule *s, uint64_t k);
uint64_t sim_schedule_intervals(const struct sim_schedule *s);
uint64_t sim_schedule_frames(const struct sim_schedule *s);
uint64_t sim_schedule_steps(const struct sim_schedule *s);

struct run; /* run.h */

/* Opens the run's forces anew, for fewer bodies. */
void sim_forces_reopen(struct run *r, enum nb_precision precision);
/* For people: "tree force (theta 0.75) and external:point,mass=1". */
void sim_forces_describe(const struct nb_force_set *set, char *text, size_t size);
/* Prints what is compiled in, and exits. */
noreturn void sim_forces_list(bool json);

/* The output's columns: mass, pos, vel and what the options ask for; what the run makes untrue goes, everything unknown
 * stays. In quad, pos_lo and vel_lo have what pos and vel round away. */
void sim_columns_lay_out(struct nb_bodies *b, const struct sim_options *o, enum nb_precision precision,
                         unsigned force_flags);
/* The type that holds a number of the state, but for quad's low parts. */
enum nb_type sim_type_of(enum nb_precision precision);
/* Host memory that laying out takes beyond the input's columns, at most; and that looking at the start does. */
double sim_columns_bytes(const struct nb_bodies *b, const struct sim_options *o, enum nb_precision precision,
                         unsigned force_flags);
/* The state into the columns, and potentials to where the energy is watched; `d_field` has
 * sim_columns_field_rows rows. */
void sim_columns_fetch(struct run *r);
/* The shortest and the longest step of a body, of the column "step" where the frame has it. */
void sim_steps_range(struct run *r, double range[2]);
/* Computes a potential with the help of a vector, and fetches it. */
void sim_potential_fetch(struct nb_stepper *p, struct nb_force_part part, void *d_field, struct sim_potential *to);
/* Whether a run computes it, for each frame anew. */
bool sim_column_computed(const struct nb_column *c);
/* Makes fetches faster until they are unpinned; the columns' memory stays where it is meanwhile. */
void sim_columns_pin(const struct nb_bodies *b, struct nb_device *device, bool pin);

/* The output stream: frames are written by a thread of their own while the run goes on. `b` is the frame, which
 * belongs to the thread from put to the next wait. All die on failure; a state that is no longer finite ends the stream
 * before it, whole, and dies. */
struct sim_frames;
struct sim_frames *sim_frames_open(const char *path, struct nb_bodies *b);
/* The same behind what is in a file. Where no frame is put, the file stays as it is. */
struct sim_frames *sim_frames_append(struct tool_output *output, struct nb_bodies *b);
/* Goes on with the FILE.part of a run that was cut: with its first `count` frames, by marks, of `size` bytes. */
struct sim_frames *sim_frames_resume(const char *path, struct nb_bodies *b, uint64_t size,
                                     const struct nb_snap_mark *marks, uint64_t count);
/* From now on frames have this share of the bodies, which have ids (sample.h). Before the first is put; returns how
 * many that are. */
uint64_t sim_frames_thin(struct sim_frames *f, double share, uint64_t draw);
const struct tool_output *sim_frames_output(const struct sim_frames *f);
void sim_frames_wait(struct sim_frames *f); /* until b may be changed */
void sim_frames_put(struct sim_frames *f);  /* b is to be written */
/* What was put stays, however the run ends: a checkpoint needs it. */
void sim_frames_keep(struct sim_frames *f);
void sim_frames_close(struct sim_frames *f);
/* Ends without a trailer, so that FILE.part can be gone on with. */
void sim_frames_leave(struct sim_frames *f);
/* The run has failed: the frames so far are written and get a trailer, and FILE.part stays, so that it can be read, and
 * gone on with. What was added to a file is the exit's to cut. */
void sim_frames_break_off(struct sim_frames *f);
/* Frames put so far, those of a run that was gone on from too. */
uint64_t sim_frames_count(const struct sim_frames *f);
/* Can another run go on with it: is it a FILE.part? And FILE, as an absolute path behind links, to be freed; NULL: it
 * is not.
 */
bool sim_frames_is_part(const struct sim_frames *f);
char *sim_frames_file(const struct sim_frames *f);
/* For another thread: waits until `count` frames are written, and copies their index, to be freed, and the bytes up to
 * their end; syncs the file where there is one. -1 after nb_fail. */
int sim_frames_index(struct sim_frames *f, uint64_t count, struct nb_snap_mark **marks, uint64_t *size_bytes);

/* ---- ranks.c: several processes of one run ---- */

#define SIM_RANKS_GRACE_S 10 /* for which another rank serves on behind a signal, at least */

/* First of all: where there are several, joins them. Returns on rank 0 alone, and where there are none. */
void sim_ranks_begin(void);
/* nb_device_choose, of a device on each rank where there are several. */
struct nb_device *sim_device_open(const struct sim_options *o, const char *name);

/* Reads, advances, writes; returns the exit code. */
int sim_run(struct sim_options *o);
