#!/usr/bin/env bats
# nbconv --to gadget and swift, and back: the truth is what h5py reads or has written.
bats_require_minimum_version 1.5.0
load common

# A Python with numpy and h5py.
h5python() {
    local p
    for p in python3 /usr/bin/python3; do
        "$p" -c 'import numpy, h5py' 2>/dev/null && { PYTHONPATH=$root/tests "$p" "$@"; return; }
    done
    echo "no python3 with h5py (package python3-h5py)" >&2
    return 1
}

# Skips where nbconv was built without HDF5, and for no other reason.
hdf5() {
    nbconv --from gadget none 2>&1 | grep -q 'built without the HDF5 library' || return 0
    skip "nbconv was built without HDF5"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    hdf5
}

# stream FILE UNITS [SEED]: two frames of 5000 bodies of all components in no order, with ids out of order and columns of
# all kinds; UNITS: galactic, or code
stream() {
    h5python - "$@" <<'END'
import sys
import numpy as np
import nbs_writer as w
r = np.random.default_rng(int((sys.argv[3:] or [1])[0]))
n = 5000
galactic = dict(units="galactic", length_cgs=repr(3.0856775814913673e21), mass_cgs=repr(1.9884098706980503e43), time_cgs=repr(3.085677581491367e16))
units, G = (galactic, 43009.17270036279) if sys.argv[2] == "galactic" else ({}, 1.0)
def frame(time):
    return w.frame(r.random(n), r.normal(0, 30, (n, 3)), r.normal(0, 200, (n, 3)), time=time, G=G,
        id=r.permutation(n).astype("u8") + 2**40, component=r.integers(0, 8, n).astype("u1"), phi=-r.random(n), acc=r.normal(size=(n, 3)),
        softening=r.random(n).astype("f4"), galaxy=r.integers(0, 3, n).astype("u1"), parent_id=r.integers(0, n, n).astype("u8"),
        spin=r.normal(size=(n, 3)), dt="0.015625", step="77", every="0.5", origin="0.25", history=["1 - other 0.1 5 other --made"], **units)
w.write(sys.argv[1], frame(0.5), frame(1.0))
END
}

@test "gadget: the header, the units and every number of every column, of streams that have such units" {
    stream in.nbs galactic
    nbconv --to gadget -o 'snap_%03d.hdf5' in.nbs 2>said
    h5python - <<'END'
import h5py, numpy as np, nbs_reader
usual = [1, 1, 2, 3, 4, 5, 4, 0] # other halo disk bulge star hole planet gas
names = dict(mass="Masses", pos="Coordinates", vel="Velocities", id="ParticleIDs", phi="Potential", acc="Acceleration",
             softening="Softening", galaxy="Galaxy", parent_id="ParentId", spin="Spin")
for k, f in enumerate(nbs_reader.read(open("in.nbs", "rb"))):
    h = h5py.File(f"snap_{k:03d}.hdf5")
    kind = np.array(usual)[f["component"]]
    count = np.bincount(kind, minlength=6)
    head = dict(h["Header"].attrs)
    assert sorted(head) == sorted("""NumPart_ThisFile NumPart_Total NumPart_Total_HighWord MassTable Time Time_GYR Redshift
        BoxSize NumFilesPerSnapshot Flag_DoublePrecision UnitLength_in_cm UnitMass_in_g UnitVelocity_in_cm_per_s""".split()), sorted(head)
    for key in "NumPart_ThisFile", "NumPart_Total":
        assert (head[key] == count).all() and head[key].shape == (6,), key
    assert not head["NumPart_Total_HighWord"].any() and not head["MassTable"].any() and head["MassTable"].shape == (6,)
    assert head["NumPart_Total"].dtype == "u4" and head["MassTable"].dtype == "f8"
    assert head["Time"] == f["time"] and abs(head["Time_GYR"] - f["time"] * 0.97779222) < 1e-8
    assert head["Redshift"] == 0 and head["BoxSize"] == 0 and head["NumFilesPerSnapshot"] == 1 and head["Flag_DoublePrecision"] == 1
    for where in "Header", "Units":
        a = h[where].attrs
        assert abs(a["UnitLength_in_cm"] / 3.08567758e21 - 1) < 1e-8 and a["UnitVelocity_in_cm_per_s"] == 1e5
        assert abs(a["UnitMass_in_g"] / 1.98841e43 - 1) < 1e-7
    assert abs(h["Units"].attrs["UnitTime_in_s"] / 3.08567758e16 - 1) < 1e-8 and len(h["Units"].attrs) == 4
    for t in range(6):
        group = h[f"PartType{t}"]
        mixed = t in (1, 4)
        assert sorted(group) == sorted(list(names.values()) + ["Component"] * mixed), sorted(group)
        for column, name in names.items():
            want = f[column][kind == t]
            have = group[name][:]
            if column == "softening": # is not converted, and stays single
                assert have.dtype == "f4"
            elif column in ("mass", "pos", "vel", "phi", "acc"):
                assert have.dtype == "f8"
            elif column == "id":
                assert have.dtype == "u8"
            assert have.shape == want.shape and (have == want).all(), (t, name)
        assert not mixed or (group["Component"][:] == f["component"][kind == t]).all()
    p = h["Provenance"]
    assert p.attrs["Units"].decode() == "galactic" and p.attrs["Step"] == 77 and p.attrs["TimeStep"] == 0.015625
    lines = [line.decode() for line in p["History"]]
    assert lines[0] == "1 - other 0.1 5 other --made" and lines[1].startswith("2 1 nbconv ") and len(lines) == 2, lines
END
    cat said
    [ "$(wc -l <said)" = 2 ]
    grep -qx 'nbconv: other, halo all become type 1 (--type-map says others); a table of components keeps them apart' said
    grep -qx 'nbconv: star, planet all become type 4 .*' said
}

@test "gadget: code units are converted with the sizes that are given, G with them, in every frame" {
    stream in.nbs code
    run -2 --separate-stderr nbconv --to gadget -o x.hdf5 in.nbs
    [[ $stderr == "nbconv: the stream's units (code) have no size: --length-unit and --mass-unit are needed"* ]]
    [ ! -e x.hdf5 ]
    nbconv -q --to gadget --length-unit 3.5kpc --mass-unit 5e10Msun --type-map other=0,planet=3 -o x.hdf5 in.nbs
    h5python - <<'END'
import h5py, numpy as np, nbs_reader
f = nbs_reader.read(open("in.nbs", "rb"))[-1]
h = h5py.File("x.hdf5")
kind = np.array([0, 1, 2, 3, 4, 5, 3, 0])[f["component"]]
G, kpc, sun = 6.6743e-8, 3.0856775814913673e21, 1.3271244e26 / 6.6743e-8 # IAU and CODATA
L, M = 3.5 * kpc, 5e10 * sun
T = np.sqrt(L**3 / (G * M)) # so that G is 1 in these
units = dict(Masses=(M / (1e10 * sun), "mass"), Coordinates=(3.5, "pos"), Velocities=(L / T / 1e5, "vel"), Potential=((L / T / 1e5) ** 2, "phi"),
             Acceleration=(L / T**2 / (1e10 / kpc), "acc"), Softening=(3.5, "softening"), Spin=(1, "spin"))
for t in range(6):
    for name, (factor, column) in units.items():
        have, want = h[f"PartType{t}/{name}"][:], f[column][kind == t].astype(float) * factor
        assert have.dtype == "f8" and np.abs(have / want - 1).max() < 1e-13, (t, name, np.abs(have / want - 1).max())
assert abs(h["Header"].attrs["Time"] / (1.0 * T / (kpc / 1e5)) - 1) < 1e-13
p = h["Provenance"].attrs
assert abs(p["GravitationalConstant"] / 43009.1727 - 1) < 1e-8 and abs(p["UnitLength_in_cm"] / L - 1) < 1e-15 and abs(p["UnitTime_in_s"] / T - 1) < 1e-14
# what is bound is bound alike: v^2 in units of G M / L
assert abs(units["Velocities"][0] ** 2 * 3.5 / (p["GravitationalConstant"] * 5) - 1) < 1e-12
assert "Component" in h["PartType0"] and "Component" not in h["PartType1"]
END
}

@test "gadget and swift: further digits are kept where nothing is converted, else left out with a word" {
    nbgen plummer -q -n 5 --units galactic | nbsim -q --precision quad --steps 2 -o q.nbs
    nbconv --to gadget -o same.hdf5 q.nbs 2>said
    [ ! -s said ]
    nbconv --from gadget same.hdf5 | grep -aqx 'column vel_lo f64 3 L/T'
    nbconv --to swift -o shifted.hdf5 q.nbs 2>said
    grep -q 'left out: the further digits of quadruple precision' said
    [ "$(grep -c 'further digits' said)" = 1 ]
}

@test "swift: a box around all bodies, attributes as arrays of one, its own names" {
    stream in.nbs galactic
    nbconv -q --to swift -o x.hdf5 in.nbs
    h5python - <<'END'
import h5py, numpy as np, nbs_reader
f = nbs_reader.read(open("in.nbs", "rb"))[-1]
h = h5py.File("x.hdf5")
kind = np.array([1, 1, 2, 3, 4, 5, 4, 0])[f["component"]]
head = h["Header"].attrs
T = 0.97779 * 1e9 * 365.25 * 86400 # five digits of a Gyr: its reader rounds to them
same = lambda a, b: np.abs(a - b).max() <= 4e-16 * np.abs(b).max()
ratio = 3.085677581491367e16 / T
assert head["Code"] == b"SWIFT" and head["Time"].shape == (1,) and same(head["Time"][0], f["time"] * ratio)
units = h["Units"].attrs
assert sorted(units) == sorted(f"Unit {what} in cgs (U_{s})" for what, s in zip("mass length time current temperature".split(), "MLtIT"))
assert all(v.shape == (1,) for v in units.values())
for v, want in zip("MLt", (1.98841e43, 3.08567758e21, T)):
    value, = [units[k][0] for k in units if f"U_{v})" in k]
    assert abs(value / want - 1) < 1e-7
box, shift = head["BoxSize"], h["Provenance"].attrs["Shift"]
assert box.shape == (3,) and (box > 0).all() and (shift == box / 2).all()
for t in range(6):
    g = h[f"PartType{t}"]
    x = g["Coordinates"][:]
    assert (x >= 0).all() and (x <= box).all()
    assert np.abs(x - shift - f["pos"][kind == t]).max() <= box[0] * 2.0**-53
    assert same(g["Potentials"][:], f["phi"][kind == t] / ratio**2) and same(g["Velocities"][:], f["vel"][kind == t] / ratio) and (g["Softenings"][:] == f["softening"][kind == t]).all()
    exponents = [g["Potentials"].attrs[f"U_{s} exponent"][0] for s in "MLtIT"]
    assert exponents == [0, 2, -2, 0, 0], exponents
END
}

@test "a stream without id, component and many columns; a single body; single precision stays single" {
    nbgen plummer -q -n 100000 --units galactic --store f32 --seed 4 |
        h5python -c '
import sys, nbs_reader, nbs_writer
f, = nbs_reader.read(sys.stdin.buffer)
nbs_writer.write("in.nbs", nbs_writer.frame(f["mass"], f["pos"], f["vel"], units="galactic", length_cgs=repr(f["length_cgs"]), mass_cgs=repr(f["mass_cgs"]), time_cgs=repr(f["time_cgs"])))'
    nbconv --to gadget -o x.hdf5 in.nbs
    h5python - <<'END'
import h5py, nbs_reader
f, = nbs_reader.read(open("in.nbs", "rb"))
h = h5py.File("x.hdf5")
g = h["PartType1"] # what is nothing known of
assert sorted(h) == ["Header", "PartType1", "Provenance", "Units"] and sorted(g) == ["Coordinates", "Masses", "ParticleIDs", "Velocities"]
assert (g["Coordinates"][:] == f["pos"]).all() and g["Coordinates"].dtype == "f8"
assert (g["Velocities"][:] == f["vel"]).all() and g["Velocities"].dtype == "f4" and h["Header"].attrs["Flag_DoublePrecision"] == 0
assert (g["Masses"][:] == f["mass"]).all() and (g["ParticleIDs"][:] == range(100000)).all()
END
    nbgen plummer -q -n 1 --units solar | nbconv --to gadget -o one.hdf5
    [ "$(h5python -c 'import h5py; print(len(h5py.File("one.hdf5")["PartType4/Masses"]))')" = 1 ]
}

@test "equal commands give equal bytes, at other times, in other folders, with any number of threads" {
    stream in.nbs galactic
    mkdir a
    nbconv -q --to gadget --threads 1 -o x.hdf5 in.nbs
    sleep 1.1
    (cd a && nbconv -q --to gadget --threads 3 -o y.hdf5 <../in.nbs)
    cmp x.hdf5 a/y.hdf5
}

@test "an output that cannot be written is one line, and nothing is left" {
    nbgen plummer -q -n 20000 --units galactic >in.nbs
    run -1 nbconv --to gadget -o /dev/null in.nbs
    [ "$output" = "nbconv: /dev/null: HDF5 needs a file, not a device or a pipe" ]
    run -2 nbconv --to gadget in.nbs
    [ "${lines[0]}" = "nbconv: gadget is a file for each frame: give its name by -o FILE" ]
    run -2 nbconv --to swift --frame all -o x.hdf5 in.nbs
    [ "${lines[0]}" = "nbconv: swift is a file for each frame: give a name with a place for its number, as -o snap_%03d" ]
    for blocks in 1 5 40 500; do
        run -1 bash -c "ulimit -f $blocks; nbconv --to gadget --no-space-check -o x.hdf5 in.nbs"
        [[ $output == "nbconv: x.hdf5: "*"cannot be written: File too large" ]] || { echo "$blocks: $output" >&2; false; }
        [ "${#lines[@]}" = 1 ]
        [ ! -e x.hdf5 ]
        [ ! -e x.hdf5.part ]
    done
    touch x.hdf5
    run -1 nbconv --to gadget -o x.hdf5 in.nbs
    [ "$output" = "nbconv: x.hdf5: exists already (-f replaces it)" ]
    nbconv -f --to gadget -o x.hdf5 in.nbs
    [ -s x.hdf5 ]
}

@test "sizes of units: what is none, and what contradicts the header" {
    nbgen plummer -q -n 10 >code.nbs
    nbgen plummer -q -n 10 --units galactic >galactic.nbs
    while IFS='|' read -r arguments message; do
        # shellcheck disable=SC2086
        run -2 nbconv --to gadget -o x.hdf5 $arguments
        [ "${lines[0]}" = "nbconv: $message" ] || { echo "$arguments gives ${lines[0]}" >&2; false; }
    done <<'END'
--length-unit 3parsec code.nbs|--length-unit 3parsec: not a size, which is a number and one of cm m km AU pc kpc Mpc, as 2.5km
--length-unit 0kpc code.nbs|--length-unit 0kpc: not a size, which is a number and one of cm m km AU pc kpc Mpc, as 2.5km
--length-unit -1kpc code.nbs|--length-unit -1kpc: not a size, which is a number and one of cm m km AU pc kpc Mpc, as 2.5km
--mass-unit 5 code.nbs|--mass-unit 5: not a size, which is a number and one of g kg Msun, as 2.5Msun
--length-unit nankpc code.nbs|--length-unit nankpc: not a size, which is a number and one of cm m km AU pc kpc Mpc, as 2.5km
--length-unit 1e999kpc code.nbs|--length-unit 1e999kpc: not a size, which is a number and one of cm m km AU pc kpc Mpc, as 2.5km
--length-unit 1kpc code.nbs|the stream's units (code) have no size: --length-unit and --mass-unit are needed, as 1kpc and 1e10Msun
--length-unit 2kpc galactic.nbs|--length-unit: the stream's unit of length is 1 kpc (galactic)
--mass-unit Msun galactic.nbs|--mass-unit: the stream's unit of mass is 1e+10 Msun (galactic)
--type-map disk=6 galactic.nbs|--type-map disk=6: 'disk=6' is not COMPONENT=TYPE with a type from 0 to 5, as disk=2
--type-map disk galactic.nbs|--type-map disk: 'disk' is not COMPONENT=TYPE with a type from 0 to 5, as disk=2
--type-map disk=1,dusk=2 galactic.nbs|--type-map disk=1,dusk=2: 'dusk=2' is not COMPONENT=TYPE with a type from 0 to 5, as disk=2
END
    nbconv -q --to gadget --length-unit kpc --mass-unit 1e10Msun -o x.hdf5 galactic.nbs
    nbconv -q --to gadget --length-unit 1e-3Mpc --mass-unit 1.98841e40kg -f -o x.hdf5 galactic.nbs
}

# ---- and back ----

@test "what comes back is what was written: every column, in order of type, and the header" {
    stream in.nbs galactic
    nbconv -q --to gadget -o 'snap_%d.hdf5' in.nbs
    nbconv -q --to swift -o swift.hdf5 in.nbs
    nbconv -q --from gadget -o back.nbs snap_0.hdf5 snap_1.hdf5
    nbconv -q --from swift -o swift.nbs swift.hdf5
    h5python - <<'END'
import numpy as np, nbs_reader
columns = "mass pos vel id component phi acc softening galaxy parent_id spin".split()
ins, backs = (nbs_reader.read(open(f"{name}.nbs", "rb")) for name in ("in", "back"))
assert len(backs) == 2
for f, g, swift in [(ins[0], backs[0], False), (ins[1], backs[1], False), (ins[1], nbs_reader.read(open("swift.nbs", "rb"))[0], True)]:
    order = np.argsort(np.array([1, 1, 2, 3, 4, 5, 4, 0])[f["component"]], kind="stable")
    T = g["time_cgs"] / f["time_cgs"] # 1, but of SWIFT's
    assert swift == (T != 1) and abs(T - 1) < 3e-6
    powers = dict(vel=1, phi=2, acc=2, pos=0)
    for c in columns:
        want, have = f[c][order], g[c]
        if c in powers and swift:
            assert np.abs(want * T ** powers[c] - have).max() < 1e-15 * max(256, np.abs(want).max()), c
        else:
            assert have.shape == want.shape and (have == want).all(), c
        assert have.dtype == ("f8" if want.dtype.kind == "f" else want.dtype), (c, have.dtype)
    for key in "time G dt length_cgs mass_cgs time_cgs units every origin step".split():
        if swift and key in ("time", "G", "dt", "every", "origin"):
            assert abs(float(g[key]) * T ** (-2 if key == "G" else 1) / float(f[key]) - 1) < 1e-15, key
        elif not (swift and key in ("time_cgs", "units")):
            assert f[key] == g[key], key
    assert g["history"][0] == f["history"][0] and [line.split()[:3] for line in g["history"][1:]] == [["2", "1", "nbconv"], ["3", "2", "nbconv"]]
    if not swift:
        assert (f["component"][order] == g["component"]).all()
END
}

@test "G, softening and the header's further lines come back; code units as physical ones, as bound as before" {
    nbgen plummer -q -n 500 --seed 3 >code.nbs
    nbconv --to gadget --length-unit 2pc --mass-unit 1e5Msun -o x.hdf5 code.nbs
    nbconv --from gadget -o back.nbs x.hdf5
    h5python - <<'END'
import numpy as np, nbs_reader
(f,), (g,) = (nbs_reader.read(open(name, "rb")) for name in ("code.nbs", "back.nbs"))
assert g["units"] == "galactic" and abs(g["G"] / 43009.17270036279 - 1) < 1e-12
assert abs(g["softening"] / (f["softening"] * 2e-3) - 1) < 1e-12
# the same energy in units of G M^2 / L
def energy(f, L, M):
    m, x, v = f["mass"], f["pos"], f["vel"]
    r = np.sqrt(((x[:, None] - x) ** 2).sum(2) + np.eye(len(m)))
    np.fill_diagonal(r, np.inf)
    return (0.5 * (m * (v**2).sum(1)).sum() - 0.5 * f["G"] * (m * m[:, None] / r).sum()) / (f["G"] * M * M / L)
a, b = energy(f, 1, 1), energy(g, 2e-3, 1e-5)
assert abs(a + 0.25) < 0.05 and abs(a / b - 1) < 1e-12, (a, b)
END
    nbgen plummer -q -n 10 --units galactic |
        h5python -c '
import sys, nbs_reader, nbs_writer
f, = nbs_reader.read(sys.stdin.buffer)
nbs_writer.write("in.nbs", nbs_writer.frame(f["mass"], f["pos"], f["vel"], G=7.5, softening="0.125", note="of my own",
    force=["auto", "point:mass=2"], units="galactic", length_cgs=repr(f["length_cgs"]), mass_cgs=repr(f["mass_cgs"]), time_cgs=repr(f["time_cgs"])))'
    nbconv --to gadget -o y.hdf5 in.nbs
    nbconv --from gadget -o back.nbs -f y.hdf5
    for line in 'G 7.5' 'softening 0.125' 'note of my own' 'force auto' 'force point:mass=2'; do grep -aqx "$line" back.nbs; done
    nbconv --from gadget --G 3 --softening 0.5 --time 9 y.hdf5 >z.nbs
    for line in 'G 3' 'softening 0.5' 'time 9'; do grep -aqx "$line" z.nbs; done
    run -2 nbconv --from gadget --length-unit 3kpc y.hdf5
    [ "${lines[0]}" = "nbconv: y.hdf5 has units of its own: 1 kpc, 1e+10 Msun and 1 km/s" ]
}

# Files as other codes write them, with h5py: make(NAME, types, header, groups), types {number: dict of tables}.
foreign() {
    h5python - <<END
import h5py, numpy as np
r = np.random.default_rng(7)
def tables(n, first, dt="f4", ids="u4", **more):
    t = dict(Coordinates=r.normal(size=(n, 3)).astype(dt), Velocities=r.normal(size=(n, 3)).astype(dt), ParticleIDs=(first + np.arange(n)).astype(ids), Masses=r.random(n).astype(dt))
    t.update(more)
    return {k: v for k, v in t.items() if v is not None}
def make(name, types, header={}, total=None, kinds=6, **groups):
    count = np.zeros(kinds, "i4")
    for t, ts in types.items():
        count[t] = len(ts["Coordinates"])
    with h5py.File(name, "w") as h:
        a = h.create_group("Header").attrs
        a.update(dict(NumPart_ThisFile=count, NumPart_Total=count if total is None else total, MassTable=np.zeros(kinds), Time=0.5, Redshift=0.0, NumFilesPerSnapshot=1, BoxSize=0.0))
        a.update(header)
        for group, values in groups.items():
            h.create_group(group).attrs.update(values)
        for t, ts in types.items():
            g = h.create_group(f"PartType{t}")
            for key, value in ts.items():
                g[key] = value
$1
END
}

@test "GADGET-2: MassTable, single precision, ids of 32 bits, no units: GADGET's are taken, with a word" {
    foreign '
make("g2.hdf5", {1: tables(20, 0, Masses=None), 2: tables(10, 20, Potential=-r.random(10).astype("f4"))},
     dict(MassTable=np.array([0, 0.5, 0, 0, 0, 0]), Omega0=0.0, OmegaLambda=0.0, HubbleParam=0.7, BoxSize=50.0))'
    run -0 --separate-stderr bash -c 'nbconv --from gadget g2.hdf5 >x.nbs'
    [[ ${stderr_lines[0]} == "nbconv: g2.hdf5: says nothing of its units: taken are 1 kpc, 1e+10 Msun and km/s "* ]]
    [ "${stderr_lines[1]}" = "nbconv: g2.hdf5: left out, as not all types have them or they are no columns: Potential" ]
    [ "${stderr_lines[2]}" = "nbconv: g2.hdf5: its box, 50 wide, is left out: gravity here is not periodic" ]
    h5python - <<'END'
import h5py, numpy as np, nbs_reader
f, = nbs_reader.read(open("x.nbs", "rb"))
h = h5py.File("g2.hdf5")
assert f["units"] == "galactic" and f["time"] == 0.5 and (f["component"] == [1] * 20 + [2] * 10).all() and (f["id"] == range(30)).all()
assert (f["mass"] == np.append(np.full(20, 0.5), h["PartType2/Masses"][:])).all()
for c, t in ("pos", "Coordinates"), ("vel", "Velocities"):
    assert (f[c] == np.concatenate([h[f"PartType{k}/{t}"][:] for k in (1, 2)])).all() and f[c].dtype == "f8"
END
    nbconv -q --from gadget --store f32 g2.hdf5 | grep -aqx 'column pos f32 3 L'
    nbconv -q --from gadget --type-map halo=5,hole=1,disk=3,bulge=2 g2.hdf5 | nbconv --to text --columns component | tail -n 30 | sort | uniq -c >kinds
    diff kinds - <<<'     10 3
     20 5'
    run -0 nbconv -q --from gadget --units code -o code.nbs g2.hdf5
    for line in 'units code' 'G 1' 'length_cgs 0'; do grep -aqx "$line" code.nbs; done
    nbconv -q --from gadget --length-unit 1Mpc g2.hdf5 | grep -aqx 'length_cgs 3.0856775814913[0-9]*e+24'
}

@test "GADGET-4: units in Parameters, several files of which any is given, types that some lack" {
    foreign '
units = dict(UnitLength_in_cm=3.085678e21, UnitMass_in_g=1.989e43, UnitVelocity_in_cm_per_s=1e5, ComovingIntegrationOn=0, HubbleParam=0.7, Omega0=0.3, OmegaLambda=0.7, GravityConstantInternal=0.0)
total = np.array([0, 50, 0, 0, 7, 0], "u4")
for k, types in enumerate([{1: tables(20, 0, "f8", "u8")}, {1: tables(30, 20, "f8", "u8"), 4: tables(4, 50, "f8", "u8")}, {4: tables(3, 54, "f8", "u8")}]):
    for t in types.values():
        n = len(t["Masses"])
        t["Potential"] = -r.random(n); t["StellarAge"] = r.random(n).astype("f4"); t["Metals"] = r.random((n, 11)); t["Level"] = np.arange(n, dtype="u1")
    make(f"snap.v1_003.{k}.hdf5", types, dict(NumFilesPerSnapshot=3, Time=1.0), total, Parameters=units)
    with h5py.File(f"snap.v1_003.{k}.hdf5", "a") as h:
        for g in h.values():
            for key, t in g.items():
                t.attrs.update(dict(mass_scaling=0.0, length_scaling=float(key == "StellarAge"), velocity_scaling=-float(key == "StellarAge"), a_scaling=0.0, h_scaling=0.0, to_cgs=0.0))'
    for given in snap.v1_003 snap.v1_003.0.hdf5 snap.v1_003.2.hdf5; do
        nbconv --from gadget $given >x.nbs 2>said
        grep -q 'left out, as not all types have them or they are no columns: Metals$' said
        h5python - <<'END'
import h5py, numpy as np, nbs_reader
f, = nbs_reader.read(open("x.nbs", "rb"))
assert (f["id"] == range(57)).all() and (f["component"] == [1] * 50 + [4] * 7).all()
assert f["units"] == "gadget" and f["length_cgs"] == 3.085678e21 and f["mass_cgs"] == 1.989e43
assert abs(f["G"] / (6.6743e-8 * 1.989e43 / 3.085678e21 / 1e10) - 1) < 1e-14, f["G"]
files = [h5py.File(f"snap.v1_003.{k}.hdf5") for k in range(3)]
whole = lambda t: np.concatenate([h[f"PartType{k}/{t}"][:] for k in (1, 4) for h in files if f"PartType{k}" in h])
for c, t in dict(mass="Masses", pos="Coordinates", vel="Velocities", phi="Potential", stellar_age="StellarAge", level="Level").items():
    assert (f[c] == whole(t)).all(), c
assert f["level"].dtype == "u1"
END
        grep -aqx 'column stellar_age f64 1 T' x.nbs
    done
    rm snap.v1_003.1.hdf5
    run -1 nbconv --from gadget snap.v1_003.0.hdf5
    [ "$output" = "nbconv: snap.v1_003.1.hdf5: cannot be opened: No such file or directory" ]
}

@test "AREPO: cosmological, made physical by a and h; the age of the universe" {
    foreign '
make("a.hdf5", {1: tables(15, 0, "f8", "u8", Potential=r.random(15)), 4: tables(5, 15, "f8", "u8", Potential=r.random(5))},
     dict(Time=0.25, Redshift=3.0, Omega0=0.3089, OmegaLambda=0.6911, HubbleParam=0.6774, BoxSize=75000.0, UnitLength_in_cm=3.085678e21, UnitMass_in_g=1.989e43, UnitVelocity_in_cm_per_s=1e5))'
    run -0 --separate-stderr bash -c 'nbconv --from gadget a.hdf5 >x.nbs'
    [[ ${stderr_lines[0]} == "nbconv: a.hdf5: cosmological, at scale factor 0.25: positions and masses are made physical and have no h; "* ]]
    h5python - <<'END'
import h5py, numpy as np, nbs_reader
f, = nbs_reader.read(open("x.nbs", "rb"))
h = h5py.File("a.hdf5")
whole = lambda t: np.concatenate([h[f"PartType{k}/{t}"][:] for k in (1, 4)])
a, hubble = 0.25, 0.6774
assert np.abs(f["pos"] / (whole("Coordinates") * a / hubble) - 1).max() < 1e-14
assert np.abs(f["mass"] / (whole("Masses") / hubble) - 1).max() < 1e-14
assert np.abs(f["vel"] / (whole("Velocities") * 0.5) - 1).max() < 1e-14
assert "phi" not in f
# t of a flat universe with a cosmological constant, in closed form
H = hubble * 1e7 / 3.0856775814913673e24
t = 2 / (3 * H * np.sqrt(0.6911)) * np.arcsinh(np.sqrt(0.6911 / 0.3089 * a**3))
assert abs(f["time"] * f["time_cgs"] / t - 1) < 1e-10, f["time"] * f["time_cgs"] / 3.15576e16
END
    # matter alone: 2/3 of the Hubble time times a^1.5; an open one: (sinh eta - eta) 0.3 / 2 / 0.7^1.5, cosh eta = 1 + 1.4 / 0.3 a
    foreign '
for name, matter in ("eds", 1.0), ("open", 0.3):
    make(f"{name}.hdf5", {1: tables(3, 0)}, dict(Time=0.5, Redshift=1.0, Omega0=matter, OmegaLambda=0.0, HubbleParam=1.0))'
    for case in "eds $(python -c 'print(2 / 3 * 0.5**1.5)')" "open $(python -c 'import numpy as np; e = np.arccosh(1 + 1.4 / 0.3 * 0.5); print((np.sinh(e) - e) * 0.15 / 0.7**1.5)')"; do
        nbconv -q --from gadget "${case% *}.hdf5" >x.nbs
        close "$(awk '/^time / { print $2; exit }' x.nbs)" "$(python -c "print(${case#* } / (1e7 / 3.0856775814913673e24) / 3.0856775814913673e16)")" 1e-9
    done
    foreign 'make("bad.hdf5", {1: tables(3, 0)}, dict(Time=0.5, Redshift=1.0, Omega0=1.0, OmegaLambda=0.0, HubbleParam=0.0))'
    run -1 nbconv -q --from gadget bad.hdf5
    [ "$output" = "nbconv: bad.hdf5: cosmological, with scale factor 0.5, h 0, Omega0 1 and OmegaLambda 0: these make no universe" ]
}

@test "SWIFT's own files: seven types, plurals, units by time, no h" {
    foreign '
one = lambda x: np.array([x])
units = {"Unit mass in cgs (U_M)": one(1.98841e43), "Unit length in cgs (U_L)": one(3.08567758e24), "Unit time in cgs (U_t)": one(3.08567758e19), "Unit current in cgs (U_I)": one(1.0), "Unit temperature in cgs (U_T)": one(1.0)}
make("s.hdf5", {1: tables(8, 0, "f8", "u8", Softenings=np.full(8, 0.02)), 6: tables(2, 8, "f8", "u8", Softenings=np.full(2, 0.01))},
     dict(Code=np.bytes_("SWIFT"), Time=one(0.1), BoxSize=np.full(3, 25.0), NumFilesPerSnapshot=one(1)), kinds=7, Units=units, Cosmology={"Cosmological run": one(0)})
make("c.hdf5", {1: tables(8, 0, "f8", "u8")}, {"Code": np.bytes_("SWIFT"), "Time": one(3e-3), "Scale-factor": one(0.5), "BoxSize": np.full(3, 25.0)}, kinds=7, Units=units,
     Cosmology={"Cosmological run": one(1), "h": one(0.7), "Omega_m": one(0.3), "Omega_lambda": one(0.7)})'
    for format in swift gadget; do
        nbconv --from $format s.hdf5 >x.nbs
        nbconv -q --from $format c.hdf5 >c.nbs
        h5python - <<'END'
import h5py, numpy as np, nbs_reader
f, = nbs_reader.read(open("x.nbs", "rb"))
h = h5py.File("s.hdf5")
whole = lambda t: np.concatenate([h[f"PartType{k}/{t}"][:] for k in (1, 6)])
assert (f["pos"] == whole("Coordinates")).all() and (f["softening"] == whole("Softenings")).all() and (f["component"] == [1] * 8 + [0] * 2).all()
assert f["time"] == 0.1 and f["time_cgs"] == 3.08567758e19 and f["units"] == "gadget"
c, = nbs_reader.read(open("c.nbs", "rb"))
h = h5py.File("c.hdf5")["PartType1"]
assert (c["pos"] == h["Coordinates"][:] * 0.5).all() and (c["mass"] == h["Masses"][:]).all() and (c["vel"] == h["Velocities"][:]).all()
END
    done
}

@test "what is no snapshot, or contradicts itself" {
    foreign '
make("ok.hdf5", {1: tables(10, 0)})
make("n.hdf5", {1: tables(10, 0)}, dict(NumPart_ThisFile=np.array([0, 11, 0, 0, 0, 0])))
make("lacks.hdf5", {1: tables(10, 0)}, dict(NumPart_ThisFile=np.array([0, 10, 5, 0, 0, 0])))
make("mass.hdf5", {1: tables(10, 0, Masses=None)})
make("vel.hdf5", {1: tables(10, 0, Velocities=None)})
make("flat.hdf5", {1: tables(10, 0, Coordinates=np.zeros(30))}, dict(NumPart_ThisFile=np.array([0, 30, 0, 0, 0, 0])))
make("nan.hdf5", {1: tables(10, 0, Coordinates=np.full((10, 3), np.nan))})
make("time.hdf5", {1: tables(10, 0)}, dict(Time=np.nan))
make("unit.hdf5", {1: tables(10, 0)}, dict(UnitLength_in_cm=0.0, UnitMass_in_g=1.0, UnitVelocity_in_cm_per_s=1.0))
make("none.hdf5", {})
make("set.hdf5", {1: tables(10, 0)}, dict(NumFilesPerSnapshot=2))
for name, n in ("huge", 2**40), ("most", 2**62):
    make(name + ".hdf5", {}, dict(NumPart_ThisFile=np.array([0, n, 0, 0, 0, 0])))
    with h5py.File(name + ".hdf5", "a") as h:
        for table, shape in dict(Coordinates=(n, 3), Velocities=(n, 3), ParticleIDs=(n,), Masses=(n,)).items():
            h.require_group("PartType1").create_dataset(table, shape, "f8" if n < 2**50 else "u1", chunks=(1000, 3)[: len(shape)])
with h5py.File("other.hdf5", "w") as h: h["x"] = 1'
    printf '\0\1\0\0' >old.dat
    mkdir folder
    while IFS='|' read -r file message; do
        run -1 nbconv -q --from gadget "$file"
        [ "$output" = "nbconv: $message" ] || { echo "$file gives $output" >&2; false; }
    done <<'END'
n.hdf5|n.hdf5: has 11 bodies of type 1 by its header, 10 in /PartType1/Coordinates
lacks.hdf5|lacks.hdf5: has 5 bodies of type 2 by its header, but no table /PartType2/Coordinates
mass.hdf5|mass.hdf5: type 1 has neither a table of masses nor one mass in MassTable
vel.hdf5|vel.hdf5: /PartType1 has no Velocities
flat.hdf5|flat.hdf5: /PartType1/Coordinates is not a table of vectors
nan.hdf5|nan.hdf5: body 0: pos is not a finite number
time.hdf5|time.hdf5: Time in /Header is not a finite number
unit.hdf5|unit.hdf5: UnitLength_in_cm is 0
none.hdf5|none.hdf5: no bodies
set.hdf5|set.hdf5: one of several files, but its name has no number, as NAME.0.hdf5 has
huge.hdf5|huge.hdf5: /PartType1/Coordinates is said to have 3298534883328 numbers, which is more than the file holds: it is damaged
most.hdf5|most.hdf5: /PartType1/Coordinates is said to have 4611686018427387904 rows: it is damaged
other.hdf5|other.hdf5: not a snapshot: it has no Header
old.dat|old.dat: not an HDF5 file
missing|missing: cannot be opened: No such file or directory
folder|folder: HDF5 is read from a file, not from a folder
END
    run -1 bash -c 'cat ok.hdf5 | nbconv -q --from gadget'
    [ "$output" = "nbconv: stdin: HDF5 is read from a file, not from a pipe or a device" ]
    nbconv -q --from gadget <ok.hdf5 | cmp - <(nbconv -q --from gadget ok.hdf5)
    run -2 nbconv --from gadget --store quad ok.hdf5
    [ "${lines[0]}" = "nbconv: --store quad goes with --from text" ]
    run -2 nbconv --from text ok.hdf5 n.hdf5
    [ "${lines[0]}" = "nbconv: n.hdf5: one input is enough, ok.hdf5 was given already" ]
}

@test "damage: a file that is cut anywhere, or has a byte changed, is one line or the same stream" {
    nbgen plummer -q -n 5 --units galactic | nbconv --to gadget -o good.hdf5
    nbconv -q --from gadget good.hdf5 >good.nbs
    h5python - >&3 <<'END'
import random, subprocess
good, stream = open("good.hdf5", "rb").read(), open("good.nbs", "rb").read()
random.seed(4)
def read(data, cut):
    open("x.hdf5", "wb").write(data)
    p = subprocess.run(["nbconv", "-q", "--from", "gadget", "x.hdf5"], capture_output=True, timeout=60)
    if p.returncode == 0 and not cut:
        assert p.stdout == stream, "other numbers"
        return 0
    assert p.returncode == 1 and p.stderr.count(b"\n") == 1 and p.stderr.startswith(b"nbconv: x.hdf5"), (p.returncode, p.stderr)
    return 1
found = sum(read(good[:k], True) for k in random.sample(range(len(good)), 30))
places = list(range(0, 100, 2)) + random.sample(range(100, len(good)), 120)
changed = sum(read(good[:k] + bytes([good[k] ^ random.choice([1, 0x80, 0xFF])]) + good[k + 1:], False) for k in places)
print(f"# {found} of 30 cut and {changed} of {len(places)} changed files are refused")
assert found == 30 and changed > 70
END
}

@test "a file of more tables than a frame has columns: what bodies need is read" {
    for more in 57 58 61 300; do
        h5python - $more <<'END'
import sys
import h5py, numpy as np
with h5py.File("many.hdf5", "w") as f:
    f.create_group("Header").attrs["NumPart_ThisFile"] = np.array([0, 2, 0, 0, 0, 0], "i4")
    part = f.create_group("PartType1")
    for k in range(int(sys.argv[1])):
        part[f"Aaa{k:03}"] = [1.0, 2.0]
    part["Coordinates"], part["Velocities"] = [[1.0, 2, 3], [4, 5, 6]], [[0.0, 0, 0], [7, 8, 9]]
    part["Masses"], part["ParticleIDs"] = [0.5, 0.25], np.array([9, 4], "u8")
END
        nbconv -q --from gadget --units code many.hdf5 | nbconv -q --to text --columns id,mass,pos,vel >many.txt
        diff <(grep -v '#' many.txt) <(printf '%s\n' '9 0.5 1 2 3 0 0 0' '4 0.25 4 5 6 7 8 9')
    done
    run -0 --separate-stderr nbconv --from gadget --units code many.hdf5 -o many.nbs
    [[ "$stderr" == *"left out, as not all types have them or they are no columns, of which a frame has 64 at most: "* ]]
}
