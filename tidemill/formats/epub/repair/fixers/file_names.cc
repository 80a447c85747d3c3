// Renames files whose names contain forbidden characters, and updates the references.
//
// As with invalid ids, a reference cannot mean any other file, so any free name is correct, and the
// most similar one is used. If a document has scripts, nothing is renamed: a script may use the
// name.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidemill/formats/epub/container/archive.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/unicode.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::epub {
namespace {

using Renamed = std::map<std::string, std::string, std::less<>>;  // old name, new name

std::string without_forbidden(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const text::Character next = text::front_character(name);
    out += is_forbidden_in_names(next.code) ? "_" : name.substr(0, next.length);
    name.remove_prefix(next.length);
  }
  while (out.ends_with('.')) out.pop_back();
  return out;
}

// nullopt: the fault is in the name of a folder, or the name is not valid text.
std::optional<std::string> new_name(const std::string& name, std::set<std::string>& taken) {
  const std::size_t file = name.rfind('/') + 1;
  if (!text::is_utf8(name)) return std::nullopt;
  const std::string folder = name.substr(0, file);
  if (without_forbidden(folder) != folder) return std::nullopt;
  const std::string plain = without_forbidden(name);
  const std::size_t dot = std::min(plain.rfind('.'), plain.size());
  std::string candidate = plain;
  for (int number = 2; !taken.insert(folded_name(candidate)).second; ++number) {
    candidate = plain.substr(0, dot) + "-" + std::to_string(number) + plain.substr(dot);
  }
  return candidate;
}

Renamed renamed_files(const Inspection& found, const BookDraft& draft) {
  std::set<std::string> taken;
  for (const DraftEntry& entry : draft.entries()) {
    if (text::is_utf8(entry.name)) taken.insert(folded_name(entry.name));
  }
  Renamed renamed;
  std::vector<std::string> names = entries_with(found, "PKG-009");
  std::ranges::move(entries_with(found, "PKG-011"), std::back_inserter(names));
  for (const std::string& name : names) {
    if (draft.find(name) == nullptr || found.container.obfuscated.contains(name)) continue;
    if (const auto other = new_name(name, taken)) renamed.emplace(name, *other);
  }
  return renamed;
}

void follow(std::string_view document, const std::string& entry, const Renamed& renamed,
            XmlEdit& edit) {
  for (const Scanned& piece : scan(document)) {
    for (const ScannedAttribute& one : piece.attributes) {
      if (!holds_url(one.name.in(document))) continue;
      const std::string url = resolved_value(one.value.in(document));
      const LinkTarget target = resolve(url, entry);
      const auto found = renamed.find(target.path);
      if (target.kind != LinkTarget::Kind::inside || found == renamed.end()) continue;
      const std::size_t rest = std::min(url.find_first_of("?#"), url.size());
      edit.replace(one.value, escaped_value(relative_url(entry, found->second) + url.substr(rest)));
    }
  }
}

}  // namespace

void fix_file_names(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (!found.findings.has("PKG-009") && !found.findings.has("PKG-011")) return;
  if (!found.package.is_read) return;
  const bool has_scripts =
      std::ranges::any_of(found.traits, [](const auto& one) { return one.second.is_scripted; });
  const Renamed renamed = has_scripts ? Renamed{} : renamed_files(found, draft);
  if (renamed.empty()) {
    plan.declined.push_back(
        {.rule = "PKG-009",
         .why = "a folder has such a name, or a script may refer to the file by name"});
    return;
  }
  const Change change{.name = "file-names",
                      .repairs = {"PKG-009", "PKG-011"},
                      .what = "update the references to renamed files"};
  for (const std::string& entry : documents_of(found)) {
    Change of_document = change;
    of_document.entry = entry;
    edit_entry(draft, plan, std::move(of_document), [&](std::string_view document, XmlEdit& edit) {
      follow(document, entry, renamed, edit);
    });
  }
  for (std::size_t at = 0; at < draft.entries().size(); ++at) {
    const auto other = renamed.find(draft.entries()[at].name);
    if (other == renamed.end()) continue;
    Change of_file = change;
    of_file.entry = other->first;
    of_file.what = "rename the file to " + other->second;
    draft.rename(at, other->second);
    plan.changes.push_back(std::move(of_file));
  }
}

}  // namespace tidemill::epub
