/* snap_text.h - private to the stream: text blocks, and the bytes and numbers they are made of.
 *
 * A *text block* is lines of printable ASCII, the last `checksum HEX` with the XXH3 (64 bits, 16 lower-case hex digits)
 * of all bytes before that line, followed by zero bytes up to a multiple of NB_ALIGN. Functions that return int: 0, or
 * -1 after nb_fail; unless said otherwise they fail for want of memory only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NB_MAGIC_FRAME   "nbs 1 frame\n"
#define NB_MAGIC_FOOTER  "nbs 1 footer\n"
#define NB_MAGIC_TRAILER "nbs 1 trailer\n"
#define NB_MAGIC_CLOSE   "nbs 1 close "
#define NB_CLOSE_SIZE    64
#define NB_HEADER_MAX    ((size_t)1 << 20) /* bytes of a header's text block */
#define NB_HASH_DIGITS   16
#define NB_CHECKSUM_LINE 26 /* bytes of "checksum HEX\n" */
#define NB_HEADER_LINE   24 /* bytes of "header HEX\n" */

struct nb_text { /* bytes that grow; all zero is an empty one */
    char *data;
    size_t size, capacity;
};

void nb_text_free(struct nb_text *t);
int nb_text_add(struct nb_text *t, const void *bytes, size_t size);
int nb_text_add_string(struct nb_text *t, const char *string);
/* " " and the 16 hex digits of a checksum. */
int nb_text_add_hash(struct nb_text *t, uint64_t hash);
int nb_text_add_line(struct nb_text *t, const char *key, const char *value);  /* a line "KEY VALUE" */
int nb_text_add_unsigned(struct nb_text *t, const char *key, uint64_t value); /* the same */
int nb_text_add_number(struct nb_text *t, const char *key, double value);     /* with digits that round-trip */
/* Ends the text block that began at byte `begin` of t: checksum line, which is returned too (NULL: is not), and zeros.
 */
int nb_text_finish(struct nb_text *t, size_t begin, uint64_t *checksum);
/* Writes the NB_HASH_DIGITS hex digits of a checksum, without a NUL. */
void nb_format_hash(char *hex, uint64_t hash);

/* Looks for the end of the text block that begins at data, of which `size` bytes are there and bytes before `from` have
 * been looked at. Its size with the padding (which may be more than is there); 0: not seen yet; -1: the text ends
 * without a checksum line, and so does all text that begins in the *hopeless bytes from data on (NULL: not asked). */
ssize_t nb_text_find_end(const char *data, size_t from, size_t size, size_t *hopeless);
/* The text block of exactly that size: checksum (returned unless NULL), padding, printable ASCII. -1: what is wrong. */
int nb_text_verify(const char *data, size_t block_size, const char *what, uint64_t *checksum);

/* Strict numbers: a whole NUL-terminated text of digits; a finite decimal number. */
bool nb_parse_unsigned(const char *text, uint64_t *value);
bool nb_parse_number(const char *text, double *value);
bool nb_parse_hash(const char *text, uint64_t *hash); /* exactly 16 hex digits are looked at */
/* Cuts the next word (up to a space or the end) off *at; NULL when there is none. Words are one space apart. */
char *nb_parse_word(char **at);
/* Cuts the next line off *at (its newline becomes NUL); NULL at the end. */
char *nb_parse_line(char **at);
