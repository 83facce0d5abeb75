#!/usr/bin/env bats
# Output times: a resumed or appended run writes frames at the same times as one uninterrupted run.
bats_require_minimum_version 1.5.0
load ../common/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    nbgen kepler -e 0.5 -o start.nbs
}

# times FILE...: of all frames, with the digits of the header
times() { nbstat --info "$@" | awk '$1 == "frame" { print $4 }'; }

@test "two runs one after the other have the times and the bytes of one, for any distance" {
    for every in 0.1 0.3 0.07 0.123 1e-1; do
        nbsim -q --device cpu --dt 0.01 --every $every --until 2 start.nbs -o one.nbs -f
        nbsim -q --device cpu --dt 0.01 --every $every --until 1 start.nbs -o a.nbs -f
        nbsim -q --device cpu --dt 0.01 --every $every --until 1.5 a.nbs -o b.nbs -f
        nbsim -q --device cpu --dt 0.01 --every $every --until 2 b.nbs -o c.nbs -f
        times one.nbs >want
        # What is written at an end off the grid is there beside; everything else once.
        times a.nbs b.nbs c.nbs | grep -vx -e 1 -e 1.5 | sort -gu >have
        grep -vx -e 1 -e 1.5 want | sort -g | cmp - have
    done
    nbsim -q --device cpu --dt 0.01 --every 0.25 --until 2 start.nbs -o one.nbs -f
    nbsim -q --device cpu --dt 0.01 --every 0.25 --until 1 start.nbs | nbsim -q --device cpu --integrator leapfrog --every 0.25 --until 2 -o two.nbs
    nbconv --to text one.nbs >one
    nbconv --to text two.nbs | cmp - one
}

@test "adaptive steps, --steps and time running backwards keep the grid too" {
    nbsim -q --device cpu --integrator rkdp54 --tolerance 1e-9 --dt 0.01 --every 0.3 --until 1 start.nbs |
        nbsim -q --device cpu --integrator rkdp54 --tolerance 1e-9 --every 0.3 --until 2 -o a.nbs
    [ "$(times a.nbs | paste -sd' ')" = "1 1.2 1.5 1.7999999999999998 2" ] # 6 * 0.3 in doubles
    nbsim -q --device cpu --dt 0.1 --every 0.3 --until 1 --max-de inf start.nbs -o b.nbs
    nbsim -q --device cpu --dt 0.1 --every 0.3 --steps 6 --max-de inf b.nbs | nbstat --info - | awk '$1 == "frame" { print $4, $6 }' >c
    printf '%s\n' '1 10' '1.2 12' '1.5 15' >want # and one more step
    head -3 c | cmp - want
    [ "$(wc -l <c)" -eq 4 ]
    [ "$(awk 'END { print $2 }' c)" -eq 16 ]
    nbsim -q --device cpu --dt -0.1 --every 0.3 --until 0.1 --max-de inf b.nbs -o d.nbs
    [ "$(times d.nbs | paste -sd' ')" = "1 0.8999999999999999 0.6 0.3 0.1" ]
    nbsim -q --device cpu --dt 0.1 --every 0.3 --steps 1 b.nbs -o e.nbs
    [ "$(times e.nbs | paste -sd' ')" = "1 1.1" ]
}

@test "another distance begins a new grid at the input's time, and a run without one passes the grid on" {
    nbsim -q --device cpu --dt 0.01 --every 0.3 --until 1 start.nbs -o a.nbs
    nbsim -q --device cpu --dt 0.01 --every 0.5 --until 2 a.nbs -o b.nbs
    [ "$(times b.nbs | paste -sd' ')" = "1 1.5 2" ]
    nbstat --info b.nbs | grep -x '  origin 1 every 0.5'
    nbsim -q --device cpu --dt 0.01 --until 1.1 a.nbs -o c.nbs
    nbsim -q --device cpu --dt 0.01 --every 0.3 --until 1.3 c.nbs -o d.nbs
    [ "$(times d.nbs | paste -sd' ')" = "1.1 1.2 1.3" ]
    run nbstat --info start.nbs
    [[ "$output" != *every* ]]
}

@test "--every steps:K: a frame each K steps, of adaptive ones with their size in the header; a run that is cut has the same" {
    adaptive() { nbsim -q --device cpu --integrator rkdp54 --tolerance 1e-9 --until 40 --every steps:3 -f "$@"; }
    adaptive -o one.nbs start.nbs
    # Time, step and dt of the frames: whole multiples of 3, and dt the mean of these.
    nbstat --info one.nbs | awk '$1 == "frame" { print $4, $6 }' >have
    for k in 0 1 7; do nbedit -q --frame $k one.nbs | head -c 2000 | sed -n 's/^dt //p'; done >dt
    python - <<'P'
rows = [[float(x) for x in line.split()] for line in open("have")]
dt = [float(line) for line in open("dt")]
assert [r[1] for r in rows[:-1]] == [3 * k for k in range(len(rows) - 1)] and 0 < rows[-1][1] - rows[-2][1] <= 3
assert rows[-1][0] == 40 and dt[0] > 0
for k, h in (1, dt[1]), (7, dt[2]):
    assert abs((rows[k][0] - rows[k - 1][0]) / 3 / h - 1) < 1e-12
assert dt[1] != dt[2]
P
    nbsim -q --device cpu --integrator rkdp54 --tolerance 1e-9 --until 40 --every steps:3 -f --checkpoint ck --checkpoint-every 0 -o cut.nbs start.nbs 3>&- &
    pid=$!
    await $pid test -s ck.0 && kill -INT $pid
    wait $pid || nbsim -q --resume ck
    cmp <(nbconv --to text one.nbs | grep -v '^# history') <(nbconv --to text cut.nbs | grep -v '^# history')
    # Steps of a fixed size: as a distance.
    nbsim -q --device cpu --dt 0.01 --until 0.1 --every steps:4 -o counted.nbs start.nbs
    [ "$(times counted.nbs | paste -sd' ')" = "0 0.04 0.08 0.1" ]
    for wrong in steps:0 steps: steps:-1 steps:1.5 steps; do
        run -2 --separate-stderr nbsim --every $wrong --until 1 start.nbs
        [[ "$stderr" == "nbsim: --every "*": expected "* ]]
    done
}
