# SPDX-License-Identifier: MIT
# Made by tools/python-stubs from the tables of the library.
import numpy.typing as npt

from ._values import Record

class Parameters(Record):
    def __init__(
        self,
        *,
        w_hit: float,
        w_short: float,
        w_max: float,
        w_rand: float,
        sigma_hit_m: float,
        lambda_short_per_m: float,
        hit_offset_m: float = ...,
        hit: str = ...,
        nu_hit: float = ...,
        sigma_hit_per_m: float = ...,
    ) -> None: ...
    @property
    def w_hit(self) -> float: ...
    @property
    def w_short(self) -> float: ...
    @property
    def w_max(self) -> float: ...
    @property
    def w_rand(self) -> float: ...
    @property
    def sigma_hit_m(self) -> float: ...
    @property
    def lambda_short_per_m(self) -> float: ...
    @property
    def hit_offset_m(self) -> float: ...
    @property
    def hit(self) -> str: ...
    @property
    def nu_hit(self) -> float: ...
    @property
    def sigma_hit_per_m(self) -> float: ...

class Sensor(Record):
    def __init__(
        self,
        *,
        max_range_m: float,
        min_range_m: float = ...,
        step_m: float = ...,
        expected_floor_m: float = ...,
        miss: str = ...,
        nan: str = ...,
    ) -> None: ...
    @property
    def max_range_m(self) -> float: ...
    @property
    def min_range_m(self) -> float: ...
    @property
    def step_m(self) -> float: ...
    @property
    def expected_floor_m(self) -> float: ...
    @property
    def miss(self) -> str: ...
    @property
    def nan(self) -> str: ...
