#!/usr/bin/env bash
# Measures the largest memory of a process in bytes a body, on the CPU: a step of nbsim with the tree in single
# precision, and nbstat's potential with the tree, for a uniform sphere in columns of 32 bits.
#
# usage: memory.sh BUILD [N]...    (default: 10M; 100M wants 21 GB of memory, 8 GB of disk and six minutes on two cores)
set -euo pipefail
bin=$1/bin
shift
[ $# -gt 0 ] || set -- 10M
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

peak() { # peak COMMAND...: bytes and seconds
    python3 - "$@" <<'P'
import resource, subprocess, sys, time
begin = time.time()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, f"{time.time() - begin:.1f}")
P
}

printf '# n\ttool\tbytes a body\tseconds\n'
for n in "$@"; do
    "$bin/nbgen" uniform -q -n "$n" --store f32 -f -o "$work/in.nbs"
    bodies=$("$bin/nbstat" --info "$work/in.nbs" | awk '$1 == "frame" { print $NF }')
    for tool in nbsim nbstat; do
        case $tool in
        nbsim) command=("$bin/nbsim" -q --device cpu --precision single --force tree --steps 1 -f -o "$work/out.nbs" "$work/in.nbs") ;;
        nbstat) command=("$bin/nbstat" -q --device cpu --potential tree "$work/in.nbs") ;;
        esac
        peak "${command[@]}" | awk -v n="$n" -v b="$bodies" -v t=$tool '{ printf "%s\t%s\t%.0f\t%s\n", n, t, $1 / b, $2 }'
    done
done
