// Renames ids that are not XML names and duplicate ids, and updates the references to them.
//
// An id that is not an XML name ("1.2", "a b") has one fix: a new name, also in every reference. Of
// two elements with the same id a reference means the first; the second gets a new name that
// nothing refers to. An id that a style names is kept, because the style would lose the element; so
// are the ids of a document with scripts.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/repair/fixers/package_pieces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

using Renamed = std::unordered_map<std::string, std::string>;  // old id, new id

// Ignores white space around it.
bool is_name(std::string_view id) { return is_ncname(trimmed(id)); }

// The ids of one document, and new names that are not among them.
struct Names {
  std::unordered_set<std::string> taken{};
  std::unordered_map<std::string, int> numbers{};  // the last suffix tried for a name

  // An unused name that is as similar to the id as possible.
  std::string name_for(std::string_view id) {
    std::string name;
    for (const char byte : id) name.push_back(is_name_character(byte) ? byte : '_');
    if (!is_name(name)) name.insert(0, "id-");
    if (!is_name(name)) name = "id";  // for example bytes that are not text
    std::string candidate = name;
    while (!taken.insert(candidate).second) {
      int& number = numbers.try_emplace(name, 1).first->second;
      candidate = name + "-" + std::to_string(++number);
    }
    return candidate;
  }
};

bool is_id(std::string_view attribute) { return attribute == "id" || attribute == "xml:id"; }

// Attributes whose value is an id, or a list of ids, of the same document.
bool refers(std::string_view attribute) {
  static const std::unordered_set<std::string_view> kNames = {"for",
                                                              "headers",
                                                              "list",
                                                              "form",
                                                              "aria-labelledby",
                                                              "aria-describedby",
                                                              "aria-controls",
                                                              "aria-owns",
                                                              "aria-flowto",
                                                              "aria-activedescendant",
                                                              "aria-details",
                                                              "aria-errormessage",
                                                              "contextmenu",
                                                              "popovertarget",
                                                              "itemref"};
  return kNames.contains(attribute);
}

// The changes in one document.
struct IdsOf {
  Renamed renamed{};  // references to these ids must be updated
  // The new value of each id attribute that changes, by its offset in the document.
  std::map<std::size_t, std::pair<Span, std::string>> changes{};
  bool has_bad_names = false;
  bool has_doubles = false;
  bool has_left = false;  // an id was kept, because something that is not updated may refer to it
};

using ByEntry = std::map<std::string, IdsOf, std::less<>>;

// Updates the list of ids in an attribute like headers.
std::string renamed_words(std::string_view value, const Renamed& renamed) {
  std::string out;
  while (!value.empty()) {
    const std::size_t space = std::min(value.find_first_of(" \t\r\n"), value.size());
    const std::string word(value.substr(0, space));
    const auto found = renamed.find(word);
    out += found == renamed.end() ? word : found->second;
    value.remove_prefix(space);
    if (value.empty()) break;
    out.push_back(value.front());
    value.remove_prefix(1);
  }
  return out;
}

// A reference with a fragment, in any document of the book: the same URL with the new id. nullopt:
// it does not point to an id that changes.
std::optional<std::string> renamed_url(std::string_view url, std::string_view entry,
                                       const ByEntry& documents) {
  const std::size_t sign = url.find('#');
  if (sign == std::string_view::npos) return std::nullopt;
  const LinkTarget target = resolve(url, entry);
  if (target.kind != LinkTarget::Kind::inside || target.leaks) return std::nullopt;
  const auto document = documents.find(target.path);
  if (document == documents.end()) return std::nullopt;
  const Renamed& renamed = document->second.renamed;
  const auto found = renamed.find(target.fragment);
  if (found == renamed.end()) return std::nullopt;
  return std::string(url.substr(0, sign + 1)) + found->second;
}

void follow(std::string_view document, std::string_view entry, const ByEntry& documents,
            XmlEdit& edit) {
  const auto own = documents.find(entry);
  for (const Scanned& piece : scan(document)) {
    for (const ScannedAttribute& one : piece.attributes) {
      const std::string_view name = one.name.in(document);
      const std::string value = resolved_value(one.value.in(document));
      if (holds_url(name)) {
        if (const auto url = renamed_url(value, entry, documents)) {
          edit.replace(one.value, escaped_value(*url));
        }
      } else if (own != documents.end() && refers(name)) {
        const std::string words = renamed_words(value, own->second.renamed);
        if (words != value) edit.replace(one.value, escaped_value(words));
      }
    }
  }
}

// The names after '#' in a style sheet; in a document only those in url(). Escapes and attribute
// selectors are not parsed: they count as any name.
struct StyleNames {
  std::unordered_set<std::string> names{};
  bool names_any = false;

  void read(std::string_view text, bool is_style_sheet) {
    names_any = names_any || (is_style_sheet && text.contains("[id"));
    for (std::size_t sign = text.find('#'); sign != std::string_view::npos;
         sign = text.find('#', sign + 1)) {
      if (!is_style_sheet && !text.substr(0, sign).ends_with("url(")) continue;
      std::size_t end = sign + 1;
      while (end < text.size() && (is_name_character(text[end]) || text[end] == '\\')) ++end;
      const std::string_view name = text.substr(sign + 1, end - sign - 1);
      names_any = names_any || name.contains('\\');
      names.emplace(name);
    }
  }

  [[nodiscard]] bool may_name(const std::string& id) const {
    return names_any || names.contains(id);
  }
};

StyleNames names_in_style_sheets(const Inspection& found, const BookDraft& draft) {
  StyleNames names;
  for (const Item& item : found.package.items) {
    if (item.media_type != kCssType) continue;
    if (const auto css = draft.contents(item.path, 4U << 20U)) names.read(*css, true);
  }
  return names;
}

// Adds the names in the style elements and in attributes like fill="url(#x)".
StyleNames with_own_styles(StyleNames names, std::string_view document) {
  names.read(document, false);
  bool is_style = false;
  for (const Scanned& piece : scan(document)) {
    if (is_style) names.read(piece.whole.in(document), true);
    if (local_name(piece.name.in(document)) == "style") {
      is_style = piece.kind == Scanned::Kind::start;
    }
  }
  return names;
}

bool is_scripted(const Inspection& found, const std::string& entry) {
  const auto traits = found.traits.find(entry);
  return traits != found.traits.end() && traits->second.is_scripted;
}

// The id attributes of a document, in document order.
std::vector<ScannedAttribute> id_attributes(std::string_view document) {
  std::vector<ScannedAttribute> found;
  for (const Scanned& piece : scan(document)) {
    for (const ScannedAttribute& one : piece.attributes) {
      if (is_id(one.name.in(document))) found.push_back(one);
    }
  }
  return found;
}

IdsOf ids_of(std::string_view document, bool must_be_names,
             const std::function<bool(const std::string&)>& must_stay) {
  IdsOf ids;
  Names names;
  const auto attributes = id_attributes(document);
  for (const ScannedAttribute& one : attributes) {
    names.taken.insert(resolved_value(one.value.in(document)));
  }
  std::unordered_set<std::string> seen;
  for (const ScannedAttribute& one : attributes) {
    const std::string id = resolved_value(one.value.in(document));
    const bool is_first = seen.insert(id).second;
    if (is_first && (must_be_names ? is_name(id) : is_word(id))) continue;
    if (must_stay(id)) {
      ids.has_left = true;
      continue;
    }
    std::string name = names.name_for(id);
    (is_first ? ids.has_bad_names : ids.has_doubles) = true;
    if (is_first) ids.renamed.emplace(id, name);
    ids.changes.emplace(one.value.begin, std::pair(one.value, std::move(name)));
  }
  return ids;
}

// In the XHTML of EPUB 3 an id is any text without spaces; everywhere else it is an XML name.
bool must_be_names(const Inspection& found, std::string_view entry) {
  const Item* item = found.package.item_at(entry);
  return item == nullptr || item->media_type != kXhtmlType || found.edition() == Edition::epub2;
}

IdsOf ids_of_document(const Inspection& found, const std::string& entry, std::string_view document,
                      const StyleNames& sheets) {
  const StyleNames styles = with_own_styles(sheets, document);
  const bool has_scripts = is_scripted(found, entry);
  return ids_of(document, must_be_names(found, entry),
                [&](const std::string& id) { return has_scripts || styles.may_name(id); });
}

// Only ids that nothing refers to; the others belong to the manifest.
IdsOf ids_of_package(std::string_view document) {
  const PackagePieces pieces(document);
  return ids_of(document, true, [&](const std::string& id) { return pieces.is_referred_to(id); });
}

// The documents whose ids can be changed, and the changes.
ByEntry changes_of(const Inspection& found, const BookDraft& draft, RepairPlan& plan) {
  ByEntry documents;
  std::vector<std::string> found_in = entries_with(found, "RSC-005", "\"id\"");
  std::ranges::move(entries_with(found, "RSC-005", "the id \""), std::back_inserter(found_in));
  const std::set<std::string> entries(found_in.begin(), found_in.end());
  if (entries.empty()) return documents;
  const StyleNames sheets = names_in_style_sheets(found, draft);
  for (const std::string& entry : entries) {
    const auto document = draft.contents(entry);
    if (!document) continue;
    IdsOf ids = entry == found.package.path ? ids_of_package(*document)
                                            : ids_of_document(found, entry, *document, sheets);
    if (ids.has_left) {
      plan.declined.push_back(
          {.rule = "RSC-005",
           .entry = entry,
           .why = "a style refers to an id that would be renamed, or a script may"});
    }
    if (ids.changes.empty()) continue;
    documents.emplace(entry, std::move(ids));
  }
  return documents;
}

void rename_ids(const ByEntry& documents, BookDraft& draft, RepairPlan& plan) {
  for (const auto& [entry, ids] : documents) {
    Change change{
        .tier = Repairability::safe, .name = "ids", .repairs = {"RSC-005"}, .entry = entry};
    change.what = ids.has_bad_names && ids.has_doubles
                      ? "give ids that are invalid or used twice new names"
                  : ids.has_doubles ? "give ids that are used twice new names"
                                    : "give ids that are not XML names new names";
    edit_entry(draft, plan, std::move(change), [&](std::string_view, XmlEdit& edit) {
      for (const auto& [at, one] : ids.changes) edit.replace(one.first, escaped_value(one.second));
    });
  }
}

}  // namespace

void fix_ids(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const ByEntry documents = changes_of(found, draft, plan);
  if (documents.empty()) return;
  rename_ids(documents, draft, plan);
  for (const std::string& entry : documents_of(found)) {
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "ids",
                .repairs = {"RSC-005"},
                .entry = entry,
                .what = "update the references to renamed ids"},
               [&](std::string_view document, XmlEdit& edit) {
                 follow(document, entry, documents, edit);
               });
  }
}

}  // namespace tidemill::epub
