#!/bin/sh
# Runs one test file for prove: a program as it is, a .bats file by bats.
# Several run at once, each with a thread a core: threads that wait are to sleep, not to keep the others from a core.
export OMP_WAIT_POLICY=passive
case $1 in
*.bats) exec bats --tap "$1" ;;
*) exec "$1" ;;
esac
