/* pack.h - values as bytes, one after the other, to continue from: what a run carries from step to step.
 *
 * One function of a type says what it carries, and serves three ways: it counts the bytes, saves the values or loads
 * them, so that the three cannot differ. Bytes are in this machine's own order. They lie in sections, each with a name
 * and a length, so that what was saved by something else fails with a sentence. A pack that is loaded may hold
 * anything: every number that is an index or a size is checked by who loads it.
 * Every int function: 0, or -1 after nb_fail. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_C_BEGIN

enum nb_pack_way { NB_PACK_COUNT, NB_PACK_SAVE, NB_PACK_LOAD };

struct nb_pack { /* begins with nb_pack_make; no memory of its own */
    enum nb_pack_way way;
    unsigned char *data;  /* the caller's; NULL: counting */
    size_t size_bytes;    /* of data */
    size_t at;            /* bytes so far */
    size_t section_begin; /* of the open section's contents; 0: none is open */
    size_t section_end;   /* where they end; loading */
};

/* To count (data NULL, size 0), to save into size_bytes at data, or to load from them, which leaves data as it is. */
struct nb_pack nb_pack_make(enum nb_pack_way way, void *data, size_t size_bytes);

/* The next size_bytes, aligned to 16 where data is: to be written by the caller when saving, to be read when loading,
 * NULL when counting. */
int nb_pack_room(struct nb_pack *k, size_t size_bytes, void **room);
/* The same with a copy from or to `value`. */
int nb_pack_bytes(struct nb_pack *k, void *value, size_t size_bytes);
/* A number, which must be from `least` to `most` when loaded; a truth value. */
int nb_pack_unsigned(struct nb_pack *k, uint64_t *value, uint64_t most);
int nb_pack_int(struct nb_pack *k, int *value, int least, int most);
int nb_pack_flag(struct nb_pack *k, bool *value);
/* A string of at most NB_PACK_TEXT bytes, the caller's to free when loaded. NULL is saved as "". */
#define NB_PACK_TEXT ((size_t)1 << 24)
int nb_pack_text(struct nb_pack *k, char **text);
/* A word that must be the same when loaded: "saved with WHAT x, not y". */
int nb_pack_same(struct nb_pack *k, const char *what, const char *word);

/* Are these the numbers 0 .. n - 1, each once? False also where there is no memory to find out. */
bool nb_pack_is_order(const uint32_t *numbers, uint64_t n);

/* A section is not within another. Loading: fails where the next one has another name; end fails where something of it
 * was left. */
int nb_pack_begin(struct nb_pack *k, const char *name);
int nb_pack_end(struct nb_pack *k);
/* Loading: passes over what is left of the open section. */
void nb_pack_skip(struct nb_pack *k);

NB_C_END
