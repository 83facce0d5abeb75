#!/usr/bin/env bats
# nbconv and TIPSY files. tests/conv/tipsy_file.py reads and writes them independently.
bats_require_minimum_version 1.5.0
load ../common/common

# made.nbs: 40 bodies of all families, with all columns that the format has, in single precision so that nothing is lost.
# truth.npz has the same numbers.
made() {
    python - <<'END'
import numpy as np
import nbs_writer
n, r = 40, np.random.default_rng(1)
component = (np.arange(n) % 8).astype(np.uint8)
gas, star = component == 7, (component >= 2) & (component <= 6)
one = lambda where=1: (where * (0.1 + r.random(n))).astype("f4")
columns = dict(mass=one(), pos=r.normal(size=(n, 3)).astype("f4"), vel=r.normal(size=(n, 3)).astype("f4"),
               id=(r.permutation(n) + 100).astype(np.uint64), component=component, softening=one(), phi=-one(),
               density=one(gas), temperature=one(gas), metals=one(gas | star), formation_time=one(star))
nbs_writer.write("made.nbs", nbs_writer.frame(**columns, time=1.25, dt="0.001953125", units="big",
    length_cgs="3.0856775814913673e+21", mass_cgs="4.623222782151487e+38", time_cgs="3.085677581491367e+16"))
np.savez("truth.npz", **columns)
END
}

@test "what is written: header, records in the order gas, dark, stars, single precision, big-endian" {
    made
    nbconv -q --to tipsy -o made.std made.nbs
    python - <<'END'
import numpy as np
import tipsy_file
t = np.load("truth.npz")
head, families = tipsy_file.read("made.std")
assert head["time"] == 1.25 and head["pad"] == 0
component = t["component"]
of = {"gas": component == 7, "dark": component <= 1, "star": (component >= 2) & (component <= 6)}
names = dict(mass="mass", eps="softening", phi="phi", rho="density", temp="temperature", metals="metals",
             tform="formation_time")
for family, records in families.items():
    assert len(records) == of[family].sum() > 0
    for name in records.dtype.names:
        vector = "xyz".find(name[-1]) if name in "x y z vx vy vz".split() else -1
        want = t["vel" if name[0] == "v" else "pos"][:, vector] if vector >= 0 else t[names[name]]
        assert (records[name] == want[of[family]]).all(), (family, name)
ids = np.loadtxt("made.std.iord", dtype=int)
order = np.concatenate([np.flatnonzero(of[f]) for f in families])
assert ids[0] == 40 and (ids[1:] == t["id"][order]).all()
components = np.loadtxt("made.std.component", dtype=int)
assert components[0] == 40 and (components[1:] == component[order]).all()
END
}

@test "either byte order, with and without the header's padding, of a file and of a pipe" {
    made
    for order in big little; do
        nbconv -q --to tipsy --endian $order -o $order.std made.nbs
        nbconv --from tipsy --length-unit 1kpc --mass-unit 2e5Msun $order.std >$order.nbs
        { head -c 28 $order.std && tail -c +33 $order.std; } >old.$order
        nbconv -q --from tipsy --length-unit 1kpc --mass-unit 2e5Msun <old.$order >old.nbs
        nbconv -q --from tipsy --length-unit 1kpc --mass-unit 2e5Msun old.$order | cmp - old.nbs
        nbconv --to text --columns mass,pos,vel,phi,softening,density,temperature,metals,formation_time old.nbs | grep -v "^#" >old.txt
        nbconv --to text --columns mass,pos,vel,phi,softening,density,temperature,metals,formation_time $order.nbs | grep -v "^#" | cmp - old.txt
        [ "$(wc -l <old.txt)" = 40 ]
    done
    cmp big.nbs little.nbs
    run ! cmp -s big.std little.std
    [ "$(head -c 12 big.std | tail -c 4 | od -An -tx1 | tr -d ' ')" = 00000028 ]
    nbconv -q --to tipsy --endian native -o native.std made.nbs
    python -c 'import sys, tipsy_file; tipsy_file.read("native.std", "<" if sys.byteorder == "little" else ">")'
}

@test "all columns come back, and the units" {
    made
    nbconv -q --to tipsy -o made.std made.nbs
    nbconv --from tipsy --store f32 made.std >back.nbs
    python - <<'END'
import numpy as np
import nbs_reader
frame, = nbs_reader.read(open("back.nbs", "rb"))
t = np.load("truth.npz")
place = {body: k for k, body in enumerate(frame["id"])}
order = [place[body] for body in t["id"]]
for name in t.files:
    assert frame[name].dtype == t[name].dtype, name
    assert (frame[name][order] == t[name]).all(), name
assert frame["G"] == 1 and frame["time"] == 1.25 and frame["dt"] == 0.001953125
for name, size in dict(length=3.0856775814913673e21, mass=4.623222782151487e38, time=3.085677581491367e16).items():
    assert abs(frame[name + "_cgs"] / size - 1) < 1e-9, name
END
    nbconv --from tipsy back.std 2>&1 | grep -q "back.std: cannot be opened"
}

@test "a stream of other G: masses take it up, so that times and velocities stay" {
    nbgen plummer -q -n 300 --units galactic --seed 3 -o g.nbs
    nbconv --to tipsy -o g.std g.nbs 2>said
    grep -q 'masses are multiplied by G' said
    grep -q 'single precision' said
    nbconv --from tipsy g.std >back.nbs
    python - <<'END'
import math
import numpy as np
import nbs_reader, tipsy_file
frame, = nbs_reader.read(open("g.nbs", "rb"))
head, families = tipsy_file.read("g.std")
a = families["star"]
assert len(a) == 300
assert np.abs(a["vx"] - frame["vel"][:, 0]).max() <= np.abs(frame["vel"]).max() * 6e-8
assert np.abs(a["mass"] / (frame["mass"] * frame["G"]) - 1).max() < 6e-8
param = dict(line.split(" = ") for line in open("g.param") if "=" in line and line[0] != "#")
msol, kpc = float(param["dMsolUnit"]), float(param["dKpcUnit"])
# the velocity of G = 1 in these units is 1 km/s, the mass in solar masses that of the stream
G, sun, KPC = 6.6743e-8, 1.3271244e26 / 6.6743e-8, 3.0856775814913673e21
assert abs(math.sqrt(G * msol * sun / (kpc * KPC)) / 1e5 - 1) < 1e-7
assert abs(a["mass"].sum(dtype=float) * msol / (frame["mass"].sum() * 1e10) - 1) < 1e-6
back, = nbs_reader.read(open("back.nbs", "rb"))
assert abs(back["time_cgs"] / frame["time_cgs"] - 1) < 1e-7
assert abs(back["softening"] / frame["softening"] - 1) < 6e-8 # one length of all is in the header again
END
    [ "$(nbstat --columns virial g.nbs | tail -n 1 | cut -c 1-6)" = "$(nbstat --columns virial back.nbs | tail -n 1 | cut -c 1-6)" ]
    # a density has the masses' unit
    python - <<'END'
import numpy as np
import nbs_writer
m = np.array([3.0, 4, 5])
nbs_writer.write("gas.nbs", nbs_writer.frame(m, np.eye(3), np.zeros((3, 3)), G=2.5, density=7 * m,
                                             component=np.full(3, 7, np.uint8)))
END
    nbconv -q --to tipsy --length-unit 1kpc --mass-unit 1Msun -o gas.std gas.nbs
    python - <<'END'
import tipsy_file
gas = tipsy_file.read("gas.std")[1]["gas"]
assert gas["mass"].tolist() == [7.5, 10, 12.5] and gas["rho"].tolist() == [52.5, 70, 87.5], gas
END
}

@test "code units want sizes" {
    nbgen plummer -q -n 10 -o p.nbs
    run -2 nbconv --to tipsy -o p.std p.nbs
    [[ $output == *"--length-unit and --mass-unit, such"* ]]
    [ ! -e p.std ]
    [ ! -e p.std.part ]
    nbconv -q --to tipsy --length-unit 2kpc --mass-unit 1e9Msun -o p.std p.nbs
    grep -qx 'dKpcUnit = 2' p.param
    awk -F' = ' '$1 == "dMsolUnit" { exit !($2 > 999999999 && $2 < 1000000001) }' p.param
    nbconv --from tipsy p.std | nbstat --info | grep -q 'length_cgs 6.17'
    rm p.param
    nbconv --from tipsy p.std 2>said | nbstat --info | grep -q 'units code'
    grep -q 'no .param' said
}

@test "several frames are a file each, with one .param" {
    nbgen plummer -q -n 20 --units galactic | nbsim -q --device cpu --dt 0.001 --max-de inf --until 0.002 --every 0.001 -o run.nbs
    nbconv -q --to tipsy -o snap_%03d.std run.nbs
    [ "$(echo snap_*.std)" = "snap_000.std snap_001.std snap_002.std" ]
    [ "$(echo ./*.param)" = ./snap.param ]
    python -c 'import tipsy_file
assert [tipsy_file.read(f"snap_00{k}.std")[0]["time"] for k in range(3)] == [0, 0.001, 0.002]'
    cat snap_000.std snap_002.std >both.std
    nbconv --from tipsy both.std | nbstat --columns time | tail -n +2 | xargs | grep -qx '0 0.002'
    nbconv -q snap_*.std -o all.nbs
    nbstat --columns time all.nbs | tail -n +2 | xargs | grep -qx '0 0.001 0.002'
    run -2 nbconv --to tipsy --frame all -o one.std run.nbs
    run -2 bash -c "nbconv --to tipsy run.nbs >one.std"
    nbconv -q --to tipsy --frame 1 -o run.00010 run.nbs
    [ -e run.param ]
    [ -e run.00010.iord ]
}

@test "what is there is not overwritten: the file, its arrays, units that differ" {
    made
    nbconv -q --to tipsy -o made.std made.nbs
    run -1 nbconv -q --to tipsy -o made.std made.nbs
    rm made.std
    run -1 nbconv -q --to tipsy -o made.std made.nbs
    [[ $output == *made.std.iord* ]]
    nbgen plummer -q -n 5 --units galactic | nbconv -q --to tipsy -o other.std
    nbgen plummer -q -n 5 -o p.nbs
    run -1 nbconv -q --to tipsy --length-unit 3kpc --mass-unit 1Msun -o other.dat p.nbs
    [[ $output == *"other.param: exists already with other units"* ]]
    nbconv -q -f --to tipsy --length-unit 3kpc --mass-unit 1Msun -o other.dat p.nbs
    grep -qx 'dKpcUnit = 3' other.param
}

@test "--type-map says which family a component is, and comes back" {
    nbgen galaxy -q -n 600 --units galactic -o g.nbs || gsl
    nbconv -q --to tipsy --type-map halo=1,disk=4,bulge=0 -o g.std g.nbs
    rm g.std.component
    nbconv --from tipsy --type-map halo=1,disk=4,bulge=0,gas=5,star=5,planet=5,hole=5 g.std | nbstat --info | grep component >back
    nbstat --info g.nbs | grep component | sort | diff - <(sort back)
}

@test "what a TIPSY file has no place for is named: columns, external forces" {
    python - <<'END'
import numpy as np
import nbs_writer
nbs_writer.write("field.nbs", nbs_writer.frame(np.ones(2), np.eye(3)[:2], np.zeros((2, 3)), dust=np.ones(2),
                                               force=["auto", "external:point,mass=1"]))
END
    nbconv --to tipsy --length-unit 1kpc --mass-unit 1Msun -o field.std field.nbs 2>said
    grep -qx "nbconv: lost, because TIPSY's file cannot contain them: dust" said
    grep -qx "nbconv: TIPSY's file cannot contain external forces: they are lost" said
}

@test "numbers that single precision does not hold are refused, with the body" {
    printf '1 0 0 0 0 0 0\n1 1e39 0 0 0 0 0\n' | nbconv --from text --units galactic -o big.nbs
    run -1 nbconv -q --to tipsy -o big.std big.nbs
    [ "$output" = "nbconv: body 1: pos 1e+39 does not fit single precision, and a TIPSY file has single precision only" ]
    printf '1e-49 0 0 0 0 0 0\n' | nbconv --from text --units gauss -o small.nbs
    run -1 nbconv -q --to tipsy -o small.std small.nbs
    [[ $output == *"body 0: mass 1e-49 does not fit"* ]]
    [ ! -e big.std ]
    [ ! -e small.std ]
    [ ! -e small.std.part ]
}

# bad_file FILE TEXT: one line with that text, exit 1
bad_file() {
    run -1 --separate-stderr bash -c "nbconv -q --from tipsy '$1' >/dev/null"
    [ "${#stderr_lines[@]}" = 1 ] && [[ $stderr == *"$2"* ]] || { echo "$1: $stderr" >&2; return 1; }
    run -1 --separate-stderr bash -c "nbconv -q --from tipsy <'$1' >/dev/null"
    [ "${#stderr_lines[@]}" = 1 ] || { echo "$1: $stderr" >&2; return 1; }
}

@test "what is no such file, is cut or lies is one line" {
    made
    nbconv -q --to tipsy -o a.std made.nbs
    rm a.std.* a.param
    head -c 20 a.std >short && bad_file short "shorter than a header"
    : >empty && bad_file empty "shorter than a header"
    bad_file made.nbs "not a TIPSY file"
    head -c -1 a.std >cut && bad_file cut "truncated or damaged"
    head -c 100 a.std >cut2 && bad_file cut2 "truncated or damaged"
    run -1 --separate-stderr bash -c 'cat cut2 | nbconv -q --from tipsy >/dev/null' # a pipe does not say how long it is
    [ "$stderr" = "nbconv: stdin: truncated in the bodies, at byte 100" ]
    { cat a.std && printf 'some thirty-two bytes that follow'; } >more && bad_file more "expected another TIPSY header after the bodies"
    { cat a.std && printf 'few'; } >few && bad_file few "bytes follow the bodies"
    python - <<'END'
import struct
data = open("a.std", "rb").read()
def put(name, *head):
    open(name, "wb").write(struct.pack(">diiiiii", 1.0, *head) + data[32:])
put("flat", 40, 2, 5, 10, 25, 0)
put("sum", 41, 3, 5, 10, 25, 0)
put("negative", 40, 3, -5, 20, 25, 0)
put("huge", 2147483647, 3, 0, 2147483647, 0, 0)
put("trick", 40, 3, 5, 10, 25, 0x01010000)
open("more-than-32-bits", "wb").write(open("trick", "rb").read() + bytes(360))
open("nan", "wb").write(data[:36] + struct.pack(">f", float("nan")) + data[40:])
open("time", "wb").write(struct.pack(">d", float("inf")) + data[8:])
END
    bad_file flat "2 dimensions"
    bad_file sum "do not add up"
    bad_file negative "do not add up"
    bad_file more-than-32-bits "padding"
    bad_file huge "truncated or damaged"
    bad_file nan "pos"
    bad_file time "TIPSY header"
}

@test "what lies beside and is not of the file is one line" {
    made
    nbconv -q --to tipsy -o a.std made.nbs
    cp a.std.iord iord
    echo 39 >a.std.iord
    run -1 --separate-stderr bash -c 'nbconv --from tipsy a.std >/dev/null'
    [ "$stderr" = "nbconv: a.std.iord: does not have 40 bodies" ]
    head -n 20 iord >a.std.iord
    run -1 --separate-stderr bash -c 'nbconv --from tipsy a.std >/dev/null'
    [[ $stderr == *"a.std.iord: ends at 19 of 40 bodies" ]]
    cp iord a.std.iord
    for bad in 'dKpcUnit = x' 'dMsolUnit = -1' 'bComove = 1' 'bDoublePos=1' 'dMsolUnit = 1e300'; do
        echo "$bad" >a.param
        run -1 --separate-stderr bash -c 'nbconv --from tipsy a.std >/dev/null'
        [[ $stderr == "nbconv: a.param: line 1: "* ]]
    done
    printf '# units\nachInFile = a.b # of the run\n dMsolUnit=1e9   # suns\ndKpcUnit\t=\t2\n\n' >a.param
    nbconv --from tipsy a.std | nbstat --info | grep -q 'units tipsy length_cgs 6.17'
    grep -v dKpcUnit a.param >half.param && mv a.param whole && mv half.param a.param # one of two units is none
    nbconv --from tipsy a.std 2>said | nbstat --info | grep -q 'units code'
    grep -q 'no .param' said
    mv whole a.param
    mv a.param other.param # the only one of the folder
    nbconv --from tipsy a.std | nbstat --info | grep -q 'units tipsy length_cgs 6.17'
}

@test "what lies beside a TIPSY file gets its name with it, when all of it is on the disk, and the file its own last" {
    [ -z "${NB_SANITIZER:-}" ] || skip "the shim is for a plain build"
    nbgen collision -q -n 50 --units galactic -o g.nbs
    write() { # write CALL NUMBER ERROR: with this call failing
        rm -rf out && mkdir out
        FAULT_LOG=$PWD/log FAULT_CALL=$1 FAULT_AT=$2 FAULT_ERROR=$3 LD_PRELOAD=$NB_BUILD/tests/faults/fail.so nbconv -q --to tipsy -o out/g.std g.nbs
    }
    write fsync 0 5
    whole=$(ls out | xargs)
    [ "$whole" = "g.param g.std g.std.component g.std.galaxy g.std.iord" ] || [ "$whole" = "g.param g.std g.std.component g.std.iord" ]
    failed=0
    for call in fsync fdatasync dup close; do
        for at in $(seq 12); do
            : >log
            if write $call "$at" 5 2>said; then continue; fi
            [ -s said ]
            failed=$((failed + 1))
            # All of it or nothing; what lies beside alone where the folder cannot be synced after its name.
            [ -z "$(ls out)" ] || [ "$(ls out | xargs)" = "$whole" ] || grep -q 'its folder cannot be synced' said
            [ ! -e out/g.std ] || [ "$(ls out | xargs)" = "$whole" ]
        done
    done
    [ "$failed" -ge 5 ]
    # Killed at any call that gives a name: nothing, or what lies beside, or all of it.
    struck=0
    for call in rename renameat2 link unlink; do
        for at in $(seq 6); do
            write $call "$at" kill 2>said || struck=$((struck + 1))
            [ ! -e out/g.std ] || [ "$(ls out | grep -v part | xargs)" = "$whole" ]
        done
    done
    [ "$struck" -ge 4 ]
}
