/* snap_input.c - buffered reading from files and pipes. Declared in snap_input.h. */
#include "snap/snap_input.h"

#include "base/bodies.h"
#include "base/error.h"
#include "base/io.h"
#include "base/portable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)
#define READ_BYTES   ((size_t)4 << 20)
#define PIPE_BYTES   (1 << 20)

int nb_input_open(struct nb_input *in, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *in = (struct nb_input){.owned = !is_stdin, .size = UINT64_MAX};
    const char *name = is_stdin ? "stdin" : path;
    in->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (in->fd < 0 || fstat(in->fd, &st)) {
        int why = errno;
        nb_input_close(in);
        return nb_fail("%s: cannot be opened: %s", name, strerror(why));
    }
    in->data = aligned_alloc(NB_ALIGN, BUFFER_BYTES);
    in->capacity = BUFFER_BYTES;
    if (S_ISDIR(st.st_mode) || !in->data) {
        nb_input_close(in);
        return nb_fail("%s: %s", name, S_ISDIR(st.st_mode) ? "is a directory" : "no memory");
    }
    in->base = S_ISREG(st.st_mode) ? lseek(in->fd, 0, SEEK_CUR) : -1;
    in->seekable = in->base >= 0;
    if (S_ISREG(st.st_mode) && !in->seekable) {
        int why = errno;
        nb_input_close(in);
        return nb_fail("%s: cannot seek: %s", name, strerror(why));
    }
    if (in->seekable) {
        in->size = st.st_size > in->base ? (uint64_t)(st.st_size - in->base) : 0;
        nb_read_through(in->fd);
    } else if (S_ISFIFO(st.st_mode))
        nb_pipe_widen(in->fd, PIPE_BYTES);
    return 0;
}

void nb_input_close(struct nb_input *in)
{
    if (in->owned && in->fd >= 0)
        close(in->fd);
    free(in->data);
    *in = (struct nb_input){.fd = -1};
}

/* Reads once, at most `size` bytes. Returns the number of bytes, 0 at the end of the input, or -1 after nb_fail. */
static ssize_t read_some(struct nb_input *in, void *to, size_t size)
{
    ssize_t got = nb_io_read(in->fd, to, size < READ_BYTES ? size : READ_BYTES);
    return got >= 0 ? got : nb_fail("cannot be read: %s", strerror(errno));
}

/* Makes the buffer large enough for `wanted` bytes after in->begin. The bytes [in->begin, in->end) that it already
 * contains are preserved. */
static int reserve(struct nb_input *in, size_t wanted)
{
    size_t held = in->end - in->begin;
    if (wanted > in->capacity) {
        char *larger = malloc(wanted * 2);
        if (!larger)
            return nb_fail("no memory for %zu bytes of text", wanted);
        memcpy(larger, in->data + in->begin, held);
        free(in->data);
        in->data = larger;
        in->capacity = wanted * 2;
    } else if (in->capacity - in->begin < wanted)
        memmove(in->data, in->data + in->begin, held);
    else
        return 0;
    in->begin = 0;
    in->end = held;
    return 0;
}

ssize_t nb_input_peek(struct nb_input *in, size_t wanted)
{
    if (in->end - in->begin < wanted && reserve(in, wanted))
        return -1;
    while (in->end - in->begin < wanted) {
        ssize_t got = read_some(in, in->data + in->end, in->capacity - in->end);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        in->end += (size_t)got;
    }
    return (ssize_t)(in->end - in->begin);
}

char *nb_input_bytes(const struct nb_input *in)
{
    return in->data + in->begin;
}

void nb_input_take(struct nb_input *in, size_t count)
{
    in->begin += count;
    in->at += count;
    if (in->begin == in->end)
        in->begin = in->end = 0;
}

ssize_t nb_input_read(struct nb_input *in, void *to, size_t size)
{
    size_t held = in->end - in->begin, done = held < size ? held : size;
    memcpy(to, in->data + in->begin, done);
    nb_input_take(in, done);
    while (done < size) {
        ssize_t got = read_some(in, (char *)to + done, size - done);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
        in->at += (uint64_t)got;
    }
    return (ssize_t)done;
}

int nb_input_read_at(const struct nb_input *in, uint64_t at, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(in->fd, (char *)to + done, size - done, in->base + (off_t)(at + done));
        if (got == 0)
            return NB_INPUT_SHORT;
        if (got < 0 && errno != EINTR)
            return errno;
        done += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

int nb_input_seek(struct nb_input *in, uint64_t at)
{
    uint64_t held = in->end - in->begin;
    if (at >= in->at && at - in->at <= held) {
        nb_input_take(in, (size_t)(at - in->at));
        return 0;
    }
    if (lseek(in->fd, in->base + (off_t)at, SEEK_SET) < 0)
        return nb_fail("cannot seek: %s", strerror(errno));
    in->at = at;
    in->begin = in->end = 0;
    return 0;
}
