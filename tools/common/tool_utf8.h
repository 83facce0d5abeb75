/* tool_utf8.h - decodes UTF-8 text, which may contain invalid bytes. */
#pragma once

#include <stdint.h>

#define UTF8_BAD 0xfffd /* U+FFFD, returned for an invalid byte */

/* Returns the code point at *text and moves *text to the next one. Returns 0 at the end of the text. Returns UTF8_BAD
 * for invalid bytes: overlong forms, surrogates and numbers above 0x10ffff, for example. */
uint32_t utf8_next(const char **text);
