// SPDX-License-Identifier: MIT
// Values of the fields of tables, as Python has them and as numbers.
#include <charconv>

#include <fathom/core/error.hpp>

#include "arguments.hpp"

namespace fathom::python {

namespace {

constexpr std::array<std::string_view, 8> kKindNames = {"number", "count", "flag",  "choice",
                                                        "list",   "pair",  "words", "pose"};

[[noreturn]] void fail(std::string_view owner, const FieldInfo& field, py::handle value, const std::string& what) {
  throw InputError(std::string(owner) + "." + std::string(field.name) + " = " + py::cast<std::string>(py::repr(value)) +
                   " " + what);
}

std::size_t word_position(const FieldInfo& field, py::handle value, std::string_view owner) {
  if (!py::isinstance<py::str>(value)) fail(owner, field, value, "is not a word");
  const std::string name = std::string(owner) + "." + std::string(field.name);
  return position_of(py::cast<std::string>(value), field.choices, name);
}

std::vector<double> list_numbers(const FieldInfo& field, py::handle value, std::string_view owner) {
  const std::string name = std::string(owner) + "." + std::string(field.name);
  if (PyFloat_Check(value.ptr()) != 0 || PyLong_Check(value.ptr()) != 0) return {real(value, name)};
  const Doubles list = doubles(value, name, {{-1}, "a list of numbers"}, Finite::kNo);
  return {list.data(), list.data() + list.size()};
}

/// A number that is kept in single precision as people would write it: 0.02, not 0.019999999552965164.
double as_written(const FieldInfo& field, double number) {
  const auto single = static_cast<float>(number);
  if (!field.is_single || static_cast<double>(single) != number) return number;
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), single).ptr;
  double read = number;
  std::from_chars(text.data(), end, read);
  return read;
}

}  // namespace

std::vector<double> field_numbers(const FieldInfo& field, py::handle value, std::string_view owner) {
  const std::string name = std::string(owner) + "." + std::string(field.name);
  if (value.is_none()) {
    if (!field.may_be_empty) fail(owner, field, value, "is no value");
    return {};
  }
  switch (field.kind) {
    case FieldKind::kFlag:
      if (PyBool_Check(value.ptr()) == 0) fail(owner, field, value, "is not True or False");
      return {value.ptr() == Py_True ? 1.0 : 0.0};
    case FieldKind::kChoice:
      return {static_cast<double>(word_position(field, value, owner))};
    case FieldKind::kWords: {
      std::vector<double> positions;
      for (const py::handle word : value) positions.push_back(static_cast<double>(word_position(field, word, owner)));
      return positions;
    }
    case FieldKind::kList:
    case FieldKind::kPair:
      return list_numbers(field, value, owner);
    case FieldKind::kPose:
      return detail::to_numbers(std::optional<Pose>(pose_of(value, name)));
    case FieldKind::kNumber:
    case FieldKind::kCount:
      break;
  }
  if (PyBool_Check(value.ptr()) != 0) fail(owner, field, value, "is not a number");
  return {real(value, name)};
}

py::object field_object(const FieldInfo& field, std::span<const double> numbers) {
  switch (field.kind) {
    case FieldKind::kFlag:
      return py::bool_(numbers[0] != 0.0);
    case FieldKind::kCount:
      return py::int_(static_cast<std::uint64_t>(numbers[0]));
    case FieldKind::kChoice:
      if (numbers.empty()) return py::none();
      return py::str(std::string(field.choices[static_cast<std::size_t>(numbers[0])]));
    case FieldKind::kNumber:
      if (numbers.empty()) return py::none();
      return py::float_(as_written(field, numbers[0]));
    case FieldKind::kPose: {
      if (numbers.empty()) return py::none();
      std::optional<Pose> pose;
      detail::from_numbers(numbers, pose);
      return py::cast(*pose);
    }
    case FieldKind::kWords: {
      py::list words;
      for (const double position : numbers)
        words.append(std::string(field.choices[static_cast<std::size_t>(position)]));
      return py::tuple(words);
    }
    case FieldKind::kPair:
      if (numbers.empty()) return py::none();
      break;
    case FieldKind::kList:
      break;
  }
  py::list list;
  for (const double number : numbers) {
    if (field.is_whole) {
      list.append(static_cast<std::int64_t>(number));
    } else {
      list.append(as_written(field, number));
    }
  }
  return py::tuple(list);
}

py::dict field_dict(const FieldInfo& field) {
  py::dict d;
  d["name"] = field.name, d["unit"] = field.unit, d["doc"] = field.doc;
  d["kind"] = kKindNames[static_cast<std::size_t>(field.kind)];
  d["low"] = field.low, d["high"] = field.high, d["required"] = field.required;
  d["default_text"] = field.default_value;
  py::list parts;
  for (const std::string_view part : field.parts) parts.append(std::string(part));
  d["parts"] = parts;
  d["default"] = field.required ? py::object(py::none()) : field_object(field, field.default_numbers);
  py::list choices;
  for (const std::string_view word : field.choices) choices.append(std::string(word));
  d["choices"] = py::tuple(choices);
  d["may_be_empty"] = field.may_be_empty;
  return d;
}

}  // namespace fathom::python
