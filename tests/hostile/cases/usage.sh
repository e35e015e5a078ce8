# SPDX-License-Identifier: MIT
# The frame of it all: a good run is 0, bad input 2, and nothing is left behind.
room_yaml > room.yaml
expect 0 'lidar' fathom simulate room.yaml --out good
expect 2 'missing.yaml' fathom simulate missing.yaml --out bad
absent bad
