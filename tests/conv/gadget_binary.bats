#!/usr/bin/env bats
# nbconv and GADGET's binary snapshots. tests/conv/gadget_file.py reads and writes them independently.
bats_require_minimum_version 1.5.0
load ../common/common

# made.nbs: 90 bodies of several components in galactic units, with all columns that the format has; ids beyond 32 bits.
made() {
    python - "${1:-0}" <<'END'
import sys
import numpy as np
import nbs_writer
r, n = np.random.default_rng(5), 90
real = lambda *shape: r.normal(size=shape)
component = np.repeat([1, 2, 4], 30).astype(np.uint8)[r.permutation(n)]
mass = np.where(component == 1, 0.25, 1 + r.random(n))
nbs_writer.write("made.nbs", nbs_writer.frame(mass, real(n, 3), real(n, 3), time=0.5, acc=real(n, 3), phi=-np.abs(real(n)),
    id=(r.permutation(n) + int(sys.argv[1])).astype(np.uint64), component=component, G=43009.17270036279, units="galactic",
    length_cgs=3.0856775814913673e21, mass_cgs=1.9884098706980503e43, time_cgs=3.085677581491367e16))
END
}

@test "what is written: format 1 and 2, both byte orders, by type; masses that are equal in the header" {
    for first in 0 5000000000; do
        made $first
        nbstat -q made.nbs >measures
        for format in gadget1 gadget2; do
            for order in little big; do
                nbconv -q --to $format --endian $order --type-map halo=1,disk=2,star=4 -f -o out made.nbs
                python - $format $order $first <<'END'
import sys
import numpy as np
import gadget_file, nbs_reader
format, order, first = sys.argv[1:]
f, = nbs_reader.read(open("made.nbs", "rb"))
g = gadget_file.read("out")
assert g["named"] == (format == "gadget2") and g["order"] == ("<" if order == "little" else ">")
assert g["count"] == g["total"] == tuple(int((f["component"] == c).sum()) for c in (7, 1, 2, 3, 4, 5)), g["count"]
assert g["files"] == 1 and g["time"] == 0.5 and g["mass"] == (0, 0.25, 0, 0, 0, 0)
at = np.concatenate([np.nonzero(f["component"] == c)[0] for c in (1, 2, 4)])
names = ["pos", "vel", "id", "mass"] + ["phi", "acc"] * (format == "gadget2")
assert [b[0] for b in g["blocks"]] == (["POS ", "VEL ", "ID  ", "MASS", "POT ", "ACCE"] if g["named"] else [None] * 4)
for name, (_, body) in zip(names, g["blocks"]):
    want = f[name][at]
    kind = "f4" if name != "id" else "u8" if int(first) else "u4"
    want = want[f["component"][at] != 1] if name == "mass" else want
    assert (np.frombuffer(body, g["order"] + kind).reshape(want.shape) == want.astype(kind)).all(), name
END
            done
        done
    done
}

@test "what is read: both formats and byte orders, floats and doubles, ids of 32 and 64 bits, files and pipes" {
    python - <<'END'
import itertools, subprocess
import numpy as np
import gadget_file, nbs_reader
r, n, count = np.random.default_rng(1), 60, (10, 20, 0, 0, 25, 5)
for named, order, real, whole in itertools.product((True, False), "<>", ("f4", "f8"), ("u4", "u8")):
    pos, vel = r.normal(size=(n, 3)).astype(real), r.normal(size=(n, 3)).astype(real)
    ids = (r.permutation(n) + (2**40 if whole == "u8" else 0)).astype(whole)
    mass, phi = (1 + r.random(n)).astype(real), -r.random(n).astype(real)
    has = np.repeat([True, False, True, True], [10, 20, 25, 5])
    blocks = [("POS", pos), ("VEL", vel), ("ID", ids), ("MASS", mass[has]), ("U", np.ones(10, real)), ("POT", phi)]
    gadget_file.write("in", count, blocks[:6 if named else 5], named, order, mass=(0, 0.125, 0, 0, 0, 0), time=0.75)
    for how in ("in", "-"):
        made = subprocess.run(["nbconv", "--from", "gadget1" if named else "gadget2", how], stdin=open("in", "rb"),
                              capture_output=True, check=True)
        open("out.nbs", "wb").write(made.stdout)
        f, = nbs_reader.read(open("out.nbs", "rb"))
        assert (f["pos"] == pos).all() and (f["vel"] == vel).all() and (f["id"] == ids).all() and f["time"] == 0.75
        assert (f["mass"] == np.where(has, mass, 0.125)).all()
        assert (f["component"] == np.repeat([7, 1, 4, 5], [10, 20, 25, 5])).all()
        assert ("phi" in f) == named and (not named or (f["phi"] == phi).all())
        said = made.stderr.decode()
        assert ("blocks left out: U\n" if named else "the blocks after the masses are left out") in said, said
        assert f["length_cgs"] == 3.0856775814913673e21 and abs(f["G"] / 43009.17270036279 - 1) < 1e-12
END
    nbstat --check out.nbs
}

@test "a file whose name says nothing is known by its first bytes" {
    made
    for format in gadget1 gadget2 nemo; do
        nbconv -q --to $format -o snapshot_005 -f made.nbs
        nbconv snapshot_005 >a.nbs 2>said
        nbconv -q --from ${format/gadget1/gadget2} snapshot_005 >b.nbs
        grep "nbconv: snapshot_005: assuming ${format/gadget1/gadget2} (--from FORMAT sets another)" said
        cmp a.nbs b.nbs
    done
    mkfifo pipe
    cat made.nbs >pipe &
    run -2 --separate-stderr nbconv pipe
    [ "${stderr_lines[0]}" = "nbconv: give exactly one of --from and --to" ]
    kill $! 2>/dev/null || true
    run -2 --separate-stderr nbconv made.nbs
    [ "${stderr_lines[0]}" = "nbconv: give exactly one of --from and --to" ]
}

@test "several files, by any of their names or what they have in common" {
    python - <<'END'
import numpy as np
import gadget_file
r = np.random.default_rng(2)
parts = [(4, 3), (0, 5), (6, 0)]
all_of = {}
for k, (gas, stars) in enumerate(parts):
    n = gas + stars
    pos, vel, ids, mass = r.normal(size=(n, 3)), r.normal(size=(n, 3)), np.arange(n, dtype="u4") + 100 * k, r.random(n) + 1
    gadget_file.write(f"snap.{k}", (gas, 0, 0, 0, stars, 0), [("POS", pos), ("VEL", vel), ("ID", ids), ("MASS", mass)], files=3,
                      total=(10, 0, 0, 0, 8, 0))
    for t, rows in ((0, slice(0, gas)), (4, slice(gas, n))):
        all_of.setdefault(t, []).append((pos[rows], ids[rows], mass[rows]))
np.savez("want.npz", *[np.concatenate([p[k] for t in (0, 4) for p in all_of[t]]) for k in range(3)])
END
    for name in snap snap.0 snap.2; do
        nbconv -q --from gadget2 $name -f -o out.nbs
        python - <<'END'
import numpy as np
import nbs_reader
f, = nbs_reader.read(open("out.nbs", "rb"))
pos, ids, mass = np.load("want.npz").values()
assert len(f["mass"]) == 18 and (f["pos"] == pos).all() and (f["id"] == ids).all() and (f["mass"] == mass).all()
END
    done
    mv snap.1 elsewhere
    run -1 --separate-stderr nbconv -q --from gadget2 snap.0 -f -o out.nbs
    [[ "$stderr" == "nbconv: snap.1: "*"No such file or directory" ]]
    cp snap.0 alone
    run -1 --separate-stderr nbconv -q --from gadget2 alone -f -o out.nbs
    [ "$stderr" = "nbconv: alone: is one of 3 files, but its name has no number as in NAME.0" ]
}

@test "a cosmological snapshot becomes physical; units by options" {
    python - <<'END'
import numpy as np
import gadget_file
gadget_file.write("in", (0, 2, 0, 0, 0, 0), [("POS", np.array([[700., 0, 0], [0, 1400, 0]])), ("VEL", np.full((2, 3), 10.)),
                  ("ID", np.arange(2, dtype="u4"))], mass=(0, 0.7, 0, 0, 0, 0), time=0.25, redshift=3.0, matter=1.0, h=0.7,
                  box=2000.)
END
    nbconv --from gadget2 in -o out.nbs 2>said
    grep 'cosmological, at scale factor 0.25' said
    grep 'its periodic box of width 2000 is left out' said
    python - <<'END'
import nbs_reader
f, = nbs_reader.read(open("out.nbs", "rb"))
assert abs(f["pos"][0, 0] / 250 - 1) < 1e-12 and abs(f["pos"][1, 1] / 500 - 1) < 1e-12
assert abs(f["vel"][0, 0] / 5 - 1) < 1e-12 and abs(f["mass"][0] / 1 - 1) < 1e-12
age = 2 / 3 * 0.25**1.5 / (0.7 * 100e5 / 3.0856775814913673e24) # Einstein and de Sitter's, in s
assert abs(f["time"] * f["time_cgs"] / age - 1) < 1e-6
END
    python - <<'END'
import numpy as np
import gadget_file
gadget_file.write("plain", (0, 2, 0, 0, 0, 0), [("POS", np.eye(2, 3)), ("VEL", np.zeros((2, 3)))], mass=(0, 1, 0, 0, 0, 0))
END
    nbconv -q --from gadget2 --length-unit 1Mpc --mass-unit 1e10Msun plain | nbstat --info - | grep 'length_cgs 3.08567758149136[0-9]*e+24'
    nbconv -q --from gadget2 --units code plain | nbstat -q --columns potential | tail -n 1 >potential
    close "$(cat potential)" -0.70710678118654757 1e-15
}

@test "what is damaged, cut or hostile gets a line and exit 1" {
    made
    nbconv -q --to gadget2 -o two made.nbs
    nbconv -q --to gadget1 -o one made.nbs
    bad() { # NAME [TEXT]
        run -1 --separate-stderr nbconv -q --from gadget2 "$1" -f -o out.nbs
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ "$stderr" == "nbconv: $1: "*"${2:-}"* ]]
        [ ! -e out.nbs ]
    }
    for file in one two; do
        size=$(stat -c %s $file)
        for at in 3 7 100 263 264 265 290 400 1000 2000 $((size - 5)) $((size - 1)); do
            head -c $at $file >cut
            bad cut
            run -1 --separate-stderr nbconv -q --from gadget2 - <cut
            [ "${#stderr_lines[@]}" -eq 1 ]
        done
    done
    python - <<'END'
import struct
one, two = open("one", "rb").read(), open("two", "rb").read()
def put(name, data, at, form, *values):
    open(name, "wb").write(data[:at] + struct.pack(form, *values) + data[at + struct.calcsize(form):])
put("negative", one, 4, "<i", -5)
put("huge", one, 4, "<6i", *[2**31 - 1] * 6)
put("nan", one, 4 + 72, "<d", float("nan"))
put("mass", one, 4 + 24, "<d", -1.0)
put("files", one, 4 + 124, "<i", 2**30)
put("marker", one, 260, "<I", 255)
put("block", one, 264, "<I", 17)
put("name", two, 16 + 264, "<I", 9)
put("empty", one, 4, "<6i", *[0] * 6)
END
    bad negative "bodies of type 0"
    bad huge
    bad nan "time nan"
    bad mass "of mass -1"
    bad files
    bad marker "damaged"
    bad block
    bad name
    bad empty "no bodies"
    python - <<'END'
import numpy as np
import gadget_file
def blocks(n, *names):
    of = {"POS": np.ones((n, 3)), "VEL": np.ones((n, 3)), "ID": np.arange(n, dtype="u4"), "MASS": np.ones(n), "U": np.ones(n)}
    return [(name, of[name]) for name in names]
gadget_file.write("twice", (0, 4, 0, 0, 0, 0), blocks(4, "POS", "VEL", "POS", "MASS"))
gadget_file.write("lacks", (0, 4, 0, 0, 0, 0), blocks(4, "POS", "ID", "MASS"))
for k, names in enumerate((("POS", "VEL", "MASS"), ("POS", "VEL"))): # the second file has no masses
    gadget_file.write(f"set.{k}", (0, 4, 0, 0, 0, 0), blocks(4, *names), files=2, total=(0, 8, 0, 0, 0, 0))
for k in range(2):
    gadget_file.write(f"more.{k}", (0, 4, 0, 0, 0, 0), blocks(4, "POS", "VEL", "MASS", "U"), files=2, mass=(0, 2, 0, 0, 0, 0),
                      total=(0, 8, 0, 0, 0, 0))
gadget_file.write("universe", (0, 4, 0, 0, 0, 0), blocks(4, "POS", "VEL", "MASS"), time=0.5, redshift=1.0, matter=0.3, lam=0.7, h=0.7)
END
    bad twice "has two blocks POS"
    bad lacks "block VEL  is missing"
    run -1 --separate-stderr nbconv -q --from gadget2 set.0 -f -o out.nbs
    [ "$stderr" = "nbconv: set.1: block MASS is missing" ]
    nbconv --from gadget2 more.0 -f -o out.nbs 2>said # masses stand in the header, and once more in blocks
    grep 'blocks left out: MASS U$' said
    [ "$(nbstat -q --columns n,mass out.nbs --potential none | tail -n 1)" = $'8\t16' ]
    rm out.nbs
    run -1 --separate-stderr nbconv -q --from gadget2 --units code universe
    [ "$stderr" = "nbconv: universe: cosmological snapshots need physical units (without --units code)" ]
    [ "$(nbconv -q --from gadget2 --time 5 universe | nbstat -q --columns time --potential none | tail -n 1)" = 5 ]
    echo text >text
    bad text "not a GADGET file"
    run -1 --separate-stderr nbstat two
    [ "$stderr" = "nbstat: two: not a snapshot stream but GADGET's binary format (nbconv --from gadget2 two | nbstat)" ]
}
