#include "nbrender/nbrender.h"

#include <errno.h>

enum {
    KEY_VIEW = 0x200,
    KEY_CENTER,
    KEY_EXTENT,
    KEY_FOV,
    KEY_SPIN,
    KEY_LAYOUT,
    KEY_FOLLOW,
    KEY_ORBIT,
    KEY_ZOOM,
    KEY_CAMERA,
    KEY_STEREO
};

static const struct tool_option options[] = {
    {.about = "Camera:"},
    {"view", KEY_VIEW, "x|y|z|AZ,EL", 0,
     "x, y or z: look down that axis, with y and z, x and z, x and y to the right and up; or AZ,EL: from azimuth AZ "
     "(degrees from the x axis) and elevation EL above the x-y plane, z up (default z; of a quad's perspective -60,25)"},
    {"center", KEY_CENTER, "X,Y,Z|com|densest", 0,
     "what is in the picture's middle: a point, or of the first frame the centre of mass or the densest place (default: the middle of the header's box, else com)"},
    {"follow", KEY_FOLLOW, "com|densest|ID|COND", 0,
     "keep in the middle of every picture: the centre of mass, the densest place, the body of that id, or the centre of mass of those for which a condition holds, as in --select: disk"},
    {"extent", KEY_EXTENT, "R", 0,
     "half the picture's width in length units (default: what the header's box needs, or the first frame: up to 16 bodies with their orbits, up to 100 all, else at least 95 % of them)"},
    {"fov", KEY_FOV, "DEG", 0,
     "perspective with this horizontal angle of view; the extent holds at the centre (default: orthographic; of a quad's perspective 40)"},
    {"spin", KEY_SPIN, "DEG", 0, "turn the camera about the z axis by so many degrees a frame (default 0)"},
    {"orbit", KEY_ORBIT, "TURNS", 0,
     "turn it so many times from the first frame of a file to its last, also by parts of a turn (default 0)"},
    {"zoom", KEY_ZOOM, "FACTOR", 0,
     "magnify by FACTOR from the first frame of a file to its last, steadily; below 1 the view widens (default 1)"},
    {"camera", KEY_CAMERA, "FILE", 0,
     "keyframes, a line each: time, position x y z, target x y z, up x y z, horizontal angle of view in degrees; between them the camera moves smoothly"},
    {"layout", KEY_LAYOUT, "single|quad", 0,
     "quad: from the top, in perspective, from the front and from the side (default single)"},
    {"stereo", KEY_STEREO, "anaglyph[,BASE]", 0,
     "red for the left eye, cyan for the right; the eyes are apart by BASE, the share of the camera's distance (default 0.033), in perspective (--fov, default 40)"},
    {0},
};

#define FOV_DEFAULT  40
#define BASE_DEFAULT (1 / 30.0)

static bool is_centred(const struct view_options *o)
{
    return !isnan(o->center[0]) || o->focus.kind == FOCUS_DENSEST;
}

/* Keyframes say all that there is to say about the camera; of a quad they move one of four. */
static void check_camera(const struct view_options *o)
{
    const bool quad = o->layout == LAYOUT_QUAD;
    const char *also = !isnan(o->azimuth_deg) ? "view"
                       : o->fov_deg > 0       ? "fov"
                       : o->spin_deg != 0     ? "spin"
                       : o->orbit != 0        ? "orbit"
                       : o->zoom != 1         ? "zoom"
                       : quad                 ? NULL
                       : o->extent > 0        ? "extent"
                       : is_centred(o)        ? "center"
                                              : NULL;
    if (also)
        die_usage("--%s: the camera is where --camera says", also);
}

void view_options_finish(struct view_options *o, int width, int height)
{
    bool quad = o->layout == LAYOUT_QUAD;
    if (quad && (width < LAYOUT_QUAD_LEAST || height < LAYOUT_QUAD_LEAST))
        die_usage("--layout quad: %dx%d is too small, %d each way is the least", width, height, LAYOUT_QUAD_LEAST);
    if (quad && o->stereo_base > 0)
        die_usage("--stereo: of one view, not of --layout quad");
    if (o->follow && is_centred(o))
        die_usage("--center: what --follow says is in the middle");
    if (o->camera)
        check_camera(o);
    if (isnan(o->azimuth_deg)) {
        o->azimuth_deg = quad ? -60 : -90;
        o->elevation_deg = quad ? 25 : 90;
    }
    if ((quad || o->stereo_base > 0) && o->fov_deg == 0)
        o->fov_deg = FOV_DEFAULT;
    if (o->stereo_base > 0)
        o->layout = LAYOUT_STEREO;
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

static void parse_view(struct view_options *o, const char *text)
{
    static const double axes[3][2] = {{0, 0}, {-90, 0}, {-90, 90}};
    if (strlen(text) == 1 && *text >= 'x' && *text <= 'z') {
        o->azimuth_deg = axes[*text - 'x'][0];
        o->elevation_deg = axes[*text - 'x'][1];
        return;
    }
    if (!strchr(text, ','))
        die_usage("--view %s: not x, y, z or AZ,EL in degrees", text);
    tool_pair("--view", text, &o->azimuth_deg, &o->elevation_deg);
}

static void parse_center(struct view_options *o, const char *text)
{
    const char *at = text;
    for (int d = 0; d < 3; d++)
        o->center[d] = NAN;
    o->focus.kind = strcmp(text, "densest") == 0 ? FOCUS_DENSEST : FOCUS_COM;
    if (o->focus.kind == FOCUS_DENSEST || strcmp(text, "com") == 0)
        return;
    for (int d = 0; d < 3; d++) {
        char *end;
        o->center[d] = strtod(at, &end);
        if (end == at || *end != (d < 2 ? ',' : '\0') || !isfinite(o->center[d]))
            die_usage("--center %s: not three numbers X,Y,Z, com or densest", text);
        at = end + 1;
    }
}

static void parse_fov(struct view_options *o, const char *text)
{
    o->fov_deg = tool_positive("--fov", text);
    if (o->fov_deg < VIEW_FOV_LEAST || o->fov_deg > VIEW_FOV_MOST)
        die_usage("--fov %s: not from %g to %g degrees", text, VIEW_FOV_LEAST, VIEW_FOV_MOST);
}

static void parse_follow(struct view_options *o, const char *text)
{
    o->follow = true;
    focus_free(&o->followed);
    errno = 0;
    if (focus_parse(&o->followed, text) == 0)
        return;
    if (errno == ENOMEM)
        die("--follow: %s", nb_error());
    die_usage("--follow %.60s: not com, densest, a body's id, or a condition: %s", text, nb_error());
}

static void parse_stereo(struct view_options *o, const char *text)
{
    static const char kind[] = "anaglyph";
    const size_t length = strlen(kind);
    if (strncmp(text, kind, length) != 0 || (text[length] && text[length] != ','))
        die_usage("--stereo %s: not anaglyph or anaglyph,BASE", text);
    o->stereo_base = text[length] ? tool_positive("--stereo anaglyph,BASE", text + length + 1) : BASE_DEFAULT;
    if (o->stereo_base > 1)
        die_usage("--stereo %s: the eyes are at most as far apart as the camera is away, 1", text);
}

static bool parse(int key, const char *arg, void *context)
{
    struct view_options *o = &((struct render_options *)context)->view;
    switch (key) {
    case KEY_VIEW: parse_view(o, arg); return true;
    case KEY_CENTER: parse_center(o, arg); return true;
    case KEY_EXTENT: o->extent = tool_positive("--extent", arg); return true;
    case KEY_FOV: parse_fov(o, arg); return true;
    case KEY_FOLLOW: parse_follow(o, arg); return true;
    case KEY_ORBIT: o->orbit = tool_number("--orbit", arg); return true;
    case KEY_ZOOM: o->zoom = tool_positive("--zoom", arg); return true;
    case KEY_CAMERA: o->camera = arg; return true;
    case KEY_STEREO: parse_stereo(o, arg); return true;
    case KEY_LAYOUT: o->layout = tool_word() ? LAYOUT_QUAD : LAYOUT_SINGLE; return true;
    case KEY_SPIN: o->spin_deg = tool_number("--spin", arg); return true;
    default: return false;
    }
}

const struct tool_table view_table = {options, parse};
