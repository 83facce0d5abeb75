#include "lines.h"

#include "base/io.h"
#include "common/tool.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void lines_open(struct lines *in, const char *path)
{
    bool is_stdin = !path || strcmp(path, "-") == 0;
    in->name = is_stdin ? "stdin" : path;
    in->number = 0;
    in->at = NULL;
    in->begin = in->end = 0;
    in->unfinished = 0;
    if (is_stdin && isatty(STDIN_FILENO))
        die_usage("stdin is a terminal: give a file");
    in->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (in->fd < 0 || fstat(in->fd, &st))
        die("%s: cannot be opened: %s", in->name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        die("%s: is a directory", in->name);
}

void lines_close(struct lines *in)
{
    if (in->unfinished)
        warn("%s: line %" PRIu64 " has no newline at its end: the file may be truncated in its last number", in->name,
             in->unfinished);
    if (in->fd != STDIN_FILENO)
        close(in->fd);
}

/* The next byte, or EOF. Dies when the file cannot be read. */
static int next_byte(struct lines *in)
{
    if (in->begin == in->end) {
        ssize_t got = nb_io_read(in->fd, in->bytes, sizeof in->bytes);
        if (got < 0)
            die("%s: cannot be read: %s", in->name, strerror(errno));
        in->begin = 0;
        in->end = (size_t)got;
    }
    return in->begin < in->end ? in->bytes[in->begin++] : EOF;
}

bool lines_next(struct lines *in)
{
    size_t length = 0;
    int c;
    in->number++;
    while ((c = next_byte(in)) != EOF && c != '\n') {
        if (length == LINE_BYTES - 1)
            die("%s: line %" PRIu64 " is longer than %d bytes", in->name, in->number, LINE_BYTES - 1);
        if (iscntrl(c) && !isspace(c))
            die("%s: line %" PRIu64 " is not text", in->name, in->number);
        in->text[length++] = (char)c;
    }
    in->text[length] = '\0';
    in->at = in->text;
    if (in->number == 1 && strncmp(in->text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
        memmove(in->text, in->text + 3, length - 2);
    if (c == EOF && length > 0)
        in->unfinished = in->number;
    return c != EOF || length > 0;
}

char *lines_word(struct lines *in)
{
    static const char blanks[] = " \t\r\n\v\f";
    if (!in->at)
        return NULL;
    char *word = in->at + strspn(in->at, blanks), *end = word + strcspn(word, blanks);
    in->at = *end ? end + 1 : end;
    *end = '\0';
    return *word ? word : NULL;
}

char *lines_next_word(struct lines *in)
{
    char *word;
    while (!(word = lines_word(in)))
        if (!lines_next(in))
            return NULL;
    return word;
}

double lines_number(const struct lines *in, const char *word)
{
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end || !isfinite(value))
        die("%s: line %" PRIu64 ": '%.40s' is not a finite number", in->name, in->number, word);
    return value;
}

uint64_t lines_unsigned(const struct lines *in, const char *word, uint64_t limit)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(word, &end, 10);
    if (!isdigit((unsigned char)*word) || *end || errno || value > limit)
        die("%s: line %" PRIu64 ": '%.40s' is not a whole number from 0 to %" PRIu64, in->name, in->number, word,
            limit);
    return value;
}
