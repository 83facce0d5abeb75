#!/bin/sh
# Copies the terms of the archives that are linked into programs: packaging/wheel/notices.sh BUILD, into BUILD/notices, a
# file for each of Debian's packages. For programs made with static-pkg-config.
set -eu
rm -rf "$1/notices"
mkdir "$1/notices"
for archive in $(cat "$1"/*.flags | tr ' ' '\n' | grep '\.a$' | sort -u); do
    package=$(dpkg -S "$(readlink -f "$archive")" | sed 's/:.*//')
    cp -L "/usr/share/doc/$package/copyright" "$1/notices/${package%-dev}.txt"
done
