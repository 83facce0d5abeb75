/* Compresses pixels with GIF's variant of LZW. */
#include "nbrender/output/lzw.h"

#include <stdlib.h>
#include <string.h>

#define SYMBOL_BITS 8
#define CLEAR       (1 << SYMBOL_BITS)
#define END         (CLEAR + 1)
#define CODES       4096
#define SLOTS       8192 /* number of slots of the hash table, a power of two */
#define BLOCK       255

struct lzw {
    /* Hash table of the strings that have a code. The key of a string is 1 + (code << SYMBOL_BITS | byte): `byte` is
     * the string's last byte, and `code` is the code of the string without this byte. A free slot has the key 0. */
    uint32_t key[SLOTS];
    uint16_t code[SLOTS];
    int next, bits; /* next: code for the next new string; bits: current length of codes in bits */
    uint32_t value; /* bits not yet written */
    int count;      /* number of bits in `value` */
    /* length: position of the length byte of the current sub-block; to: position of the next byte of output */
    uint8_t *length, *to;
};

struct lzw *lzw_begin(void)
{
    return calloc(1, sizeof(struct lzw));
}

void lzw_end(struct lzw *w)
{
    free(w);
}

static void put_byte(struct lzw *w, uint8_t byte)
{
    if (*w->length == BLOCK) {
        w->length = w->to++;
        *w->length = 0;
    }
    *w->to++ = byte;
    ++*w->length;
}

static void put_code(struct lzw *w, int code)
{
    w->value |= (uint32_t)code << w->count;
    for (w->count += w->bits; w->count >= 8; w->count -= 8) {
        put_byte(w, (uint8_t)w->value);
        w->value >>= 8;
    }
}

static void clear(struct lzw *w)
{
    memset(w->key, 0, sizeof w->key);
    w->next = END + 1;
    w->bits = SYMBOL_BITS + 1;
}

/* Returns the slot that contains the key, or the free slot where the key should be stored. */
static uint32_t find(const struct lzw *w, uint32_t key)
{
    uint32_t slot = key * 2654435761u >> 19; /* Knuth's multiplicative hash, 13 bits */
    while (w->key[slot] && w->key[slot] != key)
        slot = (slot + 1) & (SLOTS - 1);
    return slot;
}

/* Adds a string with the code w->next to the table. If the table is full, clears it instead. If the new code needs more
 * than w->bits bits, all later codes are one bit longer. The decoder makes the same changes after the same code. */
static void add(struct lzw *w, uint32_t slot, uint32_t key)
{
    if (w->next == CODES) {
        put_code(w, CLEAR);
        clear(w);
        return;
    }
    w->key[slot] = key;
    w->code[slot] = (uint16_t)w->next;
    w->bits += w->next == 1 << w->bits;
    w->next++;
}

size_t lzw_pack(struct lzw *w, const uint8_t *from, size_t n, uint8_t *to)
{
    to[0] = SYMBOL_BITS;
    to[1] = 0;
    w->length = to + 1;
    w->to = to + 2;
    w->value = 0;
    w->count = 0;
    clear(w);
    put_code(w, CLEAR);
    int prefix = from[0];
    for (size_t k = 1; k < n; k++) {
        const uint32_t key = 1 + ((uint32_t)prefix << SYMBOL_BITS | from[k]), slot = find(w, key);
        if (w->key[slot]) {
            prefix = w->code[slot];
            continue;
        }
        put_code(w, prefix);
        add(w, slot, key);
        prefix = from[k];
    }
    put_code(w, prefix);
    /* Before the decoder reads END, it adds one more string to its table. If this string makes codes one bit longer,
     * END must be one bit longer, too. */
    w->bits += w->next < CODES && w->next == 1 << w->bits;
    put_code(w, END);
    if (w->count > 0)
        put_byte(w, (uint8_t)w->value);
    *w->to++ = 0;
    return (size_t)(w->to - to);
}
