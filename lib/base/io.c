/* io.c - reading from and writing to descriptors. Declared in io.h. */
#include "base/io.h"

#include "base/error.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

bool nb_io_again(int fd, short events)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        poll(&(struct pollfd){.fd = fd, .events = events}, 1, -1);
    else if (errno != EINTR)
        return false;
    return true;
}

ssize_t nb_io_read(int fd, void *to, size_t size)
{
    ssize_t got;
    do
        got = read(fd, to, size);
    while (got < 0 && nb_io_again(fd, POLLIN));
    return got;
}

int nb_io_write(int fd, const char *name, const void *from, size_t size)
{
    for (const char *at = from; size > 0;) {
        ssize_t written = write(fd, at, size);
        if (written < 0 && !nb_io_again(fd, POLLOUT)) {
            int why = errno;
            nb_fail("%s: cannot be written: %s", name, strerror(why));
            errno = why;
            return -1;
        }
        at += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}
