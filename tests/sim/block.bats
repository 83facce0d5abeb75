#!/usr/bin/env bats
# Individual time steps (--integrator leapfrog-block, hermite4-block, ahmad-cohen): the energy error with fewer
# evaluations than a common step needs, bitwise identical results, interrupted runs, rejected options, and the choice of
# auto. Unit tests of kicks and orders: tests/engine/test_step_block.c, test_step_hermite_block.c and
# test_step_ahmad_cohen.c.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# block OPTIONS...: on the CPU in double
block() {
    nbsim -q --device cpu --precision double --integrator leapfrog-block "$@"
}

# worst FILE: the largest energy error of a log
worst() {
    awk '!/^#/ { e = $4 < 0 ? -$4 : $4; if (e > most) most = e } END { print most }' "$1"
}

# evaluations OPTIONS...: of the force, as a run says
evaluations() {
    nbsim --device cpu --precision double "$@" -f -o /dev/null 2>&1 | sed -n 's/.*steps, \([0-9]*\) force evaluations.*/\1/p'
}

@test "two disks with heavy centres: two fifths of the evaluations of one step for all, at no larger error" {
    nbgen collision -n 3000 --seed 1 -q -o in.nbs
    each=$(evaluations --integrator leapfrog-block --eta 0.4 --dt 0.05 --until 0.5 --every 0.05 --log each.tsv in.nbs)
    all=$(evaluations --integrator leapfrog --dt 0.005 --until 0.5 --every 0.05 --log all.tsv in.nbs)
    echo "# $each evaluations, error $(worst each.tsv); $all, $(worst all.tsv)" >&3
    [ $((each * 5)) -lt $((all * 2)) ]
    python -c "assert $(worst each.tsv) < min(3e-4, $(worst all.tsv))"
}

@test "without --dt base steps follow the shortest step of a body, and outputs are on time" {
    nbgen collision -n 1000 -q -o in.nbs
    run -0 --separate-stderr nbsim --device cpu --integrator leapfrog-block --until 0.3 --every 0.1 -o out.nbs in.nbs
    [[ "$stderr" == *"leapfrog-block, eta 0.2, from t = 0 to 0.3, 4 frames"* ]]
    [ "$(nbstat --no-header --potential none out.nbs | awk '{ printf "%.9g ", $3 }')" = "0 0.1 0.2 0.3 " ]
    # What a later run with one step for all finds is the step of the input, not a base step.
    [ "$(head -c 2000 out.nbs | sed -n 's/^dt //p')" = "$(head -c 2000 in.nbs | sed -n 's/^dt //p')" ]
    # Cold bodies that fall together: a base step has 32 to 128 of the shortest, and twice that where they have just changed.
    nbgen uniform -n 1000 --virial 0 --seed 3 -q -o cold.nbs
    cold() { nbsim -q --device cpu --integrator leapfrog-block --softening 0.01 --max-de inf --until 1.3 -f "$@" cold.nbs; }
    cold --every steps:1 --log log.tsv -o out.nbs
    tail -n +4 log.tsv | awk '{ if ($5 > 256 * $7 || $5 < 16 * $7) exit 1; n++ } END { exit n < 3 }'
    awk 'NR > 2 { if ($7 < least || NR == 3) least = $7; if ($7 > most) most = $7 } END { exit most < 3 * least }' log.tsv
    # To write the steps changes none.
    cold --every 0.65 --write step -o out.nbs
    cold --every 0.65 -o plain.nbs
    cmp <(nbconv --to text --columns pos,vel out.nbs | grep -v '^#') <(nbconv --to text --columns pos,vel plain.nbs | grep -v '^#')
}

@test "equal bytes for any number of threads, from run to run, and when a run is cut" {
    nbgen galaxy -n 3000 -q -o in.nbs
    nbgen plummer -n 1500 --softening 0 -q -o p.nbs
    for what in "leapfrog-block --force direct --dt 0.2 --until 0.8 --every 0.4 in.nbs" \
        "leapfrog-block --force tree --dt 0.2 --until 0.8 --every 0.4 in.nbs" \
        "hermite4-block --until 0.02 --every 0.01 p.nbs" "ahmad-cohen --until 0.02 --every 0.01 p.nbs"; do
        # shellcheck disable=SC2086 # words
        each() { nbsim -q --device cpu --precision double --integrator $what -f "$@"; }
        each --threads 1 -o one.nbs
        each --threads 3 -o three.nbs
        cmp <(nbconv --to text one.nbs | grep -v "^# history") <(nbconv --to text three.nbs | grep -v "^# history")
        # shellcheck disable=SC2086
        nbsim -q --device cpu --precision double --integrator $what -f --checkpoint ck --checkpoint-every 0 -o cut.nbs 3>&- &
        pid=$!
        await $pid test -s ck.0 && kill -KILL $pid
        wait $pid || nbsim -q --resume ck --threads 1
        cmp <(nbconv --to text one.nbs | grep -v "^# history") <(nbconv --to text cut.nbs | grep -v "^# history")
    done
}

# By the limits of step_block.c: the first steps follow from acceleration and mass only, the others may be shorter.
@test "--write step has each body's step, --log the shortest and the longest, --timings the rungs" {
    nbgen collision -n 1000 -q -o in.nbs
    run -0 --separate-stderr nbsim --device cpu --precision double --integrator leapfrog-block --eta 0.3 --dt 0.05 --until 0.2 --every 0.1 \
        --write acc,step --log log.tsv --timings -o out.nbs in.nbs
    rungs=$(sed -n '/^# rung/,$p' <<<"$stderr" | grep -v '^#')
    python - "$rungs" <<'P'
import sys
import numpy as np
from nbs_reader import read
frames = read(open("out.nbs", "rb"))
rows = [[float(w) for w in line.split("\t")] for line in open("log.tsv") if line[0] != "#"]
for k, f in enumerate(frames):
    eps, step = f["softening"], f["step"]
    a = np.sqrt((f["acc"] ** 2).sum(1))
    most = np.minimum(0.05, 0.3 * np.sqrt(np.minimum(eps / a, eps**3 / (0.385 * f["mass"]))))
    assert (step <= most * (1 + 1e-12)).all() and (np.log2(0.05 / step) % 1 == 0).all()
    assert k > 0 or (step > most / 2 * (1 - 1e-12)).all()
    assert abs(rows[k][6] / step.min() - 1) < 1e-5 and abs(rows[k][7] / step.max() - 1) < 1e-5
assert len(set(frames[0]["step"])) > 3
# At the times of rung K all steps of K and higher ends: 4 base steps, which each have as many times as their shortest.
rungs = [line.split() for line in sys.argv[1].splitlines()]
assert [(r[0], r[1], r[2]) for r in rungs[:2]] == [("0", "4", "1000"), ("1", "4", rungs[1][2])]
assert float(rungs[1][2]) <= 1000 and float(rungs[-1][2]) < 500
P
    nbsim -q --device cpu --integrator leapfrog --dt 0.05 --until 0.2 --max-de inf --write step -o all.nbs in.nbs
    [ "$(nbconv --to text --columns step all.nbs | grep -v '^#' | sort -u)" = 0.05 ]
    nbgen plummer -n 1100 --softening 0 -q -o p.nbs
    nbsim -q --device cpu --until 1e-3 --write step --log log.tsv -f -o p.out p.nbs
    nbconv --to text --frame last --columns step p.out | grep -v '^#' | sort -g | sed -n '1p;$p' |
        paste - - <(awk 'END { print $7, $8 }' log.tsv) | awk '{ exit !($1 > 0 && $1 < $2 / 8 && ($1 / $3 - 1)^2 < 1e-10 && ($2 / $4 - 1)^2 < 1e-10) }'
}

@test "several devices, and OpenCL in host memory, come where one comes" {
    nbgen collision -n 2000 -q -o in.nbs
    block --dt 0.05 --until 0.1 in.nbs -o one.nbs
    for device in cpu:0-2 opencl; do
        if ! nbsim -q --device $device --steps 0 in.nbs -f -o /dev/null 2>no; then
            echo "# $device: $(head -n 1 no)" >&3
            continue
        fi
        nbsim -q --device $device --precision double --integrator leapfrog-block --dt 0.05 --until 0.1 in.nbs -f -o several.nbs
        paste <(nbconv --to text --frame last --columns pos one.nbs | grep -v '^#') \
            <(nbconv --to text --frame last --columns pos several.nbs | grep -v '^#') |
            awk '{ for (k = 1; k < 4; k++) { d = $k - $(k + 3); if (d < 0) d = -d; if (d > most) most = d } } END { exit most > 1e-12 }'
    done
}

@test "what it cannot do is refused in a line" {
    nbgen plummer -n 1000 -q -o in.nbs
    refused 2 "leapfrog-block: its steps depend on the softening length" block --softening 0 --until 1 in.nbs
    refused 2 "leapfrog-block: it needs forces on some of the bodies" block --force naive --until 1 in.nbs
    refused 2 "hermite4-block: it needs double precision" nbsim --integrator hermite4-block --precision quad --until 1 in.nbs
    refused 2 "no jerk" nbsim --integrator hermite4-block --force tree --until 1 in.nbs
    refused 2 "ahmad-cohen: it needs double precision" nbsim --integrator ahmad-cohen --precision quad --until 1 in.nbs
    refused 2 "no jerk" nbsim --integrator ahmad-cohen --force tree --until 1 in.nbs
    refused 2 "ahmad-cohen: it runs on one device" nbsim --device cpu:0-1 --integrator ahmad-cohen --until 1 in.nbs
    refused 2 "--neighbours needs --integrator ahmad-cohen" nbsim --neighbours 10 --until 1 in.nbs
    refused 2 "--neighbours 0: must be from 1 to 10000" nbsim --integrator ahmad-cohen --neighbours 0 --until 1 in.nbs
    refused 2 "--eta and --max-rungs need individual steps" nbsim --eta 0.1 --until 1 in.nbs
    refused 2 "--max-rungs 41: must be from 0 to 40" block --max-rungs 41 --until 1 in.nbs
    refused 2 "leapfrog-block does not estimate its error" block --tolerance 1e-9 --until 1 in.nbs
}

@test "ahmad-cohen: stars of different masses with binaries as hermite4-block, in fewer evaluations, whatever the neighbours" {
    nbgen plummer -n 400 --imf kroupa --binaries 0.02 --softening 0 --seed 4 -q -o in.nbs
    run_of() { nbsim --device cpu --tolerance 1e-5 --until 0.1 --log log.tsv -f -o "$1" --integrator "${@:2}" in.nbs 2>&1 |
        sed -n 's/.*steps, \([0-9]*\) force evaluations.*/\1/p'; }
    all=$(run_of all.nbs hermite4-block)
    some=$(run_of some.nbs ahmad-cohen)
    run_of few.nbs ahmad-cohen --neighbours 8
    [ "$(worst log.tsv | awk '{ print ($1 < 1e-7) }')" = 1 ]
    echo "# $some evaluations, hermite4-block $all" >&3
    [ $((some * 3)) -lt $((all * 2)) ]
    for name in some few; do
        paste <(nbconv --to text --frame last --columns pos all.nbs | grep -v '^#') \
            <(nbconv --to text --frame last --columns pos $name.nbs | grep -v '^#') |
            awk '{ for (k = 1; k < 4; k++) { d = $k - $(k + 3); if (d < 0) d = -d; if (d > most) most = d } } END { exit most > 1e-7 }'
    done
}

# auto_is NAME OPTIONS...: what auto takes for so many steps or so short a time
auto_is() {
    run -0 --separate-stderr nbsim --device cpu -f -o /dev/null "${@:2}"
    [[ "$stderr" == *"nbsim: $1, "* ]]
}

@test "auto takes hermite4-groups without softening, and hermite4-block where a few bodies hold most of the mass" {
    nbgen plummer -n 1100 -q -o soft.nbs
    auto_is leapfrog --until 1e-4 soft.nbs
    auto_is hermite4-groups --until 1e-4 --softening 0 soft.nbs
    auto_is hermite4-groups --until 1e-4 --softening 0 --merge-radius 1e-6 soft.nbs
    auto_is leapfrog --steps 1 --softening 0 soft.nbs
    auto_is leapfrog --until 1e-4 --softening 0 --precision mixed soft.nbs
    auto_is leapfrog --until 1e-4 --softening 0 --force auto --force external:point,mass=1 soft.nbs
    nbgen plummer -n 1100 --units solar --softening 0 -q | nbedit -q --set 'component = hole if id == 7' -o hole.nbs
    auto_is hermite4-groups --until 1e-6 --pn 1 hole.nbs
    auto_is ias15 --until 1e-6 --pn 1 <(nbedit --select 'id < 20' hole.nbs)
    auto_is ias15 --until 1e-6 --max-de inf --pn 1 <(nbedit -q --set 'mass = 2 if id == 7' hole.nbs)
    auto_is ias15 --until 1e-4 --softening 0 <(nbedit --select 'id < 900' soft.nbs)
    nbgen twin -n 1100 -q -o twin.nbs
    auto_is hermite4-block --until 1e-4 twin.nbs
    nbgen twin -n 20k -q -o large.nbs # direct summation, although auto is the tree for so many bodies
    auto_is hermite4-block --until 1e-4 --dry-run large.nbs
    [[ "$stderr" == *"20000 bodies, direct force in double precision"* ]]
    nbgen disk -n 1100 --central-mass 0.9 -q -o disk.nbs # a galaxy with a step of its own
    auto_is leapfrog --until 1e-4 disk.nbs
}

# Light bodies added to a few: these come where they come without them, by ias15, within a thousandth of an orbit.
@test "the Sun, Earth, Moon and 1000 light bodies: the Moon after two years is where it is without them" {
    python - <<'P'
import math, random
random.seed(1)
G = 39.476926408897626
earth, moon, a = 3.0034896e-6, 3.694e-8, 0.00257
v, share, pull = math.sqrt(G), moon / (earth + moon), math.sqrt(G * (earth + moon) / a)
rows = [(1, 0, 0, 0, 0, 0, 0), (earth, 1 - share * a, 0, 0, 0, v - share * pull, 0),
        (moon, 1 + (1 - share) * a, 0, 0, 0, v + (1 - share) * pull, 0)]
for name, count in ("few", 0), ("many", 1000):
    for _ in range(count):
        r, angle = random.uniform(2, 3.5), random.uniform(0, 2 * math.pi)
        speed = math.sqrt(G / r) * random.uniform(0.9, 1.1)
        rows.append((1e-13, r * math.cos(angle), r * math.sin(angle), random.uniform(-0.1, 0.1),
                     -speed * math.sin(angle), speed * math.cos(angle), 0))
    with open(name + ".txt", "w") as f:
        print("# columns mass pos vel", file=f)
        for row in rows:
            print(*map(repr, row), file=f)
P
    for name in few many; do
        nbconv -q --from text --units solar -o $name.nbs $name.txt
        nbsim -q --device cpu --until 2 -f -o $name.out $name.nbs
        nbconv --to text --frame last --columns pos $name.out | grep -v '^#' | head -n 3 >$name.pos
    done
    nbstat --info many.out | grep -q "integrator=hermite4-block"
    paste few.pos many.pos | python -c '
import math, sys
row = [[float(x) for x in line.split()] for line in sys.stdin]
moon = [[row[2][k] - row[1][k] for k in range(s, s + 3)] for s in (0, 3)]
off = math.dist(*moon) / math.hypot(*moon[0])
print("# off by", off, file=sys.stderr)
assert off < 1e-3'
}
