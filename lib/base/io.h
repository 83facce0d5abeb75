/* io.h - reads from and writes to descriptors. Interrupted calls and non-blocking descriptors are handled. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Call this after read() or write() has failed. Returns whether errno means that the call should be repeated. If the
 * descriptor is non-blocking and not ready, first waits until it is ready for `events`: POLLIN after a read, POLLOUT
 * after a write. */
bool nb_io_again(int fd, short events);
/* Reads at most `size` bytes with one successful call of read. Returns the number of bytes read, 0 at the end of the
 * file, -1 with errno on failure. */
ssize_t nb_io_read(int fd, void *to, size_t size);
/* Writes all `size` bytes. `name` is the file's name for the error message. On failure calls nb_fail, leaves errno set
 * and returns -1; else returns 0. */
int nb_io_write(int fd, const char *name, const void *from, size_t size);
