/* merge.c - the model `merge`: reads two galaxies from streams and places them on an orbit about one another. */

#include "nbgen/merge/merge.h"

#include "base/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct merge merge = {.softening = NAN, .store = -1};
static int preset = -1;
/* Value of --scale: the scale length of the first galaxy's disk, in the streams' unit of length. NAN if not given.
 * Lengths in a preset are in units of this scale length. */
static double scale = NAN;
static const char *const *paths;
static const char *frames[2] = {"last", "last"}; /* values of --frame or --times for both inputs */

static void take_frames(const struct tool_option *o, const char *arg)
{
    static char *copy;
    const char *form = strcmp(o->name, "times") == 0 ? "T" : "K";
    char *comma;
    free(copy);
    copy = tool_copy(arg);
    frames[0] = frames[1] = copy;
    if ((comma = strchr(copy, ','))) {
        *comma = '\0';
        frames[1] = comma + 1;
    }
    if (!*frames[0] || !*frames[1] || strchr(frames[1], ','))
        die_usage("--%s %s: expected %s or %s,%s", o->name, arg, form, form, form);
}

static const struct tool_option table[] = {
    {.about =
         "The orbit of the two centres of mass, in the xy plane, anticlockwise, pericentre on the x axis; lengths in "
         "the streams' unit:"},
    ENCOUNTER_OPTIONS("needed without --preset", "default 1", "needed without --preset", "default 0,0: as it is",
                      "default 0,0", "default points; of three presets extended"),
    {"preset", ENCOUNTERS, tool_take_word, &preset, "take values that are not given from this encounter"},
    {"scale", "L", tool_take_positive, &scale,
     "scale length of the first disk, the unit of a preset's lengths (default 1, in code units only)"},
    {.about = "The streams:"},
    {"frame", "K[,K]", take_frames, NULL,
     "take frame K of both inputs, or a frame of each, from 0; -1 or last is the last frame (default last)"},
    {"times", "T[,T]", take_frames, NULL, "take the frame at time T of both inputs, or a time for each",
     .excludes = "frame"},
    {"salvage", NULL, tool_take_flag, &tool_options.salvage,
     "take the complete frames of a damaged or truncated stream"},
    {"softening", "L", tool_take_not_negative, &merge.softening,
     "softening length for the header, in the streams' unit; drops the column of that name (default: the smaller "
     "of the two)"},
    {"store", "f32|f64", tool_take_real_type, &merge.store,
     "type of all real columns (default: the wider type of both inputs)"},
    {0},
};

/* ---- the inputs ---- */

struct state { /* a block of bodies, in double precision */
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
        die("%s: its total mass is %g, and an orbit needs a positive mass", in->name, in->mass);
    for (int k = 0; k < 3; k++) {
        in->pos[k] = nb_sum_value(&pos[k]) / in->mass;
        in->vel[k] = nb_sum_value(&vel[k]) / in->mass;
        if (!isfinite(in->pos[k]) || !isfinite(in->vel[k]))
            die("%s: its centre of mass is out of range", in->name);
    }
}

/* Sets in->radius to the mass-weighted harmonic mean of the bodies' distances from the centre. The outer parts of a
 * halo hardly contribute to a harmonic mean. */
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

/* Reads the input's frame from `path` ("-" is stdin), and computes its mass, centre and radius. Dies on failure. */
static void read_input(struct merge_input *in, const char *path)
{
    in->name = strcmp(path, "-") == 0 ? "stdin" : path;
    nb_bodies_init(&in->bodies);
    tool_input_frame(path, &in->bodies);
    find_centre(in);
    find_radius(in);
}

/* ---- the orbit ---- */

static void check_options(const struct encounter *orbit)
{
    int path_count;
    paths = tool_operands(&path_count);
    if (path_count > 2)
        die_usage("%s: only two streams can be merged, and %s and %s were given already", paths[2], paths[0], paths[1]);
    if (path_count < 2)
        die_usage("two streams are needed: nbgen merge A B (one can be - for stdin)");
    if (strcmp(paths[0], "-") == 0 && strcmp(paths[1], "-") == 0)
        die_usage("-: stdin can be only one of the two streams");
    if (isnan(orbit->pericenter) || isnan(orbit->separation))
        die_usage("%s is required", isnan(orbit->pericenter) ? "--pericenter" : "--separation");
    encounter_check(orbit);
}

static struct encounter find_orbit(void)
{
    struct encounter other = encounter_presets[preset >= 0 ? preset : ENCOUNTER_STREAMS].orbit;
    if (preset >= 0) {
        other.pericenter *= isnan(scale) ? 1 : scale;
        other.separation *= isnan(scale) ? 1 : scale;
    } else if (!isnan(scale))
        die_usage("--scale %g needs --preset", scale);
    return encounter_or(&other);
}

static void read_inputs(void)
{
    for (int k = 0; k < 2; k++) {
        if (tool_given("times"))
            tool_take_times(NULL, frames[k]);
        else if (strcmp(frames[k], "last") != 0)
            tool_take_frame(NULL, frames[k]);
        else
            tool_options.frame = NB_FRAME_LAST, tool_options.frame_given = false;
        read_input(&merge.inputs[k], paths[k]);
    }
}

/* Dies with a usage error if the preset sets a length, --scale is not given, and the streams have physical units. The
 * default scale of 1 would then mean 1 kpc or 1 AU. */
static void check_scale(const struct nb_units *units)
{
    const bool lengths = isnan(encounter_given.pericenter) || isnan(encounter_given.separation);
    if (preset >= 0 && lengths && isnan(scale) && strcmp(units->name, "code") != 0)
        die_usage("--preset %s: its lengths are in scale lengths of the first disk; with units '%s' give --scale",
                  encounter_presets[preset].name, units->name);
}

/* Reads the masses of bodies [i0, i1) of an input and their positions, rotated by the input's orientation. `mass` or
 * `pos` may be NULL. */
static void read_turned(const void *context, uint64_t i0, uint64_t i1, double *mass, double *pos)
{
    const struct merge_input *in = context;
    if (mass)
        nb_column_get_f64(nb_bodies_find(&in->bodies, "mass"), i0, i1, mass);
    if (pos)
        nb_column_get_f64(nb_bodies_find(&in->bodies, "pos"), i0, i1, pos);
    for (uint64_t i = 0; pos && i < i1 - i0; i++)
        orbit_turn(&in->plane, pos + 3 * i);
}

static void place(struct merge_input in[2], const struct encounter *orbit, double softening)
{
    struct rigid rigid = {.G = in[0].bodies.meta.G, .softening = softening, .plane = orbit_plane(0, 0, 0)};
    struct encounter_place places[2];
    for (int k = 0; k < 2; k++) {
        in[k].plane = orbit_tilted(orbit->tilts[k]);
        rigid.clouds[k] = cloud_make(in[k].bodies.n, CLOUD_MOST, read_turned, &in[k]);
    }
    rigid_places(&rigid, orbit, places);
    for (int k = 0; k < 2; k++)
        in[k].place = places[k];
    say("masses %.4g and %.4g", in[0].mass, in[1].mass);
    rigid_say(&rigid, orbit, places, &(struct gen_scale){1, 1, 1});
    rigid_free(&rigid);
}

static void run(const struct gen_model *model, int argc, char **argv)
{
    gen_parse(model, "Put two galaxies, each a frame of a stream, on an orbit around each other.", argc, argv);
    merge.orbit = find_orbit();
    check_options(&merge.orbit);
    tool_output_check(tool_options.output, true);
    tool_output_spare_inputs(tool_options.output);
    read_inputs();
    merge_match(&merge);
    check_scale(&merge.inputs[0].bodies.meta.units);
    merge_softening(&merge);
    place(merge.inputs, &merge.orbit, merge.out.meta.softening);
    merge_header(&merge);
    merge_write(&merge);
    nb_bodies_free(&merge.out);
    for (int k = 0; k < 2; k++)
        nb_bodies_free(&merge.inputs[k].bodies);
}

const struct gen_model gen_merge = {
    .name = "merge",
    .about = "two galaxies from streams, on an orbit around each other",
    .doc = "A and B are streams; one may be - for stdin, and both may be the same. The orbit is that of points "
           "with their masses, or with --orbit-of extended of the galaxies as rigid bodies. A message prints the "
           "orbital energy of both. Each galaxy is moved to its own centre of mass and rotated. The common centre "
           "of mass rests at the origin, and time begins at 0. The bodies of A come first. The column parent_id "
           "has the id in the input, and the column galaxy counts the galaxies, at most 256."
           "\n\nUnits and G must be equal. Columns of both streams are kept, except derived columns (acc, phi ...)."
           "\n\nSuggested softening: the smaller of the two. Suggested time step: 1/sqrt(1/a^2 + 1/b^2), with the "
           "steps a and b of the two, or 0.02 of distance over speed at the pericentre if that is less. A step "
           "for a larger softening length is shortened in proportion.",
    .options = {table},
    .operands = "A B",
    .run = run,
};
