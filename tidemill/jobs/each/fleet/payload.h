// EachPayload: what a worker needs to know of a task: a path below one of the roots of the run, or
// a word of a list, which may be anything and is passed on as it is.
//
// Root 0 is the folder in which the run was started: commands start there, and paths below it stay
// as they were typed. Every ROOT outside of it is a root of its own. A path below a root never
// leads out of it: the worker refuses one that would.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/tasks/file_source.h"

namespace tidemill::each {

struct EachPayload {
  std::optional<std::uint64_t> root{};  // none: a word of a list
  std::string name{};                   // below the root

  bool operator==(const EachPayload&) const = default;
};

[[nodiscard]] std::string pack(const EachPayload& payload);
[[nodiscard]] std::optional<EachPayload> unpack_payload(std::string_view bytes);

// The coordinator's side. Immutable.
class EachRoots {
 public:
  struct Root {
    std::string name{};  // unique: the last part of the path
    std::string path{};  // absolute

    bool operator==(const Root&) const = default;
  };

  // `folder`: the one in which the run was started, absolute.
  EachRoots(const jobs::FileSource& source, const std::string& folder);

  [[nodiscard]] const std::vector<Root>& roots() const { return roots_; }
  [[nodiscard]] std::string payload_of(std::string_view name) const;

 private:
  struct Typed {
    std::string text{};  // as typed
    std::uint64_t root = 0;
    std::string below{};  // what to put before the rest of a name
  };

  void add(const std::string& typed, const std::string& folder);

  bool is_list_ = false;
  std::vector<Root> roots_;
  std::vector<Typed> typed_;  // those that are not below root 0
};

// The worker's side: the name for the command, with the roots where they are on this host. Kind
// untrusted: the path leads out of its root.
[[nodiscard]] Result<std::string> name_for(const EachPayload& payload,
                                           const std::vector<std::string>& roots);

}  // namespace tidemill::each
