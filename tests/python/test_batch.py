# SPDX-License-Identifier: MIT
"""fathom.batch: poses in, arrays out."""

import numpy as np
import pytest

import fathom as fa
import fathom.batch
from support import refuses, room, same

COUNT = 5
STEREO = fa.sensors.StereoCamera(width=16, height=12, horizontal_fov_deg=80, baseline_m=0.05, max_range_m=2.5)
NOISE = [fa.noise.StereoShadow(), fa.noise.StereoEnergy(pow=fa.LogUniform(1, 10)), fa.noise.Distance(stddev_m=0.01)]
OUTPUTS = ("distance_to_image_plane", "distance_to_camera", "normals", "reason", "entity_id", "hit_world", "depth")


def places(count=COUNT):
    rng = np.random.default_rng(4)
    quats = np.array([fa.Pose(rpy_rad=[0, 0.1, yaw]).quat_wxyz for yaw in rng.uniform(-3, 3, count)])
    return rng.uniform(-1, 1, (count, 3)) + [-1, 0, 1.2], quats


def camera(**more):
    return fa.batch.BatchCamera(room(), STEREO, COUNT, **{**dict(noise=NOISE, outputs=OUTPUTS, seed=3), **more})


def frames(positions, quats, index=0, episodes=(0,) * COUNT):
    """The same from Simulators."""
    made = []
    for e, episode in enumerate(episodes):
        sensor = fa.Sensor("sensor", STEREO, fa.Pose(positions[e], quat_wxyz=quats[e]), noise=NOISE)
        sim = fa.Simulator(room(), [sensor], seed=3, environment=e, episode=episode)
        made.append(sim.render(0, index, ("depth", "range", "normal", "reason", "entity_id", "hit_world")))
    return made


def test_a_camera_is_that_of_simulators():
    positions, quats = places()
    data = camera(miss=-2.0, lost=-3.0).render(positions, quat_wxyz=quats)
    assert {k: v.shape for k, v in data.items()} == {
        "distance_to_image_plane": (COUNT, 12, 16, 1), "distance_to_camera": (COUNT, 12, 16, 1), "normals": (COUNT, 12, 16, 3),
        "reason": (COUNT, 12, 16), "entity_id": (COUNT, 12, 16), "hit_world": (COUNT, 12, 16, 3), "depth": (COUNT, 12, 16)}
    lost, missed = 0, 0
    for e, frame in enumerate(frames(positions, quats)):
        hit = frame.reason == 0
        beyond = frame.reason == 3
        lost, missed = lost + (~hit & ~beyond).sum(), missed + beyond.sum()
        for name, channel in (("distance_to_image_plane", "depth"), ("distance_to_camera", "range")):
            wanted = np.where(hit, frame[channel], np.where(beyond, np.float32(-2), np.float32(-3)))
            assert same(data[name][e, ..., 0], wanted), name
        assert same(data["normals"][e], np.where(hit[..., None], frame.normal, np.float32(0)))
        assert same(data["reason"][e], frame.reason) and same(data["entity_id"][e], frame.entity_id)
        assert same(data["hit_world"][e], np.ascontiguousarray(frame.hit_world)) and same(data["depth"][e], frame.depth)
    assert lost > 0 and missed > 0


def test_what_is_lost_is_as_a_miss_unless_it_is_said():
    positions, quats = places()
    data = camera().render(positions, quat_wxyz=quats)
    gone = data["reason"] != 0
    assert np.isinf(data["distance_to_image_plane"][..., 0][gone]).all() and np.isfinite(data["distance_to_camera"][~gone]).all()
    assert np.isnan(data["depth"][gone]).all()


def test_orders_of_quaternions_and_axes_of_cameras():
    positions, quats = places()
    wanted = camera().render(positions, quat_wxyz=quats)["depth"].copy()
    assert same(camera().render(positions, quat_xyzw=np.roll(quats, -1, -1))["depth"], wanted)
    for convention in ("ros", "opengl"):
        axes = fa.Pose(convention=convention).inverse()
        turned = [(fa.Pose(quat_wxyz=q) @ axes).quat_wxyz for q in quats]
        np.testing.assert_allclose(camera(noise=()).render(positions, quat_wxyz=turned, convention=convention)["depth"],
                                   camera(noise=()).render(positions, quat_wxyz=quats)["depth"], atol=1e-4)


def test_parts_of_a_batch_are_written_alone():
    positions, quats = places()
    one, two = camera(), camera()
    first = {k: v.copy() for k, v in one.render(positions, quat_wxyz=quats).items()}
    two.render(positions, quat_wxyz=quats)
    moved = positions + [0.2, 0, 0]
    mask = np.array([0, 1, 0, 1, 0], bool)
    by_mask = one.render(moved, quat_wxyz=quats, env_mask=mask)
    by_ids = two.render(moved[[3, 1]], quat_wxyz=quats[[3, 1]], env_ids=[3, 1])
    for name in OUTPUTS:
        assert same(by_mask[name][~mask], first[name][~mask]) and same(by_mask[name], by_ids[name]), name
    assert not same(by_mask["depth"][mask], first["depth"][mask])
    np.testing.assert_array_equal(one.pos_w, np.where(mask[:, None], moved, positions))
    whole = camera()
    whole.render(positions, quat_wxyz=quats)
    assert same(whole.render(moved, quat_wxyz=quats)["depth"][mask], by_mask["depth"][mask])
    assert one.render(env_mask=np.zeros(COUNT, bool)) is one.data


def test_a_first_render_of_some_leaves_others_as_misses():
    positions, quats = places()
    data = camera(miss=9.0).render(positions[:1], quat_wxyz=quats[:1], env_ids=[2])
    assert (data["distance_to_image_plane"][[0, 1, 3, 4]] == 9).all() and (data["normals"][0] == 0).all()
    assert (data["distance_to_image_plane"][2] != 9).any()


def test_arrays_stay_where_they_are():
    made = camera()
    positions, quats = places()
    data = made.render(positions, quat_wxyz=quats)
    kept = {name: values for name, values in data.items()}
    for _ in range(3):
        made.render(positions, quat_wxyz=quats)
    assert all(made.data[name] is values for name, values in kept.items())


def test_episodes_draw_anew():
    made = camera()
    positions, quats = places()
    made.reset([1, 4])
    made.reset([4])
    np.testing.assert_array_equal(made.environments.episodes, [0, 1, 0, 0, 2])
    data = made.render(positions, quat_wxyz=quats, index=7)
    for e, frame in enumerate(frames(positions, quats, 7, (0, 1, 0, 0, 2))):
        assert same(data["depth"][e], frame.depth)
    drawn = made.drawn()["stereo_energy.pow"].copy()
    made.reset(slice(0, 2))
    assert (made.drawn()["stereo_energy.pow"][:2] != drawn[:2]).all() and same(made.drawn()["stereo_energy.pow"][2:], drawn[2:])
    made.reset()
    np.testing.assert_array_equal(made.environments.episodes, [2, 3, 1, 1, 3])


def test_frames_have_numbers_of_their_own():
    made = camera()
    positions, quats = places()
    first = made.render(positions, quat_wxyz=quats)["depth"].copy()
    second = made.render(positions, quat_wxyz=quats)["depth"].copy()
    assert not same(first, second) and same(made.render(index=0)["depth"], first) and same(made.render()["depth"], second)


def test_entities_move():
    positions, quats = places()
    made = camera(noise=())
    before = made.render(positions, quat_wxyz=quats)["depth"].copy()
    balls = np.array([[fa.Pose(p, quat_wxyz=q).apply([1, 0, 0])] for p, q in zip(positions, quats)])
    made.set_entity_poses(["ball"], balls, quat_xyzw=np.tile([0, 0, 0, 1.0], (COUNT, 1, 1)), env_mask=np.arange(COUNT) == 2)
    after = made.render(positions, quat_wxyz=quats)["depth"]
    assert not same(after[2], before[2]) and same(after[[0, 1, 3, 4]], before[[0, 1, 3, 4]])
    made.set_entity_poses(["ball"], balls[:1], env_ids=[2])


def test_numbers_of_environments_begin_where_they_begin():
    positions, quats = places()
    whole = camera().render(positions, quat_wxyz=quats)["depth"]
    part = fa.batch.BatchCamera(room(), STEREO, 2, noise=NOISE, outputs=("depth",), seed=3, first=2)
    assert same(part.render(positions[2:4], quat_wxyz=quats[2:4])["depth"], whole[2:4])
    part.reset([1])
    assert same(part.render(positions[2:3], quat_wxyz=quats[2:3], env_ids=[0], index=0)["depth"][0], whole[2])


DIRECTIONS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [-0.6, 0, 0.8]])
RAY_OUTPUTS = ("distances", "ray_hits_w", "hit_pos_w", "normals_w", "range")


def test_rays_and_the_values_of_misses():
    positions, quats = places()
    rays = fa.batch.BatchRays(room(), DIRECTIONS, COUNT, outputs=RAY_OUTPUTS, miss=-1.0, miss_point="origin", max_range_m=2)
    data = rays.render(positions, quat_wxyz=quats)
    assert {k: v.shape for k, v in data.items()} == {"distances": (COUNT, 5), "ray_hits_w": (COUNT, 5, 3),
                                                     "hit_pos_w": (COUNT, 5, 3), "normals_w": (COUNT, 5, 3), "range": (COUNT, 5)}
    met = data["distances"] != -1
    assert met.any() and not met.all() and (np.isnan(data["range"]) == ~met).all()
    world = np.array([[fa.Pose(quat_wxyz=q).apply(d) for d in DIRECTIONS] for q in quats])
    wanted = np.where(met[..., None], positions[:, None] + data["distances"][..., None] * world, positions[:, None])
    np.testing.assert_allclose(data["hit_pos_w"], wanted, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(data["normals_w"], axis=-1), met, atol=1e-5)
    assert same(data["hit_pos_w"], data["ray_hits_w"])
    isaac = fa.batch.BatchRays(room(), DIRECTIONS, COUNT, outputs=RAY_OUTPUTS, max_range_m=2)
    data = isaac.render(positions, quat_wxyz=quats)
    assert np.isinf(data["ray_hits_w"][~met]).all() and np.isinf(data["distances"][~met]).all()


def test_rays_with_origins_of_their_own():
    positions, quats = places()
    origins = np.array([[0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.3], [0.1, 0.1, 0], [0, 0, 0]])
    rays = fa.batch.BatchRays(room(), DIRECTIONS, COUNT, origins_m=origins, outputs=("distances", "hit_pos_w"), miss=-1.0,
                              miss_point="origin", max_range_m=2)
    data = rays.render(positions, quat_xyzw=np.roll(quats, -1, -1))
    met = data["distances"] != -1
    for e, (place, quat) in enumerate(zip(positions, quats)):
        pose = fa.Pose(place, quat_wxyz=quat)
        starts = pose.apply(origins)
        ends = starts + np.where(met[e], data["distances"][e], 0)[:, None] * (pose.apply(DIRECTIONS) - place)
        np.testing.assert_allclose(data["hit_pos_w"][e], ends, atol=1e-5)
    assert met.any() and not met.all()
    refuses("convention: 'ros'", rays.render, positions, quat_wxyz=quats, convention="ros")


def test_rays_of_a_model():
    positions, _ = places()
    lidar = fa.sensors.SpinningLidar(elevation_deg=[10, 0, -10], columns=32)
    data = fa.batch.BatchRays(room(), lidar, COUNT).render(positions)
    assert data["distances"].shape == (COUNT, 96)
    frame = fa.Simulator(room(), [fa.Sensor("sensor", lidar, positions[1])]).render(0, 0, "range")
    assert same(data["distances"][1], frame.range.ravel())


@pytest.mark.parametrize("call, words", [
    (lambda: camera(outputs=("distance_to_image_plan",)), ["distance_to_image_plan", "distance_to_image_plane"]),
    (lambda: camera(outputs=()), ["outputs: none given"]),
    (lambda: fa.batch.BatchRays(room(), DIRECTIONS, 2, miss_point="zero"), ["miss_point", "'zero'", "origin"]),
    (lambda: camera().render(np.zeros((4, 3))), ["positions_m", "(4, 3)", "(5, 3)"]),
    (lambda: camera().render(env_mask=[True]), ["env_mask: shape (1,)", "(5,)"]),
    (lambda: camera().render(env_mask=[True] * 5, env_ids=[1]), ["env_mask", "env_ids"]),
    (lambda: camera().render(*places()[:1], quat_wxyz=places()[1], quat_xyzw=places()[1]), ["quat"]),
])
def test_refusals(call, words):
    refuses(words, call)


def test_the_origin_of_a_miss_follows_the_sensor():
    """A render without quaternions, and a sensor placed when it was made."""
    options = dict(origins_m=[[1.0, 0, 0]], outputs=("hit_pos_w",), miss_point="origin", max_range_m=0.01)
    rays = fa.batch.BatchRays(room(), [[0, 0, 1]], 1, **options)
    turned = rays.render([[0, 0, 1]], quat_wxyz=[[np.sqrt(0.5), 0, 0, np.sqrt(0.5)]])["hit_pos_w"][0, 0]
    np.testing.assert_allclose(turned, [0, 1, 1], atol=1e-6)
    np.testing.assert_allclose(rays.render([[0, 0, 1]])["hit_pos_w"][0, 0], [1, 0, 1], atol=1e-6)
    placed = fa.batch.BatchRays(room(), [[0, 0, 1]], 1, pose=fa.Pose([1, 2, 1], rpy_deg=[0, 0, 90]), **options)
    np.testing.assert_allclose(placed.render()["hit_pos_w"][0, 0], [1, 3, 1], atol=1e-6)
    np.testing.assert_allclose(placed.pos_w, [[1, 2, 1]])
    with pytest.raises(fa.InputError, match="miss_point: 'origin'.*parent"):
        fa.batch.BatchRays(room(), [[0, 0, 1]], 1, parent="ball", **options)
