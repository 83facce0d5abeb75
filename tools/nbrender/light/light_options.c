/* Options for light, and defaults that depend on the bodies. */
#include "nbrender/nbrender.h"

static void take_smooth(const struct tool_option *o, const char *text)
{
    double *smooth = &render_given.light.smooth;
    *smooth = strcmp(text, "fixed") == 0 ? 0 : tool_positive(o->name, text);
    if (*smooth != 0 && (*smooth < 1 || *smooth > 1e6))
        die_usage("--%s %s: expected a number from 1 to 1e6, or fixed", o->name, text);
}

/* Reads the value of --exposure: `fixed`, `adapt`, a factor X, `fixed,X` or `adapt,X`. */
static void take_exposure(const struct tool_option *o, const char *text)
{
    static const char *const words[] = {[EXPOSURE_FIXED] = "fixed", [EXPOSURE_ADAPT] = "adapt"};
    for (enum exposure_mode k = EXPOSURE_FIXED; k <= EXPOSURE_ADAPT; k++) {
        size_t length = strlen(words[k]);
        if (strncmp(text, words[k], length) != 0 || (text[length] != '\0' && text[length] != ','))
            continue;
        render_given.light.exposure_mode = k;
        if (text[length] == ',')
            tool_take_positive(o, text + length + 1);
        return;
    }
    tool_take_positive(o, text);
}

#define STAR_POINTS 0.9
/* factor that multiplies the default exposure if single stars are drawn as points, because points cover a small area */
#define STAR_EXPOSURE 8

/* Chooses the defaults that depend on the bodies:
 * - The number K of neighbours (usual.smooth) increases with the number of bodies. Few bodies with large smoothing
 *   lengths look like fog; many bodies with small smoothing lengths show noise.
 * - Maps (`measured`) use K / 2, except for colliding disks. They are then about as smooth as with an SPH kernel with
 *   32 neighbours in three dimensions: in a simulation of two colliding disk galaxies, the width of this kernel was
 *   equal to the smoothing length with 7 neighbours (20000 bodies) or 11 (200000 bodies).
 * - Colliding disks (contact forces) are drawn as a smooth gas without points. Single stars are drawn as points. */
struct light_options light_for(const struct light_options *o, const struct nb_bodies *first, bool measured)
{
    const double many = fmax(first ? (double)first->n : 0, 1) / 20000;
    const bool is_gas = first && touching_radius(&first->meta) > 0;
    const bool are_single = first && stars_are_single(first);
    struct light_options usual = *o;
    if (o->smooth == LIGHT_USUAL)
        usual.smooth = is_gas ? 40 : (measured ? 0.5 : 1) * fmin(fmax(15 * pow(many, 0.213), 15), 40);
    if (o->stars == LIGHT_USUAL)
        usual.stars = is_gas || o->smooth == 0 ? 0 : are_single ? STAR_POINTS : fmin(0.15 / sqrt(many), 0.3);
    usual.exposure *= are_single && o->stars == LIGHT_USUAL && o->smooth != 0 ? STAR_EXPOSURE : 1;
    if (measured)
        usual.stars = usual.bloom = 0;
    return usual;
}

const struct tool_option light_table[] = {
    {.about = "Light:"},
    {"smooth", "K|fixed", take_smooth, NULL,
     "number of neighbours of the adaptive smoothing length, or one length for all bodies (default 15 for up to "
     "20000 bodies, 40 for 2 million; half as many for maps)"},
    {"stars", "SHARE", tool_take_not_negative, &render_given.light.stars,
     "fraction of each body's light that is drawn as a point, 0 to 1 (default 0.9 for single stars, otherwise "
     "0.3 to 0.015 by the number of bodies)",
     0, 1, "must be from 0 to 1"},
    {"bloom", "SHARE", tool_take_not_negative, &render_given.light.bloom,
     "fraction of the light that is spread around bright regions, 0 to 1 (default 0.15)", 0, 1, "must be from 0 to 1"},
    {"dust", "SHARE", tool_take_not_negative, &render_given.light.dust,
     "dust dims and reddens the light behind it. It absorbs this fraction of the blue light, 0 to 0.99, seen "
     "face-on (default 0). It lies where the gas is, otherwise in a thin layer of the disks",
     0, DUST_MOST, "must be from 0 to 0.99"},
    {"exposure", "fixed|adapt|X", take_exposure, &render_given.light.exposure,
     "one exposure and colour range for all pictures, or adapted to each picture; X multiplies the light, also "
     "as fixed,X or adapt,X (default fixed for a file, adapt for a pipe)",
     1e-6, 1e6, "must be from 1e-6 to 1e6"},
    {0},
};
