#include "tool_forces.h"

#include "error.h"
#include "scene.h"
#include "tool.h"

#include <math.h>
#include <string.h>

void tool_forces_add(struct tool_forces *f, const char *text)
{
    if (f->count == NB_FORCES_MAX)
        die_usage("--force %s: more than %d forces", text, NB_FORCES_MAX);
    if (nb_force_parse(text, &f->spec[f->count++]))
        die_usage("%s", nb_error()); /* it names the force */
}

const char *tool_forces_short(const char *name, const char *text)
{
    struct nb_force_spec spec;
    if (nb_force_parse("auto", &spec) || nb_force_set(&spec, name, text))
        die_usage("--%s %s: %s", name, text, nb_error());
    return text;
}

/* --theta and --rebuild are a tree's parameters, whichever force is asked for; elsewhere they mean nothing. */
static void set_short(struct nb_force_spec *spec, const char *name, const char *value)
{
    if (value && !isnan(nb_force_value(spec, name)) && nb_force_set(spec, name, value))
        die_usage("%s", nb_error());
}

static void add(const char *text, struct nb_force_spec *spec, int *count, const char *whose)
{
    if (*count == NB_FORCES_MAX)
        die("%s: more than %d forces", whose, NB_FORCES_MAX);
    if (nb_force_parse(text, &spec[(*count)++]))
        die("%s: %s (--force chooses others)", whose, nb_error());
}

/* direct, tree and auto are all of the bodies' own gravity. */
static void refuse_own_twice(const struct nb_force_spec *spec, int count, bool of_header)
{
    static const char why[] = "the bodies' own gravity would count twice (direct, tree and auto are all of it)";
    int own = 0;
    for (int k = 0; k < count; k++)
        own += !(nb_force_spec_flags(&spec[k]) & NB_EXTERNAL);
    if (own > 1 && of_header)
        die("the header's forces: %s (--force chooses others)", why);
    if (own > 1)
        die_usage("%s", why);
}

void tool_forces_check(const struct tool_forces *f)
{
    refuse_own_twice(f->spec, f->count, false);
}

int tool_forces_choose(const struct tool_forces *f, const struct nb_bodies *b, struct nb_force_spec spec[NB_FORCES_MAX])
{
    const struct nb_meta *meta = &b->meta;
    int count = f->count;
    memcpy(spec, f->spec, (size_t)count * sizeof *spec);
    for (int k = 0; k < meta->force_count && f->count == 0; k++)
        add(meta->forces[k], spec, &count, "the header's forces");
    if (count == 0)
        add("auto", spec, &count, "--force");
    for (int k = 0; k < count && nb_scene_is_touching(meta); k++) /* that is their own force */
        if (strcmp(spec[k].method, "auto") == 0 &&
            (nb_force_parse("contact", &spec[k]) || nb_force_choose_radius(&spec[k], b)))
            die("%s", nb_error());
    for (int k = 0; k < count; k++) {
        set_short(&spec[k], "theta", f->theta);
        set_short(&spec[k], "rebuild", f->rebuild);
    }
    refuse_own_twice(spec, count, f->count == 0);
    return count;
}
