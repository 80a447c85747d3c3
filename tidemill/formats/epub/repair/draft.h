// Draft: a book while it is mended. It begins as the entries of an archive, in their order; entries
// are renamed, rewritten, moved, added or dropped; what is not rewritten keeps its compressed
// bytes, time and attributes when the draft is written.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::epub {

// Larger ones are not mended.
inline constexpr std::uint64_t kLargestDocument = 64U << 20U;

struct DraftEntry {
  std::string name{};
  const zip::Entry* source = nullptr;  // where it came from; null: it is new
  std::optional<std::string> bytes{};  // its new contents; nothing: those of the source
  bool is_stored = false;              // new contents are not compressed

  [[nodiscard]] bool is_folder() const { return name.ends_with('/'); }
};

// One thread. The archive must outlive it.
class Draft {
 public:
  explicit Draft(const zip::Archive& archive);

  [[nodiscard]] const std::vector<DraftEntry>& entries() const { return entries_; }
  [[nodiscard]] const DraftEntry* find(std::string_view name) const;  // the last of that name
  // The contents as they stand now; at most `most` bytes.
  [[nodiscard]] Result<std::string> contents(std::string_view name,
                                             std::uint64_t most = kLargestDocument) const;

  void rewrite(std::string_view name, std::string bytes);
  void rename(std::size_t at, std::string name);
  void add(DraftEntry entry, std::size_t at);
  void drop(const std::set<std::size_t>& positions);
  void move_to_front(std::size_t at);

  // Nothing but the archive around the entries is made anew.
  void rebuild() { is_changed_ = true; }

  [[nodiscard]] bool is_changed() const { return is_changed_; }

  // Writes it as an archive. The same draft gives the same bytes.
  [[nodiscard]] Result<void> write(int fd) const;

 private:
  [[nodiscard]] std::size_t position_of(std::string_view name) const;  // size: it is not there

  const zip::Archive& archive_;
  std::vector<DraftEntry> entries_;
  // Of each name the last. Made when it is asked for, and again when names or places change.
  mutable std::optional<std::unordered_map<std::string, std::size_t>> by_name_{};
  bool is_changed_ = false;
};

}  // namespace tidemill::epub
