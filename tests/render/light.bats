#!/usr/bin/env bats
# Light in nbrender's films.
bats_require_minimum_version 1.5.0
load ../common/common


@test "films do not flicker: light of bodies that move is steady, with the default footprints" {
    # the merger of 20k, pictures a quarter of a snapshot apart; the root mean square of the second difference between
    # three of them, over the mean level
    nbgen collision -n 20k --seed 1 | nbsim -q --device cpu --force tree --dt 0.005 --until 0.1 --every 0.05 -o m.nbs
    flicker() { # flicker SMOOTH
        nbrender -q --device cpu --size 320x180 --depth 16 --smooth "$1" --interpolate 4 -o "$1-%d.png" m.nbs
        python - "$1" <<'P'
import sys
import numpy as np
from picture import png
p = [png(f"{sys.argv[1]}-{k}.png").astype(float) for k in range(9)]
second = [p[k] - 2 * p[k + 1] + p[k + 2] for k in range(7)]
print(max(np.sqrt((d**2).mean()) for d in second) / np.mean(p))
P
    }
    default=$(nbrender --help | sed -n 's/.*(default \([0-9]*\)).*/\1/p;/--stars/q' | tail -n 1)
    close "$(flicker "$default")" 0 0.05
    close "$(flicker fixed)" 5 4.8 # it is what is seen where footprints are as wide everywhere
}

@test "light: frames with more bodies than those before, and with fewer, are drawn as alone" {
    for n in 50 30000 200; do nbgen plummer -n $n -q; done >growing.nbs
    look=(-q --style light --size 96x64 --extent 4 --center 0,0,0)
    timeout -s KILL 30 nbrender "${look[@]}" -o 'f%d.png' growing.nbs
    for k in 1 2; do
        timeout -s KILL 30 nbrender "${look[@]}" --frame $k -o $k.png growing.nbs
        same_picture $k.png f$k.png
    done
}
