// KeepSelector: orders the copies of a group so that the copy to keep is first.
//
//   1. copies on this machine before those of other hosts: these are known only from a catalogue,
//      and a local file must never be removed because of what a catalogue once recorded
//   2. copies with a name in a reference root
//   3. the rules, in their order: the first that distinguishes two copies decides
//   4. host, first root, bytes of the first path, device and inode
//
// The order is total: it does not depend on the order of the input. An invalid glob is refused with
// kind usage; nothing else can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/filter/globs.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/group.h"

namespace tidemill::dupes {

// Immutable.
class KeepSelector {
 public:
  // `roots` are the paths that FileName::root indexes. With them a glob is matched against the path
  // below the root as well as against the path as given.
  [[nodiscard]] static Result<KeepSelector> make(std::span<const KeepRule> rules,
                                                 std::span<const std::string> roots = {});

  void order(std::vector<Copy>& copies) const;

 private:
  struct Rule {
    KeepBy by = KeepBy::first_root;
    std::vector<walk::Glob> glob{};  // one for KeepBy::path, else none
  };

  KeepSelector() = default;
  // The copy with the lower rank is kept.
  [[nodiscard]] std::int64_t rank(const Rule& rule, const Copy& copy) const;
  [[nodiscard]] bool matches(const walk::Glob& glob, const FileName& name) const;

  std::vector<Rule> rules_;
  std::vector<std::string> roots_;
};

}  // namespace tidemill::dupes
