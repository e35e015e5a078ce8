# SPDX-License-Identifier: MIT
"""Simulators and scene files."""

import json

import numpy as np
import pytest

import fathom as fa
from support import SOURCE, camera, lidar, refuses, room, same

ROOM = SOURCE / "examples" / "04_frames_from_a_scene" / "room.yaml"


def test_sensors_by_name_and_number():
    simulator = fa.Simulator(room(), [camera()], seed=3, threads=1)
    assert simulator.add_sensor(lidar()) == 1 and simulator.sensor_names == ["camera", "lidar"]
    assert same(simulator.render("lidar", 2).range, simulator.render(1, 2).range)
    assert simulator.threads == 1 and simulator.stamp_s(5) == 0.5 and simulator.seed == 3
    np.testing.assert_array_equal(simulator.world_from_sensor("camera").position_m, [-3, 0, 1.2])
    with pytest.raises(fa.InputError, match="'lidr'.*lidar"):
        simulator.render("lidr")
    refuses("taken", simulator.add_sensor, lidar())
    for wrong in (2, -1, 1.5, True):
        refuses("sensor", simulator.render, wrong)


def test_numbers_have_limits():
    simulator = fa.Simulator(room(), [camera()])
    for wrong in (-1, 2**32, 0.5, "0"):
        refuses("index", simulator.render, 0, wrong)
    assert fa.Simulator(room(), seed=2**64 - 1).seed == 2**64 - 1
    for wrong in (-1, 2**64, 1.0):
        refuses("seed", fa.Simulator, room(), seed=wrong)
    for what in (dict(threads=-1), dict(rate_hz=0), dict(isa="mmx"), dict(start_s=np.nan)):
        with pytest.raises(fa.InputError):
            fa.Simulator(room(), **what)
    with pytest.raises(fa.InputError, match="'rang'.*'range'"):
        simulator.render(0, 0, ("rang",))
    refuses("no channel", simulator.render, 0, 0, ())
    assert simulator.render(0, 0, "depth").channels == ("depth",)


def test_the_scene_is_seen_as_it_is():
    """Changes made through Python's scene show in the next frame of every simulator, as in a new one."""
    scene = room()
    old = [fa.Simulator(scene, [camera()], seed=1) for _ in range(2)]
    channels = ("range", "entity_id", "triangle_id")

    def check():
        new = fa.Simulator(scene, [camera()], seed=1).render(0, 0, channels)
        for simulator in old:
            seen = simulator.render(0, 0, channels)
            assert same(seen.range, new.range) and same(seen.entity_id, new.entity_id)
        return new

    first = check()
    scene.set_pose("ball", [0, 0, 1.2])
    moved = check()
    assert not same(first.range, moved.range)
    scene.add_entity("stick", fa.cylinder(0.1, 1), fa.Pose([-1, 0, 1.2], rpy_deg=[90, 0, 0]), parent="ball")
    assert (check().entity_id == 3).any()
    scene.add_entity("second", "stick", [0, 0.5, 0], parent="stick")
    vertices = scene.mesh("ball").vertices * 0.5
    scene.replace_vertices("ball", vertices)
    scene.replace_vertices("ball", vertices * 3)
    check()
    # Parents that change places would be a circle if they were changed one by one.
    scene.set_parent("stick", None)
    scene.set_parent("ball", "stick")
    check()
    assert old[0].scene is scene or old[0].scene.revision == scene.revision


def test_labels_and_motions_are_seen_as_they_are():
    scene = room()
    old = fa.Simulator(scene, [camera()], seed=1)
    old.render(0)
    scene.add_label("sofa", 40)
    scene.add_entity("cube", fa.box([1, 1, 1]), [-1, 0, 1.2], label="cube")
    scene.add_entity("tile", "cube", [0, 0, 9], label="sofa")
    scene.set_motion("ball", fa.Trajectory([0, 1], [[-1, -1, 1.2], [-1, 1, 1.2]], loop=True))
    channels = ("label", "entity_id", "range")
    for k in (0, 3, 13):
        new = fa.Simulator(scene, [camera()], seed=1).render(0, k, channels)
        seen = old.render(0, k, channels)
        assert all(same(seen[c], new[c]) for c in channels)
        np.testing.assert_array_equal(seen.label, np.where(seen.entity_id == 3, 41, 0))
        assert (seen.label == 41).any() and (seen.entity_id == 2).any()


def test_sensors_ignore_what_they_are_told():
    scene = fa.Scene()
    scene.add_entity("shell", fa.box([1, 1, 1]), groups=["near"])
    scene.add_entity("skin", fa.box([2, 2, 2]), parent="shell", part_of_parent=True)
    scene.add_entity("wall", fa.box([10, 10, 10]), groups=["far", "hard"])
    scene.add_entity("post", fa.box([0.2, 9, 9]), [3, 0, 0])

    def seen(**more):
        eye = fa.Sensor("eye", fa.sensors.camera_from_fov(1, 1, 0.1), **more)
        simulator = fa.Simulator(scene, [eye])
        return simulator.render(0, 0, ("entity_id",)).entity_id[0, 0]

    assert seen() == 0 and seen(ignore=["shell"]) == 3 and seen(ignore=0) == 3 and seen(ignore_groups="near") == 3
    assert seen(parent="shell") == 3 and seen(parent="shell", see_parent=True) == 0
    assert seen(ignore=["shell", 3]) == 2 and seen(ignore=["shell", "post"], ignore_groups=["hard"]) == -1
    for wrong in (dict(ignore=["shel"]), dict(ignore_groups=[""]), dict(ignore=[9])):
        with pytest.raises(fa.InputError):
            seen(**wrong)
    eye = fa.Sensor("eye", "VLP-16", parent="shell", see_parent=True, ignore=["wall"], ignore_groups=["far"])
    assert eye.replace(name="eye") == eye and eye.replace(see_parent=False) != eye


def test_carriers_and_what_is_ignored_are_numbers_of_entities():
    for wrong in (-1, 2.5, 3, 2**32):
        with pytest.raises(fa.InputError, match="parent|entity 3"):
            fa.Simulator(room(), [camera(parent=wrong)])
        refuses("ignore", fa.Simulator, room(), [camera(ignore=[wrong])])
    assert camera(ignore=np.int32(1)) == camera(ignore=1)


def test_one_sensor_needs_no_list():
    assert fa.Simulator(room(), camera()).sensor_names == ["camera"]
    for wrong in ("OS1-64", [camera(), "OS1-64"], [None]):
        refuses("a Sensor wanted", fa.Simulator, room(), wrong)
        refuses("a Sensor wanted", fa.Environments, room(), wrong, 2)


def test_sensors_ride_on_entities():
    scene = room()
    simulator = fa.Simulator(scene, [fa.Sensor("camera", fa.sensors.camera_from_fov(8, 6, 1.0), [0.5, 0, 0], parent="ball")])
    scene.set_pose("ball", fa.Pose([1, 0, 1], rpy_deg=[0, 0, 180]))
    np.testing.assert_allclose(simulator.world_from_sensor(0).position_m, [0.5, 0, 1], atol=1e-12)


def test_noise_is_replaced():
    simulator = fa.Simulator(room(), [camera(noise=fa.noise.Distance(stddev_m=0.1))], seed=1)
    noisy = simulator.render(0, 0, ("range", "clean_range"))
    assert np.nanstd(noisy.range - noisy.clean_range) > 0.05
    simulator.set_noise("camera", [])
    clean = simulator.render(0, 0, ("range", "clean_range"))
    assert same(clean.range, clean.clean_range)
    refuses("stereo_shadow", simulator.set_noise, "camera", [fa.noise.StereoShadow()])
    refuses("stddev_m is a range", simulator.set_noise, "camera", fa.noise.Distance(stddev_m=fa.Uniform(0, 0.1)))


def test_moving_sensor_and_entity():
    path = fa.Trajectory([0, 1], [[-3, 0, 1], [3, 0, 1]])
    scene = fa.Scene()
    scene.add_entity("wall", fa.box([0.2, 9, 9]), fa.Trajectory([0, 1], [[6, 0, 0], [8, 0, 0]]))
    simulator = fa.Simulator(scene, [fa.Sensor("eye", fa.sensors.camera_from_fov(1, 1, 0.1), path)], rate_hz=2)
    assert simulator.render("eye", 1).range[0, 0] == pytest.approx(6.9) and scene.moves


def test_load_and_simulate():
    setup = fa.load(ROOM)
    assert setup.scene.entity_names and setup.file.name == "room.yaml" and setup.inputs
    simulator = setup.simulator()
    for sensor in setup.sensors:
        by_setup = simulator.render(sensor.name, 1, ("range", "reason"))
        # The sensors, noise and all, are what Python says they are.
        again = fa.Simulator(setup.scene, setup.sensors, seed=setup.seed, rate_hz=setup.rate_hz, start_s=setup.start_s)
        assert again.render(sensor.name, 1, ("range", "reason")).digest() == by_setup.digest()


def test_every_shipped_scene_is_the_same_by_its_parts():
    for file in ("examples/house/house.yaml", "examples/06_stereo/stereo.yaml", "tests/run/everything.yaml"):
        setup = fa.load(SOURCE / file)
        a = setup.simulator(environment=3, episode=1)
        b = fa.Simulator(setup.scene, setup.sensors, seed=setup.seed, environment=3, episode=1, rate_hz=setup.rate_hz,
                         start_s=setup.start_s)
        for sensor in setup.sensors:
            if sensor.model.shape[0] * sensor.model.shape[1] > 60_000:
                continue
            digests = [s.render(sensor.name, 1, ("range", "reason")).digest() for s in (a, b)]
            assert digests[0] == digests[1], f"{file}: {sensor}"


def test_overrides(tmp_path):
    text = ("scene: {meshes: {b: {box: {size_m: [9, 9, 9]}}}, entities: [{name: b, mesh: b}]}\n"
            "sensors:\n  - {name: eye, preset: VLP-16, noise: [distance: {stddev_m: {uniform: [0.1, 0.2]}}], outputs: [pcd]}\n")
    (tmp_path / "s.yaml").write_text(text)
    setup = fa.load(tmp_path / "s.yaml")
    assert setup.sensors[0].noise == [fa.noise.Distance(stddev_m=fa.Uniform(0.1, 0.2))]
    assert setup.sensors[0].model == fa.preset("VLP-16") and setup.outputs == {"eye": ["pcd"]}
    changed = fa.load(tmp_path / "s.yaml", ["sensors.eye.noise.distance.stddev_m=0.5", "seed=7"])
    assert changed.sensors[0].noise[0].stddev_m == 0.5 and changed.seed == 7
    changed = fa.load(tmp_path / "s.yaml", {"sensors.eye.position_m": [1, 2, 3], "sensors.eye.rolling": True, "frames": 3})
    np.testing.assert_array_equal(changed.sensors[0].pose.at(0).position_m, [1, 2, 3])
    assert changed.sensors[0].rolling and changed.frames == 3
    with pytest.raises(fa.InputError, match="s.yaml|stddev"):
        fa.load(tmp_path / "s.yaml", ["sensors.eye.noise.distance.sttdev_m=1"])
    (tmp_path / "bad.yaml").write_text(text.replace("name: eye", "nme: eye"))
    refuses("bad.yaml:3:", fa.load, tmp_path / "bad.yaml")
    batch = setup.environments(4)
    assert batch.drawn()["distance.stddev_m"].shape == (4,)


def test_run_and_plan(tmp_path):
    setup = fa.load(SOURCE / "examples" / "06_stereo" / "stereo.yaml", ["frames=2"])
    plan = setup.plan()
    steps = []
    result = setup.run(tmp_path / "out", digest=True, on_progress=lambda progress: steps.append(progress["frames_done"]))
    assert steps[-1] == 2 and len(result["files"]) == plan["files"]
    assert json.loads((tmp_path / "out" / "summary.json").read_text())
    sensor = result["sensors"][0]
    assert sum(sensor["reasons"].values()) == sensor["rays"] and len(sensor["digest"]) == 16
    refuses("out", setup.run, tmp_path / "out")
    assert setup.run(tmp_path / "out", force=True, frames=1)["progress"]["frames_total"] == 1

    def raise_it(progress):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        setup.run(tmp_path / "other", on_progress=raise_it)


def test_many_runs(tmp_path):
    setup = fa.load(SOURCE / "examples" / "06_stereo" / "stereo.yaml", {"frames": 1, "sensors.stereo.outputs": []})
    steps = []
    many = setup.run_many(tmp_path / "many", range(2, 4), range(2), digest=True, on_progress=lambda p: steps.append(p["frames_done"]))
    assert [str(f.relative_to(tmp_path / "many")) for f in many["folders"]] == [
        f"units/000/000/00000000{i}" for i in range(4)] and max(steps) == 4
    setup.run(tmp_path / "one", environment=3, episode=1)
    alone, of_many = (json.loads((run / "summary.json").read_text()) for run in (tmp_path / "one", many["folders"][3]))
    assert {key: value for key, value in alone.items() if key not in ("run", "versions")} == of_many
    assert len(many["sensors"][0]["digest"]) == 16 and many["files"] == len(of_many["files"]) * 4 + 4
    for wrong in (range(0, 4, 2), 4, range(0)):
        with pytest.raises(fa.InputError):
            setup.run_many(tmp_path / "none", wrong)


def test_versions():
    assert fa.versions()["fathom"] == fa.__version__ and fa.detect_isa() in ("sse2", "avx2", "avx512", "neon")
    with pytest.raises(OSError):
        fa.Simulator(room(), [camera()]).render(0).write_pcd("/proc/none/x.pcd")


def test_velocity_within_a_scan():
    scene = fa.Scene()
    scene.add_entity("wall", fa.box([1, 60, 9]), fa.Trajectory([0, 1], [[10, 0, 0], [40, 0, 0]]))
    frame = fa.Simulator(scene, [lidar(rolling=True)]).render(0, 0, ("range", "velocity", "time_offset", "azimuth", "elevation"))
    ahead = np.cos(frame.azimuth) * np.cos(frame.elevation)
    hit = np.isfinite(frame.range) & (ahead > 0.9)
    assert hit.any()
    np.testing.assert_allclose((frame.range * ahead)[hit], (9.5 + 30 * frame.time_offset)[hit], atol=1e-4)
    np.testing.assert_allclose(frame.velocity[hit], 30 * ahead[hit], atol=1e-4)
    noisy = fa.Simulator(scene, [lidar(velocity_noise=fa.noise.Distance(mean_m=0.5))]).render(0, 0, "velocity")
    np.testing.assert_allclose(noisy.velocity[hit], 0.5 + 30 * ahead[hit], atol=1e-4)
    with pytest.raises(fa.InputError, match="velocity_noise: dropout does not act on a velocity"):
        fa.Simulator(scene, [lidar(velocity_noise=fa.noise.Dropout(probability=0.1))])
