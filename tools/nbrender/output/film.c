/* Films: YUV4MPEG2 through a pipe into ffmpeg, which writes FILE.part; it gets its name when ffmpeg has ended well. */
#include "error.h"
#include "nbrender/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 40
#define PIPE_BYTES    (1 << 20)

#define BT709 "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"
#define X264  "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-pix_fmt", "yuv420p", BT709

const char *const film_mp4[] = {X264, "-movflags", "+faststart", "-f", "mp4", NULL};
const char *const film_mkv[] = {X264, "-f", "matroska", NULL};
const char *const film_webm[] = {"-c:v",      "libvpx-vp9", "-crf",    "30", "-b:v", "0",  "-deadline", "good",
                                 "-cpu-used", "4",          "-row-mt", "1",  BT709,  "-f", "webm",      NULL};
/* A palette for each picture: one for the film would hold all of its pictures in memory first. */
const char *const film_gif[] = {"-filter_complex",
                                "scale=in_color_matrix=bt709:in_range=tv,format=rgb24,split[a][b];"
                                "[a]palettegen=stats_mode=single:reserve_transparent=0[palette];"
                                "[b][palette]paletteuse=new=1:dither=sierra2_4a",
                                "-f", "gif", NULL};

struct film {
    struct tool_output *file;
    const char *suffix;
    struct y4m *stream;
    int pipe_fd;
};

static pid_t ffmpeg; /* 0: not running */

/* The tool dies: ffmpeg must not finish a film, nor say that its input is bad. */
static void kill_ffmpeg(void)
{
    if (ffmpeg > 0) {
        kill(ffmpeg, SIGKILL);
        waitpid(ffmpeg, NULL, 0);
    }
}

/* ffmpeg has a session of its own, so that the terminal's signals leave it alone, and no use of stdout. */
static int spawn(char *const *arguments, int from)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
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

static void start_ffmpeg(struct film *film, const struct output_kind *kind)
{
    /* -xerror: without it ffmpeg ends well although the last bytes did not fit on the disk. */
    static const char *const before[] = {"ffmpeg", "-xerror", "-nostdin",     "-hide_banner", "-loglevel", "error",
                                         "-y",     "-f",      "yuv4mpegpipe", "-i",           "pipe:0",    NULL};
    const char *arguments[ARGUMENTS_MAX];
    int count = 0, ends[2];
    char *url; /* with its protocol, since the name may have a colon */
    if (asprintf(&url, "file:%s", tool_output_part(film->file)) < 0)
        die("no memory");
    for (int k = 0; before[k]; k++)
        arguments[count++] = before[k];
    for (int k = 0; kind->film[k]; k++)
        arguments[count++] = kind->film[k];
    arguments[count++] = url;
    arguments[count] = NULL;
    if (pipe2(ends, O_CLOEXEC))
        die("no pipe to ffmpeg: %s", strerror(errno));
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    int status = spawn((char *const *)arguments, ends[0]);
    tool_kill_on_signal(ffmpeg);
    if (status)
        die("ffmpeg cannot be started: %s (it writes the film; -o - writes YUV4MPEG2 without it)", strerror(status));
    close(ends[0]);
    free(url);
    film->pipe_fd = ends[1];
}

void *film_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                const struct render_options *o)
{
    (void)path;
    struct film *film = calloc(1, sizeof *film);
    if (!film)
        die("no memory for the film");
    film->file = file;
    film->suffix = kind->suffix;
    atexit(kill_ffmpeg);
    signal(SIGPIPE, SIG_IGN); /* ffmpeg's end is found by the write that fails */
    start_ffmpeg(film, kind);
    film->stream = y4m_create(film->pipe_fd, "pipe to ffmpeg", o);
    return film;
}

int film_write(void *state, struct job *job)
{
    struct film *film = state;
    return y4m_put(film->stream, &job->picture);
}

/* Waits for ffmpeg's end, and dies unless it was a good one. */
static void wait_for_ffmpeg(const struct film *film)
{
    int status;
    while (waitpid(ffmpeg, &status, 0) < 0)
        if (errno != EINTR)
            die("ffmpeg: %s", strerror(errno));
    ffmpeg = 0;
    tool_kill_on_signal(0);
    if (WIFSIGNALED(status))
        die("%s: ffmpeg was ended by signal %d", tool_output_name(film->file), WTERMSIG(status));
    if (WEXITSTATUS(status))
        die("%s: ffmpeg failed (exit status %d)", tool_output_name(film->file), WEXITSTATUS(status));
}

void film_failed(void *state)
{
    struct film *film = state;
    close(film->pipe_fd);
    wait_for_ffmpeg(film);
    die("%s: ffmpeg ended before the film", tool_output_name(film->file));
}

/* A program that calls itself ffmpeg and ends well has not always written a film. */
static void check(const struct film *film, int rest)
{
    int unread = 0;
    if (rest >= 0 && ioctl(rest, FIONREAD, &unread) == 0 && unread > 0)
        die("%s: ffmpeg ended before the film", tool_output_name(film->file));
    struct stat st;
    const char *path = tool_output_part(film->file);
    if ((stat(path, &st) || S_ISREG(st.st_mode)) && film_check(path, film->suffix))
        die("%s: ffmpeg ended well, but wrote no film: %s", tool_output_name(film->file), nb_error());
}

void film_close(void *state)
{
    struct film *film = state;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", film->pipe_fd);
    int rest = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* the pipe's other end: what ffmpeg leaves in it */
    if (close(film->pipe_fd))
        die("pipe to ffmpeg: %s", strerror(errno));
    wait_for_ffmpeg(film);
    check(film, rest);
    close(rest);
    y4m_destroy(film->stream);
    free(film);
}
