/* Fuzz target: a force as users and headers write it. An accepted text is printed, and parsing the printed text gives
 * the same force. */
#include "base/error.h"
#include "force/force.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_force: does not hold: %s: '%s' (%s)\n", what, text, nb_error());
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), printed[NB_FORCE_TEXT_BYTES], again[NB_FORCE_TEXT_BYTES];
    struct nb_force_spec spec = {0}, other = {0};
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    if (nb_force_parse(text, &spec) == 0) {
        nb_force_print(&spec, printed, sizeof printed);
        require(*printed && !strchr(printed, ' '), "what is taken can be printed as a word", text);
        require(nb_force_parse(printed, &other) == 0, "what is printed is taken", printed);
        nb_force_print(&other, again, sizeof again);
        require(strcmp(printed, again) == 0, "it is printed alike", printed);
    } else
        require(*nb_error() && strlen(nb_error()) < 2000, "a refusal has a message of some length", text);
    free(text);
    return 0;
}
