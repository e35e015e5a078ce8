# SPDX-License-Identifier: MIT
# Files that are not what they are given for, and formats that lie on their side.
# Robot descriptions, as a mesh and as a scene.
printf '<?xml version="1.0"?>\n<!-- made by hand -->\n<robot name="r"><link name="l"/></robot>\n' > r.urdf
printf '<sdf version="1.6"><world name="w"/></sdf>\n' > w.sdf
printf '<mujoco model="m"/>\n' > m.xml
read_as 2 'r.urdf: is a URDF robot description' r.urdf
read_as 2 'w.sdf: is an SDF description' w.sdf
read_as 2 'm.xml: is an MJCF \(MuJoCo\) description' m.xml
expect 2 'r.urdf: is a URDF robot description' fathom simulate r.urdf --out out
expect 2 'w.sdf: is an SDF description' fathom simulate w.sdf --out out
expect 2 'm.xml: is an MJCF \(MuJoCo\) description' fathom simulate m.xml --out out
absent out

# A wall at x = 5 in a y-up file: up_axis turns it, and an unknown word is refused.
head='ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n'
printf "$head"'element face 1\nproperty list uchar int vertex_indices\nend_header\n5 -2 9\n5 -2 -9\n5 2 -9\n5 2 9\n4 0 1 2 3\n' > wall.ply
read_as 0 '2[67][0-9]' '{file: wall.ply, up_axis: y}'  # 18 m wide
read_as 0 '9[5-9]' '{file: wall.ply, up_axis: z}'       # 4 m wide
read_as 2 'meshes.m.up_axis' '{file: wall.ply, up_axis: w}'
read_as 2 'is not one of: a file name' '{box: {size_m: [1, 1, 1]}, up_axis: y}'

# Strips, and lines that end with \r alone.
printf "$head"'element tristrips 1\nproperty list int int vertex_indices\nend_header\n5 -2 9\n5 -2 -9\n5 2 -9\n5 2 9\n8 0 1 3 2 -1 0 1 2\n' > strips.ply
read_as 0 '9[5-9]' strips.ply
tr '\n' '\r' < wall.ply > cr.ply
read_as 0 '9[5-9]' cr.ply

# What other readers pass over: read, with a note in the summary.
noted() {
  grep -qE "$1" out/summary.json || fail "no note '$1' in the summary"
}
corners='5 -2 9\n5 -2 -9\n5 2 -9\n5 2 9\n'
quad='element face 1\nproperty list uchar int vertex_indices\nend_header\n'
printf "${head/vertex 4/vertex 5}$quad${corners}nan nan nan\n4 0 1 2 3\n" > unused.ply
read_as 0 '9[5-9]' unused.ply
noted 'unused.ply: 1 vertex of no face is not finite'
printf 'v 5 -2 9\nv 5 -2 -9\nv 5 2 -9\nv 5 2 9\nf 1 2\nf 1 2 3 4\n' > thin.obj
read_as 0 '9[5-9]' thin.obj
noted 'thin.obj: 1 face has fewer than 3 corners'
facet() { printf "facet normal 0 0 0\nouter loop\nvertex $1\nvertex $2\nvertex $3\nendloop\nendfacet\n"; }
{
  printf '\xef\xbb\xbfsolid x\n'
  facet '5 -2 9' '5 -2 -9' '5 2 -9'
  facet '5 -2 9' '5 2 -9' '5 2 9'
  printf 'endsolid x\n'
} > marked.stl
read_as 0 '9[5-9]' marked.stl
