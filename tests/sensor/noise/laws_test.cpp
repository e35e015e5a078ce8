// SPDX-License-Identifier: MIT
// Laws that every model obeys. The tests run over the registered list: a new model faces them by itself.

#include <cctype>

#include <fathom/noise/custom.hpp>

#include "sensor/noise/blind_zone.hpp"
#include "sensor/noise/blocks.hpp"
#include "sensor/noise/busy.hpp"
#include "support/casters.hpp"
#include "support/expect.hpp"

namespace fathom::test::laws_test {
namespace {

template <class Model>
class Laws : public testing::Test {
 public:
  static Model busy() { return busy_model<Model>(); }
};

/// The registered models, and more.
template <class Variant, class... More>
struct TypesOf;
template <class... Models, class... More>
struct TypesOf<std::variant<Models...>, More...> {
  using Types = testing::Types<Models..., More...>;
};

/// The models of a list that act on one ray: not stage kImage, whose laws are in render/matching_window_test.cpp.
template <class Variant, class... Models>
struct RayModels {
  using Type = std::variant<Models...>;
};
template <class M, class... Rest, class... Models>
struct RayModels<std::variant<M, Rest...>, Models...>
    : std::conditional_t<M::kStage == Stage::kImage, RayModels<std::variant<Rest...>, Models...>,
                         RayModels<std::variant<Rest...>, Models..., M>> {};

struct SlugAsName {
  template <class Model>
  static std::string GetName(int) {
    return std::string(Model::kSlug);
  }
};
using AllModels =
    TypesOf<RayModels<RegisteredNoise>::Type, BlindZone>::Types;  // one that the library does not know too
TYPED_TEST_SUITE(Laws, AllModels, SlugAsName);

/// Laws of models that can be made by name.
template <class Model>
class ListedLaws : public Laws<Model> {};
TYPED_TEST_SUITE(ListedLaws, TypesOf<RegisteredNoise>::Types, SlugAsName);

constexpr NoiseKey kKey = {0x0123456789abcdefU, 4, 77};

bool all_bits_equal(const Lanes& a, const Lanes& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (bits_of_lane(a, i) != bits_of_lane(b, i)) return false;
  }
  return a.size() == b.size();
}

void expect_busy_parameters_change_something(const Noise& busy) {
  // Without this, a model that does nothing would pass the laws below.
  for (const Isa isa : usable_isas()) {
    Lanes lanes = make_lanes(1024);
    const Lanes before = lanes;
    EXPECT_FALSE(busy.is_identity());
    apply(busy, isa, kKey, lanes);
    EXPECT_FALSE(all_bits_equal(lanes, before));
  }
}

TYPED_TEST(Laws, BusyParametersChangeSomething) { expect_busy_parameters_change_something(this->busy()); }

void expect_every_instruction_set_gives_the_same_bits(const Noise& busy) {
  Lanes expected = make_lanes(4096);
  apply(busy, Isa::kBase, kKey, expected);
  for (const Isa isa : usable_isas()) {
    Lanes lanes = make_lanes(4096);
    apply(busy, isa, kKey, lanes);
    EXPECT_TRUE(all_bits_equal(lanes, expected)) << to_string(isa);
  }
}

TYPED_TEST(Laws, EveryInstructionSetGivesTheSameBits) {
  expect_every_instruction_set_gives_the_same_bits(this->busy());
}

void expect_the_cut_into_blocks_does_not_matter(const Noise& busy) {
  for (const Isa isa : usable_isas()) {
    Lanes expected = make_lanes(1024);
    apply(busy, isa, kKey, expected, 256);
    for (const std::uint32_t block : {16U, 48U, 112U, 240U}) {
      Lanes lanes = make_lanes(1024);
      apply(busy, isa, kKey, lanes, block);
      EXPECT_TRUE(all_bits_equal(lanes, expected)) << to_string(isa) << ", blocks of " << block;
    }
  }
}

TYPED_TEST(Laws, TheCutIntoBlocksDoesNotMatter) { expect_the_cut_into_blocks_does_not_matter(this->busy()); }

void expect_the_order_of_rays_does_not_matter(const Noise& busy) {
  const std::size_t count = 1024;
  std::vector<std::size_t> order(count / 4);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  for (const Isa isa : usable_isas()) {
    Lanes expected = make_lanes(count);
    const Lanes source = expected;
    apply(busy, isa, kKey, expected);
    Lanes shuffled = source;
    for (std::size_t q = 0; q < order.size(); ++q) {
      shuffled.quads[q] = source.quads[order[q]];
      for (std::size_t k = 0; k < 4; ++k) {
        shuffled.rays[4 * q + k] = source.rays[4 * order[q] + k];
        shuffled.returns[4 * q + k] = source.returns[4 * order[q] + k];
      }
    }
    apply(busy, isa, kKey, shuffled);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(bits_of_lane(shuffled, i), bits_of_lane(expected, 4 * order[i / 4] + i % 4)) << "lane " << i;
    }
  }
}

TYPED_TEST(Laws, TheOrderOfRaysDoesNotMatter) { expect_the_order_of_rays_does_not_matter(this->busy()); }

void expect_a_ray_does_not_depend_on_its_neighbours(const Noise& busy) {
  for (const Isa isa : usable_isas()) {
    Lanes expected = make_lanes(64);
    apply(busy, isa, kKey, expected);
    Lanes lanes = make_lanes(64);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (i % 3 == 0) continue;
      lanes.rays[i] = {1e30F, NAN, -INFINITY, NAN, 0, 0};
      lanes.returns[i] = {NAN, INFINITY, 0, 1e38F, 0};
      lanes.reasons[i] = static_cast<std::uint32_t>(Reason::kMiss);
    }
    apply(busy, isa, kKey, lanes);
    for (std::size_t i = 0; i < lanes.size(); i += 3) {
      EXPECT_EQ(bits_of_lane(lanes, i), bits_of_lane(expected, i)) << "lane " << i;
    }
  }
}

TYPED_TEST(Laws, ARayDoesNotDependOnItsNeighbours) { expect_a_ray_does_not_depend_on_its_neighbours(this->busy()); }

void expect_different_keys_give_different_noise(const Noise& busy) {
  Lanes base = make_lanes(1024);
  apply(busy, Isa::kBase, kKey, base);
  for (const NoiseKey& key :
       {NoiseKey{kKey.seed + 1, kKey.frame, kKey.stream}, NoiseKey{kKey.seed ^ (1ULL << 63U), kKey.frame, kKey.stream},
        NoiseKey{kKey.seed, kKey.frame + 1, kKey.stream}, NoiseKey{kKey.seed, kKey.frame, kKey.stream + 1}}) {
    Lanes lanes = make_lanes(1024);
    apply(busy, Isa::kBase, key, lanes);
    EXPECT_FALSE(all_bits_equal(lanes, base));
  }
}

TYPED_TEST(Laws, DifferentKeysGiveDifferentNoise) {
  if (TypeParam::kDraws.normals + TypeParam::kDraws.uniforms == 0) GTEST_SKIP() << "no random numbers";
  expect_different_keys_give_different_noise(this->busy());
}

void expect_no_changed_bit(const Noise& identity) {
  for (const Isa isa : usable_isas()) {
    Lanes lanes = make_lanes(1024);
    const Lanes before = lanes;
    apply(identity, isa, kKey, lanes);
    EXPECT_TRUE(all_bits_equal(lanes, before)) << to_string(isa);
  }
}

TYPED_TEST(Laws, IdentityChangesNoBit) {
  // The default of every model is its identity, except for models without one, which start from typical values. This
  // tests the kernel, not the shortcut that skips it. A float times a cosine of 1 keeps its bits, so only a signed zero
  // could tell: the lanes hold none.
  const Noise noise = TypeParam{};
  if (!noise.is_identity()) GTEST_SKIP() << "starts from typical values";
  expect_no_changed_bit(noise);
}

void expect_lost_returns_keep_every_bit(const Noise& busy) {
  // Quiet NaNs: clang turns the blend into a product with 1, which keeps every value but a signalling NaN, and none is
  // ever made here.
  const float payloads[] = {math::float_of(0x7fc12345U),
                            math::float_of(0xffc12345U),
                            math::kInfinity,
                            -math::kInfinity,
                            -0.0F,
                            math::float_of(1),
                            3.5F};
  for (const Isa isa : usable_isas()) {
    Lanes lanes = make_lanes(1024);
    std::mt19937 random(5);
    const auto acted_on = [&](std::uint32_t reason) {
      const bool nothing_met = reason == static_cast<std::uint32_t>(Reason::kMiss) ||
                               reason == static_cast<std::uint32_t>(Reason::kAboveMaxRange);
      const bool is_dark = reason == static_cast<std::uint32_t>(Reason::kLowPower) ||
                           reason == static_cast<std::uint32_t>(Reason::kSpecular);
      const bool may_shine = is_dark && busy.info().needs.power && busy.info().draws.uniforms > 0;
      return reason == 0 || may_shine || (nothing_met && busy.stage() == Stage::kReading);
    };
    const auto payload = [&] { return payloads[random() % std::size(payloads)]; };
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const auto reason = static_cast<std::uint32_t>(i % kReasonNames.size());
      lanes.reasons[i] = reason;
      if (!acted_on(reason)) lanes.returns[i] = {payload(), payload(), payload(), payload(), payload()};
    }
    const Lanes before = lanes;
    apply(busy, isa, kKey, lanes);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (acted_on(static_cast<std::uint32_t>(i % kReasonNames.size()))) continue;
      auto now = bits_of_lane(lanes, i), then = bits_of_lane(before, i);
      std::fill_n(now.begin(), 6, 0U), std::fill_n(then.begin(), 6, 0U);  // the ray, which is not lost with its return
      EXPECT_EQ(now, then) << to_string(isa) << ", lane " << i;
    }
  }
}

TYPED_TEST(Laws, LostReturnsKeepEveryBit) { expect_lost_returns_keep_every_bit(this->busy()); }

/// Whether a model of stage kRange may lose a return.
template <class Model>
constexpr bool gives_reading() {
  return requires(const Model& p, const Return& hit, const DrawsOf<Model>& draws) {
    { Model::apply(p, hit, Surface{}, draws) } -> std::same_as<Reading>;
  }
  || requires(const Model& p, const Return& hit, const DrawsOf<Model>& draws) {
    { Model::apply(p, hit, draws) } -> std::same_as<Reading>;
  };
}

void expect_touches_only_what_its_stage_owns(const Noise& busy, bool gives_reading) {
  for (const Isa isa : usable_isas()) {
    Lanes lanes = make_lanes(256);
    const Lanes before = lanes;
    apply(busy, isa, kKey, lanes);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      auto now = bits_of_lane(lanes, i), then = bits_of_lane(before, i);
      const Stage stage = busy.stage();
      const bool is_ray = stage == Stage::kRay;
      const bool is_reading = stage == Stage::kReading;
      const bool is_loss = !is_ray && !is_reading && stage != Stage::kHitPoint && stage != Stage::kRange;
      const bool may_lose = is_loss || is_reading || gives_reading;
      const std::size_t begin = is_ray ? 0 : is_loss ? 11 : 6, end = is_ray ? 6 : may_lose ? 12 : 11;
      std::copy_n(then.begin() + begin, end - begin, now.begin() + begin);
      ASSERT_EQ(now, then) << "lane " << i;
    }
  }
}

TYPED_TEST(Laws, TouchesOnlyWhatItsStageOwns) {
  expect_touches_only_what_its_stage_owns(this->busy(), gives_reading<TypeParam>());
}

/// Values outside the limits of a field, NaN among them; each fits a float.
template <class Field>
std::vector<float> wrong_values(const Field& field) {
  // A limit that is no float rounds to one on either side of it; two steps are outside in any case.
  float below = static_cast<float>(field.low), above = static_cast<float>(field.high);
  for (int step = 0; step < 2; ++step) {
    below = std::nextafter(below, -math::kInfinity);
    above = std::nextafter(above, math::kInfinity);
  }
  return {std::numeric_limits<float>::quiet_NaN(), math::kInfinity, -math::kInfinity, below, above,
          static_cast<float>(field.high) + 1e6F};
}

template <class Model>
void expect_names_field(const std::string& message, const Field<Model>& field, const std::string& value) {
  const std::string start = std::string(Model::kSlug) + "." + std::string(field.name) + " = ";
  EXPECT_EQ(message.rfind(start, 0), 0U) << message;
  EXPECT_TRUE(contains(message, value));
  EXPECT_TRUE(contains(message, "is not in ["));
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TYPED_TEST(ListedLaws, RefusesValuesOutsideTheLimitsByName) {
  for (const auto& field : TypeParam::fields()) {
    const auto number = member_of<float>(field);
    if (number == nullptr) continue;
    for (const float wrong : wrong_values(field)) {
      TypeParam model;
      model.*number = wrong;
      const double given_number = wrong;
      const std::string value = field_text(without_default(field), {&given_number, 1});
      expect_names_field(input_error([&] { (void)Noise(model); }), field, value);
      const FieldValue given = {std::string(field.name), double{wrong}};
      expect_names_field(input_error([&] { (void)make_noise(TypeParam::kSlug, {&given, 1}); }), field, value);
    }
    // Beyond every float: named as itself, not as inf.
    const FieldValue huge = {std::string(field.name), 1e300};
    expect_names_field(input_error([&] { (void)make_noise(TypeParam::kSlug, {&huge, 1}); }), field, "1e+300");
  }
}

TYPED_TEST(ListedLaws, TakesValuesAtTheLimits) {
  for (const auto& field : TypeParam::fields()) {
    if (!member_of<float>(field)) continue;
    for (const double limit : {field.low, field.high}) {
      const FieldValue given = {std::string(field.name), limit};
      std::vector<FieldValue> kept;
      const std::string refusal = input_error([&] { kept = make_noise(TypeParam::kSlug, {&given, 1}).values(); });
      if constexpr (requires { TypeParam{}.check(); }) {
        // The limit itself is taken; together with the other parameters it may still be refused.
        EXPECT_FALSE(contains(refusal, "is not in ["));
        if (!refusal.empty()) continue;
      }
      EXPECT_EQ(refusal, "") << field.name << " = " << limit;
      EXPECT_EQ(input_error([&] { (void)make_noise(TypeParam::kSlug, kept); }), "") << field.name << " = " << limit;
    }
  }
}

TYPED_TEST(ListedLaws, RefusesTheWrongKindOfValue) {
  for (const auto& field : TypeParam::fields()) {
    const auto* choice = field.member.as_choice();
    const bool is_number = member_of<float>(field) != nullptr;
    const FieldValue wrong =
        is_number ? FieldValue{std::string(field.name), Axis::kX} : FieldValue{std::string(field.name), 1.0};
    const std::string message = input_error([&] { (void)make_noise(TypeParam::kSlug, {&wrong, 1}); });
    EXPECT_TRUE(contains(message, std::string(TypeParam::kSlug) + "." + std::string(field.name)));
    if (choice != nullptr) {
      TypeParam model;
      choice->set(model, 7);
      EXPECT_TRUE(contains(input_error([&] { (void)Noise(model); }), field.name));
    }
  }
}

TEST(NoiseModels, AMisspeltFieldGetsTheNearestName) {
  for (const NoiseInfo& model : noise_models()) {
    for (const FieldInfo& field : model.fields) {
      std::string slip(field.name);
      slip.insert(slip.size() / 2, "q");
      const FieldValue given = {slip, 0.0};
      EXPECT_EQ(input_error([&] {
                  (void)make_noise(model.slug, {&given, 1});
                }),
                std::string(model.slug) + " has no parameter '" + slip + "' (nearest known: '" +
                    std::string(field.name) + "')");
    }
  }
}

TEST(NoiseModels, AMisspeltSlugGetsTheNearestName) {
  for (const NoiseInfo& model : noise_models()) {
    const std::string slip = std::string(model.slug) + "s";
    EXPECT_EQ(input_error([&] { (void)make_noise(slip, {}); }),
              "there is no noise model '" + slip + "' (nearest known: '" + std::string(model.slug) + "')");
  }
}

TYPED_TEST(ListedLaws, TheTableIsTheStruct) {
  const Noise noise = TypeParam{};
  EXPECT_EQ(noise.slug(), TypeParam::kSlug);
  EXPECT_EQ(noise.stage(), TypeParam::kStage);
  EXPECT_FALSE(noise.info().doc.empty());
  const auto fields = TypeParam::fields();
  ASSERT_EQ(noise.info().fields.size(), fields.size());
  const std::vector<FieldValue> values = noise.values();
  ASSERT_EQ(values.size(), fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldInfo& info = noise.info().fields[i];
    EXPECT_EQ(info.name, fields[i].name);
    EXPECT_FALSE(info.doc.empty()) << info.name;
    EXPECT_FALSE(info.unit.empty()) << info.name;
    EXPECT_EQ(values[i].name, fields[i].name);
    if (!info.choices.empty()) {
      const std::uint32_t choice = fields[i].member.as_choice()->get(TypeParam{});
      EXPECT_EQ(info.default_value, info.choices[choice]);
      EXPECT_EQ(std::get<Choice>(values[i].value).index, choice);
      continue;
    }
    if (info.kind == FieldKind::kFlag) {
      const bool value = TypeParam{}.*member_of<bool>(fields[i]);
      EXPECT_EQ(info.default_value, value ? "true" : "false");
      EXPECT_EQ(std::get<bool>(values[i].value), value);
      continue;
    }
    const float value = TypeParam{}.*member_of<float>(fields[i]);
    EXPECT_EQ(std::strtof(info.default_value.c_str(), nullptr), value) << info.name;
    EXPECT_EQ(std::get<double>(values[i].value), double{value});
    EXPECT_EQ(noise.number(info.name), double{value});
    EXPECT_LE(info.low, value);
    EXPECT_GE(info.high, value);
  }
}

TEST(NoiseModels, ValuesMakeTheSameNoiseAgain) {
  for (const Noise& noise : busy_models()) {
    if (noise.stage() == Stage::kImage) continue;  // acts on no single ray
    const std::vector<FieldValue> values = noise.values();
    const Noise again = make_noise(noise.slug(), values);
    Lanes a = make_lanes(256), b = a;
    apply(noise, Isa::kBase, kKey, a);
    apply(again, Isa::kBase, kKey, b);
    EXPECT_TRUE(all_bits_equal(a, b)) << noise.slug();
  }
}

TYPED_TEST(Laws, TheLibrarysKernelsEqualOnesTheUserCompiles) {
  // A user's own model is compiled in the user's code by the same drivers: same bits.
  const Noise noise = this->busy();
  const TypeParam model = this->busy();
  Lanes expected = make_lanes(kBlockRays);
  apply(noise, Isa::kBase, kKey, expected);
  auto w = std::make_unique<Workspace>();
  Lanes source = make_lanes(kBlockRays);
  apply_block(Dropout{}, Isa::kBase, kKey, source, 0, kBlockRays, *w);  // loads the blocks; changes no bit
  std::vector<std::uint32_t> quads(kBlockRays / 4);
  std::iota(quads.begin(), quads.end(), 0U);
  w->rays.quads = w->returns.quads = quads.data();
  std::vector<float> table;
  if constexpr (requires { model.tabulate(); }) table = model.tabulate();
  w->returns.table = table.data();
  struct Mine;
  block_kernel<TypeParam, Mine>(&model, kKey, w->rays, w->returns, w->draws);
  for (std::size_t i = 0; i < kBlockRays; ++i) {
    EXPECT_EQ(math::bits_of(w->rays.dx[i]), math::bits_of(expected.rays[i].dx));
    EXPECT_EQ(math::bits_of(w->returns.x[i]), math::bits_of(expected.returns[i].x));
    EXPECT_EQ(math::bits_of(w->returns.range_m[i]), math::bits_of(expected.returns[i].range_m));
    EXPECT_EQ(w->returns.reason[i], expected.reasons[i]);
  }
}

TEST(NoiseModels, AreListedOnceEachInOrder) {
  const auto& models = noise_models();
  ASSERT_EQ(models.size(), std::variant_size_v<RegisteredNoise>);
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(models[i].slug, models[k].slug);
    EXPECT_EQ(models[i].slug.find('/'), std::string_view::npos) << "a slash parts sensor and slug in make_stream()";
  }
}

}  // namespace

/// The part of a line before a comment, if it has a string.
std::string code_with_string(const std::string& line) {
  const std::string code = line.substr(0, line.find("//"));
  return code.find('"') == std::string::npos ? "" : code;
}

bool has_word(const std::string& text, std::string_view word) {
  const auto is_end = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || is_end(text[at - 1])) && (end == text.size() || is_end(text[end]))) return true;
  }
  return false;
}

void expect_no_slug(const std::filesystem::path& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::string code = code_with_string(line);
    for (const NoiseInfo& model : noise_models()) {
      if (model.slug.find('_') == std::string_view::npos) continue;  // a word of sentences, too
      EXPECT_FALSE(has_word(code, model.slug)) << file << ": " << line;
    }
  }
}

/// Other code finds what it needs of a model by the hooks of its header. Presets are data.
TEST(LawsOfNames, OnlyItsHeaderNamesAModel) {
  std::size_t files = 0;
  for (const char* folder : {"src", "cli", "python/src", "adapters"}) {
    const std::filesystem::path path = std::filesystem::path(FATHOM_SOURCE_DIR) / folder;
    if (!std::filesystem::exists(path)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      const std::string extension = entry.path().extension();
      if ((extension != ".cpp" && extension != ".hpp") || entry.path().filename() == "presets.cpp") continue;
      if (entry.path().string().find("/tests/") != std::string::npos) continue;
      ++files;
      expect_no_slug(entry.path());
    }
  }
  EXPECT_GT(files, 100U);
}

}  // namespace fathom::test::laws_test

namespace fathom::test {

// What a model says of itself beyond its kernel reaches its Noise; see noise/model.hpp.

namespace {

TEST(Hooks, OfAModelOfOnesOwnAreFound) {
  const Noise zone = BlindZone{.depth_m = 0.5F};
  EXPECT_EQ(zone.least_depth_m({}), 0.5);
  EXPECT_EQ(zone.with("share", 0.5).least_depth_m({}), 0.0);
  ASSERT_EQ(zone.same_in_chain().size(), 1U);
  EXPECT_EQ(zone.same_in_chain()[0].field, "depth_m");
  EXPECT_EQ(input_error([&] { zone.check_on({}); }), "blind_zone is that of a camera");
  EXPECT_EQ(input_error([&] { zone.check_on({.optics = {500, 320, 0}}); }), "");
  // Hooks that it lacks.
  EXPECT_EQ(zone.sight_tolerance(), 0.0F);
  EXPECT_FALSE(zone.energy_angle());
}

TEST(Hooks, OfRegisteredModelsAreFound) {
  EXPECT_EQ(Noise(StereoShadow{.tolerance = 0.02F}).sight_tolerance(), 0.02F);
  EXPECT_EQ(Noise(StereoEnergy{}).energy_angle(), EnergyAngle::kCosine);
  EXPECT_EQ(Noise(StereoEnergy{.energy = EnergyAngle::kHalfVector}).energy_angle(), EnergyAngle::kHalfVector);
  const Optics optics = {.fx_px = 600, .cx_px = 320, .baseline_m = 0.05F};
  EXPECT_NEAR(Noise(InvalidBand{.max_disparity_px = 126}).least_depth_m(optics), 600 * 0.05 / 126, 1e-8);
  EXPECT_EQ(Noise(InvalidBand{}).least_depth_m(optics), 0.0);
  EXPECT_NE(input_error([] { Noise(InvalidBand{}).check_on({}); }), "");
  EXPECT_EQ(input_error([] { Noise(InvalidBand{}).check_on({.optics = {}, .left_is_reference = true}); }), "");
}

TEST(Hooks, WhatIsTheSameInAChainIsAParameter) {
  for (const Noise& noise : busy_models()) {
    for (const SameInChain& same : noise.same_in_chain()) {
      const std::vector<FieldInfo>& fields = noise.info().fields;
      EXPECT_TRUE(std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == same.field; }))
          << noise.slug() << "." << same.field;
    }
  }
}

}  // namespace
}  // namespace fathom::test
