# SPDX-License-Identifier: MIT
# What an error says may go to a terminal, is short, and names what is wrong and what would be right.
room_yaml > room.yaml
with() { room_yaml | sed "$1" > bad.yaml; }
simulate() { fathom simulate "$@" --out out; }
refused() { with "$1" && expect 2 "$2" simulate bad.yaml; }

# Control characters, of files and of arguments.
refused 's/preset: VLP-16/type: "a\\x1b[31mred\\x07"/' "no kind of sensor 'a.x1b\[31mred.x07'"
refused 's/name: lidar/name: "a\\0b"/' 'sensors.a.x00b'
refused 's/name: lidar/name: "a\\u202eb\\u009bc"/' 'u202eb.u009bc'
expect 2 'x1b\[2Jx: no such file' simulate $'\x1b[2Jx'
expect 2 'xffx: no such file' simulate $'\xffx'
expect 2 'x1b\[2J' fathom simulate room.yaml --out out $'--\x1b[2J'
expect 2 'x1b\[2J' fathom simulate room.yaml --out out --set $'frames=\x1b[2J'
printf 'image: m.pgm\nresolution: 0.1\norigin: [-2, -2, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n' > m.yaml
printf 'P2 2 2 255 0 0 254 254\n' > m.pgm
printf 'x_m,y_m,yaw_rad,range_m@0\n1,2,3,4\0005\n' > nul.csv
expect 2 "nul.csv:2: a reading = '4.x005' is not a number" fathom fit beam --map m.yaml --log nul.csv --out out
refused 's/VLP-16/Bücher 中文/' "no sensor preset 'Bücher 中文'"

# A value of 1 MB is shortened, and no near word is looked for.
long=$(head -c 1000000 /dev/zero | tr '\0' x)
{ printf 'sensors: [{name: lidar, preset: '; printf %s "$long"; printf '}]\nscene: {meshes: {}, entities: []}\n'; } > long.yaml
expect 2 "no sensor preset 'xxx.*\.\.\. \(1000[0-9]+ bytes\) \.\.\." simulate long.yaml
expect 2 'xxx\.\.\. \([0-9]+ bytes\) \.\.\.xxx.* is not a known key' simulate room.yaml --set "${long:0:100000}=1"
{ printf 'x_m,y_m,yaw_rad,range_m@0\n1,2,3,'; printf '%s\n' "$long"; } > long.csv
expect 2 "long.csv:2: a reading = 'xxx.* is not a number" fathom fit beam --map m.yaml --log long.csv --out out

# Words that are almost right, or right elsewhere.
refused 's/distance: {stddev_m: 0.02}/distnce: {stddev_m: 0.02}/' \
  "sensors.lidar.noise.distnce is not a known noise model \(nearest known: 'distance'\)"
refused 's/distance: {stddev_m: 0.02}/beam_mixture: {w_hit: {uniform: [0, 1]}}/' \
  'beam_mixture.w_hit = \{uniform: \[0, 1\]\} cannot be a range'
refused 's/position_m: \[0, 0, 1.5\]/position_m: [{uniform: [-0.3, 0.3]}, 0, 0]/' \
  'position_m.0 = \{uniform: \[-0.3, 0.3\]\} is a range; only numbers of noise models and of sensors, pose_offset and reflectivity can be ranges'
refused 's/size_m: \[8, 6, 3\]/size_m: {uniform: [1, 2]}/' 'size_m = \{uniform: \[1, 2\]\} is a range'
refused 's/\(position_m: \[0, 0, 1.5\]\)/\1, reflectivity: {uniform: [0, 2]}/' \
  'reflectivity.uniform.1 = 2 is not in \[0, 1\]'
with 's/ noise: .*}}\],//'
expect 2 'sensors.lidar has no noise; set the list as a whole' simulate bad.yaml --set sensors.lidar.noise.distance.stddev_m=0.2
expect 0 'lidar' fathom simulate bad.yaml --out list --set 'sensors.lidar.noise=[distance: {stddev_m: 0.2}]'
room_yaml | sed 's/^  meshes/\tmeshes/' > bad.yaml
expect 2 'bad.yaml:2: the line begins with a tab; YAML indents with blanks' simulate bad.yaml

# Files of another kind.
printf 'image: map.pgm\nresolution: 0.1\norigin: [0, 0, 0]\n' > map.yaml
printf 'w_hit: 1\n' > model.yaml
expect 2 'map.yaml:1:1: this is a map, not a scene' simulate map.yaml
expect 2 'model.yaml:1:1: this is the parameters of a beam model, not a scene' simulate model.yaml
expect 2 'room.yaml:1:1: this is a scene, not a map' fathom fit beam --map room.yaml --log nul.csv --out out
expect 2 'room.yaml:1:1: this is a scene, not the parameters of a beam model' \
  fathom score beam --scene room.yaml --parameters room.yaml --log nul.csv
absent out
