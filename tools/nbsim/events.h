/* events.h - finds events: mergers and escapes of stars during steps, and changes of hard binaries from frame to frame.
 * The header of a frame contains the events since the previous frame, and the mass, energy and momenta that all events
 * removed (scene/events.h).
 *
 * merge.c finds pairs that touch and merges them, escape.c removes escaped stars, fewer.c makes a state of the
 * remaining bodies, and pairs.c compares the hard binaries of two frames. */
#pragma once

#include "base/pack.h"
#include "scene/events.h"
#include "step/step_touch.h"

struct run;
struct sim_options;
struct sim_interval;

struct sim_motion { /* positions, velocities and accelerations of all n bodies, in host memory: 3 n values each */
    double *x, *v, *a;
};

struct sim_binary {
    uint64_t id[2]; /* ids of the two stars, in ascending order */
    double energy;  /* binding energy */
};

struct sim_events {
    bool on;                      /* stars may merge or leave */
    double *mass, *radius;        /* mass and radius of each body; radius is NULL if stars do not merge */
    struct sim_motion begin, end; /* motion at the beginning and at the end of a step */
    struct nb_touch_watch watch;
    /* List of pairs that the search for contacts ignores in this step, because they come near but do not touch. While
     * merge.c computes the exact time of a contact, the list also contains the pair of this contact. */
    struct nb_touch *passed;
    int passed_count;
    /* serialised state at the beginning of the step, to which the run returns if two stars touch */
    unsigned char *saved;
    size_t saved_bytes;
    struct nb_event *list; /* events since the last frame */
    size_t count;
    struct sim_binary *pairs; /* hard binaries of the last frame */
    uint64_t pair_count;
    /* total mass, energy and momenta that events removed, in this run and in earlier runs (from the input's header) */
    struct nb_booked booked;
};

/* ---- events.c ---- */

/* Returns whether stars may merge. */
bool sim_events_merge(const struct sim_options *o);
/* Removes the lines of earlier events from the input's header. If the run can have events and the input has no ids,
 * numbers the bodies. Call it before other functions read the header. Dies if the lines of events are invalid. */
void sim_events_begin(struct run *r);
/* Dies with a usage error if the integrator or the forces do not support events. */
void sim_events_check(struct run *r);
/* Allocates the memory for events. Call it after the state of the run was made. */
void sim_events_ready(struct run *r);
/* Frees the memory of the events and clears *e. */
void sim_events_free(struct sim_events *e);
/* Adds an event, and adds `lost` to the totals in r->events.booked. */
void sim_events_add(struct run *r, const struct nb_event *event, const struct nb_booked *lost);
/* Writes the events since the last frame into the header of the next frame. */
void sim_events_note(struct run *r);
/* Serialises the events for a checkpoint. */
int sim_events_pack(struct sim_events *e, struct nb_pack *k);

/* ---- merge.c ---- */

/* Takes one step, and merges stars that touch during the step. `i` is the current interval between frames. Returns the
 * number of steps taken, 0 or 1. If the step failed, *status is not 0. */
uint64_t sim_merge_step(struct run *r, const struct sim_interval *i, int *status);

/* ---- escape.c ---- */

/* Removes stars that escape, if --escape-radius was given. time: the current time, stored in the events. */
void sim_escape_look(struct run *r, double time);

/* ---- pairs.c ---- */

/* With --binary-events, adds an event for each hard binary that formed, dissolved or exchanged a star since the
 * previous frame. r->bodies must be up to date. For the first frame of a run (`first`), only stores the binaries, for
 * comparison with the next frame. */
void sim_pairs_look(struct run *r, double time, bool first);
/* Serialises the hard binaries of the last frame. Returns -1 after nb_fail. */
int sim_pairs_pack(struct sim_events *e, struct nb_pack *k);

/* ---- fewer.c ---- */

struct sim_star { /* a body and its new values */
    uint64_t body;
    double mass, radius, x[3], v[3];
};

/* Copies positions and velocities to host memory, and also accelerations if `a` is true. */
void sim_motion_fetch(struct run *r, const struct sim_motion *to, bool a);
/* Returns the softened potential of all bodies except i and j at the point x. all_x: positions of all bodies. */
double sim_potential_at(const struct run *r, const double *all_x, const double x[3], uint64_t i, uint64_t j);
/* Sets phi[] to the potentials of the external fields at bodies i and j, or to 0 without external fields. */
void sim_potential_external(struct run *r, uint64_t i, uint64_t j, double phi[2]);
/* Removes `count` bodies from the run. `gone`: their indices in ascending order. `changed`: new values of one remaining
 * body; NULL: none. Waits until frames and checkpoints are written. Restarts the integrator. */
void sim_fewer(struct run *r, const uint64_t *gone, uint64_t count, const struct sim_star *changed);
