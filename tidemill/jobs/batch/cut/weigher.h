// Weigher: reads one file after the other and counts its tokens.
//
// A file is opened below its root without following a symlink, so that nothing outside is read
// whatever becomes of the folders meanwhile; FIFOs and devices are not waited for. It is read in
// parts, and what was counted counts only if the file has the same stamp before and after; one that
// changes is read a second time. A NUL within the first 8 KiB makes it binary. A file of a list is
// opened as it is named.
//
// Skipped: binary, too large, not a regular file, vanished. Failures: "open", "read" (the system's
// words), kind changed with Cure::retry; Cure::resume: stopped.
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

// A NUL within so many bytes makes a file binary.
inline constexpr std::size_t kBinaryLook = 8'192;

enum class Passed : std::uint8_t { no, binary, too_large, not_regular, gone };
[[nodiscard]] std::string_view name_of(Passed passed);  // "binary", …; what the journal keeps

struct Weight {
  Passed passed = Passed::no;
  std::uint64_t tokens = 0;
  ContentDigest digest{};
  FileStamp stamp{};
  std::int64_t seen_ns = 0;  // when the stamp was taken, before the first byte; since 1970
  bool is_new = false;       // it was read, not remembered
  bool is_due = false;       // remembered, and should be again
  std::string content{};     // if it was asked for
};

// One thread.
class Weigher {
 public:
  // What is remembered of a file with this stamp; nothing: it has to be read.
  using Recall = std::function<std::optional<Weight>(const FileStamp&)>;
  struct Options {
    const Clock& clock;
    Bytes max_size = mib(16);
    bool keeps_content = false;
    bool is_listed =
        false;  // the user has named the file: links are followed, and it must be there
    Recall recall{};
  };

  [[nodiscard]] static Result<std::unique_ptr<Weigher>> make(const tokens::Tokenizer& tokenizer,
                                                             Options options);

  // What is remembered of a file with this stamp: then it need not even be opened.
  [[nodiscard]] std::optional<Weight> known(const FileStamp& stamp) const;
  [[nodiscard]] Result<Weight> weigh(int root, std::string_view path, const std::stop_token& stop);

  [[nodiscard]] tokens::Counter& counter() { return *counter_; }

 private:
  Weigher(std::unique_ptr<tokens::Counter> counter, hash::Hasher hasher, Options options);
  [[nodiscard]] Result<Weight> weigh_once(int file, const FileStamp& before,
                                          const std::stop_token& stop);
  [[nodiscard]] Result<Weight> read_all(int file, const FileStamp& before,
                                        const std::stop_token& stop);

  std::unique_ptr<tokens::Counter> counter_;
  hash::Hasher hasher_;
  Options options_;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace tidemill::batch
