#include "bytes.h"

#include "base/error.h"
#include "base/io.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

void bytes_open(struct bytes *s, const char *path)
{
    const bool is_stdin = !path || strcmp(path, "-") == 0;
    s->name = is_stdin ? "stdin" : path;
    if (is_stdin && isatty(STDIN_FILENO))
        die_usage("stdin is a terminal: give a file");
    if (nb_input_open(&s->in, is_stdin ? "-" : path))
        die("%s", nb_error());
}

void bytes_close(struct bytes *s)
{
    nb_input_close(&s->in);
}

uint64_t bytes_left(const struct bytes *s)
{
    if (s->in.size == UINT64_MAX)
        return UINT64_MAX;
    return s->in.size > s->in.at ? s->in.size - s->in.at : 0;
}

size_t bytes_peek(struct bytes *s, size_t wanted, const unsigned char **at)
{
    const ssize_t have = nb_input_peek(&s->in, wanted);
    if (have < 0)
        die("%s: %s", s->name, nb_error());
    *at = (const unsigned char *)nb_input_bytes(&s->in);
    return (size_t)have < wanted ? (size_t)have : wanted;
}

static noreturn void die_cut(const struct bytes *s, const char *what)
{
    die("%s: cut in %s, at byte %" PRIu64, s->name, what, s->in.at);
}

void bytes_expect(const struct bytes *s, uint64_t size, const char *what)
{
    if (bytes_left(s) < size)
        die("%s: cut, or damaged, in %s at byte %" PRIu64 ": %" PRIu64 " bytes should follow and %" PRIu64 " do",
            s->name, what, s->in.at, size, bytes_left(s));
}

void bytes_take(struct bytes *s, void *to, uint64_t size, const char *what)
{
    char nothing[16384];
    while (size > 0) {
        const size_t part = to ? size : size < sizeof nothing ? size : sizeof nothing;
        const ssize_t got = nb_input_read(&s->in, to ? to : nothing, part);
        if (got < 0)
            die("%s: %s", s->name, nb_error());
        if ((size_t)got < part)
            die_cut(s, what);
        size -= part;
    }
}

/* ---- byte order ---- */

/* Values lie where they lie, and are of whatever type: memcpy. */
#define SWAP(BITS)                               \
    for (size_t k = 0; k < count; k++) {         \
        uint##BITS##_t v;                        \
        memcpy(&v, at + k * sizeof v, sizeof v); \
        v = __builtin_bswap##BITS(v);            \
        memcpy(at + k * sizeof v, &v, sizeof v); \
    }

void bytes_swap(void *data, size_t size, size_t count)
{
    char *at = data;
    if (size == 2)
        SWAP(16)
    else if (size == 4)
        SWAP(32)
    else if (size == 8)
        SWAP(64)
}

enum { KEY_ENDIAN = 0x100 + 80 };

static bool parse(int key, const char *arg, void *context)
{
    struct conv_options *o = context;
    if (key != KEY_ENDIAN)
        return false;
    if (strcmp(arg, "native") != 0 && strcmp(arg, "little") != 0 && strcmp(arg, "big") != 0)
        die_usage("--endian %s: not one of native little big", arg);
    o->endian = arg[0];
    return true;
}

static const struct tool_option table[] = {
    {.about = "Binary formats:"},
    {"endian", KEY_ENDIAN, "ORDER", TOOL_NOT_RECORDED,
     "byte order that is written, native, little or big (default: big of tipsy, native of nemo); either is read"},
    {0},
};

const struct tool_table endian_options = {table, parse};

bool bytes_written_swapped(const struct conv_options *o, char usual)
{
    const char order = o->endian ? o->endian : usual;
    return order != 'n' && (order == 'l') != BYTES_LITTLE;
}

/* ---- writing ---- */

void bytes_flush(struct bytes_out *out)
{
    if (nb_io_write(tool_output_fd(out->output), tool_output_name(out->output), out->data, out->used))
        tool_output_failed();
    out->used = 0;
}

void bytes_put(struct bytes_out *out, const void *values, size_t size, size_t count)
{
    for (size_t done = 0; done < count;) {
        const size_t room = (sizeof out->data - out->used) / size;
        const size_t part = count - done < room ? count - done : room;
        memcpy(out->data + out->used, (const char *)values + done * size, part * size);
        if (out->swapped)
            bytes_swap(out->data + out->used, size, part);
        out->used += part * size;
        done += part;
        if (sizeof out->data - out->used < sizeof(uint64_t))
            bytes_flush(out);
    }
}

static bool is_kept(const char *name, const char *const *kept)
{
    for (; *kept; kept++)
        if (strcmp(name, *kept) == 0)
            return true;
    return false;
}

void bytes_say_lost(const struct nb_bodies *b, const char *const *kept, const char *format)
{
    static bool said;
    char lost[NB_COLUMNS_MAX * (NB_NAME_MAX + 1)] = "";
    if (said)
        return;
    said = true;
    for (int k = 0; k < b->column_count; k++)
        if (!is_kept(b->columns[k].name, kept))
            strcat(strcat(lost, " "), b->columns[k].name);
    if (lost[0])
        say("left out, as %s has no place for them:%s", format, lost);
    if (nb_scene_is_touching(&b->meta))
        say("%s has no place for the contact law, walls and box of disks: they are lost", format);
    if (b->meta.force_count > 0)
        say("%s has no place for external forces: they are lost", format);
}
