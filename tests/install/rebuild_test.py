# SPDX-License-Identifier: MIT
"""rebuild_test.py SOURCE: ./run-tests after ./quickstart builds what needs the libraries that it has installed, and nothing else again.
Configures one folder as both do, and compares the commands and the files that are compiled at once."""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
# Libraries of packages.txt that only ./run-tests installs.
LATER = ["SDF", "DDS", "HDF5", "OPENEXR", "CUDA"]
# The files that ask which libraries there are.
MAY_CHANGE = {"src/io/world/read_robot.cpp", "src/run/dataset/hdf5_files.cpp", "src/io/picture/exr.cpp", "src/render/device/ptx.cpp", "cli/features.cpp",
              "adapters/ros/src/participant.cpp"}


def commands(build, options):
    """The command of each file, with the content of the files that CMake has made of several."""
    subprocess.run(["cmake", "--preset", "release", "-B", str(build), "-DFATHOM_UNITY=ON", *options, "--log-level=ERROR"], cwd=SOURCE,
                   check=True, stdout=subprocess.DEVNULL)
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        content = file.read_text() if build in file.parents and file.exists() else ""
        found.setdefault((entry["directory"], file), []).append((entry["command"], content))
    return found


def options_of(script, name):
    """The words of an array of a script of bash."""
    shown = subprocess.run(["bash", "-c", f'eval "$(sed -n "/^{name}=(/,/)$/p" {shlex.quote(str(script))})"; printf "%s\\n" "${{{name}[@]}}"'],
                           capture_output=True, text=True, check=True)
    return shown.stdout.split()


def name_of(file):
    """The path of a file of SOURCE within it; the whole path of another file."""
    return str(file.relative_to(SOURCE) if SOURCE in file.parents else file)


with tempfile.TemporaryDirectory(prefix="fathom-rebuild-") as temporary:
    build = pathlib.Path(temporary).resolve()
    first = commands(build, ["-DFATHOM_BUILD_RGL=OFF", *(f"-DFATHOM_{name}=OFF" for name in LATER)])
    second = commands(build, options_of(SOURCE / "run-tests", "libraries") +
                      ["-DFATHOM_CUDA=AUTO", "-DFATHOM_BUILD_TESTS=ON", "-DFATHOM_BUILD_EXAMPLES=ON"])
    again = {name_of(file) for (folder, file), commanded in first.items() if not set(commanded) <= set(second.get((folder, file), []))}
    wrong = sorted(again - MAY_CHANGE)
    assert len(first) > 50 and not wrong, wrong
print("rebuild: ok")
