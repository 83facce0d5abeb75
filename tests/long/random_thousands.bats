#!/usr/bin/env bats
# Twenty random systems of more than a thousand bodies with default options (random_thousands.py).
bats_require_minimum_version 1.5.0
load ../common/common

@test "twenty random systems of a thousand bodies with default options: none wrong by a hundredth in silence" {
    cd "$BATS_TEST_TMPDIR" || exit 1
    # shellcheck disable=SC2046 # numbers
    python "$root/tests/long/random_thousands.py" "$NB_BUILD/bin" $(seq 4001 4020) >lines || status=$?
    sed 's/^/# /' lines >&3
    [ "$(wc -l <lines)" -eq 20 ]
    [ "${status:-0}" -eq 0 ]
}
