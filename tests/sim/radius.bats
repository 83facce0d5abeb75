#!/usr/bin/env bats
# Disks with individual radii in nbsim and the tools after it: accepted radii, energy, bitwise identical results,
# resumed runs, and rejected input. Unit tests of the forces: tests/engine/test_contact_radius.c.
bats_require_minimum_version 1.5.0
load ../common/common


disks() {
    python "$root/tests/common/disks.py" "$@"
}

@test "auto takes the column where its radii differ and says so; contact takes the header's, with a warning" {
    disks gas 300 g.nbs least=0.3
    run -0 --separate-stderr nbsim --until 0.02 --every 0.01 g.nbs -o auto.nbs
    [[ "${stderr_lines[0]}" == "nbsim: 300 bodies, contact-grid force (radii of the column) in "* && "$stderr" != *warning* ]]
    run -0 --separate-stderr nbsim -q --force contact:radius=column --until 0.02 --every 0.01 g.nbs -o column.nbs
    [ "$stderr" = "" ]
    run -0 --separate-stderr nbsim -q --force contact --until 0.02 --every 0.01 g.nbs -o header.nbs
    [[ "$stderr" == "nbsim: warning: the column 'radius' differs from the radius in the header, which is used for all disks ("* ]]
    [ "${#stderr_lines[@]}" = 1 ]
    nbsim -q --force contact-bvh:radius=column --until 0.02 --every 0.01 g.nbs -o bvh.nbs
    python - <<'P'
import numpy as np
from nbs_reader import read
start, = read(open("g.nbs", "rb"))
auto, column, header, bvh = (read(open(name + ".nbs", "rb")) for name in ("auto", "column", "header", "bvh"))
for a, c, h, b in zip(auto, column, header, bvh):
    assert (a["pos"] == c["pos"]).all() and (a["vel"] == b["vel"]).all()
    for f in a, c, h:
        assert f["radius"].dtype == np.float32 and (f["radius"] == start["radius"]).all()
assert (auto[-1]["vel"] != header[-1]["vel"]).any(1).sum() > 30
P
}

@test "a column of the header's radius changes nothing and draws no word" {
    disks gas 100 bare.nbs
    python - <<'P'
import numpy as np
from nbs_reader import read
from nbs_writer import frame, write
f, = read(open("bare.nbs", "rb"))
same = np.full(100, float(f["contact"][0].split()[2]), "f4")
write("same.nbs", frame(f["mass"], f["pos"], f["vel"], G=0, contact=f["contact"], wall=f["wall"], radius=same))
P
    run -0 --separate-stderr nbsim --until 0.05 same.nbs -o a.nbs
    [[ "${stderr_lines[0]}" == "nbsim: 100 bodies, contact-grid force in "* && "$stderr" != *warning* ]]
    nbsim -q --until 0.05 bare.nbs -o b.nbs
    python -c "
from nbs_reader import read
a, b = (read(open(name, 'rb'))[-1] for name in ('a.nbs', 'b.nbs'))
assert (a['pos'] == b['pos']).all() and (a['vel'] == b['vel']).all()"
}

@test "a closed box of unequal disks keeps its energy, by phi of the stream, by nbstat's own sum and by all pairs" {
    disks gas 300 g.nbs least=0.3
    nbsim -q --precision double --until 0.3 --every 0.03 --write phi,pressure g.nbs -o o.nbs
    nbstat --max-de 1e-3 --columns energy,potential o.nbs >column.tsv
    python - <<'P'
import numpy as np
from nbs_reader import read
from nbs_writer import frame, write
rows = np.array([[float(w) for w in line.split("\t")] for line in open("column.tsv") if line[0] != "#"])
frames = read(open("o.nbs", "rb"))
k, c, r = map(float, frames[0]["contact"][0].split())
for f, (energy, potential) in zip(frames, rows):
    x, m, v, r = f["pos"][:, :2], f["mass"], f["vel"], f["radius"].astype(float)
    d = np.sqrt(((x[:, None] - x) ** 2).sum(2)) + 9 * np.eye(len(x))
    overlap = np.maximum(r[:, None] + r - d, 0)
    wall = np.maximum(r[:, None] - np.hstack([x, 1 - x]), 0) # each of the four acts by itself
    springs = k / 2 * (overlap**2).sum() / 2 + k / 2 * (wall**2).sum()
    assert abs(potential - springs) < 1e-12 * energy, (f["time"], potential, springs)
    assert abs(energy - springs - (m * (v * v).sum(1)).sum() / 2) < 1e-12 * energy
    pressure = k * (overlap.sum(1) + wall.sum(1)) / (2 * np.pi * r)
    assert np.allclose(f["pressure"], pressure, rtol=1e-9, atol=1e-9 * k)
assert rows[:, 1].max() > 0.005 * energy and int(f["step"]) > 3000
write("bare.nbs", *(frame(f["mass"], f["pos"], f["vel"], time=f["time"], G=0, contact=f["contact"], wall=f["wall"],
                          radius=f["radius"]) for f in frames))
P
    nbstat --columns energy,potential bare.nbs | cmp - column.tsv
}

@test "equal bytes for any number of threads; runs in two parts and from a checkpoint have the bits of one" {
    for kind in flow gas; do
        disks $kind 1500 in.nbs least=0.3
        for threads in 1 3; do
            nbsim -q --threads $threads --until 0.02 --every 0.01 --write acc,pressure,phi in.nbs -o $threads.nbs -f
        done
        cmp 1.nbs 3.nbs
        disks $kind 200 in.nbs least=0.3
        nbsim -q --until 0.6 --every 0.1 in.nbs -f -o one.nbs
        nbsim -q --until 0.3 --every 0.1 in.nbs -f -o a.nbs
        nbsim -q --until 0.6 --every 0.1 a.nbs -f -o b.nbs
        python - <<'P'
from nbs_reader import read
one, a, b = (read(open(name + ".nbs", "rb")) for name in ("one", "a", "b"))
for whole, part in zip(one, a + b[1:], strict=True):
    for name in "time", "step", "dt", "wall_force":
        assert whole[name] == part[name], (name, whole[name], part[name])
    for name in "pos", "vel", "radius":
        assert (whole[name] == part[name]).all()
P
    done
}

@test "a run that is killed goes on with the radii that it had" {
    local pid bodies
    for bodies in 300 1000 3000; do
        rm -f ck.* cut.nbs*
        disks gas $bodies in.nbs least=0.3
        nbsim -q --until 0.3 --every 0.05 --checkpoint ck --checkpoint-every 0 in.nbs -o cut.nbs &
        pid=$!
        await $pid test -s ck.0 && { kill -KILL $pid || true; } # it may have ended meanwhile
        wait $pid || true
        [ ! -e cut.nbs.part ] || break
    done
    [ -e cut.nbs.part ]
    nbsim -q --resume ck
    nbsim -q --until 0.3 --every 0.05 in.nbs -o whole.nbs
    cmp whole.nbs cut.nbs
}

@test "a disk that is far larger than the others passes the inlet: its velocity is a number" {
    disks flow 800 small.nbs least=0.5
    python - <<'P'
import numpy as np
from nbs_reader import read
from nbs_writer import frame, write
f, = read(open("small.nbs", "rb"))
k, c, r = map(float, f["contact"][0].split())
large = (2 * f["mass"][0] / np.pi) ** 0.5 # at the flow's density such disks alone would take twice the area
i = np.argmin(np.hypot(f["pos"][:, 0] - 0.36, f["pos"][:, 1])) # behind the nozzle
radius = f["radius"].astype(float)
radius[i] = large
near = np.hypot(*(f["pos"][:, :2] - f["pos"][i, :2]).T) < large + radius # and nobody lies in it
keep = ~near
keep[i] = True
write("large.nbs", frame(f["mass"][keep], f["pos"][keep], f["vel"][keep], G=0, radius=radius[keep], box=f["box"],
                         contact=[f"{k} {c} {large}"], periodic=f["periodic"], flow=f["flow"], wall=f["wall"]))
P
    nbsim -q --until 0.05 --every 0.05 large.nbs -o o.nbs
    nbstat --check o.nbs
}

@test "radii that are none, or beyond the header's, are one line that names the disk" {
    disks gas 50 g.nbs
    run -1 --separate-stderr nbsim --until 1 --force contact:radius=column g.nbs -o no.nbs
    [ "$stderr" = "nbsim: no column 'radius', which contact:radius=column needs" ]
    python - <<'P'
import numpy as np
from nbs_reader import read
from nbs_writer import frame, write
f, = read(open("g.nbs", "rb"))
r = float(f["contact"][0].split()[2])
for name, value in ("zero", 0), ("negative", -r), ("nan", np.nan), ("inf", np.inf), ("large", 1.01 * r):
    radius = np.full(50, r)
    radius[7] = value
    write(name + ".nbs", frame(f["mass"], f["pos"], f["vel"], G=0, contact=f["contact"], wall=f["wall"], radius=radius))
P
    for name in zero negative nan inf large; do
        run -1 --separate-stderr nbsim --until 1 $name.nbs -o no.nbs
        [[ "$stderr" == "nbsim: disk 7: radius "* && "${#stderr_lines[@]}" = 1 && ! -e no.nbs ]]
        run -1 --separate-stderr nbstat --potential auto $name.nbs
        [[ "$stderr" == "nbstat: "*"disk 7: radius "* ]]
    done
    run -2 --separate-stderr nbsim --until 1 --force contact:radius=own g.nbs -o no.nbs
    [[ "${stderr_lines[0]}" == *"radius"*"header, column"* ]]
}

@test "on a GPU too: equal bytes from run to run, of steps recorded or not, and the energy of the CPU" {
    nbsim --list-forces | grep -q '^contact-grid	cuda' || skip "nbsim was built without contact on CUDA"
    gpu || skip "no GPU"
    for kind in flow gas; do
        disks $kind 3000 in.nbs least=0.3
        nbsim -q --device cuda --until 0.1 --every 0.05 in.nbs -f -o recorded.nbs
        nbsim -q --device cuda --timings --until 0.1 --every 0.05 in.nbs -f -o single.nbs # which records nothing
        cmp recorded.nbs single.nbs
    done
    for device in cpu cuda; do
        nbsim -q --device $device --precision double --until 0.02 --every 0.01 in.nbs -f -o $device.nbs
        nbstat --columns energy,potential $device.nbs | tail -n 1 >$device.tsv
    done
    python -c "
cpu, cuda = (list(map(float, open(name).read().split())) for name in ('cpu.tsv', 'cuda.tsv'))
assert abs(cpu[0] / cuda[0] - 1) < 1e-4 and abs(cpu[1] - cuda[1]) < 1e-3 * cpu[0], (cpu, cuda)"
}
