#!/usr/bin/env bats
# The time steps that nbgen suggests.
# Streams are read with tests/common/nbs_reader.py, which shares no code with the tools.
bats_require_minimum_version 1.5.0
load ../common/common
load models

# errors TIME FACTOR MODEL OPTIONS...: the largest energy error of leapfrog until TIME with FACTOR suggested steps a step
errors() {
    nbgen "${@:3}" -q -f -o model.nbs 2>/dev/null
    dt=$(nbstat --info model.nbs | awk -v f="$2" '$1 == "dt" { print f * $2 }')
    nbsim -q --device cpu --precision double --integrator leapfrog --dt "$dt" --until "$1" \
        --every "$(awk "BEGIN { print $1 / 25 }")" model.nbs -f -o run.nbs
    nbstat --json run.nbs | python -c '
import json, sys
print(max(abs(json.loads(line)["energy_error"]) for line in sys.stdin))'
}

@test "the suggested step holds the energy, whatever the softening and the centre" {
    # Ten bodies have an energy near 0 by chance, a twentieth of |W|: their limit is 1e-3 of |W|. Where the suggested step
    # holds by far, several of them are taken as one: that is asked for more, and takes less time.
    while read -r limit line; do
        error=$(errors $line)
        echo "# $line: $error" >&3
        python -c "assert $error < $limit"
    done < <(echo "0.02 2 1 plummer -n 10" && sed 's/^/1e-3 /' <<'END'
1 4 plummer -n 200 --softening 0.001
2 1 uniform -n 10 --virial 0
1.3 1 uniform -n 300 --virial 0
1.3 3 uniform -n 100 --virial 0 --softening 0.001
2 1 disk -n 300
1 1 disk -n 150 --central-mass 0.99
0.5 2 disk -n 300 --central-mass 0 --softening 0.001
0.5 1 disk -n 200 --softening 0.001
0.5 1 disk -n 200 --thickness 0.001 --softening 0.001 --central-mass 0
1 1 disk -n 200 --profile power --slope 1.5 --inner 0.001
4 1 collision -n 200
3 1 spheres -n 200 --count 4
12 1 kepler -e 0.9
30 1 figure8
60 20 lagrange --masses 98,1,1
2.2 20 pythagorean
END
    )
}

@test "the suggested step is not many times shorter than needed" {
    for model in "disk -n 300 --central-mass 0 --softening 0.001" "disk -n 300 --central-mass 0.99"; do
        python -c "assert $(errors 1 16 $model) > 1e-3"
    done
}

@test "many softened bodies: an energy error near 1e-4, and much more with steps 2.5 times as long" {
    for model in "2 plummer -n 1500" "8 hernquist -n 1500" "2 uniform -n 1500 --virial 0.5" "3 spheres -n 1500" \
        "2 disk -n 1500 --central-mass 0"; do
        one=$(errors ${model%% *} 1 ${model#* }) longer=$(errors ${model%% *} 2.5 ${model#* })
        echo "# $model: $one, $longer" >&3
        python -c "assert $one < 1.5e-4 < 2.5e-4 < $longer"
    done
}

@test "a softening given to nbsim: the step is the one that nbgen suggests for it" {
    nbgen plummer -n 1500 --softening 0.02 -q -o own.nbs
    nbgen plummer -n 1500 -q | nbsim --device cpu --integrator leapfrog --softening 0.02 --until 0.01 -o run.nbs 2>said
    given=$(nbstat --info own.nbs | awk '$1 == "dt" { print $2 }')
    # That of the bodies has their largest acceleration, and not that of the smooth sphere.
    awk -v a="$given" '/^nbsim: dt/ { found = 1; exit !($3 + 0 > 0.6 * a && $3 + 0 < 1.1 * a) } END { exit !found }' said
}

@test "without softening the step follows passages that turn bodies by 90 degrees" {
    nbgen plummer -n 2k --softening 0 -o p.nbs
    nbgen disk -n 2k --central-mass 0 --softening 0 -q -o d.nbs 2>/dev/null
    nbgen disk -n 2k --central-mass 0 --softening 0 --thickness 0 --toomre 0 -q -o flat.nbs 2>/dev/null
    check p.nbs d.nbs flat.nbs <<'P'
m = 1 / 2000
for f, v in (frames[0], 1.84), (frames[1], 1):
    reach = 2 * m / v**2
    assert f["softening"] == 0 and 0.05 * reach / v < f["dt"] < 0.5 * reach / v, (f["dt"], reach / v)
assert 1e-4 < frames[2]["dt"] < 0.01  # neighbours are 0.02 apart, and rest in the frame of each other
P
}

@test "cold bodies that bring no step: nbsim's own keeps the energy through their collapse" {
    python - <<'P'
import random
from nbs_writer import frame, write
random.seed(4)
x = []
while len(x) < 1200:
    p = [random.uniform(-1, 1) for _ in range(3)]
    if sum(c * c for c in p) < 1:
        x.append(p)
write("cold.nbs", frame([1 / 1200] * 1200, x, [[0, 0, 0]] * 1200))
P
    nbsim -q --device cpu --softening 0.03 --until 1.5 --every 0.1 --log log.tsv cold.nbs -o out.nbs
    error=$(awk '!/^#/ { e = $4 < 0 ? -$4 : $4; if (e > most) most = e } END { print most }' log.tsv)
    echo "# $error" >&3
    python -c "assert $error < 1e-3"
}
