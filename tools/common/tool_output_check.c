/* tool_output_check.c - before the tool begins its work, checks whether the output would replace an input or an
 * existing file. */
#include "common/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether the file `own` is stdin or one of the operands. */
static bool is_input(const struct stat *own)
{
    struct stat input;
    int count;
    const char *const *operand = tool_operands(&count);
    for (int k = -1; k < count; k++)
        if ((k < 0 ? fstat(STDIN_FILENO, &input) : stat(operand[k], &input)) == 0 && tool_same_file(own, &input))
            return true;
    return false;
}

/* Dies if `file` is one of the inputs. output: the value of -o, for the message. */
static void refuse_input(const char *file, const char *output)
{
    struct stat own;
    if (lstat(file, &own) == 0 && is_input(&own))
        die("%s: is the input, and -o %s would replace it (choose another -o)", file, output);
}

/* The tool writes to FILE.part and renames this file to FILE at the end. Dies if FILE.part is an input (left by an
 * interrupted run), because the tool would remove it before reading it. */
static void refuse_part(const char *target, const char *output)
{
    char *part = tool_part_name(target);
    refuse_input(part, output);
    free(part);
}

void tool_output_spare_inputs(const char *path)
{
    if (tool_is_stdout(path) || !tool_is_regular(path))
        return;
    char *target = tool_follow_links(tool_copy(path));
    refuse_input(target, path);
    free(target);
}

void tool_output_check(const char *path, bool binary)
{
    struct stat st;
    if (tool_is_stdout(path)) {
        if (binary && tool_is_terminal(STDOUT_FILENO))
            die_usage("stdout is a terminal: use -o FILE, or a pipe");
        return;
    }
    const bool exists = stat(path, &st) == 0;
    /* stat can fail although a file exists, for example because of a loop of symbolic links. The tool could then not
     * write the file at the end of the run, so it dies now */
    if (!exists && errno != ENOENT)
        die("%s: cannot be written: %s", path, strerror(errno));
    if (exists && S_ISDIR(st.st_mode))
        die("%s: is a directory", path);
    if (exists && S_ISREG(st.st_mode) && !tool_options.overwrite)
        die(is_input(&st) ? "%s: exists already, and is the input (-f replaces it)"
                          : "%s: exists already (-f replaces it)",
            path);
    if (tool_is_regular(path)) {
        char *target = tool_follow_links(tool_copy(path));
        refuse_part(target, path);
        free(target);
    }
}
