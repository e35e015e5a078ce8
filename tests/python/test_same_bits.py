# SPDX-License-Identifier: MIT
"""The same seed gives the same bits in Python, in a program of C++, and on the command line."""

import platform
import re
import subprocess

import pytest

import fathom as fa
from support import ALL_CHANNELS, BUILD, SOURCE

SCENE = """
seed: 42
frames: 3
environment: 2
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}, ball: {sphere: {radius_m: 0.4}}}
  entities:
    - {name: room, mesh: room, position_m: [0, 0, 1.5], reflectivity: 0.8}
    - name: ball
      mesh: ball
      motion: {keyframes: [{time_s: 0, position_m: [2, -1.5, 0.4]}, {time_s: 1, position_m: [-2, -1.5, 0.4]}]}
sensors:
  - name: lidar
    type: spinning_lidar
    elevation_deg: [-20, -10, 0, 10]
    columns: 90
    position_m: [0, 0, 1.2]
    rpy_deg: [1, 2, 3]
    noise: [angular_ray: {stddev_deg: 0.1}, distance: {stddev_m: {uniform: [0.01, 0.05]}, entities: {ball: {mean_m: 0.1}}}]
    outputs: [npy: {channels: [CHANNELS]}]
  - name: camera
    type: stereo_camera
    width: 40
    height: 30
    horizontal_fov_deg: 87
    baseline_m: 0.05
    position_m: [-3, 0, 1]
    noise: [stereo_shadow: {}, stereo_energy: {pow: {log_uniform: [2, 20]}}, disparity: {stddev_px: 0.05}, dropout: {probability: 0.02}]
    outputs: [npy: {channels: [CHANNELS]}]
""".replace("CHANNELS", ", ".join(ALL_CHANNELS))


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    file = tmp_path_factory.mktemp("bits") / "scene.yaml"
    file.write_text(SCENE)
    return file


def by_python(setup, simulator):
    digests = {}
    for sensor in setup.sensors:
        digest = fa.FrameDigest()
        for k in range(setup.frames):
            digest.add(simulator.render(sensor.name, k, ALL_CHANNELS))
        digests[sensor.name] = digest.text
    return digests


def test_python_cpp_and_command_line(scene, tmp_path):
    setup = fa.load(scene)
    digests = by_python(setup, setup.simulator())
    assert len(set(digests.values())) == 2

    command = [BUILD / "bin" / "fathom", "simulate", scene, "--out", tmp_path / "out", "--digest"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for name, digest in digests.items():
        assert re.search(rf"\b{digest}\b", printed), f"{name}: {digest} is not in\n{printed}"

    program = subprocess.run([BUILD / "bin" / "python_digests", scene], capture_output=True, text=True, check=True)
    assert dict(line.split() for line in program.stdout.splitlines()) == digests

    assert {s["name"]: s["digest"] for s in setup.run(tmp_path / "run", digest=True)["sensors"]} == digests


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("isa", ["sse2" if platform.machine() == "x86_64" else "neon", None])
def test_threads_and_instructions_change_nothing(scene, threads, isa):
    setup = fa.load(scene)
    assert by_python(setup, setup.simulator(threads=threads, isa=isa)) == by_python(setup, setup.simulator())


def test_parts_of_python_are_the_whole(scene):
    """Sensors and noise as Python's objects, and environments, give what the file gives."""
    setup = fa.load(scene)
    wanted = by_python(setup, setup.simulator())
    parts = fa.Simulator(setup.scene, setup.sensors, seed=42, environment=2)
    assert by_python(setup, parts) == wanted
    envs = setup.environments(1, first=2)
    for name, digest in wanted.items():
        made = fa.FrameDigest()
        for k in range(setup.frames):
            made.add(envs.render(k, [name], channels=ALL_CHANNELS)[name])
        assert made.text == digest


@pytest.mark.parametrize("file", ["examples/04_frames_from_a_scene/room.yaml", "examples/06_stereo/stereo.yaml"])
def test_digests_of_the_repository(file, tmp_path):
    """Every computer must meet these digests (tests/run/digests.txt)."""
    lines = (SOURCE / "tests/run/digests.txt").read_text().splitlines()
    wanted = {}
    for line in lines[lines.index(file) + 1:]:
        if line.endswith(".yaml"):
            break
        wanted.update([line.split()])
    result = fa.load(SOURCE / file).run(tmp_path / "out", frames=2, digest=True)
    assert {s["name"]: s["digest"] for s in result["sensors"]} == wanted
