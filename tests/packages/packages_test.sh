#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# packages_test.sh BUILD SOURCE COMPILER WITH_PYTHON [PYTHON]
set -euo pipefail
build=$1 source=$2 compiler=$3 with_python=$4 python=${5:-}
for tool in dpkg-deb dpkg-shlibdeps file; do
  if ! command -v "$tool" > /dev/null; then
    echo "skipped: no $tool here: no Debian package is made"
    exit 77
  fi
done
work=$(mktemp -d -t fathom-packages-XXXXXX)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH PYTHONPATH

fail() {
  echo "packages: $*" >&2
  exit 1
}

# As a release, but not compressed, which takes longest.
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/debs" -D CPACK_DEBIAN_COMPRESSION_TYPE=none > "$work/log" 2>&1 ||
  fail "cpack: $(cat "$work/log")"
packages=(fathom libfathom-dev)
if [[ $with_python == ON ]]; then packages+=(python3-fathom); fi
version=$("$build/bin/fathom" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
architecture=$(dpkg --print-architecture)
root=$work/root
[[ $(find "$work/debs" -maxdepth 1 -name '*.deb' | wc -l) -eq ${#packages[@]} ]] || fail "other packages: $(ls "$work/debs")"
for package in "${packages[@]}"; do
  deb=$work/debs/${package}_${version}_$architecture.deb
  [[ -s $deb ]] || fail "no $(basename "$deb"): $(ls "$work/debs")"
  dpkg-deb -f "$deb" > "$work/$package.control"
  for field in "Package: $package" "Version: $version" "Architecture: $architecture" 'Section: ' 'Maintainer: ' 'Description: '; do
    grep -q "^$field" "$work/$package.control" || fail "$package has no '$field': $(cat "$work/$package.control")"
  done
  [[ $(grep '^Description: ' "$work/$package.control") == 'Description: simulator of range sensors'* ]] ||
    fail "$package is described by: $(grep -A 3 '^Description: ' "$work/$package.control")"
  dpkg-deb -c "$deb" | awk '!/^d/ {print $6}' | sort > "$work/$package.files"
  cat "$work/$package.files" >> "$work/all.files"
  grep -qx "./usr/share/doc/$package/copyright" "$work/$package.files" || fail "$package holds no copyright"
  if grep -v '^\./usr/' "$work/$package.files"; then fail "$package puts files elsewhere than in /usr"; fi
  dpkg-deb -x "$deb" "$root"
done
"$source/tests/install/check_runpaths.sh" "$root" || fail 'a library of the current folder would be loaded'
find "$root/usr/bin" "$root/usr/lib" -type f \( -perm -u+x -o -name '*.so*' \) -exec "$source/tests/install/check_hardening.sh" "$build" {} + ||
  fail 'a package is not hardened'
[[ -z $(sort "$work/all.files" | uniq -d) ]] || fail "in two packages: $(sort "$work/all.files" | uniq -d)"
if grep -rlF "$build" "$root"; then fail "a package names the build tree"; fi
if grep -qE '\.(hpp|cmake)$|libfathom\.so$' <(grep -v /doc/ "$work/fathom.files"); then fail "fathom holds what only programmers need"; fi
grep -qE 'libfathom\.so$' "$work/libfathom-dev.files" || fail "libfathom-dev lacks libfathom.so"
for file in man/man1/fathom.1 bash-completion/completions/fathom zsh/site-functions/_fathom doc/fathom/examples/house/house.yaml; do
  [[ -s $root/usr/share/$file ]] || fail "fathom lacks share/$file"
done

# A package has to depend on the packages of Debian that hold the libraries it links, as the loader finds them here.
depends_on_libraries() {  # <package> <its binary>
  local paths owner
  mapfile -t paths < <(ldd "$2" | awk '$2 == "=>" && $1 !~ /^libfathom/ {print $1, $3} $1 ~ "^/" {print $1, $1}' |
    grep -F -f <(readelf -d "$2" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p') | awk '{print $2}' | xargs -n 1 realpath)
  # dpkg lists files of merged folders with or without /usr, and fails if it misses one of the two.
  dpkg -S "${paths[@]}" "${paths[@]#/usr}" 2> /dev/null | sort -u > "$work/owners" || true
  [[ $(sed 's|.*/||' "$work/owners" | sort -u | wc -l) -eq ${#paths[@]} ]] ||
    fail "no package holds one of ${paths[*]}: $(cat "$work/owners")"
  for owner in $(sed 's/:.*//' "$work/owners" | sort -u); do
    grep -qE "^Depends:(.*,)? ${owner//+/\\+}( |,|\$)" "$work/$1.control" ||
      fail "$1 links with libraries of $owner, but does not depend on it: $(grep ^Depends: "$work/$1.control")"
  done
}
library=$(find "$root/usr/lib" -name "libfathom.so.$version")
[[ -s $library ]] || fail "no libfathom.so.$version"
depends_on_libraries fathom "$library"
depends_on_libraries fathom "$root/usr/bin/fathom"
for package in "${packages[@]:1}"; do
  grep -qE "^Depends:.* fathom \(= $version\)" "$work/$package.control" || fail "$package does not depend on this fathom"
done

export LD_LIBRARY_PATH=${library%/*}
of_root() {  # <file of a process' maps>: it has loaded the library of the package
  grep -qF "$library" "$1" && ! grep -F libfathom.so "$1" | grep -qvF "$root"
}

echo 'sensors: [{name: lidar, preset: VLP-16, noise: [{distance: {stddev_m: 0.02}}], outputs: [pcd]}]
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: room, mesh: room}]
frames: 2
seed: 3' > "$work/room.yaml"
"$root/usr/bin/fathom" simulate "$work/room.yaml" --out "$work/run" --quiet || fail 'fathom simulate fails'
[[ $(find "$work/run" -name '*.pcd' | wc -l) -eq 2 ]] || fail 'fathom simulate has not written two clouds'
for module in "$build"/lib/libfathom-*.so; do
  [[ -e $module ]] || continue
  installed=$(find "$root/usr/lib" -name "${module##*/}")
  [[ -s $installed ]] || fail "fathom lacks ${module##*/}"
  depends_on_libraries fathom "$installed"
done
if compgen -G "$build/lib/libfathom-sdf-*" > /dev/null; then
  echo "{scene: {from: $source/tests/support/box.sdf}, sensors: [{name: lidar, preset: VLP-16}]}" > "$work/box.yaml"
  "$root/usr/bin/fathom" check "$work/box.yaml" > "$work/log" || fail "fathom reads no SDF"
fi
if compgen -G "$build/lib/rgl/libfathom-rgl-topics-*" > /dev/null; then
  depends_on_libraries fathom "$(find "$root/usr/lib" -name 'libfathom-rgl-topics-*')"
fi
digest_of() {  # <program>
  "$1" simulate "$work/room.yaml" --out "$work/run" --force --digest | grep -E '^lidar [0-9a-f]{16}$' || fail "$1 prints no digest"
}
digest=$(digest_of "$root/usr/bin/fathom")
[[ $(digest_of "$build/bin/fathom") == "$digest" ]] ||
  fail 'the packages have other bits than the build'

mkdir "$work/program"
echo 'cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)
find_package(fathom REQUIRED)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE fathom::fathom)' > "$work/program/CMakeLists.txt"
echo '#include <fathom/scene/scene.hpp>
#include <fstream>
#include <iostream>
int main() {
  fathom::Scene scene;
  std::cout << fathom::index(scene.add_mesh(fathom::make_box({1, 1, 1}))) << " " << std::ifstream("/proc/self/maps").rdbuf();
}' > "$work/program/main.cpp"
cmake -S "$work/program" -B "$work/program/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$root/usr" \
  > "$work/log" 2>&1 || fail "no program can be configured with libfathom-dev: $(cat "$work/log")"
cmake --build "$work/program/build" > "$work/log" || fail "no program can be built with libfathom-dev: $(cat "$work/log")"
"$work/program/build/program" > "$work/maps" || fail "the program does not run"
of_root "$work/maps" || fail "the program runs with another library: $(grep libfathom "$work/maps")"

if [[ $with_python == ON ]]; then
  minor=$("$python" -c 'import sys; print(sys.version_info.minor)')
  grep -qF "python3 (>= 3.$minor), python3 (<< 3.$((minor + 1)))" "$work/python3-fathom.control" ||
    fail "python3-fathom is not for Python 3.$minor alone: $(cat "$work/python3-fathom.control")"
  for stub in "$build"/python/fathom/*.pyi; do
    [[ ! -e $stub ]] || grep -q "/fathom/${stub##*/}\$" "$work/python3-fathom.files" || fail "python3-fathom lacks ${stub##*/}"
  done
  depends_on_libraries python3-fathom "$(find "$root/usr/lib/python3" -name '_fathom*.so')"
  (cd "$work" && PYTHONPATH=$root/usr/lib/python3/dist-packages "$python" -B -c "
import fathom as fa
assert fa.__version__ == '$version' and fa.__file__.startswith('$root'), fa.__file__
frame = fa.load('room.yaml').simulator().render('lidar')
assert frame.range.shape[0] == 16 and frame.reasons()['hit'] > 1000, frame.reasons()
print(open('/proc/self/maps').read())" > maps) || fail 'fathom cannot be used in Python'
  of_root "$work/maps" || fail "Python runs with another library: $(grep libfathom "$work/maps")"
fi
mkdir -p "$build/debs"  # for root_test.sh
rm -f "$build"/debs/*.deb
mv "$work"/debs/*.deb "$build/debs"
echo 'packages: ok'
