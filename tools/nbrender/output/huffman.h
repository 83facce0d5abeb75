/* huffman.h - Huffman codes of limited length, in the canonical form of RFC 1951, 3.2.2. */
#pragma once

#include <stdint.h>

#define HUFFMAN_SYMBOLS_MAX 288

struct huffman {
    uint8_t bits[HUFFMAN_SYMBOLS_MAX];  /* length of a symbol's code; 0: it does not occur */
    uint16_t code[HUFFMAN_SYMBOLS_MAX]; /* its bits in the order in which they are written, the first one lowest */
};

/* The code for symbols that come so often, none longer than `most` bits (15 at most, and 2^most >= symbols). Where only
 * one occurs, it has one bit. */
void huffman_make(struct huffman *h, const uint32_t *count, int symbols, int most);
