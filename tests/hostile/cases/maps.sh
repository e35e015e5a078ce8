# SPDX-License-Identifier: MIT
# Maps: other files instead of the YAML, invalid values, images without their end.
printf 'image: map.pgm\nresolution: 0.1\norigin: [-2, -2, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n' > map.yaml
printf 'P5 4 4 255\n\0\0\0\0\0\xfe\xfe\0\0\xfe\xfe\0\0\0\0\0' > map.pgm
printf 'x_m,y_m,yaw_rad,range_m@0\n0,0,0,0.1\n' > log.csv
printf 'w_hit: 0.75\nw_short: 0.12\nw_max: 0.05\nw_rand: 0.08\nsigma_hit_m: 0.1\nlambda_short_per_m: 0.5\nmax_range_m: 8\n' > model.yaml
score() { fathom score beam --map "$1" --parameters model.yaml --log log.csv; }
changed() { sed "$3" map.yaml > changed.yaml && expect "$1" "$2" score changed.yaml; }  # CODE REGEX SED
expect 0 'scans +1' score map.yaml

expect 2 "map.pgm: is an image; give the map's YAML, which names the image: map.yaml" score map.pgm
printf '\x89PNG\r\n\x1a\n' > alone.png
expect 2 "alone.png: is an image; give the map's YAML" score alone.png
gzip -c map.yaml > packed.gz
expect 2 "packed.gz: is compressed \(gzip\); give the map's YAML" score packed.gz
gzip -c map.pgm > map.pgm.gz
changed 2 'map.pgm.gz: is compressed \(gzip\); unpack it' 's/map.pgm/map.pgm.gz/'
room_yaml > room.yaml
expect 2 'room.yaml:1:1: this is a scene, not a map' score room.yaml
expect 2 'model.yaml:1:1: this is the parameters of a beam model, not a map' score model.yaml

changed 2 'changed.yaml:4:9: negate = 2 is not 0 or 1' 's/negate: 0/negate: 2/'
changed 2 "the key 'negate' is there twice" 's/negate: 0/negate: 0\nnegate: 1/'
changed 2 'changed.yaml:2:13: resolution = 0 is not in' 's/resolution: 0.1/resolution: 0/'
changed 2 'image = map.pgm.x00.txt is not a file name' 's/map.pgm/"map.pgm\\0.txt"/'
changed 2 'changed.yaml:2: the line begins with a tab; YAML indents with blanks' 's/resolution/\tresolution/'
changed 2 'image = /dev/zero leads out of the folder of the map' 's/map.pgm/\/dev\/zero/'

# A PNG of 4 x 4 grey pixels, whole and without its end.
base64 -d > map.png << 'END'
iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAAAAACMmsGiAAAAEUlEQVR42mNgAIN//2AEEAAAJ8QD+SylD/AA
AAAASUVORK5CYII=
END
changed 0 'scans +1' 's/map.pgm/map.png/'
head -c -12 map.png > cut.png
sed 's/map.pgm/cut.png/' map.yaml > cut.yaml
expect 2 'cut.png: cut short: the PNG has no end' score cut.yaml
printf 'P5 32769 1 255\n' > wide.pgm
changed 2 'wide.pgm: 32769 x 1 pixels: a side is not in \[1, 32768\]' 's/map.pgm/wide.pgm/'
