/* run.h - a run under way, and its parts: setup.c makes it ready, run.c advances it, checkpoint*.c keep it safe. */
#pragma once

#include "base/pack.h"
#include "events.h"
#include "log.h"
#include "nbsim.h"
#include "threads.h"
#include "watch.h"

struct run_place {     /* in the schedule */
    uint64_t interval; /* that the run is in */
    uint64_t done;     /* steps taken there */
    nb_quad left;      /* of it, of the direction's sign; steps that are not fixed */
};

struct sim_leaks { /* disks that go through walls, and those that a flow has too few of */
    bool ready;
    bool walls;               /* there are any, and: */
    double stiffness, radius; /* of the disks */
    double low[2], high[2];   /* sides of the box that walls close; infinite: others */
    double from[2], to[2];    /* where a disk may be behind them that did not come by an open side */
    uint64_t outside;         /* disks behind them in the last frame */
    double density;           /* of the flow; 0: there is none */
    bool warned_of_soft, warned_of_outside, warned_of_thin;
};

struct run {
    const struct sim_options *options;
    struct nb_bodies bodies; /* the input; its columns become the output's */
    struct nb_force_set forces;
    struct nb_stepper stepper;
    unsigned want;       /* of the forces: NB_WANT_ bits */
    void *d_field;       /* sim_columns_field_rows rows for fields that are written but not of the run; NULL: none */
    bool fixed_by_auto;  /* steps are of a fixed size because nothing better can be afforded */
    const char *dt_from; /* what says the size of fixed steps, in words */
    struct sim_schedule schedule;
    struct run_place place;
    struct nb_control control; /* of adaptive steps */
    struct nb_bounded bounded; /* of those that forces bound */
    bool warned_of_bound;      /* which the fixed steps are longer than */
    struct sim_watch watch;    /* of the energy */
    struct sim_leaks leaks;
    struct sim_events events;
    struct sim_log *logs[SIM_LOGS]; /* NULL: none is written */
    struct sim_frames *frames;
    struct sim_checkpoints *checkpoints; /* NULL: none are made */
    bool first_is_there;                 /* the output has the first frame already */
    uint64_t first_step;                 /* the input's count of steps */
    uint64_t steps_done, steps_before;   /* of the run; by those that it goes on from */
    uint64_t burst;                      /* steps that are taken at once */
    struct sim_threads threads;
    double begin_time;          /* that this program begins at */
    double begin_s, stepping_s; /* when the run began; what its steps have taken, the device waited for */
    uint64_t evaluations;       /* in these steps */
};

/* What a checkpoint says of the run that made it; strings are owned. */
struct run_record {
    char *program;        /* version and build */
    char *model, *driver; /* of the device */
    char *kernel;         /* instruction set of the CPU's forces */
    char *device;         /* as --device takes it */
    char *output;         /* FILE of a FILE.part, an absolute path; "": it has to begin a stream of its own */
    char *in_place;       /* the -o of such a run; "": stdout */
    char *log[SIM_LOGS];  /* of sim_log_path */
    struct sim_log_mark log_mark[SIM_LOGS];
    bool overwrite;
    double checkpoint_s;
    uint64_t frames; /* in the stream so far */
};

/* Where the run is; in that interval. */
double sim_time_now(const struct run *r);
double sim_time_in(const struct run *r, const struct sim_interval *i);
/* Takes at most so many steps in the interval; returns how many were taken, also if one failed. */
uint64_t sim_take_steps(struct run *r, const struct sim_interval *i, uint64_t most, int *status);

/* ---- failure.c ---- */

/* Dies with nb_error() where status is not 0, of the run of sim_failures_end as sim_die_of_failure does. */
void sim_check(int status);
void sim_failures_end(struct run *r);
/* With nb_error and errno. The device has failed, or what else is not the input's doing: the frames so far get a
 * trailer, FILE.part stays, to be read and gone on with. `of_state`: forces cannot go on from the state as it is, and
 * FILE ends whole before it. */
noreturn void sim_die_of_failure(struct run *r, bool of_state);

/* Size of the steps: fixed ones those to or from the last output, adaptive ones that to try next; positive. */
double sim_step_size(const struct run *r);

/* ---- setup.c ---- */

/* Everything up to the first frame: input, device, forces, state, schedule, output; `o` are the run's options, of which
 * those that leave the integrator open are decided. */
void sim_setup(struct run *r, struct sim_options *o);
/* Says what the run will write, and dies where a disk cannot hold it: space.c. */
void sim_check_space(const struct run *r);
/* Memory on the device for what frames have besides the state. */
void sim_need_field(struct run *r);
/* Rows of the device that fields of outputs need: 3 for accelerations, 1 for potentials. */
int sim_columns_field_rows(const struct run *r);
/* ---- dry_run.c ---- */

/* Memory and time of the run, of which some steps were taken; frame_s: what a frame takes. */
void sim_dry_run_say(const struct run *r, double frame_s);

/* ---- sample.c ---- */

/* Warns of an input that is a sample itself, and gives bodies that are to be sampled ids. */
void sim_sample_look(struct run *r);
/* Host memory for the sample: which bodies are in it, and their columns. */
double sim_sample_bytes(const struct run *r);
/* Chooses the sample, once the frames' output is open and before the first is put. */
void sim_sample_begin(struct run *r);
/* Device, forces, scheme and memory, as the options say; the state without values where `empty`. */
void sim_choose(struct run *r, struct sim_options *o, bool empty);

/* ---- integrator.c ---- */

/* Decides on integrator, tolerance and precision where the options leave them open, by the bodies that were read, and
 * records them. Dies (usage) on what cannot be. */
void sim_integrator_choose(struct run *r, struct sim_options *o);
/* The step asked for, the header's, or one from the bodies themselves; positive. The first to try of adaptive ones. */
double sim_dt_choose(struct run *r);
/* Warns once of fixed steps that are longer than that. -1 after nb_fail. */
int sim_bound_look(struct run *r, double time);

/* ---- warnings.c ---- */

/* Warns of fixed steps that are more than anyone waits for, or were nobody's choice and cannot follow close pairs, of
 * bodies whose steps the energy cannot judge, of binaries that take hours, of short pericentre passages, and of bodies
 * without self-gravity. */
void sim_integrator_warn(struct run *r);

/* ---- criterion.c ---- */

/* Are the run's steps judged by a criterion for each body? By orbits about heavy bodies, or else by the accelerations
 * (watch.acc)? */
bool sim_criterion_serves(const struct run *r);
bool sim_criterion_of_orbits(const struct run *r);
/* Of the frame whose columns have just been fetched: warns once of steps that are too long for a body. */
void sim_criterion_look(struct run *r);

/* ---- leaks.c ---- */

/* Of the frame whose columns have just been fetched: warns once of walls that do not hold the fastest disk, once of
 * disks outside of a box, behind a side that walls close from end to end, and once of a flow whose inlet has too few.
 */
void sim_leaks_look(struct run *r, double time);
/* Are there next to none in the last frame? Else says how many. */
bool sim_leaks_judge(const struct run *r);

/* ---- checkpoint.c: checkpoints are copied to host memory between steps, and written by a thread of their own ---- */

/* Checks the names for checkpoints of a new run, where the options ask for them; makes no files. */
void sim_checkpoints_open(struct run *r);
/* Opens, locks and makes the files that are not open yet, before the output. */
void sim_checkpoints_claim(struct run *r);
/* Opens them to go on from the newest one, which is read (sim_slots_read). */
unsigned char *sim_checkpoints_read(struct run *r, const char *name, size_t *size_bytes);
uint64_t sim_checkpoints_number(const struct run *r); /* of the last one */
/* Removes the files of a run that had ended. */
void sim_checkpoints_remove(struct run *r);
/* What both files will take, bytes, once they are ready. */
double sim_checkpoints_disk(const struct run *r);
/* Dies where an output of so many bytes or the checkpoints do not fit their disks; both together where it is one. */
void sim_checkpoints_check_space(const struct run *r, double bytes, const char *what);
/* Gets memory and thread ready, once the run's own memory is there; dies where memory or disk are too small. */
void sim_checkpoints_ready(struct run *r);
/* One now, or one if it is time and the last one is written. */
void sim_checkpoint_take(struct run *r);
void sim_checkpoint_if_due(struct run *r);
/* Until the last one is written. */
void sim_checkpoints_wait(struct run *r);
/* Waits too: is there one that this run can go on from? */
bool sim_checkpoints_kept(struct run *r);
/* Dies where the output would be one of the files. */
void sim_checkpoints_refuse_output(const struct run *r);
/* Closes the files, and removes them where the run has come to its end. */
void sim_checkpoints_close(struct run *r, bool ended);

/* ---- checkpoint_pack.c: what a checkpoint holds (pack.h), in this order ---- */

/* Who made it, with what options, and where in the schedule it is; options that are loaded go into *o and live on. */
int sim_pack_run(struct run *r, struct sim_options *o, struct run_record *record, struct nb_pack *k);
/* The header's values and the columns' layout; loaded, with memory for the columns. */
int sim_pack_bodies(struct nb_bodies *b, struct nb_pack *k);
/* The data of columns that a run does not compute lie between, one after the other, each padded to 16 bytes. */
bool sim_pack_has(const struct nb_column *c);
/* Then stepper and forces (nb_step_pack), and the index of the frames that are written. */
int sim_pack_marks(struct nb_snap_mark **marks, uint64_t count, uint64_t *size_bytes, struct nb_pack *k);
/* Of this program and device. */
struct run_record sim_record_make(const struct run *r);
void sim_record_free(struct run_record *record);

/* ---- append.c ---- */

struct sim_last_frame { /* of the file that is added to */
    uint64_t n, step;
    double time;
};
/* Locks the file, for sim_frames_append. Dies where it is not one that a stream can be added to. */
struct tool_output *sim_append_open(const char *path, struct sim_last_frame *last);
/* Refuses to add frames whose fields read a file that has changed since the input's frames were written. */
void sim_append_check_files(const struct run *r);
/* Says whether the bits are those of a run in one piece; true where the first frame is the file's last. Ends the tool
 * where that is all there is. */
bool sim_append_begin(const struct run *r, const struct sim_last_frame *last);

/* ---- resume.c ---- */

/* In place of sim_setup: goes on from a checkpoint. Ends the program where the run had ended already. */
void sim_resume(struct run *r, struct sim_options *o);
