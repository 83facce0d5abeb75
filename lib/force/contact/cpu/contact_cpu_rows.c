/* contact_cpu_rows.c - joins the lists of partners found by the threads into one array. Declared in contact_cpu.h. The
 * result does not depend on the number of threads. */
#include "force/contact/cpu/contact_cpu.h"

#include "base/error.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define INSERT_UPTO 32 /* maximum number of partners for which insertion sort is used */
/* Maximum number of examined pairs for n disks. If there are more, too many disks overlap, and the search fails. */
#define LOOKS(n) ((1ull << 28) + 1024 * (n))

bool nb_contact_part_grow(struct nb_contact_part *part, uint64_t more)
{
    if (part->count + more <= part->capacity)
        return true;
    const uint64_t capacity = part->capacity + part->capacity / 2 + more + 1024;
    uint32_t *partner = realloc(part->partner, capacity * sizeof *partner);
    if (partner)
        part->partner = partner, part->capacity = capacity;
    return partner;
}

static int reserve(struct nb_contact_rows *rows, uint64_t n, int parts)
{
    if (rows->capacity < n + 1) {
        free(rows->begin);
        rows->capacity = (rows->begin = malloc((n + 1) * sizeof *rows->begin)) ? n + 1 : 0;
    }
    if (rows->parts < parts) {
        struct nb_contact_part *part = realloc(rows->part, (size_t)parts * sizeof *part);
        if (!part)
            return nb_fail("no memory for pairs of disks");
        memset(part + rows->parts, 0, (size_t)(parts - rows->parts) * sizeof *part);
        rows->part = part;
        rows->parts = parts;
    }
    return rows->begin ? 0 : nb_fail("no memory for pairs of disks");
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort(uint32_t *row, uint64_t count)
{
    if (count > INSERT_UPTO) {
        qsort(row, count, sizeof *row, compare);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        const uint32_t number = row[i];
        uint64_t k = i;
        for (; k > 0 && row[k - 1] > number; k--)
            row[k] = row[k - 1];
        row[k] = number;
    }
}

/* Finds the partners of disks [i0, i1); stores the number of partners of disk i in begin[i + 1]. Returns false if there
 * is no memory, or if there are too many pairs. */
static bool fill_part(struct nb_contact_rows *rows, const struct nb_contact_input *in, nb_contact_search *search,
                      const void *context, struct nb_contact_part *part, uint64_t i0, uint64_t i1)
{
    part->count = part->looks = 0;
    for (uint64_t i = i0; i < i1; i++) {
        const uint64_t before = part->count;
        if (part->looks > LOOKS(in->n) || !search(context, in, (uint32_t)i, part))
            return false;
        if (part->count > before + 1)
            sort(part->partner + before, part->count - before);
        rows->begin[i + 1] = part->count - before;
    }
    return true;
}

/* Copies the partners that all threads found, rows->part[0 .. parts), to rows->partner. Returns -1 if there is no
 * memory. */
static int join(struct nb_contact_rows *rows, uint64_t n, int parts)
{
    uint64_t *place = malloc((size_t)parts * sizeof *place), total = 0;
    for (int c = 0; c < parts && place; c++) {
        place[c] = total;
        total += rows->part[c].count;
    }
    if (place && rows->partner_capacity < total) {
        free(rows->partner);
        rows->partner_capacity = total + total / 4;
        rows->partner = malloc(rows->partner_capacity * sizeof *rows->partner);
        rows->partner_capacity = rows->partner ? rows->partner_capacity : 0;
    }
    if (!place || rows->partner_capacity < total) {
        free(place);
        return nb_fail("no memory for %llu pairs of disks", (unsigned long long)total);
    }
    rows->begin[0] = 0;
    for (uint64_t i = 0; i < n; i++)
        rows->begin[i + 1] += rows->begin[i];
#pragma omp parallel for schedule(static, 1) if (parts > 1)
    for (int c = 0; c < parts; c++)
        if (rows->part[c].count)
            memcpy(rows->partner + place[c], rows->part[c].partner, rows->part[c].count * sizeof *rows->partner);
    free(place);
    return 0;
}

int nb_contact_rows_fill(struct nb_contact_rows *rows, const struct nb_contact_input *in, nb_contact_search *search,
                         const void *context)
{
    const int parts = in->n > NB_CONTACT_SERIAL ? omp_get_max_threads() : 1;
    const uint64_t chunk = (in->n + (uint64_t)parts - 1) / (uint64_t)parts;
    bool good = true, many = false;
    if (reserve(rows, in->n, parts))
        return -1;
#pragma omp parallel for schedule(static, 1) reduction(&& : good) reduction(|| : many) if (parts > 1)
    for (int c = 0; c < parts; c++) {
        const uint64_t i0 = (uint64_t)c * chunk, i1 = i0 + chunk;
        good = fill_part(rows, in, search, context, &rows->part[c], i0 < in->n ? i0 : in->n, i1 < in->n ? i1 : in->n);
        many = rows->part[c].looks > LOOKS(in->n);
    }
    if (many)
        return nb_contact_fail_crowded();
    return good ? join(rows, in->n, parts) : nb_fail("no memory for pairs of disks");
}

void nb_contact_rows_free(struct nb_contact_rows *rows)
{
    for (int c = 0; c < rows->parts; c++)
        free(rows->part[c].partner);
    free(rows->part);
    free(rows->begin);
    free(rows->partner);
    *rows = (struct nb_contact_rows){0};
}
