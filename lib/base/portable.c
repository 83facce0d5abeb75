/* portable.c - functions that differ between systems. Declared in portable.h. */
#include "base/portable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- all systems ---- */

/* Renames a file, but fails if `to` exists. Used if the kernel or the file system cannot do this in one call. */
static int link_new(const char *from, const char *to)
{
    return link(from, to) ? -1 : unlink(from);
}

static void machine_name(char *name, size_t size)
{
    struct utsname machine;
    snprintf(name, size, "%s", uname(&machine) == 0 ? machine.machine : "unknown");
}

struct writer {
    void *cookie;
    ssize_t (*write)(void *cookie, const char *text, size_t size);
};

static int end_writer(void *state)
{
    free(state);
    return 0;
}

static FILE *open_writer(struct writer *w);
FILE *nb_text_writer(void *cookie, ssize_t (*write)(void *cookie, const char *text, size_t size))
{
    struct writer *w = malloc(sizeof *w);
    if (w)
        *w = (struct writer){cookie, write};
    FILE *file = w ? open_writer(w) : NULL;
    if (!file)
        free(w);
    return file;
}

int nb_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    int why = pthread_attr_init(&attributes);
    if (why)
        return why;
    pthread_attr_setstacksize(&attributes, (size_t)8 << 20);
    why = pthread_create(thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return why;
}

#ifdef __APPLE__

#include <mach-o/dyld.h>
#include <sys/sysctl.h>

const char *nb_program_name(void)
{
    return getprogname();
}

int nb_program_open(void)
{
    char path[4096];
    uint32_t size = sizeof path;
    return _NSGetExecutablePath(path, &size) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
}

void nb_processor_name(char *name, size_t size)
{
    if (sysctlbyname("machdep.cpu.brand_string", name, &size, NULL, 0))
        machine_name(name, size);
}

/* The C library is a part of macOS, so its version is the release of macOS. */
void nb_library_name(char *name, size_t size)
{
    struct utsname system;
    snprintf(name, size, "Darwin %s", uname(&system) == 0 ? system.release : "unknown");
}

void *nb_realloc_array(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes))
        return realloc(block, bytes);
    errno = ENOMEM;
    return NULL;
}

void nb_large_pages(void *block, size_t bytes)
{
    (void)block, (void)bytes;
}

int nb_rename_new(const char *from, const char *to)
{
    const int status = renamex_np(from, to, RENAME_EXCL);
    return status && (errno == ENOTSUP || errno == EINVAL) ? link_new(from, to) : status;
}

/* On macOS, fsync can leave data in the cache of the disk. F_FULLFSYNC empties this cache. */
int nb_sync(int fd)
{
    return fcntl(fd, F_FULLFSYNC) == 0 ? 0 : fsync(fd);
}

void nb_read_through(int fd)
{
    fcntl(fd, F_RDAHEAD, 1);
}

int nb_pipe(int ends[2])
{
    if (pipe(ends))
        return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

void nb_pipe_widen(int fd, int bytes)
{
    (void)fd, (void)bytes;
}

ssize_t nb_pipe_give(int fd, const void *pages, size_t bytes)
{
    (void)fd, (void)pages, (void)bytes;
    errno = ENOSYS;
    return -1;
}

bool nb_pages_drop(void *pages, size_t bytes)
{
    (void)pages, (void)bytes;
    return false;
}

int nb_pipe_other_end(int fd)
{
    (void)fd;
    return -1;
}

static int write_all(void *state, const char *text, int size)
{
    const struct writer *w = state;
    return w->write(w->cookie, text, (size_t)size) == size ? size : -1;
}

static FILE *open_writer(struct writer *w)
{
    return funopen(w, NULL, write_all, NULL, end_writer);
}

void nb_thread_nice(int niceness)
{
    (void)niceness;
}

#else /* Linux */

#include <sys/syscall.h>
#include <sys/uio.h>

const char *nb_program_name(void)
{
    return program_invocation_short_name;
}

int nb_program_open(void)
{
    return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

void nb_processor_name(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    machine_name(name, size);
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, size, "%.100s", strchr(line, ':') + 1 + (strchr(line, ':')[1] == ' '));
            break;
        }
    if (file)
        fclose(file);
}

void nb_library_name(char *name, size_t size)
{
    if (confstr(_CS_GNU_LIBC_VERSION, name, size) == 0)
        snprintf(name, size, "unknown");
}

void *nb_realloc_array(void *block, size_t count, size_t size)
{
    return reallocarray(block, count, size);
}

void nb_large_pages(void *block, size_t bytes)
{
    madvise(block, bytes, MADV_HUGEPAGE);
}

#ifdef __GLIBC__
#define WRITE_FAILED 0 /* glibc's fopencookie expects 0 from a write function that failed, musl's expects -1 */
static int rename_new(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
#else                  /* musl has no renameat2 before 1.2.6 */
#define WRITE_FAILED (-1)
static int rename_new(const char *from, const char *to)
{
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u);
}
#endif

int nb_rename_new(const char *from, const char *to)
{
    const int status = rename_new(from, to);
    return status && (errno == EINVAL || errno == ENOSYS) ? link_new(from, to) : status;
}

int nb_sync(int fd)
{
    return fsync(fd);
}

void nb_read_through(int fd)
{
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

int nb_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}

void nb_pipe_widen(int fd, int bytes)
{
    fcntl(fd, F_SETPIPE_SZ, bytes); /* if this fails, the pipe is only slower */
}

ssize_t nb_pipe_give(int fd, const void *pages, size_t bytes)
{
    return vmsplice(fd, &(struct iovec){(void *)pages, bytes}, 1, 0);
}

bool nb_pages_drop(void *pages, size_t bytes)
{
    return madvise(pages, bytes, MADV_DONTNEED) == 0;
}

int nb_pipe_other_end(int fd)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static ssize_t write_all(void *state, const char *text, size_t size)
{
    const struct writer *w = state;
    return w->write(w->cookie, text, size) == (ssize_t)size ? (ssize_t)size : WRITE_FAILED;
}

static FILE *open_writer(struct writer *w)
{
    return fopencookie(w, "w", (cookie_io_functions_t){.write = write_all, .close = end_writer});
}

void nb_thread_nice(int niceness)
{
    setpriority(PRIO_PROCESS, (id_t)gettid(), niceness);
}

#endif
