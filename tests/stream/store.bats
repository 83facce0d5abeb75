#!/usr/bin/env bats
# --store f32: a value outside the range of single precision is an error that names body and column; it is never changed
# silently.
bats_require_minimum_version 1.5.0
load ../common/common

# refuses MESSAGE COMMAND...: exit 1, that one line, no file
refuses() {
    local message=$1
    shift
    run -1 --separate-stderr "$@"
    [ "$stderr" = "$message" ] || { echo "'$stderr' is not '$message'" >&2; return 1; }
    [ -z "$(ls out.nbs* 2>/dev/null)" ]
}

# text MASS X: two bodies, the second with these values
text() {
    printf '1 0 0 0 0 0 0\n%s 0 %s 0 0 0 0\n' "$1" "$2" >in.txt
    printf '1 2 0\n1\n0 0 0\n0 0 0\n%s\n0 %s 0\n0 0 0\n' "$1" "$2" >in.rosetta
}

# values FILE: mass and y of the second body
values() {
    nbconv --to text --columns mass,pos "$1" | sed -n '3s/^\([^ ]*\) [^ ]* \([^ ]*\).*/\1 \2/p'
}

@test "a value that would become infinite, a mass that would become 0" {
    while read -r mass y said; do
        text "$mass" "$y"
        refuses "nbconv: in.txt: body 1: $said does not fit f32 (--store f64)" \
            nbconv --from text -q --store f32 -o out.nbs in.txt
        refuses "nbconv: in.rosetta: body 1: $said does not fit f32 (--store f64)" \
            nbconv --from rosetta -q --store f32 -o out.nbs in.rosetta
        nbconv --from text -f -o in.nbs in.txt
        [ "$y" != 2e300 ] || continue # so far away forces overflow, which nbsim says first
        refuses "nbsim: body 1: $said does not fit f32 (--store f64)" \
            nbsim -q --device cpu --store f32 --steps 1 --dt 1e-3 -o out.nbs in.nbs
    done <<'END'
1e-50 1 mass 1e-50
1e39 1 mass 1e+39
1 2e300 pos 2e+300
1 -3.5e38 pos -3.5e+38
END
    refuses "nbgen: body 0: mass 1e-50 does not fit f32 (--store f64)" \
        nbgen plummer -n 5 --mass 5e-50 --store f32 -o out.nbs
}

@test "what fits is rounded: tiny places to 0, masses down to the least float, the largest float" {
    text 1e-45 1e-60
    nbconv --from text --store f32 -o a.nbs in.txt
    [ "$(values a.nbs)" = "1e-45 0" ]
    nbconv --from text -o b.nbs in.txt
    nbsim -q --device cpu --store f32 --until 0 --every 1 -o c.nbs b.nbs
    [ "$(values c.nbs)" = "1e-45 0" ]
    text 0 3.4028235e38
    nbconv --from text -f --store f32 -o a.nbs in.txt
    [ "$(values a.nbs)" = "0 3.4028235e38" ]
}

@test "a place that grows beyond f32 in a run ends the stream before it" {
    printf '1 0 0 0 0 0 0\n1 3e38 0 0 1e38 0 0\n' | nbconv --from text >in.nbs
    run -1 --separate-stderr nbsim -q --device cpu --store f32 --until 2 --every 1 --dt .5 -o out.nbs in.nbs
    [[ "$stderr" == "nbsim: body 1: pos is no longer finite"* && "${#stderr_lines[@]}" = 1 ]]
    nbstat --check out.nbs
}
