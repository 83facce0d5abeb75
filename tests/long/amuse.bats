#!/usr/bin/env bats
# The code of examples/amuse in AMUSE. $AMUSE_PYTHON names the Python; the default is the first Python that finds amuse.
bats_require_minimum_version 1.5.0
load ../common/common

setup_file() {
    local amuse log=$BATS_FILE_TMPDIR/log
    amuse=${AMUSE_PYTHON:-$(find_python amuse 2>/dev/null || true)}
    [ -n "$amuse" ] && [ -z "$NB_SANITIZER" ] || return 0
    amuse=$(command -v "$amuse")
    export PATH=${amuse%/*}:$PATH AMUSE_PYTHON=$amuse # its folder has amusifier
    # Open MPI: more workers than cores, which wait without a core, and as root where the tests are root's.
    export OMPI_MCA_rmaps_base_oversubscribe=yes OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
    (install_library)
    cp -r "$root/examples/amuse" "$BATS_FILE_TMPDIR/amuse"
    cd "$BATS_FILE_TMPDIR/amuse" || return
    env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL -u CFLAGS -u CXXFLAGS -u LDFLAGS \
        PKG_CONFIG_PATH="$BATS_FILE_TMPDIR/root/opt/nb/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$BATS_FILE_TMPDIR/root" \
        make -f worker.mk clean nbtools_worker >"$log" 2>&1 || { cat "$log" >&2; return 1; }
    run ! grep 'interface.c.*warning' "$log"
    # The file that make installed says /opt/nb, which is in a root here.
    export LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/root/opt/nb/lib
}

setup() {
    [ -z "$NB_SANITIZER" ] || skip "the library wants the sanitizer's own start of a program"
    [ -n "$AMUSE_PYTHON" ] || skip "no python3 with amuse, and AMUSE_PYTHON names none (examples/amuse/README.md)"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# Python with the worker.
amuse() {
    PYTHONPATH=$BATS_FILE_TMPDIR/amuse timeout 600 "$AMUSE_PYTHON" "$@"
}

check() {
    amuse "$BATS_TEST_DIRNAME/amuse_check.py" "$1"
}

@test "amuse: an orbit in AMUSE's units is that of Kepler to 1e-9, in time and back" {
    check orbit
}

@test "amuse: particles added, removed and set; those that are left are on their orbit" {
    check bodies
}

@test "amuse: fields, energies and centres are the sums of numpy" {
    check sums
}

@test "amuse: sun and planet in two codes come to Kepler's orbit by Bridge, to second order, and keep their momentum" {
    check coupled
}

@test "amuse: what fails is an exception with the library's reason, and the code goes on" {
    check refused
}

@test "amuse: Bridge keeps the energy of a cluster in a galaxy, and the example fails above its bound" {
    amuse "$BATS_FILE_TMPDIR/amuse/bridge.py" 50 40 1 >said
    awk '/energy error/ { k++; if ($NF > 1e-5 || $NF < -1e-5) exit 1 } END { exit k != 4 }' said
    run -1 amuse -c 'import bridge, sys
bridge.BOUND = 1e-14
sys.exit(bridge.main(10, 10, 1))'
}
