/* text.h - reads and writes text files with one line for each body.
 *
 * Functions that return int return 0, or -1 after nb_fail, unless noted. */
#pragma once

#include "nbconv/input.h"

struct text_dialect {
    const char *comment;   /* text that begins a comment line */
    const char *separator; /* text between written fields */
    /* true: the first line of the file contains the names of the fields, without a comment sign. Every later line
     * contains the number and the time of its frame */
    bool table;
    bool header;        /* comment lines contain the stream's header */
    const char *fields; /* names of the fields; NULL: the names come from the file or a default */
    /* names used if the lines have one field more than `fields`; NULL: such lines are an error */
    const char *more_fields;
    const struct nb_unit_system *units; /* units of the numbers; NULL: the units in the header */
};

/* If a text has a header, its first line consists of the comment sign, a space and this text. */
#define TEXT_MAGIC "nbs 1 text"

/* text_from implements conv_format.from, and text_to implements conv_format.to, for these text files. */
int text_from(struct conv_import *import, const char *path);
int text_to(const struct conv_export *e, const struct nb_bodies *b);

/* Formats in which each line has one quantity of one body: a mass or a vector. White space separates the numbers.
 *
 *   rosetta  the first line contains three numbers: G, the number of bodies, and the number of steps. After it, each
 *            body has three lines: its mass, its position, and its velocity
 *   zeno     (J. Barnes's treecode) each snapshot begins with three lines: the number of bodies, the number 3, and the
 *            time. After them follow all masses, then all positions, then all velocities */
int rosetta_from(struct conv_import *import, const char *path);
int rosetta_to(const struct conv_export *e, const struct nb_bodies *b);
int zeno_from(struct conv_import *import, const char *path);
int zeno_to(const struct conv_export *e, const struct nb_bodies *b);

/* ---- numbers ----
 *
 * Prints a binary number as the shortest decimal number that is read back to the same bits. If there are several,
 * prints the nearest one. Method: R. Giulietti, "The Schubfach way to render doubles" (2020). */

#define NUMBER_BYTES 32 /* maximum bytes of the text of a number, including its NUL */

/* These functions write the shortest text from which strtod (f64) or strtof (f32) returns `value` again: 0.1, -3,
 * 1e300, 2.5e-7, inf or nan. They return the number of characters before the NUL. */
size_t number_print_f64(char *text, double value);
size_t number_print_f32(char *text, float value);
size_t number_print_u64(char *text, uint64_t value);
/* Writes element `at` of a column with number_print_f64, number_print_f32 or number_print_u64. A real value is first
 * multiplied by `factor`. */
size_t number_print_value(char *text, const struct nb_column *c, uint64_t at, double factor);

/* Writes the number d.ddd * 10^exponent, whose digits dddd are the `count` characters in `digits`. The last digit must
 * not be '0'. Uses fixed notation (0.00123, 12.3, 12300), or scientific notation (1e-6, 1e17) if the absolute value is
 * below 1e-5 or at least 1e17. */
size_t number_place(char *text, bool negative, const char *digits, int count, int exponent);

/* In the two functions below, a number is the sum of two doubles: `high`, the value of a column such as pos, and `low`,
 * its rounding error, which is stored in a second column such as pos_lo. */
#define DECIMAL_BYTES 48 /* maximum bytes of the text of decimal_print and a space after it */

/* Returns the low part of the number in `text`: the double nearest to the number minus `high`. `high` must be the
 * double nearest to the number. Returns 0 if the text is not decimal, for example hexadecimal.
 *
 * Reads only the first 800 digits. If a later digit is not 0, the last of these 800 digits is made odd (1 is added to
 * an even digit). Without this change, a number slightly above the midpoint between two doubles would be rounded like
 * the midpoint. */
double decimal_rest(const char *text, double high);

/* Writes high + low with 31 digits. If strtod and decimal_rest would not return the same pair from this text, writes
 * more digits, up to 36. 36 digits preserve the first 113 bits of the sum. Returns the number of characters before
 * the NUL. */
size_t decimal_print(char *text, double high, double low);

/* ---- names of fields, and the column of each ----
 *
 * A field with the name of a scalar column has the values of this column. A vector column has three fields: NAME_x
 * NAME_y NAME_z. Case is ignored, and common columns have several names: m, Masses; x, pos_x, X_pos; vx, v_x, vel_x;
 * ID. A unit may follow in brackets: x[kpc]. */

#define FIELDS_MAX 192 /* maximum number of fields of a line: 64 vectors */

enum field_role { FIELD_COLUMN, FIELD_SKIP, FIELD_FRAME, FIELD_TIME };

struct field {
    enum field_role role;
    char column[NB_NAME_MAX];
    int component;          /* component of a vector, 0 to 2; -1: a scalar */
    char unit[NB_NAME_MAX]; /* unit in brackets after the field's name; "": no unit */
    /* table_layout sets the members below for a field that belongs to a column: */
    enum nb_type type;
    /* at: index, in the frame, of the field's column. low_at: index of the column with the rounding errors of that
     * column, such as pos_lo for pos; -1: none */
    int at, low_at;
    bool any;      /* NaN, infinities and missing values are accepted */
    bool guessed;  /* the type is an integer because all numbers read so far are integers; it may change to f64 */
    double factor; /* every number of this field that is read is multiplied by this factor */
};

/* Parses a field's name. Returns false if `name` is not a name, for example a number. The name "" marks a field whose
 * values are skipped. */
bool field_parse(const char *name, struct field *field);
/* Returns the name of a field for messages: "frame", "time", or the name of its column. */
const char *field_name(const struct field *field);
/* Splits a line into words at `separator`, or at spaces and tabs if it is ' '. Removes quotes and spaces around a word.
 * Returns the number of words, or `most` + 1 if the line has more than `most` words. */
int field_split(char *line, char separator, char **words, int most);
/* Returns the separator of a line: a comma, a semicolon, or ' ' for spaces and tabs. */
char field_separator(const char *line);
/* Returns whether the words of a line, separated by spaces or semicolons, are numbers, some with a decimal comma. */
bool field_has_decimal_commas(const char *line);
/* Returns whether the word is a number, finite or not. */
bool field_is_number(const char *word);
/* Returns whether the word is "", NA, N/A, null or NULL, which mean that a value is missing. */
bool field_is_missing(const char *word);

/* ---- reading: lines of values become frames, whose columns grow with the lines ---- */

/* State of reading a text: its fields and the current frame. Before the first use, the caller sets all members to 0,
 * sets `import` and `in`, and calls nb_bodies_init for `header` and `bodies`. */
struct table {
    struct conv_import *import;
    struct lines *in;
    struct field fields[FIELDS_MAX];
    int field_count; /* number of fields; 0: not known yet */
    /* Header of the current frame. Its columns have no data. */
    struct nb_bodies header;
    bool has_header;         /* the text contains the complete header of the stream, with the names of the columns */
    struct nb_bodies bodies; /* columns read from the fields, with room for `capacity` bodies */
    uint64_t n, capacity;    /* n: number of bodies read into this frame; capacity: maximum n before memory grows */
    uint64_t frames;         /* number of frames passed to conv_import_frame */
    double time;
    bool time_known; /* a comment line or a field has set the time of this frame */
    double frame_number;
    int direction; /* 1: frame numbers (or times) increase from line to line; -1: they decrease; 0: unknown */
};

/* Makes columns from t->fields. Fails if
 *   - a field occurs twice;
 *   - a common vector (such as pos) does not have three fields;
 *   - a column that every stream needs (such as pos) is missing. */
int table_layout(struct table *t);
/* Sets *value to the number in `word`, the text of field k. */
int table_take_real(const struct table *t, int k, const char *word, double *value);
/* Stores `word`, the text of field k, in the column of the field, for body t->n. */
int table_take_value(struct table *t, int k, const char *word);
/* Reads a body from the words of a line; words[k] is the text of field k. Ends the current frame first if the number or
 * the time in the line shows that a new frame begins. */
int table_take(struct table *t, char *const *words);
/* Passes the frame to conv_import_frame, if it has bodies, and begins the next frame with the same fields. */
int table_end_frame(struct table *t);
void table_free(struct table *t);

/* ---- writing: columns to write, their names, and the lines of bodies ---- */

struct table_column {
    const struct nb_column *column;
    const struct nb_column *low; /* rounding errors of the column (such as pos_lo), or NULL */
    double factor;               /* factor by which the column's values are multiplied */
};

struct table_to {
    struct table_column columns[NB_COLUMNS_MAX];
    int count;
    bool numbered;         /* true: the stream has no ids; each body's index is written as id, the first field */
    bool all;              /* true: --columns all was given */
    bool fixed;            /* true: the format prescribes which columns are written */
    const char *separator; /* text between fields */
    const char *prefix;    /* text at the beginning of every line; NULL: none */
};

/* Chooses the columns that --columns names. Without --columns, chooses pos, vel, mass and radius if `fixed` is true. If
 * `fixed` is false, chooses id (or the index of the body), mass, pos, vel, and other columns that cannot be derived
 * from these. Fails if a column named by --columns does not exist. */
int table_to_choose(struct table_to *t, const struct conv_options *o, const struct nb_bodies *b, bool fixed);
/* Sets c->factor, which converts values of the column from the stream's units to the units of the text. `factor` has
 * the factors for masses, lengths and times. */
void table_to_convert(struct table_column *c, const struct conv_physical *factor);
/* Prints the names of columns that are not written, unless the user chose the columns. */
void table_to_say_left(const struct table_to *t, const struct nb_bodies *b);
#define TABLE_NAMES_BYTES (3 * NB_COLUMNS_MAX * (NB_NAME_MAX + 4))
/* Sets `names` to a line with the comment sign `comment` (NULL: no sign) and the names of the columns. Uses short names
 * (m x y z vx vy vz) if `brief` is true, otherwise the names in the stream. */
void table_to_names(const struct table_to *t, char names[TABLE_NAMES_BYTES], const char *comment, bool brief);
/* Writes the lines of all bodies. */
int table_to_write(const struct table_to *t, const struct nb_bodies *b, struct tool_output *output);
