/* Writes the number of bodies, the step number and the errors of momentum and angular momentum, in lines below the
 * time. */
#include "nbrender/overlay/overlay.h"

#include "base/memory.h"

#include <inttypes.h>

#define LINE   64 /* maximum number of bytes of a line, including its NUL */
#define LINES  4
#define HEIGHT 1.4 /* (distance between base lines) / (size of the text that shows the time) */

void numbers_note(struct numbers *n, const struct nb_bodies *b, bool with_errors)
{
    struct nb_measures m = {0};
    struct number now = {.time = b->meta.time, .n = b->n, .step = b->meta.step};
    const struct nb_fields nothing = {NULL};
    if (n->count > 0 && n->of[n->count - 1].time == now.time)
        return;
    if (with_errors) {
        must(nb_measure(b, &nothing, NB_ABOUT_NOTHING, &m));
        must(nb_measure_book(&b->meta, &m));
    }
    if (n->count == 0)
        n->first = m.momenta;
    now.momentum_error = nb_measure_momentum_error(&m, &n->first);
    now.angular_momentum_error = nb_measure_angular_momentum_error(&m, &n->first);
    n->of = claimed(nb_memory_grow(n->of, n->count, sizeof *n->of), "no memory for the numbers of frames");
    n->of[n->count++] = now;
}

const struct number *numbers_at(const struct numbers *n, double time)
{
    size_t at = n->count - 1;
    while (at > 0 && fabs(n->of[at - 1].time - time) < fabs(n->of[at].time - time))
        at--;
    return &n->of[at];
}

/* Writes "NAME = ERROR", with the minus sign of a negative error but without a plus sign. */
static void put_error(char line[LINE], const char *name, double error)
{
    char number[ROUNDING_TEXT];
    rounding_print_error(number, error);
    snprintf(line, LINE, "%s = %s", name, number + (*number == '+'));
}

/* Writes a line of text for each flag in `shown`. Returns the number of lines. */
static int print_lines(char line[LINES][LINE], const struct number *now, unsigned shown)
{
    int count = 0;
    if (shown & OVERLAY_BODIES)
        snprintf(line[count++], LINE, "n = %" PRIu64, now->n);
    if (shown & OVERLAY_STEP)
        snprintf(line[count++], LINE, "step %" PRIu64, now->step);
    if (shown & OVERLAY_MOMENTUM)
        put_error(line[count++], "\xce\x94P/\xce\xa3m|v|", now->momentum_error);
    if (shown & OVERLAY_ANGULAR)
        put_error(line[count++], "\xce\x94L/\xce\xa3m|r||v|", now->angular_momentum_error);
    return count;
}

void part_numbers(struct canvas *c, const struct number *now, unsigned shown)
{
    char line[LINES][LINE];
    const int count = print_lines(line, now, shown);
    const double apart = round(HEIGHT * c->em), x = c->margin;
    /* distance from the base line of the time down to the base line of line[0], so that the texts do not overlap */
    const double below = ceil(c->text->depth + 0.5 * c->em + c->small->height) + 1;
    const double y = canvas_first_line(c) + (shown & OVERLAY_TIME ? below : 0), last = y + (count - 1) * apart;
    double wide = 0;
    for (int k = 0; k < count; k++)
        wide = fmax(wide, text_width(c->small, line[k]));
    if (!canvas_take(c, (struct canvas_box){x, y - c->small->height, x + wide, last + c->small->depth}))
        return;
    for (int k = 0; k < count; k++)
        canvas_write(c, c->small, x, y + k * apart, TEXT_LEFT, line[k]);
}
