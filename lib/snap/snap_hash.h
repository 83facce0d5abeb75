/* snap_hash.h - checksums of streams and of checkpoint files: XXH3 with 64 bits (Yann Collet's xxHash). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* One thread reads from a pipe or writes to an output. It handles NB_HASH_BLOCKS blocks (NB_SNAP_BLOCK) at a time. At
 * the same time, up to NB_HASH_THREADS threads hash other blocks. */
#define NB_HASH_BLOCKS  ((size_t)16)
#define NB_HASH_THREADS 8

/* Returns the checksum of size bytes. */
uint64_t nb_hash_bytes(const void *data, size_t size);
/* Returns the checksum of `size` bytes of data followed by `zeros` bytes that are 0. `zeros` must be below 64. */
uint64_t nb_hash_padded(const void *data, size_t size, size_t zeros);

struct nb_hash;                       /* checksum in progress, to which nb_hash_update adds data */
struct nb_hash *nb_hash_create(void); /* NULL if there is no memory */
void nb_hash_destroy(struct nb_hash *h);
void nb_hash_reset(struct nb_hash *h);
void nb_hash_update(struct nb_hash *h, const void *data, size_t size);
uint64_t nb_hash_digest(const struct nb_hash *h);
