# SPDX-License-Identifier: MIT
"""Noise for given frames in the classes of learning frameworks.

    import fathom.wrappers

    env = fathom.wrappers.NoisyObservation(env, "D435", width=64, height=48, fx=40.0, seed=7)      # Gymnasium
    layer = fathom.wrappers.NoiseModule("D435", width=64, height=48, fx=40.0, seed=7)              # PyTorch
    noisy = layer(depth, index=12)

fathom.isaaclab and fathom.mjlab have noise models of observation terms. Each class takes the arguments of SensorNoise.
Gymnasium and PyTorch are imported when a class of this module is first asked for.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._fathom import InputError
from .given import SensorNoise
from .mujoco import array

__all__ = ["NoiseModule", "NoisyObservation", "ObservationNoise"]  # noqa: F822 - made by __getattr__

_KEPT: List[Any] = []  # of parent processes: their threads cannot be joined here


def host_class(module: Dict[str, Any], makers: Mapping[str, Callable[[], Tuple[Any, ...]]], name: str) -> Any:
    """A class of a module that imports its host when the class is first asked for. module: its globals()."""
    if name not in makers:
        raise AttributeError(f"module '{module['__name__']}' has no attribute '{name}'")
    for made in makers[name]():
        made.__module__, made.__qualname__ = module["__name__"], made.__name__
        module[made.__name__] = made
    return module[name]


class ObservationNoise:
    """Noise for observations of many environments: tensors [N, ...], of H * W values each, in and out.

    lost: value without a return. options: as those of SensorNoise, such as width, noise and seed.
    """

    def __init__(self, sensor: Any, environments: int, lost: float, options: Mapping[str, Any]) -> None:
        self._noise: Any = SensorNoise(sensor, environments=environments, **options)
        check_keeps_shape(self._noise.sensor)
        self._environments, self._lost = environments, lost

    def __call__(self, data: Any) -> Any:
        """The noisy observations, float32, with the shape and the device of the clean ones."""
        import torch

        check_image("data", data.shape[1:], self._noise.sensor.model.shape)
        images = array(data).reshape(-1, *self._noise.sensor.model.shape)
        noisy = filled(self._noise(images), self._lost).reshape(tuple(data.shape))
        return torch.from_numpy(noisy).to(data.device)

    apply = __call__  # the name in Isaac Lab 2.0

    def reset(self, env_ids: Any = None) -> None:
        """Starts the next episode of environments (None: all): draws noise and its ranges again."""
        ids = slice(None) if env_ids is None else env_ids if isinstance(env_ids, slice) else array(env_ids)
        if isinstance(ids, slice) or ids.size:
            self._noise.reset(np.arange(self._environments)[ids])


def check_image(name: str, shape: Sequence[int], wanted: Sequence[int]) -> None:
    """Refuses a shape that is not the wanted one. Sides of 1 do not count; an image may be flat."""
    sides, wanted_sides = ([side for side in s if side != 1] for s in (shape, wanted))
    if sides != wanted_sides and sides != [int(np.prod(wanted))]:
        raise InputError(f"{name}: observations of shape {tuple(shape)} given, {tuple(wanted)} wanted")


def check_keeps_shape(sensor: Any) -> None:
    """Refuses a sensor whose noisy images have another shape than the clean ones."""
    to = sensor.aligned_to
    if to and (to["height"], to["width"]) != tuple(sensor.model.shape):
        raise InputError(f"sensor '{sensor.name}': aligned_to changes the shape of images, and observations keep theirs: "
                         "give a Sensor with aligned_to={}")


def filled(image: Any, lost: float) -> Any:
    return np.where(np.isnan(image), np.float32(lost), image)


def _gymnasium() -> Tuple[Any, ...]:
    import gymnasium

    class NoisyObservation(gymnasium.ObservationWrapper):  # type: ignore[misc]
        """Noise for the depth image of an environment; the space of observations stays.

        key: of the image, if observations are dicts. lost: value without a return. scale: m in one unit of the image.
        reset() starts the next episode: draws noise and its ranges again. options: as those of SensorNoise.
        """

        def __init__(self, env: Any, sensor: Any, *, key: Optional[str] = None, lost: float = 0.0, scale: float = 1.0,
                     **options: Any) -> None:
            super().__init__(env)
            self.noise: Any = SensorNoise(sensor, environments=1, **options)
            check_keeps_shape(self.noise.sensor)
            self.key, self.lost, self.scale = key, lost, scale
            self.image_space = env.observation_space if key is None else env.observation_space[key]
            check_image("env", self.image_space.shape, self.noise.sensor.model.shape)

        def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Any:
            self.noise.reset([0])
            return super().reset(seed=seed, options=options)

        def observation(self, observation: Any) -> Any:
            if self.key is None:
                return self._noisy(observation)
            return {**observation, self.key: self._noisy(observation[self.key])}

        def _noisy(self, image: Any) -> Any:
            space = self.image_space
            noisy = self.noise(np.asarray(image).reshape(1, *self.noise.sensor.model.shape), scale=self.scale)
            values = filled(noisy / self.scale, self.lost).reshape(space.shape)
            whole = np.issubdtype(space.dtype, np.integer)
            return np.clip(np.rint(values) if whole else values, space.low, space.high).astype(space.dtype)

    return (NoisyObservation,)


def _torch() -> Tuple[Any, ...]:
    import torch

    class NoiseModule(torch.nn.Module):  # type: ignore[misc]
        """Noise as a layer or a transform: depth [..., H, W] in, float32 of the same shape and device out.

        lost: value without a return. options: as those of SensorNoise. Each process of a data loader makes its own
        SensorNoise, so give the number of the sample as index: the noise then differs between the processes.
        """

        def __init__(self, sensor: Any, *, lost: float = 0.0, **options: Any) -> None:
            super().__init__()
            self.sensor, self.lost, self.options = sensor, lost, options
            self._noise: Any = None
            self._process = 0

        def forward(self, depth: Any, index: Optional[int] = None) -> Any:
            """index: number of the first image; None: one after the last of this process."""
            if self._noise is None or self._process != os.getpid():  # threads do not survive a fork
                if self._noise is not None:
                    _KEPT.append(self._noise)
                self._noise, self._process = SensorNoise(self.sensor, **self.options), os.getpid()
                check_keeps_shape(self._noise.sensor)
            images = array(depth)
            noisy = self._noise(images.reshape(-1, *images.shape[-2:]), index)
            return torch.from_numpy(filled(noisy, self.lost).reshape(images.shape)).to(depth.device)

        def __getstate__(self) -> Dict[str, Any]:
            return {**self.__dict__, "_noise": None}

    return (NoiseModule,)


_MAKERS = {"NoisyObservation": _gymnasium, "NoiseModule": _torch}


def __getattr__(name: str) -> Any:
    return host_class(globals(), _MAKERS, name)
