#!/bin/sh
# Measures the speed of nbrender: bench/pictures.sh BUILD, as TSV on stdout. All pictures are 1920x1080, in one run.
# Pictures a second of all cores and of one core, as PNG files and as uncompressed pictures that are discarded; the
# difference is the cost of PNG. Then nbgen | nbsim | nbrender compared with its slowest stage alone. Medians of TURNS
# (5). Files are written to a folder in TMPDIR, unsynced; DEVICE (default auto) is that of nbsim and nbrender.
# shellcheck disable=SC2034,SC2086 # commands in variables; loops that count
set -eu
build=${1:?usage: bench/pictures.sh BUILD}
PATH=$(cd "$build" && pwd)/bin:$PATH
turns=${TURNS:-5} device=${DEVICE:-auto}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

seconds() { # seconds FILE COMMAND...: adds the time that it takes to FILE
    to=$1
    shift
    begin=$(date +%s.%N)
    "$@" >/dev/null
    end=$(date +%s.%N)
    awk "BEGIN { print $end - $begin }" >>"$to"
}

median() {
    sort -n "$1" | awk '{ t[NR] = $1 } END { print NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2 }'
}

render="nbrender -qf --device $device --no-sync --extent 3"

# Snapshots before a merger take as long to draw as snapshots during a merger.
frames() { # frames BODIES FRAMES
    nbgen collision -q -n "$1" --seed 1 >one.nbs
    for k in $(seq "$2"); do cat one.nbs; done >run.nbs
}

pictures() { # pictures BODIES FRAMES
    frames "$1" "$2"
    rm -f png png1 raw
    for turn in $(seq "$turns"); do
        seconds png $render -o 'p-%04d.png' run.nbs
        seconds png1 $render --threads 1 -o 'p-%04d.png' run.nbs
        seconds raw $render -o /dev/null run.nbs
    done
    awk -v n="$1" -v frames="$2" -v png="$(median png)" -v one="$(median png1)" -v raw="$(median raw)" 'BEGIN {
        printf "%s\t%.1f\t%.1f\t%.1f\t%.2f\n", n, frames / png, frames / one, frames / raw, png / raw }'
    rm -f p-*.png
}

simulate="nbsim -q --device $device --precision single --dt 0.00625 --every 0.0125"
make() { nbgen collision -q -n "$1" --seed 1 --softening 0.04; } # softening for this step
pipeline() { make "$1" | $simulate --until "$2" | $render -o 'p-%04d.png'; }

stages() { # stages BODIES UNTIL
    make "$1" >one.nbs
    $simulate --until "$2" -o run.nbs -f one.nbs
    rm -f gen sim draw all
    for turn in $(seq "$turns"); do
        seconds gen make "$1"
        seconds sim $simulate --until "$2" one.nbs
        seconds draw $render -o 'p-%04d.png' run.nbs
        seconds all pipeline "$1" "$2"
    done
    awk -v n="$1" -v g="$(median gen)" -v s="$(median sim)" -v d="$(median draw)" -v a="$(median all)" 'BEGIN {
        slowest = g > s ? g : s
        slowest = slowest > d ? slowest : d
        printf "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", n, g, s, d, a, a / slowest, a / (g + s + d) }'
}

printf '# bodies\tPNG/s\ton one core\tuncompressed/s\tPNG over uncompressed\n'
pictures 20k 60
pictures 200k 30
printf '# bodies\tnbgen s\tnbsim s\tnbrender s\tpipeline s\tover the slowest stage\tover the sum of the stages\n'
stages 20k 0.5
stages 200k "${UNTIL:-0.05}"
