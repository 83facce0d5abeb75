/* nbstat.h - the parts of nbstat: options, inputs, measurements of a frame, and output of lines. */
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
    /* STAT_ROWS: a line for each frame. STAT_SPHERICAL, STAT_CYLINDRICAL: a line for each bin of radius. STAT_PAIRS: a
     * line for each bound pair. */
};

enum stat_form { STAT_TABS, STAT_CSV, STAT_JSON }; /* format of the printed lines */

#define STAT_RADII_MOST    32
#define STAT_PARAMS_MOST   32
#define STAT_GALAXIES_MOST 16

struct stat_options {
    const char *const *inputs; /* paths, "-" for stdin; at least one */
    int input_count;
    enum stat_form form;
    bool no_header;
    /* number of significant digits; 0: six on a terminal except in JSON, otherwise enough for the exact value */
    int digits;
    const char *params[STAT_PARAMS_MOST]; /* parameters of the run that become columns (--params) */
    int param_count;
    bool info, check;
    bool walls, mean, events;
    double after; /* with --walls: frames with an earlier simulated time are not used; NAN: not given */
    enum stat_potential potential;
    const char *device;
    double limit[STAT_ERRORS]; /* limits --max-de, --max-dp and --max-dl; NAN: not given */

    /* The following members are set by the options on structure (options_structure.c). */
    const char *columns; /* list of columns to print; NULL: all */
    enum nb_about about;
    bool spin;      /* --axis spin: the axis is the direction of the angular momentum */
    double axis[3]; /* direction of the axis given with --axis; not used if `spin` is set */
    double percents[STAT_RADII_MOST];
    int percent_count; /* number of percentages of --lagrange; 0: not given */
    bool modes, escaped, distance;
    double within; /* --modes measures bodies within this distance from the axis; infinite: not given */
    enum stat_kind kind;
    int bins;
    double range[2]; /* first and last edge of the bins; NAN: bins with equal numbers of bodies */
};

extern struct stat_options stat_given; /* set by the parser: the option tables point to its members */
/* Parses the command line. Dies with a usage error if an argument is invalid. */
void stat_options_parse(struct stat_options *o, int argc, char **argv);

/* Options for measurements of the structure of a system (options_structure.c). stat_structure_check dies with a usage
 * error if one of these options contradicts another option. */
extern const struct tool_option stat_table_structure[];
void stat_structure_check(const struct stat_options *o);

/* The modes of nbstat. Each function reads all inputs and returns the exit code. If an input is invalid, the function
 * reports this and continues with the next input. */
int stat_measure(const struct stat_options *o);
int stat_info(const struct stat_options *o);
int stat_check(const struct stat_options *o);
int stat_walls(const struct stat_options *o);
int stat_events(const struct stat_options *o);

/* Prints a frame as JSON, for --info --json. components[c]: number of bodies of component c. In info_json.c. */
void stat_info_json(FILE *f, const struct nb_snap_reader *r, const struct nb_bodies *b, const uint64_t components[256]);

/* ---- inputs (input.c) ---- */

/* stat_input_open opens an input ("-": stdin). stat_input_read, stat_input_skip and stat_input_verify return the
 * results of nb_snap_read, nb_snap_tally and nb_snap_verify. If the input is invalid, each of the four functions prints
 * a message and returns NULL or -1. */
struct nb_snap_reader *stat_input_open(const char *path);
int stat_input_read(struct nb_snap_reader *r, struct nb_bodies *b);
/* Reads the header and the list of columns of the next frame, and skips the values. Sets components[c] to the number of
 * bodies of component c (disk, halo, ...). */
int stat_input_skip(struct nb_snap_reader *r, struct nb_bodies *b, uint64_t components[256]);
int stat_input_verify(struct nb_snap_reader *r);

/* Returns the name of an input for reports, as one line of printable text. The caller frees it. */
char *stat_input_name(const struct nb_snap_reader *r);

/* ---- output (output.c) ---- */

struct stat_output {
    struct tool_output *file;
    FILE *text;       /* lines are printed to this stream; stat_output_flush makes them visible to readers */
    int error_number; /* errno of a failed write */
};

/* Opens the output (-o). Dies on failure. */
void stat_output_open(struct stat_output *out);
/* Writes what was printed since the last call. Dies on failure. */
void stat_output_flush(struct stat_output *out);
/* Closes the output file FILE.part. Renames it to FILE if `whole` is true (the output is complete). */
void stat_output_close(struct stat_output *out, bool whole);

/* ---- potentials and accelerations (potential.c) ---- */

enum { /* data that a column of the output needs, in addition to the columns of the frame */
       NEEDS_PHI = 1,
       NEEDS_ACC = 2,
       NEEDS_CENTRE = 4,
       NEEDS_FIRST = 8,   /* the first frame */
       NEEDS_MOTION = 16, /* velocity of the centre of mass of all bodies */
       NEEDS_CORE = 32,
       NEEDS_SEGREGATION = 64,
       NEEDS_PAIRS = 128,
};

struct stat_fields {
    struct nb_device *device;     /* NULL until needed */
    struct nb_device *cpu;        /* for quadruple precision, NULL until needed */
    const struct nb_force *force; /* method that computed the last potential */
    enum nb_precision precision;  /* precision of the last potential */
    double theta;                 /* --theta of the last potential, if `force` is a tree */
    struct nb_fields room;        /* allocated arrays, one for each quantity; NULL: not needed so far */
    uint64_t capacity;            /* maximum number of bodies that fit into the arrays */
    struct nb_fields found;       /* arrays with values of the current bodies; NULL: not computed for these bodies */
    struct nb_kept_fields kept;   /* external fields, kept so that their files are read once for all frames */
};

/* Computes the potentials (NEEDS_PHI) or accelerations (NEEDS_ACC) of the bodies, or both. p->found has the results
 * until the next call. Returns -1 after nb_fail. */
int stat_fields_find(struct stat_fields *p, const struct stat_options *o, const struct nb_bodies *b, unsigned needs);
/* Removes the values of bodies with mask[i] == 0 from p->found. n: number of bodies before the removal. */
void stat_fields_keep(struct stat_fields *p, const unsigned char *mask, uint64_t n);
void stat_fields_free(struct stat_fields *p);
/* Returns whether the bodies have self-gravity. This depends on the forces that the header names; if it names none,
 * returns true. */
bool stat_has_gravity(const struct nb_bodies *b);

/* ---- the bodies of a frame (sample.c) ---- */

struct stat_sample {
    struct nb_bodies all;      /* all bodies of the frame, as read */
    struct nb_bodies selected; /* bodies that --select selects */
    const struct nb_bodies *b; /* the bodies to measure: `all` or `selected`; NULL: no body is selected */
    double velocity[3];        /* velocity of the centre of mass of all bodies, if needed */
    struct nb_bodies part;     /* work space for the bodies of one galaxy */
};

/* stat_sample_init initialises an empty sample. stat_sample_free frees its memory. */
void stat_sample_init(struct stat_sample *s);
void stat_sample_free(struct stat_sample *s);
/* Checks s->all and selects bodies from it. Computes potentials (if `needs` has NEEDS_PHI) and accelerations (if it has
 * NEEDS_ACC) of the selected bodies in the field of all bodies. Returns -1 after nb_fail. */
int stat_sample_take(struct stat_sample *s, struct stat_fields *fields, const struct stat_options *o, unsigned needs);
/* Computes the centre and orientation of the measured bodies. `m` contains the measures of these bodies. Returns -1
 * after nb_fail. */
int stat_sample_pose(const struct stat_sample *s, const struct stat_options *o, const struct nb_measures *m,
                     struct nb_pose *pose);

/* ---- options of a run as columns (params.c) ---- */

struct stat_params {
    char *value[STAT_PARAMS_MOST]; /* values from the last call of stat_params_find; NULL: none */
    bool found[STAT_PARAMS_MOST];  /* true: a frame had a value of this option */
    uint64_t frames;
};

/* Parses the comma-separated names of --params. Dies with a usage error if a word is not a name. */
tool_take stat_params_take;
/* Finds the values of the options that --params names. If several tools in the history had the option, uses the value
 * of the last of these tools. If no tool had the option, takes G, softening, dt, dynamical_time and units from the
 * frame's header; other options have no value. */
void stat_params_find(struct stat_params *p, const struct stat_options *o, const struct nb_meta *meta);
/* Warns of names in --params for which no frame had a value. Frees memory. */
void stat_params_end(struct stat_params *p, const struct stat_options *o);

/* ---- rows (row.c, distance.c) ---- */

struct stat_cluster { /* NAN if there is no value */
    double core_radius, segregation, relaxation_time;
    uint64_t binaries, hard_binaries;
    double binary_share;  /* (number of binaries) / (number of single stars and binaries) */
    double binary_axis;   /* median semi-major axis of binaries */
    double binary_energy; /* sum of binding energies of binaries */
};

struct stat_row { /* values of a frame; NAN or infinite: unknown value */
    const char *file;
    int64_t frame;
    double time;
    const char *params[STAT_PARAMS_MOST]; /* values of the options that --params names; NULL: no value known */
    struct nb_measures m;
    double energy;                 /* sum of kinetic, potential and external energy */
    double virial;                 /* virial ratio (nb_measure_virial); NAN if accelerations are unknown */
    double energy_error;           /* relative energy error (nb_measure_energy_error) */
    const char *energy_divisor;    /* text that names the divisor of energy_error; "" if this is |E0| */
    double momentum_error;         /* |P - P0| / sum m |v|, where P0 is the momentum in the first frame */
    double angular_momentum_error; /* |L - L0| / sum m |x| |v|, where L0 is the angular momentum in the first frame */
    /* reason why a quantity is not conserved; its error is then NAN. NULL: the quantity is conserved */
    const char *changed_by[STAT_ERRORS];
    double radii[STAT_RADII_MOST]; /* radii of --lagrange */
    struct nb_modes modes;
    struct nb_escaped escaped;
    struct stat_cluster cluster;
    bool galaxies[STAT_GALAXIES_MOST];                       /* [k]: galaxy k is in the frame (--distance) */
    double distance[STAT_GALAXIES_MOST][STAT_GALAXIES_MOST]; /* distances from galaxy i to galaxy j > i */
    double speed[STAT_GALAXIES_MOST][STAT_GALAXIES_MOST];    /* relative speeds of galaxies i and j > i */
};

/* Measures the bodies s->b and stores the results in *row. `needs`: flags of the data that the printed columns need
 * (NEEDS_PHI, ...). Returns -1 after nb_fail. */
int stat_row_measure(struct stat_row *row, struct stat_sample *s, const struct nb_fields *fields,
                     const struct stat_options *o, unsigned needs);
/* Computes the energy from row->m. Computes the errors by comparison with *first, the row of the first frame. `first`
 * may be `row` itself. */
void stat_row_derive(struct stat_row *row, const struct stat_row *first);
/* Names of the conserved quantities, such as "angular momentum", and of the options that limit their errors, such as
 * "--max-dl". */
extern const char *const stat_error_names[STAT_ERRORS], *const stat_limit_names[STAT_ERRORS];
/* Finds the quantities that are not conserved according to the header of a frame. Sets changed_by[k] to the reason why
 * quantity k is not conserved, or to NULL if it is conserved. Returns -1 after nb_fail. In kept.c. */
int stat_kept_find(const struct nb_meta *meta, const char *changed_by[STAT_ERRORS]);
/* Prints to stderr which quantities are not conserved, unless -q was given. Omits the energy if `with_energy` is
 * false. */
void stat_kept_say(const struct stat_row *row, bool with_energy);
/* Dies if the options set a limit for a quantity that is not conserved. */
void stat_kept_refuse(const struct stat_row *row, const struct stat_options *o);
/* Measures distances and relative speeds of the galaxies of a frame. Returns -1 after nb_fail. In distance.c. */
int stat_distance_measure(struct stat_row *row, struct stat_sample *s, const struct stat_options *o);

/* ---- bins (radial.c) ---- */

struct stat_bin { /* a line of --radial */
    const char *file;
    int64_t frame;
    double time;
    const char *params[STAT_PARAMS_MOST];
    uint64_t number; /* number of the bin, from 0 */
    struct nb_profile_bin p;
};

/* Measures the sample in bins of radius. Sets *count, at most o->bins, and fills bins[]. Returns -1 after nb_fail. */
int stat_radial_measure(const struct stat_sample *s, const struct nb_fields *fields, const struct stat_options *o,
                        struct nb_profile_bin *bins, int *count);

/* ---- clusters (cluster.c) ---- */

struct stat_pair { /* a line of --binaries */
    const char *file;
    int64_t frame;
    double time;
    const char *params[STAT_PARAMS_MOST];
    const char *kind; /* binary, triple or quadruple */
    uint64_t id[2];   /* ids of the two bodies, or their indices if there is no column id */
    struct nb_pair p;
};

/* Computes the members of row->cluster that `needs` selects, from the bodies b and their measures row->m. Returns -1
 * after nb_fail. */
int stat_cluster_measure(struct stat_row *row, const struct nb_bodies *b, unsigned needs);
/* Finds the bound pairs of the bodies. Finds none if b is NULL or the bodies have no self-gravity. The caller frees
 * `pairs` even on failure. Returns -1 after nb_fail. */
int stat_cluster_pairs(const struct nb_bodies *b, struct nb_pairs *pairs);
/* Sets line->kind, line->id and line->p from a pair of the bodies b. */
void stat_cluster_line(struct stat_pair *line, const struct nb_bodies *b, const struct nb_pair *pair);

/* ---- columns (columns.c) and lines (table.c) ---- */

enum stat_type {              /* C type of the value of a column: */
                 STAT_NAME,   /* the value is a const char * */
                 STAT_PARAM,  /* a const char *; NULL: no value. In JSON, numeric text is printed without quotes */
                 STAT_FRAME,  /* the value is an int64_t */
                 STAT_COUNT,  /* the value is a uint64_t */
                 STAT_NUMBER, /* the value is a double */
};

struct stat_column {
    char name[32];
    const char *parts; /* for a vector: names of its components, separated by tabs; otherwise NULL */
    enum stat_type type;
    size_t offset; /* offset of the value in the struct with the values of a line, such as struct stat_row */
    int width;     /* number of components, 1 or 3 */
    unsigned needs;
    bool extra; /* printed only if --columns names it */
};

struct stat_columns {
    struct stat_column *of;
    int count;
    unsigned needs;
    bool chosen; /* true: --columns was given */
};

/* Offers the names of all columns to the shell completion of --columns. */
void stat_columns_offer(void);
/* Makes the columns that the options ask for, in the order in which they are printed. Dies with a usage error if
 * --columns names an unknown column. */
void stat_columns_make(struct stat_columns *c, const struct stat_options *o);
/* Adds the columns of each pair of galaxies, unless --columns was given. */
void stat_columns_add_pairs(struct stat_columns *c, const bool galaxies[STAT_GALAXIES_MOST]);
/* Looks at the columns for pairs of galaxies (--distance). Returns the name of the first of them that is NAN in this
 * row, or NULL if all have values. */
const char *stat_columns_missing_pair(const struct stat_columns *c, const struct stat_row *row);

struct stat_print {
    FILE *file;
    enum stat_form form;
    int digits;
    bool header_due;
    bool aligned;   /* true: columns are padded with spaces, for people */
    bool no_names;  /* no header line */
    int name_width; /* width of the longest input name */
};

/* Prepares printing with the options o. Columns are aligned if the output is a terminal. `out` must stay open. */
void stat_print_begin(struct stat_print *p, const struct stat_options *o, const struct stat_output *out);
/* Prints the names of the columns, unless they were printed before or --no-header was given. */
void stat_print_names(struct stat_print *p, const struct stat_columns *c);
/* Prints a line. Before the first line of a table, prints the names of its columns. */
void stat_print_line(struct stat_print *p, const struct stat_columns *c, const void *line);
/* Prints the tab-separated fields of a line, padded with spaces so that columns are aligned. In align.c. */
void stat_print_aligned(const struct stat_print *p, const struct stat_columns *c, const char *line);
/* Writes `value` with the smallest number of significant digits (at most 17) from which strtod returns this value. */
void stat_shortest(char text[32], double value);

/* ---- errors (worst.c) ---- */

struct stat_worst { /* largest errors so far */
    struct stat_mark {
        char *file; /* NULL: no error yet */
        int64_t frame;
        double value;        /* value of the error, with its sign */
        const char *divisor; /* text printed after the value: names the divisor if it is not |E0|; "" for momenta */
    } of[STAT_ERRORS];
    uint64_t rows;     /* number of printed frames, without the first frame of each file */
    uint64_t frames;   /* number of printed frames */
    double begin, end; /* earliest and latest time of the frames */
    double drift;      /* energy error of the last frame */
    const char *drift_divisor;
    bool with_energy; /* energies were measured */
};

/* Updates *w with the errors of a frame. `is_first`: this is the frame to which all errors are relative. */
void stat_worst_note(struct stat_worst *w, const struct stat_row *row, bool is_first);
/* Prints the largest errors to stderr, unless -q was given. */
void stat_worst_say(const struct stat_worst *w, const struct stat_options *o);
/* Returns TOOL_OK if all errors are within their limits. Otherwise prints the error with the largest ratio (error /
 * limit), and returns TOOL_CHECK_FAILED. */
int stat_worst_judge(const struct stat_worst *w, const struct stat_options *o);
void stat_worst_free(struct stat_worst *w);
