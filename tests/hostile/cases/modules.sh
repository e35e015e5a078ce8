# SPDX-License-Identifier: MIT
# Modules lie beside the library. One line reports a missing or wrong module.

library=$(ldd "$FATHOM" | awk '/libfathom\.so/ {print $3}')
folder=$(dirname "$library")
mkdir elsewhere
cp "$library" elsewhere/
elsewhere() { LD_LIBRARY_PATH=$PWD/elsewhere "$@"; }

# module NAME START PACKAGE COMMAND...: the command needs the module NAME, which PACKAGE makes; its refusals begin with START.
module() {
  local name=$1 start=$2 package=$3 module
  shift 3
  module=$(compgen -G "$folder/libfathom-$name-*.so") || return 0  # not in this build
  expect 0 '' "$@"
  expect 2 "$start the module libfathom-$name-.*\.so is missing in '.*elsewhere': install $package and build" elsewhere "$@"
  echo 'no module' > "elsewhere/$(basename "$module")"
  expect 2 "$start the module cannot be loaded: .*elsewhere/libfathom-$name-" elsewhere "$@"
  if [[ -n ${HOSTILE_SANITIZED:-} ]]; then return; fi  # a library that is there twice is an error of ASan's
  cp "$library" "elsewhere/$(basename "$module")"
  expect 2 "$start the module cannot be loaded: .*fathom_" elsewhere "$@"
}

echo "{scene: {from: $SOURCE_DIR/tests/support/box.sdf}, sensors: [{name: lidar, preset: VLP-16}]}" > box.yaml
room_yaml > room.yaml
module sdf 'box\.sdf: is SDF:' libsdformat-dev fathom check box.yaml
module hdf5 'HDF5:' 'libhdf5-dev libisal-dev' fathom simulate room.yaml --environments 0:1 --format hdf5 --out packs --force
base64 -d << 'END' | gunzip > depth.exr  # 4 x 3 pixels, uncompressed
H4sIAAAAAAACA4VOywrCMBDcVA8eBb9DxP6AingWvBQEDzHZ0oWYhCTUevPTTR/QKBQXhgyzM7OpN1uWAYCouNaofCSKfIBV1K7QbtphA0CYh3Xo
PRn9xbul5IEXpKV5wt00OcESxplFtHWSvFX89denSOPZSXQJ665YalAdvEURLjyQgVIZHmDepd87Lxyi7uuPqEOM1XkJi+REailIhuqnAtasN56G98bG
8PDXfQo2oWcT+gcK9PaKdQEAAA==
END
module exr 'depth\.exr: OpenEXR:' libopenexr-dev fathom apply D435 depth.exr --camera 4,4,1.5,1 --out noisy --force
[[ -s $work/checks ]] || skip 'this build has no module'
