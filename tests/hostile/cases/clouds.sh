# SPDX-License-Identifier: MIT
# Clouds whose headers or packed points lie, wherever a cloud is read.
pcd() { printf '# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT %s\nWIDTH 5\nHEIGHT 1\nPOINTS 5\nDATA %s\n' "$1" "$2"; }
mkdir clouds
# refused REGEX: the cloud on stdin.
refused() {
  cat > clouds/cloud_000000.pcd
  cp clouds/cloud_000000.pcd clouds/cloud_000001.pcd
  expect 2 "cloud_000000.pcd:?$1" fathom view clouds/cloud_000000.pcd --port 0
  expect 2 "cloud_000000.pcd:?$1" fathom fit wall clouds --sensor VLP-16
}
for counts in '0 0 0' '1 1 0'; do
  for data in binary ascii binary_compressed; do
    pcd "$counts" $data | refused '6: COUNT = 0 of the field [xz] is not in'
  done
done
{ pcd '1 1 1' binary_compressed; printf '\3\0\0\0\74\0\0\0\40\0\0'; } | refused '.*refers to what lies before the first byte'
{ pcd '1 1 1' binary_compressed; printf '\3\0\0\0\377\377\377\377\2\0\0'; } | refused '.*3 packed bytes cannot make 4294967295'
{ pcd '1 1 1' binary_compressed; printf '\377\377\377\377\74\0\0\0'; } | refused '.*packed bytes are announced'
