#!/bin/bash
# Compares steps a second of the contact methods on the CPU with LAMMPS' granular package (Thompson et al. 2022, Comp.
# Phys. Comm. 271, 108171; Debian's package lammps): bench/contact.sh BUILD [BODIES] [STEPS] [THREADS]
#
# A gas of disks in a periodic box with the defaults of nbgen windtunnel, without a body in it. All programs have the same
# positions, velocities, masses, springs and step. LAMMPS runs pair gran/hooke without damping and tangential force, in two
# dimensions, with THREADS processes, with a skin of 1, 2 and 3 radii, in double precision only. nbsim also draws the
# velocities at the inlet. Each program runs twice with different numbers of steps, and the difference counts, which
# excludes reading and writing. Prints a table on stdout, and a note for a missing program. Other work on the machine
# changes the times: compare the processor time too (user_ms: per step, sum over all threads). "-" marks runs that are too
# short to measure.
set -eu
build=${1:?usage: bench/contact.sh BUILD [BODIES] [STEPS] [THREADS]}
bodies=${2:-131072}
steps=${3:-400}
threads=${4:-2}
sh "$(dirname "$0")/about.sh" "$build"
PATH=$(cd "$build" && pwd)/bin:$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

nbgen windtunnel -q -n "$bodies" --airfoil none --sides periodic -o gas.nbs
header() { # header KEY: prints the value of the key
    head -c 4000 gas.nbs | tr -d '\000' | LC_ALL=C sed -n "s/^$1 //p" | head -n 1
}
read -r stiffness _ radius <<LINE
$(header contact)
LINE
dt=$(header dt)
short=$((steps / 5))
least=0.1 # smallest difference of the runs that is measured, in seconds

# seconds COMMAND...: prints wall time and processor time
seconds() {
    { time "$@" >out.txt 2>&1 || { tail -n 3 out.txt >&2; exit 1; }; } 2>&1
}
TIMEFORMAT='%R %U'

# row NAME PRECISION SHORT LONG: prints a row from the times of both runs; - if their difference is too small
row() {
    echo "$3 $4" | awk -v name="$1" -v precision="$2" -v more=$((steps - short)) -v least=$least -v OFS='\t' '
        {
            rate = ($3 - $1 > least) ? more / ($3 - $1) : "-"
            user = ($4 - $2 > least) ? 1000 * ($4 - $2) / more : "-"
            print name, precision, rate, user
        }'
}

printf 'row\tprecision\tsteps_s\tuser_ms\n'
for force in contact-grid contact-bvh contact-bvh:reorder=off contact-bvh:reflexive=on; do
    for precision in single double; do
        run() {
            seconds nbsim -q --threads "$threads" --precision "$precision" --force "$force" --integrator leapfrog \
                --dt "$dt" --steps "$1" -f -o run.nbs gas.nbs
        }
        row "$force" "$precision" "$(run "$short")" "$(run "$steps")"
    done
done

command -v lmp >/dev/null || { echo "# LAMMPS: skipped, there is no lmp (Debian: lammps)"; exit 0; }
nbconv -q --to text --columns mass,pos,vel gas.nbs | grep -v '^#' >gas.txt
# shellcheck disable=SC2046
awk -v r="$radius" -v box="$(header box)" '
    { m = $1; place[NR] = $2 " " $3 " 0"; velocity[NR] = $5 " " $6 " 0 0 0 0" }
    END {
        split(box, b, " ")
        print "disks\n\n" NR " atoms\n1 atom types\n" b[1], b[2] " xlo xhi\n" b[3], b[4] " ylo yhi"
        print "-0.01 0.01 zlo zhi\n\nAtoms # sphere\n"
        for (i = 1; i <= NR; i++) printf "%d 1 %.17g %.17g %s\n", i, 2 * r, m / (4 / 3 * 3.14159265358979 * r ^ 3), place[i]
        print "\nVelocities\n"
        for (i = 1; i <= NR; i++) print i, velocity[i]
    }' gas.txt >gas.data
for skin in 1 2 3; do
    input() {
        cat <<LINES
units lj
dimension 2
atom_style sphere
boundary p p p
newton off
comm_modify vel yes
read_data gas.data
pair_style gran/hooke $stiffness 0 0 0 0 0
pair_coeff * *
neighbor $(awk "BEGIN { print $skin * $radius }") bin
neigh_modify delay 0 every 1 check yes
fix 1 all nve/sphere disc
fix 2 all enforce2d
timestep $dt
thermo 1000000
run $1
LINES
    }
    run() {
        input "$1" >in.gas
        seconds env OMP_NUM_THREADS=1 mpirun --allow-run-as-root --oversubscribe -np "$threads" lmp -in in.gas -log none
    }
    row "LAMMPS gran/hooke, skin of $skin radii" double "$(run "$short")" "$(run "$steps")"
done
