#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Python costs over C++: the same work by the package and by a program of C++ in the same process, in turns.

    cmake --preset release -DFATHOM_UNITY=ON -DFATHOM_PYTHON=ON && cmake --build build/release --target fathom_python python_bench
    PYTHONPATH=build/release/python:build/release/lib python3 bench/bench_python.py [environments]
"""

import gc
import pathlib
import resource
import statistics
import sys
import tempfile
import time

import numpy as np

import fathom as fa
import python_bench  # bench_python.cpp

BODIES = 20
ENTITIES = "".join(f"    - {{name: body{i}, mesh: box, position_m: [{2 + i % 5}, {i % 4 - 2}, {0.2 * i - 1.5}]}}\n" for i in range(BODIES))
SCENE = f"""
seed: 1
scene:
  meshes: {{room: {{box: {{size_m: [16, 12, 6]}}}}, box: {{box: {{size_m: [0.5, 0.4, 0.3]}}}}}}
  entities:
    - {{name: room, mesh: room}}
{ENTITIES}
sensors:
  - name: tiny
    type: laser_2d
    rays: 16
    min_azimuth_rad: -1
    max_azimuth_rad: 1
  - name: stereo
    type: stereo_camera
    width: 64
    height: 48
    horizontal_fov_deg: 87
    baseline_m: 0.05
    noise: [stereo_shadow: {{}}, stereo_energy: {{}}, disparity: {{stddev_px: 0.1}}]
"""


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turns(python, cpp, rounds):
    """The medians of the seconds that both take, turn by turn."""
    python(), cpp()
    times = [(seconds(python), cpp()) for _ in range(rounds)]
    return statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)


def overhead_of_a_call(file):
    """render() of 16 rays: nearly all of it is the call."""
    calls = 2000
    simulator = fa.load(file).simulator(threads=1)
    cpp = python_bench.Renderer(str(file))
    out = simulator.render("tiny", 0, ("range", "reason"))
    render = simulator.render

    def into_a_frame():
        for k in range(calls):
            render(0, k, out=out)

    def into_new_ones():
        for k in range(calls):
            render(0, k, ("range", "reason")).range

    for name, work in (("out=frame", into_a_frame), ("a new frame and its array", into_new_ones)):
        python, direct = in_turns(work, lambda: cpp.render(calls), 15)
        print(f"render, {name}: {1e6 * python / calls:.2f} us a call, C++ {1e6 * direct / calls:.2f} us, "
              f"over it {1e6 * (python - direct) / calls:.2f} us")


def batch(file, count):
    setup = fa.load(file)
    envs = fa.Environments(setup.scene, setup.sensors[1], count, seed=1, threads=0)
    cpp = python_bench.Batch(str(file), count)
    bodies = [f"body{i}" for i in range(BODIES)]
    rng = np.random.default_rng(0)
    positions = rng.uniform(-3, 3, (count, BODIES, 3))
    quaternions = rng.normal(size=(count, BODIES, 4))
    quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
    cpp.set_poses(positions, quaternions)
    envs.set_entity_poses(bodies, positions, quat_wxyz=quaternions)
    channels = ("depth", "reason")
    out = envs.render(0, channels=channels)
    frame = [0]

    def render():
        frame[0] += 1
        envs.render(frame[0], out=out)

    python, direct = in_turns(render, lambda: cpp.render(frame[0]), 7)
    same = envs.render(5, out=out)["stereo"].digest() == cpp.digest(5)
    print(f"{count} environments x 64x48 stereo: {python:.3f} s, C++ {direct:.3f} s, ratio {python / direct:.4f}, "
          f"{'the same bits' if same else 'OTHER BITS'}")

    python, direct = in_turns(lambda: envs.set_entity_poses(bodies, positions, quat_wxyz=quaternions),
                              lambda: cpp.set_poses(positions, quaternions), 31)
    print(f"{count} x {BODIES} poses: {1e3 * python:.2f} ms, C++ {1e3 * direct:.2f} ms")
    single = positions.astype(np.float32), quaternions.astype(np.float32)
    python = statistics.median(seconds(lambda: envs.set_entity_poses(bodies, single[0], quat_wxyz=single[1])) for _ in range(31))
    print(f"{count} x {BODIES} poses of float32, which are copied: {1e3 * python:.2f} ms")


def leaks(file):
    simulator = fa.load(file).simulator(threads=1)
    page = resource.getpagesize()

    def resident():
        gc.collect()
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * page

    for k in range(500):
        simulator.render("stereo", k, ("range", "hit_sensor", "reason")).points()
    before = resident()
    for k in range(10_000):
        simulator.render("stereo", k, ("range", "hit_sensor", "reason")).points()
    print(f"resident memory over 10000 renders: {(resident() - before) / 1e3:+.0f} kB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "scene.yaml"
        path.write_text(SCENE)
        overhead_of_a_call(path)
        batch(path, int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
        leaks(path)
