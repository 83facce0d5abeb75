#!/usr/bin/env bats
# nbconv --to ply and --to vtk. The tests read the files as the definitions of the formats say.
bats_require_minimum_version 1.5.0
load ../common/common

made() { # made NAME FIRST-ID: 70 bodies with columns of every type, real ones of 32 and 64 bits
    python - "$@" <<'END'
import sys
import numpy as np
import nbs_writer
r, n = np.random.default_rng(4), 70
nbs_writer.write(sys.argv[1], nbs_writer.frame(r.random(n), r.normal(size=(n, 3)), r.normal(size=(n, 3)).astype("f4"), time=0.75,
    id=r.permutation(n).astype("u8") + np.uint64(sys.argv[2]), component=r.integers(0, 6, n).astype("u1"),
    acc=r.normal(size=(n, 3)), phi=-r.random(n), rank=r.permutation(n).astype("u4")))
END
}

@test "ply: a record of all columns for each body; whole numbers of 64 bits as uint, or as double up to 2^53" {
    for first in 0 9007199254740000; do
        made a.nbs $first
        nbconv -q a.nbs -f -o a.ply
        python - $first <<'END'
import sys
import numpy as np
import nbs_reader
f, = nbs_reader.read(open("a.nbs", "rb"))
head, rows = open("a.ply", "rb").read().split(b"end_header\n", 1)
lines = head.decode().splitlines()
assert lines[:3] == ["ply", "format binary_little_endian 1.0", "comment time 0.75"] and lines[3] == "element vertex 70"
kinds = {"uchar": "u1", "uint": "<u4", "float": "<f4", "double": "<f8"}
properties = [line.split()[1:] for line in lines[4:]]
rows = np.frombuffer(rows, [(name, kinds[kind]) for kind, name in properties])
assert len(rows) == 70 and rows["id"].dtype == ("<f8" if int(sys.argv[1]) else "<u4")
names = {"pos": "x y z", "vel": "vx vy vz", "acc": "acc_x acc_y acc_z", "mass": "mass", "id": "id", "component": "component",
         "phi": "phi", "rank": "rank"}
assert sorted(" ".join(names.values()).split()) == sorted(rows.dtype.names)
for column, fields in names.items():
    want = f[column].reshape(70, -1)
    for k, field in enumerate(fields.split()):
        assert (rows[field] == want[:, k]).all(), field
        assert column == "id" or rows[field].dtype == want.dtype, field
END
    done
    made a.nbs 9007199254740993
    run -1 --separate-stderr nbconv -q a.nbs -f -o b.ply
    [[ "$stderr" == "nbconv: column id: 90071992547410"*" is above the limit of PLY, 2^53 (nbedit --columns removes the column)" ]]
    [ ! -e b.ply ]
    python - <<'END'
import numpy as np
import nbs_writer
nbs_writer.write("x.nbs", nbs_writer.frame(np.ones(2), np.ones((2, 3)), np.ones((2, 3)), x=np.ones(2)))
END
    nbconv -q x.nbs -o x.vtu
    run -1 --separate-stderr nbconv -q x.nbs -o b.ply
    [ "$stderr" = "nbconv: columns pos and x would both be x in PLY (nbedit --columns removes one)" ]
}

@test "vtk: all columns as they are, the bodies one cell of points, the time a field; a file for each frame" {
    made a.nbs 9007199254740993
    made b.nbs 5
    cat a.nbs b.nbs | nbconv -q --to vtk -o c_%d.vtu
    python - <<'END'
import re, struct
import xml.etree.ElementTree as tree
import numpy as np
import nbs_reader
for k, name in enumerate(("a.nbs", "b.nbs")):
    f, = nbs_reader.read(open(name, "rb"))
    data = open(f"c_{k}.vtu", "rb").read()
    begin, end = data.index(b'encoding="raw">\n_') + 17, data.rindex(b"\n</AppendedData>")
    raw, root = data[begin:end], tree.fromstring(data[:begin] + data[end:])
    assert root.attrib == {"type": "UnstructuredGrid", "version": "1.0", "byte_order": "LittleEndian", "header_type": "UInt64"}
    arrays, used = {}, 0
    for a in root.iter("DataArray"):
        if a.get("format") != "appended":
            assert a.get("Name") == "TimeValue" and float(a.text) == 0.75
            continue
        at = int(a.get("offset"))
        size, = struct.unpack_from("<Q", raw, at)
        kind = "<" + {"F": "f", "U": "u", "I": "i"}[a.get("type")[0]] + str(int(re.sub(r"\D", "", a.get("type"))) // 8)
        arrays[a.get("Name")] = np.frombuffer(raw[at + 8:at + 8 + size], kind)
        assert at == used
        used = at + 8 + size
    assert used == len(raw)
    piece, = root.iter("Piece")
    assert piece.get("NumberOfPoints") == "70" and piece.get("NumberOfCells") == "1"
    assert [a.get("Name") for a in piece.find("Points")] == ["pos"]
    assert (arrays.pop("connectivity") == np.arange(70)).all() and arrays.pop("offsets") == [70] and arrays.pop("types") == [2]
    assert set(arrays) == {"pos", "vel", "mass", "id", "component", "acc", "phi", "rank"}
    for column, values in arrays.items():
        assert (values == f[column].ravel()).all() and values.dtype == f[column].dtype, column
END
    for format in vtk ply; do
        run -2 --separate-stderr nbconv --from $format c_0.vtu
        [ "${stderr_lines[0]}" = "nbconv: --from $format: this format can only be written" ]
        run -2 --separate-stderr nbconv --to $format a.nbs
        [[ "${stderr_lines[0]}" == "nbconv: $format needs one file for each frame: use -o FILE"* ]]
    done
}
