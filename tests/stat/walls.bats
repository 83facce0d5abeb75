#!/usr/bin/env bats
# nbstat --walls: the forces on walls that streams record.

bats_require_minimum_version 1.5.0
load ../common/common

# Frames that tell of two solids and a floor, at times 0, 1, 3, 4 ...
make() {
    python - <<'P'
import json
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(1)
square = "{0} {1} {2} {1} {2} {3} {0} {3} {0} {1}"
head = dict(G=0, contact="10 0 0.01", box="-2 6 -2 2", periodic="x", flow="2 3 2 0.5",
            wall=["floor -2 -2 6 -2", "wing " + square.format(0, 0, 1, 0.1), "tail " + square.format(2, 0, 3, 0.1)])
x = np.array([[-1, 1, 0], [-1, -1, 0.0]])
times = np.concatenate([[0, 1], np.arange(3, 40)])
felt = r.normal(size=(len(times), 2, 2)) + [[4, 1], [-2, 0]]
def at(k, **other):
    lines = [f"wing {felt[k, 0, 0]!r} {felt[k, 0, 1]!r}", f"tail {felt[k, 1, 0]!r} {felt[k, 1, 1]!r}", "floor 0 7"]
    if k > 0:
        other["inflow"] = f"{2 - 0.01 * k!r} 5 1.5"
    return frame(np.ones(2), x, x * 0, time=times[k], **{**head, "wall_force": [line.replace("np.float64(", "").replace(")", "") for line in lines], **other})
write("flow.nbs", *[at(k) for k in range(len(times))])
write("silent.nbs", at(0), at(1, wall_force=["wing 1 2"]))
write("broken.nbs", at(0), at(1, flow="2 3 2"))
write("floor.nbs", frame(np.ones(2), x, x * 0, G=0, contact="10 0 0.01", wall=head["wall"][:1], wall_force="floor 1 -5"))
json.dump([times.tolist(), felt.tolist()], open("want.json", "w"))
P
}

@test "a line a frame: forces and coefficients of the solids" {
    make
    nbstat --walls flow.nbs >got

        [ "$(head -n 1 got | tr '\t' ' ')" = "# file frame time wing.fx wing.fy wing.cd wing.cl tail.fx tail.fy tail.cd tail.cl inflow" ]
    python - <<'P'
import json
times, felt = json.load(open("want.json"))
lines = [line.split("\t") for line in open("got")][1:]
assert len(lines) == len(times)
for line, time, f in zip(lines, times, felt):
    assert line[0] == "flow.nbs" and float(line[2]) == time
    for wall in range(2):
        fx, fy, cd, cl = map(float, line[3 + 4 * wall : 7 + 4 * wall])
        assert line[11] == "nan\n" if time == 0 else abs(float(line[11]) - (1 - 0.005 * times.index(time))) < 1e-15
        assert [fx, fy] == f[wall] and abs(cd - fx / 4.5) < 1e-15 and abs(cl - fy / 4.5) < 1e-15 # 2 3^2 0.5 / 2
P
    nbstat --walls --json --after 38 flow.nbs | python -c '
import json, sys
lines = [json.loads(line) for line in sys.stdin]
assert [line["time"] for line in lines] == [38, 39] and lines[1]["tail.fx"] == json.load(open("want.json"))[1][-1][1][0]'
    [ "$(nbstat --walls <flow.nbs | tail -n 1 | cut -f 1)" = stdin ]
}

@test "--mean: weighted by the time that frames stand for, with the error of blocks" {
    make
    nbstat --walls --mean flow.nbs >all
    nbstat --walls --mean --after 3 flow.nbs >late
    python - <<'P'
import json
import numpy as np
times, felt = map(np.array, json.load(open("want.json")))
for name, first in ("all", 1), ("late", 3):
    head, line = [line.rstrip("\n").split("\t") for line in open(name)]
    got = dict(zip(head, line))
    span, f = np.diff(times)[first - 1 :], felt[first:, 0, 0]
    assert int(got["frames"]) == len(f) and float(got["to"]) == 39 and float(got["from"]) == (0 if name == "all" else 3)
    assert abs(float(got["wing.fx"]) - np.average(f, weights=span)) < 1e-13
    edge = np.arange(11) * len(f) // 10
    blocks = [np.average(f[a:b], weights=span[a:b]) for a, b in zip(edge, edge[1:])]
    error = np.sqrt(np.sum((blocks - np.average(f, weights=span)) ** 2) / 90)
    assert abs(float(got["wing.fx_error"]) - error) < 1e-13 and 0.05 < error < 0.5
    assert abs(float(got["wing.cd_error"]) - error / 4.5) < 1e-13
P
    nbstat --walls --mean --after 38 flow.nbs | tail -n 1 | cut -f 2,6 | grep -P '^1\tnan$'
    run -1 --separate-stderr nbstat --walls --mean --after 39 flow.nbs
    [ "$stderr" = "nbstat: flow.nbs: no frame is later than 39" ]
}

@test "--mean of runs one behind the other: a warning says that it is of several" {
    make
    cat flow.nbs flow.nbs >twice.nbs
    run -0 --separate-stderr nbstat --walls --mean twice.nbs
    [ "$stderr" = "nbstat: warning: twice.nbs: frame 39: time decreases from 39 to 0, so the file has several runs; --mean averages over all of them (give each run in its own file)" ]
    [ "$(cut -f 2 <<<"${lines[1]}")" = 76 ]
    for options in '--mean flow.nbs' 'twice.nbs'; do
        # shellcheck disable=SC2086
        run -0 --separate-stderr nbstat --walls $options
        [ -z "$stderr" ]
    done
}

@test "where no wall is solid all are told of, and without a flow there are no coefficients" {
    make
    [ "$(nbstat --walls floor.nbs | tr '\t' ' ')" = "# file frame time floor.fx floor.fy
floor.nbs 0 0 1 -5" ]
}

@test "streams without walls, without forces on them, or with a wrong line are one line, and exit 1" {
    make
    nbgen plummer -q -n 10 >none.nbs
    run -1 --separate-stderr nbstat --walls none.nbs
    [ "$stderr" = "nbstat: none.nbs: frame 0: has no walls (--walls needs a stream such as nbgen windtunnel makes)" ]
    run -1 --separate-stderr nbstat --walls silent.nbs
    [ "$stderr" = "nbstat: silent.nbs: frame 1: does not contain the forces on wall tail (nbsim writes them)" ]
    run -1 --separate-stderr nbstat --walls broken.nbs
    [ "$stderr" = "nbstat: broken.nbs: frame 1: the header line 'flow 2 3 2' does not have 4 numbers" ]
    for wrong in "--mean" "--after 1" "--walls --check" "--walls --frame 2" "--walls --max-de 1" "--walls --columns time"; do
        run -2 nbstat $wrong flow.nbs
    done
}

@test "what nbsim counts in a flow past a cylinder is drag" {
    nbgen windtunnel -q -n 2000 --airfoil cylinder --seed 3 | nbsim -q --until 0.5 --every 0.25 >run.nbs
    [ "$(nbstat --walls run.nbs | wc -l)" = 4 ]
    nbstat --walls run.nbs | awk 'NR > 2 && $6 <= 0 { exit 1 }' # drag
}
