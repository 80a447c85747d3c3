#include "tidemill/formats/epub/repair/draft.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/epub/container/container.h"
#include "tidemill/formats/zip/writer.h"

namespace tidemill::epub {

BookDraft::BookDraft(const zip::Archive& archive) : archive_(archive) {
  entries_.reserve(archive.entries().size());
  for (const zip::ZipEntry& entry : archive.entries()) {
    entries_.push_back({.name = entry.name, .source = &entry});
  }
}

std::size_t BookDraft::position_of(std::string_view name) const {
  if (!by_name_) {
    by_name_.emplace();
    by_name_->reserve(entries_.size());
    for (std::size_t at = 0; at < entries_.size(); ++at) {
      by_name_->insert_or_assign(entries_[at].name, at);
    }
  }
  const auto found = by_name_->find(std::string(name));
  return found == by_name_->end() ? entries_.size() : found->second;
}

const DraftEntry* BookDraft::find(std::string_view name) const {
  const std::size_t at = position_of(name);
  return at == entries_.size() ? nullptr : &entries_[at];
}

Result<std::string> BookDraft::contents(std::string_view name, std::uint64_t most) const {
  const DraftEntry* entry = find(name);
  if (entry == nullptr)
    return fail(Cure::give_up, "read", std::string(name) + " is not in the book");
  if (entry->bytes) return *entry->bytes;
  return archive_.read_whole(*entry->source, most);
}

void BookDraft::rewrite(std::string_view name, std::string bytes) {
  const std::size_t at = position_of(name);
  if (at == entries_.size()) return;
  entries_[at].bytes = std::move(bytes);
  is_changed_ = true;
}

void BookDraft::rename(std::size_t at, std::string name) {
  entries_.at(at).name = std::move(name);
  by_name_.reset();
  is_changed_ = true;
}

void BookDraft::add(DraftEntry entry, std::size_t at) {
  entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(at), std::move(entry));
  by_name_.reset();
  is_changed_ = true;
}

void BookDraft::drop(const std::set<std::size_t>& positions) {
  std::vector<DraftEntry> kept;
  kept.reserve(entries_.size());
  for (std::size_t at = 0; at < entries_.size(); ++at) {
    if (!positions.contains(at)) kept.push_back(std::move(entries_[at]));
  }
  entries_ = std::move(kept);
  by_name_.reset();
  is_changed_ = true;
}

void BookDraft::move_to_front(std::size_t at) {
  const auto begin = entries_.begin();
  std::rotate(begin, begin + static_cast<std::ptrdiff_t>(at),
              begin + static_cast<std::ptrdiff_t>(at) + 1);
  by_name_.reset();
  is_changed_ = true;
}

Result<void> BookDraft::write(int fd) const {
  zip::ZipWriter writer(fd);
  for (const DraftEntry& entry : entries_) {
    if (!entry.bytes) {
      // An extra field before the content of mimetype is a fault itself.
      const auto extra = entry.name == kMimetypePath ? zip::Extra::drop : zip::Extra::keep;
      TRY(writer.copy_raw(archive_, *entry.source, entry.name, extra));
    } else if (entry.is_stored) {
      TRY(writer.add_stored(entry.name, *entry.bytes));
    } else {
      TRY(writer.add_deflated(entry.name, *entry.bytes));
    }
  }
  TRY(writer.finish());
  return {};
}

}  // namespace tidemill::epub
