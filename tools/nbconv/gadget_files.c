/* The files of a snapshot: NAME, or NAME.0.hdf5, NAME.1.hdf5 ... of which any one is given, or what they have in
 * common. */
#include "gadget.h"
#include "hdf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static noreturn void die_no_memory(void)
{
    die("no memory");
}

char *gadget_find_file(const char *path)
{
    static const char *const endings[] = {"", ".hdf5", ".h5", ".0.hdf5", ".0.h5"};
    struct stat st;
    char *file;
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        if (asprintf(&file, "%s%s", path, endings[k]) < 0)
            die_no_memory();
        if (stat(file, &st) == 0 || (errno != ENOENT && errno != ENOTDIR))
            break;
        free(file);
        file = NULL;
    }
    if (!file)
        die("%s: cannot be opened: %s", path, strerror(ENOENT));
    if (stat(file, &st) || access(file, R_OK))
        die("%s: cannot be opened: %s", file, strerror(errno));
    if (!S_ISREG(st.st_mode))
        die("%s: HDF5 is read from a file, not from a %s", strcmp(path, "/dev/stdin") == 0 ? "stdin" : file,
            S_ISDIR(st.st_mode) ? "folder" : "pipe or a device");
    return file;
}

/* Where the number of the file begins in its name: NAME.12.hdf5; and its digits. NULL: there is none. */
static const char *find_number(const char *path, int *digits)
{
    const char *ending = strrchr(path, '.');
    if (!ending || strchr(ending, '/'))
        return NULL;
    const char *number = ending;
    while (number > path && number[-1] >= '0' && number[-1] <= '9')
        number--;
    *digits = (int)(ending - number);
    return number > path && number[-1] == '.' && *digits > 0 ? number : NULL;
}

char *gadget_file_name(const char *path, int k)
{
    int digits;
    const char *number = find_number(path, &digits);
    char *name;
    if (!number)
        die("%s: one of several files, but its name has no number, as NAME.0.hdf5 has", path);
    if (asprintf(&name, "%.*s%d%s", (int)(number - path), path, k, number + digits) < 0)
        die_no_memory();
    return name;
}
