/* run.h - the state of a run. setup.c prepares it, run.c advances it, checkpoint*.c save it. */
#pragma once

#include "base/pack.h"
#include "events.h"
#include "log.h"
#include "nbsim.h"
#include "threads.h"
#include "watch.h"

struct run_place {     /* position in the schedule of outputs */
    uint64_t interval; /* index of the current interval between frames */
    uint64_t done;     /* number of steps taken in the interval */
    nb_quad left;      /* simulated time left in the interval, negative for a run backwards; not used for fixed steps */
};

/* for two checks of runs with colliding disks (leaks.c): disks outside the box, and flows with too few disks */
struct sim_leaks {
    bool ready;
    bool walls;
    double stiffness, radius; /* stiffness of the walls; radius of the disks */
    double low[2], high[2]; /* lower and upper limits of the box in x and y, at sides closed by walls; else infinite */
    /* lower and upper limits of the box in x and y, at open sides; otherwise infinite. A disk beyond an open side is
     * not counted in `outside`, because it may have left through this side */
    double from[2], to[2];
    uint64_t outside; /* number of disks beyond closed sides of the box in the last frame */
    double density;   /* density of the flow; 0: no flow */
    bool warned_of_soft, warned_of_outside, warned_of_thin;
};

struct run {
    const struct sim_options *options;
    struct nb_bodies bodies; /* at the start the bodies of the input; then the frame to write */
    struct nb_force_set forces;
    struct nb_stepper stepper;
    unsigned want; /* what the forces must provide: NB_WANT_ bits */
    /* Work memory on the device for values that frames contain in addition to the state, such as potentials:
     * sim_columns_field_rows() values per body. NULL if there are no such values. */
    void *d_field;
    bool fixed_by_auto;  /* fixed steps were chosen because adaptive steps would be too slow */
    const char *dt_from; /* text that names the source of the fixed step size */
    struct sim_schedule schedule;
    struct run_place place;
    struct nb_control control; /* state of the control of adaptive step sizes */
    struct nb_bounded bounded; /* state of the control of step sizes that the forces or the scheme limit */
    bool warned_of_bound;      /* a warning was printed that the fixed steps are too long for the forces */
    struct sim_watch watch;    /* measurements of the energy and its error */
    struct sim_leaks leaks;
    struct sim_events events;
    struct sim_log *logs[SIM_LOGS]; /* open logs; NULL: the log is not written */
    struct sim_frames *frames;
    struct sim_checkpoints *checkpoints; /* NULL: none */
    bool first_is_there;                 /* the output already has the first frame */
    uint64_t first_step;                 /* step number in the input's header */
    uint64_t steps_done,                 /* number of all steps of the run so far */
        steps_before;                    /* number of the steps that were taken before the run was resumed */
    uint64_t burst;                      /* maximum number of steps in one call of the stepper */
    struct sim_threads threads;
    double begin_time;    /* simulated time at which this process began or resumed the run */
    double begin_s,       /* value of tool_clock at the end of the setup in this process */
        stepping_s;       /* seconds that this process used for steps, including waiting for the device */
    uint64_t evaluations; /* number of force evaluations in the steps of this process */
};

/* Data in a checkpoint about the run that made it. sim_record_free frees the strings. */
struct run_record {
    char *program;        /* version of nbsim and checksum of the program file */
    char *model, *driver; /* model and driver of the device */
    char *kernel;         /* instruction set of the forces on the CPU */
    char *device;         /* name of the device, as for --device */
    /* If the stream is written to FILE.part: absolute path of FILE. Otherwise "", and a resumed run starts a new
     * stream. */
    char *output;
    char *in_place;      /* absolute path of the output file (-o), without .part; "": stdout */
    char *log[SIM_LOGS]; /* paths of the logs, from sim_log_path */
    struct sim_log_mark log_mark[SIM_LOGS];
    bool overwrite;
    double checkpoint_s;
    uint64_t frames; /* number of frames in the stream so far */
};

/* Both return the current simulated time. `i` is the current interval, which sim_time_now finds itself. */
double sim_time_now(const struct run *r);
double sim_time_in(const struct run *r, const struct sim_interval *i);
/* Takes steps in the interval, but not more than `most`. Returns the number of steps taken, even if a step failed;
 * *status is then not 0. */
uint64_t sim_take_steps(struct run *r, const struct sim_interval *i, uint64_t most, int *status);

/* ---- failure.c ---- */

/* sim_check does nothing if status is 0. Otherwise it prints nb_error() and exits. After a call of sim_failures_end(r),
 * it calls sim_die_of_failure(r, false) instead of exiting directly. */
void sim_check(int status);
void sim_failures_end(struct run *r);
/* Ends a run that failed; the reason is in nb_error() and errno. The stream ends after the frames written so far.
 * - `of_state` true: the forces cannot be computed for the current state. The output is completed.
 * - `of_state` false: something else failed, for example the device. FILE.part is kept, so that it can be read and the
 *   run can be resumed. */
noreturn void sim_die_of_failure(struct run *r, bool of_state);

/* Returns the step size, never negative: the fixed step of the current interval, or the step that adaptive steps try
 * next. */
double sim_step_size(const struct run *r);

/* ---- setup.c ---- */

/* Prepares a run so that its first frame can be written: reads the input, opens the device and the forces, makes the
 * state and the schedule, and opens the output. Sets the options in `o` that the user did not give, such as the
 * integrator. */
void sim_setup(struct run *r, struct sim_options *o);
/* Prints the number of frames and bytes that the run will write. Dies if the disk has too little space. In space.c. */
void sim_check_space(const struct run *r);
/* Allocates r->d_field, device memory for values that frames contain in addition to the state, such as potentials. */
void sim_need_field(struct run *r);
/* Returns the number of values per body in r->d_field (see sim_need_field). The first case that is true counts:
 * - 3 if frames contain accelerations and a force depends on velocities;
 * - 1 if frames contain potentials or pressure, or if the energy is measured;
 * - 0 otherwise. */
int sim_columns_field_rows(const struct run *r);
/* ---- dry_run.c ---- */

/* Prints the memory and time of the run, estimated from the steps taken. frame_s: seconds that a frame takes. */
void sim_dry_run_say(const struct run *r, double frame_s);

/* ---- report.c ---- */

/* At the end of a run, prints the numbers of steps and force evaluations and the speed. Evaluations at the start and
 * the time for writing are not included. whole: false if a signal has ended the run; then prints only this fact.
 * goes_on: true if the run can be resumed. */
void sim_report(const struct run *r, bool whole, bool goes_on);
/* Prints tables of the timings of stages and of individual time steps, and ends the timing. */
void sim_report_timings(const struct run *r);

/* ---- sample.c ---- */

/* Warns if the input is itself a sample. With --sample, gives the bodies ids if they have none. */
void sim_sample_look(struct run *r);
/* Returns how many bytes of host memory the sample needs, for its mask and its columns. */
double sim_sample_bytes(const struct run *r);
/* Chooses the sample. Call it after the output is opened and before the first frame is written. */
void sim_sample_begin(struct run *r);
/* Opens the device and the forces, chooses the integration scheme and allocates the state, as the options say. If
 * `empty` is true, does not set the values of the state: they will be loaded from a checkpoint. */
void sim_choose(struct run *r, struct sim_options *o, bool empty);

/* ---- integrator.c ---- */

/* Chooses the integrator, tolerance, precision and theta from the bodies, unless the user gave them as options. Records
 * the chosen values in the history of the frame. Dies with a usage error if the options contradict each other. */
void sim_integrator_choose(struct run *r, struct sim_options *o);
/* Returns the step size, > 0: the value of --dt if given. Otherwise the step size in the input's header, or, if that is
 * missing or not suitable, a size computed from the bodies. Adaptive integrators try this size first. */
double sim_dt_choose(struct run *r);
/* Warns once if fixed steps are longer than the forces allow. Returns -1 after nb_fail. */
int sim_bound_look(struct run *r, double time);

/* ---- warnings.c ---- */

/* Before a run, prints a warning for each of these problems:
 * - There are so many fixed steps that the run takes very long.
 * - `--integrator auto` chose fixed steps and the softening is 0, so that the steps cannot follow close pairs.
 * - A step is longer than a twentieth of a pericentre passage.
 * - There are massless bodies, whose errors the energy error does not show.
 * - A binary is so hard that following it takes hours.
 * - Bodies with mass have no self-gravity. */
void sim_integrator_warn(struct run *r);

/* ---- criterion.c ---- */

/* sim_criterion_look (below) tests whether the fixed step of this run is short enough for each body.
 * sim_criterion_serves returns whether this test is possible. sim_criterion_of_orbits returns true if the test uses
 * orbits about heavy bodies, and false if it uses accelerations (watch.acc). */
bool sim_criterion_serves(const struct run *r);
bool sim_criterion_of_orbits(const struct run *r);
/* Warns once if steps are too long for a body. Call it right after the columns of the frame were fetched. */
void sim_criterion_look(struct run *r);

/* ---- leaks.c ---- */

/* Prints each of these warnings at most once:
 * - Walls are too soft for the fastest disk.
 * - Disks are outside the box, beyond a side that is closed by walls.
 * - The inlet of a flow has too few disks.
 * Call it right after the columns of the frame were fetched. */
void sim_leaks_look(struct run *r, double time);
/* If more than 1 % of the disks are outside the box in the last frame, prints their number and returns false. */
bool sim_leaks_judge(const struct run *r);

/* ---- checkpoint.c: checkpoints are copied to host memory between steps, and a separate thread writes them ---- */

/* With --checkpoint, checks the names of the checkpoint files of a new run. Creates no files. */
void sim_checkpoints_open(struct run *r);
/* Opens, locks and creates the checkpoint files that are not open yet. Call it before opening the output. */
void sim_checkpoints_claim(struct run *r);
/* Opens the checkpoint files of `name` and returns the contents of the newest checkpoint (sim_slots_read), which the
 * caller frees. */
unsigned char *sim_checkpoints_read(struct run *r, const char *name, size_t *size_bytes);
uint64_t sim_checkpoints_number(const struct run *r); /* number of the last checkpoint */
/* Removes the checkpoint files of a run that had already ended. */
void sim_checkpoints_remove(struct run *r);
/* Returns the number of bytes that the two checkpoint files need together. Call it after sim_checkpoints_ready. */
double sim_checkpoints_disk(const struct run *r);
/* Dies if an output of `bytes` bytes or the checkpoints do not fit on their disks. If both are on the same disk, tests
 * the sum. what: name of the output's contents, for the message. */
void sim_checkpoints_check_space(const struct run *r, double bytes, const char *what);
/* Allocates memory for the contents of a checkpoint, and starts the thread that writes checkpoints. Call it after all
 * other memory of the run is allocated. Dies if memory is too small. */
void sim_checkpoints_ready(struct run *r);
/* sim_checkpoint_take takes a checkpoint now. sim_checkpoint_if_due takes one only if it is due and the previous
 * checkpoint is written. */
void sim_checkpoint_take(struct run *r);
void sim_checkpoint_if_due(struct run *r);
/* Waits until the last checkpoint is written. */
void sim_checkpoints_wait(struct run *r);
/* Waits until the last checkpoint is written. Returns whether there is a checkpoint from which this run can be
 * resumed. */
bool sim_checkpoints_kept(struct run *r);
/* Dies if the output would be one of the checkpoint files. */
void sim_checkpoints_refuse_output(const struct run *r);
/* Closes the checkpoint files. Removes them if the run has ended. */
void sim_checkpoints_close(struct run *r, bool ended);

/* ---- checkpoint_pack.c: serialises the contents of a checkpoint (pack.h), in this order ---- */

/* Serialises the record, options, schedule, position in the schedule, step size control, energy watch and events. If a
 * checkpoint is loaded, the options are stored in *o, and remain valid after the checkpoint's data are freed. */
int sim_pack_run(struct run *r, struct sim_options *o, struct run_record *record, struct nb_pack *k);
/* Serialises the values of a frame's header, and the names and types of the columns. Does not serialise the columns'
 * data. When a checkpoint is loaded, load_columns in resume.c allocates the columns. */
int sim_pack_bodies(struct nb_bodies *b, struct nb_pack *k);
/* Returns whether a checkpoint contains the data of this column. A checkpoint contains the columns that the run does
 * not compute. Their data come after the data of sim_pack_bodies. Each column is padded to a multiple of 16 bytes. */
bool sim_pack_has(const struct nb_column *c);
/* Serialises the index of the frames written. In a checkpoint, this index comes after the data of nb_step_pack (stepper
 * and forces). */
int sim_pack_marks(struct nb_snap_mark **marks, uint64_t count, uint64_t *size_bytes, struct nb_pack *k);
/* Returns a record of this program, the device and the instruction set. The caller sets the other members. */
struct run_record sim_record_make(const struct run *r);
void sim_record_free(struct run_record *record);

/* ---- append.c ---- */

struct sim_last_frame { /* last frame of the file to which frames are appended */
    uint64_t n, step;
    double time;
};
/* Opens and locks the file for sim_frames_append. Dies if the file does not end with a complete stream. */
struct tool_output *sim_append_open(const char *path, struct sim_last_frame *last);
/* Dies if a file of an external field has changed since the input's frames were written. */
void sim_append_check_files(const struct run *r);
/* Returns whether the file already ends with the first frame of this run. If it does, prints a message: whether the old
 * and the new frames together are bitwise identical to the frames of one uninterrupted run. If there are no new frames,
 * exits with 0. */
bool sim_append_begin(const struct run *r, const struct sim_last_frame *last);

/* ---- resume.c ---- */

/* Prepares a run that resumes from a checkpoint; sim_setup prepares all other runs. Exits with 0 if the run had already
 * ended. */
void sim_resume(struct run *r, struct sim_options *o);
