/* Preloaded library: system calls that can fail as fault.h describes. Each call has a separate counter. Calls inside
 * libc (stdio) are not intercepted. */
#define _GNU_SOURCE
#include "fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *find(void **function, const char *name)
{
    if (!*function)
        *function = dlsym(RTLD_NEXT, name);
    return *function;
}

#define FAULT(function)                                        \
    static void *next;                                         \
    static struct fault_counter counter = {.name = #function}; \
    int why = fault_at(&counter);                              \
    __typeof__(&function) really = (__typeof__(&function))find(&next, #function)

/* One that returns -1 (or another value, NULL) and sets errno. */
#define FAIL(function, type, bad, parameters, arguments) \
    type function parameters                             \
    {                                                    \
        FAULT(function);                                 \
        if (why) {                                       \
            errno = why > 0 ? why : EIO;                 \
            return bad;                                  \
        }                                                \
        return really arguments;                         \
    }

/* One that returns the error. */
#define RETURN(function, parameters, arguments) \
    int function parameters                     \
    {                                           \
        FAULT(function);                        \
        return why ? why : really arguments;    \
    }

/* One that moves bytes, and may move a single one. */
#define MOVE(function, parameters, arguments, short_arguments) \
    ssize_t function parameters                                \
    {                                                          \
        FAULT(function);                                       \
        if (why > 0) {                                         \
            errno = why;                                       \
            return -1;                                         \
        }                                                      \
        if (why < 0 && size > 1)                               \
            return really short_arguments;                     \
        return really arguments;                               \
    }

MOVE(read, (int fd, void *to, size_t size), (fd, to, size), (fd, to, 1))
MOVE(write, (int fd, const void *from, size_t size), (fd, from, size), (fd, from, 1))
MOVE(pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), (fd, to, 1, at))
MOVE(pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), (fd, from, 1, at))

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    FAULT(writev);
    if (why > 0) {
        errno = why;
        return -1;
    }
    for (int k = 0; why < 0 && k < count; k++)
        if (parts[k].iov_len > 0)
            return really(fd, &(struct iovec){parts[k].iov_base, 1}, 1);
    return really(fd, parts, count);
}

/* ---- files ---- */

int open(const char *path, int flags, ...)
{
    FAULT(open);
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (why) {
        errno = why > 0 ? why : EIO;
        return -1;
    }
    return really(path, flags, mode);
}

/* A close that fails has closed all the same. */
int close(int fd)
{
    FAULT(close);
    int status = really(fd);
    if (why && fd >= 0) {
        errno = why > 0 ? why : EIO;
        return -1;
    }
    return status;
}

int fcntl(int fd, int command, ...)
{
    FAULT(fcntl);
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    if (why) {
        errno = why > 0 ? why : EIO;
        return -1;
    }
    return really(fd, command, argument);
}

FAIL(fsync, int, -1, (int fd), (fd))
FAIL(fdatasync, int, -1, (int fd), (fd))
FAIL(ftruncate, int, -1, (int fd, off_t size), (fd, size))
FAIL(lseek, off_t, -1, (int fd, off_t at, int whence), (fd, at, whence))
FAIL(flock, int, -1, (int fd, int operation), (fd, operation))
FAIL(rename, int, -1, (const char *from, const char *to), (from, to))
FAIL(renameat2, int, -1, (int from_dir, const char *from, int to_dir, const char *to, unsigned flags),
     (from_dir, from, to_dir, to, flags))
FAIL(link, int, -1, (const char *from, const char *to), (from, to))
FAIL(unlink, int, -1, (const char *path), (path))
FAIL(fchmod, int, -1, (int fd, mode_t mode), (fd, mode))
FAIL(stat, int, -1, (const char *path, struct stat *to), (path, to))
FAIL(lstat, int, -1, (const char *path, struct stat *to), (path, to))
FAIL(fstat, int, -1, (int fd, struct stat *to), (fd, to))
FAIL(statvfs, int, -1, (const char *path, struct statvfs *to), (path, to))
FAIL(fstatvfs, int, -1, (int fd, struct statvfs *to), (fd, to))
FAIL(dup, int, -1, (int fd), (fd))
FAIL(realpath, char *, NULL, (const char *path, char *to), (path, to))
FAIL(fdopen, FILE *, NULL, (int fd, const char *mode), (fd, mode))
FAIL(fopen, FILE *, NULL, (const char *path, const char *mode), (path, mode))

/* ---- pipes, processes, threads ---- */

FAIL(pipe2, int, -1, (int ends[2], int flags), (ends, flags))
FAIL(poll, int, -1, (struct pollfd * fds, nfds_t count, int wait_ms), (fds, count, wait_ms))
FAIL(waitpid, pid_t, -1, (pid_t pid, int *status, int options), (pid, status, options))
RETURN(posix_spawnp,
       (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
        char *const arguments[], char *const environment[]),
       (pid, file, actions, attributes, arguments, environment))
RETURN(pthread_create, (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument),
       (thread, attributes, run, argument))
