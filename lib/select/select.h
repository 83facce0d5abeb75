/* select.h - which bodies: a condition on their columns, as users write it, and the bodies for which it holds.
 *
 *   condition = and { "||" and }             and = least { "&&" least }
 *   least     = "!" least | "(" condition ")" | components | number OP number     OP = == != < <= > >=
 *   number    = sums, products (+ - * / %), powers (^, from the right), unary - and +, abs sqrt log10 exp log sin cos
 *               floor min max atan2
 *
 * with parentheses in numbers too. A number is decimal (1e-3), perhaps with one of k M G Ki Mi Gi behind it, or a NAME:
 *
 *   a column of one value; a column of three is its length, and NAME.x NAME.y NAME.z are its parts
 *   x y z vx vy vz ax ay az are parts of pos, vel and acc, r and speed their lengths, m is mass
 *   other halo disk bulge star hole planet gas are the numbers of components
 *
 * where a column of that very name comes first. A list of components where a condition is wanted, "disk,star", stands
 * for component == disk || component == star.
 *
 * Numbers are doubles, but a column of u64 is compared with a number or with another exactly, and so is its remainder
 * (%) by a whole number. A comparison with NaN does not hold, that by != neither. x % y has the sign of x. */
#pragma once

#include "base/bodies.h"

#define NB_SELECT_LENGTH ((size_t)64 << 10) /* bytes of a text */
#define NB_SELECT_DEPTH  200                /* parentheses and signs within one another */

struct nb_select;

/* Reads a condition. NULL after nb_fail, which names the place, from character 1, and what is wanted there; or with
 * errno ENOMEM. */
struct nb_select *nb_select_parse(const char *text);
void nb_select_free(struct nb_select *s); /* NULL is allowed */

/* Says in mask[n] of each body whether the condition holds (1 or 0), and in *count of how many. Equal for any number of
 * threads. -1 after nb_fail: there is no such column, which names those that are there, or no memory. */
int nb_select_apply(const struct nb_select *s, const struct nb_bodies *b, unsigned char *mask, uint64_t *count);

/* The column that a short name such as vx stands for, *axis 0, 1 or 2 of it, or -1: its length or only value. NULL: it
 * is no short name. */
const char *nb_select_short_name(const char *name, int *axis);

/* Reads text from character `place` (from 0) on as a number, or as `number if condition` with *condition not NULL,
 * which without an `if` is NULL. NULL as nb_select_parse; both are the caller's to free. */
struct nb_select *nb_select_parse_number(const char *text, size_t place, struct nb_select **condition);
/* Computes value[n] of a number for each body. -1 after nb_fail: as nb_select_apply, or it has a u64 above 2^53, which
 * double rounds. */
int nb_select_compute(const struct nb_select *s, const struct nb_bodies *b, double *value);
/* The u64 column that a number is and nothing else, *negative where it stands behind a minus; else NULL. */
const struct nb_column *nb_select_whole(const struct nb_select *s, const struct nb_bodies *b, bool *negative);

/* Makes `to` (initialised; its allocations are reused where they fit) the bodies with mask[i] != 0, `count` of them, in
 * their order, with all columns and header values. -1: no memory; `to` can then be freed. */
int nb_select_take(const struct nb_bodies *from, const unsigned char *mask, uint64_t count, struct nb_bodies *to);
