# SPDX-License-Identifier: MIT
# A sensor inside the body that carries it says so, on stderr and in the summary.
cat > gripper.yaml << 'END'
scene:
  meshes: {tool: {box: {size_m: [0.2, 0.2, 0.2]}}, floor: {plane: {size_m: [9, 9]}}}
  entities: [{name: floor, mesh: floor}, {name: tool, mesh: tool, position_m: [0, 0, 1]}]
sensors: [{name: depth, preset: D435, width: 64, height: 48, parent: tool, outputs: [npy]}]
END
sentence="all 3072 rays of 'depth' end at 'tool', which carries it, nearer than its least range"
expect 0 "warning: $sentence" fathom simulate gripper.yaml --out gripper
expect 0 "$sentence" cat gripper/summary.json
sed 's/parent: tool,/position_m: [0, 0, 1],/' gripper.yaml > free.yaml
expect 0 'depth' fathom simulate free.yaml --out free
expect 0 '"warnings": \[\]' cat free/summary.json
# What noise carried below the least range is no carrier's fault.
cat > within.yaml << 'YAML'
scene: {meshes: {box: {box: {size_m: [4, 4, 4]}}}, entities: [{name: box, mesh: box}]}
sensors:
  - {name: laser, type: laser_2d, beams: 90, min_azimuth_deg: -90, max_azimuth_deg: 90, min_range_m: 0.1, parent: box,
     noise: [distance: {mean_m: -10}]}
YAML
expect 0 'below_min_range 90' fathom simulate within.yaml --out within
expect 0 '"warnings": \[\]' cat within/summary.json
