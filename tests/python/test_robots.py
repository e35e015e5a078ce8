# SPDX-License-Identifier: MIT
"""Robots in scenes."""

import numpy as np
import pytest

import fathom as fa
from support import SOURCE, refuses

ARM = SOURCE / "examples" / "09_robot" / "arm.urdf"


@pytest.fixture(scope="module")
def arm():
    try:
        return fa.read_robot(ARM)
    except fa.InputError as error:
        if "has no urdfdom" not in str(error):
            raise
        pytest.skip("this build reads no URDF")


def test_a_robot_is_its_links_and_joints(arm):
    assert arm.name == "arm" and ARM in [type(ARM)(f) for f in arm.files] and arm.notes == []
    links, joints = {d["name"]: d for d in arm.links}, {d["name"]: d for d in arm.joints}
    assert links["base"]["parent"] is None and links["turret"]["parent"] == "base" and links["turret"]["joint"] == "turn"
    assert links["camera"]["mesh"] is None and arm.meshes[links["base"]["mesh"]].vertices[:, 2].max() == pytest.approx(0.1)
    assert joints["turn"]["kind"] == "revolute" and joints["turn"]["upper"] == pytest.approx(3.1)
    np.testing.assert_array_equal(joints["elbow"]["axis"], [0, 1, 0])
    assert joints["grip"]["kind"] == "prismatic" and joints["right_grip"]["mimic"] == ("grip", 1, 0)
    assert np.isinf(joints["roll"]["upper"])


def test_links_go_where_joints_move_them(arm):
    poses = arm.link_poses({"turn": np.pi / 2, "shoulder": np.pi / 2})
    assert list(poses) == [link["name"] for link in arm.links]
    np.testing.assert_allclose(poses["forearm"].position_m, [0, 0.5, 0.3], atol=1e-9)
    for wrong, words in (({"trun": 0}, "'trun'.*turn"), ({"turn": 4}, "turn"), ({"right_grip": 0.05}, "right_grip"),
                         ({"turn": "x"}, "not a number"), ({1: 0.5}, "names of joints")):
        with pytest.raises(fa.InputError, match=words):
            arm.link_poses(wrong)


def test_a_robot_moves_in_a_scene(arm):
    scene = fa.Scene()
    scene.add_entity("floor", fa.plane([9, 9]))
    robot = fa.PlacedRobot(scene, arm, [1, 0, 0], prefix="a/", reflectivity=0.5, groups=["arms"], label="arm")
    palm = scene.entities[robot.entity("palm")]
    assert palm.groups == ["arms"] and palm.label == "arm" and not palm.one_sided
    assert robot.scene is scene and robot.entity("camera") is None
    assert scene.entity_names[robot.entity("palm")] == "a/palm" and scene.entities[robot.entity("palm")].reflectivity == 0.5
    sensor = fa.Sensor("eye", fa.sensors.camera_from_fov(16, 12, 1.0), **robot.mount("camera"), ignore_groups=[])
    simulator = fa.Simulator(scene, [sensor])
    before = simulator.world_from_sensor("eye")
    robot.set_joints({"turn": np.pi / 2})
    turned = fa.Pose([1, 0, 0], rpy_rad=[0, 0, np.pi / 2]) @ fa.Pose([1, 0, 0]).inverse() @ before
    np.testing.assert_allclose(simulator.world_from_sensor("eye").matrix, turned.matrix, atol=1e-9)
    robot.set_pose([1, 0, 2])
    np.testing.assert_allclose(simulator.world_from_sensor("eye").position_m, turned.position_m + [0, 0, 2], atol=1e-9)
    with pytest.raises(fa.InputError, match="'plam'.*palm"):
        robot.entity("plam")
    count = len(scene.entities)
    refuses("taken", fa.PlacedRobot, scene, arm, prefix="a/")
    other = fa.PlacedRobot(scene, arm, fa.Pose([0, 1, 0]), parent="floor", joints={"turn": 1.0})
    assert scene.entities[other.entity("base")].parent == 0 and len(scene.entities) > count
    with pytest.raises(fa.InputError):
        other.set_joints({"turn": 9})


def test_scene_files_tell_what_they_did_not_read(arm, tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM.read_text())
    (tmp_path / "s.yaml").write_text("scene: {from: arm.urdf}\nsensors:\n  - {name: eye, preset: VLP-16, position_m: [2, 0, 0.4]}\n")
    setup = fa.load(tmp_path / "s.yaml")
    assert setup.notes == [] and "palm" in setup.scene.entity_names
    assert (setup.simulator().render("eye", 0, ("entity_id",)).entity_id >= 0).any()


@pytest.mark.parametrize("call", [lambda: fa.read_robot("none.urdf"), lambda: fa.read_robot(ARM, geometry="visul")])
def test_wrong_files_and_words(arm, call):
    with pytest.raises(fa.InputError, match="none.urdf|'visul'.*visual"):
        call()
