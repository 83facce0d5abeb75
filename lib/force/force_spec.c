/* force_spec.c - parses and prints the text with which a user requests a force: NAME[:KIND][,key=value...]. Declared in
 * force.h. */
#include "base/error.h"
#include "force/force.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct nb_force_kind kinds_of_none[] = {{.name = ""}, {0}};

/* Returns the kinds that a force method has (KIND in NAME:KIND), or NULL after nb_fail. "auto" has the kinds and the
 * parameters of the tree, because "auto" may choose the tree. */
static const struct nb_force_kind *find_kinds(const char *method)
{
    const char *name = strcmp(method, "auto") == 0 ? "tree" : nb_force_row_name(method);
    const struct nb_force *f = nb_force_find(name, NULL);
    if (f)
        return f->kinds ? f->kinds : kinds_of_none;
    nb_fail("unknown force '%.60s' (--list-forces lists all)", method);
    return NULL;
}

static void list_kinds(const struct nb_force_kind *kinds, char *text, size_t size)
{
    size_t used = 0;
    for (*text = '\0'; kinds->name && used < size; kinds++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", kinds->name);
}

static void list_parameters(const struct nb_force_kind *kind, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (const struct nb_parameter *p = kind->parameters; p && p->name && used < size; p++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", p->name);
}

static int place_of(const struct nb_force_kind *kind, const char *name)
{
    for (int k = 0; kind->parameters && kind->parameters[k].name; k++)
        if (strcmp(kind->parameters[k].name, name) == 0)
            return k;
    return -1;
}

static const char *separator(const struct nb_force_kind *kind)
{
    return *kind->name ? ":" : "";
}

/* Sets parameter number `place`, which takes one of several words, to the index of the word `value`. */
static int set_word(struct nb_force_spec *spec, int place, const char *value)
{
    const struct nb_parameter *p = &spec->kind->parameters[place];
    char known[256];
    size_t used = 0;
    for (int k = 0; p->words[k]; k++)
        if (strcmp(p->words[k], value) == 0) {
            spec->value[place] = k;
            return 0;
        }
    for (int k = 0; p->words[k] && used < sizeof known; k++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", p->words[k]);
    return nb_fail("force %s%s%s: %s=%.60s: expected one of %s", spec->method, separator(spec->kind), spec->kind->name,
                   p->name, value, known);
}

static int set_number(struct nb_force_spec *spec, int place, const char *key, const char *value)
{
    const struct nb_force_kind *kind = spec->kind;
    const struct nb_parameter *p = &kind->parameters[place];
    char *end;
    const double number = strtod(value, &end);
    if (*value == '\0' || *end != '\0' || value[strspn(value, "+-.0123456789eE")] || !isfinite(number) ||
        (p->whole && number != floor(number)))
        return nb_fail("force %s%s%s: %s=%.60s: expected a %snumber", spec->method, separator(kind), kind->name, key,
                       value, p->whole ? "whole " : "");
    if (number < p->least || number > p->most || (p->above && number == p->least)) {
        char most[32] = "";
        if (isfinite(p->most))
            snprintf(most, sizeof most, " to %g", p->most);
        return nb_fail("force %s%s%s: %s=%.60s is not %s %g%s", spec->method, separator(kind), kind->name, key, value,
                       p->above ? "above" : "from", p->least, most);
    }
    spec->value[place] = number;
    return 0;
}

/* ---- file names, escaped as in a URL, for headers and lists of parameters ---- */

static bool is_plain(char c)
{
    return c > ' ' && c <= '~' && c != ',' && c != '%';
}

/* Returns the byte with the value XX if the text `at` begins with %XX (two hexadecimal digits), or -1 if it does
 * not. */
static int escaped(const char *at)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *high = at[0] == '%' && at[1] ? strchr(digits, at[1]) : NULL,
               *low = high && at[2] ? strchr(digits, at[2]) : NULL;
    return low ? (int)((high - digits) % 16 * 16 + (low - digits) % 16) : -1;
}

static int set_file(struct nb_force_spec *spec, const struct nb_parameter *p, const char *value)
{
    char name[NB_FORCE_FILE_BYTES];
    size_t length = 0;
    bool control = false;
    for (const char *at = value; *at && length < sizeof name; length++) {
        const int byte = escaped(at);
        name[length] = byte < 0 ? *at : (char)byte;
        control = control || (unsigned char)name[length] < ' ' || name[length] == 127;
        at += byte < 0 ? 1 : 3;
    }
    if (length == 0 || length == sizeof name || control)
        return nb_fail("force %s:%s: %s= takes the name of a file, of 1 to %d bytes without control characters",
                       spec->method, spec->kind->name, p->name, NB_FORCE_FILE_BYTES - 1);
    name[length] = '\0';
    strcpy(spec->file[p->file - 1], name);
    return 0;
}

/* Writes the file name to `text`, with %XX for each byte that cannot stand in a spec (is_plain). Returns the length of
 * the complete result, even if `size` is too small (like snprintf). */
static size_t print_file(char *text, size_t size, const char *name)
{
    size_t used = 0;
    for (; *name; name++)
        used += (size_t)snprintf(text + (used < size ? used : size), used < size ? size - used : 0,
                                 is_plain(*name) ? "%c" : "%%%02X", (unsigned char)*name);
    return used;
}

int nb_force_spec_set(struct nb_force_spec *spec, const char *key, const char *value)
{
    const struct nb_force_kind *kind = spec->kind;
    const int place = place_of(kind, key);
    char known[256];
    if (place < 0) {
        list_parameters(kind, known, sizeof known);
        return nb_fail("force %s%s%s: unknown parameter '%.60s' (known: %s)", spec->method, separator(kind), kind->name,
                       key, known);
    }
    if (kind->parameters[place].file)
        return set_file(spec, &kind->parameters[place], value);
    return kind->parameters[place].words ? set_word(spec, place, value) : set_number(spec, place, key, value);
}

/* Returns the kind whose name is the first of the comma-separated items in *rest, and moves *rest to the next item. If
 * the method has only one kind, with the name "", returns this kind and leaves *rest unchanged. Returns NULL after
 * nb_fail. */
static const struct nb_force_kind *take_kind(const char *method, const struct nb_force_kind *kinds, char **rest)
{
    char known[256];
    if (strcmp(kinds->name, "") == 0)
        return kinds;
    const char *name = *rest ? strsep(rest, ",") : "";
    for (const struct nb_force_kind *k = kinds; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    list_kinds(kinds, known, sizeof known);
    nb_fail("force %s: unknown kind '%.60s' (known: %s)", method, name, known);
    return NULL;
}

/* Returns whether the user gave a file with a table, whose columns can set parameters. */
static bool has_table(const struct nb_force_spec *spec)
{
    for (const struct nb_parameter *p = spec->kind->parameters; p && p->name; p++)
        if (p->table && *spec->file[p->file - 1])
            return true;
    return false;
}

static int take_parameters(struct nb_force_spec *spec, char *rest)
{
    for (char *item; (item = strsep(&rest, ","));) {
        char *value = strchr(item, '=');
        if (!value)
            return nb_fail("force %s: '%.60s': expected key=value (in the name of a file write a comma as %%2C)",
                           spec->method, item);
        *value++ = '\0';
        if (nb_force_spec_set(spec, item, value))
            return -1;
        const unsigned bit = 1u << place_of(spec->kind, item);
        if (spec->given & bit)
            return nb_fail("force %s%s%s: %s is given twice", spec->method, separator(spec->kind), spec->kind->name,
                           item);
        spec->given |= bit;
    }
    for (const struct nb_parameter *p = spec->kind->parameters; p && p->name && !has_table(spec); p++)
        if (isnan(spec->value[p - spec->kind->parameters]))
            return nb_fail("force %s%s%s: %s is missing (%s)", spec->method, separator(spec->kind), spec->kind->name,
                           p->name, p->about);
    return 0;
}

int nb_force_parse(const char *text, struct nb_force_spec *spec)
{
    char copy[NB_FORCE_TEXT_BYTES], *rest = copy;
    int status = -1;
    if (strlen(text) >= sizeof copy)
        return nb_fail("force '%.40s...' is longer than %zu characters", text, sizeof copy - 1);
    strcpy(copy, text);
    *spec = (struct nb_force_spec){0};
    const char *method = strsep(&rest, ":");
    const struct nb_force_kind *kinds =
        strlen(method) < sizeof spec->method ? find_kinds(method) : (nb_fail("unknown force '%.40s'", method), NULL);
    if (kinds) {
        strcpy(spec->method, method);
        spec->kind = take_kind(method, kinds, &rest);
    }
    if (spec->kind) {
        for (int k = 0; spec->kind->parameters && spec->kind->parameters[k].name; k++)
            spec->value[k] = spec->kind->parameters[k].usual;
        status = take_parameters(spec, rest);
    }
    return status;
}

/* Prints the number with 15 digits, or with 16 or 17 digits if fewer digits would be read back as another number. Does
 * not try fewer than 15 digits (with 1 digit, 10 would be printed as 1e+01). */
static int print_number(char *text, size_t size, double number)
{
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, size, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return length;
}

void nb_force_print(const struct nb_force_spec *spec, char *text, size_t size)
{
    const struct nb_force_kind *kind = spec->kind;
    size_t used = (size_t)snprintf(text, size, "%s%s%s", spec->method, separator(kind), kind->name);
    for (int k = 0; kind->parameters && kind->parameters[k].name && used < size; k++) {
        const struct nb_parameter *p = &kind->parameters[k];
        char number[32];
        const char *value = number;
        if (p->file && !*spec->file[p->file - 1])
            continue;
        /* Defaults are not printed if there is a table: a printed default would replace the table's column. */
        if (has_table(spec) && !p->file && (isnan(spec->value[k]) || spec->value[k] == p->usual))
            continue;
        if (p->file)
            value = "";
        else if (p->words)
            value = p->words[(int)spec->value[k]];
        else
            print_number(number, sizeof number, spec->value[k]);
        used +=
            (size_t)snprintf(text + used, size - used, "%c%s=%s", k == 0 && !*kind->name ? ':' : ',', p->name, value);
        if (p->file && used < size)
            used += print_file(text + used, size - used, spec->file[p->file - 1]);
    }
    if (used >= size && size > 0)
        *text = '\0';
}

unsigned nb_force_spec_flags(const struct nb_force_spec *spec)
{
    const struct nb_force *f = nb_force_find(nb_force_row_name(spec->method), NULL);
    return (f ? f->flags : 0) | nb_force_spec_further(spec);
}

unsigned nb_force_spec_further(const struct nb_force_spec *spec)
{
    unsigned flags = spec->kind->flags;
    for (int k = 0; spec->kind->parameters && spec->kind->parameters[k].name; k++) {
        const struct nb_parameter *p = &spec->kind->parameters[k];
        if (p->file ? *spec->file[p->file - 1] != '\0' : spec->value[k] != p->usual)
            flags |= p->flags;
    }
    return flags;
}

bool nb_force_text_is_field(const char *text)
{
    struct nb_force_spec spec;
    return nb_force_parse(text, &spec) || nb_force_is_field(nb_force_spec_flags(&spec));
}

bool nb_force_has_external(const struct nb_meta *meta)
{
    struct nb_force_spec spec;
    for (int k = 0; k < meta->force_count; k++)
        if (nb_force_parse(meta->forces[k], &spec) || nb_force_spec_flags(&spec) & NB_EXTERNAL)
            return true; /* also true for a text that cannot be parsed; opening this force fails later */
    return false;
}

double nb_force_value(const struct nb_force_spec *spec, const char *name)
{
    const int place = place_of(spec->kind, name);
    return place < 0 ? NAN : spec->value[place];
}

bool nb_force_names(const struct nb_force_spec *spec, const char *name)
{
    const int place = place_of(spec->kind, name);
    return place >= 0 && spec->given >> place & 1;
}
