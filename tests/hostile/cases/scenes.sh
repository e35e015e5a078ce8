# SPDX-License-Identifier: MIT
# Scene files made to exhaust memory, the stack or the reader's patience, and what is no scene file at all.
room_yaml > room.yaml
with() { cat room.yaml > bad.yaml; printf '%b\n' "$1" >> bad.yaml; }
simulate() { fathom simulate "$1" --out out; }
reads() { cat > "$3" && expect "$1" "$2" simulate "$3"; }  # CODE REGEX FILE, its bytes on stdin
refused() { with "$1"; expect 2 "bad.yaml:$2" simulate bad.yaml; }

# Aliases that grow by nine at every step, nesting, anchors.
{
  echo 'a: &a [x, x, x, x, x, x, x, x, x]'
  before=a
  for name in b c d e f g h i; do
    echo "$name: &$name [*$before, *$before, *$before, *$before, *$before, *$before, *$before, *$before, *$before]"
    before=$name
  done
} | reads 2 'laughs.yaml:7:.*: more than 2000000 values, aliases counted' laughs.yaml
refused 'seed: &a [*a]' '6:11: an alias inside its own anchor never ends'
for part in '{' '- ' '? '; do
  for ((i = 0; i < 100000; ++i)); do printf %s "$part"; done > deep.yaml
  expect 2 'deep.yaml:1:[0-9]+: lists and maps are nested more than 64 deep' simulate deep.yaml
done
truncate -s 17M large.yaml
expect 2 'large.yaml: 17825792 bytes, above the limit of 16777216' simulate large.yaml

# YAML that other programs read differently, and words instead of numbers.
refused 'seed: 1\nseed: 2' "7:1: the key 'seed' is there twice; the first is on line 6"
refused '<<: {rate_hz: 5}' '6:1: << is not a known key'
refused 'rate_hz: !!float 5' '6:10: the YAML tag'
refused '---\nrate_hz: 5' '7:1: a second document'
refused '? [a, b]\n: 1' '6:3: a key must be a word or a number'
refused 'null: 1' '6:1: a key must be a word or a number'
refused 'seed: 0x10' '6:7: seed = 0x10 is not a whole number'
refused 'seed: 1e3' '6:7: seed = 1e3 is not a whole number'
refused 'rate_hz: 1e999' '6:10: rate_hz = 1e999 is not a number'
refused 'rate_hz: 1,5' '6:10: rate_hz = 1,5 is not a number'
refused 'rate_hz: nan(123)' '6:10: rate_hz = nan\(123\) is not a number'
refused 'seed: 1 \0 2' '6:9: the control character 0x00'

# Marks and line ends of other systems.
{ printf '\xef\xbb\xbf'; cat room.yaml; } > bom.yaml
expect 0 'lidar' fathom simulate bom.yaml --out bom
sed 's/$/\r/' room.yaml > dos.yaml
expect 0 'lidar' fathom simulate dos.yaml --out dos
tr '\n' '\r' < room.yaml | reads 2 'mac.yaml: its lines end in CR alone' mac.yaml
printf '\xff\xfes\0c\0' | reads 2 'wide.yaml:1:.*control character 0x00; is this a text file in UTF-8' wide.yaml
gzip -c room.yaml | reads 2 'packed.yaml:1:1: the control character 0x1f' packed.yaml
: | reads 2 'empty.yaml: is empty' empty.yaml
printf '\xef\xbb\xbf' | reads 2 "mark.yaml:1:1: the key 'scene' is missing" mark.yaml

# What is no file, as the scene and inside it.
for file in /dev/zero /dev/stdin /dev/null; do
  expect 2 "$file: is not a file" simulate $file
  sed "s|preset: VLP-16|type: ray_table, rays: $file, min_range_m: 0, max_range_m: 5|" room.yaml > bad.yaml
  expect 2 "bad.yaml:4:.*sensors.lidar.rays: $file: is not a file" simulate bad.yaml
  sed "s|{box: {size_m: .8, 6, 3.}}|$file|" room.yaml | reads 2 "bad.yaml:2:.*scene.meshes.walls.*: $file: is not a file" bad.yaml
  sed "s|{box: {size_m: .8, 6, 3.}}|{grid_map: {file: $file, height_m: 2}}|" room.yaml > bad.yaml
  expect 2 "bad.yaml:2:.*grid_map.file: $file: is not a file" simulate bad.yaml
done
mkfifo pipe
expect 2 'pipe: is not a file' simulate pipe
expect 2 'is a folder, not a file' simulate /
sed 's|{box: {size_m: .8, 6, 3.}}|"room.obj\\0.txt"|' room.yaml | reads 2 'room.obj.x00.txt is not a file name' bad.yaml
if [[ $(id -u) != 0 ]]; then
  chmod 0 room.yaml
  expect 2 'room.yaml: cannot read' simulate room.yaml
fi
absent out
