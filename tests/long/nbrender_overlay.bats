#!/usr/bin/env bats
# Tests of text in pictures that take a minute.
bats_require_minimum_version 1.5.0
load ../common/common

@test "a configuration of fontconfig without an end is read no longer than a minute, in bounded memory" {
    nbgen plummer -q -n 10 -o one.nbs
    nbrender -q --size 64x36 --overlay time -o yes.png one.nbs || skip "nbrender writes no text here"
    echo '<fontconfig><include>/dev/full</include></fontconfig>' >endless.conf
    run -1 --separate-stderr env FONTCONFIG_FILE="$PWD/endless.conf" timeout 500 nbrender -q --size 64x36 --overlay time -o no.png one.nbs
    [ "$stderr" = "nbrender: text needs a font, but fontconfig found none within 60 s and 256 MiB (check FONTCONFIG_FILE)" ] ||
        [[ "$stderr" == "nbrender: text needs a font, but fontconfig finds none: "* ]]
    [ ! -e no.png ]
}
