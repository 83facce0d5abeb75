/* Writes bytes that are mostly 0 as a zlib stream. Runs of zeros are written as lengths. Each block has its own Huffman
 * code. */
#include "nbrender/output/deflate.h"

#include "base/portable.h"
#include "nbrender/output/huffman.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RUN_MIN 3
#define RUN_MAX 258
#define END     256 /* symbol for the end of a block; symbols below END are bytes, symbols above END lengths of runs */
#define SYMBOLS 286

/* A token is a number for a piece of the input. A token below RUN is the value of one byte. The token RUN + n stands
 * for n zeros, which follow a zero byte. (That zero byte has its own token.) */
#define RUN    256
#define TOKENS (RUN + RUN_MAX + 1)

struct bits { /* bit stream; the lowest bit of a value comes first; only whole bytes are written */
    unsigned char *to;
    uint64_t value;
    int count; /* number of bits not yet written; below 8 after put_bits() */
};

/* Appends `value`, a number of `count` <= 56 bits. Always stores 8 bytes, but increases b->to by the number of complete
 * bytes only. The bits of the incomplete byte stay in b->value for the next call. */
static inline void put_bits(struct bits *b, uint64_t value, int count)
{
    b->value |= value << b->count;
    b->count += count;
    uint64_t bytes = nb_little_endian_64(b->value);
    memcpy(b->to, &bytes, sizeof bytes);
    b->to += b->count >> 3;
    b->value >>= b->count & ~7;
    b->count &= 7;
}

static void put_rest(struct bits *b)
{
    if (b->count > 0)
        put_bits(b, 0, 8 - b->count);
}

/* symbol for the length of a run, and the extra bits that follow it (RFC 1951, 3.2.5) */
struct length {
    int symbol, extra_bits, extra;
};

static struct length length_of(int n)
{
    if (n == RUN_MAX)
        return (struct length){285, 0, 0};
    if (n < 11)
        return (struct length){254 + n, 0, 0};
    int bits = 0;
    while ((n - 3) >> (bits + 3))
        bits++;
    return (struct length){261 + 4 * bits + (((n - 3) >> bits) & 3), bits, (n - 3) & ((1 << bits) - 1)};
}

static size_t count_zeros(const unsigned char *from, size_t size)
{
    size_t n = 0;
    uint64_t word = 0;
    for (; n + 8 <= size; n += 8) {
        memcpy(&word, from + n, 8);
        if (word)
            break;
    }
    while (n < size && !from[n])
        n++;
    return n;
}

struct sum { /* the two sums of Adler-32 (RFC 1950), not yet reduced modulo ADLER */
    uint64_t a, b;
};

#define ADLER 65521

struct tokens {
    uint16_t token[DEFLATE_PART];
    size_t n;
    uint32_t count[TOKENS]; /* number of occurrences of each token */
};

static void add_token(struct tokens *t, int token)
{
    t->token[t->n++] = (uint16_t)token;
    t->count[token]++;
}

static void add_zeros(struct tokens *t, size_t zeros)
{
    while (zeros >= RUN_MIN) { /* splits a run above RUN_MAX into pieces of at least RUN_MIN */
        size_t run = zeros <= RUN_MAX ? zeros : zeros < RUN_MAX + RUN_MIN ? zeros - RUN_MIN : RUN_MAX;
        add_token(t, RUN + (int)run);
        zeros -= run;
    }
    for (; zeros > 0; zeros--)
        add_token(t, 0);
}

/* Converts bytes to tokens and updates the checksum. For a run of zeros, one multiplication updates the checksum. */
static void tokenise(struct tokens *t, const unsigned char *from, size_t size, struct sum *sum)
{
    struct sum s = *sum;
    t->n = 0;
    memset(t->count, 0, sizeof t->count);
    for (size_t at = 0; at < size;) {
        const unsigned char byte = from[at++];
        add_token(t, byte);
        s.b += s.a += byte;
        if (byte || at + RUN_MIN > size || from[at] || from[at + 1])
            continue;
        const size_t zeros = count_zeros(from + at, size - at);
        add_zeros(t, zeros);
        at += zeros;
        s.b += zeros * s.a;
    }
    *sum = (struct sum){s.a % ADLER, s.b % ADLER};
}

/* Writes the head of a block: for each symbol, the length of its Huffman code in bits; then the length of the code for
 * the distance 1. Distance 1 means that a run repeats the byte directly before it. No other distance is used. The
 * lengths are written with a second Huffman code. */
static void put_head(struct bits *b, bool last, const struct huffman *symbols)
{
    static const int order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint32_t count[19] = {0};
    struct huffman lengths;
    for (int k = 0; k < SYMBOLS; k++)
        count[symbols->bits[k]]++;
    count[1]++;
    huffman_make(&lengths, count, 19, 7);
    put_bits(b, last, 1);
    put_bits(b, 2, 2);
    put_bits(b, SYMBOLS - 257, 5);
    put_bits(b, 0, 5);
    put_bits(b, 19 - 4, 4);
    for (int k = 0; k < 19; k++)
        put_bits(b, lengths.bits[order[k]], 3);
    for (int k = 0; k <= SYMBOLS; k++) {
        int length = k < SYMBOLS ? symbols->bits[k] : 1;
        put_bits(b, lengths.code[length], lengths.bits[length]);
    }
}

/* The bits written for a token: up to 15 bits of Huffman code. For a run of zeros, up to 5 more bits of its length and
 * the code of distance 1 (one bit) follow. */
struct word {
    uint64_t bits;
    int count;
};

static struct word word_of(const struct huffman *symbols, int token)
{
    if (token < RUN)
        return (struct word){symbols->code[token], symbols->bits[token]};
    struct length l = length_of(token - RUN);
    int bits = symbols->bits[l.symbol];
    /* The + 1 counts the code of distance 1, which is a single bit with the value 0. */
    return (struct word){symbols->code[l.symbol] | (uint64_t)l.extra << bits, bits + l.extra_bits + 1};
}

static void put_tokens(struct bits *to, const struct tokens *t, const struct word *word)
{
    struct bits b = *to;
    size_t k = 0;
    for (; k + 1 < t->n; k += 2) { /* two encoded tokens have at most 42 bits, so one call writes both */
        const struct word *u = word + t->token[k], *v = word + t->token[k + 1];
        put_bits(&b, u->bits | v->bits << u->count, u->count + v->count);
    }
    for (; k < t->n; k++)
        put_bits(&b, word[t->token[k]].bits, word[t->token[k]].count);
    *to = b;
}

static void put_block(struct bits *b, struct tokens *t, bool last)
{
    uint32_t count[SYMBOLS] = {[END] = 1};
    struct word word[TOKENS] = {0};
    struct huffman symbols;
    for (int k = 0; k < TOKENS; k++)
        if (t->count[k])
            count[k < RUN ? k : length_of(k - RUN).symbol] += t->count[k];
    huffman_make(&symbols, count, SYMBOLS, 15);
    put_head(b, last, &symbols);
    for (int k = 0; k < TOKENS; k++)
        if (t->count[k])
            word[k] = word_of(&symbols, k);
    put_tokens(b, t, word);
    put_bits(b, symbols.code[END], symbols.bits[END]);
}

struct deflate {
    struct tokens tokens;
    struct bits bits;
    struct sum sum;
    bool begun;
};

struct deflate *deflate_begin(void)
{
    struct deflate *d = calloc(1, sizeof *d);
    if (d)
        d->sum.a = 1;
    return d;
}

/* Writes at most DEFLATE_MOST bytes. Reason: with 9 bits for each symbol, the symbols would need 9/8 of the input's
 * size, and the Huffman code never needs more. The head of the block has less than 400 bytes. */
size_t deflate_part(struct deflate *d, const unsigned char *from, size_t size, bool last, unsigned char *to)
{
    d->bits.to = to;
    if (!d->begun) { /* zlib header: window of 32 KiB, fastest method */
        put_bits(&d->bits, 0x78, 8);
        put_bits(&d->bits, 0x01, 8);
    }
    d->begun = true;
    tokenise(&d->tokens, from, size, &d->sum);
    put_block(&d->bits, &d->tokens, last);
    if (last) {
        put_rest(&d->bits);
        const uint32_t check = (uint32_t)(d->sum.b << 16 | d->sum.a);
        put_bits(&d->bits, nb_big_endian_32(check), 32);
    }
    return (size_t)(d->bits.to - to);
}

void deflate_end(struct deflate *d)
{
    free(d);
}
