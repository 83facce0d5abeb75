#!/usr/bin/env bats
# Known columns in all tools: a tool that changes the state drops derived columns and keeps all other columns.
bats_require_minimum_version 1.5.0
load ../common/common

# columns FILE: names of the last frame's columns, in their order
columns() {
    nbstat --info "$1" | awk '$1 == "column" { print $2 }' | paste -sd' '
}

@test "a run drops derived columns and passes on the others" {
    {
        echo "# m x y z vx vy vz id component radius jerk_x jerk_y jerk_z phi phi_external pos_lo_x pos_lo_y pos_lo_z age"
        echo "1 0 0 0 0 0 0 7 4 0.1 1 2 3 -1 -2 0 0 0 5"
        echo "1 1 0 0 0 0 0 8 5 0.2 1 2 3 -1 -2 0 0 0 6"
    } | nbconv --from text -o in.nbs
    nbstat --info in.nbs | grep -x '  column phi_external f64 1 L^2/T^2'
    nbstat --info in.nbs | grep -x '  column jerk f64 3 L/T^3'
    nbsim -q --steps 1 --dt 0.1 in.nbs -o out.nbs
    [ "$(columns out.nbs)" = "mass pos vel id component radius age" ]
    nbsim -q --steps 1 --dt 0.1 --write phi --precision quad in.nbs -f -o out.nbs
    [ "$(columns out.nbs)" = "mass pos vel id component radius age pos_lo vel_lo phi" ]
}

@test "text: a known column takes its type, and one of another width is refused at its line" {
    echo "1 0 0 0 0 0 0 1" >bodies
    { echo "# m x y z vx vy vz pos_lo"; cat bodies; } >in.txt
    run -1 --separate-stderr nbconv --from text in.txt
    [ "$stderr" = "nbconv: in.txt: line 1: column 'pos_lo' cannot be f64 of width 1, only f64 of width 3" ]
    { echo "# m x y z vx vy vz softening"; cat bodies; } | nbconv --from text --store f32 -o out.nbs
    nbstat --info out.nbs | grep -x '  column softening f32 1 L'
}

# pair EPS EPS: two bodies of mass 1 at a distance of 1, with the given softening lengths
pair() {
    printf '%s\n' "# m x y z vx vy vz softening" "1 0 0 0 0 0 0 $1" "1 1 0 0 0 0 0 $2" | nbconv --from text
}

@test "a softening column of equal lengths is the softening, before the header's" {
    pair 0.5 0.5 >in.nbs
    nbsim -q --steps 0 --precision double --write acc in.nbs -o out.nbs
    [ "$(columns out.nbs)" = "mass pos vel softening acc" ]
    nbstat --info out.nbs | grep -x '  softening 0.5'
    close "$(nbconv --to text --columns acc out.nbs | awk 'NR == 2 { print $1 }')" 0.71554175279993271 1e-15 # 1.25^-1.5
    close "$(nbstat -q in.nbs | awk -F'\t' 'NR == 1 { for (k = 1; k <= NF; k++) if ($k ~ /potential/) c = k }
        END { print $c }')" -0.89442719099991586 1e-15
}

@test "softening lengths that differ are refused where gravity is computed, and nowhere else" {
    pair 0.5 0.25 >in.nbs
    run -1 --separate-stderr nbsim -q --steps 1 --dt 0.1 in.nbs
    [ "$stderr" = "nbsim: column 'softening': bodies 0 and 1 have 0.5 and 0.25, but gravity here has one softening length for all (--softening L sets one length)" ]
    run -1 --separate-stderr nbstat -q in.nbs
    [ "$stderr" = "nbstat: in.nbs: frame 0: column 'softening': bodies 0 and 1 have 0.5 and 0.25, but gravity here has one softening length for all" ]
    pair -1 -1 >negative.nbs
    run -1 --separate-stderr nbsim -q --steps 1 --dt 0.1 negative.nbs
    [[ "$stderr" == "nbsim: body 0: softening -1 is negative or not finite"* ]]
    nbstat -q --potential none in.nbs
    nbconv --to text in.nbs
}

@test "--softening goes before the column, and drops it" {
    pair 0.5 0.25 | nbsim -q --steps 0 --softening 0 --precision double --write acc -o out.nbs
    [ "$(columns out.nbs)" = "mass pos vel acc" ]
    nbstat --info out.nbs | grep -x '  softening 0'
    [ "$(nbconv --to text --columns acc out.nbs | awk 'NR == 2 { print $1 }')" = 1 ]
}
