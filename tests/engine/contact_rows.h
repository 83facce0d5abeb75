/* contact_rows.h - for tests of contact forces: runs a test on every device, with every method, in every precision,
 * and with the methods' switches. */
#pragma once

#include "touching.h"

struct row {
    const char *device;
    const char *spec;
    enum nb_precision precision;
};

struct contact_case {
    void (*function)(void **); /* its state is a row */
    const char *name;
    bool gpu_alone;
};

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

struct contact_tests {
    const struct contact_case *cases;
    size_t case_count, count;
    struct CMUnitTest test[512];
};

static inline void add_contact_test(struct contact_tests *t, void (*function)(void **), struct row *row,
                                    const char *name)
{
    assert(t->count < sizeof t->test / sizeof *t->test);
    t->test[t->count++] = (struct CMUnitTest){name, function, NULL, NULL, row};
}

static inline void add_contact_rows(struct contact_tests *t, const char *device, const char *spec,
                                    enum nb_precision last)
{
    static struct row rows[32];
    static size_t row_count;
    const bool cpu = strcmp(device, "cpu") == 0;
    for (int p = NB_SINGLE; p <= (int)last; p++) {
        rows[row_count] = (struct row){device, spec, (enum nb_precision)p};
        for (size_t c = 0; c < t->case_count; c++) {
            if (cpu && t->cases[c].gpu_alone)
                continue;
            char *name;
            assert_true(asprintf(&name, "%s on %s, %s: %s", spec, device, nb_precision_name((enum nb_precision)p),
                                 t->cases[c].name) > 0);
            add_contact_test(t, t->cases[c].function, &rows[row_count], name);
        }
        row_count++;
    }
}

/* Ways to the same sums, in single precision alone. */
static inline void add_contact_switches(struct contact_tests *t, const struct nb_force *f)
{
    static const char *const switches[] = {
        "contact-grid:skin=0",
        "contact-grid:skin=9", /* more partners than a list holds, on some devices */
        "contact-bvh:reorder=off,stack=shared",
        "contact-bvh:reflexive=on",
        "contact-bvh:reflexive=on,stack=shared",
        "contact-bvh:reflexive=on,aggregate=on,reorder=off",
    };
    const size_t length = strlen(f->method);
    const bool cpu = strcmp(f->device, "cpu") == 0; /* where those of a GPU are refused: test_contact_bvh.c */
    for (size_t k = 0; k < sizeof switches / sizeof *switches; k++)
        if (strncmp(switches[k], f->method, length) == 0 && switches[k][length] == ':' &&
            !(cpu && (strstr(switches[k], "stack") || strstr(switches[k], "aggregate"))))
            add_contact_rows(t, f->device, switches[k], NB_SINGLE);
}

static inline void nothing(void **state)
{
    (void)state;
}

/* What main returns. */
static inline int run_contact_cases(const char *group, const struct contact_case *cases, size_t count)
{
    static struct contact_tests t;
    t.cases = cases;
    t.case_count = count;
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        if ((*f)->flags & NB_CONTACT) {
            if (device_of((*f)->device)) {
                add_contact_rows(&t, (*f)->device, (*f)->method, NB_DOUBLE);
                add_contact_switches(&t, *f);
            } else
                add_contact_test(&t, nothing, NULL, "a device # SKIP it is not here");
        }
    return _cmocka_run_group_tests(group, t.test, t.count, NULL, NULL);
}
