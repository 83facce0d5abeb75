/* contact_cpu.h - what the rows of contact forces on the CPU share: rows of partners that a row finds in its own way,
 * and the sums over them. */
#pragma once

#include "force/contact/contact.h"
#include "force/put.h"

#define CONTACT_CALL static inline
#include "force/contact/contact_walls.h"

/* Nearest whole number, at once for what it is most often: baseline processors have no instruction for it. */
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

/* The law of a scene, in each type, for a kick of that time (nb_sources.kick). */
struct nb_contact_law_single nb_contact_single_of(const struct nb_scene *scene, double kick);
struct nb_contact_law_double nb_contact_double_of(const struct nb_scene *scene, double kick);

#define NB_CONTACT_SERIAL 5000 /* disks: fewer are not worth a team of threads */

struct nb_contact_input { /* the disks of an evaluation: all sources */
    bool single;          /* type of the rows: float, or double */
    uint64_t n, stride;
    const void *m, *x, *v;
    const void *radius; /* NULL: all have the header's */
};

/* Applies the boundary to bodies from number `first` on, in step `number`: wraps them, and the inlet lets in. Counts in
 * the tally. Returns whether the stock was counted anew. contact_cpu_boundary.c */
bool nb_contact_bound(const struct nb_contact *contact, struct nb_contact_tally *tally, uint64_t number,
                      struct nb_state *s, uint64_t first);

/* ---- rows: contact_cpu_rows.c ---- */

struct nb_contact_part { /* the rows of a thread's disks, while they are found */
    uint32_t *partner;
    uint64_t count, capacity;
    uint64_t looks; /* at pairs, so far */
};

/* Of every disk those that are within some distance of it, in ascending number. Starts as zeros. */
struct nb_contact_rows {
    uint64_t *begin;   /* n + 1 */
    uint32_t *partner; /* disk i's are partner[begin[i]] to partner[begin[i + 1] - 1] */
    uint64_t capacity, partner_capacity;
    struct nb_contact_part *part;
    int parts;
};

/* Adds the row of disk i to the part, in any order. False: no memory. */
typedef bool nb_contact_search(const void *context, const struct nb_contact_input *in, uint32_t i,
                               struct nb_contact_part *part);

/* Fills the rows of all disks. -1: no memory; or so many pairs that the disks must lie on one another. */
int nb_contact_rows_fill(struct nb_contact_rows *rows, const struct nb_contact_input *in, nb_contact_search *search,
                         const void *context);
void nb_contact_rows_free(struct nb_contact_rows *rows);

/* Room for `more` numbers. False: no memory. */
bool nb_contact_part_grow(struct nb_contact_part *part, uint64_t more);

/* ---- grid: contact_cpu_grid.c ---- */

struct nb_contact_grid { /* starts as zeros */
    struct nb_contact_law_double law;
    double distance; /* of partners of the largest radius, L */
    double margin;   /* the same beyond touching */
    double low[2], inverse[2];
    bool periodic[2];
    uint32_t cells[2];
    uint32_t *begin; /* cells + 1: where a cell's disks begin in order, x and y */
    uint32_t *cell;  /* of each disk */
    uint32_t *order;
    uint32_t *bucketed; /* disks by buckets of cells, while they are sorted */
    double *x, *y;
    uint64_t capacity, cell_capacity;
};

/* The rows of all disks with the others at less than `distance`, at most a third of the box where it is periodic; of
 * disks that are smaller than the header's radius, by as much less as these are. -1: no memory, or too many pairs. */
int nb_contact_grid_search(struct nb_contact_grid *g, const struct nb_contact *contact,
                           const struct nb_contact_input *in, double distance, struct nb_contact_rows *rows);
void nb_contact_grid_free(struct nb_contact_grid *g);

/* ---- sums ---- */

/* Sums over rows: one evaluation. */
struct nb_contact_task {
    struct nb_contact_law_single law_single;
    struct nb_contact_law_double law_double;
    const struct nb_contact_walls *walls;
    double radius, unit;    /* of the wall forces' counts */
    const void *own_radius; /* of each disk, as wide as a row of x; NULL: all have that one */
    uint64_t stride;
    const void *m, *x, *v;
    const uint64_t *begin;
    const uint32_t *partner;
    void *sums;            /* of all disks, over partners; NULL: by the rows */
    const uint32_t *index; /* target k is disk index[k]; NULL: disk first + k */
    uint64_t first;
    const struct nb_field *out;
};

/* ---- list: contact_cpu_list.c ---- */

struct nb_contact_list { /* starts as zeros, but for */
    double skin;         /* beyond touching, L */
    struct nb_contact_grid grid;
    struct nb_contact_rows rows;
    void *x; /* where the disks were when it was made: n x, n y, of the input's type */
    uint64_t n, capacity;
    bool single, valid;
};

/* What rounding can take from or add to a distance, L: that of the box, across a periodic side. */
double nb_contact_slack(const struct nb_scene *scene, bool single);
/* The skin that the scene allows: no more than asked for. */
double nb_contact_list_skin(const struct nb_scene *scene, double skin);
/* Sees to it that the rows hold all pairs that touch. Of the task law, x and stride are read. -1: no memory, or too
 * many pairs. */
int nb_contact_list_update(struct nb_contact_list *list, const struct nb_contact *contact,
                           const struct nb_contact_task *task, const struct nb_contact_input *in);
void nb_contact_list_free(struct nb_contact_list *list);

struct nb_contact_felt { /* by the walls, of a thread's disks */
    int64_t units[NB_WALLS_MAX][2];
    uint64_t deep; /* the first disk that is too deep in a solid; else ~0 */
};

/* The radius of a disk that has its own, as a double. */
static inline double nb_contact_radius_at(const struct nb_contact_input *in, uint64_t i)
{
    return nb_field_get(in->radius, in->single, i);
}

/* Are two disks of radii of their own nearer than the margin to touching? */
static inline bool nb_contact_in_margin(const struct nb_contact_input *in, double margin, uint64_t i, uint64_t j,
                                        double d2)
{
    const double reach = nb_contact_radius_at(in, i) + nb_contact_radius_at(in, j) + margin;
    return d2 < reach * reach;
}

/* One coordinate, as a double. */
static inline double nb_contact_at(const struct nb_contact_input *in, int axis, uint64_t i)
{
    return nb_field_get(in->x, in->single, (uint64_t)axis * in->stride + i);
}

/* ---- what the entries share, which is all but how partners are found: force_contact_cpu.c ---- */

struct nb_contact_work { /* an entry's working memory begins with it */
    struct nb_contact contact;
    struct nb_contact_walls walls;
    /* Finds the partners of all disks: sets begin and partner of the task, or its sums. The entry's own. */
    int (*find)(struct nb_device *device, struct nb_contact_work *w, const struct nb_contact_input *in,
                struct nb_contact_task *task);
    uint64_t steps; /* that the boundary has made */
    bool counted;   /* the stock, in the last of them */
    struct nb_contact_tally tally;
    struct nb_contact_felt *felt; /* of each thread */
    int threads;
};

/* Working memory of `size` bytes that begins with what the header says, zeros behind it; NULL after nb_fail. */
void *nb_contact_work_open(size_t size, const struct nb_force_spec *spec, const struct nb_meta *meta);
void nb_contact_work_close(struct nb_contact_work *w);

/* Of the table of forces: */
extern const struct nb_force_steps nb_contact_steps_cpu;
int nb_contact_field_cpu(struct nb_device *device, void *work, enum nb_precision precision, const struct nb_sources *s,
                         const struct nb_targets *t, const struct nb_field *out);
int nb_contact_carry_cpu(struct nb_device *device, void *work, uint64_t n, struct nb_pack *k);
