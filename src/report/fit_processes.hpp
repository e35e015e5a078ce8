// SPDX-License-Identifier: MIT
#pragma once
// The processes that learn together, of which there may be one.

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fathom/beam/ranks.hpp>

namespace fathom {

class FitProcesses {
 public:
  explicit FitProcesses(Ranks* ranks) : ranks_(ranks) {}

  [[nodiscard]] bool is_alone() const { return ranks_ == nullptr; }
  [[nodiscard]] Ranks* ranks() const { return ranks_; }
  [[nodiscard]] std::size_t rank() const { return is_alone() ? 0 : ranks_->rank(); }
  [[nodiscard]] std::size_t size() const { return is_alone() ? 1 : ranks_->size(); }

  /// The first of so many things that this process has, and the one behind its last.
  [[nodiscard]] std::size_t begin_of(std::size_t things) const { return things * rank() / size(); }
  [[nodiscard]] std::size_t end_of(std::size_t things) const { return things * (rank() + 1) / size(); }

  /// The numbers of all, those of rank 0 first.
  [[nodiscard]] std::vector<double> gather(std::span<const double> mine) const {
    return is_alone() ? std::vector<double>(mine.begin(), mine.end()) : ranks_->gather(mine);
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

 private:
  Ranks* ranks_;
};

}  // namespace fathom
