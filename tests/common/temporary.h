/* temporary.h - names of temporary files and folders of unit tests. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

/* Writes a template for mkstemp and mkdtemp to name[size]: a name that begins with `kind`, in the folder TMPDIR, or in
 * /tmp if TMPDIR is not set. */
static inline void temporary_name(char *name, size_t size, const char *kind)
{
    const char *folder = getenv("TMPDIR");
    snprintf(name, size, "%s/%s-XXXXXX", folder ? folder : "/tmp", kind);
}
