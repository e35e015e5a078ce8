# SPDX-License-Identifier: MIT
"""Ranges of sensors, poses and entities."""

import copy
import math

import numpy as np
import pytest

import fathom as fa
from support import refuses


def scene():
    made = fa.Scene()
    made.add_entity("wall", fa.box([0.1, 20, 20]), [4.05, 0, 0], reflectivity=0.5)
    return made


def camera(**more):
    model = fa.sensors.StereoCamera(width=9, height=7, fx=10, baseline_m=0.05)
    return fa.Sensor("cam", model, **more)


RANGES = {"fx": fa.Uniform(8, 12), "cx": fa.TruncatedNormal(4, 1, (3, 5)), "baseline_m": fa.LogUniform(0.04, 0.06)}
OFFSET = {"position_m": fa.Normal(0, 0.01), "rotation_deg": [0, fa.Uniform(-2, 2), 1.5]}
ENTITIES = {"wall": {"reflectivity": fa.Uniform(0.2, 0.9), "pose_offset": {"position_m": [fa.Uniform(-1, 1), 0, 0]}}}


def test_focal_length_and_entities_are_drawn_for_each_environment():
    envs = fa.Environments(scene(), [camera(ranges=RANGES)], 5, seed=3, entity_ranges=ENTITIES)
    frame = envs.render(0, channels=("hit_sensor", "depth", "intensity", "incidence"))["cam"]
    drawn, of_entities = envs.drawn(), envs.drawn_entities()
    assert list(drawn) == ["fx", "cx", "baseline_m"]
    assert list(of_entities) == ["wall.reflectivity", "wall.position_x_m"]
    u = np.arange(9)
    for e in range(5):
        right = (u - drawn["cx"][e]) / drawn["fx"][e]
        depth = 4 + of_entities["wall.position_x_m"][e]
        np.testing.assert_allclose(frame.depth[e], depth, atol=1e-5)
        np.testing.assert_allclose(frame.hit_sensor[e, 3, :, 1], -depth * right, atol=1e-4)
        np.testing.assert_allclose(frame.intensity[e], np.cos(frame["incidence"][e]) * of_entities["wall.reflectivity"][e],
                                   atol=1e-5)
    before = drawn["fx"].copy()
    envs.reset([1])
    after = envs.drawn()["fx"]
    assert after[1] != before[1] and (np.delete(after, 1) == np.delete(before, 1)).all()


def test_a_simulator_draws_what_the_environment_does():
    sensor = camera(ranges=RANGES, pose_offset=OFFSET)
    envs = fa.Environments(scene(), [sensor], 1, seed=3, first=4, entity_ranges=ENTITIES)
    envs.reset([4], 2)
    made = fa.Simulator(scene(), [sensor], seed=3, environment=4, episode=2, entity_ranges=ENTITIES)
    wanted = envs.render(1, channels=("range", "intensity"))["cam"]
    found = made.render("cam", 1, ("range", "intensity"))
    np.testing.assert_array_equal(found.range, wanted.range[0])
    np.testing.assert_array_equal(found.intensity, wanted.intensity[0])
    assert envs.drawn()["rotation_z_rad"][0] == pytest.approx(math.radians(1.5))


def test_an_entity_that_the_scene_moves_leaves_its_draw():
    master = scene()
    made = fa.Simulator(master, [camera()], seed=3, entity_ranges=ENTITIES)
    drawn = made.render("cam", 0, ("depth",)).depth[3, 4]
    assert drawn != pytest.approx(4, abs=1e-3)
    master.add_entity("other", fa.box([0.1, 0.1, 0.1]), [-5, 0, 0])
    assert made.render("cam", 0, ("depth",)).depth[3, 4] == drawn, "another change leaves it"
    master.set_pose("wall", [6.05, 0, 0])
    assert made.render("cam", 0, ("depth",)).depth[3, 4] == pytest.approx(6, abs=1e-5)


def test_a_scene_file_gives_them_back(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text("""
sensors:
  - name: cam
    type: stereo_camera
    width: 9
    height: 7
    fx: {uniform: [8, 12]}
    principal_point_px: [{truncated_normal: [4, 1], limits: [3, 5]}, 3]
    baseline_m: 0.05
    pose_offset: {position_m: {normal: [0, 0.01]}, rotation_deg: [0, {uniform: [-2, 2]}, 1.5]}
scene:
  meshes: {wall: {box: {size_m: [0.1, 20, 20]}}}
  entities:
    - name: wall
      mesh: wall
      position_m: [4.05, 0, 0]
      reflectivity: {uniform: [0.2, 0.9]}
      pose_offset: {position_m: [{uniform: [-1, 1]}, 0, 0]}
""")
    setup = fa.load(file)
    sensor = setup.sensors[0]
    assert sensor.ranges == {"fx": fa.Uniform(8, 12), "cx": fa.TruncatedNormal(4, 1, (3, 5))}
    assert sensor.pose_offset["rotation_rad"][2] == pytest.approx(math.radians(1.5))
    assert setup.entity_ranges == ENTITIES
    batch, simulator = setup.environments(2, seed=1), setup.simulator(seed=1, environment=1)
    wanted = batch.render(0, channels=("range", "intensity"))["cam"]
    found = simulator.render("cam", 0, ("range", "intensity"))
    np.testing.assert_array_equal(found.range, wanted.range[1])
    np.testing.assert_array_equal(found.intensity, wanted.intensity[1])
    assert copy.copy(sensor) == sensor and sensor.replace(ranges={}) != sensor


@pytest.mark.parametrize("make, parts", [
    (lambda: camera(ranges={"baseline_m": 0.05}), ["baseline_m", "no range"]),
    (lambda: camera(ranges={"width": fa.Uniform(1, 2)}), ["width", "only single numbers"]),
    (lambda: camera(ranges={"base_m": fa.Uniform(1, 2)}), ["base_m"]),
    (lambda: camera(ranges={"baseline_m": fa.Uniform(0, 200)}), ["200 is not in"]),
    (lambda: camera(pose_offset={"rotation": fa.Uniform(0, 1)}), ["rotation"]),
    (lambda: camera(pose_offset={"position_m": [0, 1]}), ["2 values, not 3"]),
])
def test_wrong_ranges_of_sensors_are_refused(make, parts):
    refuses(parts, fa.Environments, scene(), [make()], 2)


@pytest.mark.parametrize("ranges, part", [
    ({"wall": {"reflectivity": 0.5}}, "no range"),
    ({"wal": {"reflectivity": fa.Uniform(0, 1)}}, "wal"),
    ({"wall": {"reflectivity": fa.Uniform(0, 2)}}, "2 is not in [0, 1]"),
    ({"wall": {"colour": fa.Uniform(0, 1)}}, "colour"),
])
def test_wrong_ranges_of_entities_are_refused(ranges, part):
    with pytest.raises(fa.InputError, match=None) as error:
        fa.Environments(scene(), [camera()], 2, entity_ranges=ranges)
    assert part in str(error.value)
