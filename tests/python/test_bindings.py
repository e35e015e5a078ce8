# SPDX-License-Identifier: MIT
"""Python has every public function, class and member function of the headers, or ALLOWED names it.

A name counts as bound if python/src uses it, or if the package has an attribute of that name. The attribute may lack
the unit (clean_range_m: clean_range) or the word Noise (StudentNoise: Student).
"""

import fnmatch
import re
import types

import pytest

import fathom as fa
from support import SOURCE
from public_names import names_in, public_names, without_comments

# "reason: patterns". A pattern that matches a class allows its members too.
ALLOWED = """
the arithmetic of models in C++: math::* Truncated* IntervalNormal WideWords keyed_blocks hash_text uniform_from_normal
NumPy has it: transform_* translation_of conjugate slerp rotate_about *_csv read_beam_pairs
values are checked when they are given: *::check check_* find_name is_slug
for terminals: printable
messages are texts: InputError::message Message::names
the argument threads: Executor make_executor *Function
classes come from the tables: Field FieldMember take_field field_json field_text member_of values_of take_fields
casters ask: Scene::structure_revision
Scene.set_pose, Entity.material: Trajectory::hold Scene::material_of
the dict of a Sensor: Divergence::diverges SurfaceOptics::leads_on DepthFilters::any preset_sensor
hooks of noise models: *::act *::check_on *::edge_reads *::energy_* *::has_threshold *::idle *::is_identity
hooks of noise models: *::jumps *::learned *::least_depth_m *::loss_probability *::same_in_chain *::settle *::turn
hooks of noise models: *::sight_tolerance *::window *::with *::with_other_law MeasuredRangeLaw StudentNodes
hooks of noise models: Correlation::has_motion *_hidden is_supported *::begin_loss *::level_of *::with_heavy_tails *::without_losses
hooks of noise models: *::is_placed *_drops drop_fields *::on_beam *::tabulate *::soft_law SoftLaw::beyond *::drops strongest_drop_law *::apply_in Fog::peak_of_fog Fog::backscatter Fog::extinction Fog::span_on
blocks of noise models: block_kernel kernels_of find_losses return_of_lane draws_of_lane drive_* fill_* for_each_return put_return surface_of_lane add_row copy_run put_reading ray_of_lane *_powered powered_*
one return of a sensor: power_of is_too_weak least_power_of transmittance
weather of one return: between is_any air_ahead Fog::air_before *::apply_to Fog::FogSpan *_of_peak Fog::peak_between dimmed_power drops_transmit
weather of one return: is_reported reading_of *::Strongest least_of_drops pair_value_at place_in_table table_value_at
weather of one return: report_stronger see_through_drops strongest_drop is_seen may_show_* dim_* select_reason
one return of a noise model: energy_gain_of return_energy move_radially has_range match_window plane_at_centre
outputs of scene files: *Output OutputFile::* color_field legend_field max_range_field return_field
outputs of scene files: theme_field
Frame.__getitem__, Frame.velocity and Frame.clean_hit: Frame::velocity_m_s Frame::floats Frame::clean_hit_sensor_m
Environments.drawn_entities and set_*_poses: Environments::*drawn Environments::set_*_pose Environments::sensor_count
parts of beam.Density: HitDensity HitTail BeamDensity::cdf_jump probability_beside_hits
beam.sample: classify reaches open_uniform sample_reading sample_table
beam.World makes its own: ExpectedRanges make_*_ranges World::outline RayFan::every
fit.field and beam.score_likelihood_field: LikelihoodFieldModel::counts
beam.FieldFit has it: field_heatmap_of_log localizer_file_name
beam.ScanLog, ScanScores and Heatmap have it: ScanLog::offsets LogScores PositionGrid
one log in Python: fit_logs range_pairs_of_log
files of reports, which Fit.write and the command line write: *_report result_files
calibrate.read_measured_frames: is_noise_list rings_of ChainFitOptions::stretches_of
fit.wall takes arrays: read_wall_* wall_distances wall_image_inputs wall_cloud_files wall_frames_of_log
calibrate.measure_depth takes arrays: DepthMeter *depth_image* *depth_folder*
mujoco.Mirror: MujocoMirror
C++ and the command line alone: SensorNoise::apply_cloud SensorNoise::cloud_places apply_to_cloud_* is_cloud_file write_pfm write_exr
the command line alone: serve_* publish_scene has_topics estimate_dataset *Shard::parse apply_to_bag apply_to_topic
SensorNoise takes the numbers of a camera: set_camera
"""

PATTERNS = [pattern for line in ALLOWED.strip().split("\n") for pattern in line.split(": ")[1].split()]


def is_allowed(name, pattern):
    return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name.rpartition("::")[0], pattern)


def python_names():
    modules = [fa, *(module for module in vars(fa).values() if isinstance(module, types.ModuleType))]
    names = {name for module in modules for name in vars(module)}
    kinds = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    return names.union(*(dir(kind) for kind in kinds if kind.__module__.startswith("fathom")))


def unbound(names):
    source = "\n".join(without_comments(file.read_text()) for file in (SOURCE / "python" / "src").iterdir())
    words, members = set(re.findall(r"\w+", source)), set(re.findall(r"(?:\.|->|::)(\w+)", source))
    in_python = python_names()
    for name in names:
        owner, _, word = name.rpartition("::")
        bare = re.sub(r"(_m|_rad|_world|Noise)$", "", word)
        if word not in (members if owner[:1].isupper() else words) and not in_python & {word, bare}:
            yield name


def test_every_public_name_is_bound_or_allowed():
    assert len(public_names(SOURCE)) > 400
    names = unbound(public_names(SOURCE))
    missing = [name for name in names if not any(is_allowed(name, pattern) for pattern in PATTERNS)]
    assert not missing, "bind in python/src, or allow with a reason: " + ", ".join(missing)


def test_every_pattern_is_needed():
    names = list(unbound(public_names(SOURCE)))
    unused = [pattern for pattern in PATTERNS if not any(is_allowed(name, pattern) for name in names)]
    assert not unused, "allowed for nothing: " + ", ".join(unused)


def test_a_new_name_is_missed():
    names = ["Scene::add_entity", "Scene::explode", "explode_scene", "make_box", "NewCaster", "Frame::clean_range_m"]
    assert list(unbound(names)) == ["Scene::explode", "explode_scene", "NewCaster"]
    assert not any(is_allowed(name, pattern) for name in unbound(names) for pattern in PATTERNS)


def test_the_reader_of_headers_sees_what_is_public():
    text = """
    namespace fathom {
    /// int hidden_in_a_comment();
    FATHOM_API std::array<int, size(3)> made(int a = other(), std::function<void(int)> f = {});
    template <class T>
    requires(std::same_as<T, int>) void constrained(T t) { call(t); }
    enum class Kind { kOne, kTwo };
    class FATHOM_API Thing {
     public:
      explicit Thing(int);
      ~Thing();
      [[nodiscard]] int value() const { return inner(); }
      friend bool operator==(const Thing&, const Thing&);
     private:
      void secret();
    };
    struct Plain { int field = 0; std::function<bool()> stop; void act(); };
    namespace detail { void helper(); }
    namespace math { float log(float x); }
    }
    """
    assert sorted(names_in(text)) == ["Plain::act", "Thing", "Thing::value", "constrained", "made", "math::log"]


@pytest.mark.parametrize("name", ["Simulator::render", "Environments::set_entity_poses", "read_scene_file", "Frame"])
def test_the_headers_hold(name):
    assert name in public_names(SOURCE)
