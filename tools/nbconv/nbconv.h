/* nbconv.h - declarations for all files of nbconv: the table of formats, the options, units and types of particles.
 *
 * A format is an entry in formats.c with an importer and an exporter. If a function fails, it calls nb_fail and returns
 * -1 (int) or NULL (pointer), unless its comment says otherwise. main.c then ends the program. */
#pragma once

#include "common/tool.h"

struct conv_options {
    /* Format of the input and format of the output. NULL stands for a stream of nbtools. One of the two is always
     * NULL. */
    const struct conv_format *from, *to;
    const char *from_name, *to_name; /* names of the formats, as given or guessed */
    const char *input;               /* name of the first input file; NULL: stdin */
    const char *columns, *fields;    /* values of --columns and --fields; NULL: not given */
    enum nb_type store;              /* type of real numbers in the written stream: NB_F32 or NB_F64 */
    /* --store quad was given: the stream also has the rounding errors of positions and velocities, in columns such as
     * pos_lo */
    bool quad;
    const char *units;           /* value of --units; NULL: not given */
    struct nb_meta meta;         /* values of --G --softening --time --units, for the headers of the written frames */
    uint64_t steps;              /* value of --steps */
    double length_cgs, mass_cgs; /* values of --length-unit and --mass-unit in cgs units; 0: not given */
    const char *type_map;        /* value of --type-map; NULL: not given */
    char endian;                 /* --endian: 'n' native, 'l' little, 'b' big; 0 if not given */
    bool list, json;             /* whether --list-formats and --json were given */
};

struct conv_import { /* state of an import */
    const struct conv_options *options;
    struct tool_output *output;
    struct nb_snap_writer *writer;
};

struct conv_export { /* state of an export */
    const struct conv_options *options;
    struct tool_output *output;
    int64_t frame; /* number of the frame in the input, for a comment line in text formats; -1: no comment line */
    bool first;    /* true: this frame is the first one in `output` */
};

#define CONV_TABLES_MAX 4

struct conv_format {
    const char *name, *about;
    /* Suffix of file names that selects the format, without the dot. For example, "txt" selects the format `text`. The
     * name of the format is always such a suffix, too: a file NAME.text is also in the format `text`. NULL: no suffix
     * except the name. */
    const char *suffix;
    const char *missing; /* error message if this build of nbconv cannot use the format; NULL: it can */
    const void *dialect; /* variant of the format, read by `from` and `to`; NULL: no variants */
    /* NULL-terminated lists of tables of options. The user may give options in from_options if nbconv reads the format,
     * and options in to_options if nbconv writes it. Formats may share tables. */
    const struct tool_option *from_options[CONV_TABLES_MAX], *to_options[CONV_TABLES_MAX];
    /* Reads the file (NULL: stdin) and passes each frame to conv_import_frame. Returns -1 after nb_fail. */
    int (*from)(struct conv_import *import, const char *path);
    /* Writes frame b. Returns -1 after nb_fail if the format cannot store the frame. Ends the program if the output
     * cannot be written. */
    int (*to)(const struct conv_export *e, const struct nb_bodies *b);
    bool quad;    /* true: the format supports --store quad */
    bool several; /* true: the user may give several input files, which are read one after the other */
    bool binary;  /* true: must not be written to a terminal */
    /* true: a file of the format contains only one frame. If there are several frames, the name of the output must
     * contain %d. The output cannot be stdout. The function `to` may open the output file by its name
     * (tool_output_part). */
    bool file_alone;
};

extern const struct conv_format conv_formats[]; /* the last element has the name NULL */
/* Returns the format called `name`, or NULL if there is no such format. */
const struct conv_format *conv_format_find(const char *name);

/* ---- options ---- */

/* Tables of options that several formats share. */
extern const struct tool_option conv_header_options[];  /* --G --softening --time --units */
extern const struct tool_option conv_columns_options[]; /* --columns */
extern const struct tool_option conv_fields_options[];  /* --fields */
/* --length-unit and --mass-unit, with values such as 3.5kpc and 1e10Msun */
extern const struct tool_option conv_physical_options[];
extern const struct tool_option conv_type_map_options[]; /* --type-map NAME=TYPE,... */
extern const struct tool_option conv_endian_options[];   /* --endian native|little|big */
extern const struct tool_option conv_steps_options[];    /* --steps */
/* conv_own_options: options that do not depend on the format. conv_store_options: options for all formats that nbconv
 * converts to a stream (--from). */
extern const struct tool_option conv_own_options[], conv_store_options[];
extern struct conv_options conv_given; /* values of the options that the user gave */
/* Prints the formats and exits. */
noreturn void conv_list_formats(bool json);
void conv_options_name_formats(void); /* lists formats in the help of --from and --to */
/* Parses the command line. Dies with a usage error if it is invalid. */
void conv_options_parse(struct conv_options *o, int argc, char **argv);

/* conv_misused marks a failure as an error of the command line, so that nbconv exits with 2. It returns its argument:
 * `return conv_misused(nb_fail(...))`. conv_is_misused returns whether a failure was marked. */
int conv_misused(int failed);
bool conv_is_misused(void);

/* ---- frames ---- */

/* Copies `own`, the header values of the file, to `meta`. Then replaces units, G, softening and time by the values of
 * the options --units, --G, --softening and --time that the user gave. --units also replaces G. */
int conv_import_header(const struct conv_import *import, const struct nb_meta *own, struct nb_meta *meta);
/* Returns the units given by --units, or the file's own units if the option was not given. */
struct nb_units conv_units(const struct conv_import *import, const struct nb_meta *own);
/* Checks a frame, adds this run to its history, and writes the frame to the stream. All real columns of b must be f64;
 * with `--store f32` the function converts them. `where`: name of the frame in messages. */
int conv_import_frame(struct conv_import *import, struct nb_bodies *b, const char *where);
/* Allocates the columns of a frame for b->n bodies. First checks whether there is enough memory, because a damaged file
 * can contain a wrong number of bodies. `where`: name of the frame in the message. */
int conv_alloc(struct nb_bodies *b, const char *where);
/* Sets the element with index `at` of a column of whole numbers (u8, u32 or u64) to `value`. */
void conv_set_whole(const struct nb_column *c, uint64_t at, uint64_t value);
/* If all bodies have the same softening, stores it in the header and removes the column softening. */
void conv_one_softening(struct nb_bodies *b);
/* Writes bytes to the output. Ends the program if writing fails. */
void conv_write(struct tool_output *output, const void *bytes, size_t size);
/* Prints, once in a run, which columns and header values are lost because the format cannot store them. `kept`: names
 * of the columns that the format can store, such as "mass|pos|vel". */
void conv_say_lost(const struct nb_bodies *b, const char *kept, const char *format);

/* ---- units ---- */

/* Returns the size in cgs of [NUMBER]UNIT, such as 3.5kpc or Msun. Allows units of mass if `dimension` is 0, and units
 * of length if it is 1. Dies with a usage error if the text is invalid. */
double conv_parse_size(const char *option, const char *text, int dimension);

struct conv_physical { /* units in cgs */
    double mass, length, time;
};

/* Computes the stream's units of mass, length and time in cgs, for formats with physical units. If the header contains
 * the sizes of these units, uses them; a different --length-unit or --mass-unit is an error. If the header has no sizes
 * (code units), the user must give --length-unit L and --mass-unit M. The unit of time T is then computed from the
 * header's G: T^2 = L^3 / M * G / NB_G_CGS. */
int conv_physical(const struct conv_options *o, const struct nb_meta *meta, struct conv_physical *p);
/* Writes the name of the unit M^powers[0] L^powers[1] T^powers[2] to `unit`, in the form that nb_unit_powers reads (for
 * example L^2/T^2). Writes "-" if all powers are 0, or if one of them is not a whole number from -99 to 99. */
void conv_unit_name(const double powers[3], char unit[NB_NAME_MAX]);
/* Returns mass^powers[0] * length^powers[1] * time^powers[2], where mass, length and time are members of *factors. */
double conv_power(const struct conv_physical *factors, const double powers[3]);
/* Returns (size of `unit`) / (size of the corresponding unit in `to`). `unit` is a text such as "km/s". Returns 0 if
 * `unit` is unknown, or if its powers of M, L and T differ from `powers`. `to` must contain the sizes of its units in
 * cgs. */
double conv_unit_factor(const char *unit, const double powers[3], const struct nb_units *to);

/* ---- types of particles, as numbered by GADGET and TIPSY ---- */

#define CONV_TYPES 6 /* number of types: 0 gas, 1 halo, 2 disk, 3 bulge, 4 star, 5 black hole */

/* Sets types[c] to the particle type of component c (enum nb_component): the type given by --type-map, or the default
 * type of the component. */
int conv_type_map(const struct conv_options *o, int types[NB_COMPONENTS]);
/* Returns types[component], or types[NB_OTHER] if the number `component` is not in enum nb_component. */
int conv_type_of(const int types[NB_COMPONENTS], unsigned component);
/* Sorts the bodies by group. Bodies of particle type t are in group number group[t]. Within a group, bodies keep the
 * order of the stream. Returns the sorted indices of the bodies, to be freed by the caller, or NULL after nb_fail. Sets
 * count[g] to the number of bodies of group g. */
uint64_t *conv_order_by_type(const struct conv_options *o, const struct nb_bodies *b, const int group[CONV_TYPES],
                             int groups, uint64_t *count);
/* Returns the component of imported particles of type `type`: the first component c with types[c] == type, or NB_OTHER
 * if there is none. */
enum nb_component conv_component_of(const int types[NB_COMPONENTS], int type);
