# SPDX-License-Identifier: MIT
"""A world of MuJoCo as a scene: its geoms become entities, and follow its data.

    mirror = fathom.mujoco.Mirror(model, data)                # mujoco.MjModel, mujoco.MjData
    eyes = mirror.camera("eyes", width=160, height=120, baseline_m=0.05)
    sensor = mirror.on_camera("eyes", eyes, noise=[fa.noise.StereoEnergy(entities={"window": dict(min_energy=0.4)})])
    sim = fa.Simulator(mirror.scene, [sensor], seed=7)
    for t in range(steps):
        mujoco.mj_step(model, data)
        mirror.update()
        frame = sim.render("eyes", t, ("depth", "reason", "entity_id"))
        geoms = mirror.geom_id(frame.entity_id)               # MuJoCo's ids, -1 for none

It needs no libmujoco: it reads arrays by the names that they have from MuJoCo 2.2.2 to 3.x, from any object that holds
them. With poses of many worlds, geom_xpos [worlds, geoms, 3] as MJX and mjlab have them, poses() makes what
Environments.set_entity_poses() takes.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _fathom
from ._fathom import InputError, Mesh, Scene
from .sensors import DepthCamera, Sensor, StereoCamera

_PLANE, _HFIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX = range(7)
_GROUPS = 6  # of geoms; mj_ray counts a group outside of them as the nearest

_Geom = Union[str, int]


def array(values: Any) -> Any:
    """An array of NumPy over what NumPy holds, or a library of tensors, also on a device."""
    if hasattr(values, "detach"):  # PyTorch
        values = values.detach().cpu()
    elif not isinstance(values, np.ndarray) and callable(getattr(values, "numpy", None)):  # Warp
        values = values.numpy()
    return np.asarray(values)


def quaternions(matrices: Any) -> Any:
    """Unit quaternions (w, x, y, z) [..., 4] of rotation matrices [..., 3, 3]."""
    m = np.asarray(matrices, np.float64)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # 4 w^2 to 4 z^2: of the four forms, the one that divides by the most.
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], -1)
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    p, q, r = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    w, x, y, z = (squares[..., k] for k in range(4))
    forms = np.stack([np.stack(form, -1) for form in ((w, a, b, c), (a, x, p, q), (b, p, y, r), (c, q, r, z))], -2)
    best = np.argmax(squares, -1)[..., None, None]
    made = np.take_along_axis(forms, best, -2)[..., 0, :]
    return made / np.linalg.norm(made, axis=-1, keepdims=True)


class Mirror:
    """The geoms of a model as entities of a scene. The entity of the i-th geom that is mirrored has id i, and the geom's
    name, or geom_17 for geom 17 without one. After them stand entities without a mesh, to hang sensors on: one for each
    camera (camera/<name>) and each site (site/<name>). The groups of an entity are "group/2", by its geom's group, and
    "body/<name>"; a sensor can ignore them (Sensor.ignore_groups).

    groups, exclude_bodies and statics: which geoms are mirrored, those that mj_ray would meet with the same geomgroup,
    bodyexclude and flg_static; geoms with alpha 0, in the geom or its material, are left out as mj_ray leaves them out.
    infinite_plane_m: side of the square that stands for a plane that is infinite. segments: of round geoms, 8 to 1024.
    Planes are seen from above alone, as mj_ray sees them. Flexes and skins are not mirrored.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        *,
        groups: Sequence[bool] = (True,) * _GROUPS,
        exclude_bodies: Iterable[str] = (),
        statics: bool = True,
        infinite_plane_m: float = 1e4,
        segments: int = 64,
    ) -> None:
        if len(groups) != _GROUPS:
            raise InputError(f"groups: {len(groups)} flags given, {_GROUPS} wanted")
        if not 0 < infinite_plane_m <= 1e6:
            raise InputError(f"infinite_plane_m = {infinite_plane_m} is not in (0, 1e6] m")
        self._model = model
        self._data = data
        self._names = bytes(model.names)
        self._segments = segments
        self._plane_m = infinite_plane_m
        self._positions: Any = None
        self._rotations: Any = None
        self.geom_ids: Any = self._find_geoms(groups, exclude_bodies, statics)
        """MuJoCo's ids of the geoms that are mirrored, int32 [geoms]: geom_ids[entity]."""
        if not len(self.geom_ids):
            raise InputError("the model of MuJoCo has no geom that the options leave")
        self.names: List[str] = self._entity_names()
        """The names of the entities."""
        self.entities: Any = np.arange(len(self.names), dtype=np.int32)
        """All entities, including cameras and sites, for Environments.set_entity_poses()."""
        self.scene: Scene = self._make_scene()
        """The scene; a Simulator looks at it before every frame."""

    def update(self, data: Any = None) -> int:
        """Places the entities that moved since the last call; returns how many these were. data: another MjData."""
        if data is not None:
            self._data = data
        positions, rotations = self._poses(self._data)
        moved = np.flatnonzero((positions != self._positions).any(-1) | (rotations != self._rotations).any(-1))
        if len(moved):
            self.scene.set_poses(moved, positions[moved], quat_wxyz=quaternions(rotations[moved].reshape(-1, 3, 3)))
            self._positions, self._rotations = positions, rotations
        return len(moved)

    def poses(self, data: Any = None) -> Tuple[Any, Any]:
        """Positions [..., entities, 3] and quaternions (w, x, y, z) [..., entities, 4] of all entities, in data whose
        arrays are geom_xpos [..., geoms, 3], geom_xmat [..., geoms, 9] or [..., geoms, 3, 3], and so for cameras and
        sites; for Environments.set_entity_poses(mirror.entities, positions, quat_wxyz=quaternions)."""
        positions, rotations = self._poses(self._data if data is None else data)
        return positions, quaternions(rotations.reshape(rotations.shape[:-1] + (3, 3)))

    def geom(self, geom: _Geom) -> int:
        """The entity of a geom, by its name or MuJoCo's id."""
        number = self._find("geom", geom) if isinstance(geom, str) else operator.index(geom)
        if not 0 <= number < int(self._model.ngeom):
            raise InputError(f"geom {number} is not in [0, {int(self._model.ngeom)})")
        found = np.flatnonzero(self.geom_ids == number)
        if not len(found):
            raise InputError(f"geom {number} is not mirrored: the options or its alpha of 0 leave it out")
        return int(found[0])

    def geom_id(self, entity_id: Any) -> Any:
        """MuJoCo's ids, int32, for ids of entities such as frame.entity_id; -1: none, as mj_ray says it."""
        ids = np.asarray(entity_id)
        known = (ids >= 0) & (ids < len(self.geom_ids))
        return np.where(known, self.geom_ids[np.where(known, ids, 0)], np.int32(-1))

    def rows(self, parameters: Dict[_Geom, Any]) -> Dict[Union[str, int], Any]:
        """Other parameters of noise by geom, name or MuJoCo's id, as the entities= of a noise model."""
        return {self.names[self.geom(geom)]: values for geom, values in parameters.items()}

    def camera(self, name: str, width: int = 0, height: int = 0, **parameters: Any) -> Any:
        """The model of a depth camera with the intrinsics of a camera of MuJoCo, as its renderer makes an image of that
        size: from its field of view, or from its sensor and focal length where it has these. Without a size the
        resolution that it has in the model (MuJoCo 3). With baseline_m (or left_camera) a StereoCamera; parameters:
        others of the kind."""
        number = self._find("camera", name)
        for flag in ("cam_orthographic", "cam_projection"):  # of MuJoCo 3.1 and later, 0: perspective
            if array(getattr(self._model, flag, np.zeros(number + 1))).reshape(-1)[number]:
                raise InputError(f"camera '{name}' is orthographic, whose rays are parallel: no depth camera sees so")
        if not (width or height):
            width, height = self._resolution(number)
        if not (width and height):
            raise InputError(f"camera '{name}' has no resolution in the model: give width and height")
        kind = StereoCamera if {"baseline_m", "left_camera"} & set(parameters) else DepthCamera
        return kind(width=width, height=height, **{**self._lens(number, width, height), **parameters})

    def on_camera(self, camera: str, model: Any, *, see_own_body: bool = False, **sensor: Any) -> Sensor:
        """A sensor at a camera of MuJoCo, looking where it looks. Its rays pass through the geoms of the body that
        carries it, unless that is the world or see_own_body. sensor: noise and others of fathom.Sensor, such as a name
        other than the camera's."""
        number = self._find("camera", camera)
        pose = _fathom.Pose(convention="opengl")
        return self._carried(len(self.geom_ids) + number, self._model.cam_bodyid, number, camera, model, pose,
                             see_own_body, sensor)

    def on_site(self, site: str, model: Any, *, see_own_body: bool = False, **sensor: Any) -> Sensor:
        """The same at a site: it looks along the site's x, with z up."""
        number = self._find("site", site)
        entity = len(self.geom_ids) + int(self._model.ncam) + number
        return self._carried(entity, self._model.site_bodyid, number, site, model, _fathom.Pose(), see_own_body, sensor)

    def body_group(self, body: str) -> str:
        """The group of the geoms of a body, for Sensor.ignore_groups."""
        return "body/" + self._name("body", self._find("body", body))

    @staticmethod
    def geom_group(group: int) -> str:
        """The group of a group of geoms, for Sensor.ignore_groups."""
        return f"group/{min(max(int(group), 0), _GROUPS - 1)}"

    def __repr__(self) -> str:
        return f"Mirror of {len(self.geom_ids)} of {int(self._model.ngeom)} geoms"

    # What the model says.

    def _array(self, name: str, rows: int) -> Any:
        return array(getattr(self._model, name)).reshape(rows, -1)

    def _given_name(self, what: str, number: int) -> str:
        address = int(array(getattr(self._model, f"name_{what[:4]}adr" if what != "camera" else "name_camadr"))[number])
        return self._names[address : self._names.index(b"\0", address)].decode("utf-8", "replace")

    def _name(self, what: str, number: int) -> str:
        return self._given_name(what, number) or f"{what}_{number}"

    def _find(self, what: str, name: str) -> int:
        count = int(getattr(self._model, "ncam" if what == "camera" else f"n{what}"))
        names = [self._given_name(what, i) for i in range(count)]
        if name and name in names:
            return names.index(name)
        likely = _fathom.likely_name(name, [n for n in names if n])
        raise InputError(f"{what} '{name}' is not in the model" + (f"; did you mean '{likely}'?" if likely else ""))

    def _find_geoms(self, groups: Sequence[bool], exclude_bodies: Iterable[str], statics: bool) -> Any:
        count = int(self._model.ngeom)
        bodies = array(self._model.geom_bodyid)
        material = array(self._model.geom_matid)
        alpha = np.array(self._array("geom_rgba", count)[:, 3])
        of_material = material >= 0
        alpha[of_material] = self._array("mat_rgba", int(self._model.nmat))[material[of_material], 3]
        seen = (alpha != 0) & np.asarray(groups, bool)[np.clip(array(self._model.geom_group), 0, _GROUPS - 1)]
        seen &= ~np.isin(bodies, [self._find("body", body) for body in exclude_bodies])
        if not statics:
            seen &= array(self._model.body_weldid)[bodies] != 0
        return np.flatnonzero(seen).astype(np.int32)

    def _entity_names(self) -> List[str]:
        taken = {self._given_name("geom", i) for i in range(int(self._model.ngeom))}
        names: List[str] = []

        def add(name: str) -> None:
            while name in taken:  # a geom may be called geom_17 or camera/eyes
                name += "_"
            taken.add(name)
            names.append(name)

        for geom in self.geom_ids:
            given = self._given_name("geom", geom)
            names.append(given) if given else add(f"geom_{geom}")
        for i in range(int(self._model.ncam)):
            add("camera/" + (self._given_name("camera", i) or str(i)))
        for i in range(int(self._model.nsite)):
            add("site/" + (self._given_name("site", i) or str(i)))
        return names

    def _resolution(self, camera: int) -> Tuple[int, int]:
        resolution = getattr(self._model, "cam_resolution", None)
        if resolution is None:
            return 0, 0
        width, height = (int(v) for v in array(resolution).reshape(-1, 2)[camera])
        return (width, height) if (width, height) > (1, 1) else (0, 0)  # 1 x 1 stands for none

    def _lens(self, camera: int, width: int, height: int) -> Dict[str, Any]:
        sensor = getattr(self._model, "cam_sensorsize", None)
        if sensor is not None and (array(sensor).reshape(-1, 2)[camera] > 0).all():
            wide, high = np.array([width, height]) / array(sensor).reshape(-1, 2)[camera].astype(float)
            fx, fy, x, y = array(self._model.cam_intrinsic).reshape(-1, 4)[camera].astype(float)
            # The principal point is given from the middle, as the image's share to the right of it and above it grow.
            point = [0.5 * (width - 1) - x * wide, 0.5 * (height - 1) + y * high]
            return dict(fx=fx * wide, fy=fy * high, principal_point_px=point)
        fovy = math.radians(float(array(self._model.cam_fovy).reshape(-1)[camera]))
        return dict(fx=0.5 * height / math.tan(0.5 * fovy))

    # What the mirror makes.

    def _poses(self, data: Any) -> Tuple[Any, Any]:
        """Positions [..., entities, 3] and matrices [..., entities, 9]."""
        kinds = (("geom", int(self._model.ngeom)), ("cam", int(self._model.ncam)), ("site", int(self._model.nsite)))
        positions, rotations = [], []
        for kind, count in kinds:
            if not count:
                continue
            place = array(getattr(data, f"{kind}_xpos")).astype(np.float64, copy=False)
            lead = place.shape[:-2] if place.ndim > 1 else ()
            turn = array(getattr(data, f"{kind}_xmat")).astype(np.float64, copy=False).reshape(lead + (count, 9))
            place = place.reshape(lead + (count, 3))
            positions.append(place[..., self.geom_ids, :] if kind == "geom" else place)
            rotations.append(turn[..., self.geom_ids, :] if kind == "geom" else turn)
        return np.concatenate(positions, -2), np.concatenate(rotations, -2)

    def _make_scene(self) -> Scene:
        scene = Scene()
        meshes: Dict[Tuple[Any, ...], int] = {}
        self._positions, self._rotations = self._poses(self._data)
        if self._positions.ndim != 2:
            raise InputError(f"data: geom_xpos of one world wanted, (geoms, 3); its shape is "
                             f"{array(self._data.geom_xpos).shape}")
        turned = quaternions(self._rotations.reshape(-1, 3, 3))
        for i, name in enumerate(self.names):
            pose = _fathom.Pose(self._positions[i], quat_wxyz=turned[i])
            if i >= len(self.geom_ids):
                scene.add_entity(name, None, pose)
                continue
            geom = int(self.geom_ids[i])
            key, scale = self._shape(geom)
            if key not in meshes:
                meshes[key] = scene.add_mesh(self._mesh(geom), name=name)
            body = int(array(self._model.geom_bodyid)[geom])
            groups = [self.geom_group(array(self._model.geom_group)[geom]), "body/" + self._name("body", body)]
            one_sided = key[0] == _PLANE  # as mj_ray sees it
            scene.add_entity(name, meshes[key], pose, scale=scale, groups=groups, one_sided=one_sided)
        return scene

    def _shape(self, geom: int) -> Tuple[Tuple[Any, ...], Any]:
        """What makes the mesh of a geom, before it is scaled, and the scale."""
        kind = int(array(self._model.geom_type)[geom])
        size = self._array("geom_size", int(self._model.ngeom))[geom].astype(float)
        if kind == _PLANE:
            return (kind,), [*np.where(size[:2] > 0, size[:2], 0.5 * self._plane_m), 1.0]
        if kind in (_SPHERE, _ELLIPSOID):
            return (_SPHERE,), size if kind == _ELLIPSOID else size[[0, 0, 0]]
        if kind == _CYLINDER:
            return (kind,), size[[0, 0, 1]]
        if kind == _BOX:
            return (kind,), size
        if kind == _CAPSULE:
            return (kind, size[0], size[1]), 1.0
        return (kind, int(array(self._model.geom_dataid)[geom])), 1.0

    def _mesh(self, geom: int) -> Mesh:
        kind = int(array(self._model.geom_type)[geom])
        size = self._array("geom_size", int(self._model.ngeom))[geom].astype(float)
        number = int(array(self._model.geom_dataid)[geom])
        if kind == _PLANE:
            return _fathom.plane([2.0, 2.0])
        if kind in (_SPHERE, _ELLIPSOID):
            return _fathom.sphere(1.0, self._segments)
        if kind == _CYLINDER:
            return _fathom.cylinder(1.0, 2.0, self._segments)
        if kind == _BOX:
            return _fathom.box([2.0, 2.0, 2.0])
        if kind == _CAPSULE:
            return _fathom.capsule(size[0], 2.0 * size[1], self._segments)
        if kind == _HFIELD:
            return self._height_field(number)
        if number < 0:
            raise InputError(f"geom {geom}: type {kind} is not one that the mirror knows")
        return self._triangles(number)

    def _height_field(self, number: int) -> Mesh:
        x, y, elevation, base = self._array("hfield_size", int(self._model.nhfield))[number].astype(float)
        rows, cols = (int(array(getattr(self._model, f"hfield_n{a}"))[number]) for a in ("row", "col"))
        start = int(array(self._model.hfield_adr)[number])
        heights = array(self._model.hfield_data).reshape(-1)[start : start + rows * cols].reshape(rows, cols)
        return _fathom.height_field(elevation * heights.astype(float), [2 * x, 2 * y], base_m=base)

    def _triangles(self, number: int) -> Mesh:
        """In the frame of the geom, as MuJoCo has centred and turned the vertices when it compiled the model."""
        corner, corners = (int(array(getattr(self._model, f"mesh_vert{a}"))[number]) for a in ("adr", "num"))
        face, faces = (int(array(getattr(self._model, f"mesh_face{a}"))[number]) for a in ("adr", "num"))
        return Mesh(array(self._model.mesh_vert).reshape(-1, 3)[corner : corner + corners],
                    array(self._model.mesh_face).reshape(-1, 3)[face : face + faces])

    def _carried(self, entity: int, bodies: Any, number: int, name: str, model: Any, pose: Any, see_own_body: bool,
                 sensor: Dict[str, Any]) -> Sensor:
        body = int(array(bodies)[number])
        if body and not see_own_body:
            own = "body/" + self._name("body", body)
            others = sensor.get("ignore_groups", ())
            sensor = {**sensor, "ignore_groups": [own, *([others] if isinstance(others, str) else others)]}
        return Sensor(sensor.pop("name", name), model, sensor.pop("pose", pose), parent=entity, **sensor)


__all__ = ["Mirror"]
