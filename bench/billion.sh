#!/usr/bin/env bash
# Makes a film of N bodies on one GPU with all programs in one pipe. Measures the seconds until the second frame, the
# seconds a step, the largest memory of the GPU and of the host, and compares the acceleration of some bodies with that
# of a uniform sphere, -x.
#
# usage: billion.sh BUILD FILM [N [STEPS [EVERY]]]    (default: 1G 100 10; 1G wants 140 GB of the GPU and 80 of the host)
# FILM: .mp4, or without ffmpeg .apng or frame-%03d.png. CHECKED in the environment: number of bodies of the second run,
# which checks the accelerations.
set -euo pipefail
bin=$1/bin film=$2 n=${3:-1G} steps=${4:-100} every=${5:-10}
how=(--device "${DEVICE:-cuda}" --precision single --force tree)
work=$(mktemp -d)
watcher=
trap '[ -z "$watcher" ] || kill $watcher; rm -rf "$work"' EXIT
watch() { # each second: since the beginning, lines of the log, GPU and host memory in MB
    while sleep 1; do
        printf '%s %s %s %s\n' $((SECONDS - begin)) "$(cat "$work"/log* 2> "$work/none" | wc -l)" \
            "$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2> "$work/none" | head -n 1 | grep . || echo 0)" \
            "$(awk '/^MemTotal/ { t = $2 } /^MemAvailable/ { a = $2 } END { print (t - a) / 1024 }' /proc/meminfo)"
    done > "$work/watch"
}
begin=$SECONDS
watch &
watcher=$!
"$bin/nbgen" uniform -q -n "$n" --store f32 |
    "$bin/nbsim" "${how[@]}" --steps "$steps" --every "steps:$every" --sample 1/10 --timings --log "$work/log" \
        2> "$work/said" |
    "$bin/nbrender" -q -f -o "$film"
kill $watcher
watcher=
cat "$work/said" >&2
awk -v n="$n" 'BEGIN { print "# n\tseconds to the second frame\tGPU GB\thost GB" }
    $2 > 2 && !first { first = $1 } $3 > gpu { gpu = $3 } $4 > host { host = $4 }
    END { printf "%s\t%s\t%.1f\t%.1f\n", n, first, gpu * 1.048576e-3, host * 1.048576e-3 }' "$work/watch"
awk '/steps\/s/ { for (k = 2; k <= NF; k++) if ($k ~ /^steps\/s/) printf "# seconds a step\n%.3f\n", 1 / $(k - 1) }' "$work/said"
"$bin/nbgen" uniform -q -n "${CHECKED:-$n}" --store f32 |
    "$bin/nbsim" -q "${how[@]}" --steps 0 --sample 1/1000 --write acc -f -o "$work/few.nbs"
printf '# acceleration: mean of (a + x) . x / x . x, its error, root mean square of |a + x| / |x|\n'
"$bin/nbconv" -q --to csv --columns pos,acc "$work/few.nbs" | awk -F, '/^[-0-9]/ {
    xx = $1 * $1 + $2 * $2 + $3 * $3; dx = $4 + $1; dy = $5 + $2; dz = $6 + $3
    if (xx < 0.01) next
    e = (dx * $1 + dy * $2 + dz * $3) / xx; s += e; s2 += e * e; q += (dx * dx + dy * dy + dz * dz) / xx; m++
} END { printf "%.2e\t%.1e\t%.2e\t(%d bodies)\n", s / m, sqrt(s2) / m, sqrt(q / m), m }'
