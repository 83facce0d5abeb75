/* gadget_head.c - writes the groups Header, Units and Provenance of an HDF5 snapshot, and more groups for SWIFT. */

#ifdef NB_HAVE_HDF5 /* defined by the Makefile if the HDF5 library is available */
#include "nbconv/gadget/gadget.h"

#include <stdlib.h>

#define TYPES CONV_TYPES

void gadget_put_f64(const struct gadget_file *f, const char *object, const char *name, double value)
{
    hdf_put(f->h, object, name, NB_F64, &value, f->swift);
}

static void put_i32(const struct gadget_file *f, const char *object, const char *name, int32_t value)
{
    hdf_put(f->h, object, name, HDF_I32, &value, f->swift);
}

static void put_counts(const struct gadget_file *f)
{
    int32_t here[TYPES];
    uint32_t total[TYPES], high[TYPES];
    for (int t = 0; t < TYPES; t++) {
        here[t] = (int32_t)f->count[t];
        total[t] = (uint32_t)f->count[t];
        high[t] = (uint32_t)(f->count[t] >> 32);
    }
    if (f->swift)
        hdf_put(f->h, "/Header", "NumPart_ThisFile", NB_U64, f->count, TYPES);
    else
        hdf_put(f->h, "/Header", "NumPart_ThisFile", HDF_I32, here, TYPES);
    hdf_put(f->h, "/Header", "NumPart_Total", NB_U32, total, TYPES);
    hdf_put(f->h, "/Header", "NumPart_Total_HighWord", NB_U32, high, TYPES);
}

static void put_gadget_units(const struct gadget_file *f, const char *object)
{
    gadget_put_f64(f, object, "UnitLength_in_cm", GADGET_LENGTH);
    gadget_put_f64(f, object, "UnitMass_in_g", GADGET_MASS);
    gadget_put_f64(f, object, "UnitVelocity_in_cm_per_s", GADGET_VELOCITY);
}

static void put_head(const struct gadget_file *f)
{
    static const double zeros[TYPES];
    const double time = f->b->meta.time * f->factor.time, box[3] = {f->box, f->box, f->box};
    /* Velocities are written in double if they are double in the stream, or if units are converted. */
    const bool is_double =
        nb_bodies_find(f->b, "vel")->type == NB_F64 || gadget_factor_of(f, (const double[]){0, 1, -1}) != 1;
    hdf_group(f->h, "/Header");
    put_counts(f);
    hdf_put(f->h, "/Header", "MassTable", NB_F64, zeros, TYPES);
    gadget_put_f64(f, "/Header", "Time", time);
    gadget_put_f64(f, "/Header", "Redshift", 0);
    put_i32(f, "/Header", "NumFilesPerSnapshot", 1);
    put_i32(f, "/Header", "Flag_DoublePrecision", is_double);
    if (f->swift) {
        hdf_put(f->h, "/Header", "BoxSize", NB_F64, box, 3);
        hdf_put_text(f->h, "/Header", "Code", "SWIFT");
        hdf_put_text(f->h, "/Header", "OutputType", "FullVolume");
        gadget_put_f64(f, "/Header", "Scale-factor", 1);
        put_i32(f, "/Header", "Dimension", 3);
        return;
    }
    gadget_put_f64(f, "/Header", "Time_GYR", time * (GADGET_TIME / (1e9 * NB_YEAR_CGS)));
    gadget_put_f64(f, "/Header", "BoxSize", 0);
    put_gadget_units(f, "/Header");
}

static void put_swift_units(const struct gadget_file *f, const char *group)
{
    hdf_group(f->h, group);
    gadget_put_f64(f, group, "Unit mass in cgs (U_M)", GADGET_MASS);
    gadget_put_f64(f, group, "Unit length in cgs (U_L)", GADGET_LENGTH);
    gadget_put_f64(f, group, "Unit time in cgs (U_t)", f->time_cgs);
    gadget_put_f64(f, group, "Unit current in cgs (U_I)", 1);
    gadget_put_f64(f, group, "Unit temperature in cgs (U_T)", 1);
}

static void put_units(const struct gadget_file *f)
{
    if (f->swift) {
        put_swift_units(f, "/Units");
        return;
    }
    hdf_group(f->h, "/Units");
    put_gadget_units(f, "/Units");
    gadget_put_f64(f, "/Units", "UnitTime_in_s", GADGET_TIME);
}

static void put_swift_groups(const struct gadget_file *f)
{
    hdf_group(f->h, "/Policy");
    put_i32(f, "/Policy", "cosmological integration", 0);
    put_i32(f, "/Policy", "self gravity", 1);
    hdf_group(f->h, "/Cosmology");
    put_i32(f, "/Cosmology", "Cosmological run", 0);
    hdf_group(f->h, "/Parameters");
    hdf_put_text(f->h, "/Parameters", "InitialConditions:periodic", "0");
    hdf_group(f->h, "/RuntimePars");
    put_i32(f, "/RuntimePars", "PeriodicBoundariesOn", 0);
    put_swift_units(f, "/InternalCodeUnits");
    hdf_group(f->h, "/HydroScheme");
    hdf_group(f->h, "/SubgridScheme");
}

void gadget_put_header(const struct gadget_file *f)
{
    put_head(f);
    put_units(f);
    if (f->swift)
        put_swift_groups(f);
}

/* Writes the group Provenance. Its numbers are in the units of the file. Exceptions: UnitLength_in_cm, UnitMass_in_g
 * and UnitTime_in_s are the units of the stream. */
void gadget_put_provenance(const struct gadget_file *f)
{
    static const char at[] = "/Provenance";
    const double of_G[3] = {-1, 3, -2}, shift[3] = {f->shift, f->shift, f->shift};
    struct nb_meta meta = {0};
    if (nb_meta_copy(&meta, &f->b->meta))
        hdf_fail(f->h, "%s", nb_error());
    tool_record(&meta, NULL);
    hdf_group(f->h, at);
    hdf_put_text(f->h, at, "Program", "nbconv");
    hdf_put_text(f->h, at, "Version", TOOL_VERSION);
    hdf_put_text(f->h, at, "Units", meta.units.name);
    gadget_put_f64(f, at, "UnitLength_in_cm", f->unit.length);
    gadget_put_f64(f, at, "UnitMass_in_g", f->unit.mass);
    gadget_put_f64(f, at, "UnitTime_in_s", f->unit.time);
    gadget_put_f64(f, at, "GravitationalConstant", meta.G * gadget_factor_of(f, of_G));
    gadget_put_f64(f, at, "Softening", meta.softening * f->factor.length);
    gadget_put_f64(f, at, "TimeStep", meta.dt * f->factor.time);
    gadget_put_f64(f, at, "OutputOrigin", meta.origin * f->factor.time);
    gadget_put_f64(f, at, "OutputEvery", meta.every * f->factor.time);
    hdf_put(f->h, at, "Step", NB_U64, &meta.step, f->swift);
    if (f->swift)
        hdf_put(f->h, at, "Shift", NB_F64, shift, 3);
    hdf_put_lines(f->h, "/Provenance/History", meta.history, meta.history_count);
    if (meta.extra_count)
        hdf_put_lines(f->h, "/Provenance/HeaderLines", meta.extra, meta.extra_count);
    if (meta.force_count)
        hdf_put_lines(f->h, "/Provenance/Forces", meta.forces, meta.force_count);
    nb_meta_free(&meta);
}
#endif
