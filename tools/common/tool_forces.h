/* tool_forces.h - the options --force, --theta, --rebuild and --pn, which mean the same in every tool. */
#pragma once

#include "common/tool_syntax.h"
#include "force/force_request.h"

/* Offers values of --force for completion. */
void tool_forces_offer(void);
/* Takes one --force and adds it to the struct nb_force_request at `to`. Calls die_usage if it is invalid. */
tool_take tool_forces_take;
/* Takes --pn, "1", "2" or "2.5", as a const char *. Calls die_usage if it is invalid. */
tool_take tool_forces_take_pn;
/* Takes --theta or --rebuild as a const char *. The value is checked even if no tree is used later. Calls die_usage if
 * it is invalid. */
tool_take tool_forces_take_short;
/* Check the force options, and choose the forces for the bodies b (nb_force_request_check, nb_force_request_choose).
 * tool_forces_choose returns the number of entries in `spec`. Both die on failure. */
void tool_forces_check(const struct nb_force_request *f);
int tool_forces_choose(const struct nb_force_request *f, const struct nb_bodies *b,
                       struct nb_force_spec spec[NB_FORCES_MAX]);
