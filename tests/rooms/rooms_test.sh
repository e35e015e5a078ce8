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

refuses_line() {  # <title> <file> <line> <message>: the line is added to the file (made when it is not there)
  mkdir -p "$tree/$(dirname "$2")"
  printf '%s\n' "$3" >> "$tree/$2"
  expected+=("$4")
}

fresh_tree
expect_good 'the project itself'

# Against an arrow, and between rooms without an arrow, through both doors.
refuses_line 'upwards by "room/..."' src/core/wrong.cpp '#include "sensor/kinds.hpp"' \
  'src/core/wrong.cpp: sensor/kinds.hpp: room core may not include sensor'
refuses_line 'upwards by <fathom/...>' src/core/wrong.cpp '#include <fathom/noise/noise.hpp>' \
  'src/core/wrong.cpp: fathom/noise/noise.hpp: room core may not include noise'
refuses_line 'across by "room/..."' src/io/wrong.hpp '#include "trace/tile.hpp"' \
  'src/io/wrong.hpp: trace/tile.hpp: room io may not include trace'
refuses_line 'across by <fathom/...>' src/io/wrong.hpp '#include <fathom/sensor/pattern.hpp>' \
  'src/io/wrong.hpp: fathom/sensor/pattern.hpp: room io may not include sensor'
refuses_line 'with spaces' src/scene/wrong.cpp '  #  include "trace/tile.hpp"' \
  'src/scene/wrong.cpp: trace/tile.hpp: room scene may not include trace'
refuses_line 'in a folder of a room' src/trace/tree/wrong.cpp '#include "render/plan.hpp"' \
  'src/trace/tree/wrong.cpp: render/plan.hpp: room trace may not include render'
refuses_line 'a room of public headers' src/scene/wrong.cpp '#include <fathom/simulate/simulator.hpp>' \
  'src/scene/wrong.cpp: fathom/simulate/simulator.hpp: room scene may not include simulate'
refuses_line 'a header for users alone' src/io/wrong.cpp '#include <fathom/fathom.hpp>' \
  'src/io/wrong.cpp: fathom/fathom.hpp: room io may not include'
refuses_line 'between rooms of adapters' adapters/ros/src/wrong.cpp '#include "live/knobs.hpp"' \
  'adapters/ros/src/wrong.cpp: live/knobs.hpp: room ros may not include live'
refuses_line 'around an arrow by "room/../..."' src/core/wrong.cpp '#include "core/../sensor/kinds.hpp"' \
  'src/core/wrong.cpp: core/../sensor/kinds.hpp: a path may not lead back by ..'
refuses_line 'around an arrow by <fathom/...>' adapters/rgl/parts/wrong.cpp '#include <fathom/core/../simulate/run.hpp>' \
  'adapters/rgl/parts/wrong.cpp: fathom/core/../simulate/run.hpp: a path may not lead back by ..'
refuses_line 'across by <room/...>' src/io/wrong.hpp '#include <trace/tile.hpp>' \
  'src/io/wrong.hpp: trace/tile.hpp: room io may not include trace'
refuses_line 'upwards by "fathom/..."' src/core/wrong.cpp '#include "fathom/noise/noise.hpp"' \
  'src/core/wrong.cpp: fathom/noise/noise.hpp: room core may not include noise'
refuses_line 'around an arrow by <../src/...>' src/core/wrong.cpp '#include <../src/sensor/kernels.hpp>' \
  'src/core/wrong.cpp: ../src/sensor/kernels.hpp: a path may not lead back by ..'
refuses_line 'by a macro' src/core/wrong.cpp '#include WRONG_HEADER' "src/core/wrong.cpp: '#include WRONG_HEADER' names no file"
for name in wrong.h wrong.inc wrong.cc wrong; do
  refuses_line "from a file called $name" "src/core/$name" '#include "sensor/kernels.hpp"' \
    "src/core/$name: sensor/kernels.hpp: room core may not include sensor"
done

# Public headers.
refuses_line 'a public header, upwards' include/fathom/scene/wrong.hpp '#include <fathom/sensor/kinds.hpp>' \
  'include/fathom/scene/wrong.hpp: fathom/sensor/kinds.hpp: room scene may not include sensor'
refuses_line 'a public header with a room in it' include/fathom/scene/wrong.hpp '#include "scene/mesh.hpp"' \
  'include/fathom/scene/wrong.hpp: scene/mesh.hpp: public headers include <fathom/...>, not "..."'
refuses_line 'a public header with a library in it' include/fathom/scene/wrong.hpp '#include <fmt/format.h>' \
  'include/fathom/scene/wrong.hpp: fmt/format.h: public headers include the standard library and <fathom/...> only'
refuses_line 'a public header by another name' include/fathom/scene/wrong.inc '#include <fmt/format.h>' \
  'include/fathom/scene/wrong.inc: fmt/format.h: public headers include the standard library and <fathom/...> only'
refuses_line 'a public header of a room' include/fathom/scene/wrong.hpp '#include <scene/mesh.hpp>' \
  'include/fathom/scene/wrong.hpp: scene/mesh.hpp: public headers include the standard library and <fathom/...> only'

refuses_line 'a public header with a library that another may have' include/fathom/scene/wrong.hpp '#include <mujoco/mujoco.h>' \
  'include/fathom/scene/wrong.hpp: mujoco/mujoco.h: public headers include the standard library and <fathom/...> only'

# Libraries outside their rooms.
refuses_line 'Embree' src/render/wrong.cpp '#include <embree3/rtcore.h>' 'src/render/wrong.cpp: embree3/rtcore.h: only'
refuses_line 'TBB' src/trace/wrong.cpp '#include <tbb/parallel_for.h>' \
  'src/trace/wrong.cpp: tbb/parallel_for.h: only src/core may include tbb'
refuses_line 'libpng' cli/wrong.cpp '#include <png.h>' 'cli/wrong.cpp: png.h: only'
refuses_line 'a library without a room' src/io/mesh/wrong.cpp '#include <assimp/scene.h>' \
  'src/io/mesh/wrong.cpp: assimp/scene.h: only may include assimp'
refuses_line 'zlib' src/io/log/wrong.cpp '#include <zlib.h>' 'src/io/log/wrong.cpp: zlib.h: only'
refuses_line 'JSON' src/core/wrong.cpp '#include <nlohmann/json.hpp>' 'src/core/wrong.cpp: nlohmann/json.hpp: only'
refuses_line 'FreeType' src/io/log/wrong.cpp '#include <freetype/freetype.h>' \
  'src/io/log/wrong.cpp: freetype/freetype.h: only src/io/picture may include freetype'
refuses_line 'Embree in quotes' cli/wrong.cpp '#include "embree3/rtcore.h"' 'cli/wrong.cpp: embree3/rtcore.h: only'
refuses_line 'YAML in quotes' src/io/mesh/wrong.cpp '#include "yaml-cpp/yaml.h"' 'src/io/mesh/wrong.cpp: yaml-cpp/yaml.h: only'
refuses_line 'a library in a benchmark' bench/wrong.h '#include <png.h>' 'bench/wrong.h: png.h: only'
refuses_line 'a library in an example' examples/wrong.cpp '#include <tbb/parallel_for.h>' \
  'examples/wrong.cpp: tbb/parallel_for.h: only src/core may include tbb'
# The drivers and servers of adapters.
refuses_line 'DDS' src/run/wrong.cpp '#include <dds/dds.h>' 'src/run/wrong.cpp: dds/dds.h: only adapters/ros/src/dds may include dds'
refuses_line 'sockets' src/run/wrong.cpp '#include <netinet/in.h>' 'src/run/wrong.cpp: netinet/in.h: only adapters/'
refuses_line 'MuJoCo' cli/wrong.cpp '#include <mujoco/mujoco.h>' 'cli/wrong.cpp: mujoco/mujoco.h: only'

# Faces.
for face in cli adapters/rgl examples; do
  refuses_line "$face by <room/...>" "$face/wrong.h" '#include <render/plan.hpp>' \
    "$face/wrong.h: render/plan.hpp: a face may only include <fathom/...>"
  refuses_line "$face by ../src" "$face/wrong.cpp" '#include "../src/render/plan.hpp"' \
    "$face/wrong.cpp: ../src/render/plan.hpp: a path may not lead back by .."
  refuses_line "$face" "$face/wrong.cpp" '#include "render/plan.hpp"' \
    "$face/wrong.cpp: render/plan.hpp: a face may only include <fathom/...>"
done

refuses_line 'a room of another adapter' cli/wrong.cpp '#include "parts/tracer.hpp"' \
  'cli/wrong.cpp: parts/tracer.hpp: a face may only include <fathom/...>'

# Folders and the picture.
refuses_line 'a folder that is no room' src/attic/wrong.cpp '' 'src/attic is no room of cmake/Rooms.cmake'

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
