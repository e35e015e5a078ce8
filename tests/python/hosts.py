# SPDX-License-Identifier: MIT
"""Stand-ins for mjlab, Isaac Lab, Gymnasium and PyTorch: the methods of their classes as signatures, and what fathom's
adapters call. Taken from mjlab (src/mjlab/sensor/sensor.py, 0eaf20e; utils/noise, 0cc4de3), Isaac Lab (sensors/sensor_base.py,
001515c; utils/noise, 19ae30f) and Gymnasium (core.py, 009607e)."""

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


class NoiseModel:
    """Of both frameworks."""

    def __init__(self, noise_model_cfg, num_envs, device):
        self._noise_model_cfg, self._num_envs, self._device = noise_model_cfg, num_envs, device
        if not hasattr(noise_model_cfg, "noise_cfg"):
            raise ValueError("no noise_cfg")

    def reset(self, env_ids=None): ...

    def __call__(self, data): ...


class MjlabNoiseModel(NoiseModel):
    def __init__(self, noise_model_cfg, num_envs, device):
        super().__init__(noise_model_cfg, num_envs, device)
        if noise_model_cfg.noise_cfg is None:
            raise ValueError("NoiseModelCfg must have a valid noise_cfg")


class MjlabNoiseModelCfg:
    class_type = MjlabNoiseModel

    def __init_subclass__(cls, class_type):
        cls.class_type = class_type


@dataclasses.dataclass
class IsaacNoiseModelCfg:
    class_type: type = NoiseModel
    noise_cfg: object = None
    func: object = None


class Box:
    def __init__(self, low, high, shape, dtype):
        self.low, self.high, self.shape, self.dtype = np.full(shape, low, dtype), np.full(shape, high, dtype), shape, np.dtype(dtype)

    def contains(self, x):
        return x.shape == self.shape and x.dtype == self.dtype and bool((x >= self.low).all() and (x <= self.high).all())


class ObservationWrapper:
    def __init__(self, env):
        self.env, self.observation_space = env, env.observation_space

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        return self.observation(observation), info

    def step(self, action):
        observation, *others = self.env.step(action)
        return self.observation(observation), *others

    def observation(self, observation): ...


class Module:
    """PyTorch's: a call is forward()."""

    def __init__(self):
        self.training = True

    def __call__(self, *arguments, **more):
        return self.forward(*arguments, **more)


def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    return made


def install(monkeypatch, isaac=IsaacSensorBase):
    """Makes the stand-ins importable, and fathom's adapters make their classes anew."""
    for adapter in ("fathom.mjlab", "fathom.isaaclab", "fathom.wrappers"):
        monkeypatch.delitem(sys.modules, adapter, raising=False)
    for made in (
        module("torch", from_numpy=lambda a: a.view(Tensor), tensor=tensor, nn=module("torch.nn", Module=Module)),
        module("gymnasium", ObservationWrapper=ObservationWrapper),
        module("mjlab"), module("mjlab.sensor", Sensor=MjlabSensor, SensorCfg=MjlabSensorCfg),
        module("mjlab.utils"), module("mjlab.utils.noise", NoiseModel=MjlabNoiseModel, NoiseModelCfg=MjlabNoiseModelCfg),
        module("isaaclab"), module("isaaclab.sensors", SensorBase=isaac, SensorBaseCfg=IsaacSensorBaseCfg),
        module("isaaclab.utils", configclass=dataclasses.dataclass),
        module("isaaclab.utils.noise", NoiseModel=NoiseModel, NoiseModelCfg=IsaacNoiseModelCfg),
    ):
        monkeypatch.setitem(sys.modules, made.__name__, made)
