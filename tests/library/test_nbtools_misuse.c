/* libnbtools used wrongly: every call refuses with a sentence, changes nothing and reads nothing out of bounds. */
#include "test_nbtools.h"

#include <inttypes.h>

static const double mass[2] = {0.75, 0.25}, pos[6] = {-0.25, 0, 0, 0.75, 0, 0}, vel[6] = {0, -0.25, 0, 0, 0.75, 0};

static struct nbt_system *make_pair(void)
{
    struct nbt_system *s = nbt_system_new(2, mass, pos, vel);
    assert_non_null(s);
    return s;
}

/* ---- files of an external field ---- */

/* The orbit of the centre is known from 0 to 1. */
static void beyond_the_table(void **state)
{
    (void)state;
    const double at[3] = {9, 9, 9};
    double e[3], phi, now;
    FILE *file = fopen("centre.txt", "w");
    fputs("0 0 0 0\n0.5 1 0 0\n1 2 0 0\n", file);
    assert_int_equal(fclose(file), 0);
    struct nbt_system *s = make_pair();
    good(nbt_option_set(s, "force", "external:point,mass=1,center=centre.txt"));
    refused(nbt_advance(s, 1.5), "centre.txt");
    refused(nbt_advance(s, -0.5), "centre.txt");
    good(nbt_value_get(nbt_system_frame(s), "time", &now));
    assert_true(now == 0);
    good(nbt_advance(s, 1));
    good(nbt_energies(s, e));
    good(nbt_field(s, 1, at, NULL, &phi));
    good(nbt_value_set(nbt_system_frame(s), "time", 1.25));
    good(nbt_changed(s));
    refused(nbt_energies(s, e), "centre.txt");
    refused(nbt_field(s, 1, at, NULL, &phi), "centre.txt");
    nbt_system_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_the_table),
    };
    return in_folder() ? 1 : leave_folder(cmocka_run_group_tests_name("libnbtools misused", tests, NULL, NULL));
}
