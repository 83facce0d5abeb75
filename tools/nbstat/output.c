#include "nbstat.h"

#include "error.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static noreturn void fail(const struct stat_output *out)
{
    int reason = errno;
    nb_fail("%s: cannot be written: %s", tool_output_name(out->file), strerror(reason));
    errno = reason;
    tool_output_failed();
}

void stat_output_open(struct stat_output *out)
{
    out->file = tool_output_open(tool_options.output, false);
    /* A descriptor of its own: tool_output_close closes the other and looks for late errors. */
    int fd = dup(tool_output_fd(out->file));
    out->text = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out->text)
        fail(out);
}

void stat_output_flush(struct stat_output *out)
{
    if (fflush(out->text) || ferror(out->text))
        fail(out);
    tool_output_keep(out->file, true);
}

void stat_output_close(struct stat_output *out, bool whole)
{
    if (fclose(out->text))
        fail(out);
    if (whole)
        tool_output_close(out->file);
}
