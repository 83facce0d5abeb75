/* The memory that a run needs, and the messages if there is less: for a device's memory, with a dummy force and dummy
 * devices, and for the memory of this machine. The columns of nbsim are compiled into this test. */
#include "base/memory.h"
#include "common/dies.h"
#include "common/temporary.h"
#include "device/choose.h"
#include "device/device_kind.h"
#include "measure/measure.h"
#include "nbsim/columns.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* The steps of a run, and what nbsim says of a device that fails, are none of this test's. */
double sim_step_size(const struct run *r)
{
    (void)r;
    return 0;
}

void sim_check(int status)
{
    if (status)
        die("%s", nb_error());
}

static double there; /* what the device below has free, bytes */

static int some_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    (void)d;
    *free_bytes = there;
    *total_bytes = 2 * there;
    return 0;
}

static int lost_memory(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    (void)d, (void)free_bytes, (void)total_bytes;
    return nb_fail("the device is lost");
}

static double hundred_a_body(enum nb_precision precision, uint64_t n)
{
    return (precision == NB_SINGLE ? 60.0 : 100.0) * (double)n;
}

/* 70 bytes a body, and 30 of each that is in the piece of 6400. */
static double of_pieces(enum nb_precision precision, uint64_t n)
{
    (void)precision;
    return 70.0 * (double)n + 30.0 * (double)(n < 6400 ? n : 6400);
}

static const struct nb_device_kind toy = {.name = "toy", .memory = some_memory};
static struct nb_device device = {.name = "toy", .description = "a toy", .kind = &toy};
static const struct nb_force plain_row = {.method = "plain", .tolerance = {1, 1, 1}};
static const struct nb_force hungry_row = {.method = "hungry", .tolerance = {1, 1, 1}, .work_bytes = hundred_a_body};
static const struct nb_force pieces_row = {
    .method = "pieces", .tolerance = {1, 1, 1}, .work_bytes = of_pieces, .piece = 6400};
static const struct nb_force proud_row = {.method = "proud", .tolerance = {0, 0, 1}, .work_bytes = hundred_a_body};

#define SET(one)                                                     \
    {                                                                \
        .device = &device, .count = 1, .force = {{.entry = &(one)}}, \
    }
static const struct nb_force_set plain = SET(plain_row), hungry = SET(hungry_row), proud = SET(proud_row);

static void a_state_is_ten_rows(void **state)
{
    (void)state;
    assert_true(nb_state_bytes(NB_SINGLE, 0, 640) == 10 * 4 * 640);
    assert_true(nb_state_bytes(NB_MIXED, 3, 640) == 13 * 8 * 640);
    assert_true(nb_state_bytes(NB_DOUBLE, 6, 641) == 16 * 8 * 704); /* rows are padded to 64 elements */
    assert_true(nb_state_bytes(NB_QUAD, 0, 641) == 10 * 16 * 644);
    assert_true(nb_force_set_bytes(&plain, NB_DOUBLE, 3, 640) == 13 * 8 * 640);
    assert_true(nb_force_set_bytes(&hungry, NB_DOUBLE, 3, 640) == (13 * 8 + 100) * 640);
}

/* Where all bodies are evaluated in pieces, the lists are those of a piece; where some are, those of all. */
static void lists_of_some_bodies_are_not_in_pieces(void **state)
{
    (void)state;
    struct nb_force_set set = SET(pieces_row);
    const double rows = 10 * 8;
    for (int in_one = 0; in_one < 2; in_one++) {
        set.in_one = in_one;
        for (uint64_t n = 640; n < 1000000; n *= 3) {
            const double said = nb_force_set_bytes(&set, NB_DOUBLE, 0, n / 64 * 64), m = (double)(n / 64 * 64);
            assert_true(fabs(said - m * (rows + 70) - 30 * (in_one ? m : fmin(m, 6400))) < 1e-9 * said);
        }
    }
}

/* The number that fits does, and one more does not: for any size of memory, down to none. */
static void capacity_is_the_largest_that_fits(void **state)
{
    (void)state;
    assert_int_equal(nb_force_set_capacity(&plain, NB_DOUBLE, 0, 80.0 * 64000), 64000);
    assert_int_equal(nb_force_set_capacity(&hungry, NB_DOUBLE, 0, 180.0 * 64000), 64000);
    assert_int_equal(nb_force_set_capacity(&hungry, NB_DOUBLE, 0, 0), 0);
    for (double bytes = 6000; bytes < 1e15; bytes *= 3.7)
        for (int precision = NB_SINGLE; precision < NB_PRECISIONS; precision++) {
            uint64_t n = nb_force_set_capacity(&hungry, (enum nb_precision)precision, 1, bytes);
            assert_true(nb_force_set_bytes(&hungry, (enum nb_precision)precision, 1, n) <= bytes);
            assert_true(nb_force_set_bytes(&hungry, (enum nb_precision)precision, 1, n + 1) > bytes);
        }
}

static void what_fits_exactly_fits(void **state)
{
    (void)state;
    there = 180.0 * 64000;
    assert_int_equal(nb_force_set_fits(&hungry, NB_DOUBLE, 0, 64000), 0);
    assert_int_equal(nb_force_set_fits(&hungry, NB_DOUBLE, 0, 64001), -1);
    assert_int_equal(nb_force_set_fits(&plain, NB_DOUBLE, 0, 64001), 0);
}

static void the_message_names_what_would_fit(void **state)
{
    (void)state;
    there = 139e9;
    assert_int_equal(nb_force_set_fits(&hungry, NB_MIXED, 0, 1000000000), -1);
    /* 180 bytes a body in mixed, 100 in single */
    assert_string_equal(
        nb_error(),
        "1000000000 bodies need 180 GB on a toy; 139 GB are free, enough for 772000000 bodies, 1390000000 with --precision single");
    assert_int_equal(nb_force_set_fits(&hungry, NB_SINGLE, 0, 1500000000), -1);
    assert_null(strstr(nb_error(), "--precision"));
    assert_int_equal(nb_force_set_fits(&proud, NB_DOUBLE, 0, 1000000000), -1);
    assert_null(strstr(nb_error(), "--precision"));
}

static void a_device_that_does_not_answer(void **state)
{
    (void)state;
    const struct nb_device_kind kind = {.name = "lost", .memory = lost_memory};
    struct nb_device lost = {.name = "lost", .kind = &kind};
    struct nb_force_set set = plain;
    set.device = &lost;
    assert_int_equal(nb_force_set_fits(&set, NB_DOUBLE, 0, 1), -1);
    assert_string_equal(nb_error(), "the device is lost");
}

/* ---- this machine ---- */

static void what_is_free_is_not_refused(void **state)
{
    (void)state;
    const double bytes = nb_memory_free(true);
    assert_true(bytes > 1e6);
    assert_int_equal(nb_memory_check(1000, 0), 0);
    assert_int_equal(nb_memory_check(1000, 0.5 * bytes), 0);
    assert_int_equal(nb_memory_check(1000, 2 * bytes + 1e9), bytes < 1e300 ? -1 : 0);
}

static void the_sentence_says_what_is_needed_and_what_is_there(void **state)
{
    (void)state;
    if (nb_memory_free(true) > 1e18)
        skip();
    assert_int_equal(nb_memory_check(1000000000000000, 6.5e16), -1);
    assert_non_null(strstr(nb_error(), "1000000000000000 bodies need 65000000 GB of memory; "));
}

static void a_number_of_bytes_has_its_unit(void **state)
{
    char text[NB_MEMORY_TEXT];
    (void)state;
    assert_string_equal(nb_memory_text(0, text), "0 kB");
    assert_string_equal(nb_memory_text(5010, text), "5.01 kB");
    assert_string_equal(nb_memory_text(12.34e6, text), "12.3 MB");
    assert_string_equal(nb_memory_text(1.26e9, text), "1.3 GB");
    assert_string_equal(nb_memory_text(6.5e16, text), "65000000 GB");
}

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static char *make_folder(char path[512], const char *top, const char *name)
{
    snprintf(path, 512, "%s/%s", top, name);
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

/* The least of a group and of those above it, as both versions of the kernel's interface have them. */
static void a_control_group_bounds_what_is_free(void **state)
{
    char top[256], groups[512], path[512], deep[512];
    (void)state;
    temporary_name(top, sizeof top, "nb-groups");
    assert_non_null(mkdtemp(top));
    snprintf(groups, sizeof groups, "%s/groups", top);
    make_folder(path, top, "unified");
    make_folder(path, top, "memory");
    put_file(top, "groups", "3:cpu,cpuacct:/job\n1:memory:/job\n");
    assert_true(nb_memory_left(groups, top, 0) == INFINITY); /* no file says a limit */
    assert_true(nb_memory_left("/no/such/file", top, 0) == INFINITY);
    make_folder(path, top, "memory/job");
    put_file(path, "memory.limit_in_bytes", "9223372036854771712\n"); /* none */
    put_file(path, "memory.usage_in_bytes", "1000\n");
    assert_true(nb_memory_left(groups, top, 0) > 9e18);
    put_file(path, "memory.limit_in_bytes", "500000\n");
    assert_true(nb_memory_left(groups, top, 7e9) == 499000); /* its swap is not for this process to count on */
    put_file(path, "memory.stat", "cache 900\ntotal_inactive_file 300\ntotal_active_file 200\n");
    assert_true(nb_memory_left(groups, top, 0) == 499500);
    put_file(top, "groups", "0::/a/b\n");
    make_folder(deep, top, "unified/a");
    put_file(deep, "memory.max", "1000000\n");
    put_file(deep, "memory.current", "400000\n");
    put_file(deep, "memory.swap.max", "50000\n");
    put_file(deep, "memory.swap.current", "20000\n");
    make_folder(path, top, "unified/a/b");
    put_file(path, "memory.max", "max\n");
    put_file(path, "memory.current", "300000\n");
    put_file(path, "memory.stat", "anon 5\ninactive_file 100\nactive_file 10\n");
    assert_true(nb_memory_left(groups, top, 0) == 600000); /* of the one above */
    assert_true(nb_memory_left(groups, top, 10000) == 610000);
    assert_true(nb_memory_left(groups, top, 1e9) == 630000);
    put_file(path, "memory.max", "200000\n"); /* lowered below what is used */
    assert_true(nb_memory_left(groups, top, 0) == 0);
    snprintf(path, sizeof path, "rm -r '%s'", top);
    assert_int_equal(system(path), 0);
}

static void quad_counts_the_sums_of_its_blocks(void **state)
{
    (void)state;
    struct nb_device *cpu = nb_device_choose("cpu");
    const struct nb_force *direct = nb_force_choose("direct", cpu, NB_QUAD, NB_WANT_ACC, 1000);
    assert_non_null(direct);
    assert_true(direct->work_bytes(NB_QUAD, 64000) == 16 * 3 * 16 * 64000.0);
    nb_device_close(cpu);
}

static void a_potential_says_beforehand_that_it_does_not_fit(void **state)
{
    (void)state;
    struct nb_bodies b;
    nb_bodies_init(&b);
    b.n = 1000000000;
    there = 139e9;
    assert_int_equal(nb_measure_fields(&b, &hungry, NB_DOUBLE, &(struct nb_fields){0}), -1);
    assert_string_equal(nb_error(), "the potential of 1000000000 bodies needs 188 GB on a toy; 139 GB are free");
}

/* Layouts alone, as of an input in f64. */
static void the_columns_of_an_output(void **state)
{
    (void)state;
    struct nb_bodies b;
    struct sim_options o = {.store = -1};
    nb_bodies_init(&b);
    b.n = 64000;
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->required)
            assert_int_equal(nb_bodies_add_known(&b, k->name, NB_F64), 0);
    assert_true(sim_columns_bytes(&b, &o, NB_DOUBLE, 0) == 24 * 64000); /* the first accelerations */
    o.write_acc = o.write_phi = true;
    assert_true(sim_columns_bytes(&b, &o, NB_DOUBLE, 0) == 32 * 64000);
    assert_true(sim_columns_bytes(&b, &o, NB_DOUBLE, NB_EXTERNAL) == 40 * 64000);
    assert_true(sim_columns_bytes(&b, &o, NB_QUAD, 0) == 80 * 64000);
    assert_int_equal(nb_bodies_add_known(&b, "acc", NB_F64), 0); /* makes room for the new one */
    assert_true(sim_columns_bytes(&b, &o, NB_DOUBLE, 0) == 24 * 64000);
    nb_bodies_drop(&b, "acc");
    o.write_acc = o.write_phi = false;
    for (int k = 0; k < b.column_count; k++)
        b.columns[k].type = NB_F32;
    /* mass, pos and vel grow one after the other: 8 - 4, then + 24 - 12, and the last is there twice for a while */
    assert_true(sim_columns_bytes(&b, &o, NB_DOUBLE, 0) == (4 + 12 + 24) * 64000);
    nb_bodies_free(&b);
}

/* The rows that are compiled in: more bodies never need less, so that what is said to fit does. */
static void estimates_grow_with_the_bodies(void **state)
{
    (void)state;
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        for (int precision = NB_SINGLE; precision < NB_PRECISIONS; precision++)
            for (uint64_t n = 1; (*f)->tolerance[precision] > 0 && n < 1u << 31; n *= 2) {
                const struct nb_force_set set = SET(**f);
                double bytes = nb_force_set_bytes(&set, (enum nb_precision)precision, 0, n);
                assert_true(bytes >= nb_state_bytes((enum nb_precision)precision, 0, n));
                assert_true(nb_force_set_bytes(&set, (enum nb_precision)precision, 0, n + n / 2) >= bytes);
                for (uint64_t step = 1000; step < 1000000 && n == 1;
                     step += 1000) /* also where a tree's leaves change */
                    assert_true(nb_force_set_bytes(&set, (enum nb_precision)precision, 0, step) >=
                                nb_force_set_bytes(&set, (enum nb_precision)precision, 0, step - 1));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_ten_rows),
        cmocka_unit_test(lists_of_some_bodies_are_not_in_pieces),
        cmocka_unit_test(capacity_is_the_largest_that_fits),
        cmocka_unit_test(what_fits_exactly_fits),
        cmocka_unit_test(the_message_names_what_would_fit),
        cmocka_unit_test(a_device_that_does_not_answer),
        cmocka_unit_test(estimates_grow_with_the_bodies),
        cmocka_unit_test(what_is_free_is_not_refused),
        cmocka_unit_test(the_sentence_says_what_is_needed_and_what_is_there),
        cmocka_unit_test(a_number_of_bytes_has_its_unit),
        cmocka_unit_test(a_control_group_bounds_what_is_free),
        cmocka_unit_test(quad_counts_the_sums_of_its_blocks),
        cmocka_unit_test(a_potential_says_beforehand_that_it_does_not_fit),
        cmocka_unit_test(the_columns_of_an_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
