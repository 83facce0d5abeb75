/* Writes linear light as 32-bit floats in two formats. PFM is Debevec's portable float map: the bottom row comes first,
 * and a negative scale means little-endian numbers. NPY is NumPy's format 1.0. */
#include "base/io.h"
#include "nbrender/output/output.h"

#define BLOCK_BYTES ((size_t)1 << 20)

int job_write(const struct job *job, const void *bytes, size_t size)
{
    return nb_io_write(tool_output_fd(job->file), tool_output_name(job->file), bytes, size);
}

int linear_rows(struct job *job, size_t row_values, int rows, void (*fill)(const struct picture *, int, float *))
{
    size_t most = BLOCK_BYTES / sizeof(float) / row_values + 1, filled = 0;
    float *block = malloc(most * row_values * sizeof *block);
    int status = block ? 0 : nb_fail("%s: no memory for the picture", tool_output_name(job->file));
    for (int row = 0; row < rows && status == 0; row++) {
        fill(&job->picture, row, block + filled++ * row_values);
        if (filled < most && row + 1 < rows)
            continue;
        status = job_write(job, block, filled * row_values * sizeof *block);
        filled = 0;
    }
    free(block);
    return status;
}

static void fill_row(const struct picture *p, int row, float *to)
{
    const float *from = p->linear + (size_t)row * (size_t)p->width * (size_t)p->stride;
    for (int x = 0; x < p->width; x++)
        for (int k = 0; k < p->channels; k++)
            to[x * p->channels + k] = from[x * p->stride + k];
}

static void fill_row_upwards(const struct picture *p, int row, float *to)
{
    fill_row(p, p->height - 1 - row, to);
}

int pfm_write(void *state, struct job *job)
{
    (void)state;
    const struct picture *p = &job->picture;
    char head[64];
    int size = snprintf(head, sizeof head, "%s\n%d %d\n-1.0\n", p->channels == 1 ? "Pf" : "PF", p->width, p->height);
    if (job_write(job, head, (size_t)size))
        return -1;
    return linear_rows(job, (size_t)p->width * (size_t)p->channels, p->height, fill_row_upwards);
}

int npy_write(void *state, struct job *job)
{
    (void)state;
    const struct picture *p = &job->picture;
    enum { BEFORE = 10, HEAD = 128 }; /* the size of the header must be a multiple of 64 bytes */
    char head[HEAD + 1] = "\x93NUMPY\x01", channels[16] = "";
    if (p->channels > 1)
        snprintf(channels, sizeof channels, ", %d", p->channels);
    head[8] = HEAD - BEFORE;
    int used =
        snprintf(head + BEFORE, sizeof head - BEFORE, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d%s), }",
                 p->height, p->width, channels);
    memset(head + BEFORE + used, ' ', (size_t)(HEAD - BEFORE - used));
    head[HEAD - 1] = '\n';
    if (job_write(job, head, HEAD))
        return -1;
    return linear_rows(job, (size_t)p->width * (size_t)p->channels, p->height, fill_row);
}
