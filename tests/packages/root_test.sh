#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# root_test.sh BUILD SOURCE COMPILER WITH_PYTHON PYTHON: takes the steps of the Dockerfile, and installs the wheel, in a Debian 12
# that has nothing else. Both run the README's example, with the bits of the build. Compiling is left out: the build has compiled
# the same sources. A new checkout loads the Debian once, and keeps it in build/.
set -euo pipefail
build=$1 source=$2 python=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
most_bytes=12000000
if [[ $(id -u) -eq 0 && -z ${IN_NAMESPACE:-} ]] && unshare --mount true 2> /dev/null; then  # whose mounts end with it, also where it is killed
  IN_NAMESPACE=1 exec unshare --mount "$0" "$@"
fi
work=$(mktemp -d -t fathom-root-XXXXXX)
trap 'umount -R "$work" 2> /dev/null || true
  rm -rf --one-file-system "$work"' EXIT
unset LD_LIBRARY_PATH PYTHONPATH
debian=$source/build/bookworm.tar archives=$source/build/archives

skip() {
  echo "skipped: $*: no package is installed in an empty Debian"
  exit 77
}

fail() {
  echo "packages_in_root: $*" >&2
  exit 1
}

command -v debootstrap > /dev/null || skip 'no debootstrap here'
[[ $(id -u) -eq 0 ]] && chroot / true 2> /dev/null || skip 'not root, or chroot may not be called'
command -v patchelf > /dev/null || skip 'no patchelf here'

inside() {  # <folder> <command of the shell>
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -ec "cd '$1'; $2" < /dev/null > "$work/log" 2>&1 ||
    fail "'$2' fails: $(tail -n 30 "$work/log")"
}

# In memory: dpkg waits for the disk after each file.
mount -t tmpfs -o size=6g none "$work" 2> /dev/null || skip 'nothing may be mounted'
mirror=$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 'Created-By: Packages' | grep -m 1 debian) || skip 'apt knows no mirror'
timeout 60 /usr/lib/apt/apt-helper download-file "$mirror/dists/bookworm/Release" "$work/Release" > /dev/null 2>&1 ||
  skip "$mirror cannot be reached"

make_debian() {
  root=$work/debian
  debootstrap --variant=minbase bookworm "$root" "$mirror" > "$work/log" 2>&1 || skip "debootstrap fails: $(tail -n 1 "$work/log")"
  cp /etc/resolv.conf "$root/etc"
  echo 'Acquire::Languages "none";' > "$root/etc/apt/apt.conf.d/languages"
  inside / 'apt-get update && apt-get clean'
  tar -C "$root" --one-file-system -cf "$debian.part" .
  mv "$debian.part" "$debian"
  rm -rf --one-file-system "$root"
}

new_root() {
  if [[ -d $work/root ]]; then remove_root; fi
  root=$work/root
  mkdir -p "$root" "$archives"
  tar -C "$root" -xf "$debian"
  mount -t proc none "$root/proc"
  cp "$archives"/*.deb "$root/var/cache/apt/archives" 2> /dev/null || true
  folder=/
}

remove_root() {
  cp -n "$work"/root/var/cache/apt/archives/*.deb "$archives" 2> /dev/null || true
  umount "$work/root/proc"
  rm -rf --one-file-system "$work/root"
}

# One instruction of the Dockerfile.
take_step() {  # <instruction> <its words>
  case $1 in
    FROM) new_root ;;
    WORKDIR) folder=$2 && mkdir -p "$root$2" ;;
    COPY) copy_into_root "${@:2}" ;;
    RUN) inside "$folder" "${*:2}" ;;
  esac
}

copy_into_root() {  # . <folder>, or --from=build <files> <folder>
  mkdir -p "$root${*: -1}"
  if [[ $1 == . ]]; then
    git -C "$source" ls-files -z | tar -C "$source" --null -T - -cf - | tar -C "$root$2" -x
  else
    cp "$build"/debs/*.deb "$root$3"
  fi
}

make_wheel() {
  local checkout=$work/checkout file
  mkdir "$checkout"
  for file in pyproject.toml setup.py CMakeLists.txt README.md LICENSE; do cp "$source/$file" "$checkout"; done
  (cd "$checkout" && FATHOM_BUILD=$build FATHOM_PORTABLE=1 "$python" -m pip -q wheel . --no-build-isolation --no-deps --no-index -w "$work") \
    > "$work/log" 2>&1 || fail "no wheel: $(cat "$work/log")"
  wheel=$(ls "$work"/fathom-*.whl)
  [[ $(stat -c %s "$wheel") -le $most_bytes ]] || fail "$wheel has more than $most_bytes bytes"
}

[[ -e $debian ]] || make_debian
made=$(compgen -G "$build/debs/fathom_*.deb" || true)
if [[ -z $made || $(find "$build/bin/fathom" "$build/lib" "$build/python" "$source/cmake" -type f -newer "$made") ]]; then
  "$here/packages_test.sh" "$@"
fi
sed -n '/^```yaml$/,/^```$/p' "$source/README.md" | sed '/^```/d' > "$work/room.yaml"
"$build/bin/fathom" simulate "$work/room.yaml" --out "$work/room" --digest --quiet > "$work/digest"

while read -r -a step; do
  [[ ${step[*]} != 'RUN cmake --workflow --preset packages' ]] || step=(RUN cmake --preset packages)
  take_step "${step[@]}"
done < <(grep -E '^[A-Z]+ ' "$source/Dockerfile")
cp "$work/room.yaml" "$root/work"
inside /work 'fathom simulate room.yaml --out out/room --digest --quiet'
cmp -s "$work/log" "$work/digest" || fail "the packages have other bits than the build: $(cat "$work/log")"
inside /work 'python3 -c "import fathom as fa; fa.load(\"room.yaml\").run(\"out/python\")" && diff -r --exclude=summary.json out/room out/python'

make_wheel
new_root
cp "$wheel" "$work/room.yaml" "$root/root"
inside /root 'apt-get update && apt-get install -y --no-install-recommends python3-venv python3-numpy && ! command -v g++'
inside /root 'python3 -m venv --system-site-packages venv && venv/bin/pip install --no-index ./*.whl'
inside /root 'venv/bin/python -c "import fathom as fa; fa.load(\"room.yaml\").run(\"wheel\")"'
inside /root 'ldd venv/lib/python3*/site-packages/fathom/*.so*'
foreign=$(grep '=>' "$work/log" | grep -vE '/site-packages/fathom/|/lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so' || true)
[[ -z $foreign ]] || fail "the wheel lacks $foreign"
diff -r --exclude=summary.json "$work/room" "$root/root/wheel" > "$work/log" || fail "the wheel has other bits: $(cat "$work/log")"
newest=$(readelf -V "$root"/root/venv/lib/python3*/site-packages/fathom/*.so* | grep -oE '\bGLIBC_[0-9.]+' | sort -uV | tail -n 1)
[[ $(printf '%s\n' "$newest" GLIBC_2.36 | sort -V | tail -n 1) == GLIBC_2.36 ]] || fail "the wheel needs $newest"
remove_root
(cd "$build/debs" && stat -c '%n %s bytes, not compressed' ./*.deb && stat -c '%n %s bytes' "$wheel")
echo 'packages_in_root: ok'
