// Weigher: reads files one at a time and counts their tokens.
//
// A file is opened below its root without following symlinks, so that nothing outside the root is
// read even if folders are exchanged meanwhile; opening never blocks on a FIFO or device. A file is
// read in parts, and the count is valid only if the stamp is the same before and after; a file that
// changes is read a second time. A NUL within the first 8 KiB makes a file binary. A file from a
// list is opened by the name given.
//
// Skipped: binary, too large, not a regular file, vanished. Failures: steps "open" and "read" (with
// the system's error text), kind changed with Cure::retry; Cure::resume when stopped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/tokenizer.h"
#include "tidemill/io/hash/hasher.h"
#include "tidemill/jobs/batch/cut/cutter.h"

namespace tidemill::batch {

// A NUL within this many bytes makes a file binary.
inline constexpr std::size_t kBinaryLook = 8'192;

enum class Passed : std::uint8_t { no, binary, too_large, not_regular, gone };
[[nodiscard]] std::string_view name_of(Passed passed);  // "binary", …; stored in the journal

struct Weight {
  Passed passed = Passed::no;
  std::uint64_t tokens = 0;
  ContentDigest digest{};
  FileStamp stamp{};
  std::int64_t seen_ns = 0;  // when the stamp was taken, before the first byte; since 1970
  bool is_new = false;       // read now, not taken from the cache
  bool is_due = false;       // from the cache, and the cache entry should be renewed
  std::string content{};     // with Options::keeps_content
};

// One thread.
class Weigher {
 public:
  // Looks up the cached count for this stamp; empty if the file has to be read.
  using Recall = std::function<std::optional<Weight>(const FileStamp&)>;
  struct Options {
    const Clock& clock;
    Bytes max_size = mib(16);
    bool keeps_content = false;
    bool is_listed = false;  // the user has named the file: links are followed, and it must exist
    Recall recall{};
  };

  [[nodiscard]] static Result<std::unique_ptr<Weigher>> make(const tokens::Tokenizer& tokenizer,
                                                             Options options);

  // The cached count for this stamp, without opening the file.
  [[nodiscard]] std::optional<Weight> known(const FileStamp& stamp) const;
  [[nodiscard]] Result<Weight> weigh(int root, std::string_view path, const std::stop_token& stop);

  [[nodiscard]] tokens::TokenCounter& counter() { return *counter_; }

 private:
  Weigher(std::unique_ptr<tokens::TokenCounter> counter, hash::Hasher hasher, Options options);
  [[nodiscard]] Result<Weight> weigh_once(int file, const FileStamp& before,
                                          const std::stop_token& stop);
  [[nodiscard]] Result<Weight> read_all(int file, const FileStamp& before,
                                        const std::stop_token& stop);

  std::unique_ptr<tokens::TokenCounter> counter_;
  hash::Hasher hasher_;
  Options options_;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace tidemill::batch
