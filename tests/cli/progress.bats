#!/usr/bin/env bats
# --progress: JSON for programs, lines for logs, and one line for each tool on a terminal.
bats_require_minimum_version 1.5.0
load ../common/common

# Objects of stderr, checked: keys, types, and one end, where all is done.
objects() { # objects FILE TOOL WHAT
    python - "$@" <<'P'
import json, sys
name, tool, what = sys.argv[1:]
text = open(name, "rb").read()
assert not [c for c in text if c < 32 and c != 10], "control characters"
objects = [json.loads(line) for line in text.decode().splitlines() if line.startswith("{")]
known = {"tool": str, "what": str, "done": int, "total": int, "fraction": float, "rate": float, "eta_s": float,
         "elapsed_s": float, "time": float, "frame": int, "file": str, "end": bool}
assert len(objects) >= 2, text
for o in objects:
    assert o["tool"] == tool and (what == "" or o["what"] == what), o
    for key, value in o.items():
        assert isinstance(value, known[key]) or known[key] is float and type(value) is int, (key, value)
    assert 0 <= o.get("fraction", 0) <= 1 and o.get("eta_s", 0) >= 0 and o["elapsed_s"] >= 0, o
    assert o.get("done", 0) <= o.get("total", 1e300), o
assert [o["end"] for o in objects] == [False] * (len(objects) - 1) + [True], text
for key in ("done", "fraction", "elapsed_s", "time"):
    values = [o[key] for o in objects if key in o]
    assert values == sorted(values), (key, values)
json.dump(objects[-1], open("last.json", "w"))
P
}

last() { # last EXPRESSION: of the last object o
    python -c "import json; o = json.load(open('last.json')); print(($1))"
}

@test "json: what each tool tells in the end is all of it" {
    nbgen plummer -n 300 --progress=json -o a.nbs 2>e
    objects e nbgen ""
    [ "$(last 'o["fraction"]')" = 1 ]
    nbsim --device cpu --until 0.5 --every 0.1 --dt 0.01 --progress=json -o run.nbs a.nbs 2>e
    objects e nbsim step
    [ "$(last 'o["done"], o["total"], o["fraction"], o["frame"], o["eta_s"]')" = "(50, 50, 1, 5, 0)" ]
    close "$(last 'o["time"]')" 0.5 1e-12
    nbrender --size 64x36 --progress=json -o p%d.png run.nbs 2>e
    objects e nbrender picture
    [ "$(last 'o["done"], o["total"], o["fraction"]')" = "(6, 6, 1)" ]
    nbstat --progress=json run.nbs run.nbs >t 2>e
    grep '^{' e | sed -n '1p;$p' >f
    [ "$(wc -l <f)" = 2 ]
    tail -n 1 f >last.json
    [ "$(last 'o["tool"], o["file"], o["done"], o["total"], o["fraction"], o["frame"], o["end"]')" = "('nbstat', 'run.nbs', 6, 6, 1, 5, True)" ]
    nbconv --frame all --to text --progress=json run.nbs 2>e >t
    objects e nbconv frame
    [ "$(last 'o["done"], o["fraction"]')" = "(6, 1)" ]
    nbgen kepler | nbsim --device cpu --integrator ias15 --until 1 --progress=json 2>e >/dev/null
    objects e nbsim step
    [ "$(last 'o["fraction"], "total" in o')" = "(1, False)" ]
    nbstat --progress=json <run.nbs 2>e >t # of a pipe nobody knows the length
    cat run.nbs | nbstat --progress=json 2>e >t
    objects e nbstat frame
    [ "$(last '"total" in o')" = False ]
}

@test "json: a name with any sign in it is a string" {
    nbgen kepler -o $'q"\\\n\xc3\xa4\xff.nbs'
    nbstat --progress=json $'q"\\\n\xc3\xa4\xff.nbs' 2>e >t
    objects e nbstat frame
    [ "$(last 'ascii(o["file"])')" = $'\'q"\\\\\\n\\xe4\\ufffd.nbs\'' ]
}

@test "json: a run that fails has no end" {
    nbgen plummer -n 100 | nbsim -q --device cpu --dt 0.1 --until 1 --every 0.1 -o run.nbs
    head -c 20000 run.nbs >cut.nbs
    run -1 --separate-stderr nbstat --progress=json --check cut.nbs
    [[ "$stderr" == *'"end": false}'* && "$stderr" == *"nbstat: cut.nbs: "* ]]
    run -1 --separate-stderr nbrender --size 64x36 --progress=json -o p%d.png cut.nbs
    [[ "$stderr" == *'"end": false}'* && "$stderr" != *'"end": true'* ]]
}

has_lines() { [ "$(grep -c '^nbsim: step [0-9]*/100000, t = ' e)" -ge "$1" ]; }

@test "SIGUSR1 asks for a line, also with -q, and changes nothing else" {
    nbgen plummer -n 2000 -o a.nbs
    for option in -q --progress=json; do
        nbsim --device cpu --softening 0.05 --dt 0.001 --until 100 --every 0.1 $option a.nbs -f -o run.nbs 2>e &
        pid=$!
        await $pid test -s run.nbs.part
        for k in 1 2; do
            kill -USR1 $pid
            await $pid has_lines $k
        done
        kill $pid
        wait $pid || [ $? -eq 143 ]
        [ "$option" != -q ] || [ "$(wc -l <e)" -eq 2 ]
        nbstat -q --check run.nbs
    done
}

@test "lines: the first and the last are whole lines; -q and off leave them out" {
    nbgen plummer -n 100 -o a.nbs
    nbsim --device cpu --dt 0.01 --until 0.5 --every 0.1 --progress=lines -o run.nbs a.nbs 2>e
    run ! grep -P '[\x00-\x08\x0b-\x1f\x7f]' e
    grep -x 'nbsim: step 0/50, t = 0, .*' e
    grep -xE 'nbsim: step 50/50, t = 0.5, energy error [-0-9.e]+, [0-9.e+]+ steps/s, 0:00 left' e
    for option in "-q --progress=lines" "-q --progress=json" "-q --progress=bar"; do
        # shellcheck disable=SC2086 # words
        run -0 --separate-stderr nbsim --device cpu --dt 0.01 --until 0.5 $option -f -o run.nbs a.nbs
        [ -z "$stderr" ]
    done
    for option in --progress=off --progress=auto ""; do
        # shellcheck disable=SC2086 # words
        nbsim --device cpu --dt 0.01 --until 0.5 $option -f -o run.nbs a.nbs 2>e
        run ! grep -e 'step [0-9]*/50' -e '{' e
    done
    for tool in nbsim nbrender nbstat nbconv nbedit "nbgen kepler"; do
        run -2 --separate-stderr $tool --progress=often
        [[ "$stderr" == *": --progress often: expected auto, bar, lines, json or off"* ]]
    done
    nbgen plummer -n 100 --progress=json 2>/dev/null | cmp - a.nbs # nothing of it is recorded
}

# Every moment of a pipe on a terminal.
moments() { # moments COLUMNS COMMAND: into moments.json
    python "$root/tests/common/terminal.py" "$@" >moments.json
}

@test "on a terminal the tools of a pipe have a line each, and leave nothing but messages" {
    for columns in 80 40; do
        XDG_RUNTIME_DIR=$PWD moments $columns 'nbgen plummer -n 500 --seed 1 | nbsim --device cpu --dt 0.01 --until 10 --every 0.1 | nbrender --size 64x36 -f -o p%d.png'
        python - $columns <<'P'
import json, re, sys
columns = int(sys.argv[1])
m = json.load(open("moments.json"))
assert m["status"] == 0
status = re.compile(r"(nbsim: step \d+/1000|nbrender: picture \d+)(, .*)?$")
both = 0
for screen in m["moments"]:
    shown = [line for line in screen if status.match(line)]
    assert all(len(line) < columns for line in shown), shown
    tools = [line.split(":")[0] for line in shown]
    assert len(set(tools)) == len(tools) and tools == sorted(tools, reverse=True), screen  # nbsim's above nbrender's
    both += len(tools) == 2
assert both > 0
end = m["screen"]
assert not [line for line in end if status.match(line)], end
text = "".join(line.ljust(columns) for line in end)  # as it was before lines were wrapped
for said in ("nbsim: 500 bodies, direct force", "steps, 101 frames", "nbrender: 64x36, ", "nbrender: 101 pictures in ", "nbsim: 1000 steps, 1000 force evaluations in "):
    assert said in text or said in " ".join(text.split()), (said, end)
wanted = re.compile(r"(nbsim|nbrender): [^{}]*$")
assert len([line for line in end if wanted.match(line)]) == 6, end  # nothing is twice there, nothing is over another
P
        [ -z "$(ls nbtools-* 2>/dev/null)" ]
    done
}

@test "a table on the terminal and the line of another tool do not mix" {
    moments 200 'nbgen plummer -n 500 | nbsim --device cpu --dt 0.01 --until 1 --every 0.1 | nbstat --columns frame,time,n'
    python - <<'P'
import json, re
end = json.load(open("moments.json"))["screen"]
rows = [line for line in end if not line.startswith("nb") and line]
assert len(rows) == 12 and rows[0].split() == ["#", "frame", "time", "n"], end
assert all(re.fullmatch(r"\s*\d+\s+[\d.]+\s+500", row) for row in rows[1:]), rows
P
}

@test "a narrow line keeps its signs whole, and what matters most" {
    nbgen plummer -n 100 | nbsim -q --device cpu --dt 0.1 --until 1 --every 0.1 -o äöüß漢字漢字漢字漢字.nbs
    moments 40 'nbstat äöüß漢字漢字漢字漢字.nbs äöüß漢字漢字漢字漢字.nbs >t'
    python -c 'import json; m = json.load(open("moments.json")); assert any("frame 1/11" in "".join(s) for s in m["moments"]), m'
    moments 12 'nbstat äöüß漢字漢字漢字漢字.nbs >t' # decodes, or fails
    python -c 'import json; m = json.load(open("moments.json")); assert any(s[0] == "nbstat: fra" for s in m["moments"]), m'
}

@test "no line of progress on a terminal without a cursor, in the background, or with --progress=off" {
    nbgen plummer -n 100 -o a.nbs
    for command in 'TERM=dumb nbsim --until 0.1 a.nbs' 'nbsim --progress=off --until 0.1 a.nbs' 'set -m; nbsim --until 0.1 a.nbs'; do
        background=
        [[ "$command" != "set -m"* ]] || background='& wait'
        moments 100 "$command >/dev/null $background"
        python -c 'import json; m = json.load(open("moments.json"))
text = str(m)
assert m["status"] == 0 and "100 bodies" in text and "nbsim: step" not in text, m'
    done
}

@test "a reader that leaves ends a tool that has a line of progress on the terminal, by SIGPIPE" {
    TERM=xterm timeout 20 script -qec "bash -c 'nbgen plummer -n 3000000 | { until grep -q left screen; do sleep 0.1; done; head -c 100; } >/dev/null; echo \${PIPESTATUS[0]} >status'" \
        /dev/null >screen
    grep -q 'nbgen: .*left' screen
    [ "$(cat status)" = 141 ]
}
