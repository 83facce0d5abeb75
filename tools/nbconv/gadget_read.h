/* gadget_read.h - a snapshot on its way in: what gadget_look.c finds in its files and gadget_from.c makes of it. */
#ifndef NBCONV_GADGET_READ_H
#define NBCONV_GADGET_READ_H

#include "gadget.h"
#include "gadget_header.h"

#define GADGET_FIELDS_MAX 256
#define GADGET_PLAIN      5 /* columns that gadget_is_plain knows */

struct gadget_field { /* a column to be */
    char column[NB_NAME_MAX], unit[NB_NAME_MAX], table[GADGET_NAME_MAX];
    enum nb_type type;
    int width;
    int parts, last_part; /* that have it, and the last of them */
};

struct gadget_snapshot {
    const struct conv_options *o;
    const char *name;          /* of the file being read, for messages */
    char *first;               /* the file that was given */
    struct gadget_header head; /* of that file */
    struct gadget_field fields[GADGET_FIELDS_MAX];
    int field_count;
    int parts;                    /* types with bodies, counted in every file */
    uint64_t count[GADGET_TYPES]; /* bodies of a type in all files */
    uint64_t next[GADGET_TYPES];  /* where the next of that type go */
    int types[NB_COMPONENTS];
    char left_out[256];
    struct nb_bodies b;
};

/* Opens file k, which is named in s->name then, and reads its header; *path is to be freed when it is closed. */
struct hdf *gadget_open_file(struct gadget_snapshot *s, int k, struct gadget_header *head, char **path);
/* "/PartType1/Masses", or with an empty table the group. */
void gadget_table_path(char *path, size_t size, int type, const char *table);
/* What column a table of f->width is: as we wrote it, or by its name in any of the codes. False: none. */
bool gadget_identify(struct hdf *h, const char *path, const char *table, struct gadget_field *f);
/* A column of every snapshot, or one that a body is known by. */
bool gadget_is_plain(const char *column);
/* Notes a table that is not read. */
void gadget_leave_out(struct gadget_snapshot *s, const char *table);
/* Finds all bodies and all columns, in all files. Dies where they contradict one another. */
void gadget_look_over(struct gadget_snapshot *s);

#endif
