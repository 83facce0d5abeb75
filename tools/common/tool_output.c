/* tool_output.c - writes the output files of all tools. A regular file is written as FILE.part, under a lock, and
 * renamed to FILE when all its bytes are on the disk. Devices, FIFOs and stdout are written in place. */
#include "common/tool.h"

#include "base/portable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct tool_output {
    int fd;
    char *name;   /* name of the file as the user gave it, for messages */
    char *target; /* name of the file after following symbolic links */
    char *part;   /* name of FILE.part; NULL: the file is written in place */
    bool keep, binary, folder_later;
    off_t appended_at;          /* size of the file before the tool appends to it; -1: the tool does not append */
    struct tool_output *beside; /* list of other outputs that are closed and renamed together with this output */
    struct tool_output *next;
};

static struct tool_output *unfinished; /* list of outputs that are not closed yet */

/* ---- clean-up if the tool ends before an output is closed ---- */

/* Names of the files (FILE.part) that the signal handler removes. An element with remove = 0 is not in use. The memory
 * is static, because the handler may run at any time in any thread. */
static struct {
    volatile sig_atomic_t remove;
    char part[PATH_MAX];
} abandoned[32];

/* The file to which the tool appends. If a signal ends the tool, the signal handler removes the appended bytes. */
static struct {
    volatile sig_atomic_t cut_back;
    int fd, other, nothing; /* fd: descriptor for writing; other: a duplicate of fd; nothing: /dev/null, read-only */
    off_t size;
} appended;

/* Truncates an appended file to its old size, even if another thread is writing to the file. dup2 makes the descriptor
 * for writing refer to /dev/null, opened read-only, so that the thread's next write fails. A write that has already
 * begun ends during the call of nanosleep, and the second ftruncate removes its bytes. Safe in a signal handler. */
static int cut_back(void)
{
    static const struct timespec moment = {.tv_nsec = 50000000};
    if (!appended.cut_back)
        return 0;
    appended.cut_back = 0;
    dup2(appended.nothing, appended.fd);
    int status = ftruncate(appended.other, appended.size);
    nanosleep(&moment, NULL);
    return status || ftruncate(appended.other, appended.size);
}

void tool_output_abandon(void)
{
    (void)!cut_back();
    for (size_t k = 0; k < sizeof abandoned / sizeof *abandoned; k++)
        if (abandoned[k].remove)
            unlink(abandoned[k].part);
}

static void remove_on_signal(const struct tool_output *o, bool remove)
{
    for (size_t k = 0; o->part && k < sizeof abandoned / sizeof *abandoned; k++)
        if (remove && !abandoned[k].remove && strlen(o->part) < PATH_MAX) {
            strcpy(abandoned[k].part, o->part);
            abandoned[k].remove = 1;
            return;
        } else if (!remove && abandoned[k].remove && strcmp(abandoned[k].part, o->part) == 0) {
            abandoned[k].remove = 0;
            return;
        }
}

static void leave_no_half_file(void)
{
    const bool longer = cut_back();
    for (struct tool_output *o = unfinished; o; o = o->next)
        if (o->appended_at >= 0 && longer)
            complain("%s: cannot be truncated to its earlier %lld bytes: %s", o->name, (long long)o->appended_at,
                     strerror(errno));
        else if (o->part && o->keep)
            complain("%s keeps the %s", o->part,
                     o->binary ? "whole frames written so far (read it with --salvage)" : "lines written so far");
        else if (o->part)
            unlink(o->part);
}

static void enlist(struct tool_output *o)
{
    static bool watching;
    if (!watching)
        atexit(leave_no_half_file);
    watching = true;
    o->next = unfinished;
    unfinished = o;
    remove_on_signal(o, true);
}

static void delist(struct tool_output *o)
{
    struct tool_output **at = &unfinished;
    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    remove_on_signal(o, false);
}

void tool_output_keep(struct tool_output *o, bool keep)
{
    if (keep != o->keep && o->binary)
        remove_on_signal(o, !keep);
    o->keep = keep;
}

void tool_output_hold(struct tool_output *o)
{
    remove_on_signal(o, false);
    o->keep = true;
}

void tool_output_folder_later(struct tool_output *o)
{
    /* The caller syncs the folder of `name` later. But if `name` is a symbolic link, the file may be in another folder.
     * Then tool_output_close syncs that folder. */
    o->folder_later = strcmp(o->name, o->target) == 0;
}

/* ---- FILE.part ---- */

static noreturn void die_of_write(const struct tool_output *o)
{
    die("%s: cannot be written: %s", o->name, strerror(errno));
}

static noreturn void die_busy(const char *name)
{
    die("%s: another program is writing it (wait until that program ends, or choose another file)", name);
}

/* Removes FILE.part, which exists because an earlier run failed. Dies without the option -f, or if another run has
 * locked the file. */
static void remove_left_over(const struct tool_output *o)
{
    int fd = open(o->part, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        die_busy(o->part);
    if (!tool_options.overwrite)
        die("%s: exists already, left by a failed run (-f replaces it)", o->part);
    unlink(o->part);
    if (fd >= 0)
        close(fd);
}

/* Returns whether the name of the output still refers to the opened file. Returns false if another program has replaced
 * the file. */
static bool is_ours(const struct tool_output *o)
{
    struct stat opened, named;
    const int found = o->part ? lstat(o->part, &named) : stat(o->target, &named);
    return fstat(o->fd, &opened) == 0 && found == 0 && tool_same_file(&opened, &named);
}

/* Locks the new file. Returns true if another run has locked or replaced it. Tries to get the lock for up to one
 * second, because a run that only tests the lock also holds it for a short time. */
static bool is_taken(const struct tool_output *o)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int tries = 0; flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; tries++) {
        if (tries == 100)
            return true;
        nanosleep(&pause, NULL);
    }
    return !is_ours(o);
}

static void open_part(struct tool_output *o)
{
    struct stat old;
    const bool replaces = tool_options.overwrite && stat(o->target, &old) == 0;
    const mode_t mode = replaces ? old.st_mode & 0777 : 0666;
    o->part = tool_part_name(o->target);
    if (replaces && tool_is_locked(o->target))
        die_busy(o->name);
    o->fd = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (o->fd < 0 && errno == EEXIST) {
        remove_left_over(o);
        o->fd = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (o->fd < 0 && errno == EEXIST)
            die_busy(o->part);
    }
    if (o->fd < 0)
        die("%s: cannot be written: %s", o->name, strerror(errno));
    /* On file systems without locks, is_taken does not notice another run that writes the file. Therefore check_ours
     * tests later whether another run has replaced the file. */
    if (is_taken(o))
        die_busy(o->part);
    if (replaces)
        fchmod(o->fd, old.st_mode & 07777);
}

static void open_in_place(struct tool_output *o)
{
    o->fd = open(o->name, O_WRONLY | O_CLOEXEC);
    if (o->fd < 0)
        die("%s: cannot be written: %s", o->name, strerror(errno));
    if (o->binary && tool_is_terminal(o->fd))
        die_usage("%s is a terminal", o->name);
}

static struct tool_output *create(const char *path, bool binary)
{
    struct tool_output *o = claimed(calloc(1, sizeof *o), "no memory");
    const char *name = tool_is_stdout(path) ? "stdout" : path;
    o->name = tool_copy(name);
    o->target = tool_copy(name);
    o->fd = STDOUT_FILENO;
    o->binary = binary;
    o->appended_at = -1;
    tool_watch_signals();
    return o;
}

struct tool_output *tool_output_append(const char *path)
{
    struct tool_output *o = create(path, true);
    struct stat st;
    o->fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (o->fd < 0 || fstat(o->fd, &st))
        die("%s: cannot be appended to: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        die("%s: is not a regular file, so nothing can be appended", path);
    if (flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        die_busy(path);
    o->appended_at = lseek(o->fd, 0, SEEK_END);
    appended.fd = o->fd;
    appended.other = dup(o->fd);
    appended.nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (o->appended_at < 0 || appended.other < 0 || appended.nothing < 0)
        die_of_write(o);
    appended.size = o->appended_at;
    appended.cut_back = 1;
    enlist(o);
    return o;
}

struct tool_output *tool_output_resume(const char *path, uint64_t size_bytes, bool binary)
{
    struct tool_output *o = create(path, binary);
    struct stat st;
    o->part = tool_part_name(path);
    o->fd = open(o->part, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (o->fd >= 0 && ((flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) || !is_ours(o)))
        die_busy(o->part);
    if (o->fd < 0 || fstat(o->fd, &st))
        die("%s: cannot be written: %s", o->part, strerror(errno));
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < size_bytes)
        die("%s: has become shorter", o->part);
    if (ftruncate(o->fd, (off_t)size_bytes) || lseek(o->fd, (off_t)size_bytes, SEEK_SET) < 0)
        die("%s: cannot be written: %s", o->part, strerror(errno));
    enlist(o);
    tool_output_hold(o);
    return o;
}

struct tool_output *tool_output_open(const char *path, bool binary)
{
    struct tool_output *o = create(path, binary);
    tool_output_check(path, binary);
    if (!tool_is_stdout(path) && tool_is_regular(path)) {
        o->target = tool_follow_links(o->target);
        tool_hold_signals(true);
        open_part(o);
    } else if (!tool_is_stdout(path))
        open_in_place(o);
    enlist(o);
    tool_hold_signals(false);
    return o;
}

int tool_output_fd(const struct tool_output *o)
{
    return o->fd;
}

const char *tool_output_name(const struct tool_output *o)
{
    return o->name;
}

const char *tool_output_part(const struct tool_output *o)
{
    return o->part ? o->part : o->name;
}

/* ---- closing ---- */

int tool_output_sync(const struct tool_output *o)
{
    return tool_sync(o->fd) || (o->part && tool_sync_folder(o->part)) ? -1 : 0;
}

/* Returns whether an earlier write failed. Network file systems report a failed write only when a descriptor is closed,
 * so the function closes a duplicate of fd. fd must stay open, because closing it would release the lock. */
static bool flush_failed(int fd)
{
    const int other = dup(fd);
    return other >= 0 && close(other);
}

static void check_ours(const struct tool_output *o)
{
    if (!is_ours(o))
        die("%s: another program replaced the file during the run, and the output of this run is lost",
            tool_output_part(o));
}

/* Renames FILE.part to its target. If this fails, FILE.part is not removed, because it is complete. */
static void give_name(struct tool_output *o)
{
    const bool busy = tool_options.overwrite && tool_is_locked(o->target);
    check_ours(o);
    delist(o);
    if (busy)
        die("%s: another program is writing it; the result is in %s", o->name, o->part);
    if (tool_options.overwrite ? rename(o->part, o->target) : nb_rename_new(o->part, o->target)) {
        if (errno == EEXIST)
            die("%s: another program created this file during the run; the result is in %s", o->name, o->part);
        die("%s: cannot be renamed to %s: %s", o->part, o->target, strerror(errno));
    }
    if (!o->folder_later && tool_sync_folder(o->target))
        die("%s: is complete, but its folder cannot be synced: %s", o->name, strerror(errno));
}

/* Closes the descriptor, which releases the lock, and frees o. */
static void forget(struct tool_output *o)
{
    if (close(o->fd))
        die_of_write(o);
    free(o->name);
    free(o->target);
    free(o->part);
    free(o);
}

void tool_output_beside(struct tool_output *o, struct tool_output *beside)
{
    beside->beside = o->beside;
    o->beside = beside;
}

/* Syncs `o` and all outputs of the list o->beside. Then renames all of these outputs, `o` last. */
static void close_part(struct tool_output *o)
{
    for (struct tool_output *each = o; each; each = each->beside)
        if (tool_sync(each->fd) || flush_failed(each->fd))
            die_of_write(each);
    tool_hold_signals(true);
    for (struct tool_output *each = o->beside; each; each = each->beside)
        each->part ? give_name(each) : delist(each);
    give_name(o);
    for (struct tool_output *each; (each = o->beside); forget(each))
        o->beside = each->beside;
    tool_hold_signals(false);
}

static void close_appended(struct tool_output *o)
{
    if (tool_sync(o->fd))
        die_of_write(o);
    check_ours(o);
    appended.cut_back = 0;
    close(appended.other);
    close(appended.nothing);
    delist(o);
}

void tool_output_close(struct tool_output *o)
{
    if (o->part)
        close_part(o);
    else if (o->appended_at >= 0)
        close_appended(o);
    else {
        if (o->fd == STDOUT_FILENO && tool_sync(o->fd))
            die_of_write(o);
        delist(o);
    }
    forget(o);
}

void tool_output_leave(struct tool_output *o)
{
    if (tool_sync(o->fd))
        die_of_write(o);
    delist(o);
    forget(o);
}

void tool_output_failed(void)
{
    if (errno == EPIPE) {
        leave_no_half_file();
        tool_status_hide();
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    die("%s", nb_error());
}
