/* text.h - text with a line a body: its dialects, the fields of a line, and the numbers in them.
 *
 * Functions that return int return 0, or -1 after nb_fail, unless said otherwise. */
#pragma once

#include "nbconv/input.h"

struct text_dialect {
    const char *comment;   /* begins a line that is no body */
    const char *separator; /* between the fields that are written */
    bool table;         /* names stand there once, without a comment; the number of a frame and its time are fields */
    bool header;        /* lines of comment carry the stream's header */
    const char *fields; /* of every line, for lines without names; NULL: a line says */
    const char *more_fields;            /* of every line that has one more; NULL: none has */
    const struct nb_unit_system *units; /* that the numbers are in; NULL: the header's */
};

/* The first line of a text with a header, behind its comment. */
#define TEXT_MAGIC "nbs 1 text"

int text_from(struct conv_import *import, const char *path);
int text_to(const struct conv_export *e, const struct nb_bodies *b);

/* Forms in which a line is one value of a body, a mass or a vector, and numbers are separated by white space of any
 * kind. rosetta's: `G n steps', then of each body its mass, its position and its velocity. That of J. Barnes's treecode
 * (zeno): the number of bodies, 3, the time, all masses, all positions, all velocities; snapshots one behind the other.
 */
int rosetta_from(struct conv_import *import, const char *path);
int rosetta_to(const struct conv_export *e, const struct nb_bodies *b);
int zeno_from(struct conv_import *import, const char *path);
int zeno_to(const struct conv_export *e, const struct nb_bodies *b);

/* ---- numbers ----
 *
 * Binary numbers as the shortest decimal ones that are read back to the same bits, and of those the one nearest to
 * them. Method: R. Giulietti, "The Schubfach way to render doubles" (2020). */

#define NUMBER_BYTES 32 /* of what these write, with a NUL behind it */

/* Write 0.1, -3, 1e300, 2.5e-7, inf, nan; the number of characters before the NUL. f32: read back by strtof. */
size_t number_print_f64(char *text, double value);
size_t number_print_f32(char *text, float value);
size_t number_print_u64(char *text, uint64_t value);
/* The value of a column, at that place among its numbers; real ones times factor. */
size_t number_print_value(char *text, const struct nb_column *c, uint64_t at, double factor);

/* Writes digits, of which the first stands for 10^exponent; none are 0. 0.00123, 12.3 or 12300; 1e17 and 1e-6. */
size_t number_place(char *text, bool negative, const char *digits, int count, int exponent);

/* Decimal numbers and pairs of doubles whose sum they are: what a column and its low part hold. */
#define DECIMAL_BYTES 48 /* of what decimal_print writes, with a blank behind it */

/* The double next to what the text exceeds `high` by, where that is the double next to the text: of 800 digits, the
 * others count as one. 0 for what is no decimal number, such as hexadecimal ones. */
double decimal_rest(const char *text, double high);

/* Writes high + low with the fewest of 31 to 36 digits from which decimal_rest gets the same pair back, or with 36:
 * then the sum is the same in 113 bits. Returns the number of characters before the NUL. */
size_t decimal_print(char *text, double high, double low);

/* ---- fields: how people call them, and which column of a stream each is ----
 *
 * A scalar column is one field of its name, a vector column three: NAME_x NAME_y NAME_z. Names are understood in any
 * case, and those that everybody has in the forms that are about: m, Masses; x, pos_x, X_pos; vx, v_x, vel_x; ID. A
 * unit may stand behind in brackets, as x[kpc]. */

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
/* The name for messages: of the column, frame or time. */
const char *field_name(const struct field *field);
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

/* ---- lines of values on their way into frames: the columns of a frame grow as lines come ---- */

struct table { /* begins as zeros with import and in set */
    struct conv_import *import;
    struct lines *in;
    struct field fields[FIELDS_MAX];
    int field_count;         /* 0: not known yet */
    struct nb_bodies header; /* what the text says of its frames, with columns without data; begins as
                                nb_bodies_init leaves it */
    bool has_header;         /* the header is a whole one, and says which columns there are */
    struct nb_bodies bodies; /* the columns that the fields make, with room for `capacity` bodies */
    uint64_t n, capacity;    /* bodies taken, of this frame */
    uint64_t frames;         /* given away */
    double time;
    bool time_known; /* of this frame, by a line or a field */
    double frame_number;
    int direction; /* in which frames' numbers, or their times, go: 1, -1, 0 for not known */
};

/* Makes columns of t->fields: each vector whole, each field once, and what a stream needs. */
int table_layout(struct table *t);
/* The word as the number of field k. */
int table_take_real(const struct table *t, int k, const char *word, double *value);
/* The word goes into the column of field k, for body t->n. */
int table_take_value(struct table *t, int k, const char *word);
/* Takes a body from the words of a line, one for each field; ends the frame before where a field says so. */
int table_take(struct table *t, char *const *words);
/* Gives the frame away, if there is one, and begins the next with the same fields. */
int table_end_frame(struct table *t);
void table_free(struct table *t);

/* ---- frames on their way into lines of values: which columns, by which names, and the lines of all bodies ---- */

struct table_column {
    const struct nb_column *column;
    const struct nb_column *low; /* further digits of it, or NULL */
    double factor;               /* of its values, 1 for none */
};

struct table_to {
    struct table_column columns[NB_COLUMNS_MAX];
    int count;
    bool numbered;         /* the body's number comes first, as an id */
    bool all;              /* --columns all */
    bool fixed;            /* the form says which columns */
    const char *separator; /* between fields */
    const char *prefix;    /* of every line; NULL: none */
};

/* The columns that --columns names; without it mass, pos and vel behind the id, which the body's number replaces where
 * there is none, then the others that do not follow from these. `fixed`: pos, vel, mass and radius alone. Fails if a
 * column is not there. */
int table_to_choose(struct table_to *t, const struct conv_options *o, const struct nb_bodies *b, bool fixed);
/* Sets the factor to units of which one of the stream's is so many. */
void table_to_convert(struct table_column *c, const struct conv_physical *factor);
/* A line that names the frame's columns that are not written, unless the user chose. */
void table_to_say_left(const struct table_to *t, const struct nb_bodies *b);
/* The line of names behind `comment` (NULL: without one); m x y z vx vy vz where `brief`, else those of the stream. */
#define TABLE_NAMES_BYTES (3 * NB_COLUMNS_MAX * (NB_NAME_MAX + 4))
void table_to_names(const struct table_to *t, char names[TABLE_NAMES_BYTES], const char *comment, bool brief);
/* Writes the bodies. */
int table_to_write(const struct table_to *t, const struct nb_bodies *b, struct tool_output *output);
