#!/bin/sh
# Prints a C header with the data of the build, for --version: packaging/facts.sh LIBGOMP HOST-TOOLS [NVCC], in the
# folder of the Makefile. LIBGOMP is not empty if libgomp is linked statically. Without NVCC the build has no CUDA; HOST-TOOLS
# never have CUDA.

# The commit from packaging/COMMIT, if `git archive' wrote it there, otherwise from git. An unpacked tarball may lie in
# another repository, and the repository may belong to another user if root installs.
commit() {
    if ! grep -q '^\$Format' packaging/COMMIT 2>/dev/null; then
        cut -c 1-12 packaging/COMMIT 2>/dev/null || echo unknown
    elif git="git -c safe.directory=$PWD" && [ -z "$($git rev-parse --show-cdup 2>/dev/null || echo none)" ]; then
        echo "$($git rev-parse HEAD | cut -c 1-12)$($git diff --quiet HEAD -- 2>/dev/null || echo ', changed')"
    else
        echo unknown
    fi
}

cuda() {
    [ -z "$1" ] || "$1" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'
}

echo "#define FACT_COMMIT \"$(commit)\""
echo "#define FACT_CUDA \"$(cuda "${3:-}")\""
echo "#define FACT_HOST_TOOLS \" $2 \""
echo "#define FACT_LIBGOMP $([ -n "$1" ] && echo true || echo false)"
echo 'static const char fact_notices[] ='
sed 's/[\\"]/\\&/g; s/.*/    "&\\n"/' NOTICES
echo '    ;'
