// SPDX-License-Identifier: MIT
// Logs become a fitted model, with the figures of its report.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/compute.hpp>
#include <fathom/base/error.hpp>
#include <fathom/beam/log.hpp>

#include "base/with_prefix.hpp"
#include "report/fit_selection.hpp"
#include "report/log_correction.hpp"
#include "report/refine_log.hpp"

namespace fathom {

namespace {

using Scans = ScanNumbers;

constexpr std::size_t kScansOfPart = 1024;
// Of corrections: the first search takes in a badly measured mount, m and rad; later ones refine.
constexpr double kFirstStep = 0.1, kLeastStep = 1e-3;
constexpr double kLeastRise = 0.01;  // nats, far below what a standard error is worth
constexpr std::size_t kMostTurns = 20;
constexpr double kMostJudged = 4e6;  // readings

/// What all processes know of a log. Made of doubles, so that processes can tell each other.
struct LogFacts {
  double scans = 0, rays = 0, learned = 0, held_out = 0, max_range_m = 0;
};
constexpr std::size_t kFacts = sizeof(LogFacts) / sizeof(double);

std::string correction_text(const LogCorrection& c) {
  return fmt::format("mount {:.4f} m, {:.4f} m, {:.4f} rad; ranges {:+.4f} m", c.mount_x_m, c.mount_y_m,
                     c.mount_yaw_rad, c.range_offset_m);
}

/// The logs, read one at a time where a process needs them.
class Logs {
 public:
  Logs(std::size_t size, const LogReader& read) : size_(size), read_(read) {}
  explicit Logs(const ScanLog& only) : size_(1), only_(&only) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  const ScanLog& at(std::size_t log) {
    if (only_ != nullptr) return *only_;
    if (log != in_memory_) {
      log_ = {};  // two large logs would not fit
      log_ = read_(log);
      in_memory_ = log;
    }
    return log_;
  }

 private:
  std::size_t size_;
  LogReader read_;
  const ScanLog* only_ = nullptr;
  std::size_t in_memory_ = std::numeric_limits<std::size_t>::max();
  ScanLog log_;
};

class LogFitter {
 public:
  LogFitter(Logs logs, const World& world, const FitLogOptions& options, Ranks* ranks)
      : logs_(std::move(logs)), world_(world), options_(options), ranks_(ranks) {
    if (logs_.size() == 0) throw InputError("there is no log to learn from");
    validate(options.compute);  // what is wrong with it is not wrong with a log
    if (options.refine_poses) throw InputError("refine_poses is for one log in one process");
    if (!options.hit_offset_m && (options.per_log == PerLog::kOffset || options.per_log == PerLog::kBoth)) {
      throw InputError("hit_offset_m is learned for all logs and per_log for each: the readings tell only their sum");
    }
    look_at_logs();
    sensor_ = find_sensor();
    own_.resize(facts_.size());
  }

  FitReport run() {
    FitReport report;
    report.variant = options_.variant;
    report.held_out = held_out_ > 0.0;
    std::size_t parts = 0;
    for (const LogFacts& facts : facts_) parts += parts_of(facts);
    const std::size_t first = parts * rank() / size(), end = parts * (rank() + 1) / size();
    const auto read = [&](std::size_t part) { return read_part(first + part); };
    const auto learn = [&] {
      shown_.clear();
      return fit_beam_model(end - first, read, sensor_, fit_options(options_), ranks_);
    };
    const std::string name = logs_.size() == 1 ? names_.front() : "";
    report.fit =
        with_prefix(name, [&] { return options_.per_log == PerLog::kNothing ? learn() : learn_in_turns(learn); });
    report.model = {report.fit.parameters, sensor_, world_.unknown()};
    report.shown = report.held_out ? held_out_pairs() : gather_pairs(shown_);
    report.judgement =
        with_prefix(name, [&] { return judge_beam_model(report.fit.parameters, sensor_, report.shown); });
    if (options_.per_log != PerLog::kNothing) {
      for (std::size_t i = 0; i < names_.size(); ++i) {
        report.logs.push_back({names_[i], own_[i].correction, own_[i].std_error});
      }
    }
    report.facts = facts();
    report.notes = notes_;
    return report;
  }

 private:
  /// The common parameters and the corrections of logs.
  template <class Learn>
  BeamFit learn_in_turns(const Learn& learn) {
    BeamFit fit = learn();
    double step = kFirstStep;
    for (std::size_t turn = 0; turn < kMostTurns; ++turn) {
      const double before = fit.log_likelihood.back();
      correct_logs(fit.parameters, step);
      fit = learn();
      if (fit.log_likelihood.back() < before + kLeastRise) return fit;
      step = std::max(step / 4.0, kLeastStep);
    }
    fit.flags.push_back(fmt::format("the corrections of logs still change after {} turns", kMostTurns));
    return fit;
  }

  /// Each process those of its logs.
  void correct_logs(const BeamParameters& parameters, double step) {
    const BeamModel model = {parameters, sensor_, world_.unknown()};
    std::vector<double> numbers;
    for (std::size_t i = first_of(rank()); i < first_of(rank() + 1); ++i) {
      const ScanLog& log = logs_.at(i);
      const CorrectedLog found = correct_log(log, choose_scans(log.name, options_.scans, log.scans()), world_, model,
                                             options_, own_[i].correction, step);
      for (const LogCorrection& c : {found.correction, found.std_error}) {
        numbers.insert(numbers.end(), {c.mount_x_m, c.mount_y_m, c.mount_yaw_rad, c.range_offset_m});
      }
    }
    const std::vector<double> all = gather(numbers);
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const double* of = all.data() + 8 * i;
      own_[i] = {{of[0], of[1], of[2], of[3]}, {of[4], of[5], of[6], of[7]}};
    }
  }

  [[nodiscard]] std::size_t rank() const { return ranks_ == nullptr ? 0 : ranks_->rank(); }
  [[nodiscard]] std::size_t size() const { return ranks_ == nullptr ? 1 : ranks_->size(); }
  [[nodiscard]] std::vector<double> gather(std::span<const double> mine) const {
    return ranks_ == nullptr ? std::vector<double>(mine.begin(), mine.end()) : ranks_->gather(mine);
  }

  /// Texts of each process, those of rank 0 first, as numbers of their letters.
  [[nodiscard]] std::vector<std::string> gather_texts(const std::vector<std::string>& mine) const {
    std::vector<double> letters;
    for (const std::string& text : mine) {
      for (const char letter : text) letters.push_back(static_cast<unsigned char>(letter));
      letters.push_back(-1.0);
    }
    std::vector<std::string> texts;
    std::string text;
    for (const double letter : gather(letters)) {
      if (letter >= 0.0) {
        text += static_cast<char>(static_cast<unsigned char>(letter));
      } else {
        texts.push_back(std::exchange(text, {}));
      }
    }
    return texts;
  }

  /// The logs that this process reads for what is asked of each log once.
  [[nodiscard]] std::size_t first_of(std::size_t rank) const { return logs_.size() * rank / size(); }

  void look_at_logs() {
    std::vector<double> numbers;
    std::vector<std::string> names, notes;
    for (std::size_t i = first_of(rank()); i < first_of(rank() + 1); ++i) {
      const ScanLog& log = logs_.at(i);
      const Scans learned = choose_scans(log.name, options_.scans, log.scans());
      const Scans held_out = held_out_scans(options_, learned, log.name, log.scans());
      const auto count = [](std::size_t n) { return static_cast<double>(n); };
      for (const double number :
           {count(log.scans()), count(log.rays()), count(learned.size()), count(held_out.size()), log.max_range_m}) {
        numbers.push_back(number);
      }
      names.push_back(log.name);
      const double max_range_m = options_.max_range_m.value_or(log.max_range_m);
      for (const std::string& note : log_notes(log, max_range_m > 0.0 ? std::optional(max_range_m) : std::nullopt)) {
        notes.push_back(logs_.size() == 1 ? note : log.name + ": " + note);
      }
    }
    const std::vector<double> all = gather(numbers);
    for (std::size_t i = 0; i < all.size(); i += kFacts) {
      facts_.push_back({all[i], all[i + 1], all[i + 2], all[i + 3], all[i + 4]});
      held_out_ += facts_.back().held_out;
      held_out_readings_ += facts_.back().held_out * facts_.back().rays;
    }
    names_ = gather_texts(names);
    notes_ = gather_texts(notes);
  }

  [[nodiscard]] BeamSensor find_sensor() const {
    double max_range_m = options_.max_range_m.value_or(facts_.front().max_range_m);
    for (std::size_t i = 0; i < facts_.size() && !options_.max_range_m; ++i) {
      if (facts_[i].max_range_m == 0.0) {
        with_prefix(names_[i], [] { throw InputError("does not say how far its sensor measures; give max_range_m"); });
      }
      if (facts_[i].max_range_m != max_range_m) {
        throw InputError(fmt::format("{} measures up to {} m and {} up to {} m; give max_range_m", names_.front(),
                                     max_range_m, names_[i], facts_[i].max_range_m));
      }
    }
    const BeamSensor sensor = {.max_range_m = max_range_m,
                               .min_range_m = options_.min_range_m,
                               .step_m = options_.step_m,
                               .expected_floor_m = world_.floor_m(),
                               .miss = options_.miss,
                               .nan = options_.nan};
    validate(sensor);
    return sensor;
  }

  [[nodiscard]] BeamData pairs(std::size_t log, const Scans& scans) {
    return corrected_pairs(logs_.at(log), scans, own_[log].correction, world_, sensor_.max_range_m, options_.compute);
  }

  /// `part`: of all.
  BeamData read_part(std::size_t part) {
    std::size_t log = 0;
    for (; part >= parts_of(facts_[log]); ++log) part -= parts_of(facts_[log]);
    const ScanLog& from = logs_.at(log);
    const Scans learned = choose_scans(from.name, options_.scans, from.scans());
    const std::size_t begin = part * kScansOfPart, count = std::min(kScansOfPart, learned.size() - begin);
    const auto first = learned.begin() + static_cast<std::ptrdiff_t>(begin);
    BeamData read = pairs(log, Scans(first, first + static_cast<std::ptrdiff_t>(count)));
    if (held_out_ == 0.0) show(read);
    return read;
  }
  static std::size_t parts_of(const LogFacts& facts) {
    return (static_cast<std::size_t>(facts.learned) + kScansOfPart - 1) / kScansOfPart;
  }

  /// Every k-th held-out scan of each log.
  BeamData held_out_pairs() {
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(held_out_readings_ / kMostJudged)));
    std::vector<BeamData> mine;
    for (std::size_t i = first_of(rank()); i < first_of(rank() + 1); ++i) {
      const ScanLog& log = logs_.at(i);
      const Scans learned = choose_scans(log.name, options_.scans, log.scans());
      const Scans all = held_out_scans(options_, learned, log.name, log.scans());
      Scans scans;
      for (std::size_t k = 0; k < all.size(); k += every) scans.push_back(all[k]);
      if (!scans.empty()) mine.push_back(pairs(i, scans));
    }
    return gather_pairs(mine);
  }

  /// Where none are held out, the pairs that were learned from judge, or every k-th scan of them.
  void show(const BeamData& part) {
    double readings = 0.0;
    for (const LogFacts& facts : facts_) readings += facts.learned * facts.rays;
    const auto every = static_cast<std::uint32_t>(std::max(1.0, std::ceil(readings / kMostJudged)));
    BeamData& kept = shown_.emplace_back();
    kept.cell_m = part.cell_m;
    for (std::size_t i = 0; i < part.reading_m.size(); ++i) {
      if (part.scan[i] % every != 0) continue;
      kept.reading_m.push_back(part.reading_m[i]);
      kept.expected_m.push_back(part.expected_m[i]);
      kept.scan.push_back(part.scan[i]);
    }
  }

  /// As one, whose scans are counted on from log to log. Processes tell each other two floats as the bits of a double.
  [[nodiscard]] BeamData gather_pairs(const std::vector<BeamData>& mine) const {
    if (ranks_ == nullptr && mine.size() == 1) return mine.front();
    std::vector<double> runs, numbers;
    for (const BeamData& part : mine) {
      for (std::size_t i = 0; i < part.reading_m.size(); ++i) {
        if (i == 0 || part.scan[i] != part.scan[i - 1]) {
          runs.insert(runs.end(), {static_cast<double>(part.scan[i]), 0.0, i == 0 ? 1.0 : 0.0, part.cell_m});
        }
        runs[runs.size() - 3] += 1.0;
        numbers.push_back(std::bit_cast<double>(std::array{part.reading_m[i], part.expected_m[i]}));
      }
    }
    if (ranks_ != nullptr) runs = gather(runs), numbers = gather(numbers);
    BeamData all;
    for (const double number : numbers) {
      const auto [reading_m, expected_m] = std::bit_cast<std::array<float, 2>>(number);
      all.reading_m.push_back(reading_m);
      all.expected_m.push_back(expected_m);
    }
    constexpr std::size_t kOfRun = 4;
    std::uint32_t shift = 0;
    for (std::size_t i = 0; i < runs.size(); i += kOfRun) {
      const auto scan = static_cast<std::uint32_t>(runs[i]);
      if (runs[i + 2] > 0.0 && !all.scan.empty()) shift = scan > all.scan.back() ? 0 : all.scan.back() + 1 - scan;
      all.scan.insert(all.scan.end(), static_cast<std::size_t>(runs[i + 1]), scan + shift);
      all.cell_m = runs[i + 3];
    }
    return all;
  }

  [[nodiscard]] std::string count_text(double count, const std::string& selection) const {
    double scans = 0.0;
    for (const LogFacts& facts : facts_) scans += facts.scans;
    return fmt::format("{} ({:.0f} of {:.0f} scans)", selection, count, scans);
  }

  /// The head of the page: what was learned from.
  [[nodiscard]] std::vector<FitReport::Fact> facts() const {
    std::vector<FitReport::Fact> facts;
    if (!world_.name().empty()) facts.push_back({"map", world_.name()});
    double learned = 0.0;
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      const std::string file = std::filesystem::path(names_[i]).filename().string();
      facts.push_back({"log", fmt::format("{}{}{:.0f} rays a scan", file, file.empty() ? "" : ", ", facts_[i].rays)});
      if (options_.per_log != PerLog::kNothing) facts.push_back({"its own", correction_text(own_[i].correction)});
      learned += facts_[i].learned;
    }
    facts.push_back({"learned from", count_text(learned, options_.scans)});
    if (held_out_ > 0.0) {
      facts.push_back(
          {"held out", count_text(held_out_, options_.test_scans.empty() ? "the others" : options_.test_scans)});
    }
    return facts;
  }

  Logs logs_;
  const World& world_;
  const FitLogOptions& options_;
  Ranks* ranks_;
  std::vector<LogFacts> facts_;  // [logs]
  std::vector<std::string> names_, notes_;
  double held_out_ = 0.0, held_out_readings_ = 0.0;
  std::vector<CorrectedLog> own_;  // [logs]
  std::vector<BeamData> shown_;    // of the parts of this process
  BeamSensor sensor_;
};

}  // namespace

FitReport fit_log(const ScanLog& log, const World& world, const FitLogOptions& options) {
  if (options.refine_poses) return refine_log(log, world, options);
  return LogFitter(Logs(log), world, options, nullptr).run();
}

FitReport fit_logs(std::size_t logs, const LogReader& read, const World& world, const FitLogOptions& options,
                   Ranks* ranks) {
  return LogFitter(Logs(logs, read), world, options, ranks).run();
}

}  // namespace fathom
