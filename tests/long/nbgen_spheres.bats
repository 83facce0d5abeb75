#!/usr/bin/env bats
# Spheres in equilibrium, of many bodies: what tests/nbgen_spheres.py asks of them, and that they stay as they are.
bats_require_minimum_version 1.5.0
load ../common

gsl() {
    nbgen king -n 1 >/dev/null 2>&1 || skip "nbgen was built without GSL"
}

# three MODEL PARAMETER TRUNCATION RADIUS OPTION...: three seeds of nbgen OPTION... are that sphere. No two spheres share
# random numbers.
three() {
    local what=("${@:1:4}") files=()
    shift 4
    for _ in 1 2 3; do
        seed=$((seed + 1))
        nbgen "$@" -n 100k --softening 1e-4 --seed $seed -o $seed.nbs
        files+=($seed.nbs)
    done
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/tests python "$root/tests/nbgen_spheres.py" "${what[@]}" "${files[@]}" >&3
    rm "${files[@]}"
}

@test "100000 bodies: Kolmogorov-Smirnov, Jeans's dispersions, anisotropy, virial ratio, for three seeds" {
    gsl
    seed=0
    three dehnen 1 100 inf hernquist
    three dehnen 2 100 inf jaffe
    three dehnen 0 100 inf dehnen --gamma 0
    three dehnen 1 100 0.3 hernquist --anisotropy-radius 0.3
    three nfw 0 10 inf nfw --radius 10
    three king 7 inf inf king --w0 7
    three king inf 30 inf isothermal
    three plummer 0 inf inf plummer --truncation inf --radius 1.6976527263135504
}

# Does nbsim find a GPU? There 100000 bodies and a softening of 1e-2 take minutes, and hours on a CPU.
gpu() {
    nbgen plummer -n 10 | nbsim -q --device cuda --steps 0 >/dev/null 2>&1
}

# stays MODEL OPTION...: over ten crossing times, M^(5/2) / (2 |E|)^(3/2), the radii of 10, 50 and 90 % of the mass, about
# the density centre, drift by less than 3 %: a line through eleven frames, so that the noise of one does not count.
stays() {
    local size="-n 8k --softening 0.05" time
    if gpu; then
        size="-n 100k --softening 0.01"
    fi
    nbgen "$@" $size -o start.nbs -f
    time=$(nbstat start.nbs | awk -F'\t' '/^#/ { for (k = 1; k <= NF; k++) if ($k == "energy") e = k }
        !/^#/ { print 10 / (-2 * $e) ^ 1.5 }')
    nbsim -q --force tree --until "$time" --every "$(awk "BEGIN { print $time / 10 }")" -o run.nbs -f start.nbs
    nbstat --lagrange 10,50,90 --max-de 1e-3 run.nbs > table
    awk -v what="$*" -F'\t' '/^#/ { for (k = 1; k <= NF; k++) if ($k ~ /^r[0-9]/) column[++radii] = k; next }
        { for (j = 1; j <= radii; j++) { y[j] += $column[j]; slope[j] += (NR - 7) * $column[j] } n++ }
        END { for (j = 1; j <= radii; j++) {
                  drift = slope[j] / 110 * 10 / (y[j] / n)
                  printf "# %s: radius %d drifts by %.2f %%\n", what, j, 100 * drift
                  if (drift > 0.03 || drift < -0.03) bad = 1 }
              exit bad || radii != 3 || n != 11 }' table >&3
}

@test "Lagrangian radii drift by less than 3 % over ten crossing times" {
    gsl
    stays hernquist
    stays king
}
