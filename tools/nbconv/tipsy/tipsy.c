/* tipsy.c - the records of TIPSY files and their columns, and two types of additional files: units (.param), and arrays
 * of whole numbers. */
#include "nbconv/tipsy/tipsy.h"

#include "base/units.h"
#include "nbconv/text/text.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// clang-format off
#define M   {"mass", 0}
#define R   {"pos", 0}, {"pos", 1}, {"pos", 2}
#define V   {"vel", 0}, {"vel", 1}, {"vel", 2}
#define EPS {"softening", 0}
#define PHI {"phi", 0}
#define Z   {"metals", 0}

const struct tipsy_record tipsy_records[TIPSY_FAMILIES] = {
    {"gas", 12, {M, R, V, {"density", 0}, {"temperature", 0}, EPS, Z, PHI}},
    {"dark", 9, {M, R, V, EPS, PHI}},
    {"star", 11, {M, R, V, Z, {"formation_time", 0}, EPS, PHI}},
};
// clang-format on

const struct tipsy_column tipsy_columns[] = {
    {"mass", "M", 1, false},          {"pos", "L", 3, false},
    {"vel", "L/T", 3, false},         {"softening", "L", 1, true},
    {"phi", "L^2/T^2", 1, true},      {"density", "M/L^3", 1, true},
    {"temperature", "-", 1, true},    {"metals", "-", 1, true},
    {"formation_time", "T", 1, true}, {0},
};

const struct tipsy_aside tipsy_asides[] = {
    {"id", "iord", NB_U64}, {"component", "component", NB_U8}, {"galaxy", "galaxy", NB_U8}, {0}};

uint64_t tipsy_size(const struct tipsy_header *h)
{
    uint64_t size = 0;
    for (int f = 0; f < TIPSY_FAMILIES; f++)
        size += (uint64_t)h->count[f] * (uint64_t)tipsy_records[f].count * sizeof(float);
    return size;
}

/* ---- units ---- */

static int read_size(const struct lines *in, const char *value, double unit, double *to)
{
    if (lines_number(in, value, to))
        return -1;
    *to *= unit;
    return *to > 0 && isfinite(*to) ? 0 : lines_fail(in, "%s is not a size", value);
}

/* Parses a line `key = value # comment'. If the key is a unit or the time step, stores the value in *u. Fails if the
 * line asks for comoving coordinates or double precision. Ignores other keys. */
static int read_line(struct lines *in, struct tipsy_units *u)
{
    in->text[strcspn(in->text, "#")] = '\0';
    char *equals = strchr(in->text, '=');
    if (!equals)
        return 0;
    *equals = ' ';
    const char *key = lines_word(in), *value = lines_word(in);
    if (!value)
        return 0;
    if (strcmp(key, "dMsolUnit") == 0)
        return read_size(in, value, NB_SUN_CGS, &u->mass_cgs);
    if (strcmp(key, "dKpcUnit") == 0)
        return read_size(in, value, NB_KPC_CGS, &u->length_cgs);
    if (strcmp(key, "dDelta") == 0)
        return lines_number(in, value, &u->dt);
    if ((strcmp(key, "bComove") == 0 || strcmp(key, "bDoublePos") == 0 || strcmp(key, "bDoubleVel") == 0) &&
        strcmp(value, "0") != 0)
        return lines_fail(in, "%s = %s: such files are not supported", key, value);
    return 0;
}

static int read_param(const char *name, struct tipsy_units *u)
{
    static struct lines in;
    int status = lines_open(&in, name) ? -1 : 1;
    while (status > 0 && (status = lines_next(&in)) > 0)
        status = read_line(&in, u) ? -1 : 1;
    return lines_close(&in, status);
}

/* Returns the first `length` characters of `path`, a dot and the extension. Returns NULL after nb_fail if there is no
 * memory. */
static char *with_extension(const char *path, size_t length, const char *extension)
{
    char *name;
    if (asprintf(&name, "%.*s.%s", (int)length, path, extension) >= 0)
        return name;
    return nb_null(nb_fail("no memory"));
}

/* Returns the name of the parameter file that belongs to a snapshot. For example, NAME.param belongs to the snapshots
 * NAME, NAME.std, NAME.00010 and NAME_007.std. */
static char *param_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
    const char *dot = strrchr(begin, '.'), *end = dot && dot > begin ? dot : begin + strlen(begin);
    const char *digits = end;
    while (digits > begin && isdigit((unsigned char)digits[-1]))
        digits--;
    if (digits < end && digits > begin + 1 && strchr("._-", digits[-1]))
        end = digits - 1;
    return with_extension(path, (size_t)(end - path), "param");
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static int check_param(const char *name, const char *path, const struct tipsy_units *u)
{
    struct tipsy_units there = {0};
    if (read_param(name, &there))
        return -1;
    if (is_same(there.length_cgs, u->length_cgs) && is_same(there.mass_cgs, u->mass_cgs))
        return 0;
    return nb_fail("%s: exists already with other units, and would apply to %s too (-f replaces it)", name, path);
}

int tipsy_write_param(struct tool_output *file, const struct tipsy_units *u)
{
    const char *path = tool_output_name(file);
    char *name = param_name(path), text[512];
    int status = name ? 0 : -1;
    int length = snprintf(text, sizeof text,
                          "# Units of TIPSY's files: G = 1, masses in dMsolUnit solar masses, lengths in dKpcUnit kpc\n"
                          "dMsolUnit = %.17g\n"
                          "dKpcUnit = %.17g\n"
                          "bComove = 0\n",
                          u->mass_cgs / NB_SUN_CGS, u->length_cgs / NB_KPC_CGS);
    if (u->dt > 0)
        length += snprintf(text + length, sizeof text - (size_t)length, "dDelta = %.17g\n", u->dt);
    if (name && (tool_options.overwrite || access(name, F_OK) != 0)) {
        struct tool_output *output = tool_output_open(name, false);
        conv_write(output, text, (size_t)length);
        tool_output_beside(file, output);
    } else if (name)
        status = check_param(name, path, u);
    free(name);
    return status;
}

static int is_param(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && dot > e->d_name && strcmp(dot, ".param") == 0;
}

/* Sets *found to the only *.param file in the folder of `path`, or to NULL if the folder has none or several. */
static int only_param(const char *path, char **found)
{
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) + 1 : 0;
    char *folder = slash ? strndup(path, (size_t)length) : strdup("./");
    struct dirent **list = NULL;
    int count = folder ? scandir(folder, &list, is_param, NULL) : 0, status = folder ? 0 : -1;
    *found = NULL;
    if (count == 1 && asprintf(found, "%.*s%s", length, path, list[0]->d_name) < 0) {
        *found = NULL;
        status = -1;
    }
    while (count > 0)
        free(list[--count]);
    free(list);
    free(folder);
    return status ? nb_fail("no memory") : 0;
}

int tipsy_read_param(const char *path, struct tipsy_units *u)
{
    char *name = param_name(path);
    int status = name ? 0 : -1;
    if (name && access(name, F_OK) != 0) {
        free(name);
        status = only_param(path, &name);
    }
    if (name && status == 0)
        status = read_param(name, u);
    if (name && status == 0)
        say_verbose("units from %s", name);
    free(name);
    return status;
}

/* ---- arrays ---- */

int tipsy_write_aside(struct tool_output *file, const struct tipsy_aside *a, const struct nb_bodies *b,
                      const uint64_t *order)
{
    static struct bytes_out out;
    const char *path = tool_output_name(file);
    char *name = with_extension(path, strlen(path), a->extension);
    const struct nb_column *c = nb_bodies_find(b, a->column);
    if (!name)
        return -1;
    out.output = tool_output_open(name, false);
    bytes_print(&out, "%" PRIu64 "\n", b->n);
    for (uint64_t i = 0; i < b->n; i++) {
        char line[NUMBER_BYTES];
        const size_t length = number_print_value(line, c, order[i], 1);
        line[length] = '\n';
        bytes_put(&out, line, 1, length + 1);
    }
    bytes_flush(&out);
    tool_output_beside(file, out.output);
    free(name);
    return 0;
}

static const char *next_line(struct lines *in)
{
    return lines_next(in) > 0 ? lines_word(in) : NULL;
}

static int take_aside(struct lines *in, const struct tipsy_aside *a, struct nb_bodies *b)
{
    const char *word = next_line(in);
    uint64_t value;
    if (word && lines_unsigned(in, word, UINT64_MAX, &value))
        return -1;
    if (!word || value != b->n)
        return in->failed ? -1 : nb_fail("%s: does not have %" PRIu64 " bodies", in->file.name, b->n);
    if (nb_bodies_add(b, a->column, a->type, 1, "-") || nb_bodies_alloc(b))
        return nb_fail("%s: %s", in->file.name, nb_error());
    for (uint64_t i = 0; i < b->n; i++) {
        word = next_line(in);
        if (!word)
            return in->failed ? -1 : nb_fail("%s: ends at %" PRIu64 " of %" PRIu64 " bodies", in->file.name, i, b->n);
        if (lines_unsigned(in, word, a->type == NB_U8 ? UINT8_MAX : UINT64_MAX, &value))
            return -1;
        conv_set_whole(nb_bodies_find(b, a->column), i, value);
    }
    return 0;
}

int tipsy_read_aside(const char *path, const struct tipsy_aside *a, struct nb_bodies *b)
{
    static struct lines in;
    char *name = with_extension(path, strlen(path), a->extension);
    int status = name ? 0 : -1;
    if (name && access(name, F_OK) == 0)
        status = lines_close(&in, lines_open(&in, name) || take_aside(&in, a, b) ? -1 : 0);
    free(name);
    return status;
}
