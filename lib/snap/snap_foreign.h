/* snap_foreign.h - files that are no stream, known by their first bytes. */
#pragma once

#include <stddef.h>

struct nb_foreign {
    const char *what;   /* for messages: "HDF5" */
    const char *from;   /* the format of nbconv --from that reads it */
    const char *ending; /* of names from which nbconv knows the format */
};

/* The format that the first `size` bytes of a file have (64 are enough). NULL: none that is known. */
const struct nb_foreign *nb_foreign_find(const void *bytes, size_t size);
/* The same of a regular file; NULL of anything else, whose bytes would be gone. */
const struct nb_foreign *nb_foreign_of_file(const char *path);
/* Fails with what the input is, and how nbconv makes a stream of it. Returns -1. */
int nb_foreign_fail(const char *name, const void *bytes, size_t size);
