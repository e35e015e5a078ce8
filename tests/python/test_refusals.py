# SPDX-License-Identifier: MIT
"""Arrays of any shape and type are taken or refused in one line that names the argument; nothing else ever happens."""

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis.extra import numpy as npst

import fathom as fa
from support import room

any_array = npst.arrays(
    dtype=st.sampled_from(["f4", "f8", "i4", "i8", "u1", "u8", "?", "c16", "U3", "M8[s]"]),
    shape=npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
strange = st.one_of(any_array, st.none(), st.text(max_size=3), st.integers(), st.floats(), st.lists(st.lists(st.floats())),
                    st.just(np.array([object()])), st.just(np.zeros(3, dtype=[("a", "f4")])))

CALLS = {
    "positions_m": lambda v: room().set_poses([0, 1], v),
    "quat_wxyz": lambda v: room().set_poses([0, 1], [[0, 0, 0], [0, 0, 1]], quat_wxyz=v),
    "ids": lambda v: room().set_poses(v, [[0, 0, 0]]),
    "vertices": lambda v: fa.Mesh(v, [[0, 1, 2]]),
    "triangles": lambda v: fa.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], v),
    "cells": lambda v: fa.GridMap(v),
    "position_m": lambda v: fa.Pose(v),
    "matrix": lambda v: fa.Pose(matrix=v),
    "stamps_s": lambda v: fa.Trajectory(v, [[0, 0, 0]]),
    "readings": lambda v: fa.fit.beam_pairs(v, [[1.0, 2.0]], 30.0),
    "directions": lambda v: fa.sensors.RayTable(v),
    "range": lambda v: fa.fit.distance(v, [1.0, 2.0, 3.0]),
    "frames": lambda v: fa.measure_depth(v),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
@hypothesis.given(value=strange)
@hypothesis.settings(max_examples=60)
def test_strange_arrays(name, value):
    try:
        CALLS[name](value)
    except fa.InputError as refused:
        assert "\n" not in str(refused)
    except TypeError:
        assert not isinstance(value, np.ndarray)


@pytest.mark.parametrize("name, value, words", [
    ("positions_m", np.zeros((2, 4)), ["shape (2, 4) given, (2, 3) wanted"]),
    ("positions_m", np.zeros((3, 3)), ["shape (3, 3) given, (2, 3) wanted"]),
    ("positions_m", [[0, 0, 0], [0, np.inf, 0]], ["element [1, 1] is not finite"]),
    ("positions_m", np.zeros((2, 3), dtype=complex), ["complex128 given, numbers wanted"]),
    ("positions_m", [[1, 2], [3]], ["positions_m: not an array of numbers"]),
    ("quat_wxyz", [[1, 0, 0, 0], [1, 1, 0, 0]], ["element [1]", "length 1.41421", "1 within 0.01 wanted"]),
    ("quat_wxyz", np.ones((2, 3)), ["shape (2, 3) given, (2, 4) wanted"]),
    ("ids", [0.5], ["float64 given, whole numbers wanted"]),
    ("ids", [3], ["element [0] = 3 is not in [0, 2]"]),
    ("ids", [-1], ["element [0] = -1 is not in [0, 2]"]),
    ("vertices", np.zeros((3, 2)), ["shape (3, 2) given, (V, 3) wanted"]),
    ("triangles", [[0, 1, 3]], ["element [0, 2] = 3 is not in [0, 2]"]),
    ("cells", [[0, 3]], ["element [0, 1] = 3 is not in [0, 2]"]),
    ("matrix", np.diag([1, 1, -1]), ["not a rotation"]),
    ("matrix", np.full((3, 3), np.nan), ["matrix", "finite"]),
    ("matrix", np.zeros((2, 4)), ["shape (2, 4) given, (4, 4), (3, 4) or (3, 3) wanted"]),
    ("readings", np.zeros((2, 2)), ["expected", "(1, 2) given", "(2, 2)"]),
    ("directions", np.zeros((2, 2)), ["directions: shape (2, 2) given, (rows, cols, 3) or (N, 3) wanted"]),
    ("range", [1.0], ["expected", "(3,) given", "(1,)"]),
])
def test_words(name, value, words):
    with pytest.raises(fa.InputError) as refused:
        CALLS[name](value)
    for word in [name if name not in ("readings", "range") else "expected", *words]:
        assert word in str(refused.value)


def test_what_numpy_reads_is_taken():
    """Slices, other types and lists: they are read, and copied where they must be."""
    scene = room()
    state = np.arange(14, dtype=np.float32).reshape(2, 7)
    state[:, 3:] = [1, 0, 0, 0]
    scene.set_poses([0, 1], state[:, :3], quat_wxyz=state[:, 3:])
    np.testing.assert_array_equal(scene.world_from_entity(1).position_m, [7, 8, 9])
    scene.set_poses(np.array([1], dtype=np.uint8), [[1, 2, 3]])
    np.testing.assert_array_equal(scene.world_from_entity(1).position_m, [1, 2, 3])
    fa.Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], order="F"), np.array([[0, 1, 2]], dtype=np.int16))
    scene.set_pose(np.int64(2), np.array([1, 2, 3]))


def test_memory_of_other_devices_is_named():
    class OnADevice:
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, stream=None):
            raise AssertionError("never asked")

    with pytest.raises(fa.InputError, match="positions_m: an array on another device"):
        room().set_poses([0], OnADevice())


def test_dlpack_alone_is_enough():
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__()

    scene = room()
    scene.set_poses([0], Tensor(np.array([[1.0, 2.0, 3.0]])))
    np.testing.assert_array_equal(scene.world_from_entity(0).position_m, [1, 2, 3])


def test_kinds_of_errors():
    assert issubclass(fa.InputError, ValueError) and issubclass(fa.Error, RuntimeError)
    with pytest.raises(TypeError):
        fa.box()
    with pytest.raises(ValueError, match="segments"):
        fa.sphere(1, segments=3)


@pytest.mark.parametrize("call, words", [
    (lambda: fa.box(), "box: () given, (size_m: object) wanted"),
    (lambda: fa.plane(8, 6), "plane: (8, 6) given, (size_m: object) wanted"),
    (lambda: fa.sphere("big"), "sphere: ('big') given, (radius_m: float, segments: int = 64) wanted"),
    (lambda: fa.cylinder(1, height_m=np.zeros((9, 9))), "cylinder: (1, height_m=array([[0., 0., "),
    (lambda: room().set_poses(), "set_poses: () given, (ids: object, positions_m: object"),
    (lambda: room().copy(3), "copy: (3) given, () wanted"),
    (lambda: fa.Mesh(3), "Mesh: (3) given, (vertices: object, triangles: object, origin_m: object = None) wanted"),
    (lambda: fa.read_trajectory(b"\xff" * 3, 4), "read_trajectory: (b'"),
])
def test_what_no_signature_takes_is_refused_in_one_line(call, words):
    with pytest.raises(TypeError) as refused:
        call()
    assert str(refused.value).startswith(words) and str(refused.value).endswith(" wanted"), refused.value
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 600


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"frames"}))
def test_arrays_larger_than_memory_are_memory_errors(name):
    columns = {"triangles": 3, "vertices": 3, "positions_m": 3, "quat_wxyz": 4}.get(name, 2)
    whole = name in ("ids", "triangles", "cells")
    huge = np.broadcast_to(np.array(0, dtype="i4" if whole else "f2"), (1 << 44, columns))
    with pytest.raises((MemoryError, fa.InputError)) as refused:  # some have another shape
        CALLS[name](huge)
    assert "\n" not in str(refused.value)
    if name in ("vertices", "triangles"):
        assert refused.type is not fa.InputError


LONE = "a\ud800b"


@pytest.mark.parametrize("call", [
    lambda: room().add_entity(LONE, fa.box([1, 1, 1])),
    lambda: room().add_entity("more", LONE),
    lambda: room().add_entity("more", fa.box([1, 1, 1]), groups=[LONE]),
    lambda: room().find_entity(LONE),
    lambda: room().add_label(LONE),
    lambda: fa.Simulator(room(), [fa.Sensor(LONE, fa.preset("VLP-16"))]),
    lambda: fa.preset(LONE),
    lambda: fa.load(LONE),
    lambda: fa.load("room.yaml", overrides=[LONE]),
    lambda: fa.random.normal(1, LONE, 0, "distance", 0, (2, 2)),
])
def test_lone_surrogates_are_refused(call):
    with pytest.raises(fa.InputError) as refused:
        call()
    assert "\n" not in str(refused.value)


MODULES = [fa, fa.beam, fa.calibrate, fa.noise, fa.sensors]
BOUND = {made for module in MODULES for made in vars(module).values() if type(made) is type(fa.Scene)}


@pytest.mark.parametrize("made", sorted(BOUND, key=lambda made: made.__qualname__))
def test_objects_that_init_refused_can_be_shown(made):
    """Debuggers and test programs show the objects in a frame of the stack."""
    assert repr(made.__new__(made)).startswith(f"<{made.__module__}.{made.__name__} object at")


@pytest.mark.parametrize("made", sorted(BOUND, key=lambda made: made.__qualname__))
def test_nothing_is_asked_of_objects_that_are_not_made(made):
    """A subclass may call a method before super().__init__()."""
    unmade = made.__new__(made)
    for name in dir(made):
        attribute = getattr(made, name, None)
        if name.startswith("__") or type(attribute).__name__ not in ("instancemethod", "property"):
            continue
        if type(attribute).__name__ == "property" and attribute.fget.__module__ != "fathom._fathom" and hasattr(attribute.fget, "__code__"):
            continue
        with pytest.raises(TypeError, match=f"{made.__name__} is not made yet"):
            getattr(unmade, name)
    for ask in (lambda: unmade == unmade, lambda: hash(unmade), lambda: unmade @ unmade, lambda: 1 in unmade,
                lambda: unmade[0], lambda: len(unmade)):
        try:
            ask()
        except TypeError:
            pass  # either it is refused, or the class has no such operator

    class Child(made):
        def __init__(self):
            self.own = 1
            assert self.own == 1  # what is Python's is there

    with pytest.raises(TypeError, match="__init__"):
        Child()
