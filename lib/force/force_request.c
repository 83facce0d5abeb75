/* force_request.c - parses, checks and chooses the forces requested by a user. Declared in force_request.h. */
#include "force/force_request.h"

#include "base/error.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char twice[] = "self-gravity would count twice, because each of direct, tree and auto computes all of it";

static int refuse(int failed)
{
    (void)failed;
    return NB_REFUSED;
}

static int refuse_twice(void)
{
    return refuse(nb_fail("--force: %s (give only one of them)", twice));
}

int nb_force_request_add(struct nb_force_request *q, const char *text)
{
    if (q->count == NB_FORCES_MAX)
        return nb_fail("--force %s: more than %d forces", text, NB_FORCES_MAX);
    if (nb_force_parse(text, &q->spec[q->count]))
        return -1;
    q->count++;
    return 0;
}

int nb_force_request_parse_pn(const char *order, struct nb_force_spec *spec)
{
    char text[64];
    snprintf(text, sizeof text, "pn:%.50s", order);
    return nb_force_parse(text, spec);
}

/* Returns whether more than one force is self-gravity. Each of direct, tree and auto computes the entire self-gravity.
 * Two of them would count it twice. */
static bool has_own_twice(const struct nb_force_spec *spec, int count)
{
    int own = 0;
    for (int k = 0; k < count; k++)
        own += !(nb_force_spec_flags(&spec[k]) & NB_EXTERNAL);
    return own > 1;
}

/* Returns whether more than one force has post-Newtonian terms. 2PN, for example, contains the terms of 1PN, so that
 * both together would count these terms twice. */
static bool has_pn_twice(const struct nb_force_spec *spec, int count)
{
    int terms = 0;
    for (int k = 0; k < count; k++)
        terms += nb_force_spec_flags(&spec[k]) & NB_BETWEEN ? 1 : 0;
    return terms > 1;
}

/* Returns whether a value is given for the parameter `name` but none of the requested forces has this parameter. */
static bool has_unused(const struct nb_force_request *q, const char *name, const char *value)
{
    bool taken = q->count == 0 || !value;
    for (int k = 0; k < q->count; k++)
        taken = taken || !isnan(nb_force_value(&q->spec[k], name));
    return !taken;
}

int nb_force_request_check(const struct nb_force_request *q)
{
    if (has_own_twice(q->spec, q->count))
        return refuse_twice();
    if (has_pn_twice(q->spec, q->count))
        return refuse(
            nb_fail("--force: post-Newtonian terms would count twice (each order contains the lower orders)"));
    for (int k = 0; k < 2; k++)
        if (has_unused(q, k ? "rebuild" : "theta", k ? q->rebuild : q->theta))
            return refuse(nb_fail("--%s needs --force tree or auto", k ? "rebuild" : "theta"));
    return 0;
}

static int add(const char *text, struct nb_force_spec *spec, int *count, const char *whose)
{
    if (*count == NB_FORCES_MAX)
        return nb_fail("%s: more than %d forces", whose, NB_FORCES_MAX);
    if (nb_force_parse(text, &spec[(*count)++]))
        return nb_fail("%s: %s (--force chooses other forces)", whose, nb_error());
    return 0;
}

/* Replaces the post-Newtonian terms in the list of forces by the terms that --pn requests. Keeps all other forces. */
static int add_pn(const char *order, struct nb_force_spec *spec, int *count)
{
    struct nb_force_spec pn;
    int kept = 0;
    if (!order)
        return 0;
    if (nb_force_request_parse_pn(order, &pn))
        return -1;
    for (int k = 0; k < *count; k++)
        if (strcmp(spec[k].method, pn.method) != 0)
            spec[kept++] = spec[k];
    if (kept == NB_FORCES_MAX)
        return nb_fail("--pn: more than %d forces", NB_FORCES_MAX);
    spec[kept++] = pn;
    *count = kept;
    return 0;
}

/* Sets the parameter `name` to the value of --theta or --rebuild if the force has this parameter and the option is
 * given. */
static int set_short(struct nb_force_spec *spec, const char *name, const char *value)
{
    if (value && !isnan(nb_force_value(spec, name)) && nb_force_spec_set(spec, name, value))
        return NB_REFUSED;
    return 0;
}

int nb_force_request_choose(const struct nb_force_request *q, const struct nb_bodies *b,
                            struct nb_force_spec spec[NB_FORCES_MAX])
{
    const struct nb_meta *meta = &b->meta;
    int count = q->count;
    memcpy(spec, q->spec, (size_t)count * sizeof *spec);
    for (int k = 0; k < meta->force_count && q->count == 0; k++)
        if (add(meta->forces[k], spec, &count, "the header's forces"))
            return -1;
    if ((count == 0 && add("auto", spec, &count, "--force")) || add_pn(q->pn, spec, &count))
        return -1;
    for (int k = 0; k < count && nb_scene_is_touching(meta); k++) /* for colliding disks, "auto" means "contact" */
        if (strcmp(spec[k].method, "auto") == 0 &&
            (nb_force_parse("contact", &spec[k]) || nb_force_choose_radius(&spec[k], b)))
            return -1;
    for (int k = 0; k < count; k++)
        if (set_short(&spec[k], "theta", q->theta) || set_short(&spec[k], "rebuild", q->rebuild))
            return NB_REFUSED;
    if (!has_own_twice(spec, count))
        return count;
    if (q->count == 0)
        return nb_fail("the header's forces: %s (--force chooses other forces)", twice);
    return refuse_twice();
}
