/* Messages: always one line, for any names and header texts, and with the reason, for names of any length. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_context_goes_in_front(void **state)
{
    (void)state;
    assert_int_equal(nb_fail("%s: no memory", "a.nbs"), -1);
    assert_int_equal(nb_fail("frame %d: %s", 3, nb_error()), -1);
    assert_string_equal(nb_error(), "frame 3: a.nbs: no memory");
}

static void test_control_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"", ""},
        {"plain.nbs", "plain.nbs"},
        {"a\nb.nbs: ok", "a\\nb.nbs: ok"},
        {"\t\r\033[2Jx\177", "\\t\\r\\x1b[2Jx\\x7f"},
        {"\xc3\xa9toiles \xe2\x98\x85", "\xc3\xa9toiles \xe2\x98\x85"}, /* UTF-8 stays */
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m"},
        {"\xc2\xa9", "\xc2\xa9"},
        {"a\\nb", "a\\nb"},
        {"\xc2", "\xc2"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char out[64];
        nb_fail("%s: damaged", cases[k].text);
        snprintf(out, sizeof out, "%s: damaged", cases[k].printed);
        assert_string_equal(nb_error(), out);
        nb_fail("%s", nb_error()); /* what was escaped stays as it is */
        assert_string_equal(nb_error(), out);
        assert_ptr_equal(nb_error_escape(out, sizeof out, cases[k].text), out);
        assert_string_equal(out, cases[k].printed);
    }
}

static void test_long_names_keep_the_reason(void **state)
{
    (void)state;
    static char name[4001], twice[9000];
    memset(name, 'd', 4000);
    nb_fail("%s: cannot be renamed to %s: No space left on device", name, name);
    snprintf(twice, sizeof twice, "%s: cannot be renamed to %s: No space left on device", name, name);
    assert_string_equal(nb_error(), twice);
    memset(name, '\001', 4000); /* printed it is four times as long */
    nb_fail("%s: cannot be renamed to %s: No space left on device", name, name);
    assert_non_null(strstr(nb_error(), "\\x01..."));
    assert_non_null(strstr(nb_error(), "\\x01: No space left on device"));
}

static void test_what_does_not_fit_loses_its_middle(void **state)
{
    (void)state;
    char out[33], text[100];
    for (size_t size = 32; size <= 33; size++)
        for (size_t length = 0; length < 99; length++)
            for (size_t control = 0; control <= length; control++) {
                memset(text, 'x', length);
                text[0] = 'a';
                if (length > 0)
                    text[length - 1] = 'z';
                text[control] = '\001';
                text[length] = '\0';
                memset(out, '!', sizeof out);
                nb_error_escape(out, size, text);
                assert_true(strlen(out) < size && (size == 33 || out[32] == '!'));
                assert_int_equal(strstr(out, "...") != NULL, length + 3 * (control < length) >= size);
                assert_true(strlen(out) + 9 >= (length < size ? length : size));
                assert_int_equal(strspn(out, "axz01\\."), strlen(out));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_context_goes_in_front),
        cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_long_names_keep_the_reason),
        cmocka_unit_test(test_what_does_not_fit_loses_its_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
