/* stream.c - reads and writes streams of frames. Declared in nbtools.h. */
#include "frame.h"

#include "snap/snap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct nbt_stream {
    struct nb_snap_reader *reader; /* NULL if the stream is written */
    struct nb_snap_writer *writer; /* NULL if the stream is read */
    char *path, *part;             /* part: temporary name PATH.part; NULL: the stream is written directly to `path` */
    int fd;
    bool failed; /* writing a frame failed, so the stream is incomplete */
};

static void destroy(struct nbt_stream *s)
{
    if (!s)
        return;
    nb_snap_close(s->reader);
    nb_snap_destroy(s->writer);
    if (s->fd > STDOUT_FILENO)
        close(s->fd);
    free(s->path);
    free(s->part);
    free(s);
}

static struct nbt_stream *make(void)
{
    struct nbt_stream *s = calloc(1, sizeof *s);
    if (!s)
        return nb_null(nb_fail("no memory for a stream"));
    s->fd = -1;
    return s;
}

/* ---- reading ---- */

/* Positions the reader at frame k. If the stream is a file, uses the index of its frames. If it is a pipe, reads all
 * frames before k. Returns -1 on error. */
static int go_to(struct nb_snap_reader *r, int64_t k)
{
    struct nb_bodies passed;
    const int sought = k == 0 ? 0 : nb_snap_seek(r, k);
    if (sought != 0 || k == 0)
        return sought < 0 ? -1 : 0;
    if (k == NB_FRAME_LAST)
        return nb_fail("%s: is a pipe, so its last frame cannot be found without reading everything", nb_snap_name(r));
    nb_bodies_init(&passed);
    int status = 1;
    for (int64_t at = 0; at < k && status > 0; at++)
        status = nb_snap_skip(r, &passed);
    nb_bodies_free(&passed);
    return status > 0 ? 0 : status < 0 ? -1 : nb_fail("%s: frame %" PRId64 " does not exist", nb_snap_name(r), k);
}

struct nbt_stream *nbt_stream_open(const char *path, int64_t frame)
{
    if (frame < NBT_LAST)
        return nb_null(nb_fail("%s: frame %" PRId64 " does not exist", path, frame));
    struct nbt_stream *s = make();
    const locale_t before = plain_numbers();
    const bool good = s && (s->reader = nb_snap_open(path, false)) && go_to(s->reader, frame) == 0;
    restore_numbers(before);
    if (good)
        return s;
    destroy(s);
    return NULL;
}

int nbt_stream_read(struct nbt_stream *s, struct nbt_frame *f)
{
    if (!s->reader)
        return nb_fail("%s: is open for writing", s->path);
    if (!f)
        return -1;
    const locale_t before = plain_numbers();
    const int status = nb_snap_read(s->reader, &f->bodies);
    restore_numbers(before);
    if (status < 0) /* after a failure the contents of the frame are undefined */
        nb_bodies_free(&f->bodies);
    return status;
}

/* ---- writing ---- */

/* Returns whether PATH.part is the file that was opened, that is, no other program has replaced it. */
static bool is_ours(const struct nbt_stream *s)
{
    struct stat opened, named;
    return fstat(s->fd, &opened) == 0 && lstat(s->part, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/* Locks PATH.part, so that only one process at a time writes it. The tools use the same lock. Then empties the file,
 * which may contain data of an earlier process. Returns -1 if another process holds the lock. */
static int claim(const struct nbt_stream *s)
{
    if ((flock(s->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) || !is_ours(s))
        return nb_fail("%s: another stream is writing it", s->part);
    return ftruncate(s->fd, 0) ? nb_fail("%s: %s", s->part, strerror(errno)) : 0;
}

/* Opens the output. If PATH is "-", uses standard output. If PATH does not exist or is a regular file, opens PATH.part.
 * Otherwise opens PATH, for example a named pipe. Returns -1 on error. */
static int open_file(struct nbt_stream *s)
{
    struct stat is;
    const bool there = stat(s->path, &is) == 0;
    const size_t length = strlen(s->path);
    if (length == 0)
        return nb_fail("the name of the file is empty");
    if (strcmp(s->path, "-") == 0) {
        s->fd = STDOUT_FILENO;
        return 0;
    }
    if (!there || S_ISREG(is.st_mode)) {
        if (!(s->part = malloc(length + sizeof ".part")))
            return nb_fail("no memory for a name");
        memcpy(s->part, s->path, length);
        memcpy(s->part + length, ".part", sizeof ".part");
    }
    s->fd = open(s->part ? s->part : s->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (s->fd < 0)
        return nb_fail("%s: %s", s->part ? s->part : s->path, strerror(errno));
    return s->part ? claim(s) : 0;
}

struct nbt_stream *nbt_stream_create(const char *path)
{
    struct nbt_stream *s = make();
    if (s && !(s->path = strdup(path)))
        nb_fail("no memory for a name");
    else if (s && open_file(s) == 0 && (s->writer = nb_snap_create(s->fd, path)))
        return s;
    destroy(s);
    return NULL;
}

int nbt_stream_write(struct nbt_stream *s, const struct nbt_frame *f)
{
    if (!s->writer)
        return nb_fail("%s: is open for reading", nb_snap_name(s->reader));
    if (s->failed)
        return nb_fail("%s: an earlier frame could not be written", s->path);
    if (!f || nb_bodies_check_columns(
                  &f->bodies)) /* f is NULL if the call that should make it failed; this call has set the message */
        return -1;
    const locale_t before = plain_numbers();
    s->failed = nb_snap_write(s->writer, &f->bodies) != 0;
    restore_numbers(before);
    return nb_status(s->failed);
}

/* Finishes the stream. A file gets its final name only if it is complete. Returns -1 on error. */
static int finish(struct nbt_stream *s)
{
    if (s->failed)
        return nb_fail("%s: an earlier frame could not be written", s->path);
    if (nb_snap_finish(s->writer))
        return -1;
    if (s->part && !is_ours(s))
        return nb_fail("%s: another program replaced it during the write", s->part);
    /* Some file systems report a failed write only when a descriptor is closed. Closes a duplicate of s->fd, because
     * s->fd must hold the lock until the file is renamed. */
    const int other = s->fd == STDOUT_FILENO ? -1 : dup(s->fd);
    if ((other >= 0 && close(other)) || (s->part && rename(s->part, s->path)))
        return nb_fail("%s: %s", s->path, strerror(errno));
    return 0;
}

int nbt_stream_close(struct nbt_stream *s)
{
    const int status = s && s->writer ? finish(s) : 0;
    destroy(s);
    return status;
}
