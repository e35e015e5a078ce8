# SPDX-License-Identifier: MIT
# Whose an output folder is.
room_yaml > room.yaml

# Two runs at once into one new folder: one is done, the other refused, and the files are all of one seed.
for seed in 1 2; do expect 0 lidar fathom simulate room.yaml --out "of_$seed" --seed $seed --frames 3; done
race() {
  local k codes seed
  for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
    rm -rf shared first second
    [[ $1 == new ]] || mkdir shared
    for seed in 1 2; do
      (fathom simulate room.yaml --out shared --seed $seed --frames 3 > /dev/null 2> "err_$seed"; echo $? > "code_$seed") &
    done
    wait
    codes=$(cat code_1 code_2 | sort | tr '\n' ' ')
    [[ $codes == "0 2 " ]] || { echo "codes $codes"; return 1; }
    seed=1
    [[ $(cat code_1) == 0 ]] || seed=2
    diff -r of_$seed/lidar shared/lidar > /dev/null || { echo "files of two seeds"; return 1; }
    grep -q "\"seed\": $seed" shared/summary.json || { echo "summary of another seed"; return 1; }
    grep -qE 'exists already|another run' err_$((3 - seed)) || { cat err_$((3 - seed)); return 1; }
  done
  echo "one each"
}
expect 0 'one each' race new
expect 0 'one each' race empty

# --force does not enter the folder of a running run (stopped here, so that it does not end or fill the disk). The lock of
# a killed run is gone.
"$FATHOM" simulate room.yaml --out busy --frames 1000 > /dev/null 2>&1 &
until [[ -e busy/lidar/cloud_000001.pcd ]] || ! kill -0 $! 2> /dev/null; do sleep 0.01; done
kill -STOP $!
expect 2 'another run is writing into this folder' fathom simulate room.yaml --out busy --force
expect 2 'exists already' fathom simulate room.yaml --out busy
kill -KILL $!
wait $! 2> /dev/null
# Interrupted, and run again: the old files go, the user's stay.
echo mine > busy/lidar/mine.txt
expect 0 'lidar' fathom simulate room.yaml --out busy --seed 1 --frames 3 --force
rm busy/lidar/mine.txt
alike() { diff -r "$1" "$2" && echo alike; }
expect 0 'alike' alike of_1/lidar busy/lidar
absent busy/unfinished.txt

# An empty folder needs no --force, another folder does, and a file is refused.
mkdir empty full
echo mine > full/mine.txt
expect 0 'lidar' fathom simulate room.yaml --out empty
expect 2 'exists already; force \(--force\) replaces what an earlier run wrote' fathom simulate room.yaml --out full
expect 2 'not a folder' fathom simulate room.yaml --out room.yaml --force
absent full/lidar full/unfinished.txt

# Records of others.
mkdir victim out
echo precious > victim/cloud_000001.pcd
printf 'my notes\n' > out/unfinished.txt
expect 2 'not written by fathom' fathom simulate room.yaml --out out --force
printf 'fathom: this run is not complete. The files below are its own; [a-b] stands for the numbers of its frames.\n../victim/cloud_[000000-000009].pcd\n' > out/unfinished.txt
expect 2 'not a file inside the folder' fathom simulate room.yaml --out out --force
expect 0 precious cat victim/cloud_000001.pcd

# Ways through folders that do not exist yet, and links in circles.
cp room.yaml kept.yaml
expect 2 'new/../room.yaml: is read, and the bag would replace it' fathom simulate room.yaml --out new --bag new/../room.yaml
same room.yaml kept.yaml
cp of_1/lidar/cloud_000000.pcd c.pcd
expect 2 'is a clean file' fathom apply VLP-16 c.pcd --out "none/../../$(basename "$PWD")"
same c.pcd of_1/lidar/cloud_000000.pcd
absent new none
ln -s circle circle
expect 2 'circle: exists and is not a folder' fathom apply VLP-16 c.pcd --out circle
expect 1 'c.pcd/x: Not a directory' fathom apply VLP-16 c.pcd --out c.pcd/x
expect 2 'circle: exists and is not a folder' fathom simulate room.yaml --out circle --environments 0:2

# Names.
long=$(printf 'a%.0s' {1..300})
expect 2 'output folder \(--out\).*name too long' fathom simulate room.yaml --out "$long"
expect 1 '/a+: cannot be made: File name too long' fathom simulate room.yaml --out "$PWD/$long" --environments 0:2
expect 2 'output folder \(--out\).*name too long' fathom simulate room.yaml --out "$long" --force
sed 's/^sensors: \[\(.*\)\]$/sensors: [\1, {name: Lidar, preset: VLP-16}]/' room.yaml > twins.yaml
expect 2 "'Lidar' differs from 'lidar' in case only" fathom simulate twins.yaml --out twins
absent "$long" twins
