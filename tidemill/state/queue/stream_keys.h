// The keys of a stream of batches. What belongs to it lies beside it under the same hash tag, so
// that in a cluster all of it is in one slot, and scripts may touch it together.
//
//   files          {files}:lease         {files}:epoch         {files}:progress …
//   {team}:files   {team}:files:lease    {team}:files:epoch    …: it has a tag of its own
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::queue {

struct StreamKeys {
  std::string stream{};
  std::string lease{};     // who produces now: "<run> <epoch> <owner>", with an end
  std::string epoch{};     // the last one that was given; for ever
  std::string progress{};  // a hash: how far each job has come
  std::string dead{};      // a stream: batches that were given up
};

// Kind usage: the name is empty, or has a brace at a place where its siblings would land in
// another slot, or would be those of another stream.
[[nodiscard]] Result<StreamKeys> stream_keys(std::string_view stream);

// The value of a lease. Views into it.
struct LeaseValue {
  std::string_view run{};
  std::string_view epoch{};
  std::string_view owner{};  // the whole value if it is none of ours
};

[[nodiscard]] LeaseValue parse_lease(std::string_view value);

}  // namespace tidemill::queue
