#!/usr/bin/env bats
# nbsim on an OpenCL device: compared with the CPU, a resumed run, and the message if there is no device.
bats_require_minimum_version 1.5.0
load ../common/common

: "${POCL_CACHE_DIR:=$BATS_FILE_TMPDIR/pocl}"
export POCL_CACHE_DIR

# Skips where there is no OpenCL, and for no other reason.
opencl() {
    nbgen plummer -n 2 -q -o two.nbs
    run --separate-stderr nbsim -q --device opencl --steps 0 -o none.nbs two.nbs
    [[ "$stderr" != *"cannot be loaded"* && "$stderr" != *"OpenCL driver"* ]] || skip "$stderr"
    [ "$status" = 0 ]
}

# farthest A B: the largest difference of positions in the last frames, against their largest size
farthest() {
    nbconv -q --to text --frame last "$1" >a.txt
    nbconv -q --to text --frame last "$2" >b.txt
    paste a.txt b.txt | awk '!/^#/ { for (k = 2; k <= 4; k++) { d = $k - $(k + NF / 2); d = d < 0 ? -d : d; worst = d > worst ? d : worst
        s = $k < 0 ? -$k : $k; size = s > size ? s : size } n++ } END { if (n < 2) exit 1; printf "%.3g\n", worst / size }'
}

@test "leapfrog and an adaptive scheme go where they go on the CPU" {
    opencl
    nbgen plummer -n 300 --seed 3 -q -o p.nbs
    for how in "--dt 0.0078125 --integrator leapfrog" "--integrator rkdp54 --tolerance 1e-6"; do
        for p in "single 2e-4" "mixed 2e-5" "double 1e-9"; do
            set -- $p # a precision, and how far chaos may take its roundings
            for device in cpu opencl; do
                nbsim -q --device $device $how --precision $1 --softening 0.05 --until 0.25 -f -o $device.nbs p.nbs
            done
            off=$(farthest cpu.nbs opencl.nbs)
            echo "# $how in $1: off by $off"
            awk -v off="$off" -v most="$2" 'BEGIN { exit !(off < most) }' || { echo "$how in $1: off by $off" >&2; false; }
            run ! cmp -s cpu.nbs opencl.nbs
        done
    done
}

@test "equal runs give equal bytes" {
    opencl
    nbgen plummer -n 300 -q -o p.nbs
    for p in single mixed double; do
        for name in one two; do
            nbsim -q --device opencl --precision $p --dt 0.015625 --softening 0.05 --until 1 --every 0.25 -f -o $name.nbs p.nbs
        done
        cmp one.nbs two.nbs
    done
}

@test "a killed run goes on bit for bit" {
    opencl
    how="-q --device opencl --precision mixed --integrator rkdp54 --tolerance 1e-6 --until 1 --every 0.02"
    for bodies in 200 1000 3000; do # until one is not faster than the signal
        rm -f ck.* two.nbs*
        nbgen plummer -n $bodies --seed 5 -q -f -o in.nbs
        nbsim $how --checkpoint ck --checkpoint-every 0 in.nbs -o two.nbs &
        pid=$!
        await $pid test -s ck.0 && { kill -KILL $pid || true; }
        wait $pid && continue
        [ ! -e two.nbs.part ] || break
    done
    [ -e two.nbs.part ]
    [ ! -e two.nbs ]
    nbsim -q --resume ck --device opencl
    nbsim $how -o one.nbs in.nbs
    cmp one.nbs two.nbs
}

@test "the start line names the device; what it has not is refused in a sentence" {
    opencl
    nbgen plummer -n 100 -q -o p.nbs
    run -0 --separate-stderr nbsim --device opencl:0 --steps 1 --dt 0.01 -o o.nbs p.nbs
    [[ "${stderr_lines[0]}" == "nbsim: 100 bodies, direct force in "*" precision on "*", OpenCL" ]]
    run -1 --separate-stderr nbsim -q --device opencl:63 --steps 1 -o n.nbs p.nbs
    [[ "$stderr" == "nbsim: device opencl:63: there "*", numbered from 0" ]]
    local sim="nbsim -q --device opencl --dt 0.01 --steps 1 -o n.nbs p.nbs"
    refused 2 "quad precision: it does not offer this precision" $sim --precision quad
    refused 2 "force tree does not run on device opencl" $sim --force tree
    refused 2 "no jerk" $sim --integrator hermite4
    nbgen uniform -n 16385 -q -o many.nbs
    run -2 --separate-stderr nbsim -q --device opencl --dt 0.01 --steps 1 -o n.nbs many.nbs
    [[ "${stderr_lines[0]}" == *"tree for more than 16384 bodies, and the tree does not run on device opencl"* ]]
    [ ! -e n.nbs ]
    nbgen uniform -n 32769 -q -f -o many.nbs
    run -1 --separate-stderr nbstat --device opencl many.nbs # which has no --force
    [ "$stderr" = "nbstat: force tree does not run on device opencl" ]
}

@test "without a driver or the library one line says so" {
    nbgen plummer -n 100 -q -o p.nbs
    mkdir none
    : >none/libOpenCL.so.1
    run -1 --separate-stderr env LD_LIBRARY_PATH="$PWD/none" nbsim -q --device opencl --steps 1 -o n.nbs p.nbs
    [ "$stderr" = "nbsim: device opencl: libOpenCL.so.1 cannot be loaded (Debian's package ocl-icd-libopencl1 has it)" ]
    opencl
    rm none/libOpenCL.so.1
    run -1 --separate-stderr env OCL_ICD_VENDORS="$PWD/none" nbsim -q --device opencl --steps 1 -o n.nbs p.nbs
    [ "$stderr" = "nbsim: device opencl: no OpenCL driver is installed" ]
    [ ! -e n.nbs ]
}

@test "a driver that aborts the process, as PoCL does without /sys, does not end nbsim: one line says so" {
    mkdir aborts
    { # the library's calls, the first of which aborts
        echo '#include <stdlib.h>'
        echo 'int clGetPlatformIDs(void) { abort(); }'
        sed -n 's/^ *CALL(cl_[a-z_]*, *\([A-Za-z]*\),.*/int cl\1(void) { return 0; }/p' "$root/lib/reference/opencl/opencl_api.h" | grep -v GetPlatformIDs
    } >aborts.c
    ${CC:-cc} -shared -fPIC -o aborts/libOpenCL.so.1 aborts.c || skip "no compiler"
    nbgen plummer -n 100 -q -o p.nbs
    run -1 --separate-stderr env LD_LIBRARY_PATH="$PWD/aborts" nbsim -q --device opencl --steps 1 -o n.nbs p.nbs
    [ "$stderr" = "nbsim: device opencl: an installed OpenCL driver crashes when it is opened (Aborted; PoCL needs /sys)" ]
    [ ! -e n.nbs ]
}

@test "auto never takes it, and a name is a whole name" {
    nbgen plummer -n 200 -q -o p.nbs
    run -0 --separate-stderr nbsim --device auto --steps 1 --dt 0.01 -o o.nbs p.nbs
    [[ "${stderr_lines[0]}" != *OpenCL* ]]
    for name in openc opencl: opencl:x opencl:-1 openclx; do
        run -2 --separate-stderr nbsim --device "$name" --steps 1 -o n.nbs p.nbs
        [[ "${stderr_lines[0]}" == "nbsim: --device $name: expected auto, cpu[:A-B], cuda[:N|:A-B|:all] or opencl[:N]"* ]]
    done
}
