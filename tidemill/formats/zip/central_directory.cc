#include "tidemill/formats/zip/central_directory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/zip/records.h"
#include "tidemill/formats/zip/window.h"

namespace tidemill::zip {
namespace {

// How far from the end to search. A comment has at most 64 KiB; the rest allows for bytes appended
// after the archive.
constexpr std::uint64_t kSearched = 1U << 20U;
// The number of end marks to try: a file may be full of them.
constexpr int kTries = 256;

struct FoundEnd {
  EndRecord end{};
  std::uint64_t at = 0;     // where the end record is
  std::uint64_t bound = 0;  // end of the directory: the ZIP64 end record, or this one
  std::uint64_t start = 0;  // the first byte of the directory
  std::uint64_t base = 0;   // added to all offsets
};

// Uses the ZIP64 end record before the plain one, if there is one.
Result<void> look_for_zip64(FoundEnd& found, Window& window) {
  if (found.at < kLocatorSize) return {};
  LET(const std::string_view locator, window.view(found.at - kLocatorSize, kLocatorSize));
  if (!locator.starts_with(kLocatorMark)) return {};
  const std::uint64_t claimed_at = u64(locator, 8);
  // Prepended bytes make the offset wrong; then it is usually directly before its locator.
  const std::uint64_t before =
      found.at >= kLocatorSize + kEnd64Size ? found.at - kLocatorSize - kEnd64Size : 0;
  for (const std::uint64_t at : {claimed_at, before}) {
    if (at > found.at) continue;
    LET(const std::string_view bytes, window.view(at, kEnd64Size));
    const auto end = end64_record(bytes);
    if (!end) continue;
    const std::size_t comment = found.end.comment;
    found.end = *end;
    found.end.comment = comment;
    found.bound = at;
    return {};
  }
  return {};
}

// Locates the directory: directly before the end record, or at its offset. False: not found.
Result<bool> place(FoundEnd& found, Window& window) {
  const EndRecord& end = found.end;
  const auto begins_at = [&](std::uint64_t at) -> Result<bool> {
    if (end.count == 0 && end.size == 0) return true;
    LET(const std::string_view bytes, window.view(at, kCentralMark.size()));
    return bytes == kCentralMark;
  };
  if (end.size <= found.bound && found.bound - end.size >= end.offset) {
    found.start = found.bound - end.size;
    found.base = found.start - end.offset;
    LET(const bool is_there, begins_at(found.start));
    if (is_there) return true;
  }
  if (end.offset > found.bound || end.size > found.bound - end.offset) return false;
  found.start = end.offset;
  found.base = 0;
  return begins_at(found.start);
}

// The last end record that points to a directory; nullopt: none does. `saw_one`: there was at least
// one end record.
Result<std::optional<FoundEnd>> find_end(int fd, std::uint64_t file_size, bool& saw_one) {
  const std::uint64_t length = std::min<std::uint64_t>(file_size, kSearched);
  const std::uint64_t first = file_size - length;
  std::string tail(length, '\0');
  LET(const std::size_t got, read_at(fd, first, tail));
  tail.resize(got);
  Window window(fd, file_size, 4096);
  std::size_t from = std::string::npos;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::size_t at = tail.rfind(kEndMark, from);
    if (at == std::string::npos) break;
    if (const auto end = end_record(std::string_view(tail).substr(at))) {
      saw_one = true;
      FoundEnd found{.end = *end, .at = first + at, .bound = first + at};
      TRY(look_for_zip64(found, window));
      LET(const bool is_placed, place(found, window));
      if (is_placed) return found;
    }
    if (at == 0) break;
    from = at - 1;
  }
  return std::nullopt;
}

// Reads the records up to the end of the directory, a damaged record or a limit.
Result<void> read_entries(CentralDirectory& directory, const FoundEnd& found, Window& window,
                          const ArchiveLimits& limits) {
  const std::uint64_t bound = found.start + found.end.size;
  std::uint64_t name_bytes = 0;
  std::uint64_t at = found.start;
  while (at < bound) {
    LET(std::string_view bytes, window.view(at, kCentralSize));
    if (bytes.starts_with(kSignatureMark)) break;
    auto record = central_record(bytes);
    if (!record || record->length > bound - at) {
      directory.state = CentralDirectory::State::damaged;
      directory.problem = "record " + std::to_string(directory.entries.size() + 1) +
                          " of the central directory is damaged";
      return {};
    }
    if (directory.entries.size() >= limits.entries || name_bytes > kMostNameBytes) {
      directory.has_too_many = true;
      return {};
    }
    LET(bytes, window.view(at, record->length));
    record = central_record(bytes);
    if (!record || record->length > bytes.size()) break;  // the file shrank
    at += record->length;
    name_bytes += record->entry.name.size();
    record->entry.header += found.base;
    directory.entries.push_back(std::move(record->entry));
  }
  return {};
}

}  // namespace

Result<CentralDirectory> read_central_directory(int fd, std::uint64_t file_size,
                                                const ArchiveLimits& limits) {
  CentralDirectory directory;
  bool saw_one = false;
  LET(const auto found, find_end(fd, file_size, saw_one));
  if (!found) {
    if (saw_one) {
      directory.state = CentralDirectory::State::damaged;
      directory.problem = "the end record does not point to a central directory";
    }
    return directory;
  }
  directory.state = CentralDirectory::State::whole;
  directory.start = found->start;
  directory.claimed = found->end.count;
  Window window(fd, file_size, 256U << 10U);
  LET(const std::string_view comment, window.view(found->at + kEndSize, found->end.comment));
  directory.comment = comment;
  directory.end = found->at + kEndSize + comment.size();
  TRY(read_entries(directory, *found, window, limits));
  return directory;
}

}  // namespace tidemill::zip
