# SPDX-License-Identifier: MIT
# Too little memory is the system's failure, and the file that asked for it is named.
in_little() { (ulimit -v "$1" && shift && fathom "$@"); }
in_little 1000000 --version > /dev/null 2>&1 || skip "needs ulimit -v, which sanitizers do not know"

# A camera of 2^27 pixels.
cat > large.yaml << 'END'
scene: {meshes: {w: {box: {size_m: [8, 6, 3]}}}, entities: [{name: w, mesh: w}]}
sensors: [{name: s, type: pinhole_camera, width: 16384, height: 8192, fx: 4000, fy: 4000, cx: 8191.5, cy: 4095.5}]
END
expect 1 'large\.yaml.*memory' in_little 1500000 simulate large.yaml --out large
expect 1 'large\.yaml.*memory' in_little 1500000 check large.yaml
expect 1 'large\.yaml.*memory' in_little 1500000 serve large.yaml --port 0

# A mesh of 2 GB (of zeros, which take no disk).
{ head -c 80 /dev/zero; printf '\x00\x5a\x62\x02'; } > large.stl
truncate -s 2000000084 large.stl
printf 'scene: {meshes: {m: large.stl}, entities: [{name: m, mesh: m}]}\nsensors: [{name: s, preset: RPLIDAR-A2}]\n' > mesh.yaml
expect 1 'large.stl: there is not enough memory' in_little 1500000 simulate mesh.yaml --out mesh
absent large mesh

# A log of 30 GB.
printf 'image: map.pgm\nresolution: 0.1\norigin: [-2, -2, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n' > map.yaml
printf 'P2 2 2 255 0 0 254 254\n' > map.pgm
printf 'w_hit: 0.75\nw_short: 0.12\nw_max: 0.05\nw_rand: 0.08\nsigma_hit_m: 0.1\nlambda_short_per_m: 0.5\nmax_range_m: 8\n' > model.yaml
truncate -s 30G sparse.log
expect 2 'sparse.log:1: a line of more than 16 MiB' in_little 8000000 score beam --map map.yaml --parameters model.yaml --log sparse.log
