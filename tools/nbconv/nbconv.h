/* nbconv.h - declarations for all files of nbconv: the table of formats, the options, units and types of particles.
 *
 * A format is an entry in formats.c with an importer and an exporter. On failure, functions that return an int return
 * -1 after nb_fail, and functions that return a pointer return NULL, if no other value is mentioned. main.c then ends
 * the program. */
#pragma once

#include "common/tool.h"

struct conv_options {
    /* Format of the input and format of the output. One of them is NULL, which means a stream of nbtools, because
     * nbconv converts other formats to streams or streams to other formats. */
    const struct conv_format *from, *to;
    const char *from_name, *to_name; /* names of the formats, as given or guessed */
    const char *input;               /* name of the first input file; NULL: stdin */
    const char *columns, *fields;    /* values of --columns and --fields; NULL: not given */
    enum nb_type store;              /* type of real numbers in the written stream: NB_F32 or NB_F64 */
    /* --store quad: double precision, with columns for the low parts (rounding errors) of positions and velocities */
    bool quad;
    const char *units;           /* value of --units; NULL: not given */
    struct nb_meta meta;         /* values of --G --softening --time --units, for the headers of the written frames */
    uint64_t steps;              /* value of --steps */
    double length_cgs, mass_cgs; /* values of --length-unit and --mass-unit in cgs units; 0: not given */
    const char *type_map;        /* value of --type-map; NULL: not given */
    char endian;                 /* --endian: 'n' native, 'l' little, 'b' big; 0 if not given */
    bool list, json;             /* --list-formats, --json */
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
    const char *suffix;  /* suffix of file names, in addition to the format's name; NULL: none */
    const char *missing; /* why this program lacks the format; NULL: the program has it */
    const void *dialect; /* data for `from` and `to` that select a variant of the format; NULL: no variants */
    /* Tables of the format's options for reading and for writing, ended by NULL. Formats may share tables. nbconv
     * refuses an option if only other formats have it. */
    const struct tool_option *from_options[CONV_TABLES_MAX], *to_options[CONV_TABLES_MAX];
    /* Reads the file (NULL: stdin) and passes each frame to conv_import_frame. Returns -1 after nb_fail. */
    int (*from)(struct conv_import *import, const char *path);
    /* Writes one frame. Returns -1 after nb_fail if the format cannot store it. A failed write ends the program. */
    int (*to)(const struct conv_export *e, const struct nb_bodies *b);
    bool quad;    /* supports --store quad */
    bool several; /* can be read from several files, one after another */
    bool binary;  /* must not be written to a terminal */
    /* Each file contains only one frame. Several frames need an output name with %d, and stdout is refused. `to` may
     * open the output file itself, by the name that tool_output_part returns. */
    bool file_alone;
};

extern const struct conv_format conv_formats[]; /* ended by name NULL */
/* Returns the format called `name`, or NULL if there is no such format. */
const struct conv_format *conv_format_find(const char *name);

/* ---- options ---- */

/* Tables of options shared by formats. */
extern const struct tool_option conv_header_options[];  /* --G --softening --time --units */
extern const struct tool_option conv_columns_options[]; /* --columns */
extern const struct tool_option conv_fields_options[];  /* --fields */
/* --length-unit and --mass-unit, with values such as 3.5kpc and 1e10Msun */
extern const struct tool_option conv_physical_options[];
extern const struct tool_option conv_type_map_options[]; /* --type-map NAME=TYPE,... */
extern const struct tool_option conv_endian_options[];   /* --endian native|little|big */
extern const struct tool_option conv_steps_options[];    /* --steps */
/* conv_own_options: options that do not depend on the format. conv_store_options: options of every conversion to a
 * stream (--from). */
extern const struct tool_option conv_own_options[], conv_store_options[];
extern struct conv_options conv_given; /* values of the options in these tables */
/* Prints the formats and exits. */
noreturn void conv_list_formats(bool json);
void conv_options_name_formats(void); /* lists formats in the help of --from and --to */
/* Parses the command line. Dies (usage) on errors. */
void conv_options_parse(struct conv_options *o, int argc, char **argv);

/* conv_misused marks a failure as an error of the command line, with exit status 2, and returns its argument:
 * return conv_misused(nb_fail(...)). conv_is_misused returns whether a failure was marked. */
int conv_misused(int failed);
bool conv_is_misused(void);

/* ---- frames ---- */

/* Copies `own`, the header values of the file, to `meta`. Then replaces those values for which an option was given. */
int conv_import_header(const struct conv_import *import, const struct nb_meta *own, struct nb_meta *meta);
/* Returns the units of --units or, if the option was not given, the file's own units. */
struct nb_units conv_units(const struct conv_import *import, const struct nb_meta *own);
/* Checks a frame, adds this run to its history, and writes it to the stream. All real columns of the frame must be f64;
 * --store f32 converts them. `where` names the frame in messages. */
int conv_import_frame(struct conv_import *import, struct nb_bodies *b, const char *where);
/* Allocates the columns of a frame whose number of bodies comes from a file. Fails if there is not enough memory.
 * `where` names the frame in the message. */
int conv_alloc(struct nb_bodies *b, const char *where);
/* Sets the element with index `at` of a column of whole numbers (u8, u32 or u64) to `value`. */
void conv_set_whole(const struct nb_column *c, uint64_t at, uint64_t value);
/* Replaces the column softening by a header value, if all bodies have the same softening. */
void conv_one_softening(struct nb_bodies *b);
/* Writes bytes to the output. Ends the program if writing fails. */
void conv_write(struct tool_output *output, const void *bytes, size_t size);
/* Prints, once in a run, the columns and header values that are lost because the format cannot store them. `kept` lists
 * the columns that the format can store: "mass|pos|vel". */
void conv_say_lost(const struct nb_bodies *b, const char *kept, const char *format);

/* ---- units ---- */

/* Converts [NUMBER]UNIT, such as 3.5kpc or Msun, to cgs units: a mass (dimension 0) or a length (dimension 1). Dies
 * (usage) if the text is invalid. */
double conv_parse_size(const char *option, const char *text, int dimension);

struct conv_physical { /* units in cgs */
    double mass, length, time;
};

/* Computes the stream's units of mass, length and time in cgs, for formats with physical units.
 * If the header gives the sizes of its units, uses these sizes. Fails if --length-unit or --mass-unit is given and
 * differs from them. If the header gives no sizes (code units), both options are needed and give the units of length L
 * and mass M. The unit of time T then follows from the header's G: T^2 = L^3 / M * G / NB_G_CGS. */
int conv_physical(const struct conv_options *o, const struct nb_meta *meta, struct conv_physical *p);
/* Writes the name of the unit with these powers of M, L and T to `unit`, for example L^2/T^2. nb_unit_powers reads such
 * names. Writes "-" if all powers are 0, or if one of them is not a whole number from -99 to 99. */
void conv_unit_name(const double powers[3], char unit[NB_NAME_MAX]);
/* Returns mass^powers[0] * length^powers[1] * time^powers[2], with the mass, length and time in *factors. */
double conv_power(const struct conv_physical *factors, const double powers[3]);
/* Returns (size of `unit`) / (size of the corresponding unit in `to`). `unit` is a text such as "km/s" and must have
 * the given powers of M, L and T. Returns 0 if it is unknown or has other powers. The sizes of the units in `to` must
 * be known. */
double conv_unit_factor(const char *unit, const double powers[3], const struct nb_units *to);

/* ---- types of particles, as numbered by GADGET and TIPSY ---- */

#define CONV_TYPES 6 /* number of types: 0 gas, 1 halo, 2 disk, 3 bulge, 4 star, 5 black hole */

/* Computes the particle type of each component, indexed by enum nb_component: default types, changed by --type-map. */
int conv_type_map(const struct conv_options *o, int types[NB_COMPONENTS]);
/* Returns the particle type of a component; an unknown component counts as NB_OTHER. */
int conv_type_of(const int types[NB_COMPONENTS], unsigned component);
/* Returns the indices of bodies sorted by group[type], where `type` is the particle type of a body. Bodies of one group
 * keep the stream's order. The caller frees the indices. count[g] is the number of bodies of group g. Returns NULL
 * after nb_fail. */
uint64_t *conv_order_by_type(const struct conv_options *o, const struct nb_bodies *b, const int group[CONV_TYPES],
                             int groups, uint64_t *count);
/* Returns the component of imported particles of type `type`: the first component that `types` maps to `type`, or
 * NB_OTHER if there is none. */
enum nb_component conv_component_of(const int types[NB_COMPONENTS], int type);
