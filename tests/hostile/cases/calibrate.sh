# SPDX-License-Identifier: MIT
# calibrate is right, or refuses by name.
expect 0 'stereo' fathom simulate "$SOURCE_DIR/examples/06_stereo/stereo.yaml" --out stereo \
  --set 'sensors.stereo.noise=[stereo_shadow: {}, texture_loss: {texture: 0.015, midpoint: 0.0158, width: 0.00485}, stereo_energy: {min_energy: 0.18, pow: 14, normalization: threshold}]'
expect 0 '"low_texture": [1-9]' cat stereo/summary.json
expect 0 '^min_energy +0\.1(79|8)' fathom fit pairs stereo --model energy --normalization threshold
expect 0 '^pow +1(3\.[0-9]|4\.)' fathom fit pairs stereo --model energy --normalization threshold
expect 2 'normalization is threshold, not document' fathom fit pairs stereo --model energy
expect 2 'clean_range' fathom fit pairs stereo --model distance
expect 0 'stereo' fathom simulate "$SOURCE_DIR/examples/06_stereo/stereo.yaml" --out filtered --frames 1 \
  --set 'sensors.stereo.filters={hole_filling: left}'
expect 2 'its images have filters' fathom fit pairs filtered --model energy

room_yaml | sed 's/outputs: \[pcd\]/outputs: [{npy: {channels: [range, clean_range]}}]/' > room.yaml
expect 0 'lidar' fathom simulate room.yaml --out good
expect 0 '^stddev_m +0\.0(19|20)' fathom fit pairs good --model distance
sed 's/noise: \[/&{angular_ray: {axis: z, stddev_deg: 0.1}}, /' room.yaml > jitter.yaml
expect 0 'lidar' fathom simulate jitter.yaml --out jitter
expect 2 'angular_ray changes the ranges too' fathom fit pairs jitter --model distance
expect 0 'lidar' fathom simulate room.yaml --out smooth --set 'sensors.lidar.noise.distance.correlation={across_px: 2}'
expect 2 'its draws are correlated' fathom fit pairs smooth --model distance

printf 'range_m,expected_m\n1,1\n2,2\n3,3\n' > exact.csv
expect 0 '^usable: no, because all errors are equal' fathom fit pairs exact.csv --model distance

# Missing and wrong entries of summary.json.
for text in '{}' '[]' 'no' '{"fathom": "x", "sensors": 3}' '{"sensors": [{"name": "lidar"}]}' \
  '{"sensors": [{"name": "lidar", "noise": [3]}]}' '{"sensors": [{"name": "lidar", "noise": [{"model": 1, "stage": []}]}]}'; do
  echo "$text" > good/summary.json
  expect 2 'summary.json' fathom fit pairs good --model distance
done

# Walls.
expect 0 'camera' fathom simulate "$SOURCE_DIR/examples/14_flat_wall/wall.yaml" --out wall --frames 6
once expect 0 '^disparity.stddev_px' fathom fit wall wall/camera --camera 190,190,159.5,99.5,0.05 --max-returns 2000
expect 0 '^distance.stddev_m' fathom fit wall --log wall/laser/scans.csv
printf 'depth' > wall/camera/depth_000003.npy
expect 2 'depth_000003.npy' fathom fit wall wall/camera --camera 190,190,159.5,99.5,0.05 --out wall_fit
absent wall_fit
