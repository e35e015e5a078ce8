# SPDX-License-Identifier: MIT
"""Keyed draws equal the draws of the library's models, bit by bit."""

import numpy as np
import pytest

import fathom as fa
from support import lidar, room, same


def frame_with(noise, name, cols, index=5, seed=11):
    model = fa.sensors.SpinningLidar(elevation_deg=[5, 0, -5], columns=cols)
    sensor = fa.Sensor(name, model, [0, 0, 1.2], noise=noise)
    return fa.Simulator(room(), [sensor], seed=seed).render(name, index, ("range", "clean_range", "reason"))


@pytest.mark.parametrize("cols", [64, 61, 3])
def test_normals_are_those_of_a_model(cols):
    """distance draws one normal per ray: range + stddev N, in single precision."""
    noise = [fa.noise.Dropout(probability=0), fa.noise.Distance(stddev_m=0.25)]
    frame = frame_with(noise, "top", cols)
    n = fa.random.normal(11, "top", 1, "distance", 5, frame.shape)
    assert n.dtype == np.float32 and n.shape == frame.shape
    assert same(frame.range, frame.clean_range + (np.float32(0) + np.float32(0.25) * n))


def test_uniforms_are_those_of_a_model():
    """dropout loses a return when its uniform number is below the probability."""
    frame = frame_with([fa.noise.Dropout(probability=0.3)], "top", 64)
    u = fa.random.uniform(11, "top", 0, "dropout", 5, frame.shape)
    np.testing.assert_array_equal(frame.reason == 10, u < np.float32(0.3))


def test_draws_of_environments():
    envs = fa.Environments(room(), lidar(noise=fa.noise.Distance(stddev_m=0.25)), 3, seed=4)
    frame = envs.render(2, channels=("range", "clean_range"))["lidar"]
    for e in range(3):
        n = fa.random.normal(fa.episode_seed(4, e, 0), "lidar", 0, "distance", 2, frame.shape[1:])
        assert same(frame.range[e], frame.clean_range[e] + np.float32(0.25) * n)
    assert fa.episode_seed(4, 0, 0) == 4


def test_words_make_them():
    key = (3, "a", 0, "mine", 1, (2, 6))
    words, uniform = fa.random.words(*key), fa.random.uniform(*key)
    assert same(uniform, (words >> 8).astype(np.float32) * np.float32(2**-24))
    block = fa.random.philox([1, 1, fa.random.stream("a", 0, "mine"), 0], 3)
    np.testing.assert_array_equal(block, words[0, 4:].tolist() + block[2:].tolist())
    # The authors' vector: Salmon et al. 2011, kat_vectors of Random123.
    np.testing.assert_array_equal(fa.random.philox([0, 0, 0, 0], 0), [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8])


def test_each_part_of_the_name_counts():
    usual = dict(seed=1, sensor="a", slot=0, slug="mine", frame=2, shape=(8, 8), draw=0)
    first = fa.random.normal(**usual)
    assert abs(first.mean()) < 0.5 and 0.7 < first.std() < 1.3
    for change in (dict(seed=2), dict(sensor="b"), dict(slot=1), dict(slug="its"), dict(frame=3), dict(draw=1)):
        assert not np.isin(first, fa.random.normal(**{**usual, **change})).any()
    assert same(first[:4], fa.random.normal(**{**usual, "shape": (4, 8)}))
    for wrong in (dict(seed=-1), dict(shape=(3,)), dict(shape=4), dict(frame=0.5), dict(slot=2**32)):
        with pytest.raises(fa.InputError):
            fa.random.normal(**{**usual, **wrong})
