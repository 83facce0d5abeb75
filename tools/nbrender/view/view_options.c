#include "nbrender/nbrender.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_VIEW = 0x200, KEY_CENTER, KEY_EXTENT, KEY_FOV, KEY_SPIN, KEY_LAYOUT };

static const struct tool_option options[] = {
    {.about = "Camera:"},
    {"view", KEY_VIEW, "DIRECTION", 0,
     "x, y or z: look down that axis, with y and z, x and z, x and y to the right and up; or AZ,EL: from azimuth AZ "
     "(degrees from the x axis) and elevation EL above the x-y plane, z up (default z; of a quad's perspective "
     "-60,25)"},
    {"center", KEY_CENTER, "X,Y,Z", 0, "point in the picture's middle (default: the first frame's centre of mass)"},
    {"extent", KEY_EXTENT, "R", 0,
     "half the picture's width in length units (default: what the first frame needs: up to 16 bodies with their "
     "orbits, up to 100 all, else at least 95 % of them)"},
    {"fov", KEY_FOV, "DEG", 0,
     "perspective with this horizontal angle of view; the extent holds at the centre (default: orthographic; of a "
     "quad's perspective 40)"},
    {"spin", KEY_SPIN, "DEG", 0, "turn the camera about the z axis by so many degrees a frame (default 0)"},
    {"layout", KEY_LAYOUT, "NAME", 0,
     "single; or quad: from the top, in perspective, from the front and from the side (default single)"},
    {0},
};

const struct view_options view_defaults = {.azimuth_deg = NAN, .center = {NAN, NAN, NAN}};

void view_options_finish(struct view_options *o, int width, int height)
{
    bool quad = o->layout == LAYOUT_QUAD;
    if (quad && (width < LAYOUT_QUAD_LEAST || height < LAYOUT_QUAD_LEAST))
        die_usage("--layout quad: %dx%d is too small, %d each way is the least", width, height, LAYOUT_QUAD_LEAST);
    if (isnan(o->azimuth_deg)) {
        o->azimuth_deg = quad ? -60 : -90;
        o->elevation_deg = quad ? 25 : 90;
    }
    if (quad && o->fov_deg == 0)
        o->fov_deg = 40;
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
    for (int d = 0; d < 3; d++) {
        char *end;
        o->center[d] = strtod(at, &end);
        if (end == at || *end != (d < 2 ? ',' : '\0') || !isfinite(o->center[d]))
            die_usage("--center %s: not three numbers X,Y,Z", text);
        at = end + 1;
    }
}

static void parse_fov(struct view_options *o, const char *text)
{
    o->fov_deg = tool_positive("--fov", text);
    if (o->fov_deg < 0.01 || o->fov_deg > 170)
        die_usage("--fov %s: not from 0.01 to 170 degrees", text);
}

static void parse_layout(struct view_options *o, const char *text)
{
    if (strcmp(text, "single") != 0 && strcmp(text, "quad") != 0)
        die_usage("--layout %s: not single or quad", text);
    o->layout = *text == 'q' ? LAYOUT_QUAD : LAYOUT_SINGLE;
}

static bool parse(int key, const char *arg, void *context)
{
    struct view_options *o = &((struct render_options *)context)->view;
    switch (key) {
    case KEY_VIEW: parse_view(o, arg); return true;
    case KEY_CENTER: parse_center(o, arg); return true;
    case KEY_EXTENT: o->extent = tool_positive("--extent", arg); return true;
    case KEY_FOV: parse_fov(o, arg); return true;
    case KEY_LAYOUT: parse_layout(o, arg); return true;
    case KEY_SPIN: o->spin_deg = tool_number("--spin", arg); return true;
    default: return false;
    }
}

const struct tool_table view_table = {options, parse};
