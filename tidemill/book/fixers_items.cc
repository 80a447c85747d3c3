// Files of the book that are referred to and are not in the manifest: an item is added.
//
// What the item must say is certain when the name and the first bytes agree: JPEG, PNG, GIF and
// fonts, and style sheets by their names. Of everything else the type could be guessed only.
#include <array>
#include <set>
#include <string>
#include <unordered_set>

#include "tidemill/book/fixers_list.h"
#include "tidemill/book/fixers_package.h"
#include "tidemill/book/fixers_text.h"
#include "tidemill/book/percent_code.h"
#include "tidemill/book/words.h"

namespace tidemill::book {
namespace {

struct Kind {
  std::string_view extension{};
  std::string_view magic{};  // empty: the name is enough
  std::string_view type{};
  std::string_view type_of_epub2{};
};

constexpr Kind kind(std::string_view extension, std::string_view magic, std::string_view type,
                    std::string_view type_of_epub2) {
  return {.extension = extension, .magic = magic, .type = type, .type_of_epub2 = type_of_epub2};
}

constexpr std::array kKinds = {
    kind(".css", "", "text/css", "text/css"),
    kind(".jpg", "\xff\xd8\xff", "image/jpeg", "image/jpeg"),
    kind(".jpeg", "\xff\xd8\xff", "image/jpeg", "image/jpeg"),
    kind(".png", "\x89PNG", "image/png", "image/png"),
    kind(".gif", "GIF8", "image/gif", "image/gif"),
    kind(".otf", "OTTO", "font/otf", "application/vnd.ms-opentype"),
    kind(".ttf", std::string_view("\0\1\0\0", 4), "font/ttf", "application/x-font-ttf"),
    kind(".woff", "wOFF", "font/woff", ""),
    kind(".woff2", "wOF2", "font/woff2", ""),
};

// Empty: it is not certain.
std::string_view type_of(const Inspection& found, const std::string& path) {
  const zip::Entry* entry = found.archive->find(path);
  if (entry == nullptr || path.starts_with("META-INF/")) return {};
  const auto head = found.archive->read_head(*entry, 16);
  if (!head) return {};
  const std::string_view name(path);
  for (const Kind& one : kKinds) {
    const bool is_named =
        name.size() > one.extension.size() &&
        same_in_any_case(name.substr(name.size() - one.extension.size()), one.extension);
    if (!is_named || !head->starts_with(one.magic)) continue;
    return found.edition() == Edition::epub2 ? one.type_of_epub2 : one.type;
  }
  return {};
}

// A relative URL from the package document; empty: the file lies outside of its folder.
std::string href_of(std::string_view path, std::string_view package) {
  const std::string_view folder = package.substr(0, package.rfind('/') + 1);
  if (!path.starts_with(folder)) return {};
  return percent_encoded(path.substr(folder.size()));
}

struct Added {
  std::string href{};
  std::string_view type{};
};

void add_items(std::string_view document, const std::vector<Added>& items, XmlEdit& edit) {
  std::unordered_set<std::string> ids;
  const Scanned* end = nullptr;
  const PackagePieces pieces(document);
  for (const Scanned& piece : pieces.all()) {
    ids.insert(pieces.value(piece, "id"));
    if (piece.kind == Scanned::Kind::end && local_name(piece.name.in(document)) == "manifest") {
      end = &piece;
    }
  }
  if (end == nullptr) return;
  const std::string_view tag = end->name.in(document);
  const std::string prefix(tag.substr(0, tag.size() - std::string_view("manifest").size()));
  std::string text;
  std::size_t number = 0;
  for (const Added& item : items) {
    std::string id;
    do {
      id = "added-" + std::to_string(++number);
    } while (!ids.insert(id).second);
    text += "<" + prefix + "item id=\"" + id + "\" href=\"" + escaped_value(item.href) +
            "\" media-type=\"" + std::string(item.type) + "\"/>\n";
  }
  edit.insert(end->whole.begin, text);
}

}  // namespace

void mend_items(const Inspection& found, Draft& draft, Plan& plan) {
  std::set<std::string> paths;
  for (const Finding& one : found.findings.kept()) {
    if (one.rule == RuleId("RSC-008") && found.has_entry(one.detail)) paths.insert(one.detail);
  }
  std::vector<Added> items;
  for (const std::string& path : paths) {
    Added added{.href = href_of(path, found.package.path), .type = type_of(found, path)};
    if (added.type.empty() || added.href.empty()) {
      plan.declined.push_back(
          {.rule = "RSC-008", .entry = path, .why = "it is not certain what kind of file it is"});
    } else {
      items.push_back(std::move(added));
    }
  }
  if (items.empty()) return;
  edit_entry(draft, plan,
             {.tier = Mend::safe,
              .name = "items",
              .mends = {"RSC-008"},
              .entry = found.package.path,
              .what = "files that are referred to become items of the manifest"},
             [&](std::string_view document, XmlEdit& edit) { add_items(document, items, edit); });
}

}  // namespace tidemill::book
