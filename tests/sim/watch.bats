#!/usr/bin/env bats
# The energy error that nbsim monitors: compared with direct sums over the written frames, and the effects of a large
# error.
bats_require_minimum_version 1.5.0
load ../common/common


# Energies of a stream's frames in long double, by the sum over pairs, and of the errors what nbsim is to say of them:
# energies FILE defines frames, E[k], error[k]
energies='
import numpy as np
from nbs_reader import read
def look(file, G=1.0, eps=0.0):
    frames = read(open(file, "rb"))
    def parts(f):
        m, x, v = (f[name].astype(np.longdouble) for name in ("mass", "pos", "vel"))
        d = x[:, None] - x[None]
        r = np.sqrt((d * d).sum(-1) + np.longdouble(eps) ** 2)
        np.fill_diagonal(r, np.inf)
        return (m * (v * v).sum(-1)).sum() / 2, -G * (m[:, None] * m / r).sum() / 2
    KW = [parts(f) for f in frames]
    K0, W0 = KW[0]
    E = np.array([K + W for K, W in KW])
    return frames, E, (E - E[0]) / max(abs(E[0]), 0.01 * (K0 - W0))
def log(file):
    lines = open(file).read().splitlines()
    assert lines[0] == "# time\tstep\tenergy\tenergy_error\tdt\trate\tshortest\tlongest", lines[0]
    return np.array([[float(w) for w in line.split("\t")] for line in lines[1:]])
'

@test "leapfrog on an eccentric orbit: the log has the energies that the frames have, and their error" {
    nbgen kepler -e 0.5 -o k.nbs
    nbsim -q --device cpu --softening 0 --dt 0.01 --until 20 --every 0.25 --log k.tsv k.nbs -o o.nbs
    python - <<P
$energies
frames, E, error = look("o.nbs")
rows = log("k.tsv")
assert len(rows) == len(frames) == 81
assert (rows[:, 0] == [k * 0.25 for k in range(81)]).all() and (rows[:, 1] == [25 * k for k in range(81)]).all()
assert np.abs(rows[:, 2] - E).max() < 1e-15
assert rows[0, 3] == 0 and np.abs(rows[:, 3] - error).max() < 1e-15
assert (rows[:, 4] == 0.01).all() and np.isnan(rows[0, 5]) and (rows[1:, 5] > 0).all()
# Of second order; by the modified Hamiltonian (Hairer, Lubich & Wanner 2006, IX) the relative orbit of G M = 1 is off by
# h^2 (1/r^4 - 2 v^2/r^3 + 6 (r.v)^2/r^5) / 24 per reduced mass, up to h^4.
def shift(f):
    r, v = f["pos"][1] - f["pos"][0], f["vel"][1] - f["vel"][0]
    d = np.sqrt(r @ r)
    return 0.01 ** 2 / 24 * 0.25 * (1 / d**4 - 2 * (v @ v) / d**3 + 6 * (r @ v) ** 2 / d**5)
want = np.array([shift(f) for f in frames])
want = (want - want[0]) / 0.125 # |E0|
assert np.abs(want).max() > 2e-4 and np.abs(rows[:, 3] - want).max() < 1e-3 * np.abs(want).max()
P
}

@test "the log has nbstat's figures of the same frames, with a field outside and without softening too" {
    nbgen plummer -n 300 --seed 3 -o p.nbs
    for options in "--softening 0.05" "--softening 0.01 --write phi --integrator rkdp54 --tolerance 1e-7" \
        "--force auto --force external:logarithmic,speed=1,core=0.3"; do
        # shellcheck disable=SC2086
        nbsim -q --device cpu --until 0.5 --every 0.1 $options --log - p.nbs -f -o o.nbs >log
        nbstat --device cpu --potential direct o.nbs | awk -F '\t' 'NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k; next }
            { print $c["time"], $c["energy"], $c["energy_error"] }' | sed 's/# //' >want
        awk -F '\t' 'NR > 1 { print $1, $3, $4 }' log | paste -d' ' - want | awk '
            function off(a, b) { return a > b ? a - b : b - a }
            { lines++; if ($1 != $4 || off($2, $5) > 1e-12 || off($3, $6) > 1e-12) exit 1; if ($3 != 0) moved++ }
            END { if (lines != 6 || moved < 4) exit 1 }'
    done
}

# run_both NAME DIVISOR FIELD OPTIONS...: nbsim's run of NAME.nbs, its words in said; nbstat's errors. Kept for both_are: that
# the errors are those of the frames, of |E0| (E) or of the second divisor (parts), about the centre of mass unless there is a
# field (yes)
run_both() {
    runs=$((${runs:-0} + 1))
    echo "$2 $3" >>cases
    nbsim --device cpu --max-de inf --write phi --log l$runs.tsv "${@:4}" "$1.nbs" -o o$runs.nbs 2>said
    nbstat --potential column --columns energy_error --no-header o$runs.nbs >errors$runs 2>said-too
}

both_are() {
    python - <<P
$energies
def parts(f, field):
    m, v = f["mass"].astype(np.longdouble), f["vel"].astype(np.longdouble)
    w = v - (m[:, None] * v).sum(0) / m.sum() if field == "no" else v
    X = (m * f["phi_external"]).sum() if "phi_external" in f else 0
    return (m * (w * w).sum(1)).sum() / 2, (m * f["phi"]).sum() / 2 + X
cases = [line.split() for line in open("cases")]
assert len(cases) == $runs
for k, (divisor, field) in enumerate(cases, 1):
    frames, rows = read(open(f"o{k}.nbs", "rb")), log(f"l{k}.tsv")
    K, W = np.array([parts(f, field) for f in frames]).T
    whole, second = abs(K[0] + W[0]), 0.01 * (K[0] + abs(W[0]))
    assert (whole > second) == (divisor == "E"), k
    want = (K + W - K[0] - W[0]) / max(whole, second)
    nbstat = np.loadtxt(f"errors{k}")
    assert np.abs(want).max() > 1e-5, (k, want)
    for found in rows[:, 3], nbstat:
        assert np.abs(found - want).max() < 1e-11, (k, found, want)
P
}

@test "nbsim and nbstat have one energy error: of a moving cluster, an energy near 0, in an external field" {
    nbgen plummer -q -n 100 --seed 3 -o still.nbs
    nbedit --boost 30,-20,10 still.nbs -o moving.nbs
    for name in still moving; do
        run_both $name E no --softening 0.05 --dt 0.05 --until 1 --every 0.25
        run ! grep "of 0.01" said said-too
        cut -f 4 l$runs.tsv >$name.errors
    done
    paste still.errors moving.errors | awk 'NR > 2 && ($1 / $2 > 1.000001 || $1 / $2 < 0.999999) { exit 1 }'
    run_both moving E yes --force auto --force external:logarithmic,speed=1,core=0.3 --dt 0.01 --until 0.5 --every 0.25
    printf '# m x y z vx vy vz\n.5 0 0 0 0 0 0\n.5 1 0 0 0 1.4144 .01\n' | nbconv -q --from text -o parabola.nbs
    for precision in quad double; do
        run_both parabola parts no --softening 0 --dt 0.1 --until 1 --every 0.25 --precision $precision
    done
    both_are
    [[ "$(tail -n 1 said)" == *", energy error "*" of 0.01 (K0 + |W0 + X0|)" ]]
    grep -q "^nbstat: largest errors: energy .* of 0.01 (K0 + |W0 + X0|) (frame " said-too
    run -3 --separate-stderr nbstat -q --max-de 1e-9 o$runs.nbs
    [[ "$stderr" == *"energy error "*" of 0.01 (K0 + |W0 + X0|) is above --max-de 1e-09" ]]
    run -3 --separate-stderr nbsim -q --max-de 1e-9 --softening 0 --dt 0.1 --until 1 parabola.nbs -o o.nbs
    [[ "$stderr" == *"the energy error is "*" of 0.01 (K0 + |W0 + X0|) (--max-de 1e-09), and "* ]]
}

@test "an error beyond --max-de: that output is the last, the stream is whole, exit 3; inf goes on" {
    nbgen plummer -n 50 --seed 1 -o p.nbs
    coarse="-q --device cpu --softening 0.01 --dt 0.02 --until 8 --every 0.2 p.nbs"
    # shellcheck disable=SC2086
    nbsim $coarse --max-de inf -o all.nbs
    for limit in "" 0.002 0.03; do
        # shellcheck disable=SC2086
        run -3 --separate-stderr nbsim $coarse ${limit:+--max-de $limit} -f -o o.nbs
        [[ "${stderr_lines[-1]}" == "nbsim: t = "*", step "*": the energy error is "*" (--max-de ${limit:-0.01}), and the stream ends here"* ]]
        [[ "$stderr" == *"a smaller --dt"* ]]
        nbstat -q --check o.nbs
        mv o.nbs "${limit:-0.01}.nbs"
    done
    python - <<P
$energies
others = look("all.nbs", eps=0.01)[1]
assert len(others) == 41
for limit in "0.01", "0.002", "0.03":
    frames, E, error = look(limit + ".nbs", eps=0.01)
    assert len(frames) < 41 and abs(error[-1]) > float(limit) >= np.abs(error[:-1]).max(), (limit, error)
    assert (others[:len(E)] == E).all(), limit
P
}

@test "without softening the pair that steps cannot follow is named" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(4)
x = r.normal(size=(40, 3))
x[31] = x[7] + [3e-3, 4e-3, 0]
x[5] = x[20] + [1e-4, 0, 0] # nearer, but one has no mass
m = np.full(40, 1 / 40)
m[5] = 0
write("close.nbs", frame(m, x, np.zeros((40, 3))))
P
    run -3 --separate-stderr nbsim -q --device cpu --softening 0 --dt 1e-2 --until 1 --every 1e-2 close.nbs -o o.nbs
    pair=$(sed -n 's/.*; bodies \([0-9]*\) and \([0-9]*\) are \([0-9.e-]*\) apart, .*--softening.*/\1 \2 \3/p' <<<"${stderr_lines[-1]}")
    # shellcheck disable=SC2086
    python - $pair <<'P'
import sys
import numpy as np
from nbs_reader import read
f = read(open("o.nbs", "rb"))[-1]
x, m = f["pos"], f["mass"]
d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1)) + np.where(np.add.outer(m == 0, m == 0), np.inf, 0)
np.fill_diagonal(d, np.inf)
i, j = np.unravel_index(d.argmin(), d.shape)
assert [int(w) for w in sys.argv[1:3]] == [i, j] and abs(float(sys.argv[3]) / d[i, j] - 1) < 0.01, (sys.argv, i, j)
P
    # Steps that would have to be too short for a collision name it too; a field that the bodies have to themselves does not.
    printf '# m x y z vx vy vz\n1 9 0 0 0 0 0\n1 1 0 0 0 0 0\n1 -1 0 0 0 0 0\n' | nbconv -q --from text -o head.nbs
    run -1 --separate-stderr nbsim -q --device cpu --softening 0 --integrator rkf78 --tolerance 1e-10 --until 10 head.nbs -o head-on.nbs
    [[ "${stderr_lines[-1]}" == *"; bodies 1 and 2 are "*" apart, where the steps cannot follow them; the stream ends here" ]]
    run -3 --separate-stderr nbsim -q --device cpu --force external:point,mass=1 --softening 0 --dt 1 --until 20 --every 1 head.nbs -o field.nbs
    [[ "$stderr" != *"apart"* ]]
}

@test "an error beyond a thousandth draws one warning, and the run goes on" {
    nbgen kepler -e 0.5 -o k.nbs
    run -0 --separate-stderr nbsim -q --device cpu --softening 0 --dt 0.05 --until 20 --every 0.5 k.nbs -o o.nbs
    [ "$(grep -c "the energy error is" <<<"$stderr")" -eq 1 ]
    [[ "$stderr" == *"nbsim: warning: t = "*": the energy error is "*", above 0.001 ("* ]]
    [ "$(nbstat o.nbs | wc -l)" -eq 42 ]
    run -0 --separate-stderr nbsim -q --device cpu --softening 0 --dt 0.05 --until 20 --every 0.5 --max-de inf k.nbs -f -o o.nbs
    [ -z "$stderr" ]
    run -0 --separate-stderr nbsim --device cpu --softening 0 --dt 0.001 --until 2 --log l.tsv k.nbs -f -o o.nbs
    [[ "${stderr_lines[-1]}" == *", energy error $(awk -F '\t' 'END { printf "%.2g", $4 }' l.tsv)" ]]
}

@test "an energy that is no number is beyond any limit but inf" {
    printf '# m x y z vx vy vz\n1 0 0 0 1e200 0 0\n1 1 0 0 0 0 0\n' | nbconv -q --from text -o fast.nbs
    run -3 --separate-stderr nbsim -q --device cpu --steps 3 --dt 3e-201 --every 3e-201 fast.nbs -o o.nbs
    [[ "$stderr" == "nbsim: t = 0, step 0: the energy is not a finite number (--max-de 0.01)"* ]]
    [ "$(nbstat --potential none o.nbs | wc -l)" -eq 2 ]
    nbsim -q --device cpu --steps 3 --dt 3e-201 --every 3e-201 --max-de inf fast.nbs -o all.nbs
}

@test "a run without outputs is ended between them once the energy does not come back" {
    nbgen plummer -n 20 --seed 2 -o p.nbs
    run -3 --separate-stderr nbsim -q --device cpu --softening 0 --integrator rkck54 --tolerance 0.01 --until 1000 p.nbs -o o.nbs
    nbstat -q --check o.nbs
    python - <<P
$energies
frames, E, error = look("o.nbs")
assert len(frames) == 2 and float(frames[1]["time"]) < 1000 and abs(error[1]) > 0.01, (frames[1]["time"], error)
P
    # Leapfrog's error at a pericentre comes back: from one apocentre to another it is beyond the limit only between outputs.
    nbgen kepler -e 0.9 | nbsim -q --device cpu --softening 0 --integrator ias15 --until 3.141592653589793 >k.nbs
    run="nbsim -q --device cpu --softening 0 --dt 0.003 --until 34.55751918948772 k.nbs -f -o o.nbs"
    $run
    run -3 $run --every 0.01
}

# Looks of leapfrog come every 500 steps, here every eighth of an orbit from its apocentre on. The limit lies between two
# errors that the modified Hamiltonian foresees (see above), so that 3 looks in a row see more, or 5.
@test "between outputs an error counts from the fourth look in a row on" {
    python - >limits <<'P'
import numpy as np
from nbs_writer import frame, write
e, h = 0.5, 2 * np.pi / 4000
write("k.nbs", frame([0.5, 0.5], [[-0.75, 0, 0], [0.75, 0, 0]], [[0, -np.sqrt(1 / 12), 0], [0, np.sqrt(1 / 12), 0]]))
def shift(eighth): # of the orbit, from the pericentre on
    E = M = eighth * np.pi / 4
    for _ in range(50):
        E = M + e * np.sin(E)
    r, v2, rv = 1 - e * np.cos(E), 2 / (1 - e * np.cos(E)) - 1, e * np.sin(E)
    return h**2 / 24 * (1 / r**4 - 2 * v2 / r**3 + 6 * rv**2 / r**5) / 0.5
error = [abs(shift(k) - shift(4)) for k in range(5)]
for k in 1, 2:
    print(repr(float(np.sqrt(error[k] * error[k + 1]))))
P
    run="nbsim -q --device cpu --softening 0 --dt 0.0015707963267948967 --steps 12000 k.nbs -f -o o.nbs"
    $run --max-de "$(head -n 1 limits)"
    [ "$(nbstat -q --columns time o.nbs | wc -l)" = 3 ]
    run -3 $run --max-de "$(tail -n 1 limits)"
    close "$(nbstat -q --columns time o.nbs | tail -n 1)" 3.926990817 1e-6 # 5/8 of an orbit
}

@test "a force that takes energy away is not held against a run; --log has what it took" {
    nbgen plummer -n 20 -o p.nbs
    run -0 --separate-stderr nbsim --device cpu --force auto --force external:drag,rate=1 --until 1 --every 1 --log l.tsv p.nbs -o o.nbs
    [ "$(grep -c "the energy error is not checked" <<<"$stderr")" -eq 1 ]
    awk -F '\t' 'END { exit !(NR == 3 && $4 < -0.1) }' l.tsv
}

@test "the log is a file like other outputs, and no part of the result" {
    nbgen plummer -n 20 -o p.nbs
    run="nbsim -q --device cpu --until 0.1 --every 0.05 p.nbs"
    $run -o plain.nbs
    $run -o logged.nbs --log l.tsv
    cmp plain.nbs logged.nbs
    run ! grep -a -q max-de plain.nbs
    $run --max-de 0.5 | grep -a -q 'history .*--max-de=0.5$'
    run -1 --separate-stderr $run -o o.nbs --log l.tsv
    [ "$stderr" = "nbsim: l.tsv: exists already (-f replaces it)" ]
    [ ! -e o.nbs ]
    $run -f -o o.nbs --log l.tsv
    [ "$(wc -l <l.tsv)" -eq 4 ]
    run -2 --separate-stderr $run --log -
    run -2 --separate-stderr $run -o new.nbs --log ./new.nbs
    [ ! -e new.nbs ]
    mkfifo fifo
    cat fifo >got &
    $run -o fifo.nbs --log fifo
    wait
    cut -f -5 l.tsv | diff - <(cut -f -5 got)
    for limit in -1 x nan; do run -2 --separate-stderr $run --max-de $limit; done
}

@test "--write phi: the potential is computed once" {
    nbgen plummer -n 100 -o p.nbs
    for options in "" "--max-de inf"; do
        # shellcheck disable=SC2086
        nbsim -q --device cpu --steps 4 --dt 0.01 --every 0.01 --write phi --timings $options p.nbs 2>&1 >/dev/null |
            awk -F '\t' '$1 == "pairs" { print $2 }'
    done >calls
    [ "$(sort -u calls)" = 9 ] # 4 steps, 5 frames
    [ "$(wc -l <calls)" -eq 2 ]
}

@test "quad: an error far below the digits of double" {
    nbgen figure8 | nbsim -q --precision quad --softening 0 --integrator gauss6 --dt 0.01 --until 0.4 --every 0.2 --log l.tsv >o.nbs
    python - <<'P'
from decimal import Decimal, getcontext
from nbs_reader import read
getcontext().prec = 50
def energy(f):
    m = [Decimal(float(v)) for v in f["mass"]]
    x, v = ([[Decimal(float(a)) + Decimal(float(b)) for a, b in zip(*rows)] for rows in zip(f[n], f[n + "_lo"])]
            for n in ("pos", "vel"))
    K = sum(a * sum(c * c for c in w) for a, w in zip(m, v)) / 2
    W = -sum(m[i] * m[j] / sum((a - b) ** 2 for a, b in zip(x[i], x[j])).sqrt() for i in range(3) for j in range(i))
    return K, W
frames = read(open("o.nbs", "rb"))
K0, W0 = energy(frames[0])
rows = [line.split("\t") for line in open("l.tsv").read().splitlines()[1:]]
for f, row in zip(frames[1:], rows[1:]):
    want = (sum(energy(f)) - K0 - W0) / abs(K0 + W0)
    assert 0 != abs(want) < 1e-12 and abs(Decimal(row[3]) - want) < 1e-30, (row[3], want)
P
}

@test "a run that goes on has the log and the verdict of one that was not cut" {
    for bodies in 40 100 300 1000 3000; do # until one is not faster than the signal
        rm -rf ck.* two.* one.* first.tsv* rest.tsv*
        nbgen plummer -n $bodies --seed 1 -f -o in.nbs
        run="nbsim -q --device cpu --softening 1e-4 --dt 2e-3 --until 20 --every 0.02 --max-de 0.003 in.nbs"
        $run --checkpoint ck --checkpoint-every 0 --log first.tsv -o two.nbs &
        pid=$!
        await $pid test -s two.nbs.part && { kill -TERM $pid || true; }
        wait $pid || true
        run -3 $run --log one.tsv -o one.nbs
        [ ! -e ck.0 ] && [ ! -e ck.1 ] || [ "$(wc -l <first.tsv.part)" -gt $(($(wc -l <one.tsv) - 3)) ] || break
    done
    run -3 nbsim -q --resume ck --log rest.tsv
    cmp one.nbs two.nbs
    cat first.tsv.part <(tail -n +2 rest.tsv) | cut -f -5 | diff - <(cut -f -5 one.tsv)
    [ "$(wc -l <rest.tsv)" -gt 2 ]
    [ "$(echo ck.*)" = "ck.*" ] # it came to its end
}

@test "--append compares with its own beginning" {
    nbgen plummer -n 50 --seed 1 | nbsim -q --device cpu --softening 0.01 --dt 0.02 --until 8 --every 4 --max-de inf >a.nbs
    cp a.nbs b.nbs
    run -3 nbsim -q --device cpu --dt 0.05 --until 30 --every 4 a.nbs -o a.nbs --append --log a.tsv
    nbstat -q --check a.nbs
    run -3 nbsim -q --device cpu --dt 0.05 --until 30 --every 4 b.nbs -o c.nbs --log c.tsv
    cut -f -4 a.tsv | diff - <(cut -f -4 c.tsv | sed 2d) # a's first frame is there already
}

@test "a motion that all bodies share hides no error: a boosted orbit is judged as one at rest" {
    nbgen kepler -e .9 | nbconv --to text --columns mass,pos,vel | grep -v '^#' >orbit
    for speed in 0 1000 1e7; do
        awk -v v=$speed 'BEGIN { print "# m x y z vx vy vz" } { print $1, $2, $3, $4, $5 + v, $6, $7 }' orbit |
            nbconv -q --from text -o boosted.nbs -f
        run -3 --separate-stderr nbsim -q --device cpu --dt .2 --until 6.28 boosted.nbs -f -o o.nbs
        run -0 nbsim -q --device cpu --max-de inf --dt .2 --until 1 boosted.nbs -f -o o.nbs
        nbstat --json o.nbs | tail -n 1 | python -c 'import json, sys; print(json.loads(sys.stdin.read())["energy_error"])' >>errors
    done
    python -c '
e = [float(l) for l in open("errors")]
assert abs(e[0]) > 0.1 and all(abs(x - e[0]) < 1e-2 * abs(e[0]) for x in e), e'
    # and a good one too, by the same measure
    awk 'BEGIN { print "# m x y z vx vy vz" } { print $1, $2, $3, $4, $5 + 1000, $6, $7 }' orbit |
        nbconv -q --from text -o boosted.nbs -f
    nbsim -q --device cpu --until 6.28 boosted.nbs -f -o o.nbs
    nbstat --max-de 1e-8 o.nbs >/dev/null
}

@test "a cluster on its way through a galaxy: an energy error that hides the cluster's own energy is told" {
    nbgen uniform --virial 0 -n 1500 -q --units galactic --mass 1e-7 --radius 0.01 --softening 2e-4 |
        nbedit --shift 8,0,0 --boost 0,200,0 -o cold.nbs
    fall() { run -0 --separate-stderr nbsim -q --device cpu --force auto --force external:milky-way --until 0.03 --every 0.015 cold.nbs -f -o o.nbs "$@"; }
    fall --dt 3e-3
    [[ "$stderr" == *"does not show errors of the bodies' motion relative to each other"* ]]
    fall --dt 1e-4
    [[ "$stderr" != *"relative to each other"* ]]
}

@test "fixed steps that are too long for light bodies about a heavy one, and bodies without self-gravity, are warned of" {
    python - <<'P'
from nbs_writer import frame, write
write("sun.nbs", frame([1.0] + [1e-9] * 20, [[0, 0, 0]] + [[1 + k / 10, 0, 0] for k in range(20)],
                       [[0, 0, 0]] + [[0, (1 + k / 10) ** -0.5, 0] for k in range(20)]))
P
    for how in "--dt 0.3 1" "--dt 0.01 0" "--dt 0.3 --integrator ias15 0" "--dt 0.3 --tolerance 1e-9 0"; do
        # shellcheck disable=SC2086 # words
        run -0 --separate-stderr nbsim -q --device cpu --until 6.3 ${how% *} sun.nbs -f -o o.nbs
        [[ "$stderr" == *"too long for"* ]] && said=1 || said=0
        [ "$said" = "${how##* }" ]
    done
    run -0 --separate-stderr nbsim -q --device cpu --until 0.1 --force external:point,mass=1,x=9 sun.nbs -f -o o.nbs
    [[ "$stderr" == *"the bodies do not attract each other"* ]]
    run -0 --separate-stderr nbsim -q --device cpu --until 0.1 --force auto --force external:point,mass=1,x=9 sun.nbs -f -o o.nbs
    [[ "$stderr" != *"attract each other"* ]]
}

# What the line on steps says, by its first argument; found: (all), t, step, dt, count, n, body, factor, advice
said='
import re, sys
import numpy as np
from nbs_reader import read
said = sys.argv[1]
found = re.search(r"t = (\S+), step (\d+): steps of (\S+) are too long for (\d+) of (\d+) bodies .*most for body (\d+): (\S+) times as long as .*\(--dt ([^,)]*)", said)
'

@test "steps of a fixed size are judged for each body of a sample, also in a field outside; those that nbgen suggests are short enough" {
    for model in "plummer -n 2k" "galaxy -n 2k" "collision -n 2k" "disk -n 2k --central-mass 0.1" "uniform -n 500 --virial 0"; do
        # shellcheck disable=SC2086 # words
        nbgen $model -q -f -o in.nbs
        run -0 --separate-stderr nbsim -q --device cpu --integrator leapfrog --steps 40 --every steps:10 in.nbs -f -o o.nbs
        [ -z "$stderr" ]
    done
    nbgen plummer -n 600 --softening 0.05 -q -f -o in.nbs
    for how in "leapfrog" "rk4 --force auto --force external:logarithmic,speed=9,core=0.3"; do
        # shellcheck disable=SC2086
        run --separate-stderr nbsim -q --device cpu --integrator $how --steps 1 --dt 0.6 in.nbs -f -o o.nbs
        python - "$(grep "too long for" <<<"$stderr")" <<P
$said
f = read(open("o.nbs", "rb"))[0]
x, m, eps = f["pos"], f["mass"], 0.05
d = x[None] - x[:, None]
r = np.sqrt((d * d).sum(-1) + eps**2)
a = np.sqrt(((m[None, :, None] * d / r[:, :, None]**3).sum(1)**2).sum(-1))
np.fill_diagonal(r, np.inf)
longest = np.maximum(np.sqrt(eps / a), 0.3 * np.sqrt((m / r).sum(1)) / a)
assert 50 < (longest < 0.6).sum() < 550
assert int(found[4]) == (longest < 0.6).sum() and int(found[6]) == longest.argmin()
assert abs(float(found[7]) * longest.min() / 0.6 - 1) < 0.05 and abs(float(found[8]) / longest.min() / 0.95 - 1) < 0.05
P
    done
    # Steps of each body's own follow a criterion already, and a run without limit is not judged.
    for how in "hermite4-block --tolerance 1e-6" "leapfrog-block" "leapfrog --max-de inf"; do
        # shellcheck disable=SC2086
        run --separate-stderr nbsim -q --device cpu --integrator $how --until 0.6 --dt 0.6 in.nbs -f -o o.nbs
        [[ "$stderr" != *"too long for"* ]]
    done
}

@test "light bodies on orbits of e = 0.99: steps are too long for those whose pericentres say so, wherever they are" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(1)
n, e = 200, 0.99
a, M = rng.uniform(0.5, 1.5, n), rng.uniform(0, 2 * np.pi, n)
E = M.copy()
for _ in range(200):
    E = E - (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
zero = 0 * E
x = np.array([a * (np.cos(E) - e), a * np.sqrt(1 - e * e) * np.sin(E), zero]).T
v = (np.array([-np.sin(E), np.sqrt(1 - e * e) * np.cos(E), zero]) / np.sqrt(a) / (1 - e * np.cos(E))).T
write("sun.nbs", frame([1] + [1e-12] * n, np.vstack([[0, 0, 0], x]), np.vstack([[0, 0, 0], v])))
np.save("a.npy", a)
P
    run -0 --separate-stderr nbsim -q --device cpu --integrator leapfrog --softening 1e-5 --dt 1.2e-4 --until 1.2 --max-de 0.5 sun.nbs -o o.nbs
    [ "$(grep -c "too long for" <<<"$stderr")" -eq 1 ]
    python - "$stderr" <<P
$said
a, e, h = np.load("a.npy"), 0.99, 1.2e-4
off = h**2 * (1 + e) / (a * (1 - e))**3 / 12 * 1.2 / a**1.5
assert 10 < (off > 0.01).sum() < 100 and found[2] == "0"
assert abs(int(found[4]) - (off > 0.01).sum()) <= 1 and int(found[6]) == 1 + off.argmax()
assert abs(float(found[7]) / np.sqrt(off.max() / 0.01) - 1) < 0.05
assert "its orbit about body 0" in said
P
}

@test "Sun, Earth, Moon and light bodies: leapfrog's default steps lose the Moon and say so, those that it advises do not" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(1)
earth, moon, a = 3.0034896e-6, 3.694e-8, 0.00257
share, pull = moon / (earth + moon), np.sqrt((earth + moon) / a)
rows = zip(rng.uniform(2, 3.5, 20), rng.uniform(0, 2 * np.pi, 20))
light = [([r * np.cos(w), r * np.sin(w), 0], [-np.sin(w) / r**0.5, np.cos(w) / r**0.5, 0]) for r, w in rows]
x = [[0, 0, 0], [1 - share * a, 0, 0], [1 + (1 - share) * a, 0, 0]] + [row[0] for row in light]
v = [[0, 0, 0], [0, 1 - share * pull, 0], [0, 1 + (1 - share) * pull, 0]] + [row[1] for row in light]
write("moon.nbs", frame([1, earth, moon] + [1e-13] * 20, x, v))
P
    moon() { run -0 --separate-stderr nbsim -q --device cpu --softening 0 --until 62.8 moon.nbs -f "$@"; }
    moon -o ref.nbs
    moon --integrator leapfrog -o default.nbs
    [[ "$stderr" == *"too long for 1 of 23 bodies (4.3 %), most for body 2: "*" times as long as its orbit about body 1 allows"* ]]
    dt=$(sed -n 's/.*too long for.*(--dt \([^,]*\), or --integrator ias15)/\1/p' <<<"$stderr")
    moon --integrator leapfrog --dt "$dt" -o advised.nbs
    [[ "$stderr" != *"too long for"* ]]
    python - <<'P'
import numpy as np
from nbs_reader import read
def moon(name):
    x = read(open(name, "rb"))[-1]["pos"]
    return x[2] - x[1]
want = moon("ref.nbs")
off = [np.linalg.norm(moon(f) - want) / np.linalg.norm(want) for f in ("default.nbs", "advised.nbs")]
print("# off by", off)
assert off[0] > 0.5 and off[1] < 0.05, off
P
}

@test "to look at the steps changes no bit of a run" {
    nbgen plummer -n 300 -q -o in.nbs
    for how in "leapfrog-dkd" "rk4" "ab3 --force tree --rebuild 3" "yoshida4 --force auto --force external:logarithmic,speed=1,core=0.3"; do
        for limit in 0.9 inf; do
            # shellcheck disable=SC2086 # words
            nbsim -q --device cpu --integrator $how --dt 0.01 --until 0.2 --every 0.05 --max-de $limit in.nbs -f -o $limit.nbs
            nbconv --to text --columns pos,vel $limit.nbs | grep -v '^#' >$limit.txt
        done
        cmp 0.9.txt inf.txt
    done
}
