#include "lines.h"

#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
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
    if (is_stdin && isatty(STDIN_FILENO))
        die_usage("stdin is a terminal: give a file");
    in->file = is_stdin ? stdin : fopen(path, "r");
    struct stat st;
    if (!in->file || fstat(fileno(in->file), &st))
        die("%s: cannot be opened: %s", in->name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        die("%s: is a directory", in->name);
}

void lines_close(struct lines *in)
{
    if (in->file != stdin)
        fclose(in->file);
}

bool lines_next(struct lines *in)
{
    size_t length = 0;
    int c;
    in->number++;
    while ((c = getc_unlocked(in->file)) != EOF && c != '\n') {
        if (length == LINE_BYTES - 1)
            die("%s: line %" PRIu64 " is longer than %d bytes", in->name, in->number, LINE_BYTES - 1);
        if (iscntrl(c) && !isspace(c))
            die("%s: line %" PRIu64 " is not text", in->name, in->number);
        in->text[length++] = (char)c;
    }
    if (ferror(in->file))
        die("%s: cannot be read: %s", in->name, strerror(errno));
    in->text[length] = '\0';
    in->at = in->text;
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
