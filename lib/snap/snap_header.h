/* snap_header.h - private to the stream: a frame's header as text, and the shape of what follows it. */
#pragma once

#include "base/bodies.h"
#include "snap/snap_text.h"

/* What of a frame follows from its column table and n. */
struct nb_shape {
    size_t data_bytes;   /* of all columns with padding */
    size_t blocks;       /* checksums of all columns */
    size_t footer_bytes; /* size of the footer's text block */
};

/* -1: a column missing (mass, pos, vel), of a wrong type or width, or sizes beyond 2^62 bytes. */
int nb_shape_of(struct nb_shape *shape, const struct nb_bodies *b);
/* Blocks of a column, the last one shorter. */
size_t nb_shape_blocks(const struct nb_column *c, uint64_t n);

/* Appends the header of b as a text block, whose checksum is returned. -1: no memory, or a value that a header cannot
 * hold. */
int nb_header_format(struct nb_text *t, const struct nb_bodies *b, uint64_t *checksum);
/* Parses the lines of a verified text block of block_size bytes, changing them, into b (initialised; freed first), data
 * NULL. -1: what is wrong with it. */
int nb_header_parse(char *text, size_t block_size, struct nb_bodies *b);

/* Appends the footer of the header with that checksum, with shape.blocks hashes in the order of the columns; its own
 * checksum, which so covers the frame, is returned. */
int nb_footer_format(struct nb_text *t, const struct nb_bodies *b, uint64_t header, const uint64_t *hashes,
                     uint64_t *checksum);
/* Whether `have` bytes of text can begin the footer of a header with that checksum. */
bool nb_footer_is_of(const char *text, size_t have, uint64_t header);
/* Compares the columns' lines of a verified footer, changing it, with the hashes computed (NULL: looks at their form
 * alone). -1: names the first column and block that differ. */
int nb_footer_compare(char *text, size_t block_size, const struct nb_bodies *b, const uint64_t *hashes);
