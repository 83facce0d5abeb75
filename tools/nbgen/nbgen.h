/* nbgen.h - what a model is, and how it becomes a stream.
 *
 * A model is a `const struct gen_model` and one line in models.c. Its options are rows of a table. It makes a *plan*: a
 * few *parts*, each a range of bodies that one function can make at any time, any thread, any block at a time. The
 * stream is written column after column, every column made anew, so that memory does not grow with the number of
 * bodies. */
#pragma once

#include "base/bodies.h"
#include "base/units.h"
#include "common/tool.h"
#include "orbit.h"
#include "scene/scene.h"
#include "simd/rng.h"

#define GEN_PARTS_MAX 256
#define GEN_BLOCK     1024 /* bodies made at a time by one thread */
#define GEN_TOGETHER  256  /* by one call of functions of arrays: what is made of them stays in the nearest cache */

/* Arrays for bodies [i0, i1): body i is at index i - i0 (times 3 in vectors). NULL: not needed. */
struct gen_block {
    uint8_t *component; /* enum nb_component */
    uint8_t *galaxy;    /* set from its part */
    double *mass;
    double *radius;      /* asked for where the plan has radii */
    double *temperature; /* K; asked for where the plan has temperatures */
    double *pos, *vel;
};

/* Makes bodies [i0, i1) of a part, counted from 0 within it, in the model's own units. */
typedef void gen_fill(const void *part, uint64_t i0, uint64_t i1, struct gen_block *out);

struct gen_body {
    double mass, pos[3], vel[3];
    enum nb_component component;
};

/* Makes body i of a part; its pos only for `places`, its vel only for `motions`, which there are only with places. */
typedef void gen_make_body(const void *part, uint64_t i, bool places, bool motions, struct gen_body *body);

struct gen_part {
    uint64_t n;
    gen_fill *fill; /* one of these two */
    gen_make_body *body;
    const void *data;      /* of that; lives as long as the plan */
    uint8_t galaxy;        /* the number of the galaxy that it belongs to */
    bool centred;          /* the centre of mass is moved to pos with velocity vel; else bodies stay as made */
    bool joined;           /* with the part before it, as one with a common centre; it has its centred, pos and vel */
    double pos[3], vel[3]; /* in the model's own units */
    double shift_pos[3], shift_vel[3]; /* set by gen_centre */
};

/* Factors from the model's own units to those of the stream. */
struct gen_scale {
    double mass, length, velocity;
};

/* What the common options say. */
struct gen_options {
    uint64_t n; /* 0: not given */
    uint64_t seed;
    const char *units;   /* NULL: not given */
    int store;           /* enum nb_type */
    double mass, radius; /* --mass and --radius */
    double softening;    /* in the stream's unit; NAN: not given */
};

struct gen_plan {
    const struct gen_options *options;
    bool random; /* the seed matters */
    uint64_t n;
    struct nb_units units;
    double G;
    double softening, dt;  /* in the stream's units once the plan is made; in the model's own in prepare() */
    double dynamical_time; /* as well; 0 unless prepare() sets it */
    struct gen_scale scale;
    struct gen_part parts[GEN_PARTS_MAX];
    int part_count;
    bool galaxies;                /* the stream has a column of their numbers; false unless prepare() sets it */
    bool radii;                   /* and one of the bodies' radii */
    bool temperatures;            /* and one of their temperatures, K */
    const struct nb_scene *scene; /* of disks: its lines are in the header; lives as long as the plan; else NULL */
    const char *forces[2];        /* lines of the header, NULL where there is none */
};

/* ---- what options of models may take, besides tool_take_...: double, unless it says otherwise ---- */

/* Above 0, and such that the squares of masses, the cubes of lengths and the digits of the smaller of two parts fit
 * double precision. */
tool_take gen_take_mass, gen_take_length, gen_take_ratio;
tool_take gen_take_positive_or_inf; /* "inf" is infinity */
tool_take gen_take_some;            /* int, above 0 */

/* Puts "A,B,..." as `count` finite numbers. Returns false if the text is anything else. */
bool gen_numbers(const char *text, double *numbers, int count);

/* The option --incline, and what it says. */
extern const struct tool_option gen_incline[];
extern struct orbit_tilt gen_tilt;

#define GEN_TABLES_MAX 6

struct gen_model {
    const char *name;
    const char *about;                                 /* a line for the list */
    const char *doc;                                   /* paragraphs for --help */
    const struct tool_option *options[GEN_TABLES_MAX]; /* tables of its own options, in the order of the help */
    bool random;                     /* has --seed, --mass and --radius; a body of it is one of many */
    bool factors;                    /* it has sizes of its own: --mass and --radius are factors on them */
    bool physical;                   /* of real bodies: needs units that have sizes */
    bool disks;                      /* that touch: no gravity, so no --units, --mass, --radius and --softening; its own
                                        options have what is to have a size */
    const char *units;               /* the usual ones */
    double usual_mass, usual_radius; /* of --mass and --radius; 0 stands for 1 */
    uint64_t usual_n, least_n;       /* equal where the model has no other number of bodies */
    /* Sets softening, dt and the parts. n, units, G and the scale are there: the model's own units have G = 1, and
     * mass and length units as the options say. dies on values that make no sense. */
    void (*prepare)(struct gen_plan *plan);
    const char *operands; /* for people: "A B"; NULL: none */
    /* In the place of all this, but for name, about, doc, options and operands: a model that is made of streams, not of
     * a plan. Parses argv[1] on and writes. */
    void (*run)(const struct gen_model *model, int argc, char **argv);
};

extern const struct gen_model *const gen_models[]; /* NULL at the end: models.c */

/* The model that argv[1] names. Prints the list and exits where there is none, or with --help. */
const struct gen_model *gen_model_choose(int argc, char **argv);

/* Parses argv[1] on (argv[0] is the model's name) and prepares the plan, which lives until the tool ends. */
struct gen_plan *gen_plan_make(const struct gen_model *model, int argc, char **argv);
/* The model's own options as a table for tool_parse, until the next call. */
const struct tool_option *gen_options(const struct gen_model *model);
/* Parses argv[1] on (argv[0] is the model's name); `about` is the sentence of the help. */
void gen_parse(const struct gen_model *model, const char *about, int argc, char **argv);
/* The softening length in the model's own units: --softening if given, else `usual`. */
double gen_plan_softening(const struct gen_plan *plan, double usual);
/* Appends a part. */
void gen_plan_add(struct gen_plan *plan, struct gen_part part);

/* Moves the parts to their places and writes the stream. Dies on failure. */
void gen_write(struct gen_plan *plan);

/* Where the columns of a frame come from. */
struct gen_source {
    void *context;
    /* Puts bodies [i0, i1) of a column, in any thread: doubles if its numbers are real, else values of its type. Not
     * asked for ids, which are 0, 1, 2 ... */
    void (*values)(const void *context, int column, uint64_t i0, uint64_t i1, void *out);
    void (*tell)(const void *context, int column, uint64_t i0, uint64_t i1); /* these are made: block by block */
    void (*begin)(void *context, int column);                                /* before its first; may be NULL */
};
/* Writes a stream of one frame with that header and layout; columns are made as soon as readers have the header. Dies
 * on failure. */
void gen_write_frame(const struct nb_bodies *b, const struct gen_source *source);

/* Zeros; dies without memory. memory.c */
void *gen_memory(size_t size_bytes);

/* ---- making bodies ---- */

/* Finds the centres of mass of the parts that ask for it and sets their shifts. Compensated sums, added in the bodies'
 * order, so that the number of threads does not matter. centre.c */
void gen_centre(struct gen_plan *plan);

/* Bodies [i0, i1) of a part, as it makes them. fill.c */
void gen_fill_part(const struct gen_part *part, uint64_t i0, uint64_t i1, struct gen_block *out);

/* Bodies [i0, i1) of the plan, shifted, in the stream's units. fill.c */
void gen_fill_plan(const struct gen_plan *plan, uint64_t i0, uint64_t i1, struct gen_block *out);

/* Runs over n bodies, GEN_BLOCK at a time: `make` in any thread, into a buffer of its own; `take` in the order of the
 * bodies, one after the other. 0; -1 when take failed, with its nb_error() and errno. fill.c */
typedef void gen_make(const void *context, uint64_t i0, uint64_t i1, void *buffer);
typedef int gen_take(void *context, uint64_t i0, uint64_t i1, const void *buffer);
int gen_in_order(uint64_t n, size_t buffer_size, gen_make *make, gen_take *take, void *context);

/* Tells where the writing stands: so many bodies more, of that weight each, were made for `what`. progress.c */
void gen_progress(const struct gen_plan *plan, const char *what, double weight, uint64_t bodies);
#define GEN_WEIGHT_LIGHT 0.1 /* of a column that is neither pos nor vel, whose weight is 1 */

/* ---- time steps for leapfrog, which keeps one step from beginning to end; G = 1: step.c ---- */

#define GEN_STEPS 20 /* in the shortest period: its motion then has errors of 1e-2, and few bodies have it */

/* The step for motions of at most that frequency (radians per time). */
double gen_step_period(double frequency);
/* The step for bodies in a system of mass 1, which gives none a larger smooth acceleration than `largest`: that of
 * nb_step_softened. With a body above 1e-3 or without softening no longer than the time in which two of the heaviest
 * bodies pass one another: a quarter of the softening length at the relative speed that they have there, `speed` from
 * afar and what their pull adds; less for masses above 1e-3, since then each passage weighs more. Without softening the
 * distance of deflections by 90 degrees is in its place, so the closest passages are not followed; if all bodies are
 * light, a hundredth of `radius`. */
double gen_step_bodies(double softening, double radius, double heaviest, double largest, double speed);
/* Passages of lighter bodies need not be followed: by chance they then change the energy by some 20 masses of it in a
 * crossing time. */
#define GEN_LIGHT 1e-6

/* ---- places of quiet starts: even.c ---- */

#define GEN_EVEN_MOST 5

/* Points that fill the unit square or cube, or that of five dimensions, evenly, every stretch of them: multiples of the
 * powers of 1/g modulo 1, g^(d + 1) = g + 1 (Roberts 2018), begun where draw 0 of a body that there is not says. Exact,
 * in units of 2^-64. */
struct gen_even {
    uint64_t begin[GEN_EVEN_MOST], step[GEN_EVEN_MOST];
};
struct gen_even gen_even_begin(const struct nb_rng *rng, int dimensions);
/* Coordinate k of point i, in (0, 1). */
double gen_even_at(const struct gen_even *e, int k, uint64_t i);

#define GEN_FOLD 6 /* of stars of disks about their axis: no m = 1 to 5, and every other one mirrored in the plane */

/* ---- models that are a list of bodies: listed.c ---- */

#define GEN_LISTED_MAX 16

struct gen_listed {
    int n;
    struct gen_body bodies[GEN_LISTED_MAX];
};

/* One part that is these bodies as they stand, without softening, and a time step. `listed` must live on. */
void gen_plan_list(struct gen_plan *plan, const struct gen_listed *listed, double dt);
