# SPDX-License-Identifier: MIT
"""A depth camera for Isaac Lab: fathom's stereo and depth cameras, with their losses, as one of its sensors.

    from fathom.isaaclab import RayCasterCameraCfg
    camera = RayCasterCameraCfg(
        prim_path="{ENV_REGEX_NS}/Robot/head", scene=scene, model=fa.preset("D435"), noise=("preset",), entities=["table", "hand"],
        sensor_poses=lambda: (robot.data.body_pos_w[:, head], robot.data.body_quat_w[:, head]),
        entity_poses=lambda: (positions, quaternions))          # [N, K, 3], [N, K, 4]

`data.output` holds distance_to_image_plane [N, H, W, 1] and the other outputs that `data_types` names (fathom.batch).
Functions give the poses, of articulations, rigid objects or a stage.

Noise for the depth that Isaac Lab renders:

    ObservationTermCfg(func=mdp.image, params={...},
                       noise=SensorNoiseCfg(sensor="D435", options={"width": 64, "height": 48, "fx": 40.0}))

It acts only in a group with `enable_corruption = True`.

Written to the interfaces of isaaclab.sensors.SensorBase and isaaclab.utils.noise, of 2.x and 3.0, and tested with
stand-ins of them. Isaac Lab and PyTorch are imported when a class of this module is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from .batch import BatchCamera
from .mujoco import array
from .wrappers import ObservationNoise, host_class

__all__ = ["CameraData", "RayCasterCamera", "RayCasterCameraCfg",  # noqa: F822 - made by __getattr__
           "SensorNoiseCfg", "SensorNoiseModel"]


@dataclass
class CameraData:
    """What the cameras see; tensors on Isaac Lab's device."""

    output: Dict[str, Any] = field(default_factory=dict)  #: arrays [N, H, W, ...] by the names of data_types
    pos_w: Any = None  #: [N, 3], m
    quat_w: Any = None  #: [N, 4], in the order of the framework
    intrinsic_matrices: Any = None  #: [N, 3, 3], px
    image_shape: Tuple[int, int] = (0, 0)  #: rows, columns


def _classes() -> Tuple[Any, Any]:
    import torch
    from isaaclab.sensors import SensorBase, SensorBaseCfg
    from isaaclab.utils import configclass

    class RayCasterCamera(SensorBase):  # type: ignore[misc]
        """See RayCasterCameraCfg."""

        @property
        def data(self) -> CameraData:
            self._update_outdated_buffers()
            return self._data

        def _initialize_impl(self) -> None:
            super()._initialize_impl()
            cfg = self.cfg
            self._batch = BatchCamera(cfg.scene, cfg.model, self._num_envs, noise=cfg.noise, outputs=cfg.data_types,
                                      miss=cfg.miss, lost=cfg.lost, seed=cfg.seed, threads=cfg.threads,
                                      ignore=cfg.ignore, ignore_groups=cfg.ignore_groups)
            to = self._batch._sensor.aligned_to
            k = to or cfg.model.intrinsics()
            matrix = torch.tensor([[k["fx"], 0.0, k["cx"]], [0.0, k["fy"], k["cy"]], [0.0, 0.0, 1.0]])
            self._data = CameraData(intrinsic_matrices=matrix.repeat(self._num_envs, 1, 1).to(self._device),
                                    image_shape=(to["height"], to["width"]) if to else cfg.model.shape)

        def _update_buffers_impl(self, env_mask: Any) -> None:
            """env_mask: bool [N] (Isaac Lab 3), or numbers of environments (2.x)."""
            chosen = array(env_mask)
            which = dict(env_mask=chosen) if chosen.dtype == bool else dict(env_ids=chosen)
            rows = slice(None) if "env_mask" in which else chosen
            order = "quat_" + self.cfg.quat
            if self.cfg.entity_poses is not None:
                places, turns = (array(values)[rows] for values in self.cfg.entity_poses())
                self._batch.set_entity_poses(self.cfg.entities, places, **{order: turns}, **which)
            place, turn = self.cfg.sensor_poses()
            made = self._batch.render(array(place)[rows], **{order: array(turn)[rows]}, convention=self.cfg.convention, **which)
            self._data.output = {name: torch.from_numpy(values).to(self._device) for name, values in made.items()}
            self._data.pos_w, self._data.quat_w = place, turn

        def reset(self, env_ids: Optional[Sequence[int]] = None, env_mask: Any = None) -> None:
            """Starts the next episode of the environments: draws noise and its ranges again."""
            if env_mask is None:
                super().reset(env_ids)
            else:
                super().reset(env_ids, env_mask)
                env_ids = array(env_mask).nonzero()[0]
            self._batch.reset(env_ids)

    @configclass
    class RayCasterCameraCfg(SensorBaseCfg):  # type: ignore[misc]
        """scene, model, noise, ignore, ignore_groups, seed: as fathom.batch.BatchCamera; entities: those that
        entity_poses() places. quat: "xyzw" (Isaac Lab 3) or "wxyz" (2.x); convention: "fathom" is Isaac Lab's "world"."""

        class_type: type = RayCasterCamera
        scene: Any = None
        model: Any = None
        noise: Any = None
        data_types: Sequence[str] = ("distance_to_image_plane",)
        entities: Sequence[Any] = ()
        sensor_poses: Optional[Callable[[], Tuple[Any, Any]]] = None
        entity_poses: Optional[Callable[[], Tuple[Any, Any]]] = None
        quat: str = "xyzw"
        convention: str = "fathom"
        miss: float = float("inf")
        lost: Optional[float] = None
        ignore: Sequence[Any] = ()
        ignore_groups: Sequence[str] = ()
        seed: int = 0
        threads: int = 0

    return RayCasterCameraCfg, RayCasterCamera


def _noise_classes() -> Tuple[Any, Any]:
    from isaaclab.utils import configclass
    from isaaclab.utils.noise import NoiseModel, NoiseModelCfg

    class SensorNoiseModel(ObservationNoise, NoiseModel):  # type: ignore[misc]
        """See SensorNoiseCfg."""

        def __init__(self, noise_model_cfg: Any, num_envs: int, device: str) -> None:
            NoiseModel.__init__(self, noise_model_cfg, num_envs, device)
            cfg = noise_model_cfg
            ObservationNoise.__init__(self, cfg.sensor, num_envs, cfg.lost, cfg.options)

    @configclass
    class SensorNoiseCfg(NoiseModelCfg):  # type: ignore[misc]
        """Noise of depth images or ranges, [N, ...] of H * W values.

        sensor, options: as fathom.SensorNoise; lost: value without a return."""

        class_type: type = SensorNoiseModel
        noise_cfg: Any = None
        sensor: Any = "D435"
        options: Dict[str, Any] = field(default_factory=dict)
        lost: float = 0.0

    return SensorNoiseCfg, SensorNoiseModel


_MAKERS = {"RayCasterCameraCfg": _classes, "RayCasterCamera": _classes,
           "SensorNoiseCfg": _noise_classes, "SensorNoiseModel": _noise_classes}


def __getattr__(name: str) -> Any:
    return host_class(globals(), _MAKERS, name)
