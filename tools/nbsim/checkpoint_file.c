#include "checkpoint_file.h"

#include "error.h"
#include "memory.h"
#include "snap/snap_hash.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "nbsim checkpoint "

struct head {
    char line[32]; /* zeros behind it */
    uint64_t number, size_bytes, hash, zero;
};
_Static_assert(sizeof(struct head) == SIM_SLOT_HEAD, "the head of a checkpoint has 64 bytes");

static struct sim_slots *opened; /* for the end of the program */

/* ---- the files ---- */

static uint64_t size_of(int fd)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static void leave_nothing_empty(void)
{
    for (int k = 0; opened && k < 2; k++)
        if (opened->fd[k] >= 0 && size_of(opened->fd[k]) == 0)
            unlink(opened->name[k]);
}

static void name_slots(struct sim_slots *s, const char *name)
{
    for (int k = 0; k < 2; k++) {
        if (asprintf(&s->name[k], "%s.%d", name, k) < 0)
            die("no memory");
        s->fd[k] = -1;
    }
}

static void open_slot(struct sim_slots *s, int k)
{
    struct stat st;
    s->fd[k] = open(s->name[k], O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (s->fd[k] < 0 || fstat(s->fd[k], &st))
        die("%s: cannot be written: %s", s->name[k], strerror(errno));
    if (!S_ISREG(st.st_mode))
        die("%s: not a file that a checkpoint can be written to", s->name[k]);
    if (flock(s->fd[k], LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) /* some file systems know no locks */
        die("%s: another run has it", s->name[k]);
}

static void open_slots(struct sim_slots *s)
{
    for (int k = 0; k < 2; k++)
        open_slot(s, k);
    opened = s;
    atexit(leave_nothing_empty);
}

void sim_slots_create(struct sim_slots *s, const char *name, bool overwrite)
{
    name_slots(s, name);
    open_slots(s);
    for (int k = 0; k < 2; k++) {
        if (size_of(s->fd[k]) > 0 && !overwrite)
            die("%s: exists already (--resume %s goes on from it, -f replaces it)", s->name[k], name);
        if (ftruncate(s->fd[k], 0))
            die("%s: cannot be written: %s", s->name[k], strerror(errno));
    }
}

void sim_slots_find(struct sim_slots *s, const char *name)
{
    struct stat st;
    name_slots(s, name);
    if (stat(s->name[0], &st) && stat(s->name[1], &st))
        die("%s: no such checkpoint; one is removed when its run has come to its end", s->name[0]);
    open_slots(s);
}

void sim_slots_close(struct sim_slots *s, bool remove)
{
    for (int k = 0; k < 2; k++) {
        if ((remove || size_of(s->fd[k]) == 0) && unlink(s->name[k]) && errno != ENOENT)
            warn("%s: cannot be removed: %s", s->name[k], strerror(errno));
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
    struct head head = {MAGIC "1\n", number, sizeof head, 0, 0};
    errno = ENOMEM; /* of what says nothing else */
    if (write_pieces(fd, &head, pieces, count) || write_all(fd, (char *)&head, sizeof head, 0) ||
        ftruncate(fd, (off_t)head.size_bytes) || tool_sync(fd) || tool_sync_folder(name))
        return nb_fail("%s: cannot be written: %s", name, strerror(errno));
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
            return got < 0 ? nb_fail("cannot be read: %s", strerror(errno)) : nb_fail("cut");
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
        return nb_fail("cut");
    if (read_all(fd, (char *)head, sizeof *head))
        return -1;
    if (head->line[0] == '\0')
        return nb_fail("cut while it was written");
    head->line[sizeof head->line - 1] = '\0';
    head->line[strcspn(head->line, "\n")] = '\0';
    if (strncmp(head->line, MAGIC, sizeof MAGIC - 1) != 0)
        return nb_fail("not a checkpoint");
    if (strcmp(head->line, MAGIC "1") != 0)
        return nb_fail("a checkpoint of version %s; this program reads version 1", head->line + sizeof MAGIC - 1);
    return head->size_bytes == size ? 0 : nb_fail("cut");
}

/* The whole file, or NULL after nb_fail. */
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
    memcpy(data + 48, data + 32, 16); /* number and size before the contents, for one checksum over all */
    hash = nb_hash_bytes(data + 48, head->size_bytes - 48);
    if (hash != head->hash) {
        nb_fail("damaged");
        free(data);
        return NULL;
    }
    return data;
}

/* The head is written last. */
static bool was_never_whole(int fd)
{
    char first = '\0';
    return pread(fd, &first, 1, 0) >= 0 && first == '\0';
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
                warn("%s: %s; goes on from %s", s->name[!k], why[!k], s->name[k]);
            *size_bytes = head[k].size_bytes;
            *number = head[k].number;
            return data;
        }
    }
    if (was_never_whole(s->fd[0]) && was_never_whole(s->fd[1]))
        die("%s: the run was cut before its first checkpoint", s->name[0]);
    die("%s: %s; %s: %s", s->name[0], why[0], s->name[1], why[1]);
}
