# SPDX-License-Identifier: MIT
"""Simulators, environments and scene files."""

from __future__ import annotations

import operator
import os
import re
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _fathom
from ._ranges import drawn_arrays, entity_range_dicts, entity_ranges_from
from .noise import Noise, chain_spec
from .sensors import Sensor, noise_list, sensor_from

SensorKey = Union[str, int]


def _sensor_list(sensors: Any) -> List[Sensor]:
    every: List[Any] = [sensors] if isinstance(sensors, (Sensor, str)) else list(sensors)
    for sensor in every:
        if not isinstance(sensor, Sensor):
            raise _fathom.InputError(f"sensors: {sensor!r} given, a Sensor wanted, such as Sensor('lidar', 'OS1-64')")
    return every


class Simulator(_fathom._Simulator):
    """Casts the sensors of a scene and applies their noise.

    The same scene, sensors, seed and frame give the same bits on any computer and for any number of threads. The scene
    may be changed between frames, and is seen as it is when a frame is rendered. Use it from one thread at a time;
    several simulators may run at once, also on one scene.

    seed, environment and episode: the key of every draw; what is a range is drawn for them here.
    threads: 0: one per core. rate_hz: frame k starts at start_s + k / rate_hz. isa: "sse2", "avx2" or "avx512", on
    aarch64 "neon"; None: the widest. device: what renders, "cpu", "cuda", "cuda:1" or "auto"; cuda_stream: the handle
    of a stream of CUDA in which a GPU works; 0: one of its own. entity_ranges: see Environments; a pose that the scene
    gives an entity later is its whole pose.
    """

    def __init__(
        self,
        scene: _fathom.Scene,
        sensors: Union[Sensor, Iterable[Sensor]] = (),
        *,
        seed: int = 0,
        environment: int = 0,
        episode: int = 0,
        threads: int = 0,
        rate_hz: float = 10.0,
        start_s: float = 0.0,
        isa: Optional[str] = None,
        device: str = "cpu",
        cuda_stream: int = 0,
        entity_ranges: Any = None,
    ) -> None:
        specs = [sensor._spec(scene) for sensor in _sensor_list(sensors)]
        super().__init__(scene, specs, seed, environment, episode, threads, rate_hz, start_s, isa, device, cuda_stream,
                         entity_range_dicts(scene, entity_ranges))

    def add_sensor(self, sensor: Sensor) -> int:
        """Adds a sensor; returns its number, for render()."""
        return self._add_sensor(sensor._spec(self.scene))

    def set_noise(self, sensor: SensorKey, noise: Union[Noise, Sequence[Noise]]) -> None:
        """Replaces the noise of a sensor; the next frame has it."""
        entries, ranges = chain_spec(noise_list(noise, ""), self.scene)
        if ranges:
            raise _fathom.InputError(
                f"noise: {ranges[0]['field']} is a range, which is drawn when a Simulator is made: give the sensor to "
                "Simulator(scene, [sensor])")
        self._set_noise(sensor, entries)

    def __repr__(self) -> str:
        if not _fathom._is_made(self):  # a debugger shows what __init__ has not made yet
            return object.__repr__(self)
        return f"Simulator of {', '.join(self.sensor_names) or 'no sensor'} in a {self.scene!r}"


class Environments(_fathom._Environments):
    """Many environments at once: one scene and its sensors, with poses and drawn parameters of each environment's own.

    The frame of an environment depends on its number, its episode, its poses and its noise alone: environment 17 alone
    (count=1, first=17) equals environment 17 of 64, bit by bit. The scene is copied as it is now; move things by
    set_entity_poses() and set_sensor_poses(). Use it from one thread at a time.

    entity_ranges: what is drawn of entities, which all sensors see: {"door": {"reflectivity": Uniform(0.2, 0.9),
    "pose_offset": {"position_m": [Normal(0, 0.1), 0, 0]}}}; see Sensor for pose_offset. A pose that is set is the nominal
    one: an offset that is drawn still applies.
    """

    def __init__(
        self,
        scene: _fathom.Scene,
        sensors: Union[Sensor, Iterable[Sensor]],
        count: int,
        *,
        seed: int = 0,
        first: int = 0,
        threads: int = 0,
        rate_hz: float = 10.0,
        start_s: float = 0.0,
        isa: Optional[str] = None,
        device: str = "cpu",
        cuda_stream: int = 0,
        entity_ranges: Any = None,
    ) -> None:
        every = _sensor_list(sensors)
        specs = [sensor._spec(scene) for sensor in every]
        self._scene = scene
        super().__init__(scene, specs, count, seed, first, threads, rate_hz, start_s, isa, device, cuda_stream,
                         entity_range_dicts(scene, entity_ranges))

    def add_sensor(self, sensor: Sensor) -> int:
        """Adds a sensor; returns its number."""
        return self._add_sensor(sensor._spec(self._scene))

    def render(
        self,
        index: int = 0,
        sensors: Optional[Sequence[SensorKey]] = None,
        *,
        channels: Union[None, str, Sequence[str]] = None,
        out: Union[None, _fathom.Frame, Mapping[str, _fathom.Frame]] = None,
        env_ids: Any = None,
    ) -> Dict[str, _fathom.Frame]:
        """Renders frame `index` of all environments, or of env_ids [E]: a Frame for each sensor by its name, with arrays
        [environments, rows, cols(, 3)], of a sensor with several returns [returns, environments, rows, cols(, 3)].

        sensors: names or numbers of those to render; None: all. out: Frames to render into, by the names of sensors (or
        one Frame, of one sensor); rows of environments that are not rendered stay there as they are, and are masked and
        NaN in a new frame. Releases the GIL, and stops with KeyboardInterrupt on Ctrl-C.
        """
        names = self.sensor_names
        chosen = names if sensors is None else [self._name_of(s) for s in sensors]
        if isinstance(out, _fathom.Frame):
            if len(chosen) != 1:
                raise _fathom.InputError(f"out: one Frame given for {len(chosen)} sensors, a dict by name wanted")
            out = {chosen[0]: out}
        for name in out or {}:
            if name not in chosen:
                raise _fathom.InputError(f"out: {name!r} is not one of the sensors rendered, {', '.join(chosen)}")
        frames = self._render(index, chosen, channels, dict(out or {}), env_ids)
        return dict(zip(chosen, frames))

    def _name_of(self, sensor: SensorKey) -> str:
        if isinstance(sensor, str):
            return sensor
        number, count = operator.index(sensor), len(self.sensor_names)
        if not 0 <= number < count:
            raise _fathom.InputError(f"sensors: {number} is not in [0, {count})")
        return self.sensor_names[number]

    def set_noise(self, sensor: SensorKey, noise: Union[Noise, Sequence[Noise]], env_ids: Any = None) -> None:
        """Gives environments another noise without ranges: only ranges of the sensor's first noise are drawn."""
        entries, ranges = chain_spec(noise_list(noise, ""), self._scene)
        if ranges:
            raise _fathom.InputError(
                f"noise: {ranges[0]['field']} is a range, which is drawn of the noise that a sensor comes with alone: give "
                "each environment its value, with env_ids")
        self._set_noise(sensor, entries, env_ids)

    def drawn(self, sensor: Optional[SensorKey] = None) -> Dict[str, Any]:
        """The values drawn for the present episodes: {"stereo_energy.pow": float64 [count]}.

        Of an entity or a ring: "stereo_energy[mirror].pow", "distance[ring 3].stddev_m"; of a model that is in the chain
        twice, its position: "distance@2.stddev_m". What is drawn of the sensor itself has its own name: "baseline_m",
        "position_x_m". Of several sensors, with the sensor in front: "left.distance.mean_m".
        """
        if sensor is None and len(self.sensor_names) != 1:
            return {f"{s}.{name}": v for s in self.sensor_names for name, v in self.drawn(s).items()}
        return drawn_arrays(*self._drawn_values(0 if sensor is None else sensor))

    def drawn_entities(self) -> Dict[str, Any]:
        """The values drawn of entities for the present episodes: {"door.reflectivity": float64 [count]}."""
        which, values = self._drawn_entities()
        return {f"{one['entity']}.{one['field']}": np.ascontiguousarray(values[:, k]) for k, one in enumerate(which)}

    def __repr__(self) -> str:
        if not _fathom._is_made(self):
            return object.__repr__(self)
        return f"Environments: {self.count} of {', '.join(self.sensor_names) or 'no sensor'}"


class Setup(_fathom._Setup):
    """A scene file, read and checked: its scene, its sensors, and how many frames it has. See load()."""

    @property
    def sensors(self) -> List[Sensor]:
        """Its sensors. To simulate others, give them to Simulator(setup.scene, ...)."""
        names = self.scene.entity_names
        return [sensor_from(spec, names) for spec in self._sensors]

    @property
    def entity_ranges(self) -> Dict[str, Dict[str, Any]]:
        """What is drawn of its entities, as Environments takes it; parts that take the value of the whole are left out."""
        return entity_ranges_from(self._entity_ranges, self.scene.entity_names)

    @property
    def outputs(self) -> Dict[str, List[str]]:
        """What a run writes, by the names of sensors: words of scene files."""
        return self._outputs

    def simulator(
        self,
        *,
        seed: Optional[int] = None,
        environment: Optional[int] = None,
        episode: Optional[int] = None,
        threads: int = 0,
        isa: Optional[str] = None,
        device: Optional[str] = None,
    ) -> Simulator:
        """A simulator of its scene and sensors: it renders the frames that run() writes. device: None: the file's."""
        made = Simulator.__new__(Simulator)
        options = dict(seed=seed, environment=environment, episode=episode, threads=threads, isa=isa, device=device)
        _fathom._Simulator.__init__(made, self, options)
        return made

    def environments(
        self,
        count: int,
        *,
        seed: Optional[int] = None,
        first: int = 0,
        threads: int = 0,
        isa: Optional[str] = None,
        device: Optional[str] = None,
    ) -> Environments:
        """Many environments of its scene and sensors. device: None: the file's."""
        return Environments(self.scene, self.sensors, count, seed=self.seed if seed is None else seed, first=first,
                            threads=threads, rate_hz=self.rate_hz, start_s=self.start_s, isa=isa,
                            device=self.device if device is None else device, entity_ranges=self._entity_ranges)

    def run(
        self,
        out: Any,
        *,
        force: bool = False,
        digest: bool = False,
        frames: Optional[int] = None,
        seed: Optional[int] = None,
        environment: Optional[int] = None,
        episode: Optional[int] = None,
        threads: int = 0,
        isa: Optional[str] = None,
        device: Optional[str] = None,
        bag: Any = None,
        on_progress: Optional[Callable[[Dict[str, Any]], None]] = None,
    ) -> Dict[str, Any]:
        """Renders every frame of every sensor and writes the files into the folder `out`, as `fathom simulate` does.

        force: replaces what an earlier run wrote. device: None: the file's. bag: a file for what the sensors would
        publish in ROS 2, as MCAP. on_progress: called after every frame with a dict of counts. Returns the files, the
        warnings, and for each sensor its rays, reasons, speed and (with digest) digest.
        """
        options = dict(frames=frames, seed=seed, environment=environment, episode=episode, threads=threads, isa=isa,
                       device=device, bag=bag)
        return self._run(out, force, digest, options, on_progress)

    def run_many(
        self,
        out: Any,
        environments: range,
        episodes: range = range(1),
        *,
        force: bool = False,
        digest: bool = False,
        frames: Optional[int] = None,
        seed: Optional[int] = None,
        threads: int = 0,
        isa: Optional[str] = None,
        device: Optional[str] = None,
        on_progress: Optional[Callable[[Dict[str, Any]], None]] = None,
    ) -> Dict[str, Any]:
        """Renders a dataset (docs/scale.md), a folder for each environment and episode, many side by side, as
        `fathom simulate --environments 0:64 --episodes 0:10` does: run_many("out", range(64), range(10)).

        `--resume` finishes a dataset that was stopped, from the scene file alone: changes of the scene by Python are lost.
        force: renders folders again that are there. on_progress: as of run(), from any thread. Returns the folders and
        the number of files, and as run() the warnings and the sensors.
        """
        choice = dict(frames=frames, seed=seed, environments=environments, episodes=episodes)
        options = dict(frames=frames, seed=seed, threads=threads, isa=isa, device=device,
                       command=command_line(os.path.abspath(os.fspath(self.file)), choice, self.overrides))
        return self._run_many(out, environments, episodes, force, digest, options, on_progress)

    def plan(self, *, frames: Optional[int] = None) -> Dict[str, Any]:
        """What run() would do, without doing it, as `fathom check` tells: files, bytes, rays, memory."""
        return self._plan(dict(frames=frames))

    def __repr__(self) -> str:
        if not _fathom._is_made(self):
            return object.__repr__(self)
        return f"Setup of {str(self.file)!r}: {self.scene!r}, {len(self._sensors)} sensors, {self.frames} frames"


def load(file: Any, overrides: Union[Sequence[str], Mapping[str, Any]] = ()) -> Setup:
    """Reads a scene file. overrides: "path=value" as of `--set`, or a dict of paths and values:
    load("room.yaml", ["sensors.lidar.noise.distance.stddev_m=0.05"])."""
    return Setup(file, override_list(overrides))


def override_list(overrides: Union[Sequence[str], Mapping[str, Any]]) -> List[str]:
    """The overrides that load() takes, as `--set` has them."""
    if isinstance(overrides, Mapping):
        return [f"{path}={_yaml(value)}" for path, value in overrides.items()]
    return [overrides] if isinstance(overrides, str) else list(overrides)


def _word(text: str) -> str:
    """A word as a shell reads it."""
    if re.fullmatch(r"[a-zA-Z0-9_\-./=:,+@%]+", text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def command_line(file: str, given: Mapping[str, Any], overrides: Sequence[str]) -> str:
    """The command line that makes the same dataset, in the words of `fathom simulate`: dataset.json keeps it."""
    words = ["fathom simulate", _word(file)]
    for name, value in given.items():
        if value is not None:
            words.append(f"--{name} {value.start}:{value.stop}" if isinstance(value, range) else f"--{name} {value}")
    words += [f"--set {_word(entry)}" for entry in overrides]
    return " ".join(words)


def _yaml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_yaml(one) for one in value) + "]"
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
