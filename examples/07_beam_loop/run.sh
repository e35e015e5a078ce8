#!/bin/sh
# SPDX-License-Identifier: MIT
# The closed loop of the beam model: simulate a laser whose errors are known, learn them back, look for one of its scans.
#
#   examples/07_beam_loop/run.sh [OUT [more options for the heatmap]]
#
# What is in OUT from an earlier run is replaced. SEED: of the simulated noise, instead of the scene's. FATHOM: the
# program, if it is not in your PATH.
set -e
here=$(dirname "$0")
map=$here/../house/maps/map.yaml
fathom=${FATHOM:-fathom}
out=${1:-out/beam}
test $# -gt 0 && shift

"$fathom" simulate "$here/beam.yaml" --out "$out/run" --force ${SEED:+--seed "$SEED"}
"$fathom" fit beam --map "$map" --log "$out/run" --scans all --miss book \
  --out "$out/fit" --force
"$fathom" beam heatmap --map "$map" --log "$out/run" --scan 150 --parameters "$out/fit/parameters.yaml" \
  --out "$out/heatmap.png" --force "$@"
