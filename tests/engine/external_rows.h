/* external_rows.h - for tests of external fields: runs tests on every device that has external fields, in several
 * precisions. A missing device gives one line. */
#pragma once

#include "common/devices.h"
#include "device/device_kind.h"

struct row {
    const char *device;
    enum nb_precision precision;
};

/* Runs the tests of `first`, which need no device, then those of `of_row` for every device in the precisions from
 * `least` to double. The state of a test is the row. Returns the exit status for main. */
static inline int run_on_external_rows(const struct CMUnitTest *first, size_t first_count,
                                       const struct CMUnitTest *of_row, size_t of_rows, enum nb_precision least)
{
    static struct row rows[16];
    static struct CMUnitTest tests[64];
    size_t count = 0, row_count = 0;
    for (; count < first_count; count++)
        tests[count] = first[count];
    for (const struct nb_device_kind *const *kind = nb_device_kinds; *kind; kind++) {
        const bool here = device_of((*kind)->name);
        if (here && !row_on((*kind)->name, "external"))
            continue;
        for (int p = (int)least; p <= NB_DOUBLE; p++)
            for (size_t k = 0; k < (here ? of_rows : p == (int)least); k++) {
                struct row *row = &rows[row_count];
                char *name;
                *row = (struct row){(*kind)->name, (enum nb_precision)p};
                row_count += k + 1 == of_rows;
                if (asprintf(&name, here ? "external %s %s: %s" : "external on %s # SKIP %s", (*kind)->name,
                             here ? nb_precision_name((enum nb_precision)p) : nb_error(), of_row[k].name) < 0)
                    abort();
                tests[count] = here ? of_row[k] : (struct CMUnitTest){NULL, run_nothing, NULL, NULL, NULL};
                tests[count].name = name;
                tests[count++].initial_state = row;
            }
    }
    return _cmocka_run_group_tests("external", tests, count, NULL, NULL);
}
