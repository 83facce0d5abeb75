#!/usr/bin/env bats
# The Python package against the tools: python/tests, a file each here, where there are numpy, pytest and xxhash.
bats_require_minimum_version 1.5.0
load ../common/common

# The first Python that has all of them, or the reason why there is none.
setup_file() {
    local p
    for p in python3 /usr/bin/python3; do
        "$p" -c 'import numpy, pytest, xxhash' 2>/dev/null && export PYTHON=$p && return
    done
    export PYTHON=
}

tested() { # tested FILE...: of python/tests
    [ "$PYTHON" ] || skip "no python3 with numpy, pytest and xxhash (packages python3-numpy python3-pytest python3-xxhash)"
    local files=("${@/#/$root/python/tests/}")
    NB_BUILD=$NB_BUILD PYTHONDONTWRITEBYTECODE=1 run "$PYTHON" -m pytest -q -p no:cacheprovider -rs \
        --basetemp "$BATS_TEST_TMPDIR/pytest" "${files[@]}"
    grep -E '^SKIPPED' <<<"$output" | sed 's/^/# /' >&3 || true
    [ "$status" = 0 ] || { echo "$output"; return 1; }
}

@test "Python: streams are read, from files and pipes" { tested test_read.py; }
@test "Python: damage is noticed, and salvage takes the whole frames" { tested test_damage.py; }
@test "Python: hostile streams are judged as the tools judge them" { tested test_hostile.py; }
@test "Python: what is written the tools accept" { tested test_write.py; }
@test "Python: pipelines run, fail and end" { tested test_pipeline.py; }
@test "Python: units, selections, analysis, conversions" { tested test_frame.py test_convert.py; }
@test "Python: the notebook's slopes are those of theory" { tested test_examples.py; }
@test "Python: the manual's examples, and that every test stands here" {
    cd "$root/python/tests"
    for file in test_*.py; do grep -q "$file" "$root/tests/project/python.bats" || { echo "$file is not run"; return 1; }; done
    tested test_readme.py
}
