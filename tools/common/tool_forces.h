/* tool_forces.h - the forces that a user asks for by --force, --theta and --rebuild, the same in every tool. */
#pragma once

#include "common/tool_syntax.h"
#include "force/force.h"

struct tool_forces {
    struct nb_force_spec spec[NB_FORCES_MAX]; /* of --force, as given */
    int count;                                /* 0: the header's, or auto */
    const char *theta, *rebuild;              /* short forms of a tree's parameters; NULL: not given */
    const char *pn;                           /* order of post-Newtonian terms; NULL: not given */
};

/* For the completion of --force. */
void tool_forces_offer(void);
/* Takes a --force, into a struct tool_forces; die_usage where there is none such. */
tool_take tool_forces_take;
/* Takes --pn. */
tool_take tool_forces_take_pn;
/* Takes --theta or --rebuild, whether or not there will be a tree. */
tool_take tool_forces_take_short;
/* Dies (usage) if the forces cannot act together, or if none of them has the parameter of --theta or --rebuild. */
void tool_forces_check(const struct tool_forces *f);
/* Which forces act on a frame: those asked for, else those that its header names, else the bodies' own gravity
 * ("auto"); with the tree's parameters. "auto" of disks that touch is "contact", with the radii of their column where
 * they differ. Returns how many; dies where the header names what there is not, or gravity would act twice. */
int tool_forces_choose(const struct tool_forces *f, const struct nb_bodies *b,
                       struct nb_force_spec spec[NB_FORCES_MAX]);
