/* Fuzz target: changed checkpoint data of a run (pack.h), as in a malicious checkpoint. The data is rejected with a
 * message, or steps from it do no harm.
 *
 * The input: one byte each for scheme, precision and force, then changes to the data that such a run saved, of eleven
 * bytes each: position (2), type (1), value (8). The rest, if any, is the length to which the data is truncated. */
#include "base/error.h"
#include "base/pack.h"
#include "device/choose.h"
#include "step/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 12, CHANGE = 11 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const forces[] = {"direct", "tree:rebuild=3", "external:drag,rate=0.3"};

struct run {
    struct nb_force_set forces;
    struct nb_stepper p;
};

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_pack: does not hold: %s (%s)\n", what, nb_error());
    abort();
}

static void make_bodies(struct nb_bodies *b)
{
    nb_bodies_init(b);
    b->n = BODIES;
    require(nb_bodies_add_known(b, "mass", NB_F64) == 0 && nb_bodies_add_known(b, "pos", NB_F64) == 0 &&
                nb_bodies_add_known(b, "vel", NB_F64) == 0 && nb_bodies_alloc(b) == 0,
            "bodies can be had");
    for (int k = 0; k < 3 * BODIES; k++) {
        ((double *)b->columns[0].data)[k % BODIES] = 0.1;
        ((double *)b->columns[1].data)[k] = (double)(k * 7 % 13) - 6;
        ((double *)b->columns[2].data)[k] = (double)(k * 5 % 11) / 8;
    }
}

static void close_run(struct run *r)
{
    nb_step_end(&r->p);
    nb_force_set_close(&r->forces);
    nb_state_destroy(r->p.state);
}

/* False where force or precision does not serve. `b` NULL: without values. */
static bool open_run(struct run *r, struct nb_device *device, enum nb_precision precision,
                     const struct nb_scheme *scheme, const char *force, const struct nb_bodies *b)
{
    struct nb_force_spec spec;
    *r = (struct run){.p = {.scheme = scheme, .G = 1, .softening = 0.05}};
    if (nb_scheme_refuse_state(scheme, device, precision, r->p.softening))
        r->p.softening = 0;
    if (nb_scheme_refuse_state(scheme, device, precision, r->p.softening))
        return false;
    nb_force_set_init(&r->forces, device);
    require(nb_force_parse(force, &spec) == 0, "the force is known");
    if (nb_force_set_add(&r->forces, &spec, precision, NB_WANT_ACC | scheme->want, BODIES, NULL) ||
        nb_scheme_refuse(scheme, nb_force_set_flags(&r->forces))) {
        nb_force_set_close(&r->forces);
        return false;
    }
    r->p.forces = &r->forces;
    r->p.state = b ? nb_state_create(device, precision, b) : nb_state_create_zero(device, precision, BODIES);
    require(r->p.state != NULL, "a state can be had");
    return true;
}

/* What a run of two steps has saved, to be freed. */
static unsigned char *save(struct run *r, size_t *size)
{
    struct nb_pack k = nb_pack_make(NB_PACK_COUNT, NULL, 0);
    require(nb_step_begin(&r->p) == 0 && nb_steps(&r->p, 0.01, 2) == 0, "steps can be taken");
    require(nb_step_pack(&r->p, &k) == 0, "a run is counted");
    unsigned char *data = malloc(k.at);
    *size = k.at;
    k = nb_pack_make(NB_PACK_SAVE, data, *size);
    require(nb_step_pack(&r->p, &k) == 0 && k.at == *size, "what was counted is saved");
    return data;
}

static size_t change(unsigned char *saved, size_t saved_size, const uint8_t *data, size_t size)
{
    for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
        size_t at = (data[0] | (size_t)data[1] << 8) % saved_size, left = saved_size - at;
        if (data[2] % 3 == 0)
            saved[at] ^= data[3];
        else if (data[2] % 3 == 1)
            memcpy(saved + at, data + 3, left < 8 ? left : 8);
        else { /* a number where numbers stand */
            at = at / 16 * 16;
            memcpy(saved + at, data + 3, 8);
        }
    }
    return size > 1 ? (data[0] | (size_t)data[1] << 8) % (saved_size + 1) : saved_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct nb_device *device;
    struct nb_bodies b;
    struct run r;
    size_t schemes = 0, saved_size;
    device = device ? device : nb_device_choose("cpu");
    require(device != NULL, "there is a CPU");
    while (nb_schemes[schemes])
        schemes++;
    if (size < 3)
        return 0;
    const struct nb_scheme *scheme = nb_schemes[data[0] % schemes];
    const enum nb_precision precision = (enum nb_precision)(data[1] % NB_PRECISIONS);
    const char *force = forces[data[2] % 3];
    make_bodies(&b);
    if (open_run(&r, device, precision, scheme, force, &b)) {
        unsigned char *saved = save(&r, &saved_size);
        close_run(&r);
        size_t kept = change(saved, saved_size, data + 3, size - 3);
        struct nb_pack k = nb_pack_make(NB_PACK_LOAD, saved, kept);
        require(open_run(&r, device, precision, scheme, force, NULL), "the force serves again");
        int status = nb_step_pack(&r.p, &k);
        require(status == 0 || *nb_error(), "a refusal has a message");
        require(kept == saved_size || status, "what was cut is refused");
        if (status == 0 && (r.p.softening > 0 || scheme->traits & NB_PLANETARY)) /* close stars may take any time */
            (void)nb_steps(&r.p, 0.01, 2);
        close_run(&r);
        free(saved);
    }
    nb_bodies_free(&b);
    return 0;
}
