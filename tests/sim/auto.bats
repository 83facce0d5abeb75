#!/usr/bin/env bats
# Default integrator and step of nbsim: a wrong result is never written without a message.

bats_require_minimum_version 1.5.0
load ../common/common

# error FILE: the largest energy error of its frames
error() {
    nbstat --json "$1" | python -c 'import json, sys
print(max(abs(json.loads(l)["energy_error"]) for l in sys.stdin))'
}

@test "close pairs without softening keep their energy with default options" {
    nbgen plummer -n 100 --softening 0 --seed 2 | nbsim -q --device cpu --until 2 -o plummer.nbs
    nbgen plummer -n 100 --seed 2 | nbsim -q --device cpu --softening 0 --until 2 -o changed.nbs
    nbgen pythagorean | nbsim -q --device cpu --until 20 --every 1 -o pythagorean.nbs
    for f in plummer changed pythagorean; do close "$(error $f.nbs)" 0 1e-8; done
}

@test "an orbit goes on from the end of an adaptive run, and from a text at its apocentre" {
    nbgen kepler -e .9 | nbsim -q --device cpu --integrator bulirsch-stoer --tolerance 1e-12 --until 3.141592653589793 |
        nbsim -q --device cpu --until 9.42477796076938 -o on.nbs
    close "$(error on.nbs)" 0 1e-8
    nbgen kepler -e .99 | nbsim -q --device cpu --integrator rkf78 --tolerance 1e-13 --until 3.141592653589793 |
        nbconv --to text >apo.txt
    nbconv --from text apo.txt | nbsim -q --device cpu --until 9.42477796076938 -o text.nbs
    # one period on, at the apocentre again
    nbconv --to text --columns pos --frame 0 text.nbs | grep -v '^#' >begin
    nbconv --to text --columns pos --frame -1 text.nbs | grep -v '^#' >end
    python -c 'import numpy as np
d = np.abs(np.loadtxt("begin") - np.loadtxt("end")).max()
assert d < 1e-6, d'
}

@test "the choice is said and recorded: few bodies and exact forces follow the error, all else is leapfrog" {
    nbgen plummer -n 1000 -o few.nbs
    nbgen plummer -n 1001 -o many.nbs
    chosen() { # chosen FILE OPTIONS...: the integrator that is said, and what is recorded
        local file=$1
        shift
        run -0 --separate-stderr nbsim --device cpu --until 1e-5 "$@" "$file" -f -o o.nbs
        said=$(sed -n 's/^nbsim: \([a-z0-9-]*\), \(dt\|tolerance\) .*/\1/p' <<<"$stderr")
        recorded=$(nbstat --info o.nbs | sed -n 's/.*nbsim --until=1e-5//p' | head -n 1)
    }
    chosen few.nbs
    adaptive=$said
    [ "$adaptive" != leapfrog ]
    [[ "$recorded" == " --integrator=$adaptive --tolerance="*" --precision=double" ]]
    chosen many.nbs
    [[ "$said" == leapfrog && "$recorded" == " --integrator=leapfrog" ]]
    chosen few.nbs --dt 1e-4
    [[ "$said" == leapfrog && "$recorded" == " --dt=1e-4" ]]
    chosen few.nbs --force tree
    [[ "$said" == leapfrog ]]
    chosen few.nbs --precision single
    [[ "$said" == leapfrog ]]
    nbgen plummer -n 50 -o tiny.nbs
    chosen tiny.nbs --precision quad
    [[ "$said" == "$adaptive" ]]
    chosen few.nbs --integrator rk4
    [[ "$said" == rk4 ]]
    chosen few.nbs --integrator rkf78
    [[ "$said" == rkf78 && "$recorded" == *--tolerance=* ]]
    chosen many.nbs --tolerance 1e-9
    [[ "$said" == "$adaptive" && "$recorded" == *" --tolerance=1e-9"* ]]
    run -0 --separate-stderr nbsim --device cpu --steps 1 few.nbs -f -o o.nbs
    [[ "$stderr" == *"nbsim: leapfrog, dt "* ]]
}

@test "a header's step is for the header's softening; fixed steps without softening are warned of" {
    nbgen plummer -n 1500 --softening 0.05 -o p.nbs
    dt() { nbstat --info "$1" | awk '$1 == "dt" { print $2; exit }'; }
    nbsim -q --device cpu --until 1e-3 p.nbs -o same.nbs
    run -0 --separate-stderr nbsim --device cpu --until 1e-4 --softening 0.001 p.nbs -o other.nbs
    [[ "$stderr" == *"the input's step is for another softening"* && "$stderr" != *warning* ]]
    # a pair of mean mass at the distance of 0.001, or of a right angle: (2/N) / (2 <v^2>), <v^2> near 1/2
    awk -v a="$(dt other.nbs)" 'BEGIN { exit !(a > 5e-5 && a < 2e-4) }'
    run -0 --separate-stderr nbsim --device cpu --until 1e-4 --softening 0 --precision mixed p.nbs -o none.nbs
    [[ "$stderr" == *"warning: softening 0: "* ]]
    # an adaptive run leaves the step alone, and drops it with the softening that it was for
    nbsim -q --device cpu --tolerance 1e-8 --until 1e-3 p.nbs -o adaptive.nbs
    [ "$(dt adaptive.nbs)" = "$(dt p.nbs)" ]
    nbsim -q --device cpu --tolerance 1e-8 --softening 0.01 --until 1e-3 p.nbs -o dropped.nbs
    [ "$(dt dropped.nbs)" = 0 ]
}

@test "a header's step that is too long for a new external field is dropped; one that serves, or was made with it, stays" {
    nbgen plummer -n 1500 -o p.nbs
    dt() { nbstat --info "$1" | awk '$1 == "dt" { print $2; exit }'; }
    local drag="--force auto --force external:drag,rate=1000"
    run -0 --separate-stderr nbsim --device cpu $drag --until 1e-4 p.nbs -o drag.nbs
    [[ "$stderr" == *"the input's step is too long for the external forces"* && "$stderr" != *warning* ]]
    awk -v a="$(dt drag.nbs)" 'BEGIN { exit !(a > 1.9e-5 && a <= 2e-5) }' # 0.02 / rate, and lands on 1e-4
    run -0 --separate-stderr nbsim --device cpu --force auto --force external:drag,rate=0.1 --until 0.01 p.nbs -o weak.nbs
    [[ "$stderr" != *"too long"* ]]
    nbsim -q --device cpu $drag --steps 1 --dt 3e-4 p.nbs -o given.nbs
    run -0 --separate-stderr nbsim --device cpu --steps 1 given.nbs -o on.nbs
    [ "$(dt on.nbs)" = 0.0003 ]
    # drag leaves e^-2 of a velocity after 0.002; leapfrog is of first order in it, 2 % of the velocity here
    nbsim -q --device cpu $drag --until 2e-3 p.nbs | nbstat --json |
        python -c 'import json, math, sys
k = [json.loads(l)["kinetic"] for l in sys.stdin]
assert abs(k[-1] / k[0] / math.exp(-4) - 1) < 0.05, k'
}

@test "bodies of mass 0, whose orbits the energy does not see, are warned of in fixed steps" {
    printf '# m x y z vx vy vz\n1 0 0 0 0 0 0\n0 1 0 0 0 1 0\n0 2 0 0 0 0.7 0\n' | nbconv -q --from text -o m.nbs
    run -0 --separate-stderr nbsim -q --device cpu --dt 0.01 --until 1 m.nbs -o fixed.nbs
    [[ "$stderr" == "nbsim: warning: the energy does not depend on 2 bodies of mass 0: "* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    run -0 --separate-stderr nbsim -q --device cpu --until 1 m.nbs -o followed.nbs
    [ -z "$stderr" ]
    run -0 --separate-stderr nbsim -q --device cpu --dt 0.01 --max-de inf --until 1 m.nbs -o unwatched.nbs
    [ -z "$stderr" ]
}

@test "a galaxy of few bodies goes in the steps that it was made for, as one of many does" {
    chosen() { # chosen FILE OPTIONS...: the integrator that is said
        run -0 --separate-stderr nbsim --device cpu --until 1e-4 "$@" -f -o o.nbs
        sed -n 's/^nbsim: \([a-z0-9-]*\), \(dt\|tolerance\) .*/\1/p' <<<"$stderr"
    }
    nbgen disk -n 100 -o disk.nbs
    nbgen nfw -n 100 -o halo.nbs
    nbgen twin -n 100 -o stars.nbs
    [ "$(chosen disk.nbs)" = leapfrog ]
    [ "$(chosen halo.nbs)" = leapfrog ]
    [ "$(chosen stars.nbs)" = ias15 ]
    # only where its softening, its step and its fields are those of the run
    [ "$(chosen --softening 0.001 disk.nbs)" = ias15 ]
    [ "$(chosen --force auto --force external:drag,rate=0.1 disk.nbs)" = ias15 ]
    [ "$(chosen --precision quad disk.nbs)" = ias15 ]
    [ "$(chosen --tolerance 1e-9 disk.nbs)" = ias15 ]
    [ "$(chosen --integrator rkf78 disk.nbs)" = rkf78 ]
    nbconv --to text disk.nbs | grep -v '^# dt ' | nbconv -q --from text -o none.nbs # no step
    [ "$(chosen none.nbs)" = ias15 ]
    nbsim -q --device cpu --until 0.5 --every 0.1 disk.nbs -o run.nbs
    close "$(error run.nbs)" 0 5e-4
}

@test "a cluster whose closest pair would keep ias15 busy is regularised, also in a short run; few periods are not" {
    nbgen plummer -n 1000 --softening 0 --binaries 0.1 --seed 1 -q -o pairs.nbs
    # More than 3 periods of the closest pair for 1000 bodies (3e6 / n^2); ias15 takes a second for each. Here: 100 and more.
    timeout -k 1 20 nbsim --device cpu --until 0.1 pairs.nbs -f -o o.nbs 2>said
    grep '^nbsim: hermite4-groups' said
    close "$(error o.nbs)" 0 1e-5
    # A circle of period 4.4e-6 among 100 bodies, where the limit is 300 periods.
    nbgen plummer -n 98 --softening 0 --seed 2 -q -o few.nbs
    { nbconv --to text --columns mass,pos,vel few.nbs | grep -v '^#'; echo 1e-6 90 0 0 0 0.0005 0; echo 1e-6 90.000001 0 0 0 -0.0005 0; } >table
    period=$(awk 'BEGIN { print 2 * atan2(0, -1) * sqrt(1e-6 ^ 3 / 2e-6) }')
    awk -v v="$(awk 'BEGIN { print sqrt(2e-6 / 1e-6) / 2 }')" 'NR == 99 { $6 = v } NR == 100 { $6 = -v } { print }' table |
        { echo '# columns mass pos vel' && cat; } | nbconv -q --from text -o hard.nbs
    for turns in 290 310; do
        nbsim --device cpu --until "$(awk -v p="$period" -v k=$turns 'BEGIN { printf "%.17g", p * k }')" --dry-run hard.nbs 2>said
        if [ $turns = 290 ]; then grep '^nbsim: ias15' said; else grep '^nbsim: hermite4-groups' said; fi
    done
}

@test "more steps than anyone waits for: a line before they begin, with their number and who set them" {
    begun() { # begun OPTIONS...: a run that is ended once it has its first frame: what it has said by then is in said
        rm -f o.nbs.part
        nbsim -q --device cpu "$@" -f -o o.nbs 2>said &
        local pid=$!
        await $pid test -s o.nbs.part
        kill $pid
        wait $pid || true
    }
    warned() { # warned WORDS OPTIONS...
        begun "${@:2}"
        grep -q "$1" said
    }
    run -0 --separate-stderr nbgen plummer -n 1200 --binaries 0.3 -o pairs.nbs
    [[ "$stderr" == "nbgen: close binaries set the time step, 6.84e-08: 13694 steps in the shortest possible period, 0.000937; "* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    run -0 --separate-stderr nbgen plummer -n 1200 --binaries 0.3 --softening 0.01 -o soft.nbs
    [ -z "$stderr" ]
    warned '^nbsim: warning: 1.5e+08 steps of 6.84e-08 for 1200 bodies will take long; the step size comes from the input.s header (--integrator hermite4-block ' --integrator leapfrog --until 10 pairs.nbs
    warned 'warning: 5.0e+08 steps of 1e-09 for 1200 bodies will take long; the step size comes from --dt (--dt, or a larger --softening)' --until 0.5 --dt 1e-9 soft.nbs
    nbgen figure8 -o few.nbs
    warned '1.0e+11 steps of 1e-10 for 3 bodies' --until 10 --dt 1e-10 few.nbs
    run -0 --separate-stderr nbsim -q --device cpu --steps 10 pairs.nbs -f -o o.nbs
    [[ "$stderr" != *" steps of "* ]]
    begun --until 1e-3 --dt 1e-9 few.nbs # a million
    run ! grep warning said
}
