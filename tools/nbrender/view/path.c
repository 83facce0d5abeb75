/* Reads keyframes of the camera from a file and interpolates between them. */
#include "nbrender/view/view.h"

#include "base/memory.h"

#include <errno.h>

#define VALUES 10 /* number of values of a keyframe after its time, in the order of the members of struct pose */
#define ALONG  1e-6
/* Let w be half the width that the camera shows at the first keyframe. path_moves ignores changes of w, and of a
 * coordinate of the target, by at most SAME * w. */
#define SAME 0.01

struct key {
    double time;
    double value[VALUES];
    double slope[VALUES]; /* derivative with respect to time */
};

struct path {
    int count;
    struct key *keys;
};

static struct pose pose_of(const double value[VALUES])
{
    struct pose p;
    for (int d = 0; d < 3; d++) {
        p.position[d] = value[d];
        p.target[d] = value[3 + d];
        p.up[d] = value[6 + d];
    }
    p.fov_deg = fmin(fmax(value[9], VIEW_FOV_LEAST), VIEW_FOV_MOST);
    return p;
}

/* ---- reading ---- */

struct line { /* name of the file and number of the line, for error messages */
    const char *file;
    long long number;
};

/* Reads the numbers of a line and stores the first `most` of them in number[]. Returns how many numbers the line has.
 * Dies if a word is not a number. */
static int read_numbers(struct line line, char *text, double *number, int most)
{
    static const char space[] = " \t\r\n";
    int count = 0;
    char *end, *rest = NULL;
    text[strcspn(text, "#")] = '\0';
    for (char *word = strtok_r(text, space, &rest); word; word = strtok_r(NULL, space, &rest)) {
        double x = strtod(word, &end);
        if (end == word || *end || !isfinite(x))
            die("%s:%lld: %.40s: expected a number", line.file, line.number, word);
        if (count < most)
            number[count] = x;
        count++;
    }
    return count;
}

static void check_pose(struct line line, const struct pose *p)
{
    double sight[3], across[3];
    for (int d = 0; d < 3; d++)
        sight[d] = p->target[d] - p->position[d];
    vector_cross(sight, p->up, across);
    if (!(vector_length(sight) > 0 && isfinite(vector_length(sight))))
        die("%s:%lld: camera and target are at the same position", line.file, line.number);
    if (!(vector_length(across) > ALONG * vector_length(sight) * vector_length(p->up)))
        die("%s:%lld: up is parallel to the line of sight", line.file, line.number);
}

static void add_key(struct path *p, struct line line, const double number[1 + VALUES])
{
    double fov = number[VALUES], step = p->count ? number[0] - p->keys[p->count - 1].time : 0;
    struct key key = {.time = number[0]};
    memcpy(key.value, number + 1, sizeof key.value);
    struct pose pose = pose_of(key.value);
    if (fov < VIEW_FOV_LEAST || fov > VIEW_FOV_MOST)
        die("%s:%lld: fov %g: expected %g to %g degrees", line.file, line.number, fov, VIEW_FOV_LEAST, VIEW_FOV_MOST);
    check_pose(line, &pose);
    if ((p->count && step == 0) || (p->count > 1 && step * (p->keys[1].time - p->keys[0].time) < 0))
        die("%s:%lld: time %g is not after the time of the previous keyframe", line.file, line.number, key.time);
    p->keys = claimed(nb_memory_grow(p->keys, (size_t)p->count, sizeof *p->keys), "no memory for the keyframes of %s",
                      line.file);
    p->keys[p->count++] = key;
}

static bool equal(const struct key *a, const struct key *b)
{
    return memcmp(a->value, b->value, sizeof a->value) == 0;
}

static void fill_slopes(struct path *p)
{
    for (int k = 1; k + 1 < p->count; k++) {
        struct key *key = &p->keys[k];
        double before = key->time - key[-1].time, after = key[1].time - key->time;
        if (equal(key, key - 1) || equal(key, key + 1))
            continue;
        for (int i = 0; i < VALUES; i++)
            key->slope[i] = ((key->value[i] - key[-1].value[i]) / before * after +
                             (key[1].value[i] - key->value[i]) / after * before) /
                            (before + after);
    }
}

struct path *path_read(const char *file)
{
    struct path *p = claimed(calloc(1, sizeof *p), "no memory");
    FILE *in = fopen(file, "r");
    char *text = NULL;
    size_t room = 0;
    double number[1 + VALUES];
    if (!in)
        die("%s: cannot be read: %s", file, strerror(errno));
    for (struct line line = {file, 1}; getline(&text, &room, in) >= 0; line.number++) {
        int count = read_numbers(line, text, number, 1 + VALUES);
        if (count != 0 && count != 1 + VALUES)
            die("%s:%lld: %d numbers: a keyframe needs %d: time, position x y z, target x y z, up x y z, fov", file,
                line.number, count, 1 + VALUES);
        if (count)
            add_key(p, line, number);
    }
    if (ferror(in))
        die("%s: cannot be read: %s", file, strerror(errno));
    fclose(in);
    free(text);
    if (p->count == 0)
        die("%s: contains no keyframe", file);
    fill_slopes(p);
    return p;
}

void path_free(struct path *p)
{
    if (p)
        free(p->keys);
    free(p);
}

/* Returns half the width of the region that the camera shows at the distance of the target. */
static double width_of(const struct pose *p)
{
    double sight[3];
    for (int d = 0; d < 3; d++)
        sight[d] = p->target[d] - p->position[d];
    return vector_length(sight) * tan(p->fov_deg * M_PI / 360);
}

bool path_moves(const struct path *p)
{
    const struct pose first = pose_of(p->keys[0].value);
    const double width = width_of(&first);
    bool moves = false;
    for (int k = 1; k < p->count; k++) {
        const struct pose pose = pose_of(p->keys[k].value);
        moves |= fabs(width_of(&pose) - width) > SAME * width;
        for (int d = 0; d < 3; d++)
            moves |= fabs(pose.target[d] - first.target[d]) > SAME * width;
    }
    return moves;
}

/* ---- interpolation ---- */

struct pose path_at(const struct path *p, double time)
{
    const struct key *last = &p->keys[p->count - 1], *a = p->keys;
    double value[VALUES], forwards = last->time >= a->time ? 1 : -1;
    if (!((time - a->time) * forwards > 0))
        return pose_of(a->value);
    if (!((last->time - time) * forwards > 0))
        return pose_of(last->value);
    while ((time - a[1].time) * forwards >= 0)
        a++;
    double step = a[1].time - a->time, s = (time - a->time) / step, r = 1 - s;
    for (int i = 0; i < VALUES; i++)
        value[i] = a->value[i] + s * s * (1 + 2 * r) * (a[1].value[i] - a->value[i]) +
                   s * r * step * (r * a->slope[i] - s * a[1].slope[i]);
    return pose_of(value);
}
