# SPDX-License-Identifier: MIT
"""fathom.mujoco over what MuJoCo 3.3.8 wrote down (adapters/mujoco/tests/mujoco3/make_answers.mjs)."""

import importlib.util
import json
import types

import numpy as np
import pytest

import fathom as fa
import fathom.mujoco
from support import SOURCE, refuses, same

ANSWERS = json.loads((SOURCE / "adapters" / "mujoco" / "tests" / "mujoco3" / "answers.json").read_text())
CASES = ANSWERS["cases"]


def world(case=0):
    """A model and data with the shapes of MuJoCo's own Python package."""
    return arrays_of(CASES[case]["model"])


def arrays_of(given):
    rows = {"geom": "ngeom", "cam": "ncam", "site": "nsite", "body": "nbody", "mat": "nmat", "hfield": "nhfield"}
    model, data = types.SimpleNamespace(), types.SimpleNamespace()
    for name, values in given.items():
        if isinstance(values, int):
            setattr(model, name, values)
            continue
        made = np.array(values, np.float64 if name in ("geom_size", "cam_fovy", "hfield_size") or "_x" in name else None)
        count = given.get(rows.get(name.split("_")[0], ""), 0)
        if count and made.size != count and made.size % count == 0 and name != "hfield_data":
            made = made.reshape(count, -1)
        setattr(data if "_xpos" in name or "_xmat" in name else model, name, made)
    model.names = bytes(given["names"])
    model.mesh_vert, model.mesh_face = model.mesh_vert.reshape(-1, 3), model.mesh_face.reshape(-1, 3)
    return model, data


def mirror(case=0, **options):
    filters = CASES[case]["filter"]
    model, data = world(case)
    body = filters["body"]
    excluded = [f"body {n}" for n in ()] if body < 0 else [body_name(model, body)]
    return fa.mujoco.Mirror(model, data, groups=[bool(g) for g in filters["groups"]], statics=filters["statics"],
                            exclude_bodies=excluded, infinite_plane_m=1e6, segments=ANSWERS["segments"], **options)


def text_at(names, start):
    return names[start : names.index(b"\0", start)].decode()


def body_name(model, body):
    return text_at(model.names, model.name_bodyadr[body])


@pytest.mark.parametrize("case", range(len(CASES)))
def test_rays_meet_the_geoms_that_mj_ray_meets(case):
    one, made = CASES[case], mirror(case)
    rays = [np.array(one["rays"][k], np.float32).reshape(-1, 3) for k in ("directions", "origins")]
    sensor = fa.Sensor("rays", fa.sensors.RayTable(*rays, max_range_m=1e6))
    frame = fa.Simulator(made.scene, [sensor]).render("rays", 0, ("clean_range", "entity_id", "incidence"))
    near, far = np.array(one["nearest"]["geoms"]), np.array(one["farthest"]["geoms"])
    least, most = np.array(one["nearest"]["ranges"]), np.array(one["farthest"]["ranges"])
    geoms, ranges = made.geom_id(frame.entity_id)[0], frame.clean_range[0]
    below = (rays[1][:, 2] < 0) & (near >= 0)  # through the floor, which mj_ray sees from above alone
    assert below.any() and (near[below] != made._find("geom", "floor")).all()
    assert geoms.dtype == np.int32 and (near >= 0).any() and (near == far).mean() > 0.98
    np.testing.assert_array_equal(geoms[near == far], near[near == far])
    slack = 24 * 2.0**-22 / np.maximum(np.cos(np.nan_to_num(frame.incidence[0])), 1e-3)
    assert (ranges[near >= 0] >= (least - slack)[near >= 0]).all()
    assert (ranges[far >= 0] <= (most + slack)[far >= 0]).all()


def test_entities_have_the_names_of_geoms():
    model, data = world()
    made = fa.mujoco.Mirror(model, data)
    geoms = [text_at(model.names, model.name_geomadr[g]) or f"geom_{g}" for g in made.geom_ids]
    assert made.names[:-3] == geoms and "floor" in geoms and any(n.startswith("geom_") for n in geoms)
    assert made.names[-3:] == ["camera/lens", "camera/fovy", "site/mast"]
    assert made.scene.entity_names == made.names and list(made.entities) == list(range(len(made.names)))
    last = int(made.geom_ids[-1])
    assert made.geom("floor") == 0 and made.geom(last) == len(geoms) - 1
    np.testing.assert_array_equal(made.geom_id([0, -1, len(made.geom_ids)]), [0, -1, -1])
    group = min(max(int(model.geom_group[last]), 0), 5)
    assert made.scene.entities[made.geom(last)].groups == [f"group/{group}", "body/" + body_name(model, model.geom_bodyid[last])]
    assert made.rows({"floor": dict(pow=3), last: dict(pow=4)}) == {"floor": dict(pow=3), geoms[-1]: dict(pow=4)}
    assert repr(made) == f"Mirror of {len(made.geom_ids)} of 13 geoms"


def test_update_moves_what_moved():
    model, data = world()
    made = fa.mujoco.Mirror(model, data)
    sensor = made.on_camera("lens", made.camera("lens"))
    sim = fa.Simulator(made.scene, [sensor])
    before = sim.render("lens", 0, ("depth",)).depth.copy()
    revision = made.scene.revision
    assert made.update() == 0 and made.scene.revision == revision
    one, other = made.geom_ids[-3:-1]
    data.geom_xpos[one] += [0, 0.3, 0.2]
    turned = fa.Pose(rpy_rad=[0.4, 0, 1]).matrix[:3, :3]
    data.geom_xmat[other] = (turned @ data.geom_xmat[other].reshape(3, 3)).reshape(9)
    assert made.update() == 2
    after = sim.render("lens", 0, ("depth",)).depth
    anew = fa.mujoco.Mirror(model, data)
    assert same(after, fa.Simulator(anew.scene, [sensor]).render("lens", 0, ("depth",)).depth)
    assert not same(before, after)
    data.cam_xpos[0] += [0.5, 0, 0]
    assert made.update(data) == 1 and not same(sim.render("lens", 0, ("depth",)).depth, after)


def test_cameras_have_the_frustum_of_mujocos_renderer():
    made = fa.mujoco.Mirror(*world())
    lens, fovy = CASES[0]["frustums"]
    camera = made.camera("lens")
    assert camera.shape == (48, 64) and isinstance(camera, fa.sensors.DepthCamera)
    k = camera.intrinsics()
    np.testing.assert_allclose((63.5 - k["cx"]) / k["fx"], lens["center"] + lens["half_width"], atol=1e-6)
    np.testing.assert_allclose((0.5 + k["cy"]) / k["fy"], lens["top"], atol=1e-6)
    np.testing.assert_allclose((k["cy"] - 47.5) / k["fy"], lens["bottom"], atol=1e-6)
    plain = made.camera("fovy", 100, 60, baseline_m=0.05)
    assert isinstance(plain, fa.sensors.StereoCamera)
    np.testing.assert_allclose((0.5 + plain.intrinsics()["cy"]) / plain.intrinsics()["fy"], fovy["top"], atol=1e-6)


def test_orthographic_cameras_are_refused():
    for flag in ("cam_orthographic", "cam_projection"):
        model, data = world()
        setattr(model, flag, np.array([0, 1]))
        made = fa.mujoco.Mirror(model, data)
        assert made.camera("lens").shape == (48, 64)
        refuses("'fovy' is orthographic", made.camera, "fovy", 8, 6)


def test_cameras_look_where_mujocos_look():
    model, data = world()
    made = fa.mujoco.Mirror(model, data)
    sim = fa.Simulator(made.scene, [made.on_camera("fovy", made.camera("fovy", 8, 6), name="eye"),
                                    made.on_site("mast", fa.sensors.RayTable([[1, 0, 0]]))])
    matrix, turn = sim.world_from_sensor("eye").matrix, data.cam_xmat[1].reshape(3, 3)
    np.testing.assert_allclose(matrix[:3, 3], data.cam_xpos[1])
    np.testing.assert_allclose(matrix[:3, 0], -turn[:, 2], atol=1e-9)  # forward
    np.testing.assert_allclose(matrix[:3, 2], turn[:, 1], atol=1e-9)  # up
    np.testing.assert_allclose(sim.world_from_sensor("mast").matrix[:3, :3], data.site_xmat[0].reshape(3, 3), atol=1e-9)


def test_sensors_pass_through_the_body_that_carries_them():
    model, data = world()
    model.cam_bodyid = np.array([1, 0])
    made = fa.mujoco.Mirror(model, data)
    body = body_name(model, 1)
    assert made.on_camera("lens", made.camera("lens")).ignore_groups == ["body/" + body] == [made.body_group(body)]
    assert made.on_camera("lens", made.camera("lens"), see_own_body=True).ignore_groups == []
    assert made.on_camera("fovy", made.camera("fovy", 4, 4), ignore_groups=[made.geom_group(7)]).ignore_groups == ["group/5"]
    assert made.on_camera("lens", made.camera("lens"), ignore_groups="group/5").ignore_groups == ["body/" + body, "group/5"]
    own = next(g for g in made.geom_ids if model.geom_bodyid[g] > 0)
    model.cam_bodyid[0] = model.geom_bodyid[own]
    data.geom_xpos[own] = data.cam_xpos[0]  # around the camera
    made.update()
    sim = fa.Simulator(made.scene, [made.on_camera("lens", made.camera("lens")),
                                    made.on_camera("lens", made.camera("lens"), see_own_body=True, name="sees")])
    assert own not in made.geom_id(sim.render("lens", 0, ("entity_id",)).entity_id)
    assert (made.geom_id(sim.render("sees", 0, ("entity_id",)).entity_id) == own).all()


def test_poses_of_many_worlds_move_environments():
    model, data = world()
    made = fa.mujoco.Mirror(model, data)
    shifts = np.array([0.0, 0.4, -0.3])
    worlds = types.SimpleNamespace(**{k: np.repeat(v[None], 3, 0) for k, v in vars(data).items()})
    worlds.geom_xpos[:, 3:, 0] += shifts[:, None]
    worlds.geom_xmat = worlds.geom_xmat.reshape(3, -1, 3, 3)
    positions, quats = made.poses(worlds)
    assert positions.shape == (3, len(made.names), 3) and quats.shape == (3, len(made.names), 4)
    sensor = made.on_camera("lens", made.camera("lens"))
    envs = fa.Environments(made.scene, sensor, 3)
    envs.set_entity_poses(made.entities, positions, quat_wxyz=quats)
    depth = envs.render(0, channels="clean_depth")["lens"].clean_depth
    for e, shift in enumerate(shifts):
        alone = types.SimpleNamespace(**{k: v.copy() for k, v in vars(data).items()})
        alone.geom_xpos[3:, 0] += shift
        assert same(depth[e], fa.Simulator(fa.mujoco.Mirror(model, alone).scene, [sensor]).render(0, 0, "clean_depth").clean_depth)


def test_quaternions_turn_as_their_matrices():
    rng = np.random.default_rng(3)
    q = rng.normal(size=(200, 4))
    q = np.concatenate([q, np.eye(4), [[0, 1, 1, 0], [0, 0, -1, 1], [1, 1, 1, 1]]])
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    matrices = np.array([fa.Pose(quat_wxyz=one).matrix[:3, :3] for one in q])
    made = fa.mujoco.quaternions(matrices)
    np.testing.assert_allclose(np.abs(np.sum(made * q, -1)), 1, atol=1e-12)


@pytest.mark.parametrize("call, words", [
    (lambda m: m.geom("flor"), ["geom 'flor'", "did you mean 'floor'?"]),
    (lambda m: m.geom(13), ["geom 13 is not in [0, 13)"]),
    (lambda m: m.camera("fovy"), ["camera 'fovy' has no resolution", "width and height"]),
    (lambda m: m.on_site("mas", "VLP-16"), ["site 'mas'", "'mast'"]),
    (lambda m: fa.mujoco.Mirror(*world(), groups=[True]), ["groups: 1 flags", "6"]),
    (lambda m: fa.mujoco.Mirror(*world(), groups=[False] * 6), ["no geom"]),
    (lambda m: fa.mujoco.Mirror(*world(), infinite_plane_m=float("nan")), ["infinite_plane_m = nan"]),
    (lambda m: fa.mujoco.Mirror(*world(), exclude_bodies=["body"]), ["body 'body'"]),
    (lambda m: fa.mujoco.Mirror(*world(), segments=3), ["3", "8"]),
])
def test_refusals(call, words):
    made = fa.mujoco.Mirror(*world())
    refuses(words, call, made)


def test_geoms_that_are_not_mirrored_are_refused():
    hidden = next(g for g in range(13) if g not in fa.mujoco.Mirror(*world(), groups=[True] + [False] * 5).geom_ids)
    with pytest.raises(fa.InputError, match="is not mirrored"):
        fa.mujoco.Mirror(*world(), groups=[True] + [False] * 5).geom(hidden)


class Replay:
    """Stands for the package `mujoco`: the walk of examples/mujoco as MuJoCo 3.3.8 walked it, second by second."""

    def __init__(self):
        self.walk = ANSWERS["walk"]
        self.controls = []
        self.MjModel = types.SimpleNamespace(from_xml_path=self.model)

    def model(self, path):
        assert path == "walker.xml"
        model, _ = arrays_of(self.walk["model"])
        model.nu = self.walk["nu"]
        return model

    def MjData(self, model):
        return types.SimpleNamespace(time=0.0, ctrl=np.zeros(model.nu))

    def mj_step(self, model, data):
        data.time += self.walk["timestep"]
        self.controls.append(data.ctrl.copy())

    def mj_forward(self, model, data):
        for name, values in self.walk["poses"][int(data.time + 1e-9)].items():
            setattr(data, name, np.array(values).reshape(-1, 3 if name.endswith("xpos") else 9))


def test_the_example_walks_towards_the_window():
    spec = importlib.util.spec_from_file_location("walker", SOURCE / "examples" / "mujoco" / "walker.py")
    walker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(walker)
    replay = Replay()
    looks = list(walker.look(replay, "walker.xml"))
    assert [round(time) for time, _, _ in looks] == [0, 1, 2, 3]
    windows = [seen["window"] for _, seen, _ in looks]
    assert [count for count, _ in windows] == sorted(count for count, _ in windows), "it comes nearer"
    assert all(lost > 0.6 * count for count, lost in windows)
    for _, seen, frame in looks:
        count, lost = seen["wall"]
        assert lost < 0.1 * count and "head" not in seen and "trunk" not in seen
        assert frame.shape == (240, 320)
        assert seen["curtain"][1] / seen["curtain"][0] > lost / count
    assert "egg" in looks[1][1], "it has fallen into view"
    controls = np.array(replay.controls)
    assert controls.shape[1] == 12 and (np.abs(controls) <= 0.45).all() and (controls[:, 1::2] >= 0).all()
