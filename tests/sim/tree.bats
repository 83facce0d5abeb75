#!/usr/bin/env bats
# The tree in nbsim: when auto chooses it, its options, its potential, energy and momentum of long runs.
bats_require_minimum_version 1.5.0
load ../common/common

# same A.nbs B.nbs: equal bytes in all columns of all frames, whatever the history says; 3 where they differ
same() {
    python - "$@" <<'P'
import sys
from nbs_reader import read
a, b = (read(open(name, "rb")) for name in sys.argv[1:])
columns = lambda frame: {k: v.tobytes() for k, v in frame.items() if hasattr(v, "tobytes")}
assert len(a) == len(b) > 0 and len(columns(a[0])) > 3
sys.exit(3 * any(columns(f) != columns(g) for f, g in zip(a, b)))
P
}

recorded() { # recorded FILE: nbsim's command line in the last line of the history
    nbstat --info "$1" | sed -n 's/^  history 2 .* - //p'
}

# bats test_tags=long
@test "auto is direct for 16384 bodies and the tree for one more, with the bytes of the method named" {
    for n in 16384 16385; do
        method=$([ $n = 16384 ] && echo direct || echo tree)
        other=$([ $n = 16384 ] && echo tree || echo direct)
        nbgen plummer -n $n -o p.nbs -f
        nbsim --precision single --steps 0 --write acc p.nbs -f -o auto.nbs 2> said
        nbsim -q --precision single --force $method --steps 0 --write acc p.nbs -f -o $method.nbs
        nbsim -q --precision single --force $other --steps 0 --write acc p.nbs -f -o $other.nbs
        grep -q "^nbsim: $n bodies, $method force" said
        same auto.nbs $method.nbs
        run -3 same auto.nbs $other.nbs
    done
    nbsim --help | tr -s ' \n' ' ' | grep -q 'direct for up to 16384 bodies'
}

@test "the start line names theta; theta and rebuild are of the record where there is a tree, and of no other" {
    nbgen plummer -n 300 -o p.nbs
    run -0 --separate-stderr nbsim --force tree --theta 0.6 --rebuild 3 --steps 1 p.nbs -o tree.nbs
    [[ "$stderr" == *"300 bodies, tree force (theta 0.6) in "* ]]
    [[ "$stderr" != *Gpair* ]]
    [ "$(recorded tree.nbs)" = "nbsim --steps=1 --force=tree --theta=0.6 --rebuild=3" ]
    run -0 --separate-stderr nbsim --theta 0.6 --rebuild 3 --steps 1 p.nbs -o auto.nbs
    [[ "$stderr" == *"300 bodies, direct force in "* ]]
    [ "$(recorded auto.nbs)" = "nbsim --steps=1" ]
    nbsim -q --steps 1 p.nbs -o plain.nbs
    cmp auto.nbs plain.nbs
    nbsim -q --force tree --steps 1 p.nbs -o usual.nbs
    nbsim -q --force tree --theta 0.75 --rebuild 1 --steps 1 p.nbs -o given.nbs
    same usual.nbs given.nbs
}

@test "theta and rebuild: what is refused is a usage error" {
    nbgen plummer -n 10 -o p.nbs
    for options in "--theta 0.049" "--theta 2.01" "--theta 0" "--theta -1" "--theta nan" "--theta wide" "--rebuild 0" \
        "--rebuild -1" "--rebuild 1.5" "--rebuild often" "--rebuild 4294967296" "--integrator hermite4" "--precision quad"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbsim -q --force tree $options --steps 1 p.nbs
        [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 2 ] || { echo "$options: $stderr"; false; }
    done
    for options in "--theta 0.05" "--theta 2" "--rebuild 4294967295"; do
        # shellcheck disable=SC2086
        nbsim -q --force tree $options --steps 1 p.nbs > /dev/null
    done
}

@test "acceleration and potential by the tree against the direct sum: errors fall with theta" {
    nbgen plummer -n 10k --seed 1 -o p.nbs
    nbsim -q --device cpu --precision double --force direct --softening 0.01 --steps 0 --write acc,phi p.nbs -o direct.nbs
    for theta in 0.75 0.5 0.25; do
        nbsim -q --force tree --theta $theta --softening 0.01 --store f64 --steps 0 --write acc,phi p.nbs -o tree-$theta.nbs
    done
    python - >&3 <<'P'
import numpy as np
from nbs_reader import read
def field(name):
    f = read(open(name, "rb"))[0]
    return f["acc"], f["phi"]
acc, phi = field("direct.nbs")
norm = lambda a: np.sqrt((a * a).sum(1))
before = None
for theta, bounds in ((0.75, (8e-4, 5e-3, 5e-5, 5e-4)), (0.5, (1.6e-4, 1e-3, 1e-5, 1e-4)), (0.25, (1e-5, 1e-4, 2e-6, 1e-5))):
    a, p = field(f"tree-{theta}.nbs")
    of_acc, of_phi = norm(a - acc) / norm(acc), abs(p / phi - 1)
    errors = [np.median(of_acc), np.quantile(of_acc, 0.99), np.median(of_phi), np.quantile(of_phi, 0.99)]
    print("# theta", theta, "acc %.1e %.1e, phi %.1e %.1e" % tuple(errors))
    assert all(e < b for e, b in zip(errors, bounds)), (theta, errors)
    assert before is None or all(e < b for e, b in zip(errors, before))
    before = errors
P
}

@test "rebuild: another order of the same sums; potentials on the way change nothing" {
    nbgen plummer -n 3k --seed 4 -o p.nbs
    for k in 1 5; do
        nbsim -q --force tree --rebuild $k --softening 0.01 --dt 0.0078125 --steps 40 p.nbs -o every-$k.nbs
        nbsim -q --force tree --rebuild $k --softening 0.01 --dt 0.0078125 --steps 40 --every 0.0234375 --write phi p.nbs |
            nbsim -q --steps 0 --frame last -o often-$k.nbs
        nbsim -q --steps 0 --frame last every-$k.nbs -o once-$k.nbs
        same once-$k.nbs often-$k.nbs
    done
    run -3 same every-1.nbs every-5.nbs
    nbstat --max-de 1e-4 --max-dp 1e-4 every-1.nbs every-5.nbs > /dev/null
}

@test "equal bytes for any number of threads" {
    nbgen collision -n 5k --seed 5 -o p.nbs
    for t in 1 2 3; do
        nbsim -q --device cpu --force tree --steps 3 --threads $t --write acc,phi p.nbs -o t$t.nbs
    done
    cmp t1.nbs t2.nbs
    cmp t1.nbs t3.nbs
}

# The same tests over longer times, which take minutes, are in tests/long/tree.bats.
# bats test_tags=long
@test "10000 bodies over 100 steps: the momentum stays, to 1e-10 of sum m|v| in mixed and double and 1e-6 in single" {
    nbgen plummer -n 10k --seed 2 -o p.nbs
    for precision in single mixed double; do
        nbsim -q --force tree --theta 0.75 --precision $precision --softening 0.02 --dt 0.00390625 --steps 100 \
            p.nbs -o $precision.nbs
        nbstat --json --potential none $precision.nbs | tail -n 1 |
            sed -n "s/.*\"momentum_error\": \([^,]*\),.*/# $precision: \1/p" >&3
    done
    nbstat --potential none --max-dp 1e-10 mixed.nbs double.nbs >/dev/null
    nbstat --potential none --max-dp 1e-6 single.nbs >/dev/null
}

# bats test_tags=long
@test "100000 bodies over 20 steps in single: the momentum drifts by less than 1e-7 of sum m|v|" {
    nbgen plummer -n 100k --seed 1 |
        nbsim -q --force tree --theta 0.75 --precision single --softening 0.01 --dt 0.00390625 --steps 20 > p.nbs
    nbstat --json --potential none p.nbs | sed -n 's/.*"momentum_error": \([^,]*\),.*/# momentum error: \1/p' >&3
    nbstat --potential none --max-dp 1e-7 p.nbs > /dev/null
}

@test "a Plummer sphere of 4000 bodies keeps its energy to 1e-5 over a unit of time at theta 0.6" {
    nbgen plummer -n 4k --seed 1 |
        nbsim -q --force tree --theta 0.6 --precision single --softening 0.01 --dt 0.00390625 --until 1 --every 0.25 > p.nbs
    nbstat --json --potential direct p.nbs | sed -n 's/.*"energy_error": \([^,]*\),.*/# energy error: \1/p' >&3
    [ "$(nbstat --potential direct --max-de 1e-5 p.nbs | wc -l)" -eq 6 ]
}

@test "memory in single precision, a body: at most 212 bytes for a step and 250 for a potential" {
    [ -z "${NB_SANITIZER:-}" ] || skip "sanitizers need memory of their own"
    python - <<'P'
import resource, subprocess, sys
def peak_bytes(*command): # in a process of its own: ru_maxrss is the largest of all children
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    return 1024 * int(subprocess.run([sys.executable, "-c", code, *command], check=True, stdout=subprocess.PIPE).stdout)
few, many = 200000, 700000
for n in few, many:
    subprocess.run(f"nbgen plummer -q -n {n} --store f32 -o {n}.nbs", shell=True, check=True)
for most, *tool in ((212, "nbsim", "-q", "--device", "cpu", "--precision", "single", "--force", "tree", "--steps", "1"),
                    (250, "nbstat", "-q", "--device", "cpu", "--potential", "tree")):
    bytes_each = (peak_bytes(*tool, f"{many}.nbs") - peak_bytes(*tool, f"{few}.nbs")) / (many - few)
    print(tool[0], bytes_each)
    assert bytes_each < most, bytes_each
P
}
