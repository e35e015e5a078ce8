#include "beam/evidence.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <fathom/error.hpp>

namespace fathom {

namespace {

void check(const BeamData& data) {
  const std::size_t n = data.reading_m.size();
  if (data.expected_m.size() != n || data.scan.size() != n) {
    throw InputError(fmt::format("{} readings, {} expected ranges and {} scan numbers given", n, data.expected_m.size(),
                                 data.scan.size()));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(data.expected_m[i] >= 0.0F)) {
      throw InputError(fmt::format("expected range {} = {} is not at least 0", i, data.expected_m[i]));
    }
    if (i > 0 && data.scan[i] < data.scan[i - 1]) {
      throw InputError(fmt::format("scan {} of pair {} comes after scan {}", data.scan[i], i, data.scan[i - 1]));
    }
  }
}

}  // namespace

Evidence make_evidence(const BeamData& data, const BeamSensor& sensor) {
  check(data);
  Evidence e;
  const auto limit = static_cast<float>(sensor.max_range_m);
  for (const bool missed : {true, false}) {
    std::uint32_t cluster = 0;
    for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
      if (i > 0 && data.scan[i] != data.scan[i - 1]) ++cluster;
      if (e.max_expected.size() <= cluster) e.max_expected.resize(cluster + 1), e.max_missed.resize(cluster + 1);
      const ReadingKind kind = classify(data.reading_m[i], sensor);
      if ((data.expected_m[i] >= limit) != missed) continue;
      ++e.kinds[static_cast<std::size_t>(kind)];
      if (kind == ReadingKind::kMax) {
        (missed ? e.max_missed : e.max_expected)[cluster] += 1.0;
        (missed ? e.max_missed_total : e.max_expected_total) += 1.0;
        e.max_expected_m.push_back(std::min(data.expected_m[i], limit));
      } else if (kind == ReadingKind::kRange) {
        e.z_m.push_back(data.reading_m[i]);
        e.expected_m.push_back(std::min(data.expected_m[i], limit));
        e.cluster.push_back(cluster);
      }
    }
    if (missed) e.missed = e.ranges();
  }
  if (e.pairs() == 0) {
    throw InputError(fmt::format("none of {} readings carries evidence", data.reading_m.size()));
  }
  return e;
}

void put_behind_first(Evidence& e, std::size_t stretch, double offset_m) {
  std::vector<std::size_t> order;
  std::vector<float> z_m, expected_m;
  std::vector<std::uint32_t> cluster;
  for (std::size_t begin = e.missed; begin < e.ranges(); begin += stretch) {
    const std::size_t end = std::min(e.ranges(), begin + stretch);
    order.clear();
    for (const bool behind : {true, false}) {
      for (std::size_t i = begin; i < end; ++i) {
        if ((e.z_m[i] > e.expected_m[i] + offset_m) == behind) order.push_back(i);
      }
    }
    z_m.clear(), expected_m.clear(), cluster.clear();
    for (const std::size_t i : order) {
      z_m.push_back(e.z_m[i]), expected_m.push_back(e.expected_m[i]), cluster.push_back(e.cluster[i]);
    }
    const auto at = static_cast<std::ptrdiff_t>(begin);
    std::copy(z_m.begin(), z_m.end(), e.z_m.begin() + at);
    std::copy(expected_m.begin(), expected_m.end(), e.expected_m.begin() + at);
    std::copy(cluster.begin(), cluster.end(), e.cluster.begin() + at);
  }
}

}  // namespace fathom
