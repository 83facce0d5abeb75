/* deflate.h - compresses bytes that are mostly 0 into a zlib stream (RFC 1950, RFC 1951), for PNG.
 *
 * The only repetitions that are searched are runs of zeros, because most bytes of the filtered rows of a picture are 0.
 * Each block of data gets its own Huffman code. For pictures of nbrender this is several times faster than zlib's
 * run-length strategy (bench/pictures.sh), and the result has the same size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* maximum number of bytes that are compressed as one block, with one Huffman code */
#define DEFLATE_PART ((size_t)1 << 18)
#define DEFLATE_MOST (DEFLATE_PART + DEFLATE_PART / 8 + 512) /* maximum number of compressed bytes of a block */

struct deflate;

/* Returns a new stream, or NULL if there is no memory. */
struct deflate *deflate_begin(void);
/* Compresses the next `size` <= DEFLATE_PART bytes into `to`, which must have room for DEFLATE_MOST bytes. If `last`
 * is true, they are the last bytes, and the stream is ended. Returns the number of bytes written. */
size_t deflate_part(struct deflate *d, const unsigned char *from, size_t size, bool last, unsigned char *to);
void deflate_end(struct deflate *d); /* d may be NULL */
