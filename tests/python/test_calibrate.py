# SPDX-License-Identifier: MIT
"""What a simulator was given is learned from its frames."""

import numpy as np
import pytest

import fathom as fa
from support import camera, refuses, room


def test_distance_noise_is_found_again():
    truth = fa.noise.Distance(mean_m=0.01, stddev_m=0.02, stddev_per_m=0.004)
    simulator = fa.Simulator(room(), [camera(noise=[truth, fa.noise.Dropout(probability=0.1)])], seed=6)
    pairs = [fa.calibrate.range_pairs(simulator.render(0, k, ("range", "clean_range", "reason"))) for k in range(10)]
    learned = fa.fit.distance(np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs]))
    for name in ("mean_m", "stddev_m", "stddev_per_m"):
        estimate = learned.parameters[name]
        assert abs(estimate.value - getattr(truth, name)) < 5 * estimate.std_error, name
    assert learned.noise().stddev_m == pytest.approx(learned.parameters["stddev_m"].value, rel=1e-6)
    assert 5000 < learned.pairs < 7680 and learned.skipped == 0
    with_nan = fa.fit.distance(np.append(pairs[0][0], np.nan), np.append(pairs[0][1], 1))
    assert with_nan.skipped == 1


def test_measures_a_depth_camera():
    rng = np.random.default_rng(3)
    disparity = 30 + 0.01 * np.arange(192)[:, None] + 0.08 * rng.standard_normal((5, 192, 240))
    frames = 33.7 / disparity
    frames[:, 100:104, 50:52] = np.nan
    m = fa.measure_depth(frames, focal_baseline_px_m=33.7, still=True)
    assert m.shape == (5, 192, 240)
    assert abs(m.deviation_px.value - 0.08) < 5 * m.deviation_px.std_error < 0.004
    assert len(m.across) == len(m.down) == len(m.in_time) == len(m.across_residual) == 12
    assert all(abs(e.value) < 5 * e.std_error for e in m.across + m.down + m.in_time[:4])
    assert np.isnan(m.in_time[4].value)
    assert m.patches.all == 5 * 80 and m.patches.with_hole == 5
    assert m.holes == 40 and m.blobs == [(0, 0), (5, 40), (0, 0)] and m.blobs_by_size[3] == (5, 40) and m.largest_blob == 8
    assert [w.side_px for w in m.walls] == [24, 48, 72] and abs(m.walls[1].deviation_px - 0.08) < 0.005
    assert m.bands[2].holes == 40 and m.bands[2].low_m == 1 and np.isinf(m.bands[-1].high_m)
    assert fa.measure_depth(frames, threads=3).across == fa.measure_depth(frames, threads=1).across
    one = fa.measure_depth(frames[0].astype(np.float32))
    assert one.shape == (1, 192, 240) and one.in_time == [] and "camera" in one.flags[0]


def test_what_is_left_out_counts_nowhere():
    frames = np.full((2, 48, 72), 2.0)
    frames[:, 10:20, 10:12] = np.nan
    frames[:, :, 40:] = 0
    out = np.zeros((48, 72), bool)
    out[:, 40:] = True
    m = fa.measure_depth(frames, left_out=out)
    assert m.left_out == 2 * 48 * 32 and m.pixels == 2 * 48 * 40 and m.holes == 2 * 20
    assert m.blobs == m.whole_blobs == [(0, 0), (2, 40), (0, 0)]
    each = fa.measure_depth(frames, left_out=np.stack([out, out]).astype(np.uint8))
    assert (each.left_out, each.holes) == (m.left_out, m.holes)
    assert fa.measure_depth(frames[0], left_out=out).holes == 20
    everything = fa.measure_depth(frames)
    assert everything.left_out == 0 and everything.holes == m.holes + m.left_out
    assert everything.whole_blobs == m.whole_blobs and everything.blobs[2] == (2, m.left_out)


@pytest.mark.parametrize("normalization", ["document", "threshold"])
def test_energy_law_is_found_again(normalization):
    truth = fa.noise.StereoEnergy(min_energy=0.3, pow=3, normalization=normalization)
    model = fa.sensors.StereoCamera(width=64, height=48, horizontal_fov_deg=120, baseline_m=0.05)
    simulator = fa.Simulator(room(), [fa.Sensor("c", model, [-3, 0, 1.2], noise=truth)], seed=6)
    pairs = [fa.calibrate.energy_pairs(simulator.render(0, k, ("energy", "reason"))) for k in range(10)]
    learned = fa.fit.energy(np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs]),
                                  normalization=normalization)
    assert abs(learned.parameters["pow"].value - 3) < 5 * learned.parameters["pow"].std_error
    assert learned.parameters["min_energy"].value == pytest.approx(0.3, abs=0.05)
    noise = learned.noise(energy="half_vector")
    assert noise.energy == "half_vector" and noise.normalization == normalization and noise.slug == "stereo_energy"
    as_flags = fa.fit.energy(pairs[0][0], pairs[0][1].astype(bool), normalization=normalization)
    assert as_flags.pairs == len(pairs[0][0])


def test_pairs_of_a_run(tmp_path):
    (tmp_path / "p.csv").write_text("range_m,expected_m\n1.5,1.25\n2.5,2.25\n3.5,3.0\n")
    pairs = fa.calibrate.read_range_pairs(tmp_path / "p.csv")
    np.testing.assert_array_equal(pairs.range_m - pairs.expected_m, [0.25, 0.25, 0.5])
    assert pairs.scan is None and fa.fit.distance(*pairs).block == "pair"
    (tmp_path / "s.csv").write_text("range_m,expected_m,scan\n1.5,1.25,7\n2.5,2.25,7\n3.5,3.0,9\n4,4,12\n")
    scans = fa.calibrate.read_range_pairs(tmp_path / "s.csv")
    np.testing.assert_array_equal(scans.scan, [7, 7, 9, 12])
    learned = fa.fit.distance(*scans)
    mean = learned.parameters["mean_m"]
    assert learned.blocks == 3 and mean.naive_error <= mean.std_error
    assert mean.low_95 < mean.value < mean.high_95
    assert fa.fit.distance(*scans, stretches=2).blocks == 2
    (tmp_path / "e.csv").write_text("energy,lost\n0.5,1\n0.75,0\n")
    energy, lost = fa.calibrate.read_energy_pairs(tmp_path / "e.csv")
    np.testing.assert_array_equal(energy, [0.5, 0.75])
    np.testing.assert_array_equal(lost, [1, 0])


@pytest.mark.parametrize("call, words", [
    (lambda: fa.fit.distance([1, 2, 3], [1, 2]), ["expected", "(2,)", "(3,)"]),
    (lambda: fa.fit.distance([1, 2], [1, 2]), ["at least 3"]),
    (lambda: fa.fit.distance([1, 2, 3], [1, 2, 3], [1, 2]), ["scan", "(2,)", "(3,)"]),
    (lambda: fa.fit.distance([1, 2, 3], [1, 2, 3], [1, 2, 2**32]), ["scan", "4294967296"]),
    (lambda: fa.fit.energy([0.5, 0.5], [0, 2]), ["lost", "2", "[0, 1]"]),
    (lambda: fa.fit.energy([0.5, 0.5], [0, 1], normalization="x"), ["'x'", "document"]),
    (lambda: fa.measure_depth(np.ones(5)), ["frames", "(frames, rows, cols)"]),
    (lambda: fa.measure_depth(np.ones((2, 0, 5))), ["0"]),
    (lambda: fa.measure_depth(np.ones((4, 5)), focal_baseline_px_m=float("nan")), ["focal_baseline_px_m", "nan"]),
    (lambda: fa.measure_depth(np.ones((2, 4, 5)), left_out=np.ones((4, 4))), ["left_out", "(4, 4)"]),
    (lambda: fa.measure_depth(np.ones((4, 5)), left_out=np.full((4, 5), 0.5)), ["left_out"]),
    (lambda: fa.measure_depth(np.ones((4, 5)), band_edges_m=[2, 1]), ["band_edges_m", "1"]),
    (lambda: fa.calibrate.range_pairs(fa.Simulator(room(), [camera()]).render(0)), ["clean_range"]),
])
def test_refusals(call, words):
    refuses(words, call)
