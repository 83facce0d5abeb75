#!/usr/bin/env bats
# Light in nbrender's films.
bats_require_minimum_version 1.5.0
load ../common/common


@test "films do not flicker: light of bodies that move is steady, with the default footprints" {
    # the merger of 20k, pictures a quarter of a snapshot apart; the root mean square of the second difference between
    # three of them, over the mean level
    nbgen collision -n 20k --seed 1 | nbsim -q --device cpu --force tree --dt 0.005 --until 0.1 --every 0.05 -o m.nbs
    flicker() { # flicker SMOOTH
        nbrender -q --device cpu --size 320x180 --depth 16 --smooth "$1" --stars 0 --interpolate 4 -o "$1-%d.png" m.nbs
        python - "$1" <<'P'
import sys
import numpy as np
from picture import png
p = [png(f"{sys.argv[1]}-{k}.png").astype(float) for k in range(9)]
second = [p[k] - 2 * p[k + 1] + p[k + 2] for k in range(7)]
print(max(np.sqrt((d**2).mean()) for d in second) / np.mean(p))
P
    }
    close "$(flicker 15)" 0 0.047 # the default of so many; 0.048 with counts over three cells
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

@test "light by default shows structure: a merger of 20k has 1.4 times the gradients of wide footprints without points" {
    nbgen collision -n 20k --seed 1 | nbsim -q --device cpu --force tree --dt 0.015 --max-de inf --until 1.5 --every 1.5 -o m.nbs
    nbrender -q --device cpu --size 960x540 --frame 1 -o default.png m.nbs
    nbrender -q --device cpu --size 960x540 --frame 1 --smooth 40 --stars 0 -o wide.png m.nbs
    python - <<'P'
import numpy as np
from picture import png
def gradient(name):
    p = png(name).astype(float) @ (0.2126, 0.7152, 0.0722)
    return np.hypot(np.diff(p, axis=0)[:, 1:], np.diff(p, axis=1)[1:]).mean()
print("#", gradient("default.png") / gradient("wide.png"))
assert gradient("default.png") > 1.4 * gradient("wide.png")
P
}

@test "points are as large in pictures of any size: the brightest places of 540p, 1080p and 4K, averaged, within 5 %" {
    nbgen plummer -n 3k --seed 2 -q -o s.nbs
    for size in 960x540 1920x1080 3840x2160; do
        nbrender -q --device cpu --size $size --smooth 12 --stars 0.3 --extent 6 -o $size.png s.nbs
    done
    python - <<'P'
import numpy as np
from picture import png
seen = []
for size, k in ("960x540", 1), ("1920x1080", 2), ("3840x2160", 4):
    p = png(f"{size}.png").astype(float) @ (0.2126, 0.7152, 0.0722)
    seen.append(np.percentile(p.reshape(540, k, 960, k).mean(axis=(1, 3)), 99.5))
print("#", seen)
assert max(seen) < 1.05 * min(seen), seen
P
}

@test "black holes give no light and have no part in a density map, unless --select asks for bodies" {
    nbgen collision -n 20k --seed 1 -q -o m.nbs
    look=(-q --device cpu --size 320x180)
    nbrender "${look[@]}" -o dark.png m.nbs
    nbrender "${look[@]}" --select 'component != hole' -o without.png m.nbs
    nbrender "${look[@]}" --select all -o all.png m.nbs
    run -0 --separate-stderr nbrender --device cpu --size 320x180 -f -o said.png m.nbs
    [[ "$stderr" == *"2 black holes give no light (--select all draws them)"* ]]
    for select in "component != hole" all; do
        nbrender "${look[@]}" --map density --select "$select" -o "${select%% *}.npy" m.nbs
    done
    nbrender "${look[@]}" --map density -o dark.npy m.nbs
    python - <<'P'
import numpy as np
from picture import png
dark, without, bright = (png(f"{k}.png").astype(int) for k in ("dark", "without", "all"))
assert abs(dark - without).max() <= 12 and abs(dark - without).mean() < 0.2  # the middle of the picture may differ a little
assert abs(dark - bright).max() > 20
mass, rest, whole = (np.load(f"{k}.npy").astype(float).sum() for k in ("dark", "component", "all"))
assert abs(mass / rest - 1) < 0.01 and whole > 1.3 * mass, (mass, rest, whole)
P
}

@test "light by default shows the arms that are there: two samples of a spiral agree at their scale, and with its density" {
    # half of an exponential disk in two logarithmic arms of 18 degrees, 0.25 radians wide; a scale length is 53 pixels
    cat > spiral.py <<'P'
import numpy as np
pitch, wide = np.tan(np.radians(18)), 0.25
def crest(R):
    return np.log(R / 0.4) / pitch
P
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
from spiral import crest, wide
for seed in 1, 2:
    rng, n = np.random.default_rng(seed), 20000
    R = rng.gamma(2, 1, n)
    arm = crest(R) + np.pi * rng.integers(0, 2, n) + rng.normal(0, wide, n)
    phi = np.where(rng.random(n) < 0.5, arm, rng.uniform(0, 2 * np.pi, n))
    x = np.stack([R * np.cos(phi), R * np.sin(phi), rng.normal(0, 0.05, n)], axis=1)
    write(f"{seed}.nbs", frame(np.ones(n), x, 0 * x))
P
    look=(-q --device cpu --size 640x360 --extent 6 --center 0,0,0 --depth 16)
    for seed in 1 2; do
        nbrender "${look[@]}" -o default$seed.png $seed.nbs
        nbrender "${look[@]}" --smooth 40 --stars 0 -o wide$seed.png $seed.nbs
    done
    python - <<'P'
import numpy as np
from picture import png
from spiral import crest, wide
def blurred(p, sigma):
    fy, fx = np.fft.fftfreq(360)[:, None], np.fft.rfftfreq(640)[None]
    return np.fft.irfft2(np.fft.rfft2(p) * np.exp(-2 * (np.pi * sigma) ** 2 * (fy**2 + fx**2)), p.shape)
def band(p):  # what is of the arms' scale
    return (blurred(p, 11) - blurred(p, 32))[inside]
y, x = (np.mgrid[:360, :640] + 0.5 - np.array([180, 320])[:, None, None]) * 6 / 320
R, phi = np.hypot(x, y), np.arctan2(-y, x)
inside = (R > 1) & (R < 3.2)
off = (phi - crest(R) + np.pi / 2) % np.pi - np.pi / 2
arms = np.exp(-0.5 * (off / wide) ** 2) * np.pi / (wide * np.sqrt(2 * np.pi))
truth = band(np.log(np.exp(-R) * (1 + arms)))
def seen(look):
    a, b = (band(png(f"{look}{k}.png").astype(float) @ (0.2126, 0.7152, 0.0722)) for k in (1, 2))
    return np.corrcoef(a, b)[0, 1], np.corrcoef(a + b, truth)[0, 1], (a * b).mean()
(alike, true, common), (alike_wide, true_wide, common_wide) = seen("default"), seen("wide")
print("#", alike, alike_wide, true, true_wide, common / common_wide)
assert alike > 0.97 and alike > alike_wide - 0.01 and common > 0.95 * common_wide
assert true > true_wide + 0.02
P
}
