#!/usr/bin/env bats
# Smooth changes during nbrender's films: an adaptive extent, and the exposure when the camera comes nearer.
bats_require_minimum_version 1.5.0
load ../common/common

@test "extent adapt: it follows bodies that spread by 4, without jitter, and holds 95 % of them; of a pipe a little later" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(2)
ball = rng.normal(size=(2000, 3)) * 0.5
noise = np.exp(0.05 * rng.normal(size=21))  # what frames ask for jitters
np.save("ball.npy", ball)
write("g.nbs", *(frame(np.ones(2000), ball * 4 ** (k / 20) * noise[k], ball * 0, time=k) for k in range(21)))
P
    look=(-q --device cpu --size 32x32 --extent adapt)
    nbrender "${look[@]}" -o f%02d.fits g.nbs
    nbrender "${look[@]}" --fps 3 -o p%02d.fits < <(cat g.nbs)
    nbrender "${look[@]}" --frame 13 -o one.fits g.nbs
    nbrender -q --device cpu --size 32x32 --extent 1 -o fixed.fits g.nbs
    python - <<'P'
import numpy as np
def extent(name):  # half the picture's width, from its header
    head = open(name, "rb").read(8640).decode("latin-1")
    step = next(head[k : k + 80] for k in range(0, len(head), 80) if head[k : k + 6] == "CDELT1")
    return abs(float(step.split("=")[1].split("/")[0])) * 16
file, pipe = ([extent(f"{name}{k:02}.fits") for k in range(21)] for name in "fp")
side = abs(np.load("ball.npy"))[:, :2].max(axis=1)
inside = [(side * 4 ** (k / 20) < e).mean() for k, e in enumerate(file)]
steps = np.diff(np.log([file, pipe]))
print("#", file[0], file[-1], pipe[-1], inside[0], inside[-1], steps.max(), abs(np.diff(steps)).max())
assert 0.935 < min(inside) and max(inside) < 0.985, inside  # the margin is 5 %
assert file[20] > 3.3 * file[0] and 2.2 * pipe[0] < pipe[20] < file[20], (file, pipe)
assert steps.min() >= 0 and steps.max() < 0.12 and abs(np.diff(steps)).max() < 0.06, steps
assert extent("one.fits") == file[13] and abs(extent("fixed.fits") - 1) < 1e-9
P
}

@test "exposure: over an approach to 2/7 of the distance the mean level keeps within a factor of 2, without jumps" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(2)
r, angle = rng.gamma(2, 1, 2000), rng.uniform(0, 2 * np.pi, 2000)
disk = np.stack([r * np.cos(angle), r * np.sin(angle), 0.1 * rng.normal(size=2000)], axis=1)
write("s.nbs", *(frame(np.ones(2000), disk, disk * 0, time=t) for t in range(21)))
P
    printf '%d 0 0 %d  0 0 0  0 1 0  40\n' 0 35 20 10 >near.txt
    printf '%d 0 %d 24  0 0 0  0 0 1  40\n' 0 7 10 -7 20 7 >still.txt
    look=(-q --device cpu --size 160x90 --no-dither)
    nbrender "${look[@]}" --camera near.txt -o 'f%02d.png' s.nbs
    nbrender "${look[@]}" --camera near.txt --frame 13 -o one.png s.nbs
    nbrender "${look[@]}" --camera near.txt --exposure fixed -o 'x%02d.png' s.nbs
    nbrender "${look[@]}" --camera still.txt --frame 0,7 -o 's%02d.png' s.nbs
    nbrender "${look[@]}" --camera still.txt --exposure fixed --frame 0,7 -o 'sx%02d.png' s.nbs
    same_picture one.png f13.png s00.png sx00.png s07.png sx07.png # as far away all the time: one exposure for the film
    python - <<'P'
import numpy as np
from picture import png
mean = lambda name: (png(name) @ (0.2126, 0.7152, 0.0722)).mean()
film, fixed = (np.array([mean(f"{name}{k:02}.png") for k in range(21)]) for name in "fx")
bend = abs(np.diff(np.log(film), 2)).max()
print("#", film.max() / film.min(), fixed.max() / fixed.min(), bend)
assert film.max() < 2 * film.min() and fixed.max() > 5 * fixed.min()
assert bend < 0.06
P
}
