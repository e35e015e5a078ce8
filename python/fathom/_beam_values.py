# SPDX-License-Identifier: MIT
"""Parameters of the beam model, from the library's tables."""

from __future__ import annotations

from typing import Any

from . import _fathom
from ._values import Record, class_doc, parameters_of


class Parameters(Record):
    __slots__ = ()
    _owner = "beam"
    _fields = {field["name"]: field for field in _fathom.beam_parameter_fields()}
    _check = staticmethod(_fathom._check_beam_parameters)


class Sensor(Record):
    __slots__ = ()
    _owner = "beam"
    _fields = {field["name"]: field for field in _fathom.beam_sensor_fields()}
    _check = staticmethod(_fathom._check_beam_sensor)


def _finish(kind: Any, text: str) -> None:
    kind.__doc__ = class_doc(text, kind._fields.values())
    kind.__module__ = "fathom.beam"
    parameters_of(kind, kind._fields.values())


_finish(Parameters, "The parameters of the beam model; the four weights sum to 1.")
_finish(Sensor, "What is known of a range finder and not learned.")
