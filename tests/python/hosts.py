# SPDX-License-Identifier: MIT
"""Stand-ins for mjlab, Isaac Lab and PyTorch: the abstract methods of their sensors as signatures, and what fathom's
adapters call. Taken from mjlab (src/mjlab/sensor/sensor.py, 0eaf20e) and Isaac Lab (sensors/sensor_base.py, 001515c)."""

import abc
import copy
import dataclasses
import sys
import types

import numpy as np


class Tensor(np.ndarray):
    """An array that answers to the few calls of PyTorch that the adapters make."""

    device = "cpu"

    def to(self, device):
        self.device = device
        return self

    def detach(self):
        return self

    def cpu(self):
        return self

    def repeat(self, *times):
        return np.tile(np.asarray(self), times).view(Tensor)


def tensor(values):
    return np.array(values).view(Tensor)


class MjlabSensorCfg(abc.ABC):
    @abc.abstractmethod
    def build(self): ...


MjlabSensorCfg.__annotations__ = {"name": str}
MjlabSensorCfg = dataclasses.dataclass(MjlabSensorCfg)


class MjlabSensor(abc.ABC):
    def __init__(self):
        self._cached_data, self._cache_valid = None, False

    @abc.abstractmethod
    def edit_spec(self, scene_spec, entities): ...

    @abc.abstractmethod
    def initialize(self, mj_model, model, data, device): ...

    @abc.abstractmethod
    def _compute_data(self): ...

    @property
    def data(self):
        if not self._cache_valid:
            self._cached_data, self._cache_valid = self._compute_data(), True
        return self._cached_data

    def reset(self, env_ids=None):
        self._cache_valid = False

    def update(self, dt):
        self._cache_valid = False


class IsaacSensorBase(abc.ABC):
    """Of 3.0: `_update_buffers_impl` takes a mask."""

    environments = 0

    def __init__(self, cfg):
        self.cfg = copy.copy(cfg)

    @property
    @abc.abstractmethod
    def data(self): ...

    @abc.abstractmethod
    def _initialize_impl(self):
        self._num_envs, self._device = self.environments, "cpu"
        self._is_outdated = np.ones(self._num_envs, bool)

    @abc.abstractmethod
    def _update_buffers_impl(self, env_mask): ...

    def reset(self, env_ids=None, env_mask=None):
        self._is_outdated[slice(None) if env_ids is None and env_mask is None else env_ids if env_mask is None else env_mask] = True

    def update(self, dt, force_recompute=False):
        self._is_outdated[:] = True

    def _update_outdated_buffers(self):
        if self._is_outdated.any():
            self._update_buffers_impl(self._is_outdated.copy())
            self._is_outdated[:] = False


@dataclasses.dataclass
class IsaacSensorBaseCfg:
    prim_path: str = ""
    update_period: float = 0.0
    debug_vis: bool = False


class IsaacSensorBase2(IsaacSensorBase):
    """Of 2.x: numbers of environments."""

    def reset(self, env_ids=None):
        super().reset(env_ids)

    def _update_outdated_buffers(self):
        outdated = np.flatnonzero(self._is_outdated)
        if len(outdated):
            self._update_buffers_impl(outdated)
            self._is_outdated[:] = False


def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    return made


def install(monkeypatch, isaac=IsaacSensorBase):
    """Makes the stand-ins importable, and fathom's adapters make their classes anew."""
    for adapter in ("fathom.mjlab", "fathom.isaaclab"):
        monkeypatch.delitem(sys.modules, adapter, raising=False)
    for made in (
        module("torch", from_numpy=lambda a: a.view(Tensor), tensor=tensor),
        module("mjlab"), module("mjlab.sensor", Sensor=MjlabSensor, SensorCfg=MjlabSensorCfg),
        module("isaaclab"), module("isaaclab.sensors", SensorBase=isaac, SensorBaseCfg=IsaacSensorBaseCfg),
        module("isaaclab.utils", configclass=dataclasses.dataclass),
    ):
        monkeypatch.setitem(sys.modules, made.__name__, made)
