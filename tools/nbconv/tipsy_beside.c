/* What lies beside TIPSY's file: its units, and arrays of whole numbers. */
#include "base/error.h"
#include "base/io.h"
#include "base/units.h"
#include "lines.h"
#include "tipsy.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct tipsy_aside tipsy_asides[] = {
    {"id", "iord", NB_U64}, {"component", "component", NB_U8}, {"galaxy", "galaxy", NB_U8}, {0}};

/* ---- units ---- */

static void read_value(const struct lines *in, const char *value, double unit, double *to)
{
    *to = lines_number(in, value) * unit;
    if (!(*to > 0) || !isfinite(*to))
        die("%s: line %" PRIu64 ": %s is not a size", in->name, in->number, value);
}

/* Lines `key = value # comment', of which few matter. */
static void read_param(const char *name, struct tipsy_units *u)
{
    static struct lines in;
    *u = (struct tipsy_units){0};
    lines_open(&in, name);
    while (lines_next(&in)) {
        in.text[strcspn(in.text, "#")] = '\0';
        char *equals = strchr(in.text, '=');
        if (!equals)
            continue;
        *equals = ' ';
        const char *key = lines_word(&in), *value = lines_word(&in);
        if (!value)
            continue;
        if (strcmp(key, "dMsolUnit") == 0)
            read_value(&in, value, NB_SUN_CGS, &u->mass_cgs);
        else if (strcmp(key, "dKpcUnit") == 0)
            read_value(&in, value, NB_KPC_CGS, &u->length_cgs);
        else if (strcmp(key, "dDelta") == 0)
            u->dt = lines_number(&in, value);
        else if ((strcmp(key, "bComove") == 0 || strcmp(key, "bDoublePos") == 0 || strcmp(key, "bDoubleVel") == 0) &&
                 strcmp(value, "0") != 0)
            die("%s: line %" PRIu64 ": %s = %s: such files are not read", name, in.number, key, value);
    }
    lines_close(&in);
}

static char *with_extension(const char *path, size_t length, const char *extension)
{
    char *name;
    if (asprintf(&name, "%.*s.%s", (int)length, path, extension) < 0)
        die("no memory");
    return name;
}

/* NAME.param of NAME, NAME.std, NAME.00010 and NAME_007.std: all files of a run have one. */
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

void tipsy_write_param(struct tool_output *file, const struct tipsy_units *u)
{
    struct tipsy_units there;
    const char *path = tool_output_name(file);
    char *name = param_name(path), text[512];
    int length = snprintf(text, sizeof text,
                          "# Units of TIPSY's files: G = 1, masses in dMsolUnit solar masses, lengths in dKpcUnit kpc\n"
                          "dMsolUnit = %.17g\n"
                          "dKpcUnit = %.17g\n"
                          "bComove = 0\n",
                          u->mass_cgs / NB_SUN_CGS, u->length_cgs / NB_KPC_CGS);
    if (u->dt > 0)
        length += snprintf(text + length, sizeof text - (size_t)length, "dDelta = %.17g\n", u->dt);
    if (tool_options.overwrite || access(name, F_OK) != 0) {
        struct tool_output *output = tool_output_open(name, false);
        if (nb_io_write(tool_output_fd(output), name, text, (size_t)length))
            tool_output_failed();
        tool_output_beside(file, output);
    } else {
        read_param(name, &there);
        if (!is_same(there.length_cgs, u->length_cgs) || !is_same(there.mass_cgs, u->mass_cgs))
            die("%s: is there with other units, and would be that of %s too (-f replaces it)", name, path);
    }
    free(name);
}

/* The one *.param of the file's folder, or NULL. */
static char *only_param(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./"), *found = NULL;
    int count = 0;
    DIR *d = folder ? opendir(folder) : NULL;
    for (const struct dirent *e; d && (e = readdir(d));) {
        const size_t length = strlen(e->d_name);
        if (length <= strlen(".param") || strcmp(e->d_name + length - strlen(".param"), ".param") != 0)
            continue;
        free(found);
        found = NULL;
        if (++count == 1 && asprintf(&found, "%s%s", slash ? folder : "", e->d_name) < 0)
            die("no memory");
    }
    if (d)
        closedir(d);
    free(folder);
    return found;
}

bool tipsy_read_param(const char *path, struct tipsy_units *u)
{
    char *name = param_name(path);
    *u = (struct tipsy_units){0};
    if (access(name, F_OK) != 0) {
        free(name);
        name = only_param(path);
    }
    if (name) {
        read_param(name, u);
        say_verbose("units from %s", name);
    }
    free(name);
    return u->length_cgs > 0 && u->mass_cgs > 0;
}

/* ---- arrays ---- */

static void put_line(struct bytes_out *out, uint64_t value)
{
    char line[32];
    bytes_put(out, line, 1, (size_t)snprintf(line, sizeof line, "%" PRIu64 "\n", value));
}

void tipsy_write_aside(struct tool_output *file, const struct tipsy_aside *a, const struct nb_bodies *b,
                       const uint64_t *order)
{
    static struct bytes_out out;
    const char *path = tool_output_name(file);
    char *name = with_extension(path, strlen(path), a->extension);
    const struct nb_column *c = nb_bodies_find(b, a->column);
    out.output = tool_output_open(name, false);
    put_line(&out, b->n);
    for (uint64_t i = 0; i < b->n; i++)
        put_line(&out,
                 c->type == NB_U64 ? ((const uint64_t *)c->data)[order[i]] : ((const uint8_t *)c->data)[order[i]]);
    bytes_flush(&out);
    tool_output_beside(file, out.output);
    free(name);
}

void tipsy_read_aside(const char *path, const struct tipsy_aside *a, struct nb_bodies *b)
{
    static struct lines in;
    char *name = with_extension(path, strlen(path), a->extension);
    if (access(name, F_OK) == 0) {
        lines_open(&in, name);
        const char *word = lines_next(&in) ? lines_word(&in) : NULL;
        if (!word || lines_unsigned(&in, word, UINT64_MAX) != b->n)
            die("%s: is not of %" PRIu64 " bodies", name, b->n);
        if (nb_bodies_add(b, a->column, a->type, 1, "-") || nb_bodies_alloc(b))
            die("%s: %s", name, nb_error());
        void *to = nb_bodies_find(b, a->column)->data;
        for (uint64_t i = 0; i < b->n; i++) {
            word = lines_next(&in) ? lines_word(&in) : NULL;
            if (!word)
                die("%s: ends at %" PRIu64 " of %" PRIu64 " bodies", name, i, b->n);
            const uint64_t value = lines_unsigned(&in, word, a->type == NB_U8 ? UINT8_MAX : UINT64_MAX);
            if (a->type == NB_U8)
                ((uint8_t *)to)[i] = (uint8_t)value;
            else
                ((uint64_t *)to)[i] = value;
        }
        lines_close(&in);
    }
    free(name);
}
