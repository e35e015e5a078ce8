# SPDX-License-Identifier: MIT
"""Whole chains of noise learned from measured frames, and frames scored under them; fathom.calibrate shows it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _fathom
from ._fits import FitParameter, HeldOut
from .noise import Noise, chain_from, chain_spec
from .sensors import noise_list
from .simulate import override_list

Floats32 = npt.NDArray[np.float32]


def _none() -> Floats32:
    return np.empty(0, np.float32)


@dataclass(frozen=True)
class ChainReturns:
    """What frames measured, and what the scene says of the same rays before any noise: arrays [N], float32, of rays that met
    a surface within the limits of the sensor. read_measured_frames() makes them of a scene."""

    range_m: Any  #: measured; NaN: lost
    clean_range_m: Any  #: above 0
    clean_x_m: Any  #: of the clean hit point in the sensor frame; of a camera its depth
    clean_y_m: Any
    incidence_rad: Any  #: in [0, pi / 2]
    energy: Any  #: as the channel energy
    frame: Any  #: uint32, ascending
    ring: Any = field(default_factory=lambda: np.empty(0, np.uint16))  #: scan line of each ray, uint16; empty: not known
    sensor_moved: bool = False  #: whether frames are from different places
    edge_rad: Any = field(default_factory=_none)  #: what edge_loss reads of the neighbours; empty: not known
    jump: Any = field(default_factory=_none)
    jump_rad: Any = field(default_factory=_none)
    light: Any = field(default_factory=_none)  #: of surfaces in clear air, for weather: reflectivity x law; empty: not known
    fx_px: float = 0.0  #: of the sensor's camera, if it is one
    cx_px: float = 0.0
    baseline_m: float = 0.0
    min_range_m: float = 0.0  #: of the sensor
    max_range_m: float = 1e9
    beam_rad: float = 0.0  #: full angle by which rays widen, for rain and snow; 0: that of the model
    least_power: float = 0.0  #: that the sensor detects: 0.1 / reach_10_m^2; 0: it detects all
    outside: str = "kept"  #: ranges that noise carried outside these limits are "kept", "clamped" or "lost"
    half_step_m: float = 0.0  #: half the step to which ranges are rounded; 0: no rounding
    depths_are_rounded: bool = False  #: true: depths are rounded; false: ranges are
    #: what turned rays meet, for chains with angular_ray: as read_measured_frames() made it, of all these returns; None: not known
    turned: Optional[Dict[str, Any]] = None
    #: by what angles points lie beside their rays, for chains with angular_hit: `axes`, one or two of "x", "y", "z" in the
    #: order of the chain, and `first_rad` and `second_rad` [N] about them (the second of one axis empty), NaN: lost; None: not known
    hits: Optional[Dict[str, Any]] = None


class MeasuredFrames(NamedTuple):
    """Measured frames of a sensor beside its scene."""

    returns: ChainReturns
    sensor: str
    noise: List[Noise]  #: of the sensor in the scene
    frames: int
    hidden: int  #: rays left out, as cameras do not see them or a window changes them
    unexpected: int  #: readings where the scene has nothing within the limits, left out
    flags: List[str]  #: what to know of them, a sentence each


@dataclass(frozen=True)
class ChainFit:
    """A chain that was learned. Log densities are in nats."""

    noise: List[Noise]  #: as given, with the learned values
    parameters: Dict[str, FitParameter]  #: by name
    correlations: npt.NDArray[np.float64]  #: of standard errors, [parameters, parameters]; NaN: unknown
    returns: int
    lost: int
    frames: int
    blocks: int  #: that standard errors take as independent
    block: str  #: "stretch" of the way; "frame", or a block of frames
    at_edges: int  #: of a chain with angular_ray: returns used to learn whose turned rays meet several surfaces
    start_log_likelihood: float  #: NaN of a wall, where no user gave the start
    log_likelihood: float
    held_out: Optional[HeldOut]  #: None: no frame was held out
    flags: List[str]


class FrameScore(NamedTuple):
    """Mean log density of a frame's returns under a chain."""

    frame: int
    returns: int
    lost: int
    nats: float


class MeanScore(NamedTuple):
    """Nats per return of all frames, and its standard error with frames as what is independent; NaN for one frame."""

    nats: float
    std_error: float


def _entries(noise: Any) -> List[Any]:
    entries, ranges = chain_spec(noise_list(noise, ""), None)
    if ranges:
        raise _fathom.InputError(f"noise: {ranges[0]['field']} is a range; a chain is learned from one value")
    return entries


def score_frames(noise: Any, returns: ChainReturns, *, threads: int = 0) -> List[FrameScore]:
    """Nats per return of each frame under a chain; a return that the chain holds for impossible counts -60."""
    return [FrameScore(*s) for s in _fathom._score_frames(_entries(noise), asdict(returns), threads)]


def mean_score(scores: Sequence[FrameScore], *, stretches: int = 0) -> MeanScore:
    """Nats per return of all frames together. Its standard error treats `stretches` parts of the way as independent;
    0: frames."""
    return MeanScore(*_fathom._mean_score([tuple(s) for s in scores], stretches))


def score_difference(scores: Sequence[FrameScore], others: Sequence[FrameScore], *, stretches: int = 0) -> MeanScore:
    """Of `scores` less `others`, of the same frames under another chain."""
    return MeanScore(*_fathom._score_difference([tuple(s) for s in scores], [tuple(s) for s in others], stretches))


def read_measured_frames(scene: Any, measured: Any, sensor: str = "", *,
                         overrides: Union[Sequence[str], Mapping[str, Any]] = (), files: str = "",
                         levels_per_m: Optional[float] = None,
                         laser: str = "", ray_angle_deg: Optional[float] = None,
                         mount: Optional[Tuple[float, float, float]] = None, scans: str = "all",
                         max_range_m: Optional[float] = None, step_m: float = 0.0, max_returns: int = 300_000,
                         angle_scale_rad: float = 0.0, other_noise: Any = (), threads: int = 0) -> MeasuredFrames:
    """Measured frames beside a scene, which is cast at the time of each.

    scene: scene file. measured: folder of a run of it, or of depth images (16-bit PNG, NPY, PFM, EXR) or clouds (PCD,
    PLY) in whose names stands the number of the frame, or the log of a planar laser (CARMEN text, CSV), whose scan k is
    frame k at the pose of the log. sensor: its name; "": the only one. overrides: as load() takes them. files: pattern
    of images or clouds; levels_per_m: of 16-bit images, None: 1000. laser, ray_angle_deg, mount: as
    beam.read_scan_log() takes them; scans: "all", "odd", "even" or "start:stop:step" of a log; max_range_m: readings of
    a log of at least so much are lost, None: as CARMEN text says; step_m: ranges of a log are multiples of it.
    max_returns: more are thinned out at random. angle_scale_rad: of a chain with angular_ray: rays are cast up to four
    times this angle to each side; 0: one and a half times the deviation that the chain has, or a milliradian where it
    has none. other_noise: another chain under which the frames will be scored, whose rays are turned, too. Raises
    InputError for an option that does nothing to what was measured, such as scans of a run."""
    log = {"laser": laser, "ray_angle_deg": ray_angle_deg, "mount": mount, "scans": scans, "max_range_m": max_range_m,
           "step_m": step_m}
    d = _fathom._read_measured_frames(scene, measured, sensor, override_list(overrides), files, levels_per_m, log,
                                      max_returns, angle_scale_rad, _entries(list(other_noise)), threads)
    return MeasuredFrames(ChainReturns(**d["returns"]), d["sensor"], chain_from(d["noise"], [], []), d["frames"],
                          d["hidden"], d["unexpected"], d["flags"])


def chain_yaml(noise: Any, indent: int = 2) -> str:
    """The chain as the list that scene files hold under `noise:`."""
    return str(_fathom._chain_yaml(_entries(noise), indent))
