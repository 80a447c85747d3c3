// Properties of items that say what a document uses: scripts, SVG, MathML, remote resources.
//
// What a document uses can be seen in it, so where the two differ the manifest is wrong.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

struct Words {
  std::set<std::string> missing{};
  std::set<std::string> untrue{};
};

// "index" is not among them: it says what a document is meant to be.
bool is_seen_in_documents(const std::string& property) {
  static const std::unordered_set<std::string> kProperties = {"scripted", "mathml", "svg", "switch",
                                                              "remote-resources"};
  return kProperties.contains(property);
}

// EPUBCheck asks for remote-resources when a style element names a remote font, and once it is
// there warns that it is not needed. What cannot be right for it stays.
bool is_for_fonts_only(const Inspection& found, const std::string& path) {
  const Item* item = found.package.item_at(path);
  if (item == nullptr || item->media_type != kXhtmlType) return false;
  return std::ranges::none_of(found.references.all(), [&](const Reference& one) {
    return one.from == path && one.use != Use::font && one.use != Use::hyperlink &&
           one.target.kind == Target::Kind::remote;
  });
}

// By the path of the item.
std::map<std::string, Words> wrong_words(const Inspection& found) {
  std::map<std::string, Words> wrong;
  for (const Finding& one : found.findings.kept()) {
    const bool is_missing = one.rule == RuleId("OPF-014");
    if (!is_missing && one.rule != RuleId("OPF-015")) continue;
    const std::size_t colon = one.detail.find(": ");
    const std::string property = one.detail.substr(0, colon);
    if (colon == std::string::npos || !is_seen_in_documents(property)) continue;
    const std::string path = one.detail.substr(colon + 2);
    if (property == "remote-resources" && is_for_fonts_only(found, path)) continue;
    Words& words = wrong[path];
    (is_missing ? words.missing : words.untrue).insert(property);
  }
  return wrong;
}

std::string corrected(const std::string& properties, const Words& wrong) {
  std::string words;
  const auto add = [&](std::string_view word) {
    words += (words.empty() ? "" : " ") + std::string(word);
  };
  for (const std::string_view word : words_of(properties)) {
    if (!wrong.untrue.contains(std::string(word))) add(word);
  }
  for (const std::string& word : wrong.missing) {
    if (!has_word(words, word)) add(word);
  }
  return words;
}

}  // namespace

void mend_properties(const Inspection& found, Draft& draft, Plan& plan) {
  const auto wrong = wrong_words(found);
  if (wrong.empty()) return;
  Change change{.name = "properties",
                .what = "the properties of items are set to match their documents"};
  for (const RuleId rule : {RuleId("OPF-014"), RuleId("OPF-015")}) {
    if (found.findings.has(rule)) change.mends.push_back(rule);
  }
  edit_package(
      found, draft, plan, std::move(change), [&](const PackagePieces& pieces, XmlEdit& edit) {
        for (const Scanned& piece : pieces.all()) {
          if (!pieces.is_element(piece, "item")) continue;
          const Item* item = found.package.item_with_id(pieces.value(piece, "id"));
          const auto words = item == nullptr ? wrong.end() : wrong.find(item->path);
          if (words == wrong.end()) continue;
          const std::string right = corrected(pieces.value(piece, "properties"), words->second);
          set_words(pieces.document(), piece, "properties", right, edit);
        }
      });
}

}  // namespace tidemill::epub
