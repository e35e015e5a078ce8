// SPDX-License-Identifier: MIT
// Learns the errors of a planar laser from a log of its scans and a map of where it drove.

#include <cmath>
#include <cstdio>

#include <fathom/fit/beam.hpp>

using namespace fathom;

void print(const FitReport& report) {
  for (const Fit::Parameter& p : report.fit.parameters) {
    std::printf("%-18s %8.4f", p.name.c_str(), p.value);
    if (std::isfinite(p.std_error)) std::printf(" +- %.4f", p.std_error);  // no error: at a boundary, or not learned
    std::printf("\n");
  }
  for (const std::string& text : texts_of(report.findings())) std::printf("note: %s\n", text.c_str());
  for (const std::string& note : report.notes) std::printf("note: %s\n", note.c_str());
  std::printf("%s: %.4f nats per ray, %zu rays\n", report.fit.held_out ? "held-out scans" : "scans learned from",
              report.judgement.nats_per_ray, report.judgement.pairs);
}

void fit(const char* map_file, const char* log_or_run, const char* out) {
  const World world = World::from_map(map_file);
  const ScanLog log = read_scan_log(find_scan_log(log_or_run));
  // Every other scan is learned from, the others judge. The log says how far its sensor measures; of one that does not,
  // say it here: {.max_range_m = 80}.
  const FitReport report = fit_log(log, world, {.scans = "odd"});
  print(report);
  report.write(out, true);
  std::printf("wrote parameters.yaml, fit.json and report.html into %s\n", out);
}

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::fputs("usage: fit_a_laser MAP.yaml LOG|RUN [OUT]\n", stderr);
    return 2;
  }
  try {
    fit(argv[1], argv[2], argc > 3 ? argv[3] : "fit");
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "fit_a_laser: %s\n", error.what());
    return 1;
  }
}
