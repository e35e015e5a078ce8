# SPDX-License-Identifier: MIT
"""Noise models and kinds of sensor, made from the library's tables."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import fathom as fa
from fathom import _fathom
from support import room, stereo


def test_there_is_a_class_for_every_model():
    for table in _fathom.noise_models():
        kind = fa.noise.models()[table["slug"]]
        assert getattr(fa.noise, kind.__name__) is kind
        fields = {field["name"]: field for field in table["fields"]}
        named = inspect.signature(kind).parameters
        assert set(named) == {*fields, "entities", "rings", "correlation"}
        one = kind()
        for name, field in fields.items():
            assert getattr(one, name) == field["default"] == named[name].default
            assert name in kind.__doc__ and field["doc"] in kind.__doc__


def test_there_is_a_class_for_every_kind():
    for table in _fathom.sensor_kinds():
        kind = fa.sensors.kinds()[table["slug"]]
        if not table["rays_from_file"]:
            assert set(inspect.signature(kind).parameters) == {field["name"] for field in table["fields"]}


def test_values_are_those_given():
    noise = fa.noise.Distance(stddev_m=0.02)
    assert (noise.stddev_m, noise.mean_m, noise.slug, noise.stage) == (0.02, 0.0, "distance", "range")
    assert noise == fa.noise.make("distance", stddev_m=0.02) != fa.noise.Distance()
    assert noise.replace(mean_m=1).to_dict() == dict(mean_m=1, stddev_m=0.02, stddev_per_m=0.0)
    assert repr(noise) == "Distance(stddev_m=0.02)"
    for other in (pickle.loads(pickle.dumps(noise)), copy.deepcopy(noise)):
        assert other == noise and type(other) is type(noise)
    with pytest.raises(AttributeError):
        noise.stddev_m = 1
    assert fa.noise.AngularRay(stddev_deg=180 / np.pi * 0.5).stddev_rad == pytest.approx(0.5)
    assert fa.noise.StereoEnergy(normalization="threshold").normalization == "threshold"


@pytest.mark.parametrize("make, words", [
    (lambda: fa.noise.Distance(stdev_m=1), ["distance", "stdev_m", "stddev_m"]),
    (lambda: fa.noise.Distance(stddev_m=-1), ["distance.stddev_m = -1 is not in [0, 10] m"]),
    (lambda: fa.noise.Distance(stddev_m=float("nan")), ["distance.stddev_m"]),
    (lambda: fa.noise.Distance(stddev_m="wide"), ["distance.stddev_m", "'wide'"]),
    (lambda: fa.noise.Distance(stddev_m=True), ["distance.stddev_m"]),
    (lambda: fa.noise.make("distence"), ["distence", "distance"]),
    (lambda: fa.noise.StereoEnergy(normalization="treshold"), ["'treshold'", "document", "'threshold'?"]),
    (lambda: fa.noise.StereoEnergy(normalization=1), ["stereo_energy.normalization"]),
    (lambda: fa.noise.AngularRay(stddev_deg=1, stddev_rad=1), ["stddev_deg", "stddev_rad"]),
    (lambda: fa.noise.Distance(entities={"a": dict(sttdev_m=1)}), ["sttdev_m", "stddev_m"]),
    (lambda: fa.noise.Distance(entities={"a": {}}, rings={1: {}}), ["rings", "entities"]),
    (lambda: fa.noise.StereoEnergy(pow=fa.LogUniform(0, 1)), ["pow", "above 0"]),
    (lambda: fa.noise.StereoEnergy(normalization=fa.Uniform(0, 1)), ["normalization", "only numbers"]),
    (lambda: fa.sensors.Laser2d(rays=3, min_azimuth_rad=0), ["laser_2d", "max_azimuth_rad", "required"]),
    (lambda: fa.sensors.Laser2d(rays=3, min_azimuth_rad=0, max_azimuth_rad=1, rate_h=3), ["laser_2d", "rate_hz"]),
    (lambda: fa.sensors.Laser2d(rays=3, min_azimuth_rad=1, max_azimuth_rad=0), ["laser_2d"]),
    (lambda: fa.sensors.Laser2d(rays=2.5, min_azimuth_rad=0, max_azimuth_rad=1), ["rays", "2.5"]),
    (lambda: fa.sensors.make("laser2d"), ["laser_2d"]),
    (lambda: fa.sensors.RayTable([[1, 0, 1]]), ["direction"]),
    (lambda: fa.sensors.RayTable([[1, 0, 0]], [[0, 0, 0], [1, 1, 1]]), ["origins_m", "(2, 3)", "(1, 3)"]),
    (lambda: fa.preset("OS1-6"), ["OS1-6", "OS1-64"]),
    (lambda: fa.Sensor("a", fa.sensors.camera_from_fov(4, 3, 1), noise="preset"), ["preset"]),
    (lambda: fa.Sensor("a", 3), ["'a'", "model"]),
    (lambda: fa.beam.Parameters(w_hit=1, w_short=0.5, w_max=0, w_rand=0, sigma_hit_m=0.1, lambda_short_per_m=0), ["1.5"]),
    (lambda: fa.beam.Sensor(), ["max_range_m", "required"]),
])
def test_refusals(make, words):
    with pytest.raises(fa.InputError) as refused:
        make()
    text = str(refused.value)
    assert "\n" not in text
    for word in words:
        assert word in text


def test_unknown_classes_are_named():
    with pytest.raises(AttributeError, match="Distance"):
        fa.noise.Distanse
    with pytest.raises(AttributeError, match="StereoCamera"):
        fa.sensors.SteroCamera


def test_models_of_sensors():
    laser = fa.sensors.Laser2d(rays=541, min_azimuth_deg=-180, max_azimuth_deg=90)
    assert laser.shape == (1, 541) and laser.min_azimuth_rad == -np.pi and laser.max_range_m == 30
    assert laser.replace(rays=3).shape == (1, 3) and laser.shape == (1, 541)
    assert pickle.loads(pickle.dumps(laser)) == laser
    rays = laser.pattern()
    assert rays["directions"].shape == (1, 541, 3) and rays["origins_m"] is None
    np.testing.assert_allclose(np.linalg.norm(rays["directions"], axis=-1), 1, atol=1e-6)
    np.testing.assert_allclose(rays["directions"][0, 0], [-1, 0, 0], atol=1e-6)


def test_presets():
    assert "OS1-64" in fa.presets()
    lidar = fa.preset("OS1-64", columns=512)
    assert lidar.preset == "OS1-64" and lidar.shape == (64, 512) and lidar.destagger_shifts().shape == (64,)
    assert [n.slug for n in fa.Sensor("a", "OS1-64", noise=["preset", fa.noise.Dropout(probability=0.1)]).noise] == [
        *(n.slug for n in fa.sensors.preset_noise("OS1-64")), "dropout"]
    # A preset brings its noise, as in scene files; [] is the ideal sensor.
    assert fa.Sensor("a", "OS1-64").noise == fa.Sensor("a", lidar).noise == fa.sensors.preset_noise("OS1-64") != []
    assert fa.Sensor("a", "OS1-64", noise=[]).noise == fa.Sensor("a", "OS1-64", noise=()).replace(name="b").noise == []
    # A value given in one form replaces the preset's value in another form, as in scene files.
    camera = fa.preset("D435", width=640, height=360, fx=322.0)
    assert camera.intrinsics()["fx"] == 322 and camera.horizontal_fov_rad == 0
    assert fa.sensors.camera_from_fov(4, 2, np.pi / 2).intrinsics() == pytest.approx(dict(fx=2, fy=2, cx=1.5, cy=0.5))


def test_tables_of_rays(tmp_path):
    directions = np.zeros((2, 3, 3))
    directions[..., 0] = 1
    table = fa.sensors.RayTable(directions, min_range_m=0.1, max_range_m=np.full((2, 3), 7.0), ring=np.arange(6))
    assert table.shape == (2, 3) and table.pattern()["ring"][1, 2] == 5 and table.pattern()["max_range_m"][0, 0] == 7
    assert pickle.loads(pickle.dumps(table)) == table
    np.save(tmp_path / "rays.npy", np.array([[0, 0, 0, 2.0, 0, 0]]))
    assert fa.sensors.RayTable.read(tmp_path / "rays.npy", max_range_m=9).shape == (1, 1)


def test_noise_for_entities_and_rings():
    """What an entry leaves out is as in the model itself."""
    scene = room()
    noise = fa.noise.Distance(mean_m=0.5, entities={"ball": dict(mean_m=1.5), "table": fa.noise.Distance(stddev_m=0.0)})
    frame = fa.Simulator(scene, [stereo(noise=[noise])], seed=3).render(0, 0, ("range", "clean_range", "entity_id"))
    moved = frame.range - frame.clean_range
    hit = np.isfinite(frame.range)
    for entity, mean in ((0, 0.5), (1, 0.5), (2, 1.5)):
        np.testing.assert_allclose(moved[hit & (frame.entity_id == entity)], mean, atol=1e-5)
    with pytest.raises(fa.InputError, match="bal.*ball"):
        fa.Simulator(scene, [stereo(noise=[fa.noise.Distance(entities={"bal": dict(mean_m=1)})])])


def test_correlated_draws():
    """They arrive as in C++, come back with scenes, and are refused with the nearest name and the limits."""
    inf = float("inf")
    noise = fa.noise.Distance(stddev_m=0.1, correlation=dict(across_px=3, down_px=1.5, time_s=inf))
    assert noise.correlation == dict(across_px=3, down_px=1.5, time_s=inf, motion_m=0, motion_rad=0, shape="gaussian")
    assert pickle.loads(pickle.dumps(noise)) == noise and noise != fa.noise.Distance(stddev_m=0.1)
    assert noise.replace(stddev_m=0.2).correlation == noise.correlation and "across_px" in repr(noise)
    assert fa.noise.Distance(correlation=dict(across_px=0)) == fa.noise.Distance()
    for wrong, told in ((dict(acros_px=1), "across_px"), (dict(down_px=65), "64"), (dict(time_s=-1), "time_s"),
                        (dict(across_px=float("nan")), "nan"), (dict(shape="round"), "gaussian")):
        with pytest.raises(fa.InputError, match=told):
            fa.noise.Distance(correlation=wrong)
    with pytest.raises(fa.InputError, match="draws no random numbers"):
        fa.Simulator(room(), [stereo(noise=[fa.noise.GainBias(gain=0.1, correlation=dict(across_px=1))])])

    def error(noise, index):
        frame = fa.Simulator(room(), [stereo(noise=[noise])], seed=3).render(0, index, ("range", "clean_range"))
        return frame.range - frame.clean_range

    smooth, rough = error(noise, 0), error(noise.replace(correlation=None), 0)
    assert np.nanmean(np.abs(np.diff(smooth, axis=1))) < 0.5 * np.nanmean(np.abs(np.diff(rough, axis=1)))
    np.testing.assert_array_equal(smooth, error(noise, 9))


def test_ranges_are_drawn_for_the_episode():
    scene = room()
    noise = [fa.noise.Distance(mean_m=fa.Uniform(1, 2), entities={"ball": dict(stddev_m=0.0)}),
             fa.noise.Dropout(probability=fa.Normal(0.5, 0.1, (0.4, 0.6)))]
    batch = fa.Environments(scene, stereo(noise=noise), 8, seed=5)
    drawn = batch.drawn()
    assert list(drawn) == ["distance.mean_m", "distance[ball].mean_m", "dropout.probability"]
    np.testing.assert_array_equal(drawn["distance.mean_m"], drawn["distance[ball].mean_m"])
    assert ((drawn["distance.mean_m"] >= 1) & (drawn["distance.mean_m"] <= 2)).all()
    assert ((drawn["dropout.probability"] >= 0.4) & (drawn["dropout.probability"] <= 0.6)).all()
    frames = batch.render(0, channels=("range", "clean_range"))["camera"]
    for e in range(8):
        moved = np.nanmax(frames.range[e] - frames.clean_range[e])
        assert moved == pytest.approx(drawn["distance.mean_m"][e], abs=1e-5)
        alone = fa.Simulator(scene, [stereo(noise=noise)], seed=5, environment=e)
        assert alone.render("camera", 0, ("range", "clean_range")).range.tobytes() == frames.range[e].tobytes()
    with pytest.raises(fa.InputError, match="range"):
        fa.Simulator(scene).add_sensor(stereo(noise=noise))


def test_help_has_units_and_limits():
    assert "stddev_m: standard deviation at range 0; in [0, 10] m; default 0" in fa.noise.Distance.__doc__
    assert fa.noise.Distance.stddev_m.__doc__.startswith("standard deviation")
    assert "float32 [rows, cols], of many environments with these in front, and several returns before all; m." in fa.Frame.range.__doc__
