/* Going on behind damage: at the next frame where the sizes still hold, else wherever a magic line stands. */
#include "error.h"
#include "snap/snap_reader.h"

#include <stdio.h>
#include <string.h>

#define SEARCH_BYTES ((size_t)64 << 10)

static int note_damage(struct nb_snap_reader *r)
{
    if (r->damage_count++ > 0)
        return 0;
    r->damage.size = 0;
    const char *what = r->trouble == NB_TROUBLE_EXCHANGED ? ": " : ": passed over: ";
    return nb_text_add_string(&r->damage, r->name) || nb_text_add_string(&r->damage, what) ||
                   nb_text_add_string(&r->damage, nb_error())
               ? -1
               : 0;
}

const char *nb_snap_damage(struct nb_snap_reader *r)
{
    char more[64] = "";
    if (r->damage_count == 0)
        return NULL;
    if (r->damage_count > 1)
        snprintf(more, sizeof more, ", and %d more", r->damage_count - 1);
    r->damage_count = 0;
    return nb_text_add(&r->damage, more, strlen(more) + 1) ? r->name : r->damage.data;
}

static bool is_at(const char *text, const char *end, const char *magic)
{
    size_t size = strlen(magic);
    return (size_t)(end - text) >= size && memcmp(text, magic, size) == 0;
}

/* The first place in the text where a frame or a trailer may begin, or NULL. */
static const char *find_magic(const char *text, size_t size)
{
    const char *end = text + size;
    for (; (text = memmem(text, (size_t)(end - text), "nbs 1 ", 6)); text++)
        if (is_at(text, end, NB_MAGIC_FRAME) || is_at(text, end, NB_MAGIC_TRAILER))
            return text;
    return NULL;
}

/* Takes bytes up to the next magic line, or all there are. */
static int search(struct nb_snap_reader *r)
{
    const size_t overlap = sizeof NB_MAGIC_TRAILER - 2;
    for (;;) {
        ssize_t have = nb_input_peek(&r->in, SEARCH_BYTES);
        if (have < 0)
            return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
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
        /* The sizes may be those of a frame that was cut before another stream was appended. */
        if (nb_input_seek(&r->in, r->data_begin))
            return nb_reader_trouble(r, NB_TROUBLE_READ, -1);
    } else if (r->trouble == NB_TROUBLE_CUT || r->trouble == NB_TROUBLE_UNFINISHED) {
        r->ended = true;
        return 0;
    } else if (!r->data_begin)
        nb_input_take(&r->in, 1); /* past the magic line that led here */
    return search(r);
}
