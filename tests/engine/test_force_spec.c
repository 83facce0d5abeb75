/* Specifications of forces as text: escaped names of files, and rejected specifications with their messages.
 * test_external.c prints and reads back the specifications of all external fields. */
#include "common/devices.h"

/* What a list of parameters or a header's line cannot hold is written as in a URL, and nothing else. */
static void names_of_files_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *printed;
    } names[] = {
        {"orbit.txt", "orbit.txt", "orbit.txt"},
        {"a b.txt", "a b.txt", "a%20b.txt"},
        {"a%2Cb=c%2c", "a,b=c,", "a%2Cb=c%2C"},
        {"\xc3\xb6%41",
         "\xc3\xb6"
         "A",
         "%C3%B6A"},
        {"50%.txt%4", "50%.txt%4", "50%25.txt%254"},
        {"%2541", "%41", "%2541"},
        {"%%41%", "%A%", "%25A%25"},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct nb_force_spec spec;
        char text[NB_FORCE_TEXT_BYTES], printed[NB_FORCE_TEXT_BYTES];
        snprintf(text, sizeof text, "external:drag,rate=1,table=%s", names[k].text);
        assert_int_equal(nb_force_parse(text, &spec), 0);
        assert_string_equal(spec.file[1], names[k].name);
        nb_force_print(&spec, printed, sizeof printed);
        snprintf(text, sizeof text, "external:drag,rate=1,table=%s", names[k].printed);
        assert_string_equal(printed, text);
    }
}

static void specs_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        const char *text, *because;
    } wrong[] = {
        {"", "unknown force ''"},
        {"gravitons", "unknown force 'gravitons'"},
        {"external", "unknown kind '' (known: point, plummer"},
        {"external:", "unknown kind ''"},
        {"external:mass=1", "unknown kind 'mass=1'"},
        {"external:point", "mass is missing"},
        {"external:point,mass", "'mass': expected key=value"},
        {"external:point,mass=", "mass=: expected a number"},
        {"external:point,mass=nan", "mass=nan: expected a number"},
        {"external:point,mass=inf", "mass=inf: expected a number"},
        {"external:point,mass=1e999", ": expected a number"},
        {"external:point,mass=1x", "mass=1x: expected a number"},
        {"external:point,mass=-1", "mass=-1 is not from 0"},
        {"external:plummer,mass=1,scale=0", "scale=0 is not above 0"},
        {"external:point,mass=0x10", "mass=0x10: expected a number"},
        {"external:point,mass=1,mass=2", "mass is given twice"},
        {"external:point,mass=1,,", "'': expected key=value"},
        {"external:point,mass=1,weight=2", "unknown parameter 'weight' (known: mass, eps, x, y, z, center, table)"},
        {"external:point,mass=1,omega=2", "unknown parameter 'omega'"},
        {"external:point,mass=1,center=", "center= takes the name of a file"},
        {"external:point,mass=1,center=a%0ab", "center= takes the name of a file"},
        {"external:point,mass=1,center=a%00b", "center= takes the name of a file"},
        {"external:point,mass=1,center=a, b", "' b': expected key=value (in the name of a file write a comma as %2C)"},
        {"external:drag,rate=1,center=a", "unknown parameter 'center'"},
        {"external:milky-way,table=a", "unknown parameter 'table'"},
        {"tree:theta=3", "theta=3 is not from 0.05 to 2"},
        {"tree:rebuild=1.5", "rebuild=1.5: expected a whole number"},
        {"tree:rebuild=0", "rebuild=0 is not from 1"},
        {"direct:theta=1", "unknown parameter 'theta' (known: none)"},
        {"auto:x=1", "unknown parameter 'x' (known: theta, rebuild)"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct nb_force_spec spec;
        assert_int_equal(nb_force_parse(wrong[k].text, &spec), -1);
        if (!strstr(nb_error(), wrong[k].because))
            fail_msg("%s: %s", wrong[k].text, nb_error());
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        {"specs that cannot be", specs_that_cannot_be, NULL, NULL, NULL},
        {"names of files are escaped", names_of_files_are_escaped, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests_name("specifications", tests, NULL, NULL);
}
