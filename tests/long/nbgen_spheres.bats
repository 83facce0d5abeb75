#!/usr/bin/env bats
# Spheres in equilibrium with many bodies: the checks of tests/gen/spheres.py, and their stability in time.
bats_require_minimum_version 1.5.0
load ../common/common

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
    python "$root/tests/gen/spheres.py" "${what[@]}" "${files[@]}" >&3
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

@test "10000 bodies keep their radii over ten crossing times in the gravity of their density" {
    gsl
    small="-n 10k --softening 1e-4 -o s.nbs -f"
    for what in "142 dehnen 1 100 inf:hernquist" "142 dehnen 1 100 0.3:hernquist --anisotropy-radius 0.3" \
        "175 king 6 inf inf:king" "200 dehnen 0 100 inf:dehnen --gamma 0" "100 nfw 0 10 inf:nfw --radius 10"; do
        nbgen ${what#*:} $small
        python "$root/tests/gen/spheres.py" --steady ${what%%:*} s.nbs >&3
    done
}

# stays MODEL OPTION...: over ten crossing times, M^(5/2) / (2 |E|)^(3/2), the radii of 10, 50 and 90 % of the mass, about
# the density centre, drift by less than 3 % and three standard errors: along a line through eleven frames. The share p of n
# bodies has the error sqrt(p (1 - p) / n), and the radii of p - 2 % and p + 2 % say what that is in the radius.
stays() {
    local n=8000 softening=(--softening 0.05) time
    if gpu; then # minutes there, hours on a CPU
        n=100000 softening=()
    fi
    nbgen "$@" -n $n "${softening[@]}" -o start.nbs -f
    time=$(nbstat start.nbs | awk -F'\t' '/^#/ { for (k = 1; k <= NF; k++) if ($k == "energy") e = k }
        !/^#/ { print 10 / (-2 * $e) ^ 1.5 }')
    nbsim -q --force tree --until "$time" --every "$(awk "BEGIN { print $time / 10 }")" -o run.nbs -f start.nbs
    drifts "$n" "$*" run.nbs >&3
}

# drifts N NAME FILE: a line for each radius; fails where one drifts
drifts() {
    nbstat --lagrange 8,10,12,48,50,52,88,90,92 --max-de 1e-3 "$3" > table
    awk -v n="$1" -v name="$2" -F'\t' '
        /^#/ { for (k = 1; k <= NF; k++) if ($k ~ /^r[0-9]/) { column[++count] = k; share[count] = substr($k, 2) / 100 } }
        !/^#/ { frames++
                for (j = 1; j <= count; j++) { sum[j] += $column[j]; slope[j] += (frames - 6) * $column[j] } }
        END { for (j = 2; j <= count; j += 3) {
                  drift = slope[j] / 110 * 10 / (sum[j] / frames)
                  error = sqrt(share[j] * (1 - share[j]) / n) * (sum[j + 1] - sum[j - 1]) / 0.04 / sum[j]
                  printf "# %s: the radius of %d %% drifts by %.2f +- %.2f %%\n", name, 100 * share[j], 100 * drift, 100 * error
                  if (drift > 0.03 + 3 * error || drift < -0.03 - 3 * error) bad = 1 }
              exit bad || count != 9 || frames != 11 }' table
}

@test "Lagrangian radii drift by less than 3 % over ten crossing times" {
    gsl
    stays hernquist
    stays king
}
