#!/bin/sh
# Builds the committed source in a minimal root of a Debian release, as root. The programs run on every machine whose C
# library is not older than the release's: packaging/in-root.sh SUITE PACKAGES TARBALL OUT COMMANDS
# The commands run in the unpacked tarball and put their results into its folder out, which becomes OUT. PACKAGES are
# separated by commas; packages for another architecture have a suffix (libgsl-dev:arm64). The root is kept next to OUT
# for the next build. In the environment: JOBS; CUDA=1: with CUDA from /usr/local/cuda, which is read only; NVCC_ARCH.
# shellcheck disable=SC2016 # other shells'
set -eu
export CUDA="${CUDA:-0}" JOBS="${JOBS:-$(nproc)}"
suite=$1 packages=$2 tarball=$3 out=$4 commands=$5
architectures=$(dpkg --print-architecture) # the first one is the root's
for other in $(echo "$packages" | grep -o ':[a-z0-9]*' | tr -d : | sort -u); do
    architectures=$architectures,$other
done
root=$(dirname "$out")/root-$suite-$architectures
if [ "$packages" != "$(cat "$root/packages" 2>/dev/null)" ]; then
    mkdir -p "$(dirname "$root")"
    # The security updates of an old release may be gone. Those of other architectures than x86-64 go first.
    for hook in true 'sed -i /security/d "$1/etc/apt/sources.list"'; do
        rm -rf "$root"
        ! mmdebstrap --mode=root --variant=minbase --architectures="$architectures" --include="$packages" --setup-hook="$hook" \
            "$suite" "$root" || break
        [ "$hook" = true ] || exit 1
        echo "note: $suite for $architectures once more, without its security updates" >&2
    done
    echo "$packages" >"$root/packages"
fi
rm -rf "$root/source" "$out"
mkdir -p "$root/source/out" "$root/usr/local/cuda"
tar -C "$root/source" --strip-components=1 -xzf "$tarball"
unshare --mount sh -ec '
    [ "$CUDA" != 1 ] || mount --bind -o ro /usr/local/cuda "$1/usr/local/cuda"
    mount -t proc proc "$1/proc"
    exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C JOBS="$JOBS" CUDA="$CUDA" ${NVCC_ARCH:+NVCC_ARCH="$NVCC_ARCH"} \
        chroot "$1" sh -ec "cd /source; $2"
' sh "$root" "$commands"
mv "$root/source/out" "$out"
