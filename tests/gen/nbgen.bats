#!/usr/bin/env bats
# nbgen on the command line: help, rejected options, outputs, the header, determinism. Streams are read with
# tests/common/nbs_reader.py, which shares no code with the tools.
bats_require_minimum_version 1.5.0
load ../common/common
load models

# The files that the tests made here, without the files of bats.
files() {
    ls | grep -v '^separate-stderr' | paste -sd' '
}

models="plummer hernquist jaffe dehnen nfw king isothermal uniform disk collision galaxy twin spheres kepler figure8 pythagorean lagrange solar outer-solar windtunnel granular"

@test "help lists the models and the parameters of each" {
    run -2 --separate-stderr nbgen
    [ -z "$output" ]
    list=$stderr
    run -0 --separate-stderr nbgen --help
    for model in $models; do
        [[ "$list" == *"  $model "* ]]
        [[ "$output" == *"  $model "* ]]
    done
    for model in $models; do
        run -0 --separate-stderr nbgen "$model" --help
        [[ "$output" == "Usage: nbgen $model "* && "$output" == *"--bodies="*"default f64"*"time step: "* ]]
    done
}

@test "options may stand before the model, and give the same bytes" {
    nbgen plummer -q -n 10 --seed 3 -o want.nbs
    nbgen -n 10 plummer --seed 3 | cmp - want.nbs
    nbgen -qn10 --seed=3 plummer | cmp - want.nbs
    nbgen --seed 3 -q -n 10 plummer -o - | cmp - want.nbs
    nbgen -n 10 --seed 3 -o king plummer # a value is no model
    cmp king want.nbs
    nbgen --quiet-start plummer -q -n 100 | cmp - <(nbgen plummer -q -n 100 --quiet-start)
    nbgen -e 0.5 kepler | cmp - <(nbgen kepler -e 0.5)
    nbgen -o both.nbs merge king want.nbs --separation 3 --pericenter 1
    nbstat --check both.nbs
}

@test "--list-models: names and what they are, as text and as JSON" {
    nbgen --help | sed -n '/^The models:/,/^`nbgen/s/^  \([a-z0-9-]*\)  .*/\1/p' >names
    nbgen --list-models | sed 's/ .*//' | diff names -
    nbgen --list-models | grep -qx 'kepler       two bodies on an ellipse'
    nbgen --json --list-models | python -c 'import json, sys
for line in sys.stdin:
    m = json.loads(line)
    assert m["about"] and (m["bodies"] is None or m["bodies"] >= m["least_bodies"] >= 1) and m["random"] in (True, False)
    assert m["name"] != "plummer" or (m["bodies"] == 10000 and m["random"])
    print(m["name"])' | diff names -
    run -1 bash -c "nbgen --list-models >/dev/full"
}

@test "sizes far from 1 have energies that are numbers" {
    for size in "--mass 1e119 --radius 1e60" "--mass 1e-119 --radius 1e-60" "--mass 1e90 --radius 1e-70"; do
        nbgen uniform -n 10 $size -f -o sized.nbs
        nbstat sized.nbs | python -c 'import math, sys
values = [float(x) for line in sys.stdin if not line.startswith("#") for x in line.split("\t")[4:10]]
assert values and all(math.isfinite(x) for x in values) and values[1] > 0 > values[2], values'
    done
}

@test "what makes no sense is refused in a line" {
    refused 2 "unknown model 'plumer' (did you mean plummer?); models: plummer, hernquist, jaffe" nbgen plumer
    refused 2 "unknown model 'plumer' (did you mean plummer?); models: plummer" nbgen -q -n 10 plumer
    refused 2 "no model given: nbgen MODEL [OPTION...] (nbgen --list-models lists all)" nbgen -n 10
    refused 2 "no model given" nbgen -n plummer
    refused 2 "no model given" nbgen --seed 3 -o king
    refused 2 "--json needs --list-models" nbgen --json
    for n in 0 -5 1e30 1.5 ten 3kk nan 99999999999999999999; do
        refused 2 "--bodies $n: expected a count" nbgen plummer -n "$n"
    done
    for seed in x -1 1.5 18446744073709551616; do
        refused 2 "--seed $seed: expected a whole number" nbgen plummer --seed "$seed"
    done
    refused 2 "--bodies 4: figure8 has exactly 3 bodies" nbgen figure8 -n 4
    refused 2 "--bodies 3: collision needs at least 4" nbgen collision -n 3
    refused 2 "--frobnicate: no such option" nbgen plummer --frobnicate
    refused 2 "10: unexpected argument (not an option)" nbgen plummer 10
    refused 2 "--store f16: expected f32 or f64" nbgen plummer --store f16
    refused 2 "--units parsec: expected code, galactic, solar or gauss" nbgen plummer --units parsec
    refused 2 "--units code: expected galactic, solar or gauss" nbgen solar --units code
    refused 2 "--units: no such option" nbgen outer-solar --units gauss
    refused 2 "--eccentricity 1: an ellipse has less" nbgen kepler -e 1
    refused 2 "--eccentricity -0.1: expected a number of 0 or more" nbgen kepler -e -0.1
    refused 2 "--masses 1,2: expected three numbers" nbgen lagrange --masses 1,2
    refused 2 "--masses 1,2,0: expected three numbers" nbgen lagrange --masses 1,2,0
    refused 2 "--shape ball: expected sphere or cube" nbgen uniform --shape ball
    refused 2 "--virial nan: expected a number of 0 or more" nbgen uniform --virial nan
    refused 2 "--central-mass 1: must be at least 0 and below 1" nbgen disk --central-mass 1
    refused 2 "--inner 0: must be at least 0.001 and below 1" nbgen disk --inner 0
    refused 2 "--slope 2: must be at least 0" nbgen disk --slope 2
    refused 2 "--incline 30: expected two numbers" nbgen disk --incline 30
    refused 2 "--separation 0.1: less than --pericenter" nbgen collision --separation 0.1
    refused 2 "--separation 3: the orbit reaches from 0.4 to 1.2" nbgen collision -e 0.5
    for value in 1e300 1e121 1e-121 1e-300; do # its square, and that over a length
        refused 2 "--mass $value: out of range, expected 1e-120 to 1e+120" nbgen plummer --mass $value
    done
    for option in --radius --softening; do # the cube
        for value in 1e91 1e-91; do
            refused 2 "$option $value: out of range, expected 1e-90 to 1e+90" nbgen uniform $option $value
        done
    done
    refused 2 "the total energy or a time is too large or too small" nbgen plummer --mass 1e120 --radius 1e-90
    refused 2 "the total energy or a time is too large or too small" nbgen disk --mass 1e-120 --radius 1e90
    refused 2 "--semi-major 1e100: out of range" nbgen kepler --semi-major 1e100
    refused 2 "--mass-ratio 1e60: out of range" nbgen kepler --mass-ratio 1e60
    refused 2 "--mass-ratio 1e160: out of range" nbgen collision --mass-ratio 1e160
    refused 2 "--side 1e-100: out of range" nbgen lagrange --side 1e-100
    refused 2 "--scale 1e300: must be from 0.001 to 1000" nbgen disk --scale 1e300
    refused 2 "--thickness 1e300: must be from 0 to 100" nbgen collision --thickness 1e300
    refused 1 "body 1: pos -1.62347918e+39 does not fit f32 (--store f64)" nbgen plummer -n 10 --radius 1e39 --store f32 -o far.nbs
    [ -z "$(files)" ]
}

@test "output: an existing file only with -f, devices stay devices, a terminal and a full disk are refused" {
    nbgen kepler -o a.nbs
    cp a.nbs b.nbs
    refused 1 "a.nbs: exists already" nbgen plummer -o a.nbs
    cmp a.nbs b.nbs
    nbgen figure8 -f -o a.nbs
    run ! cmp -s a.nbs b.nbs
    nbgen kepler -o /dev/null
    [ -c /dev/null ]
    refused 1 "is a directory" nbgen kepler -o .
    refused 1 "cannot be written" nbgen kepler -o no/such/folder.nbs
    run -1 --separate-stderr bash -c 'nbgen plummer -n 100k > /dev/full'
    [[ "$stderr" == "nbgen: stdout: cannot be written: No space left on device" ]]
    run -1 --separate-stderr bash -c 'nbgen kepler > /dev/full'
    run -0 --separate-stderr bash -c 'nbgen plummer -n 100k | head -c 1000 | wc -c'
    [ "$output" = 1000 ]
    [ -z "$stderr" ]
    if command -v script >/dev/null; then
        run -2 script -qec 'nbgen kepler' /dev/null
        [[ "$output" == *"stdout is a terminal"* ]]
    fi
    [ "$(files)" = "a.nbs b.nbs" ]
}

# longer_than FILE BYTES
longer_than() {
    [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2" ]
}

@test "a terminal is told how much is done and how long the rest takes, from 0 to 100 %" {
    export TERM=xterm
    script -qec 'nbgen uniform -n 300k --threads 2 -f -o u.nbs' /dev/null >told
    tr '\r' '\n' <told >lines
    grep -q '^nbgen: id, [0-9]* %, [0-9]*:[0-9][0-9] left' lines
    awk '/ %, / { sub(/ %.*/, ""); share = $NF + 0; if (share < before || share > 100) exit 1; before = share }' lines
    script -qec 'nbgen uniform -n 300k -q -f -o u.nbs' /dev/null >told
    [ ! -s told ]
}

@test "a signal in the middle of a file leaves nothing behind" {
    # the first is met while bodies are written, the second, behind ids and components, while the centre of mass is sought
    for bytes in 1 270000000; do
        nbgen uniform -n 30M -q -o big.nbs &
        pid=$!
        await $pid longer_than big.nbs.part $bytes
        kill -TERM $pid
        wait $pid && status=0 || status=$?
        [ $status -eq 143 ]
        [ -z "$(files)" ]
    done
}

@test "the header: units, G, provenance without what cannot change the result" {
    nbgen plummer --seed 18446744073709551615 -n 1k --threads 2 -v -f -o code.nbs
    nbgen uniform -n 1k --virial 0.50 --units galactic --mass 20 --radius 10 -o galactic.nbs
    nbgen solar -o solar.nbs
    nbgen solar --units gauss -o gauss.nbs
    check code.nbs galactic.nbs solar.nbs gauss.nbs <<'P'
code, galactic, solar, gauss = frames
assert code["history"] == ["1 - nbgen 0.1.0 18446744073709551615 nbgen plummer --bodies=1k --seed=18446744073709551615"]
assert galactic["history"][0].endswith(" 1 nbgen uniform --virial=0.50 --bodies=1k --units=galactic --mass=20 --radius=10")
assert solar["history"][0].endswith(" - nbgen solar")
assert code["units"] == "code" and code["G"] == 1 and code["length_cgs"] == code["mass_cgs"] == code["time_cgs"] == 0
assert galactic["units"] == "galactic" and abs(galactic["G"] - 43009.17) < 0.005
assert abs(galactic["time_cgs"] / (1e9 * 365.25 * 86400) - 0.9778) < 1e-5
assert solar["units"] == "solar" and abs(solar["G"] - 39.476926) < 1e-6
assert gauss["units"] == "gauss" and gauss["G"] == 1
for f in frames[1:]:
    assert abs(f["G"] * f["length_cgs"] ** 3 / f["mass_cgs"] / f["time_cgs"] ** 2 / 6.67430e-8 - 1) < 1e-14
# the same bodies in two systems, and a scaled model: mass, radius, and 2K = Q 3/5 G M^2 / R
assert np.allclose(solar["pos"], gauss["pos"], rtol=1e-15)
ratio = solar["time_cgs"] / gauss["time_cgs"]
assert np.allclose(solar["vel"], gauss["vel"] * ratio, rtol=1e-14)
assert abs(galactic["mass"].sum() - 20) < 1e-12
assert 9.5 < norm(galactic["pos"], axis=1).max() < 10.5
assert abs(2 * kinetic(galactic) / (0.5 * 0.6 * galactic["G"] * 20**2 / 10) - 1) < 0.1
for f in frames:
    assert f["dt"] > 0 and f["step"] == "0" and f["time"] == 0
    assert (f["id"] == np.arange(len(f["id"]))).all() and f["id"].dtype == np.uint64
P
}

@test "equal bytes for any number of threads, other bytes for another seed" {
    for model in plummer "uniform --shape cube" disk "collision --mass-ratio 0.3"; do
        for threads in 1 2 5; do
            nbgen $model -n 10007 --threads $threads -f -o $threads.nbs
        done
        cmp 1.nbs 2.nbs
        cmp 1.nbs 5.nbs
        nbgen $model -n 10007 --seed 1 -q -f -o same.nbs
        nbgen $model -n 10007 --seed 2 -q -f -o other.nbs
        check 1.nbs same.nbs other.nbs <<'P'
a, same, other = frames
assert all((a[c] == same[c]).all() for c in ("mass", "pos", "vel", "component"))
assert (a["pos"] != other["pos"]).mean() > 0.99 and (a["vel"] != other["vel"]).mean() > 0.99
P
    done
}

@test "f32 is f64, rounded" {
    nbgen collision -n 5k -o wide.nbs
    nbgen collision -n 5k --store f32 -o narrow.nbs
    check wide.nbs narrow.nbs <<'P'
wide, narrow = frames
for c in ("mass", "pos", "vel"):
    assert narrow[c].dtype == np.float32 and (narrow[c] == wide[c].astype(np.float32)).all()
assert (wide["component"] == narrow["component"]).all()
P
}

@test "memory does not grow with the number of bodies" {
    python - <<'P'
import resource, subprocess
subprocess.run("nbgen uniform -n 1500k -q --threads 2 | cat > /dev/null", shell=True, check=True)
peak_kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert peak_kb < 65e3, peak_kb  # the frame has 85 MB
P
}
