# SPDX-License-Identifier: MIT
"""Sensors with their own times."""

import math

import numpy as np
import pytest

import fathom as fa
from support import camera, lidar, refuses, room, same

WHOLE = fa.Timing(rate_hz=20, phase_s=0.02, latency_s=0.07, jitter_s=0.005, drop_frame=0.2, freeze=0.4)


def test_frames_say_when_they_were_measured_and_when_they_arrive():
    simulator = fa.Simulator(room(), [lidar(timing=fa.Timing(rate_hz=32, phase_s=0.125, latency_s=0.0625)), camera()])
    frame = simulator.render("lidar", 4)
    assert (frame.stamp_s, frame.delivered_s, frame.index, frame.is_dropped) == (0.25, 0.3125, 4, False)
    plain = simulator.render("camera", 4)
    assert plain.stamp_s == plain.delivered_s == simulator.stamp_s(4) == 0.4


def test_dropped_and_frozen_frames_are_told():
    simulator = fa.Simulator(room(), [lidar(noise=fa.noise.Distance(stddev_m=0.02), timing=WHOLE)], seed=7)
    frozen = dropped = 0
    for k in range(30):
        time, frame = simulator.frame_time("lidar", k), simulator.render("lidar", k)
        assert (frame.index, frame.content_index, frame.stamp_s) == (k, time.content, time.stamp_s)
        assert frame.is_dropped == time.is_dropped == math.isnan(frame.delivered_s)
        if time.is_frozen:
            assert same(frame.range, simulator.render("lidar", time.content).copy().range) and time.content < k
        frozen, dropped = frozen + time.is_frozen, dropped + time.is_dropped
    assert frozen > 3 and dropped > 1


def test_environments_have_times_of_their_own():
    sensor = lidar(timing=WHOLE)
    batch = fa.Environments(room(), [sensor], 50, seed=7)
    times = batch.frame_times("lidar", 9)
    assert {k: (v.shape, v.dtype.name) for k, v in times.items()} == {
        "stamp_s": ((50,), "float64"), "delivered_s": ((50,), "float64"), "content": ((50,), "int64")}
    for e in (0, 3, 49):
        time = fa.Simulator(room(), [sensor], seed=fa.episode_seed(7, e, 0)).frame_time("lidar", 9)
        assert times["stamp_s"][e] == time.stamp_s and times["content"][e] == time.content
        assert np.isnan(times["delivered_s"][e]) == time.is_dropped
    assert len(set(times["stamp_s"])) == 50 and 0 < np.isnan(times["delivered_s"]).sum() < 30
    frame = batch.render(9)["lidar"]
    assert frame.stamp_s == pytest.approx(0.47) and frame.delivered_s == pytest.approx(0.54)


def test_a_timing_goes_round():
    sensor = lidar(timing=WHOLE)
    assert sensor.replace(name="lidar") == sensor and sensor.replace(timing=None) == lidar() != sensor
    assert repr(fa.Timing(rate_hz=20, freeze=0.4)) == "Timing(rate_hz=20, freeze=0.4)" and fa.Timing() == lidar().timing
    assert eval(repr(WHOLE), {"Timing": fa.Timing}) == WHOLE


def test_scene_files_have_it(tmp_path):
    (tmp_path / "a.yaml").write_text("""
scene: {meshes: {room: {box: {size_m: [8, 6, 3]}}}, entities: [{name: room, mesh: room}]}
sensors: [{name: lidar, preset: VLP-16, timing: {rate_hz: 20, freeze: 0.5}}]
""")
    setup = fa.load(tmp_path / "a.yaml")
    assert setup.sensors[0].timing == fa.Timing(rate_hz=20.0, freeze=0.5)
    assert setup.simulator().frame_time(0, 3).stamp_s in (0.0, 0.05, 0.1, 0.15)


@pytest.mark.parametrize("wrong", [
    dict(rate_hz=0), dict(rate_hz=math.nan), dict(phase_s=-1), dict(latency_s=1e300), dict(drop_frame=1.5),
    dict(freeze=math.nan), dict(jitter_s=0.02), dict(jitter_s="slow")])
def test_what_no_sensor_has_is_refused(wrong):
    refuses("timing", fa.Simulator, room(), [lidar(timing=fa.Timing(**wrong))])
    refuses("no Timing", lidar, timing=wrong)
