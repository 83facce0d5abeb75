#!/usr/bin/env bats
# The output of --version and --notices, and the origin of its data.
bats_require_minimum_version 1.5.0
load ../common/common

tools="nbgen nbsim nbrender nbstat nbconv nbedit nbbench"

fact() { # fact NAME, of what was built
    sed -n "s/^#define FACT_$1 \"\(.*\)\"/\1/p" "$NB_BUILD/facts/facts.h"
}

commit_in() { # commit_in FOLDER: what a build there would be told
    (cd "$1" && "$root/packaging/facts.sh" '' '' | sed -n 's/^#define FACT_COMMIT "\(.*\)"/\1/p')
}

make_repository() { # make_repository FOLDER
    git init -q "$1"
    cp "$root/NOTICES" "$root/.gitattributes" "$1"
    # shellcheck disable=SC2016 # git fills it in
    mkdir "$1/packaging"
    echo '$Format:%H$' >"$1/packaging/COMMIT"
    git -C "$1" add .
    git -C "$1" -c user.name=tester -c user.email= commit -qm first
}

@test "--version names commit, compiler, CUDA, licence and libraries; nbgen's models say the same" {
    version=$(sed -n 's/^#define TOOL_VERSION "\(.*\)".*/\1/p' "$root/tools/common/tool_syntax.h")
    for tool in $tools; do
        run -0 --separate-stderr $tool --version
        [ "${lines[0]}" = "$tool (nbtools) $version" ]
        [ "${lines[1]}" = "commit    $(fact COMMIT)" ]
        [[ "${lines[2]}" =~ ^"compiler  "(gcc|clang)" "[0-9]+\.[0-9]+\.[0-9]+$ ]]
        [[ "${lines[3]}" == "CUDA      none" || "${lines[3]}" == "CUDA      $(fact CUDA)" && "$tool" != nb[gc]* ]]
        at=4
        if [ $tool = nbsim ]; then
            [[ "${lines[4]}" =~ ^"MPI       "(yes|none)$ ]]
            at=5
        fi
        [[ "${lines[at]}" =~ ^"licence   "(MIT|GPL) ]]
        grep -qx 'with      xxHash (BSD-2-Clause)' <<<"$output"
    done
    [ "$(nbgen plummer --version)" = "$(nbgen --version)" ]
}

@test "the packages have the version of the programs" {
    version=$(sed -n 's/^#define TOOL_VERSION "\(.*\)".*/\1/p' "$root/tools/common/tool_syntax.h")
    head -n 1 "$root/debian/changelog" | grep -qF "nbtools ($version) "
    grep -qFx "__version__ = \"$version\"" "$root/python/nbstream/version.py"
    grep -qx "  version: $version" "$root/packaging/conda/recipe.yaml"
    grep -qx "pkgver=$version" "$root/packaging/arch/PKGBUILD"
    grep -qF "nbtools-$version.tar.gz" "$root/packaging/homebrew/nbtools.rb"
    grep -qx "version: $version" "$root/CITATION.cff"
}

@test "only an nbgen that makes galaxies is under the GPL; only an nbrender that writes text has FreeType" {
    if nbgen king -n 10 -o king.nbs; then
        nbgen --version | grep -q '^licence   GPL-3.0-or-later as a whole'
        nbgen --version | grep -q '^with      GSL '
    else
        nbgen --version | grep -qx 'licence   MIT'
        run ! grep GSL <(nbgen --version)
    fi
    nbsim --version | grep -qx 'licence   MIT'
    run ! grep GSL <(nbsim --version)
    nbgen plummer -n 10 -o p.nbs
    if nbrender --title text -o p.png p.nbs; then
        nbrender --version | grep -q '^with      FreeType '
    else
        run ! grep FreeType <(nbrender --version)
    fi
    run ! grep FreeType <(nbstat --version)
}

@test "with CUDA, its runtime is in the tools that use a GPU alone: GSL's terms and NVIDIA's do not go together" {
    [ -n "$(fact CUDA)" ] || skip "built without CUDA"
    for tool in nbsim nbrender nbstat; do
        $tool --version | grep -qx "CUDA      $(fact CUDA)"
        nm "$NB_BUILD/bin/$tool" | grep -q ' [Tt] cudaMalloc$'
    done
    for tool in nbgen nbconv nbedit; do
        run ! grep -iE 'cuda(Malloc|Launch)' <(nm "$NB_BUILD/bin/$tool")
        run ! grep NVIDIA <($tool --version)
    done
}

@test "--notices prints NOTICES" {
    for tool in $tools; do
        $tool --notices | cmp - "$root/NOTICES"
    done
}

@test "the commit is git's, that of a tarball, or unknown; never that of a repository around it" {
    command -v git >/dev/null || skip "no git"
    make_repository repository
    hash=$(git -C repository rev-parse HEAD)
    [ "$(commit_in repository)" = "${hash:0:12}" ]
    git -C repository archive --prefix=unpacked/ HEAD | tar -x
    [ "$(commit_in unpacked)" = "${hash:0:12}" ]
    echo more >>repository/NOTICES
    [ "$(commit_in repository)" = "${hash:0:12}, changed" ]
    mkdir repository/inside
    cp -r repository/packaging repository/NOTICES repository/inside
    [ "$(commit_in repository/inside)" = unknown ]
}

@test "another commit compiles one object again" {
    [ -n "$(find "$NB_BUILD/facts/facts.h")" ]
    cuda=$([ -e "$NB_BUILD/lib/device/cuda/device_cuda.cu.o" ] && echo 1 || echo 0)
    env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL make -n -C "$root" BUILD="$NB_BUILD" CUDA="$cuda" -o facts -o look-at-flags -o look-for-TEXT -o look-for-JPEG -o look-for-WEBP \
        -o look-for-GSL -o look-for-HDF5 -W "$NB_BUILD/facts/facts.h" all >plan
    [ "$(grep -c -e ' -c -o ' plan)" = 1 ]
    grep -q -e "-c -o $NB_BUILD/tools/common/tool_version.o" plan
}
