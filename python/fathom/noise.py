# SPDX-License-Identifier: MIT
"""Noise models, one class for each that the library has: fathom.noise.Distance(stddev_m=0.02).

The import makes the classes from the library's tables. Names, limits and defaults are those of scene files. A number may
also be a range (fathom.Uniform, LogUniform, Normal, TruncatedNormal), which is drawn once per episode. `entities` and
`rings` give other parameters to the returns of single entities (by name or id) and of single scan lines; parameters that
they omit come from the model. `correlation` correlates the draws of neighbouring pixels and frames:
correlation=dict(across_px=3, down_px=1, time_s=0.5, shape="gaussian").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Type, Union

from . import _fathom
from ._values import RANGES, InputError, Record, as_given, camel, class_doc, parameters_of, range_from

if TYPE_CHECKING:
    from ._made_noise import *  # the classes of models: a stub that the build makes

_TABLES: Dict[str, Dict[str, Any]] = {table["slug"]: table for table in _fathom.noise_models()}


class Noise(Record):
    """A noise model with its parameters. Its classes are in this module; make() finds a class by its word in scene files."""

    __slots__ = ("entities", "rings", "correlation")
    slug: str = ""
    stage: str = ""
    entities: Dict[Union[str, int], Dict[str, Any]]
    rings: Dict[int, Dict[str, Any]]
    correlation: Dict[str, Any]

    def __init__(
        self,
        *,
        entities: Optional[Mapping[Union[str, int], Any]] = None,
        rings: Optional[Mapping[int, Any]] = None,
        correlation: Optional[Mapping[str, Any]] = None,
        **values: Any,
    ) -> None:
        if not self.slug:
            raise TypeError("Noise is no model; fathom.noise holds the classes of models")
        given = as_given(self.slug, self._fields, values)
        object.__setattr__(self, "_given", given)
        object.__setattr__(self, "_values", {**_fathom.make_noise(self.slug, self._middles(given)), **given})
        if entities and rings:
            raise InputError(f"{self.slug}.rings: and entities are both given; a model takes one of them")
        object.__setattr__(self, "entities", {k: self._others(v) for k, v in (entities or {}).items()})
        object.__setattr__(self, "rings", {k: self._others(v) for k, v in (rings or {}).items()})
        object.__setattr__(self, "correlation", _fathom.make_correlation(dict(correlation)) if correlation else {})

    def _middles(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        """The values with a middle number for each range, for checks before anything is drawn."""
        made = dict(values)
        for name, value in values.items():
            if not isinstance(value, RANGES):
                continue
            field = self._fields.get(name)
            if field is None or field["kind"] != "number":
                raise InputError(f"{self.slug}.{name}: only numbers can be ranges")
            made[name] = value._middle(field)
        return made

    def _others(self, values: Any) -> Dict[str, Any]:
        """The parameters for an entity or a ring, as they were given."""
        given = values._given if isinstance(values, Noise) else as_given(self.slug, self._fields, values)
        if isinstance(values, Noise) and type(values) is not type(self):
            raise InputError(f"{self.slug}: {values!r} is another model")
        _fathom.make_noise(self.slug, self._middles({**self._given, **given}))
        return dict(given)

    def replace(self, **values: Any) -> Any:
        """A copy with these parameters changed."""
        kept: Dict[str, Any] = dict(
            entities=self.entities, rings=self.rings, correlation=self.correlation, **self._given
        )
        return type(self)(**{**kept, **as_given(self.slug, self._fields, values)})

    @property
    def has_ranges(self) -> bool:
        """Whether any of its numbers is drawn."""
        every = [self._given, *self.entities.values(), *self.rings.values()]
        return any(isinstance(v, RANGES) for values in every for v in values.values())

    def _besides(self) -> Tuple[Any, ...]:
        return (self.entities, self.rings, self.correlation)

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and self._besides() == other._besides()  # type: ignore

    __hash__ = Record.__hash__

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_made, (self.slug, dict(self._given), *self._besides()))

    def __repr__(self) -> str:
        parts = [f"{k}={v!r}" for k, v in self._given.items()]
        besides = zip(("entities", "rings", "correlation"), self._besides())
        parts += [f"{name}={value!r}" for name, value in besides if value]
        return f"{type(self).__name__}({', '.join(parts)})"


def _made(slug: str, given: Dict[str, Any], entities: Any, rings: Any, correlation: Any) -> Noise:
    return make(slug, entities=entities, rings=rings, correlation=correlation, **given)


def _class_of(table: Dict[str, Any]) -> Type[Noise]:
    fields = table["fields"]
    notes = table["doc"] + (("\n\n" + table["note"]) if table["note"] else "")
    kind = type(
        camel(table["slug"]),
        (Noise,),
        {
            "__slots__": (),
            "__module__": __name__,
            "__doc__": class_doc(f"{notes}\n\nActs on: {table['stage']}.", fields),
            "_owner": table["slug"],
            "_fields": {field["name"]: field for field in fields},
            "slug": table["slug"],
            "stage": table["stage"],
        },
    )
    parameters_of(kind, fields, ("entities", "rings", "correlation"))
    return kind


_CLASSES: Dict[str, Type[Noise]] = {slug: _class_of(table) for slug, table in _TABLES.items()}
globals().update({kind.__name__: kind for kind in _CLASSES.values()})
__all__ = ["Noise", "make", "models", *sorted(kind.__name__ for kind in _CLASSES.values())]


def __getattr__(name: str) -> Type[Noise]:
    likely = _fathom.likely_name(name, [kind.__name__ for kind in _CLASSES.values()])
    raise AttributeError(f"no noise model is called '{name}'" + (f"; did you mean '{likely}'?" if likely else ""))


def make(slug: str, **values: Any) -> Noise:
    """A model by its name in scene files: make("distance", stddev_m=0.02). The error for an unknown name offers the nearest."""
    if slug not in _CLASSES:
        _fathom.make_noise(slug, {})  # refuses it
    return _CLASSES[slug](**values)


def models() -> Dict[str, Type[Noise]]:
    """All models by their names in scene files."""
    return dict(_CLASSES)


def _entity_id(scene: Any, entity: Union[str, int]) -> int:
    return int(scene.find_entity(entity)) if isinstance(entity, str) else int(entity)


def chain_spec(noise: List[Noise], scene: Any) -> Tuple[List[Any], List[Dict[str, Any]]]:
    """A chain as the module _fathom takes it: entries and ranges."""
    entries: List[Any] = []
    ranges: List[Dict[str, Any]] = []
    for position, model in enumerate(noise):
        own = model._given

        def values_for(other: Dict[str, Any], entity: Optional[int], ring: Optional[int]) -> Dict[str, Any]:
            values = {**own, **other}
            for name, value in values.items():
                if isinstance(value, RANGES):
                    as_chain = (entity is not None or ring is not None) and name not in other
                    ranges.append(dict(value._law(model._fields[name]), entry=position, field=name, entity=entity,
                                       ring=ring, as_chain=as_chain, target="noise"))
            return model._middles(values)

        values = values_for({}, None, None)
        by_entity = [(_entity_id(scene, e), v) for e, v in model.entities.items()]
        entities = [(entity, values_for(v, entity, None)) for entity, v in by_entity]
        rings = [(ring, values_for(v, None, int(ring))) for ring, v in model.rings.items()]
        entries.append((model.slug, values, entities, rings, model.correlation))
    return entries, ranges


def chain_from(entries: List[Any], ranges: List[Dict[str, Any]], names: List[str]) -> List[Noise]:
    """The inverse of chain_spec(); entities get their names."""
    chain: List[Noise] = []
    for position, (slug, values, entities, rings, correlation) in enumerate(entries):
        defaults = {f["name"]: f["default"] for f in _TABLES[slug]["fields"]}
        own = {k: v for k, v in values.items() if v != defaults[k]}
        others: Dict[Any, Dict[str, Any]] = {names[e]: dict(v) for e, v in entities}
        lines: Dict[int, Dict[str, Any]] = {r: dict(v) for r, v in rings}
        for one in ranges:
            if one["target"] != "noise" or one["entry"] != position:
                continue
            of = own
            if one["entity"] is not None:
                of = others[names[one["entity"]]]
            elif one["ring"] is not None:
                of = lines[one["ring"]]
            if one["as_chain"]:
                of.pop(one["field"], None)
            else:
                of[one["field"]] = range_from(one)
        for other in [*others.values(), *lines.values()]:
            for name in [n for n, v in other.items() if n in own and own[n] == v or n not in own and v == defaults[n]]:
                del other[name]
        chain.append(make(slug, entities=others or None, rings=lines or None, correlation=correlation or None, **own))
    return chain
