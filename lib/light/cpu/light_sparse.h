/* light_sparse.h - finds the parts of a row of cells that have light, and gives each thread rows of working space.
 * Inlined into the passes of each instruction set. */
#pragma once

#include "light/cpu/light_cpu.h"

#include <omp.h>
#include <string.h>

#define PAD 8 /* number of additional cells on each side of a scratch row */

/* Rows of a thread's working memory:
 * - ROW_REST, ROW_KEPT: climb() divides a row of a level into light that goes up to the next level (REST) and light
 *   that stays (KEPT).
 * - ROWS_REST, ROWS_KEPT: ROW_REST and ROW_KEPT of the last four rows, after restriction in x.
 * - ROWS_HELD: the last four rows of level 1. */
enum {
    ROW_COLUMNS,
    ROW_KEEPS,
    ROW_REST,
    ROW_KEPT,
    ROWS_REST,
    ROWS_KEPT = ROWS_REST + 4,
    /* shares memory with ROWS_REST. Rows of level 1 are computed only after the last use of ROWS_REST */
    ROWS_HELD = ROWS_REST,
    ROW_MIXED = ROWS_KEPT + 4,
    ROW_SUM,
    ROW_COLUMNS_1,
    ROW_COLUMNS_2,
    ROW_COUNT
};
_Static_assert(ROW_COUNT <= SCRATCH_ROWS, "");

/* Returns cell 0 of scratch row `number` of the calling thread. */
static inline v4f *scratch_row(const struct work *w, int number)
{
    const size_t row = (size_t)omp_get_thread_num() * SCRATCH_ROWS + (size_t)number;
    return w->scratch + row * w->scratch_stride + PAD;
}

/* Returns a scratch row as bytes, one for each column of tiles. */
static inline uint8_t *scratch_columns(const struct work *w, int number)
{
    return (uint8_t *)(scratch_row(w, number) - PAD);
}

/* Finds the columns of tiles in which row y of level k can have light. Considers only light that was put into levels 0
 * to `highest`. Sets column[i] to 1 for these columns i, and to 0 for all others. */
static inline void find_columns(const struct work *w, int k, int y, int highest, uint8_t *column)
{
    const struct bins *s = &w->bins;
    const struct tile *row = w->tile + tile_of_cell(s, k, y) * s->columns;
    if (w->settled || highest >= SPARSE_LEVELS) {
        memset(column, 1, (size_t)s->columns);
        return;
    }
    for (int i = 0; i < s->columns; i++)
        column[i] = row[i].lowest <= highest;
}

/* Sets column[i] to 1 for each column i of tiles in which row y of level k (0 or 1) can get light from level 2. Does
 * not change the other elements. */
static inline void add_lit_columns(const struct work *w, int k, int y, uint8_t *column)
{
    const int middle = y >> (2 - k), rows = w->level[2].height + BORDER, columns = w->bins.columns;
    for (int j = middle - 1; j <= middle + 1; j++) {
        const uint8_t *lit = w->lit + (ptrdiff_t)(j + BORDER) * columns;
        for (int i = 0; i < columns && j >= -BORDER && j < rows; i++)
            column[i] |= lit[i];
    }
}

/* Searches a row of level k, from cell *x on, for the next run of cells in marked columns (column[i] = 1). Sets *x to
 * the first cell of the run, and returns the first cell after the run. If there is no run, returns *x. */
static inline int next_run(const struct work *w, int k, const uint8_t *column, int *x)
{
    const struct bins *s = &w->bins;
    const int end = w->level[k].width + BORDER;
    /* In levels above SPARSE_LEVELS, all columns are marked. The loops below would fail for cells larger than a
     * tile. */
    if (k > SPARSE_LEVELS)
        return end;
    while (*x < end && !column[tile_of_cell(s, k, *x)])
        *x = ((tile_of_cell(s, k, *x) + 1) * TILE - s->margin) >> k;
    int last = *x;
    while (last < end && column[tile_of_cell(s, k, last)])
        last = ((tile_of_cell(s, k, last) + 1) * TILE - s->margin) >> k;
    *x = *x < end ? *x : end;
    return last < end ? last : end;
}

/* Computes w->lit from the cells of level 2. A column of tiles is lit in a row of level 2 if the row has light in this
 * column, or in the two cells to its left or right. Light farther away does not contribute to the pixels of the column,
 * or to the cells of level 1 in and next to the column. */
static void find_lit(const struct work *w, const v4f *cells)
{
    typedef int32_t words __attribute__((vector_size(16), may_alias));
    const struct level *l = &w->level[2];
    const int columns = w->bins.columns, size = TILE >> 2, left = -(w->bins.margin >> 2);
#pragma omp parallel for schedule(dynamic, 16)
    for (int y = -BORDER; y < l->height + BORDER; y++) {
        const words *row = (const words *)cell_at(l, (v4f *)cells, 0, y);
        for (int i = 0; i < columns; i++) {
            const int x0 = left + i * size - 2, x1 = x0 + size + 4, end = l->width + BORDER;
            words any = {0};
            for (int x = x0 < -BORDER ? -BORDER : x0; x < x1 && x < end; x++)
                any |= row[x];
            w->lit[(y + BORDER) * columns + i] = (any[0] | any[1] | any[2] | any[3]) != 0;
        }
    }
}
