#!/bin/sh
# The law of the code, checked: who may include whom, what exported symbols are called, where CUDA may be named, format.
# tests/lint.sh BUILD
build=${1:-build}
status=0

complain() {
    echo "lint: $*" >&2
    status=1
}

# forbid WHAT FILES...: no file of that layer includes a header of a layer above it
forbid() {
    pattern=$1
    shift
    for file in "$@"; do
        [ -e "$file" ] || continue
        found=$(grep -nE "^#include \"($pattern)" "$file") && complain "$file includes from a higher layer: $found"
    done
}

forbid '' lib/error.h
forbid '(device|force|step|snap|measure|units|rng)' lib/bodies.[ch]
forbid '(device|force|step|measure)' lib/snap*.[ch]
forbid '(force|step|snap|measure)' lib/device*.[ch] lib/device*.cu lib/state.c lib/timing.[ch]
forbid '(step|snap|measure)' lib/force*.[ch] lib/force*.cu lib/simd/* lib/direct*.h lib/tree*.[ch] lib/tree*.cu*
forbid '(snap|measure)' lib/step*.[ch]
forbid '(tool|nb(gen|sim|stat|render|conv))' lib/*.[ch] lib/*.cu lib/*.cuh lib/simd/*

cuda=$(grep -lE '#include [<"](cuda|cub|nccl)' lib/*.[ch] tools/*.[ch] tools/*/*.[ch] tests/*.c 2>/dev/null)
[ -z "$cuda" ] || complain "CUDA headers outside .cu and .cuh: $cuda"
ifdefs=$(grep -lE 'NB_HAVE_CUDA' lib/*.[ch] tools/*.[ch] tools/*/*.[ch] tests/*.c | grep -v '^lib/backends.c$')
[ -z "$ifdefs" ] || complain "only lib/backends.c may ask whether there is CUDA, not: $ifdefs"

if [ -e "$build/lib/libnb.a" ]; then
    # C symbols only: what the CUDA compiler mangles is not an interface.
    names=$(nm -g --defined-only "$build/lib/libnb.a" 2>/dev/null | awk 'NF == 3 && $2 ~ /[TDRBV]/ { print $3 }' |
        grep -vE '^(nb_|_Z|__|DW[.]ref|fatbinData|nvtx|InitializeInjectionNvtx)')
    [ -z "$names" ] || complain "exported symbols of lib without nb_:" $names
    prints=$(nm "$build"/lib/*.o "$build"/lib/simd/*.o 2>/dev/null | awk '$1 == "U" { print $2 }' |
        grep -xE 'printf|puts|putchar|exit|_exit|abort|stderr|stdout|perror' | sort -u)
    [ -z "$prints" ] || complain "lib prints or exits:" $prints
else
    complain "$build/lib/libnb.a is not built, its symbols were not checked"
fi

python3 lib/tree_expansion.py | clang-format --assume-filename=lib/tree_expansion.h | cmp -s - lib/tree_expansion.h ||
    complain "lib/tree_expansion.h is not what lib/tree_expansion.py writes"

# shellcheck disable=SC2046
clang-format --dry-run -Werror $(git ls-files '*.c' '*.h' '*.cu' '*.cuh') >/dev/null 2>&1 ||
    complain "not formatted (make format):" $(git ls-files '*.c' '*.h' '*.cu' '*.cuh' |
        while read -r file; do clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || echo "$file"; done)

[ $status = 0 ] && echo "lint: ok"
exit $status
