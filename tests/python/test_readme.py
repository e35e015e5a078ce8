# SPDX-License-Identifier: MIT
"""What the guides on a lidar, on many environments and on given frames, and docs/python.md, show works as shown."""

import re
import types

import numpy as np
import pytest

import fathom as fa
from support import SOURCE, room


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (SOURCE / page).read_text(), re.S)


def test_the_tour_draws_its_picture(tmp_path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot", reason="no matplotlib here (Debian: python3-matplotlib)")
    (tmp_path / "room.yaml").write_text(blocks("docs/simulate-a-lidar.md", "yaml")[0])
    monkeypatch.chdir(tmp_path)
    codes = blocks("docs/simulate-a-lidar.md", "python")
    assert codes
    names = {}
    for code in codes:
        exec(code, names)
    assert len(plt.get_fignums()) == 1
    titles = [ax.get_title().split(",")[0] for ax in plt.gcf().axes if ax.get_title()]
    assert titles == ["range", "reason"]
    assert (SOURCE / "docs" / "images" / "python_room.png").exists()
    plt.close("all")


def block_with(words):
    """The block of the pages that has these words."""
    pages = ("docs/python.md", "docs/train-on-many-environments.md")
    (found,) = [code for page in pages for code in blocks(page, "python") if words in code]
    return found


def test_page_runs(capsys):
    names = {}
    for words in ("fa.Simulator(scene, [lidar]", "envs.set_entity_poses(", "fa.random.normal("):
        exec(block_with(words), names)
    assert "hit" in capsys.readouterr().out and names["mine"].shape == names["frame"].shape
    assert names["out"]["camera"].depth.shape == (64, 48, 64)
    assert names["envs"].drawn_entities()["ball.reflectivity"].shape == (64,)


def test_noise_for_other_simulators(capsys):
    """Stand-ins of Habitat and CARLA render a wall; blocks of other hosts are plain text."""
    usual, environments, habitat, carla = blocks("docs/given-frames.md", "python")
    exec(usual, names := dict(depth=np.full((480, 640), 1.5, np.float32)))
    assert names["noisy"].shape == (480, 640) and "hit" in capsys.readouterr().out
    camera = fa.Sensor("camera", fa.sensors.DepthCamera(width=8, height=6, horizontal_fov_deg=80),
                       noise=[fa.noise.Distance(mean_m=fa.Uniform(0, 0.1))])
    exec(environments, names := dict(fa=fa, camera=camera, depth=np.full((4096, 6, 8), 1.5, np.float32), env_ids=[3, 5]))
    assert names["noisy"].shape == (4096, 6, 8) and "distance.mean_m" in capsys.readouterr().out
    exec(habitat, names := dict(sim=types.SimpleNamespace(get_sensor_observations=lambda: {"depth": np.full((480, 640), 1.5)})))
    assert 1.4 < np.nanmedian(names["noisy"]) < 1.6
    code = round(1.5 / 1000 * (256**3 - 1))
    pixels = np.tile(np.array([code >> 16, code >> 8 & 255, code & 255, 255], np.uint8), 600 * 800)
    image = types.SimpleNamespace(raw_data=pixels.tobytes(), height=600, width=800, frame=3)
    exec(carla, names := dict(frames=[], camera=types.SimpleNamespace(listen=lambda callback: callback(image))))
    assert 1.4 < np.nanmedian(names["frames"][0]) < 1.6


def test_text_blocks_of_other_simulators_are_python():
    texts = blocks("docs/given-frames.md", "text")
    assert len(texts) == 4
    for text in texts:
        compile(text, "docs/given-frames.md", "exec")


@pytest.fixture
def files_of_the_page(tmp_path, monkeypatch):
    (tmp_path / "hills.pgm").write_bytes(b"P5 4 4 255\n" + bytes([0, 9, 0, 20] * 4))
    (tmp_path / "car.mtl").write_text("newmtl paint\nnewmtl glass\n")
    (tmp_path / "car.obj").write_text("mtllib car.mtl\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\n"
                                      "usemtl paint\nf 1 2 3\nusemtl glass\nf 1 2 4\n")
    (tmp_path / "arm.urdf").write_text((SOURCE / "examples" / "09_robot" / "arm.urdf").read_text())
    monkeypatch.chdir(tmp_path)


def test_labels_of_the_page_run(files_of_the_page, tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot", reason="no matplotlib here (Debian: python3-matplotlib)")
    names = dict(fa=fa, scene=room())
    exec(block_with("fa.read_mesh_parts("), names)
    plt.close("all")
    scene, seen = names["scene"], names["seen"]
    assert [label.name for label in scene.labels] == ["ground", "post", "car"]
    assert {"car/paint", "car/glass"} < set(scene.entity_names) and (tmp_path / "labels.png").exists()
    ground, post = (seen.entity_id == scene.find_entity(name) for name in ("hills", "post"))
    assert ground.any() and (seen.label[ground] == 1).all() and not post.any() and not (seen.label == 3).any()


def test_robots_of_the_page_run(files_of_the_page):
    try:
        fa.read_robot("arm.urdf")
    except fa.InputError as error:
        if "has no urdfdom" not in str(error):
            raise
        pytest.skip("this build reads no URDF")
    names = dict(fa=fa, scene=room())
    exec(block_with("fa.PlacedRobot("), names)
    depth = names["hand"].render("hand", channels=("depth", "entity_id"))
    fingers = [names["arm"].entity(side) for side in ("left_finger", "right_finger")]
    assert np.isin(depth.entity_id, fingers).any() and np.isfinite(depth.depth).any()


def test_scores_of_the_page_run(tmp_path, monkeypatch):
    cells = np.zeros((40, 60), np.uint8)
    cells[[0, -1]] = cells[:, [0, -1]] = 1
    code = block_with("fit.beam(")
    azimuths = np.linspace(-3, 3, 40)
    (tmp_path / "office.pgm").write_bytes(b"P5 60 40 255\n" + bytes(np.where(cells[::-1] == 1, 0, 254).astype(np.uint8)))
    (tmp_path / "office.yaml").write_text("image: office.pgm\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\n"
                                          "occupied_thresh: 0.65\nfree_thresh: 0.196\n")
    truth = fa.beam.Parameters(w_hit=0.8, w_short=0.1, w_max=0.05, w_rand=0.05, sigma_hit_m=0.05, lambda_short_per_m=0.5)
    poses = [[2 + 0.02 * i, 2, 0.02 * i] for i in range(60)]
    log = fa.beam.sample_log(truth, fa.GridMap(cells, 0.1), poses, azimuths, 10.0)
    log.write_csv(tmp_path / "office.log.gz")
    monkeypatch.chdir(tmp_path)
    names = dict(azimuths=azimuths, poses=poses, readings=log.range_m[3])
    exec(code, names)
    assert names["log_likelihood"].argmax() == 3
