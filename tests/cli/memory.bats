#!/usr/bin/env bats
# More bodies than fit into memory or onto the disk: each tool prints one error line at once, before it uses memory,
# disk or time.
bats_require_minimum_version 1.5.0
load ../common/common

# refuses PATTERN COMMAND...: the shell command ends at once with 1 and one line
refuses() {
    local pattern=$1
    shift
    run -1 --separate-stderr timeout 20 bash -c "$*"
    [ -z "$output" ]
    [[ "${#stderr_lines[@]}" = 1 && "$stderr" == $pattern ]] || { echo "'$stderr' is not '$pattern'" >&2; return 1; }
}

@test "readers refuse a frame that this machine cannot hold by its header" {
    local needs="stdin: frame 0: 1000000000000 bodies need 65000 GB of memory; * GB are free"
    refuses "nbsim: $needs" "nbgen plummer -n 1000G -q | nbsim -q --steps 1"
    refuses "nbstat: $needs" "nbgen plummer -n 1000G -q | nbstat -q"
    refuses "nbrender: $needs" "nbgen disk -n 1000G -q | nbrender -q -o a.png"
    refuses "nbconv: ${needs/65000/66000}" "nbgen collision -n 1000G -q | nbconv --to text"
    [ ! -e a.png ]
}

@test "nbgen refuses a file that its disk cannot hold, and checksums that its memory cannot" {
    refuses "nbgen: a.nbs: 1000000000000000 bodies need 65000000 GB on the disk, but only * GB are free (--no-space-check writes anyway)" \
        nbgen uniform -n 1000000G -o a.nbs
    refuses "nbgen: stdout: frame 0: 1000000000000000 bodies need * GB of memory; * GB are free" \
        "nbgen uniform -n 1000000G >/dev/null"
    [ -z "$(ls | grep nbs)" ]
}
