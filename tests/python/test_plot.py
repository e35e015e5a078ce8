# SPDX-License-Identifier: MIT
"""Pictures for notebooks."""

import subprocess
import sys

import numpy as np
import pytest

import fathom as fa
from support import ALL_CHANNELS, camera, refuses, room, stereo

matplotlib = pytest.importorskip("matplotlib", reason="no matplotlib here (Debian: python3-matplotlib)")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def no_figure_is_left():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def frame():
    noise = [fa.noise.StereoShadow(), fa.noise.StereoEnergy(), fa.noise.Dropout(probability=0.1)]
    return fa.Simulator(room(), [stereo(noise=noise)]).render(0, 3, ALL_CHANNELS)


@pytest.mark.parametrize("channel", ALL_CHANNELS)
def test_every_channel_is_drawn(frame, channel):
    ax = frame.plot(channel)
    ax.figure.canvas.draw()
    image = ax.images[0]
    assert image.get_array().shape[:2] == frame.shape and channel in ax.get_title()
    if channel in ("range", "depth"):
        assert ax.figure.axes[1].get_ylabel() == f"{channel} [m]"
        np.testing.assert_array_equal(np.ma.getmaskarray(image.get_array()), ~np.isfinite(frame[channel]))


def test_reasons_have_a_legend(frame):
    texts = [t.get_text() for t in frame.plot("reason").get_legend().get_texts()]
    assert {t.split()[0] for t in texts} == set(frame.reasons())
    share = frame.reasons()["hit"] / frame.reason.size
    assert f"hit {share:.1%}" in texts


def test_entities_have_their_names(frame):
    texts = [t.get_text() for t in frame.plot("entity_id", entity_names=room().entity_names).get_legend().get_texts()]
    assert texts == ["walls", "table", "ball"], "by descending share"


def test_entities_and_reasons_have_the_colours_of_other_pictures(frame):
    legend = frame.plot("entity_id").get_legend()
    by_name = {text.get_text(): patch.get_facecolor() for text, patch in zip(legend.get_texts(), legend.get_patches())}
    for name, rgb in (("id 0", (242, 109, 109)), ("id 1", (48, 105, 242)), ("id 2", (204, 242, 150))):
        np.testing.assert_allclose(by_name[name][:3], np.divide(rgb, 255))
    hit = frame.plot("reason").get_legend().get_patches()[0]
    np.testing.assert_allclose(hit.get_facecolor()[:3], np.divide((120, 200, 120), 255))


def test_colours_cover_most_lengths_and_rows_are_moved(frame):
    known = frame.range[np.isfinite(frame.range)]
    np.testing.assert_allclose(frame.plot("range").images[0].get_clim(), np.quantile(known, (0.01, 0.95)))
    shifts = np.arange(frame.shape[0]) - 3
    drawn = np.ma.filled(frame.plot("range", shifts=shifts).images[0].get_array(), np.nan)
    np.testing.assert_array_equal(drawn[5], np.roll(frame.range[5], 2))


def test_labels_have_their_names_and_colours():
    scene = room()
    scene.add_label("thing", 5, [255, 0, 0])
    scene.add_entity("cube", fa.box([1, 1, 1]), [-1, 0, 1.2], label="thing")
    frame = fa.Simulator(scene, [camera()]).render(0, 0, ("label",))
    legend = frame.plot(labels=scene.labels).get_legend()
    assert [t.get_text() for t in legend.get_texts()] == ["none", "thing"]
    assert legend.get_patches()[1].get_facecolor() == (1, 0, 0, 1)
    assert [t.get_text() for t in frame.plot("label").get_legend().get_texts()] == ["none", "id 5"]


def test_a_scene_from_above_skips_what_has_no_mesh():
    scene = fa.Scene()
    scene.add_entity("place", None)
    scene.add_entity("cube", fa.box([1, 1, 1]), parent="place")
    assert [t.get_text() for t in scene.plot_top().texts] == ["cube"]


def test_usual_pictures(frame):
    _, ax = plt.subplots()
    assert frame.plot(ax=ax, vmin=0, vmax=5, cmap="gray") is ax and "depth" in ax.get_title()
    assert ax.images[0].get_clim() == (0, 5)
    figure = frame.show()
    assert [a.get_title().split(",")[0] for a in figure.axes if a.get_title()] == ["depth", "reason"]
    frame.show(["range", "energy", "hit_world"])


def test_one_of_many_environments():
    frames = fa.Environments(room(), camera(), 3).render(0, channels=("range", "reason"))["camera"]
    np.testing.assert_array_equal(frames.plot("range", environment=2).images[0].get_array(), frames.range[2])
    refuses("environment: 3", frames.plot, "range", environment=3)


def test_scenes_from_above():
    scene = room()
    path = fa.Trajectory([0, 1], [[0, 0, 1], [1, 0, 1]])
    sensors = [camera(), fa.Sensor("moving", "VLP-16", path), fa.Sensor("mounted", "VLP-16", parent="table")]
    ax = scene.plot_top(sensors=sensors, stamp_s=1.0)
    ax.figure.canvas.draw()
    texts = [t.get_text() for t in ax.texts]
    assert {"walls", "table", "ball", "camera", "moving", "mounted"} <= set(texts)
    assert len(ax.collections) == 3 and ax.get_xlim()[1] - ax.get_xlim()[0] >= 8
    np.testing.assert_allclose(ax.collections[1].get_paths()[0].vertices[:, 0].max(), 2.8)
    floor = scene.plot_top(below_m=1.0, names=False).collections[0]
    assert len(floor.get_paths()) == 2, "of the walls only the floor is lower"


def test_matplotlib_is_imported_late():
    code = "import sys, fathom; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
