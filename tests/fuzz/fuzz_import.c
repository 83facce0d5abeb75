#include "fuzz_import.h"

#include "base/error.h"
#include "nbconv/nbconv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct job {
    char path[64];
    bool quad;
    int frames;
};

static struct job *job;

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_import: does not hold: %s (%s)\n", what, nb_error());
    abort();
}

/* ---- in place of nbconv's main.c ---- */

static void read_back(int fd, const struct nb_bodies *b)
{
    char path[64];
    struct nb_bodies again;
    sprintf(path, "/proc/self/fd/%d", fd);
    struct nb_snap_reader *r = nb_snap_open(path, false);
    nb_bodies_init(&again);
    require(r && nb_snap_read(r, &again) == 1 && again.n == b->n, "what is written is read");
    for (int k = 0; k < b->column_count; k++)
        require(memcmp(again.columns[k].data, b->columns[k].data, nb_column_bytes(&b->columns[k], b->n)) == 0,
                "columns come back");
    require(nb_snap_read(r, &again) == 0, "the stream ends");
    nb_bodies_free(&again);
    nb_snap_close(r);
}

/* What a double rounds away is at most half of its last bit. */
static void check_low(const struct nb_bodies *b, const char *name, const char *low_name)
{
    const struct nb_column *high = nb_bodies_find(b, name), *low = nb_bodies_find(b, low_name);
    require(high && low, "the low parts are there");
    for (uint64_t k = 0; k < 3 * b->n; k++)
        require(fabs(((const double *)low->data)[k]) <= fabs(((const double *)high->data)[k]) * 0x1p-52,
                "they are low");
}

int conv_import_frame(struct conv_import *import, struct nb_bodies *b, const char *where)
{
    (void)import, (void)where;
    if (nb_bodies_check(b))
        return -1;
    job->frames++;
    if (job->quad) {
        check_low(b, "pos", "pos_lo");
        check_low(b, "vel", "vel_lo");
    }
    int fd = memfd_create("out", 0);
    struct nb_snap_writer *w = nb_snap_create(fd, "out");
    require(w && nb_snap_write(w, b) == 0 && nb_snap_finish(w) == 0, "what is read can be written");
    nb_snap_destroy(w);
    read_back(fd, b);
    close(fd);
    return 0;
}

/* ---- a run ---- */

void fuzz_import(const char *format, bool quad, const uint8_t *data, size_t size)
{
    struct job here = {.quad = quad};
    struct conv_options options = {.store = NB_F64, .quad = quad, .from = conv_format_find(format)};
    struct conv_import import = {.options = &options};
    struct nb_bodies b;
    nb_bodies_init(&b);
    options.meta = b.meta;
    int fd = memfd_create("text", 0);
    require(options.from && write(fd, data, size) == (ssize_t)size, "the format is there");
    sprintf(here.path, "/proc/self/fd/%d", fd);
    tool_options.quiet = true;
    job = &here;
    nb_fail("%s", "");
    const int status = options.from->from(&import, here.path);
    require(status == 0 ? here.frames > 0 : status == -1 && *nb_error(), "it says why");
    close(fd);
}
