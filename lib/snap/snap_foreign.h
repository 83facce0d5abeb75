/* snap_foreign.h - recognises files of other formats by their first bytes. */
#pragma once

#include <stddef.h>

struct nb_foreign {
    const char *what;   /* name of the format in messages: "HDF5" */
    const char *from;   /* name of the format for nbconv --from */
    const char *ending; /* file name suffix by which nbconv recognises the format */
};

/* Returns the format of a file from its first `size` bytes (64 are enough); NULL if unknown. */
const struct nb_foreign *nb_foreign_find(const void *bytes, size_t size);
/* Returns the format of the regular file at `path`; NULL if it is unknown. Also returns NULL if `path` is not a regular
 * file, because bytes that this function reads from a pipe would be lost for the caller. */
const struct nb_foreign *nb_foreign_of_file(const char *path);
/* Fails with a message that says what the input is and how nbconv converts it. Returns -1. */
int nb_foreign_fail(const char *name, const void *bytes, size_t size);
