# SPDX-License-Identifier: MIT
"""Parameters of noise models learned from measurements, by maximum likelihood, with standard errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _fathom
from .noise import Noise, make

__all__ = ["DistanceCalibration", "EnergyCalibration", "Estimate", "distance", "energy", "energy_pairs", "range_pairs",
           "read_energy_pairs", "read_range_pairs"]

Floats32 = npt.NDArray[np.float32]


class Estimate(NamedTuple):
    """A learned value and its standard error, which is NaN where there is none: at a boundary, or where the data do not
    determine the value."""

    value: float
    std_error: float


@dataclass(frozen=True)
class DistanceCalibration:
    """range - expected ~ Normal(mean, (stddev + stddev_per_m expected)^2)."""

    mean_m: Estimate
    stddev_m: Estimate
    stddev_per_m: Estimate
    log_likelihood: float
    pairs: int
    skipped: int
    flags: List[str]
    _noise: Noise = field(repr=False)

    def noise(self) -> Noise:
        """The noise model, noise.Distance, with the learned values."""
        return self._noise


@dataclass(frozen=True)
class EnergyCalibration:
    """The law by which stereo_energy loses pixels."""

    min_energy: Estimate
    pow: Estimate
    normalization: str
    log_likelihood: float
    pairs: int
    skipped: int
    lost: int
    flags: List[str]
    _noise: Noise = field(repr=False)

    def noise(self, energy: str = "cosine") -> Noise:
        """The noise model, noise.StereoEnergy, with the learned values. energy: what the pairs' energies are."""
        made: Noise = self._noise.replace(energy=energy)
        return made


def distance(range: npt.ArrayLike, expected: npt.ArrayLike) -> DistanceCalibration:
    """Learns the distance noise from measured ranges and the ranges that were expected (m, any shape, the same for both).
    Pairs without a finite value are skipped."""
    d = _fathom._calibrate_distance(range, expected)
    return DistanceCalibration(Estimate(*d["mean_m"]), Estimate(*d["stddev_m"]), Estimate(*d["stddev_per_m"]),
                               d["log_likelihood"], d["pairs"], d["skipped"], d["flags"], make("distance", **d["noise"]))


def energy(energy: npt.ArrayLike, lost: npt.ArrayLike, *, normalization: str = "document") -> EnergyCalibration:
    """Learns the energy law from the energies of pixels (the channel energy, [-1, 1]) and whether they were lost (bool,
    or 0 and 1)."""
    d = _fathom._calibrate_energy(energy, lost, normalization)
    return EnergyCalibration(Estimate(*d["min_energy"]), Estimate(*d["pow"]), d["normalization"], d["log_likelihood"],
                             d["pairs"], d["skipped"], d["lost"], d["flags"], make("stereo_energy", **d["noise"]))


def range_pairs(frame: _fathom.Frame) -> Tuple[Floats32, Floats32]:
    """The valid returns of a frame, (range, clean range), float32 [N] each; it needs range, clean_range and reason."""
    return _fathom._range_pairs(frame)


def energy_pairs(frame: _fathom.Frame) -> Tuple[Floats32, npt.NDArray[np.uint8]]:
    """The pixels that an energy law kept or lost, (energy, lost) [N] each; it needs energy and reason."""
    return _fathom._energy_pairs(frame)


def read_range_pairs(csv_or_run: Any, sensor: str = "") -> Tuple[Floats32, Floats32]:
    """(range, expected range), float32 [N] each, of a CSV or of the NPY files of a run."""
    return _fathom._read_range_pairs(csv_or_run, sensor)


def read_energy_pairs(csv_or_run: Any, sensor: str = "",
                      normalization: Optional[str] = None) -> Tuple[Floats32, npt.NDArray[np.uint8]]:
    """(energy, lost) [N] each, of a CSV or of the NPY files of a run. normalization: refuses another law than this."""
    return _fathom._read_energy_pairs(csv_or_run, sensor, normalization)
