#include "tidemill/formats/epub/repair/fixers/documents.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/references/percent_code.h"

namespace tidemill::epub {

std::vector<std::string> entries_with(const Inspection& found, RuleId rule, std::string_view word) {
  std::vector<std::string> entries;
  std::unordered_set<std::string> seen;
  const auto take = [&](const std::string& entry) {
    if (seen.insert(entry).second) entries.push_back(entry);
  };
  for (const Finding& one : found.findings.kept()) {
    if (one.rule == rule && one.detail.contains(word)) take(one.place.entry);
  }
  if (found.findings.count(rule) > Findings::kKept)
    std::ranges::for_each(documents_of(found), take);
  return entries;
}

std::vector<std::string> documents_of(const Inspection& found) {
  static constexpr std::array<std::string_view, 5> kTypes = {kXhtmlType, kSvgType, kNcxType,
                                                             kOverlayType, kDtbookType};
  std::vector<std::string> entries = {found.package.path};
  for (const Item& item : found.package.items) {
    const bool is_document = std::ranges::find(kTypes, item.media_type) != kTypes.end();
    if (is_document && !item.is_remote && found.has_entry(item.path)) entries.push_back(item.path);
  }
  std::ranges::sort(entries);
  const auto doubles = std::ranges::unique(entries);
  entries.erase(doubles.begin(), doubles.end());
  return entries;
}

std::string escaped_value(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    switch (byte) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out.push_back(byte);
    }
  }
  return out;
}

std::string resolved_value(std::string_view written) { return text_of_document(written); }

bool edit_entry(BookDraft& draft, RepairPlan& plan, Change change,
                const std::function<void(std::string_view document, XmlEdit& edit)>& edit) {
  const auto document = draft.contents(change.entry);
  if (!document) return false;
  XmlEdit changes(*document);
  edit(*document, changes);
  if (changes.is_empty()) return true;
  change.diff = changes.diff();
  draft.rewrite(change.entry, changes.applied());
  plan.changes.push_back(std::move(change));
  return true;
}

void set_attribute(std::string_view document, const Scanned& tag, std::string_view name,
                   std::string_view value, XmlEdit& edit) {
  if (const auto* attribute = tag.attribute(document, name)) {
    if (resolved_value(attribute->value.in(document)) == value) return;
    edit.replace(attribute->value, escaped_value(value));
  } else {
    edit.insert(tag.name.end, " " + std::string(name) + "=\"" + escaped_value(value) + "\"");
  }
}

void set_words(std::string_view document, const Scanned& tag, std::string_view name,
               std::string_view words, XmlEdit& edit) {
  if (!words.empty()) return set_attribute(document, tag, name, words, edit);
  const auto* attribute = tag.attribute(document, name);
  if (attribute != nullptr) edit.remove(attribute->whole);
}

const Scanned* root_of(const std::vector<Scanned>& pieces) {
  for (const Scanned& piece : pieces) {
    if (piece.kind == Scanned::Kind::start || piece.kind == Scanned::Kind::empty) return &piece;
  }
  return nullptr;
}

std::string relative_url(std::string_view from, std::string_view to) {
  std::size_t same = 0;  // length of the common folders
  for (std::size_t at = 0; at < from.size() && at < to.size() && from[at] == to[at]; ++at) {
    if (from[at] == '/') same = at + 1;
  }
  std::string url;
  for (const char byte : from.substr(same)) {
    if (byte == '/') url += "../";
  }
  return url + percent_encoded(to.substr(same));
}

bool holds_url(std::string_view attribute) {
  const std::string_view local = local_name(attribute);
  return local == "href" || local == "src" || local == "cite" || local == "textref" ||
         local == "data" || local == "usemap" || local == "refines" || local == "longdesc";
}

std::string_view local_name(std::string_view name) { return name.substr(name.find(':') + 1); }

}  // namespace tidemill::epub
