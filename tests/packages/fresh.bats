#!/usr/bin/env bats
# The commands of the README on a minimal machine: one clean root with make and git but without a compiler, and one with
# gcc. Both have neither nvcc nor a GPU. All tests except the last use the first root, in this order. With FRESH_QUICK=1
# the demo is small and make check runs only a few test files.
bats_require_minimum_version 1.5.0
load packages

small="N=500 UNTIL=0.2 SIZE=320x180 FRAME=2" # settings of examples/merger.sh
few="tests/project/version.bats tests/gen/nbgen.bats tests/sim/auto.bats tests/render/film.bats build/cpu/tests/engine/test_whfast"

setup() {
    mkdir -p "$BATS_FILE_TMPDIR/$(root_of)"
    cd "$BATS_FILE_TMPDIR/$(root_of)" || exit 1
}

root_of() {
    case $BATS_TEST_DESCRIPTION in *"with gcc"*) echo gcc ;; *) echo bare ;; esac
}

teardown_file() {
    rm -rf "$BATS_FILE_TMPDIR"/*/root
}

# A clean root with these packages, the origin of a clone, and the clone, in /root/nbtools. Package lists are not kept.
clone_in_root() { # clone_in_root PACKAGE...
    clean_root
    in_root "apt-get -q update; apt-get -qy install --no-install-recommends $*; apt-get clean; rm -rf /var/lib/apt/lists/*" >&2 ||
        skip "apt-get installs nothing in the root: no mirror of Debian?"
    git init -q --bare --initial-branch main root/root/origin.git
    git -C "$here" push -q "$PWD/root/root/origin.git" HEAD:refs/heads/main
    in_root 'git clone -q origin.git nbtools'
}

# A later test is of no use if an earlier one failed.
after() { # after NAME
    [ -d root ] || skip "no clean root"
    [ -e "$1.passed" ] || skip "the test '$1' did not pass"
}

# Runs make in the clone as root, with all that it says in ./LOG. A failure tells the lines that matter.
make_in_root() { # make_in_root LOG ARGUMENTS
    in_root "cd nbtools; $2" >"$1" 2>&1 || { grep -E '^not ok|^#|: error|undefined reference|wstat|^Result|^missing|[*]{3}' "$1" | tail -n 60 >&2; return 1; }
}

# The first thing it says is what it installs, and these packages are among that.
installs() { # installs LOG PACKAGE...
    local package log=$1
    shift
    [[ "$(head -n 1 "$log")" == "installing: "* ]]
    for package in "$@"; do
        head -n 1 "$log" | grep -qw -- "$package"
    done
}

frames() { # frames FILE: number of pictures of a film in the root
    in_root "ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 $1"
}

# Kernels for all instruction sets, and the flags of a compiler that was there when they were asked for.
all_kernels() {
    local built=root/root/nbtools/build/cpu set sets=baseline
    [ "$(uname -m)" != x86_64 ] || sets="baseline avx2 avx512"
    for set in $sets; do
        [ -s "$built/lib/simd/elementary_simd.$set.o" ]
        grep -q "; $set:" "$built/build.flags"
    done
    grep -q '^gcc ' "$built/build.flags"
}

@test "who may not install is told the one command by demo and by check, and nothing is built" {
    clone_in_root make git
    in_root 'useradd --create-home user; git clone -q origin.git /home/user/nbtools; chown -R user: /home/user/nbtools'
    for target in demo check; do
        run -2 in_root "exec setpriv --reuid user --regid user --clear-groups env HOME=/home/user make -C /home/user/nbtools --no-print-directory $target 2>&1"
        echo "$output" >&2
        [ "$(grep -c 'as root:  make packages$' <<<"$output")" = 1 ]
        [[ "${lines[0]}" == "missing packages: "*" gcc "* ]]
        # The other line is make's own.
        [ "${#lines[@]}" = 2 ]
    done
    [ -z "$(find root/home/user/nbtools -name '*.o')" ]
    touch user.passed
}

@test "make demo as root, without a compiler: says first what it installs, builds every kernel, makes film and picture" {
    [ -d root ] || skip "no clean root"
    in_root '! command -v gcc cc g++ clang ffmpeg pkg-config'
    make_in_root demo.log "${FRESH_QUICK:+$small} make demo"
    installs demo.log gcc libc6-dev zlib1g-dev libxxhash-dev librandom123-dev ffmpeg libgsl-dev pkg-config
    all_kernels
    if [ -z "${FRESH_QUICK:-}" ]; then
        [ "$(frames nbtools/out/merger.mp4)" = 321 ]
        pictures 1920 1080 root/root/nbtools/out/merger.png
    fi
    touch demo.passed
}

@test "the README's second film, a galaxy, is made after make demo: with fewer bodies, for a shorter time" {
    after demo
    film=$(sed -n 's/^ *\(nbgen galaxy .* -o galaxy.mp4\) .*/\1/p' "$here/README.md" | sed 's/-n [0-9]*k/-n 1k/; s/--until [0-9.]*/--until 0.5/')
    path=$(sed -n 's/^ *make && export PATH=//p' "$here/README.md")
    [[ "$film" == *"-n 1k"*"--until 0.5"* ]]
    make_in_root galaxy.log "PATH=$path; $film"
    [ "$(frames nbtools/galaxy.mp4)" = 6 ]
    rm root/root/nbtools/galaxy.mp4
}

@test "make check as root installs what it lacks, and all tests pass" {
    after demo
    make_in_root check.log "make check ${FRESH_QUICK:+CHECKS='$few'}"
    installs check.log bats libcmocka-dev python3-numpy pocl-opencl-icd
    grep -q '^Result: PASS' check.log
    run ! grep '^not ok' check.log
    echo "# $(grep '^Files=' check.log); skipped tests: $(grep -c '^ok .*# SKIP' check.log)" >&3
    [ -z "$(in_root 'git -C nbtools status --porcelain')" ]
    touch check.passed
}

@test "after git pull demo and check build what changed and no more, install nothing, and pass (of the tests a few)" {
    after check
    git clone -q root/root/origin.git work
    cd work
    printf '\n// A later commit.\n' >>tools/nbgen/main.c
    printf '\n# A later commit.\n' >>packaging/packages.sh # lists of packages are gone through again
    git -c user.name=test -c user.email=test@localhost commit -qam 'A later commit'
    git push -q
    cd ..
    in_root 'cd nbtools; git pull -q'
    make_in_root again.log "$small make demo"
    [ "$(grep '^  CC ' again.log | grep -v tool_version | sed 's/.* //')" = build/cpu/tools/nbgen/main.o ]
    [ "$(frames nbtools/out/merger.mp4)" = 9 ]
    pictures 320 180 root/root/nbtools/out/merger.png
    make_in_root check-again.log "make check CHECKS='$few'"
    grep -q '^Result: PASS' check-again.log
    run ! grep -h '^installing\|^not ok' again.log check-again.log
    in_root 'nbtools/build/cpu/bin/nbgen --version' | grep -qx "commit *$(git -C work rev-parse --short=12 HEAD)"
}

@test "with gcc and no more, make demo installs the rest, builds every kernel, makes film and picture; make needs no more" {
    clone_in_root make git gcc libc6-dev
    make_in_root demo.log "$small make demo"
    installs demo.log zlib1g-dev libxxhash-dev librandom123-dev ffmpeg libgsl-dev pkg-config
    run ! grep -qw 'installing:.* gcc' demo.log
    all_kernels
    [ "$(frames nbtools/out/merger.mp4)" = 9 ]
    pictures 320 180 root/root/nbtools/out/merger.png
    make_in_root make.log 'make'
    run ! grep -q '^  CC ' make.log
}
