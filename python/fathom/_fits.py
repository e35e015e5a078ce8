# SPDX-License-Identifier: MIT
"""What all fits tell; calibrate.py shows it to users."""

from __future__ import annotations

import html
import pathlib
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple


class FitParameter(NamedTuple):
    """A parameter of a fit; NaN where there is no number."""

    name: str  #: "sigma_hit_m"; of a chain "distance.stddev_m", "gain_bias.rings.3.gain", "2.distance.stddev_m"
    unit: str
    start: float  #: where learning began, of chains; else NaN
    value: float
    std_error: float  #: takes the blocks as independent
    naive_error: float  #: the standard error if readings were independent
    low_95: float  #: 95 % interval
    high_95: float
    status: str  #: "learned", "fixed", "at_limit" or "unidentified"


class HeldOut(NamedTuple):
    """Readings that taught nothing, and their mean log densities, in nats."""

    nats: float  #: under the fit
    readings: int
    start_nats: float  #: under the start; NaN: no user gave it
    gain_nats: float
    gain_error: float
    note: str  #: what is unknown of these readings; may be empty


def parameters_from(tuples: Sequence[Any]) -> Dict[str, FitParameter]:
    return {p.name: p for p in (FitParameter(*t) for t in tuples)}


def held_out_from(numbers: Optional[Tuple[Any, ...]]) -> Optional[HeldOut]:
    return None if numbers is None else HeldOut(*numbers)


class ScanFit:
    """What fits of scans tell. Numbers by name; NaN at a boundary, or where a parameter was not fitted."""

    _fit: Any

    def __init__(self, fit: Any) -> None:
        self._fit = fit
        self._learned = parameters_from(fit._learned)

    @property
    def std_error(self) -> Dict[str, float]:
        """Standard errors, which take `blocks` stretches of the way as independent."""
        return {name: p.std_error for name, p in self._learned.items()}

    @property
    def naive_std_error(self) -> Dict[str, float]:
        """The same as if rays were independent."""
        return {name: p.naive_error for name, p in self._learned.items()}

    @property
    def interval_95(self) -> Dict[str, Tuple[float, float]]:
        """95 % intervals, (low, high)."""
        return {name: (p.low_95, p.high_95) for name, p in self._learned.items()}

    @property
    def blocks(self) -> int:
        """How many stretches of the way, or scans, the standard errors take as independent."""
        return int(self._fit.blocks)

    @property
    def readings(self) -> int:
        """How many were learned from."""
        return int(self._fit.readings)

    @property
    def flags(self) -> List[str]:
        """What to beware of, one line each."""
        return list(self._fit.flags)

    @property
    def held_out(self) -> Optional[HeldOut]:
        """Of scans that were not learned from; None: the fit is judged by the scans that it learned from."""
        return held_out_from(self._fit._held_out)

    def report(self, file: Any = None) -> str:
        """The report as a page of HTML that needs no other file; written to `file`, where one is given."""
        page = str(self._fit._page())
        if file is not None:
            pathlib.Path(file).write_text(page, encoding="utf-8")
        return page

    def _repr_html_(self) -> str:
        """Notebooks show the report in a separate frame, so that its style stays there."""
        return (f'<iframe srcdoc="{html.escape(self.report(), quote=True)}" '
                'style="width:100%;height:640px;border:0" sandbox></iframe>')

    def write(self, folder: Any, *, force: bool = False, localizers: Sequence[str] = ()) -> List[pathlib.Path]:
        """Writes parameters.yaml, report.html, for each localizer ("amcl", "nav2", "beluga") its parameters, and fit.json
        into a folder; returns their paths."""
        return list(self._fit.write(folder, force, list(localizers)))
