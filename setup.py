# SPDX-License-Identifier: MIT
"""Builds the wheel with CMake. FATHOM_BUILD=<folder>: takes a build that is there, made with FATHOM_PYTHON=ON, in place of
build/wheel; CMAKE_ARGS: more arguments for CMake."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(fathom VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        build = os.environ.get("FATHOM_BUILD")
        if not build:
            build = str(ROOT / "build" / "wheel")
            arguments = ["-DCMAKE_BUILD_TYPE=Release", "-DFATHOM_UNITY=ON", "-DFATHOM_PYTHON=ON", "-DFATHOM_BUILD_CLI=OFF",
                         "-DFATHOM_BUILD_RGL=OFF", f"-DPython_EXECUTABLE={sys.executable}"]
            subprocess.run(["cmake", "-S", str(ROOT), "-B", build, "-G", "Ninja", *arguments,
                            *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "fathom_python"], check=True)
        shutil.rmtree(pathlib.Path(self.build_lib) / "fathom", ignore_errors=True)  # nothing of an earlier build stays
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", self.build_lib], check=True)


setup(version=VERSION, ext_modules=[Extension("fathom._fathom", sources=[])], cmdclass={"build_ext": CMakeBuild})
