/* What is done before main. */
#include "common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A closed descriptor 0, 1 or 2 would be the next file's, and messages would go into the output. /dev/null takes its
 * place: 0 and 1 the wrong way round, so that using them fails as if they were closed (EBADF). */
static void fill_descriptors(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[fd]) != fd)
            _exit(TOOL_FAILED); /* there is nowhere to say why */
}

__attribute__((constructor(101))) static void start(void)
{
    fill_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a file over its limit is a write that fails */
}
