/* checkpoint_file.c - opens, locks, writes and reads the two files of a run's checkpoints. */

#include "checkpoint_file.h"

#include "base/memory.h"
#include "common/tool.h"
#include "snap/snap_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC   "nbsim checkpoint "
#define VERSION "5"

struct head {
    char line[32]; /* MAGIC, VERSION and a newline, padded with zeros */
    uint64_t number, size_bytes, hash, zero;
};
_Static_assert(sizeof(struct head) == SIM_SLOT_HEAD, "the head of a checkpoint has 64 bytes");

static struct sim_slots *opened; /* files that the exit handler leave_nothing_empty checks */

/* ---- the files ---- */

static uint64_t size_of(int fd)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Removes created files that are still empty. Files that existed before are kept. */
static void leave_nothing_empty(void)
{
    for (int k = 0; opened && k < 2; k++)
        if (opened->fd[k] >= 0 && opened->made[k] && size_of(opened->fd[k]) == 0)
            unlink(opened->name[k]);
}

static void name_slots(struct sim_slots *s, const char *name)
{
    for (int k = 0; k < 2; k++) {
        s->name[k] = tool_text("%s.%d", name, k);
        s->fd[k] = -1;
    }
    opened = s;
    atexit(leave_nothing_empty);
}

static noreturn void die_of_open(const char *name)
{
    die("%s: %s%s", name, errno == ELOOP ? "" : "cannot be written: ",
        errno == ELOOP ? "is a link, and not a file that a checkpoint can be written to" : strerror(errno));
}

/* Opens the file. If it does not exist, creates it (if `create` is true) or returns -1 (if `create` is false). Sets
 * *made to whether the file was created. Dies on other failures. */
static int open_name(const char *name, bool create, bool *made)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
    int fd;
    do {
        *made = false;
        fd = open(name, flags);
        if (fd < 0 && errno == ENOENT && create) {
            fd = open(name, flags | O_CREAT | O_EXCL, 0666);
            *made = fd >= 0;
        }
    } while (fd < 0 && errno == EEXIST);
    if (fd < 0 && (errno != ENOENT || create))
        die_of_open(name);
    return fd;
}

/* Returns whether `name` still refers to the opened file: another run may have removed the file when that run ended.
 * Returns -1 if this cannot be determined. */
static int is_named(int fd, const char *name)
{
    struct stat file, named;
    if (fstat(fd, &file) || lstat(name, &named))
        return errno == ENOENT ? 0 : -1;
    return tool_same_file(&file, &named);
}

static void open_slot(struct sim_slots *s, int k, bool create)
{
    struct stat st;
    while ((s->fd[k] = open_name(s->name[k], create, &s->made[k])) >= 0) {
        if (fstat(s->fd[k], &st))
            die_of_open(s->name[k]);
        if (!S_ISREG(st.st_mode))
            die("%s: not a regular file, so no checkpoint can be written to it", s->name[k]);
        /* ignores other errors, because some file systems have no locks */
        if (flock(s->fd[k], LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
            die("%s: another run is using it", s->name[k]);
        const int named = is_named(s->fd[k], s->name[k]);
        if (named < 0)
            die_of_open(s->name[k]);
        if (named)
            return;
        close(s->fd[k]);
    }
}

/* Dies if the existing file must not be overwritten: if its contents are not a checkpoint, or if `overwrite` is false.
 * `slot` is the name of the file, and `name` is this name without .0 or .1; both are used in messages. */
static void check_contents(const char *slot, int fd, const char *name, bool overwrite)
{
    char begin[sizeof MAGIC - 1] = "";
    const bool empty = size_of(fd) == 0;
    const bool is_checkpoint =
        pread(fd, begin, sizeof begin, 0) == sizeof begin && memcmp(begin, MAGIC, sizeof begin) == 0;
    if (!empty && !is_checkpoint)
        die("%s: exists already and is not a checkpoint (choose another name)", slot);
    if (!overwrite && empty)
        die("%s: exists already (-f replaces it)", slot);
    if (!overwrite)
        die("%s: exists already (--resume %s continues from it, -f replaces it)", slot, name);
}

void sim_slots_check(const char *name, bool overwrite)
{
    for (int k = 0; k < 2; k++) {
        char *slot = tool_text("%s.%d", name, k);
        sim_slot_refuse_output(slot);
        sim_slot_refuse_input(slot);
        const int fd = open(slot, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        struct stat st;
        char *folder = sim_path_beside(slot, ".");
        if (fd < 0 && (errno != ENOENT || access(folder, W_OK | X_OK)))
            die_of_open(slot);
        free(folder);
        if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
            die("%s: not a regular file, so no checkpoint can be written to it", slot);
        if (fd >= 0) {
            check_contents(slot, fd, name, overwrite);
            close(fd);
        }
        free(slot);
    }
}

/* Returns the number of the checkpoint in the file, or 0 if there is none. The checkpoint may be incomplete. */
static uint64_t number_of(int fd)
{
    struct head head;
    const bool has = size_of(fd) >= sizeof head && pread(fd, &head, sizeof head, 0) == sizeof head;
    return has && head.number < UINT64_MAX / 2 ? head.number : 0;
}

uint64_t sim_slots_create(struct sim_slots *s, const char *name, bool overwrite)
{
    uint64_t number = 0;
    name_slots(s, name);
    for (int k = 0; k < 2; k++) {
        open_slot(s, k, true);
        if (!s->made[k])
            check_contents(s->name[k], s->fd[k], name, overwrite);
        s->of_another = s->of_another || size_of(s->fd[k]) > 0;
        number = number_of(s->fd[k]) > number ? number_of(s->fd[k]) : number;
    }
    return number;
}

void sim_slots_find(struct sim_slots *s, const char *name)
{
    name_slots(s, name);
    for (int k = 0; k < 2; k++)
        open_slot(s, k, false);
    if (s->fd[0] < 0 && s->fd[1] < 0)
        die("%s: no such checkpoint (a checkpoint is removed when its run is complete)", s->name[0]);
}

void sim_slots_complete(struct sim_slots *s)
{
    for (int k = 0; k < 2; k++)
        if (s->fd[k] < 0)
            open_slot(s, k, true);
}

void sim_slots_close(struct sim_slots *s, bool remove, bool remove_made)
{
    for (int k = 0; k < 2; k++) {
        const bool goes = remove || (s->made[k] && (remove_made || size_of(s->fd[k]) == 0));
        const int named = s->fd[k] >= 0 && goes ? is_named(s->fd[k], s->name[k]) : 0;
        if (named < 0 || (named && unlink(s->name[k])))
            warn("%s: cannot be removed: %s", s->name[k], strerror(errno));
        if (s->fd[k] >= 0)
            close(s->fd[k]);
        s->fd[k] = -1;
        free(s->name[k]);
    }
    opened = NULL;
}

/* ---- writing ---- */

static int write_all(int fd, const char *data, size_t size, uint64_t at)
{
    while (size > 0) {
        const ssize_t done = pwrite(fd, data, size, (off_t)at);
        if (done < 0 && errno != EINTR)
            return -1;
        data += done > 0 ? done : 0;
        at += done > 0 ? (uint64_t)done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

static int write_pieces(int fd, struct head *head, const struct sim_piece *pieces, int count)
{
    struct nb_hash *hash = nb_hash_create();
    uint64_t at = sizeof *head;
    int status = hash ? 0 : -1;
    for (int k = 0; k < count; k++)
        head->size_bytes += pieces[k].size_bytes;
    if (hash) {
        nb_hash_reset(hash);
        nb_hash_update(hash, &head->number, 2 * sizeof head->number);
    }
    for (int k = 0; k < count && status == 0; at += pieces[k++].size_bytes) {
        nb_hash_update(hash, pieces[k].data, pieces[k].size_bytes);
        status = write_all(fd, pieces[k].data, pieces[k].size_bytes, at);
    }
    if (status == 0)
        head->hash = nb_hash_digest(hash);
    nb_hash_destroy(hash);
    return status;
}

int sim_slots_write(struct sim_slots *s, uint64_t number, const struct sim_piece *pieces, int count)
{
    const int fd = s->fd[number % 2];
    const char *name = s->name[number % 2];
    struct head head = {MAGIC VERSION "\n", number, sizeof head, 0, 0};
    const struct head begun = {MAGIC VERSION "\n", 0, 0, 0, 0};
    errno = ENOMEM; /* write_pieces does not set errno if there is no memory for the hash */
    if ((size_of(fd) == 0 && write_all(fd, (const char *)&begun, sizeof begun, 0)) ||
        write_pieces(fd, &head, pieces, count) || write_all(fd, (char *)&head, sizeof head, 0) ||
        ftruncate(fd, (off_t)head.size_bytes) || tool_sync(fd) || tool_sync_folder(name))
        return nb_fail("%s: cannot be written: %s", name, strerror(errno));
    /* empties the other file if it still contains a checkpoint of an earlier run */
    if (s->of_another && ftruncate(s->fd[(number + 1) % 2], 0))
        return nb_fail("%s: cannot be emptied: %s", s->name[(number + 1) % 2], strerror(errno));
    s->of_another = false;
    return 0;
}

/* ---- reading ---- */

static int read_all(int fd, char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t got = pread(fd, data + at, size - at, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? nb_fail("cannot be read: %s", strerror(errno)) : nb_fail("truncated");
        at += (size_t)got;
    }
    return 0;
}

static int read_head(int fd, struct head *head)
{
    const uint64_t size = size_of(fd);
    if (size == 0)
        return nb_fail("empty");
    if (size < sizeof *head)
        return nb_fail("truncated");
    if (read_all(fd, (char *)head, sizeof *head))
        return -1;
    head->line[sizeof head->line - 1] = '\0';
    head->line[strcspn(head->line, "\n")] = '\0';
    if (strncmp(head->line, MAGIC, sizeof MAGIC - 1) != 0)
        return nb_fail("not a checkpoint");
    if (strcmp(head->line, MAGIC VERSION) != 0)
        return nb_fail("a checkpoint of version %s; this program reads version " VERSION,
                       head->line + sizeof MAGIC - 1);
    if (head->size_bytes == 0)
        return nb_fail("truncated while it was written");
    return head->size_bytes == size ? 0 : nb_fail("truncated");
}

/* Returns the contents of the file, or NULL after nb_fail. The caller frees them. */
static void *read_contents(int fd, const struct head *head)
{
    char *data = NULL;
    uint64_t hash;
    if (nb_memory_check(0, (double)head->size_bytes) == 0 &&
        !(data = aligned_alloc(64, (head->size_bytes + 63) / 64 * 64)))
        nb_fail("no memory");
    if (!data || read_all(fd, data, head->size_bytes)) {
        free(data);
        return NULL;
    }
    /* The checksum covers the number, the size and the contents. In the file, 16 other bytes lie between the size and
     * the contents. The number and the size are copied over these bytes, so that the three are contiguous. */
    memcpy(data + 48, data + 32, 16);
    hash = nb_hash_bytes(data + 48, head->size_bytes - 48);
    if (hash != head->hash) {
        nb_fail("damaged");
        free(data);
        return NULL;
    }
    return data;
}

/* Returns whether the file never had a complete checkpoint. A file that is being written for the first time has the
 * size 0 in its head, because the head with the real size is written last. */
static bool was_never_whole(int fd)
{
    struct head head = {.size_bytes = 0};
    return size_of(fd) < sizeof head || (pread(fd, &head, sizeof head, 0) >= 0 && head.size_bytes == 0);
}

void *sim_slots_read(struct sim_slots *s, size_t *size_bytes, uint64_t *number)
{
    struct head head[2];
    char why[2][200];
    bool good[2];
    for (int k = 0; k < 2; k++) {
        good[k] = read_head(s->fd[k], &head[k]) == 0;
        snprintf(why[k], sizeof why[k], "%.190s", nb_error());
    }
    const int newer = good[1] && (!good[0] || head[1].number > head[0].number);
    for (int which = 0; which < 2; which++) {
        const int k = which == 0 ? newer : !newer;
        void *data = good[k] ? read_contents(s->fd[k], &head[k]) : NULL;
        if (good[k] && !data)
            snprintf(why[k], sizeof why[k], "%.190s", nb_error());
        if (data) {
            if (which == 1 || (!good[!k] && size_of(s->fd[!k]) > 0))
                warn("%s: %s; resuming from %s", s->name[!k], why[!k], s->name[k]);
            *size_bytes = head[k].size_bytes;
            *number = head[k].number;
            return data;
        }
    }
    if (was_never_whole(s->fd[0]) && was_never_whole(s->fd[1]))
        die("%s: the run ended before its first checkpoint", s->name[0]);
    die("%s: %s; %s: %s", s->name[0], why[0], s->name[1], why[1]);
}
