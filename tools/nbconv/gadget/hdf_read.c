/* hdf_read.c - reads HDF5 files. A file may be damaged or malicious, so the size of a table is accepted only if the
 * file has enough bytes for it. */

#ifdef NB_HAVE_HDF5 /* defined by the Makefile if the HDF5 library is available */
#include "base/error.h"
#include "nbconv/gadget/hdf.h"
#include "snap/snap_foreign.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Maximum accepted compression ratio of a table. If the ratio is higher, the file is damaged. gzip reaches at most
 * 1032; about twice this ratio is allowed, to be safe. */
#define PACKED_AT_MOST 2048
#define LINES_MAX      100000
#define TEXT_MAX       ((size_t)1 << 20)

/* ---- the file ---- */

/* Returns whether the file exists, is seekable, and begins with the signature of HDF5. */
static bool is_hdf(const char *path)
{
    static const char magic[] = "\211HDF\r\n\032\n";
    char begin[sizeof magic - 1];
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool is = fd >= 0 && pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
                    memcmp(begin, magic, sizeof begin) == 0;
    if (fd >= 0)
        close(fd);
    return is;
}

static int fail_no_hdf(const char *path, const char *name)
{
    const struct nb_foreign *f = nb_foreign_of_file(path);
    if (f && strcmp(f->from, "gadget") != 0)
        return nb_fail("%s: not an HDF5 file but %s (--from %s)", name, f->what, f->from);
    return nb_fail("%s: not an HDF5 file", name);
}

struct hdf *hdf_open(char *path)
{
    struct hdf *h = calloc(1, sizeof *h);
    if (!h) {
        nb_fail("no memory");
        free(path);
        return NULL;
    }
    *h = (struct hdf){.path = path, .name = path, .doing = "read", .table = -1};
    if (strcmp(path, "/dev/stdin") == 0)
        h->name = "stdin";
    if (is_hdf(path))
        h->file = hdf_checked(h, H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), "");
    else
        h->failed = fail_no_hdf(path, h->name);
    if (!h->failed)
        return h;
    hdf_close(h);
    return NULL;
}

bool hdf_has(struct hdf *h, const char *path)
{
    char part[256];
    const char *end = path;
    if (strlen(path) >= sizeof part)
        return false;
    do { /* for "/A/B": tests "/A", then "/A/B" */
        end += 1 + strcspn(end + 1, "/");
        snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        if (part[1] && hdf_checked(h, H5Lexists(h->file, part, H5P_DEFAULT), part) <= 0)
            return false;
    } while (*end);
    return hdf_checked(h, H5Oexists_by_name(h->file, path, H5P_DEFAULT), path) > 0;
}

bool hdf_has_attribute(struct hdf *h, const char *object, const char *name)
{
    return hdf_has(h, object) && hdf_checked(h, H5Aexists_by_name(h->file, object, name, H5P_DEFAULT), object) > 0;
}

/* ---- attributes ---- */

/* Opens the attribute `name` of `object`. Returns the attribute's id, or -1 if there is no such attribute. Sets *type
 * to the type of its values and *count to their number. */
static hid_t open_attribute(struct hdf *h, const char *object, const char *name, hid_t *type, hssize_t *count)
{
    if (!hdf_has_attribute(h, object, name))
        return -1;
    const hid_t a = hdf_checked(h, H5Aopen_by_name(h->file, object, name, H5P_DEFAULT, H5P_DEFAULT), object);
    const hid_t space = hdf_checked(h, H5Aget_space(a), object);
    *type = hdf_checked(h, H5Aget_type(a), object);
    *count = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return a;
}

static void close_attribute(hid_t a, hid_t type)
{
    if (a >= 0) {
        H5Tclose(type);
        H5Aclose(a);
    }
}

int hdf_get_f64(struct hdf *h, const char *object, const char *name, double *values, int max)
{
    double all[4096];
    hid_t type = -1;
    hssize_t count = 0;
    const hid_t a = open_attribute(h, object, name, &type, &count);
    const H5T_class_t class = H5Tget_class(type);
    int given = 0;
    if ((class == H5T_FLOAT || class == H5T_INTEGER) && count > 0 && count <= 4096 &&
        hdf_checked(h, H5Aread(a, H5T_NATIVE_DOUBLE, all), object) >= 0) {
        given = count < max ? (int)count : max;
        memcpy(values, all, (size_t)given * sizeof *values);
    }
    close_attribute(a, type);
    return given;
}

bool hdf_get_u64(struct hdf *h, const char *object, const char *name, uint64_t *value)
{
    hid_t type = -1;
    hssize_t count = 0;
    const hid_t a = open_attribute(h, object, name, &type, &count);
    const bool is = H5Tget_class(type) == H5T_INTEGER && count == 1 &&
                    hdf_checked(h, H5Aread(a, H5T_NATIVE_UINT64, value), object) >= 0;
    close_attribute(a, type);
    return is;
}

/* Reads an attribute's text, of fixed or variable length. */
static void read_text(struct hdf *h, hid_t a, hid_t type, const char *object, char *text, size_t size)
{
    const size_t length = H5Tget_size(type);
    if (H5Tis_variable_str(type) > 0) {
        char *any = NULL;
        hdf_checked(h, H5Aread(a, type, &any), object);
        snprintf(text, size, "%s", any ? any : "");
        H5free_memory(any);
    } else if (length > 0 && length <= TEXT_MAX) {
        char *fixed = calloc(1, length + 1);
        if (!fixed)
            hdf_fail(h, "no memory");
        else if (hdf_checked(h, H5Aread(a, type, fixed), object) >= 0)
            snprintf(text, size, "%s", fixed);
        free(fixed);
    }
}

bool hdf_get_text(struct hdf *h, const char *object, const char *name, char *text, size_t size)
{
    hid_t type = -1;
    hssize_t count = 0;
    const hid_t a = open_attribute(h, object, name, &type, &count);
    const bool is = H5Tget_class(type) == H5T_STRING && count == 1;
    text[0] = '\0';
    if (is)
        read_text(h, a, type, object, text, size);
    close_attribute(a, type);
    return is && !h->failed;
}

/* ---- groups and tables ---- */

struct listing {
    void (*each)(void *context, const char *name);
    void *context;
};

static herr_t list_one(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    const struct listing *l = context;
    (void)group, (void)info;
    l->each(l->context, name);
    return 0;
}

void hdf_list(struct hdf *h, const char *group, void (*each)(void *context, const char *name), void *context)
{
    struct listing listing = {each, context};
    hdf_checked(h,
                H5Literate_by_name(h->file, group, H5_INDEX_NAME, H5_ITER_INC, NULL, list_one, &listing, H5P_DEFAULT),
                group);
}

static enum nb_type type_of(hid_t type)
{
    const size_t size = H5Tget_size(type);
    if (H5Tget_class(type) == H5T_FLOAT)
        return size <= 4 ? NB_F32 : NB_F64;
    if (H5Tget_sign(type) != H5T_SGN_NONE)
        return NB_F64;
    return size == 1 ? NB_U8 : size <= 4 ? NB_U32 : NB_U64;
}

/* Stores a failure in h if the file is too small for a table of `values` numbers, or if the table's data are in other
 * files. */
static void check_size(struct hdf *h, hid_t table, hid_t type, const char *path, uint64_t values)
{
    const hid_t create = hdf_checked(h, H5Dget_create_plist(table), path);
    const hsize_t stored = H5Dget_storage_size(table);
    hsize_t file_bytes = 0;
    hdf_checked(h, H5Fget_filesize(h->file, &file_bytes), path);
    const bool packed = H5Pget_layout(create) == H5D_CHUNKED && H5Pget_nfilters(create) > 0;
    const double most = (double)(stored < file_bytes ? stored : file_bytes) * (packed ? PACKED_AT_MOST : 1);
    if (H5Pget_layout(create) == H5D_VIRTUAL || H5Pget_external_count(create) > 0)
        hdf_fail(h, "%s has its data in other files", path);
    if ((double)values * (double)H5Tget_size(type) > most)
        hdf_fail(h, "%s claims %llu numbers, more than the file contains: it is damaged", path,
                 (unsigned long long)values);
    H5Pclose(create);
}

/* Implements hdf_look for an object that is a dataset. */
static bool look(struct hdf *h, const char *path, hid_t object, struct hdf_table *table)
{
    hsize_t size[2] = {0, 1};
    const hid_t type = hdf_checked(h, H5Dget_type(object), path), space = hdf_checked(h, H5Dget_space(object), path);
    const int rank = H5Sget_simple_extent_ndims(space);
    const H5T_class_t class = H5Tget_class(type);
    bool is = (class == H5T_FLOAT || class == H5T_INTEGER) && H5Tget_size(type) <= 8 && (rank == 1 || rank == 2);
    if (is)
        hdf_checked(h, H5Sget_simple_extent_dims(space, size, NULL), path);
    is = is && (size[1] == 1 || size[1] == 3);
    if (is && size[0] > UINT64_MAX / 64)
        hdf_fail(h, "%s claims %llu rows: it is damaged", path, (unsigned long long)size[0]);
    if (is) {
        *table = (struct hdf_table){size[0], (int)size[1], type_of(type)};
        check_size(h, object, type, path, size[0] * size[1]);
    }
    H5Sclose(space);
    H5Tclose(type);
    return is && !h->failed;
}

bool hdf_look(struct hdf *h, const char *path, struct hdf_table *table)
{
    const hid_t object = hdf_checked(h, H5Oopen(h->file, path, H5P_DEFAULT), path);
    const bool is = H5Iget_type(object) == H5I_DATASET && look(h, path, object, table);
    H5Oclose(object);
    return is;
}

void hdf_read(struct hdf *h, const char *path, const struct hdf_table *table, enum nb_type type, void *data)
{
    struct hdf_table now;
    if (!hdf_look(h, path, &now) || now.rows != table->rows || now.width != table->width) {
        hdf_fail(h, "%s changed during reading", path);
        return;
    }
    const hid_t object = hdf_checked(h, H5Dopen2(h->file, path, H5P_DEFAULT), path);
    hdf_checked(h, H5Dread(object, hdf_type((int)type, false), H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
    H5Dclose(object);
}

/* Reads a table of text lines, H5Tget_size(type) bytes each, and calls `add` for each line. */
static void read_lines(struct hdf *h, hid_t object, hid_t type, const char *path, size_t rows,
                       int (*add)(struct nb_meta *, const char *), struct nb_meta *meta)
{
    const size_t length = H5Tget_size(type);
    char *text = malloc(rows * length);
    if (!text)
        hdf_fail(h, "no memory");
    else
        hdf_checked(h, H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text), path);
    for (size_t k = 0; k < rows && !h->failed; k++) {
        char *line = strndup(text + k * length, length);
        if (!line || (*line && add(meta, line)))
            hdf_fail(h, "%s", line ? nb_error() : "no memory");
        free(line);
    }
    free(text);
}

void hdf_get_lines(struct hdf *h, const char *path, int (*add)(struct nb_meta *, const char *), struct nb_meta *meta)
{
    if (!hdf_has(h, path))
        return;
    const hid_t object = hdf_checked(h, H5Dopen2(h->file, path, H5P_DEFAULT), path);
    const hid_t type = hdf_checked(h, H5Dget_type(object), path), space = hdf_checked(h, H5Dget_space(object), path);
    const hssize_t rows = H5Sget_simple_extent_npoints(space);
    const size_t length = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || rows < 1 || rows > LINES_MAX ||
        length > TEXT_MAX || (hsize_t)rows * length > H5Dget_storage_size(object))
        hdf_fail(h, "%s is not text, or claims more than the file contains", path);
    else
        read_lines(h, object, type, path, (size_t)rows, add, meta);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(object);
}
#endif
