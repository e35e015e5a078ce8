// SPDX-License-Identifier: MIT
#include "simulate/read_outputs.hpp"

#include <array>
#include <string_view>
#include <variant>

#include "base/text.hpp"
#include "text/read_fields.hpp"

namespace fathom {

namespace {

template <OutputKind M>
Output read_options(YamlReader map) {
  M model;
  read_fields(map, model);
  if constexpr (requires { model.mismatch(); }) {
    // The option complained about, where it stands.
    if (const auto mismatch = model.mismatch()) map.at(mismatch->field).fail(mismatch->what);
  }
  map.finish();
  return map.located([&] { return Output(model); });
}

template <OutputKind M>
Output usual_options() {
  return M{};
}

/// A kind of the list.
struct KindReader {
  std::string_view slug;
  Output (*read)(YamlReader map);
  Output (*usual)();
};

template <class... Kinds>
constexpr std::array<KindReader, sizeof...(Kinds)> readers_of(const std::variant<Kinds...>* /*list*/) {
  return {{{Kinds::kSlug, &read_options<Kinds>, &usual_options<Kinds>}...}};
}
constexpr auto kKindReaders = readers_of(static_cast<const RegisteredOutput*>(nullptr));

Output read_output(const YamlReader& item) {
  std::array<std::string_view, kKindReaders.size()> slugs;
  for (std::size_t i = 0; i < slugs.size(); ++i) slugs[i] = kKindReaders[i].slug;
  if (item.is(YamlValue::Kind::kScalar)) return kKindReaders[item.one_of(slugs)].usual();
  const YamlReader options = item.only();
  for (const KindReader& kind : kKindReaders) {
    if (options.key() == kind.slug) return kind.read(options);
  }
  options.fail_key("is not a known kind of file" + nearest_hint(options.key(), slugs));
}

}  // namespace

std::vector<Output> default_outputs() { return {PcdOutput{}, RangeImageOutput{}}; }

std::vector<Output> read_outputs(const YamlReader& list) {
  std::vector<Output> outputs;
  for (const YamlReader& item : list.items()) outputs.push_back(read_output(item));
  return outputs;
}

}  // namespace fathom
