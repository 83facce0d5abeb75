/* Plots the energy error against time. */
#include "nbrender/overlay/overlay.h"

#define LEAST 1e-16 /* minimum range of the error axis; smaller errors are below the accuracy of doubles */
#define LABEL 64    /* maximum number of bytes of the plot's label */
#define SHADE 0.5   /* opacity of the plot's background */

struct plot {
    struct canvas_box box;    /* rectangle in which the curve is drawn */
    double begin, end, range; /* begin, end: first and last time; the axis of errors goes from -range to range */
};

static double range_of(const struct energies *e, size_t count)
{
    double most = LEAST;
    for (size_t i = 0; i < count; i++)
        if (isfinite(e->error[i]))
            most = fmax(most, fabs(e->error[i]));
    return rounding_up(most);
}

static void draw_frame(struct canvas *c, const struct canvas_box *b)
{
    double thin = fmax(c->em / 20, 1), zero = round(0.5 * (b->y0 + b->y1 - thin));
    draw_rectangle(c->picture, b->x0 - thin, b->y0, b->x0, b->y1, canvas_ink, CANVAS_FAINT);
    draw_rectangle(c->picture, b->x0, zero, b->x1, zero + thin, canvas_ink, CANVAS_FAINT);
}

/* Writes the points of the curve, in pixels, to at[], and returns their number. Omits points closer than a quarter of a
 * pixel to the previous point, except the last point. */
static size_t trace(const struct plot *p, const struct energies *e, size_t count, double (*at)[2])
{
    size_t n = 0;
    double middle = 0.5 * (p->box.y0 + p->box.y1), high = 0.5 * (p->box.y1 - p->box.y0);
    for (size_t i = 0; i < count; i++) {
        double share = p->end != p->begin ? (e->time[i] - p->begin) / (p->end - p->begin) : 0;
        double x = p->box.x0 + share * (p->box.x1 - p->box.x0), y = middle - e->error[i] / p->range * high;
        bool far = n == 0 || !(fabs(x - at[n - 1][0]) < 0.25 && fabs(y - at[n - 1][1]) < 0.25);
        if (far || i + 1 == count) {
            at[n][0] = x;
            at[n++][1] = isfinite(e->error[i]) ? y : (double)NAN;
        }
    }
    return n;
}

static void draw_curve(struct canvas *c, const struct plot *p, const struct energies *e, size_t count)
{
    double(*at)[2] = claimed(malloc(count * sizeof *at), "no memory for the curve of %zu energies", count);
    size_t n = trace(p, e, count, at);
    float *opacity = claimed(malloc(n * sizeof *opacity), "no memory for the curve of %zu energies", count);
    for (size_t i = 0; i < n; i++)
        opacity[i] = 0.9f;
    draw_polyline(c->picture, (const double(*)[2])at, opacity, n, fmax(c->em / 12, 1.2), canvas_ink);
    free(opacity);
    free(at);
}

/* Writes the plot's label to label[]: "dE/E", with a Greek delta as the first letter. If the energy change is not
 * divided by |E0|, the label names the divisor, for example "dE of 0.01 (K0 + |W0 + X0|)". */
static void print_label(char label[LABEL], const struct energies *e)
{
    const char *divisor = nb_measure_energy_divisor(&e->first);
    snprintf(label, LABEL, "\xce\x94%s%s", "E", *divisor ? divisor : "/E");
}

/* Writes the range of errors at the ends of the axis, and the current error above the plot. */
static void write_numbers(struct canvas *c, const struct plot *p, const char *label, double now)
{
    char number[ROUNDING_TEXT], line[ROUNDING_TEXT + 16];
    double x = p->box.x0 - 0.4 * c->em, half = 0.5 * c->small->height;
    rounding_print_short(number, p->range);
    snprintf(line, sizeof line, "+%s", number);
    canvas_write(c, c->small, x, p->box.y0 + half, TEXT_RIGHT, line);
    rounding_print_short(number, -p->range);
    canvas_write(c, c->small, x, p->box.y1 + half, TEXT_RIGHT, number);
    canvas_write(c, c->small, x, 0.5 * (p->box.y0 + p->box.y1) + half, TEXT_RIGHT, "0");
    double above = p->box.y0 - 0.6 * c->em;
    canvas_write(c, c->small, p->box.x0, above, TEXT_LEFT, label);
    rounding_print_error(number, now);
    canvas_write(c, c->small, p->box.x1, above, TEXT_RIGHT, number);
}

void part_energy(struct canvas *c, const struct energies *e, size_t count)
{
    const double width = c->picture->width, height = c->picture->height;
    double right = round(width - c->margin), bottom = round(height - c->margin - 0.5 * c->small->height);
    char label[LABEL];
    print_label(label, e);
    const double letters = text_width(c->small, label) + text_width(c->small, "+5.0e-10") + 0.5 * c->em;
    double wide = round(fmax(fmax(0.16 * fmin(width, height * 16 / 9), 7 * c->em), letters));
    double high = round(0.13 * height);
    static const uint16_t dark[3];
    struct plot p = {.box = {right - wide, bottom - high, right, bottom}};
    struct canvas_box all = {p.box.x0 - text_width(c->small, "+5e-10") - 0.4 * c->em,
                             p.box.y0 - 0.6 * c->em - c->small->height, right, height - c->margin};
    if (count == 0 || !canvas_take(c, all))
        return;
    p.begin = e->time[0];
    p.end = e->time[count - 1];
    p.range = range_of(e, count);
    draw_rectangle(c->picture, all.x0 - 0.5 * c->em, all.y0 - 0.5 * c->em, all.x1 + 0.5 * c->em, all.y1 + 0.5 * c->em,
                   dark, SHADE);
    draw_frame(c, &p.box);
    draw_curve(c, &p, e, count);
    write_numbers(c, &p, label, e->error[count - 1]);
}
