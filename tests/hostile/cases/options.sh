# SPDX-License-Identifier: MIT
# Numbers in options are exact or refused; slips are named; an output is never one of the inputs.
room_yaml > room.yaml
for value in -1 18446744073709551616 -18446744073709551615 1.5 0x10 1e3 '1 ' ten nan; do
  expect 2 "--seed = $value is not a whole number" fathom simulate room.yaml --out bad "--seed=$value"
  expect 2 "--frames = $value is not a whole number" fathom simulate room.yaml --out bad "--frames=$value"
  expect 2 "--scan = $value is not a whole number" fathom beam heatmap "--scan=$value"
  expect 2 "--seed = $value is not a whole number" fathom beam sample "--seed=$value"
done
for value in nan -nan inf -inf 0x1p3 1,5 1.5m 1e999; do
  expect 2 "--height = $value is not" fathom fit beam "--height=$value"
  expect 2 "--spacing = $value is not" fathom beam heatmap "--spacing=$value"
done
absent bad
expect 0 '2 frames' fathom simulate room.yaml --out octal --frames 002 --seed 010
expect 0 '"seed": 10,' cat octal/summary.json

expect 2 "'simulte' is no command of fathom; nearest: simulate" fathom simulte room.yaml
expect 2 "nearest: --out" fathom simulate room.yaml -o out
expect 2 "see fathom fit beam --help" fathom fit beam
expect 0 "Usage: fathom simulate" fathom help simulate
expect 0 "VLP-16:" fathom sensors vlp16
expect 0 "distance:" fathom noise DISTANCE
expect 0 '1 frame, ' fathom simulate room.yaml --out one

printf 'P2\n4 4\n255\n0 0 0 0\n0 254 254 0\n0 254 254 0\n0 0 0 0\n' > map.pgm
printf 'image: map.pgm\nresolution: 1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n' > map.yaml
printf 'w_hit: 0.7\nw_short: 0.1\nw_max: 0.1\nw_rand: 0.1\nsigma_hit_m: 0.1\nlambda_short_per_m: 0.5\nmax_range_m: 5\n' > p.yaml
printf '# max_range_m: 5\nx_m,y_m,yaw_rad,range_m@0,range_m@1\n2,2,0,1,1\n2,2,1,1,1\n' > scans.csv
cp scans.csv kept.csv
ln scans.csv twin.png
for out in scans.csv map.yaml map.pgm p.yaml ./scans.csv twin.png; do
  expect 2 'is an input too' fathom score beam --map map.yaml --log scans.csv --parameters p.yaml --out "$out" --force
done
expect 2 'is an input too' fathom beam heatmap --map map.yaml --log scans.csv --scan 0 --parameters p.yaml --out twin.png --force
expect 2 'name it .png' fathom beam heatmap --map map.yaml --log scans.csv --scan 0 --parameters p.yaml --out x.jpg
same scans.csv kept.csv
absent x.jpg

# Nor is it a mesh that the scene names.
printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n' > wall.ply
printf 'property list uchar int vertex_indices\nend_header\n3 -9 -9\n3 9 -9\n3 0 9\n3 0 1 2\n' >> wall.ply
mkdir -p own/lidar
cp wall.ply own/lidar/cloud_000000.ply
cp wall.ply kept.ply
printf '{"asset": {"version": "2.0"}, "buffers": [{"uri": "wall.bin", "byteLength": 36}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}], "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3,
 "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0}' > wall.gltf
printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80?\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80?\0\0\0\0' > wall.bin
cp wall.bin kept.bin
for mesh in wall.ply wall.gltf own/lidar/cloud_000000.ply; do
  printf 'scene: {meshes: {w: %s}, entities: [{name: w, mesh: w}]}\n' "$mesh" > "${mesh##*/}.yaml"
  printf 'sensors: [{name: lidar, preset: VLP-16, outputs: [ply]}]\n' >> "${mesh##*/}.yaml"
done
score='fathom score beam --log scans.csv --parameters p.yaml --force'
expect 2 'wall.ply: is an input too' $score --scene wall.ply.yaml --out wall.ply
expect 2 'wall.bin: is an input too' $score --scene wall.gltf.yaml --out wall.bin
expect 2 'cloud_000000.ply: is an input too' fathom simulate cloud_000000.ply.yaml --out own --force
same wall.ply kept.ply
same wall.bin kept.bin
same own/lidar/cloud_000000.ply kept.ply

# Names go to the terminal as they can be read.
escaped() { fathom "$@" | LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]' > escapes; test ! -s escapes; }
cp room.yaml $'r\x1b[2J.yaml'
expect 0 '\\x1b\[2J' fathom simulate room.yaml --out $'o\x1b[2J'
expect 0 '' escaped simulate room.yaml --out $'o\x1b[2J' --force
expect 0 '' escaped check $'r\x1b[2J.yaml'

for flag in --json --quiet --help; do expect 2 "$flag takes no value" fathom check room.yaml "$flag=0"; done
expect 2 '--force takes no value' fathom simulate room.yaml --out x --force=maybe
expect 2 '--seed needs a value' fathom check room.yaml --seed
expect 2 '--seed needs a value' fathom check room.yaml --seed=
expect 0 '"frames": 1' fathom check room.yaml --json --quiet
