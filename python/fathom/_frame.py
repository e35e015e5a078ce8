# SPDX-License-Identifier: MIT
"""Methods of Frame and Scene that are written in Python. The first picture imports matplotlib."""

from __future__ import annotations

import collections
from typing import Any, Callable, Counter, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _fathom
from ._fathom import InputError

_LOST = {"nan": np.nan, "inf": np.inf, "zero": 0.0, "minus_one": -1.0}
_CHANNELS = {info["name"]: info for info in _fathom.channel_list()}
_LENGTHS = ("range", "clean_range", "depth", "clean_depth")
_FIRST = ("depth", "range", "clean_depth", "clean_range", "intensity", "energy", "incidence", "reason", "entity_id")


def points(self: _fathom.Frame, *, valid: bool = False, frame: Optional[str] = None) -> npt.NDArray[np.float32]:
    """The points float32 [rows, cols, 3], m, without a copy; with valid=True a copy [n, 3] of the returns.

    frame: "sensor" or "world"; None: hit_sensor if the frame holds it, else hit_world.
    """
    if frame not in (None, "sensor", "world"):
        raise InputError(f"frame: {frame!r} is not one of sensor, world")
    name = f"hit_{frame}" if frame else "hit_sensor" if "hit_sensor" in self or "hit_world" not in self else "hit_world"
    every: npt.NDArray[np.float32] = self[name]
    returned: npt.NDArray[np.float32] = every[np.isfinite(every[..., 0])] if valid else every
    return returned


def valid(self: _fathom.Frame) -> npt.NDArray[np.bool_]:
    """Where there is a return, bool [rows, cols]; needs the channel reason."""
    mask: npt.NDArray[np.bool_] = self.reason == 0
    return mask


def reasons(self: _fathom.Frame) -> Counter[str]:
    """How many rays ended for which reason, by its name; needs the channel reason."""
    counts = zip(_fathom.REASONS, self._count_reasons())
    return collections.Counter({name: count for name, count in counts if count})


def filled(self: _fathom.Frame, channel: str, *, lost: str = "nan", max_m: Optional[float] = None) -> npt.NDArray[np.float32]:
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


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib (Debian: python3-matplotlib)") from error
    return plt


def _first(frame: Any) -> str:
    for name in _FIRST:
        if name in frame:
            return name
    return str(frame.channels[0])


def _image(frame: Any, channel: str, environment: Optional[int], shifts: Optional[Sequence[int]]) -> Any:
    values = frame[channel]
    if frame.returns > 1:
        values = values[0]  # of each ray; frame.of_return(k) is another one
    if frame.environments is not None:
        if environment is None:
            environment = 0
        if not 0 <= environment < frame.environments:
            raise _fathom.InputError(f"environment: {environment} is not in [0, {frame.environments - 1}]")
        values = values[environment]
    # Thin frames are stretched to be looked at; imshow's aspect does it.
    return values if shifts is None else np.stack([np.roll(row, by, axis=0) for row, by in zip(values, shifts)])


def _color(label: _fathom.Label) -> Any:
    return tuple(part / 255 for part in label.picture_color)


def _entity_color(entity: int) -> Any:
    return _color(_fathom.Label("", entity))


def _draw_reasons(ax: Any, values: Any) -> None:
    names = _fathom.REASONS
    counts = np.bincount(values.ravel(), minlength=len(names))
    _draw_ids(ax, values, lambda i: f"#{_fathom.REASON_COLORS[i]:06x}", lambda i: f"{names[i]} {counts[i] / values.size:.1%}")


def _legend(ax: Any, handles: Any) -> None:
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncol=min(4, len(handles)), frameon=False)


def _draw_entities(ax: Any, values: Any, entity_names: Optional[Sequence[str]]) -> None:
    def name(e: int) -> str:
        if e < 0:
            return "none"
        return entity_names[e] if entity_names is not None and e < len(entity_names) else f"id {e}"

    _draw_ids(ax, values, lambda e: "#202124" if e < 0 else _entity_color(e), name)


def _draw_labels(ax: Any, values: Any, labels: Sequence[_fathom.Label]) -> None:
    known = {label.id: label for label in labels}

    def color(i: int) -> Any:
        label = known.get(i) or _fathom.Label(f"id {i}", i)
        return "#202124" if i == 0 else _color(label)

    _draw_ids(ax, values, color, lambda i: "none" if i == 0 else known[i].name if i in known else f"id {i}")


def _draw_ids(ax: Any, values: Any, color: Callable[[int], Any], name: Callable[[int], str]) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    shown, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    places = places.reshape(values.shape)
    colors = [color(int(i)) for i in shown]
    ax.imshow(places, cmap=ListedColormap(colors), vmin=-0.5, vmax=len(shown) - 0.5, interpolation="nearest",
              aspect=_aspect(values))
    handles = [Patch(color=colors[k], label=name(int(shown[k]))) for k in np.argsort(-counts, kind="stable")]
    if len(handles) <= 24:
        _legend(ax, handles)


def _aspect(values: Any) -> Any:
    return "equal" if values.shape[1] < 6 * values.shape[0] else "auto"


def plot(
    self: _fathom.Frame,
    channel: Optional[str] = None,
    *,
    ax: Any = None,
    environment: Optional[int] = None,
    vmin: Optional[float] = None,
    vmax: Optional[float] = None,
    cmap: Optional[str] = None,
    entity_names: Optional[Sequence[str]] = None,
    labels: Optional[Sequence[_fathom.Label]] = None,
    shifts: Optional[Sequence[int]] = None,
) -> Any:
    """Draws a channel as an image with a bar of its unit, or with a legend (reason, entity_id, label); returns the axes.

    channel: None: the depth or range, else the first that it has. environment: which one, of many (its place in the
    batch). vmin, vmax and cmap are matplotlib's; by default the colours cover 94 % of lengths. entity_names and labels of
    the scene: for the legends. shifts: columns by which rows move to the right, see destagger_shifts().
    """
    if channel is None:
        channel = _first(self)
    values = _image(self, channel, environment, shifts)
    info = _CHANNELS[channel]
    if ax is None:
        _, ax = _pyplot().subplots(figsize=(8, 4.5), layout="constrained")
    ax.set_title(f"{channel}, frame {self.index} at {self.stamp_s:g} s")
    ax.set_xlabel("column")
    ax.set_ylabel("row")
    if channel == "reason":
        _draw_reasons(ax, values)
        return ax
    if channel in ("entity_id", "triangle_id"):
        _draw_entities(ax, values, entity_names if channel == "entity_id" else None)
        return ax
    if channel == "label":
        _draw_labels(ax, values, labels or ())
        return ax
    if info["planes"] == 3:  # a point or a normal: its three coordinates as colours
        low, high = np.nanmin(values, axis=(0, 1)), np.nanmax(values, axis=(0, 1))
        ax.imshow(np.nan_to_num((values - low) / np.where(high > low, high - low, 1)), interpolation="nearest",
                  aspect=_aspect(values))
        return ax
    shown = np.ma.masked_where(~np.isfinite(values), values)  # type: ignore[no-untyped-call]
    usual = "turbo_r" if channel in _LENGTHS else "viridis"
    import matplotlib

    if channel in _LENGTHS and shown.count() and vmin is None and vmax is None:
        vmin, vmax = np.quantile(shown.compressed(), (0.01, 0.95))
    colors = matplotlib.colormaps[cmap or usual].copy()
    colors.set_bad("#202124")
    image = ax.imshow(shown, cmap=colors, vmin=vmin, vmax=vmax, interpolation="nearest", aspect=_aspect(values))
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.9)
    bar.set_label(channel + (f" [{info['unit']}]" if info["unit"] else ""))
    return ax


def show(self: _fathom.Frame, channels: Optional[Sequence[str]] = None, *, environment: Optional[int] = None,
         entity_names: Optional[Sequence[str]] = None, labels: Optional[Sequence[_fathom.Label]] = None,
         shifts: Optional[Sequence[int]] = None) -> Any:
    """Draws channels below each other and shows them; returns the figure. Default: depth or range, and reason."""
    if channels is None:
        first = _first(self)
        channels = [first, "reason"] if "reason" in self and first != "reason" else [first]
    plt = _pyplot()
    figure, axes = plt.subplots(len(channels), 1, figsize=(8, 3.6 * len(channels)), squeeze=False, layout="constrained")
    for ax, channel in zip(axes[:, 0], channels):
        plot(self, channel, ax=ax, environment=environment, entity_names=entity_names, labels=labels, shifts=shifts)
    plt.show()
    return figure


def plot_top(self: _fathom.Scene, *, ax: Any = None, stamp_s: float = 0.0, sensors: Sequence[Any] = (), names: bool = True,
             below_m: Optional[float] = None) -> Any:
    """Draws the scene from above at a time, one colour per entity, x to the right and y up, in m; returns the axes.

    sensors: Sensor objects to mark with an arrow the way they look. names: whether entities are named. below_m: only what
    is lower, so that one can look into rooms with a ceiling.
    """
    from matplotlib.collections import PolyCollection

    if ax is None:
        _, ax = _pyplot().subplots(figsize=(7, 7), layout="constrained")
    for number, entity in enumerate(self.entities):
        if entity.mesh is None:
            continue
        mesh = self.mesh(entity.mesh)
        points = self.world_from_entity(number, stamp_s).apply((mesh.origin_m + mesh.vertices) * entity.scale)
        corners = points[mesh.triangles]
        if below_m is not None:
            corners = corners[corners[..., 2].max(axis=1) < below_m]
        if not len(corners):
            continue
        order = np.argsort(corners[..., 2].mean(axis=1))
        color = _entity_color(number)
        ax.add_collection(PolyCollection(corners[order][..., :2], facecolor=(*color, 0.25), edgecolor=(*color, 0.6),
                                         linewidth=0.3, zorder=1 + number * 1e-3))
        if names:
            middle = (corners[..., :2].min(axis=(0, 1)) + corners[..., :2].max(axis=(0, 1))) / 2
            ax.annotate(entity.name, middle, ha="center", va="center", fontsize=8, zorder=3)
    for sensor in sensors:
        pose = sensor.pose
        if isinstance(pose, _fathom.Trajectory):
            pose = pose.at(stamp_s)
        elif not isinstance(pose, _fathom.Pose):
            pose = _fathom.Pose(pose)
        if sensor.parent is not None:
            pose = self.world_from_entity(sensor.parent, stamp_s) @ pose
        here, ahead = pose.position_m, pose.apply([0.5, 0.0, 0.0])
        ax.annotate("", ahead[:2], here[:2], arrowprops=dict(arrowstyle="->", color="#d32f2f", lw=2), zorder=4)
        ax.plot(*here[:2], "o", color="#d32f2f", zorder=4)
        ax.annotate(sensor.name, here[:2], textcoords="offset points", xytext=(6, 6), color="#d32f2f", zorder=4)
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
    return ax
