# For the bats files of HDF5: what reads and writes it without our code, and streams of all that has a place there.

# A Python with numpy and h5py.
h5python() {
    local p
    p=$(find_python numpy,h5py) && "$p" "$@"
}

# Skips where nbconv was built without HDF5, and for no other reason.
hdf5() {
    nbconv --from gadget none 2>&1 | grep -q 'built without the HDF5 library' || return 0
    skip "nbconv was built without HDF5"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    hdf5
}

# stream FILE UNITS [SEED]: two frames of 5000 bodies of all components in no order, with ids out of order and columns of
# all kinds; UNITS: galactic, or code
stream() {
    h5python - "$@" <<'END'
import sys
import numpy as np
import nbs_writer as w
r = np.random.default_rng(int((sys.argv[3:] or [1])[0]))
n = 5000
galactic = dict(units="galactic", length_cgs=repr(3.0856775814913673e21), mass_cgs=repr(1.9884098706980503e43), time_cgs=repr(3.085677581491367e16))
units, G = (galactic, 43009.17270036279) if sys.argv[2] == "galactic" else ({}, 1.0)
def frame(time):
    return w.frame(r.random(n), r.normal(0, 30, (n, 3)), r.normal(0, 200, (n, 3)), time=time, G=G,
        id=r.permutation(n).astype("u8") + 2**40, component=r.integers(0, 8, n).astype("u1"), phi=-r.random(n), acc=r.normal(size=(n, 3)),
        softening=r.random(n).astype("f4"), galaxy=r.integers(0, 3, n).astype("u1"), parent_id=r.integers(0, n, n).astype("u8"),
        spin=r.normal(size=(n, 3)), dt="0.015625", step="77", every="0.5", origin="0.25", history=["1 - other 0.1 5 other --made"], **units)
w.write(sys.argv[1], frame(0.5), frame(1.0))
END
}
