#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "tidemill/formats/text/base64.h"
#include "tidemill/jobs/dupes/report/folders.h"
#include "tidemill/jobs/dupes/report/overlap.h"
#include "tidemill/jobs/dupes/report/report_json.h"
#include "tidemill/jobs/dupes/report/report_lines.h"
#include "tidemill/jobs/dupes/report/report_text.h"

namespace tidemill::dupes {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

Copy copy_at(const std::string& path, std::uint64_t inode) {
  return {.names = {{.path = path}},
          .stamp = {.device = 5, .inode = inode, .size = 4'200'000, .mtime_ns = -1},
          .blocks = 8208,
          .links = 1};
}

Group sample() {
  Group group{.number = 1, .size = 4'200'000, .is_verified = true};
  group.digest.size = 2;
  group.digest.bytes[0] = 0xab;
  group.digest.bytes[1] = 0x01;
  Copy kept = copy_at("photos/a.jpg", 1);
  kept.names.push_back({.path = "photos/also \x1b[2J.jpg"});
  kept.links = 2;
  Copy reference = copy_at("archive/a.jpg", 3);
  reference.names[0].is_reference = true;
  reference.names[0].root = 1;
  Copy foreign = copy_at("/srv/a.jpg", ~std::uint64_t{0});
  foreign.host = "nas";
  group.copies = {kept, copy_at("backup/\xff\n,\"a\".jpg", 2), reference, foreign};
  return group;
}

ScanTotals sample_totals() {
  return {.files = 12'345,
          .folders = 1,
          .bytes = 5'000'000'000,
          .candidates = 77,
          .bytes_read = 1'200'000,
          .remembered = 1,
          .failures = 2,
          .groups = 1'235,
          .redundant = 2'000,
          .reclaimable = 4'202'496,
          .elapsed = milliseconds(3200)};
}

Folders sample_folders() {
  std::vector<ReportFolder> all{{.path = "a"}, {.path = "b"}, {.path = "c\xff"}};
  for (ReportFolder& folder : all) {
    folder.files = {{.name = "1", .content = 1, .size = 1000},
                    {.name = "2", .content = 2, .size = 500}};
  }
  all[2].files[1].content = 0;
  for (const std::string name : {"3", "4", "5", "6", "7", "8\n"}) {
    all[2].files.push_back({.name = name, .content = 0, .size = 1});
  }
  return Folders(std::move(all));
}

// Writes everything that `fill` does into one text.
template <class Form, class... Arguments>
std::string written(const auto& fill, Arguments... arguments) {
  std::string out;
  Form form(
      [&](std::string_view chunk) -> Result<void> {
        out += chunk;
        return {};
      },
      arguments...);
  EXPECT_TRUE(form.begin(1'235));
  fill(form);
  EXPECT_TRUE(form.end(sample_totals()));
  return out;
}

constexpr auto kOneGroup = [](Reporter& form) { EXPECT_TRUE(form.group(sample())); };
constexpr auto kFolderParts = [](Reporter& form) {
  const Folders folders = sample_folders();
  for (const auto& same : folders.same()) EXPECT_TRUE(form.same_folders(folders, same));
  for (const auto& pair : overlaps_of(folders, 0.1).pairs) {
    EXPECT_TRUE(form.overlap(folders, pair));
  }
};

TEST(TextReport, FormatsGroups) {
  EXPECT_EQ(written<TextReport>(kOneGroup, TextStyle{.top = 1}),
            "1  4 copies of 4.2 MB, 4.2 MB reclaimable\n"
            "   keep  photos/a.jpg\n"
            "      =  photos/also \\x1b[2J.jpg\n"
            "         backup/\\xff\\n,\"a\".jpg\n"
            "    ref  archive/a.jpg\n"
            "         nas:/srv/a.jpg\n"
            "\n"
            "… and 1,234 more groups (--top 0 shows all)\n"
            "\n"
            "files scanned    12,345 in 1 folder, 5.0 GB\n"
            "groups           1,235\n"
            "duplicate files  2,000\n"
            "reclaimable      4.2 MB\n"
            "data read        1.2 MB\n"
            "cached           1 file, not read again\n"
            "failed           2\n"
            "time             3.2 s\n");
}

TEST(TextReport, StopsAfterTopGroups) {
  std::vector<bool> wants;
  const auto fill = [&](Reporter& form) {
    for (int i = 0; i < 3; ++i) {
      wants.push_back(form.wants_groups());
      EXPECT_TRUE(form.group(sample()));
    }
  };
  const std::string some = written<TextReport>(fill, TextStyle{.top = 2});
  EXPECT_EQ(wants, (std::vector{true, true, false}));
  EXPECT_NE(some.find("and 1,233 more groups"), std::string::npos);
  wants.clear();
  EXPECT_NE(written<TextReport>(fill, TextStyle{.top = 0}), some);
  EXPECT_EQ(wants, (std::vector{true, true, true}));
}

TEST(TextReport, FormatsFolders) {
  const std::string text = written<TextReport>(kFolderParts, TextStyle{});
  EXPECT_EQ(text.substr(0, text.find("files scanned")),
            "… and 1,235 more groups (--top 0 shows all)\n"
            "\n"
            "Identical folders\n"
            "\n"
            "1  2 folders with 2 files, 1.5 kB each\n"
            "         a\n"
            "         b\n"
            "\n"
            "Overlapping folders, by the files directly in them\n"
            "\n"
            "1  11 %: 1 of 9 files in both, 1.0 kB\n"
            "         a\n"
            "         c\\xff\n"
            "           only here: 3, 4, 5, 6, 7, … and 1 more\n"
            "           same name, different contents: 2\n"
            "\n");
}

TEST(TextReport, ShowsUniqueFilesAndNoGroups) {
  const std::string text = written<TextReport>(
      [](Reporter& form) { EXPECT_TRUE(form.unique(copy_at("a\nb", 1))); }, TextStyle{});
  EXPECT_TRUE(text.starts_with("a\\nb\nfiles scanned")) << text;
}

TEST(TextReport, UsesBoldOnlyWhenRequested) {
  const std::string plain = written<TextReport>(kOneGroup, TextStyle{});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  const std::string heavy = written<TextReport>(kOneGroup, TextStyle{.has_weight = true});
  EXPECT_TRUE(heavy.starts_with("\x1b[1m1  4 copies of 4.2 MB, 4.2 MB reclaimable\x1b[0m\n"));
}

void expect_sample(const json& group) {
  EXPECT_EQ(group["number"], 1);
  EXPECT_EQ(group["size"], 4'200'000);
  EXPECT_EQ(group["algorithm"], "xxh3");
  EXPECT_EQ(group["hash"], "ab01");
  EXPECT_EQ(group["verified"], true);
  EXPECT_EQ(group["reclaimable"], 8208 * 512);
  ASSERT_EQ(group["copies"].size(), 4U);
  EXPECT_EQ(group["copies"][0]["names"][1]["path"], "photos/also \x1b[2J.jpg");
  EXPECT_EQ(group["copies"][0]["links"], 2);
  EXPECT_EQ(group["copies"][1]["names"][0]["pathBase64"], text::base64("backup/\xff\n,\"a\".jpg"));
  EXPECT_FALSE(group["copies"][1]["names"][0].contains("path"));
  EXPECT_EQ(group["copies"][2]["names"][0]["reference"], true);
  EXPECT_EQ(group["copies"][2]["names"][0]["root"], 1);
  EXPECT_FALSE(group["copies"][2].contains("host"));
  EXPECT_EQ(group["copies"][3]["host"], "nas");
  EXPECT_EQ(group["copies"][3]["inode"], ~std::uint64_t{0});
  EXPECT_EQ(group["copies"][3]["mtimeNs"], -1);
}

constexpr auto kEverything = [](Reporter& form) {
  EXPECT_TRUE(form.group(sample()));
  EXPECT_TRUE(form.group(sample()));
  kFolderParts(form);
  EXPECT_TRUE(form.failure(
      {.path = "x\xff", .failure = {.step = "open", .reason = "no permission: \xfe"}}));
};

TEST(JsonReport, WritesOneObjectThatAnotherParserReads) {
  const json whole = json::parse(written<JsonReport>(kEverything, JsonForm{.has_folders = true}));
  EXPECT_EQ(whole["v"], 1);
  EXPECT_EQ(whole["job"], "dupes");
  ASSERT_EQ(whole["groups"].size(), 2U);
  expect_sample(whole["groups"][1]);
  EXPECT_EQ(whole["folders"], json::parse(R"([{"files":2,"bytes":1500,
      "members":[{"path":"a"},{"path":"b"}]}])"));
  ASSERT_EQ(whole["overlaps"].size(), 1U);
  const json& overlap = whole["overlaps"][0];
  EXPECT_EQ(overlap["matching"], 1);
  EXPECT_EQ(overlap["union"], 9);
  EXPECT_DOUBLE_EQ(overlap["similarity"], 1.0 / 9);
  EXPECT_EQ(overlap["first"], json::parse(R"({"path":"a","only":[]})"));
  EXPECT_EQ(overlap["second"]["pathBase64"], text::base64("c\xff"));
  EXPECT_EQ(overlap["second"]["only"][5], json::parse(R"({"name":"8\n","size":1})"));
  EXPECT_EQ(overlap["different"],
            json::parse(R"([{"name":"2","firstSize":500,"secondSize":500}])"));
  EXPECT_EQ(whole["failures"][0]["pathBase64"], text::base64("x\xff"));
  EXPECT_EQ(whole["failures"][0]["step"], "open");
  EXPECT_EQ(whole["totals"]["found"], 12'345);
  EXPECT_EQ(whole["totals"]["bytesRead"], 1'200'000);
  EXPECT_DOUBLE_EQ(whole["totals"]["seconds"], 3.2);
}

TEST(JsonReport, IncludesEveryRequestedPartEvenIfEmpty) {
  const auto keys = [](JsonForm form) {
    std::vector<std::string> names;
    const json whole = json::parse(written<JsonReport>([](Reporter&) {}, form));
    for (const auto& [key, value] : whole.items()) names.push_back(key);
    return names;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys({}), (Keys{"failures", "groups", "job", "totals", "v"}));
  EXPECT_EQ(keys({.has_uniques = true}), (Keys{"failures", "job", "totals", "uniques", "v"}));
  EXPECT_EQ(keys({.has_folders = true}),
            (Keys{"failures", "folders", "groups", "job", "overlaps", "totals", "v"}));
}

TEST(JsonReport, WritesOneEventPerLineWhenRequested) {
  const std::string text = written<JsonReport>(kEverything, JsonForm{.has_lines = true});
  std::vector<json> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    lines.push_back(json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  std::vector<std::string> events;
  for (const json& line : lines) {
    EXPECT_EQ(line["v"], 1);
    EXPECT_EQ(line["job"], "dupes");
    events.push_back(line["event"]);
  }
  EXPECT_EQ(events,
            (std::vector<std::string>{"group", "group", "folders", "overlap", "failure", "end"}));
  expect_sample(lines[1]);
  EXPECT_EQ(lines[5]["groups"], 1'235);
}

TEST(JsonReport, ListsUniqueFiles) {
  const auto fill = [](Reporter& form) { EXPECT_TRUE(form.unique(copy_at("only\n", 9))); };
  const json whole = json::parse(written<JsonReport>(fill, JsonForm{.has_uniques = true}));
  EXPECT_EQ(whole["uniques"][0]["names"][0]["path"], "only\n");
  EXPECT_EQ(whole["uniques"][0]["size"], 4'200'000);
  const std::string lines =
      written<JsonReport>(fill, JsonForm{.has_lines = true, .has_uniques = true});
  const json line = json::parse(lines.substr(0, lines.find('\n')));
  EXPECT_EQ(line["event"], "unique");
}

// A second reader, straight from the grammar of RFC 4180.
std::vector<std::vector<std::string>> rows_of(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '"' && text.substr(i + 1, 1) == "\"") {
      row.back() += text[i++];
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && text[i] == ',') {
      row.emplace_back();
    } else if (!is_quoted && text.substr(i, 2) == "\r\n") {
      rows.push_back(std::exchange(row, std::vector<std::string>(1)));
      ++i;
    } else {
      row.back() += text[i];
    }
  }
  return rows;
}

TEST(CsvReport, HasARowForEachName) {
  const auto rows = rows_of(written<CsvReport>(kOneGroup));
  using Row = std::vector<std::string>;
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0], (Row{"group", "size", "hash", "keep", "reclaimable", "host", "device", "inode",
                          "mtime_ns", "path", "path_base64"}));
  EXPECT_EQ(rows[1],
            (Row{"1", "4200000", "ab01", "1", "0", "", "5", "1", "-1", "photos/a.jpg", ""}));
  EXPECT_EQ(rows[2][9], "photos/also \x1b[2J.jpg");
  EXPECT_EQ(rows[2][3], "1");
  EXPECT_EQ(rows[3], (Row{"1", "4200000", "ab01", "0", "4202496", "", "5", "2", "-1", "",
                          text::base64("backup/\xff\n,\"a\".jpg")}));
  EXPECT_EQ(rows[5][5], "nas");
}

TEST(CsvReport, QuotesEveryByteThatMayEndAField) {
  for (const std::string name : {"a,b", "a\rb", "a\nb"}) {
    const auto fill = [&](Reporter& form) { EXPECT_TRUE(form.unique(copy_at(name, 1))); };
    EXPECT_NE(written<CsvReport>(fill).find('"' + name + '"'), std::string::npos);
  }
}

RC_GTEST_PROP(CsvReport, AnyNameRoundTrips, ()) {
  const auto bytes = *rc::gen::container<std::string>(
      rc::gen::element('a', ',', '"', '\r', '\n', ' ', '\xff', '\xc3', '\xa4'));
  const auto rows = rows_of(written<CsvReport>(
      [&](Reporter& form) { RC_ASSERT(form.unique(copy_at(bytes, 1)).has_value()); }));
  RC_ASSERT(rows.size() == 2U);
  RC_ASSERT(rows[1].size() == 11U);
  RC_ASSERT((rows[1][10].empty() ? rows[1][9] == bytes : rows[1][10] == text::base64(bytes)));
}

TEST(CsvReport, TheReclaimableColumnAddsUpToTheGroupTotal) {
  Group group = sample();
  group.copies[1].names.push_back({.path = "twice"});
  group.copies[1].links = 2;
  std::uint64_t sum = 0;
  const auto rows =
      rows_of(written<CsvReport>([&](Reporter& form) { EXPECT_TRUE(form.group(group)); }));
  for (std::size_t i = 1; i < rows.size(); ++i) sum += std::stoull(rows[i][4]);
  EXPECT_EQ(sum, reclaimable_bytes(group));
}

Group group_of(const std::vector<std::string>& paths) {
  Group group;
  for (const std::string& path : paths) group.copies.push_back(copy_at(path, 1));
  return group;
}

TEST(LinesReport, WritesOnePathPerLineAndABlankLineBetweenGroups) {
  Group linked = group_of({"c", "d"});
  linked.copies[0].names.push_back({.path = "c2"});
  linked.copies.push_back(copy_at("/srv/c", 1));
  linked.copies.back().host = "nas";
  EXPECT_EQ(written<LinesReport>([&](Reporter& form) {
              EXPECT_TRUE(form.group(group_of({"a", "b \xff"})));
              EXPECT_TRUE(form.group(linked));
            }),
            "a\nb \xff\n\nc\nd\n");
}

TEST(LinesReport, SkipsEntriesWithNewlinesInNamesUnlessEscaping) {
  std::string out;
  const auto sink = [&](std::string_view chunk) -> Result<void> {
    out += chunk;
    return {};
  };
  const auto fill = [](LinesReport& form) {
    EXPECT_TRUE(form.begin(2));
    EXPECT_TRUE(form.group(group_of({"a", "b\n/etc/passwd", "c"})));
    EXPECT_TRUE(form.group(group_of({"d", "e"})));
    EXPECT_TRUE(form.unique(copy_at("f\n", 1)));
    EXPECT_TRUE(form.unique(copy_at("g", 1)));
    EXPECT_TRUE(form.end({}));
    return form.left_out();
  };
  LinesReport raw(sink);
  EXPECT_EQ(fill(raw), 2U);
  EXPECT_EQ(std::exchange(out, ""), "d\ne\ng\n");
  LinesReport escaped(sink, true);
  EXPECT_EQ(fill(escaped), 0U);
  EXPECT_EQ(out, "a\nb\\n/etc/passwd\nc\n\nd\ne\nf\\n\ng\n");
}

TEST(Reports, WriteLargeGroupsInBoundedChunks) {
  Group group = sample();
  group.copies[1].names.assign(20'000, {.path = std::string(40, 'x')});
  group.copies.insert(group.copies.end(), 20'000, copy_at(std::string(40, 'y'), 1));
  std::size_t largest = 0;
  std::size_t chunks = 0;
  const TextSink sink = [&](std::string_view chunk) -> Result<void> {
    largest = std::max(largest, chunk.size());
    ++chunks;
    return {};
  };
  const auto expect_flat = [&](Reporter&& form) {
    chunks = 0;
    EXPECT_TRUE(form.begin(1));
    EXPECT_TRUE(form.group(group));
    EXPECT_TRUE(form.end({}));
    EXPECT_GT(chunks, 10U);
  };
  expect_flat(JsonReport(sink, {}));
  expect_flat(JsonReport(sink, {.has_lines = true}));
  expect_flat(TextReport(sink, {}));
  expect_flat(CsvReport(sink));
  expect_flat(LinesReport(sink));
  EXPECT_LT(largest, Chunk::kFull + 4096);
}

TEST(Reports, PropagateSinkErrors) {
  const TextSink sink = [](std::string_view) -> Result<void> {
    return fail(Cure::give_up, "output", "nobody reads");
  };
  const auto expect_failure = [](Reporter&& form) {
    EXPECT_TRUE(form.begin(1));
    EXPECT_TRUE(form.group(group_of({"a", "b"})));
    const auto result = form.end({});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, "nobody reads");
  };
  expect_failure(JsonReport(sink, {}));
  expect_failure(TextReport(sink, {}));
  expect_failure(CsvReport(sink));
  expect_failure(LinesReport(sink));
}

}  // namespace
}  // namespace tidemill::dupes
