# SPDX-License-Identifier: MIT
"""The beam model: what is simulated with known parameters is found again, and scans score best where they were made."""

import json

import numpy as np
import pytest

import fathom as fa
from fathom import beam
from support import SOURCE, refuses, same

TRUTH = beam.Parameters(w_hit=0.8, w_short=0.1, w_max=0.04, w_rand=0.06, sigma_hit_m=0.05, lambda_short_per_m=0.5)
FAR = 15.0
AZIMUTHS = np.linspace(-np.pi, np.pi, 60, endpoint=False)


@pytest.fixture(scope="module")
def grid():
    cells = np.zeros((60, 80), dtype=np.uint8)
    cells[[0, -1]] = cells[:, [0, -1]] = 1
    cells[20:25, 10:18] = 1
    return fa.GridMap(cells, 0.1)


@pytest.fixture(scope="module")
def poses():
    t = np.arange(200)
    return np.stack([2 + 0.025 * t, np.full(200, 3.5), 0.03 * t - 3], axis=-1)  # odd ones: 40 equal stretches


@pytest.fixture(scope="module")
def log(grid, poses):
    return beam.sample_log(TRUTH, grid, poses, AZIMUTHS, FAR, seed=5)


@pytest.fixture(scope="module")
def fitted(log, grid):
    return fa.fit.beam(log, grid)


def check(fit):
    errors = fit.std_error
    for name in ("w_hit", "w_short", "w_max", "w_rand", "sigma_hit_m"):
        assert abs(getattr(fit.parameters, name) - getattr(TRUTH, name)) < 5 * errors[name], name
    assert fit.converged and (np.diff(fit.log_likelihood) >= -1e-6).all()


def test_parameters_are_found_again(fitted):
    check(fitted)
    assert fitted.held_out and "cannot be known" in fitted.held_out.note
    assert fitted.judgement["ks_distance"] < 0.05
    assert fitted.sensor.max_range_m == FAR and fitted.sensor.expected_floor_m == 0.05, "half a cell of the map"


def test_fit_of_arrays_is_that_of_the_log(log, grid, fitted):
    readings, expected = log.pairs(beam.World.from_map(grid), FAR, "odd")
    assert readings.shape == (100, 60) and same(readings, log.range_m[1::2])
    fit = fa.fit.beam_pairs(readings, expected, sensor=fitted.sensor, cell_m=0.1, hit_offset_m=None)
    assert fit.parameters == fitted.parameters and str(fit.std_error) == str(fitted.std_error)
    by_number = fa.fit.beam_pairs(readings.ravel(), expected.ravel(), scan=np.repeat(np.arange(100), 60), sensor=fitted.sensor, cell_m=0.1,
                         hit_offset_m=None)
    assert str(by_number.std_error) == str(fit.std_error)
    judged = beam.judge(fit, *log.pairs(beam.World.from_map(grid), FAR, "even"))
    assert judged["nats_per_ray"] == fitted.judgement["nats_per_ray"]


def test_errors_are_of_stretches(log, grid, fitted):
    assert fitted.blocks == 40 and np.isfinite(fitted.std_error["hit_offset_m"]), "learned in a map"
    low, high = fitted.interval_95["sigma_hit_m"]
    assert high - fitted.parameters.sigma_hit_m == pytest.approx(2.10981558 * fitted.std_error["sigma_hit_m"])
    assert low < fitted.parameters.sigma_hit_m
    by_scan = fa.fit.beam(log, grid, stretches=0, hit_offset_m=0.0)
    assert by_scan.blocks == 100 and np.isnan(by_scan.interval_95["hit_offset_m"]).all()
    with pytest.raises(ValueError, match="hit_offset_m = 'learn'"):
        fa.fit.beam(log, grid, hit_offset_m="learn")


def test_a_code_for_no_return_is_named_and_taken(log, grid):
    far = beam.ScanLog(log.poses, log.azimuth_rad, np.where(log.range_m >= FAR, np.float32(81.83), log.range_m), 100.0)
    assert any(flag.startswith("many readings are 81.83 m") and 'max_range_m="auto"' in flag
               for flag in fa.fit.beam(far, grid).flags)
    found = fa.fit.beam(far, grid, "auto")
    assert abs(found.sensor.max_range_m - 81.74) < 1e-9 and not any("many readings" in flag for flag in found.flags)
    refuses("max_range_m = 'far' is neither a number nor 'auto'", fa.fit.beam, far, grid, "far")


def test_heavier_tails_are_drawn_learned_and_kept(grid, poses, tmp_path):
    truth = TRUTH.replace(hit="student_t", nu_hit=2.0)
    log = beam.sample_log(truth, grid, poses, AZIMUTHS, FAR, seed=6)
    heavy, book = (fa.fit.beam(log, grid, hit=hit, hit_offset_m=0) for hit in ("student_t", "gaussian"))
    check(heavy)
    assert heavy.parameters.hit == "student_t" and book.parameters.hit == "gaussian"
    assert abs(heavy.parameters.nu_hit - 2) < 4 * heavy.std_error["nu_hit"]
    assert "nu_hit" in heavy.interval_95 and "nu_hit" not in book.std_error and "nu_hit" in repr(heavy)
    assert heavy.judgement["nats_per_ray"] > book.judgement["nats_per_ray"] + 0.02
    readings, expected = log.pairs(beam.World.from_map(grid), FAR, "odd")
    again = fa.fit.beam_pairs(readings, expected, sensor=heavy.sensor, cell_m=0.1, hit="student_t")
    assert again.parameters == heavy.parameters
    grows = fa.fit.beam_pairs(readings, expected, sensor=heavy.sensor, cell_m=0.1,
                     start=beam.Parameters(w_hit=.25, w_short=.25, w_max=.25, w_rand=.25, sigma_hit_m=.5,
                                           lambda_short_per_m=1, hit="grows"))
    assert grows.parameters.hit == "grows" and grows.parameters.sigma_hit_per_m >= 0
    density = beam.Density(heavy, 3.0, max_range_m=FAR)
    z = np.linspace(0, FAR, 300_000, endpoint=False)
    assert abs(density.density(z).mean() * FAR + heavy.parameters.w_max - 1) < 1e-4
    model = beam.Model(heavy.parameters, heavy.sensor)
    beam.write_model(tmp_path / "heavy.yaml", model)
    assert beam.read_model(tmp_path / "heavy.yaml").parameters == heavy.parameters
    refuses("nav2 knows hits that are gaussian only", beam.localizer_text, heavy, "nav2")
    refuses("nu_hit = 0.1 is not in", truth.replace, nu_hit=0.1)
    refuses("student_t", truth.replace, hit="studnet_t")


def test_report(fitted, tmp_path):
    page = fitted._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "sigma" in page and "&lt;svg" in page
    assert fitted.report(tmp_path / "r.html") == (tmp_path / "r.html").read_text() and "<html" in fitted.report()
    files = fitted.write(tmp_path / "fit")
    assert [f.name for f in files] == ["parameters.yaml", "report.html", "fit.json"]
    assert json.loads(files[2].read_text())
    refuses("fit", fitted.write, tmp_path / "fit")
    model = beam.read_model(tmp_path / "fit" / "parameters.yaml")
    assert model.parameters == fitted.parameters and model.sensor == fitted.sensor
    beam.write_model(tmp_path / "again.yaml", model)
    assert beam.read_model(tmp_path / "again.yaml") == model
    assert "w_hit = 0." in repr(fitted) and isinstance(fitted.flags, list)


def test_scores_are_best_where_scans_were_made(log, grid, poses):
    scorer = beam.Scorer(TRUTH, grid, AZIMUTHS, max_range_m=FAR)
    rng = np.random.default_rng(0)
    for scan in (0, 50, 199):
        near = poses[scan] + rng.normal(size=(50, 3)) * [0.5, 0.5, 0.3]
        scores = scorer.score(np.vstack([poses[scan], near]), log.range_m[scan])
        assert scores.shape == (51,) and scores.dtype == np.float64 and scores.argmax() == 0
    assert scorer.kept_rays == 60
    expected = beam.World.from_map(grid).expected(poses[:3], AZIMUTHS, FAR)
    np.testing.assert_allclose(scorer.score_expected(expected, log.range_m[0]), scorer.score(poses[:3], log.range_m[0]), rtol=1e-6)
    positions = np.column_stack([poses[:3, :2], np.zeros(3)])
    quaternions = [fa.Pose(rpy_rad=[0, 0, yaw]).quat_xyzw for yaw in poses[:3, 2]]
    np.testing.assert_allclose(scorer.score(positions, log.range_m[0], quat_xyzw=quaternions), scorer.score(poses[:3], log.range_m[0]), rtol=1e-6)


def test_the_exact_score_is_the_sum_of_densities(log, grid, poses):
    exact = beam.Scorer(TRUTH, grid, AZIMUTHS, max_range_m=FAR, exact=True).score(poses[:1], log.range_m[0])[0]
    expected = beam.World.from_map(grid).expected(poses[:1], AZIMUTHS, FAR)[0]
    sensor = beam.Sensor(max_range_m=FAR, expected_floor_m=0.05)
    total = sum(beam.Density(TRUTH, float(e), sensor=sensor).log_likelihood(float(z)) for e, z in zip(expected, log.range_m[0]))
    assert exact == pytest.approx(float(total), rel=1e-9)


def test_density_integrates_to_one():
    density = beam.Density(TRUTH, 4.0, max_range_m=FAR)
    z = np.linspace(0, FAR, 15001)[:-1] + 0.0005
    assert density.density(z).sum() * 0.001 + TRUTH.w_max == pytest.approx(1, abs=1e-4)
    assert density.cdf(density.quantile(0.3)) == pytest.approx(0.3) and density.expected_m == 4
    assert density.density(z.reshape(100, 150)).shape == (100, 150)


def test_samples_are_those_of_the_log(log, grid, poses):
    expected = beam.World.from_map(grid).expected(poses, AZIMUTHS, FAR)
    sensor = beam.Sensor(max_range_m=FAR, expected_floor_m=0.05)
    assert same(beam.sample(TRUTH, expected, sensor=sensor, seed=5), log.range_m)
    assert same(beam.sample(TRUTH, expected[7:9], sensor=sensor, seed=5, first_scan=7), log.range_m[7:9])


def test_logs(log, tmp_path):
    log.write_csv(tmp_path / "log.csv")
    read = beam.read_scan_log(tmp_path / "log.csv")
    assert same(read.range_m, log.range_m) and len(read) == 200 and read.max_range_m == FAR
    np.testing.assert_allclose(read.poses, log.poses)
    again = beam.ScanLog(log.poses, log.azimuth_rad, log.range_m, FAR)
    assert same(again.range_m, log.range_m) and isinstance(again.notes(FAR), list)
    np.testing.assert_array_equal(log.select("0:10:3"), [0, 3, 6, 9])
    assert log.suspected_no_return_m(2 * FAR) == FAR
    with pytest.raises(fa.InputError, match=r"\(200, 59\).*\(200, 60\)"):
        beam.ScanLog(log.poses, log.azimuth_rad, log.range_m[:, :59])
    hits = log.hits_world(0, beam.Sensor(max_range_m=FAR).to_dict())
    assert hits.shape == ((log.range_m[0] < FAR).sum(), 3)


def test_scores_of_logs(log, grid):
    scores = beam.score_log(TRUTH, grid, log, FAR, scans="0:5:1")
    direct = beam.Scorer(TRUTH, grid, AZIMUTHS, max_range_m=FAR)
    np.testing.assert_allclose(scores.log_likelihood, [direct.score(log.poses[i:i + 1], log.range_m[i])[0] for i in range(5)])
    np.testing.assert_array_equal(scores.scan, range(5))


def test_scores_of_beams(log, grid):
    beams = beam.score_beams(TRUTH, grid, log, FAR, scans="0:3", ray_step=2)
    assert beams.scan.shape == (90,) and same(beams.ray[:30], np.arange(0, 60, 2))
    assert same(beams.reading_m[:30], log.range_m[0, ::2])
    total = beams.p_hit + beams.p_short + beams.p_max + beams.p_rand
    assert np.allclose(total, 1)
    one = beam.Density(TRUTH, float(beams.expected_m[7]), sensor=beam.Sensor(max_range_m=FAR, expected_floor_m=0.05))
    assert np.isclose(one.log_density(float(beams.reading_m[7])), beams.log_density[7])


def test_localizers_get_weights_that_make_up_for_their_missing_factor(fitted, tmp_path):
    nav2, beluga = (beam.localizer_parameters(TRUTH, name) for name in ("nav2", "beluga"))
    assert beluga["z_hit"] == TRUTH.w_hit and beluga["sigma_hit"] == TRUTH.sigma_hit_m
    assert np.isclose(nav2["z_hit"] / nav2["z_rand"], 0.8 / 0.06 / (0.05 * np.sqrt(2 * np.pi)))
    assert "    z_hit: " in beam.localizer_text(fitted, "nav2")
    assert beam.localizer_notes(TRUTH, "beluga") == []
    files = fitted.write(tmp_path / "fit", localizers=["amcl"])
    assert [f.name for f in files] == ["parameters.yaml", "report.html", "amcl.yaml", "fit.json"]
    with pytest.raises(fa.InputError):
        beam.localizer_text(fitted, "nav3")


def test_the_likelihood_field_is_learned_and_scores(log, grid, tmp_path):
    fit = fa.fit.field(log, grid)
    model = fit.model
    assert fit.held_out and "cannot be known" in fit.held_out.note
    assert 0.7 < model["w_hit"] < 0.95 and model["max_range_m"] == FAR
    assert np.isclose(model["w_hit"] + model["w_rand"], 1) and fit.std_error["sigma_hit_m"] > 0
    low, high = fit.interval_95["sigma_hit_m"]
    assert low < model["sigma_hit_m"] < high and set(fit.interval_95) == set(fit.std_error)
    assert fa.fit.field(log, grid, "auto").model["max_range_m"] <= FAR
    refuses("neither a number nor 'auto'", fa.fit.field, log, grid, "far")
    scores = beam.score_likelihood_field(fit, grid, log, scans="0:4")
    blurred = dict(model, sigma_hit_m=5 * model["sigma_hit_m"])
    assert scores.shape == (4,) and (scores > beam.score_likelihood_field(blurred, grid, log, scans="0:4")).all()
    fit.write(tmp_path / "fit", localizers=["beluga"])
    assert beam.read_field_model(tmp_path / "fit" / "parameters.yaml") == model
    assert (tmp_path / "fit" / "beluga.yaml").read_text() == beam.localizer_field_text(fit, "beluga")
    beam.write_field_model(tmp_path / "again.yaml", fit)
    assert beam.read_field_model(tmp_path / "again.yaml") == model


def test_heatmaps(log, grid, fitted, tmp_path):
    made = beam.heatmap(fitted, grid, AZIMUTHS, log.range_m[50], spacing_m=0.4, headings=60)
    np.testing.assert_allclose(made.refined[:2], log.poses[50, :2], atol=0.06)
    assert made.log_likelihood.shape == made.yaw_rad.shape and np.nanmax(made.log_likelihood) == made.best_log_likelihood
    of_log, logged, score = beam.heatmap_of_log(fitted, grid, log, 50, spacing_m=0.4, headings=60)
    np.testing.assert_allclose(logged, log.poses[50])
    assert of_log.refined_log_likelihood >= score - 1e-6
    made.write_png(tmp_path / "h.png", grid, 300, truth=log.poses[50], hits_world=log.hits_world(50, fitted.sensor.to_dict()))
    assert (tmp_path / "h.png").read_bytes().startswith(b"\x89PNG")
    made.write_png(tmp_path / "light.png", grid, 300, theme="light")
    assert (tmp_path / "light.png").read_bytes() != (tmp_path / "h.png").read_bytes()
    refuses("png", made.write_png, tmp_path / "h.jpg", grid)


def test_scenes_and_maps_expect_the_same(grid, poses):
    scene = fa.Scene()
    scene.add_entity("walls", grid.walls(2.0))
    in_scene = beam.World.from_scene(scene, 1.0).expected(poses[:3], AZIMUTHS, FAR)
    np.testing.assert_allclose(in_scene, beam.World.from_map(grid).expected(poses[:3], AZIMUTHS, FAR), atol=1e-4)
    laser = fa.sensors.Laser2d(rays=5, min_azimuth_rad=-1, max_azimuth_rad=1)
    directions = laser.pattern()["directions"][0]
    np.testing.assert_allclose(beam.World.from_map(grid).expected(poses[:1], directions, FAR),
                               beam.World.from_map(grid).expected(poses[:1], np.linspace(-1, 1, 5), FAR), atol=1e-5)


@pytest.mark.parametrize("call, words", [
    (lambda grid: beam.Scorer(TRUTH, grid, AZIMUTHS), ["max_range_m"]),
    (lambda grid: beam.Scorer(3, grid, AZIMUTHS, max_range_m=FAR), ["parameters", "int"]),
    (lambda grid: beam.Scorer(TRUTH, grid, AZIMUTHS, max_range_m=FAR).score([[0, 0]], np.ones(60)), ["poses", "(1, 2)", "(N, 3)"]),
    (lambda grid: beam.Scorer(TRUTH, grid, AZIMUTHS, max_range_m=FAR).score([[0, 0, 0]], np.ones(59)), ["readings", "(59,)", "(60,)"]),
    (lambda grid: beam.Scorer(TRUTH, grid, AZIMUTHS, max_range_m=FAR, ray_step=0), ["step"]),
    (lambda grid: beam.World.from_map(grid, unknown="fre"), ["'fre'", "'free'?"]),
    (lambda grid: beam.World.from_map("none.yaml"), ["none.yaml"]),
    (lambda grid: fa.fit.beam_pairs([[1.0]], [[1.0]]), ["max_range_m"]),
    (lambda grid: fa.fit.beam_pairs([[1.0]], [[-1.0]], FAR), ["expected"]),
    (lambda grid: fa.fit.beam_pairs([[1.0]], [[1.0]], FAR, variant="exct"), ["'exct'", "'exact'?"]),
    (lambda grid: beam.Density(TRUTH, -1.0, max_range_m=FAR), ["-1"]),
    (lambda grid: TRUTH.replace(sigma_hit_m=0), ["beam.sigma_hit_m = 0"]),
])
def test_refusals(call, words, grid):
    refuses(words, call, grid)


def test_scans_come_from_bags_too(tmp_path):
    setup = fa.load(SOURCE / "examples/11_drive_bag/drive.yaml")
    setup.run(tmp_path / "run", frames=30, bag=tmp_path / "drive.mcap")
    log = fa.beam.read_bag_log(tmp_path / "drive.mcap", frame="world")
    assert len(log) == 29 and log.max_range_m == 12 and log.range_m.shape == (29, 271)
    assert log.notes() == ["1 scan was left out: the way from 'laser' to 'world' is not known then"]
    world_from_laser = setup.simulator().world_from_sensor("laser", 1.0).position_m
    assert np.allclose(log.poses[10, :2], world_from_laser[:2], atol=1e-3)
    refuses("nothing connects frame 'laser' with frame 'map'", fa.beam.read_bag_log, tmp_path / "drive.mcap")


def test_poses_are_refined_with_the_parameters(log, grid, poses):
    off = poses + np.random.default_rng(1).normal(size=poses.shape) * [0.1, 0.1, 0.02]
    spoilt = beam.ScanLog(off, log.azimuth_rad, log.range_m, FAR)
    fit = fa.fit.beam(spoilt, grid, scans="0:100", refine_poses=(0.1, 0.02))
    refined = fit.refined
    assert same(refined["logged"], off[:100]) and list(refined["scans"]) == list(range(100))
    assert same(refined["log"].range_m, log.range_m[:100]) and fit.mount is None
    error = np.linalg.norm(refined["log"].poses[:, :2] - poses[:100, :2], axis=1)
    assert np.sqrt((error**2).mean()) < 0.06, "of 0.14"
    assert fit.judgement["nats_per_ray"] > refined["judgement_before"]["nats_per_ray"] + 0.2
    assert fit.parameters.sigma_hit_m < 0.7 * refined["parameters_before"]["sigma_hit_m"]
    assert fa.fit.beam(spoilt, grid).refined is None
    with pytest.raises(ValueError, match="stddev_m = nan"):
        fa.fit.beam(spoilt, grid, refine_poses=(float("nan"), 0.02))
    mounted = fa.fit.beam(spoilt, grid, scans="0:100", per_log="mount", refine_poses=True)
    assert abs(mounted.mount["x_m"]) < 4 * mounted.mount["std_error"]["x_m"] < 0.1


def test_refined_poses_are_a_log(log, grid, tmp_path):
    fit = fa.fit.beam(log, grid, refine_poses=True)
    files = fit.write(tmp_path / "fit")
    assert [file.name for file in files] == ["parameters.yaml", "report.html", "refined.log", "fit.json"]
    assert same(beam.read_scan_log(tmp_path / "fit" / "refined.log").poses, fit.refined["log"].poses)
