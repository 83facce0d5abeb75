#!/usr/bin/env bats
# Comma-separated tables, and the text formats with a fixed layout: g1, si, adk, zeno, rosetta.
bats_require_minimum_version 1.5.0
load ../common/common

# numbers A B TOLERANCE: two files of numbers agree, relative to the largest of their column
numbers() {
    python - "$@" <<'END'
import sys, numpy as np
a, b = (np.loadtxt(p, ndmin=2) for p in sys.argv[1:3])
assert a.shape == b.shape and a.size > 0, (a.shape, b.shape)
assert (np.abs(a - b) <= float(sys.argv[3]) * np.abs(b).max(axis=0)).all(), np.abs(a - b).max()
END
}

@test "csv: what Python's csv module reads is what is in the stream, frame by frame" {
    nbgen collision -n 100 -q | nbsim -q --dt 0.01 --until 0.04 --every 0.02 -o run.nbs
    nbconv -q --to csv --frame all -o run.csv run.nbs
    python - <<'END'
import csv, numpy as np
from nbs_reader import read
frames = read(open("run.nbs", "rb"))
rows = list(csv.DictReader(open("run.csv", newline="")))
assert len(rows) == 3 * len(frames[0]["mass"]) and list(rows[0])[:10] == "frame time id m x y z vx vy vz".split(), list(rows[0])
for k, f in enumerate(frames):
    mine = [r for r in rows if r["frame"] == str(k)]
    assert all(float(r["time"]) == f["time"] for r in mine)
    for name, column in (("m", f["mass"]), ("id", f["id"]), ("component", f["component"]), ("y", f["pos"][:, 1]), ("vz", f["vel"][:, 2])):
        assert np.array([r[name] for r in mine], column.dtype).tobytes() == np.ascontiguousarray(column).tobytes(), name
END
    nbconv --from csv -o back.nbs run.csv
    [ "$(nbstat back.nbs | wc -l)" = "$(nbstat run.nbs | wc -l)" ]
    diff <(nbconv -q --to csv --frame all back.nbs) run.csv
    [ "$(nbconv --to csv run.nbs | head -n 1 | cut -c -20)" = "id,m,x,y,z,vx,vy,vz," ]
}

@test "csv: tables as pandas, R and spreadsheets write them; words and gaps" {
    printf ',time,name,mass,x,y,z,vx,vy,vz,lum\r\n0,0.5,"Sun, the",1,0,0,0,0,0,0,\r\n1,0.5,"a ""b""",0.5,1,0,0,0,1,0,2.5\r\n' >in.csv
    run -0 --separate-stderr nbconv --from csv in.csv -o x.nbs
    [ "$stderr" = "nbconv: in.csv: line 2: 'name' contains words and is left out" ]
    [ "$(nbconv --to csv x.nbs)" = "id,m,x,y,z,vx,vy,vz,lum
0,1,0,0,0,0,0,0,nan
1,0.5,1,0,0,0,1,0,2.5" ]
    grep -aqx 'time 0.5' x.nbs
    run -0 --separate-stderr bash -c "nbgen solar | nbconv --to csv"
    [[ "$stderr" == "nbconv: csv has no header: units solar, G 39.4769"*"softening 0 are lost" ]]
}

@test "csv: a column of whole numbers alone is one of u64, with all digits; any other number makes it f64" {
    printf 'id,x,y,z,vx,vy,vz,m,component,group,charge,age,lum\n' >in.csv
    printf '7,1,0,0,0,0,0,1,star,18446744073709551615,-1,3,4.5\n8,2,0,0,0,0,0,1,2,00,1,3e0,5\n' >>in.csv
    nbconv -q --from csv in.csv -o in.nbs
    [ "$(head -40 in.nbs | grep -a '^column' | grep -a -v -e pos -e vel -e mass)" = "column id u64 1 -
column component u8 1 -
column group u64 1 -
column charge f64 1 -
column age f64 1 -
column lum f64 1 -" ]
    [ "$(nbconv -q --to csv --columns id,component,group,charge,age in.nbs | tail -n 2)" = "7,4,18446744073709551615,-1,3
8,2,0,1,3" ]
    # Frames are each for themselves: the first has whole numbers alone. Many bodies, and the last one decides.
    { echo frame,x,y,z,vx,vy,vz,m,group && seq 0 2999 | awk '{ print ($1 > 1499) ",1,0,0,0,0,0,1," $1 ($1 == 2999 ? ".5" : "") }'; } >two.csv
    nbconv -q --from csv two.csv -o two.nbs
    [ "$(nbstat --info two.nbs | grep -c 'group u64')" = 1 ]
    [ "$(nbconv -q --to csv --columns group --frame all two.nbs | cut -d , -f 3 | tail -n +2)" = "$(seq 0 2998 && echo 2999.5)" ]
}

@test "csv: whole numbers beyond 2^53 among others are rounded with a warning, ids are exact" {
    line=1,0,0,0,0,0,1
    for order in "9007199254740993 0.5" "0.5 9007199254740993"; do
        printf "id,x,y,z,vx,vy,vz,m,group\n9007199254740993,$line,%s\n2,$line,%s\n" $order >big.csv
        nbconv --from csv big.csv -o big.nbs -f 2>said
        grep -q "line 3: column 'group' has numbers that are not whole, so it is stored as f64: 9007199254740993 " said
        [ "$(nbconv --to text --columns id big.nbs | grep -v '#' | head -n 1)" = 9007199254740993 ]
    done
    for exact in 9007199254740992 9007199254740993 18014398509481984 1e300 1.5 -3; do
        printf "x,y,z,vx,vy,vz,m,group\n$line,%s\n" "$exact" >exact.csv
        nbconv --from csv exact.csv 2>said >exact.nbs
        [ ! -s said ]
    done
}

@test "csv: frames must stand together and have the same columns" {
    nbgen plummer -n 3 -q -o a.nbs
    nbsim -q --steps 0 --write phi a.nbs -o b.nbs
    cat a.nbs b.nbs >c.nbs
    run -1 --separate-stderr nbconv --to csv --columns all --frame all c.nbs -o c.csv
    [[ "$stderr" == *"nbconv: c.nbs: frame 1: other columns than in the frame before: all lines of a table need the same columns (--columns LIST chooses columns that all frames have)" ]]
    nbconv -q --to csv --columns id,mass --frame all c.nbs -o c.csv
    run -1 --separate-stderr bash -c "printf 'time,m,x,y,z,vx,vy,vz\n0,1,0,0,0,0,0,0\n1,1,0,0,0,0,0,0\n0,1,1,0,0,0,0,0\n' | nbconv --from csv"
    [[ "$stderr" == *"line 4: the lines of a frame are not adjacent"* ]]
}

@test "the name of a file says its format" {
    nbgen kepler -o k.nbs
    nbconv k.nbs -o k.csv
    head -n 1 k.csv | grep -q '^id,m,x'
    run -0 --separate-stderr nbconv k.csv -o back.nbs
    [ "$stderr" = "nbconv: k.csv: assuming csv (--from FORMAT sets another)" ]
    grep -aq '^history 1 - nbconv [^ ]* - nbconv --from=csv$' back.nbs
    run -2 --separate-stderr nbconv k.csv -o k.txt
    [[ "$stderr" == "nbconv: k.csv, k.txt: one of them must be a stream ("* ]]
    run -2 nbconv k.nbs
    nbconv --list-formats | grep -q $'^csv\t.csv\t'
}

@test "g1: lines of x y z vx vy vz m [r] behind comments" {
    printf '// three bodies\n1 2 3 4 5 6 0.5 0.1\n\n-1 0 0 0 0 0 2 0.2 \n' >in.g1
    nbconv --from g1 in.g1 -o x.nbs
    [ "$(nbconv --to text --columns mass,pos,vel,radius x.nbs | grep -v '^#')" = "0.5 1 2 3 4 5 6 0.1
2 -1 0 0 0 0 0 0.2" ]
    [ "$(nbconv --to g1 x.nbs | grep -v '^//')" = "1 2 3 4 5 6 0.5 0.1
-1 0 0 0 0 0 2 0.2" ]
    nbgen solar | nbconv --to g1 -q | nbconv --from g1 | grep -aqx 'units solar'
    echo 1 2 3 4 5 6 | { run -1 nbconv --from g1; [[ "$output" == *"stdin: line 1: 6 fields, expected 7" ]]; }
    nbgen figure8 | nbsim -q --dt 0.01 --steps 4 --every 0.02 -o run.nbs
    nbconv -q --to g1 --frame all run.nbs | nbconv --from g1 -o back.nbs
    diff <(nbstat run.nbs | cut -f 2-9) <(nbstat back.nbs | sed 's/^back/run/' | cut -f 2-9)
}

@test "si and adk: converted numbers, the same physics" {
    nbgen solar -o s.nbs
    nbconv --to text --columns mass,pos,vel s.nbs >solar.txt
    for form in si adk; do
        nbconv -q --to $form -o s.$form s.nbs
        nbconv --from $form -o $form.nbs s.$form
        grep -aqx "units $form" $form.nbs
        nbconv --to text --columns mass,pos,vel $form.nbs >$form.txt
    done
    # by the definitions: AU, GM of the Sun and CODATA's G, a Julian year
    python - <<'END'
import numpy as np
au, year, sun = 1.495978707e11, 365.25 * 86400, 1.3271244e20 / 6.67430e-11
a = np.loadtxt("solar.txt")
np.savetxt("want.si", a * ([sun] + 3 * [au] + 3 * [au / year]), "%.17g")
np.savetxt("want.adk", a * ([sun] + 3 * [1] + 3 * [1 / 365.25]), "%.17g")
END
    numbers si.txt want.si 1e-14
    numbers adk.txt want.adk 1e-14
    for form in si adk; do # the virial ratio has no unit
        close "$(nbstat $form.nbs | tail -n 1 | cut -f 10)" "$(nbstat s.nbs | tail -n 1 | cut -f 10)" 1e-12
    done
    echo 5.972e24 0 0 0 0 0 0 | nbconv -q --from si | grep -aqx 'G 6.6743e-11'
    echo 5.972e24 0 0 0 0 0 0 | nbconv -q --from adk >earth.nbs
    grep -aqx 'length_cgs 14959787070000' earth.nbs
    python -c "assert abs($(sed -n 's/^G //p' earth.nbs | tr -d '\0') / (6.6743e-11 * 86400**2 / 1.495978707e11**3) - 1) < 1e-12"
    run -2 --separate-stderr bash -c "nbgen plummer -n 3 -q | nbconv --to si"
    [[ "$stderr" == *"--length-unit and --mass-unit, such"* ]]
    run -1 --separate-stderr nbconv --from adk s.si
    [[ "$stderr" == *"the units 'si' of its header differ from those of --from adk" ]]
}

@test "si: single precision becomes double, whose range a galaxy's kilograms are in" {
    nbgen plummer -q -n 20 --store f32 -o p.nbs
    nbconv --to si --length-unit 1kpc --mass-unit 1e10Msun p.nbs >p.si
    grep -qx '# column mass f64 1 M' p.si
    nbconv --to text --columns mass,pos p.nbs >code.txt
    nbconv --from si p.si | nbconv --to text --columns mass,pos >si.txt
    python - <<'END'
import numpy as np
np.savetxt("want.si", np.loadtxt("code.txt") * ([1e10 * 1.3271244e20 / 6.67430e-11] + 3 * [3.0856775814913673e19]), "%.17g")
END
    echo 1e300 1 0 0 0 0 0 | nbconv -q --from text --units galactic -o heavy.nbs
    run -1 --separate-stderr nbconv --to si heavy.nbs
    [ "$stderr" = "nbconv: body 0: mass 1e+300 is too large for double precision after conversion to the units of the output" ]
    numbers si.txt want.si 1e-7 # the fewest digits of the text of single precision
}

@test "zeno: n, 3, time, masses, positions, velocities; snapshots in sequence" {
    printf '2\n3\n0.5\n1\n2\n1 2 3\n4 5 6\n.1 .2 .3\n-1 -2 -3\n 1 3 1.5  7 1 1 1 0 0\n0\n' >in.zeno
    nbconv --from zeno in.zeno -o x.nbs
    [ "$(nbconv --to text --frame 0 --columns mass,pos,vel x.nbs | grep -v '^#')" = "1 1 2 3 0.1 0.2 0.3
2 4 5 6 -1 -2 -3" ]
    [ "$(nbconv --to zeno --frame all x.nbs | tr '\n' ' ')" = "2 3 0.5 1 2 1 2 3 4 5 6 0.1 0.2 0.3 -1 -2 -3 1 3 1.5 7 1 1 1 0 0 0 " ]
    while IFS='|' read -r text message; do
        printf "$text" >bad.zeno
        run -1 --separate-stderr nbconv --from zeno bad.zeno -o bad.nbs
        [ "$stderr" = "nbconv: bad.zeno: $message" ] || { echo "$text: $stderr" >&2; false; }
    done <<'END'
|ends before the number of bodies
2 2 0|line 1: the number of dimensions is not 3
0 3 0|line 1: no bodies
2 3 0 1 1 0 0 0|ends before the end of the positions
1 3 0 1 0 0 0\n0 0 x|line 2: 'x' is not a finite number
1000000000000000000 3 0 1|line 1: '1000000000000000000': expected a whole number from 0 to 576460752303423487
END
}

@test "zeno and rosetta: what of the header is lost is said" {
    nbgen plummer -q -n 3 --units solar --softening 0.25 | nbedit -q --time 2 -o p.nbs
    nbconv --to zeno p.nbs 2>said >p.zeno
    grep -qx 'nbconv: zeno has no header: left out: units solar, softening 0.25' said
    grep -qx 'nbconv: columns left out: id, component' said
    nbconv --to rosetta --steps 1 p.nbs 2>said >p.rosetta
    grep -qx 'nbconv: rosetta has no header: left out: units solar, softening 0.25' said
    grep -qx 'nbconv: rosetta files cannot contain the time: 2 is lost' said
    nbconv -q --from rosetta "$data/rosetta.txt" | nbconv --to rosetta 2>said >back.rosetta
    [ ! -s said ]
}

@test "rosetta: written as it was read" {
    nbconv -q --from rosetta "$data/rosetta.txt" | nbconv --to rosetta | diff - "$data/rosetta.txt"
    nbgen figure8 | nbconv -q --to rosetta --steps 7 | head -n 1 | grep -qx '1 3 7'
    run -2 --separate-stderr bash -c "nbgen figure8 | nbconv -q --to rosetta"
    [[ "$stderr" == *"--steps N"* ]]
}
