// The JSON payload of a batch, and how a batch is stored in the journal until it is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/jobs/batch/cut/cutter.h"
#include "tidemill/jobs/batch/cut/roots.h"

namespace tidemill::batch {

// {"id", "files": [{"path", "tokens"}], "totalTokens"}; a path that is not UTF-8 is "pathBase64";
// with contents, each file has "content" or "contentBase64"; an oversize batch has
// "oversize": true. One line without a newline. docs/formats/redis.md describes the format for
// consumers.
[[nodiscard]] std::string payload_of(const Batch& batch, const BatchRoots& roots, Paths how,
                                     bool has_contents);

// A batch as a journal task: this is the task's subject, the batch number is the task's weight.
struct Stored {
  std::string_view id{};
  std::string_view cursor{};
  std::uint64_t files = 0;
  std::uint64_t tokens = 0;
  std::string_view payload{};
};
[[nodiscard]] std::string subject_of(const Stored& stored);
// Views into the subject. Empty if the subject was not made by subject_of().
[[nodiscard]] std::optional<Stored> stored_of(std::string_view subject);

}  // namespace tidemill::batch
