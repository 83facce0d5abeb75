#!/usr/bin/env bats
# nbconv --from gadget of files in the layouts of other codes, intact and damaged. h5py writes the files.
bats_require_minimum_version 1.5.0
load ../common/common
load gadget

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
    [[ ${stderr_lines[0]} == "nbconv: g2.hdf5: does not name its units: assuming 1 kpc, 1e+10 Msun and km/s "* ]]
    [ "${stderr_lines[1]}" = "nbconv: g2.hdf5: left out, because not all types have them or they are not columns: Potential" ]
    [ "${stderr_lines[2]}" = "nbconv: g2.hdf5: its periodic box of width 50 is left out: gravity is not periodic in nbtools" ]
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
        nbconv --from gadget $given >$given.nbs 2>said
        grep -q 'left out, because not all types have them or they are not columns: Metals$' said
        grep -aqx 'column stellar_age f64 1 T' $given.nbs
    done
    h5python - <<'END'
import h5py, numpy as np, nbs_reader
files = [h5py.File(f"snap.v1_003.{k}.hdf5") for k in range(3)]
whole = lambda t: np.concatenate([h[f"PartType{k}/{t}"][:] for k in (1, 4) for h in files if f"PartType{k}" in h])
for given in "", ".0.hdf5", ".2.hdf5":
    f, = nbs_reader.read(open(f"snap.v1_003{given}.nbs", "rb"))
    assert (f["id"] == range(57)).all() and (f["component"] == [1] * 50 + [4] * 7).all()
    assert f["units"] == "gadget" and f["length_cgs"] == 3.085678e21 and f["mass_cgs"] == 1.989e43
    assert abs(f["G"] / (6.6743e-8 * 1.989e43 / 3.085678e21 / 1e10) - 1) < 1e-14, f["G"]
    for c, t in dict(mass="Masses", pos="Coordinates", vel="Velocities", phi="Potential", stellar_age="StellarAge", level="Level").items():
        assert (f[c] == whole(t)).all(), (given, c)
    assert f["level"].dtype == "u1"
END
    rm snap.v1_003.1.hdf5
    run -1 nbconv --from gadget snap.v1_003.0.hdf5
    [ "$output" = "nbconv: snap.v1_003.1.hdf5: cannot be opened: No such file or directory" ]
}

@test "AREPO: cosmological, made physical by a and h; the age of the universe" {
    foreign '
make("a.hdf5", {1: tables(15, 0, "f8", "u8", Potential=r.random(15)), 4: tables(5, 15, "f8", "u8", Potential=r.random(5))},
     dict(Time=0.25, Redshift=3.0, Omega0=0.3089, OmegaLambda=0.6911, HubbleParam=0.6774, BoxSize=75000.0, UnitLength_in_cm=3.085678e21, UnitMass_in_g=1.989e43, UnitVelocity_in_cm_per_s=1e5))
# matter alone, an open universe, and none
for name, matter, h in ("eds", 1.0, 1.0), ("open", 0.3, 1.0), ("bad", 1.0, 0.0):
    make(f"{name}.hdf5", {1: tables(3, 0)}, dict(Time=0.5, Redshift=1.0, Omega0=matter, OmegaLambda=0.0, HubbleParam=h))'
    run -0 --separate-stderr bash -c 'nbconv --from gadget a.hdf5 >x.nbs'
    [[ ${stderr_lines[0]} == "nbconv: a.hdf5: cosmological, at scale factor 0.25: positions and masses become physical (without h); "* ]]
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
    for name in eds open; do nbconv -q --from gadget $name.hdf5 | awk '/^time / { print $2; exit }' >$name; done
    python3 - <<'END'
from math import acosh, sinh
eta = acosh(1 + 1.4 / 0.3 * 0.5)
for name, times in ("eds", 2 / 3 * 0.5**1.5), ("open", (sinh(eta) - eta) * 0.15 / 0.7**1.5):
    want = times / (1e7 / 3.0856775814913673e24) / 3.0856775814913673e16
    assert abs(float(open(name).read()) - want) < 1e-9, (name, want)
END
    run -1 nbconv -q --from gadget bad.hdf5
    [ "$output" = "nbconv: bad.hdf5: cosmological, but scale factor 0.5, h 0, Omega0 1 and OmegaLambda 0 are not a possible universe" ]
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
        nbconv --from $format s.hdf5 >$format-s.nbs
        nbconv -q --from $format c.hdf5 >$format-c.nbs
    done
    h5python - <<'END'
import h5py, numpy as np, nbs_reader
for format in "swift", "gadget":
    f, = nbs_reader.read(open(format + "-s.nbs", "rb"))
    h = h5py.File("s.hdf5")
    whole = lambda t: np.concatenate([h[f"PartType{k}/{t}"][:] for k in (1, 6)])
    assert (f["pos"] == whole("Coordinates")).all() and (f["softening"] == whole("Softenings")).all() and (f["component"] == [1] * 8 + [0] * 2).all()
    assert f["time"] == 0.1 and f["time_cgs"] == 3.08567758e19 and f["units"] == "gadget"
    c, = nbs_reader.read(open(format + "-c.nbs", "rb"))
    h = h5py.File("c.hdf5")["PartType1"]
    assert (c["pos"] == h["Coordinates"][:] * 0.5).all() and (c["mass"] == h["Masses"][:]).all() and (c["vel"] == h["Velocities"][:]).all()
END
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
    : >empty.dat
    mkdir folder
    while IFS='|' read -r file message; do
        run -1 nbconv -q --from gadget "$file"
        [ "$output" = "nbconv: $message" ] || { echo "$file gives $output" >&2; false; }
    done <<'END'
n.hdf5|n.hdf5: the header says 11 bodies of type 1, but there are 10 in /PartType1/Coordinates
lacks.hdf5|lacks.hdf5: the header says 5 bodies of type 2, but there is no table /PartType2/Coordinates
mass.hdf5|mass.hdf5: type 1 has neither a table of masses nor one mass in MassTable
vel.hdf5|vel.hdf5: /PartType1 has no Velocities
flat.hdf5|flat.hdf5: /PartType1/Coordinates is not a table of vectors
nan.hdf5|nan.hdf5: body 0: pos is not a finite number
time.hdf5|time.hdf5: Time in /Header is not a finite number
unit.hdf5|unit.hdf5: UnitLength_in_cm is 0; the size of a unit must be positive
none.hdf5|none.hdf5: no bodies
set.hdf5|set.hdf5: is one of several files, but its name has no number as in NAME.0.hdf5
huge.hdf5|huge.hdf5: /PartType1/Coordinates claims 3298534883328 numbers, more than the file contains: it is damaged
most.hdf5|most.hdf5: /PartType1/Coordinates claims 4611686018427387904 rows: it is damaged
other.hdf5|other.hdf5: not a snapshot: it has no Header
old.dat|old.dat: not an HDF5 file but GADGET's binary format (--from gadget2)
empty.dat|empty.dat: not an HDF5 file
missing|missing: cannot be opened: No such file or directory
folder|folder: HDF5 is read from a file, not from a folder
END
    run -1 bash -c 'cat ok.hdf5 | nbconv -q --from gadget'
    [ "$output" = "nbconv: stdin: HDF5 is read from a file, not from a pipe or a device" ]
    nbconv -q --from gadget <ok.hdf5 | cmp - <(nbconv -q --from gadget ok.hdf5)
    run -2 nbconv --from gadget --store quad ok.hdf5
    [ "${lines[0]}" = "nbconv: --store quad works only with texts: --from text csv g1 si adk" ]
    run -2 nbconv --from text ok.hdf5 n.hdf5
    [ "${lines[0]}" = "nbconv: n.hdf5: only one input is allowed, and ok.hdf5 was given already" ]
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
    h5python - <<'END'
import h5py, numpy as np
for more in 57, 58, 61, 300:
    with h5py.File(f"many{more}.hdf5", "w") as f:
        f.create_group("Header").attrs["NumPart_ThisFile"] = np.array([0, 2, 0, 0, 0, 0], "i4")
        part = f.create_group("PartType1")
        for k in range(more):
            part[f"Aaa{k:03}"] = [1.0, 2.0]
        part["Coordinates"], part["Velocities"] = [[1.0, 2, 3], [4, 5, 6]], [[0.0, 0, 0], [7, 8, 9]]
        part["Masses"], part["ParticleIDs"] = [0.5, 0.25], np.array([9, 4], "u8")
END
    for more in 57 58 61 300; do
        nbconv -q --from gadget --units code many$more.hdf5 | nbconv -q --to text --columns id,mass,pos,vel >many.txt
        diff <(grep -v '#' many.txt) <(printf '%s\n' '9 0.5 1 2 3 0 0 0' '4 0.25 4 5 6 7 8 9')
    done
    run -0 --separate-stderr nbconv --from gadget --units code many300.hdf5 -o many.nbs
    [[ "$stderr" == *"left out, because not all types have them or they are not columns, of which a frame has 64 at most: "* ]]
}
