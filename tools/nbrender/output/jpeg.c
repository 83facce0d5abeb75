/* Writes JPEG files (ITU-T T.81, JFIF) with libjpeg. The default is colour in full resolution (4:4:4 sampling): with
 * 4:2:0 sampling, single stars would lose their colour. */
#ifdef NB_HAVE_JPEG /* set by the Makefile for this file */

#include "base/io.h"
#include "nbrender/output/exif.h"
#include "nbrender/output/rows.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
/* must follow stdio.h */
#include <jpeglib.h>

#define BLOCK       65536
#define MARKER_MOST 65533 /* maximum number of bytes of data in a marker */

static const char exif_name[6] = "Exif\0";

struct encoder {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr error;
    struct jpeg_destination_mgr to;
    jmp_buf failed;
    struct job *job;
    struct rows rows;
    /* `row` is one row of pixels. `notes` is the content of the Exif marker: `exif_name`, then the Exif data. */
    unsigned char *row, *notes;
    size_t notes_size;
    int why; /* errno of a failed write */
    unsigned char block[BLOCK];
};

/* Error handler of libjpeg: stores the error with nb_fail and jumps back to encode(). */
static noreturn void leave(j_common_ptr jpeg)
{
    struct encoder *e = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    if (jpeg->err->msg_code != 0) {
        jpeg->err->format_message(jpeg, text);
        nb_fail("%s: libjpeg: %s", tool_output_name(e->job->file), text);
    }
    longjmp(e->failed, 1);
}

static void put(struct encoder *e, size_t size)
{
    if (job_write(e->job, e->block, size) == 0)
        return;
    e->why = errno;
    e->error.msg_code = 0;
    leave((j_common_ptr)&e->jpeg);
}

static void begin(j_compress_ptr jpeg)
{
    jpeg->dest->next_output_byte = ((struct encoder *)jpeg->client_data)->block;
    jpeg->dest->free_in_buffer = BLOCK;
}

static boolean put_block(j_compress_ptr jpeg)
{
    put(jpeg->client_data, BLOCK);
    begin(jpeg);
    return TRUE;
}

static void put_rest(j_compress_ptr jpeg)
{
    put(jpeg->client_data, BLOCK - jpeg->dest->free_in_buffer);
}

static void set_up(struct encoder *e, const struct output_options *o)
{
    static const int quality[FILM_QUALITIES] = {[FILM_DRAFT] = 80, [FILM_GOOD] = 92, [FILM_BEST] = 98};
    struct jpeg_compress_struct *jpeg = &e->jpeg;
    jpeg->dest = &e->to;
    jpeg->image_width = (JDIMENSION)e->job->picture.width;
    jpeg->image_height = (JDIMENSION)e->job->picture.height;
    jpeg->input_components = 3;
    jpeg->in_color_space = JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality[o->quality], TRUE);
    jpeg->optimize_coding = TRUE;
    jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = o->chroma == 420 ? 2 : 1;
}

static int encode(struct encoder *e, const struct output_options *o)
{
    if (setjmp(e->failed)) {
        jpeg_destroy_compress(&e->jpeg);
        errno = e->why;
        return -1;
    }
    jpeg_create_compress(&e->jpeg);
    set_up(e, o);
    jpeg_start_compress(&e->jpeg, TRUE);
    jpeg_write_marker(&e->jpeg, JPEG_APP0 + 1, e->notes, (unsigned)e->notes_size);
    for (int y = 0; y < e->job->picture.height; y++) {
        rows_fill(&e->rows, y, e->row);
        jpeg_write_scanlines(&e->jpeg, &e->row, 1);
    }
    jpeg_finish_compress(&e->jpeg);
    jpeg_destroy_compress(&e->jpeg);
    return 0;
}

static bool make_notes(struct encoder *e)
{
    unsigned char *exif = exif_make(&e->job->picture, MARKER_MOST - sizeof exif_name, &e->notes_size);
    if (exif && (e->notes = malloc(sizeof exif_name + e->notes_size))) {
        memcpy(e->notes, exif_name, sizeof exif_name);
        memcpy(e->notes + sizeof exif_name, exif, e->notes_size);
        e->notes_size += sizeof exif_name;
    }
    free(exif);
    return e->notes != NULL;
}

int jpeg_write(void *state, struct job *job)
{
    const struct output_options *o = ((struct series *)state)->options;
    struct encoder *e = calloc(1, sizeof *e);
    if (!e)
        return nb_fail("%s: no memory", tool_output_name(job->file));
    e->job = job;
    e->jpeg.err = jpeg_std_error(&e->error);
    e->jpeg.client_data = e;
    e->error.error_exit = leave;
    e->to = (struct jpeg_destination_mgr){
        .init_destination = begin, .empty_output_buffer = put_block, .term_destination = put_rest};
    const bool good = rows_open(&e->rows, o, job->picture.width);
    e->rows.picture = &job->picture;
    e->row = malloc(e->rows.bytes);
    const int status =
        good && e->row && make_notes(e) ? encode(e, o) : nb_fail("%s: no memory", tool_output_name(job->file));
    const int why = errno;
    rows_close(&e->rows);
    free(e->row);
    free(e->notes);
    free(e);
    errno = why;
    return status;
}

#endif
