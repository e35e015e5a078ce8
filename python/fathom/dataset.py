# SPDX-License-Identifier: MIT
"""Datasets: units of work that any process renders, on any computer that sees the folder, with the bytes of one process.

    units = fa.dataset.units("scene.yaml", environments=range(1000), episodes=range(10), frames=100, block=50)
    for unit in units:                            # or map it over the workers of Dask or Ray
        fa.dataset.render_unit(unit, "dataset")

The folder is that of `fathom simulate --environments` and of Setup.run_many(), and all may work on it (docs/scale.md).
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union, overload

from . import _fathom
from .simulate import Setup, command_line, load, override_list

__all__ = ["Dataset", "Unit", "Units", "info", "render_unit", "units", "verify"]


@dataclasses.dataclass(frozen=True)
class Dataset:
    """What all units of a dataset share: the scene file, and what decides their bits.

    digest: of all files that the scene was read from, the overrides, the seed and the version of fathom. A worker whose
    files give another one refuses to render.
    """

    scene: str
    overrides: Tuple[str, ...]
    environments: Tuple[int, int]
    episodes: Tuple[int, int]
    frames: int
    block: int
    seed: int
    command: str
    digest: str = ""


@dataclasses.dataclass(frozen=True)
class Unit:
    """The frames [first_frame, first_frame + frames) of one environment and episode: small, and picklable."""

    dataset: Dataset
    index: int
    environment: int
    episode: int
    first_frame: int
    frames: int

    @property
    def folder(self) -> str:
        """Its path within the folder of the dataset: 'units/000/012/000012345'."""
        return os.fspath(_fathom._unit_folder(self.index))


class Units(Sequence[Unit]):
    """All units of a dataset, made when they are asked for: environment by environment, in each by episode, and in each
    by block. See units()."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self._size = _fathom._dataset_size(_spec(dataset))

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Unit: ...

    @overload
    def __getitem__(self, index: slice) -> List[Unit]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Unit, List[Unit]]:
        if isinstance(index, slice):
            return [self._unit(i) for i in range(self._size)[index]]
        return self._unit(range(self._size)[operator.index(index)])

    def _unit(self, index: int) -> Unit:
        return Unit(self.dataset, index, *_fathom._dataset_unit(_spec(self.dataset), index))

    def __repr__(self) -> str:
        return f"Units: {self._size} of {self.dataset.scene!r}"


def units(
    scene: Any,
    *,
    environments: Optional[range] = None,
    episodes: Optional[range] = None,
    frames: Optional[int] = None,
    block: Optional[int] = None,
    seed: Optional[int] = None,
    overrides: Union[Sequence[str], Mapping[str, Any]] = (),
) -> Units:
    """The units of a scene file, or of a Setup that load() has read, as a sequence.

    environments and episodes: ranges in steps of 1; None: the one of the file. frames: of an episode; None: the file's.
    block: frames of a unit; None: all of an episode. seed: None: the file's. overrides: as of load(); they come after
    those of a Setup.

    Workers read the file again, from the same absolute path: what Python changed in the scene of a Setup is not in the
    units. Raises InputError for a file that cannot be read, a range without numbers, and more than 10^9 units.
    """
    # Read again: the files of a Setup may have changed since, and the digest is that of the content read here.
    before = scene.overrides if isinstance(scene, Setup) else []
    setup = load(scene.file if isinstance(scene, Setup) else scene, [*before, *override_list(overrides)])
    file = os.path.abspath(os.fspath(setup.file))
    given = dict(frames=frames, seed=seed, environments=environments, episodes=episodes, block=block)
    dataset = Dataset(
        scene=file,
        overrides=tuple(setup.overrides),
        environments=_span(environments, setup.environment, "environments"),
        episodes=_span(episodes, setup.episode, "episodes"),
        frames=setup.frames if frames is None else frames,
        block=0 if block is None else block,
        seed=setup.seed if seed is None else seed,
        command=command_line(file, given, setup.overrides),
    )
    digest = _fathom._dataset_digest(_fathom._SceneRenderer(setup), _spec(dataset))
    return Units(dataclasses.replace(dataset, digest=digest))


def render_unit(
    unit: Unit,
    out: Any,
    *,
    threads: int = 1,
    isa: Optional[str] = None,
    device: Optional[str] = None,
    on_frame: Optional[Callable[[int], None]] = None,
) -> Dict[str, Any]:
    """Renders a unit into the folder `out` of its dataset, which all workers see.

    Call it in any process, in any order, and again after a worker was killed: a unit appears whole or not at all, and one
    that is there is not rendered again. As with `--resume`, a folder of another dataset becomes one of this: units that were
    made of something else are replaced. Do not render one unit in two processes at the same time; the one that began
    first may fail then. threads: 0: one per core; 1 suits schedulers that run a process per core. isa, device: as of
    Setup.run(). on_frame: called after every frame with the number of frames done. Releases the GIL.

    Returns a dict: unit, whether it was rendered, and the files, bytes and rays of this call. Raises InputError where the
    files that the scene is read from are not those that units() saw, and OSError where the folder cannot be written.
    """
    if not isinstance(unit, Unit):
        raise _fathom.InputError(f"unit: {unit!r} given, one of units() wanted")
    dataset = unit.dataset
    scene = _scene(dataset)
    _check_digest(scene, dataset)  # of files that changed after they were read
    return _fathom._render_unit(scene, _spec(dataset), unit.index, out, threads, isa, device, on_frame)


def verify(out: Any, *, threads: int = 0, remove_faulty: bool = False) -> Dict[str, Any]:
    """Reads every file of a dataset and compares sizes and digests, as `fathom dataset verify`.

    Returns a dict: the units, files and bytes read, fault_count, removed, left, and faults: a sentence for each of the
    first hundred. threads: 0: one per core. remove_faulty: removes the units and files at fault; missing units are no
    faults then, and links and files that are not part of the dataset are left alone. Raises InputError for a folder that
    is no dataset.
    """
    return _fathom._verify_dataset(out, threads, remove_faulty)


def info(out: Any) -> Dict[str, Any]:
    """What a dataset holds, as `fathom dataset info`: fathom, scene, command, seed, environments and episodes (first, end),
    frames, block, units; complete, made_of_something_else and unfinished units, foreign (files, folders and links that are
    not part of the dataset), first_missing (None: all are there), files, bytes. Raises InputError for a folder that is no
    dataset."""
    return _fathom._dataset_info(out)


@functools.lru_cache(maxsize=1)
def _scene(dataset: Dataset) -> _fathom._SceneRenderer:
    """The scene of a dataset, read once by a process for all its units, with its trees. One that differs is not kept."""
    scene = _fathom._SceneRenderer(load(dataset.scene, dataset.overrides))
    _check_digest(scene, dataset)
    return scene


def _check_digest(scene: _fathom._SceneRenderer, dataset: Dataset) -> None:
    digest = _fathom._dataset_digest(scene, _spec(dataset))
    if digest != dataset.digest:
        raise _fathom.InputError(
            f"{dataset.scene}: digest {digest} here, {dataset.digest} where units() read it: other files, or another "
            "version of fathom")


def _spec(dataset: Dataset) -> Dict[str, Any]:
    return vars(dataset)


def _span(given: Optional[range], usual: int, name: str) -> Tuple[int, int]:
    if given is None:
        return usual, usual + 1
    if not isinstance(given, range) or given.step != 1:
        raise _fathom.InputError(f"{name}: {given!r} given, a range of Python in steps of 1 wanted")
    return given.start, given.stop
