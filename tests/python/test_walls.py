# SPDX-License-Identifier: MIT
"""The noise of a sensor is learned from arrays of a flat wall."""

import numpy as np
import pytest

import fathom as fa

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
    fit = fa.calibrate.fit_wall(depths(), camera=CAMERA, most_returns=20000)
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
    fit = fa.calibrate.fit_wall(depths(), camera=CAMERA, most_returns=20000)
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
    fit = fa.calibrate.fit_wall(1.01 * clean + 0.02 + rng.normal(0, 0.005, clean.shape), azimuth_rad=azimuth,
                                tape_m=distance)
    assert fit.tape is not None and not fit.tape.is_exact and fit.tape.places == 5
    assert fit.tape.gain[0] == pytest.approx(0.01, abs=3e-3) and fit.tape.bias_m[0] == pytest.approx(0.02, abs=3e-3)
    assert fit.chain.noise[-1].bias_m == pytest.approx(fit.tape.bias_m[0], rel=1e-5)


def test_wrong_arrays_are_refused():
    with pytest.raises(fa.InputError, match="one of camera and azimuth_rad is required"):
        fa.calibrate.fit_wall(depths(2))
    with pytest.raises(fa.InputError, match=r"not \(frames, rows, cols\)"):
        fa.calibrate.fit_wall(depths(2)[0], camera=CAMERA)
    with pytest.raises(fa.InputError, match="fx_px = 0"):
        fa.calibrate.fit_wall(depths(2), camera=(0, 60, 1, 1))
    with pytest.raises(fa.InputError, match="border"):
        fa.calibrate.fit_wall(depths(2), camera=CAMERA, border="perhaps")
    with pytest.raises(fa.InputError, match="no frame shows a wall"):
        fa.calibrate.fit_wall(np.full((2, 72, 96), np.nan), camera=CAMERA)
