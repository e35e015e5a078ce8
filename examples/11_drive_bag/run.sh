#!/bin/sh
# SPDX-License-Identifier: MIT
# A drive as a bag of ROS 2, and the errors of its laser learned from the bag.
#
#   examples/11_drive_bag/run.sh [OUT]
#
# What is in OUT from an earlier run is replaced. FATHOM: the program, if it is not in your PATH.
set -e
here=$(dirname "$0")
fathom=${FATHOM:-fathom}
out=${1:-out/drive}

"$fathom" simulate "$here/drive.yaml" --out "$out/run" --bag "$out/drive.mcap" --force
"$fathom" bag info "$out/drive.mcap"
"$fathom" fit beam --map "$here/../house/maps/map.yaml" --bag "$out/drive.mcap" --topic /laser/scan --frame world \
  --scans all --miss book --out "$out/fit" --force
