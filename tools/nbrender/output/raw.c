/* Writes pictures as raw pixels to a file descriptor. */
#include "nbrender/output/raw.h"

#include "base/io.h"

struct raw {
    int fd;
    const char *name;
    struct rows rows;
    unsigned char *row;
};

const char *raw_format(const struct output_options *o)
{
    return o->alpha ? (o->depth == 16 ? "rgba64be" : "rgba") : (o->depth == 16 ? "rgb48be" : "rgb24");
}

struct raw *raw_create(int fd, const char *name, const struct output_options *o, int width)
{
    struct raw *raw = claimed(calloc(1, sizeof *raw), "no memory for the film");
    raw->fd = fd;
    raw->name = name;
    if (!rows_open(&raw->rows, o, width) || !(raw->row = malloc(raw->rows.bytes)))
        die("no memory for the film");
    return raw;
}

int raw_write(struct raw *raw, const struct picture *p)
{
    raw->rows.picture = p;
    for (int y = 0; y < p->height; y++) {
        rows_fill(&raw->rows, y, raw->row);
        if (nb_io_write(raw->fd, raw->name, raw->row, raw->rows.bytes))
            return -1;
    }
    return 0;
}

void raw_destroy(struct raw *raw)
{
    if (!raw)
        return;
    rows_close(&raw->rows);
    free(raw->row);
    free(raw);
}
