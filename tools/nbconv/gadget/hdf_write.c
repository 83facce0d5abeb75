/* hdf_write.c - writes HDF5 files. Also contains functions that reading and writing share. In the format of HDF5 1.8,
 * which is used here, headers of objects have checksums. The data of tables (HDF5 datasets) have Fletcher checksums.
 * Time stamps are not stored, so that equal data give equal files. */

#ifdef NB_HAVE_HDF5 /* defined by the Makefile if the HDF5 library is available */
#include "common/tool.h"
#include "nbconv/gadget/hdf.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A table of text lines that is smaller than this number of bytes is stored in the header of its HDF5 object. Such a
 * header can have up to 64 KiB. */
#define COMPACT_MAX 60000

/* Handles a crash of the HDF5 library, which some damaged files and failed allocations cause: prints a message and
 * exits. */
static void say_crashed(int number)
{
    static const char said[] = "nbconv: the HDF5 library crashed: the file is damaged, or there is no memory\n";
    (void)number;
    (void)!write(STDERR_FILENO, said, sizeof said - 1);
    tool_output_abandon();
    _exit(TOOL_FAILED);
}

/* Installs the handler for crashes. Does not replace handlers that already exist, for example of a sanitizer. */
static void catch_crashes(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    static char stack[1 << 16];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction own = {.sa_handler = say_crashed, .sa_flags = SA_ONSTACK};
    struct sigaction old;
    if (sigaltstack(&other, NULL))
        return;
    for (size_t k = 0; k < sizeof crashes / sizeof *crashes; k++)
        if (sigaction(crashes[k], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(crashes[k], &own, NULL);
}

int hdf_begin(void)
{
    catch_crashes();
    /* HDF5's exit handler is switched off, because it would try again to write a file that could not be written. HDF5's
     * file locking is switched off, because nbconv has locked FILE.part already. */
    H5dont_atexit();
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    return H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0 ? nb_fail("the HDF5 library cannot be used") : 0;
}

/* ---- what went wrong ---- */

/* Called for each level n of HDF5's stack of errors; level 0 is the innermost function. Copies the message of level 0
 * to the text `context`. If a level contains a message of the operating system, copies only that message. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *context)
{
    char *reason = context;
    const char *system = error->desc ? strstr(error->desc, "error message = '") : NULL;
    if (system) {
        snprintf(reason, 128, "%s", strchr(system, '\'') + 1);
        reason[strcspn(reason, "'")] = '\0';
    } else if (n == 0 && error->desc)
        snprintf(reason, 128, "%s", error->desc);
    return 0;
}

int hdf_fail(struct hdf *h, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!h->failed)
        nb_fail("%s: %s", h->name, text);
    h->failed = true;
    h->file = h->table = H5I_INVALID_HID; /* later calls of HDF5 with these invalid ids do nothing */
    return -1;
}

hid_t hdf_checked(struct hdf *h, hid_t id, const char *object)
{
    char reason[128] = "no reason is given";
    if (id >= 0 || h->failed)
        return id;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    for (char *c = reason; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    hdf_fail(h, "%s%scannot be %s: %s", object, *object ? " " : "", h->doing, reason);
    return id;
}

hid_t hdf_type(int type, bool in_file)
{
    const hid_t types[][2] = {
        [NB_F32] = {H5T_NATIVE_FLOAT, H5T_IEEE_F32LE}, [NB_F64] = {H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE},
        [NB_U8] = {H5T_NATIVE_UINT8, H5T_STD_U8LE},    [NB_U32] = {H5T_NATIVE_UINT32, H5T_STD_U32LE},
        [NB_U64] = {H5T_NATIVE_UINT64, H5T_STD_U64LE}, [HDF_I32] = {H5T_NATIVE_INT32, H5T_STD_I32LE},
    };
    return types[type][in_file];
}

/* ---- the file ---- */

/* Returns HDF5 properties of class `class`, with time stamps switched off. */
static hid_t without_times(struct hdf *h, hid_t class)
{
    const hid_t list = hdf_checked(h, H5Pcreate(class), "");
    hdf_checked(h, H5Pset_obj_track_times(list, false), "");
    return list;
}

struct hdf *hdf_create(const char *path, const char *name)
{
    struct hdf *h = calloc(1, sizeof *h);
    if (!h)
        return nb_null(nb_fail("no memory"));
    *h = (struct hdf){.name = name, .doing = "written", .table = -1};
    const hid_t access = hdf_checked(h, H5Pcreate(H5P_FILE_ACCESS), ""), create = without_times(h, H5P_FILE_CREATE);
    hdf_checked(h, H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "");
    h->file = hdf_checked(h, H5Fcreate(path, H5F_ACC_TRUNC, create, access), "");
    H5Pclose(create);
    H5Pclose(access);
    return h;
}

int hdf_close(struct hdf *h)
{
    /* After a failed flush the file is not closed, because HDF5 would try to write the same data again. */
    if (hdf_checked(h, H5Fflush(h->file, H5F_SCOPE_LOCAL), "") >= 0)
        hdf_checked(h, H5Fclose(h->file), "");
    const int status = h->failed ? -1 : 0;
    free(h->path);
    free(h);
    return status;
}

void hdf_group(struct hdf *h, const char *path)
{
    const hid_t create = without_times(h, H5P_GROUP_CREATE);
    H5Gclose(hdf_checked(h, H5Gcreate2(h->file, path, H5P_DEFAULT, create, H5P_DEFAULT), path));
    H5Pclose(create);
}

/* ---- attributes ---- */

static void put(struct hdf *h, const char *object, const char *name, hid_t type, hid_t memory_type, const void *values,
                int count)
{
    const hsize_t size = (hsize_t)count;
    const hid_t space = hdf_checked(h, count ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR), object);
    const hid_t a = hdf_checked(
        h, H5Acreate_by_name(h->file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), object);
    hdf_checked(h, H5Awrite(a, memory_type, values), object);
    H5Aclose(a);
    H5Sclose(space);
}

void hdf_put(struct hdf *h, const char *object, const char *name, int type, const void *values, int count)
{
    put(h, object, name, hdf_type(type, true), hdf_type(type, false), values, count);
}

static hid_t text_type(struct hdf *h, size_t size)
{
    const hid_t type = hdf_checked(h, H5Tcopy(H5T_C_S1), "");
    hdf_checked(h, H5Tset_size(type, size ? size : 1), "");
    hdf_checked(h, H5Tset_strpad(type, H5T_STR_NULLPAD), "");
    return type;
}

void hdf_put_text(struct hdf *h, const char *object, const char *name, const char *text)
{
    const hid_t type = text_type(h, strlen(text));
    put(h, object, name, type, type, text, 0);
    H5Tclose(type);
}

/* ---- tables ---- */

/* Returns HDF5 properties for creating a table with checksums. The table is stored in chunks, each with piece[k]
 * elements in dimension k, k < rank. */
static hid_t with_checksums(struct hdf *h, const char *path, int rank, const hsize_t *piece)
{
    const hid_t create = without_times(h, H5P_DATASET_CREATE);
    hdf_checked(h, H5Pset_chunk(create, rank, piece), path);
    hdf_checked(h, H5Pset_fletcher32(create), path);
    return create;
}

void hdf_put_lines(struct hdf *h, const char *path, char *const *lines, int count)
{
    const hsize_t size = (hsize_t)count;
    size_t longest = 1;
    for (int k = 0; k < count; k++)
        longest = strlen(lines[k]) > longest ? strlen(lines[k]) : longest;
    char *text = calloc((size_t)count, longest);
    if (!text) {
        hdf_fail(h, "no memory");
        return;
    }
    for (int k = 0; k < count; k++)
        memcpy(text + (size_t)k * longest, lines[k], strlen(lines[k]));
    const hid_t type = text_type(h, longest), space = hdf_checked(h, H5Screate_simple(1, &size, NULL), path);
    const bool few = (size_t)count * longest < COMPACT_MAX;
    const hid_t create = few ? without_times(h, H5P_DATASET_CREATE) : with_checksums(h, path, 1, &size);
    if (few) /* stores the table in the header of its HDF5 object */
        hdf_checked(h, H5Pset_layout(create, H5D_COMPACT), path);
    const hid_t table = hdf_checked(h, H5Dcreate2(h->file, path, type, space, H5P_DEFAULT, create, H5P_DEFAULT), path);
    hdf_checked(h, H5Dwrite(table, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text), path);
    hdf_checked(h, H5Dclose(table), path);
    H5Pclose(create);
    H5Sclose(space);
    H5Tclose(type);
    free(text);
}

void hdf_table_begin(struct hdf *h, const char *path, enum nb_type type, uint64_t rows, int width)
{
    const hsize_t size[2] = {rows, (hsize_t)width}, piece[2] = {rows < HDF_PIECE ? rows : HDF_PIECE, (hsize_t)width};
    const int rank = width == 1 ? 1 : 2;
    const hid_t space = hdf_checked(h, H5Screate_simple(rank, size, NULL), path);
    const hid_t create = with_checksums(h, path, rank, piece);
    uint64_t fill = UINT64_MAX; /* all bits are 1. Read as a real number, this is NaN */
    hdf_checked(h, H5Pset_fill_value(create, hdf_type((int)type, true), &fill), path);
    h->table = hdf_checked(
        h, H5Dcreate2(h->file, path, hdf_type((int)type, true), space, H5P_DEFAULT, create, H5P_DEFAULT), path);
    h->table_type = hdf_type(type == NB_F32 ? NB_F64 : (int)type, false);
    h->table_width = width;
    snprintf(h->table_path, sizeof h->table_path, "%s", path);
    H5Pclose(create);
    H5Sclose(space);
}

void hdf_table_rows(struct hdf *h, uint64_t first, uint64_t count, const void *data)
{
    const hsize_t start[2] = {first, 0}, size[2] = {count, (hsize_t)h->table_width};
    const hid_t space = hdf_checked(h, H5Dget_space(h->table), h->table_path);
    const hid_t memory = hdf_checked(h, H5Screate_simple(h->table_width == 1 ? 1 : 2, size, NULL), h->table_path);
    hdf_checked(h, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL), h->table_path);
    hdf_checked(h, H5Dwrite(h->table, h->table_type, memory, space, H5P_DEFAULT, data), h->table_path);
    H5Sclose(memory);
    H5Sclose(space);
}

void hdf_table_end(struct hdf *h)
{
    hdf_checked(h, H5Dclose(h->table), h->table_path);
    h->table = -1;
}
#endif
