/* system.h - the system of nbtools.h, for the other files here. */
#pragma once

#include "frame.h"

#include "prepare/prepare.h"

#include <stdint.h>

#define VECTORS_MAX (PTRDIFF_MAX / (3 * sizeof(double))) /* more do not fit any memory */

enum stage {
    OPEN,   /* nothing is chosen */
    CHOSEN, /* device, forces, scheme and step are; the state is to be made from the frame */
    READY   /* the state is the system */
};

struct nbt_system {
    struct nbt_frame frame; /* the bodies; pos and vel are those of the state only if: */
    bool fetched;
    struct nb_prepare_options asked; /* by nbt_option_set, its strings owned, */
    struct nb_prepare_options used;  /* and with what was decided */
    enum stage stage;
    struct nb_device *device; /* NULL: not opened yet, or by: */
    char device_name[64];
    struct nb_force_set forces;
    uint64_t n; /* bodies that they were opened for */
    struct nb_stepper stepper;
    enum nb_precision precision;
    double time;               /* of the state, */
    uint64_t step;             /* and steps since the beginning */
    double dt;                 /* of steps of a fixed size, as asked for; */
    double dt_asked;           /* of the header, if steps are shorter; */
    double taken;              /* step of the last call, shortened to end at its time; 0: none */
    bool any_step;             /* one that nothing asks for: the whole span of a call; chosen again by each */
    double header_dt;          /* of the header, for other steps */
    struct nb_control control; /* of adaptive steps */
    struct nb_bounded bounded; /* of bounded ones */
    double direction;          /* of the last steps: 1 or -1; 0: none were taken */
    char *failure;             /* in the middle of steps: what every further call says; NULL: none */
    char *recorded;            /* the line that the header's history has of this system; NULL: none */
    char text[NB_FORCES_MAX * NB_FORCE_TEXT_BYTES]; /* of nbt_option_get */
};

/* Makes the system READY, for a run until that time, NAN if it is not known. -1 after nb_fail; what was chosen is then
 * open again. */
int system_prepare(struct nbt_system *s, double until);
/* Sees to it that the frame has the bodies as they are. */
int system_fetch(struct nbt_system *s);
/* The same, for calls that go on from the frame: -1 after nb_fail if it was changed without nbt_changed. */
int system_take(struct nbt_system *s);
/* Goes back to a stage. */
void system_reset(struct nbt_system *s, enum stage stage);
/* Writes the options asked for as a command line. NULL after nb_fail; to be freed. */
char *system_command(const struct nbt_system *s);
void system_free_options(struct nbt_system *s);
