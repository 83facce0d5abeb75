/* column_lists.c - lists of all columns. */
#include "columns.h"

enum { ENERGY = NEEDS_PHI, ERROR = NEEDS_FIRST };

const struct stat_column stat_rows[] = {
    COLUMN(stat_row, "file", file, STAT_NAME, 1, NULL, 0),
    COLUMN(stat_row, "frame", frame, STAT_FRAME, 1, NULL, 0),
    COLUMN(stat_row, "time", time, STAT_NUMBER, 1, NULL, 0),
    COLUMN(stat_row, "n", m.n, STAT_COUNT, 1, NULL, 0),
    ROW("mass", m.mass, 1, NULL, 0),
    ROW("kinetic", m.kinetic, 1, NULL, 0),
    ROW("potential", m.potential, 1, NULL, ENERGY),
    ROW("energy", energy, 1, NULL, ENERGY),
    ROW("energy_error", energy_error, 1, NULL, ENERGY | ERROR),
    ROW("virial", virial, 1, NULL, NEEDS_ACC),
    ROW("momentum", m.momentum, 3, "px\tpy\tpz", 0),
    ROW("angular_momentum", m.angular_momentum, 3, "lx\tly\tlz", 0),
    ROW("momentum_error", momentum_error, 1, NULL, ERROR),
    ROW("angular_momentum_error", angular_momentum_error, 1, NULL, ERROR),
    ROW("com", m.com, 3, "comx\tcomy\tcomz", 0),
    ROW("com_velocity", m.com_velocity, 3, "comvx\tcomvy\tcomvz", 0),
    ROW("half_mass_radius", m.half_mass_radius, 1, NULL, NEEDS_CENTRE),
    ROW("external", m.external, 1, NULL, ENERGY),
    {.name = ""},
};

const struct stat_column stat_centre[] = {
    ROW("centre", m.centre, 3, "cx\tcy\tcz", NEEDS_CENTRE),
    {.name = ""},
};

const struct stat_column stat_modes[] = {
    ROW("a1", modes.amplitude[0], 1, NULL, NEEDS_CENTRE),
    ROW("a2", modes.amplitude[1], 1, NULL, NEEDS_CENTRE),
    ROW("a3", modes.amplitude[2], 1, NULL, NEEDS_CENTRE),
    ROW("a4", modes.amplitude[3], 1, NULL, NEEDS_CENTRE),
    ROW("phase1", modes.phase[0], 1, NULL, NEEDS_CENTRE),
    ROW("phase2", modes.phase[1], 1, NULL, NEEDS_CENTRE),
    ROW("phase3", modes.phase[2], 1, NULL, NEEDS_CENTRE),
    ROW("phase4", modes.phase[3], 1, NULL, NEEDS_CENTRE),
    {.name = ""},
};

const struct stat_column stat_escaped[] = {
    ROW("escaped", escaped.mass, 1, NULL, ENERGY | NEEDS_MOTION),
    ROW("escaped_number", escaped.number, 1, NULL, ENERGY | NEEDS_MOTION),
    {.name = ""},
};

const struct stat_column stat_cluster[] = {
    ROW("core_radius", cluster.core_radius, 1, NULL, NEEDS_CORE),
    ROW("segregation", cluster.segregation, 1, NULL, NEEDS_CENTRE | NEEDS_SEGREGATION),
    ROW("relaxation_time", cluster.relaxation_time, 1, NULL, NEEDS_CENTRE),
    COLUMN(stat_row, "binaries", cluster.binaries, STAT_COUNT, 1, NULL, NEEDS_PAIRS),
    COLUMN(stat_row, "hard_binaries", cluster.hard_binaries, STAT_COUNT, 1, NULL, NEEDS_PAIRS),
    ROW("binary_share", cluster.binary_share, 1, NULL, NEEDS_PAIRS),
    ROW("binary_axis", cluster.binary_axis, 1, NULL, NEEDS_PAIRS),
    ROW("binary_energy", cluster.binary_energy, 1, NULL, NEEDS_PAIRS),
    {.name = ""},
};

#define PAIR(label, member) COLUMN(stat_pair, label, member, STAT_NUMBER, 1, NULL, 0)

const struct stat_column stat_pairs[] = {
    COLUMN(stat_pair, "file", file, STAT_NAME, 1, NULL, 0),
    COLUMN(stat_pair, "frame", frame, STAT_FRAME, 1, NULL, 0),
    PAIR("time", time),
    COLUMN(stat_pair, "kind", kind, STAT_PARAM, 1, NULL, 0),
    COLUMN(stat_pair, "id1", id[0], STAT_COUNT, 1, NULL, 0),
    COLUMN(stat_pair, "id2", id[1], STAT_COUNT, 1, NULL, 0),
    PAIR("mass1", p.mass[0]),
    PAIR("mass2", p.mass[1]),
    PAIR("distance", p.distance),
    PAIR("semi_major_axis", p.axis),
    PAIR("eccentricity", p.eccentricity),
    PAIR("period", p.period),
    PAIR("binding_energy", p.energy),
    PAIR("hardness", p.hardness),
    {.name = ""},
};

#define BIN(label, member) COLUMN(stat_bin, label, p.member, STAT_NUMBER, 1, NULL, 0)
#define BINS                                                                                                         \
    COLUMN(stat_bin, "file", file, STAT_NAME, 1, NULL, 0), COLUMN(stat_bin, "frame", frame, STAT_FRAME, 1, NULL, 0), \
        COLUMN(stat_bin, "time", time, STAT_NUMBER, 1, NULL, 0),                                                     \
        COLUMN(stat_bin, "bin", number, STAT_COUNT, 1, NULL, 0), BIN("inner", inner), BIN("outer", outer),           \
        BIN("radius", radius), COLUMN(stat_bin, "n", p.n, STAT_COUNT, 1, NULL, 0), BIN("mass", mass),                \
        BIN("within", within)
#define CIRCULAR COLUMN(stat_bin, "v_c", p.circular, STAT_NUMBER, 1, NULL, NEEDS_ACC)

const struct stat_column stat_spherical[] = {
    BINS,
    BIN("density", density),
    BIN("v_r", mean[0]),
    BIN("v_phi", mean[1]),
    BIN("v_theta", mean[2]),
    BIN("sigma_r", sigma[0]),
    BIN("sigma_phi", sigma[1]),
    BIN("sigma_theta", sigma[2]),
    BIN("beta", beta),
    CIRCULAR,
    {.name = ""},
};

const struct stat_column stat_cylindrical[] = {
    BINS,
    BIN("surface_density", density),
    BIN("v_R", mean[0]),
    BIN("v_phi", mean[1]),
    BIN("v_z", mean[2]),
    BIN("sigma_R", sigma[0]),
    BIN("sigma_phi", sigma[1]),
    BIN("sigma_z", sigma[2]),
    BIN("beta", beta),
    BIN("z", z),
    BIN("height", height),
    CIRCULAR,
    {.name = ""},
};
