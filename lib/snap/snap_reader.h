/* snap_reader.h - private to the stream: the reader's state, and the files that read with it, each of which calls only
 * those above it here. */
#pragma once

#include "snap/snap.h"
#include "snap/snap_header.h"
#include "snap/snap_index.h"
#include "snap/snap_input.h"

enum nb_trouble {
    NB_TROUBLE_READ,       /* the input or memory failed, or there is nothing: salvage does not help */
    NB_TROUBLE_FORMAT,     /* not a stream, or another version of it */
    NB_TROUBLE_CUT,        /* the input ended within a frame or trailer */
    NB_TROUBLE_UNFINISHED, /* the input ended between frames, without a trailer */
    NB_TROUBLE_DAMAGED,    /* bytes that cannot be right */
    NB_TROUBLE_EXCHANGED,  /* whole frames, but not those of this stream's index */
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
    struct nb_index index; /* of its whole frames so far, from stream_begin; where salvage had to leave some out, those
                              are missing and stream_begin may be another stream's */
    bool lost;             /* salvage passed over something in it */
    bool ended;            /* salvage met the end of the input */

    struct nb_snap_mark mark; /* the frame under way */
    uint64_t wanted_checksum; /* that the index has for it */
    bool wanted;              /* there is such a one */
    struct nb_bodies head;    /* header of the frame under way */
    uint64_t head_checksum;   /* its own */
    struct nb_shape shape;    /* what follows from it */
    uint64_t *hashes;         /* computed, shape.blocks of them */
    size_t hash_capacity;
    int threads;   /* that read a file in parallel */
    char *scratch; /* a block for each, where columns go that are verified and not kept */

    const char *tallied; /* the column whose values are counted while it is passed over; NULL: none */
    uint64_t *tally;     /* 256 of them */

    struct nb_stream *streams; /* of the whole input, by their trailers, from the first seek on */
    bool streams_known;

    uint64_t searched_begin, searched_end; /* positions between which no text block ends */
    uint64_t hopeless;                     /* no text block that begins before this position is whole */
    uint64_t wrong_end;                    /* where a text block ended that was damaged */
    int wrong_count;                       /* how many that end there have been tried */
    uint64_t data_begin;                   /* position behind the header of the frame under way; 0: it was not whole */
    bool at_next;                          /* it, or the trailer, was wrong but the input stands behind it */
    bool in_trailer;                       /* a trailer is under way, no frame */
    size_t unpadded;                       /* the first block with other padding than zeros; SIZE_MAX */
    struct nb_text damage;                 /* what salvage passed over since the caller last asked */
    int damage_count;
};

/* ---- snap_reader.c ---- */

/* Keeps the kind of failure and returns -1; the reason is nb_error(), or given to nb_fail in the same breath. */
int nb_reader_trouble(struct nb_snap_reader *r, enum nb_trouble trouble, int failed);
/* Fails because the input ends within the frame under way. -1. */
int nb_reader_cut(struct nb_snap_reader *r);
/* Fails as nb_input_read_at says, with what it returned. -1. */
int nb_reader_unread(struct nb_snap_reader *r, int failure);
/* nb_input_peek, whose failure is noted. */
ssize_t nb_reader_peek(struct nb_snap_reader *r, size_t wanted);
/* Makes a verified text block lie in the buffer and returns its size; -1. */
ssize_t nb_reader_peek_block(struct nb_snap_reader *r, size_t limit, const char *what, uint64_t *checksum);

/* ---- snap_data.c ---- */

/* Reads the columns and footer behind the header just taken, into b's data or (scratch) nowhere. */
int nb_reader_take_data(struct nb_snap_reader *r, struct nb_bodies *b, bool scratch);
/* Counts the values of the column that is tallied, of a frame whose header was just taken, in an input that can seek,
 * and moves nowhere. 0 or -1. */
int nb_reader_tally(struct nb_snap_reader *r, const struct nb_bodies *b);
/* Looks at the footer of the header just taken before its data are read, and moves nowhere: where that is none, salvage
 * goes on behind the header, and many headers that each claim the rest of a file do not make it read that many times
 * over. 0 or -1. */
int nb_reader_expect_footer(struct nb_snap_reader *r);
/* Reads the footer and compares it with the hashes computed; with NULL looks at its form alone. */
int nb_reader_take_footer(struct nb_snap_reader *r, const struct nb_bodies *b, const uint64_t *hashes);

/* ---- snap_trailer.c ---- */

/* Fails because that frame, whole as it is, is not the one in the index. -1. */
int nb_reader_exchanged(struct nb_snap_reader *r, int64_t frame);
/* Takes the trailer that stands next, compared with the frames before it, and the close line. 0 or -1. */
int nb_reader_take_trailer(struct nb_snap_reader *r);

/* ---- snap_salvage.c ---- */

/* Notes the failure under way as passed over, and looks for a place to go on from. 0, or -1: reading failed. */
int nb_reader_resume(struct nb_snap_reader *r);

/* ---- snap_read.c, above all these, and below snap_seek.c ---- */

/* What to do with the columns of a frame. */
enum nb_way { NB_LOAD, NB_VERIFY, NB_PASS };

/* Makes the next whole frame the present one. 1, 0, -1 as nb_snap_read. b may be NULL with NB_VERIFY. */
int nb_reader_advance(struct nb_snap_reader *r, enum nb_way way, struct nb_bodies *b);
