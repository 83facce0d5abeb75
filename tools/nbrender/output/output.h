/* output.h - pictures, and the files and films that they are written to. */
#pragma once

#include "common/tool_series.h"
#include "nbrender/basis/basis.h"

struct render_options;

/* ---- picture.c: a picture as colours of the display, or as linear light before tone mapping ---- */

#define PICTURE_FULL 65535

struct picture_axis { /* a coordinate axis through the middle of the picture */
    char name[16];    /* name of the coordinate, for example "x" */
    double centre;    /* coordinate in the middle of the picture; length units, or degrees if is_angle */
    double step;      /* change of the coordinate from a pixel to the next (right or upwards); may be negative */
    bool is_angle;    /* the coordinate is an angle in degrees */
};

struct picture_info { /* metadata of a picture */
    int64_t frame;
    double time;
    struct nb_units units;       /* units of the stream */
    struct picture_axis axis[2]; /* coordinates of the picture: axis[0] to the right, axis[1] upwards */
    char quantity[48];           /* what the linear values are: "light", or the quantity of a map */
    char unit[48];               /* unit of the linear values, for example "M/L^2"; "": none */
    double white;                /* linear value that is shown as diffuse white; 0: not defined */
    char *history;               /* provenance: the history lines of the stream and the line of this run; NULL: none */
};

/* A picture has either display colours (`plane`) or linear values (`linear`). Row 0 is the top.
 *
 * Display colours: channel k (red, green, blue) of pixel (x, y) is plane[k][y * width + x], from 0 to PICTURE_FULL.
 * Linear values: channel k of pixel (x, y) is linear[(y * width + x) * stride + k]. */
struct picture {
    int width, height;
    uint16_t *plane[3];
    float *linear;
    /* channels: number of channels of `linear`. stride: number of floats from one pixel to the next. Light has 3
     * channels (red, green, blue) and stride 4. The fourth float is the light of the pixel without colour. A map has 1
     * channel and stride 1. */
    int channels, stride;
    struct picture_info info;
};

/* Initialises a black picture. It has linear values if `linear` is true, otherwise display colours. Dies if there is no
 * memory. Free the picture with picture_free. */
void picture_init(struct picture *p, int width, int height, bool linear);
void picture_free(struct picture *p);    /* frees pixels and provenance */
void picture_blacken(struct picture *p); /* sets all pixels to 0 */
/* Copies the display colours of `from` to `to`. Both pictures have the same size. */
void picture_copy(struct picture *to, const struct picture *from);
/* Returns the number of bytes of a picture's pixels. */
size_t picture_bytes(int width, int height, bool linear);
/* Sets frame, time, units and provenance in p->info. `meta` is the header of frame number `frame`. The provenance is
 * the header's history and a line about this run of nbrender. Dies if there is no memory. */
void picture_note(struct picture *p, const struct nb_meta *meta, int64_t frame);

/* ---- output_options.c: options for files and films ---- */

enum film_quality { FILM_DRAFT, FILM_GOOD, FILM_BEST, FILM_QUALITIES };

struct output_options {
    unsigned fps_num, fps_den;
    int depth;         /* bits per channel; 0: default of the format */
    int chroma;        /* 420 or 444; 0: default of the format */
    const char *codec; /* name of the video codec; NULL: default of the format */
    enum film_quality quality;
    int crf; /* constant rate factor (quality) of the codec; -1: default of the quality */
    bool alpha, no_dither;
    bool hdr;
    bool linear;       /* pictures must have linear values; set by output_open */
    bool keep_partial; /* true: rename FILE.part to FILE even if the input is truncated */
};

extern const struct tool_option output_table[];

/* ---- output.c: writes pictures to files ---- */

struct output;

/* Chooses the format from the name of the output (option -o), checks the options and opens the output. Dies with a
 * usage error if options contradict each other. */
struct output *output_open(struct render_options *o);
/* Returns whether the output is a single picture. Without --frame, this picture shows the last frame. */
bool output_is_single(const struct output *out);
/* Waits for an unused picture and returns it, to be drawn. Dies if writing an earlier picture failed. */
struct picture *output_picture(struct output *out);
/* Queues the picture that output_picture returned last. It is the picture of frame `frame` with header `meta`. */
void output_put(struct output *out, const struct nb_meta *meta, int64_t frame);
/* Returns the number of pictures queued so far, including those that were written. */
uint64_t output_count(const struct output *out);
/* Returns the path of the output file while it is being written. This is FILE.part, or the final path for formats that
 * do not use FILE.part. */
const char *output_place(const struct output *out);
/* Waits until all queued pictures are written, and closes the files. If `whole` is true, renames a video from FILE.part
 * to FILE. If `whole` is false (the input is truncated), the file keeps the name FILE.part. Dies on failure. */
void output_close(struct output *out, bool whole);

/* ---- output.c: output formats. Each format has an entry in the table of output.c, and its own file of functions.
 *
 * Worker threads write pictures while the next pictures are drawn. The main thread calls `open`, `give`, `take` and
 * `close`, which may die. A worker calls `write`, which returns 0, or -1 after nb_fail with errno set. ---- */

struct job { /* a queued picture */
    struct picture picture;
    struct tool_output *file; /* output file of this picture, if the format has one file for each picture */
    bool written;
    bool failed;
    char error[NB_ERROR_MAX]; /* error message if `failed` */
    int error_number;
};

#define DEPTH(bits) (1u << (bits))

struct output_kind {
    const char *suffix; /* suffix of the file name: ".png" */
    bool video;         /* true: one file contains all pictures, in order; false: each picture has its own file */
    bool linear;        /* true: pictures must have linear values (before tone mapping) */
    /* For formats with linear light. true: the light is multiplied by the factor of --exposure; false: --exposure is
     * not allowed */
    bool exposed;
    bool alpha;      /* true: --alpha is allowed; for films, alpha_codecs decides this */
    bool lossy;      /* true: --quality draft, good or best is allowed for this format of single pictures */
    int side;        /* maximum width and height of a picture, pixels; 0: no limit */
    unsigned depths; /* allowed values of --depth: DEPTH(8) | ... */
    int chroma;      /* default of --chroma, 420 or 444; 0: --chroma is not allowed */
    /* Checks options and sets defaults before a file is opened. Dies if the options are not possible. May be NULL. */
    void (*check)(const struct output_kind *kind, const char *path, struct render_options *o);
    /* Prepares writing and returns the state of the format. For a video, `file` is the open output file. Other formats
     * open a file for each picture, with a name made from `path`. */
    void *(*open)(const struct output_kind *kind, struct tool_output *file, const char *path,
                  const struct render_options *o);
    void (*give)(void *state, struct job *job); /* called before a worker gets the job; may be NULL */
    int (*write)(void *state, struct job *job);
    void (*take)(void *state, struct job *job); /* called after a successful write; may be NULL */
    void (*failed)(void *state);   /* reports why `write` failed, and dies; NULL: the caller reports nb_error() */
    void (*close)(void *state);    /* writes the end of the file after all pictures */
    const char *const *film;       /* for film.c: ffmpeg's arguments for the container; the list ends with NULL */
    const char *codecs;            /* for film.c: names of the allowed codecs, separated by spaces, the default first */
    const char *alpha_codecs;      /* names of the codecs allowed with --alpha; NULL: no alpha */
    const char *missing, *package; /* library that was missing at build time, and its Debian package; NULL: none */
};

/* Returns the chroma subsampling of a video: 420 for 4:2:0, or 444 for 4:4:4. */
int output_chroma(const struct output_kind *kind, const struct render_options *o);

/* The functions below implement the members of struct output_kind for each format. NAME_open implements `open`,
 * NAME_write implements `write`, and so on. The comments of the members describe arguments, results and errors. */

/* ---- series.c: one file for each picture ---- */

struct series {
    const struct output_options *options;
    struct tool_series name;
};
void *series_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                  const struct render_options *o);
void series_give(void *state, struct job *job);
void series_take(void *state, struct job *job);
void series_close(void *state);

/* ---- png.c: 8 or 16 bits per channel, with or without alpha ---- */
int png_write(void *state, struct job *job);

/* ---- jpeg.c and webp.c, if the libraries were found ---- */
int jpeg_write(void *state, struct job *job);
int webp_write(void *state, struct job *job);

/* ---- linear.c and fits.c: linear light as 32-bit floats ---- */
int pfm_write(void *state, struct job *job);
int npy_write(void *state, struct job *job);
int fits_write(void *state, struct job *job);
/* ---- exr.c: light as 16-bit floats, values of maps as 32-bit floats ---- */
int exr_write(void *state, struct job *job);
/* ---- fits_unit.c ----
 *
 * Writes a unit in the syntax of FITS. `product` is a product of powers of M, L and T such as "M/L^2", in the stream's
 * units. The text is empty if FITS cannot express the unit. */
#define FITS_UNIT_MAX 68
void fits_unit(const struct nb_units *units, const char *product, char text[FITS_UNIT_MAX]);
/* Writes bytes to the job's file. Returns 0, or -1 after nb_fail. */
int job_write(const struct job *job, const void *bytes, size_t size);
/* Writes `rows` rows of `row_values` floats to the job's file. fill(p, row, to) computes the floats of one row. Returns
 * 0, or -1 after nb_fail. */
int linear_rows(struct job *job, size_t row_values, int rows,
                void (*fill)(const struct picture *p, int row, float *to));

/* ---- y4m.c: YUV4MPEG2, BT.709 in limited range ---- */
void *y4m_open(const struct output_kind *kind, struct tool_output *file, const char *path,
               const struct render_options *o);
int y4m_write(void *state, struct job *job);
void y4m_close(void *state);
/* Writes a picture as y4m_write does, but needs no job. Returns 0, or -1 after nb_fail. */
int y4m_put(void *state, const struct picture *picture);
/* Returns the state of a stream that is written to `fd`. Free it with y4m_close. Dies if there is no memory. */
void *y4m_create(int fd, const char *name, const struct render_options *o, int chroma);

/* ---- hdr.c: HDR10 in YUV4MPEG2 on a file descriptor, from linear pictures ---- */
#define HDR_PEAK 1000 /* maximum luminance of a picture, cd/m^2 */
/* Returns the state of a film that is written to `fd`. Free it with hdr_close. Dies if there is no memory. */
void *hdr_create(int fd, const char *name, const struct render_options *o, int chroma);
/* Writes a linear picture. Returns 0, or -1 after nb_fail. */
int hdr_write(void *state, const struct picture *picture);
void hdr_close(void *state);

/* ---- gif.c and apng.c: films that need no other program ---- */
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

/* ---- film.c: films written by ffmpeg ---- */
void film_check_options(const struct output_kind *kind, const char *path, struct render_options *o);
void *film_open(const struct output_kind *kind, struct tool_output *file, const char *path,
                const struct render_options *o);
int film_write(void *state, struct job *job);
void film_failed(void *state);
void film_close(void *state);

/* ---- film_check.c: completeness of films ---- */

/* Checks that the file is a complete film. `suffix` is the suffix of its format. Reads only the sizes and the names of
 * the file's elements, not the pictures. Returns 0, or -1 after nb_fail. */
int film_check(const char *path, const char *suffix);
/* Returns whether the format is MP4 or MOV. In these formats, a marker (film_mark_sphere) tells players that a film is
 * spherical. */
bool film_takes_mark(const struct output_kind *kind);

/* ---- film_sphere.c: the marker of spherical films ---- */

/* Marks a complete MP4 or MOV as spherical (all directions, equirectangular). Returns 0, or -1 after nb_fail. */
int film_mark_sphere(const char *path);
extern const char *const film_mp4[], *const film_mov[], *const film_mkv[], *const film_webm[];

/* ---- dither.c: dithers levels to 8 and 10 bits.
 *
 * A level is rounded up if the sum of its fraction and its pixel's threshold is at least 1. So the mean is preserved,
 * and integer levels such as black and white do not change. Thresholds are blue noise: 1024 ranks in a tile of 32 x 32
 * pixels, ordered by the void-and-cluster method (Ulichney 1993, Proc. SPIE 1913, 332). Neighbouring thresholds differ,
 * and no pattern is visible. Thresholds depend only on pixel and channel. So equal pictures give identical bytes, and
 * still regions of a film do not flicker. */

#define DITHER_SIDE 32

/* Computes the tile of thresholds at the first call. Not thread-safe: call it before threads start. */
void dither_prepare(void);
/* Returns DITHER_SIDE thresholds for row y of channel 0, 1 or 2. Pixel x uses the threshold with index x % DITHER_SIDE.
 * To round a level to an integer, add the threshold and truncate. Thresholds are > 0 and < 1. If `dithered` is false,
 * all thresholds are 0.5, which rounds to the nearest integer. */
const float *dither_row(bool dithered, int channel, int y);
/* Returns thresholds as dither_row does, but for levels that are integers with 8 fractional bits. These thresholds are
 * integers from 0 to 255: the thresholds of dither_row times 256. If `dithered` is false, all of them are 128. */
const uint16_t *dither_steps(bool dithered, int channel, int y);

/* ---- codec.c: codecs of films, and ffmpeg's encoders for them ---- */

#define CODEC_ARGUMENTS_MAX 32

struct codec;

/* Returns the codec given by --codec, or the default codec. `allowed` is a list of names separated by spaces. The
 * default is the first of them, or hevc (if it is allowed) with --hdr or --quality best. Dies (usage error) if the
 * codec is not allowed, or if it cannot be combined with --quality, --depth or --hdr. */
const struct codec *codec_find(const char *allowed, const char *path, const struct output_options *o);
/* Returns the number of bits of each channel in films with this codec. */
int codec_depth(const struct codec *c, const struct output_options *o);
/* Returns the tag that marks films of this codec in MP4 and MOV files, or NULL for ffmpeg's default tag. The default
 * tag is not used for hevc, because some players do not know it. */
const char *codec_tag(const struct codec *c);
/* Finds an encoder of the installed ffmpeg for the codec c and this chroma subsampling. Returns its index, for
 * codec_arguments. Dies if there is no such encoder or no ffmpeg. */
int codec_encoder(const struct codec *c, int chroma, const char *path);
/* Copies the arguments in the list `more`, without the NULL at its end, to `arguments`. Returns their number. */
int codec_append(const char **arguments, const char *const *more);
/* Writes ffmpeg's arguments for the encoder, at most CODEC_ARGUMENTS_MAX, to `arguments`. Returns their number. The
 * texts are valid until the next call. */
int codec_arguments(const struct codec *c, int encoder, int chroma, const struct output_options *o,
                    const char **arguments);

/* ---- ffmpeg.c: runs one ffmpeg at a time, which is killed when the tool exits ---- */

/* Starts ffmpeg. `arguments` begin with the name "ffmpeg" and end with NULL. The file descriptors `in` and `out` become
 * ffmpeg's stdin and stdout. A descriptor of -1 means /dev/null. If `quiet` is true, ffmpeg's stderr is discarded.
 * ffmpeg runs in its own session, so signals of the terminal do not reach it. Dies if ffmpeg cannot be started. */
void ffmpeg_start(const char *const *arguments, int in, int out, bool quiet);
/* Waits for ffmpeg to exit and returns its status as waitpid does. Dies on failure. */
int ffmpeg_wait(void);
