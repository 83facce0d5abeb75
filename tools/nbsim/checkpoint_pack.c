/* checkpoint_pack.c - serialises the data of a checkpoint: the state of the run, and a record of the program and the
 * device that made the checkpoint. */
#include "run.h"

#include "base/portable.h"
#include "device/choose.h"
#include "simd/simd.h"
#include "snap/snap_hash.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES(k, value) nb_pack_bytes(k, &(value), sizeof(value))

/* ---- program and device ---- */

/* Returns a checksum of the program file. It distinguishes two builds of one version, which may round differently. */
static uint64_t hash_program(void)
{
    struct nb_hash *hash = nb_hash_create();
    const int fd = nb_program_open();
    static char piece[1 << 16];
    uint64_t digest = 0;
    if (hash && fd >= 0) {
        nb_hash_reset(hash);
        for (ssize_t got; (got = read(fd, piece, sizeof piece)) > 0;)
            nb_hash_update(hash, piece, (size_t)got);
        digest = nb_hash_digest(hash);
    }
    if (fd >= 0)
        close(fd);
    nb_hash_destroy(hash);
    return digest;
}

struct run_record sim_record_make(const struct run *r)
{
    const struct nb_device *d = r->forces.device;
    char device[64];
    nb_device_print_name(d, device, sizeof device);
    return (struct run_record){
        .program = tool_text("%s, build %016llx", TOOL_VERSION, (unsigned long long)hash_program()),
        .model = tool_copy(d->model),
        .driver = tool_copy(d->driver),
        .kernel = tool_copy(nb_simd_name(nb_simd_in_use())),
        .device = tool_copy(device),
    };
}

void sim_record_free(struct run_record *w)
{
    char *const all[] = {w->program,
                         w->model,
                         w->driver,
                         w->kernel,
                         w->device,
                         w->output,
                         w->in_place,
                         w->log[SIM_LOG_ENERGY],
                         w->log[SIM_LOG_EVENTS]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

static int pack_record(struct run_record *w, struct nb_pack *k)
{
    char **const all[] = {&w->program,
                          &w->model,
                          &w->driver,
                          &w->kernel,
                          &w->device,
                          &w->output,
                          &w->in_place,
                          &w->log[SIM_LOG_ENERGY],
                          &w->log[SIM_LOG_EVENTS]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (nb_pack_text(k, all[i]))
            return -1;
    return BYTES(k, w->log_mark) || nb_pack_flag(k, &w->overwrite) || BYTES(k, w->checkpoint_s) ||
                   nb_pack_unsigned(k, &w->frames, UINT64_MAX)
               ? -1
               : 0;
}

/* ---- options ---- */

static int pack_force(struct nb_force_spec *spec, struct nb_pack *k)
{
    char printed[NB_FORCE_TEXT_BYTES] = "", *word = printed;
    if (k->way != NB_PACK_LOAD)
        nb_force_print(spec, printed, sizeof printed);
    if (nb_pack_text(k, &word))
        return -1;
    if (k->way != NB_PACK_LOAD)
        return 0;
    const int status = nb_force_parse(word, spec);
    free(word);
    return status;
}

static int pack_forces(const struct run *r, struct sim_options *o, struct nb_pack *k)
{
    int count = r->forces.count;
    if (nb_pack_int(k, &count, 1, NB_FORCES_MAX))
        return -1;
    if (k->way == NB_PACK_LOAD)
        o->run.forces.count = count;
    for (int i = 0; i < count; i++) {
        struct nb_force_spec spec = k->way == NB_PACK_LOAD ? (struct nb_force_spec){0} : r->forces.force[i].spec;
        if (pack_force(&spec, k))
            return -1;
        if (k->way == NB_PACK_LOAD)
            o->run.forces.spec[i] = spec;
    }
    return 0;
}

/* Serialises the options that are used during the whole run. The other options are not needed: they only set the
 * schedule, the step size control and the columns at the start of a run. The checkpoint contains these three. */
static int pack_options(const struct run *r, struct sim_options *o, struct nb_pack *k)
{
    const bool load = k->way == NB_PACK_LOAD;
    char *integrator = load ? NULL : (char *)r->stepper.scheme->name;
    int precision = load ? 0 : (int)r->stepper.state->precision;
    if (nb_pack_text(k, &integrator))
        return -1;
    if (load) {
        const struct nb_scheme *scheme = nb_scheme_find(integrator);
        free(integrator);
        if (!scheme)
            return -1;
        o->run.integrator = scheme->name;
    }
    if (nb_pack_int(k, &precision, 0, NB_PRECISIONS - 1) || nb_pack_flag(k, &o->write_acc) ||
        nb_pack_flag(k, &o->write_phi) || nb_pack_flag(k, &o->write_pressure) || nb_pack_flag(k, &o->write_step) ||
        BYTES(k, o->sample) || nb_pack_flag(k, &o->run.bounded) || nb_pack_unsigned(k, &o->every_steps, UINT64_MAX) ||
        BYTES(k, o->run.tolerance) || BYTES(k, o->merge_radius) || nb_pack_flag(k, &o->merge_column) ||
        BYTES(k, o->escape_radius) || nb_pack_flag(k, &o->binary_events) || BYTES(k, o->run.own.eta) ||
        nb_pack_int(k, &o->run.own.most_rungs, 0, NB_RUNGS_MAX) ||
        nb_pack_int(k, &o->run.own.neighbours, 0, NB_NEIGHBOURS_MAX) || BYTES(k, o->max_de) ||
        nb_pack_flag(k, &o->max_de_given) || pack_forces(r, o, k))
        return -1;
    if (load)
        o->run.precision = precision;
    return o->sample > 0 && o->sample <= 1 ? 0 : nb_fail("contains an invalid share of the bodies");
}

/* ---- position in the schedule ---- */

static int pack_schedule(struct sim_schedule *s, struct nb_pack *k)
{
    return BYTES(k, s->begin) || BYTES(k, s->first) || BYTES(k, s->every) || BYTES(k, s->last) || BYTES(k, s->end) ||
                   BYTES(k, s->origin) || BYTES(k, s->index) || BYTES(k, s->first_h) || BYTES(k, s->h) ||
                   BYTES(k, s->last_h) || BYTES(k, s->count) || BYTES(k, s->first_steps) || BYTES(k, s->steps) ||
                   BYTES(k, s->last_steps)
               ? -1
               : 0;
}

static int pack_place(struct run *r, struct nb_pack *k)
{
    struct run_place *p = &r->place;
    return BYTES(k, p->interval) || BYTES(k, p->done) || BYTES(k, p->left) || BYTES(k, r->first_step) ||
                   BYTES(k, r->steps_done)
               ? -1
               : 0;
}

int sim_pack_run(struct run *r, struct sim_options *o, struct run_record *w, struct nb_pack *k)
{
    return nb_pack_begin(k, "run") || pack_record(w, k) || pack_options(r, o, k) || pack_schedule(&r->schedule, k) ||
                   pack_place(r, k) || nb_control_pack(&r->control, k) || nb_bounded_pack(&r->bounded, k) ||
                   nb_pack_flag(k, &r->warned_of_bound) || nb_pack_end(k) || sim_watch_pack(&r->watch, k) ||
                   sim_events_pack(&r->events, k)
               ? -1
               : 0;
}

/* ---- header and columns ---- */

static int pack_lines(char **lines, int count, struct nb_meta *meta, int (*add)(struct nb_meta *, const char *),
                      struct nb_pack *k)
{
    if (nb_pack_int(k, &count, 0, 1 << 20))
        return -1;
    for (int i = 0; i < count; i++) {
        char *line = k->way == NB_PACK_LOAD ? NULL : lines[i];
        if (nb_pack_text(k, &line))
            return -1;
        const int status = k->way == NB_PACK_LOAD ? add(meta, line) : 0;
        if (k->way == NB_PACK_LOAD)
            free(line);
        if (status)
            return -1;
    }
    return 0;
}

static int pack_word(char *word, struct nb_pack *k)
{
    if (nb_pack_bytes(k, word, NB_NAME_MAX))
        return -1;
    return memchr(word, '\0', NB_NAME_MAX) ? 0 : nb_fail("damaged: a name has no end");
}

static int pack_meta(struct nb_meta *m, struct nb_pack *k)
{
    return BYTES(k, m->time) || BYTES(k, m->step) || BYTES(k, m->G) || BYTES(k, m->softening) || BYTES(k, m->dt) ||
                   BYTES(k, m->dt_asked) || BYTES(k, m->dynamical_time) || BYTES(k, m->origin) || BYTES(k, m->every) ||
                   pack_word(m->units.name, k) || BYTES(k, m->units.length_cgs) || BYTES(k, m->units.mass_cgs) ||
                   BYTES(k, m->units.time_cgs) || pack_lines(m->history, m->history_count, m, nb_meta_add_history, k) ||
                   pack_lines(m->forces, m->force_count, m, nb_meta_add_force, k) ||
                   pack_lines(m->extra, m->extra_count, m, nb_meta_add_extra, k)
               ? -1
               : 0;
}

static int pack_column(struct nb_bodies *b, int i, struct nb_pack *k)
{
    struct nb_column c = {.width = 1};
    int type;
    if (k->way != NB_PACK_LOAD)
        c = b->columns[i];
    type = (int)c.type;
    if (pack_word(c.name, k) || pack_word(c.unit, k) || nb_pack_int(k, &type, 0, NB_TYPES - 1) ||
        nb_pack_int(k, &c.width, 1, 3))
        return -1;
    if (c.width == 2)
        return nb_fail("contains a column of width 2");
    return k->way == NB_PACK_LOAD ? nb_bodies_add(b, c.name, (enum nb_type)type, c.width, c.unit) : 0;
}

int sim_pack_bodies(struct nb_bodies *b, struct nb_pack *k)
{
    int columns = b->column_count;
    if (nb_pack_begin(k, "frame") || nb_pack_unsigned(k, &b->n, k->size_bytes) || pack_meta(&b->meta, k) ||
        nb_pack_int(k, &columns, 0, NB_COLUMNS_MAX))
        return -1;
    for (int i = 0; i < columns; i++)
        if (pack_column(b, i, k))
            return -1;
    if (nb_pack_end(k))
        return -1;
    return k->way != NB_PACK_LOAD ? 0 : nb_bodies_check_columns(b);
}

bool sim_pack_has(const struct nb_column *c)
{
    return !sim_column_computed(c);
}

/* ---- index of the stream ---- */

int sim_pack_marks(struct nb_snap_mark **marks, uint64_t count, uint64_t *size_bytes, struct nb_pack *k)
{
    const uint64_t expected = count;
    if (nb_pack_begin(k, "index") || nb_pack_unsigned(k, size_bytes, INT64_MAX) ||
        nb_pack_unsigned(k, &count, k->size_bytes / sizeof **marks))
        return -1;
    if (k->way == NB_PACK_LOAD && count != expected)
        return nb_fail("contains an index of %llu frames, expected %llu", (unsigned long long)count,
                       (unsigned long long)expected);
    if (k->way == NB_PACK_LOAD && !(*marks = malloc((count + 1) * sizeof **marks)))
        return nb_fail("no memory");
    return nb_pack_bytes(k, *marks, count * sizeof **marks) || nb_pack_end(k) ? -1 : 0;
}
