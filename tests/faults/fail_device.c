/* Calls of a device that can fail as fault.h describes: the tables of the CPU and of its forces. The linker replaces
 * NAME with __wrap_NAME in separate tools. Each call counts under its name and under "device", on one of the open
 * devices: FAULT_PART, from 0 on in the order of opening. With FAULT_MODE=on this device is lost. Functions that only
 * free memory do not fail. */
#include "base/error.h"
#include "device/device_kind.h"
#include "fault.h"
#include "force/force.h"

#include <errno.h>
#include <stdlib.h>

extern const struct nb_device_kind __real_nb_device_cpu;
extern const struct nb_force __real_nb_force_direct_cpu, __real_nb_force_tree_cpu, __real_nb_force_external_cpu;
extern const struct nb_force __real_nb_force_contact_grid_cpu;
struct nb_device_kind __wrap_nb_device_cpu;
struct nb_force __wrap_nb_force_direct_cpu, __wrap_nb_force_tree_cpu, __wrap_nb_force_external_cpu;
struct nb_force __wrap_nb_force_contact_grid_cpu;

#define REAL __real_nb_device_cpu

/* ---- which device ---- */

#define PARTS 64
static struct nb_device *opened[PARTS];
static long wanted;

static bool is_wanted(const struct nb_device *d)
{
    return d && opened[wanted] == d;
}

static struct nb_device *device_open(int index)
{
    struct nb_device *d = REAL.open(index);
    for (int k = 0; d && k < PARTS; k++)
        if (!opened[k]) {
            opened[k] = d;
            break;
        }
    return d;
}

static void device_close(struct nb_device *d)
{
    for (int k = 0; k < PARTS; k++)
        if (opened[k] == d)
            opened[k] = NULL;
    REAL.close(d);
}

/* One call after the other may count twice, and fails if either count says so. */
static bool fails(const struct nb_device *d, struct fault_counter *counter)
{
    static struct fault_counter any = {.name = "device"};
    if (!is_wanted(d))
        return false;
    const int own = fault_at(counter), all = fault_at(&any), error = own ? own : all;
    if (error) {
        nb_fail("made to fail (%s)", counter->name);
        errno = error;
    }
    return error != 0;
}

/* ---- the device's calls ---- */

#define CALL(type, bad, call, parameters, arguments)           \
    static type device_##call parameters                       \
    {                                                          \
        static struct fault_counter counter = {.name = #call}; \
        return fails(d, &counter) ? bad : REAL.call arguments; \
    }

CALL(void *, NULL, alloc, (struct nb_device * d, size_t size_bytes), (d, size_bytes))
CALL(int, -1, to_device, (struct nb_device * d, void *d_to, const void *from, size_t size), (d, d_to, from, size))
CALL(int, -1, from_device, (struct nb_device * d, void *to, const void *d_from, size_t size), (d, to, d_from, size))
CALL(int, -1, memory, (struct nb_device * d, double *free_bytes, double *total), (d, free_bytes, total))
CALL(int, -1, store,
     (struct nb_device * d, enum nb_precision p, uint64_t n, uint64_t stride, int width, const void *column,
      enum nb_type type, void *d_rows),
     (d, p, n, stride, width, column, type, d_rows))
CALL(int, -1, fetch,
     (struct nb_device * d, enum nb_precision p, uint64_t n, uint64_t stride, int width, const void *d_rows,
      enum nb_type type, void *column),
     (d, p, n, stride, width, d_rows, type, column))
CALL(int, -1, axpy, (struct nb_device * d, enum nb_precision p, uint64_t count, double a, const void *d_x, void *d_y),
     (d, p, count, a, d_x, d_y))
CALL(int, -1, kick_drift,
     (struct nb_device * d, enum nb_precision p, uint64_t count, double k1, double k2, double drift, const void *d_a,
      void *d_v, void *d_x),
     (d, p, count, k1, k2, drift, d_a, d_v, d_x))
CALL(int, -1, combine,
     (struct nb_device * d, enum nb_precision p, uint64_t count, int inputs, const void *const *d_in, int rows,
      const struct nb_combination *row, double *norm),
     (d, p, count, inputs, d_in, rows, row, norm))
CALL(int, -1, step_scale,
     (struct nb_device * d, enum nb_precision p, uint64_t n, uint64_t stride, const void *const *d_derivative,
      double least, double *time),
     (d, p, n, stride, d_derivative, least, time))
CALL(int, -1, range,
     (struct nb_device * d, enum nb_precision p, uint64_t n, uint64_t stride, int count, const void *const *d_vector,
      union nb_range *range),
     (d, p, n, stride, count, d_vector, range))
CALL(int, -1, sync, (struct nb_device * d), (d))
CALL(int, -1, mark, (struct nb_device * d, void **mark), (d, mark))
CALL(double, -1, marked_s, (struct nb_device * d, void *from, void *to), (d, from, to))
CALL(int, -1, peer_copy, (struct nb_device * d, void *d_to, struct nb_device *from, const void *d_from, size_t size),
     (d, d_to, from, d_from, size))

static int device_peer_ready(struct nb_device *d)
{
    static struct fault_counter counter = {.name = "peer_ready"};
    return fails(d, &counter) ? -1 : 0;
}

static int device_peer_taken(struct nb_device *d, struct nb_device *const *all, int count)
{
    (void)all, (void)count;
    static struct fault_counter counter = {.name = "peer_taken"};
    return fails(d, &counter) ? -1 : 0;
}

/* ---- forces ---- */

#define FORCE(which)                                                                                             \
    static int which##_field(struct nb_device *d, void *work, enum nb_precision p, const struct nb_sources *s,   \
                             const struct nb_targets *t, const struct nb_field *out)                             \
    {                                                                                                            \
        static struct fault_counter counter = {.name = "field"};                                                 \
        return fails(d, &counter) ? -1 : __real_nb_force_##which##_cpu.field(d, work, p, s, t, out);             \
    }                                                                                                            \
    static void *which##_open(struct nb_device *d, const struct nb_force_spec *spec, const struct nb_meta *meta) \
    {                                                                                                            \
        static struct fault_counter counter = {.name = "open"};                                                  \
        return fails(d, &counter) ? NULL : __real_nb_force_##which##_cpu.open(d, spec, meta);                    \
    }                                                                                                            \
    static void wrap_##which(void)                                                                               \
    {                                                                                                            \
        __wrap_nb_force_##which##_cpu = __real_nb_force_##which##_cpu;                                           \
        __wrap_nb_force_##which##_cpu.field = which##_field;                                                     \
        if (__real_nb_force_##which##_cpu.open)                                                                  \
            __wrap_nb_force_##which##_cpu.open = which##_open;                                                   \
    }

FORCE(direct)
FORCE(tree)
FORCE(external)
FORCE(contact_grid)

#define CONTACT __real_nb_force_contact_grid_cpu

static int contact_longest_step(struct nb_device *d, void *work, const struct nb_state *s, double least[NB_LEAST_MAX],
                                double *h)
{
    static struct fault_counter counter = {.name = "longest_step"};
    return fails(d, &counter) ? -1 : CONTACT.steps->longest(d, work, s, least, h);
}

static int contact_boundary(struct nb_device *d, void *work, struct nb_state *s, uint64_t first, bool asked)
{
    static struct fault_counter counter = {.name = "boundary"};
    return fails(d, &counter) ? -1 : CONTACT.steps->boundary(d, work, s, first, asked);
}

static int contact_report(struct nb_device *d, void *work, struct nb_meta *meta)
{
    static struct fault_counter counter = {.name = "report"};
    return fails(d, &counter) ? -1 : CONTACT.steps->report(d, work, meta);
}

static int fetch_counts(struct nb_device *d, void *work, void *counts)
{
    static struct fault_counter counter = {.name = "fetch_counts"};
    return fails(d, &counter) ? -1 : CONTACT.steps->counts->fetch(d, work, counts);
}

static struct nb_force_counts contact_counts;
static struct nb_force_steps contact_steps;

static void wrap_contact(void)
{
    wrap_contact_grid();
    contact_counts = *CONTACT.steps->counts;
    contact_counts.fetch = fetch_counts;
    contact_steps = *CONTACT.steps;
    contact_steps.longest = contact_longest_step;
    contact_steps.boundary = contact_boundary;
    contact_steps.report = contact_report;
    contact_steps.counts = &contact_counts;
    __wrap_nb_force_contact_grid_cpu.steps = &contact_steps;
}

static struct nb_force_shares tree_shares;

static int tree_share(struct nb_device *d, void *work, enum nb_precision p, const struct nb_sources *s,
                      const double share[2], const struct nb_field *out, double *seconds)
{
    static struct fault_counter counter = {.name = "share"};
    return fails(d, &counter) ? -1 : __real_nb_force_tree_cpu.shares->field(d, work, p, s, share, out, seconds);
}

static void wrap_shares(void)
{
    if (!__real_nb_force_tree_cpu.shares)
        return;
    tree_shares = *__real_nb_force_tree_cpu.shares;
    tree_shares.field = tree_share;
    __wrap_nb_force_tree_cpu.shares = &tree_shares;
}

__attribute__((constructor)) static void wrap(void)
{
    const char *part = getenv("FAULT_PART");
    wanted = part ? strtol(part, NULL, 10) % PARTS : 0;
    __wrap_nb_device_cpu = (struct nb_device_kind){
        .name = REAL.name,
        .quad = REAL.quad,
        .host = REAL.host,
        .open = device_open,
        .close = device_close,
        .alloc = device_alloc,
        .free = REAL.free,
        .to_device = device_to_device,
        .from_device = device_from_device,
        .memory = device_memory,
        .store = device_store,
        .fetch = device_fetch,
        .axpy = device_axpy,
        .kick_drift = device_kick_drift,
        .combine = device_combine,
        .step_scale = device_step_scale,
        .range = device_range,
        .sync = device_sync,
        .mark = device_mark,
        .marked_s = device_marked_s,
        .mark_free = REAL.mark_free,
        .speed = REAL.speed,
        .peer_ready = device_peer_ready,
        .peer_copy = device_peer_copy,
        .peer_taken = device_peer_taken,
    };
    wrap_direct();
    wrap_tree();
    wrap_external();
    wrap_contact();
    wrap_shares();
}
