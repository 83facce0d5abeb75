/* Lists of allowed words for a value (tools/common/tool_words.h). */
#include "common/tool_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* What does not fit is cut, and nothing is written behind the end. */
static void test_room(void **state)
{
    (void)state;
    static const char whole[] = "linear, log, asinh or rank";
    for (size_t size = 1; size < 40; size++) {
        char text[80];
        memset(text, '#', sizeof text);
        tool_words_print("linear|log|asinh|rank", text, size);
        const size_t length = strlen(whole) < size ? strlen(whole) : size - 1;
        assert_memory_equal(text, whole, length);
        assert_int_equal(text[length], '\0');
        for (size_t k = size; k < sizeof text; k++)
            assert_int_equal(text[k], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
