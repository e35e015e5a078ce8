# SPDX-License-Identifier: MIT
# A preset takes calibrated intrinsics, in any of their forms; what contradicts itself names both keys.
camera() {
  room_yaml | sed "s/preset: VLP-16/preset: D435, $1/; s/outputs: .pcd./outputs: [depth_png]/" > camera.yaml
}
taken() { camera "$1" && expect 0 'lidar' fathom simulate camera.yaml --out "$2"; }
refused() { camera "$1" && expect 2 "$2" fathom simulate camera.yaml --out bad; }
taken 'width: 64, height: 36, fx: 32.2' fx
taken 'width: 64, height: 36, fx: 32.2, fy: 32.3, principal_point_px: [31.5, 17.5]' fy
taken 'width: 64, height: 36, focal_length_mm: 10, horizontal_aperture_mm: 20' lens
taken 'width: 64, height: 36, fx: 32.2, horizontal_fov_rad: 0' by_hand
same fx/lidar/depth_000000.png by_hand/lidar/depth_000000.png
camera 'width: 64, height: 36'
expect 0 'lidar' fathom simulate camera.yaml --out set --set sensors.lidar.fx=32.2
same fx/lidar/depth_000000.png set/lidar/depth_000000.png
taken 'width: 64, height: 36, left_camera: {}, right_camera: {position_m: [0, -0.06, 0]}' poses

refused 'width: 64, height: 36, fx: 32.2, horizontal_fov_deg: 87' 'horizontal_fov_deg = 87 and fx are both given'
refused 'baseline_m: 0.05, left_camera: {}, right_camera: {}' 'left_camera = .* and baseline_m are both given'
refused 'fy: 322' 'fy of a depth camera needs fx \(the preset D435 gives all other values\)'
refused 'width: 64, height: 36, fx: 32, cx: 31.5' \
  'cx = 31.5 is not a key of a stereo_camera; give principal_point_px: \[cx, cy\]'
absent bad
