#include "tidemill/formats/zip/writer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/zip/memory_file.h"

namespace tidemill::zip {
namespace {

using namespace std::string_literals;

std::string written(const std::vector<std::pair<std::string, std::string>>& entries) {
  const MemoryFile file;
  ZipWriter writer(file.fd());
  for (const auto& [name, bytes] : entries) {
    const bool is_deflated = bytes.size() % 2 == 1;
    EXPECT_TRUE(is_deflated ? writer.add_deflated(name, bytes) : writer.add_stored(name, bytes));
  }
  const auto length = writer.finish();
  EXPECT_EQ(length.value_or(0), file.bytes().size());
  return file.bytes();
}

TEST(ZipWriter, PutsTheFirstEntryWhereMagicNumbersAreExpected) {
  const std::string bytes = written({{"mimetype", "application/epub+zip"}});
  EXPECT_EQ(bytes.substr(0, 4), "PK\3\4");
  EXPECT_EQ(bytes.substr(30, 28), "mimetypeapplication/epub+zip");
  EXPECT_EQ(bytes.substr(10, 4), "\0\0\x21\0"s);  // 1980-01-01
  EXPECT_EQ(bytes.substr(28, 2), "\0\0"s);        // no extra field
  EXPECT_EQ(bytes[6] & 8, 0);                     // no descriptor
}

RC_GTEST_PROP(ZipWriter, RoundTripsThroughTheReader, ()) {
  const auto entries = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(rc::gen::nonEmpty<std::string>(), rc::gen::arbitrary<std::string>()));
  const std::string bytes = written(entries);
  RC_ASSERT(written(entries) == bytes);
  const MemoryFile file(bytes);
  const auto archive = Archive::open(file.fd());
  RC_ASSERT(archive.has_value());
  RC_ASSERT(archive->oddities().empty());
  RC_ASSERT(archive->entries().size() == entries.size());
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const ZipEntry& entry = archive->entries()[at];
    RC_ASSERT(entry.name == entries[at].first);
    RC_ASSERT(archive->read_whole(entry, 1 << 20).value_or("?") == entries[at].second);
  }
}

TEST(ZipWriter, LargeEntriesRoundTrip) {
  std::string large(3'000'001, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * i >> 7U);
  const MemoryFile file(written({{"deflated", large}, {"stored", large + "x"}}));
  const auto archive = Archive::open(file.fd());
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->read_whole(*archive->find("deflated"), large.size()).value_or(""), large);
  EXPECT_EQ(archive->read_whole(*archive->find("stored"), large.size() + 1).value_or(""),
            large + "x");
}

// One entry as a program writes it to a pipe: descriptor, extra field, time, mode.
std::string foreign_archive(std::string_view flags) {
  const std::string name = "a.txt";
  const std::string extra = "UT\1\0x\1\0\0\0"s;  // a field of one byte, an empty ZIP64 one
  const std::string crc = "\xf2\x1d\x62\xfb"s;
  std::string bytes = "PK\3\4\x14\0"s + std::string(flags) + "\0\0\x11\x22\x33\x44"s;
  bytes += std::string(12, '\0') + "\5\0\x09\0"s + name + extra + "tidal";
  bytes += "PK\7\10"s + crc + "\5\0\0\0\5\0\0\0"s;
  const std::size_t central = bytes.size();
  bytes += "PK\1\2\x14\3\x14\0"s + std::string(flags) + "\0\0\x11\x22\x33\x44"s + crc;
  bytes += "\5\0\0\0\5\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\xed\x81\0\0\0\0"s + name;
  const std::size_t size = bytes.size() - central;
  bytes += "PK\5\6\0\0\0\0\1\0\1\0"s + static_cast<char>(size) + "\0\0\0"s +
           static_cast<char>(central) + "\0\0\0\0\0"s;
  return bytes;
}

TEST(ZipWriter, CopiesAnEntryUnchangedExceptDescriptorAndExtraField) {
  const MemoryFile source(foreign_archive("\x08\0"s));
  const auto from = Archive::open(source.fd());
  ASSERT_TRUE(from);
  ASSERT_TRUE(from->oddities().empty());
  const ZipEntry& old = from->entries()[0];
  for (const Extra extra : {Extra::drop, Extra::keep}) {
    const MemoryFile target;
    ZipWriter writer(target.fd());
    ASSERT_TRUE(writer.copy_raw(*from, old, "b\xc3\xbc.txt", extra));
    ASSERT_TRUE(writer.finish());
    const auto copy = Archive::open(target.fd());
    ASSERT_TRUE(copy);
    ASSERT_TRUE(copy->oddities().empty());
    const ZipEntry& entry = copy->entries()[0];
    EXPECT_EQ(entry.name, "b\xc3\xbc.txt");
    EXPECT_EQ(entry.crc, old.crc);
    EXPECT_EQ(entry.size, 5U);
    EXPECT_EQ(entry.dos_time, old.dos_time);
    EXPECT_EQ(entry.dos_date, old.dos_date);
    EXPECT_EQ(entry.external, old.external);
    EXPECT_EQ(entry.made_by, old.made_by);
    EXPECT_EQ(entry.flags, 1U << 11U);
    EXPECT_EQ(copy->read_local_extra(entry).value_or("?"), extra == Extra::keep ? "UT\1\0x"s : "");
    std::string raw;
    EXPECT_TRUE(copy->read_raw(entry, [&](std::string_view part) {
      raw += part;
      return true;
    }));
    EXPECT_EQ(raw, "tidal");
  }
}

TEST(ZipWriter, FailsWhenAnEntryCannotBeCopiedOrWritten) {
  const MemoryFile source(foreign_archive("\x09\0"s));
  const auto from = Archive::open(source.fd());
  ASSERT_TRUE(from);
  const MemoryFile target;
  ZipWriter writer(target.fd());
  const auto copied = writer.copy_raw(*from, from->entries()[0], "x");
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().step, "encrypted");
  EXPECT_EQ(writer.add_stored("", "x").error().step, "name");
  EXPECT_EQ(writer.add_stored(std::string(70'000, 'n'), "x").error().step, "name");
  ZipWriter nowhere(-1);
  EXPECT_TRUE(nowhere.add_stored("a", "b"));
  EXPECT_EQ(nowhere.finish().error().step, "write");
}

TEST(ZipWriter, GivesASalvagedEntryItsSizeAndChecksum) {
  const std::string whole = foreign_archive("\x08\0"s);
  const MemoryFile source(whole.substr(0, whole.find("PK\7\10"s)));
  const auto from = Archive::open(source.fd());
  ASSERT_TRUE(from);
  ASSERT_FALSE(from->entries()[0].is_size_known);
  const MemoryFile target;
  ZipWriter writer(target.fd());
  ASSERT_TRUE(writer.copy_raw(*from, from->entries()[0], "a.txt"));
  ASSERT_TRUE(writer.finish());
  const auto copy = Archive::open(target.fd());
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->read_whole(copy->entries()[0], 100).value_or(""), "tidal");
}

TEST(ZipWriter, WritesSeventyThousandEntriesAsZip64) {
  const MemoryFile file;
  ZipWriter writer(file.fd());
  constexpr std::size_t kMany = 70'000;
  for (std::size_t i = 0; i < kMany; ++i) {
    ASSERT_TRUE(writer.add_stored("f" + std::to_string(i), ""));
  }
  ASSERT_TRUE(writer.finish());
  const auto archive = Archive::open(file.fd(), {.entries = 100'000});
  ASSERT_TRUE(archive);
  EXPECT_TRUE(archive->oddities().empty());
  EXPECT_EQ(archive->entries().size(), kMany);
  const auto limited = Archive::open(file.fd());
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->entries().size(), 65'535U);
}

}  // namespace
}  // namespace tidemill::zip
