#!/usr/bin/env bats
# Dust in nbrender's pictures of light.
bats_require_minimum_version 1.5.0
load ../common/common

@test "a slab of gas dims the stars behind it by exp(-tau) of each colour, and none before it" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
at = (np.arange(40) + 0.5) / 10 - 2
gas = np.stack(np.meshgrid(at, at, [0.0]), axis=-1).reshape(-1, 3)  # as dense everywhere
stars = np.random.default_rng(5).uniform(-1.8, 1.8, (3000, 3))
stars[:, 2] = np.where(stars[:, 0] < 0, 1, -1)  # on the left before the gas
pos = np.concatenate([gas, stars])
glow = np.repeat([0.0, 1.0], [len(gas), len(stars)])  # the gas is dark
kind = np.repeat([7, 4], [len(gas), len(stars)]).astype(np.uint8)
write("s.nbs", frame(0.25 + 0 * glow, pos, 0 * pos, glow=glow, component=kind))
# the depth in V that is to be: of all blue light 60 % is absorbed by the mean column within half of the gas
column, half = 0.25 * len(gas) / 16, np.median(np.linalg.norm(gas, axis=1))
mean = 0.25 * len(gas) / 2 / (np.pi * half**2)
open("tau", "w").write(repr(-np.log(1 - 0.6) / 1.32 * column / mean))
P
    look=(-q --device cpu --size 120x120 --extent 2 --center 0,0,0 --weight glow --stars 0 --bloom 0 --color component)
    for view in "--view z" "--fov 40"; do
        nbrender -f "${look[@]}" $view -o clear.npy s.nbs
        nbrender -f "${look[@]}" $view --dust 0.6 -o dusty.npy s.nbs
        python - <<'P'
import numpy as np
clear, dusty = (np.load(f"{k}.npy").astype(float)[20:100] for k in ("clear", "dusty"))
tau = float(open("tau").read())
near, far = ((dusty[:, x].sum(axis=(0, 1)) / clear[:, x].sum(axis=(0, 1))) for x in (slice(20, 50), slice(70, 100)))
want = np.exp(-tau * np.array([0.75, 1, 1.32]))
print("#", tau, near, far, want)
assert abs(near - 1).max() < 2e-3 and abs(far / want - 1).max() < 0.02
P
    done
}

@test "dust without gas: a disk from its edge has a dark lane, from its pole it is redder; for any number of threads" {
    nbgen galaxy -n 30k --halo-weight 30 --seed 1 -q -o g.nbs
    look=(-q --device cpu --size 320x180 --extent 5 --select disk --color component) # one colour
    for dust in 0 0.6; do
        nbrender "${look[@]}" --view 20,0 --dust $dust -o edge-$dust.npy g.nbs
        nbrender "${look[@]}" --dust $dust -o pole-$dust.npy g.nbs
    done
    OMP_NUM_THREADS=1 nbrender "${look[@]}" --view 20,0 --dust 0.6 -o one.npy g.nbs
    cmp one.npy edge-0.6.npy
    python - <<'P'
import numpy as np
edge, dark, pole, red = (np.load(f"{k}.npy").astype(float) for k in ("edge-0", "edge-0.6", "pole-0", "pole-0.6"))
left = [dark[rows, 100:220].sum(axis=(0, 1)) / edge[rows, 100:220].sum(axis=(0, 1)) for rows in (slice(89, 91), slice(80, 83))]
share = red.sum(axis=(0, 1)) / pole.sum(axis=(0, 1))
print("#", left, share)
assert (left[0] < 0.4).all() and (left[1] > 0.8).all()
assert 0.6 < share[2] < 0.97 * share[1] < 0.95 * share[0] < 0.9
P
}

@test "dust that cannot be is refused with one line" {
    nbgen plummer -n 300 -q -o p.nbs
    run -1 --separate-stderr nbrender -q --dust 0.5 -o x.png p.nbs
    [[ "$stderr" == "nbrender: --dust: the first frame has neither gas nor a disk"* ]]
    [ ! -e x.png ]
    for option in "1" "-1" "0.5 --color density"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender --dust $option -o x.png p.nbs
        [[ "$stderr" == "nbrender: --dust"* ]]
    done
}
