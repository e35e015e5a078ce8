# SPDX-License-Identifier: MIT
# Modules lie beside the library. One line reports a missing or wrong module.

library=$(ldd "$FATHOM" | awk '/libfathom\.so/ {print $3}')
folder=$(dirname "$library")
mkdir elsewhere
cp "$library" elsewhere/
elsewhere() { LD_LIBRARY_PATH=$PWD/elsewhere "$@"; }

# module NAME START COMMAND...: the command needs the module NAME; its refusals begin with START.
module() {
  local name=$1 start=$2 module
  shift 2
  module=$(compgen -G "$folder/libfathom-$name-*.so") || return 0  # not in this build
  expect 0 '' "$@"
  expect 2 "$start cannot be loaded: .*elsewhere/libfathom-$name-" elsewhere "$@"
  echo 'no module' > "elsewhere/$(basename "$module")"
  expect 2 "$start cannot be loaded: .*elsewhere/libfathom-$name-" elsewhere "$@"
  if [[ -n ${HOSTILE_SANITIZED:-} ]]; then return; fi  # a library that is there twice is an error of ASan's
  cp "$library" "elsewhere/$(basename "$module")"
  expect 2 "$start cannot be loaded: .*fathom_" elsewhere "$@"
}

echo "{scene: {from: $SOURCE_DIR/tests/support/box.sdf}, sensors: [{name: lidar, preset: VLP-16}]}" > box.yaml
room_yaml > room.yaml
module sdf 'box\.sdf: is SDF: its reader' fathom check box.yaml
module hdf5 'HDF5: its writer' fathom simulate room.yaml --environments 0:1 --format hdf5 --out packs --force
[[ -s $work/checks ]] || skip 'this build has no module'
