# SPDX-License-Identifier: MIT
"""Noise for given frames: it is the Simulator's, image by image."""

import numpy as np
import pytest

import fathom as fa
from support import refuses

CAMERA = dict(width=48, height=36, fx=40.0)


def room():
    scene = fa.Scene()
    scene.add_entity("room", fa.box([8, 6, 3]))
    scene.add_entity("ball", fa.sphere(0.5), [2, 0.3, 0])
    return scene


def camera(noise):
    return fa.Sensor("cam", fa.sensors.DepthCamera(**CAMERA), noise=noise)


def clean_frame():
    return fa.Simulator(room(), [camera([])], seed=5).render(
        "cam", channels=("clean_range", "clean_depth", "normal", "entity_id", "depth"))


def test_the_simulators_clean_values_give_its_frame():
    noise = [fa.noise.LossAngle(max_incidence_rad=1.2), fa.noise.Distance(stddev_m=0.03, entities={"ball": {"stddev_m": 0.1}}),
             fa.noise.Dropout(probability=0.1)]
    expected = fa.Simulator(room(), [camera(noise)], seed=5).render("cam", 3, channels=("range", "depth", "reason"))
    clean = clean_frame()
    given = fa.SensorNoise(camera(noise), seed=5, entities={"room": 0, "ball": 1})
    frame = given(clean.clean_range, 3, kind="range", normals=clean.normal, entity_id=clean.entity_id,
                  channels=("range", "depth", "reason"))
    assert np.array_equal(frame.reason, expected.reason)
    assert np.array_equal(frame.range, expected.range, equal_nan=True)
    assert np.array_equal(frame.depth, expected.depth, equal_nan=True)


def test_a_batch_is_its_images_and_a_preset_takes_parameters():
    depth = np.random.default_rng(1).uniform(1, 2, (3, 36, 48)).astype(np.float32)
    batch = fa.SensorNoise("D435", **CAMERA, seed=2)(depth)
    single = fa.SensorNoise("D435", **CAMERA, seed=2)
    assert batch.shape == depth.shape and batch.dtype == np.float32
    for k in range(3):
        assert np.array_equal(single(depth[k]), batch[k], equal_nan=True)
    assert not np.array_equal(batch[0], batch[1], equal_nan=True)


def test_a_batch_of_environments_is_that_of_environments():
    noise = [fa.noise.Distance(mean_m=fa.Uniform(-0.1, 0.1), stddev_m=0.03)]
    batch = fa.Environments(room(), camera(noise), 3, seed=5)
    given = fa.SensorNoise(camera(noise), seed=5, environments=3, entities={"room": 0, "ball": 1})
    for index in range(2):
        expected = batch.render(index, channels=("clean_range", "range"))["cam"]
        assert np.array_equal(given(expected.clean_range, kind="range"), expected.range, equal_nan=True)
    assert np.array_equal(given.drawn()["distance.mean_m"], batch.drawn()["distance.mean_m"])
    given.reset([1]), batch.reset([1])
    expected = batch.render(0, channels=("clean_range", "range"))["cam"]
    assert np.array_equal(given(expected.clean_range, kind="range")[1], expected.range[1], equal_nan=True)
    assert given.episodes.tolist() == [0, 1, 0] == batch.episodes.tolist()
    refuses("2 images are given for 3 environments", given, np.ones((2, 36, 48)))
    refuses("is a range: give a number, or environments", fa.SensorNoise, camera(noise))


def test_arrays_of_other_types():
    depth = np.full((36, 48), 1.5, np.float32)
    noise = [fa.noise.Distance(stddev_m=0.01)]
    wanted = fa.SensorNoise(camera(noise))(depth, 0)
    assert np.array_equal(fa.SensorNoise(camera(noise))(depth.astype(np.float64), 0), wanted)
    assert np.array_equal(fa.SensorNoise(camera(noise))(depth.astype(np.float16), 0), wanted)
    millimetres = fa.SensorNoise(camera(noise))((depth * 1000).astype(np.uint16), 0, scale=0.001)
    assert np.allclose(millimetres, wanted, atol=1e-6)
    torch = pytest.importorskip("torch", reason="no torch")
    tensor = fa.SensorNoise(camera(noise))(torch.from_numpy(depth), 0)
    assert isinstance(tensor, torch.Tensor) and np.array_equal(tensor.numpy(), wanted)


def test_the_image_is_not_written_to():
    depth = np.full((36, 48), 1.5, np.float32)
    depth.setflags(write=False)
    fa.SensorNoise("D435", **CAMERA)(depth)


@pytest.mark.parametrize("call, text", [
    (lambda n: n(np.ones((36, 47))), r"depth: shape \(36, 47\) given, \(36, 48\) or \(N, 36, 48\) wanted"),
    (lambda n: n(np.ones((36, 48), np.uint16)), r"depth: whole numbers \(uint16\) need a scale"),
    (lambda n: n(np.full((36, 48), 1500.0)), "half of its values exceed 200 m"),
    (lambda n: n(np.full((36, 48), np.nan)), "depth_m is NaN everywhere"),
    (lambda n: n(np.ones((36, 48)), kind="disparity"), "'disparity' is not one of depth, range"),
    (lambda n: n(np.ones((36, 48)), normals=np.ones((36, 48))), "normals: shape"),
    (lambda n: n(np.ones((36, 48)), entity_id=np.ones((36, 48))), "entity_id: "),
])
def test_refusals(call, text):
    with pytest.raises(fa.InputError, match=text):
        call(fa.SensorNoise("D435", **CAMERA))
