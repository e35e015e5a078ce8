// SPDX-License-Identifier: MIT
// Text is read piece by piece, plain and packed.
#include <zlib.h>

#include <fathom/fit/fit.hpp>

#include "core/text/gzip_text.hpp"
#include "core/text/text_lines.hpp"
#include "io/log/scan_lines.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

std::string numbers_text(int from, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += " " + std::to_string((from * 31 + i * 7) % 900) + ".25";
  return text;
}

/// Scans of 181 rays with other messages between them.
std::string carmen_text(int scans) {
  std::string text = "# CARMEN\nPARAM robot_length 30\n";
  for (int i = 0; i < scans; ++i) {
    if (i % 3 == 0) text += "ODOM 1 2 3 0 0 0 1.5 host 1.5\nRLASER 2 1 1 0 0 0 0 0 0 1 host 1\n";
    text += "FLASER 181" + numbers_text(i, 181) + " " + std::to_string(i) + " -2.5 0.25 0 0 0 10.5 host 11\n";
  }
  return text;
}

std::string csv_text(int scans) {
  std::string text = "# max_range_m: 8\nx_m,y_m,yaw_rad,range_m@-0.5,range_m@0.25\n";
  for (int i = 0; i < scans; ++i) text += std::to_string(i) + ",2,3,inf,0." + std::to_string(1000 + i) + "\n";
  return text;
}

class Sources : public testing::Test {
 protected:
  std::filesystem::path packed(const std::string& name, const std::string& text, std::size_t member) {
    const auto file = folder_ / name, part = folder_ / "part";
    std::ofstream out(file, std::ios::binary);
    for (std::size_t at = 0; at < text.size(); at += member) {
      gzFile gz = gzopen(part.c_str(), "wb");
      gzwrite(gz, text.data() + at, static_cast<unsigned>(std::min(member, text.size() - at)));
      gzclose(gz);
      out << bytes_of(part);
    }
    return file;
  }
  TemporaryFolder folder_;
};

void expect_same(const ScanLog& a, const ScanLog& b) {
  EXPECT_EQ(a.azimuth_rad, b.azimuth_rad);
  EXPECT_EQ(a.pose, b.pose);
  EXPECT_EQ(a.range_m, b.range_m);
  EXPECT_EQ(a.max_range_m, b.max_range_m);
  ASSERT_EQ(a.skipped.size(), b.skipped.size());
  for (std::size_t i = 0; i < a.skipped.size(); ++i) {
    EXPECT_EQ(a.skipped[i].name, b.skipped[i].name);
    EXPECT_EQ(a.skipped[i].lines, b.skipped[i].lines);
  }
}

TEST_F(Sources, ThatArePackedHaveTheSameScans) {
  expect_same(read_scan_log(packed("a.log.gz", carmen_text(40), 1000)),
              read_scan_log(folder_.write("a.log", carmen_text(40))));
  expect_same(read_scan_log(packed("b.csv.gz", csv_text(300), 1 << 20)),
              read_scan_log(folder_.write("b.csv", csv_text(300))));
  expect_same(read_scan_log(folder_.write("c.log", "\xef\xbb\xbf" + carmen_text(2))),
              read_scan_log(folder_.write("d.log", carmen_text(2))));
}

TEST_F(Sources, ThatAreRefusedAreNamed) {
  const std::vector<std::filesystem::path> files = {
      folder_.write("cut.log", carmen_text(3) + "FLASER 181 1 2"),
      folder_.write("no_end.log", carmen_text(3).substr(0, carmen_text(3).size() - 1)),
      folder_.write("word.csv", csv_text(3) + "1,2,3,4,five\n"),
      folder_.write("rays.log", carmen_text(3) + "FLASER 100" + numbers_text(0, 100) + " 1 2 3 0 0 0 1 h 1\n"),
      folder_.write("none.log", "RLASER 2 1 1\n"),
      folder_.write("cr.csv", "x_m,y_m,yaw_rad,range_m@0\r1,2,3,4\r"),
      folder_ / "missing.log"};
  for (const auto& file : files) {
    const std::string whole = input_error([&] { read_scan_log(file); });
    EXPECT_TRUE(contains(whole, file.string())) << whole;
  }
}

// --- lines

std::string lines_of(const std::filesystem::path& file) {
  LineSource source(file);
  std::string text;
  for (std::string_view line; source.next(line);) {
    text += std::to_string(source.number()) + ": " + std::string(line) + (source.has_end() ? "|" : "!");
  }
  return text;
}

TEST_F(Sources, LinesAreThoseOfTheWholeTextWhereverItsPiecesEnd) {
  constexpr std::size_t kPiece = std::size_t{1} << 18U;
  for (const std::size_t before :
       {kPiece - 3, kPiece - 2, kPiece - 1, kPiece, kPiece + 1, 2 * kPiece, 3 * kPiece - 1}) {
    for (const std::string_view end : {"\n", "\r\n"}) {
      for (const std::string_view last : {"", "x", "x\r", "\r\n"}) {
        std::string text = "first\n" + std::string(before - 7, 'a');
        text.append(end).append("\n\nb").append(end).append(last);
        const auto file = folder_.write("lines.txt", text);
        std::string expected;
        for_each_line(read_gzip_text(file), [&](std::size_t number, std::string_view line) {
          expected += std::to_string(number) + ": " + std::string(line) + "|";
        });
        if (text.back() != '\n') expected.back() = '!';
        EXPECT_TRUE(lines_of(file) == expected) << before << last;
        EXPECT_TRUE(lines_of(packed("lines.gz", text, 70'000)) == expected) << before << last;
      }
    }
  }
}

TEST_F(Sources, HalfALineOfADamagedFileIsNoLine) {
  const auto file = packed("damaged.gz", "one\ntwo\nthree, of which a half is there", 1000);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 9);
  LineSource source(file);
  std::string_view line;
  ASSERT_TRUE(source.next(line));
  ASSERT_TRUE(source.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_TRUE(contains(input_error([&] { source.next(line); }), "damaged.gz:3: cut short or damaged"));
}

}  // namespace

// A log that was cut short is refused, with the line where it ends.

namespace {

/// 180 readings from this x.
std::string flaser(const std::string& x) {
  std::string line = "FLASER 180";
  for (int i = 0; i < 180; ++i) line += " 2.25";
  return line + " " + x + " -2.5 0.25 0 0 0 1071078718.4 host 1071078718.5\n";
}

std::string lines_text(const std::string& log) { return std::to_string(std::count(log.begin(), log.end(), '\n') + 1); }

class CutLog : public testing::Test {
 protected:
  std::string refusal(const std::string& log) {
    const auto file = folder_.write("cut.log", log);
    return test::input_error([&] { read_scan_log(file); });
  }
  /// `whole` makes sense; of `more`, only cuts at the end of a line do.
  void expect_cuts_seen(const std::string& whole, const std::string& more) {
    for (std::size_t size = 0; size <= more.size(); ++size) {
      const std::string log = whole + more.substr(0, size), message = refusal(log);
      if (log.back() == '\n') {
        EXPECT_EQ(message, "") << size;
      } else {
        EXPECT_TRUE(contains(message, "cut.log:" + lines_text(log) + ": ")) << size;
      }
    }
  }

  TemporaryFolder folder_;
};

TEST_F(CutLog, OfCarmenIsRefusedWhereverALineIsHurt) {
  expect_cuts_seen(flaser("1"), flaser("3.5") + flaser("2"));
  EXPECT_TRUE(contains(refusal(flaser("1") + "FLASE"), "cut.log:2: the log is cut short"));
  // All that is used is there, but the last time was longer.
  const std::string last = flaser("2");
  EXPECT_TRUE(contains(refusal(flaser("1") + last.substr(0, last.size() - 3)), "cut.log:2: the log is cut short"));
}

TEST_F(CutLog, OfCarmenMayEndInHalfAMessageThatNobodyReads) {
  for (const char* half :
       {"ODOM 1 2 3 4", "PARAM laser_front_laser_resol", "RLASER 180 1.0 2.", "# half a comm", "O"}) {
    EXPECT_EQ(refusal(flaser("1") + half), "") << half;
  }
  for (const char* half : {"F", "FLASER", "FLASER 180 1.0", "  FLA"}) {
    EXPECT_TRUE(contains(refusal(flaser("1") + half), "cut.log:2: ")) << half;
  }
}

TEST_F(CutLog, OfCsvIsRefusedWhereverALineIsHurt) {
  expect_cuts_seen("# max_range_m: 8\nx_m,y_m,yaw_rad,range_m@0,range_m@0.5\n1,2,3,4,5\n",
                   "1,2.5,3,4.25,5.75\n1,2.5,3,inf,7\n");
  EXPECT_TRUE(contains(refusal("x_m,y_m,yaw_rad,range_m@0\n1,2,3,4.25\n1,2,3,4.2"), "cut.log:3: the log is cut short"));
}

TEST_F(CutLog, MayEndWithBlanksAndCarriageReturns) {
  EXPECT_EQ(refusal(flaser("1") + "  \t"), "");
  EXPECT_EQ(refusal("x_m,y_m,yaw_rad,range_m@0\r\n1,2,3,4.25\r\n"), "");
}

TEST_F(CutLog, InGzipIsNamedByTheLineUpToWhichItCouldBeRead) {
  const auto file = folder_ / "a.log.gz";
  const std::string line = flaser("1"), text = line + line + line + line + line + line + line + line;
  gzFile out = gzopen(file.c_str(), "wb0");  // stored, not packed: cutting n bytes cuts n bytes of text
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  ASSERT_EQ(read_scan_log(file).scans(), 8U);
  const auto refusal_at = [&](std::uintmax_t size) {
    std::filesystem::resize_file(file, size);
    return test::input_error([&] { read_scan_log(file); });
  };
  const auto size = std::filesystem::file_size(file);
  EXPECT_TRUE(contains(refusal_at(size - 1), "a.log.gz:9: cut short or damaged"));  // of the check sum after the text
  EXPECT_TRUE(contains(refusal_at(size - 3 * line.size() / 2), "a.log.gz:7: cut short or damaged"));
  EXPECT_TRUE(contains(refusal_at(12), "a.log.gz:1: cut short or damaged"));
}

}  // namespace
}  // namespace fathom::test
