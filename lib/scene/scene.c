/* scene.c - reads and writes the header lines of a scene of colliding disks: contact law, walls, box and flow. Declared
 * in scene.h. */
#include "scene/scene.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES ((size_t)1 << 19) /* maximum length of a wall's line: half of the maximum size of a header */

/* Returns the text after the key, or NULL if the line has another key. */
static const char *after_key(const char *line, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && (line[length] == ' ' || line[length] == '\0') ? line + length : NULL;
}

static bool has_key(const char *line, const char *const *keys)
{
    while (*keys && !after_key(line, *keys))
        keys++;
    return *keys;
}

bool nb_scene_has(const struct nb_meta *meta, const char *const *keys)
{
    for (int k = 0; k < meta->extra_count; k++)
        if (has_key(meta->extra[k], keys))
            return true;
    return false;
}

bool nb_scene_drop(struct nb_meta *meta, const char *const *keys)
{
    const int before = meta->extra_count;
    meta->extra_count = 0;
    for (int k = 0; k < before; k++)
        if (has_key(meta->extra[k], keys))
            free(meta->extra[k]);
        else
            meta->extra[meta->extra_count++] = meta->extra[k];
    return meta->extra_count < before;
}

bool nb_scene_is_touching(const struct nb_meta *meta)
{
    static const char *const keys[] = {"contact", NULL};
    return nb_scene_has(meta, keys);
}

/* Parses `text` into number[]. `text` must contain only finite numbers, at most `most`, with one space before each.
 * Returns how many numbers `text` contains, or -1 if it contains anything else. */
static int take_numbers(const char *text, double *number, int most)
{
    int count = 0;
    for (; *text == ' ' && count < most; count++) {
        char *end;
        number[count] = strtod(text + 1, &end);
        if (end == text + 1 || text + 1 + strspn(text + 1, "+-.0123456789eE") != end || !isfinite(number[count]))
            return -1;
        text = end;
    }
    return *text == '\0' ? count : -1;
}

/* Parses `text`, the part of a header line after `key`: exactly `count` numbers. Fails if *there is true, which means
 * that an earlier line had the same key. Otherwise sets *there to true. */
static int take_line(const char *text, const char *key, bool *there, double *number, int count)
{
    if (*there)
        return nb_fail("the header has two lines '%s'", key);
    *there = true;
    if (take_numbers(text, number, count) != count)
        return nb_fail("the header line '%s%.60s' does not have %d numbers", key, text, count);
    return 0;
}

/* ---- walls ---- */

static bool is_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return length > 0 && length < NB_NAME_MAX && name[length] == '\0';
}

/* Returns the enclosed area, the sum of the signed areas of the triangles between the first point and each segment. It
 * is positive for an anticlockwise wall. */
static double signed_area(const double *xy, int count)
{
    double twice = 0;
    for (int k = 0; k + 1 < count; k++)
        twice += (xy[2 * k] - xy[0]) * (xy[2 * k + 3] - xy[1]) - (xy[2 * k + 2] - xy[0]) * (xy[2 * k + 1] - xy[1]);
    return twice / 2;
}

static int points_of(const struct nb_scene *scene)
{
    int points = 0;
    for (int k = 0; k < scene->wall_count; k++)
        points += scene->walls[k].count;
    return points;
}

int nb_scene_add_wall(struct nb_scene *scene, const char *name, const double *xy, int count)
{
    struct nb_wall *w = &scene->walls[scene->wall_count];
    if (!is_name(name))
        return nb_fail("wall '%.40s': a name consists of letters, digits, _ and -, at most %d of them", name,
                       NB_NAME_MAX - 1);
    for (int k = 0; k < scene->wall_count; k++)
        if (strcmp(scene->walls[k].name, name) == 0)
            return nb_fail("two walls have the name '%s'", name);
    if (count < 2 || scene->wall_count == NB_WALLS_MAX || points_of(scene) + count > NB_WALL_POINTS_MAX)
        return nb_fail("wall %s: fewer than 2 points, more than %d walls, or more than %d points in all", name,
                       NB_WALLS_MAX, NB_WALL_POINTS_MAX);
    for (int k = 0; k < 2 * count; k++)
        if (!isfinite(xy[k]))
            return nb_fail("wall %s: point %d is not finite", name, k / 2);
    *w = (struct nb_wall){.count = count, .xy = malloc(2 * (size_t)count * sizeof *xy)};
    if (!w->xy)
        return nb_fail("no memory for a wall");
    strcpy(w->name, name);
    memcpy(w->xy, xy, 2 * (size_t)count * sizeof *xy);
    w->closed = count > 3 && xy[0] == xy[2 * count - 2] && xy[1] == xy[2 * count - 1];
    w->area = w->closed ? signed_area(xy, count) : 0;
    scene->wall_count++;
    return 0;
}

static int take_wall(struct nb_scene *scene, const char *text)
{
    char name[NB_NAME_MAX] = "";
    const char *rest = *text ? text + 1 : text;
    const size_t length = strcspn(rest, " ");
    double *xy = malloc(2 * (NB_WALL_POINTS_MAX + 1) * sizeof *xy);
    int status = -1;
    if (!xy)
        return nb_fail("no memory for a wall");
    if (length < sizeof name)
        memcpy(name, rest, length);
    const int count = take_numbers(rest + length, xy, 2 * (NB_WALL_POINTS_MAX + 1));
    if (length == 0 || length >= sizeof name || count < 0 || count % 2)
        nb_fail("the header line 'wall%.60s': expected a name and pairs of numbers", text);
    else
        status = nb_scene_add_wall(scene, name, xy, count / 2);
    free(xy);
    return status;
}

/* ---- other lines ---- */

static int take_contact(struct nb_scene *scene, const char *text)
{
    double v[3];
    if (take_line(text, "contact", &scene->touching, v, 3))
        return -1;
    if (!(v[0] > 0) || v[1] < 0 || !(v[2] > 0))
        return nb_fail("the header line 'contact%.60s': stiffness and radius must be positive, damping not negative",
                       text);
    scene->stiffness = v[0], scene->damping = v[1], scene->radius = v[2];
    return 0;
}

static int take_box(struct nb_scene *scene, const char *text)
{
    double v[4];
    if (take_line(text, "box", &scene->boxed, v, 4))
        return -1;
    if (!(v[0] < v[1]) || !(v[2] < v[3]))
        return nb_fail("the header line 'box%.60s': expected X0 < X1 and Y0 < Y1", text);
    for (int k = 0; k < 2; k++)
        scene->low[k] = v[2 * k], scene->high[k] = v[2 * k + 1];
    return 0;
}

static int take_flow(struct nb_scene *scene, const char *text)
{
    double v[4];
    if (take_line(text, "flow", &scene->flowing, v, 4))
        return -1;
    for (int k = 0; k < 4; k++)
        if (!(v[k] > 0))
            return nb_fail("the header line 'flow%.60s': all numbers must be positive", text);
    scene->density = v[0], scene->speed = v[1], scene->mach = v[2], scene->chord = v[3];
    return 0;
}

static int take_periodic(struct nb_scene *scene, const char *text)
{
    static const char *const known[] = {"", " x", " y", " xy"};
    if (scene->periodic[0] || scene->periodic[1])
        return nb_fail("the header has two lines 'periodic'");
    for (int k = 1; k < 4; k++)
        if (strcmp(text, known[k]) == 0) {
            scene->periodic[0] = k & 1, scene->periodic[1] = k & 2;
            return 0;
        }
    return nb_fail("the header line 'periodic%.60s': expected x, y or xy", text);
}

static int take(struct nb_scene *scene, const char *line)
{
    static const struct {
        const char *key;
        int (*take)(struct nb_scene *, const char *);
    } known[] = {{"contact", take_contact},
                 {"wall", take_wall},
                 {"box", take_box},
                 {"flow", take_flow},
                 {"periodic", take_periodic}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const char *text = after_key(line, known[k].key);
        if (text)
            return known[k].take(scene, text);
    }
    return 0;
}

static int agree(const struct nb_scene *s)
{
    if ((s->periodic[0] || s->periodic[1]) && !s->boxed)
        return nb_fail("the header line 'periodic' needs a line 'box'");
    if (s->flowing && !(s->boxed && s->periodic[0]))
        return nb_fail("the header line 'flow' needs the lines 'box' and 'periodic x'");
    return 0;
}

int nb_scene_read(const struct nb_meta *meta, struct nb_scene *scene)
{
    int status = 0;
    *scene = (struct nb_scene){0};
    for (int k = 0; k < meta->extra_count && status == 0; k++)
        status = take(scene, meta->extra[k]);
    if (status == 0)
        status = agree(scene);
    if (status)
        nb_scene_free(scene);
    return status;
}

void nb_scene_free(struct nb_scene *scene)
{
    for (int k = 0; k < scene->wall_count; k++)
        free(scene->walls[k].xy);
    *scene = (struct nb_scene){0};
}

/* ---- writing ---- */

static int write_wall(const struct nb_wall *w, struct nb_meta *meta)
{
    const size_t size = 64 + 50 * (size_t)w->count;
    char *line = malloc(size);
    int used;
    if (!line)
        return nb_fail("no memory for a wall");
    used = snprintf(line, size, "wall %s", w->name);
    for (int k = 0; k < 2 * w->count; k++)
        used += snprintf(line + used, size - (size_t)used, " %.17g", w->xy[k]);
    const int status = (size_t)used > LINE_MAX_BYTES ? nb_fail("wall %s has too many points for a header", w->name)
                                                     : nb_meta_add_extra(meta, line);
    free(line);
    return status;
}

/* Replaces meta->extra[place], a header line, by a copy of `line`. If place < 0, appends the copy. */
static int put_line(struct nb_meta *meta, int place, const char *line)
{
    if (place < 0)
        return nb_meta_add_extra(meta, line);
    char *copy = strdup(line);
    if (!copy)
        return nb_fail("no memory for a header line");
    free(meta->extra[place]);
    meta->extra[place] = copy;
    return 0;
}

static int put_numbers(struct nb_meta *meta, int place, const char *key, const double *v, int count)
{
    char line[256];
    int used = snprintf(line, sizeof line, "%s", key);
    for (int k = 0; k < count; k++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %.17g", v[k]);
    return put_line(meta, place, line);
}

int nb_scene_write(const struct nb_scene *s, struct nb_meta *meta)
{
    static const char *const periodic[] = {"", "periodic x", "periodic y", "periodic xy"};
    const int directions = s->periodic[0] + 2 * s->periodic[1];
    if ((s->touching && put_numbers(meta, -1, "contact", (const double[]){s->stiffness, s->damping, s->radius}, 3)) ||
        (s->boxed && put_numbers(meta, -1, "box", (const double[]){s->low[0], s->high[0], s->low[1], s->high[1]}, 4)) ||
        (directions && nb_meta_add_extra(meta, periodic[directions])) ||
        (s->flowing && put_numbers(meta, -1, "flow", (const double[]){s->density, s->speed, s->mach, s->chord}, 4)))
        return -1;
    for (int k = 0; k < s->wall_count; k++)
        if (write_wall(&s->walls[k], meta))
            return -1;
    return 0;
}

/* ---- results of a run ---- */

/* Returns the index of the header's extra line that begins with `key`, and sets *text to the text after the key.
 * Returns -1 if there is no such line. */
static int find_line(const struct nb_meta *meta, const char *key, const char **text)
{
    for (int k = 0; k < meta->extra_count; k++)
        if ((*text = after_key(meta->extra[k], key)))
            return k;
    return -1;
}

static bool find_numbers(const struct nb_meta *meta, const char *key, double *v, int count)
{
    const char *text;
    return find_line(meta, key, &text) >= 0 && take_numbers(text, v, count) == count;
}

/* Writes a header line of `key` and `count` numbers. Replaces the header's line with this key if there is one,
 * otherwise appends the new line. */
static int replace_numbers(struct nb_meta *meta, const char *key, const double *v, int count)
{
    const char *text;
    return put_numbers(meta, find_line(meta, key, &text), key, v, count);
}

bool nb_scene_wall_force(const struct nb_meta *meta, const char *name, double force[2])
{
    char key[NB_NAME_MAX + 16];
    snprintf(key, sizeof key, "wall_force %s", name);
    return find_numbers(meta, key, force, 2);
}

int nb_scene_put_wall_force(struct nb_meta *meta, const char *name, const double force[2])
{
    char key[NB_NAME_MAX + 16];
    snprintf(key, sizeof key, "wall_force %s", name);
    return replace_numbers(meta, key, force, 2);
}

bool nb_scene_inflow(const struct nb_meta *meta, double inflow[3])
{
    return find_numbers(meta, "inflow", inflow, 3);
}

int nb_scene_put_inflow(struct nb_meta *meta, const double inflow[3])
{
    return replace_numbers(meta, "inflow", inflow, 3);
}

bool nb_scene_drop_measured(struct nb_meta *meta)
{
    static const char *const measured[] = {"wall_force", "inflow", NULL};
    return nb_scene_drop(meta, measured);
}
