// The file format of a catalogue, and how its connections are opened. docs/formats/catalogue.md
// describes every table. Failures have the step "catalogue" and the kind database or busy ("disk
// full", disk_full, where that is the cause) and SQLite's own words; a file that is no catalogue is
// refused and stays as it was.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/store/checksum.h"
#include "tidemill/io/store/db.h"
#include "tidemill/io/store/transaction.h"

namespace tidemill::catalogue {

[[nodiscard]] const store::Format& catalogue_format();

[[nodiscard]] Result<store::Db> open_for_writing(const std::string& path, store::Open mode);
[[nodiscard]] Result<store::Db> open_for_reading(const std::string& path);

struct OpenedCatalogue {
  store::Db db;
  std::int64_t version = 0;
};
[[nodiscard]] Result<OpenedCatalogue> open_with_version(const std::string& path);

// A catalogue that was copied to where nobody can write lacks the files that SQLite reads a
// write-ahead log through, and cannot get them.
[[nodiscard]] bool is_immutable(const std::string& path);

inline constexpr std::int64_t kSinceChecksums = 3;  // the version

// Of a hash or of edges; nothing when there are none.
[[nodiscard]] inline std::optional<std::int64_t> checksum_of(std::string_view hash) {
  if (hash.empty()) return std::nullopt;
  return store::checksum_of(hash);
}

// Times in the tables are whole seconds since 1970, at least 1: NULL reads as 0.
[[nodiscard]] inline std::int64_t seconds_of(WallTime at) {
  const auto since = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  return std::max<std::int64_t>(since, 1);
}

// Names, paths and hashes are bytes; an empty one is NULL where a column may be.
[[nodiscard]] inline std::optional<store::Blob> blob_or_null(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  return store::Blob{bytes};
}

// The name of a root's own folder: its path, so that every path is names joined by slashes.
[[nodiscard]] inline std::string_view folder_name_of_root(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

[[nodiscard]] inline Failure in_catalogue(Failure failure) {
  if (failure.kind == FailureKind::disk_full || failure.kind == FailureKind::held) return failure;
  if (failure.kind != FailureKind::busy) failure.kind = FailureKind::database;
  failure.step = "catalogue";
  return failure;
}

template <class T>
[[nodiscard]] Result<T> in_catalogue(Result<T> result) {
  if (!result) return std::unexpected(in_catalogue(std::move(result).error()));
  return result;
}

}  // namespace tidemill::catalogue
