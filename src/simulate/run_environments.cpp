// SPDX-License-Identifier: MIT
#include <fathom/simulate/run_environments.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/executor.hpp>
#include <fathom/frame/digest.hpp>

#include "base/with_prefix.hpp"
#include "simulate/prepare_run.hpp"
#include "simulate/run_folder.hpp"

namespace fathom {

namespace {

using BatchClock = std::chrono::steady_clock;

void check_numbers(std::string_view what, const NumberRange& range) {
  if (range.size() > 0) return;
  throw InputError(fmt::format("{} {}:{} are none: the end must be above the first", what, range.first, range.end));
}

/// Shares the runs out among threads and adds up what comes of them.
class BatchRunner {
 public:
  /// Checks everything that could be wrong with the input; writes nothing.
  BatchRunner(const SceneSetup& setup, const RunOptions& options, NumberRange environments, NumberRange episodes)
      : setup_(setup), options_(options), environments_(environments), episodes_(episodes) {
    const std::uint64_t frames = options.frames.value_or(setup.frames);
    if (!options.bag.empty()) throw InputError("a bag is of one run, not of many environments or episodes");
    static_cast<void>(count_runs(setup, options, environments, episodes));
    static_cast<void>(prepare_run(setup, options_of(0)));
    static_cast<void>(RunFolder(options.out, true));
    for (std::uint64_t run = 0; run < runs(); ++run) static_cast<void>(RunFolder(folder_of(run), options.force));
    total_.frames_total = static_cast<std::uint32_t>(runs() * frames);
    const int threads = make_executor(options.compute.threads)->threads();
    crew_ = runs() < static_cast<std::uint64_t>(threads) ? 1 : threads;
    results_.resize(runs());
  }

  RunsResult run() {
    Compute compute = options_.compute;
    if (crew_ > 1) compute.threads = 1;
    const SharedTrees trees(setup_.scene, compute, setup_.start_s);
    begin_ = BatchClock::now();
    const auto work = [&](std::size_t, std::size_t) {
      while (run_next(compute, trees)) {
      }
    };
    make_executor(crew_)->parallel_for(static_cast<std::size_t>(crew_), 1, work);
    if (error_) std::rethrow_exception(error_);
    if (stop_) {
      throw Interrupted(
          fmt::format("stopped after {} of {} runs; the files in {} are whole, and runs without {} are not complete",
                      runs_done_, runs(), options_.out.string(), kSummaryName));
    }
    return result();
  }

 private:
  [[nodiscard]] std::uint64_t runs() const { return environments_.size() * episodes_.size(); }
  [[nodiscard]] std::uint32_t environment_of(std::uint64_t run) const {
    return environments_.first + static_cast<std::uint32_t>(run / episodes_.size());
  }
  [[nodiscard]] std::uint32_t episode_of(std::uint64_t run) const {
    return episodes_.first + static_cast<std::uint32_t>(run % episodes_.size());
  }
  [[nodiscard]] std::filesystem::path folder_of(std::uint64_t run) const {
    return options_.out / run_folder(environment_of(run), episode_of(run));
  }
  [[nodiscard]] std::string name_of(std::uint64_t run) const {
    return fmt::format("environment {}, episode {}", environment_of(run), episode_of(run));
  }

  [[nodiscard]] RunOptions options_of(std::uint64_t run) const {
    RunOptions options = options_;
    options.out = folder_of(run);
    options.environment = environment_of(run);
    options.episode = episode_of(run);
    return options;
  }

  /// Runs the next that nobody has taken; false when there is none, or all shall stop.
  bool run_next(const Compute& compute, const SharedTrees& trees) {
    const std::uint64_t run = next_.fetch_add(1);
    if (run >= runs() || stop_) return false;
    RunOptions options = options_of(run);
    options.compute = compute;
    Progress last;
    options.on_progress = [&](const Progress& progress) { count(progress, last); };
    options.should_stop = [this] { return stop_ || (options_.should_stop && options_.should_stop()); };
    try {
      keep(run, with_prefix([&] { return name_of(run); }, [&] { return run_scene_on(setup_, options, &trees); }));
      return true;
    } catch (const Interrupted&) {
      stop_ = true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
    return false;
  }

  /// `last`: what the run said before.
  void count(const Progress& progress, Progress& last) {
    const std::lock_guard lock(mutex_);
    total_.frames_done += progress.frames_done - last.frames_done;
    total_.rays_done += progress.rays_done - last.rays_done;
    total_.cast_seconds += (progress.cast_seconds - last.cast_seconds) / crew_;
    total_.seconds = std::chrono::duration<double>(BatchClock::now() - begin_).count();
    last = progress;
    if (options_.on_progress) options_.on_progress(total_);
  }

  void keep(std::uint64_t run, RunResult result) {
    const std::lock_guard lock(mutex_);
    files_ += result.files.size();
    result.files = {};  // a run may have millions
    results_[run] = std::move(result);
    ++runs_done_;
  }

  /// Adds up in the order of the runs, not in that of their ends.
  [[nodiscard]] RunsResult result() const {
    RunsResult all;
    all.files = files_;
    all.progress = total_;
    all.warnings = setup_.notes;
    all.sensors.resize(setup_.sensors.size());
    std::vector<FrameDigest> digests(all.sensors.size());
    for (std::uint64_t run = 0; run < runs(); ++run) {
      all.folders.push_back(folder_of(run));
      // The notes of the scene, which stand first in every run, are said once.
      for (const std::string& text : std::span(results_[run].warnings).subspan(setup_.notes.size())) {
        all.warnings.push_back(fmt::format("{}: {}", name_of(run), text));
      }
      for (std::size_t i = 0; i < all.sensors.size(); ++i) {
        const SensorResult& one = results_[run].sensors[i];
        SensorResult& sum = all.sensors[i];
        sum.name = one.name;
        sum.rays += one.rays;
        sum.seconds += one.seconds / crew_;
        for (std::size_t r = 0; r < sum.reasons.size(); ++r) sum.reasons[r] += one.reasons[r];
        digests[i].add(one.digest);
      }
    }
    for (std::size_t i = 0; i < all.sensors.size() && options_.digest; ++i) all.sensors[i].digest = digests[i].text();
    return all;
  }

  const SceneSetup& setup_;
  const RunOptions& options_;
  NumberRange environments_, episodes_;
  int crew_ = 1;  // runs that go on side by side
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  BatchClock::time_point begin_;
  std::mutex mutex_;  // of all below
  std::exception_ptr error_;
  Progress total_;
  std::vector<RunResult> results_;  // [runs]
  std::uint64_t files_ = 0, runs_done_ = 0;
};

}  // namespace

std::filesystem::path run_folder(std::uint32_t environment, std::uint32_t episode) {
  return std::filesystem::path(fmt::format("environment_{:04}", environment)) / fmt::format("episode_{:04}", episode);
}

std::uint64_t count_runs(const SceneSetup& setup, const RunOptions& options, NumberRange environments,
                         NumberRange episodes) {
  check_numbers("environments", environments);
  check_numbers("episodes", episodes);
  const std::uint64_t frames = options.frames.value_or(setup.frames), runs = environments.size() * episodes.size();
  constexpr std::uint64_t kMostFrames = std::numeric_limits<std::uint32_t>::max();
  if (runs > kMostFrames / std::max<std::uint64_t>(frames, 1)) {
    throw InputError(fmt::format("{} environments of {} episodes of {} frames are more than {} frames",
                                 environments.size(), episodes.size(), frames, kMostFrames));
  }
  return runs;
}

RunsResult run_environments(const SceneSetup& setup, const RunOptions& options, NumberRange environments,
                            NumberRange episodes) {
  try {
    return BatchRunner(setup, options, environments, episodes).run();
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("{}: the runs do not fit into memory", setup.file.string()));
  }
}

}  // namespace fathom
