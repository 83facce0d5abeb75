/* Fuzz target: the header lines of disks in contact. Accepted lines are written and read again with the same bits.
 * The check of the geometry ends, and gives one message if it rejects the lines. */
#include "base/error.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_scene: does not hold: %s (%s)\n", what, nb_error());
    abort();
}

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void compare(const struct nb_scene *a, const struct nb_scene *b)
{
    require(a->touching == b->touching && is_same(a->stiffness, b->stiffness) && is_same(a->damping, b->damping) &&
                is_same(a->radius, b->radius),
            "contacts come back");
    require(a->boxed == b->boxed && memcmp(a->low, b->low, sizeof a->low) == 0 &&
                memcmp(a->high, b->high, sizeof a->high) == 0 && a->periodic[0] == b->periodic[0] &&
                a->periodic[1] == b->periodic[1],
            "the box comes back");
    require(a->flowing == b->flowing && is_same(a->density, b->density) && is_same(a->speed, b->speed) &&
                is_same(a->mach, b->mach) && is_same(a->chord, b->chord),
            "the flow comes back");
    require(a->wall_count == b->wall_count, "walls come back");
    for (int k = 0; k < a->wall_count; k++) {
        const struct nb_wall *w = &a->walls[k], *v = &b->walls[k];
        require(w->count == v->count && w->closed == v->closed && strcmp(w->name, v->name) == 0 &&
                    memcmp(w->xy, v->xy, 2 * (size_t)w->count * sizeof *w->xy) == 0,
                "points come back");
    }
}

static void check(const struct nb_scene *scene)
{
    struct nb_meta meta = {0};
    struct nb_scene again;
    if (nb_scene_check(scene))
        require(*nb_error() && strlen(nb_error()) < 2000, "a refusal has a message of some length");
    require(nb_scene_write(scene, &meta) == 0 && nb_scene_read(&meta, &again) == 0, "what is taken can be written");
    compare(scene, &again);
    nb_scene_free(&again);
    nb_meta_free(&meta);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *rest = text;
    struct nb_meta meta = {0};
    struct nb_scene scene;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    for (char *line; (line = strsep(&rest, "\n"));)
        require(nb_meta_add_extra(&meta, line) == 0, "a line is kept");
    if (nb_scene_read(&meta, &scene) == 0) {
        check(&scene);
        nb_scene_free(&scene);
    } else
        require(*nb_error() && strlen(nb_error()) < 2000, "a refusal has a message of some length");
    nb_meta_free(&meta);
    free(text);
    return 0;
}
