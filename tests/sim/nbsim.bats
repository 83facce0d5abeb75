#!/usr/bin/env bats
# nbsim on the command line: physics compared with analytic orbits and tests/data, times, signals, bad input.
bats_require_minimum_version 1.5.0
load ../common/common

# orbit DT UNTIL EVERY: a Kepler orbit with e = 0.5 in double, its energy errors on stdout
orbit() {
    nbgen kepler -e 0.5 | nbsim -q --device cpu --precision double --softening 0 --dt "$1" --until "$2" --every "$3" |
        nbstat --json
}

# json FIELD...: the fields of each line, through Python
json() {
    python -c '
import json, sys
for line in sys.stdin:
    d = json.loads(line)
    print(*(d[k] for k in sys.argv[1:]))' "$@"
}

@test "ten Kepler orbits: 101 frames at exact times, energy error as theory says, a quarter of it with half the step" {
    orbit 0.007853981633974483 62.83185307179586 0.6283185307179586 | json time energy_error > coarse
    orbit 0.0039269908169872415 62.83185307179586 0.6283185307179586 | json time energy_error > fine
    [ "$(wc -l < coarse)" -eq 101 ]
    python - <<'P'
import math
coarse = [tuple(map(float, l.split())) for l in open("coarse")]
for k, (t, _) in enumerate(coarse):
    assert abs(t - k * 0.6283185307179586) <= math.ulp(t), (k, t)
worst = max(abs(e) for _, e in coarse)
assert abs(worst / 1.664e-4 - 1) < 0.01, worst
half = max(abs(float(l.split()[1])) for l in open("fine"))
assert abs(worst / half / 4 - 1) < 0.01, worst / half
P
}

@test "2000 steps forward and 2000 back return to the start" {
    nbgen kepler -e 0.5 -o start.nbs
    nbsim -q --device cpu --precision double --softening 0 --dt 0.031415926535897934 --steps 2000 start.nbs |
        nbsim -q --device cpu --precision double --dt -0.031415926535897934 --steps 2000 | nbconv --to text > back
    nbconv --to text start.nbs > there
    python - <<'P'
import numpy as np
a, b = np.loadtxt("there"), np.loadtxt("back")
assert np.abs(a - b).max() < 1e-11, np.abs(a - b).max()
assert np.abs(a - b).max() > 0  # it did go somewhere
P
}

@test "time runs back to where it began, and until counts absolute time" {
    nbgen kepler -e 0.5 | nbsim -q --device cpu --until 3 --dt 0.01 | nbsim -q --device cpu --until 5 --every 1 --dt 0.01 |
        nbsim -q --device cpu --until 4 --dt -0.01 --every 0.5 | nbstat --json | json time > times
    [ "$(paste -sd' ' times)" = "5.0 4.5 4.0" ] || [ "$(paste -sd' ' times)" = "5 4.5 4" ]
    run -2 --separate-stderr bash -c 'nbgen kepler -e 0.5 | nbsim -q --until -1'
    [[ "$stderr" == *"before the input's time"* ]]
}

@test "a backward run writes the size of its step, and one that goes on backwards says so again" {
    nbgen kepler -e 0.5 | nbsim -q --device cpu --precision double --dt -0.01 --steps 10 -o once.nbs
    nbstat --info once.nbs | grep -x '  dt 0.01'
    nbsim -q --device cpu --precision double --dt -0.01 --steps 10 once.nbs | nbconv --to text >twice
    nbgen kepler -e 0.5 | nbsim -q --device cpu --precision double --dt -0.01 --steps 20 | nbconv --to text | cmp - twice
    run -2 --separate-stderr nbsim -q --until -1 once.nbs
    [[ "${stderr_lines[0]}" == "nbsim: --until -1 is before the input's time -0.1 (a negative --dt runs backwards)" ]]
}

@test "Pythagorean problem: exact initial accelerations and potential energy" {
    nbgen pythagorean | nbsim -q --device cpu --precision double --softening 0 --steps 0 --write acc,phi > one.nbs
    nbconv --to text --columns mass,acc,phi one.nbs | grep -v '^#' > acc
    python - <<'P'
import numpy as np
m, ax, ay, az, phi = np.loadtxt("acc").T
assert abs(ax[0] + 0.096) < 1e-15 and abs(ay[0] + 0.4405) < 1e-15
assert abs(ax[2] + 4 / 9) < 1e-15 and abs(ay[2] - 0.1875) < 1e-15
assert abs(0.5 * (m * phi).sum() + 769 / 60) < 2e-14
P
    [ "$(nbstat --json one.nbs | wc -l)" -eq 1 ]
}

@test "Plummer sphere: the acceleration at r = a is 1.018949632" {
    nbgen plummer -n 20000 --seed 3 | nbsim -q --softening 0 --steps 0 --write acc --precision double | nbconv --to text --columns pos,acc |
        grep -v '^#' > xa
    python - <<'P'
import numpy as np
d = np.loadtxt("xa"); x, acc = d[:, :3], d[:, 3:]
r = np.sqrt((x ** 2).sum(1)); radial = -(x * acc).sum(1) / r
near = np.abs(r / 0.589048622548 - 1) < 0.05
# The mass inside r = a varies by 1 % from sphere to sphere at this n; neighbours scatter, which the median ignores.
median = np.median(radial[near])
assert near.sum() > 500 and abs(median / 1.018949632 - 1) < 0.03, median
P
}

@test "outer solar system: the leapfrog's error after a century is the one known, and falls with h squared" {
    for h in 25 12.5 6.25; do
        nbgen outer-solar | nbsim -q --device cpu --precision double --softening 0 --dt $h --until 36525 | nbconv --to text |
            grep -v '^#' > at-$h
    done
    nbgen outer-solar | nbstat --json | json energy angular_momentum | tr -d '[],' > el
    python - <<'P'
import numpy as np
e, lx, ly, lz = map(float, open("el").read().split())
assert abs(e / -3.215453183208164e-8 - 1) < 1e-14, e
assert abs(lz / 5.594749022905049e-5 - 1) < 1e-14, lz
jupiter = np.array([4.564902564408594, 2.141272790167818, 0.805629736788183])
error = [np.abs(np.loadtxt(f"at-{h}")[1, 2:5] - jupiter) for h in ("25", "12.5", "6.25")]
size = [x.max() for x in error]
for have, known in zip(size, (8.49e-2, 2.11e-2, 5.28e-3)):
    assert abs(have / known - 1) < 0.02, size
P
}

@test "figure eight: after one period the bodies are where they were" {
    nbgen figure8 | nbsim -q --device cpu --precision double --softening 0 --dt 0.0005 --until 6.32591398292621 > f.nbs
    nbconv --to text f.nbs | grep -v '^#' > end
    nbconv --to text --frame 0 f.nbs | grep -v '^#' > begin
    python - <<'P'
import numpy as np
d = np.abs(np.loadtxt("end")[:, 2:] - np.loadtxt("begin")[:, 2:]).max()
assert d < 1e-5, d
P
}

@test "outputs: at every, at the end, with the step shortened; --steps; --frame" {
    nbgen kepler -e 0.1 -o k.nbs
    run -0 --separate-stderr nbsim --device cpu --until 1 --every 0.3 --dt 0.07 k.nbs -o out.nbs
    [[ "$stderr" == *"dt 0.07 shortened to 0.06"* ]]
    nbstat --json out.nbs | json time | python -c '
import sys
got = [float(l) for l in sys.stdin]
assert got == [0, 1 * 0.3, 2 * 0.3, 3 * 0.3, 1], got'
    [ "$(nbsim -q --device cpu --steps 7 --dt 0.01 k.nbs | nbstat --json | wc -l)" -eq 2 ]
    [ "$(nbsim -q --device cpu --steps 7 --every 0.02 --dt 0.01 k.nbs | nbstat --json | json time | tail -n 1)" = 0.07 ]
    [ "$(nbsim -q --device cpu --steps 0 k.nbs | nbstat --json | wc -l)" -eq 1 ]
    [ "$(nbsim -q --device cpu --until 0 k.nbs | nbstat --json | wc -l)" -eq 1 ]
    nbsim -q --device cpu --steps 0 --frame 2 out.nbs | nbstat --json | json time | grep -qE '^0\.6$'
    run -1 --separate-stderr nbsim -q --device cpu --steps 0 --frame 9 out.nbs
    [[ "$stderr" == *frame* ]]
}

@test "the header has the step that was used and the one that was asked for, with -q too" {
    steps() { head -n 20 "$1" | grep -a '^dt' | tr '\n' ' '; }
    nbgen kepler -o k.nbs
    run -0 --separate-stderr nbsim -q --device cpu --dt 25 --every 365.25 --until 730.5 --max-de inf k.nbs -o out.nbs
    [ "$(steps out.nbs)" = "dt 24.35 dt_asked 25 " ]
    [ "$(grep -ac '^dt_asked 25$' out.nbs)" -eq 3 ]
    # 15 steps from one output to the next
    [ "$(nbstat --info --json out.nbs | json step | tr '\n' ' ')" = "0 15 30 " ]
    [ "$(nbstat --info out.nbs | awk '$1 ~ /^dt/ { print $1, $2 }' | xargs)" = "dt 24.35 dt_asked 25" ]
    # A run that goes on in these steps was asked for 25 by its input; one in other steps was not.
    nbsim -q --device cpu --every 365.25 --until 1461 --integrator leapfrog --max-de inf out.nbs -o more.nbs
    [ "$(steps more.nbs)" = "dt 24.35 dt_asked 25 " ]
    nbsim -q --device cpu --dt 365.25 --every 365.25 --until 1461 --max-de inf out.nbs -f -o more.nbs
    [ "$(steps more.nbs)" = "dt 365.25 " ]
    nbsim -q --device cpu --dt 25 --steps 2 --max-de inf out.nbs -f -o more.nbs
    [ "$(steps more.nbs)" = "dt 25 " ]
    # Other tools keep, convert and drop it as they do dt.
    nbedit -q --resize length=4,mass=1 out.nbs -o resized.nbs
    [ "$(steps resized.nbs)" = "dt 194.8 dt_asked 200 " ]
    nbedit -q --set 'vel.x = 0' out.nbs -o set.nbs
    [ "$(steps set.nbs)" = "dt 0 " ]
    nbconv -q --to text out.nbs | nbconv -q --from text -o text.nbs
    [ "$(steps text.nbs)" = "dt 24.35 dt_asked 25 " ]
    PYTHONPATH=$root/python "$(find_python numpy,xxhash)" -c '
import nbstream
frames = list(nbstream.frames("out.nbs"))
assert [f.header.dt_asked for f in frames] == [25] * 3
nbstream.write("py.nbs", frames[:1])'
    [ "$(steps py.nbs)" = "dt 24.35 dt_asked 25 " ]
}

@test "--until, --every and --dt count dynamical times of the header, and say where it has none" {
    nbgen kepler --semi-major 2 -o k.nbs # its period is 2 pi sqrt(8)
    nbsim -q --device cpu --until 3dyn --every 0.5dyn k.nbs -o a.nbs
    nbsim -q --device cpu --until 53.314595257900393 --every 8.8857658763167322 k.nbs -o b.nbs
    nbsim -q --device cpu --until 4dyn --every 0.5dyn a.nbs -o more.nbs # 4 in all
    nbsim -q --device cpu --until=-1dyn --dt=-1e-3dyn k.nbs -o back.nbs
    python - <<'P'
import numpy as np
import nbs_reader
a, b, more, back = (nbs_reader.read(open(f"{name}.nbs", "rb")) for name in ("a", "b", "more", "back"))
period = 2 * np.pi * 8**0.5
assert len(a) == len(b) == 7 and np.allclose([f["time"] for f in a], np.arange(7) * period / 2, rtol=1e-14)
assert all(abs(f["pos"] - g["pos"]).max() < 1e-9 for f, g in zip(a, b))
assert all(abs(f["pos"] - (-1) ** k * a[0]["pos"]).max() < 1e-6 for k, f in enumerate(a)) # half an orbit apart
assert abs(more[-1]["time"] / period - 4) < 1e-14 and len(more) == 3
assert abs(back[-1]["time"] / period + 1) < 1e-14 and abs(back[-1]["dt"] * 1000 / period - 1) < 1e-14 and int(back[-1]["step"]) == 1000
P
    grep -aq 'nbsim --until=3dyn --every=0.5dyn' a.nbs
    nbgen pythagorean -o p.nbs
    for options in "--until 3dyn" "--until 3 --every 0.05dyn" "--until 3 --dt 0.1dyn"; do
        # shellcheck disable=SC2086
        refused 2 "dyn: the header of the input has no dynamical_time (nbgen(1) lists the models that have one;" nbsim $options p.nbs -o no.nbs
        [ -z "$(ls no.nbs* 2>/dev/null)" ]
    done
    for options in "--until dyn" "--until 3dyne" "--until 3dyndyn" "--until x3dyn" "--until 3 --every dyn" "--until 3 --every 0dyn" \
        "--until 3 --every=-1dyn" "--until 3 --dt 0dyn" "--until infdyn" "--until 3 --every steps:3dyn"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbsim $options k.nbs -o no.nbs
    done
}

@test "without a suggested dt the step comes from the stated formula" {
    printf '# m x y z vx vy vz\n.5 .5 0 0 0 .5 0\n.5 -.5 0 0 0 -.5 0\n' | nbconv -q --from text -o two.nbs
    run -0 --separate-stderr nbsim --device cpu --integrator leapfrog --until 1 two.nbs -o o.nbs
    # |phi| = 0.5, |a| = 0.5: 0.02 sqrt(0.5)/0.5 = 0.0283
    [[ "$stderr" == *"nbsim: dt 0.0282843, from the shortest time scale of the forces, as the input suggests no step"* ]]
}

@test "equal bytes for any number of threads; bodies keep their order; unknown columns are passed on" {
    nbgen plummer -n 1500 --seed 5 -o p.nbs
    for t in 1 2 3; do nbsim -q --device cpu --steps 3 --threads $t p.nbs -o t$t.nbs; done
    cmp t1.nbs t2.nbs
    cmp t1.nbs t3.nbs
    [ "$(nbconv --to text --columns id,component t1.nbs | md5sum)" = "$(nbconv --to text --columns id,component p.nbs | md5sum)" ]
    nbsim -q --device cpu --steps 0 --write acc,phi p.nbs | nbsim -q --device cpu --steps 1 -o later.nbs
    run -1 nbconv --to text --columns acc later.nbs
}

@test "single precision stores f32; --store overrides" {
    nbgen plummer -n 100 -o p.nbs
    nbsim -q --device cpu --precision single --steps 1 p.nbs | head -c 4096 | grep -a -q '^column pos f32 3'
    nbsim -q --device cpu --precision single --store f64 --steps 1 p.nbs | head -c 4096 | grep -a -q '^column pos f64 3'
    nbsim -q --device cpu --store f32 --steps 1 p.nbs | nbsim -q --device cpu --steps 1 | head -c 4096 |
        grep -a -q '^column pos f64 3'
}

@test "Plummer sphere in equilibrium keeps its energy in every precision" {
    nbgen plummer -n 1000 -o p.nbs
    for p in single mixed double; do
        nbsim -q --device cpu --precision $p --until 1 --dt 0.0078125 --softening 0.05 p.nbs | nbstat --max-de 1e-4 --max-dp 1e-6 > /dev/null
    done
}

@test "the header says what was used: softening, dt, step, provenance" {
    nbgen plummer -n 10 | nbsim -q --device cpu --softening 0.125 --dt 0.25 --until 1 --every 0.5 --max-de inf > o.nbs
    nbstat --info o.nbs > info
    head -c 2000 o.nbs | grep -a -q '^softening 0.125$'
    head -c 2000 o.nbs | grep -a -q '^dt 0.25$'
    head -c 2000 o.nbs | grep -a -q '^history 2 1 nbsim .* nbsim --until=1 --every=0.5 --dt=0.25 --softening=0.125 --max-de=inf$'
    grep -q 'nbgen plummer' info
}

# Alone, and beside one at the same place; a mass there, or a body at a mass, has no force.
@test "bodies of mass 0 at one place move as each would alone, in every precision and by every force" {
    printf '%s\n' '# columns mass pos vel' '1 0 0 0 0 0 0' '0 1 0 0 0 1 0' '0 0 2 0 -0.7 0 0.1' >alone.txt
    { cat alone.txt; printf '%s\n' '0 1 0 0 0 1 0' '0 1 0 0 0.3 0.8 0'; } >many.txt
    for name in alone many; do nbconv -q --from text -o $name.nbs $name.txt; done
    for options in "--precision double --integrator leapfrog --dt 0.01" "--precision mixed --dt 0.01" "--precision single --dt 0.01" \
        "--precision quad --dt 0.05" "--force tree --dt 0.01" "--integrator ias15" "--integrator hermite4-block" \
        "--integrator ahmad-cohen"; do
        for name in alone many; do
            # shellcheck disable=SC2086 # words
            nbsim -q --device cpu --until 2 $options -f -o $name.out $name.nbs 2>/dev/null
            nbconv --to text --frame last --columns pos $name.out | grep -v '^#' >$name.pos
        done
        # Of the few, to the digits: lanes are added up in another order.
        paste alone.pos <(sed -n 1,3p many.pos) | awk '{ for (k = 1; k < 4; k++) { d = $k - $(k + 3); if (d * d > 1e-24) exit 1 } }'
        [ "$(sed -n 2p many.pos)" = "$(sed -n 4p many.pos)" ]
        [ "$(sed -n 5p many.pos)" != "$(sed -n 4p many.pos)" ]
    done
    nbstat many.out >table
    run ! grep -q nan <(tail -n +2 table | cut -f 6-9)
    sed 's/^0 1 0 0 0.3/1e-30 1 0 0 0.3/' many.txt >mass.txt
    { cat many.txt; echo '0 0 0 0 0 0 0'; } >centre.txt
    for name in mass centre; do
        nbconv -q --from text -o $name.nbs $name.txt
        run -1 --separate-stderr nbsim -q --device cpu --until 1 -o /dev/null $name.nbs
        [[ "$stderr" == *"are at the same position"* ]]
    done
    run -1 --separate-stderr nbsim -q --device cpu --integrator whfast --dt 0.01 --until 1 -o none.nbs many.nbs
    [[ "$stderr" == *"bodies of mass 0 are at the same position, which whfast does not support"* ]]
}

@test "a binary that would take hours is named before the run, with its period; one that would not is not" {
    nbgen plummer -n 100 --softening 0 -q -o p.nbs
    # The second body on a circle about the first, at the distance 1e-6: a period of 2 pi sqrt(d^3 / (2 m)).
    nbconv --to text --columns mass,pos,vel p.nbs | grep -v '^#' | awk 'NR == 1 { m = $1; x = $2; y = $3; z = $4; u = $5; v = $6; w = $7 }
        NR == 2 { $2 = sprintf("%.17g", x + 1e-6); $3 = y; $4 = z; $5 = u; $6 = sprintf("%.17g", v + sqrt(2 * m / 1e-6)); $7 = w }
        { print }' | { echo '# columns mass pos vel' && cat; } | nbconv -q --from text -o hard.nbs
    run -0 --separate-stderr nbsim --device cpu --until 1e-6 -f -o /dev/null hard.nbs
    [[ "$stderr" != *"orbit each other"* ]]
    # auto would regularise it
    run -0 --separate-stderr nbsim --device cpu --until 1e-3 -f -o /dev/null hard.nbs
    [[ "$stderr" == *"nbsim: hermite4-groups"* && "$stderr" != *"orbit each other"* ]]
    nbsim --device cpu --integrator ias15 --until 100 -f -o /dev/null hard.nbs 2>said 3>&- &
    pid=$!
    await $pid grep -q '^nbsim: ias15.*frames\|orbit each other' said
    await $pid grep -q 'frames, about' said
    kill $pid
    wait $pid || true
    grep -q "bodies 0 and 1 orbit each other with period 4.44e-08, 2.3e+09 times until the end of the run: following them takes about .* days" said
}

@test "two bodies at one place: an error without softening, none with" {
    printf '# m x y z vx vy vz\n1 0 0 0 0 0 0\n1 1 0 0 0 0 0\n1 0 0 0 0 0 0\n' | nbconv -q --from text -o same.nbs
    run -1 --separate-stderr nbsim -q --softening 0 --steps 1 --dt 0.1 same.nbs -o o.nbs
    [[ "$stderr" == *"bodies 0 and 2 are at the same position"* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [ ! -e o.nbs ]
    [ ! -e o.nbs.part ]
    nbsim -q --softening 0.1 --steps 1 --dt 0.1 same.nbs -o o.nbs
}

@test "a state that overflows ends the run with exit 1 and a whole stream" {
    printf '# m x y z vx vy vz\n1 0 0 0 1e308 0 0\n1 1 0 0 0 0 0\n' | nbconv -q --from text -o fast.nbs
    run -1 --separate-stderr nbsim -q --device cpu --precision double --steps 5 --dt 10 --every 10 --max-de inf fast.nbs -o o.nbs
    [[ "$stderr" == *"no longer finite"* ]]
    nbstat -q --check o.nbs
}

@test "usage errors exit 2, with one line and a hint" {
    nbgen plummer -n 10 -o p.nbs
    for options in "" "--until 1 --steps 2" "--until x" "--until nan" "--until 1 --dt 0" "--until 1 --every 0" \
        "--until 1 --every -1" "--steps -3" "--steps 1.5" "--until 1 --force gravitons" "--until 1 --precision triple" \
        "--until 1 --softening -1" "--until 1 --write mass" "--until 1 --store u8" "--until 1 --integrator magic" \
        "--until 1 --no-such-option" "--until 1e300 --every 1e-3" "--until 1 --dt 1e-300" "--until 1 q.nbs r.nbs"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbsim -q $options p.nbs
        [ -n "$stderr" ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 2 ] || { echo "$options: $stderr"; false; }
    done
}

@test "bad input exits 1 with one line and leaves no file" {
    nbgen plummer -n 10 -o p.nbs
    head -c 700 p.nbs > cut.nbs
    echo hello > text.nbs
    : > empty.nbs
    mkdir directory
    for file in cut.nbs text.nbs empty.nbs directory missing.nbs; do
        run -1 --separate-stderr nbsim --steps 1 $file -o out.nbs
        [ "${#stderr_lines[@]}" -eq 1 ] || { echo "$file: $stderr"; false; }
        [[ "$stderr" == "nbsim: $file: "* ]] || { echo "$stderr"; false; }
        [ ! -e out.nbs ]
        [ ! -e out.nbs.part ]
    done
    run -1 --separate-stderr bash -c 'cat cut.nbs | nbsim --steps 1'
    [[ "$stderr" == "nbsim: stdin: "* ]]
    run -2 --separate-stderr nbsim -q --steps 1 --device abacus p.nbs
    [[ "$stderr" == *abacus* ]]
}

@test "NaN positions and negative masses are refused" {
    printf '# m x y z vx vy vz\n1 0 0 0 0 0 0\n-1 1 0 0 0 0 0\n' > negative.txt
    printf '# m x y z vx vy vz\n1 0 0 0 0 0 0\n1 nan 0 0 0 0 0\n' > nan.txt
    for what in negative nan; do
        run -1 --separate-stderr bash -c "set -o pipefail; nbconv -q --from text $what.txt | nbsim -q --steps 1"
        [ -n "$stderr" ]
    done
}

@test "outputs: /dev/full fails, /dev/null stays a device, a file is not overwritten without -f" {
    nbgen plummer -n 1000 -o p.nbs
    run -1 --separate-stderr bash -c 'nbsim -q --device cpu --steps 1 p.nbs > /dev/full'
    [[ "$stderr" == *"No space left"* ]]
    nbsim -q --device cpu --steps 1 p.nbs -o /dev/null
    [ -c /dev/null ]
    run -1 --separate-stderr nbsim -q --steps 1 p.nbs -o p.nbs
    [[ "$stderr" == *exists* ]]
    nbsim -q --device cpu --steps 1 p.nbs -o p.nbs -f
    [ "$(nbstat --json p.nbs | wc -l)" -eq 2 ]
    run -1 --separate-stderr nbsim -q --steps 1 p.nbs -o no/such/directory/x.nbs
    [ -n "$stderr" ]
}

@test "a terminal gets no binary stream, and a terminal as input gets a hint" {
    command -v script > /dev/null || skip "script(1) is not here"
    nbgen plummer -n 10 -o p.nbs
    run -2 script -qec "nbsim --steps 1 p.nbs" /dev/null < /dev/null
    [[ "$output" == *terminal* ]]
    run -2 script -qec "nbsim --steps 1 -o x.nbs" /dev/null < /dev/null
    [[ "$output" == *terminal* ]]
}

@test "SIGINT and SIGTERM leave a whole stream and exit 128 + signal" {
    nbgen plummer -n 500 -o p.nbs
    for signal in INT TERM; do
        # What a script runs in the background ignores SIGINT otherwise.
        env --default-signal=INT nbsim --device cpu --until 1e6 --every 1000 --dt 0.001 p.nbs -o $signal.nbs 2> $signal.err &
        pid=$!
        await $pid test -s $signal.nbs.part
        sleep 0.3
        kill -$signal $pid
        code=0
        wait $pid || code=$?
        [ $code -eq $((128 + $(kill -l $signal))) ]
        nbstat -q --check $signal.nbs
        [ "$(nbstat --json $signal.nbs | wc -l)" -eq 2 ] # the first, and the last at the moment of the signal
    done
}

@test "a reader that leaves ends nbsim quietly; a whole pipeline exits 0" {
    nbgen plummer -n 500 -o p.nbs
    run -0 --separate-stderr bash -c 'nbsim -q --device cpu --until 100 --every 0.01 --dt 0.01 p.nbs | head -c 1000 > /dev/null'
    [ -z "$stderr" ]
    run -0 bash -c 'set -o pipefail; nbgen plummer -n 100 | nbsim -q --device cpu --until 0.1 --every 0.05 | tee run.nbs | nbstat > t.tsv'
}

@test "--list-forces and --list-integrators show what is compiled in" {
    nbsim --list-forces | grep -q '^direct.cpu.double'
    nbsim --list-forces | grep -q '^baseline.yes'
    if [ "$NB_SANITIZER" != thread ] && grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then # there only the baseline
        nbsim --list-forces | grep -q '^avx2.yes'
    fi
    for force in external:nfw external:drag contact-grid; do # with their parameters and what these are by default
        nbsim --list-forces | grep -q "^$force"$'\t'"[a-z]*=(.*; .*)"$'\t' || { echo "$force" >&2; false; }
    done
    nbgen plummer -n 300 -o p.nbs
    nbsim -q --device cpu --kernel baseline --precision double --steps 3 p.nbs -o b.nbs
    head -c 2000 b.nbs | grep -a -q -- '--kernel=baseline'
    run -2 nbsim -q --kernel mmx --steps 3 p.nbs
    nbsim --list-integrators | grep -q '^leapfrog.2'
    nbsim --help | grep -q -- '--until'
    nbsim --version | grep -q nbtools
}

@test "outputs through links, -o '' and /dev/stdout; -f takes a new file; the header keeps no stand-in dt" {
    nbgen plummer -n 10 -o p.nbs
    cp p.nbs real.nbs
    ln -s real.nbs link.nbs
    nbsim -q --device cpu --steps 1 -f -o link.nbs p.nbs
    [ -L link.nbs ]
    [ "$(nbstat --json real.nbs | wc -l)" -eq 2 ]
    run -2 nbsim -q --steps 1 -o '' p.nbs
    nbsim -q --device cpu --steps 1 -o /dev/stdout p.nbs > out.nbs
    nbstat -q --check out.nbs
    printf '# m x y z vx vy vz\n1 0 0 0 0 0 0\n1 1 0 0 0 0 0\n' | nbconv -q --from text | nbsim -q --device cpu --steps 0 > s.nbs
    head -c 600 s.nbs | grep -a -q '^dt 0$'
}

@test "spans are judged as the times are: until with a huge every, fractions of large times, far bodies in single" {
    nbgen kepler -o k.nbs
    [ "$(nbsim -q --device cpu --until 1 --every 1e10 --dt 0.1 k.nbs | nbstat --json | json time | tail -n 1)" = 1.0 ] ||
        [ "$(nbsim -q --device cpu --until 1 --every 1e10 --dt 0.1 k.nbs | nbstat --json | json time | tail -n 1)" = 1 ]
    nbsim -q --device cpu --until 1 --every 1e300 --dt 0.1 k.nbs > /dev/null
    printf '# m x y z vx vy vz\n1e33 0 0 0 0 0 0\n1e33 1e14 0 0 0 0 0\n' | nbconv -q --from text --time 1000000.1 -o far.nbs
    [ "$(nbsim -q --device cpu --until 1000000.3 --every 0.05 --dt 0.05 far.nbs | nbstat --json | wc -l)" -eq 5 ]
    for p in single mixed double; do
        nbsim -q --device cpu --precision $p --softening 0 --steps 0 --write acc --store f64 far.nbs | nbconv --to text --columns acc |
            awk '!/^#/ { d = ($1 < 0 ? -$1 : $1) / 1e5 - 1; exit !(d < 1e-6 && d > -1e-6) }'
    done
    printf '# m x y z vx vy vz\n1e33 0 0 0 0 0 0\n1e33 1e20 0 0 0 0 0\n' | nbconv -q --from text -o farther.nbs
    run -1 --separate-stderr nbsim -q --device cpu --precision mixed --softening 0 --steps 1 --dt 1 farther.nbs
    [ "$stderr" = "nbsim: the bodies extend over 1e+20, and its square does not fit mixed precision (--precision double, or other units)" ]
    printf '# m x y z vx vy vz\n1 0 0 0 0 0 0\n1 1e200 0 0 0 0 0\n' | nbconv -q --from text -o farthest.nbs
    for p in mixed double; do # 1/r is a number still
        run -1 --separate-stderr nbsim -q --device cpu --precision $p --softening 0 --force direct --steps 1 --dt 1 farthest.nbs
        [ "$stderr" = "nbsim: the bodies extend over 1e+200, and its square does not fit $p precision (other units)" ]
    done
    run -1 --separate-stderr nbsim -q --device cpu --softening 0 --force naive --steps 1 --dt 1 farthest.nbs
    [[ "$stderr" == *"does not fit double precision (other units)" ]]
    printf '# m x y z vx vy vz\n1e30 0 0 0 0 0 0\n1e30 1e-20 0 0 0 0 0\n' | nbconv -q --from text -o close.nbs
    for p in single mixed; do
        run -1 --separate-stderr nbsim -q --device cpu --precision $p --softening 0 --force direct --steps 1 --dt 1 close.nbs
        [ "$stderr" = "nbsim: body 0: the acceleration is not finite in $p precision (--precision double, or other units)" ]
    done
}

@test "the last line: steps and evaluations of the run alone, and rates that belong to its seconds" {
    nbgen plummer -n 2000 --seed 1 -o p.nbs
    run -0 --separate-stderr nbsim --force direct --dt 0.01 --steps 2 p.nbs -o two.nbs
    # Not the evaluation before the first step, nor one for the potentials of frames.
    [[ "${stderr_lines[-1]}" == "nbsim: 2 steps, 2 force evaluations in "* ]]
    run -0 --separate-stderr nbsim --force direct --dt 0.01 --steps 20 --every 0.05 --write acc,phi p.nbs -o twenty.nbs
    [[ "${stderr_lines[-1]}" == "nbsim: 20 steps, 20 force evaluations in "* ]]
    # nbsim: 20 steps, 20 force evaluations in S s, X steps/s, Y Gpair/s; three digits are printed
    awk -v line="${stderr_lines[-1]}" 'BEGIN {
        split(line, w, " ")
        by_steps = w[2] / w[10] / w[8]; by_pairs = 2000 * 2000 * w[4] / (w[12] * 1e9) / w[8]
        exit !(by_steps > 0.985 && by_steps < 1.015 && by_pairs > 0.985 && by_pairs < 1.015) }' ||
        { echo "${stderr_lines[-1]}" >&2; return 1; }
    run -0 --separate-stderr nbsim --force external:uniform,gx=1 --dt 0.01 --steps 2 p.nbs -o alone.nbs
    [[ "${stderr_lines[-1]}" == *"2 force evaluations"* && "$stderr" != *pair* ]] # no pairs there
}

@test "--device: what is no device is said in a line, and how the cards are numbered" {
    nbgen plummer -n 10 -o p.nbs
    for device in cuda: cuda:x cuda:-1 cuda:1x gpu; do
        run -2 --separate-stderr nbsim -q --device $device --steps 1 p.nbs
        [ "${stderr_lines[0]}" = "nbsim: --device $device: expected auto, cpu[:A-B], cuda[:N|:A-B|:all] or opencl[:N]" ]
    done
    # No CUDA or not so many GPUs; where CUDA is there but does not run, the message is about "device cuda".
    run -1 --separate-stderr nbsim -q --device cuda:1000 --steps 1 p.nbs
    [[ "${#stderr_lines[@]}" = 1 && "$stderr" =~ ^nbsim:\ device\ cuda(:1000)?:\  ]]
    if nbsim -q --device cuda --steps 1 p.nbs -o cuda.nbs 2>/dev/null; then
        nbsim -q --device cuda:0 --steps 1 p.nbs -o cuda0.nbs
        cmp cuda.nbs cuda0.nbs
        run -0 --separate-stderr nbsim --steps 1 p.nbs -o auto.nbs # so few that the CPU is quicker
        [[ "${stderr_lines[0]}" == *" on CPU"* ]]
    fi
}

@test "--timings: stages with their calls and shares, the same stream" {
    nbgen plummer -n 500 --seed 1 -o in.nbs
    nbsim in.nbs --steps 5 --dt 0.01 -q --max-de inf --timings -o timed.nbs 2> timings
    nbsim in.nbs --steps 5 --dt 0.01 -q --max-de inf -o plain.nbs
    cmp timed.nbs plain.nbs
    [ "$(awk -F '\t' '$1 == "pairs" { print $2 }' timings)" = 5 ]
    awk -F '\t' '!/^#/ { share += $5; ms += $3 } END { exit !(share > 99 && share < 101 && ms > 0) }' timings
}

@test "textbook methods: what they refuse is said in a line; blocks and orders are words" {
    nbgen plummer -n 100 --seed 1 -o p.nbs
    refuses() { # refuses SENTENCE OPTION...
        run --separate-stderr nbsim -q --device cpu --steps 1 "${@:2}" -o x.nbs
        [[ "$status" =~ ^[12]$ && "${stderr_lines[0]}" == "nbsim: "*"$1"* ]] || { echo "$stderr" >&2; return 1; }
    }
    refuses "on a CPU --force direct computes each pair once" --force pairs-symmetric:order=hilbert p.nbs
    refuses "this method is for GPUs (on a CPU, --force tiled does the same)" --force shared-tiles:block=8 p.nbs
    refuses "order=zigzag: expected one of rowmajor, tiles, hilbert" --force pairs-symmetric:order=zigzag p.nbs
    refuses "block=16: expected one of 32, 64, 96, " --force pairs-matrix:block=16 p.nbs
    refuses "it computes acceleration and potential only" --force pairs-matrix --integrator hermite4 p.nbs
    nbgen uniform -n 5M --seed 1 --store f32 -o many.nbs
    refuses "5000000 bodies need" --force pairs-matrix many.nbs # 300 TB
    nbsim -q --device cpu --force pairs-matrix --steps 3 --dt 0.01 p.nbs -o matrix.nbs
    nbsim -q --device cpu --force naive --steps 3 --dt 0.01 p.nbs -o naive.nbs
    paste <(nbstat -q matrix.nbs | tail -1 | cut -f8) <(nbstat -q naive.nbs | tail -1 | cut -f8) |
        awk '{ exit !($1 < 0 && ($1 / $2 - 1)^2 < 1e-24) }'
}
