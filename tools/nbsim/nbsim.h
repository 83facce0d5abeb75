/* nbsim.h - the parts of nbsim: options, schedule of outputs, columns, output stream and the run. */
#pragma once

#include "common/tool.h"
#include "common/tool_forces.h"
#include "prepare/prepare.h"
#include "watch.h"

enum sim_time { SIM_UNTIL, SIM_EVERY, SIM_DT, SIM_TIMES };

struct sim_options {
    const char *input;
    struct nb_prepare_options run;
    double every; /* time between frames; 0: `every_steps` is used instead */
    /* dynamical[k]: true if option k (enum sim_time) is in dynamical times, until sim_options_convert converts it */
    bool dynamical[SIM_TIMES];
    uint64_t every_steps; /* steps between frames. If this and `every` are 0, only the first and the last frame are
                             written */
    int store;            /* type of the written values, enum nb_type; -1: f32 for single precision, otherwise f64 */
    double sample;        /* fraction of the bodies that is written (--sample); 1: all bodies */
    const char *kernel;   /* instruction set of the forces on the CPU; NULL: the best one that the CPU has */
    bool write_acc, write_phi, write_pressure, write_step, timings;
    double merge_radius;  /* > 0: stars that touch merge, and this is the radius of every star */
    bool merge_column;    /* stars that touch merge, and their radii are in the column 'radius' */
    double escape_radius; /* distance beyond which unbound stars leave; 0: no star leaves */
    bool binary_events;   /* record changes of hard binaries */
    double max_de;        /* largest allowed relative energy error (--max-de); infinite: no limit */
    bool max_de_given;
    const char *log;    /* file for a line per output: energy, step size, ... (--log); NULL: none */
    const char *events; /* file for events; NULL: none */
    /* name of the checkpoint files, without .0 and .1; NULL: no checkpoints */
    const char *checkpoint;
    double checkpoint_s;                      /* seconds between checkpoints; NAN: not given */
    bool list_forces, list_integrators, json; /* only print a list; json: in JSON */
    bool dry_run;                             /* --dry-run: estimate time and memory, write no output */
    bool append;                              /* add the stream to the output file */
    const char *resume;                       /* name of a checkpoint to resume from; NULL: none */
};

/* Parses the command line into *o. Dies with a usage error if it is invalid. Prints the lists of --list-forces and
 * --list-integrators and exits. */
void sim_options_parse(struct sim_options *o, int argc, char **argv);
/* Converts options in dynamical times to the time unit of the stream. Dies with a usage error if there are such options
 * but the header has no dynamical time. */
void sim_options_convert(struct sim_options *o, const struct nb_meta *meta);

/* When to write frames.
 * - The first frame is at the time `begin`.
 * - Then `count` outputs follow. Output k, 1 to count, is at the time origin + (index + k) * every. Between two outputs
 *   are `steps` steps of size `h`.
 * - If `begin` is not one of the times origin + j * every (j integer), the time from `begin` to output 1 is `first`,
 *   divided into `first_steps` steps of size `first_h`. If it is one of these times, `first` is 0.
 * - If the run does not end at an output, a last frame follows at `end`. The time from the last output to `end` is
 *   `last`, divided into `last_steps` steps of size `last_h`.
 * If the run goes backwards in time, `every`, `first`, `last` and the step sizes are negative. If the step size is not
 * fixed, the numbers of steps and the step sizes are 0. */
struct sim_schedule {
    double begin, first, every, last, end;
    double origin, index; /* index: largest integer that is at most (begin - origin) / every */
    nb_quad first_h, h, last_h;
    uint64_t count, first_steps, steps, last_steps;
};

/* Makes the schedule from the options and the input's header (time, output interval, time of the first output). Steps
 * of fixed size are at most dt (> 0) long. Dies with a usage error if the options contradict the input. */
struct sim_schedule sim_schedule_make(const struct sim_options *o, const struct nb_meta *meta, double dt);
/* Returns the time of output k, 1 to count: exactly origin + (index + k) * every. Returns `begin` if k is 0. */
double sim_schedule_time(const struct sim_schedule *s, uint64_t k);
/* The time between two successive frames, divided into `steps` steps of size `h`. If the step size is not fixed,
 * `steps` and `h` are 0. */
struct sim_interval {
    double begin, end;
    double span; /* signed length of the interval. More exact than end - begin, because these two times are rounded */
    uint64_t steps;
    nb_quad h;
};
struct sim_interval sim_schedule_interval(const struct sim_schedule *s, uint64_t k);
/* Return how many intervals, frames (including the first frame) and steps the schedule has. The number of steps is 0 if
 * the step size is not fixed. */
uint64_t sim_schedule_intervals(const struct sim_schedule *s);
uint64_t sim_schedule_frames(const struct sim_schedule *s);
uint64_t sim_schedule_steps(const struct sim_schedule *s);

struct run; /* see run.h */

/* Opens the run's forces again for the current number of bodies. */
void sim_forces_reopen(struct run *r, enum nb_precision precision);
/* Writes a description for people: "tree force (theta 0.75) and external:point,mass=1". */
void sim_forces_describe(const struct nb_force_set *set, char *text, size_t size);
/* Prints the list of all forces of this program and exits. */
noreturn void sim_forces_list(bool json);

/* Makes the columns of the output: mass, pos, vel and the columns that the options request. Removes input columns whose
 * values would be wrong after a step. Keeps unknown columns. In quad precision, adds columns pos_lo and vel_lo, which
 * contain the rounding errors of pos and vel. */
void sim_columns_lay_out(struct nb_bodies *b, const struct sim_options *o, enum nb_precision precision,
                         unsigned force_flags);
/* Returns the type of the values in the state. In quad precision a value is the sum of two numbers of this type. */
enum nb_type sim_type_of(enum nb_precision precision);
/* Returns an upper limit of the additional host memory, in bytes, that sim_columns_lay_out and the checks at the start
 * need. */
double sim_columns_bytes(const struct nb_bodies *b, const struct sim_options *o, enum nb_precision precision,
                         unsigned force_flags);
/* Copies the state into the columns of the frame, and the potentials into r->watch, which computes the energy. Needs
 * r->d_field, work memory on the device for sim_columns_field_rows values per body. */
void sim_columns_fetch(struct run *r);
/* Sets range[] to the shortest and the longest step of all bodies, from the column "step" if the frame has it,
 * otherwise from the integrator. */
void sim_steps_range(struct run *r, double range[2]);
/* Computes the potential of the forces that `part` selects (such as self-gravity) at all bodies, and copies it into *to
 * (host memory). d_field is device memory for one value per body. */
void sim_potential_fetch(struct nb_stepper *p, struct nb_force_part part, void *d_field, struct sim_potential *to);
/* Returns whether a run computes the column anew for each frame. */
bool sim_column_computed(const struct nb_column *c);
/* Pins (or with `pin` false, unpins) the memory of the computed columns, because copies from a GPU to pinned memory are
 * faster. Do not reallocate pinned columns. */
void sim_columns_pin(const struct nb_bodies *b, struct nb_device *device, bool pin);

/* The output stream. A separate thread writes the frame `b` while the run continues. From sim_frames_put to the next
 * sim_frames_wait the caller must not change `b`. All functions die on failure. If a value of the frame is not finite,
 * the stream ends before this frame and the tool dies. */
struct sim_frames;
struct sim_frames *sim_frames_open(const char *path, struct nb_bodies *b);
/* Opens the output stream to append frames to `output`. The file does not change if sim_frames_put is never called. */
struct sim_frames *sim_frames_append(struct tool_output *output, struct nb_bodies *b);
/* Opens FILE.part, the unfinished output of an interrupted run, to append frames to it. `path` is FILE. Keeps the first
 * `size` bytes of FILE.part, which contain `count` frames. marks[] is the index of these frames. */
struct sim_frames *sim_frames_resume(const char *path, struct nb_bodies *b, uint64_t size,
                                     const struct nb_snap_mark *marks, uint64_t count);
/* Limits the frames to a random sample, the fraction `share` of the bodies. `draw` selects one of several independent
 * samples (sample.h). The bodies must have ids. Must be called before the first sim_frames_put. Returns the number of
 * bodies in a frame. */
uint64_t sim_frames_thin(struct sim_frames *f, double share, uint64_t draw);
/* Returns the output file, for example to get its name or descriptor. */
const struct tool_output *sim_frames_output(const struct sim_frames *f);
void sim_frames_wait(struct sim_frames *f); /* waits until the frame is written, so that it may be changed */
void sim_frames_put(struct sim_frames *f);  /* starts to write the frame */
/* Keeps FILE.part even if a signal or an error ends the run, because a checkpoint refers to its frames. */
void sim_frames_keep(struct sim_frames *f);
void sim_frames_close(struct sim_frames *f);
/* Closes FILE.part without writing the stream's trailer (the index of the frames), so that a resumed run can append
 * frames to it. */
void sim_frames_leave(struct sim_frames *f);
/* Ends the stream of a failed run with a trailer and keeps FILE.part. Readers accept FILE.part then, and the run can be
 * resumed. If the run appended frames to an existing file, the exit handler removes these frames. */
void sim_frames_break_off(struct sim_frames *f);
/* Returns the number of frames passed to sim_frames_put so far, including the frames before the run was resumed. */
uint64_t sim_frames_count(const struct sim_frames *f);
/* sim_frames_is_part returns whether the output is written to FILE.part, which another run can continue (--resume).
 * sim_frames_file returns the absolute path of FILE, which the caller frees, or NULL if there is no FILE.part. */
bool sim_frames_is_part(const struct sim_frames *f);
char *sim_frames_file(const struct sim_frames *f);
/* Waits until `count` frames are written, then syncs FILE.part. Sets *marks to a copy of the index of these frames,
 * which the caller frees. Sets *size_bytes to the size of the stream with these frames only. Called by the thread that
 * writes checkpoints. Returns 0, or -1 after nb_fail. */
int sim_frames_index(struct sim_frames *f, uint64_t count, struct nb_snap_mark **marks, uint64_t *size_bytes);

/* ---- several processes of one run (ranks.c) ---- */

#define SIM_RANKS_GRACE_S 10 /* after a signal, the other ranks serve rank 0 for at least this time, seconds */

/* Connects the processes of the run, if there are several. Returns on rank 0 only. All other ranks serve rank 0 until
 * the run ends, and then exit. Must be called first. */
void sim_ranks_begin(void);
/* Opens the device `name` with nb_device_choose. If there are several ranks, each rank opens one device, and the
 * devices form a group. On failure, dies if the options are wrong, otherwise returns NULL after nb_fail. */
struct nb_device *sim_device_open(const struct sim_options *o, const char *name);

/* Executes the entire run: reads the input, advances the bodies and writes the frames. Returns the exit code. */
int sim_run(struct sim_options *o);
