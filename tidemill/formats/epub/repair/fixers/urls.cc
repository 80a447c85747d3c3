// URLs with characters that no URL may have: a space, quotes, brackets and the like.
//
// Every reader takes them for their percent-codes (the URL Standard says so), so there is one
// answer: to write the codes. It is taken only when the URL then is right and leads to the same
// place. White space around a URL does not belong to it and goes. A '%' that begins no code may be
// meant or forgotten, and a missing slash can be put in several places: those stay.
#include <algorithm>
#include <optional>
#include <string>

#include "tidemill/formats/epub/references/percent_code.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

bool is_same_place(const Target& before, const Target& after) {
  return before.kind == after.kind && before.scheme == after.scheme &&
         percent_decoded(before.path) == percent_decoded(after.path) &&
         percent_decoded(before.fragment) == percent_decoded(after.fragment) &&
         percent_decoded(before.query) == percent_decoded(after.query) &&
         before.leaks == after.leaks;
}

// The same URL, written right. Nothing: it is right, or there is no one way to write it.
std::optional<std::string> corrected(std::string_view url, std::string_view entry) {
  const Target before = resolve(url, entry);
  if (before.problem.empty() || before.kind == Target::Kind::malformed) return std::nullopt;
  std::string written = percent_encoded(trimmed(url), " \"<>^`{|}");
  std::ranges::replace(written, '\\', '/');  // as every reader takes it
  const Target after = resolve(written, entry);
  if (!after.problem.empty() || !is_same_place(before, after)) return std::nullopt;
  return written;
}

// False: some are left.
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

void mend_urls(const Inspection& found, Draft& draft, Plan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-020")) {
    bool is_left = false;
    const auto correct = [&](std::string_view document, XmlEdit& edit) {
      is_left = !correct_all(document, entry, edit);
    };
    edit_entry(draft, plan,
               {.tier = Mend::safe,
                .name = "urls",
                .mends = {"RSC-020"},
                .entry = entry,
                .what = "spaces and other characters that no URL may have become percent-codes"},
               correct);
    if (!is_left) continue;
    plan.declined.push_back({.rule = "RSC-020",
                             .entry = entry,
                             .why = "what the URL should be cannot be seen from what it is"});
  }
}

}  // namespace tidemill::epub
