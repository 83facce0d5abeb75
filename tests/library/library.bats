#!/usr/bin/env bats
# libnbtools in other programs: installed, found with pkg-config, linked as a shared library and as an archive, called
# from three languages.
bats_require_minimum_version 1.5.0
load ../common/common

setup_file() {
    [ -n "$NB_SANITIZER" ] || install_library
}

setup() {
    [ -z "$NB_SANITIZER" ] || skip "the library wants the sanitizer's own start of a program"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

compile() { # compile COMMAND...: without what the tests of compilers ask for
    env -u CFLAGS -u LDFLAGS "$@"
}

@test "only names with nbt_ can be seen, in the shared library and in the archive, and no program's or GSL's" {
    header=$(sed -n 's/^NBT_API .*[ *]\(nbt_[a-z_]*\)(.*/\1/p' "$root/libnbtools/nbtools.h" | sort)
    [ "$(nm -D --defined-only "$NB_BUILD/library/libnbtools.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)" = "$header" ]
    [ "$(nm -g --defined-only "$NB_BUILD/library/libnbtools.a" | awk 'NF == 3 { print $3 }' | sort)" = "$header" ]
    readelf -d "$NB_BUILD/library/libnbtools.so" >dynamic
    grep -qE 'SONAME.*\[libnbtools\.so\.[0-9]+\]' dynamic
    run ! grep -E 'NEEDED.*(gsl|hdf5|fontconfig)' dynamic
}

@test "the library does not print or end the process" {
    nm -g --undefined-only "$NB_BUILD/library/libnbtools.a" | awk '{ print $2 }' >wanted
    run ! grep -xE 'printf|puts|putchar|perror|stdout|stderr|abort|gsl_.*|argp.*' wanted
    # nvcc's stand-ins on the host for functions of the GPU call exit; nothing calls them.
    grep -q '^cudaMalloc' wanted || run ! grep -x exit wanted
}

@test "C: the example is linked with the installed library, and its stream is one of the tools" {
    compile cc -Wall -Wextra -Werror -std=c99 -o cluster "$root/examples/library/cluster.c" $(pc --cflags --libs)
    nbgen plummer -q -n 200 --seed 1 -o start.nbs
    LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/root/opt/nb/lib ./cluster start.nbs run.nbs >said
    nbstat --check run.nbs
    nbstat --max-de 1e-2 run.nbs >/dev/null
    [ "$(wc -l <said)" = 4 ]
    ldd cluster | grep -q libnbtools
    run -1 --separate-stderr env LD_LIBRARY_PATH="$BATS_FILE_TMPDIR/root/opt/nb/lib" ./cluster absent.nbs never.nbs
    [[ "$stderr" == "cluster: absent.nbs: "* ]]
    [ ! -e never.nbs ]
}

@test "C: the program of nbtools(3) compiles, conserves the energy of two bodies and writes eleven frames" {
    sed -n '/^#include <nbtools.h>$/,/^}$/p' "$root/man/nbtools.3" | sed 's/\\-/-/g; s/\\\\/\\/g' >pair.c
    compile cc -Wall -Wextra -Werror -std=c99 -o pair pair.c $(pc --cflags --libs)
    LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/root/opt/nb/lib ./pair >said
    [ "$(cat said)" = "energy -0.09375" ] # 0.75 0.25^2 / 2 + 0.25 0.75^2 / 2 - 0.75 0.25
    nbstat -q --no-header --columns time pair.nbs | diff - <(seq 0 10)
}

@test "C: with the archive alone, and the header is C++ too" {
    compile cc -o cluster "$root/examples/library/cluster.c" $(pc --cflags) $(pc --static --libs | sed 's/-lnbtools/-l:libnbtools.a/')
    run ! grep libnbtools <(ldd cluster)
    nbgen plummer -q -n 100 --seed 1 -o start.nbs
    ./cluster start.nbs run.nbs
    nbstat --check run.nbs
    command -v c++ || skip "no C++ compiler"
    printf '#include <nbtools.h>\nint main() { return nbt_version() == nullptr; }\n' >header.cc
    compile c++ -Wall -Wextra -Werror -pedantic -o header header.cc $(pc --cflags --libs)
    LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/root/opt/nb/lib ./header
}

@test "Fortran: the example closes its orbit" {
    command -v gfortran || skip "no gfortran"
    compile gfortran -Wall -Werror -o orbit "$root/examples/library/orbit.f90" $(pc --libs)
    close "$(LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/root/opt/nb/lib ./orbit)" 0 1e-12
}

@test "Python: two systems that kick each other keep their energy" {
    p=$(find_python numpy,xxhash) || skip "no python3 with numpy and xxhash"
    PYTHONPATH=$root/python NBSTREAM_BIN=$NB_BUILD/bin NBSTREAM_LIBRARY=$NB_BUILD/library/libnbtools.so \
        "$p" "$root/examples/library/bridge.py" 60 0.125 >said
    [ "$(wc -l <said)" = 4 ]
    awk '{ if ($2 > 1e-5 || $2 < -1e-5) exit 1 }' said
}
