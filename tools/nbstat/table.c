/* A row as a line of text: tab-separated, or a JSON object (RFC 8259). */
#include "nbstat.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

static const struct field {
    const char *name;
    const char *tsv; /* names of its columns, where they differ */
    size_t offset;   /* of a double or of three in a row */
    int width;
} fields[] = {
#define FIELD(name, member, width, tsv)                     \
    {                                                       \
        name, tsv, offsetof(struct stat_row, member), width \
    }
    FIELD("mass", m.mass, 1, NULL),
    FIELD("kinetic", m.kinetic, 1, NULL),
    FIELD("potential", m.potential, 1, NULL),
    FIELD("energy", energy, 1, NULL),
    FIELD("energy_error", energy_error, 1, NULL),
    FIELD("virial", virial, 1, NULL),
    FIELD("momentum", m.momentum, 3, "px\tpy\tpz"),
    FIELD("angular_momentum", m.angular_momentum, 3, "lx\tly\tlz"),
    FIELD("momentum_error", momentum_error, 1, NULL),
    FIELD("angular_momentum_error", angular_momentum_error, 1, NULL),
    FIELD("com", m.com, 3, "comx\tcomy\tcomz"),
    FIELD("com_velocity", m.com_velocity, 3, "comvx\tcomvy\tcomvz"),
    FIELD("half_mass_radius", m.half_mass_radius, 1, NULL),
    FIELD("external", m.external, 1, NULL),
#undef FIELD
};
#define FIELDS (sizeof fields / sizeof *fields)

static const double *values(const struct stat_row *row, const struct field *field)
{
    return (const double *)((const char *)row + field->offset);
}

/* ---- tab-separated ---- */

void stat_print_header(FILE *f)
{
    fprintf(f, "# file\tframe\ttime\tn");
    for (size_t k = 0; k < FIELDS; k++)
        fprintf(f, "\t%s", fields[k].tsv ? fields[k].tsv : fields[k].name);
    putc('\n', f);
}

/* A name with what would end a field or a line written as in C. */
static void print_name(FILE *f, const char *name)
{
    for (; *name; name++)
        if (*name == '\\')
            fputs("\\\\", f);
        else if ((unsigned char)*name < ' ')
            fprintf(f, "\\%03o", (unsigned)*name);
        else
            putc(*name, f);
}

void stat_print_tsv(FILE *f, const struct stat_row *row)
{
    print_name(f, row->file);
    fprintf(f, "\t%" PRId64 "\t%.17g\t%" PRIu64, row->frame, row->time, row->m.n);
    for (size_t k = 0; k < FIELDS; k++)
        for (int c = 0; c < fields[k].width; c++) {
            const double value = values(row, &fields[k])[c];
            fprintf(f, "\t%.17g", isnan(value) ? (double)NAN : value); /* never -nan */
        }
    putc('\n', f);
}

/* ---- JSON ---- */

/* Bytes of the UTF-8 sequence (RFC 3629) that begins here; 0: none does. */
static int sequence_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last; /* of the leading byte */
        unsigned char low, high;   /* of the second: no overlong forms, no surrogates, nothing beyond U+10FFFF */
        int length;
    } forms[] = {{0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        if (s[0] < forms[k].first || s[0] > forms[k].last)
            continue;
        if (forms[k].length > 1 && (s[1] < forms[k].low || s[1] > forms[k].high))
            return 0;
        for (int c = 2; c < forms[k].length; c++)
            if ((s[c] & 0xc0) != 0x80)
                return 0;
        return forms[k].length;
    }
    return 0;
}

/* Bytes that are not UTF-8 become U+FFFD each: every reader takes that. */
static void print_string(FILE *f, const char *text)
{
    putc('"', f);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = sequence_length(s);
        if (length == 0)
            fputs("\\ufffd", f);
        else if (*s < ' ' || *s == 0x7f)
            fprintf(f, "\\u%04x", *s);
        else
            fprintf(f, "%s%.*s", *s == '"' || *s == '\\' ? "\\" : "", length, (const char *)s);
        s += length ? length : 1;
    }
    putc('"', f);
}

static void print_number(FILE *f, double value)
{
    if (isfinite(value))
        fprintf(f, "%.17g", value);
    else
        fputs("null", f);
}

static void print_values(FILE *f, const double *value, int width)
{
    if (width == 1) {
        print_number(f, *value);
        return;
    }
    for (int c = 0; c < width; c++) {
        fputs(c ? ", " : "[", f);
        print_number(f, value[c]);
    }
    putc(']', f);
}

void stat_print_json(FILE *f, const struct stat_row *row)
{
    fputs("{\"file\": ", f);
    print_string(f, row->file);
    fprintf(f, ", \"frame\": %" PRId64 ", \"time\": ", row->frame);
    print_number(f, row->time);
    fprintf(f, ", \"n\": %" PRIu64, row->m.n);
    for (size_t k = 0; k < FIELDS; k++) {
        fprintf(f, ", \"%s\": ", fields[k].name);
        print_values(f, values(row, &fields[k]), fields[k].width);
    }
    fputs("}\n", f);
}
