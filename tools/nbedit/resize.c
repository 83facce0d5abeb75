/* resize.c - --resize scales lengths, masses, velocities and times; --time shifts times. */
#include "nbedit.h"

#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- units of columns ---- */

/* Parses a unit such as L^2/T^2 as powers of M, L and T. Returns false if it has another form. */
static bool take_unit(const char *at, int power[3])
{
    static const char letters[] = "MLT";
    memset(power, 0, 3 * sizeof *power);
    for (int sign = 1; *at; sign = *at == '/' ? -1 : 1, at += *at == '/' || *at == '*' || *at == '.') {
        const char *letter = strchr(letters, *at);
        long exponent = 1;
        if (!letter)
            return false;
        if (*++at == '^') {
            char *end;
            exponent = strtol(at + 1, &end, 10);
            if (end == at + 1 || labs(exponent) > 99)
                return false;
            at = end;
        }
        power[letter - letters] += sign * (int)exponent;
        if (sign < 0 && *at && *at != '/')
            return false; /* ambiguous: in M/L*T, T may belong to the divisor */
    }
    return true;
}

static double factor_of(const struct edit_op *op, double time, const int power[3])
{
    return pow(op->mass, power[0]) * pow(op->length, power[1]) * pow(time, power[2]);
}

static int resize_vector(struct nb_bodies *b, const char *name, double factor)
{
    struct edit_affine t = edit_affine_none();
    for (int k = 0; k < 3; k++)
        t.m[k][k] = factor;
    return edit_transform(b, name, &t);
}

static int resize_column(struct edit_op *op, struct nb_bodies *b, struct nb_column *c, double time)
{
    const struct nb_known *known = nb_column_known(c->name);
    const char *unit = known ? known->unit : c->unit;
    int power[3];
    if (strcmp(unit, "-") == 0 || strcmp(c->name, "pos_lo") == 0 || strcmp(c->name, "vel_lo") == 0)
        return 0;
    if (!nb_type_is_real(c->type) || !take_unit(unit, power)) {
        edit_say(op, EDIT_SAID_OTHER, "column '%s', of %s with the unit '%s', stays as it is", c->name,
                 nb_type_name(c->type), unit);
        return 0;
    }
    if (strcmp(c->name, "pos") == 0 || strcmp(c->name, "vel") == 0)
        return resize_vector(b, c->name, factor_of(op, time, power));
    return edit_multiply(b, c, factor_of(op, time, power));
}

/* ---- the header ---- */

/* Scales the lengths and times in the header. `time`: factor of all times except the dynamical time. The dynamical time
 * depends on masses and lengths only, so its factor is op->length / own. `own`: factor of the velocities that
 * self-gravity causes, sqrt(op->mass / op->length). */
static int resize_header(const struct edit_op *op, struct nb_meta *meta, double time, double own)
{
    meta->dynamical_time *= op->length / own;
    meta->softening *= op->length;
    meta->dt *= time;
    meta->dt_asked *= time;
    meta->time *= time;
    meta->origin *= time;
    meta->every *= time;
    if (!isfinite(meta->softening) || !isfinite(meta->dt) || !isfinite(meta->dt_asked) || !isfinite(meta->time) ||
        !isfinite(meta->origin) || !isfinite(meta->every) || !isfinite(meta->dynamical_time))
        return nb_fail("softening or times are out of range");
    return 0;
}

static int apply_resize(struct edit_op *op, struct nb_bodies *b)
{
    const double own = sqrt(op->mass / op->length), speed = isnan(op->speed) ? own : op->speed;
    const double time = op->length / speed;
    if (edit_check_free(b))
        return -1;
    if (nb_scene_is_touching(&b->meta))
        return nb_fail("colliding disks cannot be resized, because their contact law is for one size");
    if (!(time > 0 && isfinite(time)))
        return nb_fail("times would be multiplied by %g, which is out of range (choose other factors)", time);
    if (!(fabs(speed - own) <= 1e-12 * own))
        edit_spoil(op, b, EDIT_MASS);
    edit_spoil_pairs(op, b);
    for (int k = 0; k < b->column_count; k++)
        if (resize_column(op, b, &b->columns[k], time))
            return -1;
    edit_say(op, EDIT_SAID_THIRD, "lengths times %g, masses %g, velocities %g, times %g", op->length, op->mass, speed,
             time);
    struct edit_change change = edit_change_none();
    change.length = op->length, change.mass = op->mass, change.speed = speed, change.time = time;
    return edit_change_events(b, &change) || resize_header(op, &b->meta, time, own) ? -1 : 0;
}

/* Parses a factor such as "length=2" at *at and moves *at after it. Returns false if it is invalid. */
static bool take_factor(struct edit_op *op, const char **at)
{
    double *const values[] = {&op->length, &op->mass, &op->speed};
    static const char *const keys[] = {"length=", "mass=", "velocity="};
    for (int k = 0; k < 3; k++)
        if (strncmp(*at, keys[k], strlen(keys[k])) == 0) {
            *at += strlen(keys[k]);
            return isnan(*values[k]) && edit_take_numbers(at, values[k], 1) && *values[k] > 0;
        }
    return false;
}

void edit_take_resize(const struct tool_option *o, const char *text)
{
    struct edit_op *op = edit_op_add(o, text);
    const char *at = text;
    bool good = true;
    op->length = op->mass = op->speed = NAN;
    do
        good = good && take_factor(op, &at);
    while (good && *at == ',' && *++at);
    if (!good || *at || at[-1] == ',')
        die_usage("--%s %s: expected one or more of length=F, mass=F and velocity=F with factors above 0", o->name,
                  text);
    op->length = isnan(op->length) ? 1 : op->length;
    op->mass = isnan(op->mass) ? 1 : op->mass;
    op->apply = apply_resize;
}

/* ---- time ---- */

static int apply_time(struct edit_op *op, struct nb_bodies *b)
{
    if (edit_check_timeless(b))
        return -1;
    if (!op->later && !(op->later = calloc((size_t)edit_options.input_count, sizeof *op->later)))
        return nb_fail("no memory");
    double *later = &op->later[edit_options.input];
    const bool first = edit_options.frame == 0;
    if (first)
        *later = op->length - b->meta.time;
    b->meta.time = first ? op->length : b->meta.time + *later;
    b->meta.origin += *later;
    struct edit_change change = edit_change_none();
    change.later = *later;
    if (!(isfinite(b->meta.time) && isfinite(b->meta.origin)))
        return nb_fail("the time is out of range");
    return edit_change_events(b, &change);
}

void edit_take_time(const struct tool_option *o, const char *text)
{
    struct edit_op *op = edit_op_add(o, text);
    op->length = tool_number(o->name, text);
    op->apply = apply_time;
}
