/* What an output may not replace, looked at before any work. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A run that goes on from what another has left must not begin by removing it. */
static void refuse_input(const char *name, const char *target)
{
    char *path = tool_part_name(target);
    struct stat part, input;
    int count;
    const char *const *operand = tool_operands(&count);
    for (int k = lstat(path, &part) ? count : -1; k < count; k++)
        if ((k < 0 ? fstat(STDIN_FILENO, &input) : stat(operand[k], &input)) == 0 && tool_same_file(&part, &input))
            die("%s: is the input, which -o %s would replace: give another -o", path, name);
    free(path);
}

void tool_output_check(const char *path, bool binary)
{
    struct stat st;
    if (tool_is_stdout(path)) {
        if (binary && isatty(STDOUT_FILENO))
            die_usage("stdout is a terminal: give -o FILE, or send the stream into a pipe");
        return;
    }
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        die("%s: is a directory", path);
    if (exists && S_ISREG(st.st_mode) && !tool_options.overwrite)
        die("%s: exists already (-f replaces it)", path);
    if (tool_is_regular(path)) {
        char *name = strdup(path);
        if (!name)
            die("no memory");
        name = tool_follow_links(name);
        refuse_input(path, name);
        free(name);
    }
}
