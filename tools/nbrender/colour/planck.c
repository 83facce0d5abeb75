/* Colours of black bodies. The colour matching functions of CIE 1931 (2 degrees) are approximated by the fits of Wyman,
 * Sloan & Shirley (2013, Journal of Computer Graphics Techniques 2, 2). The resulting error of the chromaticity
 * coordinates is below 0.0015 for temperatures above 2800 K. It grows to 0.011 at 1000 K. */
#include "nbrender/colour/colour.h"

#define FIRST_NM 360
#define LAST_NM  830
#define STEP_NM  5
#define C2_NM_K  1.438776877e7 /* second radiation constant h c / k, nm K */

/* Returns a Gaussian with different widths below and above its middle. */
static double lobe(double nm, double middle, double below, double above)
{
    const double x = (nm - middle) / (nm < middle ? below : above);
    return exp(-0.5 * x * x);
}

static void match(double nm, double xyz[3])
{
    xyz[0] =
        1.056 * lobe(nm, 599.8, 37.9, 31.0) + 0.362 * lobe(nm, 442.0, 16.0, 26.7) - 0.065 * lobe(nm, 501.1, 20.4, 26.2);
    xyz[1] = 0.821 * lobe(nm, 568.8, 46.9, 40.5) + 0.286 * lobe(nm, 530.9, 16.3, 31.1);
    xyz[2] = 1.217 * lobe(nm, 437.0, 11.8, 36.0) + 0.681 * lobe(nm, 459.0, 26.0, 13.8);
}

/* Returns Planck's radiance divided by the radiance at 560 nm. The ratio does not underflow for cold bodies. */
static double radiance(double nm, double kelvin)
{
    const double x = C2_NM_K / kelvin, at = x / nm, middle = x / 560;
    return pow(560 / nm, 5) * exp(middle - at) * (-expm1(-middle) / -expm1(-at));
}

void planck_xyz(double kelvin, double xyz[3])
{
    double matched[3];
    xyz[0] = xyz[1] = xyz[2] = 0;
    for (int nm = FIRST_NM; nm <= LAST_NM; nm += STEP_NM) {
        match(nm, matched);
        for (int d = 0; d < 3; d++)
            xyz[d] += radiance(nm, kelvin) * matched[d];
    }
}

/* Encodes linear light for the display (IEC 61966-2-1). */
static double encode(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

void planck_colour(double kelvin, float channel[3])
{
    static const double to_rgb[3][3] = {
        {3.2404542, -1.5371385, -0.4985314}, {-0.9692660, 1.8760108, 0.0415560}, {0.0556434, -0.2040259, 1.0572252}};
    double xyz[3], linear[3], most = 0;
    planck_xyz(fmin(fmax(kelvin, PLANCK_LEAST), PLANCK_MOST), xyz);
    for (int d = 0; d < 3; d++) {
        linear[d] = fmax(vector_dot(to_rgb[d], xyz), 0); /* below 1900 K blue is negative, which is outside sRGB */
        most = fmax(most, linear[d]);
    }
    for (int d = 0; d < 3; d++)
        channel[d] = (float)encode(linear[d] / most);
}
