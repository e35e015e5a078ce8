# SPDX-License-Identifier: MIT
# Files that once crashed fathom, filled its memory or were read wrongly. They are no part of the project.
trial=$SOURCE_DIR/../shared/data/trial
[[ -d $trial ]] || skip "no data of the trial beside the project (../shared/data/trial)"
cp -r "$trial/." . && chmod -R u+w . || fail "the data of the trial cannot be copied"

# in_folder LETTER_AND_NUMBER COMMAND...: runs a check in the folder of that input.
in_folder() { (cd "$1"-* && shift && "$@") || fail "the trial has no folder $1-*"; }
reads_scene() {  # <code> <regex> <scene>
  printf 'scene: %s\nsensors: [{name: l, preset: UTM-30LX, outputs: []}]\n' "$3" > s.yaml
  expect "$1" "$2" fathom check s.yaml
}
reads_mesh() { reads_scene 0 "$1" "{meshes: {m: $2}, entities: [{name: m, mesh: m}]}"; }  # <regex> <file>
fits() {  # <regex> <bag> [<map>]
  once expect 0 "$1" fathom fit beam --map "${3:-room.yaml}" --bag "$2" --out out --force
}
fits_not() { expect 2 "$1" fathom fit beam --map room.yaml --bag "$2" --out out; }  # <regex> <bag>
is_wall() { expect 2 "$1: 4 of 4 points lie on no ring" fathom fit wall . --files "$1" --sensor VLP-16; }

in_folder a03 expect 2 'count0.pcd:6: COUNT = 0' fathom view count0.pcd --port 0
in_folder a03 expect 2 'cloud_000000.pcd:6: COUNT = 0' fathom fit wall clouds --sensor VLP-16
for file in view_cross view_topics_forever view_topics_spin; do
  in_folder a04 expect 2 'is no table' fathom bag info "$file.db3"
done
for set in D28 D491; do in_folder a05 expect 2 "$set: [0-9]+ faults" fathom dataset verify "$set"; done
in_folder a08 expect 2 'zstd_1GiB.mcap: record at byte 123: a chunk of 1073741824 bytes' fathom bag info zstd_1GiB.mcap
in_folder a08 expect 2 'n_long.mcap: record at byte 90' fathom bag info n_long.mcap
in_folder a11 expect 0 'b.db3: /scan/scan: .*16711429 elements' \
  fathom score beam --map map.yaml --parameters model.yaml --bag b.db3 --frame world

in_folder b00 expect 0 '' fathom simulate scene.yaml --out out
in_folder b00 expect 0 '"hit": 3727,' cat out/summary.json
in_folder b01 expect 0 "no frame lies within its keyframes" fathom simulate scene.yaml --out out
in_folder b02 expect 0 'single precision: 5403547 m from the origin' fathom simulate scene.yaml --out out
in_folder b03 fits 'held-out scans' ok.mcap
for bag in rplidar rp7; do in_folder b04 fits 'held-out scans' "$bag.mcap"; done
in_folder b05 expect 0 'LaserScan +81' fathom bag info cut.mcap
in_folder b05 expect 0 'LaserScan +82' fathom bag info cutzeros.mcap
for bag in crcmid zstdmid; do in_folder b06 expect 0 'LaserScan +112' fathom bag info "$bag.mcap"; done
in_folder b07 expect 0 'passes over ros1' fathom bag info ros1real.mcap
in_folder b07 fits_not "encoded as 'ros1'; rosbags-convert" ros1real.mcap
in_folder b07 fits_not "encoded as 'rmw_cyclonedds'" cdr_cyclone.db3
in_folder b08 fits_not 'range_max = inf m, which no sensor measures; give --max-range' allinfmax.mcap
in_folder b09 fits 'held-out scans' ok.mcap trinaryflag.yaml
in_folder b10 is_wall comp.pcd
for file in lower waymo; do in_folder b11 is_wall "$file.pcd"; done
in_folder b12 expect 0 'give geometry: collision' fathom simulate scene.yaml --out out
in_folder b13 reads_scene 2 "b_2of3.urdf:2:43: <origin>: xyz = '1 0' is not 3" '{from: b_2of3.urdf}'
in_folder b13 reads_scene 2 'c_linknmae.urdf:1:96: <link>: has no name' '{from: c_linknmae.urdf}'
in_folder b14 reads_scene 0 '1 frame' '{from: robot-description/urdf/a_pkgname_xml.urdf}'
in_folder b15 reads_scene 0 "joint 'j' follows joint 'ghost', which is not there" '{from: robot.urdf}'
in_folder b25 reads_scene 2 'nope.stl' '{from: robot.urdf}'
in_folder b25 reads_scene 0 'nope.stl' '{from: {file: robot.urdf, missing: skip}}'
for bag in x_zstd_pad x_zstd_two; do in_folder b16 expect 0 'LaserScan +120' fathom bag info "$bag.mcap"; done
in_folder b18 reads_mesh '1 vertex of no face is not finite' p_nanvert.ply
in_folder b18 reads_mesh '1 frame' nan.obj
in_folder b19 reads_mesh '2 faces have fewer than 3 corners' twofold.obj
in_folder b20 reads_mesh '64 bytes after the last facet' trail.stl
in_folder b20 reads_mesh '1 frame' asc_bom.stl
in_folder b23 expect 0 '/odom +nav_msgs/msg/Odometry +0' fathom bag info z_zero.mcap
in_folder b24 fits 'held-out scans' tfnan.mcap
