// The file format of a catalogue, and how its connections are opened. docs/formats/catalogue.md
// describes every table. Failures have the step "catalogue", the kind database or busy, and
// SQLite's message; a full disk has the step "disk full" and the kind disk_full. A file that is not
// a catalogue is refused and not changed.
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

[[nodiscard]] const store::DbFormat& catalogue_format();

[[nodiscard]] Result<store::Db> open_for_writing(const std::string& path, store::Open mode);
[[nodiscard]] Result<store::Db> open_for_reading(const std::string& path);

struct OpenedCatalogue {
  store::Db db;
  std::int64_t version = 0;
};
[[nodiscard]] Result<OpenedCatalogue> open_with_version(const std::string& path);

// Whether the catalogue is a copy in a read-only folder without a write-ahead log: SQLite cannot
// create the files there that it needs to read a database in WAL mode.
[[nodiscard]] bool is_immutable(const std::string& path);

inline constexpr std::int64_t kSinceChecksums = 3;  // the version that added checksums

// The checksum of a hash or of edges; nullopt if it is empty.
[[nodiscard]] inline std::optional<std::int64_t> checksum_of(std::string_view hash) {
  if (hash.empty()) return std::nullopt;
  return store::checksum_of(hash);
}

// Times in the tables are whole seconds since 1970, at least 1: NULL reads as 0.
[[nodiscard]] inline std::int64_t seconds_of(WallTime at) {
  const auto since = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  return std::max<std::int64_t>(since, 1);
}

// Names, paths and hashes are blobs; an empty one is NULL where the column allows it.
[[nodiscard]] inline std::optional<store::Blob> blob_or_null(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  return store::Blob{bytes};
}

// The name of a root's own folder is its path, so that every full path is names joined by slashes.
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
