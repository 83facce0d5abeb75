/* Films: YUV4MPEG2 through a pipe into ffmpeg, which writes FILE.part; it gets its name when ffmpeg has ended well. */
#include "base/portable.h"
#include "nbrender/nbrender.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 60
#define PIPE_BYTES    (1 << 20)

const char *const film_mp4[] = {"-movflags", "+faststart", "-f", "mp4", NULL};
const char *const film_mov[] = {"-movflags", "+faststart", "-f", "mov", NULL};
const char *const film_mkv[] = {"-f", "matroska", NULL};
const char *const film_webm[] = {"-f", "webm", NULL};
struct film {
    struct tool_output *file;
    const char *suffix;
    bool is_sphere; /* to be marked as one */
    void *stream;   /* of y4m.c */
    int pipe_fd;
};

static const struct codec *codec;
static int encoder;

/* Whether a film of that kind can say that it shows all directions. */
static bool takes_mark(const struct output_kind *kind)
{
    return kind->film == film_mp4 || kind->film == film_mov;
}

/* Which of ffmpeg's encoders; asked before there is a file. */
void film_check_options(const struct output_kind *kind, const char *path, struct render_options *o)
{
    if (o->view.layout == LAYOUT_SPHERE && !takes_mark(kind))
        warn("%s: players are not told that it is spherical (they are in .mp4 and .mov)", path);
    codec = codec_find(kind->codecs, path, &o->output);
    o->output.depth = codec_depth(codec, &o->output);
    encoder = codec_encoder(codec, output_chroma(kind, o), path);
}

/* -xerror: without it ffmpeg ends well although the last bytes did not fit on the disk. */
static int fill_arguments(const char **arguments, const struct output_kind *kind, const struct render_options *o)
{
    static const char *const before[] = {"ffmpeg", "-xerror", "-nostdin",     "-hide_banner", "-loglevel", "error",
                                         "-y",     "-f",      "yuv4mpegpipe", "-i",           "pipe:0",    NULL};
    int count = codec_append(arguments, before);
    count += codec_arguments(codec, encoder, output_chroma(kind, o), &o->output, arguments + count);
    if (codec_tag(codec) && (kind->film == film_mp4 || kind->film == film_mov))
        count += codec_append(arguments + count, (const char *[]){"-tag:v", codec_tag(codec), NULL});
    return count + codec_append(arguments + count, kind->film);
}

static void start_ffmpeg(struct film *film, const struct output_kind *kind, const struct render_options *o)
{
    const char *arguments[ARGUMENTS_MAX];
    int count = fill_arguments(arguments, kind, o), ends[2];
    /* with its protocol, since the name may have a colon */
    char *url = tool_text("file:%s", tool_output_part(film->file));
    arguments[count++] = url;
    arguments[count] = NULL;
    if (nb_pipe(ends))
        die("no pipe to ffmpeg: %s", strerror(errno));
    nb_pipe_widen(ends[1], PIPE_BYTES);
    setenv("SVT_LOG", "1", 0); /* its encoder of AV1 tells of itself on stderr otherwise */
    ffmpeg_start(arguments, ends[0], -1, false);
    close(ends[0]);
    free(url);
    film->pipe_fd = ends[1];
}

void *film_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                const struct render_options *o)
{
    (void)path;
    struct film *film = claimed(calloc(1, sizeof *film), "no memory for the film");
    film->file = file;
    film->suffix = kind->suffix;
    film->is_sphere = o->view.layout == LAYOUT_SPHERE && takes_mark(kind);
    signal(SIGPIPE, SIG_IGN); /* ffmpeg's end is found by the write that fails */
    start_ffmpeg(film, kind, o);
    film->stream = y4m_create(film->pipe_fd, "pipe to ffmpeg", o, output_chroma(kind, o));
    return film;
}

int film_write(void *state, struct job *job)
{
    struct film *film = state;
    return y4m_write(film->stream, job);
}

/* Waits for ffmpeg's end, and dies unless it was a good one. */
static void wait_for_ffmpeg(const struct film *film)
{
    int status = ffmpeg_wait();
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
    if (film->is_sphere && film_mark_sphere(path))
        die("%s: %s", tool_output_name(film->file), nb_error());
}

void film_close(void *state)
{
    struct film *film = state;
    int rest = nb_pipe_other_end(film->pipe_fd); /* what ffmpeg leaves in it */
    if (close(film->pipe_fd))
        die("pipe to ffmpeg: %s", strerror(errno));
    wait_for_ffmpeg(film);
    check(film, rest);
    if (rest >= 0)
        close(rest);
    y4m_close(film->stream);
    free(film);
}
