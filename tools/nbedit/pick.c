/* pick.c - --select and --sample: keep some of the bodies. */
#include "nbedit.h"

#include "select/sample.h"

#include <stdlib.h>
#include <string.h>

/* Keeps only the `count` bodies with mask[i] != 0. Frees the mask. Fails if `mask` is NULL (no memory). */
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

/* ---- condition ---- */

static int apply_select(struct edit_op *op, struct nb_bodies *b)
{
    uint64_t count = 0;
    if (!op->condition)
        return 0;
    if (nb_bodies_number(b))
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

/* ---- random sample ---- */

static int apply_sample(struct edit_op *op, struct nb_bodies *b)
{
    const uint64_t draw = nb_sample_count(&b->meta) + op->draw, n = b->n;
    if (nb_bodies_number(b))
        return -1;
    unsigned char *mask = malloc((size_t)n + 1);
    const uint64_t count = mask ? nb_sample_mask(b, op->fraction, edit_options.seed, draw, mask) : 0;
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
    op->fraction = tool_share(o->name, text);
    for (int k = 0; k < edit_options.count; k++)
        op->draw += edit_options.ops[k].apply == apply_sample;
    op->apply = apply_sample;
    edit_options.samples = true;
}
