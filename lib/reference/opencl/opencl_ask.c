/* opencl_ask.c - tests in a child process whether the installed drivers of OpenCL can be opened. Declared in
 * opencl_api.h.
 *
 * Some drivers abort the process that asks them for devices. For example, PoCL aborts if /sys is not mounted.
 *
 * fork() is safe here for these reasons:
 * - The child never returns to the caller's code and locks no mutex of nbtools. malloc and dlopen of the C library can
 *   be used after fork().
 * - The child ends by _exit(), without exit handlers and without flushing the caller's buffers.
 * - If a thread of the caller held a lock of a driver, the child can hang. Then the alarm ends the child.
 * - The child inherits the caller's open files but never writes to them. */
#include "base/error.h"
#include "reference/opencl/opencl_api.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLATFORMS_MAX = 64, LIMIT_S = 60 };

/* Restores the default actions of the signals, so that abort() and the alarm end the child. */
static void reset_signals(void)
{
    static const int numbers[] = {SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        signal(numbers[k], SIG_DFL);
        sigaddset(&set, numbers[k]);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static _Noreturn void open_all(const struct nb_opencl_api *cl)
{
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_device_id device;
    cl_uint count = 0, devices;
    const int nothing = open("/dev/null", O_WRONLY);
    if (nothing >= 0)
        dup2(nothing, STDERR_FILENO); /* suppresses the messages of a driver that aborts */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    reset_signals();
    alarm(LIMIT_S);
    if (cl->GetPlatformIDs(PLATFORMS_MAX, platforms, &count) == CL_SUCCESS)
        for (cl_uint p = 0; p < count && p < PLATFORMS_MAX; p++)
            cl->GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, &devices);
    _exit(0);
}

int nb_opencl_ask(const struct nb_opencl_api *cl)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int ended_by = -1; /* signal that ended the child; 0: none; -1: not tested yet */
    pthread_mutex_lock(&lock);
    if (ended_by < 0) {
        int status = 0;
        pid_t child = fork(), got = -1;
        if (child == 0)
            open_all(cl);
        while (child > 0 && (got = waitpid(child, &status, 0)) < 0 && errno == EINTR)
            ;
        /* If fork() failed, the drivers are assumed to work. */
        ended_by = got == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    pthread_mutex_unlock(&lock);
    return ended_by == 0
               ? 0
               : nb_fail("device opencl: an installed OpenCL driver crashes when it is opened (%s; PoCL needs /sys)",
                         strsignal(ended_by));
}
