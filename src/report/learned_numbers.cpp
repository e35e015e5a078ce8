// SPDX-License-Identifier: MIT
#include <fathom/base/field.hpp>
#include <fathom/beam/report.hpp>

namespace fathom {

std::vector<LearnedNumber> learned_numbers(const BeamFit& fit) {
  std::vector<LearnedNumber> numbers;
  const auto add = [&](FieldInfo field, const auto& in) {
    const double value = in(fit.parameters);
    numbers.push_back(
        {std::move(field), value, value, in(fit.std_error), in(fit.naive_std_error), in(fit.low_95), in(fit.high_95)});
  };
  const HitTail& tail = fit.parameters.tail;
  for (const auto& field : BeamParameters::fields()) {
    const auto member = member_of<double>(field);
    FieldInfo info = without_default(field);
    if (member == &BeamParameters::sigma_hit_m && tail.hit == HitLaw::kStudentT) info.doc = "scale of hits";
    if (member == &BeamParameters::sigma_hit_m && tail.hit == HitLaw::kGrows) {
      info.doc = "standard deviation of hits at range 0";
    }
    add(std::move(info), [member](const BeamParameters& p) { return p.*member; });
    numbers.back().printed = printed_value(fit.parameters, member);
  }
  if (tail.is_extended()) {
    const auto field = HitTail::field_of(tail.hit);
    const auto member = member_of<double>(field);
    add(without_default(field), [member](const BeamParameters& p) { return p.tail.*member; });
  }
  return numbers;
}

}  // namespace fathom
