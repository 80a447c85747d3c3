#include "tidemill/formats/epub/inspection.h"

#include <utility>

#include "tidemill/formats/epub/unicode.h"

namespace tidemill::epub {

void Inspection::open(const zip::Archive& opened) {
  archive = &opened;
  for (const zip::ZipEntry& entry : opened.entries()) {
    std::string name = epub::composed(entry.name);
    if (name != entry.name) composed.try_emplace(std::move(name), &entry);
  }
}

const zip::ZipEntry* Inspection::entry_at(std::string_view path) const {
  if (archive == nullptr) return nullptr;
  const zip::ZipEntry* entry = archive->find(path);
  if (entry == nullptr) {
    const auto found = composed.find(path);
    if (found != composed.end()) entry = found->second;
  }
  return entry == nullptr || entry->is_folder() ? nullptr : entry;
}

void Document::report(RuleId rule, xml::Position at, std::string detail) const {
  book->findings.add(rule, path, at, std::move(detail));
}

void Document::report_if_whole(RuleId rule, xml::Position at, std::string detail) const {
  book->held.add(rule, path, at, std::move(detail));
}

}  // namespace tidemill::epub
