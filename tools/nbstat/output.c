/* output.c - writes the output of nbstat through a stdio stream. */

#include "nbstat.h"

#include "base/io.h"
#include "base/portable.h"

#include <errno.h>
#include <stdio.h>

static ssize_t write_text(void *cookie, const char *text, size_t size)
{
    struct stat_output *out = cookie;
    const int fd = tool_output_fd(out->file);
    tool_status_part(fd);
    if (nb_io_write(fd, tool_output_name(out->file), text, size)) {
        out->error_number = errno;
        size = 0;
    }
    tool_status_join();
    return (ssize_t)size;
}

void stat_output_open(struct stat_output *out)
{
    out->file = tool_output_open(tool_options.output, false);
    out->error_number = 0;
    out->text = claimed(nb_text_writer(out, write_text), "no memory");
}

static void flush(struct stat_output *out)
{
    if (fflush(out->text) == 0 && !ferror(out->text))
        return;
    if (out->error_number == 0)
        nb_fail("%s: no memory", tool_output_name(out->file));
    errno = out->error_number;
    tool_output_failed();
}

void stat_output_flush(struct stat_output *out)
{
    flush(out);
    tool_output_keep(out->file, true);
}

void stat_output_close(struct stat_output *out, bool whole)
{
    flush(out);
    fclose(out->text);
    if (whole)
        tool_output_close(out->file);
}
