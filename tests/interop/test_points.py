"""Points for programs that draw: VTK's own reader and plyfile read what nbconv writes, number by number."""
import nbs_reader
import pytest
from conftest import tool


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("points")
    tool("nbgen", "galaxy", "-q", "-n", "2000", "-o", "g.nbs", cwd=folder)
    for name in "g.ply", "g.vtu":
        tool("nbconv", "-q", "-o", name, "g.nbs", cwd=folder)
    return folder, nbs_reader.read(open(folder / "g.nbs", "rb"))[0]


def test_plyfile(made):
    plyfile = pytest.importorskip("plyfile")
    folder, frame = made
    vertex = plyfile.PlyData.read(str(folder / "g.ply"))["vertex"]
    assert len(vertex["x"]) == len(frame["mass"])
    for k, axis in enumerate("xyz"):
        assert (vertex[axis] == frame["pos"][:, k]).all() and (vertex["v" + axis] == frame["vel"][:, k]).all()
    for name in "mass", "id", "component":
        assert (vertex[name] == frame[name]).all()


def test_vtk(made):
    vtk = pytest.importorskip("vtk")
    from vtk.util.numpy_support import vtk_to_numpy

    folder, frame = made
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(folder / "g.vtu"))
    reader.Update()
    grid = reader.GetOutput()
    assert grid.GetNumberOfPoints() == len(frame["mass"]) and grid.GetNumberOfCells() == 1
    assert grid.GetCell(0).GetCellType() == vtk.VTK_POLY_VERTEX and grid.GetCell(0).GetNumberOfPoints() == len(frame["mass"])
    assert (vtk_to_numpy(grid.GetPoints().GetData()) == frame["pos"]).all()
    for name in "vel", "mass", "id", "component":
        assert (vtk_to_numpy(grid.GetPointData().GetArray(name)) == frame[name]).all(), name
    assert grid.GetFieldData().GetArray("TimeValue").GetValue(0) == frame["time"]
