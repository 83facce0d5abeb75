#!/usr/bin/env bash
# The accuracy of integrators for equal work: two disks of 256 bodies each, without central bodies, softening 0.02, approach
# each other on a parabola and pass through each other at t = 1.
#
#   work.tsv  errors at t = 2.5 against evaluations of the force: every scheme, fixed steps; N = 512 in double, 32 in quad
#   long.tsv  errors and evaluations on the way to t = 20: adaptive steps against fixed ones
#
# usage: study.sh [OUT-DIRECTORY]     the tables, work.png and long.png
# DOUBLE and QUAD (numbers of evaluations to aim at), SCHEMES and LONG (where the long run ends) in the environment change
# what is made. What OUT-DIRECTORY/runs already has is not computed again: an interrupted study goes on.
set -euo pipefail
study=$(cd "$(dirname "$0")" && pwd)
. "$study/../tools.sh"
export out study
export DOUBLE=${DOUBLE:-500 1000 2000 4000 8000 16000 32000} QUAD=${QUAD:-500 1000 2000 4000 8000 16000}
# whfast is for planets about a star.
schemes=${SCHEMES:-$(nbsim --list-integrators | grep -v -e '^#' -e '^whfast' | cut -f 1)}
LONG=${LONG:-20}
mkdir -p "$out/runs"

make_start() { # make_start N
    nbgen collision -q -n "$1" --central-mass 0 --eccentricity 1 --pericenter 0.2 --separation 2 --softening 0.02 --seed 1 \
        -f -o "$out/runs/start-$1.nbs"
}

# Evaluations that a step of a fixed size takes; what is iterated has about ten sweeps of its stages.
evaluations() { # evaluations SCHEME
    nbsim --list-integrators |
        awk -F '\t' -v name="$1" '$1 == name { print $3 != "iterated" ? $3 : name == "gauss6" ? 31 : name == "lobatto4" ? 21 : name == "ias15" ? 16 : 11 }'
}

# Errors of the last frame of a stream: energy, momentum over sum m|v|, angular momentum over sum m|r||v|.
errors() { # errors double|quad FILE
    if [ "$1" = quad ]; then
        python3 "$study/conserved.py" <(nbconv --to text --frame 0 --columns mass,pos,pos_lo,vel,vel_lo "$2") \
            <(nbconv --to text --frame last --columns mass,pos,pos_lo,vel,vel_lo "$2")
    else
        nbstat -q --device cpu --threads 1 "$2" | awk -F '\t' '
            NR == 1 { for (k = 1; k <= NF; k++) column[$k] = k; next }
            NR == 2 { E0 = $column["energy"] }
            END { e = ($column["energy"] - E0) / E0 # of |E|, as in quad
                  printf "%.3e\t%.3e\t%.3e\n", e < 0 ? -e : e, $column["momentum_error"], $column["angular_momentum_error"] }'
    fi
}

# One row of work.tsv: a scheme with about that many evaluations.
work() { # work double|quad SCHEME EVALUATIONS
    local n=512 steps name
    [ "$1" = double ] || n=32
    steps=$(awk -v e="$3" -v each="$(evaluations "$2")" 'BEGIN { s = int(e / each + 0.5); print (s > 5 ? s : 5) }')
    name=$out/runs/$1-$2-$3
    [ ! -e "$name.tsv" ] || return 0
    # A step that is too long for an implicit scheme, or throws bodies to infinity, leaves no row.
    nbsim --device cpu --threads 1 --precision "$1" --integrator "$2" --dt "$(awk "BEGIN { printf \"%.17g\", 2.5 / $steps }")" \
        --until 2.5 --max-de inf -f -o "$name.nbs" "$out/runs/start-$n.nbs" 2>"$name.log" || { : >"$name.tsv"; return 0; }
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$steps" \
        "$(sed -n 's/.* steps, \([0-9]*\) force evaluations.*/\1/p' "$name.log")" "$(errors "$1" "$name.nbs")" >"$name.part"
    mv "$name.part" "$name.tsv"
    rm "$name.nbs"
}
export -f work errors evaluations

# Rows of long.tsv from a run with -v and its stream: evaluations so far, and errors, at each output.
long() { # long SCHEME OPTIONS...
    local scheme=$1 name=$out/runs/long-$1
    shift
    [ ! -e "$name.tsv" ] || return 0
    nbsim -v --device cpu --threads 1 --precision double --integrator "$scheme" "$@" --until "$LONG" --every 0.25 --max-de inf -f -o "$name.nbs" \
        "$out/runs/start-512.nbs" 2>"$name.log"
    paste <(sed -n 's/.*t = \([^:]*\): .* \([0-9]*\) force evaluations.*/\1\t\2/p' "$name.log") \
        <(nbstat -q --device cpu --threads 1 "$name.nbs" | awk -F '\t' '
            NR == 1 { for (k = 1; k <= NF; k++) column[$k] = k; next }
            NR == 2 { E0 = $column["energy"] }
            { e = ($column["energy"] - E0) / E0
              printf "%.3e\t%.3e\t%.3e\n", e < 0 ? -e : e, $column["momentum_error"], $column["angular_momentum_error"] }') |
        sed "s/^/$scheme\t/" >"$name.part"
    mv "$name.part" "$name.tsv"
}

make_start 512
make_start 32
rows() {
    for scheme in $schemes; do
        for e in $DOUBLE; do echo double "$scheme" "$e"; done
        for e in $QUAD; do echo quad "$scheme" "$e"; done
    done
}

rows | xargs -P "$(nproc)" -L 1 bash -euo pipefail -c 'work "$@"' work
{
    printf '# precision\tscheme\tsteps\tevaluations\tenergy\tmomentum\tangular_momentum\n'
    rows | while read -r precision scheme e; do cat "$out/runs/$precision-$scheme-$e.tsv"; done | sort -t "$(printf '\t')" -k 1,2 -k 4,4n
} >"$out/work.tsv"

long verner65 --tolerance 1e-8 &
long rkdp54 --tolerance 1e-8
wait
step=$(tail -n 1 "$out/runs/long-rkdp54.tsv" | awk -F '\t' '{ printf "%.17g", $2 / $3 }') # as much work as rkdp54
long ab5 --dt "$step" &
long leapfrog --dt "$step"
wait
{
    printf '# scheme\ttime\tevaluations\tenergy\tmomentum\tangular_momentum\n'
    cat "$out"/runs/long-{rkdp54,verner65,ab5,leapfrog}.tsv
} >"$out/long.tsv"

"$study/plot.sh" "$out"
echo "$out/work.tsv and $out/long.tsv have the numbers, work.png and long.png beside them the pictures"
