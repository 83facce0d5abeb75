#!/bin/bash
# random_systems.sh SEEDS...: runs nbsim with default options on a small random system for each seed, at most $LIMIT
# seconds of CPU (60) each, and prints a line for each: seed, n, kind, softening, exit status, energy error, what was said.
# Fails where a run ends with 0 and an energy error above 1e-2, with another status than 0, 1 or 3, or with no sentence;
# or where fewer than nine in ten end with 0. The energies are nbstat's, of the frames that were written.
set -uo pipefail
ulimit -c 0
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
ended=0 all=0 bad=0 verdict=
for seed; do
    python3 "$here/random_systems.py" "$seed" >system.txt || exit 1
    read -r _ n kind softening until < <(head -n 1 system.txt)
    nbconv -q --from text --softening "$softening" system.txt -f -o begin.nbs || exit 1
    (ulimit -t "${LIMIT:-60}" && exec nbsim -q --device cpu --threads 1 --until "$until" begin.nbs -f -o end.nbs) 2>said
    status=$?
    error=none
    if [ $status = 0 ] || [ $status = 3 ]; then
        error=$(nbstat -q --json end.nbs | sed -n 's/.*"energy_error": *\([^,}]*\).*/\1/p' | tail -n 1)
    fi
    all=$((all + 1))
    case $status in
    0)
        ended=$((ended + 1))
        awk -v e="$error" 'BEGIN { exit !(e <= 1e-2 && e >= -1e-2) }' || { bad=1; verdict="WRONG IN SILENCE"; } ;;
    1 | 3) [ "$(grep -c . said)" -ge 1 ] || { bad=1; verdict="NO SENTENCE"; } ;;
    *) bad=1 verdict="NO END IN TIME, OR A CRASH" ;;
    esac
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$seed" "$n" "$kind" "$softening" "$status" "$error" \
        "${verdict:-$(head -n 1 said)}"
    verdict=
done
[ $((10 * ended)) -ge $((9 * all)) ] || { echo "only $ended of $all ended with 0" >&2; bad=1; }
exit $bad
