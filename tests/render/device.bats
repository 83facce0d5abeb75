#!/usr/bin/env bats
# --device of nbrender, and identical pictures on all devices.
bats_require_minimum_version 1.5.0
load ../common/common


@test "the start line names the device; what is none is refused" {
    nbgen plummer -n 300 -q -o p.nbs
    run -0 --separate-stderr nbrender --device cpu --threads 2 --size 64x36 -o p.png p.nbs
    [ "${stderr_lines[0]}" = "nbrender: 64x36, orthographic projection on CPU, 2 threads" ]
    run -2 --separate-stderr nbrender --device abacus -o a.png p.nbs
    [ "${stderr_lines[0]}" = "nbrender: --device abacus: expected auto, cpu or cuda[:N]" ]
    run -1 --separate-stderr nbrender --device cuda:99 -o a.png p.nbs
    [[ "$stderr" == "nbrender: device cuda"* ]]
    [ "${#stderr_lines[@]}" = 1 ]
    [ ! -e a.png ]
    [ ! -e a.png.part ]
}

@test "a GPU draws what the CPU draws, within a level" {
    nbgen collision -n 20k -q -o c.nbs
    nbrender -q --size 640x360 --device cpu -o cpu.png c.nbs
    run --separate-stderr nbrender -q --size 640x360 --device cuda -o cuda.png c.nbs
    [[ "$stderr" != "nbrender: device cuda"* ]] || skip "$stderr"
    [ "$status" = 0 ]
    nbrender -q --size 640x360 --device cuda -o again.png c.nbs
    cmp cuda.png again.png
    python - <<'P'
from picture import png
a, b = png("cpu.png").astype(int), png("cuda.png").astype(int)
assert a.shape == b.shape and a.max() > 200
assert abs(a - b).max() <= 1, abs(a - b).max()
P
}

@test "auto leaves a GPU to what writes the pipe, where there are threads enough for the pixels" {
    nbgen plummer -n 300 -q -o p.nbs
    told() { # told THREADS INPUT: the start line
        nbrender --threads "$1" --size 1024x512 -f -o p.png "$2" 2>&1 | head -n 1
    }
    [[ "$(cat p.nbs | told 2 -)" == *"on CPU, 2 threads" ]]
    [[ "$(cat p.nbs | told 1 -)" == "$(told 1 p.nbs)" ]]
    [[ "$(told 2 p.nbs)" != *"on CPU"* ]] || skip "no GPU: a file is drawn on the CPU too"
    [[ "$(told 1 p.nbs)" != *"on CPU"* && "$(told 2 - < p.nbs)" != *"on CPU"* ]]
}
