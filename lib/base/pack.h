/* pack.h - checkpoint data: serialises the values that a run keeps from one step to the next.
 *
 * Each struct with such values has one function that passes all of them to the functions below. The same calls count
 * the bytes, save the values or load them, so that every value that is saved is also loaded. Bytes are in this
 * machine's byte order. Sections have a name and a length. Loading fails if a section does not have the expected name
 * or length. Loaded data may be arbitrary: the caller must check every loaded number that is an index or a size.
 * Functions that return int return 0, or -1 after nb_fail. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_C_BEGIN

enum nb_pack_way { NB_PACK_COUNT, NB_PACK_SAVE, NB_PACK_LOAD };

struct nb_pack { /* made by nb_pack_make; owns no memory */
    enum nb_pack_way way;
    unsigned char *data;  /* owned by the caller; NULL when counting */
    size_t size_bytes;    /* size of data */
    size_t at;            /* number of bytes written or read so far */
    size_t section_begin; /* index in `data` at which the open section's contents begin; 0: no open section */
    size_t section_end;   /* index in `data` after the open section's last byte; used only when loading */
};

/* Returns a pack that counts bytes, saves values to data, or loads values from data. For counting, data is NULL and
 * size_bytes is 0. Loading does not change data. */
struct nb_pack nb_pack_make(enum nb_pack_way way, void *data, size_t size_bytes);

/* Reserves the next size_bytes bytes of the pack's data and sets *room to the first of them. The caller then writes
 * values to *room (saving) or reads values from *room (loading). When counting, *room is NULL. *room is aligned to 16
 * bytes if `data` is. */
int nb_pack_room(struct nb_pack *k, size_t size_bytes, void **room);
/* Saves size_bytes bytes from `value`, or loads the same number of bytes into `value`. */
int nb_pack_bytes(struct nb_pack *k, void *value, size_t size_bytes);
/* Save *value, or load it. Loading fails if the loaded value is above `most` or (nb_pack_int) below `least`. */
int nb_pack_unsigned(struct nb_pack *k, uint64_t *value, uint64_t most);
int nb_pack_int(struct nb_pack *k, int *value, int least, int most);
int nb_pack_flag(struct nb_pack *k, bool *value);
/* Saves or loads a string of at most NB_PACK_TEXT bytes. The caller frees a loaded string. NULL is saved as "". */
#define NB_PACK_TEXT ((size_t)1 << 24)
int nb_pack_text(struct nb_pack *k, char **text);
/* Saves `word`, or loads a word and checks that it is equal to `word`. If it is not, the error message is "saved with
 * WHAT X, not Y", where X is the loaded word and Y is `word`. */
int nb_pack_same(struct nb_pack *k, const char *what, const char *word);

/* Returns whether `numbers` is a permutation of 0 .. n - 1. Returns false if there is no memory. */
bool nb_pack_is_order(const uint32_t *numbers, uint64_t n);

/* Begin and end a section. Sections are not nested. When loading, nb_pack_begin fails if the next section has another
 * name, and nb_pack_end fails if the section contains data that were not read. */
int nb_pack_begin(struct nb_pack *k, const char *name);
int nb_pack_end(struct nb_pack *k);
/* Skips the rest of the open section when loading. */
void nb_pack_skip(struct nb_pack *k);

NB_C_END
