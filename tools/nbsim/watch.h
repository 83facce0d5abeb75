/* watch.h - measures the total energy of a run and logs it. If the forces of the run conserve the energy, a large
 * energy error ends the run.
 * - The energy is measured at every output, and rarely between outputs (this takes about one percent of the run time).
 * - The file of --log has a line for each output only.
 * - The potential is computed with the forces, the device and the precision of the run. lib/measure computes the energy
 *   from the potential. */
#pragma once

#include "base/pack.h"
#include "common/tool.h"
#include "measure/measure.h"

struct run;
struct sim_options;

struct sim_potential {     /* potentials at all bodies, caused by a set of forces; in host memory */
    struct nb_column high, /* values; high.data is NULL if they are not computed */
        low;               /* in quad precision: the low parts (potential = high + low) */
};

struct sim_watch {
    bool on;            /* true: energies are measured */
    bool judges;        /* true: a large energy error may end the run */
    bool begun;         /* true: the first energy is known */
    bool warned,        /* a warning about a large energy error was printed */
        beyond;         /* an energy error above --max-de was measured */
    bool warned_of_own; /* a warning was printed: the energy error is large compared with the energy of self-gravity */
    struct nb_energies first;
    double energy, error; /* last measured energy and its relative error */
    double potential;     /* absolute value of the potential energy of self-gravity at the last measurement */
    uint64_t between;     /* number of steps between measurements of the energy; 0: measurements at outputs only */
    uint64_t looked_at;   /* number of steps that the run had done at the last measurement */
    int excesses;         /* number of successive measurements between outputs with an error above --max-de */
    struct sim_potential own, external;
    struct nb_column vel, vel_low; /* copies of the velocities, for measurements between outputs */
    bool judges_steps;             /* true: criterion.c tests whether fixed steps are short enough for each body */
    bool warned_of_steps;
    struct nb_column acc; /* accelerations by self-gravity, if criterion.c needs them; if not, acc.data is NULL */
};

/* Decides whether the energy is measured. Call it after the device is opened and before the forces are opened. Dies
 * with a usage error if --log is given to a resumed run that has not recorded its initial energy. */
void sim_watch_choose(struct run *r);
/* Turns off the test of the energy error if a force does not conserve the energy. In this case the energy is measured
 * only for --log. Call it after the forces are opened. */
void sim_watch_check(struct run *r);
/* Stops measuring the energy if memory is short, unless --log or --max-de was given. Returns true if it stops. */
bool sim_watch_give_up(struct run *r);
/* Returns the bytes of host memory that the watch needs, in addition to the memory of frames. */
double sim_watch_bytes(const struct run *r, enum nb_precision precision);
/* Returns the number of values per body that criterion.c stores in device memory at an output: 3, for the acceleration
 * by self-gravity. Returns 0 if criterion.c is not used, or if the stepper already stores this acceleration. */
int sim_watch_rows(const struct run *r);
/* Allocates the memory of the watch. */
void sim_watch_ready(struct run *r);

/* Measures the energy of the first frame, or of an output. Call it directly after the columns of the frame were
 * fetched. With `log`, writes a line of --log. */
void sim_watch_frame(struct run *r, bool log);
/* sim_watch_steps returns the number of steps to the next measurement of the energy between outputs. sim_watch_look
 * makes this measurement if it is due. */
uint64_t sim_watch_steps(const struct run *r);
void sim_watch_look(struct run *r);

#define SIM_ERROR_TEXT 96
/* Returns a text like "energy error 1e-9". If the error is not relative to |E0| (E0: energy of the first frame), the
 * text also names the divisor. Returns "" if the error is unknown. */
const char *sim_watch_text(const struct run *r, char text[SIM_ERROR_TEXT]);
#define SIM_PAIR_TEXT 160
/* If steps of size `step` are too long for the closest pair of bodies in the frame, returns a text that names the pair.
 * If `step` is INFINITY, always names the pair. Returns "" if the steps are short enough, if gravity is softened, or if
 * bodies do not attract each other. */
const char *sim_watch_pair(const struct run *r, double step, char text[SIM_PAIR_TEXT]);
/* Frees the memory of the watch. If the energy error has exceeded --max-de, prints its last value and advice. */
void sim_watch_close(struct run *r);
/* Returns advice for the user: the option --integrator with an integrator that adapts its steps to close pairs. Returns
 * "" if no such integrator supports this run. */
const char *sim_own_steps_advice(const struct run *r);
/* Serialises the watch for a checkpoint. */
int sim_watch_pack(struct sim_watch *w, struct nb_pack *k);
