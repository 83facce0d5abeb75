/* snap_salvage.c - continues reading after a damaged frame. If the frame's footer is intact, continues after the
 * footer. Otherwise continues at the next magic line, with which a frame or a trailer begins. */
#include "base/error.h"
#include "snap/snap_reader.h"

#include <stdio.h>
#include <string.h>

#define SEARCH_BYTES ((size_t)64 << 10)
#define MORE_BYTES   40 /* number of bytes reserved at the end of a message for ", and N more damaged places" */

static int note_damage(struct nb_snap_reader *r)
{
    if (r->damage_count > 0) {
        r->damage_count++;
        return 0;
    }
    r->damage.size = 0;
    const char *what = r->trouble == NB_TROUBLE_EXCHANGED ? ": " : ": skipped: ";
    static const char room[MORE_BYTES];
    if (nb_text_add_string(&r->damage, r->name) || nb_text_add_string(&r->damage, what) ||
        nb_text_add_string(&r->damage, nb_error()) || nb_text_add(&r->damage, room, sizeof room))
        return -1;
    r->damage.size -= sizeof room;
    r->damage_count = 1;
    return 0;
}

const char *nb_snap_damage(struct nb_snap_reader *r)
{
    char more[MORE_BYTES] = "";
    if (r->damage_count == 0)
        return NULL;
    if (r->damage_count > 1)
        snprintf(more, sizeof more, ", and %d more damaged place%s", r->damage_count - 1,
                 r->damage_count > 2 ? "s" : "");
    r->damage_count = 0;
    memcpy(r->damage.data + r->damage.size, more, sizeof more); /* note_damage reserved the space */
    return r->damage.data;
}

static bool is_at(const char *text, const char *end, const char *magic)
{
    size_t size = strlen(magic);
    return (size_t)(end - text) >= size && memcmp(text, magic, size) == 0;
}

/* Returns the first position in the text where the magic line of a frame or trailer begins, or NULL. */
static const char *find_magic(const char *text, size_t size)
{
    const char *end = text + size;
    for (; (text = memmem(text, (size_t)(end - text), "nbs 1 ", 6)); text++)
        if (is_at(text, end, NB_MAGIC_FRAME) || is_at(text, end, NB_MAGIC_TRAILER))
            return text;
    return NULL;
}

/* Moves the input to the next magic line or, if there is none, to its end. */
static int search(struct nb_snap_reader *r)
{
    const size_t overlap = sizeof NB_MAGIC_TRAILER - 2;
    for (;;) {
        ssize_t have = nb_reader_peek(r, SEARCH_BYTES);
        if (have < 0)
            return -1;
        const char *text = nb_input_bytes(&r->in), *found = find_magic(text, (size_t)have);
        if (found) {
            nb_input_take(&r->in, (size_t)(found - text));
            return 0;
        }
        if ((size_t)have < SEARCH_BYTES) {
            nb_input_take(&r->in, (size_t)have);
            r->ended = true;
            return 0;
        }
        nb_input_take(&r->in, (size_t)have - overlap);
    }
}

/* Moves the input forward to r->hopeless, because no complete text block begins before this position. If the input
 * is at r->hopeless or after it, moves by one byte, so that search() does not find the current magic line again. */
static void take_hopeless(struct nb_snap_reader *r)
{
    uint64_t held = r->in.end - r->in.begin, count = r->hopeless > r->in.at ? r->hopeless - r->in.at : 1;
    nb_input_take(&r->in, (size_t)(count < held ? count : held));
}

int nb_reader_resume(struct nb_snap_reader *r)
{
    if (note_damage(r))
        return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
    r->lost = !(r->in_trailer && r->at_next);
    if (!r->in_trailer && r->trouble != NB_TROUBLE_UNFINISHED)
        r->next++;
    if (r->at_next)
        return 0;
    if (r->data_begin && r->in.seekable) {
        /* Search from the end of the header: if the data are truncated, another stream may begin before the position at
         * which the data should end. */
        if (nb_input_seek(&r->in, r->data_begin))
            return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
    } else if (r->trouble == NB_TROUBLE_CUT || r->trouble == NB_TROUBLE_UNFINISHED) {
        r->ended = true;
        return 0;
    } else if (!r->data_begin)
        take_hopeless(r);
    return search(r);
}
