# SPDX-License-Identifier: MIT
"""fathom.mjlab, fathom.isaaclab and fathom.wrappers against stand-ins of their hosts (hosts.py)."""

import importlib
import inspect
import pickle
import re
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


def isaac_camera(isaaclab, count=4, model=CAMERA, **more):
    rng = np.random.default_rng(1)
    poses = types.SimpleNamespace(
        places=(rng.uniform(-1, 1, (count, 3)) + [-1, 0, 1.2]).view(hosts.Tensor), turns=np.tile([0, 0, 0, 1.0], (count, 1)).view(hosts.Tensor),
        balls=rng.uniform(-1, 1, (count, 1, 3)).view(hosts.Tensor), ball_turns=np.tile([0, 0, 0, 1.0], (count, 1, 1)).view(hosts.Tensor))
    cfg = isaaclab.RayCasterCameraCfg(
        prim_path="/World/envs/env_.*/camera", scene=room(), model=model, noise=[fa.noise.Distance(stddev_m=0.02)], seed=5,
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


def test_isaac_lab_has_the_intrinsics_of_the_camera_to_which_depths_are_aligned(monkeypatch):
    hosts.install(monkeypatch)
    model = fa.preset("D435_filtered").replace(width=16, height=12, fx=8.0)
    camera, _ = isaac_camera(importlib.import_module("fathom.isaaclab"), count=1, model=model)
    data = camera.data
    assert data.output["distance_to_image_plane"].shape == (1, 720, 1280, 1) and data.image_shape == (720, 1280)
    assert data.intrinsic_matrices[0, 0, 0] == 924


def test_isaac_lab_resets_by_masks(monkeypatch):
    hosts.install(monkeypatch)
    camera, _ = isaac_camera(importlib.import_module("fathom.isaaclab"))
    camera.reset(env_mask=np.array([False, True, False, True]))
    np.testing.assert_array_equal(camera._batch.environments.episodes, [0, 1, 0, 1])
    camera.reset()
    np.testing.assert_array_equal(camera._batch.environments.episodes, [1, 2, 1, 2])


DEPTH = dict(width=16, height=12, fx=15.0, noise=[fa.noise.Distance(stddev_m=0.02), fa.noise.Dropout(probability=0.2)], seed=3)


@pytest.mark.parametrize("host, base", [("isaaclab", hosts.NoiseModel), ("mjlab", hosts.MjlabNoiseModel)])
def test_noise_models_of_observation_terms(monkeypatch, host, base):
    hosts.install(monkeypatch)
    adapter = importlib.import_module(f"fathom.{host}")
    for name in ("__init__", "__call__", "reset"):
        own, theirs = (inspect.signature(getattr(made, name)).parameters for made in (adapter.SensorNoiseModel, base))
        assert list(own) == list(theirs), name
    cfg = adapter.SensorNoiseCfg(sensor="D435", options=DEPTH)
    model = cfg.class_type(cfg, num_envs=3, device="cpu")
    assert isinstance(model, base)
    clean = hosts.tensor(np.random.default_rng(2).uniform(1, 2, (3, 12, 16, 1)).astype(np.float32))
    wanted = fa.SensorNoise("D435", environments=3, **DEPTH)
    seen = model(clean)
    assert seen.shape == clean.shape and seen.dtype == np.float32 and (seen == 0).any()
    assert same(seen[..., 0], np.nan_to_num(wanted(clean[..., 0]), nan=0))
    flat = model(clean.reshape(3, -1))
    assert flat.shape == (3, 192) and same(flat.reshape(3, 12, 16), np.nan_to_num(wanted(clean[..., 0]), nan=0))
    for chosen, ids in ((hosts.tensor([1]), [1]), (slice(0, 2), [0, 1]), (None, [0, 1, 2])):
        model.reset(chosen)
        wanted.reset(ids)
        assert same(model(clean)[..., 0], np.nan_to_num(wanted(clean[..., 0]), nan=0))
    for chosen in ([], hosts.tensor([]), slice(0, 0)):
        model.reset(chosen)
    assert same(model(clean)[..., 0], np.nan_to_num(wanted(clean[..., 0]), nan=0)), "no environment, no reset"
    with pytest.raises(fa.InputError, match=r"data: observations of shape \(16, 12, 1\) given, \(12, 16\) wanted"):
        model(clean.reshape(3, 16, 12, 1))


@pytest.mark.parametrize("shape", [(12, 16), (1, 12, 16), (12, 16, 1), (192,), (1, 192)])
def test_images_may_have_sides_of_one_or_be_flat(shape):
    importlib.import_module("fathom.wrappers").check_image("env", shape, (12, 16))


@pytest.mark.parametrize("shape", [(), (16, 12), (16, 12, 1), (2, 6, 16), (2, 12, 16), (191,)])
def test_images_of_other_shapes_are_refused(shape):
    wrappers = importlib.import_module("fathom.wrappers")
    with pytest.raises(fa.InputError, match=f"env: observations of shape {re.escape(str(shape))} given, "):
        wrappers.check_image("env", shape, (12, 16))


class DepthEnv:
    def __init__(self, space, image):
        self.observation_space, self.image = space, image

    def reset(self, *, seed=None, options=None):
        return self.image, {"seed": seed}

    def step(self, action):
        return self.image, 1.0, False, False, {}


@pytest.mark.parametrize("dtype, scale", [(np.float32, 1.0), (np.uint16, 0.001)])
def test_gymnasium_keeps_the_space(monkeypatch, dtype, scale):
    hosts.install(monkeypatch)
    wrappers = importlib.import_module("fathom.wrappers")
    box = hosts.Box(0, 1.6 / scale, (12, 16, 1), dtype)
    env = wrappers.NoisyObservation(DepthEnv(box, np.full(box.shape, 1.5 / scale).astype(dtype)), "D435", scale=scale, **DEPTH)
    first, info = env.reset(seed=5)
    assert env.observation_space is box and box.contains(first) and info == {"seed": 5}
    assert (first == 0).any() and len(np.unique(first)) > 20
    second, reward, *_ = env.step(0)
    assert box.contains(second) and reward == 1.0 and not same(second, first)
    assert not same(env.reset()[0], first), "another episode"
    with pytest.raises(fa.InputError, match=r"env: observations of shape \(3, 3\) given, \(12, 16\) wanted"):
        wrappers.NoisyObservation(DepthEnv(hosts.Box(0, 1, (3, 3), dtype), None), "D435", **DEPTH)
    with pytest.raises(fa.InputError, match=r"env: observations of shape \(16, 12\) given, \(12, 16\) wanted"):
        wrappers.NoisyObservation(DepthEnv(hosts.Box(0, 1, (16, 12), dtype), None), "D435", **DEPTH)


def test_observations_keep_their_shape(monkeypatch):
    hosts.install(monkeypatch)
    wrappers = importlib.import_module("fathom.wrappers")
    box = hosts.Box(0, 2, (12, 16), np.float32)
    text = "sensor 'sensor': aligned_to changes the shape of images, and observations keep theirs: "
    with pytest.raises(fa.InputError, match=text):
        wrappers.NoisyObservation(DepthEnv(box, None), "D435_filtered", **DEPTH)
    with pytest.raises(fa.InputError, match=text):
        wrappers.ObservationNoise("D435_filtered", 2, 0.0, DEPTH)
    with pytest.raises(fa.InputError, match=text):
        wrappers.NoiseModule("D435_filtered", **DEPTH)(hosts.tensor(np.full((12, 16), 1.5, np.float32)))


def test_gymnasium_takes_one_image_of_a_dict(monkeypatch):
    hosts.install(monkeypatch)
    wrappers = importlib.import_module("fathom.wrappers")
    box = hosts.Box(0, 10, (12, 16), np.float32)
    image = np.full(box.shape, 1.5, np.float32)
    env = wrappers.NoisyObservation(DepthEnv({"depth": box, "goal": None}, {"depth": image, "goal": 3}), "D435", key="depth", **DEPTH)
    seen, _ = env.reset()
    assert seen["goal"] == 3 and box.contains(seen["depth"]) and not same(seen["depth"], image) and (image == 1.5).all()


def test_a_module_of_torch_takes_the_number_of_the_sample(monkeypatch):
    hosts.install(monkeypatch)
    wrappers = importlib.import_module("fathom.wrappers")
    clean = hosts.tensor(np.full((2, 1, 12, 16), 1.5, np.float32))
    module = wrappers.NoiseModule("D435", **DEPTH)
    seen = module(clean, index=4)
    assert isinstance(seen, hosts.Tensor) and seen.shape == clean.shape
    wanted = np.nan_to_num(fa.SensorNoise("D435", **DEPTH)(np.asarray(clean[:, 0]), 4), nan=0)
    assert same(seen[:, 0], wanted) and same(module(clean[1], index=5)[0], wanted[1])
    again = object.__new__(type(module))
    vars(again).update(pickle.loads(pickle.dumps({k: v for k, v in module.__getstate__().items() if k != "options"})), options=DEPTH)
    assert same(again(clean, index=4), seen)
    monkeypatch.setattr(wrappers.os, "getpid", lambda: -1)
    before = module._noise
    assert same(module(clean, 4), seen) and module._noise is not before, "another process makes another SensorNoise"
    assert wrappers._KEPT[-1] is before


def test_wrappers_have_no_other_classes():
    with pytest.raises(AttributeError, match="Noisy'"):
        importlib.import_module("fathom.wrappers").Noisy
