#include "tipsy.h"

#include "formats.h"
#include "type_map.h"

// clang-format off
#define M   {"mass", 0}
#define R   {"pos", 0}, {"pos", 1}, {"pos", 2}
#define V   {"vel", 0}, {"vel", 1}, {"vel", 2}
#define EPS {"softening", 0}
#define PHI {"phi", 0}
#define Z   {"metals", 0}

const struct tipsy_record tipsy_records[TIPSY_FAMILIES] = {
    {"gas", 12, {M, R, V, {"density", 0}, {"temperature", 0}, EPS, Z, PHI}},
    {"dark", 9, {M, R, V, EPS, PHI}},
    {"star", 11, {M, R, V, Z, {"formation_time", 0}, EPS, PHI}},
};
// clang-format on

const struct tipsy_column tipsy_columns[] = {
    {"mass", "M", 1, false, true},           {"pos", "L", 3, false, false},
    {"vel", "L/T", 3, false, false},         {"softening", "L", 1, true, false},
    {"phi", "L^2/T^2", 1, true, false},      {"density", "M/L^3", 1, true, true},
    {"temperature", "-", 1, true, false},    {"metals", "-", 1, true, false},
    {"formation_time", "T", 1, true, false}, {0},
};

uint64_t tipsy_size(const struct tipsy_header *h)
{
    uint64_t size = 0;
    for (int f = 0; f < TIPSY_FAMILIES; f++)
        size += h->count[f] * (uint64_t)tipsy_records[f].count * sizeof(float);
    return size;
}

const struct conv_format conv_tipsy = {.name = "tipsy",
                                       .about = "TIPSY's binary file",
                                       .suffix = "std",
                                       .from_options = {&physical_options, &type_map_options},
                                       .to_options = {&physical_options, &type_map_options, &endian_options},
                                       .from = tipsy_from,
                                       .to = tipsy_to,
                                       .several = true,
                                       .binary = true,
                                       .file_alone = true};
