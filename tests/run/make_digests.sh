#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the digests that tests/run/digests.txt holds: make_digests.sh FATHOM [options of fathom simulate]
set -e
fathom=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo "# tests/run/make_digests.sh build/release/bin/fathom > tests/run/digests.txt"
# Not the robot: its poses are made by the C library's sine, and a build may lack its reader.
for scene in examples/*/*.yaml tests/run/everything.yaml tests/run/correlated.yaml; do
  if grep -q "^  from:" "$scene"; then continue; fi
  echo "$scene"
  "$fathom" simulate "$scene" --out "$out" --force --frames 2 --quiet --digest "$@"
done
