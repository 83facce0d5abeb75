#include "common/tool_json.h"

#include "common/tool_utf8.h"

#include <math.h>

void tool_json_string(FILE *f, const char *text)
{
    putc('"', f);
    for (const char *next = text; *text; text = next) {
        const uint32_t sign = utf8_next(&next);
        if (sign < ' ' || sign == 0x7f || sign == UTF8_BAD)
            fprintf(f, "\\u%04x", (unsigned)sign);
        else
            fprintf(f, "%s%.*s", sign == '"' || sign == '\\' ? "\\" : "", (int)(next - text), text);
    }
    putc('"', f);
}

void tool_json_number(FILE *f, double value)
{
    if (isfinite(value))
        fprintf(f, "%.17g", value);
    else
        fputs("null", f);
}
