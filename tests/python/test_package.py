# SPDX-License-Identifier: MIT
"""The wheel that pip makes of this build, installed and used where nothing of the checkout is."""

import importlib.util
import os
import subprocess
import sys

import pytest

from support import BUILD, SOURCE

CODE = """
import os, pathlib, fathom as fa
package = pathlib.Path(fa.__file__).parent
assert "site-packages" in str(package), package
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libfathom.so" in line}
assert libraries == {str(package / library) for library in os.listdir(package) if library.startswith("libfathom.so")}, libraries
assert STUBS <= set(os.listdir(package)), os.listdir(package)
scene = fa.Scene()
scene.add_entity("room", fa.box([8, 6, 3]))
try:
    assert fa.read_robot(SDF_FILE).links[0]["name"] == "box::link"
except fa.InputError as error:
    assert "this build of fathom has no libsdformat" in str(error), error
try:
    fa.read_robot("bad.sdf")  # an error of the module for SDF is one of the library's
    raise SystemExit("a bad SDF was read")
except fa.InputError as error:
    assert "bad.sdf" in str(error), error
print(fa.Simulator(scene, [fa.Sensor("lidar", "VLP-16")]).render("lidar").reasons())
"""


def pip(*arguments, cwd, **more):
    command = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**os.environ, **more})
    assert done.returncode == 0, done.stdout + done.stderr


def test_pip_builds_in_the_folder_of_quickstart_and_says_so(tmp_path):
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("no setuptools here")
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md", "LICENSE"):
        (tmp_path / name).write_bytes((SOURCE / name).read_bytes())
    build, programs = tmp_path / "build/release", tmp_path / "programs"
    programs.mkdir()
    (programs / "cmake").write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/calls\n')
    (programs / "cmake").chmod(0o755)
    environment = {k: v for k, v in os.environ.items() if k not in ("FATHOM_BUILD", "CMAKE_ARGS")}
    environment["PATH"] = f"{programs}:{environment['PATH']}"
    for text in ("with the library, about 14 minutes of one core", "the library is there"):
        (tmp_path / "calls").unlink(missing_ok=True)
        done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext"], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"fathom: building the Python module in {build}; {text}\n" in done.stdout
        configured, built, installed = (tmp_path / "calls").read_text().splitlines()
        assert f"-B {build} " in configured and "-DFATHOM_PYTHON=ON" in configured
        assert built == f"--build {build} --target fathom_python_package" and installed.startswith(f"--install {build} --component python")
        (build / "lib").mkdir(parents=True, exist_ok=True)
        (build / "lib/libfathom.so").touch()


def test_wheel(tmp_path):
    if not all(map(importlib.util.find_spec, ("pip", "setuptools", "wheel"))):
        pytest.skip("no pip, setuptools and wheel here: no wheel is made")
    # A copy, because setuptools writes beside what it builds.
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md", "LICENSE"):
        (checkout / name).write_bytes((SOURCE / name).read_bytes())
    pip("wheel", ".", "--no-build-isolation", "--no-deps", "--no-index", "-w", str(tmp_path), cwd=checkout,
        FATHOM_BUILD=str(BUILD))
    wheels = list(tmp_path.glob("fathom-*.whl"))
    assert len(wheels) == 1 and "none-any" not in wheels[0].name
    site = tmp_path / "site-packages"
    pip("install", "--no-index", "--no-deps", "--target", str(site), str(wheels[0]), cwd=tmp_path)
    (tmp_path / "bad.sdf").write_text("<sdf version='1.9'><model name='m'><link name='l'/><link name='l'/></model></sdf>")
    stubs = {stub.name for stub in (BUILD / "python" / "fathom").glob("*.pyi")}
    code = CODE.replace("SDF_FILE", repr(str(SOURCE / "tests" / "support" / "box.sdf")), 1).replace("STUBS", repr(stubs), 1)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    runpaths = subprocess.run([str(SOURCE / "tests/install/check_runpaths.sh"), str(site)], capture_output=True, text=True)
    assert runpaths.returncode == 0, runpaths.stdout
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={**environment, "PYTHONPATH": str(site)},
                          capture_output=True, text=True)
    assert done.returncode == 0 and "hit" in done.stdout, done.stdout + done.stderr
