// The fixers of references: file names, parts of a URL, its characters.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>

#include "tidemill/formats/epub/references/percent_code.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/repair/fixers/package_pieces.h"
#include "tidemill/formats/epub/unicode.h"
#include "tidemill/formats/epub/words.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::epub {

// References with a slightly wrong file name: different case, accents encoded differently,
// backslashes, double percent-encoding, or relative to the root of the archive.
//
// If no file has the exact name and exactly one file matches in that sense, the reference means it.
// Files keep their names; the references are corrected.
namespace {

// A key that is equal for all spellings of a name.
std::string key_of(std::string_view name) {
  std::string key = percent_decoded(name);
  std::ranges::replace(key, '\\', '/');
  const auto doubled =
      std::ranges::unique(key, [](char one, char next) { return one == '/' && next == '/'; });
  key.erase(doubled.begin(), doubled.end());
  return text::is_utf8(key) ? folded_name(key) : key;
}

// The files of a book by the key of their names. Immutable.
class Files {
 public:
  explicit Files(const Inspection& found) : found_(found) {
    for (const zip::ZipEntry& entry : found.archive->entries()) {
      if (entry.name.ends_with('/')) continue;
      const auto [known, is_new] = names_.emplace(key_of(entry.name), entry.name);
      if (!is_new && known->second != entry.name) known->second.clear();  // ambiguous
    }
  }

  // The file that the URL means; nullopt: the URL is correct, or the file is not certain.
  [[nodiscard]] std::optional<std::string> meant_by(const LinkTarget& target) const {
    if (target.kind != LinkTarget::Kind::inside || target.path.empty()) return std::nullopt;
    if (found_.has_entry(target.path)) {
      return target.leaks ? std::optional(target.path) : std::nullopt;
    }
    const auto found = names_.find(key_of(target.path));
    if (found != names_.end() && !found->second.empty()) return found->second;
    return target.leaks ? only_below(target.path) : std::nullopt;
  }

 private:
  // For a URL that leaves the book: the only file with this path below some folder.
  [[nodiscard]] std::optional<std::string> only_below(const std::string& path) const {
    std::optional<std::string> only;
    for (const zip::ZipEntry& entry : found_.archive->entries()) {
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

void fix_names(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  static constexpr auto kRules = std::to_array<RuleId>({"RSC-001", "RSC-007", "RSC-026"});
  if (std::ranges::none_of(kRules, [&](RuleId rule) { return found.findings.has(rule); })) return;
  const Files files(found);
  for (const std::string& entry : documents_of(found)) {
    edit_entry(
        draft, plan,
        {.name = "names",
         .repairs = {"RSC-001", "RSC-007", "RSC-026"},
         .entry = entry,
         .what = "correct references to match the file names"},
        [&](std::string_view document, XmlEdit& edit) { correct(document, entry, files, edit); });
  }
}

// Parts of a URL that have no meaning in their place: the fragment in a reference to a style sheet,
// and the fragment and query of a manifest item, which is a file.
namespace {

void cut(std::string_view document, const Scanned& piece, std::string_view signs, XmlEdit& edit) {
  const auto* href = piece.attribute(document, "href");
  if (href == nullptr) return;
  const std::string_view value = href->value.in(document);
  if (value.contains("://")) return;
  const std::size_t at = value.find_first_of(signs);
  if (at != std::string_view::npos) edit.remove({href->value.begin + at, href->value.end});
}

void cut_style_sheets(std::string_view document, XmlEdit& edit) {
  for (const Scanned& piece : scan(document)) {
    const auto* rel = piece.attribute(document, "rel");
    if (rel == nullptr || !has_word(lowered(rel->value.in(document)), "stylesheet")) continue;
    cut(document, piece, "#", edit);
  }
}

}  // namespace

void fix_hrefs(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const Change change{.name = "hrefs",
                      .repairs = {"OPF-091", "RSC-013", "RSC-033"},
                      .what = "remove meaningless fragments and queries"};
  if (found.findings.has("OPF-091") || found.findings.has("RSC-033")) {
    edit_package(found, draft, plan, change, [](const PackagePieces& pieces, XmlEdit& edit) {
      for (const Scanned& piece : pieces.all()) {
        if (pieces.is_element(piece, "item")) cut(pieces.document(), piece, "?#", edit);
      }
    });
  }
  for (const std::string& entry : entries_with(found, "RSC-013")) {
    Change of_document = change;
    of_document.entry = entry;
    edit_entry(draft, plan, std::move(of_document), cut_style_sheets);
  }
}

// URLs with forbidden characters: a space, quotes, brackets and the like.
//
// By the URL Standard they are equivalent to their percent-codes, so there is one fix: write the
// codes. It is applied only if the result is valid and has the same target. White space around a
// URL is not part of it and is removed. A '%' that does not begin a code may be literal or a typo,
// and a missing slash can go in several places: those stay.
namespace {

bool is_same_place(const LinkTarget& before, const LinkTarget& after) {
  return before.kind == after.kind && before.scheme == after.scheme &&
         percent_decoded(before.path) == percent_decoded(after.path) &&
         percent_decoded(before.fragment) == percent_decoded(after.fragment) &&
         percent_decoded(before.query) == percent_decoded(after.query) &&
         before.leaks == after.leaks;
}

// The corrected URL. nullopt: it is correct, or there is more than one possible fix.
std::optional<std::string> corrected(std::string_view url, std::string_view entry) {
  const LinkTarget before = resolve(url, entry);
  if (before.problem.empty() || before.kind == LinkTarget::Kind::malformed) return std::nullopt;
  std::string written = percent_encoded(trimmed(url), " \"<>^`{|}");
  std::ranges::replace(written, '\\', '/');  // every reading system treats them alike
  const LinkTarget after = resolve(written, entry);
  if (!after.problem.empty() || !is_same_place(before, after)) return std::nullopt;
  return written;
}

// False: some URLs could not be corrected.
bool correct_all(std::string_view document, const std::string& entry, XmlEdit& edit) {
  bool is_whole = true;
  for (const Scanned& piece : scan(document)) {
    for (const ScannedAttribute& one : piece.attributes) {
      if (!holds_url(one.name.in(document))) continue;
      const std::string url = resolved_value(one.value.in(document));
      if (resolve(url, entry).problem.empty()) continue;
      const auto right = corrected(url, entry);
      is_whole = is_whole && right;
      if (right) edit.replace(one.value, escaped_value(*right));
    }
  }
  return is_whole;
}

}  // namespace

void fix_urls(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-020")) {
    bool is_left = false;
    const auto correct = [&](std::string_view document, XmlEdit& edit) {
      is_left = !correct_all(document, entry, edit);
    };
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "urls",
                .repairs = {"RSC-020"},
                .entry = entry,
                .what = "percent-encode spaces and other characters that are not allowed in URLs"},
               correct);
    if (!is_left) continue;
    plan.declined.push_back(
        {.rule = "RSC-020", .entry = entry, .why = "the intended URL cannot be determined"});
  }
}

}  // namespace tidemill::epub
