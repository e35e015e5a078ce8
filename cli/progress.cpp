// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace fathom_cli {
namespace {

constexpr double kBarPeriodS = 0.1;
constexpr double kLinePeriodS = 1.0;
constexpr std::size_t kBarWidth = 24;

std::size_t terminal_columns() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string status_text(const fathom::RunOptions::Progress& p) {
  std::string text = fmt::format("frame {}/{}", p.frames_done, p.frames_total);
  if (p.cast_seconds > 0.0) text += ", " + rate_text(static_cast<double>(p.rays_done) / p.cast_seconds);
  if (p.frames_done > 0 && p.frames_done < p.frames_total) {
    const double seconds_per_frame = p.seconds / p.frames_done;
    text += fmt::format(", {} left", duration_text(seconds_per_frame * (p.frames_total - p.frames_done)));
  }
  return text;
}

std::string bar_text(double fraction) {
  const auto filled = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * kBarWidth + 1e-9);
  return fmt::format("[{}{}] ", std::string(filled, '='), std::string(kBarWidth - filled, ' '));
}

}  // namespace

std::string rate_text(double rays_per_s) {
  constexpr std::array<std::string_view, 4> kPrefixes = {"", "k ", "M ", "G "};
  std::size_t k = 0;
  for (; rays_per_s >= 1000.0 && k + 1 < kPrefixes.size(); ++k) rays_per_s /= 1000.0;
  return fmt::format("{:.3g} {}rays/s", rays_per_s, kPrefixes[k]);
}

StatusLine::StatusLine(bool quiet)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0), next_s_(terminal_ ? 0.0 : kLinePeriodS) {}

StatusLine::~StatusLine() {
  if (drawn_) std::fputc('\n', stderr);
}

void StatusLine::show(double seconds, const std::string& text, bool last) {
  if (quiet_) return;
  if (seconds < next_s_ && !(last && terminal_)) return;
  next_s_ = seconds + (terminal_ ? kBarPeriodS : kLinePeriodS);
  if (!terminal_) {
    std::fputs(fmt::format("{}\n", text).c_str(), stderr);
    return;
  }
  // Cut, because a line that wraps cannot be drawn over; "\x1b[K" clears the rest of a longer line.
  const std::string shown = text.substr(0, std::max<std::size_t>(terminal_columns(), 2) - 1);
  std::fputs(fmt::format("\r{}\x1b[K", shown).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressDisplay::show(const fathom::RunOptions::Progress& p) {
  const double done = p.frames_total == 0 ? 1.0 : static_cast<double>(p.frames_done) / p.frames_total;
  line_.show(p.seconds, (line_.is_terminal() ? bar_text(done) : "") + status_text(p), p.frames_done == p.frames_total);
}

double TaskDisplay::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void TaskDisplay::show_fraction(double done) {
  const double now = seconds();
  std::string text = fmt::format("{} {:.0f} %", task_, 100.0 * done);
  if (done > 0.0 && done < 1.0) text += fmt::format(", {} left", duration_text(now * (1.0 - done) / done));
  line_.show(now, (line_.is_terminal() ? bar_text(done) : "") + text, done >= 1.0);
}

void TaskDisplay::show_text(const std::string& text) { line_.show(seconds(), fmt::format("{} {}", task_, text)); }

}  // namespace fathom_cli
