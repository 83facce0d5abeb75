/* events.h - stars that merge or leave, and binaries: looked for after each step, noted in the next frame's header
 * (scene/events.h), with what they take from the sums.
 *
 * merge.c finds pairs that touch and makes them one, escape.c lets stars go, fewer.c makes a state of those that are
 * left. pairs.c compares the hard binaries of two frames. */
#pragma once

#include "base/pack.h"
#include "scene/events.h"
#include "step/step_touch.h"

struct run;
struct sim_options;
struct sim_interval;

struct sim_motion { /* of all bodies, host memory: 3 n values each */
    double *x, *v, *a;
};

struct sim_binary {
    uint64_t id[2]; /* rising */
    double energy;  /* that binds them */
};

struct sim_events {
    bool on;                      /* stars may merge or leave */
    double *mass, *radius;        /* of each body, as the state has them; radius: where stars merge */
    struct sim_motion begin, end; /* of a step */
    struct nb_touch_watch watch;
    struct nb_touch *passed; /* pairs that do not touch in this step, though they seemed to */
    int passed_count;
    unsigned char *saved; /* the state at the step's beginning */
    size_t saved_bytes;
    struct nb_event *list; /* since the last frame; owned */
    size_t count;
    struct sim_binary *pairs; /* hard binaries in the last frame; owned */
    uint64_t pair_count;
    struct nb_booked booked; /* since the first, by the header of the input too */
};

/* ---- events.c ---- */

/* Do stars merge? */
bool sim_events_merge(const struct sim_options *o);
/* Of the input, before anything is chosen by it: takes the lines of its events out of the header. Gives the bodies ids
 * where they have none and N may fall. Dies of lines that are none. */
void sim_events_begin(struct run *r);
/* Dies (usage) where the integrator or the forces cannot serve it. */
void sim_events_check(struct run *r);
/* Gets memory ready, once the state is there. */
void sim_events_ready(struct run *r);
void sim_events_free(struct sim_events *e);
/* Adds an event, and to what is booked what the sums have lost. */
void sim_events_add(struct run *r, const struct nb_event *event, const struct nb_booked *lost);
/* Into the header of the frame that is to be written: those since the last one. */
void sim_events_note(struct run *r);
/* What a run that goes on has to know (pack.h). */
int sim_events_pack(struct sim_events *e, struct nb_pack *k);

/* ---- merge.c ---- */

/* Takes one step of the schedule, in which stars that touch become one; returns how many were taken, 0 or 1. */
uint64_t sim_merge_step(struct run *r, const struct sim_interval *i, int *status);

/* ---- escape.c ---- */

/* Lets unbound stars go, if that is asked for. */
void sim_escape_look(struct run *r, double time);

/* ---- pairs.c ---- */

/* Of a frame whose columns have just been fetched, if the options ask for it: adds an event for each hard binary that
 * formed, dissolved or exchanged a star since the frame before; of a run's first frame only remembers them. */
void sim_pairs_look(struct run *r, double time, bool first);
int sim_pairs_pack(struct sim_events *e, struct nb_pack *k);

/* ---- fewer.c ---- */

struct sim_star { /* where a body is, and what it becomes */
    uint64_t body;
    double mass, radius, x[3], v[3];
};

/* The state into host memory; with the accelerations where `a` is set. */
void sim_motion_fetch(struct run *r, const struct sim_motion *to, bool a);
/* Potential of the bodies at place x without bodies i and j, without softening's change; per mass. */
double sim_potential_at(const struct run *r, const double *all_x, const double x[3], uint64_t i, uint64_t j);
/* Potentials per mass by external fields of two bodies; 0 without fields. */
void sim_potential_external(struct run *r, uint64_t i, uint64_t j, double phi[2]);
/* Goes on with a state without the `count` bodies of a rising list, in which one is changed (NULL: none). Frames and
 * checkpoints that are being written are waited for, steps begin anew. */
void sim_fewer(struct run *r, const uint64_t *gone, uint64_t count, const struct sim_star *changed);
