#!/usr/bin/env bats
# whfast, the Wisdom-Holman map for planets of a star: the outer planets, the entire solar system, rejected options.
bats_require_minimum_version 1.5.0
load ../common/common

@test "outer planets over 27000 years in 10^5 steps: energy and angular momentum do not drift" {
    nbgen outer-solar -o start.nbs
    for scheme in whfast whfast17 whfast-jacobi whfast17-jacobi; do
        nbsim -q --integrator $scheme --dt 100 --until 1e7 --every 1e5 start.nbs -o $scheme.nbs
        nbstat -q --json $scheme.nbs > $scheme.json
        python - $scheme.json <<'P'
import json, sys
import numpy as np
rows = [json.loads(line) for line in open(sys.argv[1])]
energy = np.array([row["energy_error"] for row in rows]); angular = max(row["angular_momentum_error"] for row in rows)
most = 6e-9 if "17" in sys.argv[1] else 6e-7
slope = np.polyfit(np.linspace(0, 1, len(energy)), energy, 1)[0]
print(f"# {sys.argv[1]}: energy within {abs(energy).max():.1e}, drift {slope:.1e}, angular momentum within {angular:.1e}", file=sys.stderr)
assert len(rows) == 101 and 0 < abs(energy).max() < most and abs(slope) < most / 100 and angular < 1e-14
P
    done
}

@test "outer planets after 1000 years are where rkf78 puts them, and nearer with the corrector" {
    nbgen outer-solar -o start.nbs
    nbsim -q --device cpu --integrator rkf78 --tolerance 1e-14 --until 365250 start.nbs -o want.nbs
    nbconv --to text --columns pos --frame last want.nbs > want
    for scheme in whfast whfast17 whfast-jacobi whfast17-jacobi; do
        nbsim -q --integrator $scheme --dt 10 --until 365250 start.nbs -o $scheme.nbs
        nbconv --to text --columns pos --frame last $scheme.nbs > $scheme
    done
    python - <<'P'
import numpy as np
want, *have = (np.loadtxt(name) for name in ("want", "whfast", "whfast17", "whfast-jacobi", "whfast17-jacobi"))
off = [np.abs(x - want).max() for x in have]
print("# off by", off)
assert max(off[::2]) < 2e-4 and max(off[1::2]) < 2e-6, off  # AU
P
}

@test "there and back: the planets return" {
    nbgen solar -o start.nbs
    for scheme in whfast17 whfast17-jacobi; do
        nbsim -q --integrator $scheme --dt 0.01 --until 50 start.nbs -f -o there.nbs
        nbsim -q --integrator $scheme --dt -0.01 --until 0 there.nbs -o $scheme.nbs
    done
    for run in start whfast17 whfast17-jacobi; do nbconv --to text --columns pos --frame last $run.nbs > $run; done
    python -c 'import numpy as np
for name in "whfast17", "whfast17-jacobi":
    d = np.abs(np.loadtxt("start") - np.loadtxt(name)).max()
    assert 0 < d < 1e-9, (name, d)'
}

@test "the bodies leave in the order they came, wherever the star stands" {
    nbgen outer-solar | nbconv --to text --columns mass,pos,vel | grep -v '^#' > rows
    { echo '# m x y z vx vy vz'; tail -n +4 rows; head -n 3 rows; } | nbconv -q --from text -o turned.nbs
    { echo '# m x y z vx vy vz'; cat rows; } | nbconv -q --from text -o plain.nbs
    for scheme in whfast whfast-jacobi; do
        for order in plain turned; do
            nbsim -q --integrator $scheme --softening 0 --dt 0.01 --steps 100 $order.nbs | nbconv --to text --columns mass,pos |
                grep -v '^#' | sort > $order
        done
        python -c 'import numpy as np; a, b = np.loadtxt("plain"), np.loadtxt("turned"); assert a.shape == (6, 4) and np.abs(a - b).max() < 1e-13'
    done
}

@test "a star alone moves on a line; planets without mass feel the star and nothing else" {
    printf '# m x y z vx vy vz\n2 -1 0 0 0.5 1 0\n' | nbconv -q --from text |
        nbsim -q --integrator whfast --softening 0 --dt 1 --until 3 | nbconv --to text --columns pos | tail -n 1 > alone
    [ "$(cat alone)" = "0.5 3 0" ]
    printf '# m x y z vx vy vz\n1 0 0 0 0 0 0\n0 1 0 0 0 1.2 0\n0 0 2 0 .5 0 .3\n' | nbconv -q --from text -o dust.nbs
    nbsim -q --integrator whfast --softening 0 --dt 5 --until 1000 dust.nbs | nbconv --to text --columns pos > have
    python3 - <<'P' # against Kepler's equation
from math import cos, sin, sqrt, tau
rows = [[float(w) for w in line.split()] for line in open("have") if line[0] != "#"][-3:]
assert max(map(abs, rows[0])) == 0, rows
for got, x, v in zip(rows[1:], ((1, 0, 0), (0, 2, 0)), ((0, 1.2, 0), (0.5, 0, 0.3))):
    r, v2, xv = sqrt(sum(c * c for c in x)), sum(c * c for c in v), sum(a * b for a, b in zip(x, v))
    a = 1 / (2 / r - v2)
    n, c, s = a**-1.5, 1 - r / a, xv / sqrt(a) # c = e cos E, s = e sin E at the beginning
    M = n * 1000 % tau
    d = M # the eccentric anomaly from there on
    for _ in range(100):
        d -= (d - c * sin(d) + s * (1 - cos(d)) - M) / (1 - c * cos(d) + s * sin(d))
    f, g = 1 - a / r * (1 - cos(d)), (M - d + sin(d)) / n
    want = [f * p + g * q for p, q in zip(x, v)]
    assert max(abs(p - q) for p, q in zip(got, want)) < 1e-9, (got, want)
P
}

@test "planets in the last vector do not take up what another thread does: equal bytes, run after run" {
    nbgen plummer -q -n 300 -o p.nbs # 299 planets: two blocks, the second with a vector that is not full
    advance() { nbsim -q --integrator whfast17 --dt 0.01 --softening 0 --max-de inf --until 4 --threads "$1" -f -o "$2" p.nbs; }
    advance 1 one.nbs
    for k in 1 2 3 4 5 6; do
        advance 2 two.nbs
        cmp one.nbs two.nbs
    done
}

@test "it takes the CPU and double precision by itself, and equal bytes come of any number of threads" {
    nbgen outer-solar -o start.nbs
    nbsim --integrator whfast --dt 10 --steps 3 start.nbs -o o.nbs 2> said
    grep -q 'direct force in double precision on CPU' said
    nbgen disk -n 900 --softening 0 --seed 2 -o disk.nbs
    for t in 1 2; do nbsim -q --integrator whfast --dt 0.001 --steps 5 --threads $t disk.nbs -o $t.nbs; done
    cmp 1.nbs 2.nbs
}

@test "what it cannot do is refused with a sentence" {
    nbgen plummer -n 10 --softening 0.01 -o p.nbs
    local sim="nbsim -q --integrator whfast --dt 0.01 --steps 1 -o o.nbs"
    refused 2 "no softening, but the bodies have (--softening 0)" $sim p.nbs
    refused 2 "double precision only" $sim --softening 0 --precision single p.nbs
    refused 2 "double precision only" $sim --softening 0 --precision quad p.nbs
    refused 2 "needs direct summation" $sim --softening 0 --force tree p.nbs
    refused 2 "no external fields" $sim --softening 0 --force auto --force external:drag,rate=1 p.nbs
    refused 2 "no external fields" $sim --softening 0 --force external:point,mass=1 p.nbs
    run -2 --separate-stderr nbsim -q --integrator whfast --softening 0 --tolerance 1e-6 --until 1 p.nbs -o o.nbs
    [[ "$stderr" == *"does not estimate its error"* ]]
    printf '# m x y z vx vy vz\n0 -1 0 0 0 0 0\n0 1 0 0 0 0 0\n' | nbconv -q --from text -o none.nbs
    refused 1 "no centre" $sim --softening 0 none.nbs
    [ ! -e o.nbs ]
}

# A comet of e = 0.99 and a = 2 about a mass of 1, G = 1: at pericentre q = 0.02 it turns by sqrt((1 + e) / q^3) a time.
@test "steps that are too long for a pericentre passage are warned of, with the step that it needs" {
    python - <<'P'
from nbs_writer import frame, write
write("comet.nbs", frame([1.0, 1e-3, 1e-12], [[0, 0, 0], [5, 0, 0], [3.98, 0, 0]],
                         [[0, 0, 0], [0, 5 ** -0.5, 0], [0, (0.01 / 3.98) ** 0.5, 0]]))
P
    needed=$(python -c 'import math; print("%.2g" % (0.95 * 2 * math.pi / math.sqrt(1.99 / 0.02 ** 3) / 20))')
    run -0 --separate-stderr nbsim -q --device cpu --integrator whfast --dt 0.05 --until 1 comet.nbs -o o.nbs
    [[ "$stderr" == *"body 2 passes its pericentre in "*"(--dt $needed)" ]]
    run -0 --separate-stderr nbsim -q --device cpu --integrator whfast --dt 6e-4 --until 0.1 comet.nbs -f -o o.nbs
    [ -z "$stderr" ]
    # Whoever takes the step of the warning is not warned again: 0.00775 is not rounded up to 0.0078.
    nbgen solar -q -o s.nbs
    run -0 --separate-stderr nbsim -q --device cpu --integrator whfast --dt 0.01 --until 1 s.nbs -f -o o.nbs
    step=$(sed -n 's/.*(--dt \([0-9.e-]*\)).*/\1/p' <<<"$stderr")
    run -0 --separate-stderr nbsim -q --device cpu --integrator whfast --dt "$step" --until 1 --every "$step" s.nbs -f -o o.nbs
    [ -z "$stderr" ]
}
