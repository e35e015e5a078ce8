# SPDX-License-Identifier: MIT
"""`fathom serve` over real sockets: python3 live_server_test.py FATHOM."""

import json
import math
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from live_client import Client, Closed, Refused, http, read_cloud  # noqa: E402

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
    noise: [{distance: {stddev_m: 0.02}}, {dropout: {probability: 0.1}}]
  - {name: camera, type: pinhole_camera, width: 8, height: 6, fx: 8, fy: 8, cx: 3.5, cy: 2.5, max_range_m: 20, position_m: [0, 0, 1]}
rate_hz: 20
"""
STDDEV = "sensors.lidar.noise.0.stddev_m"


class Server:
    def __init__(self, scene, *options):
        self.process = subprocess.Popen([FATHOM, "serve", str(scene), "--port", "0", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", self.process.stdout.readline()).group(1))

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)
        return self.process.returncode

    def cpu_s(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.scene = self.path / "scene.yaml"
        self.scene.write_text(SCENE)
        self.server = Server(self.scene, "--out", str(self.path / "saved"))

    def tearDown(self):
        self.assertEqual(self.server.stop(), 130)
        self.folder.cleanup()

    def client(self, **how):
        client = Client(self.server.port, **how)
        self.addCleanup(client.socket.close)
        client.greet()
        return client

    def test_page(self):
        for path, kind in (("/", "text/html"), ("/app.js", "text/javascript"), ("/app.css", "text/css")):
            status, headers, body = http(self.server.port, path)
            self.assertEqual((status, headers["content-type"].split(";")[0]), (200, kind))
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertEqual(len(body), int(headers["content-length"]))
        status, headers, body = http(self.server.port, "/layout.json")
        self.assertIn("attachment", headers["content-disposition"])
        self.assertIn("/lidar/points", json.loads(body)["configById"]["3D!fathom"]["topics"])
        self.assertEqual(http(self.server.port, "/../etc/passwd")[0], 404)
        self.assertEqual(http(self.server.port, "/", "POST", {"Content-Length": "0"})[0], 405)
        self.assertEqual(http(self.server.port, "/", headers={"Host": "stranger.example"})[0], 403)

    def test_strangers(self):
        port = self.server.port
        for how in ({"origin": "https://stranger.example"}, {"origin": "null"}, {"host": "stranger.example"},
                    {"protocol": None}, {"protocol": "chat"}, {"origin": f"http://127.0.0.1:{port + 1}"}):
            with self.assertRaises(Refused, msg=how):
                Client(port, **how)
        for how in ({"origin": f"http://127.0.0.1:{port}"}, {"protocol": "foxglove.websocket.v1"},
                    {"host": f"localhost:{port}", "origin": f"http://localhost:{port}"}):
            self.client(**how)

    def test_messages(self):
        client = self.client()
        self.assertEqual(client.channels["/lidar/points"]["schemaName"], "sensor_msgs/msg/PointCloud2")
        for topic in ("/lidar/points", "/lidar/rays", "/camera/image", "/tf_static", "/fathom/state", "/fathom/knobs"):
            client.subscribe(topic)
        state = client.next_json("/fathom/state")
        self.assertEqual([s["kind"] for s in state["sensors"]], ["lidar", "camera"])
        self.assertEqual(state["entities"], ["room"])
        knob = next(k for k in client.next_json("/fathom/knobs")["knobs"] if k["name"] == STDDEV)
        self.assertEqual((knob["low"], knob["high"], knob["unit"], knob["value"]), (0, 10, "m", 0.02))
        cloud = read_cloud(client.next_of("/lidar/points")[1])
        self.assertEqual((cloud["rows"], cloud["cols"], cloud["frame"], cloud["step"]), (16, 128, "lidar", 21))
        lost = 0
        for i in range(16 * 128):
            x, y, z, clean, entity, reason = struct.unpack_from("<4fIB", cloud["data"], 21 * i)
            self.assertEqual(entity, 0)
            self.assertEqual(math.isnan(x), reason != 0)
            lost += reason != 0
            if reason == 0:
                self.assertLess(abs(math.hypot(x, y, z) - clean), 0.02 * 6)
        self.assertTrue(100 < lost < 320, lost)  # 2048 x 0.1, 8 deviations

    def test_rays_reach_who_comes_late(self):
        first = self.client()
        first.subscribe("/lidar/rays")
        rays = first.next_of("/lidar/rays")[1]
        second = self.client()
        second.subscribe("/lidar/rays")
        self.assertEqual(second.next_of("/lidar/rays")[1], rays)
        data = read_cloud(rays)["data"]
        for i in range(16 * 128):
            self.assertAlmostEqual(math.hypot(*struct.unpack_from("<3f", data, 12 * i)), 1, places=5)

    def test_knob(self):
        client, other = self.client(), self.client()
        other.send({"op": "subscribeParameterUpdates", "parameterNames": [STDDEV]})
        client.call("/fathom/pause", {"paused": True})
        client.subscribe("/lidar/statistics")
        before = client.next_json("/lidar/statistics")["errors"]
        self.assertEqual(client.call("/fathom/speed", {"speed": 2}), {})
        client.send({"op": "setParameters", "parameters": [{"name": STDDEV, "value": 0.2}], "id": "a"})
        answer = client.until(lambda m: m if isinstance(m, dict) and m["op"] == "parameterValues" else None)
        self.assertEqual((answer["id"], answer["parameters"][0]["value"]), ("a", 0.2))
        after = client.next_json("/lidar/statistics")["errors"]
        # The same frame with the same draws: every error is ten times as large.
        self.assertAlmostEqual(after["edges_m"][0] / before["edges_m"][0], 10, delta=0.01)
        total, width = sum(after["counts"]), after["edges_m"][1] - after["edges_m"][0]
        middle = 30
        share = sum(after["counts"][20:40]) / total
        expected = sum(after["density_per_m"][20:40]) * width
        self.assertAlmostEqual(share, expected, delta=5 * math.sqrt(0.25 / total))
        self.assertAlmostEqual(after["density_per_m"][middle], 1 / (0.2 * math.sqrt(2 * math.pi)), delta=0.1)
        told = other.until(lambda m: m if isinstance(m, dict) and m["op"] == "parameterValues" else None)
        self.assertEqual(told["parameters"], [{"name": STDDEV, "value": 0.2, "type": "float64"}])
        for name, value, text in ((STDDEV, -1, "[0, 10]"), (STDDEV, "x", "not a number"), ("nothing", 1, "no such")):
            client.send({"op": "setParameters", "parameters": [{"name": name, "value": value}]})
            status = client.until(lambda m: m if isinstance(m, dict) and m["op"] == "status" else None)
            self.assertEqual(status["level"], 2)
            self.assertIn(text, status["message"])
            back = client.until(lambda m: m if isinstance(m, dict) and m["op"] == "parameterValues" else None)
            self.assertEqual([p["value"] for p in back["parameters"]], [0.2] if name == STDDEV else [])

    def test_services(self):
        client = self.client()
        client.subscribe("/clock")
        self.assertEqual(client.call("/fathom/pause", {"paused": True}), {})
        self.assertEqual(client.call("/fathom/seek", {"time_s": 1.5}), {})
        client.wait_for_time("/clock", 1_500_000_000)
        self.assertEqual(client.call("/fathom/step", {}), {})
        client.wait_for_time("/clock", 1_550_000_000)
        for service, request, text in (("seek", {"time_s": -1}, "is not in [0, "), ("seek", {}, "time_s"),
                                       ("speed", {"speed": 0}, "[0.01, 100]"), ("pause", {"paused": 1}, "true or false"),
                                       ("save_frame", {"sensor": "x"}, "no sensor 'x'")):
            self.assertIn(text, client.call("/fathom/" + service, request))

    def test_saved(self):
        client = self.client()
        client.subscribe("/lidar/points")
        client.next_of("/lidar/points")
        client.send({"op": "setParameters", "parameters": [{"name": STDDEV, "value": 0.125}]})
        (file,) = client.call("/fathom/save_frame", {"sensor": "lidar"})["files"]
        self.assertEqual(Path(file).parent, self.path / "saved")
        self.assertTrue(Path(file).read_bytes().startswith(b"# .PCD"))
        scene = client.call("/fathom/save_scene", {})["file"]
        self.assertEqual(Path(scene).parent, self.path / "saved")
        again = Server(scene)
        other = Client(again.port)
        self.addCleanup(other.socket.close)
        other.greet()
        other.send({"op": "getParameters", "parameterNames": [STDDEV], "id": "b"})
        value = other.until(lambda m: m if isinstance(m, dict) and m["op"] == "parameterValues" else None)
        self.assertEqual(value["parameters"][0]["value"], 0.125)
        self.assertEqual(again.stop(), 130)
        for sensor in ("../lidar", "/etc/passwd", "lidar/../../x"):
            self.assertIn("no sensor", client.call("/fathom/save_frame", {"sensor": sensor}))
        self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["saved", "scene.yaml"])
        self.assertEqual(len(list((self.path / "saved").iterdir())), 2)

    def test_saves_are_bounded(self):
        client = self.client()
        client.subscribe("/lidar/points")
        client.next_of("/lidar/points")
        saved = 0
        while not isinstance(answer := client.call("/fathom/save_frame", {"sensor": "lidar"}), str):
            saved += 1
            self.assertLess(saved, 1001)
        self.assertIn("limit" if saved == 1000 else "more than 1 files a second, after 10 at once", answer)
        self.assertGreaterEqual(saved, 10)
        self.assertEqual(len(list((self.path / "saved").iterdir())), saved)

    def test_only_parameters_that_exist_are_watched(self):
        client = self.client()
        client.send({"op": "subscribeParameterUpdates", "parameterNames": ["x" * 1000]})
        status = client.until(lambda m: m if isinstance(m, dict) and m["op"] == "status" else None)
        self.assertIn("there is no 'xxx", status["message"])

    def test_nothing_is_saved_without_out(self):
        server = Server(self.scene)
        client = Client(server.port)
        client.greet()
        self.addCleanup(client.socket.close)
        self.assertIn("--out", client.call("/fathom/save_scene", {}))
        self.assertEqual(server.stop(), 130)

    def test_scene_is_read_again_when_saved(self):
        client = self.client()
        client.subscribe("/fathom/state")
        client.next_json("/fathom/state")
        self.scene.write_text(SCENE.replace("0.02", "-1"))
        error = None
        while not error:
            error = client.next_json("/fathom/state")["error"]
        self.assertIn("scene.yaml:10", error)
        self.assertIn("[0, 10] m", error)
        self.scene.write_text(SCENE.replace("name: lidar", "name: front"))
        while [s["name"] for s in client.next_json("/fathom/state")["sensors"]] != ["front", "camera"]:
            pass
        client.until(lambda m: True if "/front/points" in client.channels else None)
        client.subscribe("/front/points")
        self.assertEqual(read_cloud(client.next_of("/front/points")[1])["frame"], "front")

    def test_slow_client_holds_nobody_up(self):
        self.scene.write_text(SCENE.replace("preset: VLP-16\n    columns: 128", "preset: OS1-64\n    columns: 1024"))
        slow, fast = self.client(buffer_bytes=65536), self.client()
        fast.subscribe("/lidar/points")
        while read_cloud(fast.next_of("/lidar/points")[1])["cols"] != 1024:
            pass
        slow.subscribe("/lidar/points")
        times = [fast.next_of("/lidar/points")[0] for _ in range(40)]
        self.assertEqual(times, sorted(times))
        newest = times[-1]
        # It gets the messages in buffers of the system (megabytes), and then only the newest.
        count = 1
        while slow.next_of("/lidar/points")[0] < newest:
            count += 1
        self.assertLess(count, 12)

    def test_too_many_clients(self):
        clients = [self.client() for _ in range(16)]
        with self.assertRaises(Refused):
            Client(self.server.port)
        clients.pop().socket.close()
        for _ in range(100):
            try:
                self.client()
                return
            except Refused:
                time.sleep(0.05)
        self.fail("the place of a client that left stays taken")

    def test_idle_connections_lock_nobody_out(self):
        client = self.client()
        idle = []
        for k in range(200):
            idle.append(socket.create_connection(("127.0.0.1", self.server.port), 10))
            self.addCleanup(idle[-1].close)
            idle[-1].sendall(b"GET / HTTP/1.1\r\n" if k % 2 else b"")
        self.assertEqual(http(self.server.port)[0], 200)
        self.client()
        self.assertEqual(idle[0].recv(1), b"")  # the longest idle connection
        self.assertEqual(client.call("/fathom/pause", {"paused": True}), {})

    def test_frames_without_a_mask_end_the_connection(self):
        client = self.client()
        client.socket.sendall(b"\x81\x02{}")
        with self.assertRaises(Closed):
            client.until(lambda m: None)

    def test_malformed(self):
        draw = random.Random(5)
        texts = ["", "{", "[]", "null", '{"op":1}', '{"op":"subscribe"}', '{"op":"subscribe","subscriptions":[{"id":-1}]}',
                 '{"op":"nothing"}', "[" * 100000, '{"op":"setParameters","parameters":[{}]}',
                 '{"op":"subscribe","subscriptions":[{"id":1,"channelId":99}]}']
        client = self.client()
        for text in texts:
            client.send(text)
            status = client.until(lambda m: m if isinstance(m, dict) and m["op"] == "status" else None)
            self.assertEqual((status["level"], "\n" in status["message"]), (2, False), text[:50])
        for _ in range(20):
            client.send_frame(2, bytes(draw.randrange(256) for _ in range(draw.randrange(40))))
        with self.assertRaises(Closed):
            client.send_frame(1, b"x" * 300_000)
            client.until(lambda m: None)
        for _ in range(40):  # bytes that are no frames: the connection ends or waits, the server stays
            broken = self.client()
            broken.socket.sendall(bytes(draw.randrange(256) for _ in range(draw.randrange(1, 200))))
            broken.socket.close()
        self.assertTrue(self.client().channels)

    def test_flood_is_bounded(self):
        client = self.client()
        for _ in range(2000):
            client.send({"op": "getParameters", "parameterNames": ["x"], "id": "f"})
        status = client.until(lambda m: m if isinstance(m, dict) and m["op"] == "status" else None)
        self.assertIn("messages a second", status["message"])

    def test_idle_when_paused(self):
        client = self.client()
        client.subscribe("/lidar/points")
        client.next_of("/lidar/points")
        client.call("/fathom/pause", {"paused": True})
        time.sleep(0.3)
        before = self.server.cpu_s()
        time.sleep(2)
        self.assertLessEqual(self.server.cpu_s() - before, 0.05)


if __name__ == "__main__":
    FATHOM = sys.argv.pop(1)
    unittest.main()
