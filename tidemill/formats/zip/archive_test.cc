// Archives made with the writer, then damaged byte by byte.
#include "tidemill/formats/zip/archive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/zip/memory_file.h"
#include "tidemill/formats/zip/writer.h"

namespace tidemill::zip {
namespace {

using namespace std::string_literals;
using Kind = Oddity::Kind;

constexpr std::string_view kText =
    "call me Ishmael, call me Ishmael, call me Ishmael, call me what";

// mimetype (stored), book.txt (deflated), empty.txt (stored).
std::string sound_archive() {
  const MemoryFile file;
  ZipWriter writer(file.fd());
  EXPECT_TRUE(writer.add_stored("mimetype", "application/epub+zip"));
  EXPECT_TRUE(writer.add_deflated("book.txt", kText));
  EXPECT_TRUE(writer.add_stored("empty.txt", ""));
  EXPECT_TRUE(writer.finish());
  return file.bytes();
}

std::string number(std::uint64_t value, unsigned width) {
  std::string bytes;
  for (unsigned i = 0; i < width; ++i, value >>= 8U) bytes += static_cast<char>(value);
  return bytes;
}

void put(std::string& bytes, std::size_t at, std::uint64_t value, unsigned width) {
  bytes.replace(at, width, number(value, width));
}

std::size_t central_of(const std::string& bytes, std::string_view name) {
  std::size_t at = bytes.find("PK\1\2"s);
  while (at != std::string::npos && bytes.compare(at + 46, name.size(), name) != 0) {
    at = bytes.find("PK\1\2"s, at + 1);
  }
  return at;
}

std::size_t end_of(const std::string& bytes) { return bytes.rfind("PK\5\6"s); }

std::vector<Kind> kinds_of(const Archive& archive) {
  std::vector<Kind> kinds;
  for (const Oddity& oddity : archive.oddities()) kinds.push_back(oddity.kind);
  return kinds;
}

// "crc corrupt": step and kind.
std::string step_of(const Failure& failure) {
  return failure.step + " " + std::string(name_of(failure.kind));
}

std::string step_of(const Result<std::string>& result) {
  return result ? "none" : step_of(result.error());
}

struct OpenedArchive {
  explicit OpenedArchive(std::string_view bytes, ArchiveLimits limits = {})
      : file(bytes), result(Archive::open(file.fd(), limits)) {}
  Archive& operator*() { return *result; }
  Archive* operator->() { return &*result; }
  std::string text_of_book() {
    const ZipEntry* entry = result->find("book.txt");
    if (entry == nullptr) return "no entry";
    return result->read_whole(*entry, 1000).value_or("unreadable");
  }

  MemoryFile file;
  Result<Archive> result;
};

TEST(Archive, ReadsWhatTheWriterWrote) {
  OpenedArchive archive(sound_archive());
  ASSERT_TRUE(archive.result);
  EXPECT_TRUE(archive->oddities().empty());
  ASSERT_EQ(archive->entries().size(), 3U);
  EXPECT_EQ(archive->entries().front().name, "mimetype");
  EXPECT_EQ(archive->entries().front().data, 38U);
  EXPECT_EQ(archive->find("nothing"), nullptr);
  EXPECT_EQ(archive.text_of_book(), kText);
  EXPECT_EQ(archive->read_head(*archive->find("book.txt"), 4).value_or(""), "call");
  EXPECT_EQ(archive->read_whole(*archive->find("empty.txt"), 0).value_or("x"), "");
  EXPECT_EQ(step_of(archive->read_whole(*archive->find("book.txt"), 10)), "limit over_limit");
  EXPECT_TRUE(archive->first_bytes().starts_with("PK\3\4"));
}

TEST(Archive, ReportsWhyAFileIsNotAZip) {
  EXPECT_EQ(OpenedArchive("").result.error().kind, FailureKind::truncated);
  EXPECT_EQ(OpenedArchive(std::string(1000, 'x')).result.error().kind, FailureKind::other);
  EXPECT_EQ(Archive::open(-1).error().kind, FailureKind::unreadable);
  EXPECT_EQ(OpenedArchive("").result.error().step, "short");
  EXPECT_EQ(OpenedArchive(std::string(1000, 'x')).result.error().step, "zip");
  EXPECT_EQ(Archive::open(-1).error().step, "open");
  OpenedArchive empty("PK\5\6"s + std::string(18, '\0'));
  ASSERT_TRUE(empty.result);
  EXPECT_TRUE(empty->entries().empty());
}

TEST(Archive, ReadsDespiteBytesBeforeAndAfter) {
  OpenedArchive before("#!/bin/sh\n" + sound_archive());
  ASSERT_TRUE(before.result);
  EXPECT_EQ(kinds_of(*before), std::vector{Kind::bytes_before});
  EXPECT_EQ(before.text_of_book(), kText);
  OpenedArchive after(sound_archive() + std::string(100'000, 'x'));
  ASSERT_TRUE(after.result);
  EXPECT_EQ(kinds_of(*after), std::vector{Kind::bytes_after});
  EXPECT_EQ(after.text_of_book(), kText);
}

TEST(Archive, IgnoresAnEndRecordInTheComment) {
  std::string bytes = sound_archive();
  const std::string comment = "PK\5\6"s + std::string(30, 'x');
  put(bytes, end_of(bytes) + 20, comment.size(), 2);
  OpenedArchive archive(bytes + comment);
  ASSERT_TRUE(archive.result);
  EXPECT_EQ(archive->comment(), comment);
  EXPECT_TRUE(archive->oddities().empty());
}

TEST(Archive, SalvagesWithoutACentralDirectory) {
  const std::string whole = sound_archive();
  OpenedArchive archive(whole.substr(0, whole.find("PK\1\2"s)));
  ASSERT_TRUE(archive.result);
  EXPECT_EQ(kinds_of(*archive), std::vector{Kind::no_central_directory});
  EXPECT_EQ(archive->entries().size(), 3U);
  EXPECT_EQ(archive.text_of_book(), kText);
}

TEST(Archive, SalvagesWhenACentralRecordIsDamaged) {
  std::string bytes = sound_archive();
  bytes[central_of(bytes, "book.txt")] = 'X';
  OpenedArchive archive(bytes);
  ASSERT_TRUE(archive.result);
  EXPECT_EQ(kinds_of(*archive), std::vector{Kind::central_is_damaged});
  EXPECT_EQ(archive.text_of_book(), kText);
  bytes = sound_archive();
  put(bytes, end_of(bytes) + 16, 0x7fff'ffff, 4);  // the offset of the directory is far too large
  OpenedArchive lost(bytes);
  ASSERT_TRUE(lost.result);
  EXPECT_EQ(kinds_of(*lost), std::vector{Kind::central_is_damaged});
}

TEST(Archive, SalvagesATruncatedFileAndReportsTheIncompleteEntry) {
  const std::string whole = sound_archive();
  OpenedArchive archive(whole.substr(0, whole.find("book.txt") + 8 + 10));
  ASSERT_TRUE(archive.result);
  ASSERT_EQ(archive->entries().size(), 2U);
  EXPECT_TRUE(archive->read_whole(archive->entries()[0], 100));
  EXPECT_EQ(step_of(archive->read_whole(archive->entries()[1], 100)), "read truncated");
}

// A local header whose sizes are in a descriptor, as written to a pipe.
std::string streamed(std::string_view name, std::string_view stored, bool has_mark) {
  std::string bytes = "PK\3\4"s + number(20, 2) + number(8, 2) + number(0, 2) + number(0, 4);
  bytes += number(0, 12) + number(name.size(), 2) + number(0, 2) + std::string(name);
  bytes += std::string(stored);
  if (has_mark)
    bytes += "PK\7\10"s + number(0x12345678, 4) + number(stored.size(), 4) + number(5, 4);
  return bytes;
}

TEST(Archive, SalvagesStreamedEntriesWithOrWithoutDescriptors) {
  OpenedArchive archive(streamed("a", "aPK\7\10a", true) + streamed("b", "bcd", false) +
                        streamed("c", "x", false));
  ASSERT_TRUE(archive.result);
  ASSERT_EQ(archive->entries().size(), 3U);
  const ZipEntry& first = archive->entries()[0];
  EXPECT_EQ(first.packed, 6U);
  EXPECT_EQ(first.size, 5U);
  EXPECT_EQ(first.crc, 0x12345678U);
  EXPECT_FALSE(archive->entries()[1].is_size_known);
  EXPECT_EQ(archive->read_whole(archive->entries()[1], 100).value_or(""), "bcd");
  EXPECT_EQ(archive->read_whole(archive->entries()[2], 100).value_or(""), "x");
}

TEST(Archive, ReportsWhereLocalAndCentralDisagree) {
  std::string bytes = sound_archive();
  bytes[bytes.find("book.txt")] = 'l';
  EXPECT_EQ(kinds_of(*OpenedArchive(bytes)), std::vector{Kind::names_differ});
  bytes = sound_archive();
  put(bytes, bytes.find("book.txt") - 30 + 22, 999, 4);
  EXPECT_EQ(kinds_of(*OpenedArchive(bytes)), std::vector{Kind::sizes_differ});
  bytes = sound_archive();
  put(bytes, bytes.find("book.txt") - 30 + 8, 0, 2);
  EXPECT_EQ(kinds_of(*OpenedArchive(bytes)), std::vector{Kind::sizes_differ});
  bytes = sound_archive();
  put(bytes, end_of(bytes) + 10, 7, 2);
  EXPECT_EQ(kinds_of(*OpenedArchive(bytes)), std::vector{Kind::count_differs});
}

TEST(Archive, ReportsAndDoesNotReadAnEntryWithoutALocalHeader) {
  std::string bytes = sound_archive();
  put(bytes, central_of(bytes, "book.txt") + 42, 5, 4);
  OpenedArchive archive(bytes);
  ASSERT_TRUE(archive.result);
  const auto kinds = kinds_of(*archive);
  EXPECT_EQ(std::ranges::count(kinds, Kind::local_header_missing), 1);
  EXPECT_EQ(step_of(archive->read_whole(*archive->find("book.txt"), 100)), "read other");
}

TEST(Archive, DetectsOverlappingEntries) {
  std::string bytes = sound_archive();
  put(bytes, central_of(bytes, "empty.txt") + 42, bytes.find("book.txt") - 30, 4);
  auto kinds = kinds_of(*OpenedArchive(bytes));
  EXPECT_EQ(std::ranges::count(kinds, Kind::overlap), 1);
  bytes = sound_archive();
  put(bytes, central_of(bytes, "empty.txt") + 20, 0x1000'0000, 4);  // into the directory and beyond
  kinds = kinds_of(*OpenedArchive(bytes));
  EXPECT_EQ(std::ranges::count(kinds, Kind::overlap), 1);
}

TEST(Archive, FindsTheLastEntryOfADuplicateName) {
  const MemoryFile file;
  ZipWriter writer(file.fd());
  ASSERT_TRUE(writer.add_stored("b", "1"));
  ASSERT_TRUE(writer.add_stored("a", "2"));
  ASSERT_TRUE(writer.add_stored("b", "3"));
  ASSERT_TRUE(writer.finish());
  const auto archive = Archive::open(file.fd());
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->read_whole(*archive->find("b"), 1).value_or(""), "3");
}

TEST(Archive, ReportsStepAndKindOfEachReadFailure) {
  const auto step_after = [](std::size_t field, std::uint64_t value, unsigned width) {
    std::string bytes = sound_archive();
    put(bytes, central_of(bytes, "book.txt") + field, value, width);
    OpenedArchive archive(bytes);
    return step_of(archive->read_whole(*archive->find("book.txt"), 1000));
  };
  EXPECT_EQ(step_after(8, 1, 2), "encrypted encrypted");
  EXPECT_EQ(step_after(10, 9, 2), "method other");
  EXPECT_EQ(step_after(16, 1, 4), "crc corrupt");
  EXPECT_EQ(step_after(24, 1, 4), "size corrupt");
  EXPECT_EQ(step_after(20, 5, 4), "inflate other");  // the compressed bytes end too early
  std::string bytes = sound_archive();
  bytes[bytes.find("book.txt") + 8] = '\x07';
  OpenedArchive damaged(bytes);
  EXPECT_EQ(step_of(damaged->read_whole(*damaged->find("book.txt"), 1000)), "inflate other");
}

TEST(Archive, EachLimitStopsADecompressionBomb) {
  const MemoryFile file;
  ZipWriter writer(file.fd());
  ASSERT_TRUE(writer.add_deflated("bomb", std::string(1 << 20, 'x')));
  ASSERT_TRUE(writer.add_deflated("bomb2", std::string(1 << 20, 'y')));
  ASSERT_TRUE(writer.finish());
  const auto step_with = [&](ArchiveLimits limits) {
    auto archive = Archive::open(file.fd(), limits);
    std::uint64_t seen = 0;
    std::string step = "none";
    for (const ZipEntry& entry : archive->entries()) {
      const auto read = archive->read(entry, [&](std::string_view part) {
        seen += part.size();
        return true;
      });
      if (!read) step = step_of(read.error());
    }
    EXPECT_LE(seen, 2U << 20U);
    return step;
  };
  EXPECT_EQ(step_with({}), "none");
  EXPECT_EQ(step_with({.entry = 1000}), "limit over_limit");
  EXPECT_EQ(step_with({.total = (1U << 20U) + 1000}), "ratio bomb");
  EXPECT_EQ(step_with({.ratio_floor = 1000}), "ratio bomb");
}

TEST(Archive, ReadingOneEntryTwiceCountsOnce) {
  OpenedArchive archive(sound_archive(), {.total = 80});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(archive.text_of_book(), kText);
}

TEST(Archive, ASinkMayReadAnotherEntry) {
  OpenedArchive archive(sound_archive());
  std::string seen;
  EXPECT_TRUE(archive->read(*archive->find("book.txt"), [&](std::string_view part) {
    seen += archive->read_whole(*archive->find("book.txt"), 100).value_or("") + "|";
    seen += part;
    return true;
  }));
  EXPECT_EQ(seen, std::string(kText) + "|" + std::string(kText));
}

TEST(Archive, DoesNotReadEntriesBeyondTheLimit) {
  OpenedArchive archive(sound_archive(), {.entries = 2});
  ASSERT_TRUE(archive.result);
  EXPECT_EQ(archive->entries().size(), 2U);
  EXPECT_EQ(kinds_of(*archive), std::vector{Kind::too_many_entries});
}

}  // namespace
}  // namespace tidemill::zip
