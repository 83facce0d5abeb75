#!/bin/sh
# Exchanges parts of streams, ten thousand times, and counts what is not noticed: tests/faults/exchanges.sh [COUNT]
# Fails unless that is nothing. NB_BUILD is the build directory.
exec "${NB_BUILD:-build}/tests/stream/test_snap_exchange" "${1:-10000}"
