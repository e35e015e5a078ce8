# SPDX-License-Identifier: MIT
"""Datasets from Python: the bytes of the command line, whichever process renders a unit or is killed."""

import dataclasses
import multiprocessing
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys

import pytest

import fathom as fa
from support import BUILD, SOURCE

SCENE = """
scene:
  meshes:
    walls: {box: {size_m: [8, 6, 3]}}
    ball: {sphere: {radius_m: 0.4}}
  entities:
    - {name: walls, mesh: walls, position_m: [0, 0, 1.5]}
    - {name: ball, mesh: ball, position_m: [1, 1, 0.4]}
sensors:
  - name: camera
    type: pinhole_camera
    width: WIDTH
    height: 40
    fx: 40
    fy: 40
    cx: 30
    cy: 20
    position_m: [-3, 0, 1.2]
    noise:
      - distance: {stddev_m: {uniform: [0.01, 0.05]}}
    outputs: [pcd, npy]
frames: 3
rate_hz: 10
seed: 5
"""
OVERRIDES = ["sensors.camera.position_m=[-2.5, 0, 1.2]"]
CHOICE = dict(environments=range(1, 3), episodes=range(2), frames=5, block=2, seed=9, overrides=OVERRIDES)
OPTIONS = ["--frames", "5", "--seed", "9", "--environments", "1:3", "--episodes", "0:2", "--block", "2", "--set", OVERRIDES[0]]


def write_scene(folder, width=60):
    (folder / "scene.yaml").write_text(SCENE.replace("WIDTH", str(width)))
    return folder / "scene.yaml"


@pytest.fixture
def scene(tmp_path):
    return write_scene(tmp_path)


def simulate(scene, out, *options):
    command = [BUILD / "bin" / "fathom", "simulate", scene, "--out", out, "--threads", "1", "--quiet", *options]
    subprocess.run(command, check=True, timeout=120)


def by_command_line(scene, out, *options):
    simulate(scene, out, *options)
    return bytes_of(out)


def bytes_of(out):
    return {str(f.relative_to(out)): f.read_bytes() for f in sorted(pathlib.Path(out).rglob("*")) if f.is_file()}


def test_units_are_numbered_as_the_command_line_numbers_them(scene):
    units = fa.dataset.units(scene, **CHOICE)
    assert len(units) == 2 * 2 * 3
    assert [(u.environment, u.episode, u.first_frame, u.frames) for u in units[:4]] == [
        (1, 0, 0, 2), (1, 0, 2, 2), (1, 0, 4, 1), (1, 1, 0, 2)]
    assert units[-1] == list(units)[-1] and units[-1].index == 11
    assert units[11].folder == "units/000/000/000000011"
    with pytest.raises(IndexError):
        units[12]


def test_the_scene_file_says_what_the_call_does_not(scene):
    (unit,) = fa.dataset.units(scene)
    assert (unit.environment, unit.episode, unit.first_frame, unit.frames, unit.dataset.seed) == (0, 0, 0, 3, 5)


def test_units_survive_pickle_and_are_small(scene):
    units = fa.dataset.units(scene, **CHOICE)
    for unit in units:
        text = pickle.dumps(unit)
        assert pickle.loads(text) == unit
        assert len(text) < 2000
    assert list(pickle.loads(pickle.dumps(units))) == list(units)


def test_a_setup_gives_the_units_of_its_file_and_overrides(scene):
    setup = fa.load(scene, OVERRIDES)
    whole = {key: value for key, value in CHOICE.items() if key != "overrides"}
    assert list(fa.dataset.units(setup, **whole)) == list(fa.dataset.units(scene, **CHOICE))
    assert fa.dataset.units(setup, overrides={"seed": 6})[0].dataset.overrides == (*OVERRIDES, "seed=6")


def test_files_are_those_of_the_command_line(scene, tmp_path):
    expected = by_command_line(scene, tmp_path / "cli", *OPTIONS)
    out = tmp_path / "python"
    for unit in reversed(fa.dataset.units(scene, **CHOICE)):
        done = fa.dataset.render_unit(unit, out)
        assert done["unit"] == unit.index and done["rendered"] and done["rays"] == 60 * 40 * unit.frames
    assert bytes_of(out) == expected
    checked = fa.dataset.verify(out)
    assert checked["faults"] == [] and checked["units"] == 12 and checked["files"] > 12


def test_the_command_is_quoted_as_the_command_line_does(tmp_path):
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    scene = write_scene(folder)
    expected = by_command_line(scene, tmp_path / "cli", "--block", "3")
    for unit in fa.dataset.units(scene, block=3):
        fa.dataset.render_unit(unit, tmp_path / "python")
    assert bytes_of(tmp_path / "python") == expected


def test_the_command_line_goes_on_where_python_stopped(scene, tmp_path):
    expected = by_command_line(scene, tmp_path / "cli", *OPTIONS)
    for unit in fa.dataset.units(scene, **CHOICE)[3:7]:
        fa.dataset.render_unit(unit, tmp_path / "both")
    simulate(scene, tmp_path / "both", *OPTIONS, "--resume")
    assert bytes_of(tmp_path / "both") == expected


def test_many_runs_are_those_of_the_command_line(scene, tmp_path):
    options = ["--frames", "2", "--environments", "1:3", "--episodes", "0:2", "--set", OVERRIDES[0]]
    expected = by_command_line(scene, tmp_path / "cli", *options)
    fa.load(scene, OVERRIDES).run_many(tmp_path / "python", range(1, 3), range(2), frames=2)
    assert bytes_of(tmp_path / "python") == expected


def test_a_unit_that_is_there_is_not_rendered_again(scene, tmp_path):
    unit = fa.dataset.units(scene, **CHOICE)[4]
    assert fa.dataset.render_unit(unit, tmp_path / "out")["rendered"]
    before = os.stat(tmp_path / "out" / unit.folder).st_ino
    again = fa.dataset.render_unit(unit, tmp_path / "out")
    assert not again["rendered"] and again["rays"] == 0
    assert os.stat(tmp_path / "out" / unit.folder).st_ino == before


def test_verify_removes_what_is_at_fault(scene, tmp_path):
    units = fa.dataset.units(scene, **CHOICE)
    before = by_command_line(scene, tmp_path / "out", *OPTIONS)
    file = tmp_path / "out" / units[3].folder / "unit.json"
    file.write_bytes(file.read_bytes().replace(b"unit", b"Unit"))
    (tmp_path / "out" / "more.txt").touch()
    assert fa.dataset.info(tmp_path / "out")["foreign"] == 1
    checked = fa.dataset.verify(tmp_path / "out", remove_faulty=True)
    assert (checked["removed"], checked["left"]) == (1, 1)
    assert checked["fault_count"] == 2 and any(units[3].folder in fault for fault in checked["faults"])
    (tmp_path / "out" / "more.txt").unlink()
    assert [fa.dataset.render_unit(unit, tmp_path / "out")["rendered"] for unit in units].count(True) == 1
    assert bytes_of(tmp_path / "out") == before


def render_at_once(unit, out, barrier):
    barrier.wait(60)
    fa.dataset.render_unit(unit, out)


def test_many_processes_may_make_the_dataset_at_once(scene, tmp_path):
    expected = by_command_line(scene, tmp_path / "cli", *OPTIONS)
    units = fa.dataset.units(scene, **CHOICE)
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(len(units))
    processes = [context.Process(target=render_at_once, args=(u, tmp_path / "out", barrier)) for u in units]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * len(units)
    assert bytes_of(tmp_path / "out") == expected


def test_an_exception_of_on_frame_ends_the_unit(scene, tmp_path):
    def refuse(done):
        raise RuntimeError(f"enough after {done}")

    unit = fa.dataset.units(scene, **CHOICE)[0]
    with pytest.raises(RuntimeError, match="enough after 1"):
        fa.dataset.render_unit(unit, tmp_path / "out", on_frame=refuse)
    assert fa.dataset.info(tmp_path / "out")["complete"] == 0


def render_and_die(unit, out):
    fa.dataset.render_unit(unit, out, on_frame=lambda done: os.kill(os.getpid(), signal.SIGKILL))


def test_a_killed_unit_is_rendered_anew(scene, tmp_path):
    unit = fa.dataset.units(scene, **CHOICE)[0]
    process = multiprocessing.get_context("fork").Process(target=render_and_die, args=(unit, tmp_path / "out"))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert fa.dataset.info(tmp_path / "out")["unfinished"] == 1
    assert fa.dataset.render_unit(unit, tmp_path / "out")["rendered"]
    info = fa.dataset.info(tmp_path / "out")
    assert (info["complete"], info["unfinished"], info["first_missing"]) == (1, 0, 1)


def test_info_tells_what_is_there(scene, tmp_path):
    units = fa.dataset.units(scene, **CHOICE)
    fa.dataset.render_unit(units[0], tmp_path / "out")
    info = fa.dataset.info(tmp_path / "out")
    assert (info["units"], info["complete"], info["first_missing"], info["foreign"]) == (12, 1, 1, 0)
    assert (info["unfinished"], info["made_of_something_else"]) == (0, 0)
    assert (info["environments"], info["episodes"], info["frames"], info["block"], info["seed"]) == ((1, 3), (0, 2), 5, 2, 9)
    assert info["fathom"] == fa.__version__ and info["scene"] == "scene.yaml" and str(scene) in info["command"]


def test_wrong_inputs_are_refused_in_one_line(scene, tmp_path):
    def refused(pattern, call, *arguments, **more):
        with pytest.raises(fa.InputError, match=pattern) as error:
            call(*arguments, **more)
        assert "\n" not in str(error.value)

    units = fa.dataset.units
    refused("missing.yaml", units, tmp_path / "missing.yaml")
    refused(r"environments: 4 given, a range of Python", units, scene, environments=4)
    refused(r"episodes: range\(0, 4, 2\) given", units, scene, episodes=range(0, 4, 2))
    refused("environments", units, scene, environments=range(-1, 4))
    refused("environments", units, scene, environments=range(3, 3))
    refused("frames", units, scene, frames=0)
    refused("block", units, scene, block=-1)
    refused("units", units, scene, environments=range(2**31), episodes=range(2))
    refused("unit: 7 given", fa.dataset.render_unit, 7, tmp_path / "out")
    refused("holds no dataset.json", fa.dataset.info, tmp_path)
    refused("holds no dataset.json", fa.dataset.verify, tmp_path)
    refused("something else", fa.dataset.render_unit, units(scene)[0], tmp_path)
    fa.dataset.render_unit(units(scene, **CHOICE)[1], tmp_path / "out")
    beyond = dataclasses.replace(units(scene)[0], index=1)
    refused("1", fa.dataset.render_unit, beyond, tmp_path / "out")


def test_a_scene_that_changed_since_units_is_refused(scene, tmp_path):
    first, second = fa.dataset.units(scene, block=2)
    fa.dataset.render_unit(first, tmp_path / "out")
    before = scene.read_text()
    scene.write_text(before.replace("[1, 1, 0.4]", "[1, -1, 0.4]"))
    with pytest.raises(fa.InputError, match=r"scene.yaml: digest \w+ here, \w+ where units\(\) read it"):
        fa.dataset.render_unit(second, tmp_path / "out")
    scene.write_text(before)
    assert fa.dataset.render_unit(second, tmp_path / "out")["rendered"]


# The lines of docs/scale.md, with a cluster, a scene and a folder of the test. While they run, a thread kills the first
# worker that is seen at work on a unit after another unit was complete: folders of unfinished units name their process.
DASK = """
import os, pathlib, signal, sys, threading, time
from dask.distributed import LocalCluster

def kill_one(workers, out, killed, over):
    while not killed and not over.is_set():
        if any(out.glob("units/*/*/[0-9]*")):
            for part in out.glob("units/*/*/.*.part"):
                pid = int(part.name.rsplit("-", 2)[1])
                if pid in workers and not killed:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
        time.sleep(0.001)

if __name__ == "__main__":
    out = pathlib.Path(sys.argv[2])
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        workers = [nanny.pid for nanny in cluster.workers.values()]
        killed, over = [], threading.Event()
        watch = threading.Thread(target=kill_one, args=(workers, out, killed, over))
        watch.start()
        try:
            exec(compile(sys.argv[1], "docs/scale.md", "exec"), {"cluster": cluster})
        finally:
            over.set()
            watch.join()
    print("killed", len(killed))
"""


def dask_lines(scene, out):
    page = (SOURCE / "docs" / "scale.md").read_text()
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "dask" in block]
    for old, new in [('"scheduler:8786"', "cluster"), ('"scene.yaml"', repr(str(scene))), ('"/shared/dataset"', repr(str(out))),
                     ("range(1000)", "range(6)"), ("range(10)", "range(2)"), ("frames=100, block=50", "frames=4, block=2")]:
        assert old in code, old
        code = code.replace(old, new)
    return code


def test_dask_renders_the_same_though_a_worker_is_killed(tmp_path):
    pytest.importorskip("distributed", reason="no python3-distributed here: no dataset is rendered by Dask")
    scene = write_scene(tmp_path, width=4000)
    expected = by_command_line(scene, tmp_path / "cli", "--environments", "0:6", "--episodes", "0:2", "--frames", "4",
                                      "--block", "2")
    out = tmp_path / "dask"
    script = tmp_path / "render.py"
    script.write_text(DASK)
    process = subprocess.Popen([sys.executable, script, dask_lines(scene, out), out], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=tmp_path, start_new_session=True,
                               env={**os.environ, "DASK_TEMPORARY_DIRECTORY": str(tmp_path / "workers")})
    try:
        said, errors = process.communicate(timeout=240)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, errors = process.communicate()
        pytest.fail("Dask did not end within 240 s: " + errors[-3000:])
    assert process.returncode == 0, errors[-3000:]
    assert said == "killed 1\n"
    assert bytes_of(out) == expected
