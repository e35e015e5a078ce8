# SPDX-License-Identifier: MIT
"""Many environments at once."""

import numpy as np
import pytest

import fathom as fa
from support import address, camera, lidar, refuses, room, same, stereo

CHANNELS = ("range", "hit_world", "reason", "entity_id")


def batch(count=4, **more):
    return fa.Environments(room(), [stereo("left", noise=[fa.noise.Distance(stddev_m=0.02)]), lidar("lidar")], count,
                           seed=9, **more)


def test_shapes():
    frames = batch().render(0, channels=CHANNELS)
    assert list(frames) == ["left", "lidar"]
    assert frames["left"].range.shape == (4, 24, 32) and frames["lidar"].hit_world.shape == (4, 4, 64, 3)
    assert frames["left"].environments == 4 and frames["left"].shape == (4, 24, 32)
    assert frames["left"].points().strides == (4 * 24 * 32, 4 * 32, 4, 4 * 4 * 24 * 32)
    np.testing.assert_array_equal(frames["left"].hit_world[2, 5, 7], frames["left"]["hit_world"].reshape(4, 24, 32, 3)[2, 5, 7])


def test_an_environment_is_a_simulator():
    """With its episode's seed, poses and all."""
    envs = batch()
    rng = np.random.default_rng(1)
    positions = rng.uniform(-1, 1, (4, 2, 3)) + [0, 0, 1]
    quaternions = rng.normal(size=(4, 2, 4))
    quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
    envs.set_entity_poses(["ball", "table"], positions, quat_wxyz=quaternions)
    cameras = rng.uniform(-0.2, 0.2, (4, 3)) + [-3, 0, 1.2]
    envs.set_sensor_poses("left", cameras)
    envs.reset([2], episode=5)
    frames = envs.render(3, channels=CHANNELS)
    for e in range(4):
        scene = room()
        scene.set_poses(["ball", "table"], positions[e], quat_wxyz=quaternions[e])
        sensor = stereo("left", noise=[fa.noise.Distance(stddev_m=0.02)]).replace(pose=cameras[e])
        alone = fa.Simulator(scene, [sensor], seed=9, environment=e, episode=5 if e == 2 else 0).render(0, 3, CHANNELS)
        for name in CHANNELS:
            assert same(alone[name], frames["left"][name][e]), (e, name)
    part = batch(1, first=3)
    part.set_entity_poses(["ball", "table"], positions[3:], quat_xyzw=np.roll(quaternions[3:], -1, axis=-1))
    part.set_sensor_poses("left", cameras[3:])
    assert same(part.render(3, channels=CHANNELS)["left"].range[0], frames["left"].range[3])


def test_poses_as_cameras_have_them():
    """OpenGL's and ROS' axes say the same camera as fathom's."""
    envs = [batch(2) for _ in range(3)]
    fathom_poses = [fa.Pose([-3, 0, 1.2], rpy_deg=[0, 10, 20 * e]) for e in range(2)]
    place = [[-3, 0, 1.2]] * 2
    frames = []
    for one, convention in zip(envs, ("fathom", "ros", "opengl")):
        axes = fa.Pose(convention=convention).inverse()
        quaternions = [(p @ axes).quat_wxyz for p in fathom_poses]
        one.set_sensor_poses("left", place, quat_wxyz=quaternions, convention=convention)
        frames.append(one.render(0, ["left"], channels="clean_range")["left"].clean_range.copy())
    np.testing.assert_allclose(frames[1], frames[0], atol=1e-5)
    np.testing.assert_allclose(frames[2], frames[0], atol=1e-5)
    assert not np.allclose(frames[0][0], frames[0][1], atol=0.1)


def test_parts_of_a_batch():
    envs = batch()
    out = envs.render(0, ["left"], channels=CHANNELS)
    before = out["left"].range.copy()
    assert envs.render(1, [0], out=out["left"], env_ids=[1, 3])["left"] is out["left"]
    assert same(out["left"].range[[0, 2]], before[[0, 2]])
    whole = envs.render(1, ["left"], channels=CHANNELS)["left"]
    assert same(out["left"].range[[1, 3]], whole.range[[1, 3]]) and not same(before[1], whole.range[1])
    del out, whole
    new = envs.render(1, ["left"], channels=CHANNELS, env_ids=[0])["left"]
    assert np.isnan(new.range[1:]).all() and (new.reason[1:] == 11).all(), "masked, whatever was rendered before"


def test_memory_stays_where_it_is():
    envs = batch()
    frames, seen = None, set()
    for k in range(10):
        frames = envs.render(k, channels=CHANNELS)
        seen.add(tuple(address(frame[c]) for frame in frames.values() for c in CHANNELS))
    assert len(seen) == 2
    out = envs.render(0, channels=CHANNELS)
    places = [address(frame[c]) for frame in out.values() for c in CHANNELS]
    for k in range(5):
        assert envs.render(k, out=out) == out
        assert places == [address(frame[c]) for frame in out.values() for c in CHANNELS]


def test_over_the_callers_memory():
    depth = np.zeros((4, 24, 32), np.float32)
    points = np.zeros((3, 4, 24, 32), np.float32).transpose(1, 2, 3, 0)
    envs = batch()
    envs.render(2, ["left"], out={"left": fa.Frame.over(depth=depth, hit_world=points)})
    wanted = envs.render(2, ["left"], channels=("depth", "hit_world"))["left"]
    assert same(depth, wanted.depth) and same(points, wanted.hit_world)


def test_episodes():
    envs = batch()
    np.testing.assert_array_equal(envs.episodes, [0, 0, 0, 0])
    envs.reset()
    envs.reset([1, 2])
    np.testing.assert_array_equal(envs.episodes, [1, 2, 2, 1])
    envs.reset(np.array([0, 3]), episode=[7, 8])
    np.testing.assert_array_equal(envs.episodes, [7, 2, 2, 8])
    a = envs.render(0, ["left"])["left"].range.copy()
    envs.reset([0], episode=1)
    b = envs.render(0, ["left"])["left"].range
    assert not same(a[0], b[0]) and same(a[1:], b[1:])


def test_noise_of_an_environment():
    envs = batch()
    envs.set_noise("left", fa.noise.Distance(mean_m=1), env_ids=[2])
    frame = envs.render(0, ["left"], channels=("range", "clean_range"))["left"]
    moved = np.nanmean(frame.range - frame.clean_range, axis=(1, 2))
    np.testing.assert_allclose(moved, [0, 0, 1, 0], atol=0.01)
    refuses("is a range", envs.set_noise, "left", fa.noise.Distance(stddev_m=fa.Uniform(0, 0.1)), env_ids=[0])


def test_drawn_names_tell_sensors_and_models_apart():
    noise = [fa.noise.Distance(mean_m=fa.Uniform(0, 1)), fa.noise.Distance(mean_m=fa.Uniform(0, 1), rings={3: dict(mean_m=fa.Uniform(2, 3))})]
    envs = fa.Environments(room(), [lidar("a", noise=noise), lidar("b", noise=noise[:1])], 3)
    names = ["distance@0.mean_m", "distance@1.mean_m", "distance@1[ring 3].mean_m"]
    assert list(envs.drawn("a")) == names
    assert list(envs.drawn()) == ["a." + name for name in names] + ["b.distance.mean_m"]
    assert (envs.drawn("a")[names[2]] >= 2).all() and envs.shape("a") == (3, 4, 64)


@pytest.mark.parametrize("call, words", [
    (lambda e: e.set_entity_poses(["ball"], np.zeros((4, 2, 3))), ["positions_m", "(4, 2, 3)", "(4, 1, 3)"]),
    (lambda e: e.set_entity_poses(["ball"], np.zeros((2, 1, 3)), env_ids=[0]), ["positions_m", "(2, 1, 3)", "(1, 1, 3)"]),
    (lambda e: e.set_entity_poses([7], np.zeros((4, 1, 3))), ["entities", "7"]),
    (lambda e: e.set_entity_poses(["bal"], np.zeros((4, 1, 3))), ["'bal'", "'ball'"]),
    (lambda e: e.set_entity_poses(["ball"], np.zeros((4, 1, 3)), quat_wxyz=np.zeros((4, 1, 3))), ["quat_wxyz", "(4, 1, 4)"]),
    (lambda e: e.set_entity_poses(["ball"], np.full((4, 1, 3), np.nan)), ["finite"]),
    (lambda e: e.set_entity_poses(["ball"], np.zeros((4, 1, 3)), quat_wxyz=np.zeros((4, 1, 4))), ["length 0"]),
    (lambda e: e.set_entity_poses(["ball"], np.zeros((4, 1, 3)), env_ids=[0, 1, 2, 4]), ["env_ids", "4"]),
    (lambda e: e.set_entity_poses(["ball"], np.zeros((4, 1, 3)), env_ids=[0.0, 1, 2, 3]), ["env_ids", "float64", "whole"]),
    (lambda e: e.set_sensor_poses("left", np.zeros((4, 4))), ["positions_m", "(4, 4)", "(4, 3)"]),
    (lambda e: e.set_sensor_poses("left", np.zeros((4, 3)), convention="gl"), ["convention", "'gl'", "opengl"]),
    (lambda e: e.set_sensor_poses("lft", np.zeros((4, 3))), ["'lft'", "'left'?"]),
    (lambda e: e.reset([0], episode=[1, 2]), ["episode", "(2,)", "(1,)"]),
    (lambda e: e.reset([0], episode=-1), ["episode", "-1"]),
    (lambda e: e.render(0, out=fa.Frame()), ["out", "one Frame", "2 sensors"]),
    (lambda e: e.render(0, ["left"], out={"left": 3}), ["out", "not a Frame"]),
    (lambda e: e.render(0, ["left"], out={"lft": fa.Frame()}), ["out", "'lft'", "left"]),
    (lambda e: e.render(0, [-1]), ["sensors: -1", "[0, 2)"]),
    (lambda e: e.render(0, [2]), ["sensors: 2", "[0, 2)"]),
    (lambda e: e.render(0, env_ids=[1, 1]), ["1"]),
    (lambda e: fa.Environments(room(), [], 0), ["0"]),
    (lambda e: e.add_sensor(lidar("r", rolling=True)), ["rolling"]),
])
def test_refusals(call, words):
    envs = batch()
    before = envs.render(0, ["left"], channels="range")["left"].range.copy()
    refuses(words, call, envs)
    assert same(envs.render(0, ["left"], channels="range")["left"].range, before), "nothing moved"


def test_sensors_are_added():
    envs = fa.Environments(room(), camera("first"), 2)
    assert envs.add_sensor(camera("second")) == 1 and envs.sensor_names == ["first", "second"]
    assert envs.count == 2 and envs.first == 0
