#!/bin/sh
# Builds the committed source in a root of an older Debian, as root: packaging/wheel/in-root.sh SUITE TARBALL BUILD. What is
# linked there starts on every machine whose C library is not older. BUILD gets the programs, pages and notices.
# The root stays beside BUILD. CUDA=1 in the environment: with CUDA, of /usr/local/cuda, which is only looked at.
set -eu
suite=$1 tarball=$2 build=$3
root=$(dirname "$build")/root-$suite
packages=gcc,g++,make,pkg-config,libc6-dev,zlib1g-dev,libxxhash-dev,librandom123-dev,libgsl-dev,libfreetype-dev
[ -e "$root/made" ] || {
    rm -rf "$root"
    mkdir -p "$(dirname "$root")"
    mmdebstrap --mode=root --variant=minbase --include="$packages,libfontconfig-dev,libhdf5-dev,libjpeg-dev,libwebp-dev" "$suite" "$root"
    touch "$root/made"
}
rm -rf "$root/source" "$build"
mkdir -p "$root/source" "$root/usr/local/cuda" "$build"
tar -C "$root/source" --strip-components=1 -xzf "$tarball"
# shellcheck disable=SC2016 # the inner shell's
unshare --mount sh -ec '
    [ "$3" != 1 ] || mount --bind -o ro /usr/local/cuda "$1/usr/local/cuda"
    mount -t proc proc "$1/proc"
    exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C chroot "$1" sh -ec "
        cd /source
        make -j$2 CUDA=$3 BUILD=build PKG_CONFIG=/source/packaging/wheel/static-pkg-config all docs
        packaging/wheel/notices.sh build"
' sh "$root" "${JOBS:-$(nproc)}" "${CUDA:-0}"
cp -r "$root/source/build/bin" "$root/source/build/man" "$root/source/build/notices" "$build"
