/* rounding.h - round numbers, 1, 2 or 5 times a power of ten, and numbers as text. */
#ifndef NBRENDER_ROUNDING_H
#define NBRENDER_ROUNDING_H

#include <stddef.h>

/* The largest round number that is not above x, and the least that is not below it; x > 0 and finite. */
double rounding_down(double x);
double rounding_up(double x);
/* Digits behind the point that tell multiples of `step` from each other, 0 to 15. */
int rounding_decimals(double step);

#define ROUNDING_TEXT 40 /* bytes that a number takes at most, with its NUL */
/* A number with so many digits behind the point; with a power of ten where it is very large. A minus is U+2212, and 0
 * has none. */
void rounding_print(char text[ROUNDING_TEXT], double x, int decimals);
/* A number in three digits at most, without zeros at its end: 0.02, 500, 1e-07. */
void rounding_print_short(char text[ROUNDING_TEXT], double x);

/* With its sign, in two digits and a power of ten: +3.2e-06. */
void rounding_print_error(char text[ROUNDING_TEXT], double x);

#endif
