# SPDX-License-Identifier: MIT
"""The beam model of range finders: it scores scans and locates them. fathom.fit learns it.

A reading z is compared with the range z* that a map or a scene predicts. docs/beam-model.md describes the model.
"""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _fathom
from ._fathom import GridMap, Heatmap, ScanLog, Scene, World, even_azimuths_rad, read_bag_log, read_scan_log
from ._fits import ScanFit
from ._values import Record, class_doc, parameters_of

__all__ = ["BeamScores", "Density", "FieldFit", "Fit", "Heatmap", "Model", "Parameters", "ScanLog", "ScanScores",
           "Scorer", "Sensor", "World", "even_azimuths_rad", "heatmap", "heatmap_of_log", "judge", "localizer_field_text",
           "localizer_notes", "localizer_parameters", "localizer_text", "read_bag_log", "read_field_model", "read_model",
           "read_scan_log", "sample", "sample_log", "score_beams", "score_likelihood_field", "score_log",
           "write_field_model", "write_model"]

Floats32 = npt.NDArray[np.float32]
Floats64 = npt.NDArray[np.float64]

if TYPE_CHECKING:
    from ._made_beam import Parameters, Sensor  # a stub that the build makes
else:

    def _record_class(name: str, doc: str, fields: List[Dict[str, Any]], check: Any) -> Any:
        """A class of the parameters in a table of the library."""
        kind = type(name, (Record,), {
            "__slots__": (),
            "__module__": __name__,
            "__doc__": class_doc(doc, fields),
            "_owner": "beam",
            "_fields": {field["name"]: field for field in fields},
            "_check": staticmethod(check),
        })
        parameters_of(kind, fields)
        return kind

    Parameters = _record_class("Parameters", "The parameters of the beam model; the four weights sum to 1.",
                               _fathom.beam_parameter_fields(), _fathom._check_beam_parameters)
    Sensor = _record_class("Sensor", "Facts of a range finder that no fit learns.",
                           _fathom.beam_sensor_fields(), _fathom._check_beam_sensor)


ParametersLike = Union[Parameters, "Fit"]
WorldLike = Union[World, GridMap, Scene, str, "pathlib.Path"]
LogLike = Union[ScanLog, str, "pathlib.Path"]


class Model(NamedTuple):
    """A beam model with its sensor: the content of parameters.yaml."""

    parameters: Parameters
    sensor: Sensor
    unknown: str = "free"


def _world(world: Any, unknown: str = "free") -> World:
    if isinstance(world, World):
        return world
    if isinstance(world, Scene):
        return World.from_scene(world)
    return World.from_map(world, unknown=unknown)


def _parameters(parameters: Any) -> Parameters:
    if isinstance(parameters, (Fit, Model)):
        return parameters.parameters
    if isinstance(parameters, dict):
        return Parameters(**parameters)
    if not isinstance(parameters, Parameters):
        raise _fathom.InputError(f"parameters: {type(parameters).__name__} given, beam.Parameters wanted")
    return parameters


def _sensor(sensor: Optional[Sensor], parameters: Any, max_range_m: Optional[float], world: Optional[World]) -> Sensor:
    """The sensor given, else that of a fit or a model, else one of this maximum range that knows the world's cells."""
    if sensor is not None:
        return sensor
    if isinstance(parameters, (Fit, Model)) and max_range_m is None:
        return parameters.sensor
    if max_range_m is None:
        raise _fathom.InputError("max_range_m: none given; it, or a Sensor, is wanted")
    floor: Dict[str, Any] = {} if world is None else dict(expected_floor_m=world.floor_m)
    return Sensor(max_range_m=max_range_m, **floor)


def _model(parameters: Any, sensor: Optional[Sensor], max_range_m: Optional[float],
           world: Optional[World] = None) -> _fathom._BeamModel:
    known = _sensor(sensor, parameters, max_range_m, world)
    return _fathom._BeamModel(_parameters(parameters).to_dict(), known.to_dict())


class Scorer:
    """Log-likelihoods of scans seen from many poses.

    parameters: Parameters, a Fit or a Model. world: a World, a GridMap, a Scene or a map_server YAML file. rays: azimuths
    [K] (rad) in the sensor's x-y plane, or directions [K, 3]. ray_step: scores rays 0, step, 2 step ...; alpha: what
    log-likelihoods are multiplied by, as rays are not independent; exact: double precision in place of fast tables.
    Use it from one thread at a time.
    """

    def __init__(
        self,
        parameters: ParametersLike,
        world: WorldLike,
        rays: Any,
        *,
        max_range_m: Optional[float] = None,
        sensor: Optional[Sensor] = None,
        ray_step: int = 1,
        alpha: float = 1.0,
        exact: bool = False,
        threads: int = 0,
        isa: Optional[str] = None,
    ) -> None:
        place = _world(world)
        self.parameters: Parameters = _parameters(parameters)
        self.sensor: Sensor = _sensor(sensor, parameters, max_range_m, place)
        self._scorer = _fathom._Scorer(_model(self.parameters, self.sensor, None), place, rays, ray_step, alpha, exact,
                                       threads, isa)

    def score(self, poses: npt.ArrayLike, readings: npt.ArrayLike, *, quat_wxyz: Optional[npt.ArrayLike] = None,
              quat_xyzw: Optional[npt.ArrayLike] = None) -> Floats64:
        """float64 [N]: of one scan, readings [K] (m; inf and NaN are readings), from poses [N, 3] of x, y (m) and yaw
        (rad), or from positions [N, 3] with quaternions [N, 4]."""
        return self._scorer.score(poses, readings, quat_wxyz=quat_wxyz, quat_xyzw=quat_xyzw)

    def score_expected(self, expected: npt.ArrayLike, readings: npt.ArrayLike) -> Floats64:
        """The same for expected ranges already cast, [N, kept_rays]."""
        return self._scorer.score_expected(expected, readings)

    @property
    def kept_rays(self) -> int:
        """How many rays are scored."""
        return self._scorer.kept_rays


class Density(_fathom._Density):
    """The mixture for one expected range, in double precision. Its functions take numbers or arrays of any shape."""

    def __init__(self, parameters: ParametersLike, expected_m: float, *, max_range_m: Optional[float] = None,
                 sensor: Optional[Sensor] = None) -> None:
        super().__init__(_model(parameters, sensor, max_range_m), expected_m)


class Fit(ScanFit):
    """A fitted beam model, how sure it is, and how well it describes the readings."""

    _fit: _fathom._Fit

    def __init__(self, fit: _fathom._Fit) -> None:
        super().__init__(fit)
        self.parameters: Parameters = Parameters(**fit._parameters)

    @property
    def refined(self) -> Optional[Dict[str, Any]]:
        """Where poses were learned (fit.beam(refine_poses=...)): log, a ScanLog of the scans that took part, at their
        refined poses; scans [S], their numbers in the log that was read; logged [S, 3], their poses there; turns;
        parameters_before and judgement_before, at these poses, by the same rays."""
        return self._fit._refined

    @property
    def mount(self) -> Optional[Dict[str, Any]]:
        """Where it was learned (fit.beam(per_log=...)): x_m, y_m, yaw_rad, the pose of the sensor in the frame that the
        log calls its sensor; range_offset_m; and std_error, the same with NaN for what was not learned."""
        return self._fit._mount

    @property
    def sensor(self) -> Sensor:
        """What was known of the sensor."""
        return Sensor(**self._fit._sensor)

    @property
    def log_likelihood(self) -> Floats64:
        """At every iteration, and at the end."""
        return self._fit.log_likelihood

    @property
    def converged(self) -> bool:
        return self._fit.converged

    @property
    def kinds(self) -> Dict[str, int]:
        """How many readings are ranges, without a return ("max"), and without evidence ("none")."""
        return self._fit.kinds

    @property
    def notes(self) -> List[str]:
        """What a user should know of the log, one sentence each."""
        return self._fit.notes

    @property
    def judgement(self) -> Dict[str, Any]:
        """How well the parameters describe the readings (of scans that were not learned from, if any were held out):
        pairs, log_likelihood, nats_per_ray, ks_distance, pit_histogram, impossible, flags."""
        return self._fit.judgement

    def write_model(self, file: Any) -> None:
        """Writes parameters.yaml alone."""
        self._fit.write_model(file)

    def __repr__(self) -> str:
        errors = self.std_error
        values = self.parameters.to_dict()
        lines = [f"{name} = {values[name]:.6g}" + (f" +- {error:.2g}" if np.isfinite(error) else "")
                 for name, error in errors.items()]
        return f"Fit of {self.readings} readings:\n  " + "\n  ".join(lines)


def _log(log: Any) -> ScanLog:
    return log if isinstance(log, ScanLog) else read_scan_log(log)


class FieldFit(ScanFit):
    """A fitted likelihood field: a reading is as likely as its end is near to an occupied cell of the map."""

    _fit: _fathom._FieldFit

    @property
    def model(self) -> Dict[str, float]:
        """w_hit, w_rand, sigma_hit_m, max_range_m, min_range_m and max_distance_m."""
        return self._fit._model

    @property
    def nats_per_reading(self) -> float:
        """The mean log-density of readings, of those held out if there are any."""
        return self._fit.nats_per_reading


def score_likelihood_field(model: Union[FieldFit, Dict[str, float]], map: GridMap,
                           log: LogLike, *, scans: str = "all",
                           ray_step: int = 1) -> Floats64:
    """float64 [scans]: the log-likelihood of scans at the poses of their log."""
    known = model.model if isinstance(model, FieldFit) else model
    return _fathom._score_field(known, map, _log(log), scans, ray_step)


def localizer_parameters(parameters: ParametersLike, localizer: str) -> Dict[str, float]:
    """z_hit, z_short, z_max, z_rand, sigma_hit and lambda_short of a localizer's beam model: "amcl", "nav2" or "beluga".
    The first two lack a factor in their hit term, which the weights make up for (docs/beam-cli.md)."""
    return _fathom._localizer_beam(_parameters(parameters).to_dict(), localizer)


def localizer_notes(parameters: ParametersLike, localizer: str) -> List[str]:
    """Parts of this model that the localizer cannot represent, one sentence each."""
    return _fathom._localizer_notes(_parameters(parameters).to_dict(), localizer)


def read_field_model(file: Any) -> Dict[str, float]:
    """parameters.yaml of a likelihood field."""
    return _fathom._read_field_model(file)


def write_field_model(file: Any, model: Union[FieldFit, Dict[str, float]]) -> None:
    """Writes parameters.yaml of a likelihood field."""
    _fathom._write_field_model(file, model.model if isinstance(model, FieldFit) else model)


def localizer_field_text(model: Union[FieldFit, Dict[str, float]], localizer: str) -> str:
    """The likelihood field as the YAML that a localizer reads. Of a fit, what was learned with its look-up of cells: that
    of amcl and nav2 is half a cell off."""
    if isinstance(model, FieldFit):
        return model._fit._localizer_text(localizer)
    return _fathom._localizer_field_text(model, localizer)


def localizer_text(parameters: ParametersLike, localizer: str, *, max_range_m: Optional[float] = None,
                   sensor: Optional[Sensor] = None) -> str:
    """The parameters as the YAML that the localizer reads."""
    return _fathom._localizer_text(_model(parameters, sensor, max_range_m), localizer)


def judge(parameters: ParametersLike, readings: npt.ArrayLike, expected: npt.ArrayLike,
          max_range_m: Optional[float] = None, *, scan: Optional[npt.ArrayLike] = None, sensor: Optional[Sensor] = None,
          bins: int = 40) -> Dict[str, Any]:
    """How well parameters describe readings that they were not learned from: see Fit.judgement."""
    return _fathom._judge(_model(parameters, sensor, max_range_m), readings, expected, scan, bins)


def sample(parameters: ParametersLike, expected: npt.ArrayLike, max_range_m: Optional[float] = None, *, seed: int = 0,
           first_scan: int = 0, sensor: Optional[Sensor] = None, name: str = "beam") -> Floats32:
    """Readings drawn from the model, float32 [S, K], for expected ranges [S, K]. The same seed gives the same readings;
    row i has the draws of scan first_scan + i of the sensor called `name`."""
    return _fathom._sample(_model(parameters, sensor, max_range_m), expected, seed, first_scan, name)


def sample_log(parameters: ParametersLike, world: WorldLike, poses: npt.ArrayLike, azimuth_rad: npt.ArrayLike,
               max_range_m: Optional[float] = None, *, seed: int = 0, sensor: Optional[Sensor] = None,
               threads: int = 0) -> ScanLog:
    """A log of readings drawn from the model: one scan per pose [S, 3] of x, y, yaw; rays at azimuths [K]."""
    place = _world(world)
    return _fathom._sample_log(_model(parameters, sensor, max_range_m, place), place, poses, azimuth_rad, seed, threads)


class ScanScores(NamedTuple):
    """The scores of the scans of a log; arrays [scans]."""

    scan: npt.NDArray[np.int64]
    poses: Floats64
    rays: npt.NDArray[np.int64]
    log_likelihood: Floats64
    judgement: Dict[str, Any]


def score_log(parameters: ParametersLike, world: WorldLike, log: LogLike,
              max_range_m: Optional[float] = None, *, scans: str = "all", sensor: Optional[Sensor] = None,
              ray_step: int = 1, alpha: float = 1.0, exact: bool = False, threads: int = 0) -> ScanScores:
    """Scores scans at the poses of their log."""
    place = _world(world)
    arrays, judgement = _fathom._score_log(_model(parameters, sensor, max_range_m, place), place, _log(log), scans, ray_step,
                                           alpha, exact, threads)
    return ScanScores(*arrays, judgement)


class BeamScores(NamedTuple):
    """Readings under the model; arrays [beams], scan by scan. NaN where a reading carries no evidence."""

    scan: npt.NDArray[np.int64]
    ray: npt.NDArray[np.int64]
    azimuth_rad: Floats64
    reading_m: Floats32
    expected_m: Floats32
    log_density: Floats64
    p_hit: Floats64
    p_short: Floats64
    p_max: Floats64
    p_rand: Floats64


def score_beams(parameters: ParametersLike, world: WorldLike, log: LogLike,
                max_range_m: Optional[float] = None, *, scans: str = "all", sensor: Optional[Sensor] = None,
                ray_step: int = 1, threads: int = 0) -> BeamScores:
    """Every reading of chosen scans: its expected range, its density, and what it probably is (p_hit, p_short, p_max and
    p_rand sum to 1). Readings that are probably short mark what moves and what the map does not know."""
    place = _world(world)
    return BeamScores(*_fathom._score_beams(_model(parameters, sensor, max_range_m, place), place, _log(log), scans, ray_step,
                                            threads))


def heatmap(parameters: ParametersLike, map: GridMap, rays: npt.ArrayLike, readings: npt.ArrayLike,
            max_range_m: Optional[float] = None, *, world: Optional[WorldLike] = None, sensor: Optional[Sensor] = None,
            spacing_m: float = 0.1, headings: int = 180, ray_step: int = 1, alpha: float = 1.0,
            threads: int = 0) -> Heatmap:
    """Where in the free cells of a map one scan, readings [K], could have been made. world: where ranges are expected,
    when not in the map itself."""
    place = _world(map if world is None else world)
    return _fathom._heatmap(_model(parameters, sensor, max_range_m, place), place, rays, readings, map, spacing_m, headings,
                            ray_step, alpha, threads)


def heatmap_of_log(parameters: ParametersLike, map: GridMap, log: LogLike, scan: int,
                   max_range_m: Optional[float] = None, *, world: Optional[WorldLike] = None,
                   sensor: Optional[Sensor] = None, spacing_m: float = 0.1, headings: int = 180,
                   ray_step: Optional[int] = None, threads: int = 0) -> Tuple[Heatmap, Tuple[float, float, float], float]:
    """The same for a scan of a log; returns the heatmap, the pose of the scan in the log, and its log-likelihood."""
    place = _world(map if world is None else world)
    return _fathom._heatmap_of_log(_model(parameters, sensor, max_range_m, place), place, _log(log), scan, map, spacing_m,
                                   headings, ray_step, threads)


def read_model(file: Any) -> Model:
    """Reads parameters.yaml."""
    parameters, sensor, unknown = _fathom._read_model(file)
    return Model(Parameters(**parameters), Sensor(**sensor), unknown)


def write_model(file: Any, model: Model) -> None:
    """Writes parameters.yaml; reading gives the same values back, bit for bit."""
    known = _fathom._BeamModel(model.parameters.to_dict(), model.sensor.to_dict(), model.unknown)
    _fathom._write_model(file, known)
