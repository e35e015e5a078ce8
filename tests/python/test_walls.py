# SPDX-License-Identifier: MIT
"""The noise of a sensor is learned from arrays of a flat wall."""

import numpy as np
import pytest

import fathom as fa
from support import refuses

CAMERA = (60.0, 60.0, 47.5, 35.5, 0.1)


def depths(frames=24, stddev_px=0.08, lost=0.03, seed=3):
    """A wall from several places and angles, made by NumPy."""
    rng = np.random.default_rng(seed)
    fx, fy, cx, cy, baseline = CAMERA
    u, v = np.meshgrid(np.arange(96), np.arange(72))
    images = []
    for k in range(frames):
        yaw, distance = np.radians(40) * np.sin(2.4 * k), 0.6 + 2.0 * k / frames
        inverse = (np.cos(yaw) - np.sin(yaw) * (u - cx) / fx) / distance
        disparity = fx * baseline * inverse + stddev_px * rng.normal(size=u.shape)
        images.append(np.where(rng.random(u.shape) < lost, np.nan, fx * baseline / disparity))
    return np.array(images)


def test_a_wall_of_numpys_gives_its_numbers():
    fit = fa.fit.wall(depths(), camera=CAMERA, max_returns=20000)
    for name, truth in (("disparity.stddev_px", 0.08), ("dropout.probability", 0.03)):
        p = fit.chain.parameters[name]
        assert abs(p.value - truth) < 3.5 * p.std_error and p.std_error < 0.1 * truth, name
    assert fit.measure.planes[0].is_found and fit.measure.planes[0].distance_m == pytest.approx(0.6, abs=2e-3)
    assert fit.measure.pixels.shape == fit.measure.residual.shape == (24, 72, 96)
    assert fit.correlation.across_px[0] == 0 and fit.tape is None
    assert [law.name for law in fit.loss_laws if law.is_chosen] == ["dropout"]
    assert any("tape" in flag for flag in fit.flags)
    assert fit.measure.by_range[0].fill == pytest.approx(0.97, abs=0.02)


def test_what_was_learned_simulates_the_same_walls():
    fit = fa.fit.wall(depths(), camera=CAMERA, max_returns=20000)
    again = fit.simulate(seed=5)
    assert again.shape == (24, 72, 96) and np.array_equal(again, fit.simulate(seed=5, threads=3), equal_nan=True)
    measure = fa.calibrate.measure_wall(again, camera=CAMERA)
    assert measure.deviation == pytest.approx(fit.measure.deviation, rel=0.03)
    assert fit.sensor_yaml("mine").startswith("name: mine\ntype: stereo_camera\n")


def test_a_tape_gives_the_bias_of_a_laser():
    rng = np.random.default_rng(2)
    azimuth = np.radians(np.linspace(-60, 60, 121))
    distance = np.repeat([0.5, 1.0, 2.0, 3.0, 4.0], 6)
    clean = distance[:, None] / np.cos(azimuth)
    fit = fa.fit.wall(1.01 * clean + 0.02 + rng.normal(0, 0.005, clean.shape), azimuth_rad=azimuth,
                                tape_m=distance)
    assert fit.tape is not None and not fit.tape.is_exact and not fit.tape.is_contradicted and fit.tape.places == 5
    assert fit.tape.gain[0] == pytest.approx(0.01, abs=3e-3) and fit.tape.bias_m[0] == pytest.approx(0.02, abs=3e-3)
    assert fit.chain.noise[-1].bias_m == pytest.approx(fit.tape.bias_m[0], rel=1e-5)
    with pytest.raises(fa.InputError, match="^tape_m: frame .* are the distances in cm, not in m"):
        fa.fit.wall(clean, azimuth_rad=azimuth, tape_m=100 * distance)


def test_a_lidar_finds_the_wall_ahead_among_others_and_its_tails(tmp_path):
    rng = np.random.default_rng(3)
    sensor = tmp_path / "sensor.yaml"
    sensor.write_text("type: spinning_lidar\nelevation_deg: [-8, -6, -4, -2, 0, 2, 4, 6]\ncolumns: 180\nstart_azimuth_rad: 0\n")
    elevation, azimuth = np.radians(np.arange(6, -9, -2))[:, None], np.radians(np.arange(0, 360, 2))
    frames = []
    for distance in np.linspace(1.0, 4.0, 24):
        with np.errstate(divide="ignore"):
            ahead, behind = distance / np.cos(azimuth), -(9.0 - distance) / np.cos(azimuth)
            aside = 5.0 / np.abs(np.sin(azimuth))
        ahead, behind = np.where(ahead > 0, ahead, np.inf), np.where(behind > 0, behind, np.inf)
        clean = np.minimum(np.minimum(ahead, behind), aside) / np.cos(elevation)
        frames.append(clean + 0.005 * rng.standard_t(3, clean.shape))
    fit = fa.fit.wall(np.array(frames), lidar=str(sensor), wall="ahead")
    assert fit.chain.parameters["student.nu"].value == pytest.approx(3, abs=1)
    assert [law.name for law in fit.range_laws if law.is_chosen] == ["student"]
    assert fit.measure.planes[12].distance_m == pytest.approx(np.linspace(1.0, 4.0, 24)[12], abs=3e-3)
    assert fit.sensor_yaml("mine").startswith("name: mine\ntype: spinning_lidar\n")
    assert fit.simulate(seed=1).shape == (24, 8, 180)
    refuses("frames of 7 x 180 rays, and the lidar 8 x 180", fa.fit.wall, np.array(frames)[:, 1:], lidar=str(sensor))
    refuses("wall", fa.fit.wall, np.array(frames), lidar=str(sensor), wall="behind")


def test_wrong_arrays_are_refused():
    refuses("one of camera, azimuth_rad and lidar is required", fa.fit.wall, depths(2))
    with pytest.raises(fa.InputError, match=r"not \(frames, rows, cols\)"):
        fa.fit.wall(depths(2)[0], camera=CAMERA)
    refuses("fx_px = 0", fa.fit.wall, depths(2), camera=(0, 60, 1, 1))
    refuses("border", fa.fit.wall, depths(2), camera=CAMERA, border="perhaps")
    refuses("no frame shows a wall", fa.fit.wall, np.full((2, 72, 96), np.nan), camera=CAMERA)
