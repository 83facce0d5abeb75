/* force_remote.h - a force on another rank's device (device/ranks.h): each of its calls is sent there. */
#pragma once

#include "device/ranks.h"
#include "force/force.h"

/* Opens the row there. *entry, with *work, is then a row whose functions ask for what the other rank's does: field,
 * close, carry (to load), steps (longest with h NULL, boundary, report to begin anew, counts but for changed), and
 * shares but for serves; all else of it is of rank 0's device. Its close frees both. -1
 * after nb_fail. */
int nb_force_remote_open(struct nb_device *remote, const struct nb_force *row, const struct nb_force_spec *spec,
                         const struct nb_meta *meta, const struct nb_force **entry, void **work);

/* On the other rank: such a call (nb_ranks_program.serve). */
int nb_force_serve(struct nb_ranks *r, struct nb_device *device, const struct nb_rank_call *call,
                   struct nb_rank_answer *answer);
