/* field.h - the fields of a table's line: how people call them, and which column of a stream each is.
 *
 * A scalar column is one field of its name, a vector column three: NAME_x NAME_y NAME_z. Names are understood in any
 * case, and those that everybody has in the forms that are about: m, Masses; x, pos_x, X_pos; vx, v_x, vel_x; ID. A
 * unit may stand behind in brackets, as x[kpc]. */
#ifndef NBCONV_FIELD_H
#define NBCONV_FIELD_H

#include "nbconv.h"

#include <stdbool.h>

#define FIELDS_MAX 192 /* 64 vectors */

enum field_role { FIELD_COLUMN, FIELD_SKIP, FIELD_FRAME, FIELD_TIME };

struct field {
    enum field_role role;
    char column[NB_NAME_MAX];
    int component;          /* 0 1 2 of a vector, -1 for a scalar */
    char unit[NB_NAME_MAX]; /* in brackets; "" for none */
    /* set by the table that takes the values: */
    enum nb_type type;
    int at, low_at; /* columns of the frame; -1: none */
    bool any;       /* NaN, infinities and nothing at all are values too */
    bool guessed;   /* of whole numbers only as long as no other has come */
    double factor;  /* of the numbers that stand there */
};

/* What a name stands for. False where it is no name, such as a number. "" is a field to skip. */
bool field_parse(const char *name, struct field *field);
/* Cuts a line into words, at `separator` or for ' ' at blanks and tabs; without the quotes around one, and the blanks.
 * Returns their number, or `most` + 1 where there are more. */
int field_split(char *line, char separator, char **words, int most);
/* What separates the words of a line: a comma, a semicolon, or ' ' for blanks and tabs. */
char field_separator(const char *line);
/* Whether the words that blanks or semicolons separate are numbers with decimal commas. */
bool field_has_decimal_commas(const char *line);
/* Whether the word is a number, be it none that is finite. */
bool field_is_number(const char *word);
/* Whether the word stands for a value that is not there: "", NA, null. */
bool field_is_missing(const char *word);
/* The factor from a unit in brackets to that of a column of these powers of M, L and T, in a system of units that has
 * sizes. 0 where the unit is not understood, or is one of something else. */
double field_unit_factor(const char *unit, const double powers[3], const struct nb_units *to);

#endif
