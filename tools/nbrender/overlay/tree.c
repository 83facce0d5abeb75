/* Draws the cells of a force's tree over a picture. */
#include "nbrender/nbrender.h"

#include "base/memory.h"
#include "force/cells.h"

#define EDGES    12   /* number of edges of a cell */
#define LEAST    2    /* minimum size of a drawn cell, pixels */
#define LINES    1080 /* a line is (picture height / LINES) pixels wide, at least 1 pixel */
#define DOT      4    /* (diameter of the dot at a centre of mass) / (width of a line) */
#define FADE     0.88 /* opacity of a cell / opacity of its parent cell */
#define FAINTEST 0.15 /* minimum opacity of the cells of a level */

static const uint16_t all_ink[3] = {42000, 52000, 60000}, one_ink[3] = {65535, 47000, 12000};

struct tree {
    const struct tree_options *options;
    struct nb_force_spec spec;
    struct nb_cells all, one; /* all: cells for --draw-tree; one: cells for --draw-tree-of */
    bool is_found;            /* this frame or an earlier frame contained the body of --draw-tree-of */
    double place[3];          /* position of the body of --draw-tree-of; NAN if the body is not in the frame */
};

/* Sets *spec to the force method that --force names. The default is an octree. */
static void choose(const struct nb_force_request *asked, struct nb_force_spec *spec)
{
    if (asked->count > 0)
        *spec = asked->spec[0];
    else if (nb_force_parse("octree", spec) || (asked->theta && nb_force_spec_set(spec, "theta", asked->theta)))
        die_usage("--draw-tree: %s", nb_error());
}

bool tree_is_drawn(const struct render_options *o)
{
    const struct tree_options *tree = &o->overlay.tree;
    struct nb_force_spec spec;
    if (tree->depth < 0 && !tree->of_given)
        return false;
    choose(&o->map.forces, &spec);
    if (!nb_force_has_cells(&spec))
        die_usage("--draw-tree%s: --force %s has no cells to draw (use octree or kdtree)", tree->depth < 0 ? "-of" : "",
                  spec.method);
    tool_forces_check(&o->map.forces);
    return true;
}

struct tree *tree_create(const struct render_options *o)
{
    if (!tree_is_drawn(o))
        return NULL;
    struct tree *t = claimed(calloc(1, sizeof *t), "no memory for the cells of a tree");
    t->options = &o->overlay.tree;
    choose(&o->map.forces, &t->spec);
    return t;
}

void tree_destroy(struct tree *t)
{
    if (!t)
        return;
    nb_cells_free(&t->all);
    nb_cells_free(&t->one);
    free(t);
}

static void catch_one(struct tree *t, const struct nb_bodies *b)
{
    const struct nb_column *id = nb_bodies_find(b, "id");
    uint64_t i = 0;
    t->one.count = 0;
    t->place[0] = NAN;
    if (!is_id(id))
        die("--draw-tree-of: the bodies have no column id");
    while (i < b->n && id_of(id, i) != t->options->of)
        i++;
    if (i == b->n && !t->is_found)
        die("--draw-tree-of: no drawn body has the id %llu", (unsigned long long)t->options->of);
    t->is_found = true;
    if (i == b->n)
        return;
    vector_of(nb_bodies_find(b, "pos"), i, t->place);
    must(nb_force_cells(&t->spec, b, i, 0, &t->one));
}

void tree_catch(struct tree *t, const struct nb_bodies *b)
{
    if (!t || b->n == 0)
        return;
    if (t->options->depth >= 0)
        must(nb_force_cells(&t->spec, b, NB_CELLS_OF_ALL, t->options->depth, &t->all));
    if (t->options->of_given)
        catch_one(t, b);
}

/* ---- drawing ---- */

struct lines { /* line segments, separated by points with NAN */
    double (*at)[2];
    float *opacity;
    size_t count;
};

static void add_line(struct lines *l, const double from[2], const double to[2], float opacity)
{
    const double *const at[3] = {from, to, (const double[]){NAN, NAN}};
    for (int k = 0; k < 3; k++) {
        l->at = claimed(nb_memory_grow(l->at, l->count, sizeof *l->at), "no memory for the cells of a tree");
        l->opacity =
            claimed(nb_memory_grow(l->opacity, l->count, sizeof *l->opacity), "no memory for the cells of a tree");
        l->at[l->count][0] = at[k][0];
        l->at[l->count][1] = at[k][1];
        l->opacity[l->count++] = opacity;
    }
}

static double depth_of(const struct nb_view *view, const double p[3])
{
    double w = 0;
    for (int d = 0; d < 3; d++)
        w += view->back[d] * (p[d] - view->centre[d]);
    return 1 - w * view->inverse_distance;
}

/* Clips an edge of a cell at a plane just in front of the camera. `end` and `other` are the ends of the edge. If only
 * `end` is behind the plane, moves `end` along the edge to the plane. */
static void bring_forward(double end[3], double end_depth, const double other[3], double other_depth)
{
    const double least = 1.01 * NB_VIEW_NEAREST;
    if (end_depth >= least || other_depth < least)
        return;
    const double share = (least - end_depth) / (other_depth - end_depth);
    for (int d = 0; d < 3; d++)
        end[d] += share * (other[d] - end[d]);
}

/* Computes the two ends of edge k (0 to 11) of a cell. The edge is parallel to axis k / 4. Along the next axis, it is
 * on the low side of the cell if bit 0 of k is 0, else on the high side. Bit 1 means the same for the third axis. */
static void find_edge(const struct nb_cell *cell, int k, double ends[2][3])
{
    for (int d = 0; d < 3; d++) {
        const int turn = (d - k / 4 + 3) % 3, high = turn == 0 ? 0 : k >> (turn - 1) & 1;
        ends[0][d] = high ? cell->high[d] : cell->low[d];
        ends[1][d] = turn == 0 ? cell->high[d] : ends[0][d];
    }
}

static void add_cell(struct lines *l, const struct nb_view *view, const struct nb_cell *cell, float opacity)
{
    double at[EDGES][2][2], longest = 0;
    for (int k = 0; k < EDGES; k++) {
        double ends[2][3], depth[2];
        find_edge(cell, k, ends);
        for (int e = 0; e < 2; e++)
            depth[e] = depth_of(view, ends[e]);
        for (int e = 0; e < 2; e++)
            bring_forward(ends[e], depth[e], ends[1 - e], depth[1 - e]);
        for (int e = 0; e < 2; e++)
            view_project(view, ends[e], at[k][e]);
        longest = fmax(longest, hypot(at[k][1][0] - at[k][0][0], at[k][1][1] - at[k][0][1]));
    }
    for (int k = 0; k < EDGES && longest >= LEAST; k++)
        add_line(l, at[k][0], at[k][1], opacity);
}

static void add_dot(struct lines *l, const struct nb_view *view, const double x[3], float opacity)
{
    double at[2];
    view_project(view, x, at);
    add_line(l, at, at, opacity);
}

static void lay(struct lines *l, const struct pane *pane, struct picture *p, double width, const uint16_t ink[3])
{
    const struct layout_pane *place = &pane->place;
    const struct draw_area area = {place->x, place->y, place->width, place->height};
    draw_polyline_in(p, area, place->eye != 0, (const double(*)[2])l->at, l->opacity, l->count, width, ink);
    l->count = 0;
}

/* Draws the edges of cells, and a dot at the centre of mass of cells with several bodies. The opacity at a
 * level is opacity * fade^level, but at least FAINTEST. */
static void draw_cells(const struct nb_cells *cells, const struct pane *pane, struct picture *p, double opacity,
                       double fade, const uint16_t ink[3])
{
    const double width = fmax((double)p->height / LINES, 1);
    struct lines lines = {0};
    for (int dots = 0; dots < 2; dots++) {
        for (uint64_t k = 0; k < cells->count; k++) {
            const struct nb_cell *cell = &cells->cell[k];
            const float seen = (float)fmax(opacity * pow(fade, cell->level), FAINTEST);
            if (!dots)
                add_cell(&lines, &pane->view, cell, seen);
            else if (cell->bodies > 1)
                add_dot(&lines, &pane->view, cell->x, seen);
        }
        lay(&lines, pane, p, dots ? DOT * width : width, canvas_ink_of(&pane->place, ink));
    }
    free(lines.at);
    free(lines.opacity);
}

static void draw_body(const struct tree *t, const struct pane *pane, struct picture *p)
{
    struct lines dot = {0};
    add_dot(&dot, &pane->view, t->place, 1);
    lay(&dot, pane, p, 2 * DOT * fmax((double)p->height / LINES, 1), canvas_ink_of(&pane->place, canvas_ink));
    free(dot.at);
    free(dot.opacity);
}

void tree_draw(const struct tree *t, const struct panes *panes, struct picture *p)
{
    for (int k = 0; k < panes->count && t; k++) {
        draw_cells(&t->all, &panes->pane[k], p, 0.6, FADE, all_ink);
        draw_cells(&t->one, &panes->pane[k], p, 0.45, 1, one_ink);
        if (t->options->of_given && !isnan(t->place[0]))
            draw_body(t, &panes->pane[k], p);
    }
}
