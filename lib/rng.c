#include "rng.h"

#include <math.h>
#include <Random123/philox.h>

void nb_rng_uniforms(const struct nb_rng *rng, uint64_t body, uint64_t draw, double u[4])
{
    philox4x64_key_t key = {{rng->seed, rng->stream}};
    philox4x64_ctr_t counter = {{body, draw, 0, 0}};
    philox4x64_ctr_t random = philox4x64(counter, key);
    for (int k = 0; k < 4; k++) /* 52 bits and a half: 53 bits and a half would round up to 1 */
        u[k] = ((double)(random.v[k] >> 12) + 0.5) * 0x1p-52;
}

void nb_rng_normals(const struct nb_rng *rng, uint64_t body, uint64_t draw, double g[4])
{
    double u[4];
    nb_rng_uniforms(rng, body, draw, u);
    for (int k = 0; k < 4; k += 2) {
        double radius = sqrt(-2 * log(u[k])), angle = 2 * M_PI * u[k + 1];
        g[k] = radius * cos(angle);
        g[k + 1] = radius * sin(angle);
    }
}
