/* checkpoint_names.c - checks that no checkpoint file has the same name as the input or output of the run. */
#include "checkpoint_file.h"

#include "common/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *sim_path_absolute(const char *path)
{
    char *here = NULL;
    if (*path != '/' && !(here = getcwd(NULL, 0)))
        die("cannot find the path of the current folder: %s", strerror(errno));
    char *made = tool_text("%s%s%s", here ? here : "", here ? "/" : "", path);
    free(here);
    return made;
}

char *sim_path_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/'), *base = strrchr(name, '/');
    return tool_text("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, base ? base + 1 : name);
}

bool sim_is_part(const struct tool_output *o)
{
    return strcmp(tool_output_part(o), tool_output_name(o)) != 0;
}

char *sim_part_file(const struct tool_output *o)
{
    if (!sim_is_part(o))
        return NULL;
    char *path = sim_path_absolute(tool_output_part(o));
    path[strlen(path) - strlen(TOOL_PART)] = '\0';
    return path;
}

/* Returns whether two paths have the same name in the same folder. Used if one of the two files does not exist yet. */
static bool same_name(const char *a, const char *b)
{
    struct stat folder_a, folder_b;
    char *here_a = sim_path_beside(a, "."), *here_b = sim_path_beside(b, ".");
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    const bool same = strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 &&
                      stat(here_a, &folder_a) == 0 && stat(here_b, &folder_b) == 0 &&
                      tool_same_file(&folder_a, &folder_b);
    free(here_a);
    free(here_b);
    return same;
}

bool sim_path_same(const char *a, const char *b)
{
    struct stat file_a, file_b;
    char *target_a = tool_follow_links(tool_copy(a)), *target_b = tool_follow_links(tool_copy(b));
    const bool same = lstat(target_a, &file_a) == 0 && lstat(target_b, &file_b) == 0 ? tool_same_file(&file_a, &file_b)
                                                                                     : same_name(target_a, target_b);
    free(target_a);
    free(target_b);
    return same;
}

static bool is_descriptor(const char *name, int fd)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && stat(name, &named) == 0 && tool_same_file(&opened, &named);
}

void sim_slot_refuse_output(const char *name)
{
    const char *output = tool_options.output;
    bool same = is_descriptor(name, STDOUT_FILENO) && tool_is_stdout(output);
    if (!tool_is_stdout(output)) {
        char *part = tool_part_name(output);
        same = sim_path_same(name, output) || sim_path_same(name, part);
        free(part);
    }
    if (same)
        die("%s: is the output and cannot be a checkpoint too (choose another name)", name);
}

void sim_slot_refuse_input(const char *name)
{
    int count;
    const char *const *operand = tool_operands(&count);
    bool same = is_descriptor(name, STDIN_FILENO);
    for (int k = 0; k < count; k++)
        same = same || sim_path_same(name, operand[k]);
    if (same)
        die("%s: is the input and cannot be a checkpoint too (choose another name)", name);
}
