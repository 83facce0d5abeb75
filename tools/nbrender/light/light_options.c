#include "nbrender/nbrender.h"

static void take_smooth(const struct tool_option *o, const char *text)
{
    double *smooth = &render_given.light.smooth;
    *smooth = strcmp(text, "fixed") == 0 ? 0 : tool_positive(o->name, text);
    if (*smooth != 0 && (*smooth < 1 || *smooth > 1e6))
        die_usage("--%s %s: not from 1 to 1e6, nor fixed", o->name, text);
}

/* A word, a factor, or a word, a comma and a factor. */
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

#define STAR_POINTS   0.9
#define STAR_EXPOSURE 8 /* points cover little of the picture, and few of them are bright */

/* Few bodies with wide footprints are fog, and many with narrow ones are noise. Those that touch are a gas, which is
 * smooth and has no points. Single stars are points. A map is as sharp as one of an SPH kernel with 32 neighbours in
 * space: of two disks that meet, of 20000 and of 200000 bodies, that has as much noise as footprints of 7 and of 11. */
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
     "a body's light covers so wide a place that about K bodies are in it, or is as wide everywhere (default by the number of bodies: 15 up to 20000, 40 for 2 million; of maps half as many)"},
    {"stars", "SHARE", tool_take_not_negative, &render_given.light.stars,
     "the share of each body's light that stays a point, 0 to 1 (default 0.9 for single stars, else by the number of bodies: 0.3 up to 5000, 0.15 for 20000, 0.015 for 2 million)",
     0, 1, "not from 0 to 1"},
    {"bloom", "SHARE", tool_take_not_negative, &render_given.light.bloom,
     "the share of the light that shines about bright places, 0 to 1 (default 0.15)", 0, 1, "not from 0 to 1"},
    {"dust", "SHARE", tool_take_not_negative, &render_given.light.dust,
     "dust dims and reddens what lies behind it: it absorbs this share of the blue light, 0 to 0.99, of what is behind a galaxy seen face-on, within half of its dust; it is where the gas is, without gas in a thin layer of the disks (default 0)",
     0, DUST_MOST, "not from 0 to 0.99"},
    {"exposure", "fixed|adapt|X", take_exposure, &render_given.light.exposure,
     "one exposure and one range of colours for all pictures, those of a whole file or of a pipe's first frame, or "
     "adapting to what is shown; X times as much light; also fixed,X and adapt,X (default fixed for a file, but changing smoothly where --camera comes nearer or goes away; adapt for a pipe)",
     1e-6, 1e6, "not from 1e-6 to 1e6"},
    {0},
};
