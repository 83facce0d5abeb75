/* number.h - binary numbers as the shortest decimal ones that are read back to the same bits, and of those the one
 * nearest to them. Method: R. Giulietti, "The Schubfach way to render doubles" (2020). */
#ifndef NBCONV_NUMBER_H
#define NBCONV_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_BYTES 32 /* of what these write, with a NUL behind it */

/* Write 0.1, -3, 1e300, 2.5e-7, inf, nan; the number of characters before the NUL. f32: read back by strtof. */
size_t number_print_f64(char *text, double value);
size_t number_print_f32(char *text, float value);
size_t number_print_u64(char *text, uint64_t value);

/* Whether a number whose first digit stands for 10^exponent is written with an exponent: 1e17, 1e-6. */
int number_is_scientific(int exponent);

#endif
