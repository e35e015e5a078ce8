# SPDX-License-Identifier: MIT
"""Frames: views of memory, who keeps it alive, and what can be made of it."""

import gc

import numpy as np
import pytest

import fathom as fa
from fathom import _fathom
from support import ALL_CHANNELS, address, camera, lidar, refuses, room, same, stereo


@pytest.fixture(scope="module")
def simulator():
    return fa.Simulator(room(), [camera(noise=[fa.noise.Dropout(probability=0.2)]), lidar()], seed=2)


def test_every_channel_has_its_shape_and_type(simulator):
    frame = simulator.render("camera", 0, ALL_CHANNELS)
    for info in _fathom.channel_list():
        array = frame[info["name"]]
        assert array.shape == ((24, 32, 3) if info["planes"] == 3 else (24, 32))
        wanted = {"uint32": "int32", "uint16": "int16"}.get(info["dtype"], info["dtype"])
        assert array.dtype == wanted and array.flags.writeable
        assert getattr(frame, info["name"]) is array, "made once"
    assert frame.shape == (24, 32) and frame.environments is None and frame.index == 0
    assert set(dict(frame)) == set(ALL_CHANNELS) and "range" in frame and "rnge" not in frame


def test_none_is_minus_one():
    frame = fa.Simulator(fa.Scene(), [camera()]).render(0, 0, ("entity_id", "triangle_id", "reason", "clean_range"))
    assert (frame.entity_id == -1).all() and (frame.triangle_id == -1).all()
    assert frame.reasons() == {"miss": frame.reason.size} and np.isinf(frame.clean_range).all()


def test_points_are_views(simulator):
    frame = simulator.render("camera", 0, ("range", "hit_sensor", "hit_world", "reason"))
    points = frame.points()
    assert address(points) == address(frame.hit_sensor) and points.strides == (4 * 32, 4, 4 * 24 * 32)
    returned = frame.valid
    np.testing.assert_array_equal(returned, np.isfinite(frame.range))
    np.testing.assert_allclose(np.linalg.norm(points[returned], axis=-1), frame.range[returned], atol=1e-5)
    np.testing.assert_allclose(points[returned] + [-3, 0, 1.2], frame.points(frame="world")[returned], atol=1e-5)
    assert frame.points(valid=True).shape == (returned.sum(), 3)
    assert sum(frame.reasons().values()) == frame.range.size and frame.reasons()["dropout"] > 50


def test_arrays_outlive_everything(simulator):
    frame = simulator.render("camera", 3, ("range",))
    array, before = frame.range, frame.range.copy()
    del frame
    gc.collect()
    for k in range(5):
        simulator.render("camera", k, ("range",))
    assert same(array, before), "its memory was used again"
    base = array[3:5]
    del array
    gc.collect()
    assert same(base, before[3:5])


def test_memory_is_used_again(simulator):
    """In steady state nothing is allocated: the arrays lie where earlier ones did."""
    seen = set()
    frame = None
    for k in range(20):
        frame = simulator.render("camera", k, ("range", "reason"))
        seen.add((address(frame.range), address(frame.reason)))
    assert len(seen) == 2, "one that is looked at, and one that is rendered"


def test_rendering_into_a_frame(simulator):
    out = fa.Frame(("range", "reason"))
    with pytest.raises(fa.InputError, match="nothing was rendered"):
        out.range
    assert simulator.render("camera", 0, out=out) is out
    array, place = out.range, address(out.range)
    first = array.copy()
    simulator.render("camera", 1, out=out)
    assert address(out.range) == place and array is out.range and not same(array, first)
    simulator.render("camera", 0, out=out)
    assert same(array, first)


@pytest.mark.parametrize("sensor, channels", [("lidar", None), ("camera", ("range", "depth"))])
def test_another_shape_or_channels_leave_old_arrays_alone(simulator, sensor, channels):
    out = simulator.render("camera", 0, ("range", "reason"), out=fa.Frame())
    old, before = out.range, out.range.copy()
    simulator.render(sensor, 1, channels, out=out)
    assert address(out.range) != address(old) and same(old, before)
    assert out.channels == (("range", "reason") if channels is None else channels)


def test_writing_is_seen_both_ways(simulator):
    frame = simulator.render("camera", 0, ("reason",), out=fa.Frame(("reason",)))
    frame.reason[:] = 11
    assert frame.reasons() == {"masked": 24 * 32}


def test_copies_are_apart(simulator):
    frame = simulator.render("camera", 0, ("range",))
    other = frame.copy()
    assert same(other.range, frame.range) and address(other.range) != address(frame.range)
    assert other.digest() == frame.digest() and other.index == frame.index


def test_lost_pixels_get_a_value(simulator):
    frame = simulator.render("camera", 0, ("depth", "range", "reason"))
    lost = frame.reason != 0
    for word, value in (("zero", 0), ("inf", np.inf), ("minus_one", -1), ("max", frame.max_range_m)):
        filled = frame.filled("depth", lost=word)
        assert (filled[lost] == value).all() and same(filled[~lost], frame.depth[~lost])
    assert np.isnan(frame.filled("range")[lost]).all() and np.isnan(frame.depth[lost]).all()
    assert frame.filled("depth", lost="max", max_m=7)[lost].max() == 7
    for arguments in (("reason",), ("depth", "nil"), ("energy",)):
        with pytest.raises(fa.InputError):
            frame.filled(arguments[0], lost=arguments[1] if len(arguments) > 1 else "nan")


def test_over_the_callers_memory(simulator):
    depth = np.zeros((24, 32), dtype=np.float32)
    points = np.zeros((3, 24, 32), dtype=np.float32).transpose(1, 2, 0)
    ids = np.zeros((24, 32), dtype=np.int32)
    frame = fa.Frame.over(depth=depth, hit_sensor=points, entity_id=ids)
    simulator.render("camera", 4, out=frame)
    wanted = simulator.render("camera", 4, ("depth", "hit_sensor", "entity_id"))
    assert same(depth, wanted.depth) and same(points, wanted.hit_sensor) and same(ids, wanted.entity_id)
    assert address(frame.depth) == address(depth)
    del depth, points, ids
    gc.collect()
    simulator.render("camera", 4, out=frame)
    assert same(frame.depth, wanted.depth), "the frame keeps the arrays"
    refuses("another shape", simulator.render, "lidar", 0, out=frame)
    refuses("copy these", frame.copy)


@pytest.mark.parametrize("arrays, words", [
    (dict(depth=np.zeros((4, 5))), ["depth", "float64 given", "float32 wanted"]),
    (dict(depth=np.zeros((4, 10), np.float32)[:, ::2]), ["depth", "contiguous"]),
    (dict(depth=np.zeros(5, np.float32)), ["depth", "(5,)", "(rows, cols)"]),
    (dict(hit_world=np.zeros((4, 5, 3), np.float32)), ["hit_world", "three planes"]),
    (dict(depth=np.zeros((4, 5), np.float32), reason=np.zeros((5, 4), np.uint8)), ["reason", "(5, 4)", "(4, 5)"]),
    (dict(depht=np.zeros((4, 5), np.float32)), ["depht", "'depth'?"]),
    (dict(depth=[[1.0]]), ["depth", "NumPy"]),
    (dict(depth=np.zeros((4, 5), ">f4")), ["depth", ">f4 given", "float32 wanted"]),
    (dict(entity_id=np.zeros((4, 5), "S4")), ["entity_id", "|S4 given", "int32 wanted"]),
    (dict(entity_id=np.zeros((4, 5), [("a", "i2"), ("b", "i2")])), ["entity_id", "int32 wanted"]),
    (dict(reason=np.zeros((4, 5), bool)), ["reason", "bool given", "uint8 wanted"]),
    ({}, ["no channel"]),
])
def test_memory_that_does_not_fit_is_refused(arrays, words):
    refuses(words, fa.Frame.over, **arrays)


def test_files(simulator, tmp_path):
    frame = simulator.render("camera", 0, ALL_CHANNELS)
    frame.write_pcd(tmp_path / "c.pcd", fields=["entity_id"])
    frame.write_ply(tmp_path / "c.ply", frame="world", keep_misses=True)
    frame.write_pointcloud2(tmp_path / "c.cdr", "camera")
    frame.write_npy(tmp_path / "d.npy", "depth", lost="zero")
    frame.write_npy(str(tmp_path / "p.npy"), "hit_sensor")
    frame.write_depth_png(tmp_path / "d.png")
    frame.write_range_image(tmp_path / "r.png", color="entity", entity_names=["walls", "table", "ball"])
    frame.write_angle_image(tmp_path / "a.png")
    frame.write_birds_eye(tmp_path / "b.png", pixels=256)
    frame.write_reason_picture(tmp_path / "y.png", legend=False)
    frame.write_camera_sheet(tmp_path / "s.png")
    frame.write_label_picture(tmp_path / "l.png", [fa.Label("ball", 1)])
    frame.write_label_ids(tmp_path / "i.png")
    assert same(np.load(tmp_path / "p.npy"), frame.hit_sensor)
    assert same(np.load(tmp_path / "d.npy"), frame.filled("depth", lost="zero"))
    assert b"entity_id" in (tmp_path / "c.pcd").read_bytes()[:300]
    for picture in tmp_path.glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(OSError):
        frame.write_pcd(tmp_path / "none" / "c.pcd")
    refuses("'sensr'", frame.write_pcd, tmp_path / "c.pcd", frame="sensr")


def test_dlpack_of_numpy(simulator):
    frame = simulator.render("camera", 0, ("depth", "hit_sensor", "entity_id", "reason"))
    for name in frame.channels:
        shared = np.from_dlpack(frame[name])
        assert address(shared) == address(frame[name]) and shared.shape == frame[name].shape


def test_tensors_share_memory(simulator):
    torch = pytest.importorskip("torch", reason="no torch here (Debian: python3-torch): tensors are not tried")
    frame = simulator.render("camera", 0, ("depth", "hit_sensor", "entity_id", "ring", "reason"), out=fa.Frame())
    for name in frame.channels:
        for tensor in (torch.from_numpy(frame[name]), torch.from_dlpack(frame[name])):
            assert tensor.data_ptr() == address(frame[name]) and tuple(tensor.shape) == frame[name].shape
    tensor = torch.from_dlpack(frame.depth)
    simulator.render("camera", 1, out=frame)
    assert same(tensor.numpy(), frame.depth), "the next frame is seen"
    batch = torch.empty((24, 32))
    simulator.render("camera", 1, out=fa.Frame.over(depth=batch.numpy()))
    assert same(batch.numpy(), frame.depth)
    poses = torch.zeros((2, 3), dtype=torch.float32)
    scene = room()
    scene.set_poses([0, 1], poses)
    np.testing.assert_array_equal(scene.world_from_entity(1).position_m, [0, 0, 0])


def test_stereo_reasons_and_digest():
    noise = [fa.noise.StereoShadow(), fa.noise.StereoEnergy()]
    a, b = (fa.Simulator(room(), [stereo(noise=noise)], seed=s).render(0, 0, ("reason",)) for s in (1, 2))
    assert a.digest() != b.digest() and a.reasons() != b.reasons()
    digest = fa.FrameDigest()
    assert digest.text == "cbf29ce484222325"
    digest.add(a)
    assert digest.text == a.digest()
