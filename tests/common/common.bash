# For the bats files: puts the built tools first in PATH, and gives every test an empty directory.
: "${NB_BUILD:=build}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case $NB_BUILD in /*) ;; *) NB_BUILD=$root/$NB_BUILD ;; esac
export PATH=$NB_BUILD/bin:$PATH
export PYTHONPATH=$root/tests/common:$BATS_TEST_DIRNAME PYTHONDONTWRITEBYTECODE=1 # modules of all tests and of this folder
export SHELL=/bin/sh # script(1) runs its command with it
data=$root/tests/data

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# Finds a Python that has these modules, once for each test file. Tries the system's Python first: python3 may be a
# wrapper script, which takes as long as most tests. For the same reason the modules are searched for, but not loaded.
find_python() { # find_python MODULE[,MODULE]...
    local p kept=$BATS_RUN_TMPDIR/python-$1
    if [ ! -e "$kept" ]; then
        for p in /usr/bin/python3 python3; do
            "$p" -c 'import importlib.util as util, sys
sys.exit(not all(util.find_spec(name) for name in sys.argv[1].split(",")))' "$1" 2>/dev/null && break
            p=
        done
        [ -n "$p" ] || { echo "no python3 with $1 (packages python3-numpy, python3-h5py, python3-xxhash)" >&2; return 1; }
        echo "$p" >"$kept.$BASHPID" && mv "$kept.$BASHPID" "$kept"
    fi
    cat "$kept"
}

# A Python with numpy, for the tests that read a stream without the library.
python() {
    local p
    p=$(find_python numpy) && "$p" "$@"
}

# close A B TOLERANCE: checks that |A - B| <= TOLERANCE.
close() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= t) }' ||
        { echo "$1 is not within $3 of $2" >&2; return 1; }
}

# same_picture A B [A B]...: checks that the PNG files A and B have the same pixels. Their provenance texts may differ.
same_picture() {
    python -c 'import sys
from picture import png
names = sys.argv[1:]
assert names and len(names) % 2 == 0
for one, other in zip(names[::2], names[1::2]):
    a, b = png(one), png(other)
    assert a.shape == b.shape and (a == b).all(), (one, other)' "$@"
}

# film FILE WIDTH,HEIGHT FRAMES: checks the size and the number of frames of a film.
film() {
    local found
    found=$(ffprobe -v error -count_frames -select_streams v -show_entries stream=width,height,nb_read_frames -of csv=p=0 "$1")
    [ "$found" = "$2,$3" ] || { echo "$1: $found instead of $2,$3" >&2; return 1; }
}

# await PID COMMAND...: repeats COMMAND until it succeeds. Fails if process PID ends before, or after NB_PATIENCE
# seconds, which is much longer than any COMMAND needs. `await $$ COMMAND...' watches no process.
await() {
    local pid=$1 end=$((SECONDS + ${NB_PATIENCE:-300}))
    shift
    until "$@"; do
        kill -0 "$pid" 2>/dev/null || { echo "process $pid ended before: $*" >&2; return 1; }
        [ $SECONDS -lt $end ] || { echo "after ${NB_PATIENCE:-300} s still not: $*" >&2; return 1; }
        sleep 0.02
    done
}

# cut_off SIGNAL FILE STREAM COMMAND...: starts COMMAND, a run of in.nbs into STREAM with checkpoints ck, and sends
# SIGNAL as soon as FILE is not empty (ck.0 has the second checkpoint). Repeats with more bodies if the run ended before
# the signal.
cut_off() {
    local signal=$1 file=$2 stream=$3 pid bodies
    shift 3
    for bodies in 300 1000 3000 10000; do
        rm -f ck.* "$stream"*
        nbgen plummer -n $bodies --seed 5 -f -o in.nbs
        "$@" in.nbs -o "$stream" &
        pid=$!
        await $pid test -s "$file" && { kill -"$signal" $pid || true; } # it may have ended meanwhile
        wait $pid && continue
        [ -e "$stream.part" ] && return
    done
    echo "no run was cut" >&2
    return 1
}

# ended PID: checks that no process has this number or group (-PID). A zombie counts as ended.
ended() {
    ! kill -0 -- "$1" 2>/dev/null || grep -qs '^State:.*Z' "/proc/$1/status"
}

# Returns whether nbsim finds a GPU. Tests that take seconds on a GPU may take hours on a CPU.
gpu() {
    nbgen plummer -n 10 | nbsim -q --device cuda --steps 0 >/dev/null 2>&1
}

# Skips a test of galaxies, king or isothermal if nbgen was built without GSL.
gsl() {
    nbgen king -q -n 1 2>&1 >/dev/null | grep -q 'built without the GNU Scientific Library' || return 0
    skip "nbgen was built without GSL"
}

# refused STATUS TEXT COMMAND...: checks that COMMAND exits with STATUS, prints nothing to stdout, and prints one line
# to stderr that contains TEXT. With status 2 a second line, a hint, may follow.
refused() {
    local status_wanted=$1 text=$2
    shift 2
    run "-$status_wanted" --separate-stderr "$@"
    [ -z "$output" ]
    [[ ${stderr_lines[0]} == *"$text"* ]] || { echo "$*: no '$text' in '$stderr'" >&2; return 1; }
    [ "${#stderr_lines[@]}" -le "$status_wanted" ]
}

# Installs the build under $BATS_FILE_TMPDIR/root, for the tests of a file.
install_library() {
    mkdir "$BATS_FILE_TMPDIR/built"
    cp -r "$NB_BUILD/bin" "$NB_BUILD/library" "$BATS_FILE_TMPDIR/built"
    cd "$BATS_FILE_TMPDIR" || return
    local keep= cuda=0 made
    [ ! -e "$NB_BUILD/lib/device/cuda/device_cuda.cu.o" ] || cuda=1
    for made in built/bin/* built/library/libnbtools.a built/library/libnbtools.so.*.*; do
        keep="$keep -o $PWD/$made"
    done
    env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL make -s --no-print-directory -C "$root" CUDA=$cuda BUILD="$PWD/built" $keep \
        DESTDIR="$PWD/root" PREFIX=/opt/nb install
}

# Runs pkg-config for the library that install_library installed.
pc() {
    PKG_CONFIG_PATH=$BATS_FILE_TMPDIR/root/opt/nb/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$BATS_FILE_TMPDIR/root pkg-config "$@" nbtools
}
