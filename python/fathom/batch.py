# SPDX-License-Identifier: MIT
"""Sensors of many environments whose poses are arrays: poses in, a dict of arrays out.

    rays = fathom.batch.BatchRays(scene, directions, 4096, outputs=("distances", "hit_pos_w"), miss=-1.0)
    data = rays.render(positions, quat_wxyz=quaternions)       # [4096, 3], [4096, 4]
    data["distances"]                                          # [4096, rays]
    rays.reset(env_ids)                                        # the next episode: draws noise and its ranges again

fathom.mjlab and fathom.isaaclab use this module. Outputs have the names of learning frameworks:

    distance_to_image_plane   [N, H, W, 1]  depth, m               distances     [N, B]     ranges, m
    distance_to_camera        [N, H, W, 1]  range, m               ray_hits_w    [N, B, 3]  points, m, world
    normals                   [N, H, W, 3]  world                  hit_pos_w     [N, B, 3]  the same
                                                                   normals_w     [N, B, 3]  world

and every channel of fathom is there by its own name, [N, H, W(, 3)] of a camera and [N, B(, 3)] of rays; these keep NaN
for what is lost, while `reason` says why. Arrays are made once and written anew by each render().
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Optional, Sequence, Tuple, Union

import numpy as np

from . import _fathom
from ._fathom import InputError, Pose, Scene, Trajectory
from .mujoco import array
from .noise import Noise
from .sensors import RayTable, Sensor, SensorModel
from .simulate import Environments

# Channel, and of what kind the output is, by its name.
_CAMERA = {"distance_to_image_plane": ("depth", "length"), "distance_to_camera": ("range", "length"),
           "normals": ("normal", "normal")}
_RAYS = {"distances": ("range", "length"), "ray_hits_w": ("hit_world", "point"), "hit_pos_w": ("hit_world", "point"),
         "normals_w": ("normal", "normal")}
_POINTS = ("hit_world", "hit_sensor", "normal", "clean_hit")
_NO_SURFACE = ("miss", "below_min_range", "above_max_range")

_Noise = Union[None, str, Noise, Sequence[Union[str, Noise]]]


class _Batch:
    """What cameras and rays share."""

    _names: Dict[str, Tuple[str, str]] = {}
    _NAME = "sensor"

    def __init__(self, scene: Scene, sensor: Sensor, count: int, outputs: Iterable[str], miss: float,
                 lost: Optional[float], miss_point: Union[str, float], options: Dict[str, Any]) -> None:
        self.outputs = tuple(outputs)
        if not self.outputs:
            raise InputError("outputs: none given")
        known = {**self._names, **{channel: (channel, "channel") for channel in _fathom_channels()}}
        for name in self.outputs:
            if name not in known:
                likely = _fathom.likely_name(name, list(known))
                raise InputError(f"outputs: '{name}' is not known" + (f"; did you mean '{likely}'?" if likely else ""))
        self._parts = {name: known[name] for name in self.outputs}
        if len(sensor.returns) > 1:
            raise InputError(f"sensor '{sensor.name}': {len(sensor.returns)} returns of each ray; what comes out of a batch has one")
        self._sensor = sensor
        self._envs = Environments(scene, sensor, count, **options)
        self._miss = float(miss)
        self._lost = self._miss if lost is None else float(lost)
        self._miss_point = miss_point
        channels = {channel for channel, _ in self._parts.values()} | {"reason"}
        self._channels = [channel for channel in _fathom_channels() if channel in channels]
        self._frame: Any = None
        self._index = 0
        self._no_surface = [reason for reason, name in enumerate(_fathom.REASONS) if name in _NO_SURFACE]
        self.data: Dict[str, Any] = {}
        """The arrays of the last render(), by the names of the outputs."""
        pose = sensor.pose.at(0.0) if isinstance(sensor.pose, Trajectory) else sensor.pose
        self._pose = pose if isinstance(pose, Pose) else Pose(pose)
        self.pos_w: Any = np.tile(self._pose.position_m, (count, 1))
        """Where the sensors were at the last render(), [N, 3], m; of a sensor with a parent in the parent's frame."""

    @property
    def environments(self) -> Environments:
        """The environments that are rendered; set_noise() and drawn() are theirs."""
        return self._envs

    @property
    def count(self) -> int:
        """How many environments there are."""
        return self._envs.count

    def set_entity_poses(self, entities: Any, positions_m: Any, *, quat_wxyz: Any = None, quat_xyzw: Any = None,
                         env_ids: Any = None, env_mask: Any = None) -> None:
        """Moves K entities (names or ids): positions [E, K, 3] and quaternions [E, K, 4], of all environments or of
        env_ids [E]. With env_mask [N] the arrays are those of all environments, and rows that it leaves out count for
        nothing."""
        ids, rows = self._choose(env_ids, env_mask)
        turned = {name: array(q)[rows] for name, q in (("quat_wxyz", quat_wxyz), ("quat_xyzw", quat_xyzw)) if q is not None}
        self._envs.set_entity_poses(entities, array(positions_m)[rows], env_ids=ids, **turned)

    def render(self, positions_m: Any = None, *, quat_wxyz: Any = None, quat_xyzw: Any = None, convention: str = "fathom",
               env_ids: Any = None, env_mask: Any = None, index: Optional[int] = None) -> Dict[str, Any]:
        """Places the sensors, positions [E, 3] and quaternions [E, 4], and renders them: all environments, those of
        env_ids [E], or those that env_mask [N] says (the arrays are then those of all). Returns the arrays of all; rows
        of the others stay as they were.

        convention: axes of the sensor that the quaternions turn: "fathom" (x forward, z up; Isaac Lab's "world"), "ros"
        or "opengl" (MuJoCo's cameras). index: of the frame, the key of its noise; None: one after the last.
        """
        ids, rows = self._choose(env_ids, env_mask)
        if positions_m is not None:
            places = array(positions_m)[rows]
            turned = {k: array(q)[rows] for k, q in (("quat_wxyz", quat_wxyz), ("quat_xyzw", quat_xyzw)) if q is not None}
            self._envs.set_sensor_poses(self._NAME, places, env_ids=ids, convention=convention, **turned)
            self.pos_w[self._rows_of(ids)] = places
            self._turn(self._rows_of(ids), turned, convention)
        if index is None:
            index = self._index
        frame = self._envs.render(index, channels=self._channels, out=self._frame, env_ids=ids)[self._NAME]
        self._index, self._frame = index + 1, frame
        if not self.data:
            self.data = {name: self._empty(frame[channel], kind) for name, (channel, kind) in self._parts.items()}
        self._fill(self._rows_of(ids))
        return self.data

    def reset(self, env_ids: Any = None, episode: Any = None) -> None:
        """Starts the next episode of environments (None: all), or the episode given: its noise, and the parameters that
        are ranges, are drawn anew."""
        ids = env_ids if env_ids is None or isinstance(env_ids, slice) else array(env_ids)
        if isinstance(ids, slice):
            ids = np.arange(self.count)[ids]
        self._envs.reset(None if ids is None else ids + self._envs.first, episode)

    def drawn(self) -> Dict[str, Any]:
        """The parameters drawn for the present episodes: {"stereo_energy.pow": [N]}."""
        return self._envs.drawn()

    def _choose(self, env_ids: Any, env_mask: Any) -> Tuple[Any, Any]:
        """Numbers for Environments, None for all; and which rows of the arrays given belong to them."""
        if env_mask is None:
            return (None if env_ids is None else array(env_ids) + self._envs.first), slice(None)
        if env_ids is not None:
            raise InputError("env_mask: and env_ids are both given; one is enough")
        mask = array(env_mask)
        if mask.shape != (self.count,):
            raise InputError(f"env_mask: shape {mask.shape} given, ({self.count},) wanted")
        rows = np.flatnonzero(mask)
        return rows + self._envs.first, rows

    def _rows_of(self, ids: Any) -> Any:
        return slice(None) if ids is None else ids - self._envs.first

    def _shape(self, shape: Tuple[int, ...], is_points: bool, kind: str) -> Tuple[int, ...]:
        raise NotImplementedError

    def _empty(self, values: Any, kind: str) -> Any:
        is_points = values.ndim == 4
        filler = {"length": self._miss, "channel": values.dtype.type(0)}.get(kind, 0.0)
        return np.full(self._shape(values.shape[:3], is_points, kind), filler, values.dtype)

    def _fill(self, rows: Any) -> None:
        reason = self._frame["reason"][rows]
        gone = reason != 0
        for name, (channel, kind) in self._parts.items():
            values, out = self._frame[channel][rows], self.data[name]
            if kind == "length":
                nothing = np.isin(reason, self._no_surface)
                values = np.where(gone, np.float32(self._lost), values)
                values[nothing] = self._miss
            elif kind == "normal":
                values = np.where(gone[..., None], np.float32(0), values)
            elif kind == "point" and self._miss_point == "origin":
                values = np.where(gone[..., None], self._origins(rows), values)
            elif kind == "point":
                values = np.where(gone[..., None], np.float32(self._miss_point), values)
            out[rows] = values.reshape((-1,) + out.shape[1:])

    def _turn(self, rows: Any, turned: Dict[str, Any], convention: str) -> None:
        """Keeps what _origins() needs."""

    def _origins(self, rows: Any) -> Any:
        return self.pos_w[rows].astype(np.float32)[:, None, None, :]


class BatchCamera(_Batch):
    """A camera of each environment. model: fathom.sensors.StereoCamera and the like; noise as of fathom.Sensor.

    miss: the length where a ray meets nothing within its limits; lost: where noise loses the return (None: the same).
    Isaac Lab's clipping "none", "max" and "zero" are miss=inf, miss=the farthest range, and miss=0. More, such as
    ignore_groups, goes to fathom.Sensor.
    """

    _names = _CAMERA

    def __init__(self, scene: Scene, model: SensorModel, count: int, *, noise: _Noise = None,
                 outputs: Iterable[str] = ("distance_to_image_plane",), miss: float = np.inf, lost: Optional[float] = None,
                 seed: int = 0, first: int = 0, threads: int = 0, **sensor: Any) -> None:
        options = dict(seed=seed, first=first, threads=threads)
        super().__init__(scene, Sensor(self._NAME, model, noise=noise, **sensor), count, outputs, miss, lost, np.nan, options)

    def _shape(self, shape: Tuple[int, ...], is_points: bool, kind: str) -> Tuple[int, ...]:
        return shape + ((3,) if is_points else (1,) if kind == "length" else ())


class BatchRays(_Batch):
    """Rays of each environment: directions [B, 3] in the sensor's frame, from origins_m [B, 3] (None: from the sensor), or
    a model of any kind in place of the directions, whose rays are taken row by row.

    miss and lost: as BatchCamera. miss_point: the point where there is none, a number or "origin", where the ray starts.
    """

    _names = _RAYS

    def __init__(self, scene: Scene, directions: Any, count: int, *, origins_m: Any = None, min_range_m: float = 0.0,
                 max_range_m: float = 100.0, noise: _Noise = None, outputs: Iterable[str] = ("distances",),
                 miss: float = np.inf, lost: Optional[float] = None, miss_point: Union[str, float] = np.inf, seed: int = 0,
                 first: int = 0, threads: int = 0, **sensor: Any) -> None:
        if isinstance(miss_point, str) and miss_point != "origin":
            raise InputError(f"miss_point: {miss_point!r} is neither a number nor 'origin'")
        if miss_point == "origin" and sensor.get("parent") is not None:
            raise InputError("miss_point: 'origin' is not known of rays with a parent; give a number")
        if not isinstance(directions, SensorModel):
            origins = None if origins_m is None else array(origins_m)
            directions = RayTable(array(directions), origins, min_range_m=min_range_m, max_range_m=max_range_m)
        options = dict(seed=seed, first=first, threads=threads)
        super().__init__(scene, Sensor(self._NAME, directions, noise=noise, **sensor), count, outputs, miss, lost, miss_point,
                         options)
        self._offsets = directions.pattern()["origins_m"]
        self._quat_wxyz = np.tile(self._pose.quat_wxyz, (count, 1))

    def _shape(self, shape: Tuple[int, ...], is_points: bool, kind: str) -> Tuple[int, ...]:
        return (shape[0], shape[1] * shape[2]) + ((3,) if is_points else ())

    def _turn(self, rows: Any, turned: Dict[str, Any], convention: str) -> None:
        if self._offsets is None:
            return
        if convention != "fathom":
            raise InputError(f"convention: '{convention}' is for cameras; these rays have origins in axes of fathom's")
        self._quat_wxyz[rows] = (1.0, 0.0, 0.0, 0.0)
        for name, q in turned.items():
            self._quat_wxyz[rows] = q if name == "quat_wxyz" else np.roll(q, 1, -1)

    def _origins(self, rows: Any) -> Any:
        if self._offsets is None:
            return super()._origins(rows)
        quat = self._quat_wxyz[rows][:, None, None, :]
        twice = 2 * np.cross(quat[..., 1:], self._offsets)
        moved = self._offsets + quat[..., :1] * twice + np.cross(quat[..., 1:], twice)
        return (self.pos_w[rows][:, None, None, :] + moved).astype(np.float32)


def _fathom_channels() -> Sequence[str]:
    return [info["name"] for info in _fathom.channel_list()]


__all__ = ["BatchCamera", "BatchRays"]
