/* tool_start.c - prepares the process before main: standard descriptors and SIGXFSZ. */
#include "common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Opens /dev/null in place of closed descriptors 0, 1 and 2. If they stayed closed, the next opened file would get the
 * number of one of them, and messages on stderr could go into this file. Descriptor 0 is opened for writing and 1 for
 * reading, so that reading stdin or writing stdout fails with EBADF, as with closed descriptors. */
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
