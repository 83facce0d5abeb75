/* test_nbtools.h - shared by the tests of libnbtools, which include only its header. */
#pragma once

#include "../../libnbtools/nbtools.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void good(int status)
{
    if (status)
        fail_msg("%s", nbt_error());
}

/* A failure, whose sentence has these words. */
static void refused(bool failed, const char *words)
{
    assert_true(failed);
    if (!strstr(nbt_error(), words))
        fail_msg("'%s' has no '%s'", nbt_error(), words);
}

static char test_folder[4096];

/* Goes to a new folder. */
static int in_folder(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(test_folder, sizeof test_folder, "%s/nbtools-XXXXXX", temporary ? temporary : "/tmp");
    return !mkdtemp(test_folder) || chdir(test_folder);
}

/* Removes the folder. Returns the status given. */
static int leave_folder(int status)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -r '%s'", test_folder);
    return chdir("/") || system(command) ? 1 : status;
}
