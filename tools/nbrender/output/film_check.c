/* Checks that a film file is complete, without decoding the film: compares the sizes that are stored in the file with
 * the size of the file. Detects files that are empty, truncated, not finished, or in another format. */
#include "nbrender/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    int fd;
    uint64_t size;
};

/* Reads `count` bytes at offset `at`. Bytes after the end of the file are 0. */
static void bytes_at(const struct file *f, uint64_t at, unsigned char *to, size_t count)
{
    memset(to, 0, count);
    for (size_t done = 0; done < count;) {
        ssize_t got = pread(f->fd, to + done, count - done, (off_t)(at + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return;
        done += got > 0 ? (size_t)got : 0;
    }
}

static uint64_t big_endian(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int k = 0; k < count; k++)
        value = value << 8 | bytes[k];
    return value;
}

/* Returns whether an MP4 file (ISO/IEC 14496-12, 4.2) is complete: its boxes fill the file exactly, and one box is
 * `moov`, which ffmpeg writes last. */
static bool is_whole_mp4(const struct file *f)
{
    bool has_index = false;
    unsigned char head[16];
    for (uint64_t at = 0, size; at < f->size; at += size) {
        bytes_at(f, at, head, sizeof head);
        if (at == 0 && memcmp(head + 4, "ftyp", 4) != 0)
            return false;
        has_index |= memcmp(head + 4, "moov", 4) == 0;
        size = big_endian(head, 4);
        size = size == 1 ? big_endian(head + 8, 8) : size;
        if (size < 8 || size > f->size - at)
            return false;
    }
    return has_index;
}

/* Returns the length of an EBML number in bytes: 1 + (number of leading zero bits of its first byte), at most 8. */
static int ebml_length(unsigned char first)
{
    int length = 1;
    while (length < 8 && !(first & (0x80 >> (length - 1))))
        length++;
    return length;
}

/* Reads the id of the element at offset `at`, and the offset of its end (RFC 8794, sections 4 and 5). Returns false if
 * the element does not fit into the file, or if its size is unknown (all bits 1). */
static bool ebml_element(const struct file *f, uint64_t at, uint64_t *id, uint64_t *end)
{
    unsigned char head[16];
    bytes_at(f, at, head, sizeof head);
    int id_length = ebml_length(head[0]), size_length = ebml_length(head[id_length]);
    uint64_t ones = ((uint64_t)1 << 7 * size_length) - 1;
    uint64_t size = big_endian(head + id_length, size_length) & ones;
    *id = big_endian(head, id_length);
    *end = at + (uint64_t)(id_length + size_length) + size;
    return size != ones && *end <= f->size;
}

/* Returns whether a Matroska file (RFC 9559) is complete: it has a header and a segment, and the size of the segment
 * reaches the end of the file. ffmpeg writes this size last. */
static bool is_whole_matroska(const struct file *f)
{
    uint64_t id, head_end, end;
    return ebml_element(f, 0, &id, &head_end) && id == 0x1a45dfa3 && ebml_element(f, head_end, &id, &end) &&
           id == 0x18538067 && end == f->size;
}

int film_check(const char *path, const char *suffix)
{
    struct stat st;
    struct file f = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (f.fd < 0 || fstat(f.fd, &st)) {
        int why = errno;
        if (f.fd >= 0)
            close(f.fd);
        return nb_fail("%s", strerror(why));
    }
    f.size = (uint64_t)st.st_size;
    const bool mp4 = strcmp(suffix, ".mp4") == 0 || strcmp(suffix, ".mov") == 0;
    const bool whole = f.size > 0 && (mp4 ? is_whole_mp4(&f) : is_whole_matroska(&f));
    close(f.fd);
    return whole ? 0 : nb_fail("%s", f.size > 0 ? "it is no whole film of its kind" : "it is empty");
}
