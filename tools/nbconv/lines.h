/* lines.h - a text file read line by line or word by word, with what a message about it needs. */
#ifndef NBCONV_LINES_H
#define NBCONV_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_BYTES 65536 /* longest line, with its end */
#define READ_BYTES 65536 /* taken from the file at a time */

struct lines {
    int fd;
    unsigned char bytes[READ_BYTES]; /* read, of which [begin, end) are still to be taken */
    size_t begin, end;
    const char *name;      /* the path, or stdin */
    uint64_t number;       /* of the line read last, from 1 */
    uint64_t unfinished;   /* of the last line, if it has no newline and may be truncated; else 0 */
    char text[LINE_BYTES]; /* that line; words are cut in it */
    char *at;              /* behind the word taken last */
};

/* Opens a file, or stdin for NULL and "-". Dies on failure. */
void lines_open(struct lines *in, const char *path);
/* Closes the file. Warns if its last line has no newline. */
void lines_close(struct lines *in);
/* Reads the next line; false at the end. Dies on bytes that are no text. */
bool lines_next(struct lines *in);
/* The next word of the line, or NULL. Words are separated by blanks and tabs. */
char *lines_word(struct lines *in);
/* The next word, over as many lines as it takes; NULL at the end of the file. */
char *lines_next_word(struct lines *in);
/* A word as a finite number; dies with the place otherwise. */
double lines_number(const struct lines *in, const char *word);
/* A word as a whole number from 0 to `limit`. */
uint64_t lines_unsigned(const struct lines *in, const char *word, uint64_t limit);

#endif
