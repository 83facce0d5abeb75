/* snap_text.h - private to snap: text blocks, and parsing and formatting of their parts.
 *
 * A *text block* consists of lines of printable ASCII. The last line is `checksum HEX`. HEX is the XXH3 (64 bits, 16
 * lower-case hex digits) of all bytes before the last line. Zero bytes up to a multiple of NB_ALIGN follow. Functions
 * that return int return 0, or -1 after nb_fail. Unless their comments say otherwise, they fail only if there is no
 * memory. */
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
#define NB_HEADER_MAX    ((size_t)1 << 20) /* maximum size of a header's text block, bytes */
#define NB_HASH_DIGITS   16
#define NB_CHECKSUM_LINE 26 /* length in bytes of the line "checksum HEX\n" */
#define NB_HEADER_LINE   24 /* length in bytes of the line "header HEX\n" */

struct nb_text { /* array of bytes that grows; initialise with zeros */
    char *data;
    size_t size, capacity;
};

void nb_text_free(struct nb_text *t);
/* nb_text_add appends `size` bytes. nb_text_add_string appends a string without its NUL. */
int nb_text_add(struct nb_text *t, const void *bytes, size_t size);
int nb_text_add_string(struct nb_text *t, const char *string);
/* Appends " " and the 16 hex digits of a checksum. */
int nb_text_add_hash(struct nb_text *t, uint64_t hash);
int nb_text_add_line(struct nb_text *t, const char *key, const char *value);  /* appends "KEY VALUE\n" */
int nb_text_add_unsigned(struct nb_text *t, const char *key, uint64_t value); /* appends "KEY VALUE\n" */
/* Appends "KEY VALUE\n", with enough digits that parsing VALUE gives exactly the same number. */
int nb_text_add_number(struct nb_text *t, const char *key, double value);
/* Completes the text block that began at byte `begin` of t: appends the checksum line, and zero bytes up to a multiple
 * of NB_ALIGN. Sets *checksum to the checksum, unless `checksum` is NULL. */
int nb_text_finish(struct nb_text *t, size_t begin, uint64_t *checksum);
/* Writes the NB_HASH_DIGITS hex digits of a checksum, without NUL. */
void nb_format_hash(char *hex, uint64_t hash);

/* Searches for the end of the text block that begins at data. `size` bytes are available, and an earlier call has
 * searched the bytes before `from`. Returns:
 *   > 0  size of the block including padding, which may exceed `size`
 *     0  the end is not in the available bytes
 *    -1  the text ends without a checksum line. Sets *hopeless, unless `hopeless` is NULL: no complete block begins in
 *        the first *hopeless bytes */
ssize_t nb_text_find_end(const char *data, size_t from, size_t size, size_t *hopeless);
/* Verifies that the block_size bytes at data are one text block: printable ASCII, a line with the correct checksum,
 * then zeros. `what` is the name of the block in messages. Sets *checksum to the checksum, unless `checksum` is NULL.
 * Returns 0, or -1 after nb_fail. */
int nb_text_verify(const char *data, size_t block_size, const char *what, uint64_t *checksum);

/* nb_parse_unsigned parses a text of digits only. nb_parse_number parses a finite decimal number. Both return false if
 * the text contains anything else. */
bool nb_parse_unsigned(const char *text, uint64_t *value);
bool nb_parse_number(const char *text, double *value);
bool nb_parse_hash(const char *text, uint64_t *hash); /* parses exactly 16 hex digits */
/* Returns the word that begins at *at, and moves *at to the next word. Words are separated by one space, which the
 * function replaces by NUL. Returns NULL if no word is left. */
char *nb_parse_word(char **at);
/* Returns the line that begins at *at, and moves *at to the next line. Replaces the newline by NUL. Returns NULL if no
 * line is left. */
char *nb_parse_line(char **at);
