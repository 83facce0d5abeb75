#!/usr/bin/env bats
# Stars that merge and stars that leave: times and positions of contacts compared with Kepler's equation, conserved and
# recorded quantities, frames with decreasing numbers of bodies in the other tools, checkpoints and --append.
bats_require_minimum_version 1.5.0
load ../common/common

# cold.nbs: 40 stars, or so many, of different masses at rest, with radii; a collapse in which most of them merge
make_cold() {
    python - "${1:-40}" <<'P'
import numpy as np, sys
from nbs_writer import frame, write
r = np.random.default_rng(2)
n = int(sys.argv[1])
x = r.normal(size=(n, 3))
x *= (r.random(n) ** (1 / 3) / np.linalg.norm(x, axis=1))[:, None]
m = r.uniform(0.2, 1.8, n) / n
write("cold.nbs", frame(m, x, 0 * x, id=np.arange(n, dtype="u8") + 100, component=(np.arange(n) % 8).astype("u1"), radius=0.006 * (m * n) ** 0.5))
P
}

merging="--until 1.6 --every 0.2 --softening 0 --merge-radius column"

# events FILE COLUMN...: of the table that nbstat prints
events() {
    nbstat --events "$1" | awk -F'\t' -v names="${*:2}" 'NR == 1 { n = split(names, name, " "); sub(/^# /, ""); for (k = 1; k <= NF; k++) at[$k] = k; next }
        { line = ""; for (k = 1; k <= n; k++) line = line (k > 1 ? " " : "") $(at[name[k]]); print line }'
}

@test "contacts are where Kepler's equation has them, in every kind of integrator; an orbit that just misses has none" {
    python - <<'P'
import math, subprocess
from nbs_writer import frame, write
m, V, X = (0.6, 0.4), (0.3, -0.2, 0.1), (0.0, 1.0, 2.0)
def orbit(e): # from the apocentre, pericentre 0.01, total mass 1
    a = 0.01 / (1 - e)
    far, speed = a * (1 + e), math.sqrt((1 - e) / (a * (1 + e)))
    pos = [[s * far + X[0], X[1], X[2]] for s in (-m[1], m[0])]
    write("orbit.nbs", frame(m, pos, [[V[0], V[1] + s * speed, V[2]] for s in (-m[1], m[0])]))
    return a
def run(a, R, options, periods=1):
    P = 2 * math.pi * a ** 1.5
    subprocess.run(f"nbsim -q -f orbit.nbs --softening 0 --until {periods * P} --merge-radius {R / 2!r} --max-de inf -o out.nbs --integrator {options}".split(), check=True)
    table = subprocess.run("nbstat --events --csv out.nbs".split(), check=True, capture_output=True, text=True).stdout
    return [line.split(",") for line in table.splitlines()[1:]]
exact = {"ias15": 1e-13, "hermite4-groups": 1e-13, "hermite4-block": 1e-7, "hermite6": 1e-7, "rkf78 --tolerance 1e-11": 1e-8, "leapfrog --dt 2e-5": 1e-3,
         "abm5 --dt 5e-5": 1e-6, "whfast --dt 1e-4": 1e-12, "ias15 --precision quad": 1e-13}
for e, size in ((0.5, 1.3), (0.99, 2.0), (0.9, 1.0001)):
    a = orbit(e)
    E = math.acos((1 - 0.01 * size / a) / e)
    t = a ** 1.5 * (math.pi - E + e * math.sin(E)) # inwards
    for options, off in exact.items():
        if e > 0.5 and "--dt" in options:
            continue
        events = run(a, 0.01 * size, options)
        assert len(events) == 1, (e, size, options, events)
        line = events[0]
        assert line[2] == "merge" and line[5:7] == ["0", "1"] and [float(x) for x in line[7:9]] == list(m), line
        assert abs(float(line[4]) - t) <= off * a ** 1.5 * 6.3, (e, options, float(line[4]), t)
        for k in range(3): # the centre of mass, which moves on
            assert abs(float(line[10 + k]) - X[k] - V[k] * t) < off * a + 1e-14, (e, options, k)
            assert abs(float(line[13 + k]) - V[k]) < 1e-9, (e, options, k)
        booked, energy = float(line[9]), -m[0] * m[1] / (2 * a)
        assert abs(booked / energy - 1) < (1e-10 if off < 1e-11 else 1e-3), (e, options, booked, energy)
a = orbit(0.9)
for options in ("ias15", "hermite4-block", "hermite4"):
    assert run(a, 0.01 * 0.9999, options) == []
for e in (0.99, 0.99995): # on its orbit, and between kicks
    a = orbit(e)
    E = math.acos((1 - 0.010001 / a) / e)
    event, = run(a, 0.010001, "hermite4-groups")
    assert abs(float(event[4]) / (a ** 1.5 * (math.pi - E + e * math.sin(E))) - 1) < 1e-10, (e, event)
    assert run(a, 0.009999, "hermite4-groups", 20) == [], e
P
}

@test "stars of a group touch where ias15 has them: in a chain, on an orbit that others turn, and as they collapse" {
    python - <<'P'
import numpy as np, subprocess
from nbs_writer import frame, write
def run(name, options):
    subprocess.run(f"nbsim -q -f {name} --softening 0 --merge-radius column --max-de inf -o out.nbs {options}".split(), check=True)
    table = subprocess.run("nbstat --events --csv out.nbs".split(), check=True, capture_output=True, text=True).stdout
    return [(float(line.split(",")[4]), *line.split(",")[5:7]) for line in table.splitlines()[1:]]
def same(name, options, off):
    a, b = (run(name, f"{options} --integrator {s}") for s in ("ias15", "hermite4-groups --tolerance 1e-7"))
    assert len(a) == len(b) and all(p[1:] == q[1:] and abs(p[0] - q[0]) < off for p, q in zip(a, b)), (name, a, b)
    return len(a)
count = 0
for seed, size in ((18, 0.208), (3, 0.05), (4, 0.1), (7, 0.2), (8, 0.03)): # all in one chain
    r = np.random.default_rng(seed)
    n = int(r.integers(3, 9))
    m = r.uniform(.3, 1.7, n)
    write("few.nbs", frame(m / m.sum(), r.normal(size=(n, 3)), 0.3 * r.normal(size=(n, 3)), radius=size * np.ones(n)))
    count += same("few.nbs", "--until 3", 1e-8)
assert count > 4, count
# a third star drives a binary to contact (Kozai 1962; Lidov 1962), near and far; 13 others, so that not all are one group
e, i = 0.8, np.radians(89)
v = np.sqrt((1 - e) / (1 + e)) / 2
y = np.random.default_rng(5).normal(size=(13, 3))
y *= (1200 / np.linalg.norm(y, axis=1))[:, None]
for far, mass, until, off in (8, 1, 300, 1e-4), (200, 1e4, 430, 1e-2):
    x = np.vstack([[[-0.5 * (1 + e), 0, 0], [0.5 * (1 + e), 0, 0], [0, far * np.cos(i), far * np.sin(i)]], y])
    w = np.vstack([[[0, -v, 0], [0, v, 0], [-np.sqrt((1 + mass) / far), 0, 0]], 0 * y])
    write("triple.nbs", frame([0.5, 0.5, mass] + 13 * [1e-8], x, w, radius=0.02 * (np.arange(16) < 2)))
    assert same("triple.nbs", f"--until {until}", off) == 1
P
    make_cold 64
    for threads in 1 2; do
        # shellcheck disable=SC2086
        nbsim -q cold.nbs $merging --integrator hermite4-groups --threads $threads -o $threads.nbs
    done
    cmp 1.nbs 2.nbs
    nbstat -q --max-de 1e-6 1.nbs >/dev/null
    [ "$(events 1.nbs id | wc -l)" -gt 20 ]
    # a radius to which no distance falls changes nothing
    for option in "" "--merge-radius 1e-9"; do
        # shellcheck disable=SC2086
        nbsim -q -f cold.nbs --until 1 --softening 0 $option --integrator hermite4-groups -o points.nbs
        nbconv -q --to text points.nbs --columns pos,vel | grep -v '^#' >"points$option"
    done
    cmp points "points--merge-radius 1e-9"
}

@test "p3t: a star falls onto another when Kepler's equation says so, alone and beside a third star" {
    python - <<'P'
import itertools, math, subprocess
import numpy as np
from nbs_writer import frame, write
# a light pair in the middle of eight heavy stars on the corners of a cube, whose tide vanishes there
cube = np.array(list(itertools.product((-1, 1), repeat=3))) / math.sqrt(3)
def fall(d, R, more, off):
    m, n = 1e-3, 10 + len(more)
    x = np.vstack([cube, [[-0.4 * d, 0, 0], [0.6 * d, 0, 0]], *more])
    write("fall.nbs", frame([0.125] * 8 + [0.6 * m, 0.4 * m] + [1e-13] * len(more), x, 0 * x, radius=np.array([1e-5] * 8 + [R / 2] * 2 + [1e-5] * len(more))))
    half = math.acos(math.sqrt(R / d))
    t = math.sqrt(d ** 3 / (2 * m)) * (half + math.sin(half) * math.cos(half)) # from rest
    subprocess.run(f"nbsim -q -f fall.nbs --softening 0 --until {2 * t} --integrator p3t --merge-radius column --max-de inf -o out.nbs".split(), check=True)
    table = subprocess.run("nbstat --events --csv out.nbs".split(), check=True, capture_output=True, text=True).stdout
    event, = (line.split(",") for line in table.splitlines()[1:])
    assert event[5:7] == ["8", "9"] and abs(float(event[4]) / t - 1) < off, (d, R, more, event, t)
fall(0.02, 0.002, [], 2e-6) # Kepler's orbit in all steps
fall(0.02, 0.0002, [], 2e-6)
fall(0.02, 0.002, [[[0.006, 0.04, 0]]], 2e-6) # a cluster of three
fall(0.05, 0.002, [], 2e-4) # begins farther apart than the inner end of the changeover
P
    refused 1 "two stars touch at a distance above" nbsim -q --until 1 --softening 0 --integrator p3t --merge-radius 0.3 fall.nbs -o o.nbs
}

@test "p3t: a cluster's first mergers are those of hermite4-groups, with any number of threads, killed and resumed too" {
    make_cold 200
    nbedit -q --set 'radius=radius/4' cold.nbs -o small.nbs
    options="--softening 0 --until 0.6 --every 0.1 --merge-radius column --escape-radius 2 --binary-events --max-de inf"
    # shellcheck disable=SC2086
    nbsim -q small.nbs --until 0.25 --softening 0 --merge-radius column --integrator hermite4-groups -o groups.nbs
    for threads in 1 2; do
        # shellcheck disable=SC2086
        nbsim -q small.nbs $options --integrator p3t --threads $threads --events $threads.tsv -o $threads.nbs
    done
    cmp 1.nbs 2.nbs
    cmp 1.tsv 2.tsv
    events groups.nbs id other time >groups
    [ "$(wc -l <groups)" -ge 8 ]
    paste -d' ' groups <(events 1.nbs event id other time | sed -n 's/^merge //p' | head -n "$(wc -l <groups)") |
        awk '{ d = $3 - $6; if ($1 != $4 || $2 != $5 || d > 5e-4 || d < -5e-4) exit 1 }'
    # a checkpoint between two mergers
    # shellcheck disable=SC2086
    nbsim $options -q small.nbs --integrator p3t --threads 2 --checkpoint ck --checkpoint-every 0 --events two.tsv -o two.nbs &
    pid=$!
    await $pid test -s ck.0
    await $pid grep -q merge two.tsv.part && kill -KILL $pid
    wait $pid || true
    if [ -e ck.0 ]; then
        nbsim -q --resume ck
    fi
    cmp 1.nbs two.nbs
    cmp 1.tsv two.tsv
    # radii that no distance falls to change nothing
    for option in "" "--merge-radius 1e-12"; do
        # shellcheck disable=SC2086
        nbsim -q small.nbs -f --until 0.1 --softening 0 $option --integrator p3t -o points.nbs
        nbconv -q --to text points.nbs --columns pos,vel | grep -v '^#' >"points$option"
    done
    cmp points "points--merge-radius 1e-12"
}

@test "a collapse with mergers keeps mass, momentum and centre; what is booked leaves an error of rounding" {
    make_cold
    # shellcheck disable=SC2086
    nbsim -q cold.nbs $merging --integrator ias15 -o out.nbs
    nbstat -q --max-de 1e-11 --max-dp 1e-14 --max-dl 1e-13 out.nbs >/dev/null
    run -3 nbstat -q --max-de 1e-3 <(nbedit -q --boost 0,0,1e-9 out.nbs) # without the booked energy
    [ "$(nbstat -q --columns n out.nbs | sed -n '2p;$p' | paste -sd' ')" != "40 40" ]
    [ "$(nbstat -q --columns n out.nbs | sed 1d | sort -nr | paste -sd' ')" = "$(nbstat -q --columns n out.nbs | sed 1d | paste -sd' ')" ]
    # as many events as bodies are missing; the heavier star keeps its id
    events out.nbs mass other_mass | awk '{ n++; if ($1 < $2) exit 1 } END { print n }' >merged
    [ $((40 - $(cat merged))) = "$(nbstat -q --columns n out.nbs | tail -n 1)" ]
    # components stay with ids, volumes add
    nbconv --to csv --columns id,component,mass,radius cold.nbs >first.csv
    nbconv --to csv --columns id,component,mass,radius out.nbs >last.csv
    events out.nbs id other >pairs
    awk -F'[, ]' 'FILENAME == "first.csv" && FNR > 1 { part[$1] = $2; mass[$1] = $3; volume[$1] = $4 ^ 3 }
        FILENAME == "pairs" { mass[$1] += mass[$2]; volume[$1] += volume[$2] }
        function off(a, b) { return a > b * (1 + 1e-12) || a < b * (1 - 1e-12) }
        FILENAME == "last.csv" && FNR > 1 { n++; if (part[$1] != $2 || off($3, mass[$1]) || off($4 ^ 3, volume[$1])) exit 1 }
        END { exit n == 0 }' first.csv pairs last.csv
}

@test "with steps of each body's own the first mergers are those of ias15, and the error is small" {
    make_cold
    # shellcheck disable=SC2086
    for scheme in ias15 hermite4-block hermite4-groups; do
        nbsim -q cold.nbs $merging --integrator $scheme --tolerance 1e-9 -o $scheme.nbs
        events $scheme.nbs id other time | head -n 6 >$scheme
    done
    [ -s ias15 ]
    for scheme in hermite4-block hermite4-groups; do
        nbstat -q --max-de 1e-7 $scheme.nbs >/dev/null
        paste -d' ' ias15 $scheme | awk '{ d = $3 - $6; if ($1 != $4 || $2 != $5 || d > 1e-7 || d < -1e-7) exit 1 }'
    done
    nbsim -q cold.nbs --until 0.8 --softening 0.01 --merge-radius column --integrator leapfrog-block --eta 0.02 -o own.nbs
    nbsim -q cold.nbs --until 0.8 --softening 0.01 --merge-radius column --integrator ias15 -o all.nbs
    paste -d' ' <(events own.nbs id other | head -n 3) <(events all.nbs id other | head -n 3) | awk '{ n++; if ($1 != $3 || $2 != $4) exit 1 } END { exit n != 3 }'
}

@test "a star that is free leaves where it passes the radius, one that is bound does not, and energies hold" {
    python - <<'P'
from nbs_writer import frame, write
# two stars on a circle; a fast and a slow one far away: free, and bound; of a light cluster in a field
mass, pos = [0.5, 0.5, 0.01, 0.01], [[-0.05, 0, 0], [0.05, 0, 0], [0, 2, 0], [0, -3, 0]]
vel = [[0, -(2.5 ** 0.5), 0], [0, 2.5 ** 0.5, 0], [0, 1.5, 0], [0, -0.7, 0]]
write("four.nbs", frame(mass, pos, vel))
P
    nbsim -q four.nbs --until 3 --every 0.5 --softening 0 --escape-radius 4 --events events.tsv -o out.nbs
    [ "$(nbstat -q --columns n out.nbs | sed 1d | paste -sd' ')" = "4 4 4 3 3 3 3" ]
    nbstat -q --max-de 1e-11 --max-dp 1e-13 --max-dl 1e-12 out.nbs >/dev/null
    # energy of the fall from 2 to 4 in the field of mass 1 and the other star
    python - <<'P'
import math
names, line = (row.rstrip("\n").lstrip("# ").split("\t") for row in open("events.tsv"))
e = dict(zip(names, line))
assert e["event"] == "escape" and e["id"] == "2" and e["other"] == "nan" and float(e["mass"]) == 0.01
x, v = [float(e[k]) for k in "x y z".split()], [float(e[k]) for k in "vx vy vz".split()]
energy = 0.01 * (1.5 ** 2 / 2 - 1 / math.hypot(2, 0.05) - 0.01 / 5)
assert 3.95 < math.hypot(*x) < 4.1, x # within a step of 4 from the others
assert abs(float(e["energy"]) - energy) < 5e-5, (e["energy"], energy) # the binary is no point, the other star moves
P
    nbsim -q four.nbs --until 6 --softening 0 --escape-radius 0.01 -o bound.nbs # beyond the radius, and all but one bound
    [ "$(events bound.nbs id)" = 2 ]
}

@test "in an external field stars leave their cluster, and the field's energy is booked" {
    make_cold
    nbsim -q cold.nbs --until 1.5 --every 0.1 --softening 0.02 --merge-radius 0.02 --escape-radius 1.5 --force auto --force external:point,mass=0.5,x=3 -o out.nbs
    [ "$(events out.nbs event | sort -u | paste -sd' ')" = "escape merge" ] || [ "$(events out.nbs event | sort -u)" = merge ]
    nbstat -q --max-de 1e-11 out.nbs >/dev/null
}

@test "binaries: three stars of which two stay together, and a heavier star that takes the place of one" {
    python - <<'P'
import numpy as np, subprocess
import nbs_reader
from nbs_writer import frame, write
def sim(inputs, until, output):
    subprocess.run(f"nbsim -q -f {inputs} --until {until} --every 1 --softening 0 --binary-events --max-de inf -o {output} --events {output}.tsv".split(), check=True)
    lines = [line.split("\t") for line in open(output + ".tsv").read().splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]
def binding(output, k, ids): # of two stars of frame k: the energy, and place and velocity of their centre of mass
    star = nbs_reader.read(open(output, "rb"))[k]
    i, j = (list(star["id"]).index(n) for n in ids)
    m, x, v = star["mass"], star["pos"], star["vel"]
    w = m[i] * m[j] / (m[i] + m[j])
    energy = m[i] * m[j] / np.linalg.norm(x[i] - x[j]) - w * np.sum((v[i] - v[j]) ** 2) / 2
    return energy, [(m[i] * u[i] + m[j] * u[j]) / (m[i] + m[j]) for u in (x, v)]
# a fast star takes a binary apart; backwards, three single stars meet, of which two become the binary
y = np.random.default_rng(1).normal(size=(6, 3)) # others, far away: the mean star is slow
y *= 1e4 / np.linalg.norm(y, axis=1)[:, None]
x, v = [[-0.5, 0, 0], [0.5, 0, 0], [0.7, 12, 0]], [[0, -0.5, 0], [0, 0.5, 0], [0, -1.5, 0]]
write("in.nbs", frame([0.5, 0.5, 1] + 6 * [1e-9], np.vstack([x, y]), np.vstack([v, 0 * y]), id=np.arange(10, 19, dtype="u8")))
apart, = sim("in.nbs", 24, "apart.nbs")
end = nbs_reader.read(open("apart.nbs", "rb"))[-1]
write("in.nbs", frame(end["mass"], end["pos"], -end["vel"], id=end["id"]))
together, = sim("in.nbs", 24, "together.nbs")
assert apart["# event"] == "dissolve" and together["# event"] == "form", (apart, together)
for event in apart, together:
    assert {event["id"], event["other"]} == {"10", "11"} and event["mass"] == event["other_mass"] == "0.5" and event["former"] == "nan"
assert float(apart["time"]) == 25 - float(together["time"]) # the first frame without, the first frame with it
before = binding("apart.nbs", int(apart["time"][:2]) - 1, (10, 11))[0]
assert abs(float(apart["energy"]) - before) < 1e-12 and abs(float(together["energy"]) - before) < 1e-6, (apart, together, before)
# a slow heavy star
x, v = [[-0.5, 0, 0], [0.5, 0, 0], [1.5, 8, 0]], [[0, -0.5, 0], [0, 0.5, 0], [0, -0.8, 0]]
write("in.nbs", frame([0.5, 0.5, 3], x, v, id=np.arange(10, 13, dtype="u8")))
event, = sim("in.nbs", 12, "other.nbs")
names = [event[k] for k in ("# event", "id", "other", "former", "mass", "other_mass")]
assert names == ["exchange", "10", "12", "11", "0.5", "3"], event
energy, (x, v) = binding("other.nbs", int(float(event["time"])), (10, 12))
assert abs(float(event["energy"]) - energy) < 1e-12
assert np.allclose([float(event[k]) for k in ("x", "y", "z", "vx", "vy", "vz")], [*x, *v], atol=1e-12)
P
    [ "$(events other.nbs event id other former)" = "exchange 10 12 11" ]
    nbedit -q --set dust=1 other.nbs -o changed.nbs
    [ "$(events changed.nbs event id other former)" = "exchange 10 12 11" ]
    nbsim -q other.nbs --frame 0 --until 1 --softening 0 --merge-radius 0.6 --binary-events -o merged.nbs # two merge at once
    [ "$(events merged.nbs event | paste -sd,)" = merge,form ] # the binary has not dissolved, nor exchanged a star
    refused 2 "form no binaries" nbsim --until 1 --binary-events --force external:point,mass=1 in.nbs -o o.nbs
}

@test "a run that is killed and resumed has the bytes of one run, its events too" {
    make_cold
    options="-q $merging --escape-radius 2 --binary-events --integrator ias15 --tolerance 1e-12"
    # shellcheck disable=SC2086
    nbsim $options cold.nbs --events one.tsv -o one.nbs
    # shellcheck disable=SC2086
    nbsim $options cold.nbs --checkpoint ck --checkpoint-every 0 --events two.tsv -o two.nbs &
    pid=$!
    await $pid test -s ck.0
    await $pid grep -q merge two.tsv.part && kill -KILL $pid
    wait $pid || true
    if [ -e ck.0 ]; then
        nbsim -q --resume ck
    fi
    cmp one.nbs two.nbs
    cmp one.tsv two.tsv
    [ "$(sed 1d one.tsv | cut -f 1-4)" = "$(events one.nbs event time id other | tr ' ' '\t')" ]
}

@test "--append goes on with fewer bodies, bit for bit, and errors are against the file's first frame" {
    make_cold
    options="-q --integrator leapfrog --dt 0.001 --every 0.2 --softening 0.02 --merge-radius 0.01 --max-de inf"
    # shellcheck disable=SC2086
    nbsim $options --until 1.2 cold.nbs -o one.nbs
    # shellcheck disable=SC2086
    nbsim $options --until 0.8 cold.nbs -o two.nbs
    # shellcheck disable=SC2086
    nbsim $options --until 1.2 --append two.nbs -o two.nbs
    [ "$(nbstat -q one.nbs | cut -f 2-)" = "$(nbstat -q two.nbs | cut -f 2-)" ]
    [ "$(events one.nbs time id other energy)" = "$(events two.nbs time id other energy)" ]
    [ "$(nbstat -q --columns n two.nbs | tail -n 1)" -lt 40 ]
}

@test "all tools pass on frames of fewer and fewer bodies, with their events" {
    make_cold
    # shellcheck disable=SC2086
    nbsim -q cold.nbs $merging --integrator ias15 --write phi -o out.nbs
    all() { nbstat -q --columns frame,n,mass "$1"; events "$1" event time id other mass energy; }
    all out.nbs >all
    for change in "--sort mass" "--columns id" "--set dust=1"; do
        # shellcheck disable=SC2086
        nbedit -q $change out.nbs -o changed.nbs -f
        diff all <(all changed.nbs)
        nbstat -q --max-de 1e-11 changed.nbs >/dev/null
    done
    nbedit -q --rotate x:30,z:50 --shift 1,2,3 --resize length=2,mass=3 --time 5 out.nbs -o changed.nbs -f # places and energies change alike
    nbstat -q --max-de 1e-11 --max-dp 1e-13 --max-dl 1e-12 changed.nbs >/dev/null
    [ "$(events changed.nbs id other)" = "$(events out.nbs id other)" ]
    run -0 --separate-stderr nbedit --select 'mass > 0.02' out.nbs -o changed.nbs -f
    [[ "$stderr" == *"removed: the header's sums of merged and escaped stars"* ]]
    [ "$(events changed.nbs id other)" = "$(events out.nbs id other)" ] # which are true of others too; sums are not
    ! nbstat --info changed.nbs | grep -q booked
    nbconv -q --to text --frame 0:8 out.nbs -o out.txt
    nbconv -q --from text out.txt -o changed.nbs -f
    diff all <(all changed.nbs)
    nbrender -q out.nbs --size 64x48 --interpolate 2 --trails 1 --overlay energy,n,dp,dl -o p%03d.png
    [ "$(ls p*.png | wc -l)" = 17 ]
    nbrender -q out.nbs --size 64x48 --style light --shutter 0.5 --color id -o q%03d.png
    [ "$(ls q*.png | wc -l)" = 9 ]
    nbsim -q out.nbs --until 1.7 -o on.nbs # events are not those of the next run's first frame
    [ "$(nbstat --events on.nbs | cut -f 1-4)" = $'# file\tframe\tevent\tcount' ]
}

@test "lines of events that are none are refused with a line" {
    python - <<'P'
from nbs_writer import frame, write
def make(name, **lines):
    write(name + ".nbs", frame([1, 1], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 1, 0]], **lines))
make("event", event="merge 1 2")
make("booked", booked="1 2 3")
make("unknown", event="nova 1 2")
make("twice", booked=["1 0 0 0 0 0 0 0 0 0"] * 2)
make("good", event=["merges 7 0.5", "escapes 2 -1"], booked="7 2 0.1 -0.5 0 0 0 0 0 0")
P
    for tool in "nbsim --until 1 -o o.nbs" "nbstat --events"; do
        # shellcheck disable=SC2086
        refused 1 "the header line 'event merge 1 2' does not have the numbers of merge" $tool event.nbs
    done
    refused 1 "the header line 'event nova 1 2' has no known kind of event" nbsim --until 1 -o o.nbs unknown.nbs
    refused 1 "the header line 'booked 1 2 3' does not have the numbers of booked" nbsim --until 1 -o o.nbs booked.nbs
    refused 1 "two lines 'booked'" nbsim --until 1 -o o.nbs twice.nbs
    run -1 --separate-stderr nbstat booked.nbs
    [[ "$stderr" == *"booked.nbs: frame 0: the header line 'booked 1 2 3'"* ]]
    [ "$(events good.nbs event count energy id | paste -sd,)" = "merges 7 0.5 nan,escapes 2 -1 nan" ]
    [ ! -e o.nbs ]
}

@test "what cannot merge is refused" {
    nbgen plummer -q -n 10 -o in.nbs
    refused 1 "has no column 'radius'" nbsim --until 1 --merge-radius column in.nbs -o o.nbs
    refused 2 "--merge-radius 0: " nbsim --until 1 --merge-radius 0 in.nbs -o o.nbs
    refused 2 "--events needs" nbsim --until 1 --events e.tsv in.nbs -o o.nbs
    refused 2 "must not be the output stream" nbsim --until 1 --merge-radius 1e-3 --events o.nbs in.nbs -o o.nbs
    nbgen granular -q -n 100 -o disks.nbs
    refused 2 "colliding disks" nbsim --until 1e-3 --merge-radius 1e-3 disks.nbs -o o.nbs
}
