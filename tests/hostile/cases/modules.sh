# SPDX-License-Identifier: MIT
# The reader of SDF is a module beside the library. One line reports a missing or wrong module.

library=$(ldd "$FATHOM" | awk '/libfathom\.so/ {print $3}')
module=$(compgen -G "$(dirname "$library")/libfathom-sdf-*.so") || skip "this build has no reader of SDF"
mkdir elsewhere
cp "$library" elsewhere/
echo "{scene: {from: $SOURCE_DIR/tests/support/box.sdf}, sensors: [{name: lidar, preset: VLP-16}]}" > box.yaml

expect 0 '' fathom check box.yaml
export LD_LIBRARY_PATH=$PWD/elsewhere
expect 2 'box\.sdf: is SDF: its reader cannot be loaded: .*elsewhere/libfathom-sdf-' fathom check box.yaml
echo 'no module' > "elsewhere/$(basename "$module")"
expect 2 'box\.sdf: is SDF: its reader cannot be loaded: .*elsewhere/libfathom-sdf-' fathom check box.yaml
if [[ -n ${HOSTILE_SANITIZED:-} ]]; then return; fi  # a library that is there twice is an error of ASan's
cp "$library" "elsewhere/$(basename "$module")"
expect 2 'box\.sdf: is SDF: its reader cannot be loaded: .*fathom_read_sdf' fathom check box.yaml
