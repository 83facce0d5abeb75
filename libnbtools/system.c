/* system.c - creates systems, prepares them as nbsim prepares a run (lib/prepare), and keeps their frame up to date.
 * Declared in nbtools.h and system.h. */
#include "system.h"

#include "base/memory.h"
#include "common/tool_syntax.h"
#include "device/choose.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- creation and destruction ---- */

static int copy(const struct nb_bodies *from, struct nb_bodies *to)
{
    if (nb_bodies_copy_layout(to, from) || nb_bodies_alloc(to))
        return -1;
    for (int k = 0; k < from->column_count; k++)
        memcpy(to->columns[k].data, from->columns[k].data, nb_column_bytes(&from->columns[k], from->n));
    return 0;
}

/* Converts the column to double. This is necessary for masses, positions and velocities, because the integrator's state
 * is copied from and to columns of doubles only. Returns -1 on error. */
static int widen(struct nb_bodies *b, const char *name)
{
    struct nb_column *c = nb_bodies_find(b, name), wide = *c;
    if (c->type == NB_F64)
        return 0;
    wide.type = NB_F64;
    wide.data = aligned_alloc(NB_ALIGN, nb_column_bytes_padded(&wide, b->n));
    if (!wide.data)
        return nb_fail("no memory for column '%s'", name);
    memset(wide.data, 0, nb_column_bytes_padded(&wide, b->n));
    nb_column_get_f64(c, 0, b->n, wide.data);
    free(c->data);
    *c = wide;
    return 0;
}

static int widen_all(struct nb_bodies *b)
{
    return nb_status(widen(b, "mass") || widen(b, "pos") || widen(b, "vel"));
}

static void take_time(struct nbt_system *s)
{
    s->time = s->frame.bodies.meta.time;
    s->step = s->frame.bodies.meta.step;
}

struct nbt_system *nbt_system_of(const struct nbt_frame *f)
{
    struct nbt_system *s = calloc(1, sizeof *s);
    if (!s)
        return nb_null(nb_fail("no memory for a system"));
    nb_bodies_init(&s->frame.bodies);
    s->fetched = true;
    s->asked = NB_PREPARE_OPEN;
    s->asked.integrator = strdup("auto");
    if (!s->asked.integrator)
        nb_fail("no memory for a system");
    else if (nb_bodies_check_columns(&f->bodies) == 0 && copy(&f->bodies, &s->frame.bodies) == 0 &&
             widen_all(&s->frame.bodies) == 0 && nb_bodies_number(&s->frame.bodies) == 0) {
        take_time(s);
        return s;
    }
    nbt_system_close(s);
    return NULL;
}

struct nbt_system *nbt_system_new(uint64_t n, const double *mass, const double *pos, const double *vel)
{
    if (n > 0 && (!mass || !pos || !vel))
        return nb_null(nb_fail("a system of %" PRIu64 " bodies needs masses, positions and velocities", n));
    struct nbt_frame *f = nbt_frame_new(n);
    struct nbt_system *s = NULL;
    if (f && nbt_column_set(f, "mass", NBT_F64, 1, mass) == 0 && nbt_column_set(f, "pos", NBT_F64, 3, pos) == 0 &&
        nbt_column_set(f, "vel", NBT_F64, 3, vel) == 0)
        s = nbt_system_of(f);
    nbt_frame_free(f);
    return s;
}

void system_reset(struct nbt_system *s, enum stage stage)
{
    if (stage >= s->stage)
        return;
    if (s->stepper.state)
        nb_step_end(&s->stepper);
    nb_state_destroy(s->stepper.state);
    s->stepper = (struct nb_stepper){.scheme = s->stepper.scheme, /* all other members become 0 */
                                     .forces = s->stepper.forces,
                                     .G = s->stepper.G,
                                     .softening = s->stepper.softening,
                                     .own = s->stepper.own};
    if (stage == OPEN)
        nb_force_set_close(&s->forces);
    s->stage = stage;
}

void nbt_system_close(struct nbt_system *s)
{
    if (!s)
        return;
    system_reset(s, OPEN);
    if (s->device)
        nb_device_close(s->device);
    nb_bodies_free(&s->frame.bodies);
    system_free_options(s);
    free(s->failure);
    free(s->recorded);
    free(s);
}

/* ---- preparation ---- */

static int fail_untold(void)
{
    return nb_fail("the system's frame was changed without nbt_changed");
}

/* Returns -1 if the caller changed the number of bodies or the time of the frame without a call of nbt_changed(). */
static int check_told(const struct nbt_system *s)
{
    const struct nb_bodies *b = &s->frame.bodies;
    const bool other_time = s->fetched && b->meta.time != s->time;
    return other_time || (s->stage == READY && b->n != s->n) ? fail_untold() : 0;
}

static int check_bodies(struct nb_bodies *b)
{
    return nb_status(nb_bodies_check(b) || widen_all(b));
}

/* Opens the device that the options in use ask for, unless it is open already. Returns -1 on error. */
static int open_device(struct nbt_system *s)
{
    const char *name = nb_prepare_device(&s->used, s->frame.bodies.n);
    if (s->device && strcmp(name, s->device_name) == 0)
        return 0;
    if (s->device)
        nb_device_close(s->device);
    s->device = nb_device_choose(name);
    snprintf(s->device_name, sizeof s->device_name, "%s", name);
    return nb_status(!s->device);
}

/* Returns -1 if the memory is not sufficient for the state, the vectors of the scheme and the forces. A row is one
 * number per body. 4 rows (a vector and a scalar) are a reserve. */
static int check_memory(struct nbt_system *s)
{
    const struct nb_bodies *b = &s->frame.bodies;
    const int rows = 4 + 3 * nb_scheme_vectors(s->stepper.scheme, s->used.tolerance > 0,
                                               nb_force_set_flags(&s->forces) & NB_NEEDS_VELOCITY);
    const double host = nb_device_is_host(s->device) ? nb_force_set_bytes(&s->forces, s->precision, rows, b->n) : 0;
    return nb_status(nb_force_set_fits(&s->forces, s->precision, rows, b->n) || nb_memory_check(b->n, host));
}

/* Chooses device, scheme and forces for a run until the time `until` (NAN: unknown). Returns -1 on error. */
static int choose(struct nbt_system *s, double until)
{
    struct nb_bodies *b = &s->frame.bodies;
    unsigned decided, want = NB_WANT_PHI;
    s->used = s->asked;
    s->used.until = until;
    if (s->used.min_dt > s->used.max_dt)
        return nb_fail("--min-dt %g is more than --max-dt %g", s->used.min_dt, s->used.max_dt);
    if (nb_force_request_check(&s->used.forces) || nb_prepare_choose(&s->used, b, &decided) || open_device(s))
        return -1;
    nb_force_set_init(&s->forces, s->device);
    s->stepper = (struct nb_stepper){.forces = &s->forces};
    s->stage = CHOSEN;
    s->n = b->n;
    s->direction = 0;
    s->any_step = false;
    s->control = (struct nb_control){0};
    s->bounded = (struct nb_bounded){0};
    if (nb_prepare_forces(&s->used, b, &s->stepper, &want, &s->precision) ||
        nb_prepare_softening(&s->used, b, &s->stepper) || check_memory(s))
        return -1;
    return 0;
}

/* Drops the frame's columns that are computed from other columns, because steps do not update such columns. The columns
 * pos_lo and vel_lo (low parts of positions and velocities) are added in quad precision, otherwise dropped. */
static int lay_out(struct nbt_system *s)
{
    static const char *const low[] = {"pos_lo", "vel_lo"};
    struct nb_bodies *b = &s->frame.bodies;
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->role == NB_DERIVED && strcmp(k->name, low[0]) != 0 && strcmp(k->name, low[1]) != 0)
            nb_bodies_drop(b, k->name);
    for (int k = 0; k < 2; k++)
        if (s->precision != NB_QUAD)
            nb_bodies_drop(b, low[k]);
        else if (!nb_bodies_find(b, low[k]) && nbt_column_set(&s->frame, low[k], NBT_F64, 3, NULL))
            return -1;
    return 0;
}

/* Chooses the size of the steps. Restores the header's dt at the end, so that a second call before the first step makes
 * the same choice. */
static int choose_step(struct nbt_system *s)
{
    struct nb_bodies *b = &s->frame.bodies;
    const double dt = b->meta.dt, asked = b->meta.dt_asked;
    struct nb_prepare_step step;
    s->header_dt = dt;
    if (s->used.bounded)
        return nb_prepare_bounded(b, &s->stepper, &s->bounded, NULL);
    /* The header's dt can be shorter than the requested step, because the last steps end exactly at a given time. The
     * choice then starts from the requested step. */
    if (asked > 0 && s->taken > 0 && dt == s->taken)
        b->meta.dt = asked;
    if (nb_prepare_dt(&s->used, b, &s->stepper, &step))
        return -1;
    s->dt = step.dt;
    s->any_step = step.by == NB_DT_ANY;
    s->dt_asked = s->used.dt == 0 && s->dt == dt && asked > 0 ? asked : s->dt;
    s->header_dt = b->meta.dt;
    b->meta.dt = dt;
    b->meta.dt_asked = asked;
    return 0;
}

/* Creates the state from the frame. If `first` is set, also chooses the size of the steps. Returns -1 on error. */
static int make_state(struct nbt_system *s, bool first)
{
    struct nb_bodies *b = &s->frame.bodies;
    struct nb_stepper *p = &s->stepper;
    if (lay_out(s) || nb_prepare_softening(&s->used, b, p) || nb_prepare_state(b, p, s->precision, false) ||
        (first && choose_step(s)))
        return -1;
    return nb_prepare_begin(b, p);
}

static int prepare(struct nbt_system *s, double until)
{
    if (s->failure)
        return nb_fail("%s", s->failure);
    if (check_told(s))
        return -1;
    if (s->stage == READY)
        return nb_bodies_check_columns(&s->frame.bodies);
    if (s->frame.bodies.n != s->n)
        system_reset(s, OPEN);
    const bool first = s->stage == OPEN;
    if (check_bodies(&s->frame.bodies) || (first && choose(s, until)) || make_state(s, first)) {
        s->stage = READY; /* READY, so that system_reset() releases everything that exists */
        system_reset(s, OPEN);
        return -1;
    }
    s->stage = READY;
    s->fetched = true;
    return 0;
}

int system_prepare(struct nbt_system *s, double until)
{
    const locale_t before = plain_numbers();
    const int status = prepare(s, until);
    restore_numbers(before);
    return status;
}

/* ---- the frame ---- */

/* Copies a vector of the state to the column `name`. If there is a column `low`, copies the low parts of the vector to
 * it. Returns -1 on error. */
static int fetch(struct nbt_system *s, const void *d_rows, const char *name, const char *low)
{
    struct nb_bodies *b = &s->frame.bodies;
    struct nb_column *high = nb_bodies_find(b, name), *rest = nb_bodies_find(b, low);
    if (!high || high->type != NB_F64 || b->n != s->n)
        return fail_untold();
    if (nb_state_fetch(s->stepper.state, d_rows, high))
        return -1;
    return rest ? nb_state_fetch_low(s->stepper.state, d_rows, high, rest) : 0;
}

static int check_finite(const struct nb_bodies *b, const char *name)
{
    const uint64_t bad = nb_column_first_bad(nb_bodies_find(b, name), b->n);
    return bad == b->n ? 0 : nb_fail("body %llu: %s is not a finite number", (unsigned long long)bad, name);
}

/* Adds a line with the options in use to the history in the header. Does nothing if the options have not changed since
 * the last line that was added for this system. */
static int record(struct nbt_system *s)
{
    char *command = system_command(s);
    if (!command)
        return -1;
    if (s->recorded && strcmp(command, s->recorded) == 0) {
        free(command);
        return 0;
    }
    free(s->recorded);
    s->recorded = command;
    return nb_history_add(&s->frame.bodies.meta, "libnbtools", TOOL_VERSION, NULL, command);
}

/* Updates the header of the frame after steps. Returns -1 on error. */
static int note(struct nbt_system *s)
{
    struct nb_meta *meta = &s->frame.bodies.meta;
    meta->time = s->time;
    meta->step = s->step;
    meta->softening = s->stepper.softening;
    meta->dt = s->header_dt;
    meta->dt_asked = 0;
    if (nb_prepare_steps_are_fixed(&s->used) && !s->any_step && !(s->stepper.scheme->traits & NB_OWN_STEPS)) {
        meta->dt = s->taken;
        meta->dt_asked = fabs(s->taken - s->dt_asked) > 1e-12 * s->dt_asked ? s->dt_asked : 0;
    }
    if (s->used.bounded && !(s->stepper.scheme->traits & NB_OWN_STEPS))
        meta->dt = fabs((double)s->bounded.h);
    return nb_status(nb_prepare_note_forces(&s->forces, meta) || nb_force_set_report(&s->forces, meta) || record(s));
}

int system_fetch(struct nbt_system *s)
{
    const struct nb_state *state = s->stepper.state;
    if (s->failure)
        return nb_fail("%s", s->failure);
    if (s->fetched)
        return 0;
    const locale_t before = plain_numbers();
    const bool failed = fetch(s, state->x, "pos", "pos_lo") || fetch(s, state->v, "vel", "vel_lo") ||
                        check_finite(&s->frame.bodies, "pos") || check_finite(&s->frame.bodies, "vel") || note(s);
    restore_numbers(before);
    s->fetched = !failed;
    return nb_status(failed);
}

int system_take(struct nbt_system *s)
{
    return nb_status(system_fetch(s) || check_told(s));
}

struct nbt_frame *nbt_system_frame(struct nbt_system *s)
{
    return system_fetch(s) ? NULL : &s->frame;
}

int nbt_changed(struct nbt_system *s)
{
    const struct nb_bodies *b = &s->frame.bodies;
    if (s->failure)
        return nb_fail("%s", s->failure);
    if (!s->fetched)
        return nb_fail("first call nbt_system_frame, because steps were taken after its last call");
    take_time(s);
    if (s->stage == OPEN)
        return nb_bodies_number(&s->frame.bodies);
    const bool same = b->n == s->n && b->meta.G == s->stepper.G;
    system_reset(s, same ? CHOSEN : OPEN);
    return nb_bodies_number(&s->frame.bodies);
}

int nbt_kick(struct nbt_system *s, const double *dv)
{
    if (system_take(s) || check_bodies(&s->frame.bodies))
        return -1;
    double *v = nb_bodies_find(&s->frame.bodies, "vel")->data;
    for (uint64_t k = 0; k < 3 * s->frame.bodies.n; k++)
        if (!isfinite(v[k] + dv[k]))
            return nb_fail("body %" PRIu64 ": its velocity would not be finite", k / 3);
    for (uint64_t k = 0; k < 3 * s->frame.bodies.n; k++)
        v[k] += dv[k];
    system_reset(s, CHOSEN);
    return 0;
}
