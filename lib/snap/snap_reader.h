/* snap_reader.h - private to snap: the reader's state, and the functions of the files that implement the reader. Each
 * of these files has a section below, and calls only functions of its own section and of earlier sections. */
#pragma once

#include "snap/snap.h"
#include "snap/snap_header.h"
#include "snap/snap_index.h"
#include "snap/snap_input.h"

enum nb_trouble {
    NB_TROUBLE_READ,       /* read error, no memory, or empty input: salvage does not help */
    NB_TROUBLE_FORMAT,     /* the input is not a stream, or has another version of the format */
    NB_TROUBLE_CUT,        /* the input ended within a frame or trailer */
    NB_TROUBLE_UNFINISHED, /* the input ended between frames without a trailer */
    NB_TROUBLE_DAMAGED,    /* invalid bytes */
    NB_TROUBLE_EXCHANGED,  /* the frames are intact, but the trailer lists other frames */
};

struct nb_snap_reader {
    struct nb_input in;
    char *name;
    bool salvage, failed;
    enum nb_trouble trouble; /* type of the current failure */

    int64_t frame, next; /* frame: number of the frame that was returned last; next: number of the next frame */
    int64_t last_whole;  /* number of the last complete frame, for messages; -1: none */
    double last_time;    /* time of frame last_whole */

    uint64_t stream_begin; /* position of the current stream */
    /* The complete frames that were read from the current stream, with offsets from stream_begin. If the end of a
     * stream is damaged, salvage treats the next stream as its continuation: the frames of the next stream are added
     * here, too */
    struct nb_index index;
    bool lost;  /* salvage has skipped a part of the current stream */
    bool ended; /* salvage reached the end of the input */

    struct nb_snap_mark mark; /* offset and checksum of the current frame */
    uint64_t wanted_checksum; /* checksum that the index in the trailer gives for the current frame */
    bool wanted;              /* wanted_checksum is set */
    struct nb_bodies head;    /* header of the current frame */
    uint64_t head_checksum;   /* checksum of the current frame's header */
    struct nb_shape shape;    /* sizes of the parts of the current frame */
    uint64_t *hashes;         /* computed checksums, shape.blocks of them */
    size_t hash_capacity;
    size_t map_least; /* a frame is read with mmap if its columns have map_least bytes or more; SIZE_MAX: never */
    int threads;      /* number of threads that read a file in parallel */
    char *scratch;    /* NB_SNAP_BLOCK bytes for each thread: work space to verify columns that are not stored */

    const char *tallied; /* name of the column of type u8 whose values nb_snap_tally counts; NULL: none */
    uint64_t *tally;     /* tally[v]: number of values v in the column `tallied`; 256 elements */

    /* list of all streams of the input, read from their trailers by find_streams. NULL: not read yet, or a trailer is
     * missing or damaged */
    struct nb_stream *streams;
    bool streams_known;

    uint64_t searched_begin, searched_end; /* no text block ends between these positions (already searched) */
    uint64_t hopeless;                     /* salvage continues at this position, because no complete text block begins
                                              before it */
    uint64_t wrong_end;                    /* end of the last damaged text block */
    int wrong_count;                       /* number of text blocks that were found damaged and that end at wrong_end */
    uint64_t data_begin;                   /* position after the header of the current frame; 0: the header was not
                                              complete */
    bool at_next;                          /* after damage: reading can continue at the current position */
    bool in_trailer;                       /* a trailer is being read, not a frame */
    size_t unpadded;                       /* index of the first block whose padding is not zero; SIZE_MAX: none */
    struct nb_text damage;                 /* message on what salvage skipped since the last call of nb_snap_damage */
    int damage_count;
};

/* ---- snap_reader.c ---- */

/* Stores the type of a failure in r->trouble, and returns `failed`. `failed` must be -1; it is usually the result of
 * nb_fail. */
int nb_reader_trouble(struct nb_snap_reader *r, enum nb_trouble trouble, int failed);
/* Fails because the input ends within the current frame. Returns -1. */
int nb_reader_cut(struct nb_snap_reader *r);
/* Calls nb_fail for the error `failure`, a result of nb_input_read_at. Returns -1. */
int nb_reader_unread(struct nb_snap_reader *r, int failure);
/* Calls nb_input_peek. On failure stores NB_TROUBLE_READ and returns -1. */
ssize_t nb_reader_peek(struct nb_snap_reader *r, size_t wanted);
/* Reads the next text block, at most `limit` bytes, into the buffer and verifies it. `what` names the block in
 * messages. Sets *checksum to the block's checksum, unless `checksum` is NULL. Returns the size of the block, or -1 on
 * failure. */
ssize_t nb_reader_peek_block(struct nb_snap_reader *r, size_t limit, const char *what, uint64_t *checksum);

/* ---- snap_data.c ---- */

/* Reads and verifies the columns and the footer that follow the header just read. Stores the columns in b unless
 * `scratch` is true. Returns 0 or -1. */
int nb_reader_take_data(struct nb_snap_reader *r, struct nb_bodies *b, bool scratch);
/* Adds to r->tally[v] the number of values v in the column r->tallied, for the frame whose header was just read. The
 * input must be seekable, and its position is unchanged. Returns 0 or -1. */
int nb_reader_tally(struct nb_snap_reader *r, const struct nb_bodies *b);
/* Checks that the frame whose header was just read has a footer at the position that follows from the header. Does not
 * move the input. Without this check, a header with wrong sizes could make salvage read the entire rest of the file as
 * the columns of one frame. Returns 0 or -1. */
int nb_reader_expect_footer(struct nb_snap_reader *r);
/* Reads the footer and compares the checksums in it with the computed checksums `hashes`. If `hashes` is NULL, checks
 * only the form of the footer. Returns 0 or -1. */
int nb_reader_take_footer(struct nb_snap_reader *r, const struct nb_bodies *b, const uint64_t *hashes);

/* ---- snap_trailer.c ---- */

/* Fails because frame `frame` has correct checksums, but differs from the frame that the trailer lists. Returns -1. */
int nb_reader_exchanged(struct nb_snap_reader *r, int64_t frame);
/* Reads the trailer and the close line and compares them with the frames that were read. Returns 0 or -1. */
int nb_reader_take_trailer(struct nb_snap_reader *r);

/* ---- snap_salvage.c ---- */

/* Records the current failure for nb_snap_damage, and moves to a position from which reading can continue. Returns 0,
 * or -1 on a read error. */
int nb_reader_resume(struct nb_snap_reader *r);

/* ---- snap_read.c; snap_seek.c uses it ---- */

/* Treatment of a frame's columns: load, verify only, or skip. */
enum nb_way { NB_LOAD, NB_VERIFY, NB_PASS };

/* Reads the next complete frame. Returns the same values as nb_snap_read. With NB_VERIFY, b may be NULL. */
int nb_reader_advance(struct nb_snap_reader *r, enum nb_way way, struct nb_bodies *b);
