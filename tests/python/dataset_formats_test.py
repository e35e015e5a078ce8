# SPDX-License-Identifier: MIT
"""Datasets of HDF5 and WebDataset as others read them: h5py, tarfile and NumPy; also after kills, and on a full disk."""

import io
import json
import random
import signal
import subprocess
import tarfile
import time

import numpy as np
import pytest

from support import BUILD

FATHOM = BUILD / "bin" / "fathom"
SCENE = """
seed: 5
sensors:
  - name: laser
    type: laser_2d
    rays: 50
    max_range_m: 20
    min_azimuth_deg: -90
    max_azimuth_deg: 90
    motion: {keyframes: [{time_s: 0, position_m: [0, 0, 1]}, {time_s: 1, position_m: [1, 0, 1]}]}
    noise: [{distance: {stddev_m: {uniform: [0.01, 0.2]}}}, {dropout: {probability: 0.2}}]
    outputs: [{npy: {channels: [range, reason, hit_sensor, entity_id], lost: zero}}]
  - name: camera
    type: depth_camera
    width: 64
    height: 48
    horizontal_fov_deg: 80
    max_range_m: 20
    position_m: [-3, 0, 1]
    noise: [{distance: {stddev_m: 0.01}}]
    outputs: [{npy: {channels: [depth]}}, depth_image]
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]
"""
UNITS = ["--environments", "1:4", "--episodes", "0:2", "--frames", "5", "--block", "2"]
CHANNELS = {"laser": ["range", "reason", "hit_sensor", "entity_id"], "camera": ["depth"]}


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "scene.yaml").write_text(SCENE)
    return tmp_path / "scene.yaml"


def fathom(*words, code=0):
    ended = subprocess.run([FATHOM, *map(str, words)], capture_output=True, text=True, timeout=120)
    assert ended.returncode == code, ended.stderr
    return ended.stdout if code == 0 else ended.stderr


def simulate(scene, out, *options, code=0):
    return fathom("simulate", scene, "--out", out, "--quiet", *UNITS, *options, code=code)


def folders(scene, out):
    """The arrays of the dataset as folders: (unit, sensor, channel, frame of the unit) -> array."""
    simulate(scene, out)
    arrays = {}
    for unit in sorted((out / "units/000/000").iterdir()):
        first = json.loads((unit / "unit.json").read_text())["parameters"]["first_frame"]
        for sensor, channels in CHANNELS.items():
            for channel in channels:
                for file in sorted((unit / sensor).glob(f"{channel}_0*.npy")):
                    arrays[int(unit.name), sensor, channel, int(file.stem[-6:]) - first] = np.load(file)
    assert len(arrays) == 3 * 2 * 5 * 5
    return arrays


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def hdf5_arrays(h5py, dataset):
    """The arrays of all files, unit after unit: name -> array."""
    parts = {}
    for name in sorted(dataset.glob("packs/*/*/*.h5")):
        with h5py.File(name) as file:
            file.visititems(lambda key, item: parts.setdefault(key, []).append(item[:]) if isinstance(item, h5py.Dataset) else None)
    return {key: np.concatenate(arrays) for key, arrays in parts.items()}


def check_hdf5(file, expected):
    seen = set()
    for (unit, sensor, channel, frame), array in expected.items():
        assert same(file[f"{sensor}/{channel}"][unit, frame], array), (unit, sensor, channel, frame)
        seen.add((unit, frame))
    for unit, frames in enumerate(file["unit/frames"][:]):
        for frame in range(2):
            assert (frame < frames) == ((unit, frame) in seen)
            assert np.isnan(file["camera/depth"][unit, frame]).all() == (frame >= frames)
            assert np.isfinite(file["laser/pose"][unit, frame]).all() == (frame < frames)


@pytest.mark.parametrize("level", [0, 1, 9])
def test_h5py_reads_the_arrays_of_folders(scene, tmp_path, level):
    h5py = pytest.importorskip("h5py", reason="no python3-h5py here: the HDF5 files are not read")
    expected = folders(scene, tmp_path / "folders")
    simulate(scene, tmp_path / "out", "--format", "hdf5", "--units-per-file", 4, "--compression", level)
    fathom("dataset", "verify", tmp_path / "out")
    file = hdf5_arrays(h5py, tmp_path / "out")
    check_hdf5(file, expected)
    np.testing.assert_allclose(file["laser/pose"][1, 0], [0.2, 0, 1, 1, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(file["laser/time_s"][4], [0.2, 0.3], atol=1e-12)
    assert list(file["unit/environment"]) == [1] * 6 + [2] * 6 + [3] * 6
    drawn = json.loads(file["unit/parameters"][7])["sensors"][0]["drawn"]
    assert 0.01 <= drawn[0]["value"] <= 0.2
    with h5py.File(tmp_path / "out/packs/000/000/000000001.h5") as file:
        assert file["camera/depth"].shape == (4, 2, 48, 64) and file["camera/depth"].chunks == (1, 1, 48, 64)
        assert (file["camera/depth"].compression == "gzip") == (level > 0)
        assert list(file["unit/index"][:]) == [4, 5, 6, 7]
        assert file["laser/range"].attrs["unit"] == "m"
        assert file["laser/reason"].attrs["words"].startswith("hit,")
        assert json.loads(file["laser"].attrs["noise"])[0]["model"] == "distance"
        assert abs(file["camera"].attrs["fx"] - 32 / np.tan(np.radians(40))) < 1e-9
        assert file["camera"].attrs["cx"] == 31.5


def test_several_returns_are_an_axis_before_rows_and_columns(tmp_path):
    h5py = pytest.importorskip("h5py", reason="no python3-h5py here: the HDF5 files are not read")
    scene = tmp_path / "scene.yaml"
    scene.write_text(SCENE.replace("    rays: 50\n", "    rays: 50\n    divergence: {horizontal_deg: 3, separation_m: 0.2}\n"
                                   "    returns: [strongest, last]\n")
                     .replace("{room: {box: {size_m: [8, 6, 3]}}}", "{room: {box: {size_m: [8, 6, 3]}}, "
                              "post: {box: {size_m: [0.1, 0.1, 3]}}}")
                     .replace("[0, 0, 1.5]}]", "[0, 0, 1.5]}, {name: post, mesh: post, position_m: [2, 1, 1.5]}]"))
    expected = folders(scene, tmp_path / "folders")
    laser = [array for (_, sensor, channel, _), array in expected.items() if (sensor, channel) == ("laser", "reason")]
    assert all(array.shape == (2, 1, 50) for array in laser) and sum((array[1] == 0).sum() for array in laser) > 10
    simulate(scene, tmp_path / "out", "--format", "hdf5", "--units-per-file", 4)
    fathom("dataset", "verify", tmp_path / "out")
    file = hdf5_arrays(h5py, tmp_path / "out")
    check_hdf5(file, expected)
    assert file["laser/hit_sensor"].shape[2:] == (2, 1, 50, 3) and file["camera/depth"].shape[2:] == (48, 64)


def test_noise_is_stored_and_the_rest_is_coded(scene, tmp_path):
    pytest.importorskip("h5py", reason="no python3-h5py here: the HDF5 files are not read")
    sizes = []
    for level in [0, 1]:
        out = tmp_path / f"out{level}"
        simulate(scene, out, "--format", "hdf5", "--compression", level)
        sizes.append(sum(f.stat().st_size for f in out.glob("packs/*/*/*.h5")))
    assert sizes[1] < 0.85 * sizes[0]


def samples_of(files):
    """As a reader of WebDataset: consecutive members of one name before the first dot."""
    samples = []
    for name in files:
        with tarfile.open(name) as tar:
            key = None
            for member in tar:
                assert member.isfile() and member.mtime == 0
                before, _, kind = member.name.partition(".")
                if before != key:
                    samples.append({"__key__": before})
                    key = before
                samples[-1][kind] = tar.extractfile(member).read()
    return samples


def test_tar_files_hold_the_arrays_of_folders(scene, tmp_path):
    expected = folders(scene, tmp_path / "folders")
    simulate(scene, tmp_path / "out", "--format", "webdataset", "--units-per-file", 4)
    samples = samples_of(sorted((tmp_path / "out").glob("packs/000/000/*.tar")))
    assert len(samples) == 30 and len({s["__key__"] for s in samples}) == 30
    for sample in samples:
        about = json.loads(sample["json"])
        assert sample["__key__"] == f"{about['environment']:06}_{about['episode']:06}_{about['frame']:06}"
        assert set(about["sensors"]) == {"laser", "camera"}
        assert about["sensors"]["camera"]["position_m"] == [-3, 0, 1]
        assert abs(about["sensors"]["laser"]["time_s"] - 0.1 * about["frame"]) < 1e-12
        for sensor, channels in CHANNELS.items():
            for channel in channels:
                array = np.load(io.BytesIO(sample[f"{sensor}.{channel}.npy"]))
                assert same(array, expected[about["unit"], sensor, channel, about["frame"] % 2])


@pytest.mark.parametrize("form", ["hdf5", "webdataset"])
def test_files_are_the_same_after_kills_with_other_shards(scene, tmp_path, form):
    options = ["--format", form, "--units-per-file", "4", "--set", "sensors.camera.width=1600", "--set", "sensors.camera.height=1200"]
    simulate(scene, tmp_path / "whole", *options)
    chance = random.Random(1)
    killed = 0
    for attempt in range(3):
        shards = chance.randint(1, 3)
        processes = [subprocess.Popen([FATHOM, "simulate", scene, "--out", tmp_path / "killed", "--quiet", *UNITS, *options,
                                       "--resume", "--threads", "1", "--shard", f"{i}/{shards}"]) for i in range(shards)]
        time.sleep(chance.uniform(0.02, 0.5))
        for process in processes:
            process.send_signal(signal.SIGKILL)
            killed += process.wait(timeout=60) == -signal.SIGKILL
    assert killed > 0
    simulate(scene, tmp_path / "killed", *options, "--resume", "--shard", "0/2")
    simulate(scene, tmp_path / "killed", *options, "--resume", "--shard", "1/2")
    fathom("dataset", "verify", tmp_path / "killed")
    files = {str(f.relative_to(tmp_path / "whole")): f.read_bytes() for f in (tmp_path / "whole").rglob("*") if f.is_file()}
    again = {str(f.relative_to(tmp_path / "killed")): f.read_bytes() for f in (tmp_path / "killed").rglob("*") if f.is_file()}
    assert files.keys() == again.keys()
    assert all(files[name] == again[name] for name in files)


@pytest.mark.parametrize("form", ["hdf5", "webdataset"])
def test_a_full_disk_ends_in_one_line_and_leaves_nothing(scene, tmp_path, form):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "none", disk], capture_output=True).returncode != 0:
        pytest.skip("no small disk can be mounted here")
    try:
        said = simulate(scene, disk / "out", "--format", form, code=1)
        assert said.count("\n") == 1 and "No space left on device" in said
        assert not [f for f in (disk / "out").rglob("*") if f.suffix in (".part", ".h5", ".tar")]
    finally:
        subprocess.run(["umount", disk], check=True)


def test_dry_run_tells_the_price_and_writes_nothing(scene, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    said = fathom("simulate", scene, "--out", tmp_path / "out", "--environments", "0:1000", "--frames", "50", "--block", "10",
                  "--shard", "1/4", "--format", "webdataset", "--units-per-file", "125", "--dry-run")
    assert sorted(tmp_path.rglob("*")) == before
    assert said.startswith("5 000 units, 50 000 frames, 156 100 000 rays\nabout 80 files, ")
    assert "of them in shard 1/4: 1 250 units" in said


def test_options_of_another_format_are_refused(scene, tmp_path):
    assert "--units-per-file is of" in simulate(scene, tmp_path / "out", "--units-per-file", 3, code=2)
    assert "--compression is of" in simulate(scene, tmp_path / "out", "--format", "webdataset", "--compression", 3, code=2)
    assert not (tmp_path / "out").exists()
