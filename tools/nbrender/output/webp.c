/* Writes WebP files (RFC 9649): lossy, or lossless with --quality best. libwebp compresses the picture. The code below
 * writes the file, which consists of chunks, and adds metadata. */
#ifdef NB_HAVE_WEBP /* set by the Makefile for this file */

#include "nbrender/output/exif.h"
#include "nbrender/output/rows.h"

#include <webp/encode.h>

#define RIFF       12 /* offset of the first chunk */
#define HEAD       30 /* offset of the second chunk if the first chunk is VP8X (flags and size of the picture) */
#define CHUNK      8  /* number of bytes before the data of a chunk */
#define FLAG_EXIF  8
#define FLAG_ALPHA 16
#define EXIF_MOST  ((size_t)1 << 30)

static void put(unsigned char *to, uint64_t number, int bytes)
{
    for (int k = 0; k < bytes; k++)
        to[k] = (unsigned char)(number >> 8 * k);
}

/* Writes a file: a chunk VP8X, the chunks that libwebp made (`made`), and an Exif chunk. A file with Exif must begin
 * with a VP8X that has FLAG_EXIF. A VP8X in `made` is not copied. Returns 0, or -1 after nb_fail. */
static int write_file(const struct job *job, const WebPMemoryWriter *made, bool alpha, const unsigned char *exif,
                      size_t exif_size)
{
    unsigned char head[HEAD] = "RIFF----WEBPVP8X\12", chunk[CHUNK] = "EXIF";
    const bool extended = memcmp(made->mem + RIFF, "VP8X", 4) == 0;
    const size_t from = extended ? HEAD : RIFF, odd = exif_size % 2;
    put(head + 4, HEAD - CHUNK + (made->size - from) + CHUNK + exif_size + odd, 4);
    head[20] = (unsigned char)(FLAG_EXIF | (extended ? made->mem[20] : alpha ? FLAG_ALPHA : 0));
    put(head + 24, (uint64_t)job->picture.width - 1, 3);
    put(head + 27, (uint64_t)job->picture.height - 1, 3);
    put(chunk + 4, exif_size, 4);
    return job_write(job, head, HEAD) || job_write(job, made->mem + from, made->size - from) ||
                   job_write(job, chunk, CHUNK) || job_write(job, exif, exif_size) || job_write(job, "", odd)
               ? -1
               : 0;
}

static int import(const struct job *job, const struct output_options *o, WebPPicture *to)
{
    const struct picture *p = &job->picture;
    struct rows rows;
    bool good = rows_open(&rows, o, p->width);
    rows.picture = p;
    unsigned char *pixels = malloc(rows.bytes * (size_t)p->height);
    good = good && pixels;
    for (int y = 0; y < p->height && good; y++)
        rows_fill(&rows, y, pixels + rows.bytes * (size_t)y);
    good = good && (o->alpha ? WebPPictureImportRGBA : WebPPictureImportRGB)(to, pixels, (int)rows.bytes);
    free(pixels);
    rows_close(&rows);
    return good ? 0 : nb_fail("%s: no memory", tool_output_name(job->file));
}

static void set_up(WebPConfig *config, const struct output_options *o)
{
    config->lossless = o->quality == FILM_BEST;
    if (!config->lossless)
        config->quality = o->quality == FILM_DRAFT ? 75 : 95;
    config->use_sharp_yuv = 1; /* keeps more of the colour of single stars */
    config->exact = 1;
}

static int encode(const struct job *job, const struct output_options *o, WebPPicture *picture)
{
    WebPConfig config;
    if (!WebPConfigInit(&config))
        return nb_fail("libwebp is older than the version that nbrender was compiled with");
    set_up(&config, o);
    picture->use_argb = 1;
    picture->width = job->picture.width;
    picture->height = job->picture.height;
    if (import(job, o, picture))
        return -1;
    if (WebPEncode(&config, picture))
        return 0;
    if (picture->error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
        picture->error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
        return nb_fail("%s: no memory", tool_output_name(job->file));
    return nb_fail("%s: libwebp's error %d", tool_output_name(job->file), (int)picture->error_code);
}

int webp_write(void *state, struct job *job)
{
    const struct output_options *o = ((struct series *)state)->options;
    WebPMemoryWriter made;
    WebPPicture picture;
    size_t exif_size;
    unsigned char *exif = exif_make(&job->picture, EXIF_MOST, &exif_size);
    WebPMemoryWriterInit(&made);
    int status = !exif ? nb_fail("%s: no memory", tool_output_name(job->file))
                 : !WebPPictureInit(&picture)
                     ? nb_fail("libwebp is older than the version that nbrender was compiled with")
                     : 0;
    if (status == 0) {
        picture.writer = WebPMemoryWrite;
        picture.custom_ptr = &made;
        status = encode(job, o, &picture);
        WebPPictureFree(&picture);
    }
    if (status == 0)
        status = write_file(job, &made, o->alpha, exif, exif_size);
    WebPMemoryWriterClear(&made);
    free(exif);
    return status;
}

#endif
