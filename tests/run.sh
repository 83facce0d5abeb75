#!/bin/sh
# Runs one test file for prove: a program as it is, a .bats file by bats. What it says besides its results, the numbers
# that it found for one, is passed on where a test failed.
# Several run at once, each with a thread a core: threads that wait are to sleep, not to keep the others from a core.
export OMP_WAIT_POLICY=passive
# What PoCL compiles is kept with what was built, not in the home of who runs the tests.
export POCL_CACHE_DIR="${NB_BUILD:-build}/pocl"
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT
# Signals act as usual also where the caller ignores some, as under nohup or behind an &: tests send them. A file that
# takes longer than NB_TEST_LIMIT seconds waits for something that does not come: it is ended with all that it started.
# Of a bats file those tests that have no tag `long', or with NB_TESTS=long only those that have it.
case ${NB_TESTS:-short}:$1 in
short:*.bats) set -- bats --tap --filter-tags '!long' "$1" ;;
long:*.bats) set -- bats --tap --filter-tags long "$1" ;;
*.bats) set -- bats --tap "$1" ;;
esac
limit=${NB_TEST_LIMIT:-3600}
timeout -k 9 "$limit" env --default-signal=HUP,INT,TERM,QUIT,PIPE "$@" >"$said" &
trap 'kill $!' HUP INT TERM
wait $!
status=$?
[ $status != 124 ] && [ $status != 137 ] || echo "# ended after $limit s" >>"$said"
# cmocka calls a skipped test "not ok"; why it was skipped is on the line before.
awk '/^not ok [0-9]+ # SKIP/ { sub(/^# */, "", why); print "ok", $3, "-", $6, "# SKIP", why; next } { why = $0; print }' \
    "$said" >"$said.tap" && mv "$said.tap" "$said"
if [ $status = 0 ]; then grep -v '^#' "$said"; else cat "$said"; fi
exit $status
