#!/usr/bin/env bats
# nbstat on systems that do not conserve energy or momentum, by their header: nbstat reports no error and checks none.
bats_require_minimum_version 1.5.0
load ../common/common
load nbstat

# NAME.nbs of two frames: two disks whose speeds change by a tenth, and what the header says of them.
make() {
    python - <<'P'
from nbs_writer import frame, write
pos, vel = [[0.2, 0.5, 0], [0.7, 0.4, 0]], [[1, 0.5, 0], [0.25, -1, 0]]
def make(name, **lines):
    write(name + ".nbs", *(frame([1, 2], pos, [[u * (1 + k / 10) for u in v] for v in vel], time=k, G=0, **lines) for k in (0, 1)))
box, side = dict(box="0 1 0 1"), dict(wall="low 0 0 1 0")
make("flow", contact="10 0 0.01", periodic="xy", flow="1 1 2 1", **box)
make("damped", contact="10 0.5 0.01", **box)
make("walls", contact="10 0 0.01", **box, **side)
make("periodic", contact="10 0 0.01", periodic="x", **box)
make("closed", contact="10 0 0.01", **box)
make("hourglass", contact="10 0.5 0.01", force=["auto", "external:uniform,gy=-1"], **box, **side)
make("falling", force="external:uniform,gy=-1")
make("dragged", force=["auto", "external:drag,rate=1"])
make("stars", **box, **side) # lines that mean nothing without contact
P
}

# errors NAME: which errors of the second frame are numbers, and what is said of the others
errors() {
    nbstat --json --columns energy_error,momentum_error,angular_momentum_error "$1.nbs" 2>said |
        json energy_error momentum_error angular_momentum_error | tail -n 1 | sed 's/-*[0-9][0-9.e-]*/number/g'
    sed -n 's/^nbstat: .*: not conserved here, so no error is computed: //p' said
}

@test "a flow, damping and drag change the energy; walls, fields and periodic boxes the momenta: no error then" {
    make
    [ "$(errors flow)" = "None None None
energy (a flow), momentum (a flow), angular momentum (a flow)" ]
    [ "$(errors damped)" = "None number number
energy (damping)" ]
    [ "$(errors walls)" = "number None None
momentum (walls), angular momentum (walls)" ]
    [ "$(errors periodic)" = "number number None
angular momentum (a periodic box)" ]
    [ "$(errors hourglass)" = "None None None
energy (damping), momentum (walls), angular momentum (walls)" ]
    [ "$(errors falling)" = "number None number
momentum (an external field)" ]
    [ "$(errors dragged)" = "None None None
energy (drag), momentum (drag), angular momentum (drag)" ]
    for kept in closed stars; do
        [ "$(errors $kept)" = "number number number" ]
    done
}

@test "a limit of what is not kept is a usage error; the others are judged" {
    make
    run -2 --separate-stderr nbstat --max-de 1 flow.nbs
    [ "${stderr_lines[0]}" = "nbstat: flow.nbs: --max-de cannot be used: the energy of these bodies is not conserved (a flow)" ]
    run -2 --separate-stderr nbstat --max-dp 1 --columns time walls.nbs
    [ "${stderr_lines[0]}" = "nbstat: walls.nbs: --max-dp cannot be used: the momentum of these bodies is not conserved (walls)" ]
    run -2 nbstat --max-dl 1 --frame last periodic.nbs
    run -2 nbstat --max-de 1 closed.nbs damped.nbs
    # speeds grow by a tenth: the energy by 0.21, the momenta by a tenth of their scale at 1.1
    nbstat --max-de 0.22 walls.nbs >/dev/null
    run -3 --separate-stderr nbstat --max-de 0.2 walls.nbs
    [[ "$stderr" == *"walls.nbs: frame 1: energy error 0.21 is above --max-de 0.2" ]]
    run -3 nbstat --max-dp 0.01 damped.nbs
    run -3 nbstat --max-dl 0.001 falling.nbs
}

@test "the summary names the errors that there are, and nothing is said of what is not asked for" {
    make
    nbstat walls.nbs 2>said >/dev/null
    [ "$(grep -c . said)" = 2 ]
    grep -q "^nbstat: largest errors: energy 0.21 (frame 1)$" said
    nbstat flow.nbs 2>said >/dev/null
    [ "$(grep -c . said)" = 1 ]
    nbstat -q flow.nbs 2>said >/dev/null && [ ! -s said ]
    nbstat --columns time,kinetic flow.nbs 2>said >/dev/null && [ ! -s said ]
    # Changes of selected bodies are no errors, whatever changes them.
    nbstat --select 'x < 0.5' --max-de 1 flow.nbs 2>said >/dev/null
    grep -q "^nbstat: largest changes: energy 0.21 (frame 1), momentum" said
}

@test "what is not kept is said once, and again where another input has other reasons" {
    make
    nbstat flow.nbs flow.nbs damped.nbs closed.nbs walls.nbs 2>&1 >/dev/null | sed -n 's/: not conserved here, so no error is computed//p' >said
    diff said - <<'E'
nbstat: flow.nbs: energy (a flow), momentum (a flow), angular momentum (a flow)
nbstat: damped.nbs: energy (damping)
nbstat: walls.nbs: momentum (walls), angular momentum (walls)
E
}
