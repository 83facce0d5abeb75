#!/usr/bin/env bats
# The Python package compared with the tools: one test for each file of python/tests, if numpy, pytest and xxhash are
# installed.
bats_require_minimum_version 1.5.0
load ../common/common

# All files with one start of pytest, which says of each test how it ended: the tests here look for theirs in it.
setup_file() {
    export WITHOUT=
    local p
    p=$(find_python numpy,pytest,xxhash 2>/dev/null) || { WITHOUT=yes && return; }
    NB_BUILD=$NB_BUILD PYTHONDONTWRITEBYTECODE=1 "$p" -m pytest -q -p no:cacheprovider -rpfEs --basetemp "$BATS_FILE_TMPDIR/pytest" \
        "$root/python/tests" >"$BATS_FILE_TMPDIR/said" 2>&1 || true
}

tested() { # tested FILE...: of python/tests
    [ -z "$WITHOUT" ] || skip "no python3 with numpy, pytest and xxhash (packages python3-numpy python3-pytest python3-xxhash)"
    local file said=$BATS_FILE_TMPDIR/said
    for file; do
        grep -E "^SKIPPED .*\b$file\b" "$said" | sed 's/^/# /' >&3 || true
        grep -qE "^(PASSED|SKIPPED) .*\b$file\b" "$said" && ! grep -E "^(FAILED|ERROR) .*\b$file\b" "$said" || { cat "$said"; return 1; }
    done
}

@test "Python: streams are read, from files and pipes" { tested test_read.py; }
@test "Python: damage is noticed, and salvage takes the whole frames" { tested test_damage.py; }
@test "Python: hostile streams are judged as the tools judge them" { tested test_hostile.py; }
@test "Python: what is written the tools accept" { tested test_write.py; }
@test "Python: pipelines run, fail and end" { tested test_pipeline.py; }
@test "Python: units, selections, analysis, conversions" { tested test_frame.py test_convert.py; }
@test "Python: systems in the process have nbsim's bytes" { tested test_engine.py; }
@test "Python: the notebook's slopes are those of theory" { tested test_examples.py; }
@test "Python: the manual's examples, and that every test stands here" {
    cd "$root/python/tests"
    for file in test_*.py; do grep -q "$file" "$root/tests/project/python.bats" || { echo "$file is not run"; return 1; }; done
    tested test_readme.py
}
