/* spoil.c - drops columns and header lines that are no longer valid after a change. */
#include "nbedit.h"

#include "force/force.h"
#include "scene/events.h"
#include "scene/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void edit_say(struct edit_op *op, unsigned bit, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!(op->said & bit))
        say("--%s: %s", op->name, text);
    op->said |= bit;
}

/* ---- columns ---- */

static const struct {
    const char *name;
    unsigned by;
} follows[] = {
    {"acc", EDIT_MASS | EDIT_POS | EDIT_SOFTENING | EDIT_RADIUS | EDIT_BODIES},
    {"jerk", EDIT_MASS | EDIT_POS | EDIT_VEL | EDIT_SOFTENING | EDIT_RADIUS | EDIT_BODIES},
    {"phi", EDIT_MASS | EDIT_POS | EDIT_SOFTENING | EDIT_BODIES},
    {"phi_external", EDIT_POS},
    {"pressure", EDIT_MASS | EDIT_POS | EDIT_VEL | EDIT_RADIUS | EDIT_BODIES},
    {"step", EDIT_MASS | EDIT_POS | EDIT_VEL | EDIT_SOFTENING | EDIT_BODIES},
};

static void drop(struct nb_bodies *b, const char *name, char *names)
{
    if (!nb_bodies_find(b, name))
        return;
    nb_bodies_drop(b, name);
    sprintf(names + strlen(names), " %s", name);
}

/* Returns whether the header names a force between bodies other than self-gravity. With such a force, the potential in
 * the column phi_external depends on all bodies. */
static bool has_pairs(const struct nb_meta *meta)
{
    struct nb_force_spec spec;
    for (int k = 0; k < meta->force_count; k++)
        if (nb_force_parse(meta->forces[k], &spec) == 0 && nb_force_spec_flags(&spec) & NB_BETWEEN)
            return true;
    return false;
}

void edit_spoil(struct edit_op *op, struct nb_bodies *b, unsigned changed)
{
    /* With drag or contacts, accelerations depend on velocities. The forces in the header are not examined: if there is
     * any force, it is treated as drag. */
    const bool has_drag = b->meta.force_count > 0 || nb_scene_is_touching(&b->meta);
    char names[512] = "";
    for (size_t k = 0; k < sizeof follows / sizeof *follows; k++)
        if (follows[k].by & changed)
            drop(b, follows[k].name, names);
    if (changed & EDIT_VEL && has_drag)
        drop(b, "acc", names);
    if (changed & (EDIT_MASS | EDIT_VEL | EDIT_BODIES) && has_pairs(&b->meta))
        drop(b, "phi_external", names);
    if (changed & ~(unsigned)EDIT_SOFTENING && nb_scene_drop_measured(&b->meta))
        strcat(names, " and the header's measured forces on walls and inlet");
    /* The header has a line for each merger and each escape, and a line with the totals of these events. All these
     * lines are dropped if masses, positions, velocities or softening changed. If bodies were removed, only the line
     * with the totals is dropped. */
    if (changed & ~(unsigned)(EDIT_RADIUS | EDIT_BODIES) ? nb_events_drop(&b->meta, true)
                                                         : changed & EDIT_BODIES && nb_booked_drop(&b->meta))
        edit_say(op, EDIT_SAID_EVENTS, "removed: %s of merged and escaped stars",
                 changed & ~(unsigned)(EDIT_RADIUS | EDIT_BODIES) ? "the header's lines" : "the header's sums");
    if (*names)
        edit_say(op, EDIT_SAID_SPOILT, "removed, because they no longer apply:%s", names);
}

void edit_spoil_pairs(struct edit_op *op, struct nb_bodies *b)
{
    if (has_pairs(&b->meta))
        edit_spoil(op, b, EDIT_VEL);
}

/* ---- external fields and walls ---- */

/* Returns the first force that is an external field, or NULL. */
static const char *field_of(const struct nb_meta *meta)
{
    for (int k = 0; k < meta->force_count; k++)
        if (nb_force_text_is_field(meta->forces[k]))
            return meta->forces[k];
    return NULL;
}

int edit_check_timeless(const struct nb_bodies *b)
{
    struct nb_force_spec spec;
    for (int k = 0; k < b->meta.force_count; k++) {
        const unsigned flags = nb_force_parse(b->meta.forces[k], &spec) ? 0 : nb_force_spec_flags(&spec);
        if (nb_force_is_field(flags) && flags & NB_OPEN && !(flags & NB_NEEDS_VELOCITY))
            return nb_fail("the bodies are in a field that depends on time (%.60s); remove it first with --isolate",
                           b->meta.forces[k]);
    }
    return 0;
}

static const char *const fixed[] = {"wall", "box", "periodic", "flow", "wall_force", "inflow", NULL};

int edit_check_free(const struct nb_bodies *b)
{
    const char *field = field_of(&b->meta);
    if (field)
        return nb_fail(
            "the bodies are in an external field (%.60s), which would not move with them; remove it first with "
            "--isolate",
            field);
    if (nb_scene_is_touching(&b->meta) && nb_scene_has(&b->meta, fixed))
        return nb_fail(
            "the bodies are in a box or between walls, which would not move with them; remove these first with "
            "--isolate");
    return 0;
}

static int apply_isolate(struct edit_op *op, struct nb_bodies *b)
{
    char names[512] = "";
    const bool field = field_of(&b->meta), walls = nb_scene_is_touching(&b->meta) && nb_scene_drop(&b->meta, fixed);
    bool own = b->meta.force_count == 0;
    for (int k = 0; k < b->meta.force_count; k++)
        own |= strcmp(b->meta.forces[k], "auto") == 0;
    nb_meta_clear_forces(&b->meta);
    drop(b, "phi_external", names);
    if (field || walls) {
        drop(b, "acc", names);
        drop(b, "jerk", names);
        drop(b, "pressure", names);
        drop(b, "step", names);
    }
    if (!own) {
        drop(b, "phi", names);
        edit_say(op, EDIT_SAID_OTHER, "the bodies had no self-gravity, and now have it");
    }
    if (*names)
        edit_say(op, EDIT_SAID_SPOILT, "removed, because they no longer apply:%s", names);
    return 0;
}

void edit_take_isolate(const struct tool_option *o, const char *text)
{
    struct edit_op *op = edit_op_add(o, text);
    op->apply = apply_isolate;
}
