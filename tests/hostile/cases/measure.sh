# SPDX-License-Identifier: MIT
# measure depth is right, or refuses by name and leaves nothing.
cat > camera.yaml << 'END'
scene:
  meshes: {walls: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: walls, mesh: walls, position_m: [0, 0, 1.5]}]
sensors:
  - {name: camera, type: stereo_camera, width: 240, height: 180, fx: 200, baseline_m: 0.1, position_m: [0, 0, 1.2],
     noise: [{disparity: {stddev_px: 0.1}}], outputs: [depth_png, {npy: {channels: [depth], lost: nan}}, reason_picture]}
frames: 2
END
expect 0 'camera' fathom simulate camera.yaml --out run
expect 0 '^deviation of disparity, px +0\.(09[5-9]|10[0-4])' fathom measure depth run/camera --focal-baseline 20
expect 0 '"used": [1-9]' bash -c '"$FATHOM" measure depth run/camera --quiet --out good > /dev/null && cat good/measure.json'
expect 2 'exists already' fathom measure depth run/camera --out good
expect 2 'its folder camera does' fathom measure depth run --out bad
expect 2 'is no bag' fathom measure depth run/summary.json --out bad
expect 2 'reason_.*grey picture of 16 bits' fathom measure depth run/camera --files 'reason*' --out bad
expect 2 'holds no file .clean_depth' fathom measure depth run/camera --beyond-reach 6 --out bad
expect 2 'holds no file .reason' fathom measure depth run/camera --beyond-reach reasons --out bad
expect 2 'is not a number' fathom measure depth run/camera --beyond-reach far --out bad
expect 0 '"left_out": [1-9]' fathom measure depth run/camera --mask run/camera/depth_000000.png --json
head -c 100 run/camera/depth_000000.png > mask.png
expect 2 'mask.png' fathom measure depth run/camera --mask mask.png --out bad
expect 2 'masks are an array of uint8 or uint16' fathom measure depth run/camera --mask run/camera/depth_000000.npy --out bad
expect 2 'masks are a grey picture' fathom measure depth run/camera --mask run/camera/reason_000000.png --out bad
mkdir empty cut sizes fifo
expect 2 'holds no depth image' fathom measure depth empty --out bad
for bytes in 0 7 20 100; do
  head -c $bytes run/camera/depth_000000.png > cut/depth_0.png
  expect 2 'depth_0.png' fathom measure depth cut --out bad
  head -c $bytes run/camera/depth_000000.npy > cut/depth_0.npy
  expect 2 'depth_0.npy' fathom measure depth cut --out bad
  rm cut/depth_0.npy
done
cp run/camera/depth_000000.npy sizes/depth_0.npy
sed 's/240/120/; s/180/90/' camera.yaml > small.yaml
expect 0 'camera' fathom simulate small.yaml --out small
cp small/camera/depth_000000.npy sizes/depth_1.npy
expect 2 'depth_1.npy: 120 x 90 pixels, but the first image has 240 x 180' fathom measure depth sizes --out bad
printf '\x93NUMPY\x01\x00\x40\x00%-63s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 64), }" > empty/depth_0.npy
expect 2 'depth_0.npy: depths are an array .* each in \[1, 32768\]' fathom measure depth empty --out bad
mkfifo fifo/depth_0.png
expect 2 'depth_0.png' fathom measure depth fifo --out bad
absent bad
