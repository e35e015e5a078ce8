# SPDX-License-Identifier: MIT
# Pictures whose legends hold what a stranger writes.

scene_of() {  # <name of the entity> <outputs>
  printf 'scene: {meshes: {m: {box: {size_m: [8, 6, 3]}}}, entities: [{name: "%s", mesh: m}]}\n' "$1"
  printf 'sensors: [{name: s, preset: RPLIDAR-A2, outputs: [%s]}]\n' "$2"
}
all='range_image: {color: entity}, birds_eye: {color: entity}, birds_eye, range_image'

is_png() {
  local file
  for file in "$@"; do expect 0 'PNG' head -c 8 "$file"; done
}

n=0
for name in 'Stühle \u6905' 'a\x1b[31mred\x07' '\u202Eright to left' "$(head -c 200000 /dev/zero | tr '\0' W)"; do
  n=$((n + 1))
  scene_of "$name" "$all" > s.yaml
  expect 0 '' fathom simulate s.yaml --out "o$n"
  is_png "o$n"/s/{range_image,birds_eye}{,_entity}_000000.png
done

# A name that is no UTF-8: drawn, or refused as YAML, and nothing worse.
scene_of "$(printf 'x\xff\xfey')" "$all" > s.yaml
fathom simulate s.yaml --out o5 > /dev/null 2> /dev/null
code=$?
expect 0 'ended well' bash -c "[[ $code == 0 || $code == 2 ]] && echo ended well"

# Without a return there is nothing to scale by.
scene_of far "$all" | sed 's/mesh: m/mesh: m, position_m: [1000, 0, 0]/' > s.yaml
expect 0 '' fathom simulate s.yaml --out o6
is_png o6/s/range_image_000000.png

# A rosette is seen by angles, with a legend and without.
scene_of walls 'range_image, range_image: {color: reason, legend: false}' | sed 's/RPLIDAR-A2/Mid-40/' > s.yaml
expect 0 '' fathom simulate s.yaml --out o7
is_png o7/s/range_image{,_reason}_000000.png

scene_of walls 'range_image: {legend: maybe}' > s.yaml
expect 2 'legend = maybe is not' fathom simulate s.yaml --out o8
absent o8
