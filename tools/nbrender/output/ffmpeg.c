/* Starts ffmpeg as a child process and waits for it. */
#include "nbrender/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pid_t ffmpeg; /* process id; 0: ffmpeg is not running */

/* Kills ffmpeg if nbrender exits before the film is complete. If ffmpeg were not killed, it would finish the incomplete
 * film, or print an error message about its input. */
static void kill_ffmpeg(void)
{
    if (ffmpeg > 0) {
        kill(ffmpeg, SIGKILL);
        waitpid(ffmpeg, NULL, 0);
    }
}

static void redirect(posix_spawn_file_actions_t *actions, int from, int to, int flags)
{
    if (from >= 0)
        posix_spawn_file_actions_adddup2(actions, from, to);
    else
        posix_spawn_file_actions_addopen(actions, to, "/dev/null", flags, 0);
}

static int spawn(char *const *arguments, int in, int out, bool quiet)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    redirect(&actions, in, STDIN_FILENO, O_RDONLY);
    redirect(&actions, out, STDOUT_FILENO, O_WRONLY);
    if (quiet)
        redirect(&actions, -1, STDERR_FILENO, O_WRONLY);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
    int status = posix_spawnp(&ffmpeg, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (status)
        ffmpeg = 0;
    return status;
}

void ffmpeg_start(const char *const *arguments, int in, int out, bool quiet)
{
    static bool watched;
    if (!watched)
        atexit(kill_ffmpeg);
    watched = true;
    int status = spawn((char *const *)arguments, in, out, quiet);
    tool_kill_on_signal(ffmpeg);
    if (status == ENOENT)
        die("ffmpeg cannot be started: it is not installed (apt install ffmpeg; FILE.gif, FILE.apng and -o - do not "
            "need it)");
    if (status)
        die("ffmpeg cannot be started: %s (it writes the film; FILE.gif, FILE.apng and -o - do not need it)",
            strerror(status));
}

int ffmpeg_wait(void)
{
    int status;
    while (waitpid(ffmpeg, &status, 0) < 0)
        if (errno != EINTR)
            die("waiting for ffmpeg failed, so the film may be incomplete: %s", strerror(errno));
    ffmpeg = 0;
    tool_kill_on_signal(0);
    return status;
}
