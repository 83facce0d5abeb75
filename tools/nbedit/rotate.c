/* rotate.c - --rotate: rotates all vectors about the origin. */
#include "nbedit.h"

#include "scene/scene.h"

#include <math.h>
#include <string.h>

static const nb_quad pi = NB_Q(3.14159265358979323846264338327950288);

/* Computes sine and cosine in quadruple precision, which the columns pos_lo and vel_lo of rotated bodies need. The
 * results are exact at multiples of 90 degrees. */
static void sin_cos(double degrees, nb_quad *s, nb_quad *c)
{
    const double turn = fmod(degrees, 360);
    const int quarters = (int)rint(turn / 90);
    const nb_quad x = ((nb_quad)turn - 90 * quarters) * (pi / 180);
    nb_quad sum[2] = {0, 1}, term = 1; /* sum: power series of sine and cosine */
    for (int n = 1; n < 34; n++) {
        term *= x / n;
        sum[(n + 1) % 2] += n % 4 < 2 ? term : -term;
    }
    const int q = (quarters % 4 + 4) % 4;
    *s = q == 0 ? sum[0] : q == 1 ? sum[1] : q == 2 ? -sum[0] : -sum[1];
    *c = q == 0 ? sum[1] : q == 1 ? -sum[0] : q == 2 ? -sum[1] : sum[0];
}

/* Returns the rotation by an angle about a unit vector (Rodrigues' formula). */
static struct edit_affine turn(const nb_quad u[3], double degrees)
{
    struct edit_affine t = {.d = {0}};
    nb_quad s, c;
    sin_cos(degrees, &s, &c);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) {
            const int other = 3 - k - j;
            const nb_quad across = k == j ? 0 : (j == (k + 1) % 3 ? -u[other] : u[other]);
            t.m[k][j] = (k == j ? c : 0) + s * across + (1 - c) * u[k] * u[j];
        }
    return t;
}

/* Returns the transformation that applies `first` and then t. */
static struct edit_affine product(const struct edit_affine *t, const struct edit_affine *first)
{
    struct edit_affine p = {.d = {0}};
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                p.m[k][j] += t->m[k][i] * first->m[i][j];
    return p;
}

/* ---- frames ---- */

/* Returns whether the column is a vector: real, of width 3, and with a known name or a unit. Other columns of width 3
 * may be colours. */
static bool is_vector(const struct nb_column *c)
{
    const struct nb_known *known = nb_column_known(c->name);
    const bool real = nb_type_is_real(c->type);
    return real && c->width == 3 && (known || strcmp(c->unit, "-") != 0);
}

static int apply_rotate(struct edit_op *op, struct nb_bodies *b)
{
    const struct edit_affine *t = &op->affine;
    if (edit_check_free(b))
        return -1;
    if (nb_scene_is_touching(&b->meta) && t->m[2][2] != 1)
        return nb_fail("its bodies are colliding disks in the plane z = 0, which can be rotated about z only");
    for (int k = 0; k < b->column_count; k++) {
        const struct nb_column *c = &b->columns[k];
        const bool is_low = strcmp(c->name, "pos_lo") == 0 || strcmp(c->name, "vel_lo") == 0;
        if (is_vector(c) && !is_low && edit_transform(b, c->name, t))
            return -1;
        if (c->width == 3 && !is_vector(c))
            edit_say(op, EDIT_SAID_OTHER, "column '%s' has no unit, so it is not rotated", c->name);
    }
    struct edit_change change = edit_change_none();
    for (int k = 0; k < 9; k++)
        change.turn[k / 3][k % 3] = (double)t->m[k / 3][k % 3];
    return edit_change_events(b, &change);
}

/* ---- the command line ---- */

/* Parses a rotation such as "z:30" (axis, degrees) at *at, and moves *at to its end. Changes *t so that it applies the
 * old *t first and then this rotation. Returns false if the text is invalid. */
static bool take_turn(const char **at, struct edit_affine *t)
{
    nb_quad u[3] = {0, 0, 0};
    double degrees;
    const char axis = **at;
    if (axis < 'x' || axis > 'z' || (*at)[1] != ':')
        return false;
    *at += 2;
    if (!edit_take_numbers(at, &degrees, 1))
        return false;
    u[axis - 'x'] = 1;
    const struct edit_affine next = turn(u, degrees);
    *t = product(&next, t);
    return true;
}

static bool take_turns(const char *at, struct edit_affine *t)
{
    *t = edit_affine_none();
    do
        if (!take_turn(&at, t))
            return false;
    while (*at == ',' && *++at);
    return !*at && at[-1] != ',';
}

/* Sets *t to a rotation such as "1,1,0:45" (direction of the axis, degrees). Returns false if the text is invalid. */
static bool take_direction(const char *at, struct edit_affine *t)
{
    double v[3], degrees;
    if (!edit_take_numbers(&at, v, 3) || *at++ != ':' || !edit_take_numbers(&at, &degrees, 1) || *at)
        return false;
    const double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    nb_quad u[3], square = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = largest > 0 ? (nb_quad)v[k] / largest : 0;
        square += u[k] * u[k];
    }
    for (int k = 0; k < 3; k++)
        u[k] *= nb_quad_rsqrt(square);
    *t = turn(u, degrees);
    return largest > 0;
}

void edit_take_rotate(const struct tool_option *o, const char *text)
{
    struct edit_op *op = edit_op_add(o, text);
    if (!take_turns(text, &op->affine) && !take_direction(text, &op->affine))
        die_usage("--%s %s: expected x:DEG, y:DEG, z:DEG, several of these, or a direction X,Y,Z:DEG", o->name, text);
    op->apply = apply_rotate;
}
