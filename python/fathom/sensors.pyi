# SPDX-License-Identifier: MIT
# Made by tools/python-stubs from the tables of the library.
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy.typing as npt

from . import _fathom
from ._fathom import even_elevations as even_elevations
from .noise import Noise

class SensorModel:
    kind: str
    _model: _fathom.SensorModel
    preset: str
    def __init__(self, **values: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
    @property
    def shape(self) -> Tuple[int, int]: ...
    def pattern(self, frame: int = ...) -> Dict[str, Any]: ...
    def intrinsics(self) -> Dict[str, float]: ...
    def destagger_shifts(self) -> Any: ...
    def replace(self, **values: Any) -> Any: ...
    def to_dict(self) -> Dict[str, Any]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class RayTable(SensorModel):
    def __init__(
        self,
        directions: npt.ArrayLike,
        origins_m: Optional[npt.ArrayLike] = ...,
        *,
        min_range_m: Any = ...,
        max_range_m: Any = ...,
        time_offset_s: Optional[npt.ArrayLike] = ...,
        ring: Optional[npt.ArrayLike] = ...,
    ) -> None: ...
    @classmethod
    def read(cls, file: Any, *, min_range_m: float = ..., max_range_m: float = ...) -> RayTable: ...

class Timing:
    rate_hz: Optional[float]
    phase_s: float
    latency_s: float
    jitter_s: float
    drop_frame: float
    freeze: float
    def __init__(
        self,
        *,
        rate_hz: Optional[float] = ...,
        phase_s: float = ...,
        latency_s: float = ...,
        jitter_s: float = ...,
        drop_frame: float = ...,
        freeze: float = ...,
    ) -> None: ...
    def _spec(self) -> Dict[str, Any]: ...
    def __eq__(self, other: object) -> bool: ...

class Sensor:
    name: str
    model: SensorModel
    pose: Any
    parent: Union[str, int, None]
    rolling: bool
    noise: List[Noise]
    range_policy: Optional[str]
    see_parent: bool
    ignore: List[Union[str, int]]
    ignore_groups: List[str]
    ranges: Dict[str, Any]
    pose_offset: Dict[str, Any]
    timing: Timing
    divergence: Dict[str, Union[str, float]]
    returns: List[str]
    coinciding: str
    falloff: Dict[str, Union[str, float]]
    def __init__(
        self,
        name: str,
        model: Union[SensorModel, str],
        pose: Any = ...,
        *,
        parent: Union[str, int, None] = ...,
        rolling: bool = ...,
        noise: Union[None, str, Noise, Sequence[Union[str, Noise]]] = ...,
        range_policy: Optional[str] = ...,
        see_parent: bool = ...,
        ignore: Union[str, int, Iterable[Union[str, int]]] = ...,
        ignore_groups: Union[str, Iterable[str]] = ...,
        ranges: Optional[Mapping[str, Any]] = ...,
        pose_offset: Optional[Mapping[str, Any]] = ...,
        timing: Optional[Timing] = ...,
        divergence: Optional[Dict[str, Union[str, float]]] = ...,
        returns: Union[str, Iterable[str]] = ...,
        coinciding: str = ...,
        falloff: Optional[Dict[str, Union[str, float]]] = ...,
    ) -> None: ...
    def replace(self, **values: Any) -> Sensor: ...
    def _spec(self, scene: _fathom.Scene) -> Dict[str, Any]: ...
    def __eq__(self, other: object) -> bool: ...

def __getattr__(name: str) -> Type[SensorModel]: ...
def make(kind: str, **values: Any) -> SensorModel: ...
def kinds() -> Dict[str, Type[SensorModel]]: ...
def presets() -> Dict[str, str]: ...
def preset(name: str, **values: Any) -> Any: ...
def preset_noise(name: str) -> List[Noise]: ...
def camera_from_fov(width: int, height: int, horizontal_fov_rad: float) -> Any: ...
def noise_list(noise: Any, preset_name: str) -> List[Noise]: ...
def sensor_from(spec: Dict[str, Any], names: Iterable[str]) -> Sensor: ...

class DepthCamera(SensorModel):
    def __init__(
        self,
        *,
        width: int,
        height: int,
        fx: float = ...,
        fy: float = ...,
        principal_point_px: Optional[npt.ArrayLike] = ...,
        horizontal_fov_rad: float = ...,
        focal_length_mm: float = ...,
        horizontal_aperture_mm: float = ...,
        vertical_aperture_mm: float = ...,
        min_range_m: float = ...,
        max_range_m: float = ...,
    ) -> None: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def fx(self) -> float: ...
    @property
    def fy(self) -> float: ...
    @property
    def principal_point_px(self) -> Optional[Tuple[float, ...]]: ...
    @property
    def horizontal_fov_rad(self) -> float: ...
    @property
    def focal_length_mm(self) -> float: ...
    @property
    def horizontal_aperture_mm(self) -> float: ...
    @property
    def vertical_aperture_mm(self) -> float: ...
    @property
    def min_range_m(self) -> float: ...
    @property
    def max_range_m(self) -> float: ...

class GridScanner(SensorModel):
    def __init__(
        self,
        *,
        size_x_m: float,
        size_y_m: float,
        resolution_m: float = ...,
        start_height_m: float = ...,
        alignment: str = ...,
        min_range_m: float = ...,
        max_range_m: float = ...,
    ) -> None: ...
    @property
    def size_x_m(self) -> float: ...
    @property
    def size_y_m(self) -> float: ...
    @property
    def resolution_m(self) -> float: ...
    @property
    def start_height_m(self) -> float: ...
    @property
    def alignment(self) -> str: ...
    @property
    def min_range_m(self) -> float: ...
    @property
    def max_range_m(self) -> float: ...

class Laser2d(SensorModel):
    def __init__(
        self,
        *,
        rays: int,
        min_azimuth_rad: float,
        max_azimuth_rad: float,
        rate_hz: float = ...,
        clockwise: bool = ...,
        min_range_m: float = ...,
        max_range_m: float = ...,
    ) -> None: ...
    @property
    def rays(self) -> int: ...
    @property
    def min_azimuth_rad(self) -> float: ...
    @property
    def max_azimuth_rad(self) -> float: ...
    @property
    def rate_hz(self) -> float: ...
    @property
    def clockwise(self) -> bool: ...
    @property
    def min_range_m(self) -> float: ...
    @property
    def max_range_m(self) -> float: ...

class PinholeCamera(SensorModel):
    def __init__(
        self,
        *,
        fx: float,
        fy: float,
        cx: float,
        cy: float,
        width: int,
        height: int,
        min_range_m: float = ...,
        max_range_m: float = ...,
    ) -> None: ...
    @property
    def fx(self) -> float: ...
    @property
    def fy(self) -> float: ...
    @property
    def cx(self) -> float: ...
    @property
    def cy(self) -> float: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def min_range_m(self) -> float: ...
    @property
    def max_range_m(self) -> float: ...

class Rosette(SensorModel):
    def __init__(
        self,
        *,
        points: int,
        field_of_view_rad: float,
        prism1_hz: float,
        prism2_hz: float,
        points_per_s: float,
        min_range_m: float = ...,
        max_range_m: float = ...,
    ) -> None: ...
    @property
    def points(self) -> int: ...
    @property
    def field_of_view_rad(self) -> float: ...
    @property
    def prism1_hz(self) -> float: ...
    @property
    def prism2_hz(self) -> float: ...
    @property
    def points_per_s(self) -> float: ...
    @property
    def min_range_m(self) -> float: ...
    @property
    def max_range_m(self) -> float: ...

class SpinningLidar(SensorModel):
    def __init__(
        self,
        *,
        elevation_rad: npt.ArrayLike,
        azimuth_offset_rad: npt.ArrayLike = ...,
        firing_time_s: npt.ArrayLike = ...,
        vertical_offset_m: npt.ArrayLike = ...,
        ring: npt.ArrayLike = ...,
        columns: int,
        start_azimuth_rad: float = ...,
        span_rad: float = ...,
        rate_hz: float = ...,
        clockwise: bool = ...,
        min_range_m: float = ...,
        max_range_m: float = ...,
    ) -> None: ...
    @property
    def elevation_rad(self) -> Tuple[float, ...]: ...
    @property
    def azimuth_offset_rad(self) -> Tuple[float, ...]: ...
    @property
    def firing_time_s(self) -> Tuple[float, ...]: ...
    @property
    def vertical_offset_m(self) -> Tuple[float, ...]: ...
    @property
    def ring(self) -> Tuple[float, ...]: ...
    @property
    def columns(self) -> int: ...
    @property
    def start_azimuth_rad(self) -> float: ...
    @property
    def span_rad(self) -> float: ...
    @property
    def rate_hz(self) -> float: ...
    @property
    def clockwise(self) -> bool: ...
    @property
    def min_range_m(self) -> float: ...
    @property
    def max_range_m(self) -> float: ...

class StereoCamera(SensorModel):
    def __init__(
        self,
        *,
        width: int,
        height: int,
        fx: float = ...,
        fy: float = ...,
        principal_point_px: Optional[npt.ArrayLike] = ...,
        horizontal_fov_rad: float = ...,
        focal_length_mm: float = ...,
        horizontal_aperture_mm: float = ...,
        vertical_aperture_mm: float = ...,
        min_range_m: float = ...,
        max_range_m: float = ...,
        baseline_m: float = ...,
        reference: str = ...,
        left_camera: Optional[_fathom.Pose] = ...,
        right_camera: Optional[_fathom.Pose] = ...,
    ) -> None: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def fx(self) -> float: ...
    @property
    def fy(self) -> float: ...
    @property
    def principal_point_px(self) -> Optional[Tuple[float, ...]]: ...
    @property
    def horizontal_fov_rad(self) -> float: ...
    @property
    def focal_length_mm(self) -> float: ...
    @property
    def horizontal_aperture_mm(self) -> float: ...
    @property
    def vertical_aperture_mm(self) -> float: ...
    @property
    def min_range_m(self) -> float: ...
    @property
    def max_range_m(self) -> float: ...
    @property
    def baseline_m(self) -> float: ...
    @property
    def reference(self) -> str: ...
    @property
    def left_camera(self) -> Optional[_fathom.Pose]: ...
    @property
    def right_camera(self) -> Optional[_fathom.Pose]: ...

__all__ = ["Sensor", "SensorModel", "camera_from_fov", "even_elevations", "kinds", "make", "preset", "preset_noise", "presets", "DepthCamera", "GridScanner", "Laser2d", "PinholeCamera", "RayTable", "Rosette", "SpinningLidar", "StereoCamera"]
