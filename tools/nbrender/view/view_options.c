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
        die_usage("--%s %s: not x, y, z or AZ,EL in degrees", o->name, text);
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
            die_usage("--%s %s: not three numbers X,Y,Z, com or densest", o->name, text);
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
    die_usage("--%s %.60s: not com, densest, a body's id, or a condition: %s", o->name, text, nb_error());
}

static void take_stereo(const struct tool_option *o, const char *text)
{
    double *base = &render_given.view.stereo_base;
    static const char kind[] = "anaglyph";
    const size_t length = strlen(kind);
    if (strncmp(text, kind, length) != 0 || (text[length] && text[length] != ','))
        die_usage("--%s %s: not anaglyph or anaglyph,BASE", o->name, text);
    *base = text[length] ? tool_positive("stereo anaglyph,BASE", text + length + 1) : BASE_DEFAULT;
    if (*base > 1)
        die_usage("--%s %s: the eyes are at most as far apart as the camera is away, 1", o->name, text);
}

static void take_slice(const struct tool_option *o, const char *text)
{
    struct slice *slice = o->to;
    tool_pair(o->name, text, &slice->depth, &slice->thick);
    if (!(slice->thick > 0))
        die_usage("--%s %s: not Z,DZ with a thickness DZ above 0", o->name, text);
}

const struct tool_option view_table[] = {
    {.about = "Camera:"},
    {"view", "x|y|z|AZ,EL", take_view, NULL,
     "x, y or z: look down that axis, with y and z, x and z, x and y to the right and up; or AZ,EL: from azimuth AZ "
     "(degrees from the x axis) and elevation EL above the x-y plane, z up (default z; of 360 and a quad's perspective -60,25)"},
    {"center", "X,Y,Z|com|densest", take_center, NULL,
     "what is in the picture's middle: a point, or of the first frame the centre of mass or the densest place (default: the middle of the header's box, else com)"},
    {"follow", "com|densest|ID|COND", take_follow, NULL,
     "keep in the middle of every picture: the centre of mass, the densest place, the body of that id, or the centre of mass of those for which a condition holds, as in --select: disk"},
    {"extent", "R|adapt", take_extent, NULL,
     "half the picture's width in length units, or adapting smoothly to what is shown (default: what the header's box needs, or 95 % of the bodies in the median frame of a file, or the first frame of a pipe with room about it; up to 100 bodies all, up to 16 with their orbits)"},
    {"fov", "DEG", tool_take_positive, &render_given.view.fov_deg,
     "perspective with this horizontal angle of view; the extent holds at the centre (default: orthographic; of a quad's perspective 40)",
     VIEW_FOV_LEAST, VIEW_FOV_MOST, "not from 0.01 to 170 degrees"},
    {"spin", "DEG", tool_take_number, &render_given.view.spin_deg,
     "turn the camera about the z axis by so many degrees a frame (default 0)"},
    {"orbit", "TURNS", tool_take_number, &render_given.view.orbit,
     "turn it so many times from the first frame of a file to its last, also by parts of a turn (default 0)"},
    {"zoom", "FACTOR", tool_take_positive, &render_given.view.zoom,
     "magnify by FACTOR from the first frame of a file to its last, steadily; below 1 the view widens (default 1)"},
    {"camera", "FILE", tool_take_text, &render_given.view.camera,
     "keyframes, a line each: time, position x y z, target x y z, up x y z, horizontal angle of view in degrees; between them the camera moves smoothly"},
    {"slice", "Z,DZ", take_slice, &render_given.view.slice,
     "draw only the bodies within DZ/2 of a plane across the line of sight, which is Z from the centre towards the camera"},
    {"projection", "flat|dome|360", tool_take_word, &render_given.view.projection,
     "dome: a fisheye of 180 degrees for a planetarium, the middle what the camera looks at, below it the front; 360: all directions, equirectangular, and players are told so in mp4 and mov; the camera stands at half the extent from the centre, or where --camera says (default flat)"},
    {"layout", "single|quad", tool_take_word, &render_given.view.layout,
     "quad: from the top, in perspective, from the front and from the side (default single)"},
    {"stereo", "anaglyph[,BASE]", take_stereo, NULL,
     "red for the left eye, cyan for the right; the eyes are apart by BASE, the share of the camera's distance (default 0.033), in perspective (--fov, default 40); of a quad its perspective"},
    {0},
};

static bool is_centred(const struct view_options *o)
{
    return !isnan(o->center[0]) || o->focus.kind == FOCUS_DENSEST;
}

/* Keyframes say all that there is to say about the camera; of a quad they move one of four. */
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
        die_usage("--%s: the camera is where --camera says", also);
}

/* What there is none of in a dome or in 360, or NULL. */
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
        die_usage("--%s: for flat pictures, not for --projection %s", has_no(o), name);
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
        die_usage("--layout quad: %dx%d is too small, %d each way is the least", width, height, LAYOUT_QUAD_LEAST);
    if (o->follow && is_centred(o))
        die_usage("--center: what --follow says is in the middle");
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
        die("--%s: how many frames there are is not known of a pipe (--spin turns by degrees a frame; --camera has times)",
            o->orbit != 0 ? "orbit" : "zoom");
    o->last_frame = frames - 1;
}
