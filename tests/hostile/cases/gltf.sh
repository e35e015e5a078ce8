# SPDX-License-Identifier: MIT
# glTF of strangers: what a valid file may hold is read or refused by name; nothing crashes, stalls or reads other files.

# gltf BUFFER_URI NODES [MORE]: the triangle (5 -3 -1) (5 3 -1) (5 0 3) with a skin that has no inverseBindMatrices.
gltf() {
  cat << END
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": $2, ${3:-}
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3}, "indices": 1}]}],
 "buffers": [{"byteLength": 104, "uri": "$1"}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6},
   {"buffer": 0, "byteOffset": 44, "byteLength": 12}, {"buffer": 0, "byteOffset": 56, "byteLength": 48}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"${4:-}},
   {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
   {"bufferView": 2, "componentType": 5121, "count": 3, "type": "VEC4"},
   {"bufferView": 3, "componentType": 5126, "count": 3, "type": "VEC4"}]}
END
}
bytes="AACgQAAAQMAAAIC/AACgQAAAQEAAAIC/AACgQAAAAAAAAEBAAAABAAIAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAA="
data="data:application/octet-stream;base64,$bytes"

gltf_as() { read_as "$1" "$2" '{file: m.gltf, up_axis: z}'; }

# A skin without inverseBindMatrices is legal.
skin='"skins": [{"joints": [1]}],'
gltf "$data" '[{"mesh": 0, "skin": 0, "children": [1]}, {"name": "joint"}]' "$skin" > m.gltf
gltf_as 0 '[1-9][0-9]*'
gltf "$data" '[{"mesh": 0, "skin": 7, "children": [1]}, {"name": "joint"}]' "$skin" > m.gltf
gltf_as 2 'm.gltf: nodes\[0\].skin = 7 is not'

# A sparse accessor without indices.
gltf "$data" '[{"mesh": 0}]' '' ', "sparse": {"count": 1}' > m.gltf
gltf_as 2 "m.gltf: accessors\[0\].sparse has no 'indices'"

# A chain of 20 000 nodes; nodes that name their child twice, 40 levels deep; a node that is its own ancestor.
chain=$(for i in $(seq 20000); do printf '{"children": [%d]}, ' "$i"; done)
gltf "$data" "[$chain {\"mesh\": 0}]" > m.gltf
gltf_as 2 'm.gltf: nodes\[256\] is nested 257 deep, the limit is 256'
twice=$(for i in $(seq 40); do printf '{"children": [%d, %d]}, ' "$i" "$i"; done)
gltf "$data" "[$twice {\"mesh\": 0}]" > m.gltf
gltf_as 2 'm.gltf: nodes\[0\].children\[1\] = 1, which is a child of nodes\[0\] already'
gltf "$data" '[{"children": [0], "mesh": 0}]' > m.gltf
gltf_as 2 'm.gltf: nodes\[0\] is its own ancestor'

# Counts that ask for more memory than there are bytes.
gltf "$data" '[{"mesh": 0}]' | sed '0,/"count": 3/s//"count": 4000000000/' > m.gltf
gltf_as 2 'm.gltf: accessors\[0\] needs 48000000000 bytes, bufferViews\[0\] has 36'

# Files: beside the mesh, and everywhere else.
mkdir elsewhere
printf %s "$bytes" | base64 -d > beside.bin
cp beside.bin elsewhere/
ln -s /etc/passwd link.bin
gltf beside.bin '[{"mesh": 0}]' > m.gltf
gltf_as 0 '[1-9][0-9]*'
for uri in ../../../etc/passwd /etc/passwd %2e%2e/%2e%2e/etc/passwd link.bin elsewhere/../../beside.bin; do
  gltf "$uri" '[{"mesh": 0}]' > m.gltf
  gltf_as 2 "m.gltf: buffers\[0\].uri = '$uri' leads out of the folder of the mesh"
done
for uri in file:///etc/passwd http://localhost/a.bin; do
  gltf "$uri" '[{"mesh": 0}]' > m.gltf
  gltf_as 2 "m.gltf: buffers\[0\].uri = '$uri' is neither the name of a file nor base64 data"
done
gltf /dev/zero '[{"mesh": 0}]' > m.gltf
gltf_as 2 'leads out of the folder of the mesh'
mkfifo pipe.bin
gltf pipe.bin '[{"mesh": 0}]' > m.gltf
gltf_as 2 'pipe.bin: is not a file'

# What is refused by name.
gltf "$data" '[{"mesh": 0}]' | sed 's/"2.0"/"1.0"/' > m.gltf
gltf_as 2 'm.gltf: is glTF 1; only 2.0 is read'
gltf "$data" '[{"mesh": 0}]' '"extensionsRequired": ["KHR_draco_mesh_compression"],' > m.gltf
gltf_as 2 "m.gltf: extensionsRequired\[0\] = 'KHR_draco_mesh_compression' is not understood"
(printf '%.0s[' $(seq 200000)) > m.gltf
gltf_as 2 'm.gltf: nested 200000 deep, the limit is 256'

# One mesh placed so often that it would take all memory: 10^9 triangles in a file of 3 MB.
many=$(for i in $(seq 10000); do printf '{"mesh": 0}, '; done)
roots=$(seq -s, 0 9999)
{
  printf '{"asset": {"version": "2.0"}, "scenes": [{"nodes": [%s]}], "nodes": [%s {}], ' "$roots" "$many"
  printf '"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]}], '
  printf '"accessors": [{"bufferView": 0, "componentType": 5121, "count": 100002, "type": "VEC3"}], '
  printf '"bufferViews": [{"buffer": 0, "byteLength": 300006}], "buffers": [{"byteLength": 300006, '
  printf '"uri": "data:application/octet-stream;base64,%s"}]}' "$(head -c 300006 /dev/zero | base64 -w 0)"
} > m.gltf
once gltf_as 2 'm.gltf: meshes\[0\].primitives\[0\] brings the file above 16777216 triangles'
