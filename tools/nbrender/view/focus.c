/* Finds the point in the middle of the picture: centre of mass, density centre, a body, or a group of bodies. */
#include "nbrender/view/view.h"

#include "scene/scene.h"

int focus_parse(struct focus *f, const char *text)
{
    *f = (struct focus){.kind = FOCUS_GROUP};
    if (strcmp(text, "com") == 0)
        f->kind = FOCUS_COM;
    else if (strcmp(text, "densest") == 0)
        f->kind = FOCUS_DENSEST;
    else if (*text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 20) {
        f->kind = FOCUS_BODY;
        f->id = strtoull(text, NULL, 10);
    } else
        f->group = nb_select_parse(text);
    return f->kind == FOCUS_GROUP && !f->group ? -1 : 0;
}

void focus_free(struct focus *f)
{
    nb_select_free(f->group);
}

static int find_body(uint64_t id, const struct nb_bodies *b, double centre[3])
{
    const struct nb_column *c = nb_bodies_find(b, "id"), *pos = nb_bodies_find(b, "pos");
    if (!is_id(c))
        return nb_fail("the bodies have no column id, so none can be selected by its id");
    for (uint64_t i = 0; i < b->n; i++)
        if (id_of(c, i) == id) {
            vector_of(pos, i, centre);
            return 0;
        }
    return isfinite(centre[0]) ? 0 : nb_fail("no body of the first frame has the id %llu", (unsigned long long)id);
}

static int find_group(const struct nb_select *group, const struct nb_bodies *b, double centre[3])
{
    unsigned char *mask = malloc(b->n);
    uint64_t count;
    int status = -1;
    if (!mask)
        return nb_fail("no memory for %llu bodies", (unsigned long long)b->n);
    if (nb_select_apply(group, b, mask, &count) == 0) {
        if (count > 0)
            status = framing_centre(b, mask, centre);
        else
            status = isfinite(centre[0]) ? 0 : nb_fail("the first frame has no such body");
    }
    free(mask);
    return status;
}

static int find_usual(const struct nb_bodies *b, double centre[3])
{
    struct nb_scene scene;
    if (nb_scene_read(&b->meta, &scene))
        return -1;
    const bool boxed = scene.boxed;
    for (int d = 0; d < 3 && boxed; d++)
        centre[d] = d < 2 ? 0.5 * scene.low[d] + 0.5 * scene.high[d] : 0;
    nb_scene_free(&scene);
    return boxed ? 0 : framing_centre(b, NULL, centre);
}

int focus_find(const struct focus *f, const struct nb_bodies *b, double centre[3])
{
    if (b->n == 0)
        return isfinite(centre[0]) ? 0 : nb_fail("the first frame has no body");
    switch (f->kind) {
    case FOCUS_AUTO: return find_usual(b, centre);
    case FOCUS_COM: return framing_centre(b, NULL, centre);
    case FOCUS_DENSEST: return densest_find(b, centre);
    case FOCUS_BODY: return find_body(f->id, b, centre);
    case FOCUS_GROUP: return find_group(f->group, b, centre);
    }
    return nb_fail("no bodies to look at");
}
