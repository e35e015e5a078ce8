# SPDX-License-Identifier: MIT
"""Poses, meshes, scenes, maps."""

import copy
import pickle

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import fathom as fa
from support import refuses, room

unit = st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1)


@hypothesis.given(unit, st.lists(st.floats(-100, 100), min_size=3, max_size=3))
def test_pose_is_its_matrix(q, t):
    q = np.array(q) / np.linalg.norm(q)
    pose = fa.Pose(t, quat_wxyz=q)
    points = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [-4.0, 0.5, 9.0]])
    by_matrix = points @ pose.matrix[:3, :3].T + pose.matrix[:3, 3]
    np.testing.assert_allclose(pose.apply(points), by_matrix, atol=1e-9)
    np.testing.assert_allclose(fa.Pose(matrix=pose.matrix).apply(points), by_matrix, atol=1e-9)
    np.testing.assert_allclose((pose.inverse() @ pose).apply(points), points, atol=1e-9)
    assert np.isclose(abs(np.dot(pose.quat_wxyz, q)), 1)
    np.testing.assert_array_equal(pose.quat_xyzw, np.roll(pose.quat_wxyz, -1))
    assert fa.Pose(t, quat_xyzw=pose.quat_xyzw) == fa.Pose(t, quat_wxyz=pose.quat_wxyz)


def test_rotations_by_angles():
    turned = fa.Pose(rpy_deg=[0, 0, 90])
    np.testing.assert_allclose(turned.apply([1, 0, 0]), [0, 1, 0], atol=1e-15)
    assert fa.Pose(rpy_rad=[0, 0, np.pi / 2]) == turned
    np.testing.assert_allclose(fa.Pose(rpy_deg=[0, 90, 0]).apply([1, 0, 0]), [0, 0, -1], atol=1e-15)


@pytest.mark.parametrize("convention, forward, up", [("fathom", [1, 0, 0], [0, 0, 1]), ("ros", [0, 0, 1], [0, -1, 0]),
                                                     ("opengl", [0, 0, -1], [0, 1, 0])])
def test_conventions_of_cameras(convention, forward, up):
    """Where a camera with these axes looks, and its up, in its own axes."""
    pose = fa.Pose(convention=convention)
    np.testing.assert_allclose(pose.apply([1, 0, 0]), forward, atol=1e-15)
    np.testing.assert_allclose(pose.apply([0, 0, 1]), up, atol=1e-15)
    turned = fa.Pose([1, 2, 3], rpy_deg=[10, 20, 30], convention=convention)
    np.testing.assert_allclose(turned.apply([1, 0, 0]), fa.Pose([1, 2, 3], rpy_deg=[10, 20, 30]).apply(forward),
                               atol=1e-12)


def test_values_are_copied_and_pickled():
    pose = fa.Pose([1, 2, 3], rpy_deg=[4, 5, 6])
    for other in (pickle.loads(pickle.dumps(pose)), copy.deepcopy(pose)):
        assert other == pose and hash(other) == hash(pose)
    assert pose != fa.Pose([1, 2, 3])
    assert repr(fa.Pose([1, 2, 3])) == "Pose([1, 2, 3])"


def test_trajectory_goes_between_its_keys():
    path = fa.Trajectory([0, 2], [[0, 0, 0], [4, 0, 0]], quat_wxyz=[[1, 0, 0, 0], fa.Pose(rpy_deg=[0, 0, 90]).quat_wxyz])
    np.testing.assert_allclose(path.at(1).position_m, [2, 0, 0])
    np.testing.assert_allclose(path.at(1).apply([1, 0, 0]), [2 + np.sqrt(0.5), np.sqrt(0.5), 0])
    np.testing.assert_array_equal(path.at(9).position_m, [4, 0, 0])
    assert not path.is_fixed and len(path.poses) == 2
    looped = fa.Trajectory([0, 2], [[0, 0, 0], [4, 0, 0]], loop=True)
    np.testing.assert_allclose(looped.at(2.5).position_m, [1, 0, 0])


def test_trajectory_file(tmp_path):
    (tmp_path / "path.tum").write_text("# stamp\n0 1 2 3 0 0 0 1\n1 2 2 3 0 0 0 1\n")
    np.testing.assert_allclose(fa.read_trajectory(tmp_path / "path.tum").at(0.5).position_m, [1.5, 2, 3])


def test_mesh_arrays_are_views():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
    mesh = fa.Mesh(vertices, [[0, 1, 2]])
    assert mesh.vertices.dtype == np.float32 and mesh.triangles.dtype == np.int32
    np.testing.assert_array_equal(mesh.vertices, vertices)
    assert not mesh.vertices.flags.writeable, "a Mesh is checked once"
    kept = mesh.vertices
    del mesh
    np.testing.assert_array_equal(kept, vertices)


def test_far_meshes_keep_an_origin(tmp_path):
    (tmp_path / "t.obj").write_text("v 500000.125 5400000 1\nv 500001.125 5400000 1\nv 500000.125 5400002 1\nf 1 2 3\n")
    mesh = fa.read_mesh(tmp_path / "t.obj")
    assert mesh.origin_m.dtype == np.float64 and np.all(mesh.origin_m % 64 == 0)
    np.testing.assert_allclose(mesh.origin_m + mesh.vertices, [[500000.125, 5400000, 1], [500001.125, 5400000, 1],
                                                               [500000.125, 5400002, 1]], rtol=0, atol=1e-5)
    again = fa.Mesh(mesh.vertices, mesh.triangles, mesh.origin_m)
    np.testing.assert_array_equal(again.vertices, mesh.vertices)
    np.testing.assert_array_equal(again.origin_m, mesh.origin_m)
    np.testing.assert_array_equal(fa.box([1, 1, 1]).origin_m, [0, 0, 0])
    with pytest.raises(fa.InputError, match="m is off by 0.25.* in float32; subtract an origin"):
        fa.Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 5400000.25, 0]]), [[0, 1, 2]])
    refuses("origin_m", fa.Mesh, mesh.vertices, mesh.triangles, [1, 2])


@pytest.mark.parametrize("mesh, extent", [(fa.plane([2, 3]), [2, 3, 0]), (fa.box([1, 2, 3]), [1, 2, 3]),
                                          (fa.sphere(0.5), [1, 1, 1]), (fa.cylinder(0.5, 2, 32), [1, 1, 2]),
                                          (fa.capsule(0.5, 2), [1, 1, 3]), (fa.ellipsoid([1, 2, 3]), [2, 4, 6]),
                                          (fa.height_field(np.eye(3), [4, 2]), [4, 2, 1]),
                                          (fa.height_field(np.zeros((2, 2)), [1, 1], base_m=0.5), [1, 1, 0.5])])
def test_primitives(mesh, extent):
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), extent, atol=1e-6)


def test_mesh_file(tmp_path):
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n")
    np.testing.assert_allclose(fa.read_mesh(tmp_path / "t.obj").vertices[2], [0, 2, 0])
    np.testing.assert_allclose(fa.read_mesh(str(tmp_path / "t.obj"), up_axis="y").vertices[2], [0, 0, 2], atol=1e-7)
    refuses("none.obj", fa.read_mesh, tmp_path / "none.obj")


def test_heights_from_files(tmp_path):
    levels = np.array([[0, 51], [102, 255]], dtype=np.uint8)
    (tmp_path / "h.pgm").write_bytes(b"P5 2 2 255\n" + levels.tobytes())
    heights = fa.read_height_image(tmp_path / "h.pgm", 5.0)
    np.testing.assert_allclose(heights, levels[::-1] / 51.0, atol=1e-6)
    np.save(tmp_path / "h.npy", heights)
    np.testing.assert_array_equal(fa.read_height_array(tmp_path / "h.npy"), heights)
    top = fa.height_field(heights, [2, 2]).vertices
    assert top[top[:, 2].argmax()].tolist() == [1, -1, 5], "white stands at the lower right of the picture"
    for wrong in (np.zeros(3), np.zeros((1, 3)), [[0, np.nan], [0, 0]]):
        with pytest.raises(fa.InputError):
            fa.height_field(wrong, [1, 1])


def test_parts_of_a_mesh_file(tmp_path):
    (tmp_path / "t.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\no left\nf 1 2 3\no right\nf 1 2 4\n")
    parts = fa.read_mesh_parts(tmp_path / "t.obj", "nodes")
    assert list(parts) == ["left", "right"] and parts["right"].vertices[:, 2].max() == 3
    with pytest.raises(fa.InputError, match="'node'.*nodes"):
        fa.read_mesh_parts(tmp_path / "t.obj", "node")


def test_entities_have_labels_and_groups():
    scene = fa.Scene()
    scene.add_label("chair", 7, [255, 0, 9])
    body = scene.add_entity("body", None, [1, 0, 0])
    seat = scene.add_entity("seat", fa.box([1, 1, 1]), parent=body, part_of_parent=True, label="chair", groups=["soft", "low"])
    scene.add_entity("lamp", "seat", label="lamp")
    entity = scene.entities[seat]
    assert scene.entities[body].mesh is None and scene.entities[body].label is None
    assert (entity.label, entity.groups, entity.part_of_parent) == ("chair", ["soft", "low"], True)
    assert scene.whole_of("seat") == body and scene.whole_of("lamp") == 2
    assert [(x.name, x.id, x.color) for x in scene.labels] == [("chair", 7, (255, 0, 9)), ("lamp", 8, None)]
    assert [scene.label_id(e) for e in (0, 1, 2)] == [0, 7, 8] and len(scene.labels[1].picture_color) == 3
    before = scene.revision
    for call in (lambda: scene.add_label("sofa", 7), lambda: scene.add_label("sofa", 0), lambda: scene.add_label("x", 9, [0, 0, 256]),
                 lambda: scene.add_entity("z", "seat", label=""), lambda: scene.add_entity("z", "seat", groups=[""])):
        with pytest.raises(fa.InputError):
            call()
    assert scene.revision == before


def test_entities_are_set_in_motion():
    scene = room()
    path = fa.Trajectory([0, 2], [[0, 0, 0], [4, 0, 0]], loop=True)
    scene.set_motion("ball", path)
    assert scene.moves and path.loops and scene.entities[2].motion.loops
    np.testing.assert_allclose(scene.world_from_entity("ball", 2.5).position_m, [1, 0, 0])


def test_scene_tells_what_it_holds():
    scene = room()
    assert scene.entity_names == ["walls", "table", "ball"] and scene.find_entity("ball") == 2
    assert scene.entities[0].reflectivity == pytest.approx(0.8)
    hand = scene.add_entity("hand", "ball", [0, 0, 1], parent="table", scale=[1, 2, 1])
    assert scene.entities[hand].parent == 1 and scene.entities[0].parent is None
    np.testing.assert_array_equal(scene.entities[hand].scale, [1, 2, 1])
    np.testing.assert_allclose(scene.world_from_entity("hand").position_m, [2, 1, 1.35])
    scene.set_poses(["ball", hand], [[0, 0, 1], [1, 0, 0]], quat_xyzw=[[0, 0, 0, 1], [0, 0, 1, 0]])
    np.testing.assert_allclose(scene.world_from_entity(hand).apply([1, 0, 0]), [2, 1, 0.35], atol=1e-12)
    scene.set_parent(hand, None)
    np.testing.assert_allclose(scene.world_from_entity(hand).position_m, [1, 0, 0])
    assert scene.mesh("ball").vertices.shape == scene.mesh(2).vertices.shape and len(scene.mesh_names) == 3


def test_one_sided_entities_are_seen_from_their_front():
    scene = fa.Scene()
    scene.add_entity("plane", fa.plane([4, 4]), one_sided=True)
    scene.add_entity("beyond", "plane", [0, 0, 5])
    scene.add_entity("mirrored", "plane", [0, 0, -5], scale=[1, 1, -1], one_sided=True)
    assert [e.one_sided for e in scene.entities] == [True, False, True]
    rays = fa.sensors.RayTable([[0, 0, 1], [0, 0, -1], [0, 0, 1]], [[0.1, 0.2, -1], [0.1, 0.2, 1], [0.1, 0.2, -9]])
    frame = fa.Simulator(scene, [fa.Sensor("rays", rays)]).render("rays", 0, ("range", "entity_id"))
    np.testing.assert_array_equal(frame.entity_id[0], [1, 0, 2])
    np.testing.assert_allclose(frame.range[0], [6, 1, 4], rtol=1e-6)


def test_what_is_refused_changes_nothing():
    scene = room()
    before = scene.revision
    for call in (lambda: scene.add_entity("ball", fa.box([1, 1, 1])), lambda: scene.add_entity("x", fa.box([1, 1, 1]), scale=0),
                 lambda: scene.set_poses([0, 1], [[0, 0, 0], [np.nan, 0, 0]]), lambda: scene.set_parent("ball", "ball"),
                 lambda: scene.add_entity("y", "nothing"), lambda: scene.set_pose("bal", [0, 0, 0])):
        with pytest.raises(fa.InputError):
            call()
    assert scene.revision == before and len(scene.mesh_names) == 3


def test_bones_move_vertices():
    rest = np.array([[0, 0, 0], [1, 0, 0]], dtype=np.float32)
    bones = np.stack([np.eye(4), fa.Pose([0, 0, 2]).matrix])
    moved = fa.skin_vertices(rest, [[1, 0, 0, 0], [0.5, 0.5, 0, 0]], [[0, 0, 0, 0], [0, 1, 0, 0]],
                             np.stack([np.eye(4)] * 2), bones)
    np.testing.assert_allclose(moved, [[0, 0, 0], [1, 0, 1]])


def test_maps(tmp_path):
    cells = np.zeros((4, 6), dtype=np.uint8)
    cells[0, :] = 1
    grid = fa.GridMap(cells, 0.5, (1, 2, 0))
    np.testing.assert_array_equal(grid.cells, cells)
    walls = grid.walls(2.0)
    np.testing.assert_allclose(walls.vertices.min(axis=0), [1, 2, 0])
    np.testing.assert_allclose(walls.vertices.max(axis=0), [4, 2.5, 2])
    (tmp_path / "m.pgm").write_bytes(b"P5 6 4 255\n" + bytes(np.where(cells[::-1] == 1, 0, 254).astype(np.uint8)))
    (tmp_path / "m.yaml").write_text(
        "image: m.pgm\nresolution: 0.5\norigin: [1, 2, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n")
    read = fa.read_grid_map(tmp_path / "m.yaml")
    np.testing.assert_array_equal(read.cells, cells)
    assert read.origin == (1, 2, 0) and fa.grid_map_image(tmp_path / "m.yaml").name == "m.pgm"
