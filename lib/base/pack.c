/* pack.c - serialises checkpoint data. Declared in pack.h. */
#include "base/pack.h"

#include "base/error.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 24
#define ALIGN      16 /* alignment of every value in bytes, so that arrays can be read in place */

struct head { /* header of a section */
    char name[NAME_BYTES];
    uint64_t size_bytes;
};

struct nb_pack nb_pack_make(enum nb_pack_way way, void *data, size_t size_bytes)
{
    return (struct nb_pack){.way = way, .data = data, .size_bytes = size_bytes};
}

static size_t end_of(const struct nb_pack *k)
{
    return k->way == NB_PACK_LOAD && k->section_begin ? k->section_end : k->size_bytes;
}

int nb_pack_room(struct nb_pack *k, size_t size_bytes, void **room)
{
    const size_t fill = (ALIGN - size_bytes % ALIGN) % ALIGN;
    *room = NULL;
    if (k->way != NB_PACK_COUNT && (size_bytes > SIZE_MAX - fill || size_bytes + fill > end_of(k) - k->at))
        return nb_fail(k->way == NB_PACK_LOAD ? "ends too early" : "larger than was counted");
    if (k->way != NB_PACK_COUNT)
        *room = k->data + k->at;
    if (k->way == NB_PACK_SAVE)
        memset(k->data + k->at + size_bytes, 0, fill);
    k->at += size_bytes + fill;
    return 0;
}

int nb_pack_bytes(struct nb_pack *k, void *value, size_t size_bytes)
{
    void *room;
    if (nb_pack_room(k, size_bytes, &room))
        return -1;
    if (k->way == NB_PACK_SAVE && size_bytes > 0)
        memcpy(room, value, size_bytes);
    else if (k->way == NB_PACK_LOAD && size_bytes > 0)
        memcpy(value, room, size_bytes);
    return 0;
}

int nb_pack_unsigned(struct nb_pack *k, uint64_t *value, uint64_t most)
{
    if (nb_pack_bytes(k, value, sizeof *value))
        return -1;
    return k->way != NB_PACK_LOAD || *value <= most
               ? 0
               : nb_fail("contains %" PRIu64 ", above the maximum of %" PRIu64, *value, most);
}

int nb_pack_int(struct nb_pack *k, int *value, int least, int most)
{
    int64_t number = *value;
    if (nb_pack_bytes(k, &number, sizeof number))
        return -1;
    if (k->way != NB_PACK_LOAD)
        return 0;
    if (number < least || number > most)
        return nb_fail("contains %" PRId64 ", expected a number from %d to %d", number, least, most);
    *value = (int)number;
    return 0;
}

int nb_pack_flag(struct nb_pack *k, bool *value)
{
    int number = k->way == NB_PACK_SAVE ? *value : 0;
    if (nb_pack_int(k, &number, 0, 1))
        return -1;
    if (k->way == NB_PACK_LOAD)
        *value = number;
    return 0;
}

int nb_pack_text(struct nb_pack *k, char **text)
{
    const char *from = k->way != NB_PACK_LOAD && *text ? *text : "";
    uint64_t length = strlen(from);
    void *room;
    if (nb_pack_unsigned(k, &length, NB_PACK_TEXT) || nb_pack_room(k, length, &room))
        return -1;
    if (k->way == NB_PACK_SAVE)
        memcpy(room, from, length);
    if (k->way != NB_PACK_LOAD)
        return 0;
    if (memchr(room, '\0', length))
        return nb_fail("contains a text with a zero byte");
    *text = strndup(room, length);
    return *text ? 0 : nb_fail("no memory");
}

int nb_pack_same(struct nb_pack *k, const char *what, const char *word)
{
    char *saved = (char *)word;
    if (nb_pack_text(k, &saved))
        return -1;
    if (k->way != NB_PACK_LOAD)
        return 0;
    const int status = strcmp(saved, word) == 0 ? 0 : nb_fail("saved with %s %.100s, not %s", what, saved, word);
    free(saved);
    return status;
}

bool nb_pack_is_order(const uint32_t *numbers, uint64_t n)
{
    unsigned char *seen = calloc(n + 1, 1);
    bool good = seen != NULL;
    for (uint64_t i = 0; good && i < n; i++)
        good = numbers[i] < n && !seen[numbers[i]]++;
    free(seen);
    return good;
}

int nb_pack_begin(struct nb_pack *k, const char *name)
{
    struct head head = {"", 0};
    assert(k->section_begin == 0 && strlen(name) < sizeof head.name);
    strcpy(head.name, name);
    if (nb_pack_bytes(k, &head, sizeof head))
        return -1;
    if (k->way == NB_PACK_LOAD && (head.name[NAME_BYTES - 1] || strcmp(head.name, name) != 0))
        return nb_fail("contains the section '%.*s' where '%s' is expected (resume with the version that wrote it)",
                       NAME_BYTES, head.name, name);
    if (k->way == NB_PACK_LOAD && head.size_bytes > k->size_bytes - k->at)
        return nb_fail("ends inside '%s'", name);
    k->section_begin = k->at;
    k->section_end = k->way == NB_PACK_LOAD ? k->at + head.size_bytes : 0;
    return 0;
}

int nb_pack_end(struct nb_pack *k)
{
    const uint64_t size_bytes = k->at - k->section_begin;
    assert(k->section_begin > 0);
    if (k->way == NB_PACK_SAVE) /* size_bytes is the last member of the section's header */
        memcpy(k->data + k->section_begin - sizeof size_bytes, &size_bytes, sizeof size_bytes);
    else if (k->way == NB_PACK_LOAD && k->at != k->section_end)
        return nb_fail("contains data that this version does not know (resume with the version that wrote it)");
    k->section_begin = 0;
    return 0;
}

void nb_pack_skip(struct nb_pack *k)
{
    if (k->way == NB_PACK_LOAD)
        k->at = k->section_end;
}
