/* Fuzz target: the files of an external field. The input is a line with the field's type and parameters, the table, a
 * line '%%', and the file of the centre. An accepted field is finite, has the values of its rows, stays between them,
 * and is the same field when it is opened again from the text for a header. */
#include "base/error.h"
#include "device/choose.h"
#include "force/external/external_table.h"
#include "force/force.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DIVIDER "\n%%\n"
#define STEPS   7 /* times looked at between two rows */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct nb_meta meta = {.G = 1, .units = {.name = "code"}};

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_field: does not hold: %s (%s)\n", what, nb_error());
    abort();
}

/* A file with these bytes and its name. */
static int file_of(const uint8_t *data, size_t size, char path[64])
{
    const int fd = memfd_create("field", 0);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file is written");
    sprintf(path, "/proc/self/fd/%d", fd);
    return fd;
}

static bool near(double a, double b, double scale)
{
    return fabs(a - b) <= 1e-9 * scale;
}

static void check_row(const struct nb_external_table *t, size_t k, bool between)
{
    double values[NB_EXTERNAL_COLUMNS];
    for (int c = 0; c < t->columns; c++) {
        const double *v = t->value + (size_t)c * t->rows;
        double range[2];
        nb_external_table_range(t, c, range);
        const double most = fmax(fabs(range[0]), fabs(range[1]));
        require(isfinite(v[k]) && isfinite(most), "values and their ranges are finite");
        nb_external_table_at(t, t->time[k], values);
        require(near(values[c], v[k], most), "the values of a row");
        for (int i = 0; i <= STEPS && k + 1 < t->rows; i++) {
            const double time = t->time[k] + (t->time[k + 1] - t->time[k]) * i / STEPS;
            nb_external_table_at(t, time, values);
            require(values[c] >= range[0] - 1e-9 * most && values[c] <= range[1] + 1e-9 * most,
                    "values are in the column's range");
            require(!between || (values[c] >= fmin(v[k], v[k + 1]) - 1e-9 * most &&
                                 values[c] <= fmax(v[k], v[k + 1]) + 1e-9 * most),
                    "values are between two rows'");
        }
    }
}

static void check_table(const char *path, bool orbit)
{
    static const char *const names[] = {"mass", "a", "angle", "gx", NULL};
    struct nb_external_table t;
    errno = 0;
    if (nb_external_table_read(&t, path, names, orbit, &meta)) {
        require(errno == EDOM && strstr(nb_error(), path), "a refusal names the file");
        return;
    }
    require(t.rows >= 2 && t.columns >= 1, "a table has two rows and a column");
    for (size_t k = 0; k < t.rows; k++) {
        require(isfinite(t.time[k]) && (k == 0 || t.time[k] > t.time[k - 1]), "times rise");
        check_row(&t, k, !orbit);
    }
    require(nb_external_table_grain(&t, t.time[0], t.time[t.rows - 1]) > 0, "the shortest time is above 0");
    nb_external_table_free(&t);
}

/* What the field does to a body at rest at time 0, and whether it can be opened. */
static bool find_field(struct nb_force_spec *spec, double *frequency, struct nb_force_spec *noted)
{
    static const double x[3] = {0.3, -0.7, 0.2};
    static struct nb_device *device;
    struct nb_force_set set;
    if (!device)
        device = nb_device_choose("cpu");
    nb_force_set_init(&set, device);
    const int status = nb_force_set_add(&set, spec, NB_DOUBLE, NB_WANT_ACC, 1, &meta);
    require(status == 0 || *nb_error(), "a refusal says why");
    if (status == 0) {
        *frequency = nb_force_set_frequency(&set, 1, x, 0);
        *noted = set.force[0].spec;
        const int covers = nb_force_set_covers(&set, 0, 0);
        require(covers == 0 || *nb_error(), "a time that is not covered is named");
        require(nb_force_set_grain(&set, 0, 1) > 0, "the shortest time is above 0");
    }
    nb_force_set_close(&set);
    return status == 0;
}

static void check_field(const char *line, const char *table, const char *centre)
{
    char text[NB_FORCE_TEXT_BYTES], printed[NB_FORCE_TEXT_BYTES];
    struct nb_force_spec spec, noted, again;
    double frequency[2];
    snprintf(text, sizeof text, "external:%.300s%s%s%s%s", line, *table ? ",table=" : "", table,
             *centre ? ",center=" : "", centre);
    if (nb_force_parse(text, &spec) || !find_field(&spec, &frequency[0], &noted))
        return;
    nb_force_print(&noted, printed, sizeof printed);
    require(nb_force_parse(printed, &spec) == 0, "a field that was opened is read from a header");
    require(find_field(&spec, &frequency[1], &again), "and opened again");
    require(memcmp(frequency, frequency + 1, sizeof *frequency) == 0, "and it is the same");
    require(frequency[0] >= 0, "a frequency is a number");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[2][64], line[301] = "";
    const uint8_t *end = data + size, *table = size ? memchr(data, '\n', size) : NULL;
    if (!table)
        return 0;
    memcpy(line, data, (size_t)(table - data) < sizeof line - 1 ? (size_t)(table - data) : sizeof line - 1);
    table++;
    const uint8_t *divider = memmem(table, (size_t)(end - table), DIVIDER, strlen(DIVIDER));
    const uint8_t *centre = divider ? divider + strlen(DIVIDER) : end;
    const int fd[2] = {file_of(table, (size_t)((divider ? divider + 1 : end) - table), path[0]),
                       file_of(centre, (size_t)(end - centre), path[1])};
    check_table(path[0], false);
    check_table(path[1], true);
    check_field(line, divider ? path[0] : "", path[1]);
    check_field(line, path[0], "");
    check_field(line, "", path[1]);
    close(fd[0]);
    close(fd[1]);
    return 0;
}
