#!/usr/bin/env bats
# --select in nbrender and nbstat: the output is the same as for a stream of the selected bodies only, which numpy
# selects.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# all.nbs, and for each condition in Python some-K.nbs with the bodies of each frame for which it holds: of the cases, then of
# the first few bodies.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cases | cut -d ';' -f 2 >conditions
    echo 'ident < 2**53 + 4' >>conditions
    python - <<'P'
from nbs_writer import *
rng, n = np.random.default_rng(1), 2000
conditions = open("conditions").read().splitlines()
whole, some = [], [[] for _ in conditions]
mass, ident, component = rng.random(n) / n, np.arange(n, dtype="u8") + 2**53, rng.integers(0, 8, n).astype("u1")
pos, vel = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
for k in range(4):
    speed, r = np.sqrt((vel**2).sum(1)), np.sqrt((pos**2).sum(1))
    def part(m, **more):
        return frame(mass[m], pos[m], vel[m], time=k / 4, softening="0.1", id=ident[m], component=component[m], **more)
    whole.append(part(slice(None), phi=rng.normal(size=n)))  # of all bodies, and no truth
    for frames, condition in zip(some, conditions):
        frames.append(part(eval(condition)))
    pos, vel = pos + vel / 4, vel * 0.9
write("all.nbs", *whole)
for k, frames in enumerate(some):
    write(f"some-{k + 1}.nbs", *frames)
P
}

streams() { ln "$BATS_FILE_TMPDIR"/{all,some-?}.nbs .; }

cases() {
    cat <<'L'
disk;component == 2
disk,star && x > 0;((component == 2) | (component == 4)) & (pos[:, 0] > 0)
id % 3 == 1 && id >= 9007199254740993;((ident % 3) == 1) & (ident >= 2**53 + 1)
speed < 0.9 || !(r <= 2);(speed < 0.9) | ~(r <= 2)
L
}

@test "nbstat: sums are over the selected bodies, in the field of all" {
    columns=time,n,mass,kinetic,momentum,angular_momentum,momentum_error,angular_momentum_error,com,com_velocity,half_mass_radius
    k=0
    streams
    nbstat -q --json --potential direct --frame 1 all.nbs >whole
    while IFS=';' read -r select _; do
        k=$((k + 1))
        nbstat -q --columns $columns some-$k.nbs >want
        nbstat -q --columns $columns --select "$select" all.nbs | cmp - want
        [ "$(nbstat -q --columns $columns --frame 1,3 --select "$select" <all.nbs)" = "$(sed -n '1p;3p;5p' want)" ]
        awk -F '\t' 'NR > 1 && ($2 < 100 || $2 > 1900) { exit 1 }' want # which tells all from some
        nbstat -q --json --potential direct --select "$select" --frame 1 all.nbs >row-$k
        nbstat -q --json --potential direct --select "!($select)" --frame 1 all.nbs >others-$k
    done < <(cases)
    [ $k = 4 ]
    cases | python -c '
import json, sys
import numpy as np
from nbs_reader import read
f = read(open("all.nbs", "rb"))[1]
mass, pos, vel, ident, component = (f[k] for k in ("mass", "pos", "vel", "id", "component"))
speed, r = np.sqrt((vel**2).sum(1)), np.sqrt((pos**2).sum(1))
d = pos[None] - pos[:, None]
d2 = (d**2).sum(-1) + 0.1**2
phi, acc = -(mass / np.sqrt(d2)).sum(1) + mass / 0.1, np.einsum("ij,ijk->ik", mass / d2**1.5, d)
for k, case in enumerate(sys.stdin.read().splitlines()):
    row, others, whole = (json.load(open(name)) for name in (f"row-{k + 1}", f"others-{k + 1}", "whole"))
    s = eval(case.split(";")[1])
    m, x, v = mass[s], pos[s], vel[s]
    W, K = (m * phi[s]).sum() / 2, (m * (v * v).sum(1)).sum() / 2
    R, V = (m[:, None] * x).sum(0) / m.sum(), (m[:, None] * v).sum(0) / m.sum()
    virial = (m * ((v - V) ** 2).sum(1)).sum() / -(m[:, None] * (x - R) * acc[s]).sum()
    for name, want in dict(potential=W, kinetic=K, energy=K + W, virial=virial).items():
        assert abs(row[name] - want) < 1e-11 * (K + abs(W)) * (1 + abs(want)), (case, name, row[name], want)
    for name in "potential", "kinetic", "energy", "mass":  # the parts add up to the whole
        assert abs(row[name] + others[name] - whole[name]) < 1e-12, (case, name)
'
}

@test "nbstat: potentials in columns are of all bodies, and taken for those that are selected" {
    streams
    nbstat -q --json --columns potential --select 'id % 3 == 1' all.nbs >rows
    nbstat -q --json --columns potential --potential column --select 'id % 3 == 1' all.nbs | cmp - rows
    python -c 'import json
from nbs_reader import read
for row, f in zip(map(json.loads, open("rows")), read(open("all.nbs", "rb"))):
    s = f["id"] % 3 == 1
    assert abs(row["potential"] - (f["mass"][s] * f["phi"][s]).sum() / 2) < 1e-13'
}

@test "nbrender: pictures are those of the selected bodies alone" {
    k=0
    streams
    while IFS=';' read -r select _; do
        k=$((k + 1))
        mkdir some-$k all-$k
        nbrender -q --size 160x90 --select all -o some-$k/%d.png some-$k.nbs # the halo too
        nbrender -q --size 160x90 --select "$select" -o all-$k/%d.png all.nbs
        nbrender -q --size 160x90 --select "$select" --frame 2 -o one-$k.png - <all.nbs
    done < <(cases | head -n 3)
    [ $k = 3 ]
    python -c 'from picture import *
for case in range(1, 4):
    for k in range(4):
        a, b = png(f"some-{case}/{k}.png"), png(f"all-{case}/{k}.png")
        assert (a == b).all() and a.max() > 60, (case, k, (a != b).sum(), a.max())
        assert k != 2 or (png(f"one-{case}.png") == b).all(), case'
}

@test "few that are selected are discs, and the camera fits them" {
    streams
    nbrender -q --size 160x90 --select 'id < 9007199254740996' -o few.png all.nbs
    nbrender -q --size 160x90 -o some.png some-5.nbs
    nbrender -q --size 160x90 -o all.png all.nbs
    python -c 'from picture import *
few, some, whole = png("few.png"), png("some.png"), png("all.png")
assert (few == some).all() and few.max() > 60 and (few != whole).any()'
}

@test "frames in which nothing is selected are black, with one warning; the first with a body sets the camera" {
    python - <<'P'
from nbs_writer import *
pos = np.array([[-1.0, 0, 0], [1, 0, 0], [0, 30, 0]])
write("f.nbs", *(frame(np.ones(3), pos, pos * 0, time=k, heat=np.array([0.0, 0, k >= 2])) for k in range(4)))
write("last.nbs", *(frame(np.ones(1), pos[2:], pos[2:] * 0, time=k) for k in (2, 3)))
write("again.nbs", *(frame(np.ones(2), pos[:2], pos[:2] * 0, time=k, time0=np.full(2, float(k))) for k in range(4)))
P
    run -0 --separate-stderr nbrender --size 64x36 --select 'heat > 0.5' -o '%d.png' f.nbs
    [ "$(grep -c warning <<<"$stderr")" = 1 ]
    [[ "$stderr" == *"nbrender: warning: frame 0: no body is selected; such frames are drawn black"* ]]
    nbrender -q --size 64x36 -o 'last-%d.png' last.nbs
    # a stream whose selection becomes empty again, as light and as discs, from a pipe
    for style in light discs; do
        nbrender -q -f --size 64x36 --style $style --select 'x < 0 && time0 < 2' -o "$style-%d.png" <(cat again.nbs) 2>/dev/null
    done
    # and light that is kept linear
    nbrender -q --size 64x36 --select 'heat > 9' -o dark.npy f.nbs 2>/dev/null
    python -c 'from picture import *
assert png("0.png").max() == 0 and png("1.png").max() == 0
assert (png("2.png") == png("last-0.png")).all() and (png("3.png") == png("last-1.png")).all()
assert png("2.png").max() > 60
for style in "light", "discs":
    assert png(f"{style}-1.png").max() > 60 and png(f"{style}-3.png").max() == 0, style
assert (np.load("dark.npy") == 0).all()'
}

@test "between frames a body stays itself, also where the stream has no id and as many others take the place of some" {
    python - <<'P'
from nbs_writer import *
a = np.array([[-1.0, -0.5, 0], [-1, 0.5, 0], [1.0, 0, 0]])
b = a + [0.4, 0, 0]
for name, keys in (("id.nbs", {"id": np.arange(3, dtype="u8")}), ("no.nbs", {})):
    write(name, *(frame(np.ones(3), p, a * 0, time=k, on=np.array(on), **keys)
        for k, p, on in ((0, a, [1.0, 1, 0]), (1, b, [0.0, 1, 1]), (2, b, [0.0, 0, 0]))))
P
    for k in id no; do
        mkdir $k
        nbrender -q --size 64x36 --interpolate 3 --extent 3 --center 0,0,0 --select 'on > 0' -o $k/%d.png $k.nbs 2>/dev/null
    done
    python -c 'from picture import *
pictures = [[png(f"{of}/{k}.png") for k in range(7)] for of in ("id", "no")]
for k, (a, b) in enumerate(zip(*pictures)):
    assert (a == b).all() and (a.max() > 60) == (k < 5), k
assert (pictures[0][1] != pictures[0][0]).any()'
}

@test "nbstat: of no bodies the sums are 0, and what has no value is none" {
    streams
    [ "$(nbstat --json --select 'id < 0' --frame 1 all.nbs | python3 -c 'import json, sys
row = json.loads(sys.stdin.read())
print([row[k] for k in ("n", "mass", "kinetic", "potential", "energy", "virial", "com", "half_mass_radius")])')" = \
        "[0, 0, 0, 0, 0, None, [None, None, None], None]" ]
    [ "$(nbstat --select 'id < 0' all.nbs 2>&1 >/dev/null | head -n 1)" = \
        "nbstat: warning: all.nbs: frame 0: no body is selected; the sums of such frames are 0" ]
    [ "$(nbstat --select 'id < 0' all.nbs 2>&1 >/dev/null | grep -c warning)" = 1 ]
}

@test "a condition that is none: exit 2, with the place; a column that is not there: exit 1, with those that are" {
    streams
    for tool in nbstat "nbrender -q -o x.png"; do
        run -2 --separate-stderr $tool --select 'disk && speed <' all.nbs
        [ "${stderr_lines[0]}" = "${tool%% *}: --select disk && speed <: character 16: expected a column, a number or (, found the end" ]
        run -2 --separate-stderr $tool --select "$(printf '(%.0s' $(seq 60000))" all.nbs
        [[ "${stderr_lines[0]}" == *"((...: character 201: more than 200 nested parentheses and signs" && "${#stderr_lines[@]}" = 2 ]]
        run -1 --separate-stderr $tool --select 'x > 1 && galaxies == 1' all.nbs
        [ "$stderr" = "${tool%% *}: all.nbs: frame 0: --select: character 10: unknown column 'galaxies'; columns: mass pos vel id component phi, and from these x y z vx vy vz ax ay az r speed m" ]
    done
    for options in --info --check; do
        run -2 --separate-stderr nbstat $options --select disk all.nbs
    done
}

@test "the condition is recorded" {
    streams
    nbrender -q --size 64x36 --select 'disk,star' -o x.png all.nbs
    grep -aq 'nbrender --size=64x36 --select=disk,star' x.png
}

@test "nbrender draws no dark halo beside other bodies, of a file and of a pipe, unless --select says something" {
    {
        echo '# component m x y z vx vy vz'
        for k in $(seq 300); do echo "1 10 $((k % 17 - 8)) $((k % 13 - 6)) 0 0.$((k % 7)) 0 0"; done
        for k in $(seq 300); do echo "2 1 0.$((k % 17)) 0.$((k % 13)) 0 0.$((k % 7)) 1 0"; done
    } > both.txt
    grep -v '^2' both.txt > halo.txt
    grep -v '^1' both.txt > disk.txt
    for name in both halo disk; do nbconv --from text -o $name.nbs $name.txt; done
    draw() { nbrender -f --device cpu --size 64x36 "$@"; }
    run -0 --separate-stderr draw -o both.png both.nbs
    [[ "$stderr" == *"300 bodies of the dark halo are not drawn (--select all draws them)"* ]]
    draw -q -o disk.png disk.nbs
    draw -q -o selected.png --select disk both.nbs
    draw -q -o all.png --select all both.nbs
    run -0 --separate-stderr draw -o halo.png halo.nbs
    [[ "$stderr" != *"dark halo"* ]]
    cat both.nbs | draw -q -o pipe.png
    python - <<'P'
from picture import png
both, disk, selected, halo, every, pipe = (png(f"{name}.png").astype(int)
                                           for name in ("both", "disk", "selected", "halo", "all", "pipe"))
assert (both == selected).all() and (both == disk).all() and (both == pipe).all() and both.max() > 100
assert halo.max() > 100 and abs(halo - both).max() > 50 and abs(every - both).max() > 50
P
    # a frame that comes later, without components, is drawn whole; a map has everything
    nbgen plummer -n 500 -q | nbconv --to text > plain.txt
    nbconv --from text -o plain.nbs plain.txt
    cat both.nbs plain.nbs | draw -q -o x%d.png
    [ -s x1.png ]
    draw -q --map density -o map.npy both.nbs
    draw -q --map density --select all -o every.npy both.nbs
    cmp map.npy every.npy
    # and says so, where there is something to say
    while IFS='|' read -r options said; do
        # shellcheck disable=SC2086
        for input in both.nbs -; do
            run -0 --separate-stderr draw $options -o map.png $input < both.nbs
            [ "$(grep 'dark halo' <<< "$stderr")" = "${said:+nbrender: 300 bodies of the dark halo are $said (--select 'component != halo' leaves them out)}" ] ||
                { echo "$options: $stderr"; return 1; }
        done
    done <<'L'
--map density|in the map
--map speed|in the map
--map potential|drawn over the map
--map potential --map-bodies 0|
--map density --select all|
--map potential --select disk|
L
    run -0 --separate-stderr draw --map density -o map.png halo.nbs
    [[ "$stderr" != *"dark halo"* ]]
}
