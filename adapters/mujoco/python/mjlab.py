# SPDX-License-Identifier: MIT
"""A ray sensor for mjlab: that of mjlab with fathom's noise, reasons and geometry.

    from fathom.mjlab import RayCastSensorCfg
    SceneCfg(..., sensors=(RayCastSensorCfg(name="scan", site="head", rays=directions, noise=(fa.noise.Distance(stddev_m=0.02),)),))

Its data have the names, shapes and values of misses of mjlab's RayCastSensor (distances -1, points the ray's origin,
normals 0), and beside these `reason` and `geom_id`.

Noise for the depth that mjlab renders:

    ObservationTermCfg(func=depth, noise=SensorNoiseCfg(sensor="D435", options={"width": 64, "height": 48, "fx": 40.0}))

It acts only in a group with `enable_corruption = True`.

Written to the interfaces of mjlab.sensor.Sensor and mjlab.utils.noise, and tested with stand-ins of them. mjlab and
PyTorch are imported when a class of this module is first asked for.
"""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple

import numpy as np

from .batch import BatchRays
from .mujoco import Mirror, array
from .sensors import RayTable, SensorModel
from .wrappers import ObservationNoise, host_class

__all__ = ["RayCastData", "RayCastSensor", "RayCastSensorCfg",  # noqa: F822 - made by __getattr__
           "SensorNoiseCfg", "SensorNoiseModel"]


@dataclass
class RayCastData:
    """What a sensor sees; B worlds, N rays. Tensors on mjlab's device."""

    distances: Any  #: [B, N], m; -1: nothing within max_distance, or lost
    hit_pos_w: Any  #: [B, N, 3], m; the ray's origin where there is no return
    normals_w: Any  #: [B, N, 3]; 0 where there is no return
    pos_w: Any  #: [B, 3], m
    quat_w: Any  #: [B, 4], w x y z
    reason: Any  #: uint8 [B, N], why there is no return; 0: there is one
    geom_id: Any  #: int32 [B, N], MuJoCo's geom; -1: none


def _first_world(data: Any) -> Any:
    names = ("geom_xpos", "geom_xmat", "site_xpos", "site_xmat", "cam_xpos", "cam_xmat")
    return types.SimpleNamespace(**{name: array(getattr(data, name))[0] for name in names})


def _classes() -> Tuple[Any, Any]:
    import torch
    from mjlab.sensor import Sensor, SensorCfg

    @dataclass
    class RayCastSensorCfg(SensorCfg):  # type: ignore[misc]
        """Rays from a site. rays: directions [N, 3] in the site's frame, or a model of fathom.sensors; origins_m [N, 3].
        include_geom_groups: None: all. ranges of noise are drawn anew at each reset."""

        site: str = ""
        rays: Any = None
        origins_m: Any = None
        noise: Any = None
        max_distance: float = 10.0
        exclude_parent_body: bool = True
        include_geom_groups: Optional[Tuple[int, ...]] = (0, 1, 2)
        seed: int = 0
        threads: int = 0

        def build(self) -> Any:
            return RayCastSensor(self)

    class RayCastSensor(Sensor):  # type: ignore[misc]
        """See RayCastSensorCfg."""

        def __init__(self, cfg: Any) -> None:
            super().__init__()
            self.cfg = cfg

        def edit_spec(self, scene_spec: Any, entities: Any) -> None:
            """The model has the site already."""

        def initialize(self, mj_model: Any, model: Any, data: Any, device: str) -> None:
            groups = self.cfg.include_geom_groups
            self._mirror = Mirror(mj_model, _first_world(data), groups=[groups is None or g in groups for g in range(6)])
            rays = self.cfg.rays
            if not isinstance(rays, SensorModel):
                rays = RayTable(rays, self.cfg.origins_m, max_range_m=self.cfg.max_distance)
            on_site = self._mirror.on_site(self.cfg.site, rays, see_own_body=not self.cfg.exclude_parent_body)
            self._entity = on_site.parent
            self._rays = BatchRays(
                self._mirror.scene, rays, array(data.geom_xpos).shape[0], noise=self.cfg.noise, miss=-1.0,
                miss_point="origin", outputs=("distances", "hit_pos_w", "normals_w", "reason", "entity_id"), seed=self.cfg.seed,
                threads=self.cfg.threads, ignore_groups=on_site.ignore_groups)
            self._data, self._device = data, device

        def _compute_data(self) -> RayCastData:
            positions, quats = self._mirror.poses(self._data)
            self._rays.set_entity_poses(self._mirror.entities, positions, quat_wxyz=quats)
            place, turn = positions[:, self._entity], quats[:, self._entity]
            made = dict(self._rays.render(place, quat_wxyz=turn), pos_w=place.astype(np.float32), quat_w=turn.astype(np.float32))
            made["geom_id"] = self._mirror.geom_id(made.pop("entity_id"))
            return RayCastData(**{name: torch.from_numpy(values).to(self._device) for name, values in made.items()})

        def reset(self, env_ids: Any = None) -> None:
            super().reset(env_ids)
            self._rays.reset(env_ids)

    return RayCastSensorCfg, RayCastSensor


def _noise_classes() -> Tuple[Any, Any]:
    from mjlab.utils.noise import NoiseModel, NoiseModelCfg

    class SensorNoiseModel(ObservationNoise, NoiseModel):  # type: ignore[misc]
        """See SensorNoiseCfg."""

        def __init__(self, noise_model_cfg: Any, num_envs: int, device: str) -> None:
            NoiseModel.__init__(self, noise_model_cfg, num_envs, device)
            cfg = noise_model_cfg
            ObservationNoise.__init__(self, cfg.sensor, num_envs, cfg.lost, cfg.options)

    @dataclass(kw_only=True)
    class SensorNoiseCfg(NoiseModelCfg, class_type=SensorNoiseModel):  # type: ignore[misc, call-arg]
        """Noise of depth images or ranges, [N, ...] of H * W values.

        sensor, options: as fathom.SensorNoise; lost: value without a return."""

        noise_cfg: Any = field(default_factory=dict)  # unused, but mjlab refuses None
        sensor: Any = "D435"
        options: Dict[str, Any] = field(default_factory=dict)
        lost: float = 0.0

    return SensorNoiseCfg, SensorNoiseModel


_MAKERS = {"RayCastSensorCfg": _classes, "RayCastSensor": _classes,
           "SensorNoiseCfg": _noise_classes, "SensorNoiseModel": _noise_classes}


def __getattr__(name: str) -> Any:
    return host_class(globals(), _MAKERS, name)
