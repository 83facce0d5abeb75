/* snap_reader.h - private to the stream: the reader's state, and what its parts ask of each other. */
#ifndef NB_SNAP_READER_H
#define NB_SNAP_READER_H

#include "snap/snap.h"
#include "snap/snap_header.h"
#include "snap/snap_input.h"

enum nb_trouble {
    NB_TROUBLE_READ,       /* the input or memory failed, or there is nothing: salvage does not help */
    NB_TROUBLE_FORMAT,     /* not a stream, or another version of it */
    NB_TROUBLE_CUT,        /* the input ended within a frame or trailer */
    NB_TROUBLE_UNFINISHED, /* the input ended between frames, without a trailer */
    NB_TROUBLE_DAMAGED,    /* bytes that cannot be right */
};

struct nb_snap_reader {
    struct nb_input in;
    char *name;
    bool salvage, failed;
    enum nb_trouble trouble; /* of the failure under way */

    int64_t frame, next; /* number returned last, and of the frame that comes next */
    int64_t last_whole;  /* for messages; -1: none */
    double last_time;    /* of that frame */

    uint64_t stream_begin; /* position of the present stream */
    uint64_t *offsets;     /* of its frames so far, from stream_begin */
    size_t count, capacity;
    bool lost;  /* salvage passed over something in it: the index cannot be compared */
    bool ended; /* salvage met the end of the input */

    struct nb_bodies head; /* header of the frame under way */
    struct nb_shape shape; /* and what follows from it */
    uint64_t *hashes;      /* computed, shape.blocks of them */
    size_t hash_capacity;
    int threads;          /* that read a file in parallel */
    char *scratch;        /* a block for each, where columns go that are verified and not kept */
    struct nb_text index; /* the trailer that is expected */

    uint64_t searched_begin, searched_end; /* positions between which no text block ends */
    uint64_t data_begin;                   /* position behind the header of the frame under way; 0: it was not whole */
    bool at_next;                          /* it was damaged but the input stands behind it */
    bool in_trailer;                       /* a trailer is under way, no frame */
    const char *unpadded;                  /* a column of it with other padding than zeros, or NULL */
    struct nb_text damage;                 /* what salvage passed over since the caller last asked */
    int damage_count;
};

/* What to do with the columns of a frame. */
enum nb_way { NB_LOAD, NB_VERIFY, NB_PASS };

/* Makes the next whole frame the present one. 1, 0, -1 as nb_snap_read. b may be NULL with NB_VERIFY. */
int nb_reader_advance(struct nb_snap_reader *r, enum nb_way way, struct nb_bodies *b);
/* Reads the columns and footer behind the header just taken, into b's data or (scratch) nowhere. */
int nb_reader_take_data(struct nb_snap_reader *r, struct nb_bodies *b, bool scratch);
/* Reads the footer and compares it with the hashes computed; with NULL looks at its form alone. */
int nb_reader_take_footer(struct nb_snap_reader *r, const struct nb_bodies *b, const uint64_t *hashes);
/* Notes the failure under way as passed over, and looks for a place to go on from. 0, or -1: reading failed. */
int nb_reader_resume(struct nb_snap_reader *r);
/* Appends to the list of frame offsets of the present stream. */
int nb_reader_note_offset(struct nb_snap_reader *r, uint64_t offset);
/* Keeps the kind of failure and returns -1; the reason is nb_error(), or given to nb_fail in the same breath. */
int nb_reader_trouble(struct nb_snap_reader *r, enum nb_trouble trouble, int failed);

#endif
