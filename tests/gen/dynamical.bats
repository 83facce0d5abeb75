#!/usr/bin/env bats
# The dynamical time in headers: the value from nbgen compared with closed forms, and its way through the other tools.
bats_require_minimum_version 1.5.0
load ../common/common

# dynamical FILE: what its header says; nothing where that has none
dynamical() {
    grep -a '^dynamical_time ' "$1" | cut -d' ' -f2 | sort -u
}

# check TOLERANCE FORMULA MODEL...: the relative difference to a formula in Python
check() {
    nbgen "${@:3}" -q -f -o model.nbs
    python -c '
import sys
from math import *
found, wanted = float(sys.argv[1]), eval(sys.argv[3])
assert abs(found / wanted - 1) <= float(sys.argv[2]), (sys.argv[4:], found, wanted)' "$(dynamical model.nbs)" "$@"
}

@test "spheres: 2 pi sqrt(r_h^3 / (G M)), by closed forms of the half-mass radius" {
    check 1e-12 '2*pi*(3*pi/16/sqrt(2**(2/3) - 1))**1.5' plummer -n 10 --truncation inf
    check 1e-9 '2*pi*(1 + sqrt(2))**1.5' hernquist -n 10 --truncation inf
    check 1e-9 '2*pi' jaffe -n 10 --truncation inf
    check 1e-9 '2*pi*(0.5**(1/3) / (1 - 0.5**(1/3)))**1.5' dehnen -n 10 --gamma 0 --truncation inf
    check 1e-12 '2*pi*sqrt(0.5)' uniform -n 10
    check 1e-12 '2*pi*sqrt(3/pi)' uniform -n 10 --shape cube
    check 1e-9 '2*pi*sqrt(27/4)' jaffe -n 10 --truncation inf --mass 4 --radius 3
    check 1e-9 '2*pi*sqrt(27/4/43009.1727)' jaffe -n 10 --truncation inf --mass 4 --radius 3 --units galactic
}

@test "spheres with a cut: the median radius of many bodies" {
    for model in "plummer --truncation 5" "plummer --truncation 30 --anisotropy-radius 2" nfw hernquist "king --w0 7"; do
        case $model in king*) nbgen king -q -n 1 >/dev/null 2>&1 || continue ;; esac
        # shellcheck disable=SC2086
        nbgen $model -q -n 40000 -f -o model.nbs
        python - model.nbs <<'P'
import sys
import numpy as np
import nbs_reader
f, = nbs_reader.read(open(sys.argv[1], "rb"))
r = np.linalg.norm(f["pos"], axis=1)
order = np.argsort(r)
half = r[order][np.searchsorted(np.cumsum(f["mass"][order]), 0.5 * f["mass"].sum())]
wanted = 2 * np.pi * np.sqrt(half**3 / f["mass"].sum())
assert abs(float(f["dynamical_time"]) / wanted - 1) < 0.04, (f["dynamical_time"], wanted)
P
    done
}

@test "disks: a turn at 2.2 scale lengths or at the edge; of two that of the heavier; few bodies: their period" {
    # The stars and the softening change the pull of a central body by less than the tolerance.
    check 0.01 '2*pi*0.55**1.5' disk -n 100 --central-mass 0.99
    check 0.01 '2*pi*0.22**1.5' disk -n 100 --central-mass 0.99 --scale 0.1
    check 0.01 '2*pi' disk -n 100 --central-mass 0.99 --scale 0.6
    check 0.01 '2*pi' disk -n 100 --central-mass 0.99 --profile power
    check 0.01 '2*pi*0.55**1.5' collision -n 100 --central-mass 0.99 --mass-ratio 0.5
    check 0.01 '2*pi*0.55**1.5 * 2**0.25' collision -n 100 --central-mass 0.99 --mass-ratio 2 # radius sqrt(2)
    check 1e-12 '2*pi*sqrt(50**3/1000)' twin -n 100
    check 1e-12 '2*pi*sqrt(8/3)' kepler --semi-major 2 --mass 3 --mass-ratio 0.1 -e 0.9
    check 1e-12 '6.32591398292621' figure8
    check 1e-12 '2*pi*sqrt(8/6)' lagrange --masses 1,2,3 --side 2
    for model in pythagorean solar windtunnel spheres; do
        [ -z "$(nbgen $model -q | grep -a '^dynamical_time')" ]
    done
}

@test "a disk: stars at 2.2 scale lengths go around in that time" {
    nbgen disk -n 20000 --thickness 0.01 --toomre 0.2 -q -o disk.nbs
    python - <<'P'
import numpy as np
import nbs_reader
f, = nbs_reader.read(open("disk.nbs", "rb"))
pos, vel = f["pos"][1:], f["vel"][1:]
R = np.hypot(pos[:, 0], pos[:, 1])
near = abs(R - 0.55) < 0.02
turn = 2 * np.pi * R[near] ** 2 / (pos[:, 0] * vel[:, 1] - pos[:, 1] * vel[:, 0])[near]
assert near.sum() > 500 and abs(np.mean(turn) / float(f["dynamical_time"]) - 1) < 0.02, (np.mean(turn), f["dynamical_time"])
P
}

@test "galaxies: a turn at 2.2 scale lengths, where the speed is 1 in code units; of pairs the heavier's" {
    gsl
    check 1e-3 '2*pi*2.2' galaxy -n 1000 --softening 0.01
    check 1e-3 '2*pi*2.2*sqrt(27/4)' encounter -n 1000 --softening 0.03 --mass 4 --radius 3
    check 1e-3 '2*pi*2.2' satellite -n 1000 --softening 0.01
}

@test "merge and nbedit --stack: that of the heavier input, and none if that has none" {
    nbgen plummer -n 20 -q -o a.nbs
    nbgen hernquist -n 20 --mass 3 -q -o b.nbs
    nbconv -q --to text --columns mass,pos,vel b.nbs | grep -v dynamical_time | nbconv -q --from text -o none.nbs
    a=$(dynamical a.nbs) b=$(dynamical b.nbs)
    [ -n "$a" ]
    [ -n "$b" ]
    [ "$a" != "$b" ]
    for order in "a.nbs b.nbs" "b.nbs a.nbs"; do
        # shellcheck disable=SC2086
        nbgen merge -q $order --preset antennae -f -o m.nbs
        # shellcheck disable=SC2086
        nbedit -q --stack $order -f -o s.nbs
        [ "$(dynamical m.nbs)" = "$b" ]
        [ "$(dynamical s.nbs)" = "$b" ]
    done
    [ -z "$(dynamical none.nbs)" ]
    nbgen merge -q a.nbs none.nbs --preset antennae -o m0.nbs
    nbedit -q --stack a.nbs none.nbs -o s0.nbs
    [ -z "$(dynamical m0.nbs)$(dynamical s0.nbs)" ]
}

@test "runs, checkpoints, edits, texts and Python keep it" {
    nbgen plummer -n 50 --units solar -q -o a.nbs
    a=$(dynamical a.nbs)
    nbsim -q --device cpu --until 0.2dyn --every 0.1dyn a.nbs -o run.nbs
    [ "$(dynamical run.nbs)" = "$a" ]
    nbstat --info run.nbs | grep -qx "  dynamical_time $a"
    nbstat --info --json run.nbs | grep -q "\"dynamical_time\": $a,"
    nbstat --json --columns time --params dynamical_time run.nbs | tail -n 1 | grep -q "$a"
    nbedit -q --select 'id < 20' --shift 1,0,0 --rotate z:30 --set 'vel.x = 2 * vx' run.nbs -o e.nbs
    [ "$(dynamical e.nbs)" = "$a" ]
    nbconv -q --to text run.nbs | nbconv -q --from text -o t.nbs
    [ "$(dynamical t.nbs)" = "$a" ]
    nbconv -q --to si a.nbs | sed -n 's/^# dynamical_time //p' >si
    python -c "assert abs(float(open('si').read()) / $a / (365.25 * 86400) - 1) < 1e-12"
    nbedit -q --resize length=4,mass=2 run.nbs -o large.nbs
    nbedit -q --resize length=4,mass=2,velocity=0.1 run.nbs -o cold.nbs # gravity is the same whatever the velocities
    for name in large cold; do python -c "assert abs($(dynamical $name.nbs) / $a - 32**0.5) < 1e-12"; done
    run -0 --separate-stderr nbedit --set 'mass = 2 * mass' run.nbs -o m.nbs
    [[ "$stderr" == *"dynamical time $(printf %.6g "$a") is removed"* ]]
    [ -z "$(dynamical m.nbs)" ]
    PYTHONPATH=$root/python "$(find_python numpy,xxhash)" - "$a" <<'P'
import sys
import nbstream
frame = list(nbstream.frames("run.nbs"))[-1]
assert frame.header.dynamical_time == float(sys.argv[1])
nbstream.write("py.nbs", [frame])
nbstream.write("days.nbs", [frame.to_units("gauss")])
P
    [ "$(dynamical py.nbs)" = "$a" ]
    python -c "assert abs($(dynamical days.nbs) / $a - 6.2831853) < 1e-3" # a year of 365.25 days is nearly 2 pi
}

@test "a run that is cut and resumed keeps it, and its end" {
    cut_off KILL ck.0 run.nbs nbsim -q --device cpu --dt 0.0003dyn --until 0.3dyn --every 0.1dyn --checkpoint ck --checkpoint-every 0
    nbsim -q --device cpu --resume ck
    nbsim -q --device cpu --dt 0.0003dyn --until 0.3dyn --every 0.1dyn in.nbs -o whole.nbs
    cmp run.nbs whole.nbs
    [ "$(dynamical run.nbs)" = "$(dynamical in.nbs)" ]
}
