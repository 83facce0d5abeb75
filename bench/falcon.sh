#!/bin/sh
# Compares nbsim with gyrfalcON (Dehnen 2002, J. Comput. Phys. 179, 27) on one core: bench/falcon.sh BUILD [N [TIME]].
# Runs the galaxy of nbgen with N bodies (default 20k) to TIME (default 16), with block steps and with one step for all, in
# single precision, with Plummer softening. gyrfalcON comes from NEMO (https://github.com/teuben/nemo: configure
# --enable-single, then make in src and in usr/dehnen), and must be in PATH, or GYRFALCON its path.
# Writes two tables as TSV to stdout. The first has the force errors of both programs relative to a direct sum in double
# precision, by opening parameter. The second has the processor time (user and system) of whole runs and their largest
# relative energy error in nine frames, which nbstat computes by direct summation for both programs. All runs take turns,
# ROUNDS times (default 3), and the median counts.
# Settings, as lists of words: OURS, opening parameters of nbsim (default 1); THEIRS, theta/Ncrit of gyrfalcON, its opening
# parameter and the largest number of bodies in a leaf (default "0.2/6 0.6/16": the force error of the first is that of nbsim,
# the second has gyrfalcON's default theta; with each theta the faster of the leaves 6 and 16); ETAS, factors of the step
# criterion, eta of nbsim and fea of gyrfalcON (default "0.4 0.2 0.1"); STEPS, powers k of a fixed step 1/2^k (default "3 4").
# The defaults take 20 minutes of processor time.
# If there is no gyrfalcON, it says so and is skipped.
set -eu
build=$(cd "${1:?usage: bench/falcon.sh BUILD [N [TIME]]}" && pwd)
n=${2:-20k} until=${3:-16}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$build/bin:$PATH
gyrfalcon=${GYRFALCON:-gyrfalcON}
command -v "$gyrfalcon" >/dev/null || {
    echo "falcon: skipped, there is no gyrfalcON (set GYRFALCON to its path)"
    exit 0
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$here/about.sh" "$build"

nbgen galaxy --preset milkyway -n "$n" --seed 1 -q -f -o in.nbs
nbconv --to nemo -q -f -o in.nemo in.nbs
softening=$(nbstat --info in.nbs | awk '$1 == "softening" { print $2 }')
every=$(awk "BEGIN { print $until / 8 }")

# theirs OPTION...: runs gyrfalcON on in.nemo, and writes out.nemo, which must not exist before.
theirs() {
    rm -f out.nemo
    "$gyrfalcon" in=in.nemo out=out.nemo eps="$softening" kernel=0 logfile=. "$@" >said 2>&1
}

# ours OPTION...: runs nbsim on in.nbs, and writes out.nbs.
ours() {
    nbsim --force tree --precision single --device cpu --threads 1 --max-de inf -q -f -o out.nbs "$@" in.nbs
}

back() { nbconv --from nemo --softening "$softening" -q -f -o out.nbs out.nemo; }

# errors NAME THETA: prints the median and the 99 % quantile of the force errors of out.nbs relative to those in exact.
errors() {
    nbconv --to text --columns acc out.nbs | grep -v '^#' | paste exact - |
        awk '{ d = $1 * $1 + $2 * $2 + $3 * $3; x = $4 - $1; y = $5 - $2; z = $6 - $3
               printf "%.9f\n", sqrt((x * x + y * y + z * z) / d) }' | sort -n |
        awk -v name="$1" -v theta="$2" '{ e[NR] = $1 }
            END { printf "%s\t%s\t%.3g\t%.3g\n", name, theta, e[int((NR + 1) / 2)], e[int(0.99 * NR)] }'
}

printf '# force errors\n# program\ttheta\tmedian\tp99\n'
nbsim --steps 0 --write acc --force direct --precision double --device cpu -q -f -o out.nbs in.nbs
nbconv --to text --columns acc out.nbs | grep -v '^#' >exact
for theta in 0.5 0.75 1; do
    ours --steps 0 --write acc --theta $theta
    errors nbsim $theta
done
for opening in 0.2/6 0.3/6 0.4/6 0.5/6 0.6/6 0.6/16; do
    theirs tstop=0 kmax=2 give=mxva theta=${opening%/*} Ncrit=${opening#*/}
    back
    errors gyrfalcON $opening
done

# A line of "runs" is a program, its name in the table, and the options of a run.
for theta in ${OURS-1}; do
    for eta in ${ETAS-0.4 0.2 0.1}; do
        echo "ours nbsim,$theta,block,$eta --theta $theta --integrator leapfrog-block --dt 0.5 --max-rungs 7 --eta $eta" \
            "--until $until --every $every"
    done
    for k in ${STEPS-3 4}; do
        echo "ours nbsim,$theta,fixed,1/$((1 << k)) --theta $theta --integrator leapfrog --dt $(awk "BEGIN { print 1 / 2 ^ $k }")" \
            "--until $until --every $every"
    done
done >runs
for opening in ${THEIRS-0.2/6 0.6/16}; do
    tree="theta=${opening%/*} Ncrit=${opening#*/}"
    for eta in ${ETAS-0.4 0.2 0.1}; do
        echo "theirs gyrfalcON,$opening,block,$eta $tree kmax=1 Nlev=8 fea=$eta tstop=$until step=$every"
    done
    for k in ${STEPS-3 4}; do
        echo "theirs gyrfalcON,$opening,fixed,1/$((1 << k)) $tree kmax=$k tstop=$until step=$every"
    done
done >>runs


printf '# runs\n# program\ttheta\tsteps\tfactor or step\tseconds\tenergy_error\n'
: >times
for round in $(seq "${ROUNDS:-3}"); do
    while read -r program name options; do
        times >before
        # shellcheck disable=SC2086 # words
        $program $options </dev/null
        times >after
        seconds=$(awk 'FNR == 2 { s = 0; for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] } r = s - r }
            END { print r }' before after)
        echo "$name $seconds" >>times
        [ "$round" = 1 ] || continue
        [ "$program" = ours ] || back
        nbstat --potential direct --csv --columns energy_error out.nbs 2>/dev/null |
            awk -v name="$name" 'NR > 1 { e = $1 < 0 ? -$1 : $1; if (e > most) most = e } END { printf "%s %.2g\n", name, most }' >>energies
    done <runs
done
while read -r name error; do
    seconds=$(awk -v name="$name" '$1 == name { print $2 }' times | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }')
    printf '%s\t%s\t%s\n' "$(echo "$name" | tr ',' '\t')" "$seconds" "$error"
done <energies
