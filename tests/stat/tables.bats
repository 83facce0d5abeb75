#!/usr/bin/env bats
# nbstat's tables for other programs: --csv, --json, --no-header, --digits, --params, --info --json, the last line.
bats_require_minimum_version 1.5.0
load ../common/common
load nbstat

# runs: two runs of a sweep, the second with a comma in its name, through several tools.
runs() {
    nbgen uniform -q -n 60 --virial 0.5 | nbsim -q --device cpu --max-de inf --dt 0.01 --until 0.02 --every 0.01 -o a.nbs
    nbgen uniform -q -n 60 --virial 1.5 --seed 7 |
        nbsim -q --device cpu --max-de inf --force tree --theta 0.3 --steps 1 |
        nbedit --select 'x < 9 && id < 50' >'b,c.nbs'
}

@test "--csv is what Python's csv reads, with the numbers of the JSON lines" {
    runs
    nbstat -q --csv a.nbs b,c.nbs >t.csv
    nbstat -q --json a.nbs b,c.nbs >t.json
    nbstat -q a.nbs b,c.nbs >t.tsv
    python - <<'END'
import csv, json, math
parts = dict(momentum="px py pz", angular_momentum="lx ly lz", com="comx comy comz", com_velocity="comvx comvy comvz")
rows = list(csv.DictReader(open("t.csv", newline="")))
objects = [json.loads(line) for line in open("t.json")]
table = [line.rstrip("\n").split("\t") for line in open("t.tsv")]
assert len(rows) == len(objects) == len(table) - 1 == 5
assert ["# " + list(rows[0])[0]] + list(rows[0])[1:] == table[0]
for row, o, line in zip(rows, objects, table[1:]):
    flat = {}
    for key, value in o.items():
        flat.update(zip(parts[key].split(), value) if key in parts else [(key, value)])
    assert list(flat) == list(row)
    for (key, value), field in zip(flat.items(), line):
        if value is None:
            assert row[key] == "" and field == "nan"
        else:
            assert row[key] == field and type(value)(row[key]) == value, key
assert [row["file"] for row in rows] == ["a.nbs"] * 3 + ["b,c.nbs"] * 2
END
}

@test "--csv: names with quotes and lines in them come back, infinities and what is missing too" {
    printf '1 0 0 0 0 0 0\n' | nbconv -q --from text -o one.nbs
    cp one.nbs $'say "hi",\nall.nbs'
    nbstat -q --csv $'say "hi",\nall.nbs' >t.csv
    python - <<'END'
import csv
row, = csv.DictReader(open("t.csv", newline=""))
assert row["file"] == 'say "hi",\nall.nbs', row["file"]
assert row["virial"] == "" and float(row["mass"]) == 1
END
}

@test "--no-header and --digits" {
    runs
    for form in '' --csv; do
        # shellcheck disable=SC2086
        nbstat -q $form a.nbs | tail -n +2 >want
        # shellcheck disable=SC2086
        nbstat -q $form --no-header a.nbs | cmp - want
    done
    nbstat -q --no-header --columns energy,time a.nbs >all
    nbstat -q --no-header --digits 4 --columns energy,time a.nbs >four
    awk '{ printf "%.4g\t%.4g\n", $1, $2 }' all | diff - four
    [ "$(head -c 20 all | cut -f 1 | wc -c)" -gt 15 ]
}

@test "six digits on a terminal, all elsewhere" {
    command -v script >/dev/null || skip "no script(1)"
    runs
    nbstat -q --no-header --columns energy,mass,frame a.nbs >all
    awk '{ printf "%.6g\t%.6g\t%s\n", $1, $2, $3 }' all >six
    run ! cmp -s all six
    fields() { # of an aligned table, with tabs
        tr -d '\r' | sed -E 's/^ +//; s/ +/\t/g'
    }
    script -qec 'nbstat -q --no-header --columns energy,mass,frame a.nbs' /dev/null | fields | diff - six
    script -qec 'nbstat -q --digits 17 --no-header --columns energy,mass,frame a.nbs' /dev/null | fields | diff - all
    script -qec 'nbstat -q --no-header --columns energy,mass,frame -o file a.nbs' /dev/null
    cmp file all
}

@test "on a terminal columns are aligned, numbers at their right, also with long names and of several inputs" {
    command -v script >/dev/null || skip "no script(1)"
    runs
    cp a.nbs äö-long-name.nbs
    for options in "" "--digits 3" "--columns energy,com,time" "--columns file,energy,mass" "--params model,seed" "--no-header --columns time,file,angular_momentum_error"; do
        # shellcheck disable=SC2086
        nbstat -q $options b,c.nbs äö-long-name.nbs >plain
        script -qec "nbstat -q $options b,c.nbs äö-long-name.nbs" /dev/null | tr -d '\r' >aligned
        python - <<'END'
import re
plain, aligned = ([line.rstrip("\n") for line in open(name)] for name in ("plain", "aligned"))
assert len(plain) == len(aligned) > 2
places = []
for p, a in zip(plain, aligned):
    places.append(list(re.finditer(r"\S+", a.replace("# ", "  "))))
    assert len(places[-1]) == len(p.replace("# ", "").split("\t")), (p, a)
for column in zip(*places): # a number ends where its name does, a text begins where the others do
    assert len({m.end() for m in column}) == 1 or len({m.start() for m in column[1:]}) == 1, aligned
END
    done
}

@test "--params: options of the history in front, of the last tool that has them or of the one that is named" {
    runs
    nbstat -q --params virial,seed,nbsim.theta,model,force,select,bodies --csv --columns frame,virial --frame last a.nbs b,c.nbs >t.csv
    python - <<'END'
import csv
a, b = csv.DictReader(open("t.csv", newline=""))
assert list(a) == "param_virial seed nbsim.theta model force select bodies frame virial".split(), list(a)
assert [a[k] for k in list(a)[:8]] == ["0.5", "1", "", "uniform", "", "", "60", "2"], a
assert [b[k] for k in list(b)[:8]] == ["1.5", "7", "0.3", "uniform", "tree", "x < 9 && id < 50", "60", "1"], b
assert abs(float(a["virial"]) - 0.5) < 0.2 and abs(float(b["virial"]) - 1.5) < 0.5
END
    nbstat -q --params nbsim.theta,seed --json --columns frame --frame last b,c.nbs | grep -qx '{"nbsim.theta": 0.3, "seed": 7, "frame": 1}'
    nbstat -q --params nbsim.seed,nbgen.seed,nbsim.theta --frame last --columns frame a.nbs | tail -n 1 | grep -qx $'nan\t1\tnan\t2'
    nbstat -q --params nbgen.virial --radial spherical --bins 2 --columns bin a.nbs | xargs | grep -qx '# nbgen.virial bin 0.5 0 0.5 1'
}

@test "--params: of several values all, an option without one is 1, header values where no option was given" {
    python - <<'END'
from nbs_writer import frame, write
history = ["1 - nbgen 0.1.0 5 nbgen disk --bodies=7 --quiet-start",
           "2 1 nbsim 0.1.0 - nbsim --force=tree --force=external:nfw,mass=10 --theta=0.2",
           "3 2 nbsim 0.1.0 - nbsim --theta=0.7 --note=a --Bc", "anything else", "4 3 nbsim"]
write("h.nbs", frame([1], [[0, 0, 0]], [[0, 0, 0]], G=4.5, dt="0.125", units="mine", softening="0.25", history=history))
END
    nbstat -q --params theta,force,quiet-start,note,G,dt,softening,units,seed,model --columns n --potential none h.nbs | tail -n 1 >got
    printf '0.7\ttree,external:nfw,mass=10\t1\ta --Bc\t4.5\t0.125\t0.25\tmine\t5\tdisk\t1\n' >want
    diff got want
    nbstat -q --json --params force,G --columns n --potential none h.nbs | grep -qx '{"force": "tree,external:nfw,mass=10", "G": 4.5, "n": 1}'
}

@test "--params: both sides of a stack or a merger are seen, and what came behind them alone" {
    nbgen plummer -q -n 40 --seed 11 -o a.nbs
    nbgen hernquist -q -n 30 --seed 12 --mass 0.6 | nbsim -q --steps 1 --dt 0.01 | nbedit -q --frame last --time 0 -o b.nbs
    params() {
        nbstat -q --no-header --potential none --columns n --frame last --params "$@"
    }
    nbedit -q --stack a.nbs b.nbs | params seed,bodies,mass,nbsim.dt,model | diff - <(printf '11,12\t40,30\t-,0.6\t-,0.01\tplummer,hernquist\t70\n')
    nbedit -q --stack b.nbs a.nbs | nbsim -q --steps 1 --dt 0.02 | params seed,mass,nbsim.dt,theta |
        diff - <(printf '12,11\t0.6,-\t0.02\tnan\t70\n')
    nbgen merge a.nbs b.nbs -q --pericenter 1 --separation 9 -o m.nbs
    nbgen jaffe -q -n 20 --seed 13 -o c.nbs
    nbgen merge m.nbs c.nbs -q --pericenter 1 --separation 8 -o mm.nbs
    params nbgen.seed,nbgen.mass,nbgen.separation mm.nbs | diff - <(printf '11,12,13\t-,0.6,-\t8\t90\n')
    nbstat -q --csv --params seed --columns n --no-header --potential none mm.nbs | grep -qx '"11,12,13",90'
}

@test "--params: histories of foreign hands are followed as far as they go" {
    python - <<'END'
from nbs_writer import frame, write
lines = ["1 - nbgen 1 5 nbgen disk --seed=5", "7 1 nbsim 1 - nbsim --theta=0.2", "7 7,99,7 nbedit 1 - nbedit", "what", "9 7,1 x 1 - x",
         "10 10,11 y 1 - y"]
write("h.nbs", frame([1], [[0, 0, 0]], [[0, 0, 0]], history=lines))
deep = ["1 - nbgen 1 5 nbgen disk --seed=5"] + ["%d %d,%d x 1 - x" % (k, k - 1, k - 1) for k in range(2, 20000)]
write("deep.nbs", frame([1], [[0, 0, 0]], [[0, 0, 0]], history=deep))
END
    nbstat -q --no-header --potential none --columns n --params theta,seed h.nbs | diff - <(printf '0.2,-\t5\t1\n')
    nbstat -q --no-header --potential none --columns n --params theta,seed deep.nbs | diff - <(printf 'nan\t5\t1\n')
}

@test "--params: one that no history has is warned of, one that cannot be is refused" {
    runs
    run -0 --separate-stderr nbstat --params virail,seed --columns frame a.nbs
    [ "$stderr" = "nbstat: warning: --params: no frame has the option virail in its history" ]
    for bad in '' ',' 'a,,b' 'a b' A seed,seed a_very_long_name_of_an_option_that_is_none; do
        run -2 nbstat --params "$bad" a.nbs
    done
    run -2 nbstat --params seed --info a.nbs
    run -2 nbstat --params seed --walls a.nbs
}

@test "--info --json: what Python reads of the header, a line a frame" {
    runs
    nbstat --info --json a.nbs b,c.nbs >info
    python - <<'END'
import json
import nbs_reader
lines = [json.loads(line) for line in open("info")]
frames = [(name, k, f) for name in ("a.nbs", "b,c.nbs") for k, f in enumerate(nbs_reader.read(open(name, "rb")))]
assert len(lines) == len(frames) == 5
for line, (name, k, f) in zip(lines, frames):
    assert (line["file"], line["frame"], line["n"], line["step"]) == (name, k, int(f["n"]), int(f["step"]))
    for key in "time G softening dt".split():
        assert line[key] == float(f[key]), key
    assert line["history"] == f["history"] and line["forces"] == f["force"]
    assert line["units"]["name"] == "code" and line["units"]["mass_cgs"] == 0
    for c in line["columns"]:
        assert f[c["name"]].shape == ((line["n"], 3) if c["width"] == 3 else (line["n"],))
    assert sum(line["components"].values()) == line["n"]
    assert {c["name"] for c in line["columns"]} >= {"mass", "pos", "vel", "id"}
END
}

@test "the last line: frames and times with -v or on a terminal, the errors alone elsewhere" {
    runs
    nbstat a.nbs 2>said >t
    [ "$(wc -l <said)" = 1 ]
    grep -q '^nbstat: largest errors: energy' said
    nbstat -v a.nbs 2>said >/dev/null
    end=$(nbstat -q --no-header --columns energy_error --digits 3 --frame last a.nbs)
    grep -qxF "nbstat: 3 frames, time 0 to 0.02, energy off by $end at the end" said
    nbstat -v a.nbs b,c.nbs 2>&1 >/dev/null | grep -qx 'nbstat: 5 frames of 2 files, time 0 to 0.02'
    [ -z "$(nbstat -q -v a.nbs 2>&1 >/dev/null | grep frames)" ]
}

@test "forms that exclude one another" {
    runs
    run -2 nbstat --csv --json a.nbs
    run -2 nbstat --json --no-header a.nbs
    run -2 nbstat --json --digits 4 a.nbs
    run -2 nbstat --digits 0 a.nbs
    run -2 nbstat --digits 18 a.nbs
    run -2 nbstat --info --csv a.nbs
    run -2 nbstat --check --json a.nbs
    run -2 nbstat --check --no-header a.nbs
}
