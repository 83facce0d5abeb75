#!/usr/bin/env bats
# Text files: the header, types of columns, names in several forms, units, separators.
bats_require_minimum_version 1.5.0
load ../common/common

# header FILE: the lines of the first frame's header, without provenance
header() {
    head -c 100000 "$1" | sed -n '/^nbs 1 frame/,/^checksum/p' | grep -av '^history\|^checksum\|^nbs'
}

# equal A B: the same frames: header values and, bit for bit, columns
equal() {
    python - "$1" "$2" <<'END'
import sys, numpy
from nbs_reader import read
a, b = (read(open(name, "rb")) for name in sys.argv[1:])
assert len(a) == len(b) > 0, (len(a), len(b))
for f, g in zip(a, b):
    assert sorted(f) == sorted(g), (list(f), list(g))
    for key in f:
        if isinstance(f[key], numpy.ndarray):
            assert f[key].dtype == g[key].dtype and f[key].tobytes() == g[key].tobytes(), key
        elif key not in ("history", "checksum"):
            assert f[key] == g[key], (key, f[key], g[key])
END
}

@test "a solar system comes back: units, G, step, and the virial ratio that follows" {
    nbgen solar -o s.nbs
    nbconv --to text s.nbs >s.txt
    grep -qx '# units solar' s.txt
    nbconv --from text -o back.nbs s.txt
    equal s.nbs back.nbs
    [ "$(nbstat s.nbs | tail -n 1 | cut -f 3-)" = "$(nbstat back.nbs | tail -n 1 | cut -f 3-)" ]
}

@test "options go before the header" {
    nbgen solar | nbconv --to text >s.txt
    nbconv --from text --G 3 --softening 0.5 --time 7 -o a.nbs s.txt
    for line in 'G 3' 'softening 0.5' 'time 7' 'units solar'; do header a.nbs | grep -aqx "$line"; done
    nbconv --from text --units galactic s.txt -o b.nbs
    for line in 'G 43009\.17[0-9]*' 'units galactic' 'dt 0.002408'; do header b.nbs | grep -aqx "$line"; done
}

@test "several frames, all types of columns, low parts, forces: everything but derived columns is the same again" {
    python - >in.txt <<'END'
import random
random.seed(2)
print("# id m x y z vx vy vz component softening radius heat parent_id")
for i in range(50):
    print(random.getrandbits(64), *(repr(random.gauss(0, 1) ** 2) for _ in range(7)), i % 8, 0.1, 1e-3, "nan" if i == 3 else i / 3, i)
END
    nbconv --from text --store f32 --softening 0.1 in.txt -o one.nbs
    nbsim -q --device cpu --store f32 --force external:point,mass=1 --force auto --dt 0.001 --steps 4 --every 0.002 --write acc,phi -o run.nbs one.nbs
    nbconv --to text --frame all --columns all run.nbs >run.txt
    grep -q '^# force external:point' run.txt
    [ "$(grep -c '^# frame' run.txt)" = 3 ]
    [ "$(grep -c '^# G ' run.txt)" -lt 3 ] # the header is not written where it is the same
    nbconv --from text -o back.nbs run.txt
    equal run.nbs back.nbs
    run -0 --separate-stderr nbconv --to text --frame all run.nbs
    [[ "$stderr" == "nbconv: left out: "*"phi"*" (--columns all writes all)" ]]
    nbgen figure8 | nbsim -q --precision quad --integrator yoshida6 --dt 0.01 --until 0.1 -o quad.nbs
    nbconv --to text --columns all quad.nbs | nbconv --from text -o back.nbs -f
    equal <(nbconv --to text quad.nbs | nbconv --from text) back.nbs
    nbconv --to text back.nbs | cmp - <(nbconv --to text quad.nbs)
    grep -aq '^column pos_lo' back.nbs
}

@test "the shortest digits: as many as Python's repr and numpy's have, for doubles and singles" {
    python - <<'END'
import numpy as np, random
random.seed(4)
x = np.frombuffer(random.randbytes(8 * 42000))
x = x[np.isfinite(x)][:41000]
x = np.concatenate([x, np.ldexp(1.0, np.arange(-1074, 1024)), np.arange(-50, 50) / 10, [5e-324, 1.7976931348623157e308, 1e16, 1e17, 9007199254740993.0, 1e-5, 1e-6, 123456.0]])
x = x[:len(x) // 6 * 6].reshape(-1, 6)
with open("in.txt", "w") as f:
    for row in x:
        print(1, *(repr(v) for v in row.tolist()), file=f)
s = np.frombuffer(random.randbytes(4 * 31000), np.float32)
s = s[np.isfinite(s)][:30000].reshape(-1, 6)
with open("single.txt", "w") as f:
    for row in s:
        print(1, *row, file=f)
END
    nbconv -q --from text in.txt | nbconv --to text --columns pos,vel >out.txt
    nbconv -q --from text --store f32 single.txt | nbconv --to text --columns pos,vel >single.out
    python - <<'END'
import numpy as np
def digits(word):
    return word.lower().lstrip("-").split("e")[0].replace(".", "").strip("0")
def compare(a, b, kind):
    words = lambda path, skip: [w for line in open(path) if line[0] != "#" for w in line.split()[skip:]]
    a, b = words(a, 1), words(b, 0)
    assert len(a) == len(b) > 20000
    for p, q in zip(a, b):
        want = kind(p)
        assert kind(q).tobytes() == want.tobytes(), (p, q)
        assert len(digits(q)) == len(digits(np.format_float_scientific(want, unique=True))), (p, q)
compare("in.txt", "out.txt", np.float64)
compare("single.txt", "single.out", np.float32)
END
    printf '1 0.1 1e22 100 -2.5e-7 0.00012 1e16\n' | nbconv -q --from text | nbconv --to text | tail -n 1 |
        grep -qx '0 1 0.1 1e22 100 -2.5e-7 0.00012 10000000000000000'
}

@test "names in the forms that are about, and separators" {
    want=$(printf '# id m x y z vx vy vz\n7 0.5 1 2 3 4 5 6\n' | nbconv --from text | nbconv --to text)
    while IFS='|' read -r names values; do
        printf "$names\n$values\n" >in.txt
        nbconv --from text -q in.txt >x.nbs || { echo "$names" >&2; false; }
        [ "$(nbconv --to text x.nbs)" = "$want" ] || { echo "$names: $(nbconv --to text x.nbs)" >&2; false; }
    done <<'END'
id,mass,x,y,z,vx,vy,vz|7,0.5,1,2,3,4,5,6
ID, Mass, X, Y, Z, VX, VY, VZ|7, 0.5, 1, 2, 3, 4, 5, 6
\xef\xbb\xbfid;M;pos_x;pos_y;pos_z;vel_x;vel_y;vel_z\r|7;0.5;1;2;3;4;5;6\r
# x_pos y_pos z_pos v_x v_y v_z masses particle_id|1 2 3 4 5 6 0.5 7
id\tm\tx\ty\tz\tvx\tvy\tvz|7\t.5\t1.0\t2\t3\t4\t5\t6
"id","m","x","y","z","vx","vy","vz"|7,"0.5",1,2,3,4,5,6
,id,m,x,y,z,vx,vy,vz|0,7,0.5,1,2,3,4,5,6
"id" "m" "x" "y" "z" "vx" "vy" "vz"|"1" 7 0.5 1 2 3 4 5 6
Name,id,m,x,y,z,vx,vy,vz|Earth,7,0.5,1,2,3,4,5,6
# a comment\n# Particle ID,Mass,Position X,Position Y,Position Z,Velocity.X,Velocity.Y,Velocity.Z|7,0.5,1,2,3,4,5,6
END
}

@test "units in brackets are converted, or refused without units" {
    printf '# m[kg] x[km] y[m] z[pc] vx[km/s] vy[m/s] vz[AU/yr]\n1.98841e30 1.495978707e8 1.495978707e11 4.84813681e-6 4.740470464 4740.470464 1\n' >in.txt
    nbconv --from text --units solar in.txt | nbconv --to text --columns mass,pos,vel | tail -n 1 >out.txt
    python -c 'assert all(abs(float(v) - w) < 2e-6 * abs(w) for v, w in zip(open("out.txt").read().split(), [1] * 7)), open("out.txt").read()'
    run -1 --separate-stderr nbconv --from text in.txt
    [ "$stderr" = "nbconv: in.txt: line 1: a field has the unit 'kg': numbers with units need --units galactic, solar or gauss" ]
    printf '# m x[furlong] y z vx vy vz\n1 1 1 1 1 1 1\n' >in.txt
    run -1 --separate-stderr nbconv --from text --units solar in.txt
    [[ "$stderr" == *"unknown unit 'furlong' of 'pos'"* ]]
    for unit in kpc km/s Msun/kpc Msun/s; do # sizes that are no masses
        printf '# m[%s] x y z vx vy vz\n1 1 1 1 1 1 1\n' $unit >in.txt
        run -1 --separate-stderr nbconv --from text --units solar in.txt
        [[ "$stderr" == *"unknown unit '$unit' of 'mass'"* ]]
    done
}

@test "without names a line says what the fields are taken as; --fields says it first" {
    run -0 --separate-stderr bash -c "echo 1 2 3 4 5 6 7 | nbconv --from text -o a.nbs"
    [ "$stderr" = "nbconv: stdin: the fields have no names: assuming m,x,y,z,vx,vy,vz (--fields sets others)" ]
    echo 1 2 3 4 5 6 7 99 | nbconv --from text --fields x,y,z,vx,vy,vz,m,- >b.nbs
    [ "$(nbconv --to text b.nbs | tail -n 1)" = "0 7 1 2 3 4 5 6" ]
    printf '1 2 3 4 5 6\n1 2 3 4 5 6\n' | nbconv --from text -q | nbconv --to text --columns mass | tail -n 1 | grep -qx 0.5
    run -2 nbconv --from text --fields x,y,8z a.nbs
    run -1 --separate-stderr bash -c "echo 1 2 3 | nbconv --from text --fields m,vx,vy"
    [[ "$stderr" == *"'vel' does not have three fields"* ]]
    run -1 --separate-stderr bash -c "echo 1 2 3 4 | nbconv --from text --fields m,vx,vy,vz"
    [[ "$stderr" == *"no field contains 'pos'"* ]]
}

@test "without velocities: they are 0, with a warning; without masses these are equal" {
    printf 'x,y,z,m\n1,2,3,4\n5,6,7,8\n' >in.csv
    nbconv --from csv in.csv 2>said >x.nbs
    [ "$(cat said)" = "nbconv: warning: in.csv: line 1: no field contains the velocities: all are 0 (--fields LIST names the fields)" ]
    [ "$(nbconv --to text --columns mass,pos,vel x.nbs | grep -v '#')" = "4 1 2 3 0 0 0
8 5 6 7 0 0 0" ]
    seq 1 3000 | awk '{ print $1 ",0,1" }' | nbconv -q --from csv --fields x,y,z --store quad 2>/dev/null >y.nbs
    nbconv --to text --columns mass,pos,vel,vel_lo y.nbs | awk '!/#/ && ($5 || $6 || $7 || $8 || $9 || $10 || $1 * 3000 - 1 > 1e-12) { print; exit 1 }'
    nbconv --help | tr -s ' \n' ' ' | grep -q 'Without velocities these are 0'
}

@test "a header with lines that look like names, in provenance and of other programs" {
    python - <<'END'
from nbs_writer import *
write("a.nbs", frame([1.0], [[1.0, 2, 3]], [[0.0, 0, 0]], note=["on x y z", "m, x; y z 9"], fields="x y z"))
END
    nbconv --to text a.nbs | nbconv --from text -o b.nbs
    diff <(head -c 2000 a.nbs | grep -aE '^(note|fields) ') <(head -c 2000 b.nbs | grep -aE '^(note|fields) ')
    echo 7 1 2 3 4 5 6 | nbconv --from text --fields id,x,y,z,vx,vy,vz -q | nbconv --to text --columns all >c.txt
    nbconv --from text c.txt | nbconv --to text | tail -n 1 | grep -qx '7 1 1 2 3 4 5 6'
}

@test "values that text without a header says in comments are taken, and said" {
    printf '# G = 2.5\n# units solar\n# softening 0.1\n# time of day\n1 0 0 0 0 0 0\n' >in.txt
    run -0 --separate-stderr nbconv --from text in.txt -o x.nbs
    [[ "$stderr" == *"line 1 sets G to 2.5"*"line 2 sets units to solar"*"line 3 sets softening to 0.1"* ]]
    for line in 'G 2.5' 'units solar' 'softening 0.1' 'time 0'; do header x.nbs | grep -aqx "$line"; done
}

@test "bad text: one line that names the place" {
    while IFS='|' read -r text message; do
        printf "$text" >in.txt
        run -1 --separate-stderr nbconv -q --from text in.txt -o bad.nbs
        [ "$stderr" = "nbconv: in.txt: $message" ] || { echo "$text gives $stderr" >&2; false; }
        [ ! -e bad.nbs ]
    done <<'END'
1,0 2,0 3,0 4,0 5,0 6,0 7,0\n|line 1: numbers with a decimal comma; expected a decimal point
1,0;2,0;3;4;5;6;7\n|line 1: numbers with a decimal comma; expected a decimal point
m,x,y,z,vx,vy,vz\n1,2,3,,5,6,7\n|line 2, field 4 (pos_z): '' is not a number
m,x,y,z,vx,vy,vz\n1,2,3,4,5,6\n|line 2: 6 fields, expected 7
# m x y z vx vy vz\n1 2 3 4 5 6 7 8\n|line 2: more than 7 fields
a b c\n1 2 3\n|line 1: names of fields without x, y and z
# nbs 1 text\n# G 1\n# G 2\n|line 3: the header contains 'G' twice
# nbs 1 text\n# G one\n|line 2: the header contains an invalid line 'G one'
frame,m,x,y,z,vx,vy,vz\n0,1,2,3,4,5,6,7\n1,1,2,3,4,5,6,7\n0,1,2,3,4,5,6,7\n|line 4: the lines of a frame are not adjacent: sort the file by frame or time
END
}

@test "a text with a header that has fewer or more bodies than it says is refused, and taken without the line that says so" {
    nbgen plummer -q -n 5 | nbsim -q --steps 2 -o run.nbs
    nbconv --to text run.nbs >whole.txt
    sed '$d' whole.txt >cut.txt
    { cat whole.txt && tail -n 1 whole.txt | sed 's/^4/5/'; } >long.txt
    nbconv --to text --frame all run.nbs | sed '/^3 /d' >both.txt # one of each frame
    for bad in cut:23:4 long:25:6 both:26:4; do
        IFS=: read -r name line count <<<"$bad"
        run -1 --separate-stderr nbconv -q --from text $name.txt -o x.nbs
        [ "$stderr" = "nbconv: $name.txt: line $line: $count bodies, but the header says 5: the file is truncated, or was edited (then remove the line '# n 5')" ]
        [ ! -e x.nbs ]
        run -1 bash -c "nbconv -q --from text $name.txt | nbstat --check"
        sed '/^# n 5$/d' $name.txt | nbconv -q --from text | nbstat -q --no-header --potential none --columns n | tail -n 1 | grep -qx "$count"
    done
    nbconv -q --from text whole.txt | nbconv -q --to text | cmp - whole.txt
}

@test "names of as many fields as can be, and a line of one more" {
    names="m x y z vx vy vz$(printf ' %s' $(yes - | head -185))"
    { echo "# $names" && echo "1 2 3 4 5 6 7$(yes ' 8' | head -185 | tr -d '\n')"; } >most.txt
    nbconv -q --from text most.txt | nbconv --to text | grep -v '#' | diff - <(echo 0 1 2 3 4 5 6 7)
    { echo "# $names" && echo "name 1 2 3 4 5 6 7$(yes ' 8' | head -185 | tr -d '\n')"; } >more.txt
    run -1 --separate-stderr nbconv --from text more.txt -o more.nbs
    [ "$stderr" = "nbconv: more.txt: line 2: more than 192 fields" ]
}

# truncated FORMAT CUT: reads the text of three bodies without its last CUT bytes; the exit code
truncated() {
    local -A more=([text]=--columns=mass,pos,vel [csv]=--columns=mass,pos,vel [rosetta]=--steps=1)
    nbgen plummer -q -n 3 --units solar | nbconv -q --to "$1" ${more[$1]} >whole
    head -c "-$2" whole >cut.txt
    nbconv -q --from "$1" cut.txt >out.nbs 2>said && echo 0 || echo $?
}

@test "a text with our header and without its last newline is refused, wherever its last number ends" {
    for format in text g1 si adk; do
        for cut in 1 2 5 9; do
            [ "$(truncated $format $cut)" = 1 ] || { echo "$format $cut" >&2; false; }
            line=$(wc -l <whole)
            [ "$(cat said)" = "nbconv: cut.txt: line $line has no newline at its end: the file is truncated" ]
            run ! grep -aq 'nbs 1 close' out.nbs
        done
        [ "$(truncated $format 0)" = 0 ]
        [ ! -s said ]
    done
}

@test "another text without its last newline is read with a warning that names the line" {
    for format in csv zeno rosetta; do
        [ "$(truncated $format 2)" = 0 ] || { cat said >&2; false; }
        grep -qx "nbconv: warning: cut.txt: line $(wc -l <whole) has no newline at its end: the file may be truncated in its last number" said
        [ "$(wc -l <said)" = 1 ]
        [ "$(truncated $format 0)" = 0 ]
        [ ! -s said ]
    done
    printf '1 0 0 0 0 0 0\n1 1 0 0 0 0 0.5' | nbconv -q --from text 2>said >out.nbs
    grep -q 'warning: stdin: line 2 has no newline' said
    printf '0 0 0 0 0 0 0.2' | nbconv -q --from g1 2>said >out.nbs
    grep -q 'warning: stdin: line 1 has no newline' said
}
