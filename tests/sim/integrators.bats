#!/usr/bin/env bats
# Integrators of nbsim on the command line: known orbits, tolerances, quadruple precision, rejected options.
bats_require_minimum_version 1.5.0
load ../common/common

# simulate OPTIONS...: on the CPU in double without softening, quietly
simulate() {
    nbsim -q --device cpu --precision double --softening 0 "$@"
}

# text FILE FRAME COLUMNS: without the comment line
text() {
    nbconv --to text --frame "$2" --columns "$3" "$1" | grep -v '^#'
}

# The places of the Pythagorean bodies at t = 10, 20 and 40, frames 1, 2 and 4; error(FILE, frame): the distance from them
# shellcheck disable=SC2016
known_pythagorean='
import numpy as np
known = {1: (0.778480410138085, 0.141392300290086, -2.025092477978199, 0.097219384146058, 1.152985736299708, -0.162610887490898),
         2: (3.004292636696399, 0.511925235024686, -1.388626537510895, -0.470476050252722, -0.691674352009123, 0.069225699187366),
         4: (-0.622003691801097, 1.858318157899773, 0.173544556816440, -2.368410443283164, 0.234366569627506, 0.779737459886668)}
def error(file, frame):
    return np.abs(np.loadtxt(file)[:, :2].ravel() - known[frame]).max()
'
# pythagorean_errors FILE: at t = 10, 20 and 40
pythagorean_errors() {
    for frame in 1 2 4; do text "$1" $frame pos > at-$frame; done
    python - <<P
$known_pythagorean
print(*("%.3e" % error(f"at-{k}", k) for k in (1, 2, 4)))
P
}

@test "Pythagorean problem: 1e-6 at t = 20, 1e-4 at t = 40, and who is left at t = 70" {
    nbgen pythagorean -o start.nbs
    local schemes="rkdp54 verner65 rkf78 feagin12 bulirsch-stoer stormer ias15" scheme frame
    for scheme in $schemes; do
        simulate --integrator $scheme --tolerance 1e-13 --until 70 --every 10 start.nbs -o $scheme.nbs
        for frame in 2 4; do text $scheme.nbs $frame pos >$scheme-$frame; done
        text $scheme.nbs last mass,pos,vel >$scheme-end
    done
    # shellcheck disable=SC2086
    python - $schemes <<P
import sys
$known_pythagorean
for scheme in sys.argv[1:]:
    at20, at40 = (error(f"{scheme}-{k}", k) for k in (2, 4))
    print(f"{scheme}: {at20:.1e} at t = 20, {at40:.1e} at t = 40")
    assert at20 <= 1e-6 and at40 <= 1e-4, scheme
    d = np.loadtxt(scheme + "-end"); m, x, v = d[:, 0], d[:, 1:4], d[:, 4:]
    r, w, mu = x[1] - x[2], v[1] - v[2], m[1] + m[2]
    energy, h = w @ w / 2 - mu / np.sqrt(r @ r), np.cross(r, w)
    a, e = -mu / (2 * energy), np.sqrt(1 + 2 * energy * (h @ h) / mu ** 2)
    assert 0.45 < a < 0.65 and 0.97 < e < 1, (scheme, a, e)  # bound; in quad, below, to all known digits
    centre = (m[1] * x[1] + m[2] * x[2]) / (m[1] + m[2]); drift = (m[1] * v[1] + m[2] * v[2]) / (m[1] + m[2])
    r, w = x[0] - centre, v[0] - drift
    assert w @ w / 2 - m.sum() / np.sqrt(r @ r) > 0 and r @ w > 0 and r @ r > 100, f"{scheme}: the third body has not escaped"
P
}

# bats test_tags=long
@test "Pythagorean problem in quad: all the digits that are known, to t = 40 and of the binary at t = 70" {
    nbgen pythagorean | nbsim -q --precision quad --softening 0 --integrator bulirsch-stoer --tolerance 1e-24 --until 70 --every 10 > q.nbs
    read -r at10 at20 at40 <<< "$(pythagorean_errors q.nbs)"
    close "$at10" 0 2e-15
    close "$at20" 0 2e-15
    close "$at40" 0 2e-15
    text q.nbs last mass,pos,vel > end
    python - <<'P'
import numpy as np
d = np.loadtxt("end"); m, x, v = d[:, 0], d[:, 1:4], d[:, 4:]
r, w, mu = x[1] - x[2], v[1] - v[2], m[1] + m[2]
energy, h = w @ w / 2 - mu / np.sqrt(r @ r), np.cross(r, w)
a, e = -mu / (2 * energy), np.sqrt(1 + 2 * energy * (h @ h) / mu ** 2)
assert abs(a - 0.552496) < 2e-6 and abs(e - 0.988699) < 2e-6, (a, e)
P
    nbgen pythagorean | nbsim -q --precision quad --softening 0 --integrator feagin12 --tolerance 1e-19 --until 40 --every 10 > f.nbs
    read -r at10 at20 at40 <<< "$(pythagorean_errors f.nbs)"
    close "$at40" 0 1e-12
}

@test "outer solar system after a century: bulirsch-stoer within 1e-9 AU" {
    nbgen outer-solar -o start.nbs
    for scheme in bulirsch-stoer stormer rkf78; do
        simulate --integrator $scheme --tolerance 1e-15 --until 36525 start.nbs -o end.nbs -f
        text end.nbs last pos > end
        python - <<'P'
import numpy as np
x = np.loadtxt("end")
known = {1: (4.564902564408594, 2.141272790167818, 0.805629736788183), 4: (-26.54743404013059, 12.49880713572027, 5.773958703946759)}
for k, place in known.items():
    assert np.abs(x[k] - place).max() < 1e-9, (k, x[k] - place)
P
    done
}

@test "figure eight after one period: the central body where the digits of the start put it" {
    nbgen figure8 | simulate --integrator bulirsch-stoer --tolerance 1e-14 --until 6.32591398292621 > end.nbs
    read -r x y _ <<< "$(text end.nbs last pos | tail -n 1)"
    close "$x" -8.743e-9 2e-12
    close "$y" -7.321e-9 2e-12
    nbgen figure8 | nbsim -q --precision quad --softening 0 --integrator rkf78 --dt 0.002 --until 6.32591398292621 > quad.nbs
    read -r x y _ <<< "$(text quad.nbs last pos | tail -n 1)"
    close "$x" -8.743e-9 5e-13
    close "$y" -7.321e-9 5e-13
}

@test "rosetta: the 20 cycles of the example, digit for digit" {
    nbconv -q --from rosetta "$data/rosetta.txt" | simulate --integrator rosetta --dt 1 --steps 20 --every 1 --max-de inf > r.nbs
    [ "$(nbstat --potential none r.nbs | grep -vc '^#')" = 21 ]
    for frame in 1 20; do text r.nbs $frame pos,vel | awk '{ printf "%.6f %.6f %.6f %.6f %.6f %.6f\n", $1, $2, $3, $4, $5, $6 }'; done > have
    cat > want <<'W'
0.010177 0.000179 0.000002 0.010354 0.000357 0.000004
0.998230 0.998232 0.020002 -0.003539 -0.003536 0.020004
0.010177 0.988232 0.988055 0.010354 -0.013536 -0.013889
0.258572 0.116046 0.112038 -0.013129 0.000544 0.046890
0.426346 -0.111425 -0.681150 0.234987 0.006241 -0.440245
-1.006089 -4.103186 -3.122591 -0.359686 -1.177995 -0.875924
W
    diff want have
}

@test "rosetta: the true motion of the same bodies" {
    nbconv -q --from rosetta "$data/rosetta.txt" | simulate --integrator verner65 --tolerance 1e-15 --until 20 > r.nbs
    text r.nbs last pos > have
    cat > want <<'W'
0.2326151212351376 0.0620819176666668 0.0583395353280458
0.6737160963162338 0.3810602859258448 -0.1815253844848571
0.2132691332389888 0.6120537407487707 0.6130031204398880
W
    python -c 'import numpy as np; d = np.abs(np.loadtxt("have") - np.loadtxt("want")).max(); assert d < 1e-12, d'
}

# Errors of ten Kepler orbits with e = 0.5 and 200 steps an orbit, as theory and others' codes have them
@test "what schemes do to the energy of an eccentric orbit" {
    nbgen kepler -e 0.5 -o k.nbs
    error() { # error SCHEME DT
        simulate --integrator "$1" --dt "$2" --until 62.83185307179586 --max-de inf k.nbs | nbstat --json | tail -n 1 |
            python -c 'import json, sys; print(abs(json.loads(sys.stdin.read())["energy_error"]))'
    }
    close "$(error rk4 0.031415926535897934)" 9.3e-6 1e-7
    close "$(error rk4 0.007853981633974483)" 9.06e-9 1e-10
    close "$(error ab5 0.031415926535897934)" 7.0e-4 7e-5 # the reference started with rk4
    close "$(error ab5 0.007853981633974483)" 1.08e-6 2e-8
    close "$(error euler 0.031415926535897934)" 0.935 0.001
}

@test "outputs of --tolerance are at exact times, and steps grow again after a passage" {
    nbgen kepler -e 0.9 -o k.nbs
    simulate --integrator rkdp54 --tolerance 1e-9 --until 20 --every 0.7 k.nbs -o o.nbs
    python -c '
import json, subprocess
out = subprocess.run(["nbstat", "--json", "o.nbs"], capture_output=True, text=True).stdout
times = [json.loads(l)["time"] for l in out.splitlines()]
assert times == [k * 0.7 for k in range(29)] + [20], times'
    for frame in 4 9; do nbconv --to text --frame $frame --columns pos o.nbs | grep -v '^#' | head -n 1; done > places
    # Many steps to an output with the pericentre, few to one about the apocentre; dt in the header, the suggestion for
    # fixed steps, is left alone.
    python -c '
data = open("o.nbs", "rb").read().split(b"\n")
steps = [int(l[5:]) for l in data if l.startswith(b"step ")]
taken = [b - a for a, b in zip(steps, steps[1:-1])]
assert max(taken) > 5 * min(taken) > 0, taken
assert len({l for l in data if l.startswith(b"dt ")}) == 1'
    nbsim -q --device cpu --integrator rkf78 --tolerance 1e-12 --softening 0 --dt -0.01 --until -6.283185307179586 k.nbs |
        nbconv --to text --columns pos | grep -v '^#' > back
    nbconv --to text --columns pos k.nbs | grep -v '^#' > begin
    python -c 'import numpy as np; d = np.abs(np.loadtxt("back") - np.loadtxt("begin")).max(); assert d < 1e-8, d'
}

@test "a step below --min-dt ends the run with a message, exit 1 and a whole stream" {
    printf '# m x y z vx vy vz\n1 -1 0 0 0 0 0\n1 1 0 0 0 0 0\n' | nbconv -q --from text -o head-on.nbs
    run -1 --separate-stderr simulate --integrator rkdp54 --tolerance 1e-10 --until 10 --every 0.5 head-on.nbs -o o.nbs
    [[ "$stderr" == *"below the minimum of 1e-11"* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    nbstat -q --check o.nbs
    # They meet after pi/2 sqrt(d^3 / (8 M)) with d = 2 and M = 1 in the middle of each: 2.2214; the last frame is just before.
    close "$(nbstat --json o.nbs | tail -n 1 | python -c 'import json, sys; print(json.loads(sys.stdin.read())["time"])')" 2.2214414690791831 1e-6
    run -1 --separate-stderr simulate --integrator bulirsch-stoer --tolerance 1e-10 --min-dt 1e-3 --until 10 head-on.nbs -o m.nbs
    [[ "$stderr" == *"below the minimum of 0.001"* ]]
    nbstat -q --check m.nbs
}

@test "quad: frames carry the rest of the digits, and a run goes on from them" {
    nbgen kepler -e 0.3 -o k.nbs
    quad() { nbsim -q --precision quad --softening 0 --integrator rkf78 --dt 0.01 "$@"; }
    quad --until 2 k.nbs -o whole.nbs
    quad --until 1 k.nbs | quad --until 2 -o parts.nbs
    text whole.nbs last pos,pos_lo,vel,vel_lo > whole
    text parts.nbs last pos,pos_lo,vel,vel_lo > parts
    python - <<'P'
from decimal import Decimal, getcontext
getcontext().prec = 50
read = lambda name: [[Decimal(float(w)) for w in line.split()] for line in open(name)]
for a, b in zip(read("whole"), read("parts")):
    for k in (0, 1, 6, 7):
        assert abs((a[k] + a[k + 3]) - (b[k] + b[k + 3])) < Decimal("1e-29"), (a, b)
        assert abs(a[k + 3]) < abs(a[k]) * Decimal("1.2e-16")
assert any(a[k + 3] != 0 for a in read("whole") for k in (0, 1))
P
    # Read in another precision, the rest is dropped.
    simulate --steps 1 --dt 0.01 whole.nbs -o double.nbs
    run -1 nbconv --to text --columns pos_lo double.nbs
    # A usage error where there is a GPU, a failure where there is none.
    run --separate-stderr nbsim -q --precision quad --device cuda --steps 1 --dt 0.01 k.nbs -o none.nbs
    [[ $status == [12] ]]
    [ -n "$stderr" ]
    [ ! -e none.nbs ]
}

@test "equal bytes for any number of threads, in every family" {
    nbgen plummer -n 300 --seed 5 -o p.nbs
    for scheme in yoshida4 rkdp54 gauss6 abm5 stormer hermite4 hermite6; do
        for t in 1 2; do nbsim -q --device cpu --integrator $scheme --dt 0.01 --steps 3 --threads $t p.nbs -o $scheme-$t.nbs; done
        cmp $scheme-1.nbs $scheme-2.nbs
    done
    for t in 1 2; do nbsim -q --precision quad --integrator rkdp54 --tolerance 1e-6 --until 0.05 --threads $t p.nbs -o quad-$t.nbs; done
    cmp quad-1.nbs quad-2.nbs
}

@test "--list-integrators: every scheme, with order, cost and kind" {
    nbsim --list-integrators > list
    [ "$(grep -vc '^#' list)" = "$(grep -c '^    &nb_scheme' "$root/lib/step/schemes.c")" ]
    awk -F '\t' '!/^#/ && NF != 8 { exit 1 }' list
    row() { awk -F '\t' -v n="$1" '$1 == n { print $2, $3, $4, $5, $6 }' list; }
    [ "$(row leapfrog)" = "2 1 yes yes no" ]
    [ "$(row rkdp54)" = "5 6 no no yes" ]
    [ "$(row gauss6)" = "6 iterated yes yes no" ]
    [ "$(row feagin14)" = "14 35 no no yes" ]
    [ "$(row hermite6)" = "6 1 no no yes" ]
    [ "$(row yoshida8)" = "8 15 yes yes no" ]
    [ "$(row whfast17)" = "2 1 yes yes no" ]
    [ "$(row whfast-jacobi)" = "2 1 yes yes no" ]
}

@test "what an integrator cannot do is refused with a sentence" {
    nbgen plummer -n 10 -o p.nbs
    local sim="nbsim -q --device cpu p.nbs"
    refused 2 "the force errors hide the error of a step" $sim --until 1 --tolerance 1e-6 --force tree
    refused 2 "does not estimate its error" $sim --until 1 --integrator leapfrog --tolerance 1e-6
    refused 2 "does not estimate its error" $sim --until 1 --integrator yoshida4 --tolerance 1e-6
    refused 2 "below the digits" $sim --until 1 --integrator rkdp54 --tolerance 1e-17
    refused 2 "--steps and --tolerance: give only one of them" $sim --steps 3 --integrator rkdp54 --tolerance 1e-6
    refused 2 "is more than --max-dt" $sim --until 1 --integrator rkdp54 --tolerance 1e-6 --min-dt 1 --max-dt 0.1
    refused 2 "these steps have a fixed size (--tolerance)" $sim --until 1 --integrator leapfrog --max-dt 0.1
    refused 2 "expected a number" $sim --until 1 --integrator rkdp54 --tolerance x
    refused 2 "above 0" $sim --until 1 --integrator rkdp54 --tolerance 0
    refused 2 "unknown integrator" $sim --until 1 --integrator magic
    refused 2 "no jerk" $sim --until 1 --integrator hermite4 --force tree
    refused 2 "no jerk" $sim --until 1 --integrator hermite6 --force tree
    run -1 --separate-stderr nbsim -q --device cpu --integrator gauss6 --softening 0.001 --dt 10 --steps 3 p.nbs -o o.nbs
    [[ "$stderr" == *"does not converge"* ]]
}

@test "every integrator has its place in nbtools-integrators(7), every force in nbtools-forces(7) or nbtools-contact(7)" {
    for scheme in $(nbsim --list-integrators | grep -v '^#' | cut -f 1); do
        case $scheme in ab[234]) continue ;; esac # "ab1 to ab5"
        sed 's/\\-/-/g' "$root/man/nbtools-integrators.7" | grep -qw -e "$scheme" || { echo "no $scheme" >&2; return 1; }
    done
    # Methods, kinds of external fields, and the names of their parameters.
    nbsim --list-forces | sed -n '/^# force/,/^# kernel/p' | grep -v '^#' >listed
    [ "$(wc -l <listed)" -gt 20 ]
    sed 's/\\-/-/g' "$root/man/nbtools-forces.7" "$root/man/nbtools-contact.7" >pages
    for word in $(cut -f 1 listed | sed 's/external://; s/pn:/pn /') $(grep -oE '[a-z]+=\(' listed | tr -d '=('); do
        grep -qwF -e "$word" pages || { echo "no $word" >&2; return 1; }
    done
}

@test "quad with --store f32 still has its digits in pos_lo" {
    nbgen kepler -e 0.3 | nbsim -q --precision quad --softening 0 --dt 0.01 --steps 3 --store f32 -o f.nbs
    nbgen kepler -e 0.3 | nbsim -q --precision quad --softening 0 --dt 0.01 --steps 3 -o d.nbs
    nbstat -q --check f.nbs
    text f.nbs last pos,pos_lo > f
    text d.nbs last pos,pos_lo > d
    python -c '
import numpy as np
f, d = np.loadtxt("f"), np.loadtxt("d")
hi = f[:, :3].astype(np.float32).astype(float)  # the text has as many digits as a float needs
assert np.abs((hi + f[:, 3:]) - (d[:, :3] + d[:, 3:])).max() < 1e-16 and np.abs(hi - d[:, :3]).max() > 1e-9'
}
