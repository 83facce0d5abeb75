/* Sums of vectors on the CPU in one pass (nb_device.combine), for each type of element. */
#include "device_cpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Elements that are summed at once: the sums of all rows stay in the first-level cache. */
#define BLOCK 128
/* Below this the start of the threads costs more than they save. */
#define PARALLEL_BYTES 1000000

#define PASTE2(a, b) a##_##b
#define PASTE(a, b)  PASTE2(a, b)

struct combination {
    int inputs, rows;
    const void *const *in;
    const struct nb_row *row;
};

#define REAL float
#define NAME single
#include "device_combine_type.h"

#define REAL double
#define NAME double
#include "device_combine_type.h"

#define REAL nb_quad
#define NAME quad
#include "device_combine_type.h"

int nb_cpu_combine(enum nb_precision precision, uint64_t count, int inputs, const void *const *in, int rows,
                   const struct nb_row *row, double *norm)
{
    const struct combination w = {inputs, rows, in, row};
    for (int r = 0; norm && r < rows; r++)
        norm[r] = 0;
    if (precision == NB_SINGLE)
        combine_single(&w, count, norm);
    else if (precision == NB_QUAD)
        combine_quad(&w, count, norm);
    else
        combine_double(&w, count, norm);
    return 0;
}
