/* Measures pictures of bodies as light: footprints of K bodies and footprints of one size, alternating in one run.
 *
 *   light [--n N,...|--input FILE] [--smooth K] [--stars S] [--bloom B] [--size WxH] [--rounds R]
 *
 * The bodies are a Plummer sphere, or the last frame of a stream ("-": stdin), seen so that the picture's height is 6
 * times the median distance from the centre on the longest axis; the linear picture is fetched. Times are medians, of
 * processor time (all threads) and of the clock. */
#include "light/light.h"
#include "base/error.h"
#include "bench.h"
#include "device/choose.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS_MAX 101

struct options {
    double n[16];
    int n_count;
    const char *input;
    double smooth, stars, bloom;
    int width, height, rounds;
};

struct times {
    double cpu_ms[ROUNDS_MAX], clock_ms[ROUNDS_MAX], put_ms[ROUNDS_MAX];
};

static void fail(void)
{
    fprintf(stderr, "light: %s\n", nb_error());
    exit(1);
}

static double cpu_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double place_of(const struct nb_column *pos, uint64_t i)
{
    return pos->type == NB_F32 ? (double)((const float *)pos->data)[i] : ((const double *)pos->data)[i];
}

/* Returns the view described above. */
static struct nb_view view_of(const struct nb_bodies *b, const struct options *o)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    double *r = malloc(b->n * sizeof *r), most = 0;
    for (int d = 0; r && d < 3; d++) {
        for (uint64_t i = 0; i < b->n; i++)
            r[i] = fabs(place_of(pos, 3 * i + (uint64_t)d));
        bench_sort(r, b->n);
        most = fmax(most, r[b->n / 2]);
    }
    free(r);
    return (struct nb_view){.right = {1},
                            .up = {0, 1},
                            .back = {0, 0, 1},
                            .scale = o->height / (6 * most),
                            .middle_x = o->width / 2.,
                            .middle_y = o->height / 2.};
}

/* Colours do not matter for the time. */
static struct nb_light_bodies bodies_of(const struct nb_bodies *b)
{
    static float ramp[NB_LIGHT_STEPS][4];
    uint16_t *step = malloc(b->n * sizeof *step);
    for (int i = 0; i < NB_LIGHT_STEPS; i++)
        for (int d = 0; d < 4; d++)
            ramp[i][d] = d == 3 ? 1 : (float)(i + 1) / NB_LIGHT_STEPS;
    for (uint64_t i = 0; step && i < b->n; i++)
        step[i] = (uint16_t)(i * 7919 % NB_LIGHT_STEPS);
    if (!step)
        exit(1);
    return (struct nb_light_bodies){.n = b->n, .pos = nb_bodies_find(b, "pos"), .step = step, .ramp = ramp, .share = 1};
}

static void draw(struct nb_light *l, const struct nb_view *view, const struct nb_light_bodies *light, float *pixels,
                 struct times *t, int round)
{
    const double cpu_s = cpu_clock(), clock_s = bench_clock();
    if (nb_light_clear(l) || nb_light_put(l, view, light))
        fail();
    const double put_s = cpu_clock();
    if (nb_light_finish(l) || nb_light_fetch(l, pixels))
        fail();
    t->clock_ms[round] = 1e3 * (bench_clock() - clock_s);
    t->put_ms[round] = 1e3 * (put_s - cpu_s);
    t->cpu_ms[round] = 1e3 * (cpu_clock() - cpu_s);
}

static double median(double *values, int n)
{
    bench_sort(values, (size_t)n);
    return values[n / 2];
}

static void measure(struct nb_device *device, const struct options *o, const struct nb_bodies *b, const char *model)
{
    struct nb_light_style style = {.width = o->width, .height = o->height, .smooth = o->smooth, .bloom = o->bloom};
    struct nb_light_style fixed = style;
    style.stars = o->stars;
    fixed.smooth = 0;
    struct nb_light *l[2] = {nb_light_open(device, &style), nb_light_open(device, &fixed)};
    const struct nb_view view = view_of(b, o);
    const struct nb_light_bodies light = bodies_of(b);
    struct times t[2];
    float *pixels = malloc((size_t)o->width * (size_t)o->height * 4 * sizeof *pixels);
    if (!l[0] || !l[1])
        fail();
    if (!pixels)
        exit(1);
    for (int round = -1; round < o->rounds; round++)
        for (int k = 0; k < 2; k++)
            draw(l[k], &view, &light, pixels, &t[k], round < 0 ? 0 : round);
    double cpu[2];
    for (int k = 0; k < 2; k++) {
        cpu[k] = median(t[k].cpu_ms, o->rounds);
        printf("%s\t%llu\t%dx%d\t%s\t%.4g\t%.4g\t%.4g\t%.4g\n", model, (unsigned long long)b->n, o->width, o->height,
               k == 0 ? "adaptive" : "fixed", median(t[k].put_ms, o->rounds), cpu[k], median(t[k].clock_ms, o->rounds),
               cpu[0] / cpu[k]);
        nb_light_close(l[k]);
    }
    free(pixels);
    free((void *)light.step);
}

static bool parse_one(struct options *o, const char *key, const char *value)
{
    if (strcmp(key, "--input") == 0)
        return (o->input = value) != NULL;
    if (strcmp(key, "--smooth") == 0)
        return (o->smooth = atof(value)) > 0;
    if (strcmp(key, "--stars") == 0)
        return (o->stars = atof(value)) >= 0;
    if (strcmp(key, "--bloom") == 0)
        return (o->bloom = atof(value)) >= 0;
    if (strcmp(key, "--size") == 0)
        return sscanf(value, "%dx%d", &o->width, &o->height) == 2;
    if (strcmp(key, "--rounds") == 0)
        return (o->rounds = atoi(value)) > 0 && o->rounds <= ROUNDS_MAX;
    if (strcmp(key, "--n") != 0)
        return false;
    for (o->n_count = 0; o->n_count < 16; value++) {
        char *end;
        o->n[o->n_count++] = strtod(value, &end);
        value = end;
        if (*end != ',')
            break;
    }
    return o->n[0] >= 1;
}

int main(int argc, char **argv)
{
    struct options o = {
        .n = {1e6, 1e7}, .n_count = 2, .smooth = 12, .bloom = 0.15, .width = 1920, .height = 1080, .rounds = 11};
    for (int k = 1; k < argc; k += 2)
        if (k + 1 == argc || !parse_one(&o, argv[k], argv[k + 1])) {
            fprintf(
                stderr,
                "usage: light [--n N,...|--input FILE] [--smooth K] [--stars S] [--bloom B] [--size WxH] [--rounds R]\n");
            return 2;
        }
    struct nb_device *device = nb_device_choose("cpu");
    if (!device)
        fail();
    printf("# %s; %s\n", device->description, bench_cpu_name());
    printf("# model\tbodies\tsize\tfootprints\tput_cpu_ms\tcpu_ms\tclock_ms\tratio\n");
    for (int i = 0; i < (o.input ? 1 : o.n_count); i++) {
        struct nb_bodies b;
        if (!o.input)
            bench_plummer(&b, (uint64_t)o.n[i]);
        else if (bench_input(o.input, &b))
            fail();
        measure(device, &o, &b, o.input ? "input" : "plummer");
        nb_bodies_free(&b);
    }
    nb_device_close(device);
    return fclose(stdout) ? 1 : 0;
}
