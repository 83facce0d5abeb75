/* nbstat.h - the parts of nbstat: options, inputs, what is measured of a frame, where lines go. */
#pragma once

#include "common/tool.h"
#include "measure/measure_cluster.h"
#include "measure/measure_structure.h"
#include "scene/events.h"

#include <stdio.h>

enum stat_potential { POTENTIAL_AUTO, POTENTIAL_DIRECT, POTENTIAL_TREE, POTENTIAL_COLUMN, POTENTIAL_NONE };

enum stat_error { STAT_ENERGY, STAT_MOMENTUM, STAT_ANGULAR_MOMENTUM, STAT_ERRORS };

enum stat_kind {
    STAT_ROWS,
    STAT_SPHERICAL,
    STAT_CYLINDRICAL,
    STAT_PAIRS
}; /* a line for each frame, for each bin of
      radius, or for each bound pair */

enum stat_form { STAT_TABS, STAT_CSV, STAT_JSON }; /* of lines */

#define STAT_RADII_MOST    32
#define STAT_PARAMS_MOST   32
#define STAT_GALAXIES_MOST 16

struct stat_options {
    const char *const *inputs; /* paths, "-" for stdin; at least one */
    int input_count;
    enum stat_form form;
    bool no_header;
    int digits;                           /* 0: as many as there are, six for people */
    const char *params[STAT_PARAMS_MOST]; /* options, or TOOL.OPTION, whose values are columns */
    int param_count;
    bool info, check;
    bool walls, mean, events;
    double after; /* NaN: from the first frame on */
    enum stat_potential potential;
    const char *device;
    double limit[STAT_ERRORS]; /* --max-de, --max-dp, --max-dl; NaN where not asked for */

    /* structure (options_structure.c) */
    const char *columns; /* a list, or NULL: all */
    enum nb_about about;
    bool spin;      /* the axis is that of the angular momentum, */
    double axis[3]; /* else this */
    double percents[STAT_RADII_MOST];
    int percent_count; /* 0: no --lagrange */
    bool modes, escaped, distance;
    double within; /* infinite where not asked for */
    enum stat_kind kind;
    int bins;
    double range[2]; /* NaN: from equal numbers of bodies */
};

extern struct stat_options stat_given; /* the tables' */
void stat_options_parse(struct stat_options *o, int argc, char **argv);

/* The options on structure, and what they exclude: dies. `own` is any of them. */
extern const struct tool_option stat_table_structure[];
void stat_structure_check(const struct stat_options *o);

/* The modes: each goes through all inputs, says what is wrong with one and goes on. Returns the exit code. */
int stat_measure(const struct stat_options *o);
int stat_info(const struct stat_options *o);
int stat_check(const struct stat_options *o);
int stat_walls(const struct stat_options *o);
int stat_events(const struct stat_options *o);

/* A frame's line of --info --json (info_json.c). */
void stat_info_json(FILE *f, const struct nb_snap_reader *r, const struct nb_bodies *b, const uint64_t components[256]);

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

/* ---- potentials and accelerations (potential.c) ---- */

enum { /* what a column is made from, besides sums */
       NEEDS_PHI = 1,
       NEEDS_ACC = 2,
       NEEDS_CENTRE = 4,
       NEEDS_FIRST = 8,   /* the first frame */
       NEEDS_MOTION = 16, /* of all bodies together */
       NEEDS_CORE = 32,
       NEEDS_SEGREGATION = 64,
       NEEDS_PAIRS = 128,
};

struct stat_fields {
    struct nb_device *device;     /* NULL until it is needed */
    struct nb_device *cpu;        /* another one for quadruple precision, where it is needed */
    const struct nb_force *force; /* the last one that computed a potential, how precisely, and a tree's theta */
    enum nb_precision precision;
    double theta;
    struct nb_fields room;      /* arrays, */
    uint64_t capacity;          /* for so many bodies each */
    struct nb_fields found;     /* what of them is known of the bodies */
    struct nb_kept_fields kept; /* external fields, for all frames */
};

/* Finds the fields that are needed at the bodies, p->found, kept until the next call. -1 after nb_fail. */
int stat_fields_find(struct stat_fields *p, const struct stat_options *o, const struct nb_bodies *b, unsigned needs);
/* Keeps those of the bodies with mask[i] != 0, of the n for which they were found. */
void stat_fields_keep(struct stat_fields *p, const unsigned char *mask, uint64_t n);
void stat_fields_free(struct stat_fields *p);
/* Returns whether the bodies act on each other: the header says so if it names forces; otherwise they do. */
bool stat_has_gravity(const struct nb_bodies *b);

/* ---- the bodies of a frame (sample.c) ---- */

struct stat_sample {
    struct nb_bodies all;      /* as they were read */
    struct nb_bodies selected; /* of them, with --select */
    const struct nb_bodies *b; /* those that are measured: one of these, or NULL: none is selected */
    double velocity[3];        /* of the centre of mass of all, where needed */
    struct nb_bodies part;     /* room for a galaxy */
};

void stat_sample_init(struct stat_sample *s);
void stat_sample_free(struct stat_sample *s);
/* Checks and selects s->all, and finds the fields of all at those that are measured. -1 after nb_fail. */
int stat_sample_take(struct stat_sample *s, struct stat_fields *fields, const struct stat_options *o, unsigned needs);
/* Where the bodies that were measured as m stand and how they are turned. -1 after nb_fail. */
int stat_sample_pose(const struct stat_sample *s, const struct stat_options *o, const struct nb_measures *m,
                     struct nb_pose *pose);

/* ---- what a run was made with (params.c) ---- */

struct stat_params {
    char *value[STAT_PARAMS_MOST]; /* of the frame last looked at; NULL where it has none */
    bool found[STAT_PARAMS_MOST];  /* in some frame */
    uint64_t frames;
};

/* Sets the params from a list with commas. Dies (usage) on what is no name. */
tool_take stat_params_take;
/* The values: of the last tool in the history that was given the option (its last line goes before), else of the
 * header's G, softening, dt and units. */
void stat_params_find(struct stat_params *p, const struct stat_options *o, const struct nb_meta *meta);
/* Warns of those that no frame had, and frees. */
void stat_params_end(struct stat_params *p, const struct stat_options *o);

/* ---- rows (row.c, distance.c) ---- */

struct stat_cluster { /* NaN where there is no value */
    double core_radius, segregation, relaxation_time;
    uint64_t binaries, hard_binaries;
    double binary_share;  /* of all systems, single stars and binaries */
    double binary_axis;   /* the median semi-major axis */
    double binary_energy; /* sum of the binding energies of binaries */
};

struct stat_row { /* what is reported of a frame; NaN or infinite where it has no value */
    const char *file;
    int64_t frame;
    double time;
    const char *params[STAT_PARAMS_MOST]; /* of --params; NULL: not in the history */
    struct nb_measures m;
    double energy;                 /* kinetic + potential + external */
    double virial;                 /* nb_measure_virial; NaN where accelerations are not known */
    double energy_error;           /* nb_measure_energy_error, */
    const char *energy_divisor;    /* nb_measure_energy_divisor */
    double momentum_error;         /* |P - P0| / sum m |v| */
    double angular_momentum_error; /* |L - L0| / sum m |x| |v| */
    const char
        *changed_by[STAT_ERRORS];  /* what changes it in such a system, whose error is NaN then; NULL: it is kept */
    double radii[STAT_RADII_MOST]; /* of --lagrange */
    struct nb_modes modes;
    struct nb_escaped escaped;
    struct stat_cluster cluster;
    bool galaxies[STAT_GALAXIES_MOST];                       /* which there are, with --distance, */
    double distance[STAT_GALAXIES_MOST][STAT_GALAXIES_MOST]; /* and how far i is from j > i, */
    double speed[STAT_GALAXIES_MOST][STAT_GALAXIES_MOST];    /* and how fast as seen from there */
};

/* Measures a sample, of which the columns need that. -1 after nb_fail. */
int stat_row_measure(struct stat_row *row, struct stat_sample *s, const struct nb_fields *fields,
                     const struct stat_options *o, unsigned needs);
/* Computes what follows from m: the energy and, for the errors, from the row of the first frame (which may be the row
 * itself). */
void stat_row_derive(struct stat_row *row, const struct stat_row *first);
/* For messages: "angular momentum" and "--max-dl". */
extern const char *const stat_error_names[STAT_ERRORS], *const stat_limit_names[STAT_ERRORS];
/* What changes energy and momenta, by a frame's header. -1 after nb_fail. (kept.c) */
int stat_kept_find(const struct nb_meta *meta, const char *changed_by[STAT_ERRORS]);
/* Says on stderr what is not kept, unless -q. */
void stat_kept_say(const struct stat_row *row, bool with_energy);
/* Dies where the options have a limit for it. */
void stat_kept_refuse(const struct stat_row *row, const struct stat_options *o);
int stat_distance_measure(struct stat_row *row, struct stat_sample *s, const struct stat_options *o);

/* ---- bins (radial.c) ---- */

struct stat_bin { /* a line of --radial */
    const char *file;
    int64_t frame;
    double time;
    const char *params[STAT_PARAMS_MOST];
    uint64_t number; /* from 0 */
    struct nb_profile_bin p;
};

/* Fills bins[o->bins], *count of them. -1 after nb_fail. */
int stat_radial_measure(const struct stat_sample *s, const struct nb_fields *fields, const struct stat_options *o,
                        struct nb_profile_bin *bins, int *count);

/* ---- clusters (cluster.c) ---- */

struct stat_pair { /* a line of --binaries */
    const char *file;
    int64_t frame;
    double time;
    const char *params[STAT_PARAMS_MOST];
    const char *kind; /* binary, triple or quadruple */
    uint64_t id[2];   /* of the column; without one the numbers of the bodies */
    struct nb_pair p;
};

/* What the row's columns need, of the bodies that were measured as row->m. -1 after nb_fail. */
int stat_cluster_measure(struct stat_row *row, const struct nb_bodies *b, unsigned needs);
/* The pairs of the measured bodies; none if no body is selected or they do not act on each other. -1 after nb_fail. The
 * caller frees in both cases. */
int stat_cluster_pairs(const struct nb_bodies *b, struct nb_pairs *pairs);
/* Sets kind, id and p of a line. */
void stat_cluster_line(struct stat_pair *line, const struct nb_bodies *b, const struct nb_pair *pair);

/* ---- columns (columns.c) and their lines (table.c) ---- */

enum stat_type {              /* of a value in the struct of a line: */
                 STAT_NAME,   /* const char * */
                 STAT_PARAM,  /* the same, NULL where there is none; a number in JSON where it is one */
                 STAT_FRAME,  /* int64_t */
                 STAT_COUNT,  /* uint64_t */
                 STAT_NUMBER, /* double */
};

struct stat_column {
    char name[32];
    const char *parts; /* names of the columns of a vector in a table, with tabs between; or NULL */
    enum stat_type type;
    size_t offset; /* in the struct of a line */
    int width;     /* 1 or 3 */
    unsigned needs;
    bool extra; /* only where --columns names it */
};

struct stat_columns {
    struct stat_column *of;
    int count;
    unsigned needs;
    bool chosen; /* by --columns */
};

/* For the completion of --columns. */
void stat_columns_offer(void);
/* Those of the options' lines, in their order. Dies (usage) where --columns names another. */
void stat_columns_make(struct stat_columns *c, const struct stat_options *o);
/* Adds those of each pair of galaxies, unless they were chosen. */
void stat_columns_add_pairs(struct stat_columns *c, const bool galaxies[STAT_GALAXIES_MOST]);
/* The name of one of them that has no value in a row, or NULL. */
const char *stat_columns_missing_pair(const struct stat_columns *c, const struct stat_row *row);

struct stat_print {
    FILE *file;
    enum stat_form form;
    int digits;
    bool header_due;
    bool aligned;   /* for people: columns of one width, with blanks between */
    bool no_names;  /* no header at all */
    int name_width; /* of the longest input */
};

void stat_print_begin(struct stat_print *p, const struct stat_options *o, const struct stat_output *out);
/* The names of the columns, unless they were printed or are not wanted. */
void stat_print_names(struct stat_print *p, const struct stat_columns *c);
/* A line, after the names of its columns where it is a table's first. */
void stat_print_line(struct stat_print *p, const struct stat_columns *c, const void *line);
/* The same of a line of tab-separated text, its columns aligned. align.c */
void stat_print_aligned(const struct stat_print *p, const struct stat_columns *c, const char *line);
/* The shortest digits that give the same double back. */
void stat_shortest(char text[32], double value);

/* ---- errors (worst.c) ---- */

struct stat_worst { /* the largest of each so far */
    struct stat_mark {
        char *file; /* NULL: none */
        int64_t frame;
        double value;        /* with its sign, */
        const char *divisor; /* and after it, as energy_divisor; "" for the momenta */
    } of[STAT_ERRORS];
    uint64_t rows;     /* with errors against another frame */
    uint64_t frames;   /* all that were shown, */
    double begin, end; /* between these times, */
    double drift;      /* and the energy error of the last, */
    const char *drift_divisor;
    bool with_energy; /* its errors were measured */
};

void stat_worst_note(struct stat_worst *w, const struct stat_row *row, bool is_first);
/* Says them on stderr, unless -q. */
void stat_worst_say(const struct stat_worst *w, const struct stat_options *o);
/* TOOL_OK, or TOOL_CHECK_FAILED after saying which exceeds its limit by the largest factor. */
int stat_worst_judge(const struct stat_worst *w, const struct stat_options *o);
void stat_worst_free(struct stat_worst *w);
