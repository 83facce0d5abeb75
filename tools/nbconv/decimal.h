/* decimal.h - decimal numbers and pairs of doubles whose sum they are: what a column and its low part hold. */
#ifndef NBCONV_DECIMAL_H
#define NBCONV_DECIMAL_H

#include <stddef.h>

#define DECIMAL_BYTES 48 /* of what decimal_print writes, with a blank behind it */

/* The double next to what the text exceeds `high` by, where that is the double next to the text: of 800 digits, the
 * others count as one. 0 for what is no decimal number, such as hexadecimal ones. */
double decimal_rest(const char *text, double high);

/* Writes high + low with the fewest of 31 to 36 digits from which decimal_rest gets the same pair back, or with 36:
 * then the sum is the same in 113 bits. Returns the number of characters before the NUL. */
size_t decimal_print(char *text, double high, double low);

#endif
