#include "gadget_header.h"

#include "common/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct source {
    struct hdf *h;
    const char *name;
};

/* The first of the groups that has this number; `otherwise` where none has. */
static double find(const struct source *s, const char *const *groups, const char *attribute, double otherwise)
{
    double value;
    for (; *groups; groups++)
        if (hdf_get_f64(s->h, *groups, attribute, &value, 1) == 1) {
            if (!isfinite(value))
                die("%s: %s in %s is not a finite number", s->name, attribute, *groups);
            return value;
        }
    return otherwise;
}

static const char *const header_only[] = {"/Header", NULL};
static const char *const anywhere[] = {"/Header", "/Units", "/Parameters", NULL};
static const char *const units_only[] = {"/Units", NULL};
static const char *const provenance[] = {"/Provenance", NULL};

/* A size by one of its names. */
static double find_size(const struct source *s, const char *name, const char *gizmo)
{
    const double size = find(s, anywhere, name, find(s, header_only, gizmo, -1));
    if (size == 0 || (size < 0 && size != -1))
        die("%s: %s is %g", s->name, name, size);
    return size;
}

static void read_units(const struct source *s, struct gadget_header *head)
{
    head->length_cgs = find(s, units_only, "Unit length in cgs (U_L)", -1);
    head->mass_cgs = find(s, units_only, "Unit mass in cgs (U_M)", -1);
    head->velocity_cgs = head->length_cgs / find(s, units_only, "Unit time in cgs (U_t)", -1);
    if (head->length_cgs < 0) {
        head->length_cgs = find_size(s, "UnitLength_in_cm", "UnitLength_In_CGS");
        head->mass_cgs = find_size(s, "UnitMass_in_g", "UnitMass_In_CGS");
        head->velocity_cgs = find_size(s, "UnitVelocity_in_cm_per_s", "UnitVelocity_In_CGS");
    }
    head->has_units = head->length_cgs > 0 && head->mass_cgs > 0 && head->velocity_cgs > 0;
    if (head->has_units && !(isfinite(head->velocity_cgs) && head->length_cgs / head->velocity_cgs > 0))
        die("%s: its units are no sizes", s->name);
}

static void read_counts(const struct source *s, struct gadget_header *head)
{
    head->types = hdf_get_f64(s->h, "/Header", "NumPart_ThisFile", head->count, GADGET_TYPES);
    if (head->types == 0)
        die("%s: not a snapshot: its Header has no NumPart_ThisFile", s->name);
    hdf_get_f64(s->h, "/Header", "MassTable", head->mass_table, GADGET_TYPES);
    for (int t = 0; t < GADGET_TYPES; t++)
        if (!(head->mass_table[t] >= 0) || !isfinite(head->mass_table[t]))
            die("%s: MassTable has %g for type %d", s->name, head->mass_table[t], t);
    const double files = find(s, header_only, "NumFilesPerSnapshot", 1);
    if (files != floor(files) || files < 1 || files > 100000)
        die("%s: a snapshot of %g files", s->name, files);
    head->files = (int)files;
}

/* The codes differ in where they say it; older ones only have a time that is the scale factor of the redshift. */
static bool is_cosmological(const struct source *s, const struct gadget_header *head)
{
    static const char *const parameters[] = {"/Parameters", "/Header", NULL}, *const cosmology[] = {"/Cosmology", NULL};
    static const char *const policy[] = {"/Policy", NULL};
    const double said = find(s, parameters, "ComovingIntegrationOn",
                             find(s, cosmology, "Cosmological run", find(s, policy, "cosmological integration", -1)));
    if (said >= 0)
        return said != 0;
    const double redshift = find(s, header_only, "Redshift", -1), matter = find(s, parameters, "Omega0", 0);
    return matter > 0 && redshift > -1 && fabs(head->time * (1 + redshift) - 1) < 1e-3;
}

static void read_cosmology(const struct source *s, struct gadget_header *head)
{
    static const char *const places[] = {"/Header", "/Parameters", "/Cosmology", NULL};
    if (head->swift)
        head->time = find(s, header_only, "Scale-factor", head->time);
    head->matter = find(s, places, "Omega0", find(s, places, "Omega_m", 0));
    head->lambda = find(s, places, "OmegaLambda", find(s, places, "Omega_lambda", 0));
    head->h = find(s, places, "HubbleParam", find(s, places, "h", 0));
    if (!(head->time > 0) || !(head->h > 0) || gadget_age(head->time, head->matter, head->lambda) < 0)
        die("%s: cosmological, with scale factor %g, h %g, Omega0 %g and OmegaLambda %g: these make no universe",
            s->name, head->time, head->h, head->matter, head->lambda);
}

static void read_provenance(const struct source *s, struct gadget_header *head)
{
    head->G = find(s, anywhere + 2, "GravityConstantInternal", 0);
    head->ours = hdf_has_attribute(s->h, "/Provenance", "GravitationalConstant");
    if (!head->ours)
        return;
    head->G = find(s, provenance, "GravitationalConstant", 0);
    head->softening = find(s, provenance, "Softening", 0);
    head->dt = find(s, provenance, "TimeStep", 0);
    head->origin = find(s, provenance, "OutputOrigin", 0);
    head->every = find(s, provenance, "OutputEvery", 0);
    head->step = find(s, provenance, "Step", 0);
    head->shift = find(s, provenance, "Shift", 0);
    head->same_units =
        fabs(find(s, provenance, "UnitLength_in_cm", 0) / head->length_cgs - 1) < 1e-12 &&
        fabs(find(s, provenance, "UnitMass_in_g", 0) / head->mass_cgs - 1) < 1e-12 &&
        fabs(head->length_cgs / head->velocity_cgs / find(s, provenance, "UnitTime_in_s", 0) - 1) < 1e-12;
    if (head->softening < 0 || head->dt < 0 || head->every < 0 || head->step < 0)
        die("%s: Provenance has a number below 0", s->name);
}

void gadget_header_read(struct hdf *h, const char *name, struct gadget_header *head)
{
    const struct source s = {h, name};
    char code[16] = "";
    *head = (struct gadget_header){0};
    if (!hdf_has(h, "/Header"))
        die("%s: not a snapshot: it has no Header", name);
    read_counts(&s, head);
    hdf_get_text(h, "/Header", "Code", code, sizeof code);
    head->swift = strcmp(code, "SWIFT") == 0 || hdf_has_attribute(h, "/Units", "Unit length in cgs (U_L)");
    head->time = find(&s, header_only, "Time", 0);
    head->box = find(&s, anywhere, "BoxSize", 0);
    read_units(&s, head);
    head->cosmological = is_cosmological(&s, head);
    if (head->cosmological)
        read_cosmology(&s, head);
    read_provenance(&s, head);
    if (head->G < 0)
        die("%s: its gravitational constant is %g", name, head->G);
}

double gadget_age(double a, double matter, double lambda)
{
    enum { STEPS = 2000 };
    const double step = sqrt(a) / STEPS, curvature = 1 - matter - lambda;
    double sum = 0;
    for (int k = 1; k <= STEPS; k++) {
        const double x2 = step * k * step * k, square = matter + curvature * x2 + lambda * x2 * x2 * x2;
        if (!(square > 0))
            return -1;
        sum += (k == STEPS ? 1 : k % 2 ? 4 : 2) * 2 * x2 / sqrt(square);
    }
    return sum * step / 3;
}
