// The JSON of a batch, and how a batch lies in the journal until it is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/jobs/batch/cut/cutter.h"
#include "tidemill/jobs/batch/cut/roots.h"

namespace tidemill::batch {

// {"id", "files": [{"path", "tokens"}], "totalTokens"}; a path that is no UTF-8 as "pathBase64";
// with contents "content" or "contentBase64"; "oversize": true where it is. One line, without its
// end. docs/formats/redis.md has it for those who read it.
[[nodiscard]] std::string payload_of(const Batch& batch, const Roots& roots, Paths how,
                                     bool has_contents);

// A batch as a task of the journal: its number is the task's weight, this is the subject.
struct Stored {
  std::string_view id{};
  std::string_view cursor{};
  std::uint64_t files = 0;
  std::uint64_t tokens = 0;
  std::string_view payload{};
};
[[nodiscard]] std::string subject_of(const Stored& stored);
// Views into the subject. Nothing: it was not made by subject_of().
[[nodiscard]] std::optional<Stored> stored_of(std::string_view subject);

}  // namespace tidemill::batch
