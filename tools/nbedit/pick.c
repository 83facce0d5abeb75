/* --select and --sample: fewer bodies. */
#include "nbedit.h"

#include "simd/rng.h"

#include <stdlib.h>
#include <string.h>

/* Leaves the bodies with mask[i] != 0; the mask is freed. */
static int take(struct nb_bodies *b, unsigned char *mask, uint64_t count)
{
    struct nb_bodies taken;
    nb_bodies_init(&taken);
    const int status = mask ? nb_select_take(b, mask, count, &taken) : nb_fail("no memory to select bodies");
    free(mask);
    if (status == 0) {
        nb_bodies_free(b);
        *b = taken;
    } else
        nb_bodies_free(&taken);
    return status;
}

/* ---- by a condition ---- */

static int apply_select(struct edit_op *op, struct nb_bodies *b)
{
    uint64_t count = 0;
    if (!op->condition)
        return 0;
    if (edit_number(b))
        return -1;
    unsigned char *mask = malloc((size_t)b->n + 1);
    if (mask && nb_select_apply(op->condition, b, mask, &count)) {
        free(mask);
        return -1;
    }
    edit_spoil(op, b, EDIT_BODIES);
    return take(b, mask, count);
}

void edit_take_select(const struct tool_option *o, const char *text)
{
    struct edit_op *op = edit_op_add(o, text);
    op->apply = apply_select;
    if (strcmp(text, "all") == 0)
        return;
    op->condition = tool_select_checked(o->name, text, nb_select_parse(text));
}

/* ---- by chance ---- */

/* Random numbers of samples: of no model, whose streams are component + 256 * galaxy, so that a sample is independent
 * of what was drawn with the same seed for positions. One draw a sample, of which the first number counts; the unit is
 * a body's id. */
#define STREAM ((uint64_t)1 << 48)

/* How many samples the frame has been through before this run: one after the other take others' halves. */
static uint64_t count_samples(const struct nb_meta *meta)
{
    static const char option[] = " --sample=";
    uint64_t count = 0;
    for (int k = 0; k < meta->history_count; k++)
        if (strstr(meta->history[k], " nbedit "))
            for (const char *at = meta->history[k]; (at = strstr(at, option)); at += sizeof option - 1)
                count++;
    return count;
}

static int apply_sample(struct edit_op *op, struct nb_bodies *b)
{
    const struct nb_rng rng = {edit_options.seed, STREAM};
    const uint64_t draw = count_samples(&b->meta) + op->draw;
    uint64_t count = 0;
    if (edit_number(b))
        return -1;
    const uint64_t *id = nb_bodies_find(b, "id")->data, n = b->n;
    unsigned char *mask = malloc((size_t)n + 1);
#pragma omp parallel for schedule(static) reduction(+ : count) if (n > 4096 && mask)
    for (uint64_t i = 0; i < (mask ? n : 0); i++) {
        double u[4];
        nb_rng_uniforms(&rng, id[i], draw, u);
        mask[i] = u[0] < op->fraction;
        count += mask[i];
    }
    edit_spoil(op, b, EDIT_BODIES);
    if (take(b, mask, count))
        return -1;
    edit_say(op, EDIT_SAID_OTHER, "%llu of %llu bodies%s", (unsigned long long)count, (unsigned long long)n,
             edit_options.scale_mass ? "; masses are multiplied with 1/F"
                                     : "; each keeps its mass, and all have less (--sample-mass scale)");
    return edit_options.scale_mass ? edit_multiply(b, nb_bodies_find(b, "mass"), 1 / op->fraction) : 0;
}

void edit_take_sample(const struct tool_option *o, const char *text)
{
    struct edit_op *op = edit_op_add(o, text);
    const char *at = text;
    double above, below = 1;
    bool good = edit_take_numbers(&at, &above, 1);
    if (good && *at == '/')
        good = (at++, edit_take_numbers(&at, &below, 1));
    op->fraction = above / below;
    if (!good || *at || !(op->fraction > 0 && op->fraction <= 1) || !(below > 0))
        die_usage("--%s %s: not a fraction above 0 and at most 1, such as 1/100 or 0.01", o->name, text);
    for (int k = 0; k < edit_options.count; k++)
        op->draw += edit_options.ops[k].apply == apply_sample;
    op->apply = apply_sample;
    edit_options.samples = true;
}
