/* lzw.h - GIF's variant of LZW: codes of up to 12 bits, lowest bit first, in sub-blocks of 255 bytes (GIF89a
 * specification, appendix F). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Maximum compressed size of n bytes. */
#define LZW_MOST(n) (2 * (n) + 64)

struct lzw;

/* Returns work space for lzw_pack, or NULL if there is no memory. */
struct lzw *lzw_begin(void);
/* Compresses n > 0 bytes into `to`, which must have room for LZW_MOST(n) bytes. The output is the byte with the initial
 * code size, the sub-blocks, and the empty sub-block that ends them. Returns the number of bytes written. */
size_t lzw_pack(struct lzw *w, const uint8_t *from, size_t n, uint8_t *to);
void lzw_end(struct lzw *w); /* w may be NULL */
