# SPDX-License-Identifier: MIT
"""Type stubs say what the package is."""

import os
import pathlib
import runpy
import subprocess
import sys

import pytest

import fathom
from support import SOURCE

pytest.importorskip("mypy", reason="no mypy here (Debian: mypy): stubs are not compared")


def mypy(module, *arguments, cache):
    package = pathlib.Path(fathom.__file__).parent.parent
    environment = {**os.environ, "MYPY_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=package, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def test_stubs_are_those_of_the_module(cache):
    done = mypy("mypy.stubtest", "fathom", "--concise", "--mypy-config-file", str(SOURCE / "pyproject.toml"),
                "--allowlist", str(SOURCE / "tests/python/stubtest_allow.txt"), "--ignore-unused-allowlist", cache=cache)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_hold(cache):
    done = mypy("mypy", "--config-file", str(SOURCE / "pyproject.toml"), "-p", "fathom", cache=cache)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_of_tables_are_up_to_date():
    made = runpy.run_path(str(SOURCE / "tools" / "python-stubs"))
    for name, stub in made["STUBS"].items():
        file = SOURCE / "python" / "fathom" / f"{name}.pyi"
        assert file.read_text() == stub(), f"{file}: run PYTHONPATH=<build>/python tools/python-stubs"
