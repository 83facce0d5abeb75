/* stars.c - the mass function and temperatures of stars. */
#include "cluster.h"

#include <math.h>

/* Two initial mass functions, each a sequence of power laws: Kroupa (2001, MNRAS 322, 231) without brown dwarfs, and
 * Salpeter (1955, ApJ 121, 161). */
static const struct piece {
    /* Between the masses `from` and `to` (solar masses), the number of stars per unit of mass is factor * m^-slope. At
     * the mass where two pieces meet, both give the same number. */
    double from, to, slope, factor;
} kroupa[] = {{IMF_LEAST, 0.5, 1.3, 1}, {0.5, IMF_MOST, 2.3, 0.5}}, salpeter[] = {{IMF_LEAST, IMF_MOST, 2.35, 1}};

static double stars(const struct piece *p)
{
    double power = 1 - p->slope;
    return p->factor * (pow(p->to, power) - pow(p->from, power)) / power;
}

static double within(const struct piece *p, double u)
{
    double power = 1 - p->slope, low = pow(p->from, power), high = pow(p->to, power);
    return pow(low + u * (high - low), 1 / power);
}

double imf_mass(enum imf imf, double u)
{
    if (imf == IMF_EQUAL)
        return 1;
    if (imf == IMF_SALPETER)
        return within(salpeter, u);
    double low = stars(&kroupa[0]), share = low / (low + stars(&kroupa[1]));
    return u < share ? within(&kroupa[0], u / share) : within(&kroupa[1], (u - share) / (1 - share));
}

/* Main-sequence stars: rounded values from the table of Pecaut & Mamajek (2013, ApJS 208, 9) and its later editions.
 * The last entry is extrapolated. */
static const struct {
    double mass, kelvin;
} dwarfs[] = {{0.08, 2500}, {0.1, 2810},   {0.23, 3210},  {0.44, 3550}, {0.57, 3850}, {0.7, 4440},  {0.88, 5270},
              {1, 5770},    {1.33, 6550},  {1.61, 7220},  {1.88, 8080}, {2.3, 9700},  {3.4, 12500}, {5.4, 17000},
              {7.3, 20600}, {11.8, 26000}, {17.7, 31400}, {40, 41400},  {60, 44900},  {100, 48000}};

double star_temperature(double mass)
{
    int k = 1;
    while (k < (int)(sizeof dwarfs / sizeof dwarfs[0]) - 1 && mass > dwarfs[k].mass)
        k++;
    const double slope = log(dwarfs[k].kelvin / dwarfs[k - 1].kelvin) / log(dwarfs[k].mass / dwarfs[k - 1].mass);
    return dwarfs[k - 1].kelvin * pow(mass / dwarfs[k - 1].mass, slope);
}
