#!/bin/sh
# Copies the licences of the archives that are linked into the programs to BUILD/notices, one file for each Debian
# package: packaging/wheel/notices.sh BUILD. For programs built with static-pkg-config.
set -eu
rm -rf "$1/notices"
mkdir "$1/notices"
for archive in $(cat "$1"/*.flags | tr ' ' '\n' | grep '\.a$' | sort -u); do
    package=$(dpkg -S "$(readlink -f "$archive")" | sed 's/:.*//')
    cp -L "/usr/share/doc/$package/copyright" "$1/notices/${package%-dev}.txt"
done
