/* Where pictures go: the table of kinds, and the workers that write while the next picture is drawn. */
#include "nbrender/output/output.h"

#include "error.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WORKERS_MAX 16
#define JOBS_BYTES  ((size_t)1 << 30) /* memory for pictures on their way, if more than one is needed */

static const struct output_kind kinds[] = {
    {.suffix = ".png", .open = png_open, .give = png_give, .write = png_write, .take = png_take, .close = png_close},
    {.suffix = ".y4m", .video = true, .open = y4m_open, .write = y4m_write, .close = y4m_close},
    {".mp4", true, film_open, NULL, film_write, NULL, film_failed, film_close, film_mp4},
    {".mkv", true, film_open, NULL, film_write, NULL, film_failed, film_close, film_mkv},
    {".webm", true, film_open, NULL, film_write, NULL, film_failed, film_close, film_webm},
    {".gif", true, film_open, NULL, film_write, NULL, film_failed, film_close, film_gif},
};
#define KINDS (sizeof kinds / sizeof *kinds)

struct output {
    const struct output_kind *kind;
    struct tool_output *file; /* of a video */
    void *state;
    bool single;
    struct job *jobs; /* a ring: job k is jobs[k % job_count] */
    int job_count, worker_count;
    pthread_t workers[WORKERS_MAX];
    pthread_mutex_t lock;  /* of the fields below, and of job.written */
    pthread_cond_t change; /* of any of that */
    bool failed;           /* of a video, whose worker alone uses it: a picture could not be written */
    uint64_t given;        /* jobs handed over so far */
    uint64_t begun;        /* of these, taken by a worker */
    uint64_t collected;    /* of these, written and taken back */
    bool ending;
};

/* ---- the kind ---- */

static const struct output_kind *kind_of_suffix(const char *suffix)
{
    for (size_t k = 0; k < KINDS; k++)
        if (strcmp(kinds[k].suffix, suffix) == 0)
            return &kinds[k];
    return NULL;
}

/* By the name's end; stdout, devices and named pipes take YUV4MPEG2. */
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
        die_usage("-o %s: the name should end in .png .y4m .mp4 .mkv .webm or .gif, or be - for YUV4MPEG2", path);
    return kind;
}

/* ---- workers ---- */

/* Nothing follows what could not be written: a film would go on behind half a picture. */
static void write_job(struct output *out, struct job *job)
{
    if (out->failed || out->kind->write(out->state, job) == 0)
        return;
    job->error_number = errno;
    job->failed = true;
    snprintf(job->error, sizeof job->error, "%s", nb_error());
    out->failed = out->kind->video;
}

static void *work(void *argument)
{
    struct output *out = argument;
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

/* One worker for a stream; as many as there are threads for files; none where nothing is left to be done meanwhile. */
static int count_workers(const struct output *out, const struct render_options *o)
{
    size_t bytes = 3 * (size_t)o->width * (size_t)o->height;
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
    out->jobs = calloc((size_t)out->job_count, sizeof *out->jobs);
    if (!out->jobs)
        die("no memory for the pictures");
    for (int k = 0; k < out->job_count; k++)
        picture_init(&out->jobs[k].picture, o->width, o->height);
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->change, NULL);
    for (int k = 0; k < out->worker_count; k++)
        if (pthread_create(&out->workers[k], NULL, work, out))
            die("no threads to write pictures with");
}

struct output *output_open(const struct render_options *o)
{
    const char *path = tool_options.output;
    const struct output_kind *kind = choose_kind(path);
    if (kind->video && (o->width % 2 || o->height % 2))
        die_usage("--size %dx%d: a film needs even numbers", o->width, o->height);
    struct output *out = calloc(1, sizeof *out);
    if (!out)
        die("no memory");
    out->kind = kind;
    out->single = strcmp(out->kind->suffix, ".png") == 0 && png_is_single(path);
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

/* Takes the oldest job back, written by then. */
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

void output_put(struct output *out, int64_t frame)
{
    struct job *job = &out->jobs[out->given % (uint64_t)out->job_count];
    job->frame = frame;
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
