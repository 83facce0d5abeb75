/* External fields that stay open from one frame to the next (lib/force/force_kept.c): a kept field is opened once. */
#include "common/devices.h"
#include "common/temporary.h"
#include "force/external/external.h"

#include <unistd.h>

#define N 200

/* Writes the table of a uniform field whose gx is g at all times. */
static void write_table(const char *name, double g)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "# t gx\n-9 %g\n9 %g\n", g, g);
    assert_int_equal(fclose(file), 0);
}

/* The acceleration along x in that field, which is opened or kept. */
static double kept_acceleration(struct nb_kept_fields *kept, const char *text, enum nb_precision precision, double G)
{
    struct nb_force_set set;
    struct nb_force_spec spec;
    const struct nb_meta meta = {.G = G};
    nb_force_set_init(&set, device_of("cpu"));
    assert_int_equal(nb_force_parse(text, &spec), 0);
    assert_int_equal(nb_force_set_add_kept(&set, kept, &spec, precision, NB_WANT_ACC, N, &meta), 0);
    const struct nb_external field = nb_external_at(set.force[0].work, 0);
    nb_force_set_close(&set);
    return field.term[0].centre[0];
}

/* A file that has changed shows whether it was read again. */
static void kept_fields_are_opened_once(void **state)
{
    (void)state;
    static struct nb_kept_fields kept;
    char name[512], text[2][640];
    temporary_name(name, sizeof name, "nb-kept");
    const int file = mkstemp(name);
    assert_true(file >= 0 && close(file) == 0);
    snprintf(text[0], sizeof text[0], "external:uniform,table=%s", name);
    write_table(name, 1);
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 1) == 1);
    write_table(name, 2);
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 1) == 1);
    assert_true(kept_acceleration(&kept, text[0], NB_SINGLE, 1) == 2);
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 3) == 2);
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 1) == 1);
    for (int k = 1; k < 3 * NB_FORCES_MAX; k++) { /* more than are kept */
        snprintf(text[1], sizeof text[1], "external:uniform,gy=%d,table=%s", k, name);
        assert_true(kept_acceleration(&kept, text[1], NB_DOUBLE, 1) == 2);
    }
    assert_true(kept_acceleration(&kept, text[0], NB_DOUBLE, 1) == 2);
    nb_kept_fields_close(&kept);
    unlink(name);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        {"kept fields are opened once", kept_fields_are_opened_once, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests_name("kept forces", tests, NULL, NULL);
}
