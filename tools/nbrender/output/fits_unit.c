/* Writes a unit in the words of the FITS standard. */
#include "base/units.h"
#include "nbrender/output/output.h"

enum { SUN, KPC, PC, AU, KM, CM, YEAR, SECOND, GRAM, WORDS };
static const char *const words[WORDS] = {"solMass", "kpc", "pc", "AU", "km", "cm", "yr", "s", "g"};

struct powers {
    int of[WORDS];
    int ten;
};

static bool is(double cgs, double wanted)
{
    return fabs(cgs / wanted - 1) < 1e-9;
}

static bool add_mass(struct powers *p, const struct nb_units *u, int power)
{
    const bool many = is(u->mass_cgs, 1e10 * NB_SUN_CGS), grams = is(u->mass_cgs, 1);
    p->of[grams ? GRAM : SUN] += power;
    p->ten += many ? 10 * power : 0;
    return many || grams || is(u->mass_cgs, NB_SUN_CGS);
}

static bool add_length(struct powers *p, const struct nb_units *u, int power)
{
    static const struct {
        double cgs;
        int word;
    } known[] = {{NB_KPC_CGS, KPC}, {1e-3 * NB_KPC_CGS, PC}, {NB_AU_CGS, AU}, {1e5, KM}, {1, CM}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (is(u->length_cgs, known[k].cgs)) {
            p->of[known[k].word] += power;
            return true;
        }
    return false;
}

/* Multiplies the unit by a power of the time unit. The time unit must be a year, a second, or (length unit)/(km/s).
 * Returns false for any other time unit, because FITS has no words for it. */
static bool add_time(struct powers *p, const struct nb_units *u, int power)
{
    if (is(u->time_cgs, NB_YEAR_CGS) || is(u->time_cgs, 1)) {
        p->of[is(u->time_cgs, 1) ? SECOND : YEAR] += power;
        return true;
    }
    p->of[KM] -= power;
    p->of[SECOND] += power;
    return is(u->length_cgs / u->time_cgs, 1e5) && add_length(p, u, power);
}

static void print_powers(const struct powers *p, char *text)
{
    size_t used = 0;
    *text = '\0';
    if (p->ten)
        used += (size_t)snprintf(text, FITS_UNIT_MAX, "10**%d", p->ten);
    for (int k = 0; k < WORDS && used < FITS_UNIT_MAX; k++) {
        const char *blank = used ? " " : "";
        if (p->of[k] == 1)
            used += (size_t)snprintf(text + used, FITS_UNIT_MAX - used, "%s%s", blank, words[k]);
        else if (p->of[k])
            used += (size_t)snprintf(text + used, FITS_UNIT_MAX - used, "%s%s**%d", blank, words[k], p->of[k]);
    }
}

void fits_unit(const struct nb_units *units, const char *product, char text[FITS_UNIT_MAX])
{
    static bool (*const add[3])(struct powers *, const struct nb_units *, int) = {add_mass, add_length, add_time};
    struct powers p = {0};
    double powers[3];
    *text = '\0';
    if (*product == '1' || *product == '-' || !nb_unit_powers(product, powers))
        return;
    for (int k = 0; k < 3; k++)
        if (powers[k] != 0 && (powers[k] != rint(powers[k]) || !add[k](&p, units, (int)powers[k])))
            return;
    print_powers(&p, text);
}
