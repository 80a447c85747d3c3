#include "tidemill/io/proc/environment.h"

#include <unistd.h>

#include <string_view>
#include <unordered_set>

#include "tidemill/io/proc/spawner.h"

namespace tidemill::proc {
namespace {

// With the '=', so that PATH is not found in PATHS.
std::string_view name_in(std::string_view entry) { return entry.substr(0, entry.find('=') + 1); }

}  // namespace

Environment::Environment(std::vector<std::string> base) : base_(std::move(base)) {
  std::unordered_set<std::string_view> names;
  for (const std::string& entry : base_) {
    const std::string_view name = name_in(entry);
    if (name.empty() || names.insert(name).second) entries_.push_back(for_exec(entry));
  }
  base_count_ = entries_.size();
  entries_.push_back(nullptr);
}

std::vector<std::string> Environment::of_this_program() {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    all.emplace_back(*entry);
  }
  return all;
}

char* const* Environment::with(std::span<const std::string> additions) {
  take_back();
  for (const std::string& addition : additions) put(addition);
  entries_.push_back(nullptr);
  return entries_.data();
}

void Environment::put(const std::string& addition) {
  const std::string_view name = name_in(addition);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!std::string_view(entries_[i]).starts_with(name)) continue;
    before_.emplace_back(i, entries_[i]);
    entries_[i] = for_exec(addition);
    return;
  }
  entries_.push_back(for_exec(addition));
}

void Environment::take_back() {
  entries_.resize(base_count_);
  // In reverse order: the same name may have been added twice.
  for (; !before_.empty(); before_.pop_back()) {
    const auto [place, entry] = before_.back();
    if (place < base_count_) entries_[place] = entry;
  }
}

}  // namespace tidemill::proc
