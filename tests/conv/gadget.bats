#!/usr/bin/env bats
# nbconv --to gadget and --to swift, and back. h5py reads the written files and writes the input files.
bats_require_minimum_version 1.5.0
load ../common/common
load gadget

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
    grep -qx 'nbconv: other, halo all become type 1 (--type-map changes this); dataset Component keeps the components' said
    grep -qx 'nbconv: star, planet all become type 4 .*' said
}

@test "gadget: code units are converted with the sizes that are given, G with them, in every frame" {
    stream in.nbs code
    run -2 --separate-stderr nbconv --to gadget -o x.hdf5 in.nbs
    [[ $stderr == "nbconv: the stream's units (code) have no size: give --length-unit and --mass-unit, such"* ]]
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
    grep -q 'quadruple precision is reduced to double, because units or positions are converted' said
    [ "$(grep -c 'quadruple precision' said)" = 1 ]
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
    [ "${lines[0]}" = "nbconv: gadget needs one file for each frame: use -o FILE" ]
    run -2 nbconv --to swift --frame all -o x.hdf5 in.nbs
    [ "${lines[0]}" = "nbconv: swift needs one file for each frame: use a name with a number, such as -o snap_%03d" ]
    [ "$NB_SANITIZER" != thread ] || return 0 # its runtime maps files of its own, which the limit would cut
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
--length-unit 3parsec code.nbs|--length-unit 3parsec: expected a number and one of cm m km AU pc kpc Mpc, such as 2.5km
--length-unit 0kpc code.nbs|--length-unit 0kpc: expected a number and one of cm m km AU pc kpc Mpc, such as 2.5km
--length-unit -1kpc code.nbs|--length-unit -1kpc: expected a number and one of cm m km AU pc kpc Mpc, such as 2.5km
--mass-unit 5 code.nbs|--mass-unit 5: expected a number and one of g kg Msun, such as 2.5Msun
--length-unit nankpc code.nbs|--length-unit nankpc: expected a number and one of cm m km AU pc kpc Mpc, such as 2.5km
--length-unit 1e999kpc code.nbs|--length-unit 1e999kpc: expected a number and one of cm m km AU pc kpc Mpc, such as 2.5km
--length-unit 1kpc code.nbs|the stream's units (code) have no size: give --length-unit and --mass-unit, such as 1kpc and 1e10Msun
--length-unit 2kpc galactic.nbs|--length-unit: the stream's unit of length is 1 kpc (galactic)
--mass-unit Msun galactic.nbs|--mass-unit: the stream's unit of mass is 1e+10 Msun (galactic)
--type-map disk=6 galactic.nbs|--type-map disk=6: 'disk=6': expected COMPONENT=TYPE with a type from 0 to 5, such as disk=2
--type-map disk galactic.nbs|--type-map disk: 'disk': expected COMPONENT=TYPE with a type from 0 to 5, such as disk=2
--type-map disk=1,dusk=2 galactic.nbs|--type-map disk=1,dusk=2: 'dusk=2': expected COMPONENT=TYPE with a type from 0 to 5, such as disk=2
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
    [ "${lines[0]}" = "nbconv: y.hdf5 states its units (1 kpc, 1e+10 Msun and 1 km/s): omit the options of units" ]
}
