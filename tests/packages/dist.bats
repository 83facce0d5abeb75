#!/usr/bin/env bats
# The tarball: contains the committed files, and is identical each time.
bats_require_minimum_version 1.5.0
load packages

@test "the tarball holds what is committed, under the commit's name; made twice it has the same bytes" {
    tarball=$PACKAGES/nbtools-$version.tar.gz
    [ -s "$tarball" ]
    cp "$tarball" first
    env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES make -s -C "$here" dist
    cmp first "$tarball"
    tar -xzf "$tarball"
    [ "$(ls)" = "$(printf '%s\n' first "nbtools-$version")" ]
    (cd "nbtools-$version" && find . ! -type d | sed 's,^\./,,' | LC_ALL=C sort) >held
    (cd "$here" && git ls-tree -r --name-only HEAD | LC_ALL=C sort) >committed
    cmp held committed
    [ "$(cat "nbtools-$version/packaging/COMMIT")" = "$(git -C "$here" rev-parse HEAD)" ]
    git -C "$here" show HEAD:Makefile | cmp - "nbtools-$version/Makefile"
}
