#!/usr/bin/env bats
# --integrator p3t: star clusters with binaries and small systems, compared with direct sums of the energy and with
# references in quadruple precision; external fields, bitwise identical results, interrupted runs, rejected options.
# Unit tests of the near motion and of both parts: tests/engine/test_p3t_near.c and test_step_p3t.c.
bats_require_minimum_version 1.5.0
load ../common/common

p3t() {
    nbsim -q --device cpu --integrator p3t -f "$@"
}

stars() {
    nbgen plummer -n 2000 --binaries 0.1 --softening 0 -q -f "$@" -o in.nbs
}

# worst FILE KEY: the largest absolute value in all frames, by direct sums
worst() {
    nbstat -q --json "$1" | sed -n "s/.*\"$2\": *\([^,}]*\).*/\1/p" |
        awk '{ v = $1 < 0 ? -$1 : $1 } v > most { most = v } END { printf "%.3e\n", most }'
}

@test "2000 stars, 10 % of the systems binaries: energy and momentum" {
    for seed in 1 2; do
        stars --seed $seed
        p3t --until 0.25 --every 0.0625 -o out.nbs in.nbs
        energy=$(worst out.nbs energy_error) momentum=$(worst out.nbs momentum_error)
        echo "# seed $seed: energy $energy, momentum $momentum"
        close "$energy" 0 5e-6
        close "$momentum" 0 2e-7
    done
}

@test "a quarter of the step: a tenth of the energy error" {
    nbgen plummer -n 2000 --softening 0 --seed 2 -q -o in.nbs
    for dt in 0.004 0.001; do
        p3t --theta 0.3 --dt $dt --until 0.125 --every 0.03125 -o $dt.nbs in.nbs
    done
    coarse=$(worst 0.004.nbs energy_error) fine=$(worst 0.001.nbs energy_error)
    echo "# energy errors $coarse, $fine"
    awk -v coarse="$coarse" -v fine="$fine" 'BEGIN { exit !(fine < 0.15 * coarse && coarse < 3e-6) }'
}

@test "a tenth of the mass in one star: steps are shorter" {
    nbgen plummer -n 2000 --softening 0 --seed 1 -q -o light.nbs
    nbedit -q --set "mass = 0.1 if id == 0" --set "pos.x = 0.01 if id == 0" --set "pos.y = 0.01 if id == 0" \
        --set "pos.z = 0.01 if id == 0" --set "vel.x = 0 if id == 0" --set "vel.y = 0 if id == 0" \
        --set "vel.z = 0 if id == 0" light.nbs -o in.nbs
    p3t --until 0.25 --every 0.0625 -o out.nbs in.nbs
    energy=$(worst out.nbs energy_error)
    echo "# energy $energy"
    close "$energy" 0 4e-5
}

@test "bodies without mass, close together or at one place, do not make steps shorter" {
    for size in 1e-3 1e-7 0; do
        nbgen plummer -n 1500 --softening 0 --seed 1 -q | nbedit -q --set "pos.x = $size * pos.x if id < 300" \
            --set "pos.y = $size * pos.y if id < 300" --set "pos.z = $size * pos.z if id < 300" --set "mass = 0 if id < 300" -f -o in.nbs
        nbsim --device cpu --integrator p3t --until 0.01 --max-de inf -f -o out.nbs in.nbs 2>&1 | grep "^nbsim: dt .*crosses" >> steps
    done
    cat steps
    [ "$(wc -l < steps)" = 3 ]
    awk '{ d = $3 / 0.00526 - 1; if (d > 0.01 || d < -0.01) exit 1 }' steps
}

@test "heavy stars among light ones, and binaries with them" {
    nbgen plummer -n 1500 --binaries 0.3 --softening 0 --seed 2 -q | nbedit -q --set "mass = 0.01 if id < 20" -o in.nbs
    p3t --until 1 --every 0.0625 --max-de inf -o out.nbs in.nbs
    energy=$(worst out.nbs energy_error)
    echo "# energy $energy"
    close "$energy" 0 1e-5
}

@test "heavy stars that fall together from the changeover touch in time" {
    {
        nbgen plummer -n 1000 --softening 0 --seed 4 -q | nbconv -q --to text --columns mass,pos,vel | grep -v "^# n "
        for k in 1 2 3 4; do
            echo "0.02 ${k}0 0 0 0 0 0"
            echo "0.02 ${k}0.0$k 0 0 0 0.1 0"
        done
    } | nbconv -q --from text --softening 0 -f -o in.nbs
    p3t --until 0.05 --merge-radius 1e-3 --max-de inf --events p3t.tsv -o out.nbs in.nbs
    nbsim -q --device cpu --integrator hermite4-groups --until 0.05 --merge-radius 1e-3 --max-de inf --events true.tsv -f -o true.nbs in.nbs
    paste p3t.tsv true.tsv | awk -F '\t' '!/^#/ {
        off = $2 - $16; off = off < 0 ? -off : off; worst = off > worst ? off : worst
        bad += $3 != $17 || $4 != $18; n++
    } END { printf "# times off by up to %.1e\n", worst; exit !(n == 4 && !bad && worst < 3e-7) }'
}

@test "a cold sphere falls together to an eighth of its size: steps and changeover follow" {
    nbgen uniform -n 300 --virial 0 --softening 0 --seed 1 -q -o in.nbs
    p3t --until 1.3 --every 0.1 --max-de inf -o out.nbs in.nbs
    energy=$(worst out.nbs energy_error) least=$(nbstat -q --lagrange 50 --columns r50 out.nbs | sort -g | sed -n 2p)
    echo "# energy $energy, least r50 $least"
    close "$energy" 0 4e-4
    awk -v r="$least" 'BEGIN { exit !(r > 0 && r < 0.1) }'
}

@test "the changeover stays wider than stars that touch, and a step that is too long is refused" {
    nbgen uniform -n 300 --virial 0 --softening 0 --seed 1 -q -o in.nbs
    p3t --until 1 --merge-radius 2e-2 --max-de inf -o out.nbs in.nbs
    refused 1 "too long" p3t --dt 1e300 --until 1e300 -o out.nbs in.nbs
}

# triples COUNT OUTER INNER ENERGY OPTION...: triples of tests/data/triples.txt: bounds for the place of the first body
# relative to the centre of the others, for that of these relative to each other, and for the energy
triples() {
    python - "$data/triples.txt" "$@" <<'P'
import subprocess
import sys
import numpy as np
from nbs_reader import read
from nbs_writer import frame, stream
count, bounds, options = int(sys.argv[2]), [float(word) for word in sys.argv[3:6]], sys.argv[6:]
worst = [0, 0, 0]


def energy(f):
    m, x, v = f["mass"], f["pos"], f["vel"]
    return (m * (v * v).sum(1)).sum() / 2 - sum(m[i] * m[j] / np.linalg.norm(x[i] - x[j]) for i in range(3) for j in range(i))


for line in [line for line in open(sys.argv[1]) if line[0] != "#"][:count]:
    row = np.array(line.split(), float)
    stars, end = row[1:22].reshape(3, 7), row[22:].reshape(3, 3)
    with open("in.nbs", "wb") as f:
        f.write(stream(frame(stars[:, 0], stars[:, 1:4], stars[:, 4:], softening=0.0)))
    subprocess.run(["nbsim", "-q", "--device", "cpu", "--threads", "1", "--integrator", "p3t", "--max-de", "inf", *options,
                    "--until", repr(float(row[0])), "in.nbs", "-f", "-o", "out.nbs"], check=True)
    first, last = read(open("out.nbs", "rb"))
    m, x = first["mass"], last["pos"]
    middle = lambda x: (m[1] * x[1] + m[2] * x[2]) / (m[1] + m[2]) - x[0]
    off = (np.linalg.norm(middle(x) - middle(end)), np.linalg.norm(x[2] - x[1] - end[2] + end[1]), abs(energy(last) / energy(first) - 1))
    worst = [max(pair) for pair in zip(worst, off)]
print("# %s: first body %.1e, pair %.1e, energy %.1e" % (" ".join(options), *worst))
assert all(a < b for a, b in zip(worst, bounds))
P
}

@test "hierarchical triples against quadruple precision, by long steps, in which all is near" {
    triples 12 5e-6 1e-7 3e-8 --dt 10
}

@test "the same where the third star is in the changeover or beyond" {
    triples 4 1e-3 2e-2 1e-3 --dt 1e-3
}

# passing SPEED: twelve stars at rest in places of their own, and twelve that pass them so fast that in a step they go
# farther than the changeover's outer end, and come from beyond all close pairs
passing() {
    {
        nbgen plummer -n 100 --softening 0 --seed 4 -q | nbconv -q --to text --columns mass,pos,vel | grep -v "^# n "
        for k in {0..11}; do
            awk -v x=$(((k % 2 * 2 - 1) * (20 + 10 * (k / 2)))) -v back="$k" -v v="$1" \
                'BEGIN { print 1e-4, x, 0, 0, 0, 0, 0; print 1e-4, x - 0.2 - back / 100, 6e-5, 0, v, 0, 0 }'
        done
    } | nbconv -q --from text --softening 0 -f -o in.nbs
}

@test "a fast star passes another one within a step" {
    passing 10
    p3t --until 0.1 -o out.nbs in.nbs
    nbsim -q --device cpu --integrator ias15 --until 0.1 -f -o true.nbs in.nbs
    paste <(nbconv --to text --frame last --columns vel out.nbs) <(nbconv --to text --frame last --columns vel true.nbs) |
        grep -v "^#" | tail -24 | awk '
            NR % 2 { v = $2; w = $5; next }
            { off = ($2 - v) / ($5 - w) - 1; off = off < 0 ? -off : off; worst = off <= worst ? worst : off }
            END { printf "# deflections off by up to %.1e\n", worst; exit !(NR == 24 && worst < 3e-4) }'
}

@test "the same backwards" {
    passing -10
    p3t --until -0.1 --dt -0.01 -o out.nbs in.nbs
    nbconv --to text --frame last --columns vel out.nbs | grep -v "^#" | tail -24 |
        awk '!(NR % 2) { d = $2 < 0 ? -$2 : $2; if (!(d > 0.332 && d < 0.334)) exit bad = 1 } END { exit bad || NR != 24 }'
}

@test "in an external field the energy stays" {
    stars --seed 3
    p3t --force auto --force external:plummer,mass=1,scale=1 --until 0.25 --every 0.0625 -o out.nbs in.nbs
    energy=$(worst out.nbs energy_error)
    echo "# energy $energy"
    close "$energy" 0 5e-6
}

@test "a binary on its way through an external field moves as one body of its mass" {
    {
        echo "# columns mass pos vel"
        echo "6e-4 1 4e-5 0 1.095445115 1 0"
        echo "4e-4 1 -6e-5 0 -1.643167673 1 0"
    } | nbconv -q --from text --softening 0 -f -o in.nbs
    p3t --force auto --force external:point,mass=1 --dt 1e-3 --until 3.141592653589793 -o out.nbs in.nbs
    nbconv --to text --frame last --columns mass,pos out.nbs | awk '!/^#/ { x += $1 * $2 / 1e-3; y += $1 * $3 / 1e-3 }
        END { printf "# %.3e %.3e\n", x + 1, y; exit !(x + 1 < 1e-5 && x + 1 > -1e-5 && y < 1e-5 && y > -1e-5) }'
}

@test "equal bytes for any number of threads, and when a run is cut" {
    stars --seed 5
    p3t --threads 1 --until 0.06 --every 0.01 -o one.nbs in.nbs
    OMP_NUM_THREADS=2 p3t --until 0.06 --every 0.01 -o two.nbs in.nbs
    nbsim -q --device cpu --integrator p3t --threads 3 --until 0.06 --every 0.01 --checkpoint ck --checkpoint-every 0 -o cut.nbs in.nbs 3>&- &
    pid=$!
    await $pid test -s ck.0 && kill -KILL $pid
    wait $pid || nbsim -q --resume ck --threads 1
    for other in two cut; do
        cmp <(nbconv --to text one.nbs | grep -v "^# history") <(nbconv --to text $other.nbs | grep -v "^# history")
    done
}

# cut_often UNTIL: runs in.nbs at once, and in pieces; the bytes are the same
cut_often() {
    rm -f ck.* cut.nbs
    p3t --threads 1 --until $1 --every 0.01 --max-de inf -o one.nbs in.nbs
    nbsim -q --device cpu --integrator p3t --threads 2 --until $1 --every 0.01 --max-de inf --checkpoint ck --checkpoint-every 0 \
        -o cut.nbs in.nbs 3>&- &
    pid=$!
    await $pid test -s ck.0 && kill -TERM $pid
    wait $pid || true
    cuts=0 most=$([ -z "$NB_SANITIZER" ] && echo 30 || echo 100)
    until [ -e cut.nbs ]; do
        cuts=$((cuts + 1))
        timeout -s TERM "$((cuts / 8)).2" nbsim -q --resume ck --threads 1 || [ $cuts -lt $most ]
    done
    echo "# cut $cuts times"
    [ $cuts -gt 0 ]
    cmp <(nbconv --to text one.nbs | grep -v "^# history") <(nbconv --to text cut.nbs | grep -v "^# history")
}

@test "equal bytes of a run that is cut, over many steps, and while the changeover changes" {
    stars --seed 5 --imf kroupa
    cut_often 1
    nbgen uniform -n 1000 --virial 0 --softening 0 --seed 1 -q -f -o in.nbs
    cut_often 1.2
}

@test "two clusters far apart: steps are those of each" {
    for k in 1 2; do
        nbgen plummer -n 500 --softening 0 --seed $k -q | nbedit -q --shift $((100 * k)),0,0 -o $k.nbs
    done
    nbedit -q --stack 1.nbs 2.nbs -o in.nbs
    p3t --until 0.5 --every 0.125 -o out.nbs in.nbs
    energy=$(worst out.nbs energy_error)
    echo "# energy $energy"
    close "$energy" 0 1e-5
}

@test "stars that merge until one is left" {
    nbgen uniform -n 5 --virial 0 --softening 0 --seed 1 -q -o in.nbs
    p3t --dt 0.01 --until 3 --every 1 --merge-radius 0.03 --max-de inf -o out.nbs in.nbs
    [ "$(nbstat -q --columns time,n out.nbs | tail -n 1)" = "3	1" ]
}

@test "theta is 0.5 where none is given" {
    nbgen plummer -n 50 --softening 0 -q -o in.nbs
    for given in "--theta 0.6=0.6" "--force tree:theta=0.75=0.75" "=0.5" "--force tree=0.5"; do
        nbsim --device cpu --integrator p3t ${given%=*} --until 0.1 -f -o out.nbs in.nbs 2> says
        grep -q "tree force (theta ${given##*=})" says
        [ "${given##*=}" = 0.75 ] || nbstat --info out.nbs | grep -q -e "nbsim.* --theta=${given##*=}"
    done
    nbconv -q --to text in.nbs | sed "s/^# softening.*/&\\n# force tree:theta=0.9/" | nbconv -q --from text -f -o header.nbs
    nbsim --device cpu --integrator p3t --until 0.1 -f -o out.nbs header.nbs 2> says
    grep -q "tree force (theta 0.9)" says
}

@test "what it cannot do is refused in a line" {
    nbgen plummer -n 50 --softening 0 --units solar -q -o in.nbs
    nbedit -q --set 'component = hole if id == 0' in.nbs -o hole.nbs
    refused 2 "p3t: it regularises orbits of point masses" p3t --softening 0.01 --until 1 in.nbs
    refused 2 "p3t: it needs the tree" p3t --force direct --until 1 in.nbs
    refused 2 "p3t: it needs the tree in mixed or double precision" p3t --precision quad --until 1 in.nbs
    refused 2 "p3t: it needs positions in double" p3t --precision single --until 1 in.nbs
    refused 2 "p3t: a force needs velocities" p3t --pn 1 --until 1 hole.nbs
    refused 2 "p3t: a force needs velocities" p3t --force auto --force external:drag,rate=1 --until 1 in.nbs
    refused 2 "p3t: it runs on one device" p3t --device cpu:0-1 --until 1 in.nbs
    refused 2 "p3t does not estimate its error" p3t --tolerance 1e-6 --until 1 in.nbs
    refused 2 "contact" p3t --force contact --until 1 in.nbs
    nbedit -q --set 'mass = 0' in.nbs -o light.nbs
    refused 1 "p3t: the bodies have no mass" p3t --until 1 light.nbs
    [ ! -e out.nbs ]
}
