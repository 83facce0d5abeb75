/* output.h - pictures, and the files and films that they go to. */
#pragma once

#include "common/tool_series.h"
#include "nbrender/basis/basis.h"

struct render_options;

/* ---- picture.c: a picture on its way into a file: as it is shown, or its light before the tone curve ---- */

#define PICTURE_FULL 65535

struct picture_axis { /* of the picture, through its middle */
    char name[16];    /* "x", or what else is measured along it */
    double centre;    /* the coordinate in the picture's middle, length units */
    double step;      /* of one pixel, below 0 where the coordinate falls to the right or upwards */
    bool is_angle;    /* in degrees, and no length */
};

struct picture_info { /* what files say beside the pixels */
    int64_t frame;
    double time;
    struct nb_units units;       /* of the stream */
    struct picture_axis axis[2]; /* to the right, up */
    char quantity[48];           /* of the linear values: "light" */
    char unit[48];               /* theirs, as a column's: "M/L^2"; "" for none */
    double white;                /* the linear value of diffuse white; 0: there is none */
    char *history;               /* the provenance with this tool's own line, a line each; or NULL */
};

/* Shown: channel k of pixel (x, y) is plane[k][y * width + x], row 0 on top, channels red, green, blue, levels of the
 * display from 0 to PICTURE_FULL. Linear: channel k is linear[(y * width + x) * stride + k]. Of the two, one is there.
 */
struct picture {
    int width, height;
    uint16_t *plane[3];
    float *linear;
    int channels, stride; /* 3 and 4 (the fourth is the light itself); a map sets 1 and its own stride, 4 at most */
    struct picture_info info;
};

/* Black; dies without memory. */
void picture_init(struct picture *p, int width, int height, bool linear);
void picture_free(struct picture *p);
void picture_blacken(struct picture *p);
/* Of two of one size. */
void picture_copy(struct picture *to, const struct picture *from);
/* Bytes that one takes. */
size_t picture_bytes(int width, int height, bool linear);
/* Notes what the stream's header says, and the provenance with this tool's line; dies without memory. */
void picture_note(struct picture *p, const struct nb_meta *meta, int64_t frame);

/* ---- output_options.c: what the user says about files and films ---- */

enum film_quality { FILM_DRAFT, FILM_GOOD, FILM_BEST, FILM_QUALITIES };

struct output_options {
    unsigned fps_num, fps_den;
    int depth;         /* bits a channel; 0: the kind's own */
    int chroma;        /* 420 or 444; 0: the kind's own */
    const char *codec; /* NULL: the kind's own */
    enum film_quality quality;
    int crf; /* -1: the quality's own */
    bool alpha, no_dither;
    bool hdr;
    bool linear;       /* the output takes light before the tone curve: set by output_open */
    bool keep_partial; /* a film of an input that breaks off gets its name */
};

extern const struct tool_option output_table[];

/* ---- output.c: where pictures go ---- ---- */

struct output;

/* Chooses the kind by tool_options.output and checks what it needs; dies (usage) where that cannot be. */
struct output *output_open(struct render_options *o);
/* The kind holds one picture only: the last one, unless --frame says another. */
bool output_is_single(const struct output *out);
/* A free picture to be filled in; waits for one. Dies when writing an earlier one has failed. */
struct picture *output_picture(struct output *out);
/* Hands over what output_picture gave last, as that frame's, with its header. */
void output_put(struct output *out, const struct nb_meta *meta, int64_t frame);
/* How many pictures were handed over. */
uint64_t output_count(const struct output *out);
/* Where the pictures go until the output is closed: FILE.part, or the path itself. */
const char *output_place(const struct output *out);
/* Writes what is left and ends the files; a video that is not `whole` stays where it is. Dies on failure. */
void output_close(struct output *out, bool whole);

/* ---- output.c: kinds of output: a file and a line in the table of output.c each.
 *
 * Pictures are written by worker threads while the next ones are drawn. `open`, `give`, `take` and `close` are called
 * by the main thread and may die; `write` by a worker: 0, or -1 after nb_fail with errno set. */

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
    bool exposed;       /* and the exposure with it */
    bool alpha;         /* takes --alpha, without a codec for it */
    bool lossy;         /* pictures take --quality draft, good or best */
    int side;           /* pixels that it has at most each way; 0: any */
    unsigned depths;    /* DEPTH(8) | ...: what --depth may say */
    int chroma;         /* 420 or 444, unless --chroma says another; 0: there is no choice */
    /* Whether what is asked for can be: dies before there is a file; settles what is not said. May be NULL. */
    void (*check)(const struct output_kind *kind, const char *path, struct render_options *o);
    /* Of a video `file` is open; other kinds open files by `path` themselves. */
    void *(*open)(const struct output_kind *kind, struct tool_output *file, const char *path,
                  const struct render_options *o);
    void (*give)(void *state, struct job *job); /* before the worker; may be NULL */
    int (*write)(void *state, struct job *job);
    void (*take)(void *state, struct job *job); /* when written without an error; may be NULL */
    void (*failed)(void *state);                /* says why a write failed, and dies; NULL: the write's own message */
    void (*close)(void *state);                 /* all pictures are written: ends what the file holds */
    const char *const *film;                    /* for film.c: the container's arguments to ffmpeg, NULL at the end */
    const char *codecs;                         /* for film.c: what it takes, the default first */
    const char *alpha_codecs;                   /* the same with --alpha; NULL: it has none */
    const char *missing, *package;              /* the library that it lacks, and that of Debian; NULL: none */
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

/* jpeg.c and webp.c, if the libraries were there */
int jpeg_write(void *state, struct job *job);
int webp_write(void *state, struct job *job);

/* linear.c and fits.c: light as 32-bit floats */
int pfm_write(void *state, struct job *job);
int npy_write(void *state, struct job *job);
int fits_write(void *state, struct job *job);
/* exr.c */
int exr_write(void *state, struct job *job);
/* fits_unit.c: how FITS writes a unit that is a product of powers of M, L and T, as "M/L^2", in the stream's units; ""
 * where it cannot. */
#define FITS_UNIT_MAX 68
void fits_unit(const struct nb_units *units, const char *product, char text[FITS_UNIT_MAX]);
/* Writes bytes to the job's file. -1 after nb_fail. */
int job_write(const struct job *job, const void *bytes, size_t size);
/* Writes `rows` rows of so many values, each filled in by `fill`. -1 after nb_fail. */
int linear_rows(struct job *job, size_t row_values, int rows,
                void (*fill)(const struct picture *p, int row, float *to));

/* y4m.c: YUV4MPEG2, BT.709 in limited range. */
void *y4m_open(const struct output_kind *kind, struct tool_output *file, const char *path,
               const struct render_options *o);
int y4m_write(void *state, struct job *job);
void y4m_close(void *state);
int y4m_put(void *state, const struct picture *picture);
/* What y4m_open returns, for a stream of pictures on a descriptor. */
void *y4m_create(int fd, const char *name, const struct render_options *o, int chroma);

/* hdr.c: HDR10 in YUV4MPEG2 on a descriptor, from linear pictures. */
#define HDR_PEAK 1000 /* cd/m^2 */
void *hdr_create(int fd, const char *name, const struct render_options *o, int chroma);
int hdr_write(void *state, const struct picture *picture);
void hdr_close(void *state);

/* gif.c and apng.c: films that need no other program. */
void gif_check(const struct output_kind *kind, const char *path, struct render_options *o);
void *gif_open(const struct output_kind *kind, struct tool_output *file, const char *path,
               const struct render_options *o);
int gif_write(void *state, struct job *job);
void gif_close(void *state);
void apng_check(const struct output_kind *kind, const char *path, struct render_options *o);
void *apng_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                const struct render_options *o);
int apng_write(void *state, struct job *job);
void apng_close(void *state);

/* film.c: the same through ffmpeg. */
void film_check_options(const struct output_kind *kind, const char *path, struct render_options *o);
void *film_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                const struct render_options *o);
int film_write(void *state, struct job *job);
void film_failed(void *state);
void film_close(void *state);
/* film_check.c: whether the file at `path` is one of that kind (its suffix) from its first byte to its last, as far as
 * sizes and marks at both ends tell. -1 after nb_fail. */
int film_check(const char *path, const char *suffix);
/* Whether a film of that kind is an MP4 or MOV, in which players look for marks. */
bool film_takes_mark(const struct output_kind *kind);
/* film_sphere.c: tells players that a whole MP4 or MOV shows all directions, equirectangular. -1 after nb_fail. */
int film_mark_sphere(const char *path);
extern const char *const film_mp4[], *const film_mov[], *const film_mkv[], *const film_webm[];

/* ---- dither.c: from levels with fractions to whole ones, for all files of 8 and 10 bits.
 *
 * A level is rounded up where its fraction is above the threshold of its place, so the mean is kept, and whole levels,
 * black and white above all, stay as they are. Thresholds are blue noise: 1024 ranks in a tile of 32 x 32 places, put
 * in order by voids and clusters (Ulichney 1993, Proc. SPIE 1913, 332), so that neighbours differ and no pattern is
 * seen. They depend on place and channel alone: equal pictures give equal bytes, and what stands still in a film does
 * not flicker. */

#define DITHER_SIDE 32

/* Makes the tile, once; to be called before threads are. */
void dither_prepare(void);
/* Row y's thresholds of channel 0, 1 or 2: what is added before fractions are cut off, for places x = 0 to 31, and so
 * on again. Above 0 and below 1; without `dithered` 0.5 each, which rounds to the nearest. */
const float *dither_row(bool dithered, int channel, int y);
/* The same for levels with 8 bits of fraction: from 0 to 255, and 128 to round. */
const uint16_t *dither_steps(bool dithered, int channel, int y);

/* ---- codec.c: the codecs of films, and ffmpeg's encoders for them ---- */

#define CODEC_ARGUMENTS_MAX 32

struct codec;

/* The codec that --codec names, or else that of the quality among `allowed`, words with blanks between, the default
 * first. Dies (usage) where that does not allow it, or where the codec has no such --quality. */
const struct codec *codec_find(const char *allowed, const char *path, const struct output_options *o);
/* Bits a channel of its films. */
int codec_depth(const struct codec *c, const struct output_options *o);
/* Its name in MP4 and MOV, where that of ffmpeg is not what all players know; or NULL. */
const char *codec_tag(const struct codec *c);
/* An encoder for it that ffmpeg has and that takes such chroma; dies where there is none, or no ffmpeg. A number for
 * codec_arguments. */
int codec_encoder(const struct codec *c, int chroma, const char *path);
/* Appends arguments, NULL at the end; returns their number. */
int codec_append(const char **arguments, const char *const *more);
/* Appends ffmpeg's arguments for that encoder at `arguments`, as many as CODEC_ARGUMENTS_MAX; returns their number.
 * What they point to stays until the next call. */
int codec_arguments(const struct codec *c, int encoder, int chroma, const struct output_options *o,
                    const char **arguments);

/* ---- ffmpeg.c: the one ffmpeg that runs, if any: it ends with the tool ---- */

/* Starts it with these arguments (NULL at the end, the first is its name), its stdin and stdout these descriptors, or
 * nothing for -1. It has a session of its own, so that the terminal's signals leave it alone. Dies where that fails. */
void ffmpeg_start(const char *const *arguments, int in, int out, bool quiet);
/* Waits for its end; its status as of waitpid. Dies where that fails. */
int ffmpeg_wait(void);
