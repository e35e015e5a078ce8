# SPDX-License-Identifier: MIT
# A sensor inside the body that carries it is reported on stderr and in the summary.
cat > gripper.yaml << 'END'
scene:
  meshes: {tool: {box: {size_m: [0.2, 0.2, 0.2]}}, floor: {plane: {size_m: [9, 9]}}}
  entities: [{name: floor, mesh: floor}, {name: tool, mesh: tool, position_m: [0, 0, 1]}]
sensors: [{name: depth, preset: D435, width: 64, height: 48, parent: tool, see_parent: true, noise: [], outputs: [npy]}]
END
sentence="all 3072 rays of 'depth' end at 'tool', which carries it, nearer than its least range"
expect 0 "warning: $sentence" fathom simulate gripper.yaml --out gripper
expect 0 "$sentence" cat gripper/summary.json
sed 's/parent: tool, see_parent: true,/position_m: [0, 0, 1],/' gripper.yaml > free.yaml
expect 0 'depth' fathom simulate free.yaml --out free
expect 0 '"warnings": \[\]' cat free/summary.json
# It ignores the body that carries it, unless see_parent is true.
sed 's/see_parent: true, //' gripper.yaml > blind.yaml
expect 0 'miss 1 984' fathom simulate blind.yaml --out blind
expect 0 '"warnings": \[\]' cat blind/summary.json
sed 's/parent: tool, see_parent/see_parent/' gripper.yaml > orphan.yaml
expect 2 'orphan.yaml:4:.*see_parent = true needs a parent' fathom simulate orphan.yaml --out orphan
# Noise below the least range is not reported as a carrier.
cat > within.yaml << 'YAML'
scene: {meshes: {box: {box: {size_m: [4, 4, 4]}}}, entities: [{name: box, mesh: box}]}
sensors:
  - {name: laser, type: laser_2d, rays: 90, min_azimuth_deg: -90, max_azimuth_deg: 90, min_range_m: 0.1, parent: box,
     see_parent: true, noise: [distance: {mean_m: -10}]}
YAML
expect 0 'below_min_range 90' fathom simulate within.yaml --out within
expect 0 '"warnings": \[\]' cat within/summary.json
