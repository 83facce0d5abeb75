#!/bin/sh
# The rules of the code, checked: who may include whom, what exported symbols are called, where CUDA may be named, format.
# tests/project/lint.sh BUILD
build=${1:-build}
status=0

complain() {
    echo "lint: $*" >&2
    status=1
}

git ls-files 2>/dev/null | grep -q . || { complain "git lists no files here, so that most checks would look at nothing"; exit 1; }

# Those too that git is not told of yet.
files() { # files PATTERN...
    git ls-files --cached --others --exclude-standard "$@"
}

# allow 'HEADERS' FOLDER...: the files of these folders, not of those below, include from lib only what is named, as
# patterns for the path of a header; from their own folder anything
allow() {
    headers=$1
    shift
    for folder in "$@"; do
        found=$(grep -nE '^#include "' "$folder"/*.[ch] "$folder"/*.cu "$folder"/*.cuh 2>/dev/null |
            grep -vE "#include \"(${folder#lib/}/[^/]+|$headers)\"")
        [ -z "$found" ] || complain "$folder includes what it may not: $found"
    done
}

# The folders of lib, from the bottom up; nothing in lib includes a tool's header.
basis='base/(error|extern_c|bodies|memory|portable)\.h'
pack='base/pack\.h'
device="$basis|device/[a-z_]+\.h"
force="$device|$pack|force/[a-z]+\.h|simd/[a-z_]+\.h"
opencl='reference/opencl/opencl\.h'
cuda='device/cuda/cuda\.cuh|force/cuda/[a-z]+\.cuh'
allow 'nothing else' lib/base
allow 'base/(error|sum)\.h' lib/simd
allow "$basis|base/io\.h|simd/columns\.h" lib/snap
allow "$basis" lib/scene
allow "$basis|simd/rng\.h" lib/select
allow "$basis|$pack" lib/device
allow "$device" lib/device/cuda
allow "$device|simd/[a-z]+\.h" lib/device/cpu
allow "$device|device/ranks/[a-z_]+\.h" lib/device/ranks
allow "$device|$pack|scene/scene\.h|base/units\.h" lib/force
allow "$force|$cuda" lib/force/cuda
allow "$force|force/force_group\.h|$cuda|device/cuda/own[.]cuh" lib/force/direct/cuda
allow "$force|force/direct/cuda/direct_cuda\.cuh|$cuda" lib/force/direct/tensor
allow "$force" lib/force/direct/cpu
allow "$force" lib/force/tree lib/force/pn
allow "$force|force/tree/[a-z_]+\.h" lib/force/tree/cpu
allow "$force|$cuda|base/(sum|units)\.h|snap/snap(_hash)?\.h" lib/force/external
disks="$force|scene/scene\.h"
allow "$disks" lib/force/contact
allow "$disks|force/contact/[a-z_]+\.h" lib/force/contact/cpu
allow "$disks|force/force_group\.h|force/contact/[a-z_]+\.(h|cuh)|$cuda" lib/force/contact/cuda
allow "$force|force/force_group\.h|force/tree/[a-z_]+\.h|$cuda" lib/force/tree/cuda
allow "$force" lib/reference
allow "$force|force/contact/contact\.h" lib/reference/contact_bvh
bvh="$disks|(reference/contact_bvh|force/contact)/[a-z_]+\.h"
allow "$bvh|force/contact/cpu/[a-z_]+\.h|force/tree/cpu/tree_cpu\.h" lib/reference/contact_bvh/cpu
allow "$bvh|force/contact/cuda/contact_cuda\.cuh|$cuda" lib/reference/contact_bvh/cuda
allow "$force" lib/reference/methods lib/reference/opencl
allow "$force|reference/methods/[a-z_]+\.h" lib/reference/methods/cpu
allow "$force|force/direct/cuda/direct_symmetric\.cuh|reference/methods/[a-z_]+\.(h|cuh)|$cuda" lib/reference/methods/cuda
allow "$force|reference/methods/([a-z]+|cpu/kdtree_cpu)\.h|$opencl" lib/reference/methods/opencl
allow "$device|$pack|base/sum\.h|force/force\.h|simd/[a-z_]+\.h|step/(groups|p3t)/[a-z_]+\.h|force/pn/pn\.h" lib/step
allow "base/error\.h|device/own_hermite\.h|simd/[a-z_]+\.h|step/(kepler|step_touch)\.h|force/(pn/pn|changeover)\.h" lib/step/groups
allow "base/error\.h|force/changeover\.h|simd/[a-z_]+\.h|step/(kepler|step_touch)\.h|step/groups/[a-z_]+\.h" lib/step/p3t
allow "$force|base/sum\.h|scene/[a-z]+\.h" lib/measure
allow "$force|force/force_request\.h|scene/scene\.h|step/step\.h" lib/prepare
allow "[a-z]+\.h|$basis|base/units\.h|common/tool_syntax\.h|snap/snap\.h|select/select\.h|device/choose\.h|measure/measure\.h|prepare/prepare\.h" libnbtools
allow "$device" lib/light
allow "$device|light/[a-z_]+\.h|simd/[a-z_]+\.h" lib/light/cpu
allow "$device|light/[a-z_]+\.h|$cuda" lib/light/cuda
elsewhere=$(ls -d lib/* | grep -vE '^lib/(backends\.c|base|simd|snap|scene|select|device|force|reference|measure|light|prepare|step)$')
[ -z "$elsewhere" ] || complain "no place in lib for" $elsewhere
twice=$(find lib -type f -printf '%f\n' | sort | uniq -d)
[ -z "$twice" ] || complain "two files of one name in lib:" $twice

cuda=$(files '*.c' '*.h' | xargs grep -lE '#include [<"](cuda|cub|nccl)')
[ -z "$cuda" ] || complain "CUDA headers outside .cu and .cuh: $cuda"
mpi=$(files '*.c' '*.h' | xargs grep -lE '#include [<"]mpi\.h|\bMPI_[A-Z][a-z]' | grep -v '^lib/device/ranks/transport_mpi.c$')
[ -z "$mpi" ] || complain "only lib/device/ranks/transport_mpi.c may know MPI, not:" $mpi
opencl_else=$(files 'lib/*' 'tools/*' | grep -v '/opencl/' | xargs grep -lE 'reference/opencl/|\bcl_(mem|kernel|int|context)\b')
[ -z "$opencl_else" ] || complain "OpenCL outside the folders of that name:" $opencl_else
standard=$(files 'lib/*' 'tools/*' 'bench/*' | grep -vE '^lib/(reference/|backends.c$)' | xargs grep -lE '^#include "reference/')
[ -z "$standard" ] || complain "lib/reference is to be left out without harm, but these include it:" $standard
ifdefs=$(files '*.c' '*.h' | xargs grep -lE 'NB_HAVE_(CUDA|MPI)' | grep -vE '^lib/(backends.c|reference/reference_forces.h)$')
[ -z "$ifdefs" ] || complain "only lib/backends.c may ask whether there is CUDA or MPI, not: $ifdefs"

# Which system, C library or compiler it is, and what only some have; /proc/meminfo may be missing.
foreign='__(APPLE|MACH|GLIBC|linux|unix|MUSL|LDBL_MANT_DIG|SIZEOF_FLOAT128|BSD)[A-Z_]*__|__(linux|APPLE|GLIBC|float128)|_WIN32|program_invocation|getprogname'
foreign="$foreign"'|\<(renameat2|reallocarray|fopencookie|funopen|open_memstream_|pipe2|dup3|gettid|tdestroy|strchrnul|mempcpy|qsort_r|secure_getenv'
foreign="$foreign"'|posix_fadvise|fallocate|memfd_create|strverscmp|malloc_usable_size|fdatasync|syncfs|sysinfo|accept4|ppoll|getrandom|basename)\('
foreign="$foreign"'|F_SETPIPE_SZ|RENAME_|MADV_HUGEPAGE|O_TMPFILE|O_PATH|O_DIRECT\>|_CS_GNU|<(endian|error|argp|malloc|byteswap|sys/sysinfo|sys/syscall|features)\.h>|/proc/(self/exe|cpuinfo)'
found=$(files 'lib/*.[ch]' 'tools/*.[ch]' 'bench/*.[ch]' | grep -v '^lib/base/portable\.[ch]$' | xargs grep -nE "$foreign")
[ -z "$found" ] || complain "only lib/base/portable.[ch] may know systems apart: $found"

if [ -e "$build/lib/libnb.a" ]; then
    # C symbols only: what the CUDA compiler mangles is not an interface.
    names=$(nm -g --defined-only "$build/lib/libnb.a" 2>/dev/null | awk 'NF == 3 && $2 ~ /[TDRBV]/ { print $3 }' |
        grep -vE '^(nb_|_Z|__|DW[.]ref|fatbinData|nvtx|InitializeInjectionNvtx)')
    [ -z "$names" ] || complain "exported symbols of lib without nb_:" $names
    # opencl_ask.c ends a child process of its own.
    prints=$(find "$build/lib" -name '*.o' ! -name opencl_ask.o -exec nm {} + 2>/dev/null | awk '$1 == "U" { print $2 }' |
        grep -xE 'printf|puts|putchar|exit|_exit|abort|stderr|stdout|perror' | sort -u)
    [ -z "$prints" ] || complain "lib prints or exits:" $prints
else
    complain "$build/lib/libnb.a is not built, its symbols were not checked"
fi

# bats passes such a line if its first test fails, unless it is the last of its function.
found=$(files 'tests/*.bats' 'tests/*.bash' | xargs grep -nE '^ *(\[ .* \]|\[\[ .* \]\]) && (\[|same|close|cmp|grep|diff|python)' | grep -v '||')
[ -z "$found" ] || complain "two tests on one line (a line each): $found"

expansion=lib/force/tree/tree_expansion
python3 $expansion.py | clang-format --assume-filename=$expansion.h | cmp -s - $expansion.h ||
    complain "$expansion.h is not what $expansion.py writes"

# shellcheck disable=SC2046
clang-format --dry-run -Werror $(files '*.c' '*.h' '*.cu' '*.cuh') >/dev/null 2>&1 ||
    complain "not formatted (make format):" $(files '*.c' '*.h' '*.cu' '*.cuh' |
        while read -r file; do clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || echo "$file"; done)

[ $status = 0 ] && echo "lint: ok"
exit $status
