// BookDraft: a book while it is repaired. It starts with the entries of an archive, in their order;
// fixers rename, rewrite, move, add or drop entries. An entry that is not rewritten keeps its
// compressed bytes, time and attributes when the draft is written.
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

// Larger documents are not repaired.
inline constexpr std::uint64_t kLargestDocument = 64U << 20U;

struct DraftEntry {
  std::string name{};
  const zip::ZipEntry* source = nullptr;  // the original entry; null: a new one
  std::optional<std::string> bytes{};     // the new contents; nullopt: those of the source
  bool is_stored = false;                 // write the new contents uncompressed

  [[nodiscard]] bool is_folder() const { return name.ends_with('/'); }
};

// One thread. The archive must outlive it.
class BookDraft {
 public:
  explicit BookDraft(const zip::Archive& archive);

  [[nodiscard]] const std::vector<DraftEntry>& entries() const { return entries_; }
  [[nodiscard]] const DraftEntry* find(std::string_view name) const;  // the last with that name
  // The current contents; at most `most` bytes.
  [[nodiscard]] Result<std::string> contents(std::string_view name,
                                             std::uint64_t most = kLargestDocument) const;

  void rewrite(std::string_view name, std::string bytes);
  void rename(std::size_t at, std::string name);
  void add(DraftEntry entry, std::size_t at);
  void drop(const std::set<std::size_t>& positions);
  void move_to_front(std::size_t at);

  // Rewrites the archive even if no entry changes.
  void rebuild() { is_changed_ = true; }

  [[nodiscard]] bool is_changed() const { return is_changed_; }

  // Writes the draft as an archive. The output is deterministic.
  [[nodiscard]] Result<void> write(int fd) const;

 private:
  [[nodiscard]] std::size_t position_of(std::string_view name) const;  // entries_.size(): not found

  const zip::Archive& archive_;
  std::vector<DraftEntry> entries_;
  // The last position of each name. Built on first use, and again after names or positions change.
  mutable std::optional<std::unordered_map<std::string, std::size_t>> by_name_{};
  bool is_changed_ = false;
};

}  // namespace tidemill::epub
