# Files that are not what they are given for, and formats that lie on their side.
scene() {
  cat > scene.yaml << END
scene: {meshes: {m: $1}, entities: [{name: m, mesh: m}]}
sensors: [{name: s, preset: RPLIDAR-A2}]
END
}
# read_as CODE REGEX MESH: how a scene with this mesh is answered.
read_as() {
  rm -rf out
  scene "$3"
  expect "$1" "$2" fathom simulate scene.yaml --out out
  [[ $1 == 0 ]] || absent out
}

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

# A wall at x = 5 as a y-up file has it: obeyed by up_axis, and refused where the word is none.
head='ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n'
printf "$head"'element face 1\nproperty list uchar int vertex_indices\nend_header\n5 -2 9\n5 -2 -9\n5 2 -9\n5 2 9\n4 0 1 2 3\n' > wall.ply
read_as 0 'hits' '{file: wall.ply, up_axis: y}'
read_as 2 'meshes.m.up_axis' '{file: wall.ply, up_axis: w}'
read_as 2 'is not one of: a file name' '{box: {size_m: [1, 1, 1]}, up_axis: y}'

# Strips, and lines that end with \r alone.
printf "$head"'element tristrips 1\nproperty list int int vertex_indices\nend_header\n5 -2 9\n5 -2 -9\n5 2 -9\n5 2 9\n8 0 1 3 2 -1 0 1 2\n' > strips.ply
read_as 0 'hits' strips.ply
tr '\n' '\r' < wall.ply > cr.ply
read_as 0 'hits' cr.ply

# A file of 2 GB (of zeros, which take no disk) with memory for less: the system's failure, and the file is named.
in_little() { (ulimit -v 1500000 && fathom "$@"); }
if in_little --version > /dev/null 2>&1; then
  { head -c 80 /dev/zero; printf '\x00\x5a\x62\x02'; } > large.stl
  truncate -s 2000000084 large.stl
  rm -rf out
  scene large.stl
  expect 1 'large.stl: there is not enough memory' in_little simulate scene.yaml --out out
  absent out
fi
