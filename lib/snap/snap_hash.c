/* snap_hash.c - XXH3 checksums. Declared in snap_hash.h. */
#define XXH_INLINE_ALL /* compiles XXH3 in this file; with our flags it is twice as fast as in the shared library */
#include "snap/snap_hash.h"

#include "base/bodies.h"

#include <stdlib.h>
#include <xxhash.h>

struct nb_hash {
    XXH3_state_t state;
};

uint64_t nb_hash_bytes(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

uint64_t nb_hash_padded(const void *data, size_t size, size_t zeros)
{
    static const char padding[NB_ALIGN];
    if (zeros == 0)
        return XXH3_64bits(data, size);
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, data, size);
    XXH3_64bits_update(&state, padding, zeros);
    return XXH3_64bits_digest(&state);
}

struct nb_hash *nb_hash_create(void)
{
    return aligned_alloc(NB_ALIGN, (sizeof(struct nb_hash) + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN);
}

void nb_hash_destroy(struct nb_hash *h)
{
    free(h);
}

void nb_hash_reset(struct nb_hash *h)
{
    XXH3_64bits_reset(&h->state);
}

void nb_hash_update(struct nb_hash *h, const void *data, size_t size)
{
    XXH3_64bits_update(&h->state, data, size);
}

uint64_t nb_hash_digest(const struct nb_hash *h)
{
    return XXH3_64bits_digest(&h->state);
}
