// The Redis keys of a stream of batches. All keys of a stream share one hash tag, so that in a
// cluster they are in one slot and scripts can use them together.
//
//   files          {files}:lease         {files}:epoch         {files}:progress …
//   {team}:files   {team}:files:lease    {team}:files:epoch    …: the name has its own tag
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::queue {

struct StreamKeys {
  std::string stream{};
  std::string lease{};     // the current producer: "<run> <epoch> <owner>"; expires
  std::string epoch{};     // the last epoch; never expires
  std::string progress{};  // a hash: the progress of each job
  std::string dead{};      // a stream: dead batches
};

// Kind usage: the name is empty, or has braces that would put the other keys in another slot or
// make them those of another stream.
[[nodiscard]] Result<StreamKeys> stream_keys(std::string_view stream);

// The value of a lease. Views into it.
struct LeaseValue {
  std::string_view run{};
  std::string_view epoch{};
  std::string_view owner{};  // the entire value if it does not have our format
};

[[nodiscard]] LeaseValue parse_lease(std::string_view value);

}  // namespace tidemill::queue
