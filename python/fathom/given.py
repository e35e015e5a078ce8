# SPDX-License-Identifier: MIT
"""Noise for frames that something else rendered: a sensor without a scene."""

from __future__ import annotations

import sys
from typing import Any, Dict, Mapping, Optional, Sequence, Union

import numpy as np

from . import _fathom
from ._fathom import InputError
from ._ranges import drawn_arrays
from .noise import Noise, chain_spec
from .sensors import Sensor, SensorModel, noise_list, preset


_MOST_ENTITIES = 1 << 20


def _scene_of(entities: Optional[Mapping[str, int]]) -> _fathom.Scene:
    """Entities without meshes, with the numbers that images use."""
    scene = _fathom.Scene()
    names = {number: name for name, number in (entities or {}).items()}
    if len(names) < len(entities or {}) or any(not 0 <= number < _MOST_ENTITIES for number in names):
        raise InputError(f"entities: different numbers in [0, {_MOST_ENTITIES}) wanted")
    for number in range(max(names, default=-1) + 1):
        scene.add_entity(names.get(number, f"entity {number}"), None)
    return scene


def _sensor_of(sensor: Union[str, Sensor, SensorModel], noise: Any, values: Mapping[str, Any]) -> Sensor:
    if isinstance(sensor, Sensor):
        if noise is None and not values:
            return sensor
        return sensor.replace(model=sensor.model.replace(**values), noise=sensor.noise if noise is None else noise)
    model = preset(sensor) if isinstance(sensor, str) else sensor
    if not isinstance(model, SensorModel):
        raise InputError(f"sensor: {sensor!r} is neither a Sensor, nor a sensor model, nor the name of a preset")
    return Sensor("sensor", model.replace(**values) if values else model, noise=noise)


def _detached(values: Any) -> Any:
    """A torch tensor without its gradient; all else unchanged."""
    return values.detach() if hasattr(values, "detach") else values


class SensorNoise(_fathom._SensorNoise):
    """Applies the noise of a sensor to clean images that another program rendered.

        noise = fa.SensorNoise("D435", width=640, height=480, fx=383.0, seed=7)
        noisy = noise(depth)                                    # [H, W] or [N, H, W], m; NaN where the return is lost
        frame = noise(depth, index=12, channels=("depth", "reason"))

    sensor: the name of a preset, a sensor model, or a Sensor; parameters of its model may follow by name, such as width.
    noise: as that of Sensor; None: that of the sensor. seed, the sensor's name, the number of the frame and the image
    decide every bit, for any number of threads. far_m: ranges from there on met nothing. entities: numbers of entities
    by name, for noise that differs by entity. still: frames without `motion` are of a sensor that stands still. isa,
    threads, rate_hz, start_s: as those of Simulator.
    environments: how many a batch has. Image k of a batch is of environment k, with the noise and the parameters that
    Environments draws for its episode; only then may numbers be ranges. None: images are frames of one sensor.
    """

    def __init__(
        self,
        sensor: Union[str, Sensor, SensorModel],
        *,
        noise: Union[None, str, Noise, Sequence[Union[str, Noise]]] = None,
        seed: int = 0,
        threads: int = 0,
        far_m: float = float("inf"),
        rate_hz: float = 10.0,
        start_s: float = 0.0,
        entities: Optional[Mapping[str, int]] = None,
        still: bool = False,
        environments: Optional[int] = None,
        isa: Optional[str] = None,
        **values: Any,
    ) -> None:
        self._scene = _scene_of(entities)
        self.sensor = _sensor_of(sensor, noise, values)
        alone = self.sensor.replace(parent=None, ignore=(), ignore_groups=(), pose_offset=None)
        super().__init__(self._scene, alone._spec(self._scene), seed, threads, rate_hz, start_s, far_m, still,
                         environments, isa)

    def __call__(
        self,
        image: Any,
        index: Optional[int] = None,
        *,
        kind: Optional[str] = None,
        scale: float = 1.0,
        normals: Any = None,
        normals_frame: str = "sensor",
        entity_id: Any = None,
        reflectivity: Any = None,
        pose: Any = None,
        motion: Any = None,
        channels: Union[None, str, Sequence[str]] = None,
        out: Optional[_fathom.Frame] = None,
    ) -> Any:
        """The noisy image, float32 in the shape of the clean one, or of aligned_to; with `channels` or `out` a Frame.

        image: [rows, cols] or [N, rows, cols], which become frames index, index + 1, ..., or frame `index` of environments
        0, 1, ...; any array of NumPy or DLPack in the memory of the processor. 0, a negative number, NaN and infinity mean
        that the ray met nothing. kind: "depth", along the optical axis, or "range", along the ray; None: depth of cameras,
        else range. scale: m in one unit of the image, such as 0.001; images of whole numbers need it. index: None: one
        after the last. normals: [..., 3] unit, in the frame "sensor" or "world"; None: found from the image. entity_id,
        reflectivity: one for each ray. pose: of the sensor in the world. motion: how far the sensor has moved since frame 0,
        (way in m, angle in rad) or [N, 2], for correlations that follow it; (0, 0): it stands still; None: each frame has
        independent errors, unless `still` was set. A torch tensor gives a torch tensor.
        """
        name = ("depth" if self._is_camera else "range") if kind is None else kind
        if name not in ("depth", "range"):
            raise InputError(f"kind: {kind!r} is not one of depth, range")
        wanted = (name,) if channels is None and out is None else channels
        frame = self._apply(name, _detached(image), scale, index, _detached(normals), normals_frame, _detached(entity_id),
                            _detached(reflectivity), pose, _detached(motion), wanted, out)
        if channels is not None or out is not None:
            return frame
        noisy = np.array(frame[name])
        return sys.modules["torch"].from_numpy(noisy) if hasattr(image, "new_tensor") else noisy

    def set_noise(self, noise: Union[Noise, Sequence[Noise]]) -> None:
        """Replaces the noise; the next frame has it."""
        entries, ranges = chain_spec(noise_list(noise, self.sensor.model.preset), self._scene)
        if ranges:
            raise InputError(f"noise: {ranges[0]['field']} is a range: give a number")
        self._set_noise(entries)

    def drawn(self) -> Dict[str, Any]:
        """The values drawn for the present episodes, as in Environments: {"stereo_energy.pow": float64 [environments]}."""
        return drawn_arrays(*self._drawn_values())

    def __repr__(self) -> str:
        if not _fathom._is_made(self):  # a debugger shows what __init__ has not made yet
            return object.__repr__(self)
        return f"SensorNoise({self.sensor!r})"

