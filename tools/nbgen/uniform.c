/* A homogeneous sphere or cube, at rest or moving at random. Mass 1; the sphere's radius or half the cube's side is 1.
 */
#include "nbgen.h"

#include "spheres.h"

#include <math.h>
#include <string.h>

/* Potential energies -3/5 M^2/R of a sphere and, with the mean of 1/distance of two points in a unit cube, 1.88231..,
 * of a cube of side 2. */
#define SPHERE_W 0.6
#define CUBE_W   (1.8823126443896601 / 4)

static struct {
    bool cube;
    double virial;
} parameters = {.virial = 1};

struct uniform {
    struct nb_rng rng;
    bool cube;
    double body_mass, speed_max;
};

enum { KEY_SHAPE = 256, KEY_VIRIAL };

static const struct tool_option table[] = {
    {"shape", KEY_SHAPE, "NAME", 0, "sphere (radius 1) or cube (side 2) (default sphere)"},
    {"virial", KEY_VIRIAL, "Q", 0, "2K/|W| of the model; 0 is cold (default 1, virialised)"},
    {0},
};

static bool parse(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case KEY_SHAPE:
        if (strcmp(arg, "sphere") && strcmp(arg, "cube"))
            die_usage("--shape %s: not sphere or cube", arg);
        parameters.cube = strcmp(arg, "cube") == 0;
        return true;
    case KEY_VIRIAL: parameters.virial = tool_not_negative("--virial", arg); return true;
    default: return false;
    }
}

static void fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out)
{
    const struct uniform *p = part;
    for (uint64_t i = i0; i < i1; i++) {
        double u[4], *pos = out->pos ? out->pos + 3 * (i - i0) : NULL;
        if (out->component)
            out->component[i - i0] = NB_STAR;
        if (out->mass)
            out->mass[i - i0] = p->body_mass;
        if (pos) {
            nb_rng_uniforms(&p->rng, i, 0, u);
            sphere_direction(u + 1, cbrt(u[0]), pos);
            for (int k = 0; p->cube && k < 3; k++)
                pos[k] = 2 * u[k] - 1;
        }
        if (out->vel) {
            nb_rng_uniforms(&p->rng, i, 1, u);
            sphere_direction(u + 1, p->speed_max * cbrt(u[0]), out->vel + 3 * (i - i0));
        }
    }
}

/* Cold bodies fall together until their random differences, ~ n^(-1/3) of the radius, or their velocities or the
 * softening stop them; the escape speed there. */
static double greatest_speed(const struct gen_plan *plan)
{
    double stop = fmax(fmax(plan->softening, 1 / cbrt((double)plan->n)), fmin(parameters.virial, 1) / 2);
    return fmax(sqrt(2 / stop), 2 * sqrt(parameters.virial));
}

static void prepare(struct gen_plan *plan)
{
    static struct uniform p;
    double potential = parameters.cube ? CUBE_W : SPHERE_W;
    p = (struct uniform){
        .rng = {plan->options->seed, NB_STAR},
        .cube = parameters.cube,
        .body_mass = 1 / (double)plan->n,
        /* K = 1/2 3/5 speed_max^2 of a ball of velocities */
        .speed_max = sqrt(parameters.virial * potential / 0.6),
    };
    plan->softening = gen_plan_softening(plan, sphere_softening(1, plan->n));
    plan->dt = sphere_dt(plan->softening, 1, greatest_speed(plan));
    gen_plan_add(plan, (struct gen_part){.n = plan->n, .fill = fill, .data = &p, .centred = true});
}

const struct gen_model gen_uniform = {
    .name = "uniform",
    .about = "a homogeneous sphere or cube, cold or virialised",
    .doc = "Total mass 1; the sphere has radius 1, the cube side 2. Velocities fill a ball uniformly, so that in the "
           "virialised "
           "sphere no body can leave; with --virial 0 all rest and collapse, at t = 1.11 for the sphere. The centre of "
           "mass "
           "rests at the origin.\n\n" SPHERE_DOC,
    .table = {table, parse},
    .random = true,
    .usual_n = 10000,
    .least_n = 1,
    .prepare = prepare,
};
