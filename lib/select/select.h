/* select.h - selects bodies by a condition on their columns, as users write it, and computes expressions of columns.
 *
 *   condition = and { "||" and }             and = least { "&&" least }
 *   least     = "!" least | "(" condition ")" | components | number OP number     OP = == != < <= > >=
 *   number    = sums, products (+ - * / %), powers (^, right-associative), unary - and +, abs sqrt log10 exp log
 *               sin cos floor min max atan2
 *
 * A number may contain parentheses. Its operands are names and decimal constants such as 1e-3. A constant may be
 * followed by k M G Ki Mi or Gi. The names are:
 *
 *   a column of width 1; for a column of width 3 its length; NAME.x NAME.y NAME.z are its components
 *   x y z vx vy vz ax ay az are components of pos, vel and acc, r and speed are lengths of pos and vel, m is mass
 *   other halo disk bulge star hole planet gas are the numbers of these components in the column `component`
 *
 * If a column has one of these names, the name means the column. A list such as "disk,star" in place of a condition
 * means component == disk || component == star.
 *
 * Numbers are doubles. A column of type u64 is compared with a number or another such column exactly, and its remainder
 * (%) by an integer is exact. Comparisons with NaN are false, including !=. x % y has the sign of x. */
#pragma once

#include "base/bodies.h"

#define NB_SELECT_LENGTH ((size_t)64 << 10) /* maximum size of the text of a condition, bytes */
#define NB_SELECT_DEPTH  200                /* maximum depth of nested parentheses and unary signs */

struct nb_select;

/* Parses a condition. Returns NULL after nb_fail, with errno ENOMEM if there is no memory. The message gives the
 * position of the error, counted from 1, and what is expected there. The caller frees the result. */
struct nb_select *nb_select_parse(const char *text);
void nb_select_free(struct nb_select *s); /* NULL is allowed */

/* Sets mask[i] to 1 if the condition is true for body i, otherwise to 0. Sets *count to the number of bodies for which
 * it is true. The result is identical for any number of threads. Returns 0, or -1 after nb_fail if there is no memory
 * or the condition contains a name that is not a column. In the latter case, the message lists the columns. */
int nb_select_apply(const struct nb_select *s, const struct nb_bodies *b, unsigned char *mask, uint64_t *count);

/* Returns the name of the column for a short name such as vx, or NULL if `name` is not a short name. Sets *axis to 0, 1
 * or 2 for a component of the column, such as vx. Sets *axis to -1 for the length of a vector (r, speed) and for m. */
const char *nb_select_short_name(const char *name, int *axis);

/* Parses the text from text[place] to its end: an expression of numbers, or `expression if condition`. Returns the
 * expression. Sets *condition to the condition, or to NULL if there is no `if`. The caller frees both results. On
 * error, returns NULL after nb_fail, with a message as from nb_select_parse. */
struct nb_select *nb_select_parse_number(const char *text, size_t place, struct nb_select **condition);
/* Computes value[i] of an expression of numbers for each body i. Returns 0, or -1 after nb_fail: there is no memory, a
 * name is not a column, or a double cannot hold a u64 value above 2^53 exactly. */
int nb_select_compute(const struct nb_select *s, const struct nb_bodies *b, double *value);
/* If the expression is the name of a u64 column, or a minus sign and this name, returns the column and sets *negative
 * to whether there is a minus sign. Returns NULL for any other expression. */
const struct nb_column *nb_select_whole(const struct nb_select *s, const struct nb_bodies *b, bool *negative);

/* Copies the `count` bodies i with mask[i] != 0 from `from` to `to`, with all columns and header values. The bodies
 * remain in the order that they have in `from`. The caller initialises `to` before the first call and frees it, also
 * after a failure. Returns 0, or -1 if there is no memory. */
int nb_select_take(const struct nb_bodies *from, const unsigned char *mask, uint64_t count, struct nb_bodies *to);
