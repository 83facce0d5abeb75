/* nbconv.h - translating between the stream and what others read: formats, options, units and types of particles.
 *
 * A format is an entry of the table in formats.c with an importer and an exporter. Functions that return int or a
 * pointer return -1 or NULL after nb_fail, unless said otherwise; main.c ends the program. */
#pragma once

#include "common/tool.h"

struct conv_options {
    const struct conv_format *from, *to; /* one of them */
    const char *from_name, *to_name;     /* as given, or guessed */
    const char *input;                   /* the first; NULL: stdin */
    const char *columns, *fields;        /* --columns, --fields, or NULL */
    enum nb_type store;                  /* of mass, pos, vel and other real columns that are read: NB_F32 or NB_F64 */
    bool quad;                           /* --store quad: f64 with low parts of positions and velocities */
    const char *units;                   /* --units, or NULL */
    struct nb_meta meta;                 /* what --G --softening --time --units say of what is read */
    uint64_t steps;                      /* --steps */
    double length_cgs, mass_cgs;         /* --length-unit, --mass-unit; 0 if they were not given */
    const char *type_map;                /* --type-map, or NULL */
    char endian;                         /* --endian: 'n', 'l', 'b', or 0 */
    bool list, json;                     /* --list-formats, --json */
};

struct conv_import { /* frames on their way into a stream */
    const struct conv_options *options;
    struct tool_output *output;
    struct nb_snap_writer *writer;
};

struct conv_export { /* frames on their way out of one */
    const struct conv_options *options;
    struct tool_output *output;
    int64_t frame; /* its number in the input, or -1 if only one was asked for */
    bool first;    /* nothing was written to this output before */
};

#define CONV_TABLES_MAX 4

struct conv_format {
    const char *name, *about;
    const char *suffix;  /* of files' names, besides the format's name; NULL: none */
    const char *missing; /* why this program has it not; NULL: it has */
    const void *dialect; /* for the importer and the exporter */
    /* The tables of options that it takes when read and when written, which formats may share; NULL at the end. An
     * option that only other formats have is refused. */
    const struct tool_option *from_options[CONV_TABLES_MAX], *to_options[CONV_TABLES_MAX];
    /* Reads the file (NULL: stdin) and gives each frame to conv_import_frame. */
    int (*from)(struct conv_import *import, const char *path);
    /* Writes one frame. A write that fails ends the program. */
    int (*to)(const struct conv_export *e, const struct nb_bodies *b);
    bool quad;       /* takes --store quad */
    bool several;    /* it is read from several files, one after the other */
    bool binary;     /* not for a terminal */
    bool file_alone; /* a file holds one frame: several need a name with %d, and stdout will not do; `to` may write to
                        tool_output_part by its name */
};

extern const struct conv_format conv_formats[]; /* name NULL at the end */
const struct conv_format *conv_format_find(const char *name);

/* ---- options ---- */

/* Tables of options that formats have in common. */
extern const struct tool_option conv_header_options[];  /* --G --softening --time --units, in conv_options.meta */
extern const struct tool_option conv_columns_options[]; /* --columns */
extern const struct tool_option conv_fields_options[];  /* --fields */
extern const struct tool_option
    conv_physical_options[]; /* --length-unit LENGTH, --mass-unit MASS: as 3.5kpc or 1e10Msun */
extern const struct tool_option conv_type_map_options[]; /* --type-map NAME=TYPE,... */
extern const struct tool_option conv_endian_options[];   /* --endian native|little|big */
extern const struct tool_option conv_steps_options[];    /* --steps */
/* The options of each run, and those of every format that is read. */
extern const struct tool_option conv_own_options[], conv_store_options[];
extern struct conv_options conv_given; /* the tables' */
noreturn void conv_list_formats(bool json);
void conv_options_name_formats(void); /* in the help of --from and --to */
void conv_options_parse(struct conv_options *o, int argc, char **argv);

/* Notes that the failure is one of the command line, for exit code 2, and returns -1: conv_misused(nb_fail(...)). */
int conv_misused(int failed);
bool conv_is_misused(void);

/* ---- frames ---- */

/* The header values of what has some of its own, with those in their place that options give. */
int conv_import_header(const struct conv_import *import, const struct nb_meta *own, struct nb_meta *meta);
/* The units among them. */
struct nb_units conv_units(const struct conv_import *import, const struct nb_meta *own);
/* Checks a frame (`where` for messages), whose real numbers are f64, notes this tool in its history and writes it, its
 * numbers as --store says. */
int conv_import_frame(struct conv_import *import, struct nb_bodies *b, const char *where);
/* Allocates the columns of a frame whose number of bodies a file says, if the machine has the memory. */
int conv_alloc(struct nb_bodies *b, const char *where);
/* Sets number `at` of a column of whole numbers. */
void conv_set_whole(const struct nb_column *c, uint64_t at, uint64_t value);
/* Makes one softening length that all bodies have a value of the header. */
void conv_one_softening(struct nb_bodies *b);
/* Writes bytes. Ends the program if that fails. */
void conv_write(struct tool_output *output, const void *bytes, size_t size);
/* Names, once in a run, the columns of the frame (and what of its header) that the format has no place for: all that
 * are not in `kept`, words as of tool_words.h. */
void conv_say_lost(const struct nb_bodies *b, const char *kept, const char *format);

/* ---- units ---- */

/* [NUMBER]UNIT, a mass (dimension 0) or a length (1), in cgs. Ends the program (usage) if it is none. */
double conv_parse_size(const char *option, const char *text, int dimension);

struct conv_physical { /* units in cgs */
    double mass, length, time;
};

/* The units of a frame in cgs, for formats that want physical ones. A stream whose header has sizes needs no option,
 * and takes none that differs. One without (code units) needs both; the unit of time then follows from its G: T^2 = L^3
 * / M * G_stream / G_cgs. */
int conv_physical(const struct conv_options *o, const struct nb_meta *meta, struct conv_physical *p);
/* A product of powers of M, L and T, as nb_unit_powers has them, as a unit; "-" where all are 0, the powers are not
 * whole or it has no place. */
void conv_unit_name(const double powers[3], char unit[NB_NAME_MAX]);
/* The product of those powers of three factors. */
double conv_power(const struct conv_physical *factors, const double powers[3]);
/* The factor from a unit such as km/s to that of a column of these powers, in a system of units that has sizes. 0 if
 * the unit is not understood, or is one of something else. */
double conv_unit_factor(const char *unit, const double powers[3], const struct nb_units *to);

/* ---- types of particles, as GADGET and TIPSY number them ---- */

#define CONV_TYPES 6 /* 0 gas, 1 halo, 2 disk, 3 bulge, 4 star, 5 black hole */

/* The type of each component, indexed by enum nb_component, with --type-map's changes to the default. */
int conv_type_map(const struct conv_options *o, int types[NB_COMPONENTS]);
/* The type of a component, be it one that nobody knows. */
int conv_type_of(const int types[NB_COMPONENTS], unsigned component);
/* The bodies' numbers, to be freed: by the group of their type, else as they come. count: bodies of each of `groups`
 * groups. NULL after nb_fail. */
uint64_t *conv_order_by_type(const struct conv_options *o, const struct nb_bodies *b, const int group[CONV_TYPES],
                             int groups, uint64_t *count);
/* The component that a type becomes when it is read: the first that the map gives it, else NB_OTHER. */
enum nb_component conv_component_of(const int types[NB_COMPONENTS], int type);
