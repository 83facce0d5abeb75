/* light_device - measures the time of each stage of a picture on a device, as TSV.
 *
 *   light_device [--device auto|cuda] [--n N[,N...]] [--size WxH] [--repeats R]
 *
 * Columns are in milliseconds, measured in the device's queue: the mean of R pictures after two that are not counted.
 * `upload` is the time that the queue waits for the bodies' columns, `fetch` the copy of the planes to the host, and
 * `kernels` the rest. Bodies are f32 with steps of a colour ramp, in models: `galaxy`, half a Plummer sphere and half
 * an exponential disk seen from the side; `uniform`, spread over the picture; `point`, all at one position. */
#include "base/error.h"
#include "bench.h"
#include "device/choose.h"
#include "device/timing.h"
#include "light/light.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16 /* numbers of a list */

struct options {
    const char *device;
    double n[MOST];
    int n_count, width, height, repeats;
};

static void fail(void)
{
    fprintf(stderr, "light_device: %s\n", nb_error());
    exit(1);
}

/* ---- bodies ---- */

struct bodies {
    uint64_t n;
    float *pos;
    uint16_t *step;
};

static double uniform01(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void galaxy(uint64_t i, float *x)
{
    uint64_t seed = i * 1000;
    const double angle = 2 * M_PI * uniform01(&seed), u = uniform01(&seed), z = 2 * uniform01(&seed) - 1;
    if (i % 2) {
        const double r = -0.2 * log(uniform01(&seed) * uniform01(&seed) + 1e-12);
        x[0] = (float)(r * cos(angle));
        x[1] = (float)(0.5 * r * sin(angle) + 0.02 * z);
        x[2] = (float)(0.8 * r * sin(angle));
    } else {
        const double r = 0.15 / sqrt(pow(u + 1e-9, -2.0 / 3) - 1 + 1e-9), s = sqrt(1 - z * z);
        x[0] = (float)(r * s * cos(angle));
        x[1] = (float)(r * s * sin(angle));
        x[2] = (float)(r * z);
    }
}

static void uniform(uint64_t i, float *x)
{
    uint64_t seed = i * 1000;
    x[0] = (float)(2 * uniform01(&seed) - 1);
    x[1] = (float)((2 * uniform01(&seed) - 1) * 9 / 16);
    x[2] = 0;
}

static void point(uint64_t i, float *x)
{
    (void)i;
    x[0] = x[1] = x[2] = 0.123f;
}

static void make(struct bodies *b, uint64_t n, void (*place)(uint64_t i, float *x))
{
    b->n = n;
    b->pos = malloc(12 * n);
    b->step = malloc(2 * n);
    if (!b->pos || !b->step) {
        nb_fail("no memory for %.0f bodies", (double)n);
        fail();
    }
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < n; i++) {
        place(i, b->pos + 3 * i);
        b->step[i] = (uint16_t)(i * 7919 % NB_LIGHT_STEPS);
    }
}

/* ---- time ---- */

static const char *const stages[] = {"clear",  "survey", "levels",  "sort", "splat",  "upwards",
                                     "refine", "bloom",  "measure", "tone", "upload", "fetch"};
enum { STAGES = sizeof stages / sizeof *stages, KERNELS = STAGES - 2 };

static float ramp[NB_LIGHT_STEPS][4];
static struct nb_light_histogram histogram;

static void draw(struct nb_light *l, const struct nb_view *view, const struct nb_light_bodies *b,
                 uint16_t *const plane[3])
{
    struct nb_tone tone;
    memset(&histogram, 0, sizeof histogram);
    if (nb_light_clear(l) || nb_light_put(l, view, b) || nb_light_finish(l) || nb_light_measure(l, &histogram))
        fail();
    nb_tone_expose(&tone, &histogram, 1);
    if (nb_light_tone(l, &tone, plane))
        fail();
}

static void report(struct nb_device *device, const char *head, int repeats)
{
    size_t count;
    double ms[STAGES] = {0}, kernels = 0;
    const struct nb_stage *table = nb_timing_table(device, &count);
    if (!table)
        fail();
    for (size_t k = 0; k < count; k++)
        for (int s = 0; s < STAGES; s++)
            if (strcmp(table[k].name, stages[s]) == 0)
                ms[s] = 1e3 * table[k].seconds / repeats;
    for (int s = 0; s < KERNELS; s++)
        kernels += ms[s];
    printf("%s\t%.3f", head, kernels);
    for (int s = 0; s < STAGES; s++)
        printf("\t%.3f", ms[s]);
    printf("\n");
    fflush(stdout);
}

struct way {
    const char *name;
    double smooth, bloom, inverse_distance;
};

static void measure(struct nb_device *device, const struct options *o, const char *model, const struct bodies *bodies,
                    const struct way *way)
{
    const struct nb_light_style style = {
        .width = o->width, .height = o->height, .smooth = way->smooth, .radius = 1.5, .bloom = way->bloom};
    const struct nb_view view = {.right = {1, 0, 0},
                                 .up = {0, 1, 0},
                                 .back = {0, 0, 1},
                                 .scale = 0.5 * o->width,
                                 .inverse_distance = way->inverse_distance,
                                 .middle_x = 0.5 * o->width,
                                 .middle_y = 0.5 * o->height};
    const struct nb_column pos = {.name = "pos", .type = NB_F32, .width = 3, .data = bodies->pos};
    const struct nb_light_bodies b = {.n = bodies->n, .pos = &pos, .step = bodies->step, .ramp = ramp, .share = 1};
    const size_t plane_bytes = 2 * (size_t)o->width * (size_t)o->height;
    uint16_t *plane[3] = {malloc(plane_bytes), malloc(plane_bytes), malloc(plane_bytes)};
    struct nb_light *l = nb_light_open(device, &style);
    char head[256];
    if (!l || !plane[0] || !plane[1] || !plane[2])
        fail();
    for (int k = 0; k < 2; k++)
        draw(l, &view, &b, plane);
    if (nb_timing_begin(device))
        fail();
    const double begin_s = bench_clock();
    for (int k = 0; k < o->repeats; k++)
        draw(l, &view, &b, plane);
    const double wall_ms = 1e3 * (bench_clock() - begin_s) / o->repeats;
    snprintf(head, sizeof head, "%s\t%.0f\t%dx%d\t%s\t%.3f", model, (double)bodies->n, o->width, o->height, way->name,
             wall_ms);
    report(device, head, o->repeats);
    nb_timing_end(device);
    nb_light_close(l);
    for (int k = 0; k < 3; k++)
        free(plane[k]);
}

static void measure_all(struct nb_device *device, const struct options *o)
{
    static const struct way ways[] = {
        {"K=12 bloom", 12, 0.08, 0}, {"K=12", 12, 0, 0}, {"fixed", 0, 0, 0}, {"K=12 bloom perspective", 12, 0.08, 0.7}};
    static const struct {
        const char *name;
        void (*place)(uint64_t i, float *x);
    } models[] = {{"galaxy", galaxy}, {"uniform", uniform}, {"point", point}};
    for (int k = 0; k < o->n_count; k++)
        for (int m = 0; m < 3; m++) {
            struct bodies b;
            make(&b, (uint64_t)o->n[k], models[m].place);
            for (int w = 0; w < (m == 0 ? 4 : 1); w++)
                measure(device, o, models[m].name, &b, &ways[w]);
            free(b.pos);
            free(b.step);
        }
}

static void parse(struct options *o, int argc, char **argv)
{
    for (int k = 1; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--device") == 0)
            o->device = argv[k + 1];
        else if (strcmp(argv[k], "--repeats") == 0)
            o->repeats = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--size") == 0)
            sscanf(argv[k + 1], "%dx%d", &o->width, &o->height);
        else if (strcmp(argv[k], "--n") == 0) {
            o->n_count = 0;
            for (char *at = strtok(argv[k + 1], ","); at && o->n_count < MOST; at = strtok(NULL, ","))
                o->n[o->n_count++] = atof(at);
        }
    }
}

int main(int argc, char **argv)
{
    struct options o = {"cuda", {1e6, 1e7, 1e8}, 3, 1920, 1080, 5};
    parse(&o, argc, argv);
    struct nb_device *device = nb_device_choose(o.device);
    if (!device || o.n_count == 0 || o.repeats < 1)
        fail();
    for (int k = 0; k < NB_LIGHT_STEPS; k++)
        memcpy(ramp[k], (float[4]){(float)k / NB_LIGHT_STEPS, 0.5f, 1 - (float)k / NB_LIGHT_STEPS, 1}, 16);
    printf("# %s; milliseconds a picture\nmodel\tn\tsize\tway\twall\tkernels", device->description);
    for (int s = 0; s < STAGES; s++)
        printf("\t%s", stages[s]);
    printf("\n");
    measure_all(device, &o);
    nb_device_close(device);
    return 0;
}
