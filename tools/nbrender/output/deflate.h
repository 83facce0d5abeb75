/* deflate.h - packs bytes of which most are 0 into a zlib stream (RFC 1950, RFC 1951), for PNG.
 *
 * It looks for runs of zeros alone, which is what filtered rows of a picture are made of, and gives each block of the
 * data a Huffman code of its own. On the pictures of nbrender it is several times faster than zlib's run-length
 * strategy (bench/pictures.sh), and the result is as small. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define DEFLATE_PART ((size_t)1 << 18)                       /* bytes that are packed at once, under one code */
#define DEFLATE_MOST (DEFLATE_PART + DEFLATE_PART / 8 + 512) /* that they can become */

struct deflate;

/* A stream; NULL without memory. */
struct deflate *deflate_begin(void);
/* Packs the next bytes, DEFLATE_PART at most, into `to`, which has room for DEFLATE_MOST; returns how many were
 * written. The `last` part ends the stream. */
size_t deflate_part(struct deflate *d, const unsigned char *from, size_t size, bool last, unsigned char *to);
void deflate_end(struct deflate *d); /* NULL is allowed */
