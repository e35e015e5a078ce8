# SPDX-License-Identifier: MIT
# Places and sizes near and beyond the limits: refused by line, or cast; never an abort.
scene() { # POSITION_OF_ENTITY KEYFRAME_OF_SENSOR SCALE
  cat << END
scene:
  meshes: {w: {box: {size_m: [8, 6, 3]}}}
  entities:
    - {name: w, mesh: w, position_m: $1, scale: $3}
    - {name: c, mesh: w, position_m: $1, parent: w}
sensors: [{name: s, type: laser_2d, rays: 8, min_azimuth_deg: -90, max_azimuth_deg: 90, rolling: true,
  motion: {keyframes: [{time_s: 0}, {time_s: 0.1, position_m: $2}]}}]
END
}
try() { # CODE REGEX POSITION KEYFRAME SCALE
  rm -rf o
  scene "$3" "$4" "$5" > s.yaml
  expect "$1" "$2" fathom simulate s.yaml --out o
  [[ $1 == 0 ]] || absent o
}
origin='[0, 0, 0]'
for far in 1e18 1e19 1e30 1e300 -1e19; do
  try 2 's\.yaml:7:.*position_m.* is not in' "$origin" "[$far, 0, 0]" 1
  try 2 's\.yaml:4:.*position_m.* is not in' "[0, $far, 0]" "$origin" 1
done
for near in 1e9 -1e9 1e-320 4.9e-324 1e-38; do try 0 '^s +8 ' "$origin" "[$near, 0, 0]" 1; done
for near in 3e8 1e-320; do try 0 '^s +8 ' "[$near, 0, $near]" "$origin" 1; done
try 2 's\.yaml:5:.*add up to' "[9e8, 0, 0]" "$origin" 1
try 2 's\.yaml:4:.*scale' "$origin" "$origin" 1e30
try 0 '^s +8 ' "$origin" "$origin" 1e6
try 0 '^s +8 ' "$origin" "[1e9, 1e9, 1e9]" '[1e6, 1e-6, -1e6]'
printf 'v 0 0 0\nv 1e10 0 0\nv 0 1 0\nf 1 2 3\n' > far.obj
printf 'v 0 0 0\nv 1e8 0 0\nv 0 1 0\nf 1 2 3\n' > long.obj
mesh() { sed "s/w: {box: .*}}}/w: $1}/" < <(scene "$origin" "$origin" "$2") > m.yaml; }
mesh far.obj 1
expect 2 'vertex 1 = 1' fathom simulate m.yaml --out m
mesh long.obj 100
expect 2 'scaled, mesh .w. reaches' fathom simulate m.yaml --out m
absent m
mesh long.obj 1
expect 0 '^s +8 ' fathom simulate m.yaml --out m

# 20 000 entities, each on the one before. Where each looks for all the others they take 8 s, else half a second.
{
  echo 'scene: {meshes: {w: {box: {size_m: [8, 6, 3]}}}, entities: ['
  echo '{name: e0, mesh: w, motion: {keyframes: [{time_s: 0}, {time_s: 0.1, position_m: [1, 0, 0]}]}}'
  for ((i = 1; i < 20000; ++i)); do echo ",{name: e$i, mesh: w, parent: e$((i - 1))}"; done
  echo ']}'
  echo 'sensors: [{name: s, type: laser_2d, rays: 8, min_azimuth_deg: -90, max_azimuth_deg: 90, outputs: []}]'
} > deep.yaml
HOSTILE_SECONDS=${HOSTILE_SECONDS:-6} expect 0 '^s +8 ' fathom simulate deep.yaml --out deep

# A map of single cells, which cannot be joined to larger blocks.
printf '\001\376%.0s' {1..2048} > rows
printf '\376\001%.0s' {1..2048} >> rows
for _ in {1..11}; do cat rows rows > more && mv more rows; done
{ printf 'P5\n4096 4096\n255\n'; cat rows; } > board.pgm
printf 'image: board.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n' > board.yaml
cat > raised.yaml << 'END'
scene: {meshes: {w: {grid_map: {file: board.yaml, height_m: 1}}}, entities: [{name: w, mesh: w}]}
sensors: [{name: s, preset: VLP-16}]
END
once expect 2 'raised\.yaml:1:.*board\.yaml.*triangles, more than 16777216' fathom simulate raised.yaml --out raised
absent raised
