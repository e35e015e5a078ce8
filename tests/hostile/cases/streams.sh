# SPDX-License-Identifier: MIT
# Full, closed and broken streams, and files that may not grow. Progress is best effort; what a command is for is not.
room_yaml > room.yaml
in_shell() { bash -c "$1"; }  # with its own redirections
export -f fathom

# Slow frames that leave little on disk, and enough of them to show progress. One thread takes as long
# with less work.
sed 's/^sensors: \[.*/sensors: [{name: slow, preset: OS1-128, outputs: []}, {name: quick, preset: RPLIDAR-A2, outputs: [pcd]}]/' room.yaml > long.yaml
frames=8
shows_progress() {
  fathom simulate long.yaml --threads 1 --out control --force --frames $frames > /dev/null 2> shown
  grep -q '^frame ' shown
}
until shows_progress || ((frames > 1000000)); do frames=$((frames * 2)); done
expect 0 '^frame [0-9]+/' cat shown
export long="fathom simulate long.yaml --threads 1 --frames $frames"

expect 0 '^code 0$' in_shell '$long --out full > /dev/null 2> /dev/full; echo code $?'
expect 0 '^code 0$' in_shell '$long --out closed > /dev/null 2>&-; echo code $?'
expect 0 '^code 0$' in_shell '$long --out pipe 2>&1 > /dev/null | true; echo code ${PIPESTATUS[0]}'
expect 0 "\"frames\": $frames," cat full/summary.json
for out in full closed pipe; do expect 0 '' diff -r control/quick $out/quick; done

for command in --version --help 'beam --help' noise 'sensors --json' 'simulate room.yaml --out said --force'; do
  expect 1 'cannot write to standard output' in_shell "fathom $command > /dev/full"
  expect 1 'cannot write to standard output' in_shell "fathom $command >&-"
done
expect 0 '"frames": 1' cat said/summary.json
expect 0 '^1$' in_shell 'fathom --version <&- >&- 2>&-; echo $?'
expect 0 '^2$' in_shell 'fathom simulate none.yaml --out no 2>&-; echo $?'

expect 1 'File too large' in_shell 'ulimit -f 1; fathom simulate room.yaml --out small'
absent small/summary.json
