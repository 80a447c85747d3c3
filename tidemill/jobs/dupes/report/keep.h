// Keeper: puts the copy that is kept in front of the others.
//
//   1. copies on this machine before those of other hosts: of these only a catalogue is here, and
//      a local file must never go because of what a catalogue once saw
//   2. copies with a name in a reference root
//   3. the rules, in their order: the first that tells two copies apart decides
//   4. host, first root, bytes of the first path, device and inode
//
// The order is total: it does not depend on the order in which the copies came. A glob that makes
// no sense is refused with kind usage; nothing else can fail.
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
class Keeper {
 public:
  // `roots` are the paths that Name::root counts. With them a glob is matched against the path
  // below the root, too, and not only against the path as given.
  [[nodiscard]] static Result<Keeper> make(std::span<const KeepRule> rules,
                                           std::span<const std::string> roots = {});

  void order(std::vector<Copy>& copies) const;

 private:
  struct Rule {
    KeepBy by = KeepBy::first_root;
    std::vector<walk::Glob> glob{};  // one for KeepBy::path, else none
  };

  Keeper() = default;
  // The lower one is kept.
  [[nodiscard]] std::int64_t rank(const Rule& rule, const Copy& copy) const;
  [[nodiscard]] bool matches(const walk::Glob& glob, const Name& name) const;

  std::vector<Rule> rules_;
  std::vector<std::string> roots_;
};

}  // namespace tidemill::dupes
