/* contact_cpu.h - shared by the contact forces on the CPU: lists of the partners of each disk (the disks that may touch
 * it), and sums of forces over these lists. Each contact method has a different way of finding partners. */
#pragma once

#include "force/contact/contact.h"
#include "force/put.h"

#define CONTACT_CALL static inline
#include "force/contact/contact_walls.h"

/* Rounds x to the nearest integer. Does not call the rounding function `nearest` if the result is 0, the most frequent
 * case. `nearest` is slow, because the baseline instruction set has no instruction for rounding. */
#define NB_CONTACT_WHOLE(x, nearest) ((x) >= -0.5 && (x) <= 0.5 ? 0 : nearest(x))

#define REAL             float
#define CONTACT(word)    nb_contact_##word##_single
#define CONTACT_SQRT(x)  __builtin_sqrtf(x)
#define CONTACT_RINT(x)  NB_CONTACT_WHOLE(x, __builtin_rintf)
#define CONTACT_EXPM1(x) expm1f(x)
#include "force/contact/contact_law.h"

#define REAL             double
#define CONTACT(word)    nb_contact_##word##_double
#define CONTACT_SQRT(x)  __builtin_sqrt(x)
#define CONTACT_RINT(x)  NB_CONTACT_WHOLE(x, __builtin_rint)
#define CONTACT_EXPM1(x) expm1(x)
#include "force/contact/contact_law.h"

/* Return the contact law of a scene in single and in double precision, for a kick of duration `kick`
 * (nb_sources.kick). */
struct nb_contact_law_single nb_contact_single_of(const struct nb_scene *scene, double kick);
struct nb_contact_law_double nb_contact_double_of(const struct nb_scene *scene, double kick);

#define NB_CONTACT_SERIAL 5000 /* maximum number of disks for which one thread is faster than many */

struct nb_contact_input { /* the disks of a force evaluation; each disk is a source */
    bool single;          /* rows are float (true) or double */
    uint64_t n, stride;
    const void *m, *x, *v;
    const void *radius; /* NULL: all disks have the header's radius */
};

/* Applies the boundary conditions of step `number` to the disks of s: moves positions into the periodic box and applies
 * the inlet. first: global index of the first disk of s. Updates the tally. Returns whether this step counted the mass
 * in the inlet (tally->stock). In contact_cpu_boundary.c. */
bool nb_contact_bound(const struct nb_contact *contact, struct nb_contact_tally *tally, uint64_t number,
                      struct nb_state *s, uint64_t first);

/* ---- lists of partners: contact_cpu_rows.c ---- */

struct nb_contact_part { /* the lists of partners that one thread makes; nb_contact_rows_fill joins the lists of all
                            threads */
    uint32_t *partner;
    uint64_t count, capacity;
    uint64_t looks; /* number of pairs of disks examined so far */
};

/* Lists of partners: for each disk, the disks closer to it than a search distance, in ascending index. Initialise with
 * zeros. */
struct nb_contact_rows {
    uint64_t *begin;   /* n + 1 elements */
    uint32_t *partner; /* partners of disk i: partner[begin[i]] to partner[begin[i + 1] - 1] */
    uint64_t capacity, partner_capacity;
    struct nb_contact_part *part;
    int parts;
};

/* Adds the partners of disk i to part->partner, in any order. Returns false if there is no memory. */
typedef bool nb_contact_search(const void *context, const struct nb_contact_input *in, uint32_t i,
                               struct nb_contact_part *part);

/* Builds the lists of all disks. Returns -1 if there is no memory. Also returns -1 if the number of pairs to examine
 * exceeds a limit, because too many disks overlap. */
int nb_contact_rows_fill(struct nb_contact_rows *rows, const struct nb_contact_input *in, nb_contact_search *search,
                         const void *context);
void nb_contact_rows_free(struct nb_contact_rows *rows);

/* Makes room for `more` partners in addition to the part->count partners. Returns false if there is no memory. */
bool nb_contact_part_grow(struct nb_contact_part *part, uint64_t more);

/* ---- grid: contact_cpu_grid.c ---- */

struct nb_contact_grid { /* grid that finds partners; initialise with zeros */
    struct nb_contact_law_double law;
    double distance; /* disks with the header's radius are partners if they are closer than this distance */
    /* `distance` minus twice the header's radius. Disks i and j with own radii are partners if their distance is below
     * r_i + r_j + margin */
    double margin;
    double low[2], inverse[2];
    bool periodic[2];
    uint32_t cells[2];
    /* number of cells + 1 elements. The disks of cell c are order[begin[c]] to order[begin[c + 1] - 1]; x and y contain
     * their coordinates at the same indices */
    uint32_t *begin;
    uint32_t *cell; /* cell of each disk */
    uint32_t *order;
    uint32_t *bucketed; /* indices of the disks sorted by bucket (range of cells), used only during sorting */
    double *x, *y;
    uint64_t capacity, cell_capacity;
};

/* Builds lists of all pairs closer than `distance`. If disks have own radii, uses the limit r_i + r_j + g->margin for
 * the pair i, j. `distance` must be at most a third of the box along periodic axes. Returns -1 if there is no memory,
 * or if there are too many pairs. */
int nb_contact_grid_search(struct nb_contact_grid *g, const struct nb_contact *contact,
                           const struct nb_contact_input *in, double distance, struct nb_contact_rows *rows);
void nb_contact_grid_free(struct nb_contact_grid *g);

/* Arguments of the functions that sum the forces of partners (disks that may touch a disk) in one evaluation. */
struct nb_contact_task {
    struct nb_contact_law_single law_single;
    struct nb_contact_law_double law_double;
    const struct nb_contact_walls *walls;
    double radius, unit;    /* radius: the header's radius; unit: wall forces are added as integer multiples of it */
    const void *own_radius; /* row of radii, of the type of x; NULL: all disks have `radius` */
    uint64_t stride;
    const void *m, *x, *v;
    const uint64_t *begin;
    const uint32_t *partner;
    void *sums;            /* force on each disk from its partners; NULL: must be computed from the lists */
    const uint32_t *index; /* target k is disk index[k]; NULL: disk first + k */
    uint64_t first;
    const struct nb_field *out;
};

/* ---- list: contact_cpu_list.c ---- */

struct nb_contact_list { /* lists that are kept between evaluations; initialise with zeros, except skin */
    double skin;         /* a length: disks closer than contact distance + skin are listed */
    struct nb_contact_grid grid;
    struct nb_contact_rows rows;
    void *x; /* positions when the lists were built: first the n x coordinates, then the n y coordinates */
    uint64_t n, capacity;
    bool single, valid;
};

/* Returns an upper limit of the rounding error of the distance of two disks. The error is largest for disks on opposite
 * sides of a periodic box. */
double nb_contact_slack(const struct nb_scene *scene, bool single);
/* Returns the length by which lists extend beyond the contact distance. This is `skin`, or less if the periodic box is
 * so small that this skin would exceed a limit of the grid (nb_contact_grid_search). */
double nb_contact_list_skin(const struct nb_scene *scene, double skin);
/* Rebuilds the lists if they may miss pairs that touch. Reads the law, x and stride of `task`. Returns -1 if there is
 * no memory, or if there are too many pairs. */
int nb_contact_list_update(struct nb_contact_list *list, const struct nb_contact *contact,
                           const struct nb_contact_task *task, const struct nb_contact_input *in);
void nb_contact_list_free(struct nb_contact_list *list);

struct nb_contact_felt { /* forces of one thread's disks on the walls, in units of nb_contact_task.unit */
    int64_t units[NB_WALLS_MAX][2];
    uint64_t deep; /* index of the first disk that is deeper than its radius inside a wall; ~0: none */
};

static inline double nb_contact_radius_at(const struct nb_contact_input *in, uint64_t i)
{
    return nb_field_get(in->radius, in->single, i);
}

/* For disks with own radii: returns whether disks i and j, at the squared distance d2, are closer than the sum of their
 * radii plus `margin`. */
static inline bool nb_contact_in_margin(const struct nb_contact_input *in, double margin, uint64_t i, uint64_t j,
                                        double d2)
{
    const double reach = nb_contact_radius_at(in, i) + nb_contact_radius_at(in, j) + margin;
    return d2 < reach * reach;
}

static inline double nb_contact_at(const struct nb_contact_input *in, int axis, uint64_t i)
{
    return nb_field_get(in->x, in->single, (uint64_t)axis * in->stride + i);
}

/* ---- shared by all contact forces on the CPU, which differ only in finding partners: force_contact_cpu.c ---- */

struct nb_contact_work { /* first member of the working memory of each contact method on the CPU */
    struct nb_contact contact;
    struct nb_contact_walls walls;
    /* Finds the pairs of disks that may touch. Each method has its own function. Sets task->begin and task->partner to
     * lists of these pairs. A method may also compute the forces of the pairs, and set task->sums to these forces. */
    int (*find)(struct nb_device *device, struct nb_contact_work *w, const struct nb_contact_input *in,
                struct nb_contact_task *task);
    uint64_t steps; /* number of steps since contact.first_step */
    bool counted;   /* true: the last step counted the masses of the disks in the inlet, and set tally.stock */
    struct nb_contact_tally tally;
    struct nb_contact_felt *felt; /* one per thread */
    int threads;
};

/* Allocates working memory of `size` bytes, which begins with a struct nb_contact_work filled from the header. The rest
 * is zero. Returns NULL after nb_fail. */
void *nb_contact_work_open(size_t size, const struct nb_force_spec *spec, const struct nb_meta *meta);
void nb_contact_work_close(struct nb_contact_work *w);

/* Implementations of functions of nb_force, for all contact methods on the CPU. */
extern const struct nb_force_steps nb_contact_steps_cpu;
int nb_contact_field_cpu(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                         const struct nb_targets *t, const struct nb_field *out);
int nb_contact_carry_cpu(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k);
