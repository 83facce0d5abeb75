/* main.c - nbbench measures how fast a device computes forces and steps, and prints a table with which machines can be
 * compared. If a measurement is left out, because it would take too long or needs too much memory, a comment line of
 * the table says so. */
#include "nbbench/nbbench.h"

#include "device/choose.h"
#include "simd/simd.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* If one evaluation of n bodies is expected to take more than this number of seconds, n bodies are not measured. */
#define LONGEST_S 2.0

static const uint64_t direct_sizes[] = {4096, 16384, 65536, 262144, 1048576, 0};
static const uint64_t tree_sizes[] = {16384, 131072, 1048576, 16777216, 67108864, 0};

static const struct subject {
    const char *force;
    const uint64_t *sizes;
    double power; /* the time of an evaluation of n bodies is proportional to n^power */
} subjects[] = {{"direct", direct_sizes, 2}, {"tree", tree_sizes, 1}};

static struct bench {
    const char *device_name;
    int precision;        /* precision to measure; -1: all precisions */
    uint64_t most_bodies; /* maximum number of bodies; UINT64_MAX: no limit */
    bool json;
    struct nb_device *device;
    bool any; /* true: at least one line of the table was printed */
} bench = {.device_name = "auto", .precision = -1, .most_bodies = UINT64_MAX};

/* ---- options ---- */

static void take_kernel(const struct tool_option *o, const char *text)
{
    if (nb_simd_choose(text))
        die_usage("--%s %s: %s", o->name, text, nb_error());
}

static const struct tool_option table[] = {
    {.about = "Measurement:"},
    {"device", "auto|cpu[:A-B]|cuda[:N|:A-B|:all]|opencl[:N]", tool_take_device, &bench.device_name,
     "device to measure (default auto: a GPU if CUDA finds one, otherwise the CPU). cuda:A-B or cuda:all use "
     "several GPUs as one"},
    {"bodies", "N", tool_take_count, &bench.most_bodies,
     "largest number of bodies (default: until an evaluation takes more than 2 s)", .letter = 'n'},
    {"precision", "single|mixed|double", tool_take_word, &bench.precision,
     "measure only this precision (default: all three)"},
    {"kernel", "baseline|avx2|avx512", take_kernel, NULL, "instruction set of the CPU's forces (default: the best)"},
    {"json", NULL, tool_take_flag, &bench.json, "print one JSON object"},
    {0},
};

/* ---- the table ---- */

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++)
        printf(*text == '"' || *text == '\\' ? "\\%c" : (unsigned char)*text < ' ' ? " " : "%c", *text);
    putchar('"');
}

static void print_fact(const struct bench *b, const char *name, const char *value)
{
    if (!b->json) {
        printf("# %s: %s\n", name, value);
        return;
    }
    printf("  ");
    print_string(name);
    printf(": ");
    print_string(value);
    puts(",");
}

static void print_head(const struct bench *b)
{
    const bool host = nb_device_is_host(b->device);
    if (b->json)
        puts("{");
    print_fact(b, "version", "nbbench (nbtools) " TOOL_VERSION);
    print_fact(b, "commit", tool_commit());
    print_fact(b, "compiler", tool_compiler());
    print_fact(b, "CUDA", tool_cuda());
    print_fact(b, "device", b->device->description);
    print_fact(b, "processor", b->device->model);
    print_fact(b, host ? "library" : "driver", b->device->driver);
    print_fact(b, "kernel", host ? nb_simd_name(nb_simd_in_use()) : "-");
    puts(b->json ? "  \"rows\": ["
                 : "# device\tforce\tprecision\tn\tforce_ms\tstep_ms\tbodies_per_s\tpairs_per_s\terror_median\tfew_ms");
}

/* Prints a line of the table. The column pairs_per_s is nan except for direct summation, because only direct summation
 * evaluates all n * n pairs. */
static void print_row(struct bench *b, const struct bench_row *r)
{
    const double n = (double)r->n;
    char pairs[32] = "nan";
    if (strcmp(r->force, "direct") == 0)
        snprintf(pairs, sizeof pairs, "%.4g", n * n / r->force_s);
    else if (b->json)
        strcpy(pairs, "null");
    const char *format = b->json
                             ? "%s    {\"device\": \"%s\", \"force\": \"%s\", \"precision\": \"%s\", \"n\": %" PRIu64
                               ", \"force_ms\": %.4g, \"step_ms\": %.4g, \"bodies_per_s\": %.4g, \"pairs_per_s\": %s, "
                               "\"error_median\": %.3g, "
                               "\"few_ms\": %.4g}"
                             : "%s%s\t%s\t%s\t%" PRIu64 "\t%.4g\t%.4g\t%.4g\t%s\t%.3g\t%.4g\n";
    printf(format, b->json && b->any ? ",\n" : "", b->device->name, r->force, nb_precision_name(r->precision), r->n,
           1e3 * r->force_s, 1e3 * r->step_s, n / r->force_s, pairs, r->error, 1e3 * r->few_s);
    b->any = true;
    fflush(stdout);
}

static void print_missing(const struct bench *b, const struct bench_row *r, const char *why)
{
    if (!b->json)
        printf("# %s %s %" PRIu64 ": %s\n", r->force, nb_precision_name(r->precision), r->n, why);
}

static void tell(const struct bench_row *r)
{
    char what[96];
    snprintf(what, sizeof what, "%s in %s precision, %" PRIu64 " bodies", r->force, nb_precision_name(r->precision),
             r->n);
    const struct tool_progress p = tool_progress_of(what);
    tool_progress(&p);
}

static void run_subject(struct bench *b, const struct subject *s, enum nb_precision precision)
{
    struct bench_row row = {.force = s->force, .precision = precision};
    uint64_t last_n = 0;
    for (const uint64_t *n = s->sizes; *n && *n <= b->most_bodies; n++) {
        const double expected_s = last_n ? row.force_s * pow((double)*n / (double)last_n, s->power) : 0;
        row.n = *n;
        if (expected_s > LONGEST_S) {
            print_missing(b, &row, "left out: an evaluation would take more than 2 s");
            return;
        }
        tell(&row);
        const bool measured = bench_measure(b->device, &row);
        tool_status_hide();
        if (!measured) {
            print_missing(b, &row, nb_error());
            return;
        }
        print_row(b, &row);
        last_n = *n;
    }
}

int main(int argc, char **argv)
{
    static const struct tool_syntax syntax = {
        .tables = {table, tool_table_common},
        .first = "device|bodies|precision|json",
        .about = "Measure how fast a device computes gravitational forces and time steps, and print a table.",
        .notes = "The bodies are a Plummer sphere. Nothing is read. Example:\n\n  nbbench --device cuda > gpu.tsv",
    };
    struct bench *b = &bench;
    tool_parse("nbbench", &syntax, argc, argv);
    if (b->most_bodies < direct_sizes[0])
        warn("--bodies: too small, the smallest measurement has %" PRIu64 " bodies", direct_sizes[0]);
    b->device = must_have(nb_device_choose(b->device_name));
    print_head(b);
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        for (int p = NB_SINGLE; p <= NB_DOUBLE; p++)
            if (b->precision < 0 || b->precision == p)
                run_subject(b, &subjects[k], (enum nb_precision)p);
    tool_progress_end();
    if (b->json)
        puts("\n  ]\n}");
    nb_device_close(b->device);
    tool_end_list();
}
