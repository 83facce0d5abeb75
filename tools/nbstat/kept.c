/* kept.c - finds from a frame's header which quantities are not conserved. nbstat prints no errors of these
 * quantities. */
#include "nbstat.h"

#include "force/force.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

const char *const stat_error_names[STAT_ERRORS] = {"energy", "momentum", "angular momentum"};
const char *const stat_limit_names[STAT_ERRORS] = {"--max-de", "--max-dp", "--max-dl"};

/* Notes `what` as the reason why quantity k is not conserved, unless k has a reason already. */
static void note(const char *changed_by[STAT_ERRORS], enum stat_error k, const char *what)
{
    if (!changed_by[k])
        changed_by[k] = what;
}

static void note_all(const char *changed_by[STAT_ERRORS], const char *what)
{
    for (int k = 0; k < STAT_ERRORS; k++)
        note(changed_by, k, what);
}

/* Calls note() for the quantities that external fields and post-Newtonian terms do not conserve. Assumes that external
 * fields conserve angular momentum; this is true for spherical fields (about their centre). */
static void note_fields(const char *changed_by[STAT_ERRORS], const struct nb_meta *meta)
{
    struct nb_force_spec spec;
    for (int k = 0; k < meta->force_count; k++) {
        const unsigned flags = nb_force_parse(meta->forces[k], &spec) ? 0 : nb_force_spec_flags(&spec);
        if (flags & NB_BETWEEN) {
            note(changed_by, STAT_MOMENTUM, "post-Newtonian terms");
            note(changed_by, STAT_ANGULAR_MOMENTUM, "post-Newtonian terms");
            if (flags & NB_OPEN)
                note(changed_by, STAT_ENERGY, "gravitational waves");
        } else if (flags & NB_NEEDS_VELOCITY)
            note_all(changed_by, "drag");
        else if (flags & NB_EXTERNAL) {
            note(changed_by, STAT_MOMENTUM, "an external field");
            if (flags & NB_OPEN)
                note(changed_by, STAT_ENERGY, "a field that depends on time");
        }
    }
}

int stat_kept_find(const struct nb_meta *meta, const char *changed_by[STAT_ERRORS])
{
    struct nb_scene scene;
    memset(changed_by, 0, STAT_ERRORS * sizeof *changed_by);
    if (nb_scene_is_touching(meta)) {
        if (nb_scene_read(meta, &scene))
            return -1;
        if (scene.flowing)
            note_all(changed_by, "a flow");
        if (scene.damping > 0)
            note(changed_by, STAT_ENERGY, "damping");
        if (scene.wall_count > 0) {
            note(changed_by, STAT_MOMENTUM, "walls");
            note(changed_by, STAT_ANGULAR_MOMENTUM, "walls");
        }
        if (scene.periodic[0] || scene.periodic[1])
            note(changed_by, STAT_ANGULAR_MOMENTUM, "a periodic box");
        nb_scene_free(&scene);
    }
    note_fields(changed_by, meta);
    return 0;
}

void stat_kept_say(const struct stat_row *row, bool with_energy)
{
    char text[256] = "";
    for (int k = !with_energy; k < STAT_ERRORS; k++) {
        const size_t used = strlen(text);
        if (row->changed_by[k])
            snprintf(text + used, sizeof text - used, "%s%s (%s)", used > 0 ? ", " : "", stat_error_names[k],
                     row->changed_by[k]);
    }
    if (*text)
        say("%s: not conserved here, so no error is computed: %s", row->file, text);
}

void stat_kept_refuse(const struct stat_row *row, const struct stat_options *o)
{
    for (int k = 0; k < STAT_ERRORS; k++)
        if (row->changed_by[k] && !isnan(o->limit[k]))
            die_usage("%s: %s cannot be used: the %s of these bodies is not conserved (%s)", row->file,
                      stat_limit_names[k], stat_error_names[k], row->changed_by[k]);
}
