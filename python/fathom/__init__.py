# SPDX-License-Identifier: MIT
"""Honest range sensors: simulate, score, calibrate.

    import fathom as fa

    scene = fa.Scene()
    scene.add_entity("room", fa.box([8, 6, 3]))
    lidar = fa.Sensor("lidar", "OS1-64", noise=[fa.noise.Distance(stddev_m=0.02)])
    frame = fa.Simulator(scene, [lidar], seed=7).render("lidar")
    frame.range, frame.points(), frame.reasons()

Arrays are NumPy's, [rows, cols], points [rows, cols, 3], of many environments with these in front; they are views of the
frame's memory. Lengths are m, angles rad; x is forward, y left, z up. What is wrong raises InputError in one line.
"""

from . import _fathom, _frame
from ._fathom import (
    Entity,
    Error,
    Frame,
    FrameDigest,
    FrameTime,
    GpuArray,
    GridMap,
    InputError,
    Label,
    Mesh,
    PlacedRobot,
    Pose,
    Robot,
    Scene,
    Trajectory,
    box,
    capsule,
    cylinder,
    detect_isa,
    ellipsoid,
    episode_seed,
    grid_map_image,
    height_field,
    plane,
    read_bag_info,
    read_grid_map,
    read_height_array,
    read_height_image,
    read_mesh,
    read_mesh_parts,
    read_robot,
    read_trajectory,
    skin_vertices,
    sphere,
    versions,
)
from ._values import LogUniform, Normal, TruncatedNormal, Uniform
from . import beam, calibrate, noise, random, sensors
from .calibrate import measure_depth
from .given import SensorNoise
from .sensors import Sensor, Timing, preset, presets
from .simulate import Environments, Setup, Simulator, load
from . import batch, dataset, fit, mujoco

__version__: str = _fathom.versions()["fathom"]

for _name, _method in dict(
    points=_frame.points,
    valid=property(_frame.valid, doc=_frame.valid.__doc__),
    reasons=_frame.reasons,
    filled=_frame.filled,
    plot=_frame.plot,
    show=_frame.show,
).items():
    setattr(Frame, _name, _method)
setattr(Scene, "plot_top", _frame.plot_top)

# Where users find them is where they say they are from.
for _kind in (Entity, Frame, FrameDigest, GpuArray, GridMap, Label, Mesh, PlacedRobot, Pose, Robot, Scene, Trajectory):
    _kind.__module__ = __name__
for _kind in (beam.Heatmap, beam.ScanLog, beam.World):
    _kind.__module__ = beam.__name__
del _kind, _name, _method


def channels() -> "dict[str, str]":
    """The arrays that a frame can hold: a line about each, by name."""
    return {info["name"]: info["doc"] for info in _fathom.channel_list()}


__all__ = [
    "Entity", "Environments", "Error", "Frame", "FrameDigest", "GpuArray", "GridMap", "InputError", "Label", "LogUniform", "Mesh",
    "Normal", "PlacedRobot", "Pose", "Robot", "Scene", "Sensor", "SensorNoise", "Setup", "Simulator", "Trajectory", "TruncatedNormal", "Uniform",
    "batch", "beam", "box", "calibrate", "capsule", "channels", "cylinder", "dataset", "detect_isa", "ellipsoid", "episode_seed", "fit",
    "grid_map_image", "height_field", "load", "measure_depth", "mujoco", "noise", "plane", "preset", "presets", "random", "read_bag_info",
    "read_grid_map",
    "read_height_array", "read_height_image", "read_mesh", "read_mesh_parts", "read_robot", "read_trajectory",
    "sensors", "skin_vertices", "sphere", "versions",
]
