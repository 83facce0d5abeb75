#!/bin/bash
# Core collapse of 1024 equal stars without softening, with hermite4-groups: bench/collapse.sh BUILD [SEED]..., as TSV
# on stdout. Default: seeds 4 to 8. A run writes one frame each time unit to t = UNTIL (default 380). The collapse is
# the frame with the smallest radius of 1 % of the mass (r1). `relaxations` is its time in initial half-mass relaxation
# times; the last line has the means. `energy_error` is the largest of all frames. A seed takes minutes on one thread.
# N, BINARIES, INTEGRATOR, DEVICE and THREADS in the environment choose another cluster and other options of nbsim. If
# KEEP names a folder, the streams are written there as SEED.nbs, and an existing stream is not computed again.
set -euo pipefail
build=${1:?usage: bench/collapse.sh BUILD [SEED]...}
shift
PATH=$(cd "$build" && pwd)/bin:$PATH
[ $# -gt 0 ] || set -- 4 5 6 7 8
folder=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$folder"' EXIT

printf '# seed\tcollapse\trelaxations\tenergy_error'
for r in r1 r10 r50; do printf '\t%s_100\t%s_200\t%s_collapse' $r $r $r; done
echo
for seed; do
    stream=$folder/$seed.nbs
    [ -e "$stream" ] || nbgen plummer -q -n "${N:-1024}" --binaries "${BINARIES:-0}" --softening 0 --seed "$seed" |
        nbsim -q --device "${DEVICE:-cpu}" --threads "${THREADS:-1}" --integrator "${INTEGRATOR:-hermite4-groups}" \
            --max-de inf --until "${UNTIL:-380}" --every 1 -o "$stream"
    nbstat -q --threads 1 --no-header --lagrange 1,10,50 --columns time,relaxation_time,energy_error,r1,r10,r50 "$stream" |
        awk -v OFS='\t' -v seed="$seed" '
            NR == 1 { relaxation = $2 }
            { e = $3 < 0 ? -$3 : $3; if (e > error) error = e }
            { for (k = 1; k <= 3; k++) r[k, $1] = $(3 + k) }
            NR == 1 || $4 < least { least = $4; t = $1 }
            END {
                printf "%d\t%g\t%.3g\t%.2g", seed, t, t / relaxation, error
                for (k = 1; k <= 3; k++) printf "\t%.3g\t%.3g\t%.3g", r[k, 100], r[k, 200], r[k, t]
                print ""
            }'
done | awk -F '\t' '
    { print; fflush(); n++; t += $2; relaxations += $3; if ($4 > error) error = $4 }
    END { if (n > 0) printf "mean\t%.4g\t%.3g\t%.2g\n", t / n, relaxations / n, error }'
