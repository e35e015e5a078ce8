# SPDX-License-Identifier: MIT
"""Builds the wheel with CMake, in build/release: what ./quickstart has built there is not built again. FATHOM_BUILD=<folder>
takes a build that is there, made with FATHOM_PYTHON=ON. CMAKE_ARGS: more arguments for CMake. FATHOM_PORTABLE=1 carries the
libraries of Debian that fathom links (needs patchelf)."""

import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(fathom VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

PORTABLE = os.environ.get("FATHOM_PORTABLE") == "1"


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


# What each Linux with this C library has. PEP 600 allows wheels to link these.
SYSTEM = ("linux-vdso.", "ld-linux", "libc.", "libm.", "libdl.", "librt.", "libpthread.", "libstdc++.", "libgcc_s.")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def carry_libraries(package):
    """Copies what the package links into it. New names keep these apart from the libraries of other packages: Python loads one of a
    name. Modules stay out, because their libraries are large."""
    for module in package.glob("libfathom-*.so"):
        module.unlink()
    linked = dict(re.findall(r"(\S+) => (/\S+)", output("ldd", *map(str, package.glob("*.so*")))))
    linked = {name: path for name, path in linked.items() if not name.startswith((*SYSTEM, "libfathom."))}
    names = {name: name.replace("lib", "libfathom_", 1) for name in linked}
    (package / "licences").mkdir()
    for name, path in linked.items():
        shutil.copyfile(path, package / names[name])
        owner = output("dpkg-query", "-S", f"*/{name}").split(":")[0]
        shutil.copyfile(f"/usr/share/doc/{owner}/copyright", package / "licences" / owner)
    renaming = [word for pair in names.items() for word in ("--replace-needed", *pair)]
    for file in package.glob("*.so*"):
        output("strip", "--strip-unneeded", str(file))
        if file.name in names.values():
            output("patchelf", "--set-soname", file.name, str(file))
        output("patchelf", "--set-rpath", "$ORIGIN", str(file))  # patchelf 0.14 mixes up the names of several kinds at once
        output("patchelf", *renaming, str(file))


def portable_tag():
    """The oldest C library that the wheel is for: this computer's."""
    return f"many{os.confstr('CS_GNU_LIBC_VERSION').replace('glibc ', 'linux_').replace('.', '_')}_{platform.machine()}"


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        build = os.environ.get("FATHOM_BUILD")
        if not build:
            build = str(ROOT / "build" / "release")
            configure(pathlib.Path(build))
        subprocess.run(["cmake", "--build", build, "--target", "fathom_python_package"], check=True)
        shutil.rmtree(pathlib.Path(self.build_lib) / "fathom", ignore_errors=True)  # nothing of an earlier build stays
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", self.build_lib], check=True)
        if PORTABLE:
            carry_libraries(pathlib.Path(self.build_lib) / "fathom")


setup(version=VERSION, ext_modules=[Extension("fathom._fathom", sources=[])], cmdclass={"build_ext": CMakeBuild},
      options={"bdist_wheel": {"plat_name": portable_tag()}} if PORTABLE else {})
