/* Writes films: sends the pictures through a pipe to ffmpeg, which writes FILE.part. Pictures with alpha are sent as
 * raw pixels, other pictures as YUV4MPEG2. The file is renamed after ffmpeg has ended successfully. */
#include "base/portable.h"
#include "nbrender/nbrender.h"
#include "nbrender/output/raw.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 60
#define PIPE_BYTES    (1 << 20)
#define PIPE_NAME     "pipe to ffmpeg"

const char *const film_mp4[] = {"-movflags", "+faststart", "-f", "mp4", NULL};
const char *const film_mov[] = {"-movflags", "+faststart", "-f", "mov", NULL};
const char *const film_mkv[] = {"-f", "matroska", NULL};
const char *const film_webm[] = {"-f", "webm", NULL};
struct film {
    struct tool_output *file;
    const char *suffix;
    bool is_sphere;               /* the film must be marked as spherical */
    void *stream;                 /* state of y4m.c or hdr.c, which write pictures without alpha; NULL with alpha */
    struct raw *raw;              /* writer of raw pixels for pictures with alpha; NULL without alpha */
    struct output_options pixels; /* format of the pixels sent to ffmpeg */
    int pipe_fd;
};

static const struct codec *codec;
static int encoder;

bool film_takes_mark(const struct output_kind *kind)
{
    return kind->film == film_mp4 || kind->film == film_mov;
}

/* Chooses codec and encoder, before a file is opened. */
void film_check_options(const struct output_kind *kind, const char *path, struct render_options *o)
{
    codec = codec_find(o->output.alpha ? kind->alpha_codecs : kind->codecs, path, &o->output);
    o->output.depth = codec_depth(codec, &o->output);
    encoder = codec_encoder(codec, output_chroma(kind, o), path);
}

/* Appends ffmpeg's arguments for raw pixels as input. Films with alpha need raw pixels, because YUV4MPEG2 has no alpha.
 */
static int append_raw_input(const char **arguments, const struct film *film, const struct render_options *o)
{
    static char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", o->width, o->height);
    snprintf(rate, sizeof rate, "%u/%u", o->output.fps_num, o->output.fps_den);
    const char *const input[] = {
        "-f", "rawvideo", "-pixel_format", raw_format(&film->pixels), "-video_size", size, "-framerate", rate, NULL};
    return codec_append(arguments, input);
}

/* Fills in ffmpeg's arguments except the output file. Without -xerror, ffmpeg would report success even if it could not
 * write the end of the film because the disk is full. */
static int fill_arguments(const char **arguments, const struct film *film, const struct output_kind *kind,
                          const struct render_options *o)
{
    static const char *const before[] = {"ffmpeg",    "-xerror", "-nostdin", "-hide_banner",
                                         "-loglevel", "error",   "-y",       NULL};
    static const char *const y4m[] = {"-f", "yuv4mpegpipe", NULL}, *const input[] = {"-i", "pipe:0", NULL};
    static const char *const matrix[] = {
        "-vf",
        "scale=out_color_matrix=bt709:out_range=tv,setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709",
        NULL};
    int count = codec_append(arguments, before);
    count += o->output.alpha ? append_raw_input(arguments + count, film, o) : codec_append(arguments + count, y4m);
    count += codec_append(arguments + count, input);
    if (o->output.alpha)
        count += codec_append(arguments + count, matrix);
    count += codec_arguments(codec, encoder, output_chroma(kind, o), &o->output, arguments + count);
    if (codec_tag(codec) && film_takes_mark(kind))
        count += codec_append(arguments + count, (const char *[]){"-tag:v", codec_tag(codec), NULL});
    return count + codec_append(arguments + count, kind->film);
}

static void start_ffmpeg(struct film *film, const struct output_kind *kind, const struct render_options *o)
{
    const char *arguments[ARGUMENTS_MAX];
    int count = fill_arguments(arguments, film, kind, o), ends[2];
    /* ffmpeg needs the prefix "file:", because the name may contain a colon */
    char *url = tool_text("file:%s", tool_output_part(film->file));
    arguments[count++] = url;
    arguments[count] = NULL;
    if (nb_pipe(ends))
        die("cannot open a pipe to ffmpeg: %s", strerror(errno));
    nb_pipe_widen(ends[1], PIPE_BYTES);
    setenv("SVT_LOG", "1", 0); /* silences the AV1 encoder SVT on stderr */
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
    film->is_sphere = o->view.layout == LAYOUT_SPHERE && film_takes_mark(kind);
    /* If ffmpeg ends early, the next write to the pipe shall fail and report the error. Without this call, the signal
     * SIGPIPE would end nbrender instead. */
    signal(SIGPIPE, SIG_IGN);
    film->pixels = o->output;
    film->pixels.depth = o->output.depth > 8 ? 16 : 8;
    start_ffmpeg(film, kind, o);
    if (o->output.alpha)
        film->raw = raw_create(film->pipe_fd, PIPE_NAME, &film->pixels, o->width);
    else
        film->stream = (o->output.hdr ? hdr_create : y4m_create)(film->pipe_fd, PIPE_NAME, o, output_chroma(kind, o));
    return film;
}

int film_write(void *state, struct job *job)
{
    struct film *film = state;
    return film->raw          ? raw_write(film->raw, &job->picture)
           : film->pixels.hdr ? hdr_write(film->stream, &job->picture)
                              : y4m_write(film->stream, job);
}

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
    die("%s: ffmpeg ended before the end of the film", tool_output_name(film->file));
}

/* Checks the file after ffmpeg reported success. Dies if the file is not a complete film, or if ffmpeg did not read all
 * pictures, so that the pipe still contains bytes. Marks the file if the film is spherical. rest: read end of the pipe
 * to ffmpeg, or -1. */
static void check(const struct film *film, int rest)
{
    int unread = 0;
    if (rest >= 0 && ioctl(rest, FIONREAD, &unread) == 0 && unread > 0)
        die("%s: ffmpeg ended before the end of the film", tool_output_name(film->file));
    struct stat st;
    const char *path = tool_output_part(film->file);
    if ((stat(path, &st) || S_ISREG(st.st_mode)) && film_check(path, film->suffix))
        die("%s: ffmpeg reported success, but wrote no film: %s", tool_output_name(film->file), nb_error());
    if (film->is_sphere && film_mark_sphere(path))
        die("%s: %s", tool_output_name(film->file), nb_error());
}

void film_close(void *state)
{
    struct film *film = state;
    int rest = nb_pipe_other_end(film->pipe_fd); /* used to detect bytes that ffmpeg did not read */
    if (close(film->pipe_fd))
        die("pipe to ffmpeg: %s", strerror(errno));
    wait_for_ffmpeg(film);
    check(film, rest);
    if (rest >= 0)
        close(rest);
    if (film->raw)
        raw_destroy(film->raw);
    else
        (film->pixels.hdr ? hdr_close : y4m_close)(film->stream);
    free(film);
}
