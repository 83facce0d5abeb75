/* gadget_header.c - reads the groups Header, Units, Parameters, Cosmology and Provenance of an HDF5 snapshot. */

#ifdef NB_HAVE_HDF5 /* defined by the Makefile if the HDF5 library is available */
#include "nbconv/gadget/gadget.h"

#include <math.h>
#include <string.h>

/* Returns the value of the attribute in the first group that has it, or `otherwise` if no group has it. The list of
 * groups ends with NULL. */
static double find(struct hdf *h, const char *const *groups, const char *attribute, double otherwise)
{
    double value;
    for (; *groups; groups++)
        if (hdf_get_f64(h, *groups, attribute, &value, 1) == 1) {
            if (!isfinite(value))
                hdf_fail(h, "%s in %s is not a finite number", attribute, *groups);
            return value;
        }
    return otherwise;
}

static const char *const header_only[] = {"/Header", NULL};
static const char *const anywhere[] = {"/Header", "/Units", "/Parameters", NULL};
static const char *const units_only[] = {"/Units", NULL};
static const char *const provenance[] = {"/Provenance", NULL};

/* Returns the size of a unit in cgs units, from attribute `name` or, in GIZMO's files, attribute `gizmo`. Returns -1 if
 * neither exists. */
static double find_size(struct hdf *h, const char *name, const char *gizmo)
{
    const double size = find(h, anywhere, name, find(h, header_only, gizmo, -1));
    if (size == 0 || (size < 0 && size != -1))
        hdf_fail(h, "%s is %g; the size of a unit must be positive", name, size);
    return size;
}

static void read_units(struct hdf *h, struct gadget_header *head)
{
    head->length_cgs = find(h, units_only, "Unit length in cgs (U_L)", -1);
    head->mass_cgs = find(h, units_only, "Unit mass in cgs (U_M)", -1);
    head->velocity_cgs = head->length_cgs / find(h, units_only, "Unit time in cgs (U_t)", -1);
    if (head->length_cgs < 0) {
        head->length_cgs = find_size(h, "UnitLength_in_cm", "UnitLength_In_CGS");
        head->mass_cgs = find_size(h, "UnitMass_in_g", "UnitMass_In_CGS");
        head->velocity_cgs = find_size(h, "UnitVelocity_in_cm_per_s", "UnitVelocity_In_CGS");
    }
    head->has_units = head->length_cgs > 0 && head->mass_cgs > 0 && head->velocity_cgs > 0;
    if (head->has_units && !(isfinite(head->velocity_cgs) && head->length_cgs / head->velocity_cgs > 0))
        hdf_fail(h, "its units have no size");
}

static void read_counts(struct hdf *h, struct gadget_header *head)
{
    head->types = hdf_get_f64(h, "/Header", "NumPart_ThisFile", head->count, GADGET_TYPES);
    if (head->types == 0)
        hdf_fail(h, "not a snapshot: its Header has no NumPart_ThisFile");
    hdf_get_f64(h, "/Header", "MassTable", head->mass_table, GADGET_TYPES);
    for (int t = 0; t < GADGET_TYPES; t++)
        if (!(head->mass_table[t] >= 0) || !isfinite(head->mass_table[t]))
            hdf_fail(h, "MassTable has %g for type %d", head->mass_table[t], t);
    const double files = find(h, header_only, "NumFilesPerSnapshot", 1);
    if (files != floor(files) || files < 1 || files > 100000)
        hdf_fail(h, "NumFilesPerSnapshot is %g, expected a whole number from 1 to 100000", files);
    else
        head->files = (int)files;
}

/* Returns whether the snapshot is from a cosmological simulation. Codes store this fact in attributes with different
 * names. Old codes have no such attribute. Then the snapshot is cosmological if the time in its header is the scale
 * factor 1 / (1 + redshift). */
static bool is_cosmological(struct hdf *h, const struct gadget_header *head)
{
    static const char *const parameters[] = {"/Parameters", "/Header", NULL}, *const cosmology[] = {"/Cosmology", NULL};
    static const char *const policy[] = {"/Policy", NULL};
    const double said = find(h, parameters, "ComovingIntegrationOn",
                             find(h, cosmology, "Cosmological run", find(h, policy, "cosmological integration", -1)));
    if (said >= 0)
        return said != 0;
    const double redshift = find(h, header_only, "Redshift", -1), matter = find(h, parameters, "Omega0", 0);
    return matter > 0 && redshift > -1 && fabs(head->time * (1 + redshift) - 1) < 1e-3;
}

static void read_cosmology(struct hdf *h, struct gadget_header *head)
{
    static const char *const places[] = {"/Header", "/Parameters", "/Cosmology", NULL};
    if (head->swift)
        head->time = find(h, header_only, "Scale-factor", head->time);
    head->matter = find(h, places, "Omega0", find(h, places, "Omega_m", 0));
    head->lambda = find(h, places, "OmegaLambda", find(h, places, "Omega_lambda", 0));
    head->h = find(h, places, "HubbleParam", find(h, places, "h", 0));
    if (!(head->time > 0) || !(head->h > 0) || gadget_age(head->time, head->matter, head->lambda) < 0)
        hdf_fail(h, "cosmological, but scale factor %g, h %g, Omega0 %g and OmegaLambda %g are not a possible universe",
                 head->time, head->h, head->matter, head->lambda);
}

static void read_provenance(struct hdf *h, struct gadget_header *head)
{
    head->G = find(h, anywhere + 2, "GravityConstantInternal", 0);
    head->ours = hdf_has_attribute(h, "/Provenance", "GravitationalConstant");
    if (!head->ours)
        return;
    head->G = find(h, provenance, "GravitationalConstant", 0);
    head->softening = find(h, provenance, "Softening", 0);
    head->dt = find(h, provenance, "TimeStep", 0);
    head->origin = find(h, provenance, "OutputOrigin", 0);
    head->every = find(h, provenance, "OutputEvery", 0);
    head->step = find(h, provenance, "Step", 0);
    head->shift = find(h, provenance, "Shift", 0);
    head->same_units =
        fabs(find(h, provenance, "UnitLength_in_cm", 0) / head->length_cgs - 1) < 1e-12 &&
        fabs(find(h, provenance, "UnitMass_in_g", 0) / head->mass_cgs - 1) < 1e-12 &&
        fabs(head->length_cgs / head->velocity_cgs / find(h, provenance, "UnitTime_in_s", 0) - 1) < 1e-12;
    if (head->softening < 0 || head->dt < 0 || head->every < 0 || head->step < 0)
        hdf_fail(h, "Provenance has a number below 0");
}

int gadget_header_read(struct hdf *h, struct gadget_header *head)
{
    char code[16] = "";
    *head = (struct gadget_header){0};
    if (!hdf_has(h, "/Header"))
        return hdf_fail(h, "not a snapshot: it has no Header");
    read_counts(h, head);
    hdf_get_text(h, "/Header", "Code", code, sizeof code);
    head->swift = strcmp(code, "SWIFT") == 0 || hdf_has_attribute(h, "/Units", "Unit length in cgs (U_L)");
    head->time = find(h, header_only, "Time", 0);
    head->box = find(h, anywhere, "BoxSize", 0);
    read_units(h, head);
    head->cosmological = is_cosmological(h, head);
    if (head->cosmological)
        read_cosmology(h, head);
    read_provenance(h, head);
    if (head->G < 0)
        hdf_fail(h, "its gravitational constant is %g", head->G);
    return h->failed ? -1 : 0;
}
#endif
