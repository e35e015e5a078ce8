#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# install_test.sh BUILD SOURCE COMPILER BUILD_TYPE
set -euo pipefail
build=$1 source=$2 compiler=$3 build_type=$4
work=$(mktemp -d -t fathom-install-XXXXXX)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "install: $*" >&2
  exit 1
}

expect() {  # <text> <file>: the file holds a line that matches
  grep -qE -- "$1" "$2" || fail "'$1' is not in: $(cat "$2")"
}

# ./quickstart builds fathom_installed alone, so that target makes each program and library that is installed.
grep -q -- '--target fathom_installed' "$source/quickstart" || fail 'quickstart builds another target'
if [[ -e $build/build.ninja ]]; then
  ninja -C "$build" -t commands fathom_installed | grep -oE -- ' -o [^ ]+' | cut -c 5- > "$work/made"
  sed -nE 's/.*file\(INSTALL DESTINATION .* TYPE (EXECUTABLE|SHARED_LIBRARY|MODULE) .*FILES "([^"]*)".*/\2/p' \
    "$build/cmake_install.cmake" > "$work/taken"
  [[ -s $work/taken ]] || fail 'no rule installs a program or library'
  while read -r file; do
    grep -q -- "^${file#"$build"/}" "$work/made" || fail "quickstart does not build $file, which is installed"
  done < "$work/taken"
fi
cmake --install "$build" --prefix "$work/staged" > /dev/null
mv "$work/staged" "$work/prefix"  # an installed tree may be moved
"$source/tests/install/check_runpaths.sh" "$build" "$work/prefix" || fail 'a library of the current folder would be loaded'

"$work/prefix/bin/fathom" --version > "$work/version"
expect '[0-9]+\.[0-9]+\.[0-9]+' "$work/version"
# Before 1.0 programs are bound to the minor version (CONTRIBUTING.md).
version=$(grep -oE '[0-9]+\.[0-9]+\.[0-9]+' "$work/version" | head -n 1)
if [[ $version == 0.* ]]; then soname=libfathom.so.${version%.*}; else soname=libfathom.so.${version%%.*}; fi
library=$(find "$work/prefix" -name "$soname")
[[ -s $library ]] || fail "$soname was not installed"
readelf -d "$library" > "$work/elf"
# A user may set other flags. CMake's own have no hardening, so CMakeLists.txt adds it.
flags=$(sed -nE 's/^CMAKE_CXX_FLAGS_RELEASE:[A-Z]+=//p' "$build/CMakeCache.txt")
[[ $flags != '-O3 -DNDEBUG' ]] || fail 'release builds are not hardened by default'
"$source/tests/install/check_hardening.sh" "$build" "$library" "$work/prefix/bin/fathom" || fail 'a release is not hardened'
expect "\(SONAME\).*\[${soname//./\\.}\]" "$work/elf"
# Pages, examples, manual pages and completion, in the usual places.
share=$work/prefix/share
for file in man/man1/fathom.1 man/man1/fathom-fit-beam.1 bash-completion/completions/fathom zsh/site-functions/_fathom \
  doc/fathom/LICENSE doc/fathom/README.md doc/fathom/examples/house/house.yaml doc/fathom/docs/images/stereo_sheet.png; do
  [[ -s $share/$file ]] || fail "share/$file was not installed"
done
[[ -s $share/doc/fathom/docs/rgl.md ]] || fail "docs/rgl.md was not installed"
for page in "$source"/docs/*.md; do
  cmp -s "$page" "$share/doc/fathom/docs/$(basename "$page")" || fail "$page was not installed"
done
for page in CONTRIBUTING.md bench/README.md adapters/{live,mujoco,rgl,ros}/README.md; do
  cmp -s "$source/$page" "$share/doc/fathom/$page" || fail "$page was not installed"
done
if grep -rlF "$build" "$share/man" "$share/bash-completion" "$share/zsh"; then fail "share names the build tree"; fi
# Whatever --help and the manual pages refer to is there.
for command in '' simulate check noise sensors outputs channels beam 'fit beam' 'score beam' 'beam sample' \
  'beam heatmap' fit 'fit chain' 'fit wall' 'fit pairs'; do
  # shellcheck disable=SC2086
  "$work/prefix/bin/fathom" $command --help
done | grep -oE '(docs|examples)/[a-z0-9_/-]+\.(md|yaml)' | sort -u > "$work/references"
[[ $(wc -l < "$work/references") -ge 4 ]] || fail "--help refers to too little: $(cat "$work/references")"
while read -r file; do [[ -s $share/doc/fathom/$file ]] || fail "--help refers to $file"; done < "$work/references"
(cd "$share/doc/fathom" && "$work/prefix/bin/fathom" check examples/house/house.yaml > "$work/check") ||
  fail "the installed house cannot be read"
# Modules were installed beside the library, and the library finds them there.
slow=$(readelf -d "$library" | grep -E 'sdformat|hdf5|isal|ddsc|embree' || true)
[[ -z $slow ]] || fail "the library is linked to what starts slowly: $slow"
if compgen -G "$build/lib/libfathom-sdf-*" > /dev/null; then
  echo "{scene: {from: $source/tests/support/box.sdf}, sensors: [{name: lidar, preset: VLP-16}]}" > "$work/box.yaml"
  "$work/prefix/bin/fathom" check "$work/box.yaml" > "$work/check" || fail "the installed program reads no SDF"
fi
if compgen -G "$build/lib/libfathom-hdf5-*" > /dev/null; then
  "$work/prefix/bin/fathom" simulate "$source/examples/07_beam_loop/beam.yaml" --frames 2 --environments 0:1 \
    --format hdf5 --out "$work/packs" --quiet || fail "the installed program writes no HDF5"
  [[ -s $work/packs/packs/000/000/000000000.h5 ]] || fail "no file of HDF5 was written"
fi
if compgen -G "$build/lib/rgl/libfathom-rgl-topics-*" > /dev/null; then
  compgen -G "$(dirname "$library")/libfathom-rgl-topics-*" > /dev/null || fail "the module for topics of RGL is not beside it"
fi
if command -v man > /dev/null; then
  man -M "$share/man" fathom-simulate > "$work/page" && grep -q -e --seed "$work/page" || fail "man finds no page"
fi

# What is installed needs nothing of the build tree.
if grep -rlF "$build" "$work/prefix/include" "$work"/prefix/lib*; then fail "a path of the build tree was installed"; fi
if grep -rF --include='*.cmake' find_dependency "$work/prefix"; then fail "a consumer would need more"; fi

build_example() {  # <folder of examples/> <program> [its arguments]: strict warnings: public headers must not cause any
  cp -r "$source/examples/$1" "$work/$1"
  cmake -S "$work/$1" -B "$work/$1/build" -G Ninja -DCMAKE_BUILD_TYPE="$build_type" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror" > "$work/log" ||
    fail "$1 does not configure: $(cat "$work/log")"
  cmake --build "$work/$1/build" > "$work/log" || fail "$1 does not build: $(cat "$work/log")"
  (cd "$work/$1" && "build/$2" "${@:3}" > "$work/$2.out") || fail "$2 does not run"
}

build_example 01_first_scan first_scan
expect '^64 x [0-9]+ rays, [0-9]+ hits$' "$work/first_scan.out"
# 0.02 m was asked for; 65 000 returns estimate it to 0.00006 m.
expect 'deviation 0\.0(19[7-9]|20[0-3]) m$' "$work/first_scan.out"
expect '^ +[0-9]+ dropout$' "$work/first_scan.out"
head -c 200 "$work/01_first_scan/first_scan.pcd" > "$work/pcd"
expect '^# \.PCD v0?\.7' "$work/pcd"
[[ $(head -c 8 "$work/01_first_scan/first_scan.png" | od -An -tx1 | tr -d ' ') == 89504e470d0a1a0a ]] ||
  fail "first_scan.png is no PNG"

build_example 02_my_noise my_noise
# The largest of 4001 normals lies between 2.5 and 6 deviations, except in 1 case in 10^10.
expect '\(([3-5]\.[0-9]|2\.[5-9]) deviations' "$work/my_noise.out"

build_example 04_frames_from_a_scene frames_from_a_scene
expect '^lidar, frame 0 at 0\.0 s: 16 x [0-9]+ rays, nearest [0-9.]+ m, mean error -?0\.0[0-9]+ m$' \
  "$work/frames_from_a_scene.out"
expect '^laser, frame 2 at 0\.2 s: 1 x 361 rays' "$work/frames_from_a_scene.out"
expect '^ +[1-9][0-9]* above_max_range$' "$work/frames_from_a_scene.out"

# 100 scans of a laser whose errors are known: its README makes a log like this.
"$work/prefix/bin/fathom" simulate "$source/examples/07_beam_loop/beam.yaml" --frames 100 --out "$work/run" --quiet ||
  fail "there is no log to fit"
build_example 05_fit_a_laser fit_a_laser "$source/examples/house/maps/map.yaml" "$work/run"
# 13 550 readings are learned from, which find 0.75 and 0.05 m to a standard error of 0.004 and 0.0005 m.
expect '^w_hit +0\.7[2-7][0-9]+ \+- 0\.00[2-6][0-9]*$' "$work/fit_a_laser.out"
expect '^sigma_hit_m +0\.0(4[7-9]|5[0-2])[0-9] \+- 0\.000[2-9]$' "$work/fit_a_laser.out"
expect '^held-out scans: -?[0-9.]+ nats per ray, 13550 rays$' "$work/fit_a_laser.out"
for file in parameters.yaml report.html fit.json; do
  [[ -s $work/05_fit_a_laser/fit/$file ]] || fail "fit_a_laser has not written $file"
done
if "$work/05_fit_a_laser/build/fit_a_laser" 2> "$work/log"; then fail "fit_a_laser wants no arguments"; fi
expect '^usage: fit_a_laser ' "$work/log"

# A room with a post: the program counts losses by reason, and writes the pictures.
echo 'sensors: [{name: s, type: depth_camera, width: 2, height: 2, fx: 2}]
scene:
  meshes: {box: {box: {size_m: [1, 1, 1]}}}
  entities:
    - {name: room, mesh: box, scale: [12, 8, 4], position_m: [0, 0, 2]}
    - {name: post, mesh: box, scale: [0.2, 0.2, 4], position_m: [2, 1, 2]}' > "$work/room.yaml"
build_example 06_stereo stereo "$work/room.yaml"
for reason in hit hidden_right random_loss low_texture dropout; do
  expect "^ +[1-9][0-9]* $reason\$" "$work/stereo.out"
done
awk '/^ *[0-9]+ [a-z_]+$/ {sum += $1} END {exit sum != 640 * 360}' "$work/stereo.out" ||
  fail "the reasons do not add up to the pixels: $(cat "$work/stereo.out")"
for picture in sheet depth reason; do
  [[ $(head -c 8 "$work/06_stereo/$picture.png" | od -An -tx1 | tr -d ' ') == 89504e470d0a1a0a ]] ||
    fail "$picture.png is no PNG"
done

if [[ -e $build/lib/libRobotecGPULidar.so ]]; then
  build_example 08_rgl rgl_cubes
  expect '^RGL interface 0\.19\.0$' "$work/rgl_cubes.out"
  expect '^[1-9][0-9]* of 28800 rays hit, [1-9][0-9]* of them the first cube$' "$work/rgl_cubes.out"
  expect '^world and lidar cloud are 0\.500 m apart$' "$work/rgl_cubes.out"
fi

has_mujoco=false
if echo '#include <mujoco/mujoco.h>' | c++ -fsyntax-only -x c++ - 2> /dev/null; then
  has_mujoco=true
  build_example mujoco walker "$source/examples/mujoco/walker.xml"
  expect '^3\.0 s: .*curtain [1-9][0-9]*/[1-9].* window [1-9][0-9]*/[1-9][0-9]* lost$' "$work/walker.out"
fi

# No example was forgotten here.
for project in "$source"/examples/*/CMakeLists.txt; do
  name=$(basename "$(dirname "$project")")
  [[ -d $work/$name/build || ($name == 08_rgl && ! -e $build/lib/libRobotecGPULidar.so) || ($name == mujoco && $has_mujoco == false) ]] ||
    fail "examples/$name is not built here"
done

# A version that is not there is refused, the minor version that is there is not.
finds_package() {  # <version>
  rm -rf "$work/finds"
  mkdir "$work/finds"
  echo "cmake_minimum_required(VERSION 3.25)
project(finds LANGUAGES NONE)
find_package(fathom $1 REQUIRED)" > "$work/finds/CMakeLists.txt"
  cmake -S "$work/finds" -B "$work/finds/build" -DCMAKE_PREFIX_PATH="$work/prefix" &> "$work/log"
}
finds_package "${version%.*}" || fail "find_package(fathom ${version%.*}) refuses $version: $(cat "$work/log")"
for other in 0.0 0.99 99; do
  if finds_package "$other"; then fail "find_package(fathom $other) accepts $version"; fi
done
echo "install: ok"
