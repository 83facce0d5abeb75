#include "common/tool_forces.h"

#include "common/tool.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- completion: NAME[:KIND][,key=value...] ---- */

/* The rows of a method are for devices; its name comes once. */
static bool is_first_row(const struct nb_force *const *row)
{
    for (const struct nb_force *const *f = nb_forces; f < row; f++)
        if (strcmp((*f)->method, (*row)->method) == 0)
            return false;
    return true;
}

/* The kinds of a method that has any but the one without a name. */
static bool has_kinds(const struct nb_force *f)
{
    return f->kinds && f->kinds->name && *f->kinds->name;
}

static void offer_methods(void)
{
    tool_offer("auto", "direct for few bodies, tree for many");
    tool_offer("contact", "disks that touch, by the faster way");
    for (const struct nb_force *const *f = nb_forces; *f; f++) {
        if (!is_first_row(f))
            continue;
        if (!has_kinds(*f))
            tool_offer((*f)->method, (*f)->about);
        if ((*f)->kinds && (has_kinds(*f) || (*f)->kinds->parameters))
            tool_offer_part((*f)->method, ":", (*f)->about);
    }
}

/* Behind the name, a colon and what is whole of the list that follows. */
static void offer_parameters(const struct nb_force_kind *kind, const char *last, size_t length)
{
    const char *equals = strchr(last, '=');
    tool_offer_behind(length + (equals ? (size_t)(equals + 1 - last) : 0));
    for (const struct nb_parameter *p = kind->parameters; p && p->name; p++) {
        const bool is_it =
            equals && strlen(p->name) == (size_t)(equals - last) && strncmp(p->name, last, strlen(p->name)) == 0;
        if (!equals)
            tool_offer_part(p->name, "=", p->about);
        for (const char *const *word = is_it ? p->words : NULL; word && *word; word++)
            tool_offer(*word, NULL);
    }
}

static void offer_of_method(const struct nb_force *f, const char *typed)
{
    const char *first = strchr(typed, ':') + 1, *comma = strrchr(first, ','), *last = comma ? comma + 1 : first;
    const struct nb_force_kind *kind = f->kinds;
    if (has_kinds(f) && !comma) {
        tool_offer_behind((size_t)(first - typed));
        for (; kind->name; kind++)
            if (kind->parameters)
                tool_offer_part(kind->name, ",", kind->about);
            else
                tool_offer(kind->name, kind->about);
        return;
    }
    const size_t length = strcspn(first, ",");
    while (has_kinds(f) && kind->name && (strlen(kind->name) != length || strncmp(kind->name, first, length) != 0))
        kind++;
    if (kind && kind->name)
        offer_parameters(kind, last, (size_t)(last - typed));
}

void tool_forces_offer(void)
{
    const char *typed = tool_offer_typed();
    const size_t length = strcspn(typed, ":");
    if (!typed[length])
        offer_methods();
    for (const struct nb_force *const *f = nb_forces; typed[length] && *f; f++)
        if (is_first_row(f) && strlen((*f)->method) == length && strncmp((*f)->method, typed, length) == 0)
            offer_of_method(*f, typed);
}

/* ---- what is asked for ---- */

static const char *hint(const char *text)
{
    static struct tool_guess guess;
    static char name[TOOL_GUESS_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    tool_guess_begin(&guess, name);
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        if (strcmp((*f)->method, name) == 0)
            return "";
        else
            tool_guess_try(&guess, (*f)->method, strlen((*f)->method));
    return tool_guess_hint(&guess, "");
}

void tool_forces_take(const struct tool_option *o, const char *text)
{
    struct tool_forces *f = o->to;
    if (f->count == NB_FORCES_MAX)
        die_usage("--force %s: more than %d forces", text, NB_FORCES_MAX);
    if (nb_force_parse(text, &f->spec[f->count++]))
        die_usage("%s%s", nb_error(), hint(text)); /* it names the force */
}

void tool_forces_take_short(const struct tool_option *o, const char *text)
{
    struct nb_force_spec spec;
    if (nb_force_parse("auto", &spec) || nb_force_spec_set(&spec, o->name, text))
        die_usage("--%s %s: %s", o->name, text, nb_error());
    *(const char **)o->to = text;
}

static int parse_pn(const char *order, struct nb_force_spec *spec)
{
    char text[64];
    snprintf(text, sizeof text, "pn:%.50s", order);
    return nb_force_parse(text, spec);
}

void tool_forces_take_pn(const struct tool_option *o, const char *text)
{
    struct nb_force_spec spec;
    if (parse_pn(text, &spec))
        die_usage("--%s %s: not 1, 2 or 2.5", o->name, text);
    *(const char **)o->to = text;
}

/* --theta and --rebuild are a tree's parameters, whichever force is asked for; elsewhere they mean nothing. */
static void set_short(struct nb_force_spec *spec, const char *name, const char *value)
{
    if (value && !isnan(nb_force_value(spec, name)) && nb_force_spec_set(spec, name, value))
        die_usage("%s", nb_error());
}

static void add(const char *text, struct nb_force_spec *spec, int *count, const char *whose)
{
    if (*count == NB_FORCES_MAX)
        die("%s: more than %d forces", whose, NB_FORCES_MAX);
    if (nb_force_parse(text, &spec[(*count)++]))
        die("%s: %s (--force chooses others)", whose, nb_error());
}

/* --pn takes the place of such terms in the header, and adds to all other forces. */
static void add_pn(const char *order, struct nb_force_spec *spec, int *count)
{
    struct nb_force_spec pn;
    int kept = 0;
    if (!order)
        return;
    if (parse_pn(order, &pn))
        die("%s", nb_error());
    for (int k = 0; k < *count; k++)
        if (strcmp(spec[k].method, pn.method) != 0)
            spec[kept++] = spec[k];
    if (kept == NB_FORCES_MAX)
        die("--pn: more than %d forces", NB_FORCES_MAX);
    spec[kept++] = pn;
    *count = kept;
}

/* Post-Newtonian terms add up to no order that there is. */
static void refuse_pn_twice(const struct nb_force_spec *spec, int count)
{
    int terms = 0;
    for (int k = 0; k < count; k++)
        terms += nb_force_spec_flags(&spec[k]) & NB_BETWEEN ? 1 : 0;
    if (terms > 1)
        die_usage("--force: post-Newtonian terms would count twice (each order contains those below it)");
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

/* --theta or --rebuild beside forces that have no such parameter. */
static void refuse_short(const struct tool_forces *f, const char *name, const char *value)
{
    bool taken = f->count == 0 || !value;
    for (int k = 0; k < f->count; k++)
        taken = taken || !isnan(nb_force_value(&f->spec[k], name));
    if (!taken)
        die_usage("--%s needs --force tree or auto", name);
}

void tool_forces_check(const struct tool_forces *f)
{
    refuse_own_twice(f->spec, f->count, false);
    refuse_pn_twice(f->spec, f->count);
    refuse_short(f, "theta", f->theta);
    refuse_short(f, "rebuild", f->rebuild);
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
    add_pn(f->pn, spec, &count);
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
