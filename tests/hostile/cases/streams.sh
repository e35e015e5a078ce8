# Full, closed and broken streams, and files that may not grow. Progress is best effort; what a command is for is not.
room_yaml > room.yaml
in_shell() { bash -c "$1"; }  # with the redirections of its own
export -f fathom

expect 0 '^code 0$' in_shell 'fathom simulate room.yaml --out full --frames 300 > /dev/null 2> /dev/full; echo code $?'
expect 0 '^code 0$' in_shell 'fathom simulate room.yaml --out closed --frames 300 > /dev/null 2>&-; echo code $?'
expect 0 '"frames": 300' cat full/summary.json closed/summary.json
same full/lidar/cloud_000299.pcd closed/lidar/cloud_000299.pcd
expect 0 '^code 0$' in_shell 'fathom simulate room.yaml --out pipe --frames 300 2>&1 > /dev/null | true; echo code ${PIPESTATUS[0]}'

for command in --version --help 'beam --help' noise 'sensors --json' 'simulate room.yaml --out said --force'; do
  expect 1 'cannot write to standard output' in_shell "fathom $command > /dev/full"
  expect 1 'cannot write to standard output' in_shell "fathom $command >&-"
done
expect 0 '"frames": 1' cat said/summary.json
expect 0 '^1$' in_shell 'fathom --version <&- >&- 2>&-; echo $?'
expect 0 '^2$' in_shell 'fathom simulate none.yaml --out no 2>&-; echo $?'

expect 1 'File too large' in_shell 'ulimit -f 1; fathom simulate room.yaml --out small'
absent small/summary.json
