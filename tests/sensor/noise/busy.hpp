// SPDX-License-Identifier: MIT
#pragma once
// Every registered model with parameters that change something: tests over this list meet a new model by themselves.

#include <fathom/noise/noise.hpp>

#include "support/expect.hpp"

namespace fathom::test {

/// Parameters away from their defaults, so that nothing hides: a fifth of the way from the lower limit to the upper,
/// but at least a different one for each field.
template <class Model>
Model busy_model() {
  Model model;
  if constexpr (requires { model.check(); }) return model;     // parameters bound together: typical values are busy
  if constexpr (Model::kStage == Stage::kImage) return model;  // whole pixels: typical values are busy
  int k = 0;
  for (const auto& field : Model::fields()) {
    ++k;
    if (const auto number = fathom::member_of<float>(field)) {
      const double upper = std::min(field.high, 1.0);
      model.*number = static_cast<float>(std::max(field.low, 0.0) + 0.11 * k * upper);
    } else {
      set_field(model, field.name, 1);
    }
  }
  return model;
}

// Weather so heavy that drops outshine the walls of a room.
template <>
inline Fog busy_model() {
  return {.visibility_m = 6.0F};
}
template <>
inline Rain busy_model() {
  return {.rate_mm_per_h = 300.0F, .nearest_m = 0.01F};
}
template <>
inline Snow busy_model() {
  return {.rate_mm_per_h = 300.0F, .nearest_m = 0.01F};
}

/// What a test of TEST_EACH does for one model, with the model's slug.
struct ModelTest {
  std::string_view slug;
  void (*body)();
};

/// Registers `suite/slug.name` for each. GoogleTest's typed tests do the same, but compile for much longer.
inline bool register_tests(const std::string& suite, const char* name, const char* file, int line,
                           const std::vector<ModelTest>& tests) {
  class OfOneModel : public testing::Test {
   public:
    explicit OfOneModel(void (*body)()) : body_(body) {}

   private:
    void TestBody() override { body_(); }
    void (*body_)();
  };
  for (const ModelTest& test : tests) {
    const std::string name_of_suite = suite + "/" + std::string(test.slug);
    testing::RegisterTest(name_of_suite.c_str(), name, nullptr, nullptr, file, line,
                          [body = test.body]() -> testing::Test* { return new OfOneModel(body); });
  }
  return true;
}

template <class... Models>
struct ModelList {
  static std::vector<Noise> busy() { return {busy_model<Models>()...}; }
  template <class Of>
  static std::vector<ModelTest> tests(Of of) {
    return {{Models::kSlug, of(static_cast<Models*>(nullptr))}...};
  }
};
template <class Variant, class... More>
struct ModelsOf;
template <class... Models, class... More>
struct ModelsOf<std::variant<Models...>, More...> : ModelList<Models..., More...> {};

/// In the order of the list.
inline std::vector<Noise> busy_models() { return ModelsOf<RegisteredNoise>::busy(); }

}  // namespace fathom::test

/// A test that runs for each model of the `ModelList` with the name of the suite; its body calls the model `Model`.
#define TEST_EACH(Suite, Name)                                                                       \
  template <class Model>                                                                             \
  void Suite##Name();                                                                                \
  const bool has_##Suite##Name = fathom::test::register_tests(                                       \
      #Suite, #Name, __FILE__, __LINE__, Suite::tests([]<class M>(M*) { return &Suite##Name<M>; })); \
  template <class Model>                                                                             \
  void Suite##Name()
