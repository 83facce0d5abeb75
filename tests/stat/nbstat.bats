#!/usr/bin/env bats
# nbstat on the command line: measures compared with numpy and with known systems, tables, limits, outputs.
bats_require_minimum_version 1.5.0
load ../common/common
load nbstat

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    make_walk
}

make_streams() {
    cp "$BATS_FILE_TMPDIR"/*.nbs .
}

@test "all measures of random bodies are those of numpy" {
    make_streams
    nbstat --json --potential direct walk.nbs > walk.json
    python - <<'P'
import json
import numpy as np
from nbs_reader import read
norm = lambda a: np.sqrt((a * a).sum(-1))
lines = [json.loads(line) for line in open("walk.json")]
frames = read(open("walk.nbs", "rb"))
assert len(lines) == len(frames) == 4
for k, (line, f) in enumerate(zip(lines, frames)):
    m, x, v = (f[name].astype(np.longdouble) for name in ("mass", "pos", "vel"))
    d = x[:, None] - x[None]
    pair = 1.7 * m[:, None] * m / np.sqrt((d * d).sum(-1) + np.longdouble(0.3) ** 2)
    K, W = (m * (v * v).sum(-1)).sum() / 2, -(pair.sum() - np.trace(pair)) / 2
    pull = (pair * (d * d).sum(-1) / ((d * d).sum(-1) + np.longdouble(0.3) ** 2)).sum() / 2
    P, L = (m[:, None] * v).sum(0), (m[:, None] * np.cross(x, v)).sum(0)
    p_scale, l_scale = (m * norm(v)).sum(), (m * norm(x) * norm(v)).sum()
    com = (m[:, None] * x).sum(0) / m.sum()
    far = np.sort(norm(d), axis=1)[:, 6]  # the density centre, by sixth neighbours
    rho = np.where(norm(d) < far[:, None], m, 0).sum(1) / far**3
    centre = (m[:, None] * rho[:, None] * x).sum(0) / (m * rho).sum()
    r = norm(x - centre)
    order = np.argsort(r)
    half = r[order][np.searchsorted(np.cumsum(m[order]), m.sum() / 2)]
    inner = K - (P * P).sum() / m.sum() / 2  # about the centre of mass
    if k == 0:
        E0, divisor, P0, L0 = inner + W, max(abs(inner + W), 0.01 * (inner - W)), P, L
    want = dict(mass=m.sum(), kinetic=K, potential=W, energy=K + W, energy_error=(inner + W - E0) / divisor,
                virial=2 * (K - (P * P).sum() / m.sum() / 2) / pull,
                momentum=P, angular_momentum=L, momentum_error=norm(P - P0) / p_scale,
                angular_momentum_error=norm(L - L0) / l_scale, com=com, com_velocity=P / m.sum(), half_mass_radius=half,
                external=0)
    assert (line["file"], line["frame"], line["time"], line["n"]) == ("walk.nbs", k, k / 3, 100)
    assert set(line) == set(want) | {"file", "frame", "time", "n"}
    for name, value in want.items():
        scale = np.abs(value).max() if k == 0 or not name.endswith("error") else 1
        assert np.abs(np.array(line[name]) - value).max() <= 1e-13 * scale, (k, name, line[name], value)
assert lines[0]["energy_error"] == lines[0]["momentum_error"] == lines[0]["angular_momentum_error"] == 0
assert lines[3]["energy_error"] != 0
P
}

@test "small terms are not lost: 1 and a hundred thousand of 1e-15" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
n = 100001
mass = np.full(n, 1e-15)
mass[0] = 1
write("small.nbs", frame(mass, np.zeros((n, 3)), np.tile([0.0, 2, 0], (n, 1))))
P
    for threads in 1 3; do
        nbstat --json --potential none --threads $threads small.nbs | json mass momentum kinetic > got
        [ "$(cat got)" = "1.0000000001 [0, 2.0000000002, 0] 2.0000000002" ] || { cat got; false; }
    done
}

@test "few-body systems have their known energies and momenta" {
    for model in pythagorean figure8 outer-solar "kepler -e 0.5"; do
        # shellcheck disable=SC2086
        nbgen $model | nbstat --json
    done > few.json
    python - <<'P'
import json
burrau, eight, solar, kepler = map(json.loads, open("few.json"))
assert abs(burrau["energy"] + 769 / 60) < 4e-15
assert burrau["momentum"] == burrau["angular_momentum"] == [0, 0, 0]
assert abs(eight["energy"] + 1.287141997339) < 1e-12
assert max(map(abs, eight["angular_momentum"])) < 1e-15
assert abs(solar["energy"] / -3.215453183208164e-8 - 1) < 2e-15
assert abs(solar["angular_momentum"][2] / 5.594749022905049e-5 - 1) < 1e-15
assert abs(kepler["energy"] + 0.125) < 1e-16
assert abs(kepler["angular_momentum"][2] - 0.2165063509461097) < 1e-16
P
}

@test "a Plummer sphere: E = -1/4, virial 1, half-mass radius 0.7686" {
    nbgen plummer -n 20000 --seed 2 | nbstat --json --device cpu | json mass energy virial half_mass_radius > got
    read -r mass energy virial radius < got
    # 20000 bodies: the radius scatters by 0.7 %, the energies by about 1 %
    close "$mass" 1 1e-12 && close "$energy" -0.25 0.01 && close "$virial" 1 0.04 && close "$radius" 0.768570631 0.02
}

@test "the potential comes from the column, the direct sum, or nowhere" {
    make_streams
    nbstat --json walk.nbs | json potential > auto
    nbstat --json --potential direct walk.nbs | json potential > direct
    [ "$(head -n 2 auto)" = "$(head -n 2 direct)" ]
    python - <<'P'
from nbs_reader import read
got = [float(line) for line in open("auto")]
for k, f in enumerate(read(open("walk.nbs", "rb"))):
    if k >= 2:
        assert abs(got[k] / (0.5 * (f["mass"] * f["phi"]).sum()) - 1) < 1e-14
assert [float(line) for line in open("direct")][2] != got[2]
P
    run -1 --separate-stderr nbstat --potential column walk.nbs
    [[ "$stderr" == "nbstat: walk.nbs: frame 0: no column phi"* ]]
    [ -z "$output" ]
    nbstat --json --potential none walk.nbs | json potential energy energy_error virial | sort -u > none
    [ "$(cat none)" = "None None None None" ]
    nbstat --potential none walk.nbs | tail -n 1 | cut -f 7 | grep -qx nan
}

@test "the potential energy by the tree is within 1e-5 of the direct sum's" {
    nbgen plummer -n 10k --seed 1 -o plummer.nbs
    nbgen plummer -n 1k --seed 2 -o small.nbs
    nbgen collision -n 10k --central-mass 0.1 --seed 1 -o collision.nbs
    nbgen uniform -n 10k --shape cube --seed 1 -o cube.nbs
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(1)
n, x = 10000, r.normal(size=(10000, 3))
bodies = lambda x, m=np.full(n, 1 / n): (m, x, np.zeros((n, 3)))
write("filament.nbs", frame(*bodies(x * [1, 1e-4, 1e-4]), softening=1e-5))
write("hub.nbs", frame(*bodies(x * [1, 1e-3, 1e-3] * (np.arange(n) > 0)[:, None], np.where(np.arange(n) > 0, 1e-6, 1)), softening=1e-4))
write("chain.nbs", frame(*bodies(np.repeat(np.arange(100.0)[:, None] * [1, 0, 0], 100, 0) + 0.01 * x), softening=1e-3))
P
    for file in plummer small collision cube filament hub chain; do
        tree=$(nbstat --json --potential tree $file.nbs | json potential)
        direct=$(nbstat --json --potential direct $file.nbs | json potential)
        [ "$tree" != "$direct" ] # it is another sum
        error=$(awk "BEGIN { printf \"%.1e\", $tree / $direct - 1 }")
        echo "# $file: $error" >&3
        close "$error" 0 1e-5
    done
    # thin systems take a smaller theta, and it is said
    nbstat -v --potential tree filament.nbs 2>&1 >/dev/null | grep -q 'tree (theta 0.35)'
}

@test "without softening, the energy of close binaries is in double precision" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r, n = np.random.default_rng(1), 10000
x = np.repeat(r.normal(size=(n // 2, 3)), 2, 0)
x[1::2, 0] += 1e-7
write("binaries.nbs", frame(np.full(n, 1 / n), x, np.zeros((n, 3)), softening=0))
P
    tree=$(nbstat -v --json --potential tree binaries.nbs 2>said | json potential)
    grep -q 'tree (theta 0.5) in double precision' said
    direct=$(nbstat --json --potential direct binaries.nbs | json potential)
    close "$(awk "BEGIN { print $tree / $direct - 1 }")" 0 1e-6 # 1e-2 in mixed precision on a GPU
}

# bats test_tags=long
@test "auto is direct up to 32768 bodies and the tree above" {
    nbgen plummer -n 32768 -o direct.nbs
    nbgen plummer -n 32769 -o tree.nbs
    nbstat -v direct.nbs > auto 2> said
    nbstat --potential direct direct.nbs | cmp - auto
    grep -q 'potential by direct summation in double precision on ' said
    nbstat -v tree.nbs > auto 2> said
    nbstat --potential tree tree.nbs | cmp - auto
    grep -q 'potential by the tree (theta 0.5) in mixed precision on ' said
    nbstat --help | tr -s ' \n' ' ' | grep -q 'direct for up to 32768 bodies'
}

@test "table and JSON hold the same numbers, with 17 digits" {
    make_streams
    nbstat walk.nbs > table
    nbstat --json walk.nbs > walk.json
    [ "$(grep -c '^#' table)" -eq 1 ]
    [ "$(wc -l < table)" -eq 5 ]
    python - <<'P'
import json
header, *rows = [line.rstrip("\n").split("\t") for line in open("table")]
assert header == ("# file,frame,time,n,mass,kinetic,potential,energy,energy_error,virial,px,py,pz,lx,ly,lz,momentum_error,"
                  "angular_momentum_error,comx,comy,comz,comvx,comvy,comvz,half_mass_radius,external").split(",")
for row, line in zip(rows, map(json.loads, open("walk.json"))):
    flat = []
    for value in line.values():
        flat += value if isinstance(value, list) else [value]
    assert len(row) == len(header) and row[0] == flat[0]
    assert [float(x) for x in row[1:]] == flat[1:], (row, flat)
P
}

@test "what has no value is null; the error of nothing is 0" {
    python - <<'P'
from nbs_writer import frame, write
at = lambda m, v, t: frame([m], [[1, 2, 3]], [[v, 0, 0]], time=t)
write("one.nbs", at(1, 0, 0), at(1, 1, 1), at(1, 1e200, 2))
write("massless.nbs", at(0, 0, 0), at(0, 1, 1))
P
    nbstat --json one.nbs | json energy energy_error momentum_error angular_momentum_error virial > one
    [ "$(head -n 1 one)" = "0 0 0 0 None" ]
    [ "$(sed -n 2p one)" = "0.5 1 1 0.9636241116594315 None" ] # of its own energy; |x cross v| / |x| |v| = sqrt(13/14)
    [ "$(sed -n 3p one | cut -d' ' -f 1-2)" = "None None" ]
    nbstat --json massless.nbs | json mass com momentum_error half_mass_radius | sort -u > massless
    [ "$(cat massless)" = "0 [None, None, None] 0 None" ]
}

@test "names of files: quotes, control characters, UTF-8 and bytes that are not" {
    make_streams
    names=('a "b" \c' $'tab\tline\n' 'Größe 星 🌌' $'latin\xe9 \xed\xa0\x80\x7f')
    for name in "${names[@]}"; do cp at.nbs "$name"; done
    nbstat --json "${names[@]}" | json file > got
    python - <<'P'
want = ['a "b" \\c', "tab\tline\n", "Größe 星 🌌", "latin\ufffd \ufffd\ufffd\ufffd\x7f"]
got = [eval(line) for line in open("got")]
assert got == want, got
P
    nbstat "${names[@]}" > table
    [ "$(wc -l < table)" -eq 5 ]
    [ "$(awk -F'\t' '{ print NF }' table | sort -u)" = 26 ]
    sed -n 3p table | grep -q '^tab\\011line\\012'
}

@test "several files and stdin: each against its own first frame, a bad one does not stop the others" {
    make_streams
    nbstat --json walk.nbs - at.nbs < walk.nbs | json file frame energy_error > got
    [ "$(cut -d' ' -f 1-2 got | paste -sd,)" = "'walk.nbs' 0,'walk.nbs' 1,'walk.nbs' 2,'walk.nbs' 3,'stdin' 0,'stdin' 1,'stdin' 2,'stdin' 3,'at.nbs' 0" ]
    [ "$(grep -c ' 0 0$' got)" -eq 3 ]
    cat walk.nbs walk.nbs | nbstat --json | json frame energy_error | tail -n 4 | head -n 1 | grep -qx '4 0'
    run -1 --separate-stderr nbstat missing.nbs at.nbs
    [ "${#lines[@]}" -eq 2 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "nbstat: missing.nbs: "* ]]
}

@test "--frame: one line, against the first frame; from files, pipes and cat of streams" {
    make_streams
    cat at.nbs walk.nbs walk.nbs > cat.nbs
    for file in walk cat; do
        nbstat $file.nbs > all
        for k in 0 1 3 last; do
            if [ $k = last ]; then want=$(tail -n 1 all); else want=$(sed -n "$((k + 2))p" all); fi
            [ "$(nbstat --frame $k $file.nbs | tail -n +2)" = "$want" ]
            [ "$(cat $file.nbs | nbstat --frame $k | tail -n +2 | cut -f 2-)" = "$(cut -f 2- <<< "$want")" ]
        done
    done
    [ "$(nbstat --frame all cat.nbs)" = "$(cat all)" ]
    run -1 --separate-stderr nbstat --frame 4 walk.nbs
    [ "${#stderr_lines[@]}" -eq 1 ]
    [ -z "$output" ]
    [[ "$stderr" == *"no frame 4"* ]]
    run -1 --separate-stderr nbstat --frame 4 - < <(cat walk.nbs)
    [ "${#stderr_lines[@]}" -eq 1 ]
    [ -z "$output" ]
    [[ "$stderr" == *"no frame 4"* ]]
    # what a pipe brings is verified to its end, and salvage keeps numbers
    head -c -100 walk.nbs > cut.nbs
    run -1 --separate-stderr bash -c 'cat cut.nbs | nbstat --frame 1'
    [ "${#lines[@]}" -eq 2 ]
    [ "$(nbstat --salvage --frame last cut.nbs 2> warning | tail -n 1 | cut -f 2)" = 3 ]
    grep -q warning warning
}

@test "limits: exit 3 after all lines, naming the worst" {
    make_few 1 1.1 1.3 1.2
    # About the centre of mass E = v^2 / 4 - 1: -0.75, -0.6975, -0.5775, -0.64; the third is off by 0.23, its momentum by 0.3 / 1.3
    nbstat --max-de 0.24 --max-dp 0.24 --max-dl 0.24 few.nbs > /dev/null
    run -3 --separate-stderr nbstat --max-de 0.2 few.nbs
    [ "${#lines[@]}" -eq 5 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "nbstat: few.nbs: frame 2: energy error 0.23 is above --max-de 0.2"* ]]
    run -3 --separate-stderr nbstat -q --max-dp 0.2 few.nbs
    [[ "$stderr" == "nbstat: few.nbs: frame 2: momentum error 0.231 is above "* ]]
    run -3 --separate-stderr nbstat --json --max-de 0.24 --max-dl 0.01 few.nbs
    [[ "$stderr" == *"frame 2: angular momentum error 0.231 is above "* ]]
    nbstat --max-de 0 --max-dp 0 --max-dl 0 --frame 0 few.nbs > /dev/null
}

@test "limits: a value that is no number exceeds, and damage comes before" {
    make_few 1 1.1 1e200 1.2
    run -3 --separate-stderr nbstat --max-de 1e300 few.nbs
    [[ "$stderr" == *"frame 2: energy error is not a finite number"* ]]
    head -c -10 few.nbs > cut.nbs
    run -1 --separate-stderr nbstat --max-de 0.1 cut.nbs
    [ "${#lines[@]}" -eq 5 ]
    [ "${#stderr_lines[@]}" -eq 2 ]
}

@test "equal bytes for any number of threads" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(1)
write("cloud.nbs", frame(r.random(5003), r.normal(size=(5003, 3)), r.normal(size=(5003, 3))))
P
    for threads in 1 2 5; do nbstat --device cpu --threads $threads cloud.nbs > $threads; done
    cmp 1 2 && cmp 1 5
}

@test "a line appears as soon as its frame is whole" {
    make_streams
    mkfifo pipe
    nbstat --json pipe > live & reader=$!
    exec 7> pipe
    cat at.nbs >&7
    await $reader test -s live
    [ "$(wc -l < live)" -eq 1 ]
    cat at.nbs >&7
    exec 7>&-
    wait $reader
    [ "$(wc -l < live)" -eq 2 ]
}

@test "usage errors: exit 2" {
    make_streams
    for options in "--max-de -1" "--max-de x" "--max-dp nan" "--potential maybe" "--no-such-option" "--check --info" "--check --json" \
        "--info --max-de 1" "--check --salvage" "--check --frame 1" "--info --frame last" "--potential none --max-de 1" "--frame -1:-2" "- -"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbstat $options at.nbs
        [ -z "$output" ] && [ -n "$stderr" ] && [ "${#stderr_lines[@]}" -le 2 ] || { echo "$options: $stderr"; false; }
    done
    run -2 --separate-stderr nbstat --device abacus at.nbs
    [[ "${stderr_lines[0]}" == *"--device abacus: expected auto"* ]]
}

@test "outputs: -o, -f, /dev/null, /dev/full, a reader that leaves" {
    make_streams
    nbstat walk.nbs -o table
    nbstat walk.nbs | cmp - table
    run -1 --separate-stderr nbstat walk.nbs -o table
    [[ "$stderr" == *exists* ]]
    nbstat at.nbs -f -o table
    [ "$(wc -l < table)" -eq 2 ]
    nbstat walk.nbs -o /dev/null
    [ -c /dev/null ]
    for mode in "" --json --info --check; do
        # shellcheck disable=SC2086
        run -1 --separate-stderr bash -c "nbstat $mode walk.nbs > /dev/full"
        [[ "$stderr" == "nbstat: stdout: "*"No space left"* ]]
        [ "${#stderr_lines[@]}" -eq 1 ]
    done
    run -0 --separate-stderr bash -c 'nbstat $(yes walk.nbs | head -n 500) | head -n 1 > /dev/null'
    [ -z "$stderr" ]
}

@test "a terminal as input gets a hint and exit 2" {
    command -v script > /dev/null || skip "script(1) is not here"
    run -2 script -qec "nbstat" /dev/null < /dev/null
    [[ "$output" == *terminal* ]]
}
