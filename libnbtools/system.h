/* system.h - defines struct nbt_system of nbtools.h, for the files of libnbtools only. */
#pragma once

#include "frame.h"

#include "prepare/prepare.h"

#include <stdint.h>

/* Maximum number of bodies or points. An array of three doubles for each of them has at most PTRDIFF_MAX bytes. */
#define VECTORS_MAX (PTRDIFF_MAX / (3 * sizeof(double)))

enum stage {
    OPEN,   /* nothing is chosen */
    CHOSEN, /* device, forces, scheme and step are chosen; the state does not exist yet */
    READY   /* the state contains the bodies of the frame */
};

struct nbt_system {
    struct nbt_frame frame; /* the bodies; pos, vel and header are up to date only if `fetched` is set */
    bool fetched;
    struct nb_prepare_options asked; /* options set by nbt_option_set; owns its strings */
    struct nb_prepare_options used;  /* options in use, including automatic choices */
    enum stage stage;
    struct nb_device *device; /* NULL: not opened yet */
    /* name by which the device was opened */
    char device_name[64];
    struct nb_force_set forces;
    uint64_t n; /* number of bodies for which the forces were opened */
    struct nb_stepper stepper;
    enum nb_precision precision;
    double time;      /* time of the state */
    uint64_t step;    /* number of steps since the beginning */
    double dt;        /* chosen size of fixed steps; a call may use shorter steps, which end at the requested time */
    double dt_asked;  /* requested step size; the header contains it if the last steps had another size */
    double taken;     /* size of the last steps; less than dt if a call has shortened them; 0: none yet */
    bool any_step;    /* true: any step size is allowed, and each call chooses one from its time span */
    double header_dt; /* dt of the header; `note` in system.c may replace it by the size of the steps taken */
    struct nb_control control; /* control of adaptive steps */
    struct nb_bounded bounded; /* control of bounded steps */
    double direction;          /* direction of the last steps: 1 or -1; 0: none yet */
    char *failure;             /* error message of failed steps; every later call fails with it; NULL: none */
    char *recorded;            /* command of the last line that this system added to the history; NULL: none */
    char text[NB_FORCES_MAX * NB_FORCE_TEXT_BYTES]; /* result of nbt_option_get */
};

/* Makes the system READY for a run until time `until` (NAN: unknown). Returns 0, or -1 after nb_fail. If device,
 * forces, scheme or step cannot be chosen, or the state cannot be created, the system goes back to the stage OPEN. */
int system_prepare(struct nbt_system *s, double until);
/* Copies the current state (pos and vel) to the frame. Returns 0, or -1 after nb_fail. */
int system_fetch(struct nbt_system *s);
/* Does the same as system_fetch, but fails if the caller of the library has changed the frame and has not called
 * nbt_changed. Called before the bodies of the frame are used again. Returns 0, or -1 after nb_fail. */
int system_take(struct nbt_system *s);
/* Goes back to an earlier stage and frees what later stages have created. */
void system_reset(struct nbt_system *s, enum stage stage);
/* Returns a command line with the options in use, including automatic choices. The caller frees it. Returns NULL after
 * nb_fail. */
char *system_command(const struct nbt_system *s);
/* Frees the strings of the options. */
void system_free_options(struct nbt_system *s);
