#ifdef NB_HAVE_HDF5 /* by the Makefile, for this file */
/* Reading HDF5 that anybody may have written, or damaged: no size is believed that the file has not the bytes for. */
#include "common/tool.h"
#include "hdf_file.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PACKED_AT_MOST 2048 /* bytes that a filter makes of one: gzip at its best has 1032 */
#define LINES_MAX      100000
#define TEXT_MAX       ((size_t)1 << 20)

static hid_t got(const struct hdf *h, hid_t id, const char *object)
{
    return hdf_id(h, id, object, "read");
}

/* ---- the file ---- */

bool hdf_is(const char *path)
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

struct hdf *hdf_open(const char *path, const char *name)
{
    struct hdf *h = calloc(1, sizeof *h);
    if (!h)
        die("no memory");
    h->name = name;
    h->table = -1;
    h->file = got(h, H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), "");
    return h;
}

void hdf_close(struct hdf *h)
{
    H5Fclose(h->file);
    free(h);
}

bool hdf_has(struct hdf *h, const char *path)
{
    char part[256];
    for (const char *at = path; (at = strchr(at + 1, '/')) || *path; path = at ? path : "") {
        const size_t length = at ? (size_t)(at - path) : strlen(path);
        if (length >= sizeof part)
            return false;
        memcpy(part, path, length);
        part[length] = '\0';
        if (length > 1 && got(h, H5Lexists(h->file, part, H5P_DEFAULT), part) == 0)
            return false;
        if (!at)
            break;
    }
    return got(h, H5Oexists_by_name(h->file, path, H5P_DEFAULT), path) > 0;
}

bool hdf_has_attribute(struct hdf *h, const char *object, const char *name)
{
    return hdf_has(h, object) && got(h, H5Aexists_by_name(h->file, object, name, H5P_DEFAULT), object) > 0;
}

/* ---- attributes ---- */

/* An attribute of that class, its type in *type and its number of values in *count; -1 without such a one. */
static hid_t open_attribute(struct hdf *h, const char *object, const char *name, hid_t *type, hssize_t *count)
{
    if (!hdf_has_attribute(h, object, name))
        return -1;
    const hid_t a = got(h, H5Aopen_by_name(h->file, object, name, H5P_DEFAULT, H5P_DEFAULT), object);
    const hid_t space = got(h, H5Aget_space(a), object);
    *type = got(h, H5Aget_type(a), object);
    *count = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return a;
}

int hdf_get_f64(struct hdf *h, const char *object, const char *name, double *values, int max)
{
    hid_t type;
    hssize_t count;
    const hid_t a = open_attribute(h, object, name, &type, &count);
    if (a < 0)
        return 0;
    const H5T_class_t class = H5Tget_class(type);
    int given = 0;
    if ((class == H5T_FLOAT || class == H5T_INTEGER) && count > 0 && count <= 4096) {
        double all[4096];
        got(h, H5Aread(a, H5T_NATIVE_DOUBLE, all), object);
        given = count < max ? (int)count : max;
        memcpy(values, all, (size_t)given * sizeof *values);
    }
    H5Tclose(type);
    H5Aclose(a);
    return given;
}

bool hdf_get_u64(struct hdf *h, const char *object, const char *name, uint64_t *value)
{
    hid_t type;
    hssize_t count;
    const hid_t a = open_attribute(h, object, name, &type, &count);
    const bool is = a >= 0 && H5Tget_class(type) == H5T_INTEGER && count == 1;
    if (is)
        got(h, H5Aread(a, H5T_NATIVE_UINT64, value), object);
    if (a >= 0) {
        H5Tclose(type);
        H5Aclose(a);
    }
    return is;
}

/* Text of fixed or any length. */
static void read_text(struct hdf *h, hid_t a, hid_t type, const char *object, char *text, size_t size)
{
    const size_t length = H5Tget_size(type);
    if (H5Tis_variable_str(type) > 0) {
        char *any = NULL;
        const hid_t memory = got(h, H5Tcopy(type), object);
        got(h, H5Aread(a, memory, &any), object);
        snprintf(text, size, "%s", any ? any : "");
        H5free_memory(any);
        H5Tclose(memory);
    } else if (length > 0 && length <= TEXT_MAX) {
        char *fixed = calloc(1, length + 1);
        if (!fixed)
            die("no memory");
        got(h, H5Aread(a, type, fixed), object);
        snprintf(text, size, "%s", fixed);
        free(fixed);
    }
}

bool hdf_get_text(struct hdf *h, const char *object, const char *name, char *text, size_t size)
{
    hid_t type;
    hssize_t count;
    const hid_t a = open_attribute(h, object, name, &type, &count);
    if (a < 0)
        return false;
    const bool is = H5Tget_class(type) == H5T_STRING && count == 1;
    text[0] = '\0';
    if (is)
        read_text(h, a, type, object, text, size);
    H5Tclose(type);
    H5Aclose(a);
    return is;
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
    got(h, H5Literate_by_name(h->file, group, H5_INDEX_NAME, H5_ITER_INC, NULL, list_one, &listing, H5P_DEFAULT),
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

/* Dies where the rows are more than the file can hold. */
static void check_size(struct hdf *h, hid_t table, hid_t type, const char *path, uint64_t values)
{
    const hid_t create = got(h, H5Dget_create_plist(table), path);
    const hsize_t stored = H5Dget_storage_size(table);
    hsize_t file_bytes = 0;
    got(h, H5Fget_filesize(h->file, &file_bytes), path);
    const bool packed = H5Pget_layout(create) == H5D_CHUNKED && H5Pget_nfilters(create) > 0;
    const double most = (double)(stored < file_bytes ? stored : file_bytes) * (packed ? PACKED_AT_MOST : 1);
    const bool elsewhere = H5Pget_layout(create) == H5D_VIRTUAL || H5Pget_external_count(create) > 0;
    H5Pclose(create);
    if (elsewhere)
        die("%s: %s has its numbers in other files", h->name, path);
    if ((double)values * (double)H5Tget_size(type) > most)
        die("%s: %s is said to have %llu numbers, which is more than the file holds: it is damaged", h->name, path,
            (unsigned long long)values);
}

bool hdf_look(struct hdf *h, const char *path, struct hdf_table *table)
{
    hsize_t size[2] = {0, 1};
    const hid_t object = got(h, H5Oopen(h->file, path, H5P_DEFAULT), path);
    bool is = H5Iget_type(object) == H5I_DATASET;
    if (is) {
        const hid_t type = got(h, H5Dget_type(object), path), space = got(h, H5Dget_space(object), path);
        const int rank = H5Sget_simple_extent_ndims(space);
        const H5T_class_t class = H5Tget_class(type);
        is = (class == H5T_FLOAT || class == H5T_INTEGER) && H5Tget_size(type) <= 8 && (rank == 1 || rank == 2);
        if (is)
            got(h, H5Sget_simple_extent_dims(space, size, NULL), path);
        is = is && (size[1] == 1 || size[1] == 3);
        if (is && size[0] > UINT64_MAX / 64)
            die("%s: %s is said to have %llu rows: it is damaged", h->name, path, (unsigned long long)size[0]);
        if (is) {
            *table = (struct hdf_table){size[0], (int)size[1], type_of(type)};
            check_size(h, object, type, path, size[0] * size[1]);
        }
        H5Sclose(space);
        H5Tclose(type);
    }
    H5Oclose(object);
    return is;
}

void hdf_read(struct hdf *h, const char *path, const struct hdf_table *table, enum nb_type type, void *data)
{
    struct hdf_table now;
    if (!hdf_look(h, path, &now) || now.rows != table->rows || now.width != table->width)
        die("%s: %s was changed while it was read", h->name, path);
    const hid_t object = got(h, H5Dopen2(h->file, path, H5P_DEFAULT), path);
    got(h, H5Dread(object, hdf_memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
    H5Dclose(object);
}

/* Lines of one table, of `length` bytes each. */
static char **cut_lines(const char *text, size_t length, int count)
{
    char **lines = calloc((size_t)count + 1, sizeof *lines);
    for (int k = 0; lines && k < count; k++)
        if (!(lines[k] = strndup(text + (size_t)k * length, length)))
            lines = NULL;
    if (!lines)
        die("no memory");
    return lines;
}

char **hdf_get_lines(struct hdf *h, const char *path, int *count)
{
    if (!hdf_has(h, path))
        return NULL;
    const hid_t object = got(h, H5Dopen2(h->file, path, H5P_DEFAULT), path);
    const hid_t type = got(h, H5Dget_type(object), path), space = got(h, H5Dget_space(object), path);
    const hssize_t rows = H5Sget_simple_extent_npoints(space);
    const size_t length = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || rows < 1 || rows > LINES_MAX ||
        length > TEXT_MAX || (hsize_t)rows * length > H5Dget_storage_size(object))
        die("%s: %s is not lines of text, or more than the file holds", h->name, path);
    char *text = malloc((size_t)rows * length);
    if (!text)
        die("no memory");
    got(h, H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text), path);
    char **lines = cut_lines(text, length, (int)rows);
    *count = (int)rows;
    free(text);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(object);
    return lines;
}
#endif
