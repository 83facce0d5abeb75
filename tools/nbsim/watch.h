/* watch.h - the energy of a run, which its forces conserve: followed while the run goes on, logged, and a reason to
 * end.
 *
 * It is looked at in every output, and between outputs too after so many steps that this takes about a hundredth of
 * their time (--log shows outputs alone). Its potential is the sum of the run's own forces, on the device of the run,
 * in the run's precision; sums and error are lib/measure's. */
#pragma once

#include "base/pack.h"
#include "common/tool.h"
#include "measure/measure.h"

struct run;
struct sim_options;

struct sim_potential {          /* of all bodies in some of the forces, in host memory; data NULL: not kept */
    struct nb_column high, low; /* low: what high rounds away, in quad precision */
};

struct sim_watch {
    bool on;             /* energies are computed */
    bool judges;         /* and their error may end the run */
    bool begun;          /* the first is known */
    bool warned, beyond; /* of an error that is too large; it is more than --max-de */
    bool warned_of_own;  /* of one that hides the bodies' energy among themselves */
    struct nb_energies first;
    double energy, error; /* at the last look */
    double potential;     /* of the bodies among themselves then, without its sign */
    uint64_t between;     /* steps from one look to the next where there is no output; 0: none */
    uint64_t looked_at;   /* steps of the run at the last look */
    int excesses;         /* looks in a row with an error beyond the limit */
    struct sim_potential own, external;
    struct nb_column vel, vel_low; /* the velocities, between outputs */
    bool judges_steps;             /* of a fixed size, by a criterion for each body (criterion.c) */
    bool warned_of_steps;
    struct nb_column acc; /* by the bodies on each other, where the criterion asks for it */
};

/* Decides, for an opened device and before the forces, whether the energy is followed; says why not where it cannot. */
void sim_watch_choose(struct run *r);
/* The same when the forces are known. */
void sim_watch_check(struct run *r);
/* It does not fit into memory: off, unless the options ask for it. Was it given up? */
bool sim_watch_give_up(struct run *r);
/* Host memory that it takes, bytes; that of frames comes beside it. */
double sim_watch_bytes(const struct run *r, enum nb_precision precision);
/* Rows of the device that judging the steps takes while an output is made: accelerations that the run does not have. */
int sim_watch_rows(const struct run *r);
/* Gets memory ready. */
void sim_watch_ready(struct run *r);

/* The energy of the frame whose columns have just been fetched, at its beginning or in an output: `log` writes a line.
 */
void sim_watch_frame(struct run *r, bool log);
/* Steps until the next look between outputs, and that look where it is due. */
uint64_t sim_watch_steps(const struct run *r);
void sim_watch_look(struct run *r);

/* "energy error 1e-9" with its divisor if that is not |E0|, or "" if it is not known. */
#define SIM_ERROR_TEXT 96
const char *sim_watch_text(const struct run *r, char text[SIM_ERROR_TEXT]);
/* "; bodies 3 and 17 are 1e-5 apart, where the steps cannot follow them" of the frame's closest pair, where nothing
 * softens its force and steps of this size, infinite for any, are too long for it; else "". */
#define SIM_PAIR_TEXT 160
const char *sim_watch_pair(const struct run *r, double step, char text[SIM_PAIR_TEXT]);
/* Frees memory, and says where the error was beyond the limit. */
void sim_watch_close(struct run *r);
/* ", or --integrator NAME" of a scheme with steps of each body's own that can serve the run; else "". */
const char *sim_own_steps_advice(const struct run *r);
/* What a run that goes on has to know (pack.h). */
int sim_watch_pack(struct sim_watch *w, struct nb_pack *k);
