# SPDX-License-Identifier: MIT
"""Measurements to learn noise from, and scores of models. fathom.fit learns them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _fathom
from ._chains import (ChainFit, ChainReturns, FrameScore, MeanScore, MeasuredFrames, chain_yaml, mean_score,
                      read_measured_frames, score_difference, score_frames)
from ._fits import FitParameter, HeldOut
from ._walls import WallBin, WallCorrelation, WallFit, WallLossLaw, WallMeasure, WallPlane, WallTape, measure_wall
from .noise import Noise

__all__ = ["Blobs", "ChainFit", "ChainReturns", "DepthBand", "DepthMeasure", "DepthPatches", "DistanceCalibration",
           "EnergyCalibration", "Estimate", "FitParameter", "FrameScore", "HeldOut", "MeanScore",
           "MeasuredFrames", "RangePairs", "WallBin", "WallCorrelation", "WallFit", "WallLossLaw", "WallMeasure",
           "WallPlane", "WallTape", "chain_yaml", "energy_pairs", "mean_score", "measure_depth", "measure_wall",
           "range_pairs", "read_energy_pairs", "read_measured_frames", "read_range_pairs", "score_difference",
           "score_frames"]

Floats32 = npt.NDArray[np.float32]


class Estimate(NamedTuple):
    """A learned value and its standard error, which is NaN where there is none: at a boundary, or where the data do not
    determine the value."""

    value: float
    std_error: float


class RangePairs(NamedTuple):
    """Measured ranges and what was expected, m, float32 [N] each, and the numbers of their scans or frames, uint32 [N], or
    None."""

    range_m: Floats32
    expected_m: Floats32
    scan: Optional[npt.NDArray[np.uint32]]


@dataclass(frozen=True)
class _PairsFit:
    parameters: Dict[str, FitParameter]  #: by name
    log_likelihood: float
    blocks: int  #: that standard errors take as independent
    block: str  #: "stretch" of the way, "scan" or "pair"
    pairs: int
    skipped: int
    flags: List[str]
    _noise: Noise = field(repr=False)


@dataclass(frozen=True)
class DistanceCalibration(_PairsFit):
    """range - expected ~ Normal(mean_m, (stddev_m + stddev_per_m expected)^2)."""

    def noise(self) -> Noise:
        """The noise model, noise.Distance, with the learned values."""
        return self._noise


@dataclass(frozen=True)
class EnergyCalibration(_PairsFit):
    """The law by which stereo_energy loses pixels: min_energy and pow."""

    normalization: str
    lost: int

    def noise(self, energy: str = "cosine") -> Noise:
        """The noise model, noise.StereoEnergy, with the learned values. energy: what the pairs' energies are."""
        made: Noise = self._noise.replace(energy=energy)
        return made


def range_pairs(frame: _fathom.Frame) -> Tuple[Floats32, Floats32]:
    """The valid returns of a frame, (range, clean range), float32 [N] each; it needs range, clean_range and reason."""
    return _fathom._range_pairs(frame)


def energy_pairs(frame: _fathom.Frame) -> Tuple[Floats32, npt.NDArray[np.uint8]]:
    """The pixels that an energy law kept or lost, (energy, lost) [N] each; it needs energy and reason."""
    return _fathom._energy_pairs(frame)


def read_range_pairs(csv_or_run: Any, sensor: str = "") -> RangePairs:
    """Of a CSV, or of the NPY files of a run, whose frames count as scans; fit.distance(*pairs) takes them."""
    return RangePairs(*_fathom._read_range_pairs(csv_or_run, sensor))


def read_energy_pairs(csv_or_run: Any, sensor: str = "",
                      normalization: Optional[str] = None) -> Tuple[Floats32, npt.NDArray[np.uint8]]:
    """(energy, lost) [N] each, of a CSV or of the NPY files of a run. normalization: refuses another law than this."""
    return _fathom._read_energy_pairs(csv_or_run, sensor, normalization)


class Blobs(NamedTuple):
    """How many blobs of holes there are, and their pixels together."""

    blobs: int
    pixels: int


class DepthPatches(NamedTuple):
    """Patches of 24 x 24 pixels, and why some are not used: a hole; neighbours that differ by more than a tenth of their
    depth; what the cubic leaves, in means of 6 x 6 pixels, deviating more than twice as much as in the median patch."""

    all: int
    with_hole: int
    with_step: int
    rough: int
    used: int


class DepthBand(NamedTuple):
    """What lies low_m <= depth < high_m away. A hole lies as far away as the farther one of the nearest measured pixels to
    its left and right."""

    low_m: float
    high_m: float
    pixels: int
    holes: int
    patches: int
    deviation_px: float
    deviation_m: float


class DepthWall(NamedTuple):
    """Patches of side_px pixels a side without steps, a quadric off, and the deviation of the median one."""

    side_px: int
    patches: int
    deviation_px: float


@dataclass(frozen=True)
class DepthMeasure:
    """What frames say of the camera that made them. Estimates are (value, standard error), NaN where nothing is known."""

    shape: Tuple[int, int, int]  #: frames, rows, columns
    focal_baseline_px_m: Optional[float]
    patches: DepthPatches
    deviation_px: Estimate  #: of the error in disparity
    deviation_m: Estimate
    residual_px: float  #: what the cubics leave, uncorrected
    residual_m: float
    across: List[Estimate]  #: correlation of the error at lags of 1 to 12 px
    down: List[Estimate]
    in_time: List[Estimate]  #: at lags of 1 to 12 frames, where they are still; else empty
    across_residual: npt.NDArray[np.float64]  #: [12], uncorrected: of white noise -0.016 at 1 px
    down_residual: npt.NDArray[np.float64]
    left_out: int  #: pixels left out; no other number counts them
    pixels: int
    holes: int
    holes_without_neighbour: int
    largest_blob: int
    blobs: List[Blobs]  #: of 1 to 3, 4 to 50 and more pixels
    whole_blobs: List[Blobs]  #: blobs that touch neither the border of the image nor a pixel left out
    blobs_by_size: List[Blobs]  #: entry k: of 2^k to 2^(k + 1) - 1 pixels
    bands: List[DepthBand]
    walls: List[DepthWall]  #: of 24, 48 and 72 px
    flags: List[str]


def measure_depth(frames: npt.ArrayLike, *, focal_baseline_px_m: Optional[float] = None,
                  band_edges_m: npt.ArrayLike = (0.5, 1.0, 2.0, 4.0, 8.0), still: bool = False, threads: int = 0,
                  left_out: Optional[npt.ArrayLike] = None) -> DepthMeasure:
    """Measures the error of a depth camera, its correlation and its holes in the camera's own images.

    frames: depth along the optical axis, m, [frames, rows, cols] or [rows, cols]; what is not above 0 and finite is a
    hole. focal_baseline_px_m: focal length (px, along rows) times baseline (m), for disparities. band_edges_m: where
    bands of distance end, rising. still: neither scene nor camera moves, so the error is compared in time, too.
    threads: 0: one per core; they change no bit. left_out: where it is not 0, the pixel is left out, for example because
    nothing is within the camera's reach, as in `np.isin(frame.reason, (1, 3))`, miss and
    above_max_range; bool or whole numbers, of the shape of frames or [rows, cols] for all of them."""
    d = _fathom._measure_depth(frames, focal_baseline_px_m, band_edges_m, still, threads, left_out)
    for name in ("deviation_px", "deviation_m"):
        d[name] = Estimate(*d[name])
    for name in ("across", "down", "in_time"):
        d[name] = [Estimate(*e) for e in d[name]]
    for name in ("blobs", "whole_blobs", "blobs_by_size"):
        d[name] = [Blobs(*b) for b in d[name]]
    d["patches"], d["bands"] = DepthPatches(*d["patches"]), [DepthBand(*b) for b in d["bands"]]
    d["walls"] = [DepthWall(*w) for w in d["walls"]]
    return DepthMeasure(**d)
