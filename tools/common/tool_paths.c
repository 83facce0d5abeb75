/* tool_paths.c - functions for the paths of output files and for the disks that contain them. */
#include "common/tool.h"

#include "base/memory.h"
#include "base/portable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* maximum number of symbolic links followed, as in the Linux kernel */

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
        char *next = tool_text("%.*s%.*s", folder, path, (int)length, target);
        free(path);
        path = next;
    }
    return path;
}

/* Pipes and devices cannot be synced. The failure to sync them is ignored. */
int tool_sync(int fd)
{
    return !tool_options.no_sync && nb_sync(fd) && errno != EINVAL && errno != EROFS && errno != EOPNOTSUPP ? -1 : 0;
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

bool tool_is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) || S_ISREG(st.st_mode);
}

bool tool_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool tool_is_locked(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return locked;
}

char *tool_part_name(const char *file)
{
    return tool_text("%s" TOOL_PART, file);
}

bool tool_same_disk(int fd, int other)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev;
}

void tool_check_space(int fd, const char *name, double size_bytes, const char *what)
{
    struct stat st;
    struct statvfs disk;
    if (tool_options.no_space_check || fstat(fd, &st) || !S_ISREG(st.st_mode) || fstatvfs(fd, &disk))
        return;
    const double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    char needed[NB_MEMORY_TEXT], left[NB_MEMORY_TEXT];
    if (size_bytes > free_bytes)
        die("%s: %s need %s on the disk, but only %s are free (--no-space-check writes anyway)", name, what,
            nb_memory_text(size_bytes, needed), nb_memory_text(free_bytes, left));
}
