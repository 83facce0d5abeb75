/* tool_utf8.c - decodes one code point of UTF-8 text. */

#include "common/tool_utf8.h"

/* Returns how many bytes follow `first` in a code point, or -1 if `first` cannot be the first byte of a code point. */
static int following(unsigned char first)
{
    if (first < 0x80)
        return 0;
    if (first >= 0xc2 && first < 0xe0)
        return 1;
    if (first >= 0xe0 && first < 0xf0)
        return 2;
    return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

uint32_t utf8_next(const char **text)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*text;
    int more = following(*s);
    if (!*s)
        return 0;
    ++*text;
    if (more <= 0)
        return more ? UTF8_BAD : *s;
    uint32_t sign = *s & (0x3fu >> more);
    for (int k = 1; k <= more; k++) {
        if ((s[k] & 0xc0) != 0x80)
            return UTF8_BAD;
        sign = sign << 6 | (s[k] & 0x3fu);
    }
    if (sign < least[more] || sign > 0x10ffff || (sign >= 0xd800 && sign < 0xe000))
        return UTF8_BAD;
    *text += more;
    return sign;
}
