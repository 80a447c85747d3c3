#include "tidemill/state/journal/names.h"

#include "tidemill/base/try.h"

namespace tidemill::journal {

void JournalNames::forget() {
  known_.clear();
  last_.clear();
  last_id_ = 0;
}

Result<std::int64_t> JournalNames::id_of(store::Db& db, std::string_view name) {
  if (name == last_) return last_id_;
  std::string key(name);
  std::int64_t id = 0;
  if (const auto known = known_.find(key); known != known_.end()) {
    id = known->second;
  } else if (!name.empty()) {
    LET(const auto found, select_.one<std::int64_t>(store::Blob{name}));
    if (!found) TRY(insert_.run(store::Blob{name}));
    id = found ? *found : db.last_id();
    if (known_.size() >= kMost) known_.clear();
    known_.emplace(key, id);
  }
  last_ = std::move(key);
  last_id_ = id;
  return id;
}

}  // namespace tidemill::journal
