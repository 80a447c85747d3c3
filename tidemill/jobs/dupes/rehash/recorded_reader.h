// RecordedReader: hashes a file of the catalogue if it still has the stamp that was recorded. This
// is what every thread does that reads such files again: of `catalogue verify` and `catalogue hash`
// on this host (rereader.h), and of a worker of a fleet (fleet/hash_recipe.h).
//
// A file that no longer exists, with or without its folder, fails with kind not_found; the other
// failures are those of io/hash/reader.h, mostly kind changed. After a stop: Cure::resume.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"
#include "tidemill/io/hash/reader.h"
#include "tidemill/io/walk/open_below.h"

namespace tidemill::dupes {

struct RecordedFile {
  int top = -1;               // an open folder
  std::string_view folder{};  // of the file, below `top`; without "..", of any length
  const std::string& name;
  FileStamp stamp{};
  std::uint8_t algorithm = 0;
};

// One thread. Files of one folder should be adjacent: their folder is opened once.
class RecordedReader {
 public:
  enum class StampOf : std::uint8_t {
    this_host,     // symlinks on the path are followed: the stamp identifies the file
    another_host,  // the device number says nothing here, and symlinks must not leave `top`
  };

  explicit RecordedReader(StampOf host) : host_(host) {}

  [[nodiscard]] Result<hash::Digest> read(const RecordedFile& file, const std::stop_token& stop);

 private:
  [[nodiscard]] Result<void> enter(const RecordedFile& file);
  [[nodiscard]] walk::OpenedFolder open(int top, std::string_view folder) const;
  [[nodiscard]] FileStamp expected(const RecordedFile& file) const;
  [[nodiscard]] Result<hash::FileReader*> reader_for(std::uint8_t number);

  const StampOf host_;
  std::array<std::optional<hash::FileReader>, 8> readers_{};  // by the number of the algorithm
  int top_ = -1;                                              // of the open folder
  std::string path_{};
  walk::OpenedFolder opened_{};
};

// Why a folder could not be opened.
[[nodiscard]] std::unexpected<Failure> cannot_enter(int error);

// The hash of a file that was read at this time, unless its stamp was so young that another write
// would not have changed it.
[[nodiscard]] Result<hash::Digest> unless_fresh(Result<hash::Digest> digest, const FileStamp& stamp,
                                                WallTime read_at);

}  // namespace tidemill::dupes
