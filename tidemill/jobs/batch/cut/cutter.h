// Cutter: puts files together into batches. Pure: the same files in the same order give the same
// batches with the same ids.
//
// A batch is closed before the file that would take it above the limit, or when it has as many
// files as allowed. A file that alone is above the limit is a batch of its own. An id stands for
// the job, and for the names, counts and contents of the files.
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

// A file on its way into a batch.
struct Weighed {
  std::size_t root = 0;
  std::string path{};        // below the root
  std::uint64_t size = 0;    // bytes
  std::uint64_t tokens = 0;  // of its contents
  std::uint64_t cost = 0;    // with what the prompt puts around them
  ContentDigest digest{};
  std::string content{};  // with --inline alone
};

struct Batch {
  std::string id{};  // a UUID
  std::vector<Weighed> files{};
  std::uint64_t tokens = 0;  // of the contents
  std::uint64_t cost = 0;
  bool is_oversize = false;
};

struct Limits {
  std::uint64_t cost = 0;  // of a batch
  std::size_t files = 1'000;
};

// floor((max - overhead) x margin); at least 1.
[[nodiscard]] std::uint64_t limit_of(std::uint64_t max_tokens, std::uint64_t overhead,
                                     double margin);

// One thread.
class Cutter {
 public:
  Cutter(Limits limits, std::string job) : limits_(limits), job_(std::move(job)) {}

  // The batch that is full before this file, if there is one.
  [[nodiscard]] std::optional<Batch> add(Weighed file);
  // What is left; nothing: nothing is left.
  [[nodiscard]] std::optional<Batch> flush();
  [[nodiscard]] bool is_empty() const { return open_.files.empty(); }

 private:
  [[nodiscard]] Batch close();

  const Limits limits_;
  const std::string job_;
  Batch open_;
};

// Version 8 of RFC 9562: ours to define. SHA-256 of job, names, counts and digests, cut to size.
[[nodiscard]] std::string id_of(std::string_view job, const std::vector<Weighed>& files);

}  // namespace tidemill::batch
