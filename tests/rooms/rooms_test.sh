#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rooms_test.sh CMAKE SOURCE: adds wrong things to a copy of the project, and expects cmake/CheckRooms.cmake to refuse each
# of them, naming the file, its include and the reason, and to refuse nothing else.
set -euo pipefail
cmake=$1 source=$2
source "$source/tests/support/checks.sh"
tree=$(mktemp -d -t fathom-rooms-XXXXXX)
trap 'rm -rf "$tree"' EXIT

fresh_tree() {
  rm -rf "${tree:?}"/*
  (cd "$source" && find include src cli adapters examples bench -type f -size -200k -not -path '*/node_modules/*' -print0 | xargs -0 cp --parents -t "$tree")
  mkdir "$tree/docs"
  cp "$source/docs/architecture.md" "$tree/docs"
}

rooms=$source/cmake/Rooms.cmake
expected=()  # the messages that the next check has to give

# Runs the check on the copy. Its output is in one line, because CMake breaks lines as it likes; the last word is the exit code.
check_copy() {
  local code=0
  "$cmake" -D "ROOT=$tree" -D "ROOMS=$rooms" -P "$source/cmake/CheckRooms.cmake" > "$tree/output" 2>&1 || code=$?
  tr -s ' \n' ' ' < "$tree/output"
  echo "$code"
}

# An error is a line that starts with its place. CMake may break it later, not before.
count_errors() { grep -cE '^ *(include|src|cli|adapters|examples|bench|docs|cmake)/[^ ]*(:| is no | has no )' "$tree/output" || true; }

expect_good() {  # <title>
  local text
  text=$(check_copy)
  if [[ $text == 0 ]]; then pass; else fail "$1: refused: $text"; fi
}

expect_refusals() {
  local text message
  text=$(check_copy)
  [[ $text == *1 ]] || fail "the check passed in spite of ${#expected[@]} errors"
  for message in "${expected[@]}"; do
    if [[ $text == *"$message"* ]]; then pass; else fail "no '$message' in: $text"; fi
  done
  if [[ $(count_errors) -eq ${#expected[@]} ]]; then pass; else fail "$(count_errors) errors, not ${#expected[@]}: $text"; fi
  expected=()
}

refuse_lines() {  # of stdin, a row each: file | line | what CMake says after "FILE: ". The line is added to the file.
  local file line message
  while IFS='|' read -r file line message; do
    if [[ -z $file || $file == '# '* ]]; then continue; fi
    mkdir -p "$tree/$(dirname "$file")"
    printf '%s\n' "$line" >> "$tree/$file"
    expected+=("$file: $message")
  done
}

fresh_tree
expect_good 'the project itself'

refuse_lines << 'ROWS'
# Against an arrow, and between rooms without an arrow, through both doors.
src/core/wrong.cpp|#include "sensor/kinds.hpp"|sensor/kinds.hpp: room core may not include sensor
src/core/wrong.cpp|#include <fathom/noise/noise.hpp>|fathom/noise/noise.hpp: room core may not include noise
src/io/wrong.hpp|#include "trace/tile.hpp"|trace/tile.hpp: room io may not include trace
src/io/wrong.hpp|#include <fathom/sensor/pattern.hpp>|fathom/sensor/pattern.hpp: room io may not include sensor
src/scene/wrong.cpp|  #  include "trace/tile.hpp"|trace/tile.hpp: room scene may not include trace
src/trace/tree/wrong.cpp|#include "render/plan.hpp"|render/plan.hpp: room trace may not include render
src/scene/wrong.cpp|#include <fathom/simulate/simulator.hpp>|fathom/simulate/simulator.hpp: room scene may not include simulate
src/io/wrong.cpp|#include <fathom/fathom.hpp>|fathom/fathom.hpp: room io may not include
adapters/ros/src/wrong.cpp|#include "live/knobs.hpp"|live/knobs.hpp: room ros may not include live
src/core/wrong.cpp|#include "core/../sensor/kinds.hpp"|core/../sensor/kinds.hpp: a path may not lead back by ..
adapters/rgl/parts/wrong.cpp|#include <fathom/core/../simulate/run.hpp>|fathom/core/../simulate/run.hpp: a path may not lead back by ..
src/io/wrong.hpp|#include <trace/tile.hpp>|trace/tile.hpp: room io may not include trace
src/core/wrong.cpp|#include "fathom/noise/noise.hpp"|fathom/noise/noise.hpp: room core may not include noise
src/core/wrong.cpp|#include <../src/sensor/kernels.hpp>|../src/sensor/kernels.hpp: a path may not lead back by ..
src/core/wrong.cpp|#include WRONG_HEADER|'#include WRONG_HEADER' names no file
src/core/wrong.h|#include "sensor/kernels.hpp"|sensor/kernels.hpp: room core may not include sensor
src/core/wrong.inc|#include "sensor/kernels.hpp"|sensor/kernels.hpp: room core may not include sensor
src/core/wrong.cc|#include "sensor/kernels.hpp"|sensor/kernels.hpp: room core may not include sensor
src/core/wrong|#include "sensor/kernels.hpp"|sensor/kernels.hpp: room core may not include sensor
# Public headers.
include/fathom/scene/wrong.hpp|#include <fathom/sensor/kinds.hpp>|fathom/sensor/kinds.hpp: room scene may not include sensor
include/fathom/scene/wrong.hpp|#include "scene/mesh.hpp"|scene/mesh.hpp: public headers include <fathom/...>, not "..."
include/fathom/scene/wrong.hpp|#include <fmt/format.h>|fmt/format.h: public headers include the standard library and <fathom/...> only
include/fathom/scene/wrong.inc|#include <fmt/format.h>|fmt/format.h: public headers include the standard library and <fathom/...> only
include/fathom/scene/wrong.hpp|#include <scene/mesh.hpp>|scene/mesh.hpp: public headers include the standard library and <fathom/...> only
include/fathom/scene/wrong.hpp|#include <mujoco/mujoco.h>|mujoco/mujoco.h: public headers include the standard library and <fathom/...> only
# Libraries outside their rooms.
src/render/wrong.cpp|#include <embree3/rtcore.h>|embree3/rtcore.h: only
src/trace/wrong.cpp|#include <tbb/parallel_for.h>|tbb/parallel_for.h: only src/core may include tbb
cli/wrong.cpp|#include <png.h>|png.h: only
src/io/mesh/wrong.cpp|#include <assimp/scene.h>|assimp/scene.h: only may include assimp
src/io/log/wrong.cpp|#include <zlib.h>|zlib.h: only
src/core/wrong.cpp|#include <nlohmann/json.hpp>|nlohmann/json.hpp: only
src/io/log/wrong.cpp|#include <freetype/freetype.h>|freetype/freetype.h: only src/io/picture may include freetype
cli/wrong.cpp|#include "embree3/rtcore.h"|embree3/rtcore.h: only
src/io/mesh/wrong.cpp|#include "yaml-cpp/yaml.h"|yaml-cpp/yaml.h: only
bench/wrong.h|#include <png.h>|png.h: only
examples/wrong.cpp|#include <tbb/parallel_for.h>|tbb/parallel_for.h: only src/core may include tbb
# The drivers and servers of adapters.
src/run/wrong.cpp|#include <dds/dds.h>|dds/dds.h: only adapters/ros/src/dds may include dds
src/run/wrong.cpp|#include <netinet/in.h>|netinet/in.h: only adapters/
cli/wrong.cpp|#include <mujoco/mujoco.h>|mujoco/mujoco.h: only
# Faces.
cli/wrong.h|#include <render/plan.hpp>|render/plan.hpp: a face may only include <fathom/...>
cli/wrong.cpp|#include "../src/render/plan.hpp"|../src/render/plan.hpp: a path may not lead back by ..
cli/wrong.cpp|#include "render/plan.hpp"|render/plan.hpp: a face may only include <fathom/...>
adapters/rgl/wrong.h|#include <render/plan.hpp>|render/plan.hpp: a face may only include <fathom/...>
adapters/rgl/wrong.cpp|#include "../src/render/plan.hpp"|../src/render/plan.hpp: a path may not lead back by ..
adapters/rgl/wrong.cpp|#include "render/plan.hpp"|render/plan.hpp: a face may only include <fathom/...>
examples/wrong.h|#include <render/plan.hpp>|render/plan.hpp: a face may only include <fathom/...>
examples/wrong.cpp|#include "../src/render/plan.hpp"|../src/render/plan.hpp: a path may not lead back by ..
examples/wrong.cpp|#include "render/plan.hpp"|render/plan.hpp: a face may only include <fathom/...>
cli/wrong.cpp|#include "parts/tracer.hpp"|parts/tracer.hpp: a face may only include <fathom/...>
ROWS

# Folders and the picture.
mkdir "$tree/src/attic"
touch "$tree/src/attic/wrong.cpp"
expected+=('src/attic is no room of cmake/Rooms.cmake')

edit() {  # <title> <file> <sed program> <message>
  cp "$2" "$tree/before"
  sed -Ei "$3" "$2"
  if cmp -s "$tree/before" "$2"; then fail "$1: $2 has no such line"; fi
  expected+=("$4")
}
picture=$tree/docs/architecture.md
edit 'an arrow that is not drawn' "$picture" '/^ parts /s/ noise / /' \
  'docs/architecture.md: room parts has other arrows than in cmake/Rooms.cmake'
edit 'an arrow that is only drawn' "$picture" '/^ scene /s/$/ trace/' \
  'docs/architecture.md: room scene has other arrows than in cmake/Rooms.cmake'
edit 'a room that is not drawn' "$picture" '/^ trace /d' 'docs/architecture.md: its picture lacks room trace'
expect_refusals

# The list of arrows itself, with a picture that agrees.
fresh_tree
rooms=$tree/Rooms.cmake
cp "$source/cmake/Rooms.cmake" "$rooms"
rearrow() {  # <title> <room> <one more> <message>
  edit "$1" "$rooms" "s/^set\(FATHOM_ARROWS_$2 .*[^\")]/& $3/" "$4"
  sed -i "/^ $2 /s/\$/ $3/" "$picture"
}
rearrow 'an arrow that leads upwards' sensor trace \
  'cmake/Rooms.cmake: sensor -> trace: trace does not stand before sensor in FATHOM_ROOMS'
rearrow 'an arrow from a room to itself' frame frame \
  'cmake/Rooms.cmake: frame -> frame: frame does not stand before frame in FATHOM_ROOMS'
rearrow 'an arrow that nothing needs' io sensor 'cmake/Rooms.cmake: io -> sensor: nothing in io includes sensor'
edit 'a room without files' "$rooms" 's/^set\(FATHOM_ROOMS core/& attic/' 'src/attic has no files'
sed -i 's/^ core /\n attic empty -> (nothing)\n core /' "$picture"
expect_refusals
rooms=$source/cmake/Rooms.cmake

fresh_tree
expect_good 'the project again'
finish rooms
