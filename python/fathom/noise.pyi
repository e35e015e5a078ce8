# SPDX-License-Identifier: MIT
# Made by tools/python-stubs from the tables of the library.
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type, Union

from ._values import LogUniform, Normal, Record, TruncatedNormal
from ._values import Uniform as _Uniform

_Number = Union[float, _Uniform, LogUniform, Normal, TruncatedNormal]

class Noise(Record):
    slug: str
    stage: str
    entities: Dict[Union[str, int], Dict[str, Any]]
    rings: Dict[int, Dict[str, Any]]
    correlation: Dict[str, Any]
    def __init__(
        self,
        *,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
        **values: Any,
    ) -> None: ...
    def replace(self, **values: Any) -> Any: ...
    @property
    def has_ranges(self) -> bool: ...

def __getattr__(name: str) -> Type[Noise]: ...
def make(slug: str, **values: Any) -> Noise: ...
def models() -> Dict[str, Type[Noise]]: ...
def chain_spec(noise: List[Noise], scene: Any) -> Tuple[List[Any], List[Dict[str, Any]]]: ...
def chain_from(entries: List[Any], ranges: List[Dict[str, Any]], names: List[str]) -> List[Noise]: ...

class AngularHit(Noise):
    def __init__(
        self,
        *,
        axis: str = ...,
        mean_rad: _Number = ...,
        stddev_rad: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def axis(self) -> str: ...
    @property
    def mean_rad(self) -> Any: ...
    @property
    def stddev_rad(self) -> Any: ...

class AngularRay(Noise):
    def __init__(
        self,
        *,
        axis: str = ...,
        mean_rad: _Number = ...,
        stddev_rad: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def axis(self) -> str: ...
    @property
    def mean_rad(self) -> Any: ...
    @property
    def stddev_rad(self) -> Any: ...

class BeamMixture(Noise):
    def __init__(
        self,
        *,
        w_hit: _Number = ...,
        w_short: _Number = ...,
        w_max: _Number = ...,
        w_rand: _Number = ...,
        sigma_hit_m: _Number = ...,
        lambda_short_per_m: _Number = ...,
        hit_offset_m: _Number = ...,
        miss: str = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def w_hit(self) -> Any: ...
    @property
    def w_short(self) -> Any: ...
    @property
    def w_max(self) -> Any: ...
    @property
    def w_rand(self) -> Any: ...
    @property
    def sigma_hit_m(self) -> Any: ...
    @property
    def lambda_short_per_m(self) -> Any: ...
    @property
    def hit_offset_m(self) -> Any: ...
    @property
    def miss(self) -> str: ...

class Disparity(Noise):
    def __init__(
        self,
        *,
        bias_px: _Number = ...,
        stddev_px: _Number = ...,
        steps_per_px: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def bias_px(self) -> Any: ...
    @property
    def stddev_px(self) -> Any: ...
    @property
    def steps_per_px(self) -> Any: ...

class Distance(Noise):
    def __init__(
        self,
        *,
        mean_m: _Number = ...,
        stddev_m: _Number = ...,
        stddev_per_m: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def mean_m(self) -> Any: ...
    @property
    def stddev_m(self) -> Any: ...
    @property
    def stddev_per_m(self) -> Any: ...

class Dropout(Noise):
    def __init__(
        self,
        *,
        probability: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def probability(self) -> Any: ...

class EdgeLoss(Noise):
    def __init__(
        self,
        *,
        min_angle_rad: _Number = ...,
        max_angle_rad: _Number = ...,
        low_probability: _Number = ...,
        high_probability: _Number = ...,
        step: _Number = ...,
        law: str = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def min_angle_rad(self) -> Any: ...
    @property
    def max_angle_rad(self) -> Any: ...
    @property
    def low_probability(self) -> Any: ...
    @property
    def high_probability(self) -> Any: ...
    @property
    def step(self) -> Any: ...
    @property
    def law(self) -> str: ...

class GainBias(Noise):
    def __init__(
        self,
        *,
        gain: _Number = ...,
        bias_m: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def gain(self) -> Any: ...
    @property
    def bias_m(self) -> Any: ...

class InvalidBand(Noise):
    def __init__(
        self,
        *,
        left_band: bool = ...,
        max_disparity_px: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def left_band(self) -> bool: ...
    @property
    def max_disparity_px(self) -> Any: ...

class LossAngle(Noise):
    def __init__(
        self,
        *,
        max_incidence_rad: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def max_incidence_rad(self) -> Any: ...

class MatchingWindow(Noise):
    def __init__(
        self,
        *,
        radius_px: _Number = ...,
        share: _Number = ...,
        sure_share: _Number = ...,
        flying: bool = ...,
        min_area_px: _Number = ...,
        max_step_px: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def radius_px(self) -> Any: ...
    @property
    def share(self) -> Any: ...
    @property
    def sure_share(self) -> Any: ...
    @property
    def flying(self) -> bool: ...
    @property
    def min_area_px(self) -> Any: ...
    @property
    def max_step_px(self) -> Any: ...

class StereoEnergy(Noise):
    def __init__(
        self,
        *,
        min_energy: _Number = ...,
        pow: _Number = ...,
        normalization: str = ...,
        energy: str = ...,
        reflectivity_exponent: _Number = ...,
        range_exponent: _Number = ...,
        ambient_klx: _Number = ...,
        half_ambient_klx: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def min_energy(self) -> Any: ...
    @property
    def pow(self) -> Any: ...
    @property
    def normalization(self) -> str: ...
    @property
    def energy(self) -> str: ...
    @property
    def reflectivity_exponent(self) -> Any: ...
    @property
    def range_exponent(self) -> Any: ...
    @property
    def ambient_klx(self) -> Any: ...
    @property
    def half_ambient_klx(self) -> Any: ...

class StereoShadow(Noise):
    def __init__(
        self,
        *,
        tolerance: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def tolerance(self) -> Any: ...

class Student(Noise):
    def __init__(
        self,
        *,
        scale_m: _Number = ...,
        scale_per_m: _Number = ...,
        nu: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def scale_m(self) -> Any: ...
    @property
    def scale_per_m(self) -> Any: ...
    @property
    def nu(self) -> Any: ...

class TextureLoss(Noise):
    def __init__(
        self,
        *,
        texture: _Number = ...,
        projector: _Number = ...,
        reach_m: _Number = ...,
        ambient_klx: _Number = ...,
        half_ambient_klx: _Number = ...,
        midpoint: _Number = ...,
        width: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def texture(self) -> Any: ...
    @property
    def projector(self) -> Any: ...
    @property
    def reach_m(self) -> Any: ...
    @property
    def ambient_klx(self) -> Any: ...
    @property
    def half_ambient_klx(self) -> Any: ...
    @property
    def midpoint(self) -> Any: ...
    @property
    def width(self) -> Any: ...

class Uniform(Noise):
    def __init__(
        self,
        *,
        low_m: _Number = ...,
        high_m: _Number = ...,
        entities: Optional[Mapping[Union[str, int], Any]] = ...,
        rings: Optional[Mapping[int, Any]] = ...,
        correlation: Optional[Mapping[str, Any]] = ...,
    ) -> None: ...
    @property
    def low_m(self) -> Any: ...
    @property
    def high_m(self) -> Any: ...

__all__ = ["Noise", "make", "models", "AngularHit", "AngularRay", "BeamMixture", "Disparity", "Distance", "Dropout", "EdgeLoss", "GainBias", "InvalidBand", "LossAngle", "MatchingWindow", "StereoEnergy", "StereoShadow", "Student", "TextureLoss", "Uniform"]
