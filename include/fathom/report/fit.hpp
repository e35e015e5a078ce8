// SPDX-License-Identifier: MIT
#pragma once
// The result of all fits: parameters with standard errors and intervals, likelihood, findings.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/core/detail/field_member.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/export.hpp>

namespace fathom {

namespace detail {
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
}

/// A weight up to this is at its boundary 0, which learning approaches and never reaches.
inline constexpr double kWeightBoundary = 1e-7;

/// What a reader of a fit has to know, in one line. Advice in it names settings, which a face shows as its own.
struct Finding {
  enum class Severity : std::uint8_t {
    kNote,
    kWarning,  ///< something is probably wrong with the data
    kUnusable  ///< the parameters are useless
  };

  Severity severity = Severity::kNote;
  std::string code = {};  ///< the same for all findings of a kind: docs/output-formats.md lists them
  Message text = {};
  friend bool operator==(const Finding&, const Finding&) = default;
};
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<Finding::Severity> = {"note", "warning", "unusable"};
/// `names`: of the settings in a face; without them in the words of the library.
FATHOM_API std::vector<std::string> texts_of(std::span<const Finding> findings, SettingNames names = {});

/// A line of the table at the end of the page: "map", "freiburg.yaml".
struct Fact {
  std::string name, value;
};

struct Fit {
  enum class Status : std::uint8_t {
    kLearned,
    kFixed,        ///< it was not to be learned
    kAtLimit,      ///< of its values or of its search: it has no standard error
    kUnidentified  ///< the data do not determine it, or, of chains, its standard error exceeds its value
  };

  struct Parameter {
    /// "sigma_hit_m"; of a chain "distance.stddev_m", "gain_bias.rings.3.gain", or, if the model is there twice,
    /// "2.distance.stddev_m" with its place.
    std::string name;
    std::string unit;
    /// Of chains, where learning began; NaN: no user gave it. NaN of beam models and likelihood fields.
    double start = detail::kNaN;
    double value = 0.0;
    double std_error = detail::kNaN;    ///< takes the blocks as independent; never below naive_error; NaN: unknown
    double naive_error = detail::kNaN;  ///< the standard error if readings were independent
    double low_95 = detail::kNaN;       ///< of the 95 % interval, within the limits of the parameter; NaN: unknown
    double high_95 = detail::kNaN;
    Status status = Status::kLearned;
    std::string doc = {};  ///< its meaning; may be empty
  };

  /// Readings that taught nothing, and their mean log densities.
  struct HeldOut {
    double nats = detail::kNaN;  ///< under the fit; -inf: one of them is impossible
    std::size_t readings = 0;
    double start_nats = detail::kNaN;                            ///< under the start
    double gain_nats = detail::kNaN, gain_error = detail::kNaN;  ///< gain on the start, and its standard error
    std::string note = {};                                       ///< limits of these readings, in one sentence
  };

  static constexpr double kMostBlocks = 1e6;

  std::vector<Parameter> parameters;
  std::vector<double> correlations = {};  ///< of their errors, [parameters, parameters]; NaN: unknown; may be empty
  /// Of chains, under the start; NaN: no user gave it. Of beam models and likelihood fields, of the first iteration.
  double start_log_likelihood = detail::kNaN;
  double log_likelihood = detail::kNaN;
  std::size_t blocks = 0;  ///< that standard errors take as independent
  std::string block = {};  ///< one of them: "stretch", "scan", "row", "frame", "pair"
  std::vector<Finding> findings = {};
  std::optional<HeldOut> held_out = {};

  /// Throws InputError for an unknown name.
  [[nodiscard]] FATHOM_API const Parameter& operator[](std::string_view name) const&;
  [[nodiscard]] FATHOM_API Parameter operator[](std::string_view name) &&;
  void note(std::string_view code, Message text) {
    findings.push_back({Finding::Severity::kNote, std::string(code), std::move(text)});
  }
};
template <>
inline constexpr std::array<std::string_view, 4> kChoiceWords<Fit::Status> = {"learned", "fixed", "at_limit",
                                                                              "unidentified"};

/// A fit by iterations that climb the likelihood.
struct IteratedFit : Fit {
  std::vector<double> log_likelihood_by_iteration;  ///< at every iteration, and at the end
  bool converged = false;                           ///< false: stopped by the limit on iterations
  std::size_t readings = 0;                         ///< that were learned from
};

// Forms of the text of a report (FitReport::text(), ...), and folders of results. Each form begins with the verdict:
// whether the result is usable. On a terminal, settings have the names that the caller gives, else the names in the
// library. docs/output-formats.md describes the JSON.

enum class ReportForm : std::uint8_t {
  kTerminal,  ///< aligned columns in ASCII
  kBrief,     ///< of these the verdict and the parameters
  kHtml,      ///< report.html: one page without scripts that loads nothing
  kJson       ///< fit.json
};

/// Results that become a folder of files: a fit of scans, of a chain or of a wall, and a measured depth camera.
enum class ResultKind : std::uint8_t { kFit, kChain, kWall, kDepth };

/// The files that such a result may have in `folder`. The last is JSON and is written last: a folder that holds it is
/// complete.
FATHOM_API std::vector<std::filesystem::path> result_files(ResultKind kind, const std::filesystem::path& folder);

/// Throws InputError unless such a result may be written into `folder`: when it exists and `force` is not set, when it
/// is no folder, or when it holds files of these names that no such result wrote. Changes nothing. Functions that
/// write a result check this, too, and with `force` replace what an earlier one wrote. Each of their files appears
/// whole or not at all. They throw InputError or SystemError.
FATHOM_API void check_result_folder(ResultKind kind, const std::filesystem::path& folder, bool force);

}  // namespace fathom
