#!/usr/bin/env bats
# nbstat --radial: profiles compared with formulas and numpy.
bats_require_minimum_version 1.5.0
load ../common/common
load nbstat

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    make_galaxies
}

@test "--radial: bins of random bodies are those of numpy, by accelerations too" {
    for how in spherical cylindrical; do
        nbstat --json --radial $how --bins 4 --axis 1,2,3 --select 'galaxy == 0' "$BATS_FILE_TMPDIR/galaxies.nbs" > $how
        nbstat --json --radial $how --bins 3 --axis 1,2,3 --range 0.3,2.4 --about com --select 'galaxy == 0' --frame 0,2 "$BATS_FILE_TMPDIR/galaxies.nbs" > range-$how
        nbstat --json --columns centre,half_mass_radius,com --select 'galaxy == 0' "$BATS_FILE_TMPDIR/galaxies.nbs" 2>/dev/null > centres
    done
    python - <<'P'
import json, os
import numpy as np
from nbs_reader import read
frames = read(open(os.environ["BATS_FILE_TMPDIR"] + "/galaxies.nbs", "rb"))
centres = [json.loads(line) for line in open("centres")]
w = np.array([1.0, 2, 3]) / np.sqrt(14)
def accelerations(f):
    dx = f["pos"][None] - f["pos"][:, None]
    return 1.5 * (f["mass"][None, :, None] * dx / ((dx**2).sum(-1) + 0.05**2)[..., None] ** 1.5).sum(1)
pulls = {k: accelerations(frames[k]) for k in (0, 2)}
for how in "spherical", "cylindrical":
    sphere = how == "spherical"
    for name, chosen, expected in (how, [2], 4), ("range-" + how, [0, 2], 6):
        lines = [json.loads(line) for line in open(name)]
        assert len(lines) == expected and lines[0]["frame"] == chosen[0]
        edges = [0.3, 0.6, 1.2, 2.4] if name != how else None
        for line in lines:
            f, at = frames[line["frame"]], centres[line["frame"]]
            s, m = f["galaxy"] == 0, f["mass"]
            acc = pulls[line["frame"]][s]
            m, x, v = m[s], f["pos"][s], f["vel"][s]
            c, mean = np.array(at["com"] if edges else at["centre"]), lambda q, i: (m[i, None] * q[i]).sum(0) / m[i].sum()
            inside = np.sqrt(((x - c) ** 2).sum(1)) <= (np.inf if edges else at["half_mass_radius"])
            d, u = x - c, v - mean(v, inside)
            z = d @ w
            R = d - z[:, None] * w
            length = lambda q: np.sqrt((q * q).sum(1))
            r, out = (length(d), d) if sphere else (length(R), R)
            out = out / r[:, None]
            around = np.cross(w, R) / length(R)[:, None]
            third = np.cross(around, out) if sphere else np.broadcast_to(w, d.shape)  # phi x r = theta
            i = (r > line["inner"]) & (r <= line["outer"])
            if edges:
                k = line["bin"]
                assert abs(line["inner"] - edges[k]) < 1e-15 and abs(line["outer"] - edges[k + 1]) < 1e-15
            else:
                assert i.sum() == 250
            size = 4 / 3 * np.pi * (line["outer"] ** 3 - line["inner"] ** 3) if sphere else np.pi * (line["outer"] ** 2 - line["inner"] ** 2)
            a, b = ("r", "theta") if sphere else ("R", "z")
            want = {"n": i.sum(), "mass": m[i].sum(), "within": m[r <= line["outer"]].sum(), "radius": mean(r[:, None], i)[0],
                    "density" if sphere else "surface_density": m[i].sum() / size}
            sigma2 = []
            for label, e in (a, out), ("phi", around), (b, third):
                q = (u * e).sum(1)[:, None]
                want["v_" + label] = mean(q, i)[0]
                sigma2.append(mean((q - mean(q, i)) ** 2, i)[0])
                want["sigma_" + label] = np.sqrt(sigma2[-1])
            want["beta"] = 1 - (sigma2[1] + sigma2[2]) / 2 / sigma2[0] if sphere else 1 - sigma2[1] / sigma2[0]
            if not sphere:
                want["z"] = mean(z[:, None], i)[0]
                want["height"] = np.sqrt(mean((z[:, None] - want["z"]) ** 2, i)[0])
            want["v_c"] = np.sqrt(mean(-(acc * out).sum(1)[:, None] * r[:, None], i)[0])
            assert set(want) | {"file", "frame", "time", "bin", "inner", "outer"} == set(line)
            for key, value in want.items():
                assert abs(line[key] - value) <= 1e-11 * max(1, abs(value)), (name, line["bin"], key, line[key], value)
P
}

@test "--radial: density and dispersion of a Plummer sphere, rotation and circular speed of a disk" {
    nbgen plummer -n 30000 --seed 4 | nbstat --radial spherical --bins 5 --range 0.2,2 > p
    python - <<'P'
from math import pi, sqrt
lines = [line.rstrip("\n").split("\t") for line in open("p")]
names = lines[0]
a = 3 * pi / 16
M = lambda r: (1 + a * a / r / r) ** -1.5
for line in lines[1:]:
    b = {k: float(v) for k, v in list(zip(names, line))[1:]}
    share = M(b["outer"]) - M(b["inner"])
    noise = 3 * sqrt(share * (1 - share) / 30000) + 0.02 * share  # 20 scale radii hold all but 0.4 % of it; the centre
    assert abs(b["mass"] - share) < noise, b
    sigma = sqrt(1 / (6 * sqrt(b["radius"] ** 2 + a * a)))  # of the bin's middle, to second order in its width
    for k in "sigma_r", "sigma_phi", "sigma_theta":
        assert abs(b[k] / sigma - 1) < 0.02 + 3 / sqrt(2 * b["n"]), (k, b, sigma)
    assert abs(b["beta"]) < 0.03 + 6 / sqrt(b["n"])
    assert abs(b["v_c"] / sqrt(M(b["radius"]) / b["radius"]) - 1) < 0.06
P
    nbgen disk -n 20000 --seed 2 --central-mass 0.9 | nbstat --radial cylindrical --select disk --bins 5 > d
    python - <<'P'
names, *lines = [line.rstrip("\n").split("\t") for line in open("d")]
for line in lines[1:]:
    b = {k: float(v) for k, v in list(zip(names, line))[1:]}
    assert abs(b["v_c"] / (0.9 / b["radius"]) ** 0.5 - 1) < 0.15 and 0.8 < b["v_phi"] / b["v_c"] < 1.01, b
    assert b["height"] < 0.15 and b["n"] in (3999, 4000) and abs(b["z"]) < 0.02
P
}

@test "--radial: a bin of one body has no dispersion and no anisotropy; what there is not is nan, and nothing is infinite" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(8)
n = 128
write("few.nbs", frame(r.random(n) + 0.1, r.normal(size=(n, 3)), r.normal(size=(n, 3)) * 100))
phi = 2 * np.pi * np.arange(60) / 60
ring = np.stack([np.cos(phi), np.sin(phi), 0 * phi], 1)
write("ring.nbs", frame(np.ones(60), ring, np.cross([0, 0, 1], ring) * (1 + np.arange(60)[:, None] % 2)))
P
    for how in spherical cylindrical; do
        nbstat -q --potential none --radial $how --bins 128 few.nbs > bins
        [ "$(wc -l < bins)" = 129 ]
        [ "$(column n < bins | sort -u)" = 1 ]
        run ! grep -i inf bins
        [ "$(column beta < bins | sort -u)" = nan ]
        for name in $(head -n 1 bins | tr '\t' '\n' | grep -E 'sigma|height'); do
            [ "$(column "$name" < bins | sort -u)" = 0 ]
        done
        for name in $(head -n 1 bins | tr '\t' '\n' | grep -E '^v_|density|radius|mass' | grep -v v_c); do
            run ! grep nan <(column "$name" < bins)
        done
        # circles: sigma_R is 0 but for rounding, which makes no anisotropy
        nbstat -q --potential none --radial $how --bins 1 --range 0.5,2 --about com ring.nbs > bins
        [ "$(column beta < bins)" = nan ]
        close "$(column sigma_phi < bins)" 0.5 1e-14
    done
}
