# SPDX-License-Identifier: MIT
"""Whole chains of noise are learned from arrays and from the files of a run."""

import dataclasses
import math

import numpy as np
import pytest

import fathom as fa
from support import refuses

SCENE = """
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]
sensors:
  - {name: lidar, preset: VLP-16, columns: 90, position_m: [-2, 0, 1],
     noise: [{distance: {mean_m: 0.01, stddev_m: 0.02}}, {dropout: {probability: 0.1}}],
     outputs: [{npy: {channels: [range]}}]}
frames: 25
seed: 5
"""

TRUTH = [fa.noise.Distance(mean_m=0.01, stddev_m=0.02), fa.noise.Dropout(probability=0.1)]
WRONG = [fa.noise.Distance(stddev_m=0.05), fa.noise.Dropout(probability=0.3)]
FREE = ["distance.mean_m", "distance.stddev_m", "dropout.*"]
TRUE_VALUES = {"distance.mean_m": 0.01, "distance.stddev_m": 0.02, "dropout.probability": 0.1}


def returns(frames=25, per_frame=400):
    """Made by NumPy, not by the library."""
    rng = np.random.default_rng(7)
    n = frames * per_frame
    clean = rng.uniform(1, 6, n)
    measured = np.where(rng.random(n) < 0.1, np.nan, clean + rng.normal(0.01, 0.02, n))
    return fa.calibrate.ChainReturns(range_m=measured, clean_range_m=clean, clean_x_m=clean, clean_y_m=0 * clean,
                                     incidence_rad=0 * clean, energy=1 + 0 * clean,
                                     frame=np.repeat(np.arange(frames), per_frame))


def expect_true(fit):
    assert list(fit.parameters) == FREE[:2] + ["dropout.probability"]
    for name, truth in TRUE_VALUES.items():
        p = fit.parameters[name]
        assert abs(p.value - truth) < 3.5 * p.std_error and p.std_error < 0.1 * truth, name
        assert p.low_95 < p.value < p.high_95
    assert fit.flags == []
    assert fit.noise[0].stddev_m == pytest.approx(fit.parameters["distance.stddev_m"].value, rel=1e-6)


def test_numpys_draws_are_learned():
    fit = fa.fit.chain(WRONG, FREE, returns())
    expect_true(fit)
    assert fit.held_out.gain_nats > 5 * fit.held_out.gain_error and fit.correlations.shape == (3, 3)
    assert fit.frames == 25 and fit.blocks == 20 and fit.returns + fit.held_out.readings == 10000
    assert fa.fit.chain(WRONG, FREE, returns(), threads=3).log_likelihood == fit.log_likelihood


def test_a_score_is_the_mean_log_density():
    made = returns(3)
    scores = fa.calibrate.score_frames(TRUTH, made)
    first = slice(0, 400)
    e = (made.range_m[first] - made.clean_range_m[first] - 0.01) / 0.02
    hits = math.log(0.9) - 0.5 * e ** 2 - math.log(0.02 * math.sqrt(2 * math.pi))
    assert scores[0].nats == pytest.approx(np.where(np.isnan(e), math.log(0.1), hits).mean(), abs=1e-4)
    assert [s.frame for s in scores] == [0, 1, 2] and scores[0].lost == np.isnan(e).sum()
    others = fa.calibrate.score_frames(WRONG, made)
    difference = fa.calibrate.score_difference(scores, others)
    mean, other = fa.calibrate.mean_score(scores), fa.calibrate.mean_score(others)
    assert difference.nats == pytest.approx(mean.nats - other.nats) and difference.nats > 3 * difference.std_error


def test_a_run_is_read_beside_its_scene(tmp_path):
    scene = tmp_path / "scene.yaml"
    scene.write_text(SCENE)
    fa.load(scene).run(tmp_path / "run")
    frames = fa.calibrate.read_measured_frames(scene, tmp_path / "run")
    wrong = fa.calibrate.read_measured_frames(scene, tmp_path / "run", overrides={"sensors.lidar.noise.distance.stddev_m": 0.05})
    assert wrong.noise[0].stddev_m == pytest.approx(0.05) and np.array_equal(wrong.returns.frame, frames.returns.frame)
    assert frames.sensor == "lidar" and frames.noise == TRUTH and frames.frames == 25
    expect_true(fa.fit.chain(WRONG, FREE, frames.returns))
    assert "- distance: {mean_m: 0.01, stddev_m: 0.02" in fa.calibrate.chain_yaml(frames.noise)


LASER = """
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]
sensors:
  - {name: laser, type: laser_2d, rays: 91, min_azimuth_deg: -90, max_azimuth_deg: 90,
     motion: {keyframes: [{time_s: 0, position_m: [-2, 0, 1]}, {time_s: 6, position_m: [2, 1, 1], rpy_deg: [0, 0, 120]}]},
     noise: [{distance: {mean_m: 0.01, stddev_m: 0.02}}, {dropout: {probability: 0.1}}],
     outputs: [{npy: {channels: [range, reason]}}, scan_log]}
frames: 60
seed: 5
"""


def test_a_log_is_read_beside_its_scene(tmp_path):
    scene = tmp_path / "scene.yaml"
    scene.write_text(LASER)
    fa.load(scene).run(tmp_path / "run")
    of_run = fa.calibrate.read_measured_frames(scene, tmp_path / "run")
    log = tmp_path / "run" / "laser" / "scans.csv"
    of_log = fa.calibrate.read_measured_frames(scene, log)
    assert np.array_equal(of_run.returns.range_m, of_log.returns.range_m, equal_nan=True)
    assert of_log.returns.clean_range_m == pytest.approx(of_run.returns.clean_range_m, rel=1e-5)
    assert of_log.returns.sensor_moved and set(of_log.returns.ring) == {0} and of_log.flags == []
    assert fa.calibrate.read_measured_frames(scene, log, scans="odd").frames == 30
    fit = fa.fit.chain(WRONG, FREE[:2], of_log.returns, hold_out=0)
    assert (fit.blocks, fit.block) == (40, "stretch")
    assert fa.fit.chain(WRONG, FREE[:2], of_log.returns, hold_out=0, stretches=0).blocks == 60
    scores = fa.calibrate.score_frames(TRUTH, of_log.returns)
    by_frame, by_stretch = fa.calibrate.mean_score(scores), fa.calibrate.mean_score(scores, stretches=20)
    assert by_frame.nats == by_stretch.nats and by_frame.std_error != by_stretch.std_error
    refuses("readings end at max_range_m = 3 m", fa.calibrate.read_measured_frames, scene, log, max_range_m=3.0)
    refuses("has 60", fa.calibrate.read_measured_frames, scene, log, overrides={"sensors.laser.rays": 60})


def test_rings_are_learned_beside_each_other():
    made = returns()
    ring = np.arange(made.frame.size) % 3
    made = dataclasses.replace(made, ring=ring, range_m=made.range_m + np.array([0.05, 0, -0.03])[ring])
    noise = [fa.noise.GainBias(), fa.noise.Distance(mean_m=0.01, stddev_m=0.05), fa.noise.Dropout(probability=0.1)]
    fit = fa.fit.chain(noise, ["gain_bias.rings.*.bias_m", "distance.stddev_m"], made)
    assert list(fit.parameters) == [f"gain_bias.rings.{r}.bias_m" for r in range(3)] + ["distance.stddev_m"]
    for r, truth in enumerate([0.05, 0, -0.03]):
        p = fit.parameters[f"gain_bias.rings.{r}.bias_m"]
        assert abs(p.value - truth) < 3.5 * p.std_error < 0.005
        assert fit.noise[0].rings[r]["bias_m"] == pytest.approx(p.value)
    assert "rings:" in fa.calibrate.chain_yaml(fit.noise)
    refuses("rays have none", fa.fit.chain, noise, "gain_bias.rings.*", returns())


ANGLES = SCENE.replace("entities: [", "entities: [{name: post, mesh: room, position_m: [1, 0.3, 1], scale: [0.05, 0.1, 0.8]}, ").replace(
    "noise: [", "noise: [{angular_ray: {axis: z, stddev_rad: 0.004}}, ").replace("columns: 90", "columns: 360")


def test_turned_rays_are_learned(tmp_path):
    scene = tmp_path / "scene.yaml"
    scene.write_text(ANGLES)
    fa.load(scene).run(tmp_path / "run")
    frames = fa.calibrate.read_measured_frames(scene, tmp_path / "run")
    turned = frames.returns.turned
    assert turned["axis"] == "z" and len(turned["angle_rad"]) == 33
    assert turned["rays"].shape == frames.returns.range_m.shape
    fit = fa.fit.chain(frames.noise, "angular_ray.stddev_rad", frames.returns)
    p = fit.parameters["angular_ray.stddev_rad"]
    assert abs(p.value - 0.004) < 3.5 * p.std_error and p.std_error < 0.0004 and fit.at_edges > 100
    straight = fa.calibrate.score_frames(TRUTH, frames.returns)
    gain = fa.calibrate.score_difference(fa.calibrate.score_frames(fit.noise, frames.returns), straight)
    assert gain.nats > 5 * gain.std_error
    wide = fa.calibrate.read_measured_frames(scene, tmp_path / "run", angle_scale_rad=0.01)
    assert wide.returns.turned["angle_rad"][-1] == pytest.approx(0.04)
    plain = fa.calibrate.read_measured_frames(scene, tmp_path / "run", overrides={"sensors.lidar.noise": "[]"})
    assert plain.returns.turned is None
    other = fa.calibrate.read_measured_frames(scene, tmp_path / "run", overrides={"sensors.lidar.noise": "[]"},
                                              other_noise=fit.noise)
    assert len(other.returns.turned["angle_rad"]) == 33


def test_options_that_would_do_nothing_are_refused(tmp_path):
    scene = tmp_path / "scene.yaml"
    scene.write_text(ANGLES)
    fa.load(scene).run(tmp_path / "run")
    for name, value in {"scans": "odd", "laser": "FLASER", "max_range_m": 5.0, "step_m": 0.01, "levels_per_m": 1000.0,
                        "files": "*.npy", "ray_angle_deg": 1.0, "mount": (1.0, 0.0, 0.0)}.items():
        with pytest.raises(fa.InputError, match=f"run: {name} is for .*, and this is a run"):
            fa.calibrate.read_measured_frames(scene, tmp_path / "run", **{name: value})
    with pytest.raises(fa.InputError, match="angle_scale_rad is for chains with angular_ray"):
        fa.calibrate.read_measured_frames(scene, tmp_path / "run", overrides={"sensors.lidar.noise": "[]"},
                                          angle_scale_rad=0.01)


def test_refusals():
    refuses("no parameter 'distance.sttdev_m'", fa.fit.chain, TRUTH, "distance.sttdev_m", returns(2))
    refuses("angular_ray turns the rays", fa.fit.chain, [fa.noise.AngularRay(stddev_rad=0.1), *TRUTH], "distance.*", returns(2))
    with pytest.raises(fa.InputError, match="frames do not ascend"):
        fa.calibrate.score_frames(TRUTH, dataclasses.replace(returns(2), frame=np.repeat([1, 0], 400)))
    refuses("outside", fa.calibrate.score_frames, TRUTH, dataclasses.replace(returns(2), outside="gone"))
    refuses("is a range", fa.calibrate.score_frames, [fa.noise.Distance(stddev_m=fa.Uniform(0.01, 0.02))], returns(2))
