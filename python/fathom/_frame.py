# SPDX-License-Identifier: MIT
"""What a frame can do in NumPy alone. The functions become methods of Frame."""

from __future__ import annotations

import collections
from typing import Any, Counter, Optional

import numpy as np

from . import _fathom
from ._fathom import InputError

_LOST = {"nan": np.nan, "inf": np.inf, "zero": 0.0, "minus_one": -1.0}


def points(self: Any, *, valid: bool = False, frame: Optional[str] = None) -> Any:
    """The points float32 [rows, cols, 3], m, without a copy; with valid=True those of returns alone, a copy [n, 3].

    frame: "sensor" or "world"; None: whichever the frame holds (hit_sensor or hit_world), the sensor's first.
    """
    if frame not in (None, "sensor", "world"):
        raise InputError(f"frame: {frame!r} is not one of sensor, world")
    name = f"hit_{frame}" if frame else "hit_sensor" if "hit_sensor" in self or "hit_world" not in self else "hit_world"
    all_points = self[name]
    if not valid:
        return all_points
    return all_points[np.isfinite(all_points[..., 0])]


def valid(self: Any) -> Any:
    """Where there is a return, bool [rows, cols]; needs the channel reason."""
    return self.reason == 0


def reasons(self: Any) -> Counter[str]:
    """How many rays ended for which reason, by its name; needs the channel reason."""
    counts = zip(_fathom.REASONS, self._count_reasons())
    return collections.Counter({name: count for name, count in counts if count})


def filled(self: Any, channel: str, *, lost: str = "nan", max_m: Optional[float] = None) -> Any:
    """A copy of a range or depth in which lost pixels, and rays that met nothing, have a value: "nan", "inf", "zero",
    "max" (max_m, or the farthest range of the sensor) or "minus_one"."""
    if channel not in _fathom.LENGTH_CHANNELS:
        raise InputError(f"channel: {channel!r} is not one of {', '.join(_fathom.LENGTH_CHANNELS)}")
    if lost == "max":
        value = self.max_range_m if max_m is None else float(max_m)
        if not value > 0:
            raise InputError(f"max_m: {value} is not above 0")
    elif lost in _LOST:
        value = _LOST[lost]
    else:
        raise InputError(f"lost: {lost!r} is not one of nan, inf, zero, max, minus_one")
    made = self[channel].copy()
    made[~np.isfinite(made)] = value
    return made
