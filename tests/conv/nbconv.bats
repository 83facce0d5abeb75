#!/usr/bin/env bats
# nbconv on the command line: exact round trips, formats as documented, and errors that name the line of the text.
bats_require_minimum_version 1.5.0
load ../common/common

# Numbers that are hard to keep: $1 bodies with an id, of all sizes, from denormal to almost too large.
hard_numbers() {
    python - "$1" <<'END'
import random, struct, sys
random.seed(5)
special = ["5e-324", "1.7976931348623157e+308", "-0", "0.1", "2.2250738585072014e-308", "1e22", "123456789012345678"]
def number():
    if random.random() < 0.1:
        return random.choice(special)
    while True:
        x = struct.unpack("<d", random.randbytes(8))[0]
        if abs(x) < 1e308:
            return "%.17g" % x
print("# id m x y z vx vy vz")
for i in range(int(sys.argv[1])):
    print(random.getrandbits(64), "%.17g" % random.random(), *(number() for _ in range(6)))
END
}

# same A B: the same numbers in the same places, bit for bit as doubles.
same() {
    python - "$1" "$2" <<'END'
import struct, sys
def words(path):
    return [w for line in open(path) if not line.startswith("#") for w in line.split()]
a, b = words(sys.argv[1]), words(sys.argv[2])
assert len(a) == len(b) > 0, (len(a), len(b))
for k, (p, q) in enumerate(zip(a, b)):
    assert p == q or struct.pack("<d", float(p)) == struct.pack("<d", float(q)), (k, p, q)
END
}

@test "the three-line form gives back every number" {
    nbconv -q --from rosetta "$data/rosetta.txt" | nbconv --to text >out.txt
    grep '^#' out.txt | tail -n 1 | grep -qx '# id m x y z vx vy vz'
    tail -n +2 "$data/rosetta.txt" | paste -d ' ' - - - | awk '{ print NR - 1, $0 }' >expected.txt
    same out.txt expected.txt
}

@test "the three-line form: G is in the header, the steps are passed on and said" {
    run -0 --separate-stderr bash -c "nbconv --from rosetta -o x.nbs '$data/rosetta.txt'"
    [[ $stderr == "nbconv: "*"20 steps"* ]]
    grep -aqx 'G 0.01' x.nbs
    grep -aqx 'steps 20' x.nbs
    grep -aqx 'n 3' x.nbs
}

@test "the three-line form: the command that is named takes the example's steps to the example's digits" {
    nbconv --from rosetta -o x.nbs "$data/rosetta.txt" 2>said
    command=$(grep -o 'nbsim [-a-z0-9 ]* inf' said)
    echo "# $command" >&3
    # shellcheck disable=SC2086
    $command -q --device cpu --precision double -o end.nbs x.nbs
    nbconv --to text --columns pos,vel end.nbs | tail -n 3 | awk '{ printf "%.6f %.6f %.6f %.6f %.6f %.6f\n", $1, $2, $3, $4, $5, $6 }' >have
    # the 20th cycle that rosettacode.org shows
    cat >want <<'END'
0.258572 0.116046 0.112038 -0.013129 0.000544 0.046890
0.426346 -0.111425 -0.681150 0.234987 0.006241 -0.440245
-1.006089 -4.103186 -3.122591 -0.359686 -1.177995 -0.875924
END
    diff want have
}

@test "the three-line form in any white space" {
    tr '\n' ' ' <"$data/rosetta.txt" | nbconv -q --from rosetta | nbconv --to text >a.txt
    tr ' ' '\n' <"$data/rosetta.txt" | sed 's/$/\r/' | nbconv -q --from rosetta | nbconv --to text >b.txt
    nbconv -q --from rosetta "$data/rosetta.txt" | nbconv --to text | tee c.txt | cmp - a.txt
    cmp c.txt b.txt
}

@test "text comes back digit for digit" {
    hard_numbers 20000 >in.txt
    nbconv --from text in.txt | nbconv --to text >out.txt
    same in.txt out.txt
    nbconv --from text out.txt | nbconv --to text | cmp - out.txt
    for threads in 1 2 5; do
        nbconv --from text in.txt | nbconv --to text --threads $threads | cmp - out.txt
    done
}

@test "single precision comes back digit for digit" {
    python - >in.txt <<'END'
import numpy as np
x = np.random.default_rng(3).integers(0, 2**32, 70000, dtype=np.uint32).view(np.float32)
x = x[np.isfinite(x)][:7 * 9000].reshape(-1, 7)
for row in x:
    print(abs(row[0]), *row[1:])
END
    nbconv --from text --store f32 in.txt >a.nbs
    grep -aq '^column pos f32 3 L$' a.nbs
    nbconv --to text a.nbs >out.txt
    nbconv --from text --store f32 --units code <(sed 's/^[0-9]* //' out.txt | grep -v '#') >b.nbs
    python - <<'END'
import numpy as np
a = np.loadtxt("in.txt").astype(np.float32)
b = np.loadtxt("out.txt")[:, 1:].astype(np.float32)
assert a.tobytes() == b.tobytes()
END
    diff <(nbconv --to text b.nbs) out.txt
    nbconv --from text out.txt | nbconv --to text | cmp - out.txt # the header says f32
}

@test "a line of names may be in any order and hold other columns" {
    cat >in.txt <<'END'
# made by hand
# z y x phi vz vy vx m component spin_y spin_x spin_z
3 2 1 -7.5 6 5 4 0.5 3 20 10 30
END
    nbconv --from text in.txt >x.nbs
    [ "$(nbconv --to text x.nbs | tail -n 1)" = "0 0.5 1 2 3 4 5 6 3 10 20 30" ]
    [ "$(nbconv --to text --columns phi,component,spin x.nbs)" = "# phi component spin_x spin_y spin_z
-7.5 3 10 20 30" ]
    grep -aq '^column phi f64 1 L^2/T^2$' x.nbs
    grep -aq '^column component u8 1 -$' x.nbs
    nbconv --to text --columns component,spin,mass,vel,pos,phi x.nbs | nbconv --from text |
        nbconv --to text --columns phi,component,spin,mass,pos,vel | tail -n 1 | grep -qx -- '-7.5 3 10 20 30 0.5 1 2 3 4 5 6'
}

@test "without names seven fields are m x y z vx vy vz, eight have an id in front" {
    printf '\n 1 2 3 4\t5 6 7 \r\n' | nbconv --from text >seven.nbs
    printf '9 1 2 3 4 5 6 7' | nbconv --from text >eight.nbs
    [ "$(nbconv --to text seven.nbs | tail -n 1)" = "0 1 2 3 4 5 6 7" ]
    [ "$(nbconv --to text eight.nbs | tail -n 1)" = "9 1 2 3 4 5 6 7" ]
    tail -n +2 "$data/outer-solar.txt" | nbconv --from text --G 2.95912208286e-4 >outer.nbs
    nbconv --to text outer.nbs | sed 's/^[0-9] //' >out.txt
    same out.txt <(tail -n +2 "$data/outer-solar.txt")
}

@test "options give what text lacks" {
    echo 1 0 0 0 0 0 0 >in.txt
    nbconv --from text --units galactic --softening 0.05 --time -2.5 in.txt >x.nbs
    for line in 'G 43009\.17[0-9]*' 'softening 0.05' 'time -2.5' 'units galactic'; do
        grep -aqx -- "$line" x.nbs
    done
    nbconv --from text --units galactic --G 7 in.txt | grep -aqx 'G 7'
}

@test "all frames, each with its number and time, and back again" {
    for k in 0 1 2; do
        echo "# frame $k time 0.$k"
        hard_numbers $((k + 1))
    done >in.txt
    nbconv --from text in.txt >a.nbs
    nbconv --to text --frame all a.nbs >out.txt
    [ "$(grep -c '^# frame' out.txt)" = 3 ]
    grep -qx '# frame 1 time 0.1' out.txt
    same in.txt out.txt
    nbconv --from text out.txt | cmp - a.nbs
    [ "$(nbconv --to text --frame 1 a.nbs | grep -vc '^#')" = 2 ]
    [ "$(nbconv --to text a.nbs | grep -vc '^#')" = 3 ]
    [ "$(grep -c '^$' out.txt)" = 4 ] # two between frames, as gnuplot's `index' wants
}

@test "a column that is not there" {
    echo 1 0 0 0 0 0 0 | nbconv --from text >x.nbs
    run -1 --separate-stderr nbconv --to text --columns mass,acc x.nbs
    [ "$stderr" = "nbconv: unknown column 'acc'; columns: mass pos vel" ]
}

@test "bad text is named by its line" {
    while IFS='|' read -r text message; do
        printf -- "$text" >in.txt
        run -1 bash -c 'nbconv -q --from text in.txt 2>&1 >out.nbs'
        [ "$output" = "nbconv: in.txt: $message" ] || { echo "$text gives $output" >&2; false; }
        run ! grep -aq 'nbs 1 close' out.nbs
    done <<'END'
1 2 3\n|line 1: 3 fields; expected m x y z vx vy vz, an id before them, or a # line with names
1 2 3 4 5 6 7\n1 2 3 4 5 6\n|line 2: 6 fields, expected 7
1 2 3 4 5 6 7\n1 2 3 4 5 6 7 8\n|line 2: more than 7 fields
1 2 3 4 5 6 7\n\n1 2 nan 4 5 6 7\n|line 3, field 3 (pos_y): 'nan' is not a finite number
1 2 3 4 5 6 1e400\n|line 1, field 7 (vel_z): '1e400' is not a finite number
1 2 3 4 5 6 7x\n|line 1, field 7 (vel_z): '7x' is not a number
1.5 2 3 4 5 6 7 8\n|line 1, field 1 (id): '1.5' is not a whole number from 0 to 18446744073709551615
-1 2 3 4 5 6 7 8\n|line 1, field 1 (id): '-1' is not a whole number from 0 to 18446744073709551615
-1 3 4 5 6 7 8\n|body 0: mass -1 is negative
# only a comment\n|no bodies
|no bodies
# frame 0 time 0\n# frame 1 time 1\n1 2 3 4 5 6 7\n|line 2: the frame before has no bodies
# frame 0 time 0\n1 2 3 4 5 6 7\n# frame 1 time 1\n|no bodies
# m vx vy vz\n1 2 3 4\n|line 2: 4 fields; expected m x y z vx vy vz, an id before them, or a # line with names
# m x y z vx vy\n|line 1: 'vel' does not have three fields
# m mass x y z vx vy vz\n|line 1: a field of 'mass' appears twice
# m x y z vx vy vz spin spin_x spin_y spin_z\n|line 1: 'spin' does not have three fields
# m x y z vx vy vz component\n1 2 3 4 5 6 7 256\n|line 2, field 8 (component): '256' is not a whole number from 0 to 255
1 2 3 4 5 6 7\n# m x y z vx vy vz\n|line 2: names of fields in the middle of a frame
1 2 \0013 4 5 6 7\n|line 1 is not text
1 2 3 4 5 6 7\n1 2 3 4 5 6 7\0001 2\n|line 2 is not text
END
}

@test "bad three-line files" {
    while IFS='|' read -r text message; do
        printf -- "$text" >in.txt
        run -1 --separate-stderr nbconv -q --from rosetta in.txt
        [ "$stderr" = "nbconv: in.txt: $message" ] || { echo "$text gives $stderr" >&2; false; }
        [ -z "$output" ]
    done <<'END'
|ends within its first three numbers, G n steps
0.01 3\n|ends within its first three numbers, G n steps
0.01 3.5 20\n|line 1: '3.5': expected a whole number from 0 to 18446744073709551615
0.01 1000000000000000000 20\n1\n0 0 0\n0 0 0\n|ends in body 2 of the 1000000000000000000 that it announces
1 1 1\n1\n0 0 0\n0 0\n|ends in body 1 of the 1 that it announces
1 1 1\n1\n0 0 0\n0 0 inf\n|line 4: 'inf' is not a finite number
1 1 1\n1\n0 0 0\n0 0 0\n5\n|line 5: too many numbers for 1 bodies
1 1 1\n-1\n0 0 0\n0 0 0\n|body 0: mass -1 is negative
END
    printf '1 0 5\n' >in.txt
    run -1 nbconv -q --from rosetta in.txt
    [ "$output" = "nbconv: in.txt: no bodies (n = 0)" ]
    printf '1 -1 5\n' >in.txt
    run -1 nbconv --from rosetta in.txt
    [ "$output" = "nbconv: in.txt: line 1: '-1': expected a whole number from 0 to 18446744073709551615" ]
}

@test "inputs that are not there, not text, or without end" {
    run -1 nbconv --from text missing.txt
    [ "$output" = "nbconv: missing.txt: cannot be opened: No such file or directory" ]
    run -1 nbconv --from text .
    [ "$output" = "nbconv: .: is a directory" ]
    run -1 nbconv --from text /dev/zero
    [ "$output" = "nbconv: /dev/zero: line 1 is not text" ]
    run -1 bash -c "yes 1 | tr '\n' ' ' | nbconv --from text"
    [ "$output" = "nbconv: stdin: line 1 is longer than 65535 bytes" ]
}

@test "usage" {
    while IFS='|' read -r arguments message; do
        run -2 --separate-stderr nbconv $arguments x
        [[ ${stderr%%$'\n'*} == "nbconv: $message"* ]] || { echo "$arguments gives $stderr" >&2; false; }
    done <<'END'
|give exactly one of --from and --to
--from text --to text|--from and --to: give only one of them
--from rubbish|--from rubbish: expected one of text
--from text --columns pos|--columns works only with --to
--from text --frame 3|--frame works only with --to
--from text --salvage|--salvage works only with --to
--to text --G 1|--G works only with --from
--to csv --type-map gas=0|--type-map works only with --from or --to gadget
--to text --store f32|--store works only with --from
--from text --store u8|--store u8: expected f32, f64 or quad
--from text --softening -1|--softening -1: expected a number of 0 or more
--from text --time inf|--time inf: expected a finite number
--from text --units feet|--units feet: expected code, galactic, solar or gauss
--from text y|x: only one input is allowed, and y was given already
END
    run -2 nbconv --rubbish
}

@test "an output file appears when it is whole" {
    echo 1 0 0 0 0 0 0 >in.txt
    nbconv --from text in.txt -o x.nbs
    run -1 nbconv --from text in.txt -o x.nbs
    [[ $output == "nbconv: x.nbs: exists already"* ]]
    nbconv --from text in.txt -f -o x.nbs
    echo rubbish >bad.txt
    run -1 nbconv --from text bad.txt -o y.nbs
    [ ! -e y.nbs ]
    [ ! -e y.nbs.part ]
    nbconv --from text in.txt -o /dev/null
    [ -c /dev/null ]
    nbconv --to text x.nbs -o x.txt
    [ "$(grep -vc '^#' x.txt)" = 1 ]
    run -1 bash -c "nbconv --to text x.nbs >/dev/full"
    [ "$output" = "nbconv: stdout: cannot be written: No space left on device" ]
}

@test "a line of names that is not understood is an error, not a comment" {
    for names in '7 x y z vx vy vz' 'x, y, z, 1vx, vy, vz, m' 'm x y z vx vy vz 8rho'; do
        printf '# %s\n10 0 0 0 1 0 5\n' "$names" > odd.txt
        run -1 --separate-stderr nbconv --from text odd.txt -o odd.nbs
        [[ "$stderr" == *"line 1: '"*"is not a valid name of a field"* ]]
        [ ! -e odd.nbs ]
    done
    printf '# my three bodies\n1 0 0 0 0 0 0\n' | nbconv -q --from text > /dev/null
}

# ---- quadruple precision ----

# quad_text DIGITS: 500 bodies with numbers of so many digits, of all sizes that leave room for a low part
quad_text() {
    python - "$1" <<'END'
import random, sys
random.seed(11)
digits = int(sys.argv[1])
def number():
    first = random.choice("123456789") + "".join(random.choice("0123456789") for _ in range(digits - 2)) + random.choice("123456789")
    return random.choice(["", "-"]) + first[0] + "." + first[1:] + "e%d" % random.choice([0, 0, -3, 5, 22, -40, random.randint(-250, 250)])
print("# m x y z vx vy vz")
for i in range(500):
    print(random.random(), *(number() for _ in range(6)))
for row in ("0 -0 1 1e300 100 -2.5", "1.7976931348623157081e308 5e-324 1e-400 0x1.8p1 .5 5.", "00012.500e+2 1e22 1e21 1e-5 0.1 9.99999999999999999999999999999999999999"):
    print(1, row)
END
}

@test "text to quad: the nearest double, and the double nearest to the rest" {
    quad_text 33 >in.txt
    nbconv --from text --store quad in.txt >x.nbs
    python - <<'END'
from decimal import Decimal as D, getcontext
from nbs_reader import read
getcontext().prec = 1000
f, = read(open("x.nbs", "rb"))
rows = [line.split()[1:] for line in open("in.txt") if line[0] != "#"]
seen = 0
for i, row in enumerate(rows):
    for k, word in enumerate(row):
        high, low = (f[("pos", "vel")[k // 3] + end][i, k % 3] for end in ("", "_lo"))
        if "x" in word:
            assert (high, low) == (3, 0)
            continue
        want = float(word)
        assert high == want and low == float(D(word) - D(want)), (word, high, low)
        seen += low != 0
assert seen > 2900, seen
END
    grep -aq '^column pos_lo f64 3 L$' x.nbs
    run ! grep -aq pos_lo <(nbconv --from text in.txt)
}

@test "quad to text: all digits, and the same stream again; 31 digits come back as they were" {
    quad_text 33 >in.txt
    nbconv --from text --store quad in.txt >x.nbs
    nbconv --to text x.nbs >out.txt
    for threads in 1 3; do nbconv --to text --threads $threads x.nbs | cmp - out.txt; done
    nbconv --from text --store quad out.txt >y.nbs
    for columns in pos,vel pos_lo,vel_lo; do
        # all but the last bodies', some of whose digits are beyond 113 bits
        diff <(nbconv --to text --columns $columns x.nbs | head -n 501) <(nbconv --to text --columns $columns y.nbs | head -n 501)
    done
    quad_text 31 >in.txt
    nbconv --from text --store quad in.txt | nbconv --to text >out.txt
    python - >&3 <<'END'
from decimal import Decimal as D
words = lambda path, skip: [w for line in open(path) if line[0] != "#" for w in line.split()[skip:]]
a, b = words("in.txt", 1)[:3000], words("out.txt", 2)[:3000]
assert len(a) == len(b) == 3000 and all(D(p) == D(q) for p, q in zip(a, b)), [(p, q) for p, q in zip(a, b) if D(p) != D(q)][:3]
print("#", a[0], b[0], max(map(len, b)))
END
    [ "$(tail -n 3 out.txt | head -n 1 | cut -d' ' -f 3-)" = "0 -0 1 1e300 100 -2.5" ]
}

@test "a run in quadruple precision goes on from text as from its stream" {
    nbgen figure8 | nbsim -q --precision quad --integrator yoshida6 --dt 0.01 --until 1 -o half.nbs
    run="nbsim -q --precision quad --integrator yoshida6 --softening 0 --dt 0.01 --until 2"
    $run half.nbs | nbconv --to text >want.txt
    nbconv --to text --frame all half.nbs >half.txt
    grep -q '[0-9]\{31\}' half.txt
    nbconv --from text --store quad half.txt | $run | nbconv --to text >have.txt
    diff want.txt have.txt
    nbconv --from text --store f64 half.txt | $run | nbconv --to text >double.txt # what is lost without
    run ! diff -q want.txt double.txt
}

@test "quad where it cannot be: exit 2 or 1 with a line" {
    run -2 --separate-stderr nbconv --from rosetta --store quad "$data/rosetta.txt"
    [ "${stderr_lines[0]}" = "nbconv: --store quad works only with texts: --from text csv g1 si adk" ]
    echo '# m x y z vx vy vz pos_lo_x pos_lo_y pos_lo_z' >in.txt
    echo '1 2 3 4 5 6 7 0 0 0' >>in.txt
    run -1 --separate-stderr nbconv --from text --store quad in.txt
    [ "$stderr" = "nbconv: in.txt: line 1: 'pos_lo' comes from the digits with --store quad, not from fields" ]
    nbconv --from text in.txt | nbconv --to text | tail -n 1 | grep -qx '0 1 2 3 4 5 6 7'
}

@test "disks that touch come back with law, walls and box" {
    nbgen granular -q -n 200 -o one.nbs
    cat one.nbs one.nbs >disks.nbs
    header() { head -c 100000 "$1" | sed -n '/^nbs 1 frame/,/^checksum/p' | grep -av '^history\|^checksum\|^column\|^n '; }
    for options in '' '--frame all'; do
        # shellcheck disable=SC2086
        nbconv --to text $options disks.nbs | nbconv --from text -f -o back.nbs
        [ -n "$(header one.nbs | grep -a '^contact')" ]
        diff <(header one.nbs) <(header back.nbs)
        diff <(nbconv --to text one.nbs) <(nbconv --to text back.nbs)
    done
}
