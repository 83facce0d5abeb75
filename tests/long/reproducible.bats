#!/usr/bin/env bats
# Reproducible builds: two builds of the same sources, in folders with different names and lengths and with different
# user settings, install identical files.
bats_require_minimum_version 1.5.0
load ../common/common

# The tree of this checkout, or of a tarball that was unpacked, without what was built.
copy_tree() { # copy_tree TO
    mkdir -p "$1"
    (cd "$root" && tar -c --exclude=./build --exclude=./out --exclude=./.git --exclude=./examples --exclude=./shared .) | tar -x -C "$1"
}

build_and_install() { # build_and_install TREE [VARIABLE=...]
    local tree=$1
    shift
    env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL "$@" make -s --no-print-directory -C "$tree" CFLAGS='-O1 -g' \
        PREFIX=/usr DESTDIR="$PWD/$(basename "$tree").root" ${build:+BUILD="$build"} CUDA="${cuda:-0}" ${arch:+NVCC_ARCH="$arch"} install
}

files() {
    (cd "$1" && find . -type f | LC_ALL=C sort)
}

same_files() { # same_files A B
    [ "$(files "$1" | wc -l)" -gt 20 ]
    diff <(files "$1") <(files "$2")
    files "$1" | while read -r file; do
        cmp "$1/$file" "$2/$file" || exit 1
    done
}

@test "two builds install equal bytes, whatever folder, time zone, language, umask and number of jobs" {
    copy_tree here
    copy_tree "over there/in a longer folder"
    (umask 022 && build_and_install here TZ=UTC LC_ALL=C)
    (umask 077 && build="$PWD/elsewhere" build_and_install "over there/in a longer folder" TZ=Asia/Tokyo LC_ALL=C.UTF-8 HOME=/nowhere USER=other)
    same_files here.root "in a longer folder.root"
    run ! grep -rlF "$PWD" here.root
}
