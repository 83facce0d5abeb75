#!/bin/sh
# Runs one test file for prove: a program as it is, a .bats file by bats.
case $1 in
*.bats) exec bats --tap "$1" ;;
*) exec "$1" ;;
esac
