/* Writes the Exif metadata of JPEG and WebP files. */
#include "nbrender/output/exif.h"

#define TEXT 2 /* type number of an Exif field with text that ends with NUL */
/* tag of the description. It is written before the program's name, because tags must be in ascending order */
#define DESCRIPTION 0x010e
#define SOFTWARE    0x0131 /* tag of the program's name */

static const char software[] = "nbrender " TOOL_VERSION;

static void put(unsigned char *to, uint32_t number, int bytes)
{
    for (int k = 0; k < bytes; k++)
        to[k] = (unsigned char)(number >> 8 * k);
}

static void put_field(unsigned char *to, uint32_t tag, size_t count, size_t offset)
{
    put(to, tag, 2);
    put(to + 2, TEXT, 2);
    put(to + 4, (uint32_t)count, 4);
    put(to + 8, (uint32_t)offset, 4);
}

/* Returns the last lines of a text: as many whole lines as fit into `most` bytes including the NUL. */
static const char *last_lines(const char *text, size_t most)
{
    while (strlen(text) >= most && *text) {
        const char *end = strchr(text, '\n');
        text = end ? end + 1 : text + strlen(text);
    }
    return text;
}

unsigned char *exif_make(const struct picture *p, size_t most, size_t *size)
{
    enum { LIST = 8, FIELD = 12, TEXTS = LIST + 2 + 2 * FIELD + 4 };
    const size_t description_at = TEXTS + (sizeof software + 1) / 2 * 2; /* rounds up, because offsets must be even */
    const char *history = last_lines(p->info.history ? p->info.history : "", most - description_at);
    const size_t count = strlen(history) + 1;
    /* a value of up to 4 bytes would be stored in the field itself, so such a short text is left out */
    const bool described = count > 4;
    *size = described ? description_at + count : description_at;
    unsigned char *data = calloc(1, *size);
    if (!data)
        return NULL;
    unsigned char *field = data + LIST + 2;
    memcpy(data, "II*\0\10\0\0\0", LIST);
    put(data + LIST, described ? 2 : 1, 2);
    if (described) {
        put_field(field, DESCRIPTION, count, description_at);
        memcpy(data + description_at, history, count);
        field += FIELD;
    }
    put_field(field, SOFTWARE, sizeof software, TEXTS);
    memcpy(data + TEXTS, software, sizeof software);
    return data;
}
