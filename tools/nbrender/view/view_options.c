/* Options for the camera, their defaults, and the checks on their combinations. */
#include "nbrender/nbrender.h"

#include <errno.h>

#define FOV_DEFAULT  40
#define BASE_DEFAULT (1 / 30.0)
#define ROUND_WIDTH  4096

static void take_view(const struct tool_option *o, const char *text)
{
    struct view_options *view = &render_given.view;
    static const double axes[3][2] = {{0, 0}, {-90, 0}, {-90, 90}};
    if (strlen(text) == 1 && *text >= 'x' && *text <= 'z') {
        view->azimuth_deg = axes[*text - 'x'][0];
        view->elevation_deg = axes[*text - 'x'][1];
        return;
    }
    if (!strchr(text, ','))
        die_usage("--%s %s: expected x, y, z or AZ,EL in degrees", o->name, text);
    tool_pair(o->name, text, &view->azimuth_deg, &view->elevation_deg);
}

static void take_center(const struct tool_option *o, const char *text)
{
    struct view_options *view = &render_given.view;
    const char *at = text;
    for (int d = 0; d < 3; d++)
        view->center[d] = NAN;
    view->focus.kind = strcmp(text, "densest") == 0 ? FOCUS_DENSEST : FOCUS_COM;
    if (view->focus.kind == FOCUS_DENSEST || strcmp(text, "com") == 0)
        return;
    for (int d = 0; d < 3; d++) {
        char *end;
        view->center[d] = strtod(at, &end);
        if (end == at || *end != (d < 2 ? ',' : '\0') || !isfinite(view->center[d]))
            die_usage("--%s %s: expected three numbers X,Y,Z, or com, or densest", o->name, text);
        at = end + 1;
    }
}

static void take_extent(const struct tool_option *o, const char *text)
{
    struct view_options *view = &render_given.view;
    view->extent_adapts = strcmp(text, "adapt") == 0;
    view->extent = view->extent_adapts ? 0 : tool_positive(o->name, text);
}

static void take_follow(const struct tool_option *o, const char *text)
{
    render_given.view.follow = true;
    focus_free(&render_given.view.followed);
    errno = 0;
    if (focus_parse(&render_given.view.followed, text) == 0)
        return;
    if (errno == ENOMEM)
        die("--%s: %s", o->name, nb_error());
    die_usage("--%s %.60s: expected com, densest, the id of a body, or a condition: %s", o->name, text, nb_error());
}

static void take_stereo(const struct tool_option *o, const char *text)
{
    double *base = &render_given.view.stereo_base;
    static const char kind[] = "anaglyph";
    const size_t length = strlen(kind);
    if (strncmp(text, kind, length) != 0 || (text[length] && text[length] != ','))
        die_usage("--%s %s: expected anaglyph or anaglyph,BASE", o->name, text);
    *base = text[length] ? tool_positive("stereo anaglyph,BASE", text + length + 1) : BASE_DEFAULT;
    if (*base > 1)
        die_usage("--%s %s: the distance of the eyes can be at most the distance of the camera, 1", o->name, text);
}

static void take_slice(const struct tool_option *o, const char *text)
{
    struct slice *slice = o->to;
    tool_pair(o->name, text, &slice->depth, &slice->thick);
    if (!(slice->thick > 0))
        die_usage("--%s %s: expected Z,DZ with a thickness DZ above 0", o->name, text);
}

const struct tool_option view_table[] = {
    {.about = "Camera:"},
    {"view", "x|y|z|AZ,EL", take_view, NULL,
     "place of the camera: z (x to the right, y up), x (y, z) or y (x, z), or azimuth and elevation in degrees "
     "(default z; -60,25 for 360 and the perspective of a quad)"},
    {"center", "X,Y,Z|com|densest", take_center, NULL,
     "point in the middle of the picture: coordinates, or the centre of mass or density centre of the first "
     "frame (default: the middle of the header's box, otherwise com)"},
    {"follow", "com|densest|ID|COND", take_follow, NULL,
     "keep this in the middle of every picture: centre of mass, density centre, body ID, or the centre of mass "
     "of the bodies that satisfy a condition, such as disk"},
    {"extent", "R|adapt", take_extent, NULL,
     "half the picture's width in length units; adapt follows the bodies smoothly (default: the header's box, "
     "otherwise 95 % of the bodies; up to 100 bodies: all)"},
    {"fov", "DEG", tool_take_positive, &render_given.view.fov_deg,
     "perspective with this horizontal angle of view (default: orthographic; 40 for the perspective of a quad)",
     VIEW_FOV_LEAST, VIEW_FOV_MOST, "must be from 0.01 to 170 degrees"},
    {"spin", "DEG", tool_take_number, &render_given.view.spin_deg,
     "turn the camera about the z axis by DEG degrees each frame (default 0)"},
    {"orbit", "TURNS", tool_take_number, &render_given.view.orbit,
     "turn the camera by TURNS turns from the first to the last frame of a file (default 0). Fractions are allowed"},
    {"zoom", "FACTOR", tool_take_positive, &render_given.view.zoom,
     "magnify by FACTOR from the first to the last frame of a file (default 1). Below 1 the view widens"},
    {"camera", "FILE", tool_take_text, &render_given.view.camera,
     "move the camera along keyframes. A line of FILE: time, position x y z, target x y z, up x y z, horizontal "
     "angle of view in degrees"},
    {"slice", "Z,DZ", take_slice, &render_given.view.slice,
     "draw only the bodies within DZ/2 of a plane across the line of sight, Z in front of the centre"},
    {"projection", "flat|dome|360", tool_take_word, &render_given.view.projection,
     "dome: a fisheye of 180 degrees for planetariums. 360: all directions, equirectangular, for virtual "
     "reality. The camera stands at half the extent from the centre, or where --camera says (default flat)"},
    {"layout", "single|quad", tool_take_word, &render_given.view.layout,
     "quad: four views: from above, in perspective, from the front and from the side (default single)"},
    {"stereo", "anaglyph[,BASE]", take_stereo, NULL,
     "a stereo pair in perspective, red for the left eye, cyan for the right. BASE is the distance of the eyes "
     "over the camera's distance (default 0.033). The default of --fov is 40"},
    {0},
};

static bool is_centred(const struct view_options *o)
{
    return !isnan(o->center[0]) || o->focus.kind == FOCUS_DENSEST;
}

/* Dies if another option contradicts --camera. With --layout quad, --extent and --center are allowed: they set three of
 * the four panes. --camera moves only the fourth pane (perspective). */
static void check_camera(const struct view_options *o)
{
    const bool quad = o->layout == LAYOUT_QUAD;
    const char *also = !isnan(o->azimuth_deg)              ? "view"
                       : o->fov_deg > 0                    ? "fov"
                       : o->spin_deg != 0                  ? "spin"
                       : o->orbit != 0                     ? "orbit"
                       : o->zoom != 1                      ? "zoom"
                       : quad                              ? NULL
                       : o->extent > 0 || o->extent_adapts ? "extent"
                       : is_centred(o)                     ? "center"
                                                           : NULL;
    if (also)
        die_usage("--%s: --camera sets the camera already", also);
}

/* Returns the name of an option that the user gave but that is not possible with --projection dome or 360. Returns NULL
 * if there is none. */
static const char *has_no(const struct render_options *o)
{
    return o->view.layout != LAYOUT_SINGLE    ? "layout quad"
           : o->view.stereo_base > 0          ? "stereo"
           : o->view.fov_deg > 0              ? "fov"
           : o->map.kind != MAP_NONE          ? "map"
           : o->discs.style == STYLE_DISCS    ? "style discs"
           : o->discs.trails > 0              ? "trails"
           : o->discs.labels                  ? "labels"
           : o->overlay.shown & OVERLAY_SCALE ? "overlay scale"
           : o->overlay.shown & OVERLAY_BOX   ? "overlay box"
           : o->view.slice.thick > 0          ? "slice"
           : o->light.dust > 0                ? "dust"
           : o->overlay.arrows > 0            ? "arrows"
           : o->overlay.tree.depth >= 0       ? "draw-tree"
           : o->overlay.tree.of_given         ? "draw-tree-of"
                                              : NULL;
}

void view_options_finish_round(struct render_options *o)
{
    const enum layout_projection projection = o->view.projection;
    const char *name = projection == PROJECTION_DOME ? "dome" : "360";
    const int aspect = projection == PROJECTION_DOME ? 1 : 2;
    if (projection == PROJECTION_FLAT)
        return;
    if (has_no(o))
        die_usage("--%s works for flat pictures only, not for --projection %s", has_no(o), name);
    if (!tool_given("size")) {
        o->width = ROUND_WIDTH;
        o->height = ROUND_WIDTH / aspect;
    }
    if (o->width != aspect * o->height)
        die_usage("--size %dx%d: --projection %s needs %s", o->width, o->height, name,
                  aspect == 1 ? "a square" : "twice as many pixels in width as in height");
    o->view.layout = projection == PROJECTION_DOME ? LAYOUT_DOME : LAYOUT_SPHERE;
    o->walls.style = WALLS_NONE;
}

void view_options_finish(struct view_options *o, int width, int height)
{
    bool quad = o->layout == LAYOUT_QUAD;
    if (quad && (width < LAYOUT_QUAD_LEAST || height < LAYOUT_QUAD_LEAST))
        die_usage("--layout quad: %dx%d is too small, width and height must be at least %d", width, height,
                  LAYOUT_QUAD_LEAST);
    if (o->follow && is_centred(o))
        die_usage("--center: --follow sets the centre already");
    if (o->camera)
        check_camera(o);
    if (isnan(o->azimuth_deg)) {
        const bool aside = quad || o->layout == LAYOUT_SPHERE;
        o->azimuth_deg = aside ? -60 : -90;
        o->elevation_deg = aside ? 25 : 90;
    }
    if ((quad || o->stereo_base > 0) && o->fov_deg == 0)
        o->fov_deg = FOV_DEFAULT;
    if (o->stereo_base > 0)
        o->layout = quad ? LAYOUT_STEREO_QUAD : LAYOUT_STEREO;
}

bool view_options_is_one(const struct view_options *o)
{
    return o->layout == LAYOUT_SINGLE;
}

void view_options_free(struct view_options *o)
{
    focus_free(&o->followed);
}

bool view_options_need_length(const struct view_options *o)
{
    return o->orbit != 0 || o->zoom != 1;
}

void view_options_set_length(struct view_options *o, int64_t frames)
{
    if (frames < 0)
        die("--%s: the number of frames in a pipe is unknown (--spin turns by degrees a frame; --camera uses times)",
            o->orbit != 0 ? "orbit" : "zoom");
    o->last_frame = frames - 1;
}
