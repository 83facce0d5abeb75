#include "nbgen/merge/merge.h"

#include "base/sum.h"

#include <math.h>
#include <string.h>

struct state { /* of a block of bodies, in double */
    double mass[GEN_BLOCK], pos[3 * GEN_BLOCK], vel[3 * GEN_BLOCK];
};

static uint64_t read_block(const struct nb_bodies *b, uint64_t i0, struct state *s)
{
    const uint64_t n = b->n - i0 < GEN_BLOCK ? b->n - i0 : GEN_BLOCK;
    nb_column_get_f64(nb_bodies_find(b, "mass"), i0, i0 + n, s->mass);
    nb_column_get_f64(nb_bodies_find(b, "pos"), i0, i0 + n, s->pos);
    nb_column_get_f64(nb_bodies_find(b, "vel"), i0, i0 + n, s->vel);
    return n;
}

static void find_centre(struct merge_input *in)
{
    static struct state s;
    struct nb_sum mass = {0}, pos[3] = {0}, vel[3] = {0};
    for (uint64_t i0 = 0; i0 < in->bodies.n; i0 += GEN_BLOCK) {
        const uint64_t n = read_block(&in->bodies, i0, &s);
        for (uint64_t i = 0; i < n; i++) {
            nb_sum_add(&mass, s.mass[i]);
            for (int k = 0; k < 3; k++) {
                nb_sum_add(&pos[k], s.mass[i] * s.pos[3 * i + k]);
                nb_sum_add(&vel[k], s.mass[i] * s.vel[3 * i + k]);
            }
        }
    }
    in->mass = nb_sum_value(&mass);
    if (!(in->mass > 0 && isfinite(in->mass)))
        die("%s: its masses sum to %g, and an orbit needs a mass", in->name, in->mass);
    for (int k = 0; k < 3; k++) {
        in->pos[k] = nb_sum_value(&pos[k]) / in->mass;
        in->vel[k] = nb_sum_value(&vel[k]) / in->mass;
        if (!isfinite(in->pos[k]) || !isfinite(in->vel[k]))
            die("%s: its centre of mass is out of range", in->name);
    }
}

/* What counts is where its mass pulls most: outer parts of a halo, however far, say little. */
static void find_radius(struct merge_input *in)
{
    static struct state s;
    struct nb_sum inverse = {0};
    const double eps2 = in->bodies.meta.softening * in->bodies.meta.softening;
    for (uint64_t i0 = 0; i0 < in->bodies.n; i0 += GEN_BLOCK) {
        const uint64_t n = read_block(&in->bodies, i0, &s);
        for (uint64_t i = 0; i < n; i++) {
            double r2 = eps2;
            for (int k = 0; k < 3; k++)
                r2 += pow(s.pos[3 * i + k] - in->pos[k], 2);
            nb_sum_add(&inverse, s.mass[i] > 0 ? s.mass[i] / sqrt(r2) : 0);
        }
    }
    in->radius = in->bodies.n > 1 ? in->mass / nb_sum_value(&inverse) : 0;
}

void merge_input_read(struct merge_input *in, const char *path)
{
    in->name = strcmp(path, "-") == 0 ? "stdin" : path;
    nb_bodies_init(&in->bodies);
    tool_input_frame(path, &in->bodies);
    find_centre(in);
    find_radius(in);
}
