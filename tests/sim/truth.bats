#!/usr/bin/env bats
# Every published case of the repository, run with default options, against reference digits. Where they come from:
# tests/data/README.md, unless it stands beside the numbers. What schemes with fixed steps make of the same cases is in
# nbsim.bats and integrators.bats.
bats_require_minimum_version 1.5.0
load ../common/common

# last_rows FILE COLUMNS: of the last frame, a line for each body
last_rows() {
    nbconv --to text --frame -1 --columns "$2" "$1" | grep -v '^#'
}

# off FILE BOUND: the bodies' places in the last frame are those on stdin, a line of numbers each, within BOUND; bodies
# of which nothing is known have a line with -
off() {
    cat >want
    last_rows "$1" pos >have
    python - "$2" <<'P'
import sys
for have, want in zip(open("have"), open("want"), strict=True):
    if want.split() == ["-"]:
        continue
    for a, b in zip(have.split(), want.split()):
        assert abs(float(a) - float(b)) <= float(sys.argv[1]), (have, want)
P
}

run_default() { nbsim -q --device cpu "$@"; }

@test "two bodies: a quarter of a period on, by Kepler's equation; e = 0.5, 0.9 and 0.99" {
    quarter=1.5707963267948966
    nbgen kepler -e 0.5 | run_default --until $quarter -o k.nbs
    off k.nbs 1e-12 <<'W'
0.46756542951835475 -0.38987044374877965 0
-0.46756542951835475 0.38987044374877965 0
W
    nbgen kepler -e 0.9 | run_default --until $quarter -o k.nbs -f
    off k.nbs 1e-11 <<'W'
0.7692773602640105 -0.16772529258385745 0
-0.7692773602640105 0.16772529258385745 0
W
    # two periods and a quarter, from the equation itself
    nbgen kepler -e 0.99 | run_default --until 14.137166941154069 -o k.nbs -f
    python - >place <<'P'
import math
e, u = 0.99, 2.0
for _ in range(50):
    u -= (u - e * math.sin(u) - math.pi / 2) / (1 - e * math.cos(u))
x, y = (math.cos(u) - e) / 2, math.sqrt(1 - e * e) * math.sin(u) / 2
print(-x, -y, 0)
print(x, y, 0)
P
    off k.nbs 1e-9 <place
}

@test "the figure of eight after a period: the central body where the digits of its start put it" {
    nbgen figure8 | run_default --until 6.32591398292621 -o f.nbs
    read -r x y _ <<<"$(last_rows f.nbs pos | tail -n 1)"
    close "$x" -8.743e-9 1e-11
    close "$y" -7.321e-9 1e-11
}

@test "the Pythagorean problem at t = 10, 20 and 40: the digits that double precision can reach" {
    nbgen pythagorean | run_default --until 40 --every 10 -o p.nbs
    place() { nbsim -q --steps 0 --frame "$1" p.nbs -o at.nbs -f; }
    place 1
    off at.nbs 1e-8 <<'W'
0.778480410138085 0.141392300290086
-2.025092477978199 0.097219384146058
1.152985736299708 -0.162610887490898
W
    place 2
    off at.nbs 1e-6 <<'W'
3.004292636696399 0.511925235024686
-1.388626537510895 -0.470476050252722
-0.691674352009123 0.069225699187366
W
    place 4
    off at.nbs 1e-4 <<'W'
-0.622003691801097 1.858318157899773
0.173544556816440 -2.368410443283164
0.234366569627506 0.779737459886668
W
}

@test "the outer solar system after a century: Jupiter and Neptune" {
    nbgen outer-solar | run_default --until 36525 -o o.nbs
    off o.nbs 1e-8 <<'W'
-
4.564902564408594 2.141272790167818 0.805629736788183
-
-
-26.54743404013059 12.49880713572027 5.773958703946759
-
W
}

@test "Lagrange's triangle turns as a whole: after a quarter of a turn, by the formula" {
    # side 1, masses 1, 0.01 and 0.001 (stable): angular speed sqrt(1.011)
    nbgen lagrange --masses 1,0.01,0.001 -o l.nbs
    last_rows l.nbs pos | awk '{ printf "%.17g %.17g 0\n", -$2, $1 }' >turned
    run_default --until "$(awk 'BEGIN { printf "%.17g", atan2(1, 0) / sqrt(1.011) }')" l.nbs -o q.nbs
    off q.nbs 1e-12 <turned
}

@test "the three bodies of Rosetta Code: their true motion to t = 20" {
    nbconv -q --from rosetta "$data/rosetta.txt" | run_default --until 20 -o r.nbs
    off r.nbs 1e-10 <<'W'
0.2326151212351376 0.0620819176666668 0.0583395353280458
0.6737160963162338 0.3810602859258448 -0.1815253844848571
0.2132691332389888 0.6120537407487707 0.6130031204398880
W
}

@test "the Sun and its planets keep energy and angular momentum over ten years" {
    nbgen solar | run_default --until 10 --every 1 | nbstat --max-de 1e-11 --max-dl 1e-12 >/dev/null
}

@test "a Plummer sphere: energies of the formula, kept with default options" {
    # 10000 bodies: W = -1/2, K = 1/4 within what such a number of bodies scatters
    nbgen plummer -n 10k --softening 0.001 --seed 1 | run_default --until 0.003 | nbstat --json --max-de 1e-4 |
        tail -n 1 >row
    value() { python -c 'import json, sys; print(json.loads(open("row").read())[sys.argv[1]])' "$1"; }
    close "$(value kinetic)" 0.25 0.005
    close "$(value potential)" -0.5 0.01
}

# check-long has five hundred (tests/long/random_systems.bats).
@test "five random small systems with default options: none wrong in silence" {
    [ -z "$NB_SANITIZER" ] || export LIMIT=1200 # seconds of CPU, of which sanitizers take more
    run -0 "$root/tests/sim/random_systems.sh" $(seq 1 10 50)
    echo "$output" | grep -v $'\t0\t' | sed 's/^/# /' >&3 || true
}
