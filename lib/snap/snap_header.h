/* snap_header.h - private to snap: a frame's header and footer as text, and the sizes of the parts of a frame. */
#pragma once

#include "base/bodies.h"
#include "snap/snap_text.h"

/* Sizes of the parts of a frame. They depend on the types of its columns and on n, the number of bodies. */
struct nb_shape {
    size_t data_bytes;   /* bytes of all columns including padding */
    size_t blocks;       /* number of blocks of all columns together; each block has a checksum */
    size_t footer_bytes; /* size of the footer's text block */
};

/* Computes *shape from the column table and n of b. Returns 0, or -1 after nb_fail: a required column (mass, pos, vel)
 * is missing, a type or width is wrong, or sizes exceed 2^62 bytes. */
int nb_shape_of(struct nb_shape *shape, const struct nb_bodies *b);
/* Returns the number of blocks of a column; the last block may be shorter than the others. */
size_t nb_shape_blocks(const struct nb_column *c, uint64_t n);

/* Appends the header of b as a text block to t and sets *checksum to the checksum of the block. Returns 0, or -1 after
 * nb_fail: no memory, or a value that a header cannot contain. */
int nb_header_format(struct nb_text *t, const struct nb_bodies *b, uint64_t *checksum);
/* Parses a verified header, a text block of block_size bytes, into b. The columns of b get no data (NULL). Frees the
 * old contents of b, which must be initialised. Modifies the text. Returns 0, or -1 after nb_fail. */
int nb_header_parse(char *text, size_t block_size, struct nb_bodies *b);

/* Appends the footer to t. header: checksum of the header; hashes: shape.blocks checksums in the order of the columns.
 * Sets *checksum to the footer's own checksum. This checksum depends on the entire frame, because the footer contains
 * all other checksums of the frame. Returns 0, or -1 after nb_fail. */
int nb_footer_format(struct nb_text *t, const struct nb_bodies *b, uint64_t header, const uint64_t *hashes,
                     uint64_t *checksum);
/* Returns whether `text` begins with the magic line of a footer, followed by a line with the checksum `header`. header:
 * checksum of the frame's header. have: size of `text` in bytes. */
bool nb_footer_is_of(const char *text, size_t have, uint64_t header);
/* Compares the checksums of the columns in `text`, a verified footer, with the computed checksums `hashes`. If `hashes`
 * is NULL, checks only the form of the lines. Modifies the text. Returns 0, or -1 after nb_fail with the name of the
 * first column and the number of the first block that differ. */
int nb_footer_compare(char *text, size_t block_size, const struct nb_bodies *b, const uint64_t *hashes);
