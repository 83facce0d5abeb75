/* output.h - kinds of output: a file and a line in the table of output.c each.
 *
 * Pictures are written by worker threads while the next ones are drawn. `open`, `give`, `take` and `close` are called
 * by the main thread and may die; `write` by a worker: 0, or -1 after nb_fail with errno set. */
#ifndef NBRENDER_OUTPUT_H
#define NBRENDER_OUTPUT_H

#include "common/tool_series.h"
#include "nbrender/nbrender.h"

struct job { /* one picture on its way */
    struct picture picture;
    struct tool_output *file; /* its own, if the kind writes one for each */
    bool written;
    bool failed;              /* it could not be written */
    char error[NB_ERROR_MAX]; /* why */
    int error_number;
};

#define DEPTH(bits) (1u << (bits))

struct output_kind {
    const char *suffix; /* of the file's name, ".png" */
    bool video;         /* pictures are written in order by one worker; else one file each */
    bool linear;        /* takes the light before the tone curve */
    unsigned depths;    /* DEPTH(8) | ...: what --depth may say */
    int chroma;         /* of a video, 420 or 444, unless --chroma says another */
    /* Whether what is asked for can be: dies before there is a file; may be NULL. */
    void (*check)(const struct output_kind *kind, const char *path, const struct render_options *o);
    /* Of a video `file` is open; other kinds open files by `path` themselves. */
    void *(*open)(const struct output_kind *kind, struct tool_output *file, const char *path,
                  const struct render_options *o);
    void (*give)(void *state, struct job *job); /* before the worker; may be NULL */
    int (*write)(void *state, struct job *job);
    void (*take)(void *state, struct job *job); /* when written without an error; may be NULL */
    void (*failed)(void *state);                /* says why a write failed, and dies; NULL: the write's own message */
    void (*close)(void *state);                 /* all pictures are written: ends what the file holds */
    const char *const *film;                    /* for film.c: the container's arguments to ffmpeg, NULL at the end */
    const char *codecs;                         /* for film.c: what it takes, the default first; NULL: it has its own */
};

/* Of a video. */
int output_chroma(const struct output_kind *kind, const struct render_options *o);

/* series.c: a file for each picture. The state of such kinds. */
struct series {
    const struct output_options *options;
    struct tool_series name;
};
void *series_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                  const struct render_options *o);
void series_give(void *state, struct job *job);
void series_take(void *state, struct job *job);
void series_close(void *state);

/* png.c */
int png_write(void *state, struct job *job);

/* linear.c and fits.c: light as 32-bit floats */
int pfm_write(void *state, struct job *job);
int npy_write(void *state, struct job *job);
int fits_write(void *state, struct job *job);
/* fits_unit.c: how FITS writes a unit that is a product of powers of M, L and T, as "M/L^2", in the stream's units; ""
 * where it cannot. */
#define FITS_UNIT_MAX 68
void fits_unit(const struct nb_units *units, const char *product, char text[FITS_UNIT_MAX]);
/* Writes `rows` rows of so many values, each filled in by `fill`. -1 after nb_fail. */
int linear_rows(struct job *job, size_t row_values, int rows,
                void (*fill)(const struct picture *p, int row, float *to));

/* y4m.c: YUV4MPEG2, BT.709 in limited range. */
void *y4m_open(const struct output_kind *kind, struct tool_output *file, const char *path,
               const struct render_options *o);
int y4m_write(void *state, struct job *job);
void y4m_close(void *state);

struct y4m; /* a stream of pictures on a descriptor */
struct y4m *y4m_create(int fd, const char *name, const struct render_options *o, int chroma);
int y4m_put(struct y4m *y, const struct picture *p);
void y4m_destroy(struct y4m *y);

/* film.c: the same through ffmpeg. */
void film_check_options(const struct output_kind *kind, const char *path, const struct render_options *o);
void *film_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                const struct render_options *o);
int film_write(void *state, struct job *job);
void film_failed(void *state);
void film_close(void *state);
/* film_check.c: whether the file at `path` is one of that kind (its suffix) from its first byte to its last, as far as
 * sizes and marks at both ends tell. -1 after nb_fail. */
int film_check(const char *path, const char *suffix);
extern const char *const film_mp4[], *const film_mov[], *const film_mkv[], *const film_webm[], *const film_gif[];

#endif
