/* Marks a finished MP4 or MOV film, so that players show it as a sphere around the viewer. (ffmpeg cannot do this.)
 * - The file consists of boxes (ISO/IEC 14496-12, 4.2). A box has its size (4 bytes), its name (4 bytes), and its
 *   content, which may be other boxes.
 * - The mark consists of the boxes `st3d` and `sv3d` (Spherical Video V2, Google 2016). It is inserted into the sample
 *   entry, which is the box that describes the pictures of the film. */
#include "base/portable.h"
#include "nbrender/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define HEAD        8  /* number of bytes before the content of a box */
#define STSD_ENTRY  16 /* offset of the first entry in `stsd` */
#define FIRST_CHUNK 16 /* offset of the first number in `stco` and `co64` */
#define PIECE       ((size_t)1 << 14)

/* The mark: the boxes st3d (monoscopic) and sv3d (an equirectangular picture of all directions). */
static const unsigned char mark[] =
    "\0\0\0\015st3d\0\0\0\0\0"                              /* monoscopic */
    "\0\0\0\131sv3d"                                        /* contains the boxes svhd and proj */
    "\0\0\0\025svhd\0\0\0\0nbrender\0"                      /* the name of the program that wrote the mark */
    "\0\0\0\074proj"                                        /* contains the boxes prhd and equi */
    "\0\0\0\030prhd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"        /* yaw, pitch and roll */
    "\0\0\0\034equi\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"; /* crop at the four sides; last byte: the string's NUL */
_Static_assert(sizeof mark == 13 + 89, "the boxes are as long as they say");
#define MARK sizeof mark

struct index {   /* the film's index, which is the box `moov`, in memory */
    uint64_t at; /* offset of the box in the file */
    unsigned char *bytes;
    size_t size;
};

static uint64_t number_at(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int k = 0; k < count; k++)
        value = value << 8 | bytes[k];
    return value;
}

static void put_number(unsigned char *bytes, int count, uint64_t value)
{
    for (int k = count - 1; k >= 0; k--, value >>= 8)
        bytes[k] = (unsigned char)value;
}

static int not_marked(const char *why)
{
    return nb_fail("the film cannot be marked as spherical: %s", why);
}

static int damaged(void)
{
    return not_marked("its index has an unexpected form");
}

/* Reads `size` bytes at offset `at` of the file, or writes them if `out` is true. Returns 0, or -1 after nb_fail. */
static int transfer(int fd, bool out, uint64_t at, unsigned char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const off_t place = (off_t)(at + done);
        const ssize_t got =
            out ? pwrite(fd, bytes + done, size - done, place) : pread(fd, bytes + done, size - done, place);
        if (got < 0 && errno != EINTR)
            return not_marked(strerror(errno));
        if (got == 0)
            return damaged();
        done += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* ---- the box moov ---- */

static int read_index(int fd, uint64_t size, struct index *index)
{
    unsigned char head[16];
    for (uint64_t at = 0, length; at + sizeof head <= size; at += length) {
        if (transfer(fd, false, at, head, sizeof head))
            return -1;
        length = number_at(head, 4) == 1 ? number_at(head + 8, 8) : number_at(head, 4);
        if (length < HEAD || length > size - at)
            return damaged();
        if (memcmp(head + 4, "moov", 4) != 0)
            continue;
        *index = (struct index){at, malloc((size_t)length + MARK), (size_t)length};
        return index->bytes ? transfer(fd, false, at, index->bytes, index->size)
                            : nb_fail("no memory for the index of the film");
    }
    return damaged();
}

/* Finds the first box with this name in the bytes [begin, end) of the index. Sets *at to the offset of the box and
 * returns its size. Returns 0 if there is no such box. */
static size_t find_box(const struct index *index, size_t begin, size_t end, const char *name, size_t *at)
{
    for (size_t size; begin + HEAD <= end; begin += size) {
        size = (size_t)number_at(index->bytes + begin, 4);
        if (size < HEAD || size > end - begin)
            return 0;
        *at = begin;
        if (memcmp(index->bytes + begin + 4, name, 4) == 0)
            return size;
    }
    return 0;
}

/* Corrects the file offsets of the chunks (pieces of the film's data). Chunks after the index in the file move by the
 * size of the mark. The box `stbl`, the bytes [table, table_end) of the index, has the offsets. Returns 0, or -1 after
 * nb_fail. */
static int move_chunks(const struct index *index, size_t table, size_t table_end)
{
    for (int large = 0; large < 2; large++) {
        const int width = large ? 8 : 4;
        size_t at, size = find_box(index, table + HEAD, table_end, large ? "co64" : "stco", &at);
        const uint64_t count = size >= FIRST_CHUNK ? number_at(index->bytes + at + 12, 4) : 0;
        if (size && count > (size - FIRST_CHUNK) / (unsigned)width)
            return damaged();
        for (uint64_t k = 0; k < count; k++) {
            unsigned char *number = index->bytes + at + FIRST_CHUNK + k * (uint64_t)width;
            const uint64_t place = number_at(number, width), moved = place > index->at ? place + MARK : place;
            if (!large && moved > UINT32_MAX)
                return damaged();
            put_number(number, width, moved);
        }
    }
    return 0;
}

/* Inserts the mark at the end of the first sample entry (the description of the pictures), which is in the box `stsd`
 * of the index. Corrects all sizes and offsets. The film has only one track. Returns 0, or -1 after nb_fail. */
static int put_mark(struct index *index)
{
    static const char *const way[] = {"trak", "mdia", "minf", "stbl", "stsd"};
    enum { DEPTH = sizeof way / sizeof *way };
    size_t at[DEPTH + 1] = {0}, size[DEPTH + 1] = {index->size};
    for (int k = 0; k < DEPTH; k++) {
        size[k + 1] = find_box(index, at[k] + HEAD, at[k] + size[k], way[k], &at[k + 1]);
        if (size[k + 1] == 0)
            return damaged();
    }
    const size_t entry = at[DEPTH] + STSD_ENTRY, end = at[DEPTH] + size[DEPTH];
    const size_t length = entry + HEAD <= end ? (size_t)number_at(index->bytes + entry, 4) : 0;
    if (length < HEAD || length > end - entry || move_chunks(index, at[DEPTH - 1], at[DEPTH - 1] + size[DEPTH - 1]))
        return damaged();
    put_number(index->bytes + entry, 4, length + MARK);
    for (int k = 0; k <= DEPTH; k++)
        put_number(index->bytes + at[k], 4, size[k] + MARK);
    memmove(index->bytes + entry + length + MARK, index->bytes + entry + length, index->size - entry - length);
    memcpy(index->bytes + entry + length, mark, MARK);
    index->size += MARK;
    return 0;
}

/* ---- the file ---- */

/* Makes room for the mark: moves the bytes [begin, end) of the file towards its end, by the size of the mark. Moves the
 * last bytes first, so that no byte is overwritten before it is moved. */
static int move_on(int fd, uint64_t begin, uint64_t end)
{
    unsigned char *piece = malloc(PIECE);
    int status = piece ? 0 : nb_fail("no memory");
    while (end > begin && status == 0) {
        const size_t size = end - begin < PIECE ? (size_t)(end - begin) : PIECE;
        end -= size;
        status = transfer(fd, false, end, piece, size) || transfer(fd, true, end + MARK, piece, size) ? -1 : 0;
    }
    free(piece);
    return status;
}

int film_mark_sphere(const char *path)
{
    struct index index = {0};
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    const off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
    int status = size >= 0 ? read_index(fd, (uint64_t)size, &index) : not_marked(strerror(errno));
    const uint64_t end = index.at + index.size;
    if (status == 0)
        status = put_mark(&index) || move_on(fd, end, (uint64_t)size) ||
                         transfer(fd, true, index.at, index.bytes, index.size)
                     ? -1
                     : 0;
    free(index.bytes);
    if (fd >= 0 && close(fd) && status == 0)
        status = not_marked(strerror(errno));
    return status;
}
