# SPDX-License-Identifier: MIT
# apply makes a whole bag of a whole or a torn one, or refuses by name and leaves nothing.
cat > camera.yaml << 'END'
scene:
  meshes: {walls: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: walls, mesh: walls, position_m: [0, 0, 1.5]}]
sensors:
  - {name: camera, type: stereo_camera, width: 120, height: 90, fx: 100, baseline_m: 0.1, position_m: [0, 0, 1.2],
     noise: [], outputs: []}
frames: 60
END
expect 0 'camera' fathom simulate camera.yaml --out run --bag good.mcap
apply() { fathom apply D435 --bag "$1" --topic "${2:-/camera/depth}" --out "${3:-bad.mcap}"; }
expect 0 'good2.mcap: 60 messages with noise, [1-9]' apply good.mcap /camera/depth good2.mcap
expect 0 '' apply good.mcap /camera/depth again.mcap
same good2.mcap again.mcap
expect 0 '/camera/depth .* reads it' fathom bag info good2.mcap

# Torn, damaged, and other files.
size=$(stat -c %s good2.mcap)
for bytes in 0 7 8 100; do
  head -c $bytes good.mcap > cut.mcap
  expect 2 'cut.mcap' apply cut.mcap
done
head -c $((size * 2 / 3)) good2.mcap > torn.mcap
expect 0 'warning: .*torn.mcap: the file ends at byte' apply torn.mcap /camera/depth torn2.mcap
head -c 4096 /dev/urandom > random.mcap
expect 2 'random.mcap: this is no bag' apply random.mcap
printf 'SQLite format 3\0' | cat - random.mcap > random.db3
expect 2 'random.db3: this is no bag of rosbag2' apply random.db3
mkfifo fifo.mcap
expect 2 'fifo.mcap' apply fifo.mcap
mkdir empty
expect 2 'holds no bag' apply empty
expect 2 'none.mcap' apply none.mcap

# Topics, names and places.
expect 2 "has no topic '/camera/dept'; nearest: /camera/depth" apply good.mcap /camera/dept
expect 2 'x1b\[2J' apply good.mcap $'\x1b[2J'
expect 2 '/clock has messages rosgraph_msgs/msg/Clock' apply good.mcap /clock
expect 2 'good.mcap: is read, and the bag would replace it' apply good.mcap /camera/depth good.mcap
expect 2 'bad.db3: bags are written as MCAP' apply good.mcap /camera/depth bad.db3
expect 1 '' bash -c 'ulimit -f 8; "$FATHOM" apply D435 --bag good.mcap --topic /camera/depth --out bad.mcap'
absent bad.mcap bad.db3
