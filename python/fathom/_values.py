# SPDX-License-Identifier: MIT
"""Values of named parameters, made from the tables of the library."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

from . import _fathom

InputError = _fathom.InputError
FieldDict = Dict[str, Any]


@dataclass(frozen=True)
class Uniform:
    """Drawn once per episode: every value from `low` to `high` equally likely."""

    low: float
    high: float

    def _law(self, field: FieldDict) -> Dict[str, Any]:
        return dict(law="uniform", low=float(self.low), high=float(self.high), mean=0.0, stddev=0.0)

    def _middle(self, field: FieldDict) -> float:
        return 0.5 * self.low + 0.5 * self.high

    def _times(self, factor: float) -> "Uniform":
        return Uniform(self.low * factor, self.high * factor)


@dataclass(frozen=True)
class LogUniform:
    """Drawn once per episode: every ratio equally likely, from `low` (above 0) to `high`."""

    low: float
    high: float

    def _law(self, field: FieldDict) -> Dict[str, Any]:
        return dict(law="log_uniform", low=float(self.low), high=float(self.high), mean=0.0, stddev=0.0)

    def _middle(self, field: FieldDict) -> float:
        if not (self.low > 0 and self.high > 0):
            raise InputError(f"{field['name']}: LogUniform({self.low}, {self.high}) does not begin above 0")
        return min(max(math.sqrt(self.low) * math.sqrt(self.high), self.low), self.high)

    def _times(self, factor: float) -> "LogUniform":
        return LogUniform(self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Normal:
    """Drawn once per episode: normal, clipped to `limits` (low, high), by default the limits of the parameter."""

    mean: float
    stddev: float
    limits: Optional[Tuple[float, float]] = None

    def _limits(self, field: FieldDict) -> Tuple[float, float]:
        return self.limits if self.limits is not None else (field["low"], field["high"])

    def _law(self, field: FieldDict) -> Dict[str, Any]:
        low, high = self._limits(field)
        return dict(law="normal", low=float(low), high=float(high), mean=float(self.mean), stddev=float(self.stddev))

    def _middle(self, field: FieldDict) -> float:
        low, high = self._limits(field)
        return min(max(float(self.mean), low), high)

    def _times(self, factor: float) -> "Normal":
        limits = None if self.limits is None else (self.limits[0] * factor, self.limits[1] * factor)
        return Normal(self.mean * factor, self.stddev * factor, limits)


@dataclass(frozen=True)
class TruncatedNormal(Normal):
    """Drawn once per episode: normal, renormalised on `limits` (low, high), by default the limits of the parameter. No value
    is drawn more often because it is a limit."""

    def _law(self, field: FieldDict) -> Dict[str, Any]:
        return dict(super()._law(field), law="truncated_normal")

    def _times(self, factor: float) -> "TruncatedNormal":
        made = super()._times(factor)
        return TruncatedNormal(made.mean, made.stddev, made.limits)


RANGES = (Uniform, LogUniform, Normal, TruncatedNormal)


def range_from(law: Mapping[str, Any]) -> Any:
    """The range from a dict of the library."""
    if law["law"] == "uniform":
        return Uniform(law["low"], law["high"])
    if law["law"] == "log_uniform":
        return LogUniform(law["low"], law["high"])
    bell = TruncatedNormal if law["law"] == "truncated_normal" else Normal
    return bell(law["mean"], law["stddev"], (law["low"], law["high"]))


def _radians(value: Any, field: FieldDict) -> Any:
    """Degrees as radians. A value that rounding carries beyond a limit becomes the limit: 180 degrees are never above pi."""
    factor = math.pi / 180.0
    if isinstance(value, RANGES):
        return value._times(factor)
    if isinstance(value, (int, float)):
        rad = value * factor
        near = 1e-12 + 1e-12 * abs(rad)
        for limit in (field["low"], field["high"]):
            if abs(rad - limit) <= near:
                return limit
        return rad
    return [_radians(one, field) for one in value]


def as_given(owner: str, fields: Mapping[str, FieldDict], values: Mapping[str, Any]) -> Dict[str, Any]:
    """The values by the names of the table: an angle x_rad may be given as x_deg, as in scene files."""
    made: Dict[str, Any] = {}
    for name, value in values.items():
        rad = name[:-4] + "_rad" if name.endswith("_deg") else None
        if name not in fields and rad in fields:
            if rad in values:
                raise InputError(f"{owner}.{name}: and {rad} are both given; one is enough")
            assert rad is not None
            made[rad] = _radians(value, fields[rad])
        else:
            made[name] = value
    return made


def field_doc(field: FieldDict) -> str:
    """The meaning, unit, limits and default of a field, as one sentence."""
    unit = "" if field["unit"] in ("1", "") or field["choices"] else f" {field['unit']}"
    text: str = field["doc"]
    if field["choices"]:
        text += ": " + ", ".join(field["choices"])
    elif field["kind"] in ("number", "count", "list", "pair"):
        text += f"; in [{field['low']:g}, {field['high']:g}]{unit}"
    return text + ("; required" if field["required"] else f"; default {field['default_text'] or 'none'}")


def parameters_of(kind: Any, fields: Iterable[FieldDict], more: Iterable[str] = ()) -> None:
    """Gives a class the parameters of a table, for help and editors: the signature of its __init__, and properties."""
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    every: List[inspect.Parameter] = [own]
    for field in fields:
        default = inspect.Parameter.empty if field["required"] else field["default"]
        every.append(inspect.Parameter(field["name"], inspect.Parameter.KEYWORD_ONLY, default=default))
        setattr(kind, field["name"], property(_getter(field["name"]), doc=field_doc(field)))
    every += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in more]

    base = kind.__mro__[1].__init__ if "__init__" not in kind.__dict__ else kind.__init__

    def init(self: Any, **values: Any) -> None:
        base(self, **values)

    init.__name__ = init.__qualname__ = "__init__"
    setattr(init, "__signature__", inspect.Signature(every, return_annotation=None))
    kind.__init__ = init


def _getter(name: str) -> Callable[[Any], Any]:
    return lambda self: self._value(name)


def class_doc(text: str, fields: Iterable[FieldDict]) -> str:
    lines = [text, ""]
    for field in fields:
        lines.append(f"{field['name']}: {field_doc(field)}")
    return "\n".join(lines)


def camel(slug: str) -> str:
    """stereo_energy: StereoEnergy."""
    return "".join(part.capitalize() for part in slug.split("_"))


def no_attribute(record: Any, name: str) -> AttributeError:
    return AttributeError(f"'{type(record).__name__}' has no parameter '{name}'")


class Record:
    """Parameters of a table, checked when they are given. It never changes; replace() makes a changed copy."""

    __slots__ = ("_given", "_values")
    _owner: str = ""
    _fields: Dict[str, FieldDict] = {}
    _check: Callable[[Dict[str, Any]], Dict[str, Any]]

    def __init__(self, **values: Any) -> None:
        given = as_given(self._owner, self._fields, values)
        for name, field in self._fields.items():
            if field["required"] and name not in given:
                raise InputError(f"{self._owner}.{name}: is required")
        object.__setattr__(self, "_given", given)
        object.__setattr__(self, "_values", {**type(self)._check(given), **given})

    def _value(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"'{type(self).__name__}' never changes; replace({name}=...) makes another")

    def to_dict(self) -> Dict[str, Any]:
        """All parameters by name."""
        return dict(self._values)

    def replace(self, **values: Any) -> Any:
        """A copy with these parameters changed."""
        return type(self)(**{**self._given, **as_given(self._owner, self._fields, values)})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values == other._values  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), repr(self._values)))

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_made, (type(self), self._given))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._given.items())})"


def _made(kind: Any, given: Dict[str, Any]) -> Any:
    return kind(**given)
