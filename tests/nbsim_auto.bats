#!/usr/bin/env bats
# What nbsim does where the command line leaves integrator and step open: nothing that comes out wrong in silence.

bats_require_minimum_version 1.5.0
load common

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
    nbconv --from text apo.txt | nbsim -q --device cpu --until 6.283185307179586 -o text.nbs
    # the text has no time: one period on, at the apocentre again
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
        run -0 --separate-stderr nbsim --device cpu --until 1e-3 "$@" "$file" -f -o o.nbs
        said=$(sed -n 's/^nbsim: \([a-z0-9-]*\), \(dt\|tolerance\) .*/\1/p' <<<"$stderr")
        recorded=$(nbstat --info o.nbs | sed -n 's/.*nbsim --until=1e-3//p' | head -n 1)
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
    chosen few.nbs --precision quad
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
    [[ "$stderr" == *"the input's is for another softening"* && "$stderr" != *warning* ]]
    # a pair of mean mass at the distance of 0.001, or of a right angle: (2/N) / (2 <v^2>), <v^2> near 1/2
    awk -v a="$(dt other.nbs)" 'BEGIN { exit !(a > 5e-5 && a < 2e-4) }'
    run -0 --separate-stderr nbsim --device cpu --until 1e-4 --softening 0 p.nbs -o none.nbs
    [[ "$stderr" == *"warning: softening 0: "* ]]
    # an adaptive run leaves the step alone, and drops it with the softening that it was for
    nbsim -q --device cpu --tolerance 1e-8 --until 1e-3 p.nbs -o adaptive.nbs
    [ "$(dt adaptive.nbs)" = "$(dt p.nbs)" ]
    nbsim -q --device cpu --tolerance 1e-8 --softening 0.01 --until 1e-3 p.nbs -o dropped.nbs
    [ "$(dt dropped.nbs)" = 0 ]
}
