// Helpers for the tests of navigation documents: read a text with some rules and return the ids of
// the findings.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/grammar/grammar.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/handler_fanout.h"

namespace tidemill::epub {

using Ids = std::vector<std::string>;

inline Ids ids_of(const Findings& findings) {
  Ids ids;
  for (const Finding& finding : findings.kept()) ids.emplace_back(finding.rule.text());
  std::ranges::sort(ids);
  return ids;
}

class ToFindings final : public GrammarListener {
 public:
  explicit ToFindings(Document& document) : document_(document) {}
  void mistake(std::string sentence, xml::Position where) override {
    document_.report("RSC-005", where, std::move(sentence));
  }

 private:
  Document& document_;
};

inline void add_item(Package& package, Item item) {
  package.by_id.emplace(item.id, package.items.size());
  package.by_path.emplace(item.path, package.items.size());
  package.items.push_back(std::move(item));
}

// A non-null archive that is never read, for rules that apply only to a complete book.
inline const zip::Archive* some_archive() {
  static const int place = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  return reinterpret_cast<const zip::Archive*>(&place);
}

template <class Rules>
void read(Document& document, std::string_view text, const Grammar* grammar = nullptr) {
  Rules rules(document);
  ToFindings mistakes(document);
  xml::HandlerFanout fanout;
  fanout.join(rules);
  std::unique_ptr<GrammarCheck> check;
  if (grammar != nullptr) {
    check = std::make_unique<GrammarCheck>(*grammar, mistakes);
    fanout.join(*check);
  }
  const xml::ParseOutcome outcome = xml::read(text, fanout);
  EXPECT_EQ(outcome.mistake.value_or(xml::Mistake{}).text, "");
  rules.finish();
  document.book->tell_held();
}

inline std::string page(std::string_view body) {
  return "<html xmlns='http://www.w3.org/1999/xhtml' xmlns:epub='http://www.idpf.org/2007/ops'>"
         "<head><title>t</title></head><body>" +
         std::string(body) + "</body></html>";
}

}  // namespace tidemill::epub
