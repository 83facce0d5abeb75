#!/usr/bin/env bats
# nbsim --sample: writes a share of the bodies, the same bodies in every frame, while all bodies move.
bats_require_minimum_version 1.5.0
load ../common/common

same() { # same A.nbs B.nbs COLUMN...: equal bytes in these columns of all frames
    python - "$@" <<'P'
import sys
from nbs_reader import read
a, b = (read(open(name, "rb")) for name in sys.argv[1:3])
assert len(a) == len(b) > 0 and all(f[k].tobytes() == g[k].tobytes() for f, g in zip(a, b) for k in sys.argv[3:])
P
}

@test "the bodies of nbedit --sample, at the places that they have in a run without" {
    nbgen plummer -n 5000 -o in.nbs
    nbsim -q --device cpu --steps 4 --every steps:2 --write phi in.nbs -o all.nbs
    nbsim -q --device cpu --steps 4 --every steps:2 --write phi --sample 1/20 in.nbs -o thin.nbs
    nbedit -q --sample 1/20 all.nbs -o want.nbs
    same thin.nbs want.nbs id mass pos vel
    python - <<'P' # the potential is that of all bodies
from nbs_reader import read
for f, g in zip(read(open("all.nbs", "rb")), read(open("thin.nbs", "rb"))):
    assert (f["phi"][g["id"]] == g["phi"]).all() and len(g["phi"]) > 0
P
    [ "$(nbstat --info thin.nbs | awk '$1 == "frame" && $NF > 200 && $NF < 300' | wc -l)" = 3 ]
    nbsim -q --device cpu --threads 1 --steps 4 --every steps:2 --write phi --sample 1/20 in.nbs | cmp - thin.nbs
    nbstat --check thin.nbs
}

@test "a sample of a sample is another half, and bodies without ids are numbered by their place" {
    nbgen plummer -n 4000 -o in.nbs
    nbedit -q --sample 0.5 in.nbs -o half.nbs
    nbsim -q --device cpu --steps 1 --sample 0.5 half.nbs -o quarter.nbs
    nbstat --info quarter.nbs | awk '$1 == "frame" { exit !($NF > 850 && $NF < 1150) }'
    nbedit -q --columns mass in.nbs -o plain.nbs
    nbsim -q --device cpu --steps 1 --sample 0.01 plain.nbs -o thin.nbs
    nbsim -q --device cpu --steps 1 --sample 0.01 in.nbs -o want.nbs
    same thin.nbs want.nbs id mass pos vel
}

@test "stars that merge leave the sample with the run" {
    nbgen plummer -n 300 --softening 0 --seed 3 -o in.nbs
    run=(nbsim -q --device cpu --integrator ias15 --merge-radius 0.02 --until 0.5 --every 0.25 in.nbs)
    "${run[@]}" -o all.nbs
    "${run[@]}" --sample 0.5 -o thin.nbs
    nbedit -q --sample 0.5 all.nbs -o want.nbs
    same thin.nbs want.nbs id mass pos vel
    [ "$(nbstat --info all.nbs | awk '$1 == "frame" { print $NF }' | sort -u | wc -l)" -gt 1 ]
    # sums over all stars that merged are not in a header of some
    strings all.nbs | grep -q '^booked '
    ! strings thin.nbs | grep '^booked '
}

@test "a run that was cut goes on with the same bodies" {
    for bodies in 200 1000 5000; do # until one is not faster than the signal
        nbgen plummer -n $bodies -f -o in.nbs
        nbsim -q --device cpu --dt 0.01 --until 1 --every 0.1 --sample 0.1 --checkpoint ck --checkpoint-every 0 in.nbs -f -o cut.nbs &
        pid=$!
        await $pid test -s ck.0 && kill -TERM $pid
        wait $pid || true
        [ ! -e ck.0 ] || break
    done
    nbsim -q --resume ck
    nbsim -q --device cpu --dt 0.01 --until 1 --every 0.1 --sample 0.1 in.nbs -o one.nbs
    cmp cut.nbs one.nbs
}

@test "what is no share is refused; a run from a thinned stream is warned of" {
    nbgen kepler -o in.nbs
    for share in 0 -1 2 2/1 1/0 x 1/ nan -1/-2 "1/ 2" 0x1p-3; do
        run -2 --separate-stderr nbsim --steps 1 --sample "$share" in.nbs
        [[ $stderr == *"--sample $share: expected a fraction above 0 and at most 1"* ]]
    done
    nbgen plummer -n 1000 -o all.nbs
    nbsim -q --device cpu --steps 1 --sample 0.1 -o thin.nbs all.nbs
    run -0 --separate-stderr nbsim --device cpu --steps 1 --sample 1e-9 -o none.nbs all.nbs
    [[ $stderr == *"--sample: 0 of 1000 bodies are written"*"warning: --sample 1e-09: no body is left; the frames are written without bodies (choose a larger fraction)"* ]]
    nbsim -q --device cpu --steps 1 --sample 1 -o one.nbs all.nbs
    run -0 --separate-stderr nbsim -q --device cpu --steps 1 one.nbs -o next.nbs
    [ -z "$stderr" ]
    run -0 --separate-stderr nbsim -q --steps 1 thin.nbs -f -o next.nbs
    [[ $stderr == *"warning: the input is a sample of the bodies of a run (nbsim --sample), with only a part of the mass" ]]
}
