# SPDX-License-Identifier: MIT
"""`fathom view` over real sockets, against the files that it shows: python3 live_view_test.py FATHOM."""

import json
import math
import re
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from live_client import Client, read_cloud  # noqa: E402

FATHOM = ""
SCENE = """
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: room, mesh: room, position_m: [0, 0, 1]}]
sensors:
  - name: lidar
    preset: VLP-16
    columns: 128
    position_m: [0, 0, 1]
    noise: [{distance: {stddev_m: 0.02}}]
    outputs: [{pcd: {fields: [entity_id, reason, clean_range], keep_misses: true}}, pointcloud2]
  - name: laser
    type: laser_2d
    rays: 90
    min_azimuth_deg: -90
    max_azimuth_deg: 90
    position_m: [0, 0, 1]
    max_range_m: 20
    outputs: [{npy: {channels: [range, azimuth, clean_range, reason]}}]
  - {name: camera, type: pinhole_camera, width: 8, height: 6, fx: 8, fy: 8, cx: 3.5, cy: 2.5, max_range_m: 20, position_m: [0, 0, 1], outputs: [ply, depth_image]}
rate_hz: 5
frames: 4
"""


class View:
    """The program with a path, and a client."""

    def __init__(self, path):
        self.process = subprocess.Popen([FATHOM, "view", str(path), "--port", "0", "--paused"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", line).group(1))
        self.client = Client(port)
        self.client.greet()

    def __enter__(self):
        return self.client

    def __exit__(self, *error):
        self.client.socket.close()
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)


def points_of(cloud):
    return [struct.unpack_from("<3f", cloud["data"], cloud["step"] * i) for i in range(cloud["rows"] * cloud["cols"])]


def npy_floats(path):
    data = path.read_bytes()
    return [v for (v,) in struct.iter_unpack("<f", data[10 + struct.unpack_from("<H", data, 8)[0]:])]


class Written(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        (cls.path / "scene.yaml").write_text(SCENE)
        subprocess.run([FATHOM, "simulate", cls.path / "scene.yaml", "--out", cls.path / "out", "--quiet"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_run_shows_its_clouds(self):
        with View(self.path / "out") as client:
            for topic in ("/fathom/state", "/lidar/points", "/lidar/statistics", "/laser/points", "/camera/points"):
                client.subscribe(topic)
            state = client.next_json("/fathom/state")
            self.assertEqual([s["name"] for s in state["sensors"]], ["camera", "laser", "lidar"])
            self.assertEqual((state["entities"], state["error"], state["can_save"]), (["room"], None, False))
            self.assertAlmostEqual(state["end_s"], 0.6)
            client.call("/fathom/seek", {"time_s": 0.4})
            time_ns = 400_000_000
            cloud = read_cloud(client.wait_for_time("/lidar/points", time_ns))
            written = (self.path / "out/lidar/cloud_000002.pcd").read_bytes()
            self.assertEqual((cloud["rows"], cloud["cols"], cloud["frame"]), (16, 128, "lidar"))
            self.assertEqual(bytes(cloud["data"]), written[written.index(b"DATA binary\n") + 12:])
            self.assertIn("entity", cloud["fields"])

    def test_run_shows_channels(self):
        with View(self.path / "out/laser") as client:
            client.subscribe("/laser/points")
            client.subscribe("/laser/statistics")
            points = points_of(read_cloud(client.newest_of("/laser/points")[1]))
            ranges = npy_floats(self.path / "out/laser/range_000000.npy")
            self.assertEqual(len(points), 90)
            for (x, y, z), r in zip(points, ranges):
                self.assertAlmostEqual(math.hypot(x, y, z), r, places=5)
            statistics = json.loads(client.newest_of("/laser/statistics")[1])
            self.assertEqual(statistics["reasons"]["hit"], 90)
            self.assertEqual(sum(statistics["errors"]["counts"]), 90)

    def test_run_shows_what_arrived_last(self):
        timed = SCENE.replace("    columns: 128\n",
                              "    columns: 128\n    timing: {rate_hz: 20, latency_s: 0.125, drop_frame: 0.3, freeze: 0.3}\n")
        (self.path / "timed.yaml").write_text(timed)
        subprocess.run([FATHOM, "simulate", self.path / "timed.yaml", "--out", self.path / "timed", "--quiet"], check=True)
        summary = json.loads((self.path / "timed/summary.json").read_text())
        table = next(s for s in summary["sensors"] if s["name"] == "lidar")["timing"]["frames"]
        rows = [r for r in zip(table["delivered_s"], table["measured_s"], table["index"]) if r[0] is not None]
        self.assertLess(len(rows), 16)
        with View(self.path / "timed") as client:
            client.subscribe("/lidar/points")
            client.subscribe("/fathom/state")
            self.assertAlmostEqual(client.next_json("/fathom/state")["end_s"], 0.6)
            for frame in (1, 2, 3):
                client.call("/fathom/seek", {"time_s": frame / 5})
                _, measured_s, index = max(r for r in rows if r[0] <= frame / 5)
                cloud = read_cloud(client.wait_for_time("/lidar/points", round(measured_s * 1e9)))
                written = (self.path / f"timed/lidar/cloud_{index:06}.pcd").read_bytes()
                self.assertEqual(bytes(cloud["data"]), written[written.index(b"DATA binary\n") + 12:])

    def test_cloud_shows_alone(self):
        for name, frame in (("out/lidar/cloud_000001.pcd", "cloud_000001"), ("out/camera/cloud_000001.ply", "cloud_000001"),
                            ("out/lidar/pointcloud2_000001.cdr", "lidar")):
            with View(self.path / name) as client:
                stem = Path(name).stem
                client.subscribe(f"/{stem}/points")
                cloud = read_cloud(client.next_of(f"/{stem}/points")[1])
                self.assertEqual(cloud["frame"], frame)
                on_walls = [min(abs(abs(x) - 4), abs(abs(y) - 3), abs(abs(z) - 1.5)) for x, y, z in points_of(cloud)]
                self.assertGreater(len(on_walls), 40)
                self.assertLess(max(on_walls), 0.2)

    def test_what_cannot_be_shown_is_told(self):
        (self.path / "empty").mkdir()
        (self.path / "short.pcd").write_bytes((self.path / "out/lidar/cloud_000000.pcd").read_bytes()[:2000])
        (self.path / "words.txt").write_text("no cloud\n")
        (self.path / "run.mcap").write_bytes(b"\x89MCAP0\r\n")
        (self.path / "bags").mkdir()
        (self.path / "bags/run_0.db3").write_bytes(b"")
        for name, line in (("none", "no such file"), ("empty", "there are no clouds here"), ("short.pcd", "points of"),
                           ("run.mcap", "Foxglove and Lichtblick open MCAP"), ("bags", "Foxglove and Lichtblick open MCAP"),
                           ("words.txt", "is no cloud: neither PCD, PLY, a PointCloud2 nor an array of NumPy")):
            ended = subprocess.run([FATHOM, "view", self.path / name, "--port", "0"], capture_output=True, text=True, timeout=20)
            self.assertNotEqual(ended.returncode, 0)
            self.assertEqual(ended.stdout, "")
            self.assertEqual(ended.stderr.count("\n"), 1)
            self.assertIn(line, ended.stderr)
            self.assertIn(name, ended.stderr)


if __name__ == "__main__":
    FATHOM = sys.argv.pop(1)
    unittest.main()
