#!/usr/bin/env bats
# Measurements in a wind tunnel of disks: lift against angle, shocks against Mach number, the drag of a plate. The tests
# take minutes on a CPU, with few disks; a GPU uses more disks. Bodies take at most 8 % of the height: above 12 % a flow
# at Mach 2 does not start.
bats_require_minimum_version 1.5.0
load ../common/common

# tunnel NAME OPTION...: a run in NAME.nbs until $until, with $every
tunnel() {
    local name=$1
    shift
    nbgen windtunnel -q --chord 0.5 "$@" | nbsim -q --until "$until" --every "$every" --store f32 -o "$name.nbs"
}

check() {
    python "$root/tests/long/windtunnel_check.py" "$@" >&3
}

@test "naca0012 from 0 to 90 degrees: no lift at 0, next to none at 90, one maximum between" {
    n=$(gpu && echo 32k || echo 2k) until=16 every=0.1
    for alpha in 0 10 20 30 40 50 60 70 80 90; do
        tunnel $alpha -n "$n" --box=-1.5,2,-3,3 --alpha $alpha
    done
    check polar ./*.nbs
}

@test "cylinder at Mach 2, 3 and, on a GPU, 4: its shock comes nearer each time" {
    # 8000 disks tell Mach 3 from 4 by one and a half standard errors: 0.445 +- 0.010, 0.421 +- 0.013.
    n=$(gpu && echo 128k || echo 8k) until=20 every=0.05
    # shellcheck disable=SC2046
    set -- 2 3 $(gpu && echo 4)
    for mach in "$@"; do
        tunnel "$mach" -n "$n" --box=-2,1,-3.5,3.5 --airfoil cylinder --mach "$mach"
    done
    check standoff "${@/%/.nbs}"
}

@test "plate across the flow at Mach 2: its drag is between 1.3 and 4.5, that of free disks, and falls with their free path" {
    n=$(gpu && echo 16k || echo 1k) until=12 every=0.1
    for fraction in 0.001 0.01 0.1; do
        tunnel $fraction -n "$n" --box=-1.5,2,-3,3 --airfoil plate --alpha 90 --fraction $fraction
    done
    check plate ./*.nbs
}

@test "before wings, a cylinder and a plate across density, speed and temperature are the flow's within 2 %" {
    n=$(gpu && echo 64k || echo 8k) until=16 every=0.1
    for alpha in 0 8 20; do
        tunnel naca$alpha -n "$n" --chord 1 --alpha $alpha
    done
    tunnel cylinder -n "$n" --box=-2,1,-3.5,3.5 --airfoil cylinder
    tunnel plate -n "$n" --box=-1.5,2,-3,3 --airfoil plate --alpha 90
    check stream naca0.nbs naca8.nbs naca20.nbs cylinder.nbs plate.nbs
}
