/* nbconv.h - translating between the stream and what others read.
 *
 * A format is one file and one line in the table of formats.c. */
#ifndef NBCONV_H
#define NBCONV_H

#include "common/tool.h"

struct conv_options {
    const struct conv_format *from, *to; /* one of them */
    const char *input;                   /* the first of them; NULL: stdin */
    const char *columns;                 /* --columns, or NULL */
    const char *fields;                  /* --fields, or NULL */
    enum nb_type store;                  /* of mass, pos, vel and other real columns that are read: NB_F32 or NB_F64 */
    bool quad;                           /* --store quad: f64 with low parts of positions and velocities */
    const char *units;                   /* --units, or NULL */
    struct nb_meta meta;                 /* what --G --softening --time --units say of what is read */
    uint64_t steps;                      /* --steps */
    bool steps_given;
    bool G_given, softening_given, time_given, store_given;
    double length_cgs, mass_cgs; /* --length-unit, --mass-unit; 0 where they were not given */
    const char *type_map;        /* --type-map, or NULL */
    char endian;                 /* --endian: 'n', 'l', 'b', or 0 */
};

struct conv_import { /* frames on their way into a stream */
    const struct conv_options *options;
    struct tool_output *output;
    struct nb_snap_writer *writer;
};

#define CONV_TABLES_MAX 6

struct conv_format {
    const char *name;
    const char *about;
    const char *suffix; /* of files' names, besides the format's name; NULL: none */
    /* The tables of options that it takes when read and when written, which formats may share; NULL at the end. Their
     * context is struct conv_options. One that another format has alone is refused. */
    const struct tool_table *from_options[CONV_TABLES_MAX], *to_options[CONV_TABLES_MAX];
    /* Reads the file (NULL: stdin) and gives each frame to conv_import_frame. Dies on failure. NULL: only written. */
    void (*from)(struct conv_import *import, const char *path);
    /* Writes one frame, `frame` its number in the input or -1 where one alone was asked for; `first`: nothing was
     * written to this output before. NULL: only read. */
    void (*to)(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first,
               struct tool_output *output);
    bool several;    /* it is read from several files, one after the other */
    bool binary;     /* not for a terminal */
    bool file_alone; /* a file holds one frame: several need a name with %d, and stdout will not do; `to` may write to
                        tool_output_part by its name */
};

extern const struct conv_format *const conv_formats[]; /* NULL at the end */

void conv_options_parse(struct conv_options *o, int argc, char **argv);

/* The header values that the options give. Dies on failure. */
void conv_import_meta(const struct conv_import *import, struct nb_meta *meta);
/* The header values of what has some of its own, with those in their place that options give. Dies on failure. */
void conv_import_header(const struct conv_import *import, const struct nb_meta *own, struct nb_meta *meta);
/* Checks a frame (`where` for messages), whose real numbers are f64, notes this tool in its history and writes it, its
 * numbers as --store says. Dies on failure. */
void conv_import_frame(struct conv_import *import, struct nb_bodies *b, const char *where);

#endif
