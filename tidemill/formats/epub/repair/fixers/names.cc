// References to files by names that are not quite theirs: in another case, with accents written in
// another way, with backslashes, with percent-codes written twice, from the root of the archive.
//
// When no file has the name and exactly one has it in that sense, that is the one that is meant.
// Files keep their names; the references get them.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>

#include "tidemill/formats/epub/references/percent_code.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/unicode.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::epub {
namespace {

// The same for all names that could be meant by each other.
std::string key_of(std::string_view name) {
  std::string key = percent_decoded(name);
  std::ranges::replace(key, '\\', '/');
  const auto doubled =
      std::ranges::unique(key, [](char one, char next) { return one == '/' && next == '/'; });
  key.erase(doubled.begin(), doubled.end());
  return text::is_utf8(key) ? folded_name(key) : key;
}

// The files of a book by what could be meant by their names. Immutable.
class Files {
 public:
  explicit Files(const Inspection& found) : found_(found) {
    for (const zip::Entry& entry : found.archive->entries()) {
      if (entry.name.ends_with('/')) continue;
      const auto [known, is_new] = names_.emplace(key_of(entry.name), entry.name);
      if (!is_new && known->second != entry.name) known->second.clear();  // there are several
    }
  }

  // The file that the URL means; nothing: it says so itself, or it is not certain.
  [[nodiscard]] std::optional<std::string> meant_by(const Target& target) const {
    if (target.kind != Target::Kind::inside || target.path.empty()) return std::nullopt;
    if (found_.has_entry(target.path)) {
      return target.leaks ? std::optional(target.path) : std::nullopt;
    }
    const auto found = names_.find(key_of(target.path));
    if (found != names_.end() && !found->second.empty()) return found->second;
    return target.leaks ? only_below(target.path) : std::nullopt;
  }

 private:
  // Of a URL that leads out of the book: the one file that has the path below some folder.
  [[nodiscard]] std::optional<std::string> only_below(const std::string& path) const {
    std::optional<std::string> only;
    for (const zip::Entry& entry : found_.archive->entries()) {
      if (!entry.name.ends_with("/" + path)) continue;
      if (only) return std::nullopt;
      only = entry.name;
    }
    return only;
  }

  const Inspection& found_;
  std::unordered_map<std::string, std::string> names_;
};

void correct(std::string_view document, const std::string& entry, const Files& files,
             XmlEdit& edit) {
  for (const Scanned& piece : scan(document)) {
    for (const ScannedAttribute& one : piece.attributes) {
      if (!holds_url(one.name.in(document))) continue;
      const std::string url = resolved_value(one.value.in(document));
      const auto file = files.meant_by(resolve(url, entry));
      if (!file) continue;
      const std::size_t rest = std::min(url.find_first_of("?#"), url.size());
      edit.replace(one.value, escaped_value(relative_url(entry, *file) + url.substr(rest)));
    }
  }
}

}  // namespace

void mend_names(const Inspection& found, Draft& draft, Plan& plan) {
  static constexpr auto kRules = std::to_array<RuleId>({"RSC-001", "RSC-007", "RSC-026"});
  if (std::ranges::none_of(kRules, [&](RuleId rule) { return found.findings.has(rule); })) return;
  const Files files(found);
  for (const std::string& entry : documents_of(found)) {
    edit_entry(
        draft, plan,
        {.name = "names",
         .mends = {"RSC-001", "RSC-007", "RSC-026"},
         .entry = entry,
         .what = "references are corrected to the names of the files"},
        [&](std::string_view document, XmlEdit& edit) { correct(document, entry, files, edit); });
  }
}

}  // namespace tidemill::epub
