/* Writes pictures: the table of output formats, and the worker threads that write while the next picture is drawn. */
#include "nbrender/nbrender.h"

#include "base/portable.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NICENESS    10 /* scheduling priority (nice) of encoding threads */
#define WORKERS_MAX 128
/* maximum total size of the pictures in the queue, in bytes. If two pictures do not fit, there is no queue */
#define JOBS_BYTES ((size_t)1 << 30)

#ifdef NB_HAVE_JPEG /* The Makefile sets NB_HAVE_JPEG and NB_HAVE_WEBP for this file. */
#define JPEG .write = jpeg_write
#else
#define JPEG .missing = "libjpeg", .package = "libjpeg-dev"
#endif
#ifdef NB_HAVE_WEBP
#define WEBP .write = webp_write
#else
#define WEBP .missing = "libwebp", .package = "libwebp-dev"
#endif
#define SERIES .open = series_open, .give = series_give, .take = series_take, .close = series_close
#define LINEAR .linear = true, SERIES
#define FILM(container)                                                                                           \
    .video = true, .depths = DEPTH(8) | DEPTH(10), .chroma = 420, .check = film_check_options, .open = film_open, \
    .write = film_write, .failed = film_failed, .close = film_close, .film = container

static const struct output_kind kinds[] = {
    {".png", .depths = DEPTH(8) | DEPTH(16), .alpha = true, SERIES, .write = png_write},
    {".jpg", .depths = DEPTH(8), .chroma = 444, .lossy = true, SERIES, JPEG},
    {".jpeg", .depths = DEPTH(8), .chroma = 444, .lossy = true, SERIES, JPEG},
    {".webp", .depths = DEPTH(8), .alpha = true, .lossy = true, .side = 16383, SERIES, WEBP},
    {".pfm", LINEAR, .write = pfm_write},
    {".npy", LINEAR, .write = npy_write},
    {".fits", LINEAR, .write = fits_write},
    {".exr", LINEAR, .exposed = true, .write = exr_write},
    {".y4m", .video = true, .depths = DEPTH(8) | DEPTH(10), .chroma = 420, .open = y4m_open, .write = y4m_write,
     .close = y4m_close},
    {".mp4", FILM(film_mp4), .codecs = "h264 hevc av1"},
    {".mov", FILM(film_mov), .codecs = "h264 hevc", .alpha_codecs = "prores qtrle"},
    {".mkv", FILM(film_mkv), .codecs = "h264 hevc av1 vp9 ffv1"},
    {".webm", FILM(film_webm), .codecs = "vp9 av1"},
    {".gif", .video = true, .depths = DEPTH(8), .check = gif_check, .open = gif_open, .write = gif_write,
     .close = gif_close},
    {".apng", .video = true, .depths = DEPTH(8) | DEPTH(16), .alpha = true, .check = apng_check, .open = apng_open,
     .write = apng_write, .close = apng_close},
};
#define KINDS (sizeof kinds / sizeof *kinds)

struct output {
    const struct output_kind *kind;
    struct tool_output *file; /* output file of a video */
    void *state;
    bool single;
    struct job *jobs; /* ring buffer: job k is jobs[k % job_count] */
    int job_count, worker_count;
    pthread_t workers[WORKERS_MAX];
    pthread_mutex_t lock;  /* protects `given`, `begun`, `ending` and job.written */
    pthread_cond_t change; /* signalled when `given`, `ending` or job.written changes */
    bool failed;           /* writing a picture of a video failed; used only by the video's worker */
    uint64_t given;        /* number of jobs queued so far */
    uint64_t begun;        /* number of jobs that workers have taken so far */
    /* number of jobs whose pictures can be reused, because they were written; used by the main thread only */
    uint64_t collected;
    bool ending;
};

/* ---- the format ---- */

static const struct output_kind *kind_of_suffix(const char *suffix)
{
    for (size_t k = 0; k < KINDS; k++)
        if (strcasecmp(kinds[k].suffix, suffix) == 0)
            return &kinds[k];
    return NULL;
}

/* Returns the format that belongs to the suffix of the path. Returns YUV4MPEG2 for stdout, and for a device or named
 * pipe without a known suffix. Dies if the format is unknown, or if nbrender was built without it. */
static const struct output_kind *choose_kind(const char *path)
{
    struct stat st;
    if (!path || strcmp(path, "-") == 0)
        return kind_of_suffix(".y4m");
    const char *suffix = strrchr(path, '.');
    const struct output_kind *kind = suffix ? kind_of_suffix(suffix) : NULL;
    if (!kind && stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        kind = kind_of_suffix(".y4m");
    if (!kind)
        die_usage("-o %s: the name must end in .png .jpg .webp .y4m .mp4 .mov .mkv .webm .gif .apng .pfm .npy .fits or "
                  ".exr, or be - for YUV4MPEG2",
                  path);
    if (kind->missing)
        die("-o %s: this nbrender was built without %s, which writes such files (on Debian install %s and build again)",
            path, kind->missing, kind->package);
    return kind;
}

int output_chroma(const struct output_kind *kind, const struct render_options *o)
{
    return o->output.alpha ? 444 : o->output.chroma ? o->output.chroma : kind->chroma;
}

/* Dies if an option is not possible with the format. Options are never ignored silently. */
static void check_options(const struct output_kind *kind, const char *path, struct render_options *o)
{
    const struct output_options *out = &o->output;
    const bool png = (kind->depths & DEPTH(16)) != 0, film = kind->film != NULL;
    if (out->depth && !(kind->depths & DEPTH(out->depth)))
        die_usage("--depth %d: %s has %s", out->depth, path,
                  kind->exposed              ? "16-bit floats"
                  : kind->linear             ? "32-bit floats"
                  : png                      ? "8 or 16 bits"
                  : kind->depths == DEPTH(8) ? "8 bits"
                                             : "8 or 10 bits");
    if (out->alpha && !kind->alpha && !kind->alpha_codecs)
        die_usage("--alpha works for PNG, WebP, APNG and MOV only, not %s", path);
    if (kind->side && (o->width > kind->side || o->height > kind->side))
        die_usage("--size %dx%d: %s can have at most %d pixels a side", o->width, o->height, path, kind->side);
    if (out->hdr && (!film || out->alpha))
        die_usage("--hdr works only for films without alpha, not for %s", path);
    if (out->hdr && o->map.kind != MAP_NONE)
        die_usage("--hdr works for light only, not for --map");
    if (out->alpha && out->chroma == 420)
        die_usage("--chroma 420: a film with alpha always has 444");
    if (out->no_dither && (kind->linear || (kind->video && !png) || out->depth == 16))
        die_usage("--no-dither works for pictures of 8 bits only; films of 8 bits are always dithered");
    if (out->chroma && !kind->chroma)
        die_usage("--chroma %d works for films, YUV4MPEG2 and JPEG only, not %s", out->chroma, path);
    if ((out->codec || (tool_given("quality") && !kind->lossy)) && !film)
        die_usage("--%s works for films by ffmpeg%s only, not %s", out->codec ? "codec" : "quality",
                  out->codec ? "" : ", JPEG and WebP", path);
    if (out->crf >= 0 && !film)
        die_usage("--quality %d: %s accepts draft, good or best", out->crf, path);
    if (kind->video && output_chroma(kind, o) == 420 && (o->width % 2 || o->height % 2))
        die_usage("--size %dx%d: a film needs even numbers (except with --chroma 444)", o->width, o->height);
    if (out->linear && o->view.layout != LAYOUT_SINGLE && !layout_is_round(o->view.layout))
        die_usage("-o %s: this format holds one view: omit %s (or choose another format)", path,
                  o->view.layout == LAYOUT_QUAD     ? "--layout quad"
                  : o->view.layout == LAYOUT_STEREO ? "--stereo"
                                                    : "--layout quad and --stereo");
    if (out->linear &&
        (o->discs.style == STYLE_DISCS || o->discs.trails > 0 || o->discs.labels || o->discs.point_size > 0))
        die_usage("-o %s: contains light, so discs are not possible", path);
    const char *written = o->overlay.given              ? "overlay"
                          : o->overlay.titles.count > 0 ? "title"
                          : o->overlay.axes             ? "axes"
                          : o->overlay.arrows           ? "arrows"
                                                        : NULL;
    if (out->linear && written)
        die_usage("--%s: %s contains light or numbers, and nothing is written over these", written, path);
    if (out->linear && (o->overlay.tree.depth >= 0 || o->overlay.tree.of_given))
        die_usage("--draw-tree: %s contains light or numbers, and nothing is drawn over these", path);
    if (kind->linear && (o->map.contours > 0 || (o->light.exposure != 1 && !kind->exposed)))
        die_usage("--%s cannot be used with %s, which contains the numbers before tone mapping",
                  o->map.contours > 0 ? "contours" : "exposure", path);
    if (o->output.keep_partial && !kind->video)
        die_usage("--keep-partial works for films and YUV4MPEG2 only, not %s", path);
    if (tool_given("fps") && !kind->video && tool_series_is_single(path))
        die_usage("--fps: %s is a single picture", path);
    if (o->view.layout == LAYOUT_SPHERE && kind->check && !film_takes_mark(kind))
        warn("%s: this format cannot mark the film as spherical (.mp4 and .mov can)", path);
    if (kind->check)
        kind->check(kind, path, o);
}

/* ---- workers ---- */

/* Syncs the file of a separate picture (not of a video) to disk. Without this, the main thread would wait for the disk
 * when it closes the file. Returns 0, or -1 after nb_fail. */
static int sync_file(const struct job *job)
{
    if (!job->file || tool_sync(tool_output_fd(job->file)) == 0)
        return 0;
    const int why = errno;
    nb_fail("%s: cannot be written: %s", tool_output_name(job->file), strerror(why));
    errno = why;
    return -1;
}

/* Writes a picture. After a failure in a video, writes nothing more, because a film must not continue after an
 * incomplete picture. */
static void write_job(struct output *out, struct job *job)
{
    if (out->failed || (out->kind->write(out->state, job) == 0 && sync_file(job) == 0))
        return;
    job->error_number = errno;
    job->failed = true;
    snprintf(job->error, sizeof job->error, "%s", nb_error());
    out->failed = out->kind->video;
}

static void *work(void *argument)
{
    struct output *out = argument;
    /* Workers for separate picture files get a lower priority than the drawing threads, because one slow drawing thread
     * delays all others. The priority does not change if the user started nbrender with nice. */
    if (!out->kind->video && getpriority(PRIO_PROCESS, 0) == 0)
        nb_thread_nice(NICENESS);
    pthread_mutex_lock(&out->lock);
    for (;;) {
        while (out->begun == out->given && !out->ending)
            pthread_cond_wait(&out->change, &out->lock);
        if (out->begun == out->given)
            break;
        struct job *job = &out->jobs[out->begun++ % (uint64_t)out->job_count];
        pthread_mutex_unlock(&out->lock);
        write_job(out, job);
        pthread_mutex_lock(&out->lock);
        job->written = true;
        pthread_cond_broadcast(&out->change);
    }
    pthread_mutex_unlock(&out->lock);
    return NULL;
}

/* Returns the number of worker threads, 0 for no queue. n workers need n + 1 pictures in memory, and all pictures must
 * fit in JOBS_BYTES. The number is
 * - 0 for a single picture, for one thread, or if JOBS_BYTES is too small for 2 pictures;
 * - otherwise 1 for a video;
 * - otherwise the number of nbrender's threads, limited by WORKERS_MAX and JOBS_BYTES. */
static int count_workers(const struct output *out, const struct render_options *o)
{
    size_t bytes = picture_bytes(o->width, o->height, o->output.linear);
    int workers = omp_get_max_threads(), most = (int)(JOBS_BYTES / bytes) - 1;
    if (out->single || workers == 1 || most < 1)
        return 0;
    if (out->kind->video)
        return 1;
    workers = workers < most ? workers : most;
    return workers < WORKERS_MAX ? workers : WORKERS_MAX;
}

static void start_workers(struct output *out, const struct render_options *o)
{
    out->worker_count = count_workers(out, o);
    out->job_count = out->worker_count + 1;
    out->jobs = claimed(calloc((size_t)out->job_count, sizeof *out->jobs), "no memory for the pictures");
    for (int k = 0; k < out->job_count; k++)
        picture_init(&out->jobs[k].picture, o->width, o->height, o->output.linear);
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->change, NULL);
    for (int k = 0; k < out->worker_count; k++)
        if (nb_thread_start(&out->workers[k], work, out))
            die("cannot start a thread for writing pictures");
}

struct output *output_open(struct render_options *o)
{
    const char *path = tool_options.output;
    const struct output_kind *kind = choose_kind(path);
    o->output.linear = kind->linear || o->output.hdr;
    check_options(kind, path ? path : "-", o);
    if (!o->output.linear)
        dither_prepare();
    struct output *out = claimed(calloc(1, sizeof *out), "no memory");
    out->kind = kind;
    out->single = !kind->video && tool_series_is_single(path);
    out->file = kind->video ? tool_output_open(path, true) : NULL;
    out->state = kind->open(kind, out->file, path, o);
    start_workers(out, o);
    return out;
}

bool output_is_single(const struct output *out)
{
    return out->single;
}

/* ---- pictures ---- */

/* Waits until the oldest job is written, so that its picture is free again. Dies if writing failed. */
static void collect(struct output *out)
{
    struct job *job = &out->jobs[out->collected++ % (uint64_t)out->job_count];
    pthread_mutex_lock(&out->lock);
    while (!job->written)
        pthread_cond_wait(&out->change, &out->lock);
    pthread_mutex_unlock(&out->lock);
    if (job->failed && out->kind->failed)
        out->kind->failed(out->state);
    if (job->failed) {
        nb_fail("%s", job->error);
        errno = job->error_number;
        tool_output_failed();
    }
    if (out->kind->take)
        out->kind->take(out->state, job);
}

struct picture *output_picture(struct output *out)
{
    if (out->given - out->collected == (uint64_t)out->job_count)
        collect(out);
    return &out->jobs[out->given % (uint64_t)out->job_count].picture;
}

void output_put(struct output *out, const struct nb_meta *meta, int64_t frame)
{
    struct job *job = &out->jobs[out->given % (uint64_t)out->job_count];
    picture_note(&job->picture, meta, frame);
    job->written = out->worker_count == 0;
    if (out->kind->give)
        out->kind->give(out->state, job);
    if (out->worker_count == 0)
        write_job(out, job);
    pthread_mutex_lock(&out->lock);
    out->given++;
    pthread_cond_broadcast(&out->change);
    pthread_mutex_unlock(&out->lock);
}

uint64_t output_count(const struct output *out)
{
    return out->given;
}

const char *output_place(const struct output *out)
{
    return out->file ? tool_output_part(out->file) : tool_options.output;
}

void output_close(struct output *out, bool whole)
{
    while (out->collected < out->given)
        collect(out);
    pthread_mutex_lock(&out->lock);
    out->ending = true;
    pthread_cond_broadcast(&out->change);
    pthread_mutex_unlock(&out->lock);
    for (int k = 0; k < out->worker_count; k++)
        pthread_join(out->workers[k], NULL);
    out->kind->close(out->state);
    if (out->file && whole)
        tool_output_close(out->file);
    else if (out->file)
        tool_output_leave(out->file);
    for (int k = 0; k < out->job_count; k++)
        picture_free(&out->jobs[k].picture);
    free(out->jobs);
    free(out);
}
