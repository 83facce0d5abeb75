#!/bin/sh
# Prints commit, driver, CUDA version and machine as comment lines, for the beginning of a table: bench/about.sh BUILD.
# BENCH_COMMIT gives the commit if there is no repository, for example in a copy of the files.
build=${1:-build}
cd "$(dirname "$0")/.." || exit 1

commit=${BENCH_COMMIT:-$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)}
# Tables that run.sh has already rewritten do not count as changes.
[ -n "${BENCH_COMMIT:-}" ] || [ -z "$(git status --porcelain --untracked-files=no -- . ':!bench/results' 2>/dev/null)" ] ||
    commit="$commit with changes"
echo "# commit $commit"

driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
[ -n "$driver" ] || driver=$(sed -n 's/^NVRM version:.* \([0-9][0-9.]*\) .*/\1/p' /proc/driver/nvidia/version 2>/dev/null)
echo "# driver ${driver:-none}"

cuda=none
if [ -n "$(find "$build/lib" -name '*.cu.o' 2>/dev/null | head -n 1)" ]; then
    nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    cuda=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release [0-9.]*, V\([0-9.]*\).*/\1/p')
fi
echo "# CUDA ${cuda:-unknown}"

gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | sort | uniq -c | awk '{ $1 = "; " $1 " x"; print }')
echo "# machine $(uname -srm); $(nproc --all) x$(sed -n 's/^model name[^:]*:\(.*\)/\1/p' /proc/cpuinfo | head -n 1)$gpus"
