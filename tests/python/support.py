# SPDX-License-Identifier: MIT
"""What the tests share."""

import os
import pathlib

import numpy as np
import pytest

import fathom as fa

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("FATHOM_BINARY_DIR", SOURCE / "build" / "release"))
ALL_CHANNELS = tuple(fa.channels())


def room():
    """A room of 8 m x 6 m x 3 m with a table and a ball."""
    scene = fa.Scene()
    scene.add_entity("walls", fa.box([8, 6, 3]), [0, 0, 1.5], reflectivity=0.8)
    scene.add_entity("table", fa.box([1.6, 0.8, 0.7]), [2, 1, 0.35])
    scene.add_entity("ball", fa.sphere(0.4), [2, -1.5, 0.4])
    return scene


def camera(name="camera", **more):
    model = fa.sensors.DepthCamera(width=32, height=24, horizontal_fov_deg=80)
    return fa.Sensor(name, model, [-3, 0, 1.2], **more)


def stereo(name="camera", **more):
    model = fa.sensors.StereoCamera(width=32, height=24, horizontal_fov_deg=80, baseline_m=0.05)
    return fa.Sensor(name, model, [-3, 0, 1.2], **more)


def lidar(name="lidar", **more):
    model = fa.sensors.SpinningLidar(elevation_deg=[10, 0, -10, -20], columns=64)
    return fa.Sensor(name, model, [0, 0, 1.2], **more)


def same(a, b):
    """Whether arrays are equal to the bit, NaN included."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def refuses(words, call, *arguments, **named):
    """The call is refused in a message that has all the words, or the one text."""
    with pytest.raises(fa.InputError) as refused:
        call(*arguments, **named)
    for word in [words] if isinstance(words, str) else words:
        assert word in str(refused.value)


def address(array):
    return array.__array_interface__["data"][0]
