/* tool_forces.h - the options --force, --theta, --rebuild and --pn, which have the same meaning in all tools. */
#pragma once

#include "common/tool_syntax.h"
#include "force/force_request.h"

/* Prints the possible values of --force, for shell completion. */
void tool_forces_offer(void);
/* Adds one value of --force to the struct nb_force_request that the option's member `to` points to. Calls die_usage if
 * the value is invalid. */
tool_take tool_forces_take;
/* Takes the value of --pn ("1", "2" or "2.5"). The option's member `to` points to the const char * that gets the value.
 * Calls die_usage if the value is invalid. */
tool_take tool_forces_take_pn;
/* Takes the value of --theta or --rebuild. The option's member `to` points to the const char * that gets the value.
 * Calls die_usage if the value is invalid, even if no tree is used later. */
tool_take tool_forces_take_short;
/* Dies if the force options are invalid (nb_force_request_check). */
void tool_forces_check(const struct nb_force_request *f);
/* Chooses the forces for the bodies b, writes them to `spec` and returns their number. Dies on failure. See
 * nb_force_request_choose. */
int tool_forces_choose(const struct nb_force_request *f, const struct nb_bodies *b,
                       struct nb_force_spec spec[NB_FORCES_MAX]);
