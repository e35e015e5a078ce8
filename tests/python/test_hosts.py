# SPDX-License-Identifier: MIT
"""fathom.mjlab and fathom.isaaclab against stand-ins of their hosts (hosts.py)."""

import importlib
import inspect
import types

import numpy as np
import pytest

import fathom as fa
import fathom.batch
import hosts
from support import room, same
from test_mujoco import world


def abstract_methods(base):
    return {name: getattr(base, name) for name in base.__abstractmethods__}


def expect_same_interface(made, base):
    for name, method in abstract_methods(base).items():
        own = inspect.getattr_static(made, name)
        assert name not in made.__abstractmethods__, name
        if not isinstance(method, property):
            assert list(inspect.signature(own).parameters) == list(inspect.signature(method).parameters), name


@pytest.fixture
def mjlab(monkeypatch):
    hosts.install(monkeypatch)
    return importlib.import_module("fathom.mjlab")


def worlds(count):
    model, data = world()
    data = types.SimpleNamespace(**{k: np.repeat(v[None], count, 0) for k, v in vars(data).items()})
    data.geom_xpos[:, 3:, 0] += np.linspace(-0.2, 0.2, count)[:, None]
    data.geom_xmat = data.geom_xmat.reshape(count, -1, 3, 3)
    return model, data


DIRECTIONS = np.array([[0, 0, -1], [0.1, 0.2, -0.97], [-0.6, 0, -0.8], [0, 0, 1]], float)
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)


def test_mjlab_has_every_abstract_method(mjlab):
    expect_same_interface(mjlab.RayCastSensor, hosts.MjlabSensor)
    expect_same_interface(mjlab.RayCastSensorCfg, hosts.MjlabSensorCfg)
    with pytest.raises(AttributeError, match="RayCast'"):
        mjlab.RayCast


def mjlab_sensor(mjlab, count=3, **more):
    model, data = worlds(count)
    sensor = mjlab.RayCastSensorCfg(name="scan", site="mast", rays=DIRECTIONS, include_geom_groups=None, **more).build()
    sensor.edit_spec(None, {})
    sensor.initialize(model, None, data, "cpu")
    return sensor, model, data


def test_mjlab_sees_what_environments_see(mjlab):
    sensor, model, data = mjlab_sensor(mjlab)
    seen = sensor.data
    assert sensor.data is seen, "kept until the next step"
    assert seen.distances.shape == (3, 4) and seen.hit_pos_w.shape == (3, 4, 3) and seen.quat_w.shape == (3, 4)
    for e in range(3):
        alone = types.SimpleNamespace(**{k: v[e] for k, v in vars(data).items()})
        mirror = fa.mujoco.Mirror(model, alone)
        rays = fa.sensors.RayTable(DIRECTIONS, max_range_m=10)
        frame = fa.Simulator(mirror.scene, [mirror.on_site("mast", rays)]).render(0, 0, ("range", "hit_world", "reason", "entity_id"))
        met = frame.reason[0] == 0
        np.testing.assert_allclose(seen.distances[e], np.where(met, frame.range[0], -1), rtol=1e-6)
        origin = np.broadcast_to(data.site_xpos[e, 0], (4, 3))
        np.testing.assert_allclose(seen.hit_pos_w[e], np.where(met[:, None], frame.hit_world[0], origin), atol=1e-5)
        np.testing.assert_array_equal(seen.geom_id[e], mirror.geom_id(frame.entity_id)[0])
        np.testing.assert_array_equal(seen.reason[e], frame.reason[0])
        np.testing.assert_allclose(seen.pos_w[e], data.site_xpos[e, 0], atol=1e-6)
        assert (seen.distances[e] == -1).any() and met.any() and (seen.normals_w[e][~met] == 0).all()


def test_mjlab_sees_motion_and_episodes(mjlab):
    sensor, _, data = mjlab_sensor(mjlab, noise=(fa.noise.Distance(mean_m=fa.Uniform(0, 0.1)),))
    before = sensor.data.distances.copy()
    data.site_xpos[1, 0, 2] += 0.5
    assert same(sensor.data.distances, before), "kept until update()"
    sensor.update(0.01)
    moved = sensor.data.distances.copy()
    assert same(moved[[0, 2]], before[[0, 2]]) and not same(moved[1], before[1])
    sensor.reset(np.array([2]))
    drawn = sensor.data.distances
    assert same(drawn[:2], moved[:2]) and not same(drawn[2], moved[2])
    sensor.reset()
    assert not same(sensor.data.distances[0], moved[0])


def test_mjlab_groups_and_the_parent(mjlab):
    sensor, model, data = mjlab_sensor(mjlab, exclude_parent_body=False)
    assert len(sensor._mirror.geom_ids) > 3
    few = mjlab.RayCastSensorCfg(name="few", site="mast", rays=DIRECTIONS, include_geom_groups=(0,)).build()
    few.initialize(model, None, data, "cpu")
    assert set(np.clip(model.geom_group[few._mirror.geom_ids], 0, 5)) == {0}


CAMERA = fa.sensors.StereoCamera(width=16, height=12, horizontal_fov_deg=80, baseline_m=0.05, max_range_m=6)


def isaac_camera(isaaclab, count=4, **more):
    rng = np.random.default_rng(1)
    poses = types.SimpleNamespace(
        places=(rng.uniform(-1, 1, (count, 3)) + [-1, 0, 1.2]).view(hosts.Tensor), turns=np.tile([0, 0, 0, 1.0], (count, 1)).view(hosts.Tensor),
        balls=rng.uniform(-1, 1, (count, 1, 3)).view(hosts.Tensor), ball_turns=np.tile([0, 0, 0, 1.0], (count, 1, 1)).view(hosts.Tensor))
    cfg = isaaclab.RayCasterCameraCfg(
        prim_path="/World/envs/env_.*/camera", scene=room(), model=CAMERA, noise=[fa.noise.Distance(stddev_m=0.02)], seed=5,
        data_types=("distance_to_image_plane", "normals", "reason"), entities=["ball"],
        sensor_poses=lambda: (poses.places, poses.turns), entity_poses=lambda: (poses.balls, poses.ball_turns), **more)
    camera = cfg.class_type(cfg)
    camera.environments = count
    camera._initialize_impl()
    return camera, poses


@pytest.mark.parametrize("base", [hosts.IsaacSensorBase, hosts.IsaacSensorBase2])
def test_isaac_lab_has_every_abstract_method(monkeypatch, base):
    hosts.install(monkeypatch, base)
    isaaclab = importlib.import_module("fathom.isaaclab")
    expect_same_interface(isaaclab.RayCasterCamera, base)
    assert isaaclab.RayCasterCameraCfg.class_type is isaaclab.RayCasterCamera
    with pytest.raises(AttributeError, match="RayCaster'"):
        isaaclab.RayCaster


@pytest.mark.parametrize("base", [hosts.IsaacSensorBase, hosts.IsaacSensorBase2])
def test_isaac_lab_sees_what_a_batch_sees(monkeypatch, base):
    hosts.install(monkeypatch, base)
    isaaclab = importlib.import_module("fathom.isaaclab")
    camera, poses = isaac_camera(isaaclab)
    data = camera.data
    assert data.output["distance_to_image_plane"].shape == (4, 12, 16, 1) and data.image_shape == (12, 16)
    assert data.intrinsic_matrices.shape == (4, 3, 3) and data.intrinsic_matrices[2, 0, 0] == CAMERA.intrinsics()["fx"]
    wanted = fa.batch.BatchCamera(room(), CAMERA, 4, noise=[fa.noise.Distance(stddev_m=0.02)], seed=5,
                                  outputs=("distance_to_image_plane",))
    wanted.set_entity_poses(["ball"], poses.balls)
    first = wanted.render(poses.places)["distance_to_image_plane"].copy()
    assert same(data.output["distance_to_image_plane"], first)
    assert camera.data.output["distance_to_image_plane"] is data.output["distance_to_image_plane"], "nothing is outdated"
    poses.places += [0.1, 0, 0]
    camera.reset([1, 2])
    wanted.reset([1, 2])
    second = wanted.render(poses.places[[1, 2]], env_ids=[1, 2])["distance_to_image_plane"]
    assert same(camera.data.output["distance_to_image_plane"], second)
    assert same(second[[0, 3]], first[[0, 3]]) and not same(second[1], first[1])
    camera.update(0.1)
    assert not same(camera.data.output["distance_to_image_plane"][0], first[0])


def test_isaac_lab_resets_by_masks(monkeypatch):
    hosts.install(monkeypatch)
    camera, _ = isaac_camera(importlib.import_module("fathom.isaaclab"))
    camera.reset(env_mask=np.array([False, True, False, True]))
    np.testing.assert_array_equal(camera._batch.environments.episodes, [0, 1, 0, 1])
    camera.reset()
    np.testing.assert_array_equal(camera._batch.environments.episodes, [1, 2, 1, 2])
