/* formats.c - the table of formats that nbconv reads and writes. */
#include "base/units.h"
#include "nbconv/gadget/binary.h"
#include "nbconv/nemo/nemo.h"
#include "nbconv/points/points.h"
#include "nbconv/text/text.h"
#include "nbconv/tipsy/tipsy.h"

#define AU3 (NB_AU_CGS * NB_AU_CGS * NB_AU_CGS)

static const struct nb_unit_system si_units = {{"si", 1e2, 1e3, 1}, 6.6743e-11};
static const struct nb_unit_system adk_units = {{"adk", NB_AU_CGS, 1e3, NB_DAY_CGS},
                                                NB_G_CGS * 1e3 * (NB_DAY_CGS * NB_DAY_CGS) / AU3};

static const struct text_dialect plain = {.comment = "#", .separator = " ", .header = true};
static const struct text_dialect csv = {.comment = "#", .separator = ",", .table = true};
static const struct text_dialect g1 = {.comment = "//",
                                       .separator = " ",
                                       .header = true,
                                       .fields = "x,y,z,vx,vy,vz,m",
                                       .more_fields = "x,y,z,vx,vy,vz,m,radius"};
static const struct text_dialect si = {.comment = "#", .separator = " ", .header = true, .units = &si_units};
static const struct text_dialect adk = {.comment = "#", .separator = " ", .header = true, .units = &adk_units};

#define TEXT(of) .dialect = &(of), .from = text_from, .to = text_to, .quad = true
#ifdef NB_HAVE_HDF5 /* defined by the Makefile if the HDF5 library is available */
#include "nbconv/gadget/gadget.h"
#define HDF5 .from = gadget_from, .to = gadget_to
#else
#define HDF5                                                                                        \
    .missing = "this nbconv was built without the HDF5 library, which reads and writes such files " \
               "(on Debian install libhdf5-dev and build again)"
#endif
#define GADGET                                                                                             \
    HDF5, .from_options = {conv_header_options, conv_physical_options, conv_type_map_options},             \
          .to_options = {conv_physical_options, conv_type_map_options, tool_table_space}, .several = true, \
          .binary = true, .file_alone = true

#define BINARY                                                                                          \
    .from = binary_from, .to = binary_to,                                                               \
    .from_options = {conv_header_options, conv_physical_options, conv_type_map_options},                \
    .to_options = {conv_physical_options, conv_type_map_options, conv_endian_options}, .several = true, \
    .binary = true, .file_alone = true

const struct conv_format conv_formats[] = {
    {.name = "text",
     .about = "a body a line, with header and names in # lines",
     .suffix = "txt",
     .from_options = {conv_header_options, conv_fields_options},
     .to_options = {conv_columns_options},
     TEXT(plain)},
    {.name = "csv",
     .about = "comma-separated values, for pandas, R and spreadsheets",
     .from_options = {conv_header_options, conv_fields_options},
     .to_options = {conv_columns_options},
     TEXT(csv)},
    {.name = "g1",
     .about = "lines of x y z vx vy vz m [radius], comments after //",
     .from_options = {conv_header_options},
     TEXT(g1)},
    {.name = "si",
     .about = "text in m, kg and s",
     .from_options = {conv_header_options, conv_fields_options},
     .to_options = {conv_columns_options, conv_physical_options},
     TEXT(si)},
    {.name = "adk",
     .about = "text in AU, kg and days",
     .from_options = {conv_header_options, conv_fields_options},
     .to_options = {conv_columns_options, conv_physical_options},
     TEXT(adk)},
    {.name = "zeno",
     .about = "n, 3, time, masses, positions, velocities (Barnes's treecode)",
     .from_options = {conv_header_options},
     .from = zeno_from,
     .to = zeno_to},
    {.name = "rosetta",
     .about = "G n steps, then mass / position / velocity lines",
     .from_options = {conv_header_options},
     .to_options = {conv_steps_options},
     .from = rosetta_from,
     .to = rosetta_to},
    {.name = "gadget", .about = "GADGET's HDF5 snapshots", .suffix = "hdf5", GADGET},
    {.name = "swift",
     .about = "SWIFT's variant of gadget",
     .dialect = "", /* not NULL: selects SWIFT's names and units */
     GADGET},
    {.name = "gadget2",
     .about = "GADGET's binary snapshots, format 2 (blocks with names)",
     .dialect = "", /* not NULL: selects format 2, in which each block has a name */
     BINARY},
    {.name = "gadget1", .about = "GADGET's binary snapshots, format 1 (blocks without names)", BINARY},
    {.name = "tipsy",
     .about = "TIPSY's binary file",
     .suffix = "std",
     .from_options = {conv_physical_options, conv_type_map_options},
     .to_options = {conv_physical_options, conv_type_map_options, conv_endian_options},
     .from = tipsy_from,
     .to = tipsy_to,
     .several = true,
     .binary = true,
     .file_alone = true},
    {.name = "nemo",
     .about = "NEMO's structured binary file",
     .from_options = {conv_header_options},
     .to_options = {conv_endian_options},
     .from = nemo_from,
     .to = nemo_to,
     .several = true,
     .binary = true},
    {.name = "vtk",
     .about = "VTK's unstructured grid, for ParaView and VisIt (written only)",
     .suffix = "vtu",
     .to = vtk_to,
     .binary = true,
     .file_alone = true},
    {.name = "ply",
     .about = "PLY points, for Blender and MeshLab (written only)",
     .to = ply_to,
     .binary = true,
     .file_alone = true},
    {0},
};
