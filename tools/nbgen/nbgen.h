/* nbgen.h - models, and the plan from which nbgen writes a stream.
 *
 * A model is a `const struct gen_model`, listed in models.c. A model makes a *plan* of a few *parts*. A part is a range
 * of bodies, with a function that computes any block of these bodies, in any thread. The stream is written column by
 * column, and the function is called again for each column, so that memory does not grow with the number of bodies. */
#pragma once

#include "base/bodies.h"
#include "base/units.h"
#include "common/tool.h"
#include "orbit.h"
#include "scene/scene.h"
#include "simd/rng.h"

#define GEN_PARTS_MAX 256
#define GEN_BLOCK     1024 /* number of bodies computed at a time by one thread */
#define GEN_TOGETHER  256  /* maximum number of bodies in an array for nb_elementary(); it then fits in the L1 cache */

/* Arrays for bodies [i0, i1): body i is at index i - i0 (times 3 for vectors). NULL: the array is not computed. */
struct gen_block {
    uint8_t *component; /* enum nb_component */
    uint8_t *galaxy;    /* number of the galaxy to which the body belongs */
    double *mass;
    double *radius;      /* NULL unless the plan has radii */
    double *temperature; /* kelvin; NULL unless the plan has temperatures */
    double *pos, *vel;
};

/* Computes bodies [i0, i1) of a part, in the model's units. The first body of the part is body 0. */
typedef void gen_fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out);

struct gen_body {
    double mass, pos[3], vel[3];
    enum nb_component component;
};

/* Computes body i of a part. Sets pos only if `places` is true, and vel only if `motions` is true. `motions` is never
 * true without `places`. */
typedef void gen_make_body(const void *part, uint64_t i, bool places, bool motions, struct gen_body *body);

struct gen_part {
    uint64_t n;
    gen_fill *fill; /* exactly one of `fill` and `body` is set */
    gen_make_body *body;
    const void *data; /* argument of `fill` or `body`; must stay valid as long as the plan */
    uint8_t galaxy;   /* number of the galaxy of this part */
    /* true: the part is moved so that its centre of mass has the position `pos` and the velocity `vel`; false: it is
     * not moved */
    bool centred;
    /* true: this part and the part before it are moved together, so that their common centre of mass has the position
     * `pos` and the velocity `vel`; `centred`, `pos` and `vel` of both parts must be equal */
    bool joined;
    double pos[3], vel[3]; /* in the model's units */
    /* added to the positions and velocities of all bodies of the part; computed by gen_centre */
    double shift_pos[3], shift_vel[3];
};

/* Factors from the model's units to the stream's units. */
struct gen_scale {
    double mass, length, velocity;
};

/* Values of the options that all models share. */
struct gen_options {
    uint64_t n; /* number of bodies; 0: not given */
    uint64_t seed;
    const char *units;   /* value of --units; NULL: not given */
    int store;           /* enum nb_type */
    double mass, radius; /* values of --mass and --radius */
    double softening;    /* softening length in the stream's units; NAN: not given */
};

struct gen_plan {
    const struct gen_options *options;
    bool random; /* the model depends on the seed */
    uint64_t n;
    struct nb_units units;
    double G;
    double softening, dt;  /* in the model's units until prepare() returns, then in the stream's units */
    double dynamical_time; /* in the units of dt; 0 unless prepare() sets it */
    struct gen_scale scale;
    struct gen_part parts[GEN_PARTS_MAX];
    int part_count;
    bool galaxies;     /* the stream has a column of galaxy numbers; set by prepare() */
    bool radii;        /* the stream has a column of radii */
    bool temperatures; /* the stream has a column of temperatures, K */
    /* Walls and contacts of a model with colliding disks, which are written to the header. Must be valid as long as the
     * plan. NULL: no disks. */
    const struct nb_scene *scene;
    const char *forces[2]; /* forces that nbsim shall use, written to the header; NULL: none */
};

/* ---- functions that parse the values of models' options (tool_take). Unless noted, they store a double ---- */

/* Take a number above 0 in a limited range. The ranges ensure that, in double precision,
 * - squares of masses do not overflow;
 * - cubes of lengths do not overflow;
 * - in a sum of two masses with an allowed ratio (gen_take_ratio), the smaller mass is not lost by rounding. */
tool_take gen_take_mass, gen_take_length, gen_take_ratio;
tool_take gen_take_positive_or_inf; /* "inf" is infinity */
tool_take gen_take_some;            /* int, above 0 */

/* Parses "A,B,..." as `count` finite numbers. Returns false if the text is anything else. */
bool gen_numbers(const char *text, double *numbers, int count);

/* The option --incline. Its value is stored in gen_tilt. */
extern const struct tool_option gen_incline[];
extern struct orbit_tilt gen_tilt;

#define GEN_TABLES_MAX 6

struct gen_model {
    const char *name;
    const char *about;                                 /* one line, for the list of models */
    const char *doc;                                   /* paragraphs for --help */
    const struct tool_option *options[GEN_TABLES_MAX]; /* tables of the model's own options, in the order of the help */
    /* The model has the options --seed, --mass and --radius, and its bodies are random samples of a distribution. */
    bool random;
    bool factors;   /* --mass and --radius are factors by which the model's fixed masses and lengths are multiplied */
    bool physical;  /* the model has real masses and lengths, so --units code is not allowed */
    bool own_units; /* prepare() sets the units, so the model has no option --units */
    /* The model has colliding disks, which have no gravity. It has no --units, --mass, --radius and --softening; other
     * options of the model set the masses and lengths. */
    bool disks;
    const char *units;               /* default units */
    double usual_mass, usual_radius; /* defaults of --mass and --radius; 0 stands for 1 */
    uint64_t usual_n, least_n; /* default and minimum of the number of bodies; equal if the model has a fixed number */
    /* Sets the plan's softening, dt and parts. The plan's n, units, G and scale are already set. The model's units are
     * solar masses, AU and years if the model is `physical`. Otherwise the units of mass and length are --mass and
     * --radius, and G = 1. Dies if values of options are impossible. */
    void (*prepare)(struct gen_plan *plan);
    const char *operands; /* operands as shown in the help, such as "A B"; NULL: no operands */
    /* Only for a model that reads streams and has no plan: parses argv[1] and the following arguments, and writes the
     * stream. Such a model uses only the members name, about, doc, options, operands and run. */
    void (*run)(const struct gen_model *model, int argc, char **argv);
};

extern const struct gen_model *const gen_models[]; /* all models; the last element is NULL. In models.c */

/* Returns the model that the command line names. Dies with a usage error if the name is unknown. Without a name, or
 * with --help, prints the help or the list of models and exits. */
const struct gen_model *gen_model_choose(int argc, char **argv);

/* Parses argv[1] and the following arguments (argv[0] is the model's name), and prepares the plan, which is kept until
 * the tool ends. Dies on errors. */
struct gen_plan *gen_plan_make(const struct gen_model *model, int argc, char **argv);
/* Returns the model's own options as one table for tool_parse. Valid until the next call. */
const struct tool_option *gen_options(const struct gen_model *model);
/* Parses the arguments after argv[0], the model's name. `about` describes the model in the help. */
void gen_parse(const struct gen_model *model, const char *about, int argc, char **argv);
/* Returns the softening length in the model's units: --softening if given, otherwise `usual`. */
double gen_plan_softening(const struct gen_plan *plan, double usual);
/* Appends a part. */
void gen_plan_add(struct gen_plan *plan, struct gen_part part);

/* Moves each part to its position (gen_centre), and writes the stream. Dies on failure. */
void gen_write(struct gen_plan *plan);

/* Functions that compute the data of a frame's columns. */
struct gen_source {
    void *context;
    /* Writes the values of bodies [i0, i1) of a column to `out`. Values of real columns are doubles, other values have
     * the type of the column. Called in any thread. Not called for ids, which are 0, 1, 2 ... */
    void (*values)(const void *context, int column, uint64_t i0, uint64_t i1, void *out);
    /* Reports the progress: the values of bodies [i0, i1) of a column have been computed. Called for each block. */
    void (*tell)(const void *context, int column, uint64_t i0, uint64_t i1);
    void (*begin)(void *context, int column); /* called before a column's first block; may be NULL */
};
/* Writes a stream of one frame with the header and the columns of b. The header is written before bodies are computed,
 * so that readers can start early. Dies on failure. */
void gen_write_frame(const struct nb_bodies *b, const struct gen_source *source);

/* Allocates memory and fills it with zeros. Dies if there is not enough memory. In memory.c. */
void *gen_memory(size_t size_bytes);

/* ---- computing bodies ---- */

/* Computes the centres of mass of the parts whose `centred` is true, and sets the shifts of these parts. Uses
 * compensated sums in the order of the bodies, so the result is the same for any number of threads. In centre.c.
 */
void gen_centre(struct gen_plan *plan);

/* Computes bodies [i0, i1) of a part in the model's units. In fill.c. */
void gen_fill_part(const struct gen_part *part, uint64_t i0, uint64_t i1, struct gen_block *out);

/* Computes bodies [i0, i1) of the plan in the stream's units, with the shifts of their parts added. In fill.c. */
void gen_fill_plan(const struct gen_plan *plan, uint64_t i0, uint64_t i1, struct gen_block *out);

/* Computes n bodies in blocks of GEN_BLOCK bodies. `make` computes a block in any thread and writes it to a buffer of
 * buffer_size bytes. `take` then gets the buffer; it is called in the order of the blocks. Returns 0, or -1 if `take`
 * failed, with the nb_error() and errno of `take`. In fill.c. */
typedef void gen_make(const void *context, uint64_t i0, uint64_t i1, void *buffer);
typedef int gen_take(void *context, uint64_t i0, uint64_t i1, const void *buffer);
int gen_in_order(uint64_t n, size_t buffer_size, gen_make *make, gen_take *take, void *context);
/* Returns the number of bodies of a batch. gen_in_order computes a batch, then calls `take` for its blocks while it
 * computes the next batch, and so on. Only the last batch can be smaller. */
uint64_t gen_batch(void);

/* Reports progress: `bodies` more bodies were computed. `what` is the name of the computed values, for example of a
 * column. weight: cost per body, relative to the cost of a position. In progress.c. */
void gen_progress(const struct gen_plan *plan, const char *what, double weight, uint64_t bodies);
#define GEN_WEIGHT_LIGHT 0.1 /* argument `weight` of gen_progress for all columns except pos and vel */

/* ---- time steps for leapfrog with a constant step; G = 1: step.c ---- */

#define GEN_STEPS 20 /* number of steps per period, for the body with the shortest period */

/* Returns the step for motions whose angular frequency is at most `frequency`. */
double gen_step_period(double frequency);
/* Returns the step for a system of mass 1. heaviest: mass of the heaviest body; largest: largest acceleration in the
 * smooth mass distribution; speed: relative speed of two bodies before they meet. The step is the smallest of these
 * limits:
 * - with softening: nb_step_softened for `largest`;
 * - without softening, or if `heaviest` is above 1e-3: a limit for encounters of two of the heaviest bodies. It is
 *   0.25 d / v, or less if `heaviest` is above 1e-3. v is the relative speed of the two bodies at the distance d from
 *   each other. With softening, d is the softening length. Without softening, d is the impact parameter for deflections
 *   by 90 degrees, or radius / 100 if all bodies are light (GEN_LIGHT). */
double gen_step_bodies(double softening, double radius, double heaviest, double largest, double speed);
/* Largest mass of a light body, as a fraction of the total mass. Close encounters of light bodies are not resolved.
 * This causes a random relative energy error of about 20 * GEN_LIGHT in each crossing time. */
#define GEN_LIGHT 1e-6

/* ---- quasi-random numbers for quiet starts: even.c ---- */

#define GEN_EVEN_MOST 5

/* A sequence of points that fills the unit square, cube or 5-cube evenly. Any part of the sequence does so as well.
 * Coordinate k of point i is (begin[k] + i * step[k]) modulo 1. `begin` is random. In d dimensions step[k] = 1/g^(k +
 * 1), with g^(d + 1) = g + 1 (Roberts 2018). `begin` and `step` are stored as 64-bit integers in units of 2^-64, so
 * that integer overflow computes "modulo 1" exactly. */
struct gen_even {
    uint64_t begin[GEN_EVEN_MOST], step[GEN_EVEN_MOST];
};
struct gen_even gen_even_begin(const struct nb_rng *rng, int dimensions);
/* Returns coordinate k of point i, in (0, 1). */
double gen_even_at(const struct gen_even *e, int k, uint64_t i);

/* Number of stars in a group of a disk's quiet start. The azimuth angles of the stars of a group are equally spaced, so
 * the group has no Fourier modes m = 1 to 5 in azimuth. The heights of the stars alternate between z and -z. */
#define GEN_FOLD 6

/* ---- models that are a list of bodies: listed.c ---- */

#define GEN_LISTED_MAX 16

struct gen_listed {
    int n;
    struct gen_body bodies[GEN_LISTED_MAX];
};

/* Adds a part with the bodies of `listed`, and sets the time step. There is no softening. `listed` must stay valid. */
void gen_plan_list(struct gen_plan *plan, const struct gen_listed *listed, double dt);
