#!/bin/sh
# Builds the committed source in a minimal root of a Debian, as root: what is linked there starts on every machine whose C
# library is not older. packaging/in-root.sh SUITE PACKAGES TARBALL OUT COMMANDS
# The commands run in the unpacked tarball and put their results into its folder out, which becomes OUT. PACKAGES are
# separated by commas; those of another machine have its name (libgsl-dev:arm64). The root stays beside OUT for the next time.
# In the environment: JOBS; CUDA=1: with CUDA, of /usr/local/cuda, which is only looked at; NVCC_ARCH.
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
    # An old release may have lost its security updates, first those for other machines than x86-64.
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
