#!/usr/bin/env bats
# External fields in the tools: their lines in the header and the tools that use these lines, orbits in closed form,
# energies, rejected fields.
bats_require_minimum_version 1.5.0
load ../common/common

sim() { # nbsim on whatever device there is, with as many digits on each
    nbsim -q --precision double "$@"
}

bodies() { # bodies "M X Y Z VX VY VZ" [LINE]...: a stream of them
    { echo '# m x y z vx vy vz' && printf '%s\n' "$@"; } | nbconv -q --from text
}

forces() { # forces FILE: the force lines of its first header
    LC_ALL=C sed -n '/^checksum/q; s/^force //p' "$1"
}

last() { # last FIELD...: fields of the last line of nbstat's JSON from stdin
    python -c '
import json, sys
d = json.loads(sys.stdin.readlines()[-1])
print(*(d[k] for k in sys.argv[1:]))' "$@"
}

# usage SENTENCE OPTION...: nbsim refuses p.nbs with exit 2, SENTENCE and a hint
usage() {
    local sentence=$1
    shift
    run -2 --separate-stderr nbsim --steps 1 --dt 0.1 "$@" p.nbs
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 2 ] && [[ "$stderr" == *"$sentence"* ]] || { echo "$*: $stderr" >&2; return 1; }
}

# ---- the header ----

@test "the header names the forces in the order given, with all their parameters, where one of them is external" {
    nbgen plummer -n 10 -o p.nbs
    sim --steps 1 --force external:point,mass=0.5 --force tree:theta=0.5 --force external:uniform,gz=-0.125 \
        p.nbs -o a.nbs
    sim --steps 1 --force external:drag,rate=1e-3 p.nbs -o b.nbs
    sim --steps 1 --force tree p.nbs -o c.nbs
    diff <(forces a.nbs) - <<'E'
external:point,mass=0.5,eps=0,x=0,y=0,z=0
auto
external:uniform,gx=0,gy=0,gz=-0.125,omega=0,angle=0
E
    [ "$(forces b.nbs)" = "external:drag,rate=0.001" ] # test particles: no gravity of their own
    [ -z "$(forces c.nbs)" ]
    [ -z "$(forces p.nbs)" ] # and none from nbgen
    [ "$(grep -a -c '^force' a.nbs)" = 6 ] # in every frame
    diff <(forces a.nbs) <(nbstat --info a.nbs | sed -n 's/^  force //p')
}

@test "a second nbsim takes the header's forces over: two halves of a run are the run" {
    nbgen plummer -n 200 -o p.nbs
    fields="--force auto --force external:logarithmic,speed=1,core=0.3 --force external:uniform,gx=0.3"
    # shellcheck disable=SC2086
    sim --dt 0.015625 --steps 20 $fields p.nbs | nbconv --to text >whole
    # shellcheck disable=SC2086
    sim --dt 0.015625 --steps 10 $fields p.nbs -o half.nbs
    sim --dt 0.015625 --steps 10 half.nbs -o rest.nbs
    nbconv --to text rest.nbs | diff -q whole -
    diff <(forces half.nbs) <(forces rest.nbs)
    sim --dt 0.015625 --steps 10 --force auto half.nbs | nbconv --to text >without
    run -1 diff -q whole without
}

@test "--force replaces the header's forces: with auto nothing is left of them" {
    nbgen plummer -n 100 -o p.nbs
    sim --steps 0 --force auto --force external:uniform,gx=1 p.nbs -o field.nbs
    [ "$(forces field.nbs | wc -l)" = 2 ]
    sim --dt 0.01 --steps 5 --force auto field.nbs -o plain.nbs
    [ -z "$(forces plain.nbs)" ]
    diff <(nbconv --to text plain.nbs) <(sim --dt 0.01 --steps 5 p.nbs | nbconv --to text)
    sim --dt 0.01 --steps 5 --force external:drag,rate=2 field.nbs -o drag.nbs
    [ "$(forces drag.nbs)" = external:drag,rate=2 ]
}

# ---- energies ----

# halo.nbs, made once: a Plummer sphere that falls through a flattened halo and a uniform field, with both potentials and accelerations
setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    nbgen plummer -n 1000 --seed 1 |
        nbsim -q --precision double --force auto --force external:logarithmic,speed=1,core=0.3,q=0.9 --softening 0.05 \
            --force external:uniform,gx=0.3 --dt 0.005 --until 2 --every 0.25 --write acc,phi -o halo.nbs
}

@test "a cluster in a halo and a uniform field: the energy with the external potential is conserved, and not without" {
    nbstat --max-de 3e-4 --json --potential direct "$BATS_FILE_TMPDIR/halo.nbs" >energies # 6e-5 is what it is
    python - >&3 <<'P'
import json
lines = [json.loads(line) for line in open("energies")]
assert len(lines) == 9
K, W, X, E = zip(*([d[k] for k in ("kinetic", "potential", "external", "energy")] for d in lines))
assert all(abs(k + w + x - e) < 1e-15 for k, w, x, e in zip(K, W, X, E))
own = [k + w for k, w in zip(K, W)]
print("# energy error", max(abs(d["energy_error"]) for d in lines))
assert max(own) - min(own) > 0.1 and max(X) - min(X) > 0.1
assert list(lines[0])[-1] == "external"
P
    nbstat "$BATS_FILE_TMPDIR/halo.nbs" | head -n 1 | grep -q $'\texternal$'
}

@test "potentials in columns are those that nbstat computes, and it takes them where they are there" {
    for how in direct column auto; do
        nbstat --json --potential $how "$BATS_FILE_TMPDIR/halo.nbs" >$how
    done
    python - <<'P'
import json
import numpy as np
from nbs_writer import frame, write
rows = {how: [json.loads(line) for line in open(how)] for how in ("direct", "column", "auto")}
for d, c, a in zip(*rows.values()):
    assert c == a
    for key in ("potential", "external", "energy"):
        assert abs(c[key] - d[key]) < 1e-13, (key, c[key], d[key])
    assert abs(c["virial"] / d["virial"] - 1) < 1e-12
# Columns that no force made: nbstat cannot have computed them.
some = dict(softening=0.1, force=["auto", "external:uniform,gx=1"], phi=np.array([-1.0, -3.0]))
state = [1, 2], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 0, 0]]
write("made.nbs", frame(*state, phi_external=np.array([10.0, 20.0]), **some))
write("half.nbs", frame(*state, **some))
P
    for how in column auto; do
        [ "$(nbstat --json --potential $how made.nbs | last potential external energy)" = "-3.5 50 46.5" ]
    done
    [ "$(nbstat --json half.nbs | last potential external)" = "-3.5 -2" ] # phi taken, phi_external computed
    run -1 --separate-stderr nbstat --potential column half.nbs
    [ "$stderr" = "nbstat: half.nbs: frame 0: no column phi_external (--potential auto computes it)" ]
}

@test "frames with different forces in one input: each has its own external energy" {
    bodies "2 1 0 0 0 0 0" "0 0 0 0 0 0 0" >start.nbs
    sim --steps 0 --force external:uniform,gx=3 start.nbs -o uniform.nbs
    sim --steps 0 --force external:plummer,mass=4,scale=1 --force auto start.nbs -o plummer.nbs
    cat uniform.nbs start.nbs plummer.nbs | nbstat --json >rows
    python - <<'P'
import json
external = [json.loads(line)["external"] for line in open("rows")]
assert all(abs(x - y) < 1e-14 for x, y in zip(external, (-6, 0, -8 / 2 ** 0.5))) and len(external) == 3, external
P
}

# ---- test particles ----

@test "a test particle about a point of mass 1 is back after 2 pi" {
    # A circle, and an ellipse with e = 0.5 from its nearest point.
    bodies "0 1 0 0 0 1 0" "0 0 0.5 0 -1.7320508075688772 0 0" >start.nbs
    for scheme in gauss6 verner65; do
        sim --force external:point,mass=1 --integrator $scheme --dt 0.005 --until 6.283185307179586 start.nbs \
            >$scheme.nbs
        python - $scheme.nbs >&3 <<'P'
import sys
import numpy as np
from nbs_reader import read
first, end = read(open(sys.argv[1], "rb"))
worst = max(abs(end[k] - first[k]).max() for k in ("pos", "vel"))
print("#", sys.argv[1], "is off by", worst)
assert worst < 1e-9 and (end["mass"] == 0).all()
P
    done
}

@test "at the speed v R / sqrt(R^2 + core^2) an orbit in the logarithmic halo stays on its circle" {
    bodies "0 1 0 0 0 1.3416407864998738 0" >start.nbs
    sim --force external:logarithmic,speed=1.5,core=0.5,q=0.7 --integrator gauss6 --dt 0.02 --until 10 --every 0.5 \
        start.nbs -o circle.nbs
    python - <<'P'
import numpy as np
from nbs_reader import read
frames = read(open("circle.nbs", "rb"))
assert len(frames) == 21
for f in frames:
    angle = 1.3416407864998738 * f["time"]
    assert abs(f["pos"][0] - [np.cos(angle), np.sin(angle), 0]).max() < 1e-11, f["time"]
P
}

@test "energy and angular momentum about the axis are kept on orbits through a disk, and the orbits are no circles" {
    bodies "0 3 0 0.5 0 0.4 0.1" "0 1 0 0 0.1 0.5 0.3" "0 -5 2 1 0 0 0" >start.nbs
    sim --force external:miyamoto-nagai,mass=1.5,a=1,b=0.2 --integrator gauss6 --dt 0.01 --until 60 --every 5 \
        start.nbs -o disk.nbs
    python - >&3 <<'P'
import numpy as np
from nbs_reader import read
def integrals(f):
    (x, y, z), v = f["pos"].T, f["vel"]
    phi = -1.5 / np.sqrt(x ** 2 + y ** 2 + (1 + np.sqrt(z ** 2 + 0.04)) ** 2)
    return np.array([(v ** 2).sum(1) / 2 + phi, x * v[:, 1] - y * v[:, 0]])
frames = read(open("disk.nbs", "rb"))
drift = max(abs(integrals(f) - integrals(frames[0])).max() for f in frames)
print("# E and L_z drift by", drift)
assert len(frames) == 13 and drift < 1e-10
radius = np.array([np.hypot(*f["pos"].T[:2]) for f in frames])
assert (radius.max(0) > 1.3 * radius.min(0)).all()
P
}

@test "test particles do not act on one another: other masses, equal orbits" {
    nbgen plummer -n 50 --seed 3 -o a.nbs
    nbconv --to text a.nbs | sed '/^#/! s/^\([0-9]*\) [^ ]*/\1 7/' | nbconv -q --from text >b.nbs
    orbits() { sim --dt 0.01 --steps 50 "${@:2}" "$1" | nbconv --to text --columns id,pos,vel; }
    halo="--force external:hernquist,mass=1,scale=0.5"
    # shellcheck disable=SC2086
    cmp <(orbits a.nbs $halo) <(orbits b.nbs $halo)
    run -1 cmp -s <(orbits a.nbs --softening 0.1) <(orbits b.nbs --softening 0.1) # with gravity of their own they do
    # shellcheck disable=SC2086
    sim --dt 0.01 --steps 5 $halo --write phi a.nbs -o phi.nbs
    for how in direct column; do
        [ "$(nbstat --json --potential $how phi.nbs | last potential)" = 0 ]
    done
}

@test "a uniform field makes a parabola, to the last digit" {
    bodies "0 0 0 0 1 2 3" | sim --force external:uniform,gx=0.5,gz=-2 --dt 0.25 --until 3 |
        nbconv --to text >end
    [ "$(tail -n 1 end)" = "0 0 5.25 6 0 2.5 2 -3" ]
}

@test "drag makes a speed fall as exp(-kt), and the acceleration written is that of the velocity written" {
    bodies "0 0 0 0 1 2 3" >start.nbs
    sim --force external:drag,rate=0.7 --integrator rk4 --dt 0.01 --until 1 start.nbs |
        nbconv --to text | tail -n 1 >end
    read -r _ _ x _ _ vx _ vz <end
    close "$x" 0.71916385172655787 1e-9 # (1 - e^-0.7) / 0.7
    close "$vx" 0.49658530379140953 1e-9
    close "$vz" 1.4897559113742286 1e-9
    for scheme in leapfrog leapfrog-dkd rk4; do
        slow() { sim --force external:drag,rate=0.5 --integrator $scheme --dt 0.1 --steps 3 "$@" start.nbs; }
        slow --write acc | nbconv --to text --columns vel,acc >va
        awk '!/^#/ { d = $4 + $1 / 2; if (d < 0) d = -d; if (d > 1e-15) exit 1 } END { exit NR < 2 }' va
        # and asking for it changes nothing
        diff <(slow --write acc --every 0.1 | nbconv -q --to text | grep -v '^#') <(slow | nbconv --to text | grep -v '^#')
    done
}

@test "drag and gravity: with a small step every family that serves it finds the same end" {
    bodies "1 0.5 0 0 0 0.7 0" "1 -0.5 0 0 0 -0.7 0" >start.nbs
    for scheme in rk4 gauss6 abm5 bulirsch-stoer leapfrog; do
        sim --force auto --force external:drag,rate=0.2 --integrator $scheme --dt 0.0005 --until 1 start.nbs |
            nbconv --to text | tail -n 1 >$scheme
    done
    for scheme in gauss6 abm5 bulirsch-stoer leapfrog; do
        # The splitting scheme has order 1 here, the others are far beyond.
        awk -v most="$([ $scheme = leapfrog ] && echo 1e-4 || echo 1e-9)" 'NR == FNR { split($0, a); next }
            { for (k = 3; k <= 8; k++) { d = a[k] - $k; if (d < 0) d = -d; if (d > most) exit 1 } }' rk4 $scheme ||
            { echo "$scheme: $(cat rk4 $scheme)" >&2; return 1; }
    done
}

@test "two external forces add: the sum of their accelerations and potentials" {
    nbgen uniform -n 20 --seed 2 -o p.nbs
    one=external:nfw,mass=2,scale=0.5,x=0.25 two=external:logarithmic,speed=0.5,core=1
    field() {
        sim --steps 0 --write acc,phi "$@" p.nbs | nbconv --to text --columns acc,phi,phi_external | grep -v '^#'
    }
    field --force $one >a
    field --force $two >b
    field --force $one --force $two >both
    python - <<'P'
import numpy as np
a, b, both = (np.loadtxt(name) for name in ("a", "b", "both"))
assert abs(a + b - both).max() < 1e-14
assert (abs(a[:, [0, 4]]) > 1e-3).all() and (abs(b[:, [0, 4]]) > 1e-6).all()
P
}

@test "milky-way: 222.5 km/s at 8 kpc, in any units with a physical size and in no others" {
    printf '# m x y z vx vy vz\n0 8 0 0 0 0 0\n0 0 -8 0 0 0 0\n' | nbconv -q --from text --units galactic >sun.nbs
    sim --force external:milky-way --steps 0 --dt 1e-3 --write acc sun.nbs |
        nbconv --to text --columns pos,acc | grep -v '^#' >xa
    # 23956 of the disk, 15456 of the bulge and 10082 of the halo, (km/s)^2
    while read -r x y _ ax ay _; do
        close "$(awk "BEGIN { print sqrt(-($x * $ax + $y * $ay)) }")" 222.472 0.005
    done <xa
    [ "$(wc -l <xa)" = 2 ]
    # 8 kpc in AU; AU^2/year^2 into (km/s)^2 by 4.740470 km/s an AU a year
    printf '# m x y z vx vy vz\n0 1650118449.5 0 0 0 0 0\n' | nbconv -q --from text --units solar |
        sim --force external:milky-way --steps 0 --dt 1 --write acc |
        nbconv --to text --columns pos,acc | tail -n 1 >xa
    read -r x _ _ ax _ <xa
    close "$(awk "BEGIN { print 4.7404705 * sqrt(-($x * $ax)) }")" 222.472 0.01
    nbgen plummer -n 10 -o p.nbs
    usage "the units of the input (code) have no physical size (nbgen --units galactic makes an input with physical units)" --force external:milky-way
}

# ---- what is refused ----

@test "schemes that have no velocity for drag, or want a jerk from a field, are refused with a sentence" {
    nbgen plummer -n 10 -o p.nbs
    drag=external:drag,rate=1
    usage "--integrator stormer: a force needs velocities, which this integrator lacks when it evaluates forces" \
        --integrator stormer --force auto --force $drag
    usage "an external field has no jerk" --integrator hermite4 --force $drag
    usage "an external field has no jerk" --integrator hermite6 --force $drag
    usage "an external field has no jerk" --integrator hermite4 --force auto --force external:point,mass=1
    sim --steps 1 --integrator stormer --force external:point,mass=1 p.nbs -o /dev/null # it has the positions
}

@test "forces that are no forces: exit 2 with one line and a hint" {
    nbgen plummer -n 10 -o p.nbs
    usage "unknown kind '' (known: point, plummer," --force external
    usage "unknown kind '' (known: point, plummer," --force external:
    usage "unknown kind 'blob' (known: point, plummer," --force external:blob,mass=1
    usage "unknown force 'gravitons' (--list-forces lists all)" --force gravitons
    usage "external:point: mass is missing (M)" --force external:point
    usage "external:drag: rate is missing (1/T)" --force external:drag
    usage "'mass': expected key=value" --force external:point,mass
    usage "mass=: expected a number" --force external:point,mass=
    usage "mass=nan: expected a number" --force external:point,mass=nan
    usage "mass=1e999: expected a number" --force external:point,mass=1e999
    usage "mass=-1 is not from 0" --force external:point,mass=-1
    usage "scale=0 is not above 0" --force external:plummer,mass=1,scale=0
    usage "unknown parameter 'weight' (known: mass, eps, x, y, z, center, table)" --force external:point,mass=1,weight=2
    usage "unknown parameter 'theta' (known: none)" --force direct:theta=0.5
    usage "--force: self-gravity would count twice, because each of direct, tree and auto computes all of it (give only one of them)" --force direct --force external:drag,rate=1 --force tree
    usage "more than 8 forces" $(for _ in 1 2 3 4 5 6 7 8 9; do echo --force external:drag,rate=1; done)
}

# hostile LINE...: 0.nbs, 1.nbs and so on, each a stream of two bodies whose header has one of these values of `force`
hostile() {
    python - "$@" <<'P'
import sys
import numpy as np
from nbs_writer import frame, write
for k, line in enumerate(sys.argv[1:]):
    value = eval(line[1:]) if line[0] == "!" else line
    write(f"{k}.nbs", frame([1, 1], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 1, 0]], softening=0.1, dt=0.01,
                            force=value if isinstance(value, list) else [value]))
P
}

@test "a header with forces that are none: one line and exit 1 from nbsim and nbstat, bytes through the others" {
    cat >table <<'E'
external:xxxx
!"external:"+"x"*100000
force 'mmmm
!"m"*500000
unknown kind 'blob' (known:
external:blob,mass=1
unknown force 'magic'
magic
unknown force '%s%n%s'
%s%n%s:%n
mass=nan: expected a number
external:point,mass=nan
mass=1e999: expected a number
external:point,mass=1e999
mass=: expected a number
external:point,mass=
mass is missing
external:point
unknown kind '' (known:
external
unknown force ''
:
have no physical size
external:milky-way
more than 8 forces
!["external:uniform,gx=1"]*9
more than 8 forces
!["external:uniform,gx=1"]*20000
E
    mapfile -t lines < <(sed -n 'n; p' table)
    hostile "${lines[@]}"
    k=0
    while read -r sentence && read -r line; do
        h=$k.nbs
        k=$((k + 1))
        for tool in "nbsim -q --steps 1 -o out.nbs" "nbstat -q --potential direct"; do
            run -1 --separate-stderr timeout 20 $tool $h
            # A name of 100000 letters does not fill the screen.
            [ "${#stderr_lines[@]}" -eq 1 ] && [[ "$stderr" == *"$sentence"* ]] && [ "${#stderr}" -lt 1200 ] ||
                { echo "$tool, $line: $stderr" >&2; return 1; }
            [ ! -e out.nbs ]
            [ ! -e out.nbs.part ]
        done
        [ "$(nbconv --to text $h | grep -vc '^#')" = 2 ]
        nbrender -q -f --size 64x64 -o h.png $h
        nbstat -q --check $h
        # The way out that nbsim's line names.
        nbsim -q --steps 1 --force auto -f -o ok.nbs $h
        rm ok.nbs
    done <table
    [ $k = 14 ]
}

@test "a force line that no writer may write is damage, to every tool" {
    hostile "external:point, mass=1"
    for tool in "nbsim --steps 1" "nbstat" "nbconv --to text" "nbrender -o h.png"; do
        run -1 --separate-stderr $tool -q 0.nbs
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ "$stderr" == *"the header contains an invalid line 'force external:point, mass=1'"* ]]
    done
}

@test "a field that is infinite at a body ends with a line that names the body" {
    bodies "1 1 0 0 0 0 0" "1 0 0 0 0 0 0" >at.nbs
    run -1 --separate-stderr nbsim -q --force external:point,mass=1 --dt 0.1 --steps 1 at.nbs -o out.nbs
    [[ "${#stderr_lines[@]}" = 1 && "$stderr" == "nbsim: body 1: "* ]]
    [ ! -e out.nbs ]
    sim --force external:point,mass=1,eps=0.1 --dt 0.1 --steps 1 at.nbs -o out.nbs
}

@test "without a step given, one for an orbit: wherever the origin is, and never one to the end" {
    for centre in 0 1000; do
        printf '# m x y z vx vy vz\n0.5 %s 0 0 0 1 0\n' $((centre + 1)) | nbconv --from text >orbit.nbs
        run -0 --separate-stderr nbsim --device cpu --integrator leapfrog --force external:point,mass=1,x=$centre --until 6.2 orbit.nbs -f -o out.nbs
        [[ "$stderr" == *"dt 0.02, from the shortest time"* ]]
    done
    # a close pair far out in a deep field: the pair's own time, sqrt(0.5)/0.5 / 50, counts
    printf '# m x y z vx vy vz\n0.5 8000.5 0 0 0 0.5 0\n0.5 7999.5 0 0 0 -0.5 0\n' | nbconv --from text >pair.nbs
    run -0 --separate-stderr nbsim --device cpu --integrator leapfrog --force auto --force external:point,mass=1e6 --until 1 pair.nbs -f -o out.nbs
    [[ "$stderr" == *"dt 0.0282843, from the"* ]]
    # a step that is given knows nothing of a strong drag
    nbgen plummer -n 100 -o p.nbs
    run -0 --separate-stderr nbsim --dt 0.0125 --force auto --force external:drag,rate=500 --until 0.05 p.nbs -f -o out.nbs
    [[ "$stderr" == *"warning: dt 0.0125 is longer than 0.002, the time scale of an external force (--dt)"* ]]
    run -0 --separate-stderr nbsim --dt 0.0125 --force auto --force external:drag,rate=1 --until 0.05 p.nbs -f -o out.nbs
    [[ "$stderr" != *warning* ]]
}
