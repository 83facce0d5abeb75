#!/bin/sh
# Runs several nbsim at the same time on one GPU, without and with NVIDIA's Multi-Process Service: bench/mps.sh BUILD
# [SECONDS [FORCE:BODIES...]]. Counts the steps of all nbsim together in SECONDS (default 1.5) in which all of them are
# running, and divides by the steps of a single nbsim. In single precision, without output. Prints a table on stdout.
# DEVICE names another device than cuda:0, COUNTS other numbers than 1 2 4 8.
set -eu
build=${1:?usage: bench/mps.sh BUILD [SECONDS [FORCE:BODIES...]]}
PATH=$(cd "$build" && pwd)/bin:$PATH
seconds=${2:-1.5} device=${DEVICE:-cuda:0}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- direct:4096 direct:16384 tree:131072
start_s=15 # in which the last of them has to be running

work=$(mktemp -d "${TMPDIR:-/tmp}/mps.XXXXXX") # a short name: sockets are made in it
running=
daemon=
quit() {
    trap '' INT TERM HUP
    # shellcheck disable=SC2086 # numbers
    [ -z "$running" ] || { kill -TERM $running; wait $running; } 2>/dev/null || :
    if [ -n "$daemon" ]; then
        echo quit | timeout 15 nvidia-cuda-mps-control >/dev/null 2>&1 ||
            kill "$(cat "$work/pipe/nvidia-cuda-mps-control.pid" 2>/dev/null)" 2>/dev/null || :
        sleep 0.5 # it writes its log to the last
    fi
    rm -rf "$work"
}
trap quit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Prints the progress of one nbsim, a line each half second: the steps done, and the seconds since its start.
told() { # told FILE
    sed -n 's/.*"done": \([0-9]*\),.*"elapsed_s": \([0-9.e+-]*\),.*/\1 \2/p' "$1"
}

all_run() { # all_run COUNT: all have made steps
    for k in $(seq "$1"); do
        told "$work/steps$k" | awk '$1 > 0 { found = 1 } END { exit !found }' || return 1
    done
}

all_live() {
    for pid in $running; do
        kill -0 "$pid" 2>/dev/null || return 1
    done
}

# Counts the steps from the start of the last nbsim to the end of the first one, interpolated between progress lines.
total() { # total COUNT
    for k in $(seq "$1"); do told "$work/steps$k" | sed "s/^/$k /"; done | awk '
        function at(k, t,    i) {
            for (i = 1; i < lines[k] - 1 && when[k, i + 1] < t; i++);
            return done[k, i] + (done[k, i + 1] - done[k, i]) * (t - when[k, i]) / (when[k, i + 1] - when[k, i])
        }
        $2 > 0 { k = $1; n = ++lines[k]; done[k, n] = $2; when[k, n] = $3 }
        END {
            for (k in lines) {
                if (a == "" || when[k, 1] > a) a = when[k, 1]
                if (b == "" || when[k, lines[k]] < b) b = when[k, lines[k]]
            }
            for (k in lines) sum += lines[k] > 1 && a < b ? (at(k, b) - at(k, a)) / (b - a) : "nan"
            printf "%.4g\n", sum
        }'
}

# Prints the steps a second of COUNT nbsim together. Fails with a message if they do not run. Do not call it in a
# subshell: the trap must know the running processes.
together() { # together COUNT FORCE BODIES
    rm -f "$work"/steps*
    for k in $(seq "$1"); do
        nbsim --progress=json --device "$device" --threads 1 --precision single --force "$2" --dt 1e-6 --steps 1000000000 \
            --max-de inf -o /dev/null "$work/$3.nbs" 2>"$work/steps$k" &
        running="$running $!"
    done
    waited=0
    until all_run "$1" || ! all_live || [ "$waited" -ge $((start_s * 10)) ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    ! all_run "$1" || { sleep "$seconds" & wait $!; } # a signal ends it at once
    # shellcheck disable=SC2086
    kill -TERM $running 2>/dev/null || :
    # shellcheck disable=SC2086
    wait $running || :
    running=
    if all_run "$1"; then total "$1"; else
        grep -hv '^{' "$work"/steps* | tail -n 1 >&2
        return 1
    fi
}

rows() { # rows alone|mps: for each force and number of bodies, and each number of processes
    for what in $sizes; do
        force=${what%:*} n=${what#*:}
        for count in ${COUNTS:-1 2 4 8}; do
            if together "$count" "$force" "$n" >"$work/rate" 2>"$work/why"; then
                rate=$(cat "$work/rate")
                [ "$1:$count" != alone:1 ] || echo "$rate" >"$work/$what.one"
                one=$(cat "$work/$what.one" 2>/dev/null || echo nan)
                awk -v r="$rate" -v one="$one" -v row="$1	$force	$n	$count" -v count="$count" \
                    'BEGIN { printf "%s\t%.4g\t%.4g\t%.2f\n", row, r, r / count, (one > 0 ? r / one : "nan") }'
            else
                echo "# $1 $force $n, $count at once: $(tail -n 1 "$work/why")"
            fi
        done
    done
}

sizes="$*"
for what in $sizes; do
    nbgen plummer -q -n "${what#*:}" -o "$work/${what#*:}.nbs" -f
done
nbbench --device "$device" -n 1 2>/dev/null | grep '^#' | grep -v '^# device	' || :
printf '# mode\tforce\tn\tprocesses\tsteps_per_s\teach_per_s\tof_one_alone\n'
rows alone

command -v nvidia-cuda-mps-control >/dev/null || { echo "# mps: skipped, there is no nvidia-cuda-mps-control"; exit 0; }
export CUDA_MPS_PIPE_DIRECTORY="$work/pipe" CUDA_MPS_LOG_DIRECTORY="$work/log"
mkdir "$work/pipe" "$work/log"
daemon=yes
timeout 15 nvidia-cuda-mps-control -d >"$work/why" 2>&1 || {
    daemon=
    echo "# mps: skipped, nvidia-cuda-mps-control does not start: $(tail -n 1 "$work/why")"
    exit 0
}
rows mps
# Who cannot reach it may run without.
servers=$(echo get_server_list | timeout 15 nvidia-cuda-mps-control 2>/dev/null | grep -c '^[0-9]') || :
[ "$servers" -gt 0 ] || echo "# mps: the daemon has no server: the rows above were not run by it"
