#!/usr/bin/env bats
# ias15 over many orbits: its errors are rounding errors only, and grow like a random walk (Brouwer 1937, AJ 46, 149).
bats_require_minimum_version 1.5.0
load ../common/common

# Energy error after some orbits of e = 0.5, 0.503, ..., the root of the mean square of four.
errors_after() {
    for e in 0.5 0.503 0.506 0.509; do
        nbgen kepler -e $e --softening 0 -f -o begin.nbs
        nbsim -q --device cpu --threads 1 --integrator ias15 --tolerance 1e-9 --until "$(python -c "import math; print(2 * math.pi * $1)")" \
            begin.nbs -f -o end.nbs
        nbstat --json end.nbs | sed -n 's/.*"energy_error": *\([^,}]*\).*/\1/p' | tail -n 1
    done | awk '{ sum += $1 * $1 } END { print sqrt(sum / NR) }'
}

@test "errors of the energy grow as the root of the number of orbits" {
    for orbits in 1000 30000; do
        errors_after $orbits > at-$orbits
        echo "# after $orbits orbits: $(cat at-$orbits)" >&3
    done
    # The root of 30 is 5.5; four runs leave that uncertain by a factor of two. Errors of one sign would give 30.
    # 8e-14 of |E| is 2e-14 of |W| at pericentre, where the orbits begin.
    awk -v few="$(cat at-1000)" -v many="$(cat at-30000)" 'BEGIN { exit !(many < 12 * few && many < 8e-14) }'
}
