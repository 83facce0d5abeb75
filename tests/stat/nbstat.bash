# For the tests of nbstat: tables, and a stream to measure.

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

# make_walk: walk.nbs, four frames of 100 random bodies, the last two with phi; at.nbs, its first frame
make_walk() {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
r = np.random.default_rng(7)
mass, pos, vel = 10 ** r.uniform(-4, 0, 100), r.normal(size=(100, 3)) + 5, r.normal(size=(100, 3)) - [2, 0, 0]
frames = []
for k in range(4):
    more = {"phi": -r.uniform(1, 2, 100)} if k >= 2 else {}
    frames.append(frame(mass, pos + 0.1 * k * vel, vel + 0.01 * k * r.normal(size=(100, 3)), time=k / 3, G=1.7, softening=0.3, step=k, **more))
write("walk.nbs", *frames)
write("at.nbs", frames[0])
P
}

# few.nbs: frames of two bodies of mass 1 at rest, the second body moving with velocity $1 $2 ... in each
make_few() {
    python - "$@" <<'P'
import sys
from nbs_writer import frame, write
write("few.nbs", *(frame([1, 1], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, float(v), 0]], time=k) for k, v in enumerate(sys.argv[1:])))
P
}

# json FIELD...: the fields of each line
json() {
    python -c '
import json, sys
def refuse(word):
    raise ValueError(word + " is not JSON")
for line in sys.stdin.buffer:
    d = json.loads(line.decode("utf-8"), parse_constant=refuse)
    print(*(repr(d[k]) for k in sys.argv[1:]))' "$@"
}
