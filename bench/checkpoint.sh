#!/bin/sh
# Measures the cost of checkpoints: bench/checkpoint.sh BUILD [BODIES [STEPS [EVERY [FOLDER]]]]. The same leapfrog run
# in mixed precision (default 16M bodies), once without and once with a checkpoint every EVERY (default 10s), in a new
# folder in FOLDER (default: the current folder). Prints a table: the time that a checkpoint costs, and its share of a
# minute. The time is measured twice: as the time in which the steps waited for copies, from the run's log; and as the
# difference of both runs, which includes the slowdown of the steps by the writing thread.
set -eu
build=${1:?usage: bench/checkpoint.sh BUILD [BODIES [STEPS [EVERY [FOLDER]]]]}
PATH=$(cd "$build" && pwd)/bin:$PATH
bodies=${2:-16M} steps=${3:-1500} every=${4:-10s}
folder=$(mktemp -d "${5:-.}/checkpoint.XXXXXX")
folder=$(cd "$folder" && pwd)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

simulate() { # simulate SAID OPTION...: seconds of its run
    said=$1
    shift
    nbsim --precision mixed --dt 1e-4 --steps "$steps" --no-space-check "$@" in.nbs -f -o out.nbs 2>"$said"
    awk '/ force evaluations in / { for (k = 1; k < NF; k++) if ($k == "in") print $(k + 1) }' "$said"
}

nbgen plummer -n "$bodies" --no-sync -o in.nbs
without=$(simulate without)
with=$(simulate with --checkpoint ck --checkpoint-every "$every")
# "nbsim: 7 checkpoints, the steps waited 0.51 s for them"
grep -q ' checkpoints*, the steps waited ' with || { echo 'no checkpoint fell into the run: more STEPS, or a shorter EVERY' >&2; exit 1; }
printf '# bodies\tdevice\tsteps s\twith checkpoints s\tcheckpoints\twaited s\tof a minute %%\tby difference %%\n'
awk -v bodies="$bodies" -v without="$without" -v with="$with" '
    / bodies, / { sub(/.* precision on /, ""); device = $0 }
    / checkpoints*, the steps waited / { count = $2; waited = $(NF - 3) }
    END {
        printf "%s\t%s\t%s\t%s\t%d\t%s\t%.3f\t%.3f\n", bodies, device, without, with, count, waited,
            100 * waited / count / 60, 100 * (with + waited - without) / count / 60
    }' with
