/* tree_models.h - bodies for the tests of the tree force: spheres, a cube, disks, and difficult cases. All values are
 * rounded to float, so that every precision starts from the same numbers. The sum of the masses is about 1. */
#pragma once

#include "common/uniform.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct model {
    const char *name;
    double softening, p99; /* p99: what the error of 99 in 100 bodies is to keep at theta 0.75 */
    void (*make)(uint64_t n, double *m, double *x); /* n masses, n triples */
};

static void equal_masses(uint64_t n, double *m)
{
    for (uint64_t i = 0; i < n; i++)
        m[i] = 1 / (double)n;
}

static void on_sphere(uint64_t *seed, double r, double *x)
{
    const double z = 2 * uniform01(seed) - 1, angle = 2 * M_PI * uniform01(seed), s = sqrt(1 - z * z);
    x[0] = r * s * cos(angle);
    x[1] = r * s * sin(angle);
    x[2] = r * z;
}

/* Henon's units. */
static void plummer(uint64_t n, double *m, double *x)
{
    uint64_t seed = n;
    equal_masses(n, m);
    for (uint64_t i = 0; i < n; i++)
        on_sphere(&seed, 3 * M_PI / 16 / sqrt(pow(1e-5 + 0.9998 * uniform01(&seed), -2. / 3) - 1), x + 3 * i);
}

static void sphere(uint64_t n, double *m, double *x)
{
    uint64_t seed = n;
    equal_masses(n, m);
    for (uint64_t i = 0; i < n; i++)
        on_sphere(&seed, cbrt(uniform01(&seed)), x + 3 * i);
}

static void cube(uint64_t n, double *m, double *x)
{
    uint64_t seed = n;
    equal_masses(n, m);
    for (uint64_t k = 0; k < 3 * n; k++)
        x[k] = uniform01(&seed);
}

/* Two exponential disks, inclined to each other, with a tenth of the mass in a body at each centre. */
static void disks(uint64_t n, double *m, double *x)
{
    uint64_t seed = n;
    const double c = cos(0.7), s = sin(0.7);
    equal_masses(n, m);
    for (uint64_t i = 0; i < n; i++) {
        double *p = x + 3 * i, r = 0, angle = 2 * M_PI * uniform01(&seed);
        for (int k = 0; k < 2; k++) /* the radius of an exponential disk is the sum of two exponential lengths */
            r -= 0.2 * log(1 - uniform01(&seed));
        const double y = i < 2 ? 0 : r * sin(angle), z = i < 2 ? 0 : 0.04 * atanh(1.998 * uniform01(&seed) - 0.999);
        p[0] = i < 2 ? 0 : r * cos(angle);
        p[1] = i % 2 ? y : c * y - s * z;
        p[2] = i % 2 ? z : s * y + c * z;
        p[0] += i % 2 ? 1.5 : -1.5;
        m[i] = i < 2 ? 0.05 : 0.9 * m[i];
    }
}

/* ---- hard ones ---- */

/* 20 of every 64 bodies are at one place. */
static void duplicates(uint64_t n, double *m, double *x)
{
    plummer(n, m, x);
    for (uint64_t i = 0; i < n; i++)
        if (i % 64 < 20)
            memcpy(x + 3 * i, x + 3 * (i - i % 64), 3 * sizeof *x);
}

static void one_point(uint64_t n, double *m, double *x)
{
    equal_masses(n, m);
    for (uint64_t k = 0; k < 3 * n; k++)
        x[k] = 0.3;
}

static void outlier(uint64_t n, double *m, double *x)
{
    plummer(n, m, x);
    x[3 * (n / 2)] = 1e12;
}

/* All mass but one part in 10^6, of three bodies, is inside 10^-6 of the radius. */
static void concentrated(uint64_t n, double *m, double *x)
{
    plummer(n, m, x);
    for (uint64_t i = 0; i < n; i++)
        if (i % (n / 3 + 1) == 0)
            m[i] = 1e-6 / 3;
        else
            for (uint64_t k = 0; k < 3; k++)
                x[3 * i + k] *= 1e-6;
}

static void plane(uint64_t n, double *m, double *x)
{
    cube(n, m, x);
    for (uint64_t i = 0; i < n; i++)
        x[3 * i + 1] = -2;
}

static void line(uint64_t n, double *m, double *x)
{
    cube(n, m, x);
    for (uint64_t i = 0; i < n; i++)
        x[3 * i + 1] = x[3 * i + 2] = x[3 * i];
}

static void no_mass(uint64_t n, double *m, double *x)
{
    sphere(n, m, x);
    for (uint64_t i = 0; i < n; i++)
        m[i] = i % 3 ? 0 : m[i];
    for (uint64_t i = 0; i < n / 2; i++) /* and whole nodes of them */
        m[i] = x[3 * i] > 0 ? m[i] : 0;
}

static const struct model usual_models[] = {
    {"plummer", 0.01, 1.2e-2, plummer},
    {"uniform sphere", 0.01, 1.2e-2, sphere},
    {"cube", 0.01, 1.2e-2, cube},
    {"disks", 0.01, 1.2e-2, disks},
};

/* In a plane and on a line the forces of the neighbourhood nearly cancel, and errors are large beside what is left. */
static const struct model hard_models[] = {
    {"duplicates", 0.01, 1.2e-2, duplicates},
    {"all at one point", 0.1, 1.2e-2, one_point},
    {"an outlier at 10^12", 0.01, 1.2e-2, outlier},
    {"a core of 10^-6", 1e-8, 1.2e-2, concentrated},
    {"a core of 10^-6, softening 0", 0, 1.2e-2, concentrated},
    {"a plane", 0, 5e-2, plane},
    {"a line", 0, 5e-2, line},
    {"bodies without mass", 0.01, 1.2e-2, no_mass},
};

/* As the model says, rounded to float. */
static inline void model_make(const struct model *model, uint64_t n, double *m, double *x)
{
    model->make(n, m, x);
    for (uint64_t i = 0; i < n; i++)
        m[i] = (float)m[i];
    for (uint64_t k = 0; k < 3 * n; k++)
        x[k] = (float)x[k];
}
