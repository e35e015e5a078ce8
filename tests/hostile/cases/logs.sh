# SPDX-License-Identifier: MIT
# Logs, tables and trajectories as strangers hand them over: packed, padded, torn, endless, or something else.
printf 'image: map.pgm\nresolution: 0.1\norigin: [-2, -2, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n' > map.yaml
{
  echo 'P2 40 40 255'
  for row in {1..40}; do
    for col in {1..40}; do
      if [[ $row == 1 || $row == 40 || $col == 1 || $col == 40 ]]; then printf '0 '; else printf '254 '; fi
    done
    echo
  done
} > map.pgm
printf 'w_hit: 0.75\nw_short: 0.12\nw_max: 0.05\nw_rand: 0.08\nsigma_hit_m: 0.1\nlambda_short_per_m: 0.5\nmax_range_m: 8\n' > model.yaml
score() { fathom score beam --map map.yaml --parameters model.yaml --log "$@"; }
reads() { cat > "$3" && expect "$1" "$2" score "$3"; }  # CODE REGEX FILE, its bytes on stdin
carmen() { printf 'FLASER 180'; printf ' 1.5%.0s' {1..180}; printf ' 0 0 0 0 0 0 1.5 host 0.5\n'; }
csv() { printf 'x_m,y_m,yaw_rad,range_m@0,range_m@1\n0,0,0,1.9,inf\n'; }

carmen > good.log
csv > good.csv
expect 0 'scans +1' score good.log
expect 0 'scans +1' score good.csv
gzip -c good.log | reads 0 'scans +1' good.log.gz
cat good.log.gz good.log.gz | reads 0 'scans +2' two.log.gz

# A file behind the stream of gzip is not passed over in silence; zeros are padding.
{ cat good.log.gz; echo garbage; } | reads 2 'garbage.log.gz:2: 8 bytes that are not gzip follow' garbage.log.gz
{ cat good.log.gz; head -c 4096 /dev/zero; } | reads 0 'scans +1' padded.log.gz
head -c 30 good.log.gz | reads 2 'half.log.gz:1: cut short or damaged' half.log.gz

# Bombs: of zeros, of digits, of lines. 40 members of 8 MiB each inflate a thousandfold.
head -c 40000000 /dev/zero | gzip -9 | reads 2 'zeros.gz:1: a line of more than 16 MiB' zeros.gz
head -c 40000000 /dev/zero | tr '\0' '7' | gzip -9 | reads 2 'digits.gz:1: a line of more than 16 MiB' digits.gz
head -c 8388608 /dev/zero | tr '\0' '\n' | gzip -9 > lines.gz
for member in {1..40}; do cat lines.gz; done > newlines.gz
once expect 2 'newlines.gz: .* bytes inflate to more than 256 MiB, above 200 times their size' score newlines.gz

# A byte order mark is nothing; other encodings and line ends are named.
{ printf '\xef\xbb\xbf'; csv; } | reads 0 'scans +1' bom.csv
printf '\xff\xfex\0_\0m\0' | reads 2 'wide.csv: is in UTF-16; save it as UTF-8' wide.csv
csv | tr '\n' '\r' | reads 2 'mac.csv: its lines end in CR alone' mac.csv
csv | sed 's/$/\r/' | reads 0 'scans +1' dos.csv

# CARMEN: the wrong word, a torn end, other lasers.
carmen | sed 's/1.5/abc/' | reads 2 "word.log:1: a reading = 'abc' is not a number" word.log
{ carmen; printf 'ODOM 1.0 2.'; } | reads 0 'scans +1' torn_odom.log
{ carmen; printf 'FLAS'; } | reads 2 'torn.log:2: the log is cut short' torn.log
{ carmen; printf 'RLASER 2 1 1\nRLASER 2 1 1\n'; carmen; } | reads 0 'note: 2 RLASER lines were passed over' rear.log
expect 0 'note: 2 RLASER lines were passed over' fathom fit beam --map map.yaml --log rear.log --out fit
printf 'RLASER 2 1 1\nROBOTLASER1 0 1\n' > other.log
expect 2 'other.log: has several lasers, RLASER, ROBOTLASER1; give --laser' score other.log
expect 2 'holds no scans .*1 RLASER lines are not read; 1 ROBOTLASER1 lines are not read' score other.log --laser FLASER
expect 2 'other.log:2: the line is cut short before field_of_view' score other.log --laser ROBOTLASER1
{ printf 'PARAM robot_names a,b\n'; carmen; } | reads 0 'scans +1' comma.log
printf 'FLASER 4294967297 1 2 3\n' | reads 2 'huge.log:1: .* is not a number of rays in \[1, 100000\]' huge.log

# CSV: bytes that end a C string, words instead of numbers, commas for points.
for value in '1\x002' 0x10 1e999 'nan(123)' 1d3 1e39; do
  { printf 'x_m,y_m,yaw_rad,range_m@0\n0,0,0,'; printf "$value\n"; } > value.csv
  expect 2 'value.csv:2: a reading = ' score value.csv
done
printf 'x_m,y_m,yaw_rad,range_m@0\n0,5,0,5,0,1,9\n' | reads 2 'decimal.csv:2: 7 values for 4 columns' decimal.csv
printf 'x_m;y_m;yaw_rad;range_m@0\n0;0;0;1\n' > semicolons.csv
expect 2 'semicolons.csv:1: columns are separated by commas, not by semicolons' score semicolons.csv

# What is no file to read.
expect 2 '/dev/zero: is not a file' score /dev/zero
expect 2 '/dev/stdin: is not a file' score /dev/stdin
mkfifo pipe
expect 2 'pipe: is not a file' score pipe
mkdir folder
expect 2 'folder' score folder
: | reads 2 'empty.log: is empty' empty.log

# Poses, expected ranges and pairs are tables too, rays and trajectories go with a scene.
printf '\xef\xbb\xbfexpected_m\n2\n' > expected.csv
expect 0 'reading_m' fathom beam sample --parameters model.yaml --expected expected.csv
room_yaml > room.yaml
printf '\xef\xbb\xbfox,oy,oz,dx,dy,dz\n0,0,0,1,0,0\n' > rays.csv
sed 's/preset: VLP-16/type: ray_table, rays: rays.csv, min_range_m: 0, max_range_m: 10/' room.yaml > rays.yaml
expect 0 'lidar' fathom simulate rays.yaml --out rays
printf 'Time/s,Azimuth/deg,Zenith/deg\n1,0,90\n2,0,1e308\n' > rays.csv
expect 2 'rays.csv:3: Zenith/deg = 1e.308 is not in .0, 180.' fathom simulate rays.yaml --out rays
printf 'Time/s,Azimuth/deg,Zenith/deg\n1,0,90\n' > rays.csv
sed 's/max_range_m: 10/max_range_m: 10, rays_per_frame: 4294967296/' rays.yaml > many.yaml
expect 2 'many.yaml:.*rays_per_frame = 4294967296 is not a whole number in' fathom simulate many.yaml --out rays
printf '\xef\xbb\xbf0 0 0 1 0 0 0 1\n' > path.tum
sed 's/position_m: \[0, 0, 1.2\]/motion: {file: path.tum}/' room.yaml > path.yaml
expect 0 'lidar' fathom simulate path.yaml --out path
