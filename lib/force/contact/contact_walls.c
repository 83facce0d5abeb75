/* contact_walls.c - divides walls into segments, and builds a table of cells. Each cell has a list of the segments near
 * it. Declared in contact_walls.h. */
#define CONTACT_CALL static inline
#include "force/contact/contact_walls.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define CELLS_MOST 1024 /* maximum number of cells along an axis */
/* approximate maximum of the total length of all cells' lists; if it is exceeded, larger cells are used */
#define ITEMS_MOST 2e7

/* Appends the segments of one wall to w->segment, except segments of length 0. */
static void add_segments(const struct nb_wall *wall, int number, struct nb_contact_walls *w)
{
    const int first = w->segments;
    for (int k = 0; k + 1 < wall->count; k++) {
        const double *p = wall->xy + 2 * (size_t)k, dx = p[2] - p[0], dy = p[3] - p[1], length = hypot(dx, dy);
        if (length > 0)
            w->segment[w->segments++] = (struct nb_contact_segment){
                p[0],        p[1],        dx / length,
                dy / length, length,      {{dy / length, -dx / length}, {dy / length, -dx / length}},
                number,      wall->closed};
    }
    const int count = w->segments - first;
    for (int k = wall->closed ? 0 : 1; k < count; k++) {
        struct nb_contact_segment *g = &w->segment[first + k], *before = &w->segment[first + (k + count - 1) % count];
        g->corner[0][0] = before->corner[1][0] = before->uy + g->uy;
        g->corner[0][1] = before->corner[1][1] = -before->ux - g->ux;
    }
}

static int make_segments(const struct nb_scene *scene, struct nb_contact_walls *w)
{
    size_t most = 1;
    for (int k = 0; k < scene->wall_count; k++)
        most += (size_t)scene->walls[k].count;
    w->segment = calloc(most, sizeof *w->segment);
    if (!w->segment)
        return nb_fail("no memory for walls");
    for (int k = 0; k < scene->wall_count; k++)
        add_segments(&scene->walls[k], k, w);
    return 0;
}

static void place_cells(const struct nb_scene *scene, struct nb_contact_walls *w)
{
    const double r = scene->radius;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, length = 0;
    for (int k = 0; k < scene->wall_count; k++)
        for (int i = 0; i < 2 * scene->walls[k].count; i++) {
            low[i % 2] = fmin(low[i % 2], scene->walls[k].xy[i]);
            high[i % 2] = fmax(high[i % 2], scene->walls[k].xy[i]);
        }
    for (int k = 0; k < w->segments; k++)
        length += w->segment[k].length;
    double cell = fmax(2 * r, fmax(high[0] - low[0], high[1] - low[1]) / (CELLS_MOST - 8));
    while ((length / cell + w->segments) * (4 + 4 * r / cell) > ITEMS_MOST)
        cell *= 2;
    for (int k = 0; k < 2; k++) { /* on each side, the table extends beyond the walls by one cell and one disk radius */
        w->low[k] = low[k] - r - cell;
        w->cells[k] = (int)((high[k] + r + cell - w->low[k]) / cell) + 1;
    }
    w->inverse_cell = 1 / cell;
}

static double distance(const struct nb_contact_segment *g, double x, double y)
{
    const double dx = x - g->x, dy = y - g->y, t = fmin(fmax(dx * g->ux + dy * g->uy, 0), g->length);
    return hypot(dx - t * g->ux, dy - t * g->uy);
}

static int clamped(double place, int cells)
{
    return place < 0 ? 0 : place >= cells ? cells - 1 : (int)place;
}

typedef void visitor(void *context, uint64_t cell);

/* Calls visit(context, cell) for each cell whose centre is within `reach` of the segment. */
static void visit_near(const struct nb_contact_walls *w, const struct nb_contact_segment *g, double reach,
                       visitor *visit, void *context)
{
    const double edge = 1 / w->inverse_cell, x1 = g->x + g->length * g->ux, y1 = g->y + g->length * g->uy;
    const int j0 = clamped((fmin(g->y, y1) - reach - w->low[1]) / edge, w->cells[1]);
    const int j1 = clamped((fmax(g->y, y1) + reach - w->low[1]) / edge, w->cells[1]);
    for (int j = j0; j <= j1; j++) {
        const double y = w->low[1] + (j + 0.5) * edge;
        double low = fmin(g->x, x1), high = fmax(g->x, x1);
        /* The centres of all cells of row j have the same y. A point of the segment can be near a centre only if its y
         * coordinate differs from this y by at most `reach`. low, high: range of the x coordinates of these points */
        if (g->uy != 0) {
            const double t0 = (y - reach - g->y) / g->uy, t1 = (y + reach - g->y) / g->uy;
            const double a = g->x + g->ux * fmin(fmax(t0, 0), g->length),
                         b = g->x + g->ux * fmin(fmax(t1, 0), g->length);
            low = fmin(a, b), high = fmax(a, b);
        }
        const int i1 = clamped((high + reach - w->low[0]) / edge, w->cells[0]);
        for (int i = clamped((low - reach - w->low[0]) / edge, w->cells[0]); i <= i1; i++)
            if (distance(g, w->low[0] + (i + 0.5) * edge, y) <= reach)
                visit(context, (uint64_t)j * (uint64_t)w->cells[0] + (uint64_t)i);
    }
}

struct filling {
    struct nb_contact_walls *w;
    uint8_t *near; /* for each cell: 1 if a segment of the current wall is near */
    uint32_t segment;
    uint32_t *next;
};

static void mark(void *context, uint64_t cell)
{
    struct filling *f = context;
    f->near[cell] = 1;
}

static void count(void *context, uint64_t cell)
{
    struct filling *f = context;
    f->next[cell] += f->near[cell];
}

static void put(void *context, uint64_t cell)
{
    struct filling *f = context;
    if (f->near[cell])
        f->w->item[f->next[cell]++] = f->segment;
}

/* Sets w->solid of the cells that lie inside the solid of a closed wall and are not near the wall. The solid is the
 * region that the wall encloses or, if the wall is a container, the region outside. To find the enclosed cells, scans
 * each row of cells along x and counts the crossings with the wall: an odd number means enclosed. */
static void mark_solid(const struct nb_wall *wall, int first, int end, struct nb_contact_walls *w, const uint8_t *near,
                       uint8_t *odd)
{
    const uint64_t nx = (uint64_t)w->cells[0];
    memset(odd, 0, nx * (uint64_t)w->cells[1]);
    for (int k = first; k < end; k++) {
        const struct nb_contact_segment *g = &w->segment[k];
        const double y0 = g->y, y1 = g->y + g->length * g->uy, edge = 1 / w->inverse_cell;
        for (int j = clamped((fmin(y0, y1) - w->low[1]) / edge - 1, w->cells[1]); j < w->cells[1]; j++) {
            const double y = w->low[1] + (j + 0.5) * edge;
            if (y > fmax(y0, y1))
                break;
            if ((y0 > y) != (y1 > y))
                odd[(uint64_t)j * nx +
                    (uint64_t)clamped((g->x + (y - y0) * g->ux / g->uy - w->low[0]) / edge + 0.5, w->cells[0])] ^= 1;
        }
    }
    for (uint64_t c = 0; c < nx * (uint64_t)w->cells[1]; c++) {
        if (c % nx)
            odd[c] ^= odd[c - 1];
        if (!near[c] && odd[c] == (wall->area > 0))
            w->solid[c] = 1;
    }
}

/* Does one of two passes over the walls. The first pass counts the segments that each cell lists (what = count). The
 * second pass stores the segments (what = put), and marks the cells in the solid of a closed wall. Both passes first
 * mark, for each wall, the cells near the wall in f->near. */
static void pass(const struct nb_scene *scene, struct filling *f, uint8_t *odd, visitor *what)
{
    struct nb_contact_walls *w = f->w;
    const uint64_t cells = (uint64_t)w->cells[0] * (uint64_t)w->cells[1];
    const double half = M_SQRT1_2 / w->inverse_cell, slack = 1e-9 / w->inverse_cell;
    for (int first = 0, end; first < w->segments; first = end) {
        const int wall = w->segment[first].wall;
        for (end = first; end < w->segments && w->segment[end].wall == wall; end++)
            ;
        memset(f->near, 0, cells);
        for (int k = first; k < end; k++)
            visit_near(w, &w->segment[k], scene->radius + half + slack, mark, f);
        for (int k = first; k < end; k++) {
            f->segment = (uint32_t)k;
            visit_near(w, &w->segment[k], scene->radius + 3 * half + slack, what, f);
        }
        if (scene->walls[wall].closed && what == put)
            mark_solid(&scene->walls[wall], first, end, w, f->near, odd);
    }
}

static int make_cells(const struct nb_scene *scene, struct nb_contact_walls *w)
{
    const uint64_t cells = (uint64_t)w->cells[0] * (uint64_t)w->cells[1];
    struct filling f = {w, malloc(cells), 0, calloc(cells + 1, sizeof *f.next)};
    uint8_t *odd = malloc(cells);
    uint64_t items = 0;
    w->begin = malloc((cells + 1) * sizeof *w->begin);
    w->solid = calloc(cells, 1);
    if (f.near && f.next && odd && w->begin && w->solid) {
        pass(scene, &f, odd, count);
        for (uint64_t c = 0; c <= cells; c++) {
            w->begin[c] = (uint32_t)items;
            items += f.next[c];
            f.next[c] = w->begin[c];
        }
        w->item = malloc((items + 1) * sizeof *w->item);
        if (w->item)
            pass(scene, &f, odd, put);
    }
    free(f.near);
    free(f.next);
    free(odd);
    return w->item ? 0 : nb_fail("no memory for walls");
}

int nb_contact_walls_make(const struct nb_scene *scene, struct nb_contact_walls *walls)
{
    int status = 0;
    *walls = (struct nb_contact_walls){0};
    if (make_segments(scene, walls))
        return -1;
    for (int k = 0; k < scene->wall_count; k++)
        walls->outside |= scene->walls[k].closed && scene->walls[k].area < 0;
    if (walls->segments > 0) {
        place_cells(scene, walls);
        status = make_cells(scene, walls);
    }
    if (status)
        nb_contact_walls_free(walls);
    return status;
}

void nb_contact_walls_free(struct nb_contact_walls *walls)
{
    free(walls->begin);
    free(walls->item);
    free(walls->solid);
    free(walls->segment);
    *walls = (struct nb_contact_walls){0};
}
