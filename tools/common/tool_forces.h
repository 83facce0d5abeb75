/* tool_forces.h - the forces that a user asks for by --force, --theta and --rebuild, the same in every tool. */
#pragma once

#include "common/tool_syntax.h"
#include "force/force_request.h"

/* For the completion of --force. */
void tool_forces_offer(void);
/* Takes a --force, into a struct nb_force_request; die_usage where there is none such. */
tool_take tool_forces_take;
/* Takes --pn. */
tool_take tool_forces_take_pn;
/* Takes --theta or --rebuild, whether or not there will be a tree. */
tool_take tool_forces_take_short;
/* nb_force_request_check and nb_force_request_choose; die on failure. */
void tool_forces_check(const struct nb_force_request *f);
int tool_forces_choose(const struct nb_force_request *f, const struct nb_bodies *b,
                       struct nb_force_spec spec[NB_FORCES_MAX]);
