// Cutter: groups files into batches. Pure: the same files in the same order give the same batches
// with the same ids.
//
// A batch is closed before the file that would take it above the limit, or when it has the maximum
// number of files. A file that exceeds the limit alone is a batch of its own. The id is derived
// from the job and from the names, counts and contents of the files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::batch {

using ContentDigest = std::array<unsigned char, 16>;

// A counted file, ready for a batch.
struct Weighed {
  std::size_t root = 0;
  std::string path{};        // below the root
  std::uint64_t size = 0;    // bytes
  std::uint64_t tokens = 0;  // of its contents
  std::uint64_t cost = 0;    // tokens including the prompt around the contents
  ContentDigest digest{};
  std::string content{};  // only with --inline
};

struct Batch {
  std::string id{};  // a UUID
  std::vector<Weighed> files{};
  std::uint64_t tokens = 0;  // of the contents
  std::uint64_t cost = 0;
  bool is_oversize = false;
};

struct BatchLimits {
  std::uint64_t cost = 0;  // of a batch
  std::size_t files = 1'000;
};

// floor((max - overhead) x margin); at least 1.
[[nodiscard]] std::uint64_t limit_of(std::uint64_t max_tokens, std::uint64_t overhead,
                                     double margin);

// One thread.
class Cutter {
 public:
  Cutter(BatchLimits limits, std::string job) : limits_(limits), job_(std::move(job)) {}

  // Returns the batch that this file closes, if any; the file itself is in the next one.
  [[nodiscard]] std::optional<Batch> add(Weighed file);
  // Returns the open batch; empty if it has no files.
  [[nodiscard]] std::optional<Batch> flush();
  [[nodiscard]] bool is_empty() const { return open_.files.empty(); }

 private:
  [[nodiscard]] Batch close();

  const BatchLimits limits_;
  const std::string job_;
  Batch open_;
};

// A UUID of version 8 (RFC 9562, application-defined): SHA-256 of job, names, counts and digests,
// truncated.
[[nodiscard]] std::string id_of(std::string_view job, const std::vector<Weighed>& files);

}  // namespace tidemill::batch
