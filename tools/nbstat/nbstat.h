/* nbstat.h - the parts of nbstat: options, inputs, where lines go, the three things it can do with an input. */
#ifndef NBSTAT_H
#define NBSTAT_H

#include "measure.h"
#include "tool.h"

#include <stdio.h>

enum stat_potential { POTENTIAL_AUTO, POTENTIAL_DIRECT, POTENTIAL_TREE, POTENTIAL_COLUMN, POTENTIAL_NONE };

struct stat_options {
    const char **inputs; /* paths, "-" for stdin; at least one; to be freed */
    int input_count;
    bool json, info, check;
    enum stat_potential potential;
    const char *device;
    double max_de, max_dp, max_dl; /* NaN where not asked for */
};

void stat_options_parse(struct stat_options *o, int argc, char **argv);
/* As on the command line; where it is computed, the method of the force. */
const char *stat_potential_name(enum stat_potential potential);

/* The three modes: each goes through all inputs, says what is wrong with one and goes on. Returns the exit code. */
int stat_measure(const struct stat_options *o);
int stat_info(const struct stat_options *o);
int stat_check(const struct stat_options *o);

/* ---- inputs (input.c) ---- */

/* As tool_input_open and nb_snap_read and so on, but what is wrong with an input is said and does not end the tool:
 * NULL, -1. */
struct nb_snap_reader *stat_input_open(const char *path);
int stat_input_read(struct nb_snap_reader *r, struct nb_bodies *b);
int stat_input_skip(struct nb_snap_reader *r, struct nb_bodies *b, uint64_t components[256]); /* bodies of each */
int stat_input_verify(struct nb_snap_reader *r);

/* The name of an input as a report has it: one line of printable text. The caller's to free. */
char *stat_input_name(const struct nb_snap_reader *r);

/* ---- output (output.c) ---- */

struct stat_output {
    struct tool_output *file;
    FILE *text;       /* print to this, then flush, so that whoever reads sees it at once */
    int error_number; /* of a write that failed */
};

void stat_output_open(struct stat_output *out);
/* Writes what was printed since the last time; dies on failure. */
void stat_output_flush(struct stat_output *out);
/* Gives the file its name when it is `whole`; else what there is of it stays as FILE.part. */
void stat_output_close(struct stat_output *out, bool whole);

/* ---- rows (row.c, table.c) ---- */

struct stat_row { /* what is reported of a frame; NaN or infinite where it has no value */
    const char *file;
    int64_t frame;
    double time;
    struct nb_measures m;
    double energy;                 /* kinetic + potential + external */
    double virial;                 /* nb_measure_virial; NaN where accelerations are not known */
    double energy_error;           /* nb_measure_energy_error */
    double momentum_error;         /* |P - P0| / sum m |v| */
    double angular_momentum_error; /* |L - L0| / sum m |x| |v| */
};

/* Computes what follows from m: the energy and, for the errors, from the row of the first frame (which may be the row
 * itself). */
void stat_row_derive(struct stat_row *row, const struct stat_row *first);
void stat_print_header(FILE *f); /* of the tab-separated table */
void stat_print_tsv(FILE *f, const struct stat_row *row);
void stat_print_json(FILE *f, const struct stat_row *row);

/* ---- limits (limits.c) ---- */

struct stat_excess { /* the worst so far; option NULL: none */
    const char *option, *what;
    char *file;
    int64_t frame;
    double value, limit, ratio;
};

void stat_excess_note(struct stat_excess *worst, const struct stat_options *o, const struct stat_row *row);

/* ---- potentials and accelerations (potential.c) ---- */

struct stat_fields {
    struct nb_device *device;     /* NULL until it is needed */
    struct nb_device *cpu;        /* another one for quadruple precision, where it is needed */
    const struct nb_force *force; /* the last one that computed a potential, how precisely, and a tree's theta */
    enum nb_precision precision;
    double theta;
    struct nb_fields room;  /* arrays, */
    uint64_t capacity;      /* for so many bodies each */
    struct nb_fields found; /* what of them is known of the bodies */
};

/* Finds the fields at the bodies, p->found, kept until the next call. -1 after nb_fail. */
int stat_fields_find(struct stat_fields *p, const struct stat_options *o, const struct nb_bodies *b);
void stat_fields_free(struct stat_fields *p);

#endif
