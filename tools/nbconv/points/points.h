/* points.h - writes a frame as points with values, for other programs: PLY (MeshLab, CloudCompare, Blender) and VTK's
 * unstructured grid (ParaView, VisIt). All columns are written, little-endian. Functions that return int return 0, or
 * -1 after nb_fail. */
#pragma once

#include "nbconv/nbconv.h"

/* Both functions implement conv_format.to: they write a frame as PLY or VTK. */
int ply_to(const struct conv_export *e, const struct nb_bodies *b);
int vtk_to(const struct conv_export *e, const struct nb_bodies *b);
