# SPDX-License-Identifier: MIT
"""Builds the wheel with CMake, in build/release: what ./quickstart has built there is not built again. FATHOM_BUILD=<folder>
takes a build that is there, made with FATHOM_PYTHON=ON. CMAKE_ARGS: more arguments for CMake."""

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


def forget_other_python(build):
    """Arguments by which CMake forgets what it has cached of another Python."""
    cache = build / "CMakeCache.txt"
    if not cache.exists() or f"Python_EXECUTABLE:FILEPATH={sys.executable}\n" in cache.read_text():
        return []
    return [word for name in ("Python_*", "_Python_*", "PYTHON_*", "pybind11_*") for word in ("-U", name)]


def configure(build):
    is_there = (build / "lib" / "libfathom.so").exists()
    print(f"fathom: building the Python module in {build}; " +
          ("the library is there" if is_there else "with the library, about 14 minutes of one core"),
          flush=True)
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", *forget_other_python(build), "-DCMAKE_BUILD_TYPE=Release",
                    "-DFATHOM_UNITY=ON", "-DFATHOM_PYTHON=ON", f"-DPython_EXECUTABLE:FILEPATH={sys.executable}",
                    *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        build = os.environ.get("FATHOM_BUILD")
        if not build:
            build = str(ROOT / "build" / "release")
            configure(pathlib.Path(build))
        subprocess.run(["cmake", "--build", build, "--target", "fathom_python_package"], check=True)
        shutil.rmtree(pathlib.Path(self.build_lib) / "fathom", ignore_errors=True)  # nothing of an earlier build stays
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", self.build_lib], check=True)


setup(version=VERSION, ext_modules=[Extension("fathom._fathom", sources=[])], cmdclass={"build_ext": CMakeBuild})
