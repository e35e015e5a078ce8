# SPDX-License-Identifier: MIT
"""What README.md and docs/python.md show works as shown."""

import re

import numpy as np
import pytest

import fathom as fa
from support import SOURCE


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (SOURCE / page).read_text(), re.S)


def test_readme_draws_its_picture(tmp_path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot", reason="no matplotlib here (Debian: python3-matplotlib)")
    (tmp_path / "room.yaml").write_text(blocks("README.md", "yaml")[0])
    monkeypatch.chdir(tmp_path)
    codes = blocks("README.md", "python")
    assert codes
    names = {}
    for code in codes:
        exec(code, names)
    assert len(plt.get_fignums()) == 1
    titles = [ax.get_title().split(",")[0] for ax in plt.gcf().axes if ax.get_title()]
    assert titles == ["range", "reason"]
    assert (SOURCE / "docs" / "images" / "python_room.png").exists()
    plt.close("all")


def test_page_runs(capsys):
    names = {}
    pages = blocks("docs/python.md", "python")
    world, many, _, own = pages
    for code in (world, many, own):
        exec(code, names)
    assert "hit" in capsys.readouterr().out and names["mine"].shape == names["frame"].shape
    assert names["out"]["camera"].depth.shape == (64, 48, 64)


def test_scores_of_the_page_run(tmp_path, monkeypatch):
    cells = np.zeros((40, 60), np.uint8)
    cells[[0, -1]] = cells[:, [0, -1]] = 1
    code = blocks("docs/python.md", "python")[2]
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
