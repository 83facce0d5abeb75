/* gadget.c - translates names of columns to names of HDF5 tables of GADGET and SWIFT, and back. Also finds the files of
 * a snapshot: one file NAME, or several files NAME.0.hdf5 ... The user gives NAME or the name of any of the files. */

#ifdef NB_HAVE_HDF5 /* defined by the Makefile if the HDF5 library is available */
#include "nbconv/gadget/gadget.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- columns ---- */

/* For each column, the names of its HDF5 tables in GADGET's and SWIFT's files. If a column has several entries, writing
 * uses the first entry, and reading accepts all entries. */
static const struct {
    const char *column, *gadget, *swift;
} names[] = {
    {"mass", "Masses", "Masses"},
    {"pos", "Coordinates", "Coordinates"},
    {"vel", "Velocities", "Velocities"},
    {"id", "ParticleIDs", "ParticleIDs"},
    {"component", "Component", "Components"},
    {"phi", "Potential", "Potentials"},
    {"acc", "Acceleration", "Accelerations"},
    {"softening", "Softening", "Softenings"},
    {"radius", "Radius", "Radii"},
    {"mass", "Mass", "DynamicalMasses"}, /* Mass: older programs; DynamicalMasses: SWIFT's black holes */
    {"vel", "Velocity", "Velocity"},
};
#define NAMES (sizeof names / sizeof *names)

void gadget_table_name(const char *column, bool swift, char name[GADGET_NAME_MAX])
{
    for (size_t k = 0; k < NAMES; k++)
        if (strcmp(column, names[k].column) == 0) {
            strcpy(name, swift ? names[k].swift : names[k].gadget);
            return;
        }
    bool large = true;
    for (; *column; column++)
        if (*column == '_')
            large = true;
        else {
            *name++ = large ? (char)toupper((unsigned char)*column) : *column;
            large = false;
        }
    *name = '\0';
}

bool gadget_column_name(const char *table, char column[NB_NAME_MAX])
{
    for (size_t k = 0; k < NAMES; k++)
        if (strcmp(table, names[k].gadget) == 0 || strcmp(table, names[k].swift) == 0) {
            strcpy(column, names[k].column);
            return true;
        }
    size_t length = 0;
    for (const char *c = table; *c; c++) {
        const bool word = c > table && isupper((unsigned char)*c) && !isupper((unsigned char)c[-1]) && c[-1] != '_';
        if (length + 2 >= NB_NAME_MAX)
            return false;
        if (word)
            column[length++] = '_';
        column[length++] = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    }
    column[length] = '\0';
    return islower((unsigned char)column[0]) && !nb_column_known(column);
}

void gadget_table_path(char path[GADGET_PATH_MAX], int type, const char *table)
{
    snprintf(path, GADGET_PATH_MAX, "/PartType%d%s%s", type, *table ? "/" : "", table);
}

/* ---- files ---- */

static int check_file(const char *file)
{
    struct stat st;
    if (stat(file, &st) || access(file, R_OK))
        return nb_fail("%s: cannot be opened: %s", file, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return nb_fail("%s: HDF5 is read from a file, not from a %s", strcmp(file, "/dev/stdin") == 0 ? "stdin" : file,
                       S_ISDIR(st.st_mode) ? "folder" : "pipe or a device");
    return 0;
}

char *gadget_find_file(const char *path)
{
    static const char *const endings[] = {"", ".hdf5", ".h5", ".0.hdf5", ".0.h5", NULL};
    struct stat st;
    for (const char *const *ending = endings; *ending; ending++) {
        char *file;
        if (asprintf(&file, "%s%s", path, *ending) < 0)
            break;
        const bool there = stat(file, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
        if (there && check_file(file) == 0)
            return file;
        free(file);
        if (there)
            return NULL;
    }
    return nb_null(nb_fail("%s: cannot be opened: %s", path, strerror(ENOENT)));
}

/* Returns a pointer to the number in a file name such as NAME.12.hdf5, and sets *digits to its number of digits.
 * Returns NULL if the name has no number. */
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
        return nb_null(nb_fail("%s: is one of several files, but its name has no number as in NAME.0.hdf5", path));
    if (asprintf(&name, "%.*s%d%s", (int)(number - path), path, k, number + digits) < 0)
        return NULL;
    char *file = gadget_find_file(name);
    free(name);
    return file;
}
#endif
