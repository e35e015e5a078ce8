# SPDX-License-Identifier: MIT
"""Capsules, ellipsoids, height fields; entities without a mesh, groups, and what sensors ignore."""

import numpy as np
import pytest

import fathom as fa
from support import refuses, room, same


def ranges(scene, *, directions=((1, 0, 0),), place=(0, 0, 0), **sensor):
    rays = fa.sensors.RayTable(np.array(directions, float))
    return fa.Simulator(scene, [fa.Sensor("rays", rays, place, **sensor)]).render("rays", 0, ("range",)).range[0]


def test_capsules_and_ellipsoids():
    capsule, ellipsoid = fa.capsule(0.5, 2.0), fa.ellipsoid([1, 2, 3], segments=256)
    np.testing.assert_allclose(np.abs(capsule.vertices).max(0), [0.5, 0.5, 1.5], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(ellipsoid.vertices / [1, 2, 3], axis=1), 1, atol=1e-5)
    assert len(fa.capsule(0.5, 2.0, 16).triangles) < len(capsule.triangles)
    for call, word in ((lambda: fa.capsule(0, 1), "radius"), (lambda: fa.ellipsoid([1, 2, np.nan]), "radii_m")):
        with pytest.raises(fa.InputError, match=word):
            call()


def test_height_fields():
    heights = np.array([[0, 1, 2], [0.5, 1, 3.0]])
    mesh = fa.height_field(heights, [4, 2])
    np.testing.assert_allclose(mesh.vertices.reshape(2, 3, 3)[..., 2], heights)
    np.testing.assert_allclose(mesh.vertices.reshape(2, 3, 3)[0, :, 0], [-2, 0, 2])
    assert len(mesh.triangles) == 4 < len(fa.height_field(heights, [4, 2], base_m=1).triangles)
    scene = fa.Scene()
    scene.add_entity("hills", fa.height_field(heights[:, ::-1], [4, 2]))
    np.testing.assert_allclose(ranges(scene, directions=[[0, 0, -1]], place=[0, 0, 5]), [4])
    for given, word in ((heights[0], "heights_m"), (heights * np.nan, "heights_m"), (heights[:1], "rows")):
        with pytest.raises(fa.InputError, match=word):
            fa.height_field(given, [4, 2])


def carrier():
    """A robot: a place without a mesh, with a housing that is part of it, in a room."""
    scene = room()
    robot = scene.add_entity("robot", None, [0, 0, 1])
    scene.add_entity("housing", fa.box([0.2, 0.2, 0.2]), parent="robot", part_of_parent=True, groups=["shell", "robot"])
    scene.add_entity("arm", fa.box([0.1, 0.1, 0.1]), [0.5, 0, 0], parent="robot", groups=["robot"])
    return scene, robot


def test_entities_without_a_mesh_carry_others():
    scene, robot = carrier()
    entity = scene.entities[robot]
    assert entity.mesh is None and entity.groups == [] and not entity.part_of_parent
    assert scene.entities[robot + 1].part_of_parent and scene.entities[robot + 1].groups == ["shell", "robot"]
    assert np.isclose(ranges(scene, parent="robot"), 0.45), "the arm, not the housing: it is one with the robot"
    scene.set_pose("robot", [1, 0, 1])
    np.testing.assert_allclose(scene.world_from_entity("arm").position_m, [1.5, 0, 1])


@pytest.mark.parametrize("sensor, wanted", [
    (dict(see_parent=True), 0.1), (dict(ignore=["arm"]), 4.0), (dict(ignore="arm"), 4.0), (dict(ignore_groups="robot"), 4.0),
    (dict(ignore_groups=["shell"]), 0.45), (dict(ignore_groups=["nobody"]), 0.45),
])
def test_sensors_ignore(sensor, wanted):
    scene, _ = carrier()
    np.testing.assert_allclose(ranges(scene, parent="robot", **sensor), [wanted], atol=1e-6)
    made = fa.Sensor("s", "VLP-16", parent="robot", **sensor)
    assert made.replace(name="t").replace(name="s") == made
    envs = fa.Environments(scene, fa.Sensor("rays", fa.sensors.RayTable([[1, 0, 0]]), parent="robot", **sensor), 2)
    np.testing.assert_allclose(envs.render(0, channels="range")["rays"].range.ravel(), [wanted] * 2, atol=1e-6)


def test_a_wrong_name_to_ignore_is_refused():
    refuses("nearest known: 'table'", ranges, room(), ignore=["tabel"])


def test_a_scene_file_says_what_is_ignored(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text("scene: {meshes: {b: {box: {size_m: [4, 4, 4]}}}, entities: [{name: b, mesh: b, groups: [walls]}]}\n"
                    "sensors: [{name: l, type: laser_2d, rays: 2, min_azimuth_deg: 0, max_azimuth_deg: 90, "
                    "ignore: [b, walls]}]\n")
    sensor = fa.load(file).sensors[0]
    assert sensor.ignore == ["b"] and sensor.ignore_groups == ["walls"] and not sensor.see_parent
    assert same(fa.load(file).simulator().render("l", 0, ("reason",)).reason, np.array([[1, 1]], np.uint8))
