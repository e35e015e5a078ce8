#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tools/gpu-bundle, unpacked and run in a root that has only a shell and its tools: without a driver, and with a fake
# driver (tests/support/fake_cuda.hpp).
#   test_bundle.sh BUILD
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

if [[ $(id -u) -eq 0 ]] && chroot / true 2> /dev/null; then
  enter=("$(command -v chroot)" "$root")
elif unshare -r chroot / true 2> /dev/null; then
  enter=("$(command -v unshare)" -r "$(command -v chroot)" "$root")
else
  echo 'skipped: neither chroot nor unshare may be called here'
  exit 77
fi

expect() {  # <what> <command>
  local what=$1
  shift
  if "$@"; then pass; else fail "$what"; fi
}

make_root() {
  local tool file
  mkdir -p "$root"/{bin,tmp,dev,usr/lib,bundle}
  : > "$root/dev/null"
  for tool in bash cat date diff dirname env grep head ldd ls mkdir mktemp rm tail tar tee timeout uname xz; do
    file=$(command -v "$tool") || continue
    cp -L "$file" "$root/bin/"
    ldd "$file" 2> /dev/null
  done | copy_libraries
  ldd "$build/bin/test_gpu" | grep -E '/(libc|libm|libstdc\+\+|libgcc_s)\.so|ld-linux' | copy_libraries
}

copy_libraries() {  # as ldd lists them, to where it finds them
  grep -oE '/[^ ]+\.so[^ ]*' | sort -u | while read -r file; do
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
}

run_there() {  # <folder for what it says>
  env -i PATH=/bin RC_PARAMS='noshrink=1 max_success=2' GTEST_FILTER='*AnyChain*' "${enter[@]}" /bin/bash /bundle/run "/$1" > "$work/$1.txt" 2>&1
}

summary_has() { grep -qE "$1" "$root/with/summary.txt"; }

make_root
expect 'a bundle is made' env XZ_OPT=-1 "$project/tools/gpu-bundle" "$root/bundle" "$build"

tar -tf "$root/bundle/gpu.tar.xz" > "$work/files.txt"
grep '\.yaml$' "$project/tests/run/digests.txt" | while read -r scene; do
  grep -qx "source/$scene" "$work/files.txt" || echo "$scene"
done > "$work/missing.txt"
expect 'every scene of the digests is there, with weather and motion within a scan' test ! -s "$work/missing.txt"

run_there without
expect 'without a driver run fails' test $? -eq 1
expect 'without a driver run says so in one line' test "$(wc -l < "$work/without.txt")" -eq 1
expect 'and names the driver' grep -q "no GPU to look at: .*NVIDIA's driver is not there" "$work/without.txt"

cp -L "$build/tests/render/device/libcuda.so.1" "$root/usr/lib/"
run_there with || fail "with the fake driver run fails: $(cat "$work/with.txt" "$root"/with/*.txt)"
for name in probe machine smoke test_gpu; do expect "$name is well" summary_has "^$name: exit code 0"; done
expect 'the probe names each kernel' test "$(grep -c '^fathom_' "$root/with/probe.txt")" -ge 16
expect 'no library is missing' test "$(grep -c 'not found' "$root/with/machine.txt")" -eq 0
expect 'the files of both devices are the same' grep -q 'the same files' "$root/with/smoke.txt"
expect 'test_gpu has looked' grep -q '1 test' "$root/with/test_gpu.txt"
expect 'at most eight files' test "$(find "$root/with" -type f | wc -l)" -le 8
finish gpu_bundle
