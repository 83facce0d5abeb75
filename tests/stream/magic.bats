#!/usr/bin/env bats
# The type that file(1) and file managers report for a stream.
bats_require_minimum_version 1.5.0
load ../common/common

what() { # what FILE...
    file -b -m "$root/packaging/nbtools.magic" "$@"
}

@test "file tells version, bodies and time of a stream; its type and ending" {
    command -v file >/dev/null || skip "no file(1)"
    nbgen plummer -n 12 | nbsim -q --until 0.25 --every 0.25 -o run.nbs
    [ "$(what run.nbs)" = "N-body snapshot stream (nbs), version 1, n = 12, time = 0" ]
    nbsim -q --dt -0.01 --until -0.5 --every 0.25 run.nbs -o back.nbs
    [ "$(what back.nbs)" = "N-body snapshot stream (nbs), version 1, n = 12, time = 0.25" ]
    [ "$(what - <run.nbs)" = "$(what run.nbs)" ]
    [ "$(what --mime-type run.nbs)" = application/x-nbs ]
    [ "$(what --extension run.nbs)" = nbs ]
}

@test "file knows every frozen stream and those of others, with keys in any order; text stays text" {
    command -v file >/dev/null || skip "no file(1)"
    for stream in "$root"/tests/data/version1-*.nbs; do
        [[ "$(what "$stream")" == "N-body snapshot stream (nbs), version 1, n = "*", time = "* ]]
    done
    printf 'nbs 12 frame\ntime -1.5e-3\nG 1\nn 7\n' >other.nbs
    [ "$(what other.nbs)" = "N-body snapshot stream (nbs), version 12, n = 7, time = -1.5e-3" ]
    for text in 'nbs is a format\n' 'nbs 1\nframe\n' 'nbs frame\n' 'nbs\n'; do
        # shellcheck disable=SC2059
        printf "$text" >text
        [[ "$(what text)" == "ASCII text"* ]]
    done
}

@test "the MIME type is that of the stream, by its bytes and by its name" {
    command -v update-mime-database >/dev/null && command -v gio >/dev/null || skip "no update-mime-database or no gio"
    mkdir -p data/mime/packages
    cp "$root/packaging/nbtools.xml" data/mime/packages
    update-mime-database data/mime
    nbgen plummer -n 5 -o stream.nbs
    cp stream.nbs without-an-ending
    : >empty.nbs
    echo 'nbs is a format' >text
    type_of() {
        XDG_DATA_HOME=$PWD/data gio info -a standard::content-type "$1" | sed -n 's/ *standard::content-type: //p'
    }
    for name in stream.nbs without-an-ending; do
        [ "$(type_of $name)" = application/x-nbs ]
    done
    [ "$(type_of text)" = text/plain ]
}
