#!/usr/bin/env bats
# The Debian package: its contents, and an installation in a clean root, which makes the film of the README.
bats_require_minimum_version 1.5.0
load packages

deb() {
    echo "$PACKAGES"/deb/nbtools_"$version"_*.deb
}

@test "the package has programs, pages, the site, completion, MIME type, examples and terms; lintian finds nothing" {
    dpkg-deb -x "$(deb)" tree
    for tool in nbgen nbsim nbrender nbstat nbconv nbedit nbbench; do
        [ -x "tree/usr/bin/$tool" ]
        [ -s "tree/usr/share/man/man1/$tool.1.gz" ]
        [ -s "tree/usr/share/bash-completion/completions/$tool" ]
    done
    [ -s tree/usr/share/man/man5/nbs.5.gz ]
    for page in nbtools nbtools-integrators nbtools-forces nbtools-contact; do
        [ -s "tree/usr/share/man/man7/$page.7.gz" ]
    done
    [ -s tree/usr/share/doc/nbtools/html/index.html ]
    [ -z "$(find tree/usr/share/doc/nbtools/html -name '*.gz')" ]
    [ -s tree/usr/share/mime/packages/nbtools.xml ]
    [ -s tree/usr/share/nbtools/nbtools.magic ]
    [ -s tree/usr/share/doc/nbtools/NOTICES.gz ]
    [ -x tree/usr/share/doc/nbtools/examples/merger.sh ]
    dpkg-deb -f "$(deb)" Recommends | grep -q ffmpeg
    # With CUDA: its runtime is in the programs.
    for tool in tree/usr/bin/*; do run ! grep -E '\[lib(cuda|cudart|nv)' <(readelf -d "$tool"); done
    for library in libc6 libgsl libhdf5 libfreetype6 libfontconfig1 libjpeg62-turbo libwebp7 zlib1g; do
        dpkg-deb -f "$(deb)" Depends | grep -q "$library"
    done
    tree/usr/bin/nbsim --version | grep -qx "commit    $(tar -xzOf "$PACKAGES/nbtools-$version.tar.gz" "nbtools-$version/packaging/COMMIT" | cut -c 1-12)"
    command -v lintian >/dev/null || skip "no lintian"
    lintian --allow-root --fail-on error,warning "$(deb)"
}

@test "the library is two packages, of which lintian finds nothing either" {
    for name in libnbtools0 libnbtools-dev; do
        package=$(echo "$PACKAGES/deb/${name}_${version}"_*.deb)
        dpkg-deb -x "$package" tree
        ! command -v lintian >/dev/null || lintian --allow-root --fail-on error,warning "$package"
    done
    [ -s tree/usr/include/nbtools.h ]
    [ -s tree/usr/share/man/man3/nbtools.3.gz ]
    for file in libnbtools.a libnbtools.so libnbtools.so.0 pkgconfig/nbtools.pc; do [ -s tree/usr/lib/*/$file ]; done
    dpkg-deb -f "$PACKAGES/deb/libnbtools0_${version}"_*.deb Depends | grep -q libgomp1
}

# The package that was built in a root of this Debian, in another one.
try_in() { # try_in SUITE
    clean_root "$1"
    cp "$PACKAGES/deb-$1/nbtools_${version}"_*.deb root/root/nbtools.deb
    in_root 'apt-get -q update; apt-get -qy install ./nbtools.deb' >&2
    in_root 'nbgen collision -n 2k | nbsim --until 1 --every 0.05 | nbrender --size 640x360 -o merger.mp4
        ffprobe -v error -count_frames -select_streams v -show_entries stream=width,height,nb_read_frames -of csv=p=0 merger.mp4 >film
        nbgen galaxy -n 500 -o galaxy.nbs; nbconv --to text galaxy.nbs >galaxy.txt
        nbrender --title Galaxy --size 320x180 -o galaxy.png galaxy.nbs
        N=500 UNTIL=0.2 SIZE=320x180 FRAME=2 /usr/share/doc/nbtools/examples/merger.sh merger'
    [ "$(cat root/root/film)" = 640,360,21 ]
    pictures 320 180 root/root/galaxy.png root/root/merger/merger.png
    without_driver /usr/bin
    in_root 'apt-get -qy purge nbtools' >&2
    [ -z "$(find root/usr -name 'nb*' -path '*nb[gsrce]*' -newer root/root/film)" ]
    [ ! -e root/usr/bin/nbsim ]
    [ ! -e root/usr/share/doc/nbtools ]
}

@test "Debian 12: apt installs it in a clean root; the README's film and an example are made there; nothing is left when it is removed" {
    try_in bookworm
}

@test "Debian 13: the same" {
    try_in trixie
}
