/* Systems of units compared with published figures, and checked for consistency: G in cgs follows from G and the
 * units. */
#include "base/error.h"
#include "base/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct nb_unit_system *find(const char *name)
{
    const struct nb_unit_system *s = nb_units_find(name);
    assert_non_null(s);
    assert_string_equal(s->units.name, name);
    return s;
}

static void assert_close(double value, double expected, double relative)
{
    assert_true(fabs(value / expected - 1) <= relative);
}

static void published_figures(void **state)
{
    (void)state;
    const double gyr = 1e9 * 365.25 * 86400;
    assert_close(find("galactic")->G, 43009.17, 1e-7);
    assert_close(find("galactic")->units.time_cgs / gyr, 0.9778, 1e-5);
    assert_close(find("solar")->G, 39.476926, 2e-8);
    assert_close(find("solar")->units.mass_cgs, 1.9884e33, 1e-5);
    assert_close(find("gauss")->units.time_cgs / 86400, 58.132440867, 1e-9);
    /* The Gaussian year is 365.2568983 d. */
    assert_close(2 * M_PI * find("gauss")->units.time_cgs / 86400, 365.2568983, 1e-9);
    assert_true(find("gauss")->G == 1 && find("code")->G == 1);
    assert_true(find("code")->units.length_cgs == 0);
}

static void consistent(void **state)
{
    (void)state;
    int count = 0;
    for (const struct nb_unit_system *s = nb_unit_systems; s->units.name[0]; s++, count++) {
        const struct nb_units *u = &s->units;
        if (u->length_cgs > 0)
            assert_close(s->G * pow(u->length_cgs, 3) / (u->mass_cgs * u->time_cgs * u->time_cgs), 6.67430e-8, 1e-14);
    }
    assert_int_equal(count, 4);
}

static void unknown_name_lists_the_known(void **state)
{
    (void)state;
    assert_null(nb_units_find("furlong"));
    assert_string_equal(nb_error(), "unknown units 'furlong'; known units: code, galactic, solar, gauss");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_figures),
        cmocka_unit_test(consistent),
        cmocka_unit_test(unknown_name_lists_the_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
