# For the tests of nbstat: tables, and a stream to measure.
export PYTHONPATH=$BATS_TEST_DIRNAME PYTHONDONTWRITEBYTECODE=1

# column NAME: of a table on stdin
column() {
    awk -F'\t' -v name="$1" 'NR == 1 { sub(/^# /, ""); for (k = 1; k <= NF; k++) if ($k == name) c = k; next } { print $c }'
}

# make_galaxies: galaxies.nbs, three frames of 1500 bodies of three components and two galaxies, in motion, off the origin
make_galaxies() {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r, n = np.random.default_rng(5), 1500
mass, pos, vel = r.random(n) / n, r.normal(size=(n, 3)) * [1, 1, 0.3] + [5, -3, 1], 0.5 * r.normal(size=(n, 3)) + [0, 10, 0]
mass[::50] = 0
galaxy, component = (np.arange(n) % 3 == 0).astype("u1") * 2, r.choice([1, 2, 5], n).astype("u1")
pos[galaxy == 2] += [3, 0, 4]
vel[galaxy == 2] -= [0, 0.5, 0.2]
write("galaxies.nbs", *(frame(mass, pos + k * vel, vel, time=k, G=1.5, softening=0.05, id=np.arange(n, dtype="u8"), galaxy=galaxy, component=component) for k in range(3)))
P
}
