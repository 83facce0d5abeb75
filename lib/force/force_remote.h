/* force_remote.h - a force on the device of another rank (a process of the run, device/ranks.h). Rank 0 sends each call
 * of the force to that rank. */
#pragma once

#include "device/ranks.h"
#include "force/force.h"

/* Opens the force on the rank of `remote`. Sets *entry to functions that send their arguments to that rank, and *work
 * to their argument `work`. Only the following functions do so. For all other functions and members, use the entry for
 * rank 0's own device.
 * - field, close (also frees *entry and *work), carry (only to load);
 * - of entry->steps: longest (only if h is NULL), boundary, report (only if meta is NULL);
 * - of entry->steps->counts: all except `changed`;
 * - of entry->shares: all except `serves`.
 * Returns -1 after nb_fail. */
int nb_force_remote_open(struct nb_device *remote, const struct nb_force *row, const struct nb_force_spec *spec,
                         const struct nb_meta *meta, const struct nb_force **entry, void **work);

/* Executes a call of a force on the rank to which it was sent (nb_ranks_program.serve). */
int nb_force_serve(struct nb_ranks *r, struct nb_device *device, const struct nb_rank_call *call,
                   struct nb_rank_answer *answer);
