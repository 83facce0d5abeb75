/* Dialects of text: comma-separated tables, and lines of other comments, orders or units. */
#include "base/units.h"
#include "formats.h"
#include "header.h"
#include "physical.h"
#include "text.h"

#define AU3 (NB_AU_CGS * NB_AU_CGS * NB_AU_CGS)

static const struct nb_unit_system si_units = {{"si", 1e2, 1e3, 1}, 6.6743e-11};
static const struct nb_unit_system adk_units = {{"adk", NB_AU_CGS, 1e3, NB_DAY_CGS},
                                                NB_G_CGS * 1e3 * (NB_DAY_CGS * NB_DAY_CGS) / AU3};

static const struct text_dialect csv = {.comment = "#", .separator = ",", .table = true};
static const struct text_dialect g1 = {
    .comment = "//", .separator = " ", .header = true, .fields = "x,y,z,vx,vy,vz,m", .optional = "radius"};
static const struct text_dialect si = {.comment = "#", .separator = " ", .header = true, .units = &si_units};
static const struct text_dialect adk = {.comment = "#", .separator = " ", .header = true, .units = &adk_units};

#define DIALECT(name)                                                                                         \
    static void name##_from(struct conv_import *import, const char *path)                                     \
    {                                                                                                         \
        text_from(import, path, &name);                                                                       \
    }                                                                                                         \
    static void name##_to(const struct conv_options *o, const struct nb_bodies *b, int64_t frame, bool first, \
                          struct tool_output *output)                                                         \
    {                                                                                                         \
        text_to(o, b, frame, first, output, &name);                                                           \
    }

DIALECT(csv)
DIALECT(g1)
DIALECT(si)
DIALECT(adk)

const struct conv_format conv_csv = {.name = "csv",
                                     .about = "a table of comma-separated values, a line a body",
                                     .from_options = {&header_options, &fields_options},
                                     .to_options = {&columns_options},
                                     .from = csv_from,
                                     .to = csv_to};
const struct conv_format conv_g1 = {.name = "g1",
                                    .about = "lines of x y z vx vy vz m [radius], comments behind //",
                                    .from_options = {&header_options},
                                    .from = g1_from,
                                    .to = g1_to};
const struct conv_format conv_si = {.name = "si",
                                    .about = "text in m, kg and s",
                                    .from_options = {&header_options, &fields_options},
                                    .to_options = {&columns_options, &physical_options},
                                    .from = si_from,
                                    .to = si_to};
const struct conv_format conv_adk = {.name = "adk",
                                     .about = "text in AU, days and kg",
                                     .from_options = {&header_options, &fields_options},
                                     .to_options = {&columns_options, &physical_options},
                                     .from = adk_from,
                                     .to = adk_to};
