/* tool_start.c - prepares the process before main: standard descriptors and SIGXFSZ. */
#include "common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed. Otherwise the next opened file could become
 * descriptor 2, and messages to stderr would be written into this file. Descriptor 0 is opened for writing and 1 for
 * reading, so that reading stdin or writing stdout still fails with EBADF. */
static void fill_descriptors(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[fd]) != fd)
            _exit(TOOL_FAILED); /* no descriptor is left to print a message */
}

__attribute__((constructor(101))) static void start(void)
{
    fill_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the file size limit then fails with EFBIG */
}
