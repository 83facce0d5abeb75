/* What stands in for hdf_write.c and hdf_read.c where there is no HDF5. */
#ifndef NB_HAVE_HDF5
#include "hdf.h"

#include "common/tool.h"

void hdf_demand(const char *format)
{
    die("%s: this nbconv was built without the HDF5 library, by which such files are read and written (on Debian libhdf5-dev, and build again)",
        format);
}

/* Nothing gets here: every format that needs these demands first. */
static noreturn void unreachable(void)
{
    die("HDF5 was not demanded");
}

struct hdf *hdf_create(const char *path, const char *name)
{
    (void)path, (void)name;
    unreachable();
}

void hdf_finish(struct hdf *h)
{
    (void)h;
    unreachable();
}

void hdf_group(struct hdf *h, const char *path)
{
    (void)h, (void)path;
    unreachable();
}

void hdf_put_f64(struct hdf *h, const char *object, const char *name, const double *values, int count)
{
    (void)h, (void)object, (void)name, (void)values, (void)count;
    unreachable();
}

void hdf_put_i32(struct hdf *h, const char *object, const char *name, const int32_t *values, int count)
{
    (void)h, (void)object, (void)name, (void)values, (void)count;
    unreachable();
}

void hdf_put_u32(struct hdf *h, const char *object, const char *name, const uint32_t *values, int count)
{
    (void)h, (void)object, (void)name, (void)values, (void)count;
    unreachable();
}

void hdf_put_u64(struct hdf *h, const char *object, const char *name, const uint64_t *values, int count)
{
    (void)h, (void)object, (void)name, (void)values, (void)count;
    unreachable();
}

void hdf_put_text(struct hdf *h, const char *object, const char *name, const char *text)
{
    (void)h, (void)object, (void)name, (void)text;
    unreachable();
}

void hdf_put_lines(struct hdf *h, const char *path, char *const *lines, int count)
{
    (void)h, (void)path, (void)lines, (void)count;
    unreachable();
}

void hdf_table_begin(struct hdf *h, const char *path, enum nb_type type, uint64_t rows, int width)
{
    (void)h, (void)path, (void)type, (void)rows, (void)width;
    unreachable();
}

void hdf_table_rows(struct hdf *h, uint64_t first, uint64_t count, const void *data)
{
    (void)h, (void)first, (void)count, (void)data;
    unreachable();
}

void hdf_table_end(struct hdf *h)
{
    (void)h;
    unreachable();
}

bool hdf_is(const char *path)
{
    (void)path;
    unreachable();
}

struct hdf *hdf_open(const char *path, const char *name)
{
    (void)path, (void)name;
    unreachable();
}

void hdf_close(struct hdf *h)
{
    (void)h;
    unreachable();
}

bool hdf_has(struct hdf *h, const char *path)
{
    (void)h, (void)path;
    unreachable();
}

bool hdf_has_attribute(struct hdf *h, const char *object, const char *name)
{
    (void)h, (void)object, (void)name;
    unreachable();
}

int hdf_get_f64(struct hdf *h, const char *object, const char *name, double *values, int max)
{
    (void)h, (void)object, (void)name, (void)values, (void)max;
    unreachable();
}

bool hdf_get_u64(struct hdf *h, const char *object, const char *name, uint64_t *value)
{
    (void)h, (void)object, (void)name, (void)value;
    unreachable();
}

bool hdf_get_text(struct hdf *h, const char *object, const char *name, char *text, size_t size)
{
    (void)h, (void)object, (void)name, (void)text, (void)size;
    unreachable();
}

char **hdf_get_lines(struct hdf *h, const char *path, int *count)
{
    (void)h, (void)path, (void)count;
    unreachable();
}

void hdf_list(struct hdf *h, const char *group, void (*each)(void *context, const char *name), void *context)
{
    (void)h, (void)group, (void)each, (void)context;
    unreachable();
}

bool hdf_look(struct hdf *h, const char *path, struct hdf_table *table)
{
    (void)h, (void)path, (void)table;
    unreachable();
}

void hdf_read(struct hdf *h, const char *path, const struct hdf_table *table, enum nb_type type, void *data)
{
    (void)h, (void)path, (void)table, (void)type, (void)data;
    unreachable();
}
#endif
