# SPDX-License-Identifier: MIT
"""Sensors: a class for each kind, fathom.sensors.SpinningLidar(...), presets from data sheets, and Sensor, which places
one in a scene and gives it noise.

The classes of kinds are made from the library's tables; names, limits and defaults are those of scene files, and an angle
x_rad may be given as x_deg.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np

from . import _fathom
from ._ranges import ranges_from, sensor_range_dicts
from ._values import InputError, as_given, camel, class_doc, no_attribute, parameters_of
from .noise import Noise, chain_from, chain_spec

if TYPE_CHECKING:
    from ._made_sensors import *  # the classes of kinds: a stub that the build makes

_TABLES: Dict[str, Dict[str, Any]] = {table["slug"]: table for table in _fathom.sensor_kinds()}

# Kinds with several ways to give one property: giving one way removes the other ways of a preset, as in scene files.
_WAYS = (
    (("fx", ("fy",)), ("horizontal_fov_rad", ()), ("focal_length_mm", ("horizontal_aperture_mm", "vertical_aperture_mm"))),
    (("baseline_m", ("reference",)), ("left_camera", ("right_camera",))),
)


class SensorModel:
    """A sensor of some kind. Its parameters are attributes; it never changes, and replace() makes another."""

    __slots__ = ("_model", "preset")
    kind: str = ""
    _fields: Dict[str, Dict[str, Any]] = {}
    _model: _fathom.SensorModel
    preset: str

    def __init__(self, **values: Any) -> None:
        if not self.kind:
            raise TypeError("SensorModel is no kind; fathom.sensors holds the classes of kinds")
        self._hold(_fathom.SensorModel(self.kind, as_given(self.kind, self._fields, values)), "")

    def _hold(self, model: _fathom.SensorModel, preset: str) -> None:
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "preset", preset)

    def _value(self, name: str) -> Any:
        return self._model.get(name)

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"'{type(self).__name__}' never changes; replace({name}=...) makes another")

    @property
    def shape(self) -> Tuple[int, int]:
        """(rows, cols) of its frames, unless the sensor has aligned_to."""
        rows, cols = self._model.shape
        return rows, cols

    def pattern(self, frame: int = 0) -> Dict[str, Any]:
        """The noise-free rays of a frame in the sensor's frame (x forward, y left, z up), as new arrays:
        directions float32 [rows, cols, 3], origins_m [rows, cols, 3] or None, min_range_m and max_range_m [rows, cols],
        time_offset_s [rows, cols] or None, ring [rows, cols] or None."""
        return self._model.rays(frame)

    def intrinsics(self) -> Dict[str, float]:
        """Of a camera, in pixels: fx, fy, cx, cy, from the centre of the first pixel."""
        return self._model.intrinsics()

    def destagger_shifts(self) -> Any:
        """Of a spinning lidar: by how many columns to the right each row must move so that a column of the image looks in
        one direction, int32 [rows]."""
        return self._model.destagger_shifts()

    def replace(self, **values: Any) -> Any:
        """A copy with these parameters changed. A camera's fx replaces its field of view, for example."""
        given = as_given(self.kind, self._fields, values)
        for ways in _WAYS:
            chosen = [way for way in ways if given.get(way[0])]
            if len(chosen) != 1 or any(way[0] not in self._fields for way in ways):
                continue
            for way in ways:
                for name in (way[0], *way[1]) if way is not chosen[0] else ():
                    given.setdefault(name, self._fields[name]["default"])
        return _model_from(self._model.replaced(given), self.preset)

    def to_dict(self) -> Dict[str, Any]:
        """All parameters by name."""
        return dict(self._model.values)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_dict() == other.to_dict()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), repr(self.to_dict())))

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_unpickled, (self.kind, self.to_dict(), self.preset))

    def __repr__(self) -> str:
        fields = self._fields.items()
        shown = {n: self._model.get(n) for n, f in fields}
        parts = [f"{n}={shown[n]!r}" for n, f in fields if f["required"] or shown[n] != f["default"]]
        text = ", ".join(part if len(part) < 80 else part[:60] + " ...]" for part in parts)
        return f"{type(self).__name__}({text})" + (f" of preset {self.preset}" if self.preset else "")


class RayTable(SensorModel):
    """Rays given one by one.

    directions: unit vectors [rows, cols, 3], or [N, 3]: one row; origins_m: the same shape, None: they start at the
    sensor; min_range_m and max_range_m: numbers, or one for each ray; time_offset_s and ring: one for each ray, or None.
    rays_per_frame: rays of the table that a frame plays, one part after the other; 0: all. loop: the table starts again
    after its last ray. points_per_s: the rate of the rays, instead of time_offset_s.
    """

    __slots__ = ()
    kind = "ray_table"
    _fields = {field["name"]: field for field in _TABLES["ray_table"]["fields"]}

    def __init__(
        self,
        directions: Any,
        origins_m: Any = None,
        *,
        min_range_m: Any = 0.0,
        max_range_m: Any = 100.0,
        time_offset_s: Any = None,
        ring: Any = None,
        rays_per_frame: int = 0,
        loop: bool = True,
        points_per_s: float = 0.0,
    ) -> None:
        table = _fathom.ray_table(directions, origins_m, min_range_m, max_range_m, time_offset_s, ring)
        playing = dict(rays_per_frame=rays_per_frame, loop=loop, points_per_s=points_per_s)
        self._hold(table.replaced(playing), "")

    @classmethod
    def read(cls, file: Any, *, min_range_m: float = 0.0, max_range_m: float = 100.0, **playing: Any) -> "RayTable":
        """Rays from an NPY file [n, 6 to 9] or a CSV: ox oy oz dx dy dz [range_m] [ring] [time_s], or Time/s, Azimuth/deg,
        Zenith/deg, as Livox publishes. playing: rays_per_frame, loop and points_per_s."""
        table = _fathom.read_ray_table(file, min_range_m, max_range_m)
        made: RayTable = _model_from(table.replaced(playing) if playing else table, "")
        return made

    def _table(self) -> Dict[str, Any]:
        return self._model.replaced(dict(rays_per_frame=0, points_per_s=0.0)).rays()

    def _playing(self) -> Tuple[int, bool, float]:
        return self._model.get("rays_per_frame"), self._model.get("loop"), self._model.get("points_per_s")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RayTable):
            return False
        a, b = self._table(), other._table()
        return self._playing() == other._playing() and all(
            np.array_equal(a[k], b[k]) if a[k] is not None and b[k] is not None else a[k] is b[k] for k in a)

    def __hash__(self) -> int:
        return hash(self.pattern()["directions"].tobytes())

    def __reduce__(self) -> Tuple[Any, ...]:
        rays = self._table()
        return (_ray_table, (rays["directions"], rays["origins_m"], rays["min_range_m"], rays["max_range_m"],
                             rays["time_offset_s"], rays["ring"], *self._playing()))

    def __repr__(self) -> str:
        return f"RayTable of {self.shape[0]} x {self.shape[1]} rays"


def _ray_table(directions: Any, origins_m: Any, low: Any, high: Any, times: Any, ring: Any, count: int, loop: bool,
               points_per_s: float) -> RayTable:
    return RayTable(directions, origins_m, min_range_m=low, max_range_m=high, time_offset_s=times, ring=ring,
                    rays_per_frame=count, loop=loop, points_per_s=points_per_s)


def _class_of(table: Dict[str, Any]) -> Type[SensorModel]:
    fields = table["fields"]
    kind = type(
        camel(table["slug"]),
        (SensorModel,),
        {
            "__slots__": (),
            "__module__": __name__,
            "__doc__": class_doc(table["doc"], fields),
            "kind": table["slug"],
            "_fields": {field["name"]: field for field in fields},
        },
    )
    parameters_of(kind, fields)
    return kind


_CLASSES: Dict[str, Type[SensorModel]] = {
    slug: _class_of(table) for slug, table in _TABLES.items() if not table["rays_from_file"]
}
_CLASSES[RayTable.kind] = RayTable
globals().update({kind.__name__: kind for kind in _CLASSES.values()})
__all__ = ["Sensor", "SensorModel", "camera_from_fov", "even_elevations", "kinds", "make", "preset", "preset_noise",
           "presets", *sorted(kind.__name__ for kind in _CLASSES.values())]

even_elevations = _fathom.even_elevations


def __getattr__(name: str) -> Type[SensorModel]:
    likely = _fathom.likely_name(name, [kind.__name__ for kind in _CLASSES.values()])
    raise AttributeError(f"no kind of sensor is called '{name}'" + (f"; did you mean '{likely}'?" if likely else ""))


def _model_from(model: _fathom.SensorModel, preset: str) -> Any:
    made = object.__new__(_CLASSES[model.kind])
    made._hold(model, preset)
    return made


def _unpickled(kind: str, values: Dict[str, Any], preset: str) -> SensorModel:
    made: SensorModel = _model_from(_fathom.SensorModel(kind, values), preset)
    return made


def make(kind: str, **values: Any) -> SensorModel:
    """A model by the word of scene files: make("laser_2d", rays=541, ...)."""
    if kind not in _CLASSES:
        _fathom.SensorModel(kind, {})  # refuses it
    return _CLASSES[kind](**values)


def kinds() -> Dict[str, Type[SensorModel]]:
    """The classes of kinds by their names in scene files."""
    return dict(_CLASSES)


def presets() -> Dict[str, str]:
    """The named sensors from public data sheets, each with a line about it."""
    return {one["name"]: one["doc"] for one in _fathom.sensor_presets()}


def preset(name: str, **values: Any) -> Any:
    """A sensor from its data sheet, with parameters of it replaced: preset("OS1-64", columns=2048)."""
    full, model, *_ = _fathom.find_preset(name)
    made = _model_from(model, full)
    return made.replace(**values) if values else made


def preset_noise(name: str) -> List[Noise]:
    """The noise that a preset's data sheet gives."""
    return chain_from(_fathom.find_preset(name)[2], [], [])


def camera_from_fov(width: int, height: int, horizontal_fov_rad: float) -> Any:
    """A PinholeCamera with square pixels, the principal point in the middle; the field of view spans the outer edges of
    the first and the last pixel."""
    return _model_from(_fathom.camera_from_fov(width, height, horizontal_fov_rad), "")


def noise_list(noise: Any, preset_name: str) -> List[Noise]:
    """Noise as users give it, a model, a list, or the word "preset", as a list of models; None: that of the preset."""
    if noise is None:
        return preset_noise(preset_name) if preset_name else []
    if isinstance(noise, (str, Noise)):
        noise = [noise]
    made: List[Noise] = []
    for one in noise:
        if isinstance(one, Noise):
            made.append(one)
        elif one == "preset":
            if not preset_name:
                raise InputError("noise: 'preset' needs a sensor that is made from a preset")
            made += preset_noise(preset_name)
        else:
            raise InputError(f"noise: {one!r} is neither a noise model nor 'preset'")
    return made


class Timing:
    """Times of a sensor's frames: measured and delivered. Defaults: the rate of the scene, no delay, no loss.

    rate_hz: frames in a second. phase_s: from the start of the scene to the first frame. latency_s: from the start of a frame
    to its delivery. jitter_s: standard deviation of the start of a frame, at most an eighth of a frame's time.
    drop_frame: probability that a frame never arrives. freeze: probability that a frame repeats the one before it.
    """

    __slots__ = ("rate_hz", "phase_s", "latency_s", "jitter_s", "drop_frame", "freeze")

    def __init__(
        self,
        *,
        rate_hz: Optional[float] = None,
        phase_s: float = 0.0,
        latency_s: float = 0.0,
        jitter_s: float = 0.0,
        drop_frame: float = 0.0,
        freeze: float = 0.0,
    ) -> None:
        self.rate_hz = rate_hz
        self.phase_s = phase_s
        self.latency_s = latency_s
        self.jitter_s = jitter_s
        self.drop_frame = drop_frame
        self.freeze = freeze

    def _spec(self) -> Dict[str, Any]:
        return {slot: getattr(self, slot) for slot in self.__slots__}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timing) and self._spec() == other._spec()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Timing(" + ", ".join(f"{slot}={value!r}" for slot, value in self._spec().items() if value) + ")"


class Sensor:
    """A sensor in a scene.

    name: unique; it names the sensor's random numbers. model: a kind with its parameters, or the name of a preset.
    pose: a Pose, a position [3] or a Trajectory, in the world or in the frame of the entity `parent` (its name or id).
    rolling: every ray is cast at its own time: the sensor and entities with a Trajectory have moved on.
    noise: a model, or a list of models, in which the word "preset" stands for the models of the data sheet; None: the
    models of the data sheet, where the sensor is made from a preset; []: no noise. range_policy: what happens to a
    return that noise carried outside the range limits, "keep", "clamp" or "drop"; None: cameras drop it, others keep it.
    see_parent: whether its rays meet the entity that it is attached to. ignore: entities, by name or id, that its rays
    pass through, with their parts. ignore_groups: groups of entities that they pass through; entities may join them later,
    so that a name which no entity has is no error.
    divergence: how far rays widen, a dict of horizontal_rad, vertical_rad (full angles), profile ("gaussian" or
    "uniform") and separation_m; None: rays are lines. returns: of each ray "first", "second", "last", "strongest"
    or "second_strongest", one or a list; frames of several are [returns, rows, cols]. coinciding: the report of a return
    that an earlier one of the list has already: "next" (the strongest one left), "next_or_repeat" (if no other is left,
    the same again), "repeat" or "blank". falloff: how intensities fall with range, a dict of law ("none" or
    "inverse_square") and reference_m. detection: the weakest return that is detected, a dict of reach_10_m or reach_80_m,
    the range up to which a surface of reflectivity 0.1 or 0.8 is; None: that of the preset; {}: all returns are detected.
    light_paths: how far light is followed through glass and mirrors, a dict of bounces (0 to 4) and camera_ghosts.
    filters: of a stereo or depth camera, a dict of spatial (alpha, delta, iterations, holes_fill), temporal (alpha, delta,
    persistency) and hole_filling ("left", "farthest" or "nearest"). aligned_to: the camera whose pixels the depths are moved
    to, a dict of fx, fy, cx, cy, width, height and offset, its pose in the frame of the sensor. None: those of the preset;
    {}: none.
    timing: a Timing; without it the frames are those of the scene. velocity_noise: models of stage "range" that act on
    the channel "velocity", where their metres are metres per second; "distance" for instance.
    ranges: numbers of the model that are drawn once per episode, such as {"baseline_m": Uniform(0.048, 0.052)}: any
    number that does not change the number of rays; the principal point of depth cameras is "cx" and "cy". pose_offset: its true
    place in the frame of its pose: {"position_m": ..., "rotation_deg": ...} (or rotation_rad, a rotation vector), each a
    range by which all three axes are drawn, or a list of three numbers or ranges.
    """

    __slots__ = ("name", "model", "pose", "parent", "rolling", "noise", "range_policy", "see_parent", "ignore",
                 "ignore_groups", "ranges", "pose_offset", "timing", "divergence", "returns", "coinciding", "falloff",
                 "detection", "light_paths", "velocity_noise", "filters", "aligned_to")

    def __init__(
        self,
        name: str,
        model: Union[SensorModel, str],
        pose: Any = (0.0, 0.0, 0.0),
        *,
        parent: Union[str, int, None] = None,
        rolling: bool = False,
        noise: Union[None, str, Noise, Sequence[Union[str, Noise]]] = None,
        range_policy: Optional[str] = None,
        see_parent: bool = False,
        ignore: Union[str, int, Iterable[Union[str, int]]] = (),
        ignore_groups: Union[str, Iterable[str]] = (),
        ranges: Optional[Mapping[str, Any]] = None,
        pose_offset: Optional[Mapping[str, Any]] = None,
        timing: Optional[Timing] = None,
        divergence: Optional[Dict[str, Union[str, float]]] = None,
        returns: Union[str, Iterable[str]] = ("strongest",),
        coinciding: str = "next",
        falloff: Optional[Dict[str, Union[str, float]]] = None,
        detection: Optional[Dict[str, float]] = None,
        light_paths: Optional[Dict[str, float]] = None,
        velocity_noise: Union[None, Noise, Sequence[Noise]] = None,
        filters: Optional[Mapping[str, Any]] = None,
        aligned_to: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self.name = str(name)
        self.model: SensorModel = preset(model) if isinstance(model, str) else model
        if not isinstance(self.model, SensorModel):
            raise InputError(f"sensor '{name}': model: {model!r} is neither a sensor model nor the name of a preset")
        self.pose = pose
        self.parent = parent
        self.rolling = bool(rolling)
        self.noise: List[Noise] = noise_list(noise, self.model.preset)
        self.range_policy = range_policy
        self.see_parent = bool(see_parent)
        self.ignore: List[Union[str, int]] = [ignore] if isinstance(ignore, (str, int, np.integer)) else list(ignore)
        self.ignore_groups: List[str] = [ignore_groups] if isinstance(ignore_groups, str) else list(ignore_groups)
        self.ranges: Dict[str, Any] = dict(ranges or {})
        self.pose_offset: Dict[str, Any] = dict(pose_offset or {})
        self.timing = Timing() if timing is None else timing
        if not isinstance(self.timing, Timing):
            raise InputError(f"sensor '{name}': timing: {timing!r} is no Timing")
        self.divergence = dict(divergence or {})
        self.returns: List[str] = [returns] if isinstance(returns, str) else list(returns)
        self.coinciding = str(coinciding)
        self.falloff = dict(falloff or {})
        if self.model.preset:
            of_preset = _fathom.find_preset(self.model.preset)[3:]
            given = (detection, filters, aligned_to)
            detection, filters, aligned_to = (p if g is None else g for g, p in zip(given, of_preset))
        self.detection: Dict[str, float] = dict(detection or {})
        self.light_paths: Dict[str, float] = dict(light_paths or {})
        self.filters: Dict[str, Any] = dict(filters or {})
        self.aligned_to: Dict[str, Any] = dict(aligned_to or {})
        self.velocity_noise: List[Noise] = noise_list([] if velocity_noise is None else velocity_noise, "")

    def replace(self, **values: Any) -> "Sensor":
        """A copy with these attributes changed."""
        return Sensor(**{**{slot: getattr(self, slot) for slot in self.__slots__}, **values})

    def _spec(self, scene: _fathom.Scene) -> Dict[str, Any]:
        entries, ranges = chain_spec(self.noise, scene)
        velocity, drawn = chain_spec(self.velocity_noise, scene)
        if drawn:
            raise InputError(f"sensor '{self.name}': velocity_noise has a range; only models in noise take ranges")
        ranges += sensor_range_dicts(self)
        parent = scene.find_entity(self.parent) if isinstance(self.parent, str) else self.parent
        return dict(name=self.name, model=self.model._model, pose=self.pose, parent=parent, rolling=self.rolling,
                    noise=entries, velocity_noise=velocity, ranges=ranges, range_policy=self.range_policy,
                    preset=self.model.preset,
                    see_parent=self.see_parent, ignore_groups=self.ignore_groups, timing=self.timing._spec(),
                    divergence=self.divergence, returns=self.returns, coinciding=self.coinciding, falloff=self.falloff,
                    detection=self.detection, light_paths=self.light_paths, filters=self.filters,
                    aligned_to=self.aligned_to or None,
                    ignore=[scene.find_entity(e) if isinstance(e, str) else e for e in self.ignore])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sensor) and all(
            np.array_equal(getattr(self, s), getattr(other, s)) if s == "pose" else getattr(self, s) == getattr(other, s)
            for s in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Sensor({self.name!r}, {self.model!r}, noise={self.noise!r})"


def sensor_from(spec: Dict[str, Any], names: Iterable[str]) -> Sensor:
    """A sensor of the library."""
    entities = list(names)
    parent = None if spec["parent"] is None else entities[spec["parent"]]
    return Sensor(spec["name"], _model_from(spec["model"], spec["preset"]), spec["pose"], parent=parent,
                  rolling=spec["rolling"], noise=chain_from(spec["noise"], spec["ranges"], entities),
                  range_policy=spec["range_policy"], see_parent=spec["see_parent"],
                  ignore=[entities[e] for e in spec["ignore"]], ignore_groups=spec["ignore_groups"],
                  timing=Timing(**spec["timing"]), divergence=spec["divergence"], returns=spec["returns"],
                  coinciding=spec["coinciding"], falloff=spec["falloff"], detection=spec["detection"],
                  light_paths=spec["light_paths"],
                  filters=spec["filters"], aligned_to=spec["aligned_to"] or {},
                  velocity_noise=chain_from(spec["velocity_noise"], [], entities), **ranges_from(spec["ranges"]))
