/* What output files ask of paths and of the disk. */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as in the kernel */

bool tool_is_stdout(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t k = 0; path && k < sizeof names / sizeof *names; k++)
        if (strcmp(path, names[k]) == 0)
            return true;
    return !path;
}

char *tool_follow_links(char *path)
{
    char target[PATH_MAX];
    ssize_t length;
    for (int k = 0; k < LINKS_MAX && (length = readlink(path, target, sizeof target - 1)) > 0; k++) {
        const char *slash = strrchr(path, '/');
        const int folder = slash && *target != '/' ? (int)(slash + 1 - path) : 0;
        char *next;
        if (asprintf(&next, "%.*s%.*s", folder, path, (int)length, target) < 0)
            die("no memory");
        free(path);
        path = next;
    }
    return path;
}

/* What is no file of a disk has nothing to be synced, and says so by one of these. */
int tool_sync(int fd)
{
    return !tool_options.no_sync && fsync(fd) && errno != EINVAL && errno != EROFS && errno != EOPNOTSUPP ? -1 : 0;
}

int tool_sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder;
    if (tool_options.no_sync)
        return 0;
    if (asprintf(&folder, "%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".") < 0) {
        errno = ENOMEM;
        return -1;
    }
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int status = fd >= 0 ? tool_sync(fd) : 0, why = errno;
    if (fd >= 0)
        close(fd);
    free(folder);
    errno = why;
    return status;
}
