/* hdf_file.h - what hdf_write.c and hdf_read.c share. For them alone: it needs the library's header. */
#ifndef NBCONV_HDF_FILE_H
#define NBCONV_HDF_FILE_H

#include "hdf.h"

#include <hdf5.h>
#include <stdnoreturn.h>

struct hdf {
    hid_t file;
    const char *name;
    hid_t table; /* being written, or -1 */
    hid_t table_type;
    int table_width;
    char table_path[64];
};

/* Dies with what HDF5 says is the reason. `doing`: "written" or "read". */
noreturn void hdf_failed(const struct hdf *h, const char *object, const char *doing);
/* An id, or a status, that is none ends the tool. */
hid_t hdf_id(const struct hdf *h, hid_t id, const char *object, const char *doing);
/* The type of numbers in memory. */
hid_t hdf_memory_type(enum nb_type type);

#endif
