/* snap_foreign.c - recognises files of other formats. Declared in snap_foreign.h. */
#include "snap/snap_foreign.h"

#include "base/error.h"
#include "base/portable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define GADGET_BLOCK 256 /* size of the header in GADGET's binary formats, bytes */

static uint32_t count_at(const unsigned char *bytes, int k, bool swapped)
{
    uint32_t value;
    memcpy(&value, bytes + 4 * k, sizeof value);
    return swapped ? __builtin_bswap32(value) : value;
}

static bool is_hdf5(const unsigned char *bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "\211HDF\r\n\032\n", 8) == 0;
}

/* Returns whether the bytes begin with an item of NEMO's format: a magic number (in either byte order), a letter and a
 * zero byte. */
static bool is_nemo(const unsigned char *bytes, size_t size)
{
    if (size < 4 || bytes[3] != '\0' || !strchr("acbshilfdH(", bytes[2]))
        return false;
    const unsigned little = bytes[0] | (unsigned)bytes[1] << 8, big = bytes[1] | (unsigned)bytes[0] << 8;
    return little == 0x0992 || little == 0x0b92 || big == 0x0992 || big == 0x0b92;
}

/* Returns whether the bytes are TIPSY's header. It has the time, the number of bodies, the number of dimensions (3),
 * and the numbers of gas, dark matter and star particles. */
static bool is_tipsy(const unsigned char *bytes, size_t size)
{
    for (int swapped = 0; swapped < 2 && size >= 28; swapped++) {
        const uint64_t n = count_at(bytes, 2, swapped), gas = count_at(bytes, 4, swapped);
        if (n > 0 && count_at(bytes, 3, swapped) == 3 &&
            gas + count_at(bytes, 5, swapped) + count_at(bytes, 6, swapped) == n)
            return true;
    }
    return false;
}

/* Returns whether the bytes are the beginning of a GADGET file. The first Fortran record is the header. In format 2, a
 * record of 8 bytes with the name "HEAD" precedes the header. */
static bool is_gadget(const unsigned char *bytes, size_t size)
{
    for (int swapped = 0; swapped < 2 && size >= 4; swapped++) {
        const uint32_t record = count_at(bytes, 0, swapped);
        if (record == GADGET_BLOCK || (record == 8 && size >= 8 && memcmp(bytes + 4, "HEAD", 4) == 0))
            return true;
    }
    return false;
}

/* Returns whether the bytes are text in any encoding. Returns false if the bytes begin with "nbs ", as a damaged stream
 * does. */
static bool is_text(const unsigned char *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if ((bytes[k] < ' ' && !strchr("\t\n\v\f\r", bytes[k])) || bytes[k] == '\0' || bytes[k] == 127)
            return false;
    return size > 0 && !(size >= 4 && memcmp(bytes, "nbs ", 4) == 0);
}

static const struct {
    struct nb_foreign is;
    bool (*has)(const unsigned char *bytes, size_t size);
} kinds[] = {
    {{"HDF5", "gadget", ".hdf5"}, is_hdf5},
    {{"NEMO's binary format", "nemo", ".nemo"}, is_nemo},
    {{"GADGET's binary format", "gadget2", ".gadget2"}, is_gadget},
    {{"TIPSY's binary format", "tipsy", ".std"}, is_tipsy},
    {{"text", "text", ".txt"}, is_text},
};

const struct nb_foreign *nb_foreign_find(const void *bytes, size_t size)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].has(bytes, size))
            return &kinds[k].is;
    return NULL;
}

const struct nb_foreign *nb_foreign_of_file(const char *path)
{
    char begin[64];
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
    const size_t have = file ? fread(begin, 1, sizeof begin, file) : 0;
    if (file)
        fclose(file);
    return nb_foreign_find(begin, have);
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

int nb_foreign_fail(const char *name, const void *bytes, size_t size)
{
    const struct nb_foreign *f = nb_foreign_find(bytes, size);
    if (!f)
        return nb_fail("not a snapshot stream");
    const bool is_stdin = strcmp(name, "stdin") == 0, known = ends_with(name, f->ending);
    return nb_fail("not a snapshot stream but %s (nbconv%s%s %s | %s)", f->what, known ? "" : " --from ",
                   known ? "" : f->from, is_stdin ? "FILE" : name, nb_program_name());
}
