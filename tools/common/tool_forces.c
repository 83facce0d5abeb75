/* tool_forces.c - takes and completes the options that choose forces. */

#include "common/tool_forces.h"

#include "common/tool.h"

#include <stdio.h>
#include <string.h>

/* Returns whether `row` is the first entry of its method in the table nb_forces. A method has an entry for each type of
 * device, but its name is printed as a completion only once. */
static bool is_first_row(const struct nb_force *const *row)
{
    for (const struct nb_force *const *f = nb_forces; f < row; f++)
        if (strcmp((*f)->method, (*row)->method) == 0)
            return false;
    return true;
}

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

/* Prints completions for `last`, the incomplete last parameter in the value of --force. If `last` begins with "NAME=",
 * prints the possible values of parameter NAME, otherwise names of parameters. `length` is the number of bytes before
 * `last` in the value of --force. */
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

/* ---- the given method ---- */

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
    struct nb_force_request *f = o->to;
    const bool full = f->count == NB_FORCES_MAX;
    if (nb_force_request_add(f, text))
        die_usage("%s%s", nb_error(), full ? "" : hint(text));
}

void tool_forces_take_short(const struct tool_option *o, const char *text)
{
    struct nb_force_spec spec;
    if (nb_force_parse("auto", &spec) || nb_force_spec_set(&spec, o->name, text))
        die_usage("--%s %s: %s", o->name, text, nb_error());
    *(const char **)o->to = text;
}

void tool_forces_take_pn(const struct tool_option *o, const char *text)
{
    struct nb_force_spec spec;
    if (nb_force_request_parse_pn(text, &spec))
        die_usage("--%s %s: expected 1, 2 or 2.5", o->name, text);
    *(const char **)o->to = text;
}

void tool_forces_check(const struct nb_force_request *f)
{
    if (nb_force_request_check(f))
        die_usage("%s", nb_error());
}

int tool_forces_choose(const struct nb_force_request *f, const struct nb_bodies *b,
                       struct nb_force_spec spec[NB_FORCES_MAX])
{
    const int count = nb_force_request_choose(f, b, spec);
    if (count == NB_REFUSED)
        die_usage("%s", nb_error());
    if (count < 0)
        die("%s", nb_error());
    return count;
}
