// SPDX-License-Identifier: MIT
// The content of datasets: it does not depend on the processes, verifying finds every changed byte, and nothing outside
// is changed.

#include "run/dataset/dataset_fixture.hpp"
#include "run/dataset/pack.hpp"

namespace fathom::test {
namespace {

namespace fs = std::filesystem;

/// A complete dataset; its folder.
fs::path rendered(const DatasetFolder& data, const std::string& out, std::uint64_t shards = 1) {
  DatasetOptions options = data.options(out);
  options.resume = true;
  options.shard.count = shards;
  for (std::uint64_t i = shards; i-- > 0;) {
    options.shard.index = i;
    render_dataset(data.setup, options);
  }
  EXPECT_EQ(read_dataset_info(options.run.out).complete, 18U);
  return options.run.out;
}

bool has_fault(const fs::path& dataset, const std::string& text) {
  const auto faults = verify_dataset(dataset, {.threads = 1}).faults;
  return std::any_of(faults.begin(), faults.end(), [&](const auto& f) { return f.find(text) != std::string::npos; });
}

TEST(DatasetInfo, SaysWhatIsThereAndWhatIsMissing) {
  const DatasetFolder data;
  const auto one = files_in(rendered(data, "one"));
  EXPECT_EQ(files_in(rendered(data, "five", 5)), one);
  EXPECT_EQ(one.size(), 18U * 2 + 3 * 2 * 5 * 2 + 1);  // unit.json, summary.json; two files a frame; dataset.json
  DatasetOptions options = data.options("half");
  options.shard = {0, 2};
  render_dataset(data.setup, options);
  DatasetInfo info = read_dataset_info(options.run.out);
  EXPECT_EQ(info.complete, 9U);
  EXPECT_EQ(info.first_missing, 1U);
  EXPECT_TRUE(has_fault(options.run.out, "units/000/000/000000001: is missing"));
  EXPECT_EQ(verify_dataset(options.run.out).fault_count, 9U);
  options.shard.index = 1;
  options.run.seed = 9;
  options.resume = true;
  render_dataset(data.setup, options);
  EXPECT_TRUE(has_fault(options.run.out, "000000000: is made of something else"));
  info = read_dataset_info(options.run.out);
  EXPECT_EQ(info.complete, 9U);
  EXPECT_EQ(info.others, 9U);
  EXPECT_EQ(info.first_missing, 0U);
  EXPECT_EQ(info.seed, 9U);
  EXPECT_TRUE(contains(input_error([&] { return read_dataset_info(data.folder.path()); }), "dataset.json"));
}

/// No function loops over all units that a dataset will have.
TEST(DatasetInfo, AnswersForABillionUnits) {
  const DatasetFolder data;
  DatasetOptions options = data.options("huge");
  options.run.frames = 1;
  options.block = 0;
  options.environments = {0, 1'000'000};
  options.episodes = {0, 1000};
  options.units = {{0, 1, 4, 999'999'999}};
  render_dataset(data.setup, options);
  const DatasetInfo info = read_dataset_info(options.run.out);
  EXPECT_EQ(info.units.size(), kMaxUnits);
  EXPECT_EQ(info.complete, 4U);
  EXPECT_EQ(info.first_missing, 2U);
  const VerifyResult result = verify_dataset(options.run.out);
  EXPECT_EQ(result.fault_count, kMaxUnits - 4);
  const std::vector<std::string> faults = {"units/000/000/000000002: is missing, and 1 more after it",
                                           "units/000/000/000000005: is missing, and 999999993 more after it"};
  EXPECT_EQ(result.faults, faults);
  options.units = {{4}};
  EXPECT_TRUE(contains(input_error([&] { render_dataset(data.setup, options); }), "000000004: is there already"));
}

TEST(DatasetInfo, NamesWhatIsNotPartOfTheDataset) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one");
  for (const char* foreign : {"units/000/000/000000018", "units/000/000/17", "units/000/000/000000017.tar",
                              "units/000/001", "units/001", "units/0", "packs", "more"}) {
    fs::create_directories(dataset / foreign);
    const DatasetInfo info = read_dataset_info(dataset);
    EXPECT_EQ(info.foreign, 1U) << foreign;
    EXPECT_EQ(info.first_foreign, dataset / foreign);
    EXPECT_TRUE(has_fault(dataset, std::string(foreign) + ": is not part of the dataset")) << foreign;
    const VerifyResult result = verify_dataset(dataset, {.remove_faulty = true});
    EXPECT_EQ(result.removed, 0U);
    EXPECT_EQ(result.left, 1U);
    EXPECT_TRUE(fs::exists(dataset / foreign));
    fs::remove_all(dataset / foreign);
  }
  EXPECT_EQ(verify_dataset(dataset).fault_count, 0U);
}

TEST(DatasetInfo, KeepsTheCommandOfTheFirst) {
  const DatasetFolder data;
  DatasetOptions options = data.options("spelled");
  options.command = "fathom simulate scene.yaml";
  options.shard = {0, 2};
  render_dataset(data.setup, options);
  options.command = "fathom simulate ./scene.yaml";
  options.shard = {1, 2};
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 9U);
  EXPECT_EQ(read_dataset_info(options.run.out).command, "fathom simulate scene.yaml");
  const auto files = files_in(options.run.out);
  options.resume = true;
  EXPECT_EQ(render_dataset(data.setup, options).skipped, 9U);
  EXPECT_EQ(files_in(options.run.out), files);
  EXPECT_EQ(verify_dataset(options.run.out).fault_count, 0U);
}

TEST(RenderDataset, SurvivesTheLossOfItsDescription) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one");
  const auto files = files_in(dataset);
  DatasetOptions options = data.options("one");
  for (const bool removed : {false, true}) {
    removed ? static_cast<void>(fs::remove(dataset / "dataset.json")) : write_bytes(dataset / "dataset.json", "");
    options.resume = false;
    EXPECT_TRUE(contains(input_error([&] { return render_dataset(data.setup, options); }), "is lost; --resume"));
    options.resume = true;
    EXPECT_EQ(render_dataset(data.setup, options).skipped, 18U);
    EXPECT_EQ(files_in(dataset), files);
  }
}

/// Any byte of any file, and any change of it.
void expect_every_flip_found(const fs::path& dataset, const std::map<std::string, std::string>& files) {
  RC_ASSERT(verify_dataset(dataset, {.threads = 2}).fault_count == 0U);
  const auto& [name, bytes] = *std::next(files.begin(), *rc::gen::inRange<int>(0, static_cast<int>(files.size())));
  std::string changed = bytes;
  char& byte = changed[*rc::gen::inRange<std::size_t>(0, bytes.size())];
  byte = static_cast<char>(byte ^ *rc::gen::inRange(1, 256));
  write_bytes(dataset / name, changed);
  bool found = false;
  try {
    found = verify_dataset(dataset, {.threads = 1}).fault_count > 0;
  } catch (const InputError&) {  // dataset.json cannot be read
    found = name == "dataset.json";
  }
  write_bytes(dataset / name, bytes);
  RC_ASSERT(found);
}

RC_GTEST_PROP(VerifyDataset, FindsAFlippedByte, ()) {
  static const DatasetFolder data;
  static const fs::path dataset = rendered(data, "one");
  static const auto files = files_in(dataset);
  expect_every_flip_found(dataset, files);
}

RC_GTEST_PROP(VerifyDataset, FindsAFlippedByteOfFilesOfUnits, ()) {
  static const DatasetFolder data;
  static const fs::path dataset = [] {
    DatasetOptions options = data.options("tars");
    options.files = {.format = DatasetFormat::kWebDataset, .units_per_file = 4};
    render_dataset(data.setup, options);
    return options.run.out;
  }();
  static const auto files = files_in(dataset);
  expect_every_flip_found(dataset, files);
}

TEST(VerifyDataset, NamesWhatIsWrong) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one"), unit = dataset / "units/000/000/000000004",
                 file = unit / "laser/range_000002.npy";
  const VerifyResult good = verify_dataset(dataset);
  EXPECT_EQ(good.units, 18U);
  EXPECT_EQ(good.files, 60U + 18);
  const std::string bytes = bytes_of(file);
  ASSERT_TRUE(fs::exists(file)) << file;
  write_bytes(file, bytes + "x");
  EXPECT_TRUE(
      has_fault(dataset, "000000004/laser/range_000002.npy: has " + std::to_string(bytes.size() + 1) + " bytes"));
  fs::remove(file);
  EXPECT_TRUE(has_fault(dataset, "000000004/laser/range_000002.npy: is missing"));
  write_bytes(file, bytes);
  write_bytes(unit / "laser/more.txt", "");
  EXPECT_TRUE(has_fault(dataset, "000000004/laser/more.txt: is a file that the unit does not have"));
  fs::remove(unit / "laser/more.txt");
  EXPECT_EQ(verify_dataset(dataset).fault_count, 0U);
  fs::rename(unit, data.folder / "away");
  EXPECT_TRUE(has_fault(dataset, "000000004: is missing"));
  // A unit of another seed, complete by itself.
  DatasetOptions other = data.options("other");
  other.run.seed = 9;
  render_dataset(data.setup, other);
  fs::copy(other.run.out / "units/000/000/000000004", unit, fs::copy_options::recursive);
  EXPECT_TRUE(has_fault(dataset, "000000004: is made of something else"));
}

TEST(VerifyDataset, RemovesUnitsAtFaultAndUnfinishedOnes) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one"), unit = dataset / "units/000/000/000000004";
  const auto files = files_in(dataset);
  fs::create_directories(unit / "empty");
  write_bytes(unit / "more.txt", "");
  EXPECT_TRUE(has_fault(dataset, "000000004/empty: is a folder that the unit does not have"));
  const std::string found = dataset / "units/000/000/000000007/laser/range_000002.npy";
  std::string bytes = bytes_of(found);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_bytes(found, bytes);
  const fs::path begun = dataset / "units/000/000/.000000003.there-1-0.part/laser";
  fs::create_directories(begun);
  EXPECT_EQ(read_dataset_info(dataset).unfinished, 1U);
  const VerifyResult result = verify_dataset(dataset, {.remove_faulty = true});
  EXPECT_EQ(result.fault_count, 4U);
  EXPECT_EQ(result.removed, 3U);  // both faults of unit 4 at once
  EXPECT_EQ(result.left, 0U);
  EXPECT_FALSE(fs::exists(begun.parent_path()));
  EXPECT_EQ(read_dataset_info(dataset).complete, 16U);
  EXPECT_EQ(verify_dataset(dataset, {.remove_faulty = true}).fault_count, 0U);  // missing units are no faults then
  DatasetOptions options = data.options("one");
  options.resume = true;
  EXPECT_EQ(render_dataset(data.setup, options).rendered, 2U);
  EXPECT_EQ(files_in(dataset), files);
}

/// A description with other numbers would make all units faulty.
TEST(VerifyDataset, RemovesNothingByAWrongDescription) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one"), about = dataset / "dataset.json";
  const std::string right = bytes_of(about);
  const std::map<std::string, std::string> numbers = {{"\"frames\": 5", "\"frames\": 4294967301"},
                                                      {"\"seed\": 5", "\"seed\": -1"},
                                                      {"\"units_per_file\": 0", "\"units_per_file\": -1"},
                                                      {"\"compression\": 1", "\"compression\": 4294967296"},
                                                      {"\"channels\"", "\"canals\""},
                                                      {"\"block\": 2", "\"block\": 2.5"}};
  const auto replaced = [&](const std::string& number, const std::string& other) {
    std::string wrong = right;
    EXPECT_TRUE(contains(wrong, number)) << number << right;
    return wrong.replace(wrong.find(number), number.size(), other);
  };
  for (const auto& [number, other] : numbers) {
    write_bytes(about, replaced(number, other));
    EXPECT_TRUE(contains(input_error([&] { read_dataset_info(dataset); }), "not as this version of fathom writes it"))
        << other;
  }
  for (const std::string& wrong : {right + " ", replaced("\"seed\": 5", "\"seed\": 6")}) {
    write_bytes(about, wrong);
    const auto files = files_in(dataset);
    EXPECT_TRUE(has_fault(dataset, "dataset.json: is not as it was written"));
    EXPECT_TRUE(
        contains(input_error([&] { verify_dataset(dataset, {.remove_faulty = true}); }), "so nothing is removed"));
    EXPECT_EQ(files_in(dataset), files);
  }
}

TEST(VerifyDataset, NamesAUnitJsonThatNoMemoryHolds) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one");
  fs::resize_file(dataset / "units/000/000/000000004/unit.json", std::uintmax_t{1} << 40U);
  EXPECT_TRUE(has_fault(dataset, "000000004/unit.json: is not as it was written"));
}

TEST(VerifyDataset, CanBeStopped) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one");
  EXPECT_THROW(verify_dataset(dataset, {.threads = 1, .should_stop = [] { return true; }}), Interrupted);
}

/// Files outside of a dataset, the targets of its links.
class Victim {
 public:
  explicit Victim(const DatasetFolder& data) : folder_(data.folder / "victim") {
    for (const char* below : {"photos", "000/000", "laser"}) fs::create_directories(folder_ / below);
    for (const char* file : {"letter.txt", "unit.json", "photos/a.jpg", ".000000002.there-1-0.part", "000/draft.txt",
                             "000/000/.draft.part", "laser/range_000002.npy"}) {
      write_bytes(folder_ / file, "precious");
    }
    files_ = files_in(folder_);
  }

  [[nodiscard]] const fs::path& folder() const { return folder_; }
  [[nodiscard]] bool is_whole() const { return files_in(folder_) == files_; }

 private:
  fs::path folder_;
  std::map<std::string, std::string> files_;
};

void link_in_place(const fs::path& target, const fs::path& link) {
  fs::remove_all(link);
  fs::create_symlink(target, link);
}

struct LinkCase {
  DatasetFormat format;
  std::string place;   ///< becomes a link
  std::string target;  ///< below the victim; empty: its folder
};

const std::vector<LinkCase> kLinks = {
    {DatasetFormat::kFolders, "units", ""},
    {DatasetFormat::kFolders, "units/000", ""},
    {DatasetFormat::kFolders, "units/000/000", ""},
    {DatasetFormat::kFolders, "units/000/000/000000002", ""},
    {DatasetFormat::kFolders, "units/000/000/000000002", "letter.txt"},
    {DatasetFormat::kFolders, "units/000/000/000000002", "not there"},
    {DatasetFormat::kFolders, "units/000/000/000000002/laser", "laser"},
    {DatasetFormat::kFolders, "units/000/000/000000002/unit.json", "unit.json"},
    {DatasetFormat::kFolders, "units/000/000/000000002/laser/range_000004.npy", "letter.txt"},
    {DatasetFormat::kFolders, "units/000/000/000000002/laser/more.txt", "letter.txt"},
    {DatasetFormat::kFolders, "units/000/000/.000000002.there-1-0.part", ""},
    {DatasetFormat::kFolders, "units/000/000/.000000002.there-1-0.part/laser", "photos"},
    {DatasetFormat::kFolders, "units/000/more", ""},
    {DatasetFormat::kFolders, "more", ""},
    {DatasetFormat::kFolders, "packs", ""},
    {DatasetFormat::kWebDataset, "packs", ""},
    {DatasetFormat::kWebDataset, "packs/000/000", ""},
    {DatasetFormat::kWebDataset, "packs/000/000/000000002.tar", "letter.txt"},
    {DatasetFormat::kWebDataset, "packs/000/000/000000002.json", "unit.json"},
    {DatasetFormat::kWebDataset, "packs/000/000/.000000002.there-1-0.part", "letter.txt"},
};

/// Neither verify nor rendering with resume or force removes a link or changes its target.
TEST(Links, AreForeignAndLeftAlone) {
  for (const LinkCase& of : kLinks) {
    SCOPED_TRACE(of.place + " -> " + of.target);
    const DatasetFolder data;
    const Victim victim(data);
    DatasetOptions options = data.options("out");
    options.files = {.format = of.format, .units_per_file = 4};
    render_dataset(data.setup, options);
    const fs::path link = options.run.out / of.place, target = victim.folder() / of.target;
    fs::create_directories(link.parent_path());
    link_in_place(target, link);
    EXPECT_TRUE(has_fault(options.run.out, of.place + ": is a link"));
    EXPECT_EQ(verify_dataset(options.run.out, {.remove_faulty = true}).left, 1U);
    static_cast<void>(read_dataset_info(options.run.out));
    for (const bool force : {false, true}) {
      options.resume = !force;
      options.run.force = force;
      try {
        render_dataset(data.setup, options);
      } catch (const InputError& error) {
        EXPECT_TRUE(contains(std::string(error.what()), of.place + ": is a link")) << error.what();
      }
      EXPECT_TRUE(victim.is_whole());
      ASSERT_TRUE(fs::is_symlink(link));
      EXPECT_EQ(fs::read_symlink(link), target);
    }
  }
}

TEST(Links, ToCompletePacksAreNotResumed) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one"), units = dataset / "units/000";
  fs::rename(units, data.folder / "elsewhere");
  fs::create_directory_symlink(data.folder / "elsewhere", units);
  DatasetOptions options = data.options("one");
  options.resume = true;
  const std::string refusal = input_error([&] { render_dataset(data.setup, options); });
  EXPECT_TRUE(contains(refusal, "units/000: is a link"));
}

TEST(Links, OfADescriptionAreRefused) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one");
  fs::rename(dataset / "dataset.json", data.folder / "elsewhere.json");
  fs::create_symlink(data.folder / "elsewhere.json", dataset / "dataset.json");
  const std::string before = bytes_of(data.folder / "elsewhere.json");
  DatasetOptions options = data.options("one");
  options.run.force = true;
  const std::string expected = "dataset.json: is a link";
  EXPECT_TRUE(contains(input_error([&] { read_dataset_info(dataset); }), expected));
  EXPECT_TRUE(contains(input_error([&] { verify_dataset(dataset, {.remove_faulty = true}); }), expected));
  EXPECT_TRUE(contains(input_error([&] { render_dataset(data.setup, options); }), expected));
  EXPECT_EQ(bytes_of(data.folder / "elsewhere.json"), before);
  EXPECT_TRUE(fs::is_symlink(dataset / "dataset.json"));
}

TEST(Links, MayLeadToADataset) {
  const DatasetFolder data;
  const auto expected = files_in(rendered(data, "one"));
  fs::create_directories(data.folder / "disk");
  fs::create_symlink(data.folder / "disk", data.folder / "linked");
  EXPECT_EQ(files_in(rendered(data, "linked")), expected);
  EXPECT_EQ(files_in(data.folder / "disk"), expected);
  EXPECT_EQ(verify_dataset(data.folder / "linked").fault_count, 0U);
}

/// A unit.json that lists files outside of its unit reads none of them.
TEST(VerifyDataset, ReadsNothingOutsideOfAUnit) {
  const DatasetFolder data;
  const fs::path dataset = rendered(data, "one"), about = dataset / "units/000/000/000000004/unit.json";
  std::string text = bytes_of(about);
  EXPECT_TRUE(is_checked(text));
  const std::string name = "laser/range_000002.npy", other = "../000000005/unit.json";
  ASSERT_TRUE(contains(text, name));
  text.replace(text.find(name), name.size(), other);
  write_bytes(about, with_check(text.substr(0, text.rfind(",\n \"check\""))));
  EXPECT_TRUE(has_fault(dataset, "000000004/" + other + ": is no file that can be read"));
}

}  // namespace
}  // namespace fathom::test
