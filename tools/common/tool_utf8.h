/* tool_utf8.h - signs of a text, whatever its bytes are. */
#pragma once

#include <stdint.h>

#define UTF8_BAD 0xfffd /* what stands for a byte that is no UTF-8 */

/* The sign at *text, which goes on to the next one; 0 at the end. Overlong forms, surrogates and numbers above 0x10ffff
 * are no UTF-8. */
uint32_t utf8_next(const char **text);
