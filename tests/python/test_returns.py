# SPDX-License-Identifier: MIT
"""Diverging rays, several returns of each, materials, falloff, detection, and tables that play on."""

import pickle

import numpy as np
import pytest

import fathom as fa
from fathom import _fathom
from support import ALL_CHANNELS, SOURCE, lidar, refuses, room, same

WIDE = dict(horizontal_rad=0.03, vertical_rad=0.02, separation_m=0.25)


def dual(**more):
    return lidar(divergence=WIDE, returns=("strongest", "last"), noise=[fa.noise.Distance(stddev_m=0.01)], **more)


def test_arrays_begin_with_the_returns():
    frame = fa.Simulator(room(), [dual()], seed=3).render(0, 0, ALL_CHANNELS)
    assert frame.shape == (2, 4, 64) and frame.returns == 2 and frame.rows == 4
    assert frame.range.shape == (2, 4, 64) and frame.hit_sensor.shape == (2, 4, 64, 3)
    blank = frame.reason[1] == _fathom.REASONS.index("no_further_return")
    assert 3 < (~blank).sum() < blank.sum() and np.isnan(frame.range[1][blank]).all()
    np.testing.assert_array_equal(frame.ring[0], frame.ring[1])
    returned = frame.reason == 0
    np.testing.assert_allclose(np.linalg.norm(frame.hit_sensor[returned], axis=-1), frame.range[returned], atol=1e-5)
    assert repr(frame).startswith("Frame(2 returns of 4 x 64 rays")


def test_pictures_have_a_colour_for_each_reason():
    assert len(set(_fathom.REASON_COLORS)) == len(_fathom.REASONS)


def test_one_of_them_is_a_frame_of_its_own():
    frame = fa.Simulator(room(), [dual()], seed=3).render(0, 0, ("range", "hit_world", "reason"))
    last = frame.of_return(1)
    assert last.shape == (4, 64) and last.returns == 1
    assert same(last.range, frame.range[1]) and same(last.hit_world, frame.hit_world[1])
    single = fa.Simulator(room(), [dual().replace(returns="strongest")], seed=3).render(0, 0, ("range",))
    assert single.shape == (4, 64) and same(single.range, frame.range[0])
    refuses("k", frame.of_return, 2)


def test_what_coincides_is_as_the_sensor_chooses():
    def reasons(coinciding):
        sensor = dual(coinciding=coinciding)
        assert sensor.coinciding == coinciding
        return fa.Simulator(room(), [sensor], seed=3).render(0, 0, ("range", "reason")).reason

    blank = _fathom.REASONS.index("no_further_return")
    counts = {c: int((reasons(c)[1] == blank).sum()) for c in ("next", "next_or_repeat", "repeat", "blank")}
    assert counts["next_or_repeat"] == counts["repeat"] == 0
    assert 0 < counts["next"] <= counts["blank"]


def test_arrays_of_the_callers_hold_all():
    simulator = fa.Simulator(room(), [dual()], seed=3)
    wanted = simulator.render(0, 0, ("range", "hit_sensor")).copy()
    given = np.empty((2, 4, 64), "float32")
    points = np.empty((3, 2, 4, 64), "float32").transpose(1, 2, 3, 0)
    out = fa.Frame.over(returns=2, range=given, hit_sensor=points)
    simulator.render(0, 0, out=out)
    assert same(given, wanted.range) and same(points, wanted.hit_sensor)
    refuses("returns", fa.Frame.over, returns=3, range=given)


def test_environments_stand_behind_the_returns():
    batch = fa.Environments(room(), dual(), 3, seed=3)
    frame = batch.render(0, channels=("range", "reason"))["lidar"]
    assert frame.range.shape == (2, 3, 4, 64) and frame.environments == 3


def test_materials_and_falloff():
    scene = fa.Scene()
    scene.add_material("sign", reflectivity=0.5, gain=20, width_rad=0.4)
    scene.add_material("paint", table=[[0, 1], [1.5, 0]])
    scene.add_entity("wall", fa.box([0.1, 4, 4]), [4.05, 0, 0], material="sign")
    assert scene.entities[0].material == "sign" and scene.entities[0].reflectivity == 1
    model = fa.sensors.RayTable([[1, 0, 0]], max_range_m=50)
    ray = fa.Sensor("ray", model)
    assert fa.Simulator(scene, [ray]).render(0, 0, ("intensity",)).intensity[0, 0] == pytest.approx(0.5 * 21)
    falling = ray.replace(falloff=dict(law="inverse_square", reference_m=2))
    assert fa.Simulator(scene, [falling]).render(0, 0, ("intensity",)).intensity[0, 0] == pytest.approx(0.5 * 21 / 4)
    copy = scene.copy()
    assert copy.entities[0].material == "sign"
    refuses("there is no material 'sing'", scene.add_entity, "other", fa.box([1, 1, 1]), material="sing")
    refuses("both given", scene.add_material, "both", table=[[0, 1], [1, 0]], gain=2)


def test_detection():
    scene = fa.Scene()
    scene.add_entity("wall", fa.box([0.1, 400, 400]), [80.05, 0, 0], reflectivity=0.1)
    ray = fa.Sensor("ray", fa.sensors.RayTable([[1, 0, 0]], max_range_m=200))
    for detection, reason in (({}, "hit"), (dict(reach_10_m=81), "hit"), (dict(reach_10_m=79), "low_power"),
                              (dict(reach_80_m=81 * 8**0.5), "hit"), (dict(reach_80_m=79 * 8**0.5), "low_power")):
        frame = fa.Simulator(scene, [ray.replace(detection=detection)]).render(0, 0, ("reason",))
        assert frame.reason[0, 0] == _fathom.REASONS.index(reason), detection
    assert fa.Sensor("lidar", "OS1-128").detection == {"reach_10_m": 45}
    assert fa.Sensor("lidar", "OS1-128", detection={}).detection == {} == fa.Sensor("lidar", "VLP-16").detection


def test_filters_and_alignment():
    scene = fa.Scene()
    scene.add_entity("wall", fa.box([0.1, 40, 40]), [1.05, 0, 0])
    raw = fa.Sensor("camera", fa.sensors.StereoCamera(width=32, height=24, fx=30, baseline_m=0.05), noise=fa.noise.Dropout(probability=0.3))
    filled = raw.replace(filters=dict(hole_filling="left", spatial=dict(alpha=0.4)),
                         aligned_to=dict(fx=20, fy=20, cx=9.5, cy=7.5, width=20, height=16, offset=fa.Pose([0, 0.01, 0])))
    frame = fa.Simulator(scene, [filled]).render(0, 0, ("depth", "reason"))
    assert frame.depth.shape == (16, 20)
    assert frame.depth[:, 5:] == pytest.approx(1, abs=1e-6)
    scene_file = SOURCE / "examples/06_stereo/stereo.yaml"
    read = fa.load(scene_file, ["sensors.stereo.filters={hole_filling: left, spatial: {alpha: 0.5}, temporal: {}}"]).sensors[0]
    assert read.filters == {"hole_filling": "left", "spatial": {}, "temporal": {}} and read.aligned_to == {}
    clean_m = fa.Simulator(scene, [raw]).render(0, 0, ("clean_range",)).clean_range
    noisy = fa.SensorNoise(filled)(clean_m, kind="range", channels=("depth", "reason"))
    assert noisy.depth.shape == (16, 20) and same(noisy.depth, frame.depth)
    preset = fa.Sensor("camera", "D435_filtered")
    assert preset.filters == {"spatial": {}} and preset.aligned_to["width"] == 1280
    assert preset.replace(filters={}, aligned_to={}).filters == {}
    refuses("spatial.alpha = 0.1 is not in", fa.Simulator, scene, [raw.replace(filters=dict(spatial=dict(alpha=0.1)))])
    refuses("keep", fa.Environments, scene, [raw.replace(filters=dict(temporal={}))], count=2)


def test_a_table_plays_on(tmp_path):
    table = tmp_path / "livox.csv"
    table.write_text("Time/s,Azimuth/deg,Zenith/deg\n1,0,90\n2,90,90\n3,180,90\n")
    rays = fa.sensors.RayTable.read(table, max_range_m=40, rays_per_frame=2, points_per_s=100)
    assert rays.shape == (1, 2) and rays.to_dict()["rays_per_frame"] == 2
    assert rays.pattern(1)["directions"][0] == pytest.approx(np.array([[-1, 0, 0], [1, 0, 0]]), abs=1e-7)
    assert rays.pattern(1)["time_offset_s"][0].tolist() == pytest.approx([0, 0.01])
    copy = pickle.loads(pickle.dumps(rays))
    assert copy == rays and copy.pattern(1)["directions"].tolist() == rays.pattern(1)["directions"].tolist()
    assert rays != rays.replace(loop=False)
    refuses("more than the 3 rays of the table", rays.replace, rays_per_frame=4)


def test_glass_and_mirrors():
    def sheet(x):
        return scene.add_mesh([[x, -20, -20], [x, 20, -20], [x, 20, 20], [x, -20, 20]], [[0, 1, 2], [0, 2, 3]])

    scene = fa.Scene()
    scene.add_material("pane", preset="window_glass", optics=dict(diffuse=0))
    scene.add_entity("pane", sheet(2), material="pane")
    scene.add_entity("wall", sheet(6))
    frame = fa.Simulator(scene, [lidar()]).render(0, 0, ("range", "path", "entity_id"))
    assert frame.path.dtype == np.uint8 and 50 < (frame.path == 1).sum() < 128
    assert (frame.range[frame.path == 1] > 6).all() and (frame.entity_id[frame.path == 1] == 1).all()
    blind = lidar(light_paths=dict(bounces=0))
    assert blind.replace(name="other").light_paths == {"bounces": 0}
    reason = fa.Simulator(scene, [blind]).render(0, 0, ("reason",)).reason
    assert (reason[frame.path == 1] == _fathom.REASONS.index("specular")).all()
    refuses("mirror = 2 is not in", scene.add_material, "wrong", optics=dict(mirror=2))
    refuses("window_glass", scene.add_material, "wrong", preset="window_glas")
    with pytest.raises(fa.InputError, match="'wrong': reflectivity is not for a surface that passes or mirrors"):
        scene.add_material("wrong", preset="mirror", reflectivity=0.5)


def test_slips_are_refused():
    for more, match in ((dict(returns=("first", "last")), "need a divergence"), (dict(returns="furst"), "first"),
                        (dict(divergence=dict(horizontal_rad=1)), "0.2"), (dict(divergence=dict(width=1)), "width"),
                        (dict(falloff=dict(law="cubic")), "cubic"), (dict(coinciding="blanc"), "blank")):
        with pytest.raises(fa.InputError, match=match) as refused:
            fa.Simulator(room(), [lidar(**more)])
        assert str(refused.value).startswith("sensor 'lidar': ")
