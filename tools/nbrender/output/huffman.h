/* huffman.h - Huffman codes of limited length in the canonical form of RFC 1951, 3.2.2. */
#pragma once

#include <stdint.h>

#define HUFFMAN_SYMBOLS_MAX 288

struct huffman {
    uint8_t bits[HUFFMAN_SYMBOLS_MAX];  /* length of a symbol's code; 0: not used */
    uint16_t code[HUFFMAN_SYMBOLS_MAX]; /* code of each symbol; the lowest bit of a code is written first */
};

/* Makes a code for `symbols` symbols. Symbol k occurs count[k] times. No symbol gets more than `most` bits. `most` must
 * be at most 15, and 2^most must be at least `symbols`. A single symbol gets a code of one bit. */
void huffman_make(struct huffman *h, const uint32_t *count, int symbols, int most);
