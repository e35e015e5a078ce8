# SPDX-License-Identifier: MIT
# Ctrl-C is answered in order, wherever a command is: exit 130, one line, whole files only.
room_yaml > room.yaml

# interrupted CONDITION COMMAND...: runs COMMAND, sends SIGINT when CONDITION holds, and ends as it does. A command that
# is not there within 60 s, or does not answer within 10 s (many times what it takes, and less than a frame or a mesh
# takes that is not looked up from), is killed.
answer_s=10
[[ -z ${HOSTILE_SANITIZED:-} ]] || answer_s=60
interrupted() {
  local condition=$1 pid code=0 begin=$SECONDS
  shift
  set -m  # so that the job does not ignore SIGINT
  "$FATHOM" "$@" &
  pid=$!
  set +m
  while kill -0 $pid 2> /dev/null && ! eval "$condition" && ((SECONDS - begin < 60)); do sleep 0.01; done
  kill -INT $pid 2> /dev/null
  begin=$SECONDS
  while kill -0 $pid 2> /dev/null; do
    ((SECONDS - begin <= answer_s)) || kill -KILL $pid
    sleep 0.01
  done
  wait $pid || code=$?
  return $code
}
catches='(0x$(sed -n "s/^SigCgt:[[:space:]]*//p" /proc/$pid/status) >> 1 & 1)'
# The shell that becomes the program catches SIGINT too, until it is the program.
handler="[[ /proc/\$pid/exe -ef \$FATHOM ]] && (( $catches ))"

expect 130 'stopped after' interrupted '[[ -e run/lidar/cloud_000002.pcd ]]' simulate room.yaml --out run --frames 5000
absent run/summary.json

# One frame of 2^22 rays.
room_yaml | sed 's/{name: lidar, preset: VLP-16, .*/{name: c, type: depth_camera, width: 4096, height: 1024, fx: 2000}]/' > big.yaml
expect 130 'stopped' interrupted '[[ -e big ]]' simulate big.yaml --out big
absent big/summary.json

# A mesh that takes a while to read.
{
  printf 'ply\nformat ascii 1.0\nelement vertex 3000000\nproperty float x\nproperty float y\nproperty float z\n'
  printf 'element face 1\nproperty list uchar int vertex_indices\nend_header\n'
  yes '1.25 2.5 3.75' | head -2999998
  printf '0 0 0\n1 0 0\n3 0 2999998 2999999\n'
} > big.ply
printf 'scene: {meshes: {m: big.ply}, entities: [{name: m, mesh: m}]}\nsensors: [{name: s, preset: VLP-16, outputs: []}]\nframes: 100000\n' > mesh.yaml
expect 130 'stopped' interrupted "$handler" simulate mesh.yaml --out mesh
absent mesh/summary.json

{
  echo range_m,expected_m
  yes '1.01,1' | head -1000000
} > pairs.csv
expect 130 'stopped' interrupted "$handler" fit pairs pairs.csv --model distance

# A bag of 2^24 records that say nothing.
printf '\x80\0\0\0\0\0\0\0\0' > records
for ((i = 0; i < 24; ++i)); do cat records records > more && mv more records; done
{ printf '\x89MCAP0\r\n' && cat records; } > large.mcap
expect 130 'stopped' interrupted "$handler" bag info large.mcap
