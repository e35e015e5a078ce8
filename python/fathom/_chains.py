# SPDX-License-Identifier: MIT
"""Whole chains of noise learned from measured frames, and frames scored under them; fathom.calibrate shows it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _fathom
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
    edge_rad: Any = field(default_factory=_none)  #: what edge_loss reads of the neighbours; empty: not known
    jump: Any = field(default_factory=_none)
    jump_rad: Any = field(default_factory=_none)
    fx_px: float = 0.0  #: of the sensor's camera, if it is one
    cx_px: float = 0.0
    baseline_m: float = 0.0
    min_range_m: float = 0.0  #: of the sensor
    max_range_m: float = 1e9
    outside: str = "kept"  #: or "clamped", "lost": what became of ranges that noise carried outside these limits
    half_step_m: float = 0.0  #: ranges are rounded to multiples of twice as much; 0: they are not
    depths_are_rounded: bool = False  #: it is distances to the image plane that are so rounded
    #: what turned rays meet, for chains with angular_ray: as read_measured_frames() made it, of all these returns; None: not known
    turned: Optional[Dict[str, Any]] = None


class MeasuredFrames(NamedTuple):
    """Measured frames of a sensor beside its scene."""

    returns: ChainReturns
    sensor: str
    noise: List[Noise]  #: of the sensor in the scene
    frames: int
    hidden: int  #: rays left out, as cameras do not see them or a window changes them
    unexpected: int  #: readings where the scene has nothing within the limits, left out


@dataclass(frozen=True)
class LearnedParameter:
    """A parameter of a chain that was learned."""

    name: str  #: "distance.stddev_m"; of a model that is there twice "2.distance.stddev_m", by its place
    unit: str
    start: float
    value: float
    std_error: float  #: NaN: none, at a limit or not identified
    naive_error: float  #: if returns were independent
    low: float  #: 95 % interval
    high: float
    is_unidentified: bool
    is_at_limit: bool


@dataclass(frozen=True)
class ChainFit:
    """A chain that was learned. Log densities are in nats."""

    noise: List[Noise]  #: as given, with the learned values
    parameters: Dict[str, LearnedParameter]  #: by name
    correlations: npt.NDArray[np.float64]  #: of their errors, [parameters, parameters]; NaN where there is none
    returns: int
    lost: int
    frames: int
    clusters: int
    at_edges: int  #: of a chain with angular_ray: returns used to learn whose turned rays meet several surfaces
    start_log_likelihood: float
    log_likelihood: float
    judged: int  #: returns held out
    held_out_nats: float  #: mean of a return held out; NaN: none
    start_nats: float  #: the same of the chain as given
    gain_nats: float
    gain_error: float
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


def fit_chain(noise: Any, free: Union[str, Sequence[str]], returns: ChainReturns, *, hold_out: int = 5,
              block_frames: int = 1, threads: int = 0) -> ChainFit:
    """Learns parameters of a chain of noise, all at once, by maximum likelihood.

    noise: list of models; learning begins at their values. free: patterns of parameters, such as "distance.stddev_m" or
    "dropout.*"; "*": all that can be learned. hold_out: every so many frames one judges and teaches nothing; 0: none.
    block_frames: frames that count as one for the errors. threads: 0: one per core; they change no bit."""
    patterns = [free] if isinstance(free, str) else list(free)
    made = _fathom._fit_chain(_entries(noise), patterns, asdict(returns), hold_out, block_frames, threads)
    d = made["fit"]
    d["parameters"] = {p["name"]: LearnedParameter(**p) for p in d["parameters"]}
    return ChainFit(noise=chain_from(made["noise"], [], []), **d)


def score_frames(noise: Any, returns: ChainReturns, *, threads: int = 0) -> List[FrameScore]:
    """Nats per return of each frame under a chain; a return that the chain holds for impossible counts -60."""
    return [FrameScore(*s) for s in _fathom._score_frames(_entries(noise), asdict(returns), threads)]


def mean_score(scores: Sequence[FrameScore]) -> MeanScore:
    """Nats per return of all frames together."""
    return MeanScore(*_fathom._mean_score([tuple(s) for s in scores]))


def score_difference(scores: Sequence[FrameScore], others: Sequence[FrameScore]) -> MeanScore:
    """Of `scores` less `others`, of the same frames under another chain."""
    return MeanScore(*_fathom._score_difference([tuple(s) for s in scores], [tuple(s) for s in others]))


def read_measured_frames(scene: Any, measured: Any, sensor: str = "", *,
                         overrides: Union[Sequence[str], Mapping[str, Any]] = (), files: str = "", levels_per_m: float = 1000.0,
                         most_returns: int = 300_000, angle_scale_rad: float = 0.0, other_noise: Any = (),
                         threads: int = 0) -> MeasuredFrames:
    """Measured frames beside a scene, which is cast at the time of each.

    scene: scene file. measured: folder of a run of it, or of depth images (16-bit PNG, NPY) in whose names stands the
    number of the frame. sensor: its name; "": the only one. overrides: as load() takes them. files: pattern of
    images; levels_per_m: of 16 bits. most_returns: more are thinned out at random. angle_scale_rad: of a chain with
    angular_ray: rays are cast up to four times this angle to each side; 0: one and a half times the deviation that the
    chain has, or a milliradian where it has none. other_noise: another chain under which the frames will be scored, whose
    rays are turned, too."""
    d = _fathom._read_measured_frames(scene, measured, sensor, override_list(overrides), files, levels_per_m, most_returns,
                                      angle_scale_rad, _entries(list(other_noise)), threads)
    return MeasuredFrames(ChainReturns(**d["returns"]), d["sensor"], chain_from(d["noise"], [], []), d["frames"],
                          d["hidden"], d["unexpected"])


def chain_yaml(noise: Any, indent: int = 2) -> str:
    """The chain as the list that scene files hold under `noise:`."""
    text: str = _fathom._chain_yaml(_entries(noise), indent)
    return text
