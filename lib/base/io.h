/* io.h - bytes from and to open descriptors, whatever interrupts: a signal, or a descriptor that does not block. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* After a read or write that failed: true where errno says that it is to be tried again, which for a descriptor that
 * does not block is when `events` (POLLIN or POLLOUT) have come. */
bool nb_io_again(int fd, short events);
/* One read of at most `size` bytes: their number, 0 at the end, -1 with errno set. */
ssize_t nb_io_read(int fd, void *to, size_t size);
/* Writes all of it; `name` is for the message. -1 after nb_fail, with errno set. */
int nb_io_write(int fd, const char *name, const void *from, size_t size);
