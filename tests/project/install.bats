#!/usr/bin/env bats
# The build for packagers: their flags, their folders, install and uninstall.
bats_require_minimum_version 1.5.0
load ../common/common
[ -z "$NB_SANITIZER" ] || unset CFLAGS SANITIZE # these tests are about flags of their own

# make in the tree, as a user calls it: with nothing of the make that runs the tests.
user_make() {
    env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL make --no-print-directory -C "${tree:-$root}" CUDA=0 "$@"
}

# The same on a copy of the programs under test, which are not made again.
make_built() {
    local keep=
    [ -d built ] || { mkdir built && cp -r "$NB_BUILD/bin" "$NB_BUILD/library" built; }
    for tool in built/bin/* built/library/libnbtools.a built/library/libnbtools.so.*.*; do
        keep="$keep -o $PWD/$tool"
    done
    user_make -s BUILD="$PWD/built" $keep "$@"
}

# Sources without what git keeps, as in a tarball, in ./$1
tarball() {
    mkdir "$1"
    cp -r "$root"/{Makefile,mk,lib,libnbtools,tools,bench,man,packaging,examples,LICENSE,NOTICES,README.md} "$1"
}

files() { # files FOLDER: all that is no folder, sorted
    (cd "$1" && find . ! -type d | LC_ALL=C sort)
}

@test "install puts programs, library, pages, completion and licences where it is told; they run; uninstall leaves nothing" {
    where=(DESTDIR="$PWD/a root" PREFIX=/usr BINDIR=/opt/bin MANDIR=/usr/man)
    make_built "${where[@]}" install
    for tool in "$NB_BUILD"/bin/*; do
        name=${tool##*/}
        [ -x "a root/opt/bin/$name" ]
        [ -s "a root/usr/man/man1/$name.1" ]
        [ -s "a root/usr/share/bash-completion/completions/$name" ]
        [ -s "a root/usr/share/zsh/site-functions/_$name" ]
        [ -s "a root/usr/share/fish/vendor_completions.d/$name.fish" ]
    done
    [ -s "a root/usr/man/man5/nbs.5" ]
    for page in nbtools nbtools-integrators nbtools-forces nbtools-contact; do
        [ -s "a root/usr/man/man7/$page.7" ]
    done
    [ "$(ls "a root/usr/share/doc/nbtools")" = "$(printf '%s\n' LICENSE NOTICES README.md examples)" ]
    [ -s "a root/usr/man/man3/nbtools.3" ]
    [ -s "a root/usr/include/nbtools.h" ]
    [ -s "a root/usr/lib/libnbtools.a" ]
    [ -s "a root/usr/lib/pkgconfig/nbtools.pc" ]
    [ -s "a root/usr/lib/libnbtools.so" ] # and the file that it leads to
    [ -s "a root/usr/share/mime/packages/nbtools.xml" ]
    [ -s "a root/usr/share/nbtools/nbtools.magic" ]
    [ "$(ls "a root/opt/bin")" = "$(ls "$NB_BUILD/bin")" ]
    [ -z "$(find "a root" -type f ! -perm -o=r)" ]
    "a root/opt/bin/nbgen" plummer -q -n 100 | "a root/opt/bin/nbstat" | grep -q '^stdin	0	'
    echo other >"a root/opt/bin/nbother"
    make_built "${where[@]}" uninstall
    [ "$(files "a root")" = ./opt/bin/nbother ]
    [ ! -e "a root/usr/share/doc/nbtools" ]
    [ ! -e "a root/usr/share/nbtools" ]
    make_built "${where[@]}" uninstall # what is gone is no error
}

@test "install puts the examples where README's pictures are looked for, and they run there; uninstall leaves what is not ours" {
    make_built PREFIX="$PWD/home" install
    doc=home/share/doc/nbtools
    (cd "$root" && git ls-files -z examples | xargs -0 ls) >committed || skip "no git"
    (cd $doc && find examples -type f | LC_ALL=C sort) | diff - <(LC_ALL=C sort committed)
    diff -r "$root/examples/sweep" $doc/examples/sweep
    diff <(cd "$root" && find $(cat "$OLDPWD/committed") -perm -100) <(cd $doc && find $(cat "$OLDPWD/committed") -perm -100)
    for picture in $(grep -o ']([^):]*[.]\(png\|jpg\))' "$doc/README.md" | sed 's/^](//; s/)$//'); do
        [ -s "$doc/$picture" ]
    done
    N=100 UNTIL=0.2 SIZE=160x90 FRAME=2 PATH=$PWD/home/bin:$PATH BIN='' $doc/examples/merger.sh out
    [ -s out/merger.png ]
    echo mine >$doc/examples/sweep/mine.tsv
    make_built PREFIX="$PWD/home" uninstall
    [ "$(files home)" = ./share/doc/nbtools/examples/sweep/mine.tsv ]
    [ "$(ls $doc $doc/examples)" = "$(printf '%s\n' $doc: examples '' $doc/examples: sweep)" ]
}

@test "folders below PREFIX follow it, from the environment too" {
    PREFIX=$PWD/home DATADIR=$PWD/home/lib make_built install
    [ -x home/bin/nbsim ]
    [ -s home/lib/man/man1/nbsim.1 ]
    [ -s home/lib/doc/nbtools/NOTICES ]
    [ ! -e home/share ]
}

@test "an installed file that cannot be written is an error" {
    mkdir home
    : >home/bin
    run ! make_built PREFIX="$PWD/home" install
}

# Every command that make would run for the tools.
commands() {
    user_make -n BUILD="$PWD/new" "$@" all
}

@test "compilers and flags of the command line and of the environment are used, ours stay, theirs come last" {
    commands CC=some-cc AR=some-ar CFLAGS='-O2 -g1' CPPFLAGS=-DTHEIRS LDFLAGS=-Wl,-theirs LDLIBS=-ltheirs >line
    CC=some-cc AR=some-ar CFLAGS='-O2 -g1' CPPFLAGS=-DTHEIRS LDFLAGS=-Wl,-theirs LDLIBS=-ltheirs commands >environment
    diff line environment
    run ! grep -E '(^| )gcc ' line
    [ "$(grep -c 'some-ar rcs' line)" -ge 1 ]
    grep -- '-c -o' line >compiles
    [ "$(wc -l <compiles)" -gt 300 ]
    run ! grep -vE 'some-cc .*-D_GNU_SOURCE .*-DTHEIRS .*-std=gnu11 .*-ffp-contract=off .*-fopenmp -O2 -g1 ' compiles
    run ! grep -e -O3 line
    grep '  LD  ' line >links
    [ "$(wc -l <links)" = "$(ls -d "$NB_BUILD"/bin/* "$NB_BUILD/library" | wc -l)" ]
    run ! grep -vE 'some-cc -O2 -g1 .*-Wl,-theirs .*-lm .* -ltheirs$' links
}

@test "a debugging build compiles: CFLAGS='-O1 -g'" {
    user_make -s BUILD="$PWD/new" CFLAGS='-O1 -g -DNDEBUG' "$PWD/new/lib/base/units.o" "$PWD/new/lib/simd/columns_simd.baseline.o"
    [ -s new/lib/base/units.o ]
    [ -s new/lib/simd/columns_simd.baseline.o ]
}

@test "each set of instructions keeps its own, whatever CFLAGS asks for" {
    [ "$(uname -m)" = x86_64 ] || skip "one set on $(uname -m)"
    commands CFLAGS='-O2 -march=skylake-avx512' | grep -- '-c -o' >compiles
    grep 'columns_simd.baseline.o' compiles | grep -q -- '-march=skylake-avx512.* -mno-avx'
    user_make -s BUILD="$PWD/new" CFLAGS='-O2 -march=skylake-avx512' "$PWD/new/lib/simd/columns_simd.baseline.o" \
        "$PWD/new/lib/simd/columns_simd.avx2.o" "$PWD/new/lib/reference/methods/cpu/plain_simd.avx2.o"
    run ! grep -q zmm <(objdump -d new/lib/simd/columns_simd.avx2.o)
    run ! grep -q ymm <(objdump -d new/lib/simd/columns_simd.baseline.o)
    grep -q ymm <(objdump -d new/lib/simd/columns_simd.avx2.o)
    # --force tiled is left to the compiler, which makes vectors of it.
    grep -q 'vsqrtpd.*ymm' <(objdump -d new/lib/reference/methods/cpu/plain_simd.avx2.o)
}

@test "sources without git, in a folder whose name has blanks, are built and installed" {
    tarball "a tree"
    tree=$PWD/"a tree" user_make -n PREFIX=/usr install >said
    run ! grep -E '^fatal|No rule|not found' said
    tree=$PWD/"a tree" user_make -s build/cpu/lib/base/units.o
    [ -s "a tree/build/cpu/lib/base/units.o" ]
}

# bats test_tags=long
@test "lib/reference can be left out: the folder, and the three lines of lib/backends.c that name what is in it" {
    tarball tree
    rm -r tree/lib/reference
    sed -i '/"reference\/\|nb_device_opencl,/d' tree/lib/backends.c
    [ "$(diff "$root/lib/backends.c" tree/lib/backends.c | grep -c '^<')" = 3 ]
    PATH=$PWD/tree/built/bin:$PATH
    tree=$PWD/tree user_make -s BUILD=built CFLAGS=-O0 built/bin/nbgen built/bin/nbsim
    nbgen plummer -q -n 1000 | nbsim -q --until 0.1 >frames.nbs
    nbstat --check frames.nbs
    nbsim --list-forces | awk -F '\t' '/^# force/ { exit } !/^#/ { print $1 }' | sort -u >forces
    printf '%s\n' contact-grid direct external pn tree | diff - forces
    refused 1 "nbsim: device opencl: this program was built without OpenCL" nbsim -q --device opencl --steps 1 frames.nbs
}

@test "an object is the same in whatever folder it is made (tests/long has all that is installed)" {
    tarball here
    tarball "over there"
    objects=(lib/base/units.o tools/common/tool_version.o lib/reference/opencl/vectors.cl.o)
    tree=$PWD/here user_make -s "${objects[@]/#/build/cpu/}"
    tree=$PWD/"over there" user_make -s BUILD="$PWD/far" "${objects[@]/#/$PWD/far/}"
    for object in "${objects[@]}"; do
        cmp "here/build/cpu/$object" "far/$object"
        run ! grep -F "$PWD" "far/$object"
    done
}

@test "what cannot be is said in one line" {
    run ! user_make BUILD='a b'
    [[ "$output" == *'BUILD is to be one path without blanks, not "a b".  Stop.' ]]
    [ "${#lines[@]}" = 1 ]
    run ! user_make CUDA=1 NVCC=/nowhere/nvcc
    [[ "$output" == *'NVCC is /nowhere/nvcc and cannot be run.  Stop.' ]]
    [ "${#lines[@]}" = 1 ]
}

# A copy of the sources, and a PATH without a compiler; ./tree/packaging/packages.sh, which notes that it was run, puts it there.
bare() {
    tarball tree
    unset CC # the compiler that is installed is the usual one
    mkdir bin
    ln -s /usr/bin/* /bin/* bin/ 2>/dev/null || true
    rm -f bin/{cc,gcc,clang,c89,c99}
    printf '#!/bin/sh\necho "$*" >>%s/asked\n[ -n "$LOCKED" ] && exit 1\nln -sf %s %s %s/bin/\n' "$PWD" \
        /usr/bin/gcc /usr/bin/cc "$PWD" >tree/packaging/packages.sh
    tree=$PWD/tree
}

@test "the machine is asked when its packages are there: what installs the compiler comes first, once" {
    [ -x /usr/bin/gcc ] || skip "no gcc in /usr/bin"
    bare
    PATH=$PWD/bin user_make build/cpu/lib/base/units.o build/cpu/lib/simd/columns_simd.baseline.o
    [ "$(cat asked)" = "name build" ]
    grep -q "^gcc.* $(gcc -dumpmachine) " tree/build/cpu/build.flags
    [ "$(uname -m)" = x86_64 ] || return 0
    grep -q ' baseline avx2 avx512 ' tree/build/cpu/build.flags
}

@test "what only looks, cleans or removes asks for no packages; without them the others end before anything is built" {
    bare
    for goal in "-n all" "-q all" help clean uninstall; do
        LOCKED=yes PATH=$PWD/bin user_make $goal PREFIX="$PWD/none" >/dev/null 2>&1 || true
        [ ! -e asked ] || { echo "$goal: $(cat asked)" >&2; return 1; }
    done
    LOCKED=yes PATH=$PWD/bin run ! user_make packages
    [ "$(cat asked)" = "install all" ]
    for goal in all demo build/cpu/lib/base/units.o; do
        LOCKED=yes PATH=$PWD/bin run ! user_make $goal
        [ ! -e tree/build/cpu/lib/base/units.o ]
        [[ "$output" != *"No such file"* ]]
    done
}

@test "what was built with other flags is built again, and nothing else" {
    object=$PWD/new/lib/base/units.o
    user_make BUILD="$PWD/new" "$object" | grep '  CC  '
    for flags in "" "CFLAGS=-O1" "CPPFLAGS=-DTHEIRS='a b'" "SIMD_SETS=baseline"; do
        [ -z "$flags" ] || user_make BUILD="$PWD/new" "$flags" "$object" | grep '  CC  '
        run -0 user_make BUILD="$PWD/new" ${flags:+"$flags"} "$object"
        [[ "$output" != *'  CC  '* ]] || { echo "$flags: $output" >&2; return 1; }
    done
}

@test "make lint and make format take sources that git is not told of yet, and none that it ignores" {
    tarball tree
    git -C tree init -q
    printf '*.gen.c\n' >tree/.gitignore
    touch tree/lib/told.c tree/lib/new.c tree/lib/made.gen.c
    git -C tree add lib/told.c
    tree=$PWD/tree user_make -n format >said
    grep -q 'clang-format -i.* lib/told.c' said
    grep -q 'clang-format -i.* lib/new.c' said
    run ! grep 'made.gen.c' said
    run ! grep -n '(git ls-files' "$root/tests/project/lint.sh"
}
