# SPDX-License-Identifier: MIT
# OBJ of strangers: words instead of numbers, and names of files.
obj_as() {  # <code> <regex>: of m.obj on stdin
  cat > m.obj
  read_as "$1" "$2" m.obj
}

printf 'v 5.9 -3.9 -1\nv 5.9 3.9 -1\nv 5.9 0 4\nf 1 2 3\n' | obj_as 0 '[1-9][0-9]*'
printf 'v 5.9 -3.9 -1\rv 5.9 3.9 -1\rv 5.9 0 4\rf 1 2 3\r' | obj_as 0 '[1-9][0-9]*'
printf 'v 5,9 -3,9 -1\nv 5,9 3,9 -1\nv 5,9 0 4\nf 1 2 3\n' | obj_as 2 "m.obj:1: v: number 1: '5,9' is not a number"
printf 'v five -3 -1\nv 5 3 -1\nv 5 0 4\nf 1 2 3\n' | obj_as 2 "m.obj:1: v: number 1: 'five' is not a number"
printf 'v 5 -3 -1\nv 5 3\nv 5 0 4\nf 1 2 3\n' | obj_as 2 'm.obj:2: a vertex of 2 numbers: 3 are needed'
printf 'v 5 -3 -1\nv 5 3 -1\nv 5 0 4\nf 1 2 9\n' | obj_as 2 'm.obj:4: f: vertex index 9 is not in \[1, 3\]'

# A library of materials is not opened: a pipe without a writer would wait for ever.
mkfifo materials.mtl
printf 'mtllib materials.mtl\nmtllib ../../../../etc/passwd\nv 5 -3 -1\nv 5 3 -1\nv 5 0 4\nf 1 2 3\n' | obj_as 0 '[1-9][0-9]*'
printf 'call other.obj\nv 5 -3 -1\nv 5 3 -1\nv 5 0 4\nf 1 2 3\n' | obj_as 2 "m.obj:1: 'call' is not understood"
