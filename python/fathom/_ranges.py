# SPDX-License-Identifier: MIT
"""Ranges of sensors and of entities: what users give, and what the module _fathom takes."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, Mapping, Optional

import numpy as np

from . import _fathom
from ._values import RANGES, FieldDict, InputError, Uniform, as_given, range_from

_MOST_M = 1e9
_REFLECTIVITY: FieldDict = dict(name="reflectivity", low=0.0, high=1.0)
# A key of pose_offset and the numbers that it is, each with its limits.
_OFFSETS: Dict[str, FieldDict] = {
    "position_m": dict(name="position_m", low=-_MOST_M, high=_MOST_M),
    "rotation_rad": dict(name="rotation_rad", low=-math.pi, high=math.pi),
}


def _part_names(key: str) -> List[str]:
    name, unit = key.rsplit("_", 1)
    return [f"{name}_{axis}_{unit}" for axis in "xyz"]


def _range_dict(law: Mapping[str, Any], field: str, target: str, entity: Optional[int] = None) -> Dict[str, Any]:
    return dict(law, entry=0, field=field, entity=entity, ring=None, as_chain=False, target=target)


def _offset_dicts(owner: str, offset: Mapping[str, Any], target: str, entity: Optional[int] = None) -> List[Dict[str, Any]]:
    made: List[Dict[str, Any]] = []
    given = as_given(f"{owner}.pose_offset", _OFFSETS, offset)
    for key, value in given.items():
        if key not in _OFFSETS:
            raise InputError(f"{owner}.pose_offset.{key}: only position_m, rotation_rad and rotation_deg are known")
        field = _OFFSETS[key]
        parts = [value] * 3 if isinstance(value, RANGES) else list(value)
        if len(parts) != 3:
            raise InputError(f"{owner}.pose_offset.{key}: has {len(parts)} values, not 3")
        for name, part in zip(_part_names(key), parts):
            if not isinstance(part, RANGES):
                if part == 0:
                    continue
                part = Uniform(part, part)
            made.append(_range_dict(part._law(field), name, target, entity))
    return made


def sensor_range_dicts(sensor: Any) -> List[Dict[str, Any]]:
    """Of a Sensor: its ranges and its pose_offset."""
    made: List[Dict[str, Any]] = []
    owner = f"sensor '{sensor.name}'"
    fields: Dict[str, FieldDict] = {}
    for field in sensor.model._fields.values():
        fields.update({name: field for name in [field["name"], *field.get("parts", ())]})
    for name, value in as_given(f"{owner}.ranges", fields, sensor.ranges).items():
        if not isinstance(value, RANGES):
            raise InputError(f"{owner}.ranges: {name} = {value!r} is no range, such as Uniform(1, 2)")
        field = fields.get(name, dict(name=name, low=-math.inf, high=math.inf))
        made.append(_range_dict(value._law(field), name, "sensor"))
    return made + _offset_dicts(owner, sensor.pose_offset, "sensor")


def entity_range_dicts(scene: _fathom.Scene, ranges: Any) -> List[Dict[str, Any]]:
    """Of entities, by name or id: {"door": {"reflectivity": Uniform(0.2, 0.9), "pose_offset": {...}}}; a list is what a
    Setup holds, and stays."""
    if isinstance(ranges, list):
        return ranges
    made: List[Dict[str, Any]] = []
    for entity, given in (ranges or {}).items():
        number = scene.find_entity(entity) if isinstance(entity, str) else int(entity)
        owner = f"entity_ranges: {entity!r}"
        for name, value in given.items():
            if name == "pose_offset":
                made += _offset_dicts(owner, value, "entity", number)
            elif not isinstance(value, RANGES):
                raise InputError(f"{owner}: {name} = {value!r} is no range, such as Uniform(0.2, 0.9)")
            else:
                made.append(_range_dict(value._law(_REFLECTIVITY), name, "entity", number))
    return made


def _offset_from(dicts: Iterable[Mapping[str, Any]]) -> Dict[str, Any]:
    laws = {one["field"]: range_from(one) for one in dicts}
    made: Dict[str, Any] = {}
    for key in _OFFSETS:
        parts = [laws.get(name, 0.0) for name in _part_names(key)]
        if any(part != 0.0 for part in parts):
            made[key] = [p.low if isinstance(p, Uniform) and p.low == p.high else p for p in parts]
    return made


def _is_offset(field: str) -> bool:
    return any(field in _part_names(key) for key in _OFFSETS)


def ranges_from(dicts: Iterable[Mapping[str, Any]]) -> Dict[str, Any]:
    """The other way round, for a Sensor: its ranges and pose_offset."""
    of_sensor = [one for one in dicts if one["target"] == "sensor"]
    return dict(ranges={one["field"]: range_from(one) for one in of_sensor if not _is_offset(one["field"])},
                pose_offset=_offset_from(one for one in of_sensor if _is_offset(one["field"])))


def entity_ranges_from(dicts: Iterable[Mapping[str, Any]], names: List[str]) -> Dict[str, Dict[str, Any]]:
    """The other way round, for entities; parts that take what is drawn for the whole are left out."""
    every = [one for one in dicts if not one["as_chain"]]
    made: Dict[str, Dict[str, Any]] = {}
    for number in dict.fromkeys(one["entity"] for one in every):
        own = [one for one in every if one["entity"] == number]
        of_entity: Dict[str, Any] = {one["field"]: range_from(one) for one in own if not _is_offset(one["field"])}
        offset = _offset_from(one for one in own if _is_offset(one["field"]))
        if offset:
            of_entity["pose_offset"] = offset
        made[names[number]] = of_entity
    return made


def drawn_arrays(which: List[Dict[str, Any]], values: Any) -> Dict[str, Any]:
    """Drawn values [environments, ranges] by the names of Environments.drawn()."""
    entries = {(one["model"], one["entry"]) for one in which if one["model"] is not None}
    made: Dict[str, Any] = {}
    for column, one in enumerate(which):
        name = one["model"]
        if name is None:
            made[one["field"]] = np.ascontiguousarray(values[:, column])
            continue
        if sum(model == name for model, _ in entries) > 1:
            name += f"@{one['entry']}"
        if one["entity"] is not None:
            name += f"[{one['entity']}]"
        if one["ring"] is not None:
            name += f"[ring {one['ring']}]"
        made[f"{name}.{one['field']}"] = np.ascontiguousarray(values[:, column])
    return made
