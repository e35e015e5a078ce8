# SPDX-License-Identifier: MIT
"""The noise of depth cameras, planar lasers and lidars learned from a flat wall; calibrate.py shows this to users."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _fathom
from ._chains import ChainFit, _entries

Pair = Tuple[float, float]


class WallPlane(NamedTuple):
    """The wall of a frame."""

    is_found: bool
    why_not: str
    normal: Tuple[float, float, float]  #: unit, in the sensor frame, away from the sensor
    distance_m: float  #: of the sensor's origin, perpendicular
    deviation: float  #: of the error: px of disparity with a baseline, else m
    on_wall: int
    tails: int
    lost: int
    other: int


class WallBin(NamedTuple):
    """Rays of the wall in a band of range (m) or incidence (degrees)."""

    low: float
    high: float
    readings: int
    lost: int
    deviation_px: float
    deviation_m: float

    @property
    def fill(self) -> float:
        """Share that came back; NaN for none."""
        count = self.readings + self.lost
        return self.readings / count if count else float("nan")


@dataclass(frozen=True)
class WallMeasure:
    """Numbers about frames of a wall, measured or simulated. Correlations are (value, standard error)."""

    planes: List[WallPlane]
    pixels: npt.NDArray[np.uint8]  #: [frames, rows, cols]: 0 wall, 1 tail, 2 lost, 3 other, 4 not known, 5 left out
    residual: npt.NDArray[np.float32]  #: [frames, rows, cols], px of disparity or m; NaN where no reading is of the wall
    by_range: List[WallBin]
    by_incidence: List[WallBin]
    across: List[Pair]  #: at lags of 1 px and more
    down: List[Pair]
    in_time: List[Pair]  #: 1 frame later and more; empty unless frames are still
    error_shares: npt.NDArray[np.float64]  #: [61], from -5 to 5 deviations
    deviation: float
    readings: int
    lost: int
    tails: int
    other: int
    not_known: int
    hidden: int


@dataclass(frozen=True)
class WallTape:
    """Measured distances against those by tape."""

    places: int
    gain: Pair
    bias_m: Pair
    spread_m: float
    bias_px: Pair  #: if all of it is a bias of the disparity
    bias_px_spread_m: float
    is_disparity: bool
    is_exact: bool  #: within two standard errors of 0: left out of the chain
    is_contradicted: bool  #: distances and readings contradict each other: left out of the chain


class WallLossLaw(NamedTuple):
    """A law of loss, or of the error of the range, that was tried."""

    name: str
    parameters: int
    nats: float
    gain: float  #: on the first law, per return
    gain_error: float
    is_chosen: bool


@dataclass(frozen=True)
class WallCorrelation:
    """Sizes of the correlation of the error, (value, standard error); 0: white."""

    shape: str
    across_px: Pair
    down_px: Pair
    time_s: float
    shared: float  #: share of the variance that is not of rounding
    misfit: float
    other_misfit: float


@dataclass(frozen=True)
class WallFit:
    """What a wall taught."""

    chain: ChainFit  #: its noise is what sensors of the simulator take
    measure: WallMeasure
    correlation: WallCorrelation
    tape: Optional[WallTape]
    loss_laws: List[WallLossLaw]
    range_laws: List[WallLossLaw]  #: tried, distance before student; empty: tails are not heavier than normal ones
    _sensor: Dict[str, Any] = field(repr=False)

    @property
    def flags(self) -> List[str]:
        """What to beware of, one line each: of the walls, then of the chain."""
        return self.chain.flags

    def simulate(self, *, seed: int = 0, rate_hz: float = 30.0, threads: int = 0) -> npt.NDArray[np.float32]:
        """The same walls under the learned noise, as fit.wall() takes them, of the frames that show one."""
        walls = [(p.normal, p.distance_m) for p in self.measure.planes if p.is_found]
        made: npt.NDArray[np.float32] = _fathom._simulate_wall(self._sensor, walls, _entries(self.chain.noise), seed,
                                                              rate_hz, threads)
        return made

    def sensor_yaml(self, name: str = "sensor") -> str:
        """The sensor with its noise as an entry of the list `sensors:` of a scene file."""
        farthest = self.measure.by_range[-1].high if self.measure.by_range else 0.0
        return str(_fathom._wall_sensor_yaml(self._sensor, farthest, _entries(self.chain.noise), name))


def _sensor_of(measured: npt.ArrayLike, camera: Any, azimuth_rad: Any, lidar: Optional[str],
               max_range_m: float) -> Dict[str, Any]:
    shape = np.shape(measured)
    if sum(x is not None for x in (camera, azimuth_rad, lidar)) != 1:
        raise _fathom.InputError("one of camera, azimuth_rad and lidar is required: images have a camera, scans azimuths")
    if lidar is not None and max_range_m != 0.0:
        raise _fathom.InputError(f"max_range_m = {max_range_m} is given, and the lidar says how far it measures")
    wanted = 2 if azimuth_rad is not None else 3
    if len(shape) != wanted:
        form = "(frames, rows, cols)" if wanted == 3 else "(frames, rays)"
        raise _fathom.InputError(f"measured has the shape {shape}, not {form}")
    if camera is not None:
        numbers = [float(x) for x in camera]
        camera = numbers + [0.0] if len(numbers) == 4 else numbers
    return {"rows": shape[1] if wanted == 3 else 1, "cols": shape[-1], "camera": camera, "azimuth_rad": azimuth_rad,
            "lidar": None if lidar is None else os.fspath(lidar), "max_range_m": max_range_m}


def _measure_from(d: Dict[str, Any]) -> WallMeasure:
    d["planes"] = [WallPlane(*p) for p in d["planes"]]
    for name in ("by_range", "by_incidence"):
        d[name] = [WallBin(*b) for b in d[name]]
    return WallMeasure(**d)


def measure_wall(measured: npt.ArrayLike, *, camera: Optional[Sequence[float]] = None,
                 azimuth_rad: Optional[npt.ArrayLike] = None, lidar: Optional[str] = None, max_range_m: float = 0.0,
                 left_out: Optional[npt.ArrayLike] = None, half_step_m: float = 0.0, border: Optional[str] = None,
                 wall: Optional[str] = None, still: bool = False, seed: int = 0, threads: int = 0) -> WallMeasure:
    """Fits the planes and measures, as fit.wall() does, and learns nothing."""
    options = {"seed": seed, "border": border, "wall": wall, "rings": False, "still": still, "rate_hz": 30.0,
               "hold_out": 5, "block_frames": 1, "max_returns": 300_000, "threads": threads}
    sensor = _sensor_of(measured, camera, azimuth_rad, lidar, max_range_m)
    return _measure_from(_fathom._measure_wall(measured, sensor, left_out, half_step_m, options))
