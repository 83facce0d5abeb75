#!/usr/bin/env bats
# nbconv and NEMO's structured files. tests/conv/nemo_file.py reads and writes them independently.
bats_require_minimum_version 1.5.0
load ../common/common

# made.nbs: two frames with all columns that the format has, as nemo_truth.py's numbers.
made() {
    python - <<'END'
import numpy as np
import nbs_writer
def frame(seed, time, kind, n=30):
    r = np.random.default_rng(seed)
    real = lambda *shape: r.normal(size=shape).astype(kind)
    return nbs_writer.frame(np.abs(real(n)), real(n, 3), real(n, 3), time=time, acc=real(n, 3), phi=real(n), aux=real(n),
        density=np.abs(real(n)), softening=np.abs(real(n)), id=r.permutation(n).astype(np.uint64),
        history=["1 - nbgen 0.1.0 7 nbgen model --seed=7"])
nbs_writer.write("made.nbs", frame(1, 0.5, "f8"), frame(2, 0.75, "f4"))
END
}

@test "what is written: history, snapshots with parameters and particles, floats as floats" {
    made
    nbconv --to nemo --frame all -o made.nemo made.nbs
    [ "$(head -c 2 made.nemo | od -An -tu1 | xargs)" = "146 11" ] # an array of a little-endian machine: file(1)
    python - <<'END'
import numpy as np
import nbs_reader, nemo_file
data = open("made.nemo", "rb").read()
found, history = nemo_file.snapshots(data)
frames = nbs_reader.read(open("made.nbs", "rb"))
assert history[0] == "1 - nbgen 0.1.0 7 nbgen model --seed=7"
assert history[1].split()[:3] == ["2", "1", "nbconv"] and "--to=nemo" in history[1] and len(history) == 2
assert [tag for tag, _ in nemo_file.read(data)] == ["History"] * 2 + ["SnapShot"] * 2
assert len(found) == len(frames) == 2
for s, f in zip(found, frames):
    assert s["Nobj"] == 30 and s["Time"] == f["time"] and s["CoordSystem"] == 0o200000 + (3 << 8) + 2
    assert s["PhaseSpace"].shape == (30, 2, 3) and (s["PhaseSpace"] == np.stack([f["pos"], f["vel"]], 1)).all()
    for tag, name in dict(Mass="mass", Potential="phi", Acceleration="acc", Aux="aux", Density="density",
                          Eps="softening", Key="id").items():
        assert (s[tag] == f[name]).all(), tag
    kind = f["pos"].dtype
    assert all(s[tag].dtype == kind for tag in "Mass PhaseSpace Potential Acceleration Aux Density Eps".split())
    assert s["Key"].dtype == np.dtype("i4")
END
}

@test "all columns come back, from either byte order, a file and a pipe" {
    made
    for order in little big native; do
        nbconv --to nemo --endian $order --frame all -o $order.nemo made.nbs
        nbconv --from nemo $order.nemo >$order.nbs
        nbconv --from nemo <$order.nemo | cmp - $order.nbs
        cmp $order.nbs little.nbs
    done
    run ! cmp -s little.nemo big.nemo
    nbconv --from nemo big.nemo little.nemo | nbstat --columns time | tail -n +2 | xargs | grep -qx '0.5 0.75 0.5 0.75'
    cat big.nemo little.nemo | nbconv --from nemo | nbstat --columns time | tail -n +2 | xargs | grep -qx '0.5 0.75 0.5 0.75'
    python - <<'END'
import nbs_reader
for a, b in zip(nbs_reader.read(open("made.nbs", "rb")), nbs_reader.read(open("little.nbs", "rb")), strict=True):
    for name in "mass pos vel acc phi aux density softening id".split():
        assert (a[name] == b[name]).all(), name
    assert a["time"] == b["time"] and b["history"][0] == a["history"][0] and "--from=nemo" in b["history"][2]
END
    nbconv --from nemo --store f32 little.nemo | nbconv --to nemo --frame 0 | nbconv --from nemo | grep -aq 'column pos f64'
}

@test "frames stream through: the first is there before the second is" {
    made
    nbconv --to nemo --frame 0 made.nbs >one
    mkfifo in out
    nbconv --from nemo <in >out &
    exec 5>in 6<out
    cat one >&5
    head -c 12 <&6 | grep -q 'nbs 1 frame' # waits for the first frame, while the second has not come
    cat one >&5
    exec 5>&-
    tail -c 64 <&6 | grep -q 'nbs 1 close'
    wait
}

# A file of two bodies by another program's library (unsio 1.0.2), as it wrote it: floats, positions and velocities apart.
frozen() {
    base64 -d <<'END'
kgtjAEhpc3RvcnkAFQAAAAAAAABJT19ORU1PIFZFUlNJT049MS41MgCSCSgAU25hcFNob3QAkgkoAFBhcmFtZXRlcnMAkglmAFRp
bWUAAADAP5IJaQBOb2JqAAIAAACSCSkAkgkoAFBhcnRpY2xlcwCSCWkAQ29vcmRTeXN0ZW0AAgMBAJILZgBNYXNzAAIAAAAAAAAA
AACAPgAAQD+SC2YAUG9zaXRpb24AAgAAAAMAAAAAAAAAAAAAAAAAgD8AAABAAABAQAAAgEAAAKBAkgtmAFZlbG9jaXR5AAIAAAAD
AAAAAAAAAAAAAIAAAIC/AAAAwAAAQMAAAIDAAACgwJILaQBLZXkAAgAAAAAAAAAHAAAACQAAAJIJKQCSCSkA
END
}

@test "a file of another program's library" {
    frozen | nbconv --from nemo -o u.nbs
    nbconv --to text u.nbs | grep -v '^#' | diff - <(printf '7 0.25 0 1 2 -0 -1 -2\n9 0.75 3 4 5 -3 -4 -5\n')
    nbstat --info u.nbs | grep -q 'history IO_NEMO VERSION=1.52'
    nbstat --columns time u.nbs | tail -n 1 | grep -qx 1.5
}

@test "what other programs write: tags in any order, unknown ones, masses once, diagnostics alone" {
    python - <<'END'
import numpy as np
from nemo_file import group, item, text
for order in "<>":
    it = lambda type, tag, value: item(type, tag, value, order=order)
    pos, vel, mass = np.arange(6.0).reshape(2, 3), -np.arange(6.0).reshape(2, 3), [0.25, 0.75]
    g = lambda tag, *items: group(tag, *items, order=order)
    first = g("SnapShot", g("Parameters", it("f", "Time", 1.5), it("i", "Ngas", 0), it("i", "Nobj", 2)),
              g("Particles", it("i", "CoordSystem", 66306), it("f", "Velocity", vel), it("f", "Mass", mass),
                it("s", "Key", [7, 9]), it("d", "Temperature", [1, 2]), it("f", "Position", pos)),
              g("Diagnostics", it("d", "Energy", [1, 2, 3]), g("More", it("d", "cputime", 1.0))))
    only = g("SnapShot", g("Parameters", it("i", "NBody", 2), it("d", "Time", 1.75)), g("Diagnostics"))
    last = g("SnapShot", g("Parameters", it("l", "Nobj", 2), it("d", "Time", 2)),
             g("Particles", it("d", "PhaseSpace", np.stack([pos + 1, vel - 1], 1))))
    open("less" if order == "<" else "more", "wb").write(
        text("Headline", "a test", order) + text("History", "long " * 1000, order) + text("History", "mkplummer out=a\tb nbody=2 \xe9", order) + g("Story") +
        first + only + last)
END
    for file in less more; do
        nbconv --from nemo $file -o $file.nbs 2>said || { cat said; false; }
        grep -q 'Temperature is lost, because a stream cannot contain it' said
        nbconv --to text --frame all $file.nbs | grep -E '^[0-9]|^# frame' >text
        diff text - <<'END'
# frame 0 time 1.5
7 0.25 0 1 2 -0 -1 -2
9 0.75 3 4 5 -3 -4 -5
# frame 1 time 2
7 0.25 1 2 3 -1 -2 -3
9 0.75 4 5 6 -4 -5 -6
END
        nbstat --info $file.nbs | grep -q 'history mkplummer out=a\\tb nbody=2 ??\?$'
    done
}

@test "one softening length is in the header, several are a column; G goes into the masses" {
    nbgen plummer -q -n 50 --units galactic --softening 0.05 -o p.nbs
    nbconv --to nemo p.nbs >p.nemo 2>said
    grep -q 'masses are multiplied by G' said
    python - <<'END'
import nbs_reader, nemo_file
(s,), _ = nemo_file.snapshots(open("p.nemo", "rb").read())
f, = nbs_reader.read(open("p.nbs", "rb"))
assert (s["Eps"] == 0.05).all() and len(s["Eps"]) == 50
assert (s["Mass"] == f["mass"] * f["G"]).all()
END
    nbconv --from nemo --units galactic p.nemo >back.nbs
    grep -aqx 'softening 0.05' back.nbs
    run ! grep -aq 'column softening' back.nbs
    python - <<'END'
import numpy as np
import nbs_reader
a, = nbs_reader.read(open("p.nbs", "rb"))
b, = nbs_reader.read(open("back.nbs", "rb"))
assert a["G"] == b["G"] and np.abs(a["mass"] / b["mass"] - 1).max() < 1e-15 and (a["vel"] == b["vel"]).all()
END
    nbconv --from nemo p.nemo | nbstat --info | grep -qx '  G 1'
}

@test "bodies without gravity keep their masses, with a word" {
    printf '# G 0\n# id m x y z vx vy vz\n0 3 1 0 0 0 1 0\n' | nbconv -q --from text -o p.nbs
    nbconv --to nemo p.nbs 2>said >p.nemo
    grep -q 'masses are written unchanged' said
    [ "$(nbconv --from nemo p.nemo | nbconv --to text --columns mass | tail -n 1)" = 3 ]
}

@test "ids beyond four bytes, and columns that NEMO has not, are left out with a word" {
    printf '# id component m x y z vx vy vz\n2147483648 1 1 0 0 0 0 0 0\n' | nbconv --from text -o big.nbs
    nbconv --to nemo big.nbs 2>said | nbconv --from nemo -o back.nbs
    grep -q 'ids of 2^31 and above' said
    grep -q 'lost, .*: component$' said
    run ! grep -aq 'column id' back.nbs
}

# bad_file FILE TEXT: one line with that text, exit 1, of a file and a pipe
bad_file() {
    run -1 --separate-stderr bash -c "nbconv -q --from nemo '$1' >/dev/null"
    [ "${#stderr_lines[@]}" = 1 ] && [[ $stderr == *"$2"* ]] || { echo "$1: $stderr" >&2; return 1; }
    run -1 --separate-stderr bash -c "nbconv -q --from nemo <'$1' >/dev/null"
    [ "${#stderr_lines[@]}" = 1 ] || { echo "$1: $stderr" >&2; return 1; }
}

@test "what is no such file, is cut, lies or is not of three Cartesian dimensions is one line" {
    made
    nbconv --to nemo --frame 0 -o a.nemo made.nbs
    bad_file made.nbs "not a NEMO file"
    : >empty && bad_file empty "no snapshot"
    python - <<'END'
import struct
import numpy as np
from nemo_file import group, item
data = open("a.nemo", "rb").read()
for k in range(1, len(data), 97):
    open(f"cut{k}", "wb").write(data[:k])
n, x = item("i", "Nobj", 3), np.ones((3, 2, 3))
def snap(name, *items, first=n):
    open(name, "wb").write(group("SnapShot", group("Parameters", first), group("Particles", *items)))
mass, phase = item("d", "Mass", np.ones(3)), item("d", "PhaseSpace", x)
snap("polar", item("i", "CoordSystem", 131842), mass, phase)
snap("massless", phase)
snap("few", mass, item("d", "PhaseSpace", x[:2]))
snap("shape", mass, item("d", "PhaseSpace", np.ones(18), (18,)))
snap("words", mass, item("c", "PhaseSpace", b"x" * 18, (3, 2, 3)))
snap("twice", mass, mass, phase)
snap("none", mass, phase, first=item("i", "Nobj", 0))
snap("negative", mass, phase, first=item("i", "Nobj", -3))
open("late", "wb").write(group("SnapShot", group("Particles", mass, phase), group("Parameters", n)))
snap("real", mass, phase, first=item("d", "Nobj", 3))
snap("huge", item("d", "Mass", np.ones(3).tobytes(), (2147483647,)), first=item("i", "Nobj", 2147483647))
snap("overflow", item("d", "Mass", b"", (2147483647,) * 7))
snap("minus", item("d", "Mass", b"", (-3,)))
snap("nan", mass, item("d", "PhaseSpace", x * np.nan))
open("type", "wb").write(b"\x92\x0bq\0Mass\0" + struct.pack("<2i", 3, 0))
open("tag", "wb").write(b"\x92\x09d\0" + b"T" * 300)
open("deep", "wb").write(item("(", "Story") * 100000)
END
    bad_file cut1 "not a NEMO file" && rm cut1 # not even its first item
    for cut in cut*; do bad_file "$cut" ": truncated "; done
    bad_file polar "snapshot 0: CoordSystem is 0401402, but only 0201402 can be read: Cartesian, three dimensions"
    bad_file massless "mass"
    bad_file few "expected 6 for each of 3 bodies"
    bad_file shape "expected 6 for each of 3 bodies"
    bad_file words "type 'c'"
    bad_file twice "mass"
    bad_file none "snapshot 0: Nobj is 0, expected at least 1"
    bad_file negative "snapshot 0: Nobj is -3, expected at least 1"
    bad_file late "snapshot 0: Nobj comes after the data of bodies, expected before them"
    bad_file real "item Nobj has type 'd', expected one of sil"
    bad_file huge "truncated or damaged"
    bad_file overflow "dimensions of 'Mass'"
    bad_file minus "dimensions of 'Mass'"
    bad_file nan "pos"
    bad_file type "type 'q'"
    bad_file tag "a tag of more than"
    bad_file deep "truncated in set Story"
    run -2 nbconv --from nemo --store quad a.nemo
    run -2 nbconv --to nemo --endian middle made.nbs
}
