/* lzw.h - GIF's variant of LZW: codes of up to 12 bits, the lowest bit first, in sub-blocks of 255 bytes (GIF89a
 * specification, appendix F). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Room that n bytes may need. */
#define LZW_MOST(n) (2 * (n) + 64)

struct lzw;

/* Working memory; NULL without memory. */
struct lzw *lzw_begin(void);
/* Packs n > 0 bytes into `to`, which has room for LZW_MOST(n): the size of the codes, the sub-blocks, and the empty one
 * at their end. Returns how many bytes were written. */
size_t lzw_pack(struct lzw *w, const uint8_t *from, size_t n, uint8_t *to);
void lzw_end(struct lzw *w); /* NULL is allowed */
