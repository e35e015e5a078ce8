# SPDX-License-Identifier: MIT
"""The stubs that the build makes agree with the module, and typed programs pass."""

import os
import pathlib
import subprocess
import sys

import pytest

import fathom
from support import SOURCE

pytest.importorskip("mypy", reason="no mypy here (Debian: mypy): stubs are not compared")

PACKAGE = pathlib.Path(fathom.__file__).parent

# stubtest refuses the metaclass of bound classes and imported names (it still compares their members), classes that
# wait for their hosts, and stubs without a module: it compares the classes in these stubs in fathom.noise and so on.
ALLOWED = r"""
fathom(\.\w+)?\._?[A-Z]\w*
.*\.field
fathom\.(mjlab|isaaclab|wrappers)\.(__all__|.*@.*)
fathom\.(noise|sensors)\.__all__
fathom\._made_\w+
"""

PROGRAM = """
from typing import assert_type

import numpy as np
import numpy.typing as npt

import fathom as fa

F32 = npt.NDArray[np.float32]

scene = fa.Scene()
room: int = scene.add_entity("room", fa.box([8, 6, 3]), fa.Pose([0, 0, 1.5], rpy_deg=[0, 0, 90]), reflectivity=0.8)
scene.set_poses(["room"], np.zeros((1, 3)))
assert_type(scene.mesh(0).vertices, F32)
distance = fa.noise.Distance(stddev_m=fa.Uniform(0.01, 0.02))
dropout = fa.noise.Dropout(probability=0.1, rings={3: {"probability": 0.5}})
model = fa.sensors.Laser2d(rays=541, min_azimuth_rad=-2.3, max_azimuth_rad=2.3)
lidar = fa.Sensor("lidar", model, [0, 0, 1], noise=[distance, dropout])
simulator = fa.Simulator(scene, [lidar], seed=7)
frame = simulator.render("lidar", channels=["range", "reason", "hit_sensor"])
assert_type(frame, fa.Frame)
assert_type(frame.range, F32)
assert_type(frame.entity_id, npt.NDArray[np.int32])
assert_type(frame.points(valid=True), F32)
assert_type(frame.valid, npt.NDArray[np.bool_])
assert_type(frame.environments, int | None)
frame.write_pcd("frame.pcd", fields=["intensity"])
parameters = fa.beam.Parameters(w_hit=0.7, w_short=0.1, w_max=0.1, w_rand=0.1, sigma_hit_m=0.05, lambda_short_per_m=1.0)
assert_type(parameters.sigma_hit_m, float)
world = fa.beam.World.from_scene(scene, 1.0)
assert_type(world.expected([[0, 0, 0]], fa.beam.even_azimuths_rad(9, 180), 30.0), F32)
"""

MISTAKES = {
    'fa.sphere("large")': "arg-type",
    "fa.sphere(1.0, segment=8)": "call-arg",
    "fa.noise.Distance(stddev=0.1)": "call-arg",
    'fa.noise.Distance(stddev_m="much")': "arg-type",
    'fa.sensors.Laser2d(rays="many", min_azimuth_rad=0, max_azimuth_rad=1)': "arg-type",
    "fa.beam.Sensor()": "call-arg",
    'fa.Frame("range").ranges': "attr-defined",
    'fa.Scene().set_pose(0.5, [0, 0, 0])': "arg-type",
}


def mypy(module, *arguments, cache):
    environment = {**os.environ, "MYPY_CACHE_DIR": str(cache), "MYPYPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=PACKAGE.parent, env=environment, capture_output=True, text=True)


def checked(tmp_path, program, cache):
    file = tmp_path / "program.py"
    file.write_text(program)
    return mypy("mypy", "--config-file", str(SOURCE / "pyproject.toml"), str(file), cache=cache)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def test_the_build_makes_stubs():
    names = {file.name for file in PACKAGE.glob("*.pyi")}
    assert names == {"_fathom.pyi", "_made_noise.pyi", "_made_sensors.pyi", "_made_beam.pyi"}
    assert not list((SOURCE / "python").rglob("*.pyi"))
    stub = (PACKAGE / "_fathom.pyi").read_text()
    missing = [n for n, value in vars(fathom._fathom).items() if isinstance(value, type) and f"class {n}" not in stub]
    assert not missing


def test_stubs_agree_with_the_module(cache, tmp_path):
    allowed = tmp_path / "allowed"
    allowed.write_text(ALLOWED)
    done = mypy("mypy.stubtest", "fathom", "--concise", "--mypy-config-file", str(SOURCE / "pyproject.toml"),
                "--allowlist", str(allowed), "--ignore-unused-allowlist", cache=cache)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_hold(cache):
    done = mypy("mypy", "--config-file", str(SOURCE / "pyproject.toml"), "-p", "fathom", cache=cache)
    assert done.returncode == 0, done.stdout + done.stderr


def test_typed_program(cache, tmp_path):
    done = checked(tmp_path, PROGRAM, cache)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mistakes_are_found(cache, tmp_path):
    done = checked(tmp_path, "import fathom as fa\n" + "\n".join(MISTAKES), cache)
    lines = done.stdout.split("\n")
    for number, (mistake, code) in enumerate(MISTAKES.items(), start=2):
        found = [line for line in lines if f"program.py:{number}: error" in line]
        assert [line.endswith(f"[{code}]") for line in found] == [True], (mistake, found)
