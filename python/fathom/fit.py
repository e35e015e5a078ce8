# SPDX-License-Identifier: MIT
"""Models learned from measurements, by maximum likelihood, with standard errors: of scans in maps (beam, field), of whole
frames (chain, wall), of pairs (distance, energy). The command line has the same names: `fathom fit beam` and so on.
`fathom fit beam --pairs` is beam_pairs(), `fathom fit pairs --model distance|energy` is distance() or energy()."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any, Dict, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy.typing as npt

from . import _fathom
from ._chains import ChainFit, ChainReturns, _entries
from ._fathom import GridMap
from ._fits import held_out_from, parameters_from
from ._walls import WallCorrelation, WallFit, WallLossLaw, WallTape, _measure_from, _sensor_of
from .beam import FieldFit, Fit, LogLike, Parameters, Sensor, WorldLike, _log, _sensor, _world
from .calibrate import DistanceCalibration, EnergyCalibration
from .noise import chain_from, make

__all__ = ["beam", "beam_pairs", "chain", "distance", "energy", "field", "wall"]


def _chain_fit_from(d: Dict[str, Any]) -> ChainFit:
    found: Dict[str, Any] = {**d["fit"], "parameters": parameters_from(d["fit"]["parameters"]),
                             "held_out": held_out_from(d["fit"]["held_out"])}
    return ChainFit(noise=chain_from(d["noise"], [], []), **found)


Pairs = TypeVar("Pairs", DistanceCalibration, EnergyCalibration)


def _pairs_fit(kind: Type[Pairs], model: str, d: Dict[str, Any]) -> Pairs:
    noise = make(model, **d.pop("noise"))
    found: Dict[str, Any] = {**d, "parameters": parameters_from(d["parameters"])}
    return kind(**found, _noise=noise)


def beam(
    log: LogLike,
    world: WorldLike,
    max_range_m: Union[float, str, None] = None,
    *,
    scans: str = "odd",
    test_scans: str = "",
    min_range_m: float = 0.0,
    step_m: float = 0.0,
    miss: str = "atom",
    nan: str = "skip",
    variant: str = "exact",
    hit: str = "gaussian",
    hit_offset_m: Union[float, str, None] = "auto",
    stretches: int = 40,
    unknown: str = "free",
    per_log: str = "nothing",
    refine_poses: Union[None, bool, Tuple[float, float]] = None,
    threads: int = 0,
) -> Fit:
    """Learns the beam model of a log's sensor in a map or scene, as `fathom fit beam` does, and judges it by scans that were
    held out. max_range_m: how far the sensor measures; None: what the log says; "auto": the same, or, where it is
    lower, just below the value that many readings have and only stray ones exceed. scans and test_scans: "all", "odd",
    "even" or "start:stop:step"; without test_scans all that are not learned from. hit: how hits spread, "gaussian",
    "student_t" or "grows". hit_offset_m: a number stays fixed; None: learned; "auto": learned in a map, 0 in a scene.
    stretches: that standard errors take as independent, 0: each scan. per_log: "mount", "offset" of ranges or "both" are
    learned, too: see Fit.mount. refine_poses: (m, rad), the standard deviations of the poses of the log, or True for
    0.1 m and 1 degree: the poses of `scans` are learned, too, and a third of their rays judges: see Fit.refined."""
    if isinstance(refine_poses, bool):
        refine_poses = (0.1, math.radians(1.0)) if refine_poses else None
    options = dict(scans=scans, test_scans=test_scans, max_range_m=max_range_m, min_range_m=min_range_m, step_m=step_m,
                   miss=miss, nan=nan, variant=variant, hit=hit, hit_offset_m=hit_offset_m, stretches=stretches,
                   per_log=per_log, refine_poses=refine_poses, threads=threads)
    return Fit(_fathom._fit_scans(_log(log), _world(world, unknown), options))


def beam_pairs(
    readings: npt.ArrayLike,
    expected: npt.ArrayLike,
    max_range_m: Optional[float] = None,
    *,
    scan: Optional[npt.ArrayLike] = None,
    sensor: Optional[Sensor] = None,
    cell_m: float = 0.0,
    start: Optional[Parameters] = None,
    variant: str = "exact",
    hit: Optional[str] = None,
    hit_offset_m: Optional[float] = 0.0,
    stretches: int = 40,
    tolerance: float = 1e-9,
    max_iterations: int = 2000,
    threads: int = 0,
) -> Fit:
    """Learns a beam model from readings [S, K] or [K] (m) and the ranges that were expected, of the same shape.

    Every row is a scan, unless `scan` gives the number of the scan for each reading. The readings of a scan, and of a
    stretch of neighbouring scans, have errors in common. max_range_m: how far the sensor measures; or `sensor` says
    more. cell_m: of the map that `expected` is from; 0: not known. hit_offset_m: a number stays fixed; None: learned.
    hit: how hits spread, "gaussian", "student_t" or "grows"; None: as `start` has it. stretches: how many stretches of
    the way standard errors take as independent; 0: each scan is. variant: "exact", or for comparison "closed_form" or "book".
    """
    known = _sensor(sensor, None, max_range_m, None)
    options = dict(start=None if start is None else start.to_dict(), variant=variant, hit=hit, hit_offset_m=hit_offset_m,
                   stretches=stretches, tolerance=tolerance, max_iterations=max_iterations, threads=threads)
    return Fit(_fathom._fit_pairs(readings, expected, scan, known.to_dict(), cell_m, options))


def field(log: LogLike, map: GridMap,
          max_range_m: Union[float, str, None] = None, *,
          scans: str = "odd", test_scans: str = "", min_range_m: float = 0.0,
          max_distance_m: float = 2.0) -> FieldFit:
    """Learns the likelihood field of a log's sensor and judges it by scans that were not learned from. max_range_m: None: as
    the log says; "auto": the same, or, where it is lower, just below the value that many readings have and only stray
    ones exceed."""
    options = dict(max_range_m=max_range_m, scans=scans, test_scans=test_scans, min_range_m=min_range_m,
                   max_distance_m=max_distance_m)
    return FieldFit(_fathom._fit_field(_log(log), map, options))


def chain(noise: Any, free: Union[str, Sequence[str]], returns: ChainReturns, *, hold_out: int = 5,
          block_frames: int = 1, stretches: Optional[int] = None, threads: int = 0) -> ChainFit:
    """Learns parameters of a chain of noise, all at once, by maximum likelihood.

    noise: list of models; learning begins at their values. free: patterns of parameters, such as "distance.stddev_m" or
    "dropout.*"; "*": all that can be learned; "gain_bias.rings.*": of each ring. hold_out: every so many frames one judges
    and teaches nothing; 0: none. stretches: of the way, of about equal numbers of frames, that errors take as independent;
    0: frames, or blocks of block_frames; None: 40 where the sensor moved, else 0. threads: 0: one per core; they change no
    bit."""
    patterns = [free] if isinstance(free, str) else list(free)
    return _chain_fit_from(_fathom._fit_chain(_entries(noise), patterns, asdict(returns), hold_out, block_frames, stretches,
                                              threads))


def wall(measured: npt.ArrayLike, *, camera: Optional[Sequence[float]] = None,
         azimuth_rad: Optional[npt.ArrayLike] = None, lidar: Optional[str] = None, max_range_m: float = 0.0,
         tape_m: Optional[npt.ArrayLike] = None, left_out: Optional[npt.ArrayLike] = None, half_step_m: float = 0.0,
         border: Optional[str] = None, wall: Optional[str] = None, rings: bool = False, still: bool = False,
         rate_hz: float = 30.0, hold_out: int = 5, block_frames: int = 1, max_returns: int = 300_000, seed: int = 0,
         threads: int = 0) -> WallFit:
    """Learns the noise of a sensor from frames of a flat wall; neither pose nor scene is needed.

    measured: of a camera distances to the image plane, m, [frames, rows, cols], of a laser ranges [frames, rays], of a
    lidar ranges [frames, rows, cols]; what is not above 0 and finite is lost. camera: (fx, fy, cx, cy) in px, and of a
    stereo camera the baseline in m. azimuth_rad: of a laser's rays, [rays]. lidar: a preset, or a file with an entry of
    `sensors:` or a scene with one sensor. max_range_m: how far the sensor measures; 0: not known. tape_m: perpendicular
    distance of the sensor's origin to the wall by tape, m, [frames]; NaN: not measured. left_out: where it is not 0 (or
    True), a ray is left out, [rows, cols] or as measured. half_step_m: values are multiples of twice as much. border:
    "of_wall" or "not_known", losses with no reading between them and the border. wall: "largest" or "ahead", the plane
    that is the wall among other surfaces that a lidar or a laser sees. rings: of a lidar a bias (and a gain where it
    shows) for each ring, and a deviation unless tails are heavy. still: frames follow each other at rate_hz, and nothing
    moves but from place to place. The others: see chain()."""
    options = {"seed": seed, "border": border, "wall": wall, "rings": rings, "still": still, "rate_hz": rate_hz,
               "hold_out": hold_out, "block_frames": block_frames, "max_returns": max_returns, "threads": threads}
    sensor = _sensor_of(measured, camera, azimuth_rad, lidar, max_range_m)
    d = _fathom._fit_wall(measured, sensor, tape_m, left_out, half_step_m, options)
    return WallFit(chain=_chain_fit_from(d["chain"]), measure=_measure_from(d["measure"]),
                   correlation=WallCorrelation(**d["correlation"]), tape=WallTape(*d["tape"]) if d["tape"] else None,
                   loss_laws=[WallLossLaw(*law) for law in d["loss_laws"]],
                   range_laws=[WallLossLaw(*law) for law in d["range_laws"]], _sensor=sensor)


def distance(range: npt.ArrayLike, expected: npt.ArrayLike, scan: Optional[npt.ArrayLike] = None, *,
             stretches: int = 40) -> DistanceCalibration:
    """Learns the distance noise from measured ranges and the ranges that were expected (m, any shape, the same for both).
    Pairs without a finite value are skipped.

    scan: number of the scan of each pair, of the same shape. Errors take so many stretches of neighbouring scans as
    independent (0: each scan), and each pair where no scans are given."""
    return _pairs_fit(DistanceCalibration, "distance", _fathom._calibrate_distance(range, expected, scan, stretches))


def energy(energy: npt.ArrayLike, lost: npt.ArrayLike, *, normalization: str = "document") -> EnergyCalibration:
    """Learns the energy law from the energies of pixels (the channel energy, [-1, 1]) and whether they were lost (bool,
    or 0 and 1)."""
    return _pairs_fit(EnergyCalibration, "stereo_energy", _fathom._calibrate_energy(energy, lost, normalization))
