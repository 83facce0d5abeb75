/* Allocates, copies and clears pictures, and fills in their metadata. */
#include "nbrender/output/output.h"

#include "base/memory.h"

#define STRIDE 4

void picture_init(struct picture *p, int width, int height, bool linear)
{
    size_t pixels = (size_t)width * (size_t)height;
    *p = (struct picture){.width = width, .height = height, .channels = 3, .stride = STRIDE};
    bool none = linear && !(p->linear = calloc(pixels, STRIDE * sizeof *p->linear));
    for (int k = 0; k < 3 && !linear; k++)
        none |= !(p->plane[k] = calloc(pixels, sizeof *p->plane[k]));
    for (int k = 0; k < 3; k++)
        nb_memory_large_pages(p->plane[k], pixels * sizeof *p->plane[k]);
    if (none)
        die("no memory for a picture of %dx%d", width, height);
}

void picture_free(struct picture *p)
{
    for (int k = 0; k < 3; k++)
        free(p->plane[k]);
    free(p->linear);
    free(p->info.history);
}

size_t picture_bytes(int width, int height, bool linear)
{
    return (size_t)width * (size_t)height * (linear ? STRIDE * sizeof(float) : 3 * sizeof(uint16_t));
}

static char *join_lines(char *const *lines, int count)
{
    size_t size = 1;
    for (int k = 0; k < count; k++)
        size += strlen(lines[k]) + 1;
    char *text = claimed(malloc(size), "no memory"), *to = text;
    for (int k = 0; k < count; k++) {
        to = stpcpy(to, lines[k]);
        *to++ = '\n';
    }
    to[to > text ? -1 : 0] = '\0';
    return text;
}

void picture_note(struct picture *p, const struct nb_meta *meta, int64_t frame)
{
    struct nb_meta own = {0};
    if (nb_meta_copy(&own, meta))
        die("no memory");
    tool_record(&own, NULL);
    p->info.frame = frame;
    p->info.time = meta->time;
    p->info.units = meta->units;
    free(p->info.history);
    p->info.history = join_lines(own.history, own.history_count);
    nb_meta_free(&own);
}

static size_t plane_bytes(const struct picture *p)
{
    return (size_t)p->width * (size_t)p->height * sizeof *p->plane[0];
}

void picture_blacken(struct picture *p)
{
    if (p->linear)
        memset(p->linear, 0, picture_bytes(p->width, p->height, true));
    for (int k = 0; k < 3 && !p->linear; k++)
        memset(p->plane[k], 0, plane_bytes(p));
}

void picture_copy(struct picture *to, const struct picture *from)
{
    for (int k = 0; k < 3; k++)
        memcpy(to->plane[k], from->plane[k], plane_bytes(to));
}
