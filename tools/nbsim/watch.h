/* watch.h - measures the total energy of a run and logs it. If the forces of the run conserve the energy, a large
 * energy error ends the run.
 * - The energy is measured at every output, and rarely between outputs (this takes about one percent of the run time).
 * - The file of --log has a line for each output only.
 * - The run's forces compute the potential, on the run's device and in its precision. lib/measure computes the energy
 *   from it. */
#pragma once

#include "base/pack.h"
#include "common/tool.h"
#include "measure/measure.h"

struct run;
struct sim_options;

struct sim_potential {     /* potentials of all bodies by a set of forces, in host memory */
    struct nb_column high, /* values; high.data is NULL if they are not computed */
        low;               /* in quad precision: rounding errors of the values */
};

struct sim_watch {
    bool on;            /* energies are measured */
    bool judges;        /* a large error may end the run */
    bool begun;         /* the first energy is known */
    bool warned,        /* a warning about a large error was printed */
        beyond;         /* an error above --max-de was measured */
    bool warned_of_own; /* a warning was printed that the error is large compared with the energy of self-gravity */
    struct nb_energies first;
    double energy, error; /* last measured energy and its relative error */
    double potential;     /* absolute value of the potential energy of self-gravity at the last measurement */
    uint64_t between;     /* number of steps between measurements; 0: measurements at outputs only */
    uint64_t looked_at;   /* number of the run's steps before the last measurement */
    int excesses;         /* number of successive measurements with an error above --max-de */
    struct sim_potential own, external;
    struct nb_column vel, vel_low; /* copies of the velocities, for measurements between outputs */
    bool judges_steps;             /* true: criterion.c tests whether fixed steps are short enough for each body */
    bool warned_of_steps;
    struct nb_column acc; /* accelerations by self-gravity, if criterion.c needs them; if not, acc.data is NULL */
};

/* Decides whether the energy is measured. Call it after the device is opened and before the forces are opened. Dies
 * (usage) if --log is given to a resumed run that has not recorded its initial energy. */
void sim_watch_choose(struct run *r);
/* Turns off the test of the energy error if a force does not conserve the energy. The energy is then measured for --log
 * only. Call it after the forces are opened. */
void sim_watch_check(struct run *r);
/* Stops measuring the energy if memory is short, unless --log or --max-de was given. Returns true if it stops. */
bool sim_watch_give_up(struct run *r);
/* Returns the bytes of host memory that the watch needs, in addition to the memory of frames. */
double sim_watch_bytes(const struct run *r, enum nb_precision precision);
/* Returns how many values per body criterion.c stores in device memory at an output: 3 (acceleration by self-gravity),
 * or 0 if the stepper already has these accelerations or criterion.c is not used. */
int sim_watch_rows(const struct run *r);
/* Allocates the memory of the watch. */
void sim_watch_ready(struct run *r);

/* Measures the energy of a frame, at the beginning or at an output. Call it right after the columns of the frame were
 * fetched. With `log`, writes a line of --log. */
void sim_watch_frame(struct run *r, bool log);
/* sim_watch_steps returns the number of steps to the next measurement between outputs. sim_watch_look measures the
 * energy if such a measurement is due. */
uint64_t sim_watch_steps(const struct run *r);
void sim_watch_look(struct run *r);

#define SIM_ERROR_TEXT 96
/* Returns "energy error 1e-9" and the text of nb_measure_energy_divisor, or "" if the error is unknown. */
const char *sim_watch_text(const struct run *r, char text[SIM_ERROR_TEXT]);
#define SIM_PAIR_TEXT 160
/* If steps of size `step` are too long for the closest pair of the frame, returns "; bodies 3 and 17 are 1e-5 apart,
 * ...". Otherwise returns "". An infinite `step` is too long for any pair. Always returns "" if gravity is softened or
 * bodies do not attract each other. */
const char *sim_watch_pair(const struct run *r, double step, char text[SIM_PAIR_TEXT]);
/* Frees the memory of the watch. If an energy error was above --max-de, prints this error. */
void sim_watch_close(struct run *r);
/* If an integrator that adapts its steps to close pairs supports this run, returns ", or --integrator " and its name,
 * as advice to the user. Otherwise returns "". */
const char *sim_own_steps_advice(const struct run *r);
/* Serialises the watch for a checkpoint. */
int sim_watch_pack(struct sim_watch *w, struct nb_pack *k);
